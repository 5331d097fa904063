//go:build unix

package acp_test

import (
	"fmt"
	"strings"
	"testing"

	"copydesk/core/session"
)

func TestEveryUpdateKind(t *testing.T) {
	t.Parallel()
	r, p := start(t)
	tn := r.turn(p, "go")
	p.update(chunk("agent_thought_chunk", "I think"))
	p.update(chunk("agent_thought_chunk", " of it."))
	p.say("Text.")
	p.update(`{"sessionUpdate":"plan","entries":[{"content":"first","priority":"high","status":"completed"},{"content":"second","priority":"low","status":"in_progress"},{"content":"third","priority":"medium","status":"pending"}]}`)
	p.update(`{"sessionUpdate":"tool_call","toolCallId":"c1","title":"Read it","kind":"read","status":"pending","locations":[{"path":"/w/a.go","line":7}],"rawInput":{"path":"/w/a.go"}}`)
	p.update(`{"sessionUpdate":"tool_call_update","toolCallId":"c1","status":"failed","content":[{"type":"content","content":{"type":"text","text":"no such file"}}]}`)
	p.update(`{"sessionUpdate":"available_commands_update","availableCommands":[{"name":"memory show","description":"Shows the memory","input":{"hint":"what"}},{"name":"$deploy","description":"` + strings.Repeat("long ", 300) + `"}]}`)
	p.update(`{"sessionUpdate":"config_option_update","configOptions":[{"id":"mode","name":"Mode","category":"mode","type":"select","currentValue":"ask","options":[{"value":"ask","name":"Ask"},{"value":"auto","name":"Auto","description":"asks nothing"}]}]}`)
	p.update(`{"sessionUpdate":"session_info_update","title":"A title"}`)
	p.update(`{"sessionUpdate":"usage_update","used":5,"size":10,"cost":{"amount":0.5,"currency":"EUR"}}`)
	p.end("end_turn")
	r.done(tn)
	inOrder(t, r.story(1), `thought "I think of it."`, `text "Text."`, "plan first=2 | second=1 | third=0", "tool c1 read", "failed", "usage 5/10", "EUR", "end")
	c := r.calls()["c1"]
	if c.Title != "Read it" || c.Kind != "read" || c.Status != session.Failed || !shows(c, "no such file") {
		t.Errorf("the call is %+v", c)
	}
	commands := r.agent.Commands()
	if len(commands) != 2 || commands[0].Name != "memory show" || commands[0].Hint != "what" || commands[1].Name != "$deploy" {
		t.Errorf("the commands are %+v", commands)
	}
	if o := r.agent.Options(); len(o) != 1 || o[0].ID != "mode" || o[0].Value != "ask" || len(o[0].Values) != 2 || o[0].Values[1].Summary != "asks nothing" {
		t.Errorf("the options are %+v", o)
	}
	changed := 0
	for _, s := range r.snapshot() {
		if _, is := s.event.(session.Changed); is {
			changed++
		}
	}
	if changed == 0 {
		t.Error("nothing told the pane that commands, options and title changed")
	}
}

func TestEveryContentKind(t *testing.T) {
	t.Parallel()
	r, p := start(t)
	tn := r.turn(p, "go")
	for _, c := range contents {
		p.update(`{"sessionUpdate":"agent_message_chunk","content":` + c.json + `}`)
	}
	p.end("end_turn")
	r.done(tn)
	for _, c := range contents {
		contains(t, c.name+" in the answer", r.story(1), c.shown)
	}
	tn = r.turn(p, "go")
	for i, c := range contents {
		p.update(fmt.Sprintf(`{"sessionUpdate":"tool_call","toolCallId":"c%d","title":"t","status":"completed","content":[{"type":"content","content":%s}]}`, i, c.json))
	}
	p.end("end_turn")
	r.done(tn)
	for i, c := range contents {
		if call := r.calls()[fmt.Sprint("c", i)]; !shows(call, c.shown) {
			t.Errorf("%s: a call does not show %q: %+v", c.name, c.shown, call)
		}
	}
}

// contents are the kinds of content block, with what must be seen of each.
var contents = []struct{ name, json, shown string }{
	{"text", `{"type":"text","text":"plain words"}`, "plain words"},
	{"image", `{"type":"image","mimeType":"image/png","data":"iVBORw0KGgo=","uri":"file:///w/pic.png"}`, "image"},
	{"audio", `{"type":"audio","mimeType":"audio/wav","data":"UklGRg=="}`, "audio"},
	{"link", `{"type":"resource_link","uri":"file:///w/notes.md","name":"notes.md","title":"The notes"}`, "notes"},
	{"text resource", `{"type":"resource","resource":{"uri":"file:///w/in.txt","mimeType":"text/plain","text":"inside it"}}`, "in"},
	{"blob resource", `{"type":"resource","resource":{"uri":"file:///w/x.bin","blob":"AAAA"}}`, "x.bin"},
	{"a kind of the future", `{"type":"hologram","beam":"blue"}`, "hologram"},
}

func TestToolCallContentKinds(t *testing.T) {
	t.Parallel()
	r, p := start(t)
	tn := r.turn(p, "go")
	p.update(`{"sessionUpdate":"tool_call","toolCallId":"d1","title":"new","kind":"edit","content":[{"type":"diff","path":"/w/new.txt","oldText":null,"newText":"hello\n"}]}`)
	p.update(`{"sessionUpdate":"tool_call","toolCallId":"d2","title":"change","kind":"edit","content":[{"type":"diff","path":"/w/old.txt","oldText":"a\nb\nc","newText":"a\nB\nc"}]}`)
	p.update(`{"sessionUpdate":"tool_call","toolCallId":"t1","title":"term","kind":"execute","content":[{"type":"terminal","terminalId":"t-1"}]}`)
	p.update(`{"sessionUpdate":"tool_call","toolCallId":"u1","title":"odd","kind":"dance","status":"resting","content":[{"type":"sculpture","stone":"granite"},{"type":"content","content":{"type":"text","text":"kept"}}]}`)
	p.end("end_turn")
	r.done(tn)
	calls := r.calls()
	for id, wants := range map[string][]string{"d1": {"+hello", "/w/new.txt"}, "d2": {"-b", "+B", "/w/old.txt"}, "u1": {"sculpture", "kept"}} {
		for _, want := range wants {
			if !shows(calls[id], want) {
				t.Errorf("call %s does not show %q: %+v", id, want, calls[id])
			}
		}
	}
	for _, id := range []string{"d1", "d2"} {
		diffs := 0
		for _, part := range calls[id].Parts {
			if part.Kind == session.DiffPart {
				diffs++
			}
		}
		if diffs != 1 {
			t.Errorf("call %s has %d diffs: %+v", id, diffs, calls[id])
		}
	}
	if c := calls["u1"]; c.Title != "odd" || c.Status == session.Done || c.Status == session.Failed {
		t.Errorf("a call of an unknown kind and status is %+v", c)
	}
	if c, known := calls["t1"]; !known || c.Title != "term" {
		t.Errorf("a call with a terminal is %+v", c)
	}
}

// TestUnknownUpdatesAreNotKnownOnes: an update is what its discriminator says,
// never what its fields look like.
func TestUnknownUpdatesAreNotKnownOnes(t *testing.T) {
	t.Parallel()
	r, p := start(t)
	tn := r.turn(p, "go")
	p.say("before ")
	p.update(`{"sessionUpdate":"compaction_summary_chunk","content":{"type":"text","text":"SUMMARY"}}`)
	p.update(`{"sessionUpdate":"subagent_update","toolCallId":"s1","title":"SUB","kind":"execute"}`)
	p.update(`{"sessionUpdate":"something_of_2030","title":"FUTURE"}`)
	p.update(`{"sessionUpdate":7}`)
	p.update(`{}`)
	p.update(`null`)
	p.say("after")
	p.end("end_turn")
	r.done(tn)
	if r.said(1) != "before after" {
		t.Errorf("the answer is %q", r.said(1))
	}
	if _, is := r.calls()["s1"]; is {
		t.Error("an unknown update became a tool call")
	}
}

func TestUserChunksInATurnAreNotTheAnswer(t *testing.T) {
	t.Parallel()
	r, p := start(t)
	tn := r.turn(p, "go")
	p.update(chunk("user_message_chunk", "go"))
	p.say("answer")
	p.end("end_turn")
	r.done(tn)
	if r.said(1) != "answer" {
		t.Errorf("the answer is %q", r.said(1))
	}
	lacks(t, "the story", r.story(0), "prompt")
}

func TestUpdatesBetweenTurnsComeAside(t *testing.T) {
	t.Parallel()
	r, p := start(t)
	tn := r.turn(p, "one")
	p.say("first")
	p.end("end_turn")
	r.done(tn)
	p.say("between")
	r.untilSeen(`0: text "between"`)
	tn = r.turn(p, "two")
	p.say("second")
	p.end("end_turn")
	r.done(tn)
	if r.said(1) != "first" || r.said(2) != "second" || !strings.Contains(r.said(0), "between") {
		t.Errorf("the turns are\n%s", r.story(0))
	}
}

func TestUpdatesBeforeTheSessionIsOpenAreKept(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.begin()
	p := r.stage.next()
	p.answer(p.expect("initialize"), plainInitialize)
	opened := p.expect("session/new")
	p.session = "s1"
	p.update(`{"sessionUpdate":"available_commands_update","availableCommands":[{"name":"early","description":"came early"}]}`)
	p.say("early words")
	p.send(updateLine("another", chunk("agent_message_chunk", "of somebody else")))
	p.answer(opened, plainNew)
	tn := r.turn(p, "go")
	p.end("end_turn")
	r.done(tn)
	if c := r.agent.Commands(); len(c) != 1 || c[0].Name != "early" {
		t.Errorf("the commands are %+v", c)
	}
	contains(t, "what came early", r.said(0)+r.said(1), "early words")
	lacks(t, "the story", r.story(0), "somebody else")
}

func TestABurstOfFiveThousandKeepsItsOrder(t *testing.T) {
	t.Parallel()
	r, p := start(t)
	tn := r.turn(p, "go")
	var burst, want strings.Builder
	for i := range 5000 {
		word := fmt.Sprintf("%d ", i)
		want.WriteString(word)
		burst.WriteString(updateLine("s1", chunk("agent_message_chunk", word)) + "\n")
		if i%1000 == 500 {
			burst.WriteString(updateLine("s1", fmt.Sprintf(`{"sessionUpdate":"tool_call","toolCallId":"c%d","title":"t"}`, i)) + "\n")
		}
	}
	burst.WriteString(fmt.Sprintf(`{"jsonrpc":"2.0","id":0,"method":"session/request_permission","params":%s}`+"\n", oneLine(permission(lsCall, twoOptions))))
	p.raw(burst.String())
	q := r.request(1)
	if got := r.said(1); got != want.String() {
		t.Errorf("before the request came %d bytes of %d", len(got), want.Len())
	}
	r.reply(q, approve())
	p.expectAnswer("0", selected("yes"))
	p.end("end_turn")
	r.done(tn)
	if got := r.said(1); got != want.String() {
		t.Errorf("the answer has %d bytes of %d", len(got), want.Len())
	}
	if n := len(r.calls()); n < 5 {
		t.Errorf("%d calls", n)
	}
}

func TestEveryStopReason(t *testing.T) {
	t.Parallel()
	r, p := start(t)
	for i, reason := range []string{"end_turn", "max_tokens", "max_turn_requests", "refusal", "cancelled", "bored"} {
		tn := r.turn(p, "go")
		p.say("some")
		p.end(reason)
		err := r.over(tn)
		said := r.story(tn.n)
		if err != nil {
			said += err.Error()
		}
		if reason == "end_turn" {
			if err != nil || strings.Contains(said, "note:") || strings.Contains(said, "error:") {
				t.Errorf("a plain end says %s", said)
			}
			continue
		}
		if reason != "cancelled" && err == nil && !strings.Contains(said, "note:") && !strings.Contains(said, "error:") {
			t.Errorf("%d: the end by %s is not said:\n%s", i, reason, said)
		}
	}
}

func TestAFailedPromptSaysWhy(t *testing.T) {
	t.Parallel()
	r, p := start(t)
	for _, tc := range []struct {
		code    int
		message string
	}{{-32603, "the model is overloaded"}, {400, `{"error":{"message":"bad key"}}`}, {-32602, ""}} {
		tn := r.run("go")
		w := p.prompted()
		p.say("half")
		p.refuse(w, tc.code, tc.message)
		err := r.over(tn)
		if err == nil {
			t.Fatalf("%d: the turn did not fail", tc.code)
		}
		if tc.message != "" && !strings.Contains(err.Error(), strings.Trim(tc.message[:8], `{"`)) {
			t.Errorf("%d: %v", tc.code, err)
		}
		if !strings.HasSuffix(r.said(tn.n), "half") {
			t.Errorf("%d: the text before is lost", tc.code)
		}
	}
	tn := r.turn(p, "again")
	p.end("end_turn")
	r.done(tn)
}
