//go:build unix

package acp_test

import (
	"strings"
	"testing"

	"copydesk/core/session"
)

// The permission turns of four real agents, as they stand on the wire.

const threeOptions = `[{"optionId":"once","name":"Allow once","kind":"allow_once"},
	{"optionId":"always","name":"Always allow","kind":"allow_always"},
	{"optionId":"reject","name":"Reject","kind":"reject_once"}]`

const twoOptions = `[{"optionId":"yes","name":"Yes","kind":"allow_once"},{"optionId":"no","name":"No","kind":"reject_once"}]`

func selected(id string) string {
	return `{"outcome":{"outcome":"selected","optionId":` + quote(id) + `}}`
}

const cancelled = `{"outcome":{"outcome":"cancelled"}}`

// permission is the parameters of a session/request_permission.
func permission(call, options string) string {
	return `{"sessionId":"s1","toolCall":` + call + `,"options":` + options + `}`
}

// choiceOf is the place of the choice that means something.
func choiceOf(t testing.TB, q *session.Request, m session.Means) int {
	t.Helper()
	i := q.First(m)
	if i < 0 {
		t.Fatalf("nothing means %q among %q %v", m.Words(), q.Choices, q.Means)
	}
	return i
}

func TestWireOpencodeAllow(t *testing.T) {
	t.Parallel()
	r, p := start(t)
	tn := r.turn(p, "[run] go")
	p.update(`{"sessionUpdate":"agent_message_chunk","messageId":"msg_1","content":{"type":"text","text":"I will run a "}}`)
	p.update(`{"sessionUpdate":"agent_message_chunk","messageId":"msg_1","content":{"type":"text","text":"command.\n"}}`)
	p.update(`{"sessionUpdate":"tool_call","toolCallId":"call_4","title":"bash","kind":"execute","status":"pending","rawInput":{"cwd":"/w"}}`)
	p.update(`{"sessionUpdate":"tool_call_update","toolCallId":"call_4","status":"in_progress","title":"echo rig-ran > f","rawInput":{"command":"echo rig-ran > f","description":"says it","cwd":"/w"}}`)
	p.ask("0", "session/request_permission", permission(
		`{"toolCallId":"call_4","status":"pending","title":"echo rig-ran > f","rawInput":{"command":"echo rig-ran > f"}}`, threeOptions))
	q := r.request(1)
	if q.Kind != session.Choice || len(q.Choices) != 3 {
		t.Errorf("three options became %s %q", q.Kind, q.Choices)
	}
	if !field(q, "echo rig-ran > f") {
		t.Errorf("the command is in no field: %+v", q.Fields)
	}
	r.reply(q, choose(q, choiceOf(t, q, session.AllowOnce)))
	p.expectAnswer("0", selected("once"))
	p.update(`{"sessionUpdate":"tool_call_update","toolCallId":"call_4","status":"in_progress"}`)
	p.update(`{"sessionUpdate":"tool_call_update","toolCallId":"call_4","status":"in_progress","content":[{"type":"content","content":{"type":"text","text":"rig-ran\n"}}]}`)
	p.update(`{"sessionUpdate":"tool_call_update","toolCallId":"call_4","status":"completed","content":[{"type":"content","content":{"type":"text","text":"rig-ran\n"}}],"rawOutput":{"output":"rig-ran\n","metadata":{"exit":0}}}`)
	p.update(`{"sessionUpdate":"agent_message_chunk","messageId":"msg_2","content":{"type":"text","text":"The command **finished**.\n"}}`)
	p.update(`{"sessionUpdate":"usage_update","used":100,"size":100000,"cost":{"amount":0.25,"currency":"USD"}}`)
	p.answer(wire{ID: p.asked}, `{"stopReason":"end_turn","usage":{"totalTokens":7}}`)
	r.done(tn)

	got := r.story(1)
	inOrder(t, got, `"I will run a command.\n"`, "tool call_4", "ask choice", "done", `"The command **finished**.\n"`, "usage 100/100000", "USD", "end")
	c := r.calls()["call_4"]
	if c.Title != "echo rig-ran > f" || c.Kind != "execute" || c.Status != session.Done || !shows(c, "rig-ran") {
		t.Errorf("the call is %+v", c)
	}
	if n := strings.Count(got, "break"); strings.Contains(got, `"I will run a command.\nThe`) && n == 0 {
		t.Errorf("two messages ran into one:\n%s", got)
	}
}

func TestWireOpencodeReject(t *testing.T) {
	t.Parallel()
	r, p := start(t)
	tn := r.turn(p, "[run] go")
	p.update(`{"sessionUpdate":"tool_call","toolCallId":"call_4","title":"bash","kind":"execute","status":"pending"}`)
	p.ask("0", "session/request_permission", permission(`{"toolCallId":"call_4","rawInput":{"command":"ls"}}`, threeOptions))
	q := r.request(1)
	r.reply(q, reject())
	p.expectAnswer("0", selected("reject"))
	p.expect("session/cancel")
	p.update(`{"sessionUpdate":"tool_call_update","toolCallId":"call_4","status":"failed","content":[{"type":"content","content":{"type":"text","text":"Tool execution aborted"}}]}`)
	p.end("cancelled")
	r.done(tn)
	p.quiet()
	if w := r.story(1); strings.Contains(w, "withdrawn") {
		t.Errorf("an answered request was withdrawn:\n%s", w)
	}
}

func TestWireGemini(t *testing.T) {
	t.Parallel()
	r, p := start(t)
	tn := r.turn(p, "[edit]")
	p.say("I edit ")
	p.say("a file.")
	p.ask("0", "session/request_permission", permission(
		`{"toolCallId":"A","status":"pending","title":"Writing to f.txt","content":[{"type":"diff","path":"/w/f.txt","oldText":"one\ntwo\n","newText":"one\n2\n"}]}`,
		`[{"optionId":"proceed_always","name":"Allow for this session","kind":"allow_always"},
		  {"optionId":"proceed_once","name":"Allow","kind":"allow_once"},
		  {"optionId":"cancel","name":"Reject","kind":"reject_once"}]`))
	q := r.request(1)
	if got := r.said(1); got != "I edit a file." {
		t.Errorf("the request overtook the text: %q", got)
	}
	if !field(q, "-two") || !field(q, "+2") || !field(q, "/w/f.txt") {
		t.Errorf("the diff is in no field: %+v", q.Fields)
	}
	if i := q.First(session.AllowOnce); i != 1 {
		t.Errorf("allow_once stands at %d, the agent put it at 1", i)
	}
	r.reply(q, choose(q, 1))
	p.expectAnswer("0", selected("proceed_once"))
	p.update(`{"sessionUpdate":"tool_call_update","toolCallId":"A","status":"completed","content":[]}`)
	p.say("Done.")
	p.end("end_turn")
	r.done(tn)
	c := r.calls()["A"]
	if c.Status != session.Done || c.Title != "Writing to f.txt" {
		t.Errorf("the call that only a permission named is %+v", c)
	}
	inOrder(t, r.story(1), "I edit a file.", "ask", "done", "Done.")
}

func TestWireCodex(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.begin()
	p := r.stage.next()
	p.answer(p.expect("initialize"), plainInitialize)
	opened := p.expect("session/new")
	p.send(`{"jsonrpc":"2.0","method":"_auth/status_update","params":{"authenticated":true}}`)
	p.answer(opened, plainNew)
	p.session = "s1"
	tn := r.turn(p, "[run]")
	p.update(`{"sessionUpdate":"session_info_update","_meta":{"codex":{"x":1}}}`)
	p.say("I run.")
	p.update(`{"sessionUpdate":"tool_call","toolCallId":"call_1","title":"echo rig-ran","kind":"execute","status":"in_progress","content":[{"type":"terminal","terminalId":"call_1"}]}`)
	p.ask("0", "session/request_permission", permission(`{"toolCallId":"call_1"}`,
		`[{"optionId":"allow_once","name":"Yes","kind":"allow_once"},
		  {"optionId":"accept_execpolicy_amendment","name":"Yes, and don't ask again","kind":"allow_always"},
		  {"optionId":"cancel","name":"No","kind":"reject_once"}]`))
	q := r.request(1)
	if !strings.Contains(q.Prompt+q.Claim, "echo rig-ran") && !field(q, "echo rig-ran") {
		t.Errorf("a bare permission shows nothing of its call: %+v", q)
	}
	r.reply(q, choose(q, choiceOf(t, q, session.AllowOnce)))
	p.expectAnswer("0", selected("allow_once"))
	p.update(`{"sessionUpdate":"tool_call_update","toolCallId":"call_1","status":"completed","_meta":{"terminal_output_delta":{"terminal_id":"call_1","data":"rig-ran\n"},"terminal_exit":{"exit_code":0}}}`)
	p.update(`{"sessionUpdate":"session_info_update","title":"Run a command"}`)
	p.end("end_turn")
	r.done(tn)
	if c := r.calls()["call_1"]; c.Status != session.Done {
		t.Errorf("the call is %+v", c)
	}
}

func TestWireClaude(t *testing.T) {
	t.Parallel()
	r, p := start(t)
	tn := r.turn(p, "[run]")
	p.update(`{"sessionUpdate":"usage_update","used":1,"size":200000}`)
	p.update(`{"sessionUpdate":"tool_call","toolCallId":"toolu_2","title":"Terminal","kind":"execute","status":"pending"}`)
	p.update(`{"sessionUpdate":"tool_call_update","toolCallId":"toolu_2","title":"npm test","rawInput":{"command":"npm test"}}`)
	p.ask("0", "session/request_permission", permission(`{"toolCallId":"toolu_2","title":"npm test","rawInput":{"command":"npm test"}}`,
		`[{"optionId":"allow-once","name":"Yes","kind":"allow_once"},
		  {"optionId":"allow-with-updates","name":"Yes, and allow access to proj/ and npm test commands","kind":"allow_always"},
		  {"optionId":"reject","name":"No","kind":"reject_once"}]`))
	q := r.request(1)
	if q.Scope == "" || !strings.Contains(q.Scope, "allow access to proj/") {
		t.Errorf("the scope of always is %q", q.Scope)
	}
	r.reply(q, choose(q, choiceOf(t, q, session.AllowAlways)))
	p.expectAnswer("0", selected("allow-with-updates"))
	p.update(`{"sessionUpdate":"tool_call_update","toolCallId":"toolu_2","_meta":{"claudeCode":{"toolName":"Bash"}}}`)
	p.update("{\"sessionUpdate\":\"tool_call_update\",\"toolCallId\":\"toolu_2\",\"status\":\"completed\",\"rawOutput\":\"ok\",\"content\":[{\"type\":\"content\",\"content\":{\"type\":\"text\",\"text\":\"```console\\nok\\n```\"}}]}")
	p.end("end_turn")
	r.done(tn)
	if c := r.calls()["toolu_2"]; c.Status != session.Done || c.Title != "npm test" || !shows(c, "ok") {
		t.Errorf("the call is %+v", c)
	}
}

func TestWireClaudeAsks(t *testing.T) {
	t.Parallel()
	r, p := start(t)
	tn := r.turn(p, "[ask]")
	p.ask("0", "elicitation/create", `{"mode":"form","sessionId":"s1","toolCallId":"toolu_3","message":"Which colour?",
		"requestedSchema":{"type":"object","properties":{
		"question_0":{"type":"string","title":"Colour","oneOf":[{"const":"Red","title":"Red","description":"like fire"},{"const":"Blue","title":"Blue"}]},
		"question_0_custom":{"type":"string","title":"Other"}},"required":[]}}`)
	q := r.request(1)
	switch q.Kind {
	case session.Choice:
		if q.Other == "" {
			t.Errorf("the free text is lost: %+v", q)
		}
		r.reply(q, choose(q, 0))
	case session.Form:
		r.reply(q, session.Answer{Verdict: session.Filled, Values: [][]string{{"Red"}, nil}})
	default:
		t.Fatalf("the question became %+v", q)
	}
	p.expectAnswer("0", `{"action":"accept","content":{"question_0":"Red"}}`)
	p.end("end_turn")
	r.done(tn)
}
