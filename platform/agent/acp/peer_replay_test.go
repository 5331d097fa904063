//go:build unix

package acp_test

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// calm lets time pass until the agent has been connected to so many times.
func (r *rig) calm(connections int) {
	r.t.Helper()
	late := time.After(patience)
	for strings.Count(r.story(0), "Connected to peer") < connections {
		r.clock.forward(time.Second)
		select {
		case <-time.After(time.Millisecond):
		case <-late:
			r.t.Fatalf("not connected; seen so far:\n%s", r.story(0))
		}
	}
}

// sync waits until all that the peer has said was read.
func (r *rig) sync(p *peer, mark string) {
	r.t.Helper()
	p.update(`{"sessionUpdate":"available_commands_update","availableCommands":[{"name":` + quote(mark) + `}]}`)
	late := time.After(patience)
	for c := r.agent.Commands(); len(c) == 0 || c[0].Name != mark; c = r.agent.Commands() {
		select {
		case <-time.After(time.Millisecond):
		case <-late:
			r.t.Fatal("the commands do not come")
		}
	}
}

// tell replays the past.
func (p *peer) tell() {
	p.t.Helper()
	for _, u := range replayed() {
		p.update(u)
	}
}

func replayed() []string {
	return []string{
		chunk("user_message_chunk", "what is it?"), chunk("agent_thought_chunk", "hm"), chunk("agent_message_chunk", "It is a long answer."),
		`{"sessionUpdate":"tool_call","toolCallId":"c1","title":"Look","kind":"read","status":"completed"}`,
		chunk("agent_message_chunk", "With a second passage."),
		chunk("user_message_chunk", "delete it"), chunk("agent_message_chunk", "I will do it."),
		`{"sessionUpdate":"tool_call","toolCallId":"c2","title":"Delete","kind":"delete","status":"in_progress"}`,
		`{"sessionUpdate":"plan","entries":[{"content":"Step","status":"pending"}]}`,
		`{"sessionUpdate":"notice","title":"Old news","severity":"info"}`,
		chunk("user_message_chunk", "and now?"), chunk("agent_message_chunk", "Half of the answer"),
	}
}

// nothingOf holds that nothing of the past has come.
func (r *rig) nothingOf() {
	r.t.Helper()
	said := r.story(0)
	for _, s := range []string{"prompt", "thought", "long answer", "second passage", "I will", "tool", "plan", "Old news", "Half"} {
		if strings.Contains(said, s) {
			r.t.Errorf("%q is there again:\n%s", s, said)
		}
	}
}

func TestD9_WhatALoadReplaysIsNotShown(t *testing.T) {
	t.Parallel()
	r, p := resumed(t, loadInitialize)
	tn := r.run("on") // waits for the session
	w := p.expect("session/load")
	contains(t, "session/load", string(w.Params), `"sessionId":"old"`, r.dir)
	p.tell()
	p.update(`{"sessionUpdate":"usage_update","used":7,"size":100}`)
	p.update(`{"sessionUpdate":"available_commands_update","availableCommands":[{"name":"early"}]}`)
	p.update(`{"sessionUpdate":"session_info_update","title":"The old one"}`)
	p.quiet()
	p.answer(w, `{"modes":{"currentModeId":"ask","availableModes":[{"id":"ask","name":"Ask"}]}}`)
	r.calm(1)
	p.prompted()
	p.say("It is a long answer.") // the same words are an answer now
	p.end("cancelled")
	r.done(tn)
	if got := r.said(1); got != "It is a long answer." {
		t.Errorf("the turn says %q", got)
	}
	said := r.story(0)
	contains(t, "what was seen", said, "usage 7/100")
	for _, s := range []string{"prompt", "thought", "tool", "plan", "Old news", "Half", "error"} {
		if strings.Contains(said, s) {
			t.Errorf("%q is there again:\n%s", s, said)
		}
	}
	if c := r.agent.Commands(); len(c) != 1 || c[0].Name != "early" || r.agent.Title() != "The old one" || len(r.agent.Options()) != 1 {
		t.Errorf("commands %+v, title %q, options %+v", c, r.agent.Title(), r.agent.Options())
	}
}

// TestD9_WhatIsReplayedLateIsNotShown: gemini answers after the first message
// and goes on with the replay.
func TestD9_WhatIsReplayedLateIsNotShown(t *testing.T) {
	t.Parallel()
	all := replayed()
	for before := range all {
		r, p := resumed(t, loadInitialize)
		tn := r.run("on")
		w := p.expect("session/load")
		for _, u := range all[:before] {
			p.update(u)
		}
		p.answer(w, `{}`)
		for _, u := range all[before:] {
			p.update(u)
		}
		r.sync(p, "mark")
		p.quiet() // the prompt waits, and the time stands still
		r.calm(1)
		r.finishes(p, tn)
		r.nothingOf()
	}
}

// TestD9_ASlowReplayIsWaitedFor: each piece of it may take its time.
func TestD9_ASlowReplayIsWaitedFor(t *testing.T) {
	t.Parallel()
	r, p := resumed(t, loadInitialize)
	tn := r.run("on")
	p.answer(p.expect("session/load"), `{}`)
	for i, u := range replayed() {
		p.update(u)
		r.sync(p, fmt.Sprint("mark ", i))
		r.clock.forward(quiet)
		p.quiet()
	}
	r.calm(1)
	r.finishes(p, tn)
	r.nothingOf()
}

// quiet is how long nothing comes after a replay.
const quiet = 250 * time.Millisecond

// TestD9_WhatIsReplayedVeryLateIsCompared: the replay was taken to be over.
func TestD9_WhatIsReplayedVeryLateIsCompared(t *testing.T) {
	t.Parallel()
	for _, late := range [][]string{
		replayed(),
		{chunk("agent_message_chunk", "With a second passage.\n"), replayed()[6]},
		{chunk("agent_message_chunk", "Half of")},
	} {
		r, p := resumed(t, loadInitialize)
		p.answer(p.expect("session/load"), `{}`)
		r.calm(1)
		for _, u := range late {
			p.update(u)
		}
		r.sync(p, "mark")
		r.goesOn(p)
		r.nothingOf()
	}
}

// TestD9_WhatIsNewIsShown: words that do not stand in the past are the agent's
// own, and so is all that comes after them.
func TestD9_WhatIsNewIsShown(t *testing.T) {
	t.Parallel()
	r, p := resumed(t, loadInitialize)
	w := p.expect("session/load")
	p.tell()
	p.answer(w, `{}`)
	r.calm(1)
	p.say("It is")
	p.say(" a long answer.")
	p.update(`{"sessionUpdate":"tool_call","toolCallId":"c9","title":"Look","kind":"read","status":"pending"}`)
	r.untilSeen("tool c9")
	contains(t, "what was seen", r.story(0), `text "It is a long answer."`)
}

// TestD9_SomeReplayOnResume: they must not, and opencode once did.
func TestD9_SomeReplayOnResume(t *testing.T) {
	t.Parallel()
	r, p := resumed(t, resumeInitialize)
	w := p.expect("session/resume")
	p.update(replayed()[0])
	p.answer(w, `{}`)
	for _, u := range replayed()[1:] {
		p.update(u)
	}
	r.sync(p, "mark")
	r.calm(1)
	r.goesOn(p)
	r.nothingOf()
}
