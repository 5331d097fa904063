//go:build unix

package acp_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"copydesk/core/session"
	"copydesk/platform/agent/acp"
)

const (
	loadInitialize   = `{"protocolVersion":1,"agentCapabilities":{"loadSession":true}}`
	resumeInitialize = `{"protocolVersion":1,"agentCapabilities":{"sessionCapabilities":{"resume":{}}}}`
)

// earlier is what was said in an earlier run, with every way to end a turn.
func earlier() []session.Turn {
	return []session.Turn{
		{Role: session.User, Content: "what is it?"},
		{Role: session.Assistant, Agent: "peer", Content: "It is a long answer.\n\nWith a second passage."},
		{Role: session.User, Content: "delete it"},
		{Role: session.Assistant, Agent: "peer", Content: "I will", Outcome: session.Rejected},
		{Role: session.User, Content: "stop"},
		{Role: session.Assistant, Agent: "peer", Outcome: session.Cancelled},
		{Role: session.User, Content: "and now?"},
		{Role: session.Assistant, Agent: "peer", Content: "Half of", Outcome: session.Interrupted},
	}
}

// resumed begins with a session of an earlier run.
func resumed(t *testing.T, initialize string) (*rig, *peer) {
	t.Helper()
	r := newRig(t)
	r.agent.Resume("old", earlier())
	r.begin()
	p := r.stage.next()
	p.answer(p.expect("initialize"), initialize)
	p.session = "old"
	return r, p
}

// goesOn plays a turn in the session that p has.
func (r *rig) goesOn(p *peer) { r.t.Helper(); r.finishes(p, r.run("on")) }

// finishes plays a turn that has begun.
func (r *rig) finishes(p *peer, tn *turn) {
	r.t.Helper()
	contains(r.t, "the prompt", string(p.prompted().Params), quote(p.session), `"on"`)
	p.say("It is ")
	p.say("fresh.")
	p.end("end_turn")
	r.done(tn)
	if got := r.said(tn.n); got != "It is fresh." {
		r.t.Errorf("the turn says %q", got)
	}
}

func TestAGT2_GoesOnByResume(t *testing.T) {
	t.Parallel()
	for _, initialize := range []string{resumeInitialize, fullInitialize} {
		r, p := resumed(t, initialize)
		w := p.expect("session/resume")
		contains(t, "session/resume", string(w.Params), `"sessionId":"old"`, r.dir, `"mcpServers":[]`)
		p.answer(w, `{"modes":{"currentModeId":"ask","availableModes":[{"id":"ask","name":"Ask"}]}}`)
		r.untilSeen("Connected to peer")
		if o := r.agent.Options(); len(o) != 1 || o[0].Value != "ask" {
			t.Errorf("the options are %+v", o)
		}
		if ref := r.agent.Ref(); ref != "old" {
			t.Errorf("the ref is %q", ref)
		}
		r.goesOn(p)
		r.nothingOf()
		if strings.Contains(r.story(0), "error") {
			t.Errorf("something is wrong:\n%s", r.story(0))
		}
	}
}

// TestT50_NothingIsSentAgain: neither a prompt nor an answer of an earlier run
// goes out, and what is asked again waits for the user.
func TestT50_NothingIsSentAgain(t *testing.T) {
	t.Parallel()
	r, p := resumed(t, resumeInitialize)
	p.answer(p.expect("session/resume"), `{}`)
	r.untilSeen("Connected to peer")
	p.quiet()
	p.ask("5", "session/request_permission", strings.Replace(permission(lsCall, twoOptions), `"s1"`, `"old"`, 1))
	q := r.request(1)
	p.quiet()
	q.Reply <- approve()
	p.expectAnswer("5", `{"outcome":{"outcome":"selected","optionId":"yes"}}`)
	p.quiet()
}

func TestAGT2_ASessionThatCannotBeGoneOnWith(t *testing.T) {
	t.Parallel()
	const (
		lost  = "peer cannot go on with its session, so it begins anew: it does not know what was said before."
		other = "peer begins anew: it does not know what was said before, to another agent."
	)
	others := []session.Turn{{Role: session.User, Content: "what?"}, {Role: session.Assistant, Agent: "another", Content: "that"}}
	for _, tc := range []struct {
		name, initialize, ref string
		past                  []session.Turn
		refused               bool
		wants                 string
		then                  string // the ref
	}{
		{"refused", resumeInitialize, "old", earlier(), true, lost + " The reason: no such session (error -32002).", "s1"},
		{"load refused", loadInitialize, "old", earlier(), true, lost + " The reason: no such session (error -32002).", "s1"},
		{"neither", plainInitialize, "old", earlier(), false, lost, ""},
		{"no name", fullInitialize, "", earlier(), false, lost, "s1"},
		{"another agent's", fullInitialize, "", others, false, other, "s1"},
		{"nothing said", fullInitialize, "", nil, false, "", "s1"},
		{"nothing said in it", fullInitialize, "old", nil, false, "", "s1"},
	} {
		r := newRig(t)
		r.agent.Resume(tc.ref, tc.past)
		r.begin()
		p := r.stage.next()
		p.answer(p.expect("initialize"), tc.initialize)
		if tc.refused {
			w := p.next()
			if ref := r.agent.Ref(); ref != tc.ref {
				t.Errorf("%s: the ref is %q meanwhile", tc.name, ref)
			}
			p.refuse(w, -32002, "no such session")
		}
		p.answer(p.expect("session/new"), plainNew)
		p.session = "s1"
		r.untilSeen("Connected to peer")
		var said []string
		for _, e := range r.events(0) {
			if n, is := e.(session.Notice); is && !strings.HasPrefix(n.Text, "Connected") {
				said = append(said, n.Text)
			}
		}
		if got := strings.Join(said, "|"); got != tc.wants {
			t.Errorf("%s: said %q, want %q", tc.name, got, tc.wants)
		}
		if ref := r.agent.Ref(); ref != tc.then {
			t.Errorf("%s: the ref is %q, want %q", tc.name, ref, tc.then)
		}
		if i := slices.IndexFunc(r.events(0), func(e session.Event) bool { _, is := e.(session.Changed); return is }); i < 0 {
			t.Errorf("%s: no change is told", tc.name)
		}
		r.goesOn(p)
		r.close()
	}
}

// TestAGT2_ASessionThatEndsTheAgent must not keep the user from going on.
func TestAGT2_ASessionThatEndsTheAgent(t *testing.T) {
	t.Parallel()
	r, p := resumed(t, loadInitialize)
	p.expect("session/load")
	p.order(order{Op: "kill"})
	r.untilSeen("Going on with the session of peer: peer exited (signal 9")
	if ref := r.agent.Ref(); ref != "old" {
		t.Errorf("the ref is %q", ref)
	}
	tn := r.run("one")
	p = r.stage.next()
	p.answer(p.expect("initialize"), loadInitialize)
	p.expect("session/load")
	p.order(order{Op: "kill"})
	contains(t, "the failure", failure(r, tn), "signal 9")
	tn = r.run("two")
	p = r.greet(loadInitialize, plainNew)
	contains(t, "the prompt", string(p.prompted().Params), `"two"`)
	p.end("end_turn")
	r.done(tn)
	r.untilSeen("does not know what was said before. The reason: its program has ended 2 times while it took that session up.")
}

// TestR3_TheNewestSessionIsGoneOnWith after a crash, not that of the earlier run.
func TestR3_TheNewestSessionIsGoneOnWith(t *testing.T) {
	t.Parallel()
	r, p := resumed(t, fullInitialize)
	p.refuse(p.expect("session/resume"), -32002, "no such session")
	p.answer(p.expect("session/new"), plainNew)
	p.session = "s1"
	r.goesOn(p)
	p.order(order{Op: "kill"})
	r.untilSeen("signal 9")
	if ref := r.agent.Ref(); ref != "s1" {
		t.Errorf("the ref is %q", ref)
	}
	tn := r.run("two")
	p = r.stage.next()
	p.answer(p.expect("initialize"), fullInitialize)
	w := p.expect("session/resume")
	contains(t, "session/resume", string(w.Params), `"sessionId":"s1"`)
	p.refuse(w, -32002, "gone, too")
	p.answer(p.expect("session/new"), `{"sessionId":"s2"}`)
	p.session = "s2"
	contains(t, "the prompt", string(p.prompted().Params), `"s2"`)
	p.end("end_turn")
	r.done(tn)
	r.untilSeen("peer was started anew and does not know what was said before. The reason: gone, too (error -32002).")
	if ref := r.agent.Ref(); ref != "s2" {
		t.Errorf("the ref is %q", ref)
	}
}

// TestAGT2_ALoadedSessionIsTheRef, with its folder where that is another one.
func TestAGT2_ALoadedSessionIsTheRef(t *testing.T) {
	t.Parallel()
	r, p := keeper(t)
	r.untilSeen("Connected to peer")
	if ref := r.agent.Ref(); ref != "s1" {
		t.Errorf("the ref is %q", ref)
	}
	elsewhere := filepath.Join(r.dir, "elsewhere")
	listed := make(chan error, 1)
	go func() {
		_, err := r.agent.Stored(t.Context())
		listed <- err
	}()
	p.answer(p.expect("session/list"), `{"sessions":[{"sessionId":"x","cwd":`+quote(elsewhere)+`}]}`)
	if err := <-listed; err != nil {
		t.Fatal(err)
	}
	loaded := make(chan error, 1)
	go func() { loaded <- r.agent.Load(t.Context(), "x") }()
	p.answer(p.expect("session/load"), `{}`)
	if err := <-loaded; err != nil {
		t.Fatal(err)
	}
	ref := r.agent.Ref()
	again := newRig(t, func(o *acp.Options) { o.Dir = r.dir })
	again.agent.Resume(ref, earlier())
	again.begin()
	p = again.stage.next()
	p.answer(p.expect("initialize"), fullInitialize)
	w := p.expect("session/resume")
	contains(t, "session/resume", string(w.Params), `"sessionId":"x"`, quote(elsewhere))
	p.answer(w, `{}`)
	again.untilSeen("Connected to peer")
	if got := again.agent.Ref(); got != ref {
		t.Errorf("the ref is %q, then %q", ref, got)
	}
}

func TestAGT2_ALoginComesFirst(t *testing.T) {
	t.Parallel()
	const loads = `{"protocolVersion":1,"agentCapabilities":{"loadSession":true},"authMethods":[{"id":"web","name":"Log in on the web"}]}`
	r, p := resumed(t, loads)
	p.refuse(p.expect("session/load"), -32000, "Authentication required")
	take(t, r.request(1))
	p.answer(p.expect("authenticate"), `{}`)
	w := p.expect("session/load")
	p.tell()
	p.answer(w, `{}`)
	r.calm(1)
	r.goesOn(p)
	r.nothingOf()
}

// TestAGT2_LettingGoWhileASessionIsTakenUp must not wait for its replay.
func TestAGT2_LettingGoWhileASessionIsTakenUp(t *testing.T) {
	t.Parallel()
	r, p := resumed(t, loadInitialize)
	tn := r.run("on")
	w := p.expect("session/load")
	p.answer(w, `{}`)
	r.sync(p, "mark")
	tn.cancel()
	r.over(tn)
	r.close()
}
