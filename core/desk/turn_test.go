package desk

import (
	"context"
	"testing"

	"copydesk/core/command"
	"copydesk/core/session"

	"github.com/google/go-cmp/cmp"
)

// TestAHeldQueueStaysHeld cancels a turn that a message waits behind, and sends
// another one: what was held is sent only when the user says so.
func TestAHeldQueueStaysHeld(t *testing.T) {
	b := open(t, false, func(ctx context.Context, prompt string, yield func(session.Event, error) bool) {
		if prompt == "one" {
			<-ctx.Done()
		}
	})
	b.pane.Submit("one")
	b.pane.Submit("drop table x")
	b.pane.Cancel()
	b.until("a held queue", func(d Delta) bool { return d.Status.Held })
	b.pane.Submit("show y")
	b.shows("[fake] one ✗", "[system] Cancelled.", "[fake] show y ✓")
	if got := b.pane.Since(0).Status; !got.Held || !cmp.Equal(got.Queue, []string{"drop table x"}) {
		t.Errorf("the queue is %q, held %v", got.Queue, got.Held)
	}
	b.pane.Submit("")
	b.shows("[fake] one ✗", "[system] Cancelled.", "[fake] show y ✓", "[fake] drop table x ✓")
}

// TestCPY_WhatStandsBesideAnAnswerIsNotInIt has empty chunks, thoughts, tools and
// notes come in the middle of a word.
func TestCPY_WhatStandsBesideAnAnswerIsNotInIt(t *testing.T) {
	b := open(t, false, func(_ context.Context, _ string, yield func(session.Event, error) bool) {
		for _, e := range []session.Event{
			session.ToolCall{ID: "1", Title: "read", Status: session.Running},
			session.Text{Chunk: "one wo"}, session.Thought{}, session.Text{}, session.ToolCall{ID: "1", Status: session.Done},
			session.Notice{Text: "by the way"}, session.Usage{Used: 3}, session.Text{Chunk: "rd\n"},
		} {
			yield(e, nil)
		}
	})
	b.pane.Submit("go")
	b.shows("[fake] go ✓", "[tool] read ✓", "one word", "[system] by the way")
	if got, err := b.pane.Copy(command.Copy{Scope: command.Answer}); err != nil || got.Text != "one word\n" {
		t.Errorf("the answer is %q, %v", got.Text, err)
	}
}

func TestAPlanChangesInItsPlace(t *testing.T) {
	b := open(t, false, func(_ context.Context, _ string, yield func(session.Event, error) bool) {
		for _, s := range []session.Status{session.Running, session.Done} {
			yield(session.Plan{Steps: []session.PlanStep{{Text: "look", Status: s}, {Text: "change"}}}, nil)
		}
		yield(session.Plan{Steps: []session.PlanStep{{Text: "other"}}}, nil)
		yield(session.ToolCall{ID: "x", Status: session.Done}, nil)
	})
	b.pane.Submit("go")
	b.shows("[fake] go ✓", "- look ✓", "- change", "- other", "[tool] a tool without a title ✓")
}

// TestACancelledTurnThatHangsDoesNotHoldTheUser cancels twice.
func TestACancelledTurnThatHangsDoesNotHoldTheUser(t *testing.T) {
	let := make(chan struct{})
	b := open(t, false, func(context.Context, string, func(session.Event, error) bool) { <-let })
	b.pane.Submit("go")
	if !b.pane.Cancel() {
		t.Fatal("there was nothing to cancel")
	}
	if b.pane.Cancel() {
		t.Error("a turn was cancelled twice")
	}
	close(let)
	b.shows("[fake] go ✗", "[system] Cancelled.")
}
