package journal

import (
	"slices"
	"testing"
	"time"

	"copydesk/core/record"
	"copydesk/core/session"

	"github.com/google/go-cmp/cmp"
)

func TestSES3_WhatIsAppendedIsThereAgain(t *testing.T) {
	r := newRig(t, nil)
	j := r.begin()
	j.Append(text("a"))
	j.Append(text("b"))
	j.Append(record.Ended{Outcome: session.Broken})
	r.sync(j)
	want := []string{"header", "opened", "prompt", "text", "ended"}
	got := records(t, j)
	if diff := cmp.Diff(want, kinds(got)); diff != "" {
		t.Fatal(diff)
	}
	r.close(j)
	stored, skipped := r.stored(j.ID())
	if diff := cmp.Diff(got, stored); diff != "" || skipped != (record.Skipped{}) {
		t.Fatal(diff, skipped)
	}
	again := r.again()
	k := again.open(j.ID())
	k.Append(record.Prompt{Text: "more"})
	again.sync(k)
	if diff := cmp.Diff(append(want, "opened", "prompt"), kinds(records(t, k))); diff != "" {
		t.Fatal(diff)
	}
	if h := k.Health(); h.Failing != "" || h.Saved.IsZero() {
		t.Error(h)
	}
	again.close(k)
	if n := again.clock.timers() + r.clock.timers(); n != 0 {
		t.Errorf("%d timers run after the end", n)
	}
}

func TestSES3_NothingIsWrittenBeforeThePrompt(t *testing.T) {
	r := newRig(t, nil)
	j := r.Create(record.Seat{Agent: "echo"})
	j.Append(record.Header{ID: j.ID()})
	j.Append(record.Note{Text: "hi"})
	r.clock.Advance(time.Minute)
	r.rest()
	r.close(j)
	if _, err := r.disk.ReadDir(r.o.Dir); err == nil {
		t.Error("the folder was made")
	}
	j = r.Create(record.Seat{Agent: "echo"})
	j.Keep(record.Draft{Input: "x\xff"})
	r.clock.Advance(time.Minute)
	r.rest()
	if got := r.names(); !slices.Equal(got, []string{j.ID() + ".draft.json", j.ID() + ".jsonl"}) {
		t.Fatal(got)
	}
	r.close(j)
	j = r.open(j.ID())
	if d := j.Draft(); d.Input != "x\xff" {
		t.Error(d)
	}
	j.Keep(record.Draft{})
	r.close(j)
	if got := r.names(); len(got) != 1 {
		t.Error(got)
	}
}
