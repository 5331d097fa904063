//go:build unix

package acp_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// odd are the values that stand in place of each field in turn.
var odd = []any{nil, 7.0, -1.5, "text", "", true, map[string]any{"a": 1.0}, []any{}, []any{1.0, nil}}

// missing stands for a field that is left out.
type missing struct{}

// spoiled calls f with every variant of a message in which one value is another
// one or missing. at says which.
func spoiled(t testing.TB, message string, f func(at string, variant string)) {
	t.Helper()
	root := decode(t, message)
	var places [][]any
	var walk func(v any, path []any)
	walk = func(v any, path []any) {
		if len(path) > 0 {
			places = append(places, append([]any(nil), path...))
		}
		switch v := v.(type) {
		case map[string]any:
			for k, inner := range v {
				walk(inner, append(path, k))
			}
		case []any:
			for i, inner := range v {
				walk(inner, append(path, i))
			}
		}
	}
	walk(root, nil)
	for _, place := range places {
		for _, v := range append([]any{missing{}}, odd...) {
			if _, index := place[len(place)-1].(int); index && v == (missing{}) {
				continue
			}
			b, err := json.Marshal(replace(decode(t, message), place, v))
			if err != nil {
				t.Fatal(err)
			}
			f(fmt.Sprintf("%v=%v", place, v), string(b))
		}
	}
}

func replace(v any, path []any, with any) any {
	if len(path) == 0 {
		return with
	}
	switch k := path[0].(type) {
	case string:
		m := v.(map[string]any)
		if len(path) == 1 && with == any(missing{}) {
			delete(m, k)
			return m
		}
		m[k] = replace(m[k], path[1:], with)
	case int:
		l := v.([]any)
		l[k] = replace(l[k], path[1:], with)
	}
	return v
}

// fullUpdates have every field that the protocol knows.
var fullUpdates = []string{
	`{"sessionUpdate":"agent_message_chunk","messageId":"m1","content":{"type":"text","text":"kept","annotations":{"audience":["user"],"priority":1,"lastModified":"x"},"_meta":{}},"_meta":{}}`,
	`{"sessionUpdate":"agent_thought_chunk","messageId":"m2","content":{"type":"resource","resource":{"uri":"file:///a","mimeType":"text/plain","text":"kept"}}}`,
	`{"sessionUpdate":"agent_message_chunk","content":{"type":"resource_link","uri":"file:///a","name":"n","title":"t","description":"d","mimeType":"m","size":3}}`,
	`{"sessionUpdate":"agent_message_chunk","content":{"type":"image","data":"AAAA","mimeType":"image/png","uri":"u"}}`,
	`{"sessionUpdate":"tool_call","toolCallId":"c","title":"t","name":"n","kind":"edit","status":"pending","content":[{"type":"diff","path":"/p","oldText":"o","newText":"n"},{"type":"content","content":{"type":"text","text":"x"}},{"type":"terminal","terminalId":"t"}],"locations":[{"path":"/p","line":1}],"rawInput":{"command":"c"},"rawOutput":{"x":1}}`,
	`{"sessionUpdate":"tool_call_update","toolCallId":"c","title":"t","kind":"edit","status":"completed","content":[{"type":"diff","path":"/p","oldText":null,"newText":"n"}],"locations":[{"path":"/p","line":1}],"rawInput":{"command":["a","b"]},"rawOutput":"x","_meta":{"terminal_output_delta":{"terminal_id":"t","data":"d"},"terminal_exit":{"exit_code":0,"signal":null}}}`,
	`{"sessionUpdate":"plan","entries":[{"content":"c","priority":"high","status":"pending"},{"content":"d","priority":"low","status":"completed"}]}`,
	`{"sessionUpdate":"available_commands_update","availableCommands":[{"name":"n","description":"d","input":{"hint":"h"}}]}`,
	`{"sessionUpdate":"current_mode_update","currentModeId":"m"}`,
	`{"sessionUpdate":"config_option_update","configOptions":[{"id":"i","name":"n","description":"d","category":"mode","type":"select","currentValue":"v","options":[{"value":"v","name":"n","description":"d"}]},{"id":"j","name":"n","type":"select","currentValue":"v","options":[{"group":"g","name":"n","options":[{"value":"v","name":"n"}]}]},{"id":"b","name":"n","type":"boolean","currentValue":true}]}`,
	`{"sessionUpdate":"session_info_update","title":"t","updatedAt":"2026-05-31T00:00:00Z"}`,
	`{"sessionUpdate":"usage_update","used":1,"size":2,"cost":{"amount":0.5,"currency":"USD"}}`,
}

// TestLenientUpdates: a value of a wrong type costs itself, never the
// connection.
func TestLenientUpdates(t *testing.T) {
	t.Parallel()
	d := newDeskRig(t)
	d.turn("go")
	n := 0
	for _, update := range fullUpdates {
		var b strings.Builder
		spoiled(t, update, func(_, variant string) {
			b.WriteString(updateLine("s1", variant) + "\n")
			n++
		})
		d.peer.raw(b.String())
	}
	d.settled()
	d.peer.say("\n\nstill alive")
	d.peer.end("end_turn")
	d.idle()
	d.clean()
	contains(t, "the panel", d.text(), "still alive")
	if n < 1000 {
		t.Errorf("only %d variants", n)
	}
}

// TestLenientLosesOnlyTheField: what stands beside a bad field is kept.
func TestLenientLosesOnlyTheField(t *testing.T) {
	t.Parallel()
	r, p := start(t)
	tn := r.turn(p, "go")
	for i, v := range odd {
		bad, _ := json.Marshal(v)
		id := fmt.Sprint("c", i)
		p.update(`{"sessionUpdate":"tool_call","toolCallId":"` + id + `","title":"title` + id + `","kind":` + string(bad) + `,"status":` + string(bad) + `,"locations":` + string(bad) + `,"rawInput":` + string(bad) + `,"content":[` + string(bad) + `,{"type":"content","content":{"type":"text","text":"kept` + id + `"}},{"type":"diff","path":` + string(bad) + `}]}`)
		p.update(`{"sessionUpdate":"agent_message_chunk","messageId":` + string(bad) + `,"_meta":` + string(bad) + `,"content":{"type":"text","text":"text` + id + ` ","annotations":` + string(bad) + `}}`)
		p.update(`{"sessionUpdate":"plan","entries":[` + string(bad) + `,{"content":"step` + id + `","priority":` + string(bad) + `,"status":` + string(bad) + `}]}`)
		p.update(`{"sessionUpdate":"available_commands_update","availableCommands":[` + string(bad) + `,{"name":"cmd` + id + `","description":` + string(bad) + `,"input":` + string(bad) + `}]}`)
		p.update(`{"sessionUpdate":"config_option_update","configOptions":[` + string(bad) + `,{"id":"o` + id + `","name":"n","description":` + string(bad) + `,"category":` + string(bad) + `,"type":"select","currentValue":"v","options":[{"value":"v","name":"n"}]}]}`)
		p.say("barrier" + id + " ")
		r.untilSeen("barrier" + id)
		if c := r.agent.Commands(); len(c) != 1 || c[0].Name != "cmd"+id {
			t.Errorf("%s: the commands are %+v", bad, c)
		}
		if o := r.agent.Options(); len(o) != 1 || o[0].ID != "o"+id {
			t.Errorf("%s: the options are %+v", bad, o)
		}
	}
	p.end("end_turn")
	r.done(tn)
	calls := r.calls()
	for i := range odd {
		id := fmt.Sprint("c", i)
		if c := calls[id]; c.Title != "title"+id || !shows(c, "kept"+id) {
			t.Errorf("%v: the call is %+v", odd[i], c)
		}
		contains(t, "the answer", r.said(1), "text"+id)
		contains(t, "the plans", r.story(1), "step"+id)
	}
}

// TestLenientRequests: a permission or a question with a bad field is asked or
// refused, and the next one works.
func TestLenientRequests(t *testing.T) {
	t.Parallel()
	for method, message := range map[string]string{
		"session/request_permission": permission(`{"toolCallId":"c","title":"t","kind":"edit","status":"pending","rawInput":{"command":"c"},"content":[{"type":"diff","path":"/p","oldText":"o","newText":"n"}],"locations":[{"path":"/p","line":1}]}`, threeOptions),
		"elicitation/create":         form("m", everyInput, `["line"]`),
	} {
		t.Run(method, func(t *testing.T) {
			t.Parallel()
			d := newDeskRig(t)
			d.turn("go")
			n := 0
			spoiled(t, message, func(at, variant string) {
				n++
				if raceEnabled && n%7 != 0 {
					return
				}
				d.peer.ask(fmt.Sprint(n), method, variant)
				d.peer.send(fmt.Sprintf(`{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":%d}}`, n))
				d.peer.ask(`"b"`, "none/such", `{}`)
				answered := 0
				for w := d.peer.next(); string(w.ID) != `"b"`; w = d.peer.next() {
					if string(w.ID) != fmt.Sprint(n) || strings.Contains(string(w.Result), "selected") || strings.Contains(string(w.Result), "accept") {
						t.Fatalf("%s: the client sent %v", at, w)
					}
					answered++
				}
				if answered != 1 {
					t.Errorf("%s: answered %d times", at, answered)
				}
			})
			d.peer.ask("0", "session/request_permission", permission(lsCall, twoOptions))
			q := d.pending()
			if err := d.pane.Answer(q.ID, q.Digest, approve()); err != nil {
				t.Fatal(err)
			}
			d.peer.expectAnswer("0", selected("yes"))
			d.peer.end("end_turn")
			d.idle()
			d.clean()
		})
	}
}

// TestLenientAnswers: initialize and session/new with one bad field each.
func TestLenientAnswers(t *testing.T) {
	t.Parallel()
	// Every field but the two that nothing works without, all of them bad at
	// once.
	for _, v := range odd {
		bad, _ := json.Marshal(v)
		t.Run(string(bad), func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			r.begin()
			p := r.greet(
				`{"protocolVersion":1,"agentInfo":`+string(bad)+`,"agentCapabilities":`+string(bad)+`,"authMethods":`+string(bad)+`,"_meta":`+string(bad)+`}`,
				`{"sessionId":"s1","modes":`+string(bad)+`,"configOptions":[`+string(bad)+`,{"id":"m","name":"M","type":"select","currentValue":"v","options":[`+string(bad)+`,{"value":"v","name":"V"}]}],"_meta":`+string(bad)+`}`)
			tn := r.turn(p, "go")
			p.answer(wire{ID: p.asked}, `{"stopReason":"end_turn","usage":`+string(bad)+`}`)
			r.done(tn)
			if o := r.agent.Options(); len(o) != 1 || len(o[0].Values) < 1 {
				t.Errorf("the options are %+v", o)
			}
		})
	}
}

// TestLenientPromptAnswer: whatever the answer to a prompt is, the turn ends.
func TestLenientPromptAnswer(t *testing.T) {
	t.Parallel()
	r, p := start(t)
	for _, v := range odd {
		bad, _ := json.Marshal(v)
		for _, result := range []string{string(bad), `{"stopReason":` + string(bad) + `}`} {
			tn := r.turn(p, "go")
			p.say("some")
			p.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, p.asked, result))
			r.over(tn)
			if r.said(tn.n) != "some" {
				t.Errorf("%s: the answer is %q", result, r.said(tn.n))
			}
		}
		tn := r.turn(p, "go")
		p.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":%s}`, p.asked, bad))
		r.over(tn)
	}
}
