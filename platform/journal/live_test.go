package journal

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"time"

	"copydesk/core"
	"copydesk/core/record"
	"copydesk/core/session"

	"golang.org/x/sys/unix"
)

// TestSES3_NothingIsStoredBeforeThereIsSomething holds that a session without a
// prompt and a draft leaves no file, and that what came before the prompt is
// stored with it.
func TestSES3_NothingIsStoredBeforeThereIsSomething(t *testing.T) {
	m := newMemory()
	r := newRig(t, stateDir, m)
	j := r.Create(seat)
	j.Append(note("hello"))
	j.Append(text(strings.Repeat("much ", 5000)))
	j.Keep(record.Draft{Input: "x"})
	j.Keep(record.Draft{})
	r.sync(j)
	r.clock.pass(time.Minute)
	if got := told(entries(r.collect(j.Records(context.Background())))...); got != told(note("hello"))+strings.Repeat("much ", 5000) {
		t.Errorf("it holds %q", got)
	}
	r.close(j)
	if len(m.log) != 0 || r.clock.pending() != 0 || j.Health() != (record.Health{}) {
		t.Fatalf("%v, %d alarms, %+v", m.log, r.clock.pending(), j.Health())
	}

	j = r.Create(seat)
	j.Append(note("hello"))
	j.Append(prompt("now"))
	r.sync(j)
	r.holds(j.ID(), told(note("hello"), prompt("now")))
	records, _ := r.read(j.ID())
	header := record.Header{ID: j.ID(), Program: "1.0", Seat: seat}
	if records[0].Entry != header || records[1].Entry != (record.Opened{PID: 42, Host: "here", Program: "1.0"}) || records[0].Seq != 1 {
		t.Errorf("it begins with %+v", records[:2])
	}
	r.close(j)

	j = r.Create(seat) // a draft that is taken back leaves nothing either
	j.Keep(record.Draft{Input: "x"})
	r.clock.pass(core.DraftAfter)
	j.Keep(record.Draft{})
	r.close(j)
	if _, err := r.segments(j.ID()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("an empty session was left: %v", err)
	}
}

// TestD5_WhenItIsWrittenAndSynced holds the times: text within JournalJoin, a
// prompt and a decision at once, all on the disk within JournalSync, and then
// nothing more.
func TestD5_WhenItIsWrittenAndSynced(t *testing.T) {
	m := newMemory()
	r := newRig(t, stateDir, m)
	j := r.Create(seat)
	count := func(what string) (n int) {
		for _, s := range m.log {
			if s.what == what {
				n++
			}
		}
		return n
	}
	j.Append(prompt("p"))
	if count("write") != 1 || count("sync") != 0 {
		t.Fatalf("after a prompt: %d writes, %d syncs", count("write"), count("sync"))
	}
	r.sync(j)
	if count("sync") != 1 || count("syncdir") != 2 || r.clock.pending() != 0 {
		t.Fatalf("after Sync: %d syncs, %d of folders, %d alarms", count("sync"), count("syncdir"), r.clock.pending())
	}
	r.sync(j)
	if count("sync") != 1 {
		t.Fatal("it was synced again for nothing")
	}
	for range 10 {
		j.Append(text("a piece of text "))
		r.clock.pass(core.JournalJoin / 20)
	}
	if count("write") != 1 {
		t.Fatal("text was written too soon")
	}
	r.clock.pass(core.JournalJoin / 2)
	if count("write") != 2 || count("sync") != 1 {
		t.Fatalf("after some text: %d writes, %d syncs", count("write"), count("sync"))
	}
	if records, _ := r.read(j.ID()); len(records) != 4 {
		t.Fatalf("%d records: the text was not joined", len(records))
	}
	r.clock.pass(core.JournalSync)
	if count("sync") != 2 || r.clock.pending() != 0 {
		t.Fatalf("a while later: %d syncs, %d alarms", count("sync"), r.clock.pending())
	}
	j.Append(text(strings.Repeat("x", core.JournalJoinBytes)))
	if count("write") != 3 {
		t.Fatal("much text was not written at once")
	}
	r.clock.pass(core.JournalSync)
	for i, e := range []record.Entry{decided("r"), record.Asked{ID: "r", Request: &session.Request{}}, record.Withdrawn{ID: "r"}} {
		j.Append(e)
		if count("write") != 4+i {
			t.Fatalf("%s was not written at once", e.Kind())
		}
	}
	j.Append(record.Ended{})
	if count("sync") != 4 || r.clock.pending() != 0 || !j.Health().Saved.Equal(r.clock.Now()) {
		t.Fatalf("at the end of the turn: %d syncs, %d alarms, %+v", count("sync"), r.clock.pending(), j.Health())
	}
	n := len(m.log)
	r.clock.pass(24 * time.Hour)
	if len(m.log) != n || r.clock.pending() != 0 {
		t.Error("an idle session does something")
	}
	j.Append(text(strings.Repeat("y", 3*core.JournalBatch)))
	j.Append(text(strings.Repeat("z", core.JournalBatch/2)))
	for range 40 {
		j.Append(note(strings.Repeat("n", 4000)))
	}
	r.sync(j)
	for _, s := range m.log {
		if s.what == "write" && len(s.data) > core.JournalBatch && bytes.Count(s.data, []byte{'\n'}) > 1 {
			t.Errorf("a write of %d bytes and %d lines", len(s.data), bytes.Count(s.data, []byte{'\n'}))
		}
	}
	r.close(j)
}

// TestR21_DiskFull fills the disk: it says so within a second, the work goes on,
// and when there is room all is there once.
func TestR21_DiskFull(t *testing.T) {
	m := newMemory()
	r := newRig(t, stateDir, m)
	j := r.Create(seat)
	said := []record.Entry{prompt("one")}
	j.Append(said[0])
	r.sync(j)
	saved, before := j.Health().Saved, r.changed
	m.fail = func(what, _ string) (int, error) {
		if what != "write" {
			return 0, nil
		}
		return 60, unix.ENOSPC
	}
	for i := range 30 {
		e := text(strings.Repeat("t", i))
		said = append(said, e)
		j.Append(e)
		r.clock.pass(time.Second)
		if h := j.Health(); h.Failing == "" {
			t.Fatalf("after %d s it is not said", i)
		}
	}
	h := j.Health()
	if h.Failing != "No space left on the disk. Make room; the work goes on and is saved then." || h.Saved != saved || h.Since.IsZero() {
		t.Errorf("%+v", h)
	}
	if r.changed != before+1 {
		t.Errorf("it was said %d times", r.changed-before)
	}
	said = append(said, prompt("two"))
	j.Append(said[len(said)-1])
	if err := j.Sync(context.Background()); !errors.Is(err, unix.ENOSPC) {
		t.Errorf("sync: %v", err)
	}
	if got := told(entries(r.collect(j.Records(context.Background())))...); got != told(said...) {
		t.Errorf("meanwhile it holds %q", got)
	}
	m.fail = nil
	r.clock.pass(core.JournalRetry)
	if h := j.Health(); h.Failing != "" || !h.Since.IsZero() || h.Saved == saved {
		t.Errorf("with room again: %+v", h)
	}
	r.holds(j.ID(), told(said...))
	if r.clock.pending() != 0 {
		t.Errorf("%d alarms are left", r.clock.pending())
	}

	m.fail = func(what, _ string) (int, error) { return 0, unix.ENOSPC }
	j.Append(prompt("three"))
	if err := j.Close(); !errors.Is(err, unix.ENOSPC) {
		t.Errorf("close: %v", err)
	}
	m.fail = nil
	r.holds(j.ID(), told(said...))
}

// TestR21_OnlyTextIsDropped fills the memory too.
func TestR21_OnlyTextIsDropped(t *testing.T) {
	m := newMemory()
	r := newRig(t, stateDir, m)
	j := r.Create(seat)
	m.fail = func(string, string) (int, error) { return 0, unix.ENOSPC }
	j.Append(prompt("one"))
	chunk := text(strings.Repeat("t", 1<<20))
	for range core.JournalPending>>20 + 8 {
		j.Append(chunk)
	}
	j.Append(decided("r1"))
	j.Append(note("a note"))
	j.Append(record.Said{Event: session.ToolCall{ID: "1", Status: session.Done, Parts: []session.Part{{Text: strings.Repeat("p", 1<<20)}}}})
	j.Append(record.Ended{})
	m.fail = nil
	r.clock.pass(core.JournalRetry)
	j.Append(prompt("two"))
	j.Append(text("after"))
	r.close(j)
	records, _ := r.read(j.ID())
	var kept, dropped int64
	for _, rec := range records {
		switch e := rec.Entry.(type) {
		case record.Said:
			if e.Kind() == record.KindText {
				kept += int64(len(e.Event.(session.Text).Chunk))
			}
		case record.Dropped:
			dropped += e.Bytes
		}
	}
	if total := int64(core.JournalPending + 9<<20 + len("after")); kept+dropped != total || dropped == 0 || kept < core.JournalPending-2<<20 {
		t.Errorf("%d bytes are kept and %d dropped, of %d", kept, dropped, total)
	}
	var rest []record.Entry
	for _, rec := range records {
		if rec.Entry.Kind() != record.KindText && rec.Entry.Kind() != record.KindDropped {
			rest = append(rest, rec.Entry)
		}
	}
	want := told(prompt("one"), decided("r1"), note("a note"), record.Said{Event: session.ToolCall{ID: "1", Status: session.Done}}, record.Ended{}, prompt("two"))
	if got := told(rest...); got != want {
		t.Errorf("the rest is\n%s, not\n%s", got, want)
	}
}

// TestR8_AFloodIsCapped lets a turn say more than the disk is to have of it.
func TestR8_AFloodIsCapped(t *testing.T) {
	m := newMemory()
	r := newRig(t, stateDir, m)
	r.segment = 1 << 40
	j := r.Create(seat)
	j.Append(prompt("go"))
	chunk := text(strings.Repeat("t", 4<<20))
	for range core.JournalTurnBytes>>22 + 3 {
		j.Append(chunk)
		m.log = m.log[:0]
	}
	j.Append(record.Ended{})
	j.Append(prompt("again"))
	j.Append(text("short"))
	j.Append(record.Ended{})
	r.close(j)
	records, _ := r.read(j.ID())
	n, dropped := int64(0), []record.Entry{}
	for i, rec := range records {
		if rec.Entry.Kind() == record.KindText {
			n += int64(len(rec.Entry.(record.Said).Event.(session.Text).Chunk))
		}
		if rec.Entry.Kind() == record.KindDropped {
			dropped = append(dropped, rec.Entry, records[i+1].Entry)
		}
	}
	if n != core.JournalTurnBytes+5 || !slices.Equal(dropped, []record.Entry{record.Dropped{Bytes: 3 << 22}, record.Ended{}}) {
		t.Errorf("%d bytes, dropped %v", n, dropped)
	}
}

// TestR22_ASyncThatFailsIsNotRepeated holds that the file is left, that all that
// it may have lost stands in the next one, and that this is said.
func TestR22_ASyncThatFailsIsNotRepeated(t *testing.T) {
	m := newMemory()
	r := newRig(t, stateDir, m)
	j := r.Create(seat)
	j.Append(prompt("one"))
	r.sync(j)
	syncs, before := 0, r.changed
	m.fail = func(what, name string) (int, error) {
		if what == "sync" && strings.HasSuffix(name, segmentName(j.ID(), 1)) {
			syncs++
			return 0, unix.EIO
		}
		return 0, nil
	}
	j.Append(text("some text "))
	j.Append(decided("r"))
	r.sync(j)
	if syncs != 1 || r.changed < before+2 {
		t.Errorf("%d syncs, said %d times", syncs, r.changed-before)
	}
	// What the cache held of the first file is lost; nothing is missing.
	cut := m.crash(len(m.log), lostData, true)
	newRig(t, stateDir, cut).holds(j.ID(), told(prompt("one"), text("some text "), decided("r")))
	r.close(j)
	if syncs != 1 {
		t.Errorf("%d syncs of the failed file", syncs)
	}
}

// TestT50_ADecisionBeforeAnyPromptIsStored holds that what the user allows before
// the first prompt, a login for example, is on the disk before it is done.
func TestT50_ADecisionBeforeAnyPromptIsStored(t *testing.T) {
	m := newMemory()
	r := newRig(t, stateDir, m)
	j := r.Create(seat)
	j.Append(note("hello"))
	j.Append(record.Decided{ID: "r1"}) // nobody's answer
	r.sync(j)
	if len(m.log) > 0 {
		t.Fatalf("something is stored already: %v", m.log)
	}
	j.Append(record.Decided{ID: "r2", Answer: session.Answer{Verdict: session.Approve}})
	r.sync(j)
	if !bytes.Contains(content(m, j.ID(), 1), []byte(`"id":"r2"`)) {
		t.Error("the decision is not in the file")
	}
	r.close(j)
}
