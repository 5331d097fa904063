//go:build unix

package acp_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"copydesk/core/session"
	"copydesk/platform/agent/acp"
)

const agentLogin = `{"protocolVersion":1,"agentCapabilities":{},"authMethods":[{"id":"web","name":"Log in on the web","description":"opens a page"}]}`
const terminalLogin = `{"protocolVersion":1,"agentCapabilities":{},"authMethods":[{"id":"term","name":"Log in in a terminal","type":"terminal","args":["login","--now"],"env":{"LOGIN_VAR":"1"}}]}`

// take answers a request with what lets the agent go on: the first choice, or
// approval.
func take(t testing.TB, q *session.Request) {
	t.Helper()
	a := approve()
	switch {
	case q.Kind == session.Choice:
		a = choose(q, 0)
	case q.Kind != session.Approval:
		t.Fatalf("nothing to approve in %+v", q)
	}
	select {
	case q.Reply <- a:
	default:
		t.Fatal("the request has no room for its answer")
	}
}

func TestAuthenticationByTheAgent(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.begin()
	p := r.stage.next()
	p.answer(p.expect("initialize"), agentLogin)
	p.refuse(p.expect("session/new"), -32000, "Authentication required")
	take(t, r.request(1))
	w := p.expect("authenticate")
	contains(t, "authenticate", string(w.Params), `"web"`)
	p.answer(w, `{}`)
	p.answer(p.expect("session/new"), plainNew)
	p.session = "s1"
	tn := r.turn(p, "go")
	p.end("end_turn")
	r.done(tn)
}

func TestAuthenticationInATerminal(t *testing.T) {
	t.Parallel()
	type login struct{ argv, env []string }
	logins := make(chan login, 1)
	r := newRig(t, func(o *acp.Options) {
		o.Login = func(_ context.Context, argv, env []string, dir string) error {
			logins <- login{argv, env}
			return nil
		}
	})
	r.begin()
	p := r.stage.next()
	p.answer(p.expect("initialize"), terminalLogin)
	p.refuse(p.expect("session/new"), -32000, "Authentication required")
	take(t, r.request(1))
	got := <-logins
	if n := len(got.argv); n < 3 || got.argv[n-2] != "login" || got.argv[n-1] != "--now" || !slices.Contains(got.env, "LOGIN_VAR=1") {
		t.Errorf("the login is %+v", got)
	}
	again := r.stage.next() // only a new program sees the login
	again.answer(again.expect("initialize"), terminalLogin)
	again.answer(again.expect("session/new"), plainNew)
	again.session = "s1"
	tn := r.turn(again, "go")
	again.end("end_turn")
	r.done(tn)
}

func TestAuthenticationThatFailsIsSaid(t *testing.T) {
	t.Parallel()
	const needed = "Authentication required: run peer login"
	for _, tc := range []struct{ methods, wants string }{
		{agentLogin, "wrong password"},
		{plainInitialize, ""}, // no methods: the agent is let go
	} {
		r := newRig(t)
		r.begin()
		p := r.stage.next()
		p.answer(p.expect("initialize"), tc.methods)
		if tc.wants != "" {
			p.refuse(p.expect("session/new"), -32000, needed)
			take(t, r.request(1))
			p.refuse(p.expect("authenticate"), -32603, tc.wants)
			r.untilSeen(tc.wants)
		} else {
			p.refuseAndGo(p.expect("session/new"), -32000, needed)
			r.untilSeen("run peer login")
		}
	}
}

// TestAuthenticationInATurn: claude says only at the prompt that it wants a
// login.
func TestAuthenticationInATurn(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.begin()
	p := r.greet(agentLogin, plainNew)
	tn := r.run("go")
	p.refuse(p.prompted(), -32000, "Authentication required")
	take(t, r.request(1))
	p.answer(p.expect("authenticate"), `{}`)
	w := p.next()
	if w.Method == "session/new" { // in a session that began after the login
		p.answer(w, plainNew)
		w = p.next()
	}
	contains(t, "the prompt that comes again", w.Method+string(w.Params), "session/prompt", `"go"`)
	p.asked = w.ID
	p.say("hello")
	p.end("end_turn")
	r.done(tn)
	if r.said(1) != "hello" {
		t.Errorf("the turn says %q", r.said(1))
	}
}

func keeper(t *testing.T) (*rig, *peer) {
	t.Helper()
	r := newRig(t)
	r.begin()
	return r, r.greet(fullInitialize, plainNew)
}

func TestStoredSessions(t *testing.T) {
	t.Parallel()
	r, p := keeper(t)
	type listed struct {
		s   []session.Stored
		err error
	}
	answers := make(chan listed, 1)
	go func() {
		s, err := r.agent.Stored(context.Background())
		answers <- listed{s, err}
	}()
	w := p.expect("session/list")
	contains(t, "session/list", string(w.Params), r.dir)
	p.answer(w, `{"sessions":[{"sessionId":"a","cwd":"/w","title":"older","updatedAt":"2026-05-01T00:00:00Z"},{"sessionId":"b","cwd":"/w","title":"newer","updatedAt":"2026-05-02T00:00:00Z"}],"nextCursor":"more"}`)
	w = p.expect("session/list")
	contains(t, "the second page", string(w.Params), `"more"`)
	p.answer(w, `{"sessions":[{"sessionId":"c","cwd":"/w","updatedAt":"not a time"},{"sessionId":7}]}`)
	got := <-answers
	if got.err != nil || len(got.s) != 3 || got.s[0].ID != "b" || got.s[1].ID != "a" || got.s[0].Title != "newer" || got.s[0].Updated.IsZero() {
		t.Errorf("the sessions are %+v, %v", got.s, got.err)
	}
}

func TestAnAgentThatKeepsNothingSaysSo(t *testing.T) {
	t.Parallel()
	r, p := start(t)
	if s, err := r.agent.Stored(context.Background()); err == nil {
		t.Errorf("listed %v", s)
	}
	if err := r.agent.Load(context.Background(), "x"); err == nil {
		t.Error("loaded")
	}
	p.quiet()
}

func TestLoadReplaysOnce(t *testing.T) {
	t.Parallel()
	r, p := keeper(t)
	loaded := make(chan error, 1)
	go func() { loaded <- r.agent.Load(context.Background(), "old") }()
	w := p.expect("session/load")
	contains(t, "session/load", string(w.Params), `"old"`, r.dir)
	p.session = "old"
	p.update(chunk("user_message_chunk", "what "))
	p.update(chunk("user_message_chunk", "is it?"))
	p.update(chunk("agent_thought_chunk", "hm"))
	p.say("It is ")
	p.say("that.")
	p.update(`{"sessionUpdate":"tool_call","toolCallId":"c9","title":"Look","kind":"read","status":"completed"}`)
	p.update(chunk("user_message_chunk", "thanks"))
	p.say("Welcome.")
	p.answer(w, `{}`)
	if err := <-loaded; err != nil {
		t.Fatal(err)
	}
	r.untilSeen("loaded")
	past := r.story(0)
	inOrder(t, past, `prompt "what is it?"`, `thought "hm"`, `text "It is that."`, "tool c9", `prompt "thanks"`, `text "Welcome."`, "loaded")
	if n := strings.Count(past, "Welcome."); n != 1 {
		t.Errorf("the past came %d times:\n%s", n, past)
	}
	// The session that was left is closed where the agent can, and the loaded
	// one goes on.
	tn := r.run("go on")
	w = p.next()
	if w.Method == "session/close" {
		contains(t, "session/close", string(w.Params), `"s1"`)
		p.answer(w, `{}`)
		w = p.next()
	}
	if w.Method != "session/prompt" {
		t.Fatalf("the client sent %v", w)
	}
	contains(t, "the prompt", string(w.Params), `"old"`)
	p.asked = w.ID
	p.say("on")
	p.end("end_turn")
	r.done(tn)
	if r.said(1) != "on" {
		t.Errorf("the turn says %q", r.said(1))
	}
}

func TestLoadThatFailsLeavesTheSession(t *testing.T) {
	t.Parallel()
	r, p := keeper(t)
	loaded := make(chan error, 1)
	go func() { loaded <- r.agent.Load(context.Background(), "gone") }()
	p.refuse(p.expect("session/load"), -32002, "no such session")
	if err := <-loaded; err == nil || !strings.Contains(err.Error(), "no such session") {
		t.Errorf("loading says %v", err)
	}
	tn := r.run("go on")
	w := p.prompted()
	contains(t, "the prompt", string(w.Params), `"s1"`)
	p.say("here")
	p.end("end_turn")
	r.done(tn)
	contains(t, "the turn", r.said(1), "here")
}

func TestLoadFailsWhileATurnRuns(t *testing.T) {
	t.Parallel()
	r, p := keeper(t)
	tn := r.turn(p, "go")
	if err := r.agent.Load(context.Background(), "old"); err == nil {
		t.Error("loaded in the middle of a turn")
	}
	p.end("end_turn")
	r.done(tn)
	p.quiet()
}

func TestOptionsAreSet(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.begin()
	p := r.greet(plainInitialize, `{"sessionId":"s1","configOptions":[
		{"id":"m","name":"Model","category":"model","type":"select","currentValue":"small","options":[{"group":"g","name":"Group","options":[{"value":"small","name":"Small"},{"value":"big","name":"Big"}]}]},
		{"id":"x","name":"Odd","type":"slider","currentValue":3},
		{"id":"b","name":"Fast","type":"boolean","currentValue":true}],
		"modes":{"currentModeId":"ask","availableModes":[{"id":"ask","name":"Ask"}]}}`)
	tn := r.turn(p, "go")
	p.end("end_turn")
	r.done(tn)
	o := r.agent.Options()
	if len(o) < 1 || o[0].ID != "m" || o[0].Value != "small" || len(o[0].Values) != 2 || o[0].Values[1].Group != "Group" {
		t.Fatalf("the options are %+v", o)
	}
	set := make(chan error, 1)
	go func() { set <- r.agent.SetOption(context.Background(), "m", "big") }()
	w := p.expect("session/set_config_option")
	contains(t, "the request", string(w.Params), `"configId":"m"`, `"value":"big"`)
	p.answer(w, `{"configOptions":[{"id":"m","name":"Model","category":"model","type":"select","currentValue":"big","options":[{"value":"big","name":"Big"}]}]}`)
	if err := <-set; err != nil {
		t.Fatal(err)
	}
	if o := r.agent.Options(); len(o) != 1 || o[0].Value != "big" {
		t.Errorf("the options are %+v", o)
	}
	go func() { set <- r.agent.SetOption(context.Background(), "m", "big") }()
	p.refuse(p.expect("session/set_config_option"), -32603, "not today")
	if err := <-set; err == nil || !strings.Contains(err.Error(), "not today") {
		t.Errorf("setting says %v", err)
	}
}

func TestModesAreOptions(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.begin()
	p := r.greet(plainInitialize, `{"sessionId":"s1","modes":{"currentModeId":"ask","availableModes":[{"id":"ask","name":"Ask"},{"id":"yolo","name":"Everything","description":"asks nothing"}]}}`)
	tn := r.turn(p, "go")
	p.update(`{"sessionUpdate":"current_mode_update","currentModeId":"yolo"}`)
	p.end("end_turn")
	r.done(tn)
	i := slices.IndexFunc(r.agent.Options(), func(o session.Option) bool { return o.Category == "mode" })
	if i < 0 {
		t.Fatalf("no modes among %+v", r.agent.Options())
	}
	mode := r.agent.Options()[i]
	if mode.Value != "yolo" || len(mode.Values) != 2 {
		t.Errorf("the mode is %+v", mode)
	}
	set := make(chan error, 1)
	go func() { set <- r.agent.SetOption(context.Background(), mode.ID, "ask") }()
	w := p.expect("session/set_mode")
	contains(t, "the request", string(w.Params), `"modeId":"ask"`)
	p.answer(w, `{}`)
	if err := <-set; err != nil {
		t.Fatal(err)
	}
	if v := r.agent.Options()[i].Value; v != "ask" {
		t.Errorf("the mode is %s", v)
	}
}

func TestProtocolVersionsThatAreNotOurs(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"2", "0", `"1"`, "null"} {
		r := newRig(t)
		r.begin()
		p := r.stage.next()
		p.answer(p.expect("initialize"), `{"protocolVersion":`+version+`,"agentCapabilities":{}}`)
		if version == `"1"` || version == "null" {
			continue // what is unreadable may be taken as ours; it only must not hang
		}
		r.until("a sentence", func(log []seen) bool {
			return slices.ContainsFunc(log, func(s seen) bool {
				n, is := s.event.(session.Notice)
				return is && n.Error && strings.Contains(n.Text, version)
			})
		})
	}
}

func TestCloseEndsTheSession(t *testing.T) {
	t.Parallel()
	r, p := keeper(t)
	tn := r.turn(p, "go")
	p.end("end_turn")
	r.done(tn)
	r.endAside()
	<-r.asideEnd
	closed := make(chan error, 1)
	go func() { closed <- r.agent.Close() }()
	w := p.next()
	if w.Method != "session/close" {
		t.Errorf("the client sent %v", w)
	}
	p.answer(w, `{}`)
	wait(t, p.eof, "its input does not end")
	p.ended()
	if err := <-closed; err != nil {
		t.Error(err)
	}
	r.mu.Lock()
	r.closed = true
	r.mu.Unlock()
	r.goes.Wait()
}
