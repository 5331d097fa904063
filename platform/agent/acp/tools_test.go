package acp

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"copydesk/core/session"
	"github.com/google/go-cmp/cmp"
)

func conversationFor(t testing.TB) (*Agent, *conversation) {
	t.Helper()
	a := New(Options{Name: "peer", Dir: "/w"})
	l := &link{agent: a}
	c := newConversation(l, "s", "/w")
	l.current = c
	return a, c
}

func feed(a *Agent, c *conversation, updates ...string) []session.Event {
	var out []session.Event
	for _, u := range updates {
		out = append(out, a.update(c, parse(json.RawMessage(u)))...)
	}
	return out
}

func TestToolCallsAreMergedByTheirID(t *testing.T) {
	a, c := conversationFor(t)
	got := feed(a, c,
		`{"sessionUpdate":"tool_call_update","toolCallId":"1","title":"bash","kind":"execute","status":"pending","rawInput":{"command":"ls"}}`,
		`{"sessionUpdate":"tool_call_update","toolCallId":"1","status":"in_progress","title":"bash"}`,
		`{"sessionUpdate":"tool_call","toolCallId":"1","title":"ls","status":"pending","kind":null,"content":null}`,
		`{"sessionUpdate":"tool_call_update","toolCallId":"1","locations":[{"path":"/w/a","line":3}],"content":[{"type":"content","content":{"type":"text","text":"out"}}]}`,
		`{"sessionUpdate":"tool_call_update","toolCallId":"1","status":"completed"}`,
	)
	want := []session.Event{
		session.ToolCall{ID: "1", Title: "bash", Kind: "execute", Status: session.Running, Parts: []session.Part{{Kind: session.InputPart, Lang: "bash", Text: "ls"}}},
		session.ToolCall{ID: "1", Title: "ls"},
		session.ToolCall{ID: "1", Parts: []session.Part{{Kind: session.PlacePart, Name: "/w/a:3"}, {Text: "out"}}},
		session.ToolCall{ID: "1", Status: session.Done},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("events (-want +got):\n%s", d)
	}
}

func TestOutputBesideTheProtocolIsKept(t *testing.T) {
	a, c := conversationFor(t)
	got := feed(a, c,
		`{"sessionUpdate":"tool_call","toolCallId":"1","title":"ls","content":[{"type":"terminal","terminalId":"1"}]}`,
		`{"sessionUpdate":"tool_call_update","toolCallId":"1","_meta":{"terminal_output_delta":{"terminal_id":"1","data":"one\n"}}}`,
		`{"sessionUpdate":"tool_call_update","toolCallId":"1","locations":[{"path":"/w/late"}],"rawOutput":{"x":1}}`,
		`{"sessionUpdate":"tool_call_update","toolCallId":"1","status":"failed","_meta":{"terminal_output_delta":"two","terminal_exit":{"exit_code":2}}}`,
	)
	var chunks strings.Builder
	for i, e := range got {
		call := e.(session.ToolCall)
		chunks.WriteString(call.Chunk)
		if i > 0 && call.Parts != nil {
			t.Errorf("what was streamed is replaced: %+v", call)
		}
	}
	if got := chunks.String(); got != "one\ntwo\n[exit status 2]\n" {
		t.Errorf("the output is %q", got)
	}
}

func TestPassagesAreSetApart(t *testing.T) {
	a, c := conversationFor(t)
	text := func(kind, id, s string) string {
		return fmt.Sprintf(`{"sessionUpdate":%q,"messageId":%q,"content":{"type":"text","text":%q}}`, kind, id, s)
	}
	const m, th = "agent_message_chunk", "agent_thought_chunk"
	got := feed(a, c, text(m, "1", "a"), text(m, "1", "b"), text(m, "", "c"), text(m, "2", "d"), text(th, "", "e"), text(m, "2", "f"),
		`{"sessionUpdate":"tool_call","toolCallId":"1","title":"t"}`, `{"sessionUpdate":"tool_call_update","toolCallId":"1","status":"completed"}`, text(m, "2", "g"),
		`{"sessionUpdate":"tool_call_update","toolCallId":"1","status":"failed"}`, text(m, "2", "h"))
	var b strings.Builder
	for _, e := range got {
		switch e := e.(type) {
		case session.Text:
			b.WriteString(e.Chunk)
		case session.Thought:
			b.WriteString("(" + e.Chunk + ")")
		case session.Break:
			b.WriteString("|")
		}
	}
	if b.String() != "abc|d|(e)|f|gh" {
		t.Errorf("the passages are %s", b.String())
	}
}

func TestR14_AnUnknownKindIsNamedOnce(t *testing.T) {
	a, c := conversationFor(t)
	if got := feed(a, c, `{"sessionUpdate":"plan_removed"}`, `{"sessionUpdate":"plan_removed"}`); len(got) != 1 || !strings.Contains(got[0].(session.Notice).Text, "plan_removed") {
		t.Errorf("the events are %+v", got)
	}
	for i := range 1000 {
		feed(a, c, fmt.Sprintf(`{"sessionUpdate":"kind%d"}`, i))
	}
	if len(a.unknown) > unknownKept || a.strays == 0 {
		t.Errorf("%d kinds are kept, %d strays", len(a.unknown), a.strays)
	}
}

// TestR8_CallsAreForgotten: neither their number nor what they show grows.
func TestR8_CallsAreForgotten(t *testing.T) {
	a, c := conversationFor(t)
	big := strings.Repeat("x", 1<<20)
	for i := range callsKept + 200 {
		feed(a, c, fmt.Sprintf(`{"sessionUpdate":"tool_call","toolCallId":"%d","title":"t","status":"in_progress"}`, i))
	}
	for i := range 80 {
		feed(a, c, fmt.Sprintf(`{"sessionUpdate":"tool_call","toolCallId":"big%d","status":"in_progress","content":[{"type":"content","content":{"type":"text","text":"%s"}}]}`, i, big))
	}
	if len(c.calls) > callsKept || len(c.order) != len(c.calls) || c.held > callBytesKept {
		t.Errorf("%d calls and %d bytes are kept", len(c.calls), c.held)
	}
}

func TestReplayedPromptsComeWhole(t *testing.T) {
	a, c := conversationFor(t)
	c.replayed = true
	user := func(id, s string) string {
		return fmt.Sprintf(`{"sessionUpdate":"user_message_chunk","messageId":%q,"content":{"type":"text","text":%q}}`, id, s)
	}
	got := feed(a, c, user("1", "what "), user("1", "is it?"), user("2", "well?"), `{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"this"}}`)
	want := []session.Event{session.Prompt{Chunk: "what is it?"}, session.Prompt{Chunk: "well?"}, session.Text{Chunk: "this"}}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("events (-want +got):\n%s", d)
	}
}

func TestUsageIsInWords(t *testing.T) {
	for update, want := range map[string]session.Usage{
		`{"used":5,"size":10}`: {Used: 5, Limit: 10},
		`{"used":-5,"size":"x","cost":{"amount":0.25,"currency":"USD"}}`:         {Cost: "0.25 USD"},
		`{"used":1,"size":2,"cost":{"amount":0.0012,"currency":"USD\u001b[2J"}}`: {Used: 1, Limit: 2, Cost: "0.0012"},
		`{"used":1,"size":2,"cost":{"amount":-1,"currency":"USD"}}`:              {Used: 1, Limit: 2},
		`{"used":1,"size":2,"cost":{"amount":12345.678,"currency":"credits"}}`:   {Used: 1, Limit: 2, Cost: "12345.68 credits"},
	} {
		if got := usage(parse(json.RawMessage(update))); got != want {
			t.Errorf("%s: %+v", update, got)
		}
	}
}

// BenchmarkUpdate is a piece of an answer, from its JSON to its event.
func BenchmarkUpdate(b *testing.B) {
	a, c := conversationFor(b)
	params := json.RawMessage(`{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","messageId":"m","content":{"type":"text","text":"` + strings.Repeat("word ", 20) + `"}}}`)
	b.ReportAllocs()
	b.SetBytes(int64(len(params)))
	for b.Loop() {
		a.update(c, parse(params).object("update"))
	}
}
