//go:build unix

package acp_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"copydesk/core"
	"copydesk/core/session"
)

// afterCancel takes the cancel and the answers to open requests, in any order.
func afterCancel(t testing.TB, p *peer, ids ...string) {
	t.Helper()
	open := map[string]bool{"session/cancel": true}
	for _, id := range ids {
		open[id] = true
	}
	for len(open) > 0 {
		w := p.next()
		key := string(w.ID)
		if w.Method == "session/cancel" {
			key = w.Method
		}
		if !open[key] {
			t.Fatalf("the client sent %v", w)
		}
		if key != w.Method && !strings.Contains(string(w.Result), "cancel") {
			t.Errorf("request %s was answered %s", key, w.Result)
		}
		delete(open, key)
	}
}

func TestCancelAnswersWhatIsOpen(t *testing.T) {
	t.Parallel()
	r, p := start(t)
	tn := r.turn(p, "go")
	p.say("half")
	p.ask("0", "session/request_permission", permission(lsCall, twoOptions))
	p.ask("1", "session/request_permission", permission(`{"toolCallId":"c2"}`, threeOptions))
	p.ask(`"q"`, "elicitation/create", `{"mode":"form","sessionId":"s1","message":"Name?","requestedSchema":{"type":"object","properties":{"n":{"type":"string"}}}}`)
	r.request(3)
	tn.cancel()
	afterCancel(t, p, "0", "1", `"q"`)
	// A late answer is nobody's any more.
	q := r.request(1)
	select {
	case q.Reply <- approve():
	default:
	}
	p.end("cancelled")
	r.done(tn)
	p.quiet()
}

func TestCancelWaitsForTheEndOfTheTurn(t *testing.T) {
	t.Parallel()
	r, p := start(t)
	tn := r.turn(p, "go")
	p.say("one")
	r.untilSeen("one")
	tn.cancel()
	p.expect("session/cancel")
	select {
	case <-tn.done:
		t.Error("the turn ended before the agent's")
	default:
	}
	p.update(`{"sessionUpdate":"tool_call_update","toolCallId":"c","status":"failed"}`)
	p.end("cancelled")
	r.done(tn)
	tn = r.turn(p, "two")
	p.say("clean")
	p.end("end_turn")
	r.done(tn)
	if r.said(2) != "clean" {
		t.Errorf("the next turn says %q", r.said(2))
	}
}

// TestCancelBeforeThePromptIsOut: a turn that ends before its prompt could go
// leaves nothing behind.
func TestCancelWhileTheAgentStarts(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.begin()
	p := r.stage.next()
	hello := p.expect("initialize")
	tn := r.run("never mind")
	tn.cancel()
	r.over(tn)
	p.answer(hello, plainInitialize)
	p.answer(p.expect("session/new"), plainNew)
	p.session = "s1"
	tn = r.run("this one")
	w := p.prompted()
	contains(t, "the prompt", string(w.Params), "this one")
	lacks(t, "the prompt", string(w.Params), "never mind")
	p.end("end_turn")
	r.done(tn)
}

func TestRejectionAnswersTheOtherRequests(t *testing.T) {
	t.Parallel()
	r, p := start(t)
	tn := r.turn(p, "go")
	for i := range 3 {
		p.ask(fmt.Sprint(i), "session/request_permission", permission(fmt.Sprintf(`{"toolCallId":"c%d"}`, i), twoOptions))
	}
	q := r.request(2)
	r.request(3)
	r.reply(q, reject())
	w := p.next()
	if string(w.ID) != "1" || !strings.Contains(string(w.Result), `"no"`) {
		t.Errorf("first came %v, want the rejection", w)
	}
	afterCancel(t, p, "0", "2")
	p.end("cancelled")
	r.done(tn)
	p.quiet()
}

// TestWithdrawnByTheAgent: $/cancel_request takes a request back.
func TestWithdrawnByTheAgent(t *testing.T) {
	t.Parallel()
	for _, id := range []string{"0", `"perm"`} {
		r, p := start(t)
		tn := r.turn(p, "go")
		p.ask(id, "session/request_permission", permission(lsCall, twoOptions))
		q := r.request(1)
		p.send(`{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":` + id + `}}`)
		r.untilSeen("withdrawn")
		w := p.next()
		if string(w.ID) != id || strings.Contains(string(w.Result), "selected") || w.Error != nil && w.Error.Code != -32800 {
			t.Errorf("the client sent %v", w)
		}
		for _, e := range r.events(1) {
			if wd, is := e.(session.Withdrawn); is && wd.Request != q {
				t.Error("another request was withdrawn")
			}
		}
		select {
		case q.Reply <- approve():
		default:
		}
		p.say("on")
		r.untilSeen("on")
		p.end("end_turn")
		r.done(tn)
		p.quiet()
	}
}

func TestCancelOfNothingIsHarmless(t *testing.T) {
	t.Parallel()
	r, p := start(t)
	tn := r.turn(p, "go")
	for _, params := range []string{`{"requestId":99}`, `{"requestId":null}`, `{}`, `[]`, `{"requestId":{}}`} {
		p.send(`{"jsonrpc":"2.0","method":"$/cancel_request","params":` + params + `}`)
	}
	p.say("here")
	p.end("end_turn")
	r.done(tn)
	if r.said(1) != "here" {
		t.Errorf("the turn says %q", r.said(1))
	}
}

// TestRequestsLeftOpenAtTheEndAreWithdrawn: a dialog never outlives its turn.
func TestRequestsLeftOpenAtTheEndAreWithdrawn(t *testing.T) {
	t.Parallel()
	r, p, tn, q := asked(t, lsCall, twoOptions)
	p.end("end_turn")
	r.done(tn)
	select {
	case q.Reply <- approve():
	default:
	}
	w := p.next()
	if string(w.ID) != "0" || strings.Contains(string(w.Result), "selected") {
		t.Errorf("the client sent %v", w)
	}
	p.quiet()
}

// TestR5_AHangingAgentIsKilledWhenTheUserInsists.
func TestR5_AHangingAgentIsKilledWhenTheUserInsists(t *testing.T) {
	t.Parallel()
	r, p := start(t)
	p.do(order{Op: "stubborn"})
	tn := r.turn(p, "go")
	p.say("then nothing")
	r.untilSeen("then nothing")
	tn.cancel()
	p.expect("session/cancel")
	r.clock.forward(core.KillAfter)
	began := time.Now()
	r.agent.Kill()
	p.ended()
	if took := time.Since(began); took > 20*time.Second {
		t.Errorf("it took %v to kill", took)
	}
	r.over(tn)
	p.terms.take(t, "a TERM before the KILL")

	// The pane goes on with an agent that is started anew.
	tn = r.run("again")
	p = r.greet(plainInitialize, plainNew)
	p.prompted()
	p.say("alive")
	p.end("end_turn")
	r.done(tn)
	if r.said(2) != "alive" {
		t.Errorf("the new agent says %q", r.said(2))
	}
}

// TestR6_LateUpdatesDoNotMixWithTheNextTurn: the agent ignores the cancel and
// goes on, and only then ends.
func TestR6_LateUpdatesDoNotMixWithTheNextTurn(t *testing.T) {
	t.Parallel()
	r, p := start(t)
	tn := r.turn(p, "one")
	p.say("one ")
	r.untilSeen("one")
	tn.cancel()
	p.expect("session/cancel")
	for i := range 20 {
		p.say(fmt.Sprintf("late%d ", i))
	}
	p.end("end_turn")
	r.over(tn)
	p.say("later still")
	r.untilSeen("later still")
	tn = r.turn(p, "two")
	p.say("two")
	p.end("end_turn")
	r.done(tn)
	if r.said(2) != "two" {
		t.Errorf("the next turn says %q", r.said(2))
	}
	contains(t, "what came beside the turns", r.said(0), "later still")
	for i := range 20 {
		contains(t, "what came late", r.said(1)+r.said(0), fmt.Sprintf("late%d ", i))
	}
}
