package desk

import (
	"context"
	"errors"
	"testing"
	"time"

	"copydesk/core"
	"copydesk/core/command"
	"copydesk/core/session"

	"github.com/google/go-cmp/cmp"
)

// stubborn is a turn that ends only when it is let, or killed.
func stubborn(a *able, let chan struct{}) func(context.Context, string, func(session.Event, error) bool) {
	return func(_ context.Context, _ string, yield func(session.Event, error) bool) {
		select {
		case <-let:
		case <-a.killed:
			yield(nil, errors.New("it was killed"))
		}
	}
}

// TestR5_AnAgentThatDoesNotStopIsKilled insists too early, then in time.
func TestR5_AnAgentThatDoesNotStopIsKilled(t *testing.T) {
	a := newAble(nil)
	a.run = stubborn(a, nil)
	b, clock := seated(t, a)
	b.pane.Submit("go")
	if !b.pane.Cancel() {
		t.Fatal("there was nothing to cancel")
	}
	clock.Add(int64(core.KillAfter/time.Second) - 1)
	if b.pane.Cancel() {
		t.Error("an agent was killed early")
	}
	if st := b.pane.Since(0).Status; !st.Running || !st.Stopping.Equal(time.Unix(0, 0)) {
		t.Errorf("the status is %+v", st)
	}
	clock.Add(1)
	if !b.pane.Cancel() {
		t.Error("the agent cannot be killed")
	}
	b.shows("[able] go ✗", "[system] able does not stop, so it is ended.", "[system] Cancelled.")
	if st := b.pane.Since(0).Status; !st.Stopping.IsZero() {
		t.Errorf("a turn that has ended is stopping: %+v", st)
	}
}

func TestAGT6_SwitchKeepsThePanel(t *testing.T) {
	let := make(chan struct{})
	old := newAble(nil)
	old.run = stubborn(old, let)
	b, _ := seated(t, old)
	next := newAble(say("from the new one"))
	next.name = "next"
	b.pane.Submit("one")
	b.pane.Submit("two")
	b.pane.Switch(next, PaneOptions{Title: "next · here"})
	if old.closed.Load() {
		t.Error("an agent was closed in its turn")
	}
	old.say(session.Notice{Text: "still there"})
	next.say(session.Notice{Text: "Connected."})
	if st := b.pane.Since(0).Status; st.Agent != "next" || st.Title != "next · here" || !st.Running || !st.Held {
		t.Errorf("the status is %+v", st)
	}
	close(let)
	b.idle()
	old.letGo(t)
	b.pane.Submit("")
	b.shows("[able] one ✓", "[system] The agent is next now. able goes on until its turn has ended.", "[system] still there", "[system] Connected.",
		"[next] two ✓", "from the new one")
	want := "## 1. You\n\none\n\n## 2. able\n\n\n\n## 3. You\n\ntwo\n\n## 4. next\n\nfrom the new one\n"
	if got, err := b.pane.Copy(command.Copy{Scope: command.Session}); err != nil || got.Text != want {
		t.Errorf("the session is %q, %v", got.Text, err)
	}
}

func TestPanesAreNumberedAndClosed(t *testing.T) {
	first := newAble(say("x"))
	b, _ := seated(t, first)
	second := newAble(nil)
	second.run = stubborn(second, nil)
	pane := b.desk.Open(second, PaneOptions{})
	third := b.desk.Open(scripted{say("x")}, PaneOptions{})
	if diff := cmp.Diff([]int{1, 2, 3}, numbers(b.desk)); diff != "" {
		t.Error(diff)
	}
	pane.Submit("go")
	outside, reply := asks(approval)
	second.say(outside)
	pane.Load("x")
	b.desk.ClosePane(pane)
	b.desk.ClosePane(third)
	b.desk.ClosePane(third)
	if diff := cmp.Diff([]int{1}, numbers(b.desk)); diff != "" {
		t.Error(diff)
	}
	pane.Submit("more")
	if st := pane.Since(0).Status; len(st.Queue) > 0 {
		t.Errorf("a closed pane takes messages: %+v", st)
	}
	second.letGo(t)
	if open := pane.Since(0).Pending; len(open) > 0 || len(reply) > 0 {
		t.Errorf("a closed pane asks %+v, and %d answers went out", open, len(reply))
	}
	if got := b.desk.Open(scripted{say("x")}, PaneOptions{}).Number(); got != 4 {
		t.Errorf("the next pane has number %d", got)
	}
	select {
	case <-first.killed:
		t.Error("the agent of another pane was killed")
	default:
	}
}

func numbers(d *Desk) []int {
	var out []int
	for _, p := range d.Panes() {
		out = append(out, p.Number())
	}
	return out
}

// TestCloseKillsWhatDoesNotEnd closes the desk over a turn that hangs.
func TestCloseKillsWhatDoesNotEnd(t *testing.T) {
	a := newAble(nil)
	a.run = stubborn(a, nil)
	b, _ := seated(t, a)
	b.pane.Submit("go")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := b.desk.Close(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
	<-a.killed
	late := b.desk.Open(newAble(say("x")), PaneOptions{})
	late.Submit("go")
	if st := late.Since(0).Status; st.Running {
		t.Error("a turn runs on a closed desk")
	}
}

func TestAClosingPaneGivesTheTurnItsTime(t *testing.T) {
	let := make(chan struct{})
	a := newAble(nil)
	a.run = stubborn(a, let)
	b, _ := seated(t, a)
	var kill func()
	unset := make(chan struct{})
	b.desk.deps.After = func(d time.Duration, f func()) func() {
		if d != core.KillAfter {
			t.Errorf("the turn has %v", d)
		}
		kill = f
		return func() { close(unset) }
	}
	b.pane.Submit("go")
	b.desk.ClosePane(b.pane)
	close(let)
	<-unset
	kill() // too late to do anything
	select {
	case <-a.killed:
		t.Error("an agent was killed whose turn had ended")
	default:
	}
	a.letGo(t)
}

func TestAGT2_OptionsAreSetByName(t *testing.T) {
	a := newAble(say("x"))
	a.options = []session.Option{
		{ID: "m", Name: "Model", Category: "model", Value: "s", Values: []session.OptionValue{{Value: "s", Name: "Sonnet"}, {Value: "o", Name: "Opus 5"}, {Value: "o4", Name: "Opus 4"}}},
		{ID: "p", Name: "Permissions", Category: "mode", Value: "ask"},
	}
	a.set = func(id, value string) error {
		if value == "o4" {
			return errors.New("opus 4 is gone")
		}
		return nil
	}
	b, _ := seated(t, a)
	if st := b.pane.Since(0).Status; st.Model != "Sonnet" || st.Mode != "ask" {
		t.Errorf("in force are %q and %q", st.Model, st.Mode)
	}
	for _, line := range []string{"/model opus 5", "/model Opus 4", "/model op", "/model x", "/mode x"} {
		before := len(rows(b.pane.Since(0)))
		if effect := b.pane.Submit(line); effect != nil {
			t.Errorf("%s is left to the front end: %#v", line, effect)
		}
		b.until("what came of "+line, func(d Delta) bool { return len(d.Lines) > before })
	}
	b.shows("[system] Model is Opus 5 now.", "[error] Opus 4 is gone.", `[error] More than one model begins with "op"; /model lists them.`,
		`[error] There is no model "x"; /model lists them.`, `[error] There is no mode "x"; /mode lists them.`)
	if effect := b.pane.Submit("/model"); effect != (command.Options{Category: "model"}) {
		t.Errorf("/model is %#v", effect)
	}
	if got := b.pane.Options()[0].Value; got != "o" {
		t.Errorf("the model is %q", got)
	}
	plain := open(t, false, say("x"))
	plain.pane.Submit("/model x")
	plain.shows("[error] fake lets nobody choose a model.")
}

func TestAGT5_WhatIsOffered(t *testing.T) {
	a := newAble(say("x"))
	a.commands = []session.Command{{Name: "memory show", Summary: "list it"}}
	a.words = []string{"@core/"}
	a.options = []session.Option{{ID: "m", Category: "model", Values: []session.OptionValue{{Value: "gpt-5", Name: "GPT 5", Summary: "large"}, {Value: "gpt-4"}}}}
	b, _ := seated(t, a)
	for line, want := range map[string][]command.Completion{
		"/mem":             {{Start: 0, Text: "/memory show", Summary: "list it"}},
		"look at @co":      {{Start: 8, Text: "@core/"}},
		"/memory show @co": {{Start: 13, Text: "@core/"}},
		"/model g":         {{Start: 7, Text: "GPT 5", Summary: "large"}, {Start: 7, Text: "gpt-4"}},
	} {
		if diff := cmp.Diff(want, b.pane.Complete(line)); diff != "" {
			t.Errorf("Complete(%q): %s", line, diff)
		}
	}
	if effect := b.pane.Submit("/memory show all"); effect != nil {
		t.Errorf("the agent's command is %#v", effect)
	}
	b.shows("[able] /memory show all ✓", "x")
	b.pane.Submit("/nothing")
	b.shows("[able] /memory show all ✓", "x", "[error] Neither copydesk nor the agent has a command /nothing; //nothing sends it anyway.")
}
