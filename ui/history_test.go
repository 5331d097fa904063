package ui

import (
	"context"
	"iter"
	"slices"
	"sync"
	"testing"

	"copydesk/core/desk"
	"copydesk/core/record"
	"copydesk/core/session"
	"copydesk/ui/theme"

	"pgregory.net/rapid"
)

// fakeHistory keeps prompts in memory.
type fakeHistory struct {
	mu      sync.Mutex
	prompts map[scope][]string
}

func (h *fakeHistory) Load(agent, dir string) []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.prompts[scope{agent, dir}])
}

func (h *fakeHistory) Add(agent, dir, prompt string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.prompts[scope{agent, dir}] = append(h.prompts[scope{agent, dir}], prompt)
}

// recalling is a driver whose history has prompts of an earlier run.
func recalling(t testing.TB, earlier ...string) (*driver, *fakeHistory) {
	t.Helper()
	d := drive(t, 80, 12, echoing("ok\n"))
	h := &fakeHistory{prompts: map[scope][]string{{"fake", ""}: earlier}}
	d.app.deps.History = h
	d.app.scope = scope{"another", ""}
	d.until("the history", func(string) bool { return d.app.field.Previous() })
	d.app.field.Next()
	return d, h
}

func TestSES4_TheHistoryOfEarlierRunsIsWalked(t *testing.T) {
	d, h := recalling(t, "first", "second")
	d.typed("third\n")
	d.idle()
	d.typed("draft")
	d.press("up")
	d.shows("❯ third")
	d.press("up")
	d.shows("❯ second")
	d.press("up", "up")
	d.shows("❯ first")
	d.press("down", "down", "down")
	d.shows("❯ draft")
	if got := h.Load("fake", ""); !slices.Equal(got, []string{"first", "second", "third"}) {
		t.Errorf("the history has %q", got)
	}
}

func TestSES4_TheHistoryIsSearched(t *testing.T) {
	d, _ := recalling(t, "select a from t", "insert into t", "Select b from t", "drop t")
	d.typed("my draft")
	d.press("ctrl+r")
	d.typed("select")
	d.shows("history, back: select ❯ Select b from t")
	d.press("ctrl+r")
	d.shows("history, back: select ❯ select a from t")
	d.press("ctrl+r")
	d.shows("not in the history: select ❯ select a from t")
	d.press("ctrl+s")
	d.shows("history, on: select ❯ Select b from t")
	d.press("ctrl+c")
	d.shows("❯ my draft")
	d.lacks("history")

	d.press("ctrl+r")
	d.typed("Sel")
	d.shows("history, back: Sel ❯ Select b from t")
	if !d.styled("Select b from t", theme.Selected) {
		t.Errorf("what was found is not marked:\n%s", d.text())
	}
	d.press("esc")
	if got := d.app.field.Text(); got != "Select b from t" {
		t.Errorf("Esc left %q in the field", got)
	}
	d.press("down")
	d.press("down")
	d.shows("❯ my draft")

	d.press("ctrl+r")
	d.typed("insertx")
	d.shows("not in the history: insertx ❯ insert into t")
	d.press("backspace", "enter")
	d.shows("[simple] insert into t ✓")
}

// TestSES4_ASearchIsADraft holds that no request takes the keyboard from
// somebody who searches.
func TestSES4_ASearchIsADraft(t *testing.T) {
	d := drive(t, 80, 24, answering(dropRequest))
	d.typed("go\n")
	d.press("ctrl+r")
	d.shows("Drop the table")
	d.wait(d.app.Quiet * 20)
	if d.app.active {
		t.Fatal("the request took the keyboard from a search")
	}
	d.typed("a")
	d.press("ctrl+c")
	d.lacks("answered")
	if len(d.app.pending) != 1 {
		t.Error("the search answered the request")
	}
}

// TestREQ5_NoSearchAnswersOrLosesTheDraft presses keys at random while a request
// waits.
func TestREQ5_NoSearchAnswersOrLosesTheDraft(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		d := drive(t, 60, 12, answering(dropRequest))
		d.typed("go\n")
		d.shows("Drop the table")
		d.typed("draft ")
		d.press("ctrl+r")
		for range rapid.IntRange(0, 12).Draw(rt, "keys") {
			switch k := rapid.SampledFrom([]string{"a", "r", "1", "g", "ctrl+r", "ctrl+s", "backspace", "paste"}).Draw(rt, "key"); {
			case k == "paste":
				d.paste("a\n")
			case len(k) == 1:
				d.typed(k)
			default:
				d.press(k)
			}
		}
		d.press("ctrl+c")
		if got := d.app.field.Text(); got != "draft " {
			rt.Fatalf("the draft is %q", got)
		}
		if len(d.app.pending) != 1 || d.app.active {
			rt.Fatalf("%d requests wait, active %v", len(d.app.pending), d.app.active)
		}
	})
}

func TestSES5_TheQueueIsSeenEditedAndEmptied(t *testing.T) {
	hold := make(chan struct{})
	d := drive(t, 80, 24, waitingFor(hold))
	d.typed("begin\n")
	for _, m := range []string{"one", "two", "three", "four"} {
		d.typed(m + "\n")
	}
	d.shows("queued 1: one", "queued 2: two", "… 2 more")
	d.typed("/queue\n")
	d.shows("Messages that wait", "4  four")
	d.press("down", "delete")
	d.shows("Removed.", "3  four")
	d.lacks("two")
	d.press("down", "down", "enter")
	d.shows("❯ four", "queued 2: three")
	if got := d.pane.Since(0).Status.Queue; !slices.Equal(got, []string{"one", "three"}) {
		t.Errorf("the queue is %q", got)
	}
	d.press("ctrl+c", "up", "up", "up")
	d.shows("❯ two")
	close(hold)
	d.idle()
}

// TestSES5_AMessageThatWasSentMeanwhileIsNotEdited opens the list, and lets the
// queue go on below it.
func TestSES5_AMessageThatWasSentMeanwhileIsNotEdited(t *testing.T) {
	hold := make(chan struct{})
	d := drive(t, 80, 24, waitingFor(hold))
	d.typed("begin\n")
	d.typed("one\n")
	d.press("ctrl+x q")
	d.shows("Messages that wait")
	close(hold)
	d.idle()
	d.press("enter")
	d.shows("no longer in the queue")
	if !d.app.field.Empty() {
		t.Errorf("the field holds %q", d.app.field.Text())
	}
}

// keeper is a journal that has a draft and a health, and nothing else.
type keeper struct {
	id string // empty: any

	mu     sync.Mutex
	draft  record.Draft
	health record.Health
}

func (k *keeper) ID() string {
	if k.id != "" {
		return k.id
	}
	return "20261121-062316-k3f9q2"
}

func (k *keeper) Health() record.Health {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.health
}
func (*keeper) Append(record.Entry)        {}
func (*keeper) Sync(context.Context) error { return nil }
func (*keeper) Close() error               { return nil }
func (*keeper) Records(context.Context) iter.Seq2[record.Record, error] {
	return func(func(record.Record, error) bool) {}
}

func (k *keeper) Keep(d record.Draft) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.draft = d
}

func (k *keeper) Draft() record.Draft {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.draft
}

// reopen opens a pane with a session from before, and shows it.
func (d *driver) reopen(k *keeper, agent script) {
	d.t.Helper()
	d.desk.Open(agent, desk.PaneOptions{Loose: true, Title: "fake · test", Journal: k})
	d.draw()
	d.app.turnTo(d.app.tabs[len(d.app.tabs)-1])
	d.draw()
}

func TestSES5_WhatIsWrittenIsKept(t *testing.T) {
	d := drive(t, 80, 24, answering(session.Request{Kind: session.TextInput, Prompt: "Which table?"}))
	k := &keeper{}
	d.reopen(k, answering(session.Request{Kind: session.TextInput, Prompt: "Which table?"}))
	d.typed("half a dra")
	d.wait(keepAfter)
	if got := k.Draft(); got.Input != "half a dra" {
		t.Errorf("kept is %+v", got)
	}
	d.press("ctrl+c")
	d.typed("go\n")
	if got := k.Draft(); got.Input != "" {
		t.Errorf("what was sent is kept as a draft: %+v", got)
	}
	d.shows("Which table?")
	d.wait(d.app.Quiet * 2)
	d.typed("cust")
	d.wait(keepAfter)
	if got := k.Draft(); len(got.Answers) != 1 || got.Answers[0].Text != "cust" {
		t.Errorf("kept is %+v", got)
	}
}

func TestSES5_TheDraftComesBack(t *testing.T) {
	d := drive(t, 80, 24, echoing("x"))
	d.reopen(&keeper{draft: record.Draft{Input: "from before", Queue: []string{"and then"}}}, echoing("x"))
	d.shows("❯ from before", "held 1: and then")
	d.press("left")
	d.typed("X")
	d.shows("from beforXe")
}

// waitingFor answers once it may.
func waitingFor(hold chan struct{}) script {
	return func(_ context.Context, _ string, yield func(session.Event, error) bool) {
		<-hold
		yield(session.Text{Chunk: "done\n"}, nil)
	}
}
