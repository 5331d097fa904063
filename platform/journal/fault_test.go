package journal

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"time"

	"copydesk/core"
	"copydesk/core/record"
	"copydesk/core/session"

	"golang.org/x/sys/unix"
	"pgregory.net/rapid"
)

// errShort makes a write short without another error.
var errShort = errors.New("short write")

// story is what is done to a journal in the tests of faults, and what it must
// hold afterwards.
type story struct {
	r     *rig
	j     *Journal
	said  []record.Entry
	safe  []mark
	disks *memory
}

// mark says that after so many steps so many entries were acknowledged.
type mark struct{ steps, entries int }

func (s *story) add(e record.Entry) {
	s.said = append(s.said, e)
	s.j.Append(e)
}

// sync notes what has been acknowledged.
func (s *story) sync() {
	if s.j.Sync(context.Background()) == nil {
		s.safe = append(s.safe, mark{len(s.disks.log), len(s.said)})
	}
}

// tell runs turns of every sort through a journal.
func (s *story) tell(turns int) {
	big := strings.Repeat("a blob of its own. ", 100)
	for i := range turns {
		s.add(prompt(fmt.Sprint("prompt ", i)))
		s.sync()
		for k := range 3 {
			s.add(text(fmt.Sprintf("(%d.%d é\xff)", i, k)))
			s.r.clock.pass(100 * time.Millisecond)
		}
		s.r.clock.pass(300 * time.Millisecond)
		if i == 1 {
			s.add(record.Painted{Source: big})
		}
		s.j.Keep(record.Draft{Input: fmt.Sprint("draft ", i)})
		s.add(record.Asked{ID: "r", Digest: "d", Request: &session.Request{Kind: session.TextInput, Prompt: "Well?"}})
		s.r.clock.pass(600 * time.Millisecond)
		s.add(decided(fmt.Sprint("r", i)))
		s.sync()
		s.add(text(strings.Repeat("more text\n", 30)))
		s.r.clock.pass(2 * time.Second)
		s.add(text("end"))
		s.add(record.Ended{})
	}
}

func newStory(t testing.TB) *story {
	m := newMemory()
	r := newRig(t, "/state/sessions", m)
	r.segment, r.blob = 2<<10, 1<<10
	return &story{r: r, j: r.Create(seat), disks: m}
}

// check opens what a crash has left, and goes on with it.
func (s *story) check(t testing.TB, m *memory, acked int) {
	r := newRig(t, "/state/sessions", m)
	id := s.j.ID()
	want := told(s.said...)
	j, err := r.Open(id)
	if errors.Is(err, fs.ErrNotExist) && acked == 0 {
		return
	}
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	got := told(entries(r.collect(j.Records(context.Background())))...)
	if !strings.HasPrefix(want, got) {
		t.Fatalf("not a prefix of what was said:\n%q\n%q", got, want)
	}
	if least := told(s.said[:acked]...); len(got) < len(least) {
		t.Fatalf("what was acknowledged is lost: there is\n%q, acknowledged was\n%q", got, least)
	}
	j.Append(prompt("after the crash"))
	r.sync(j)
	r.close(j)
	records, _ := r.read(id)
	if again := told(entries(records)...); again != got+told(prompt("after the crash")) {
		t.Fatalf("after going on:\n%q, before it:\n%q", again, got)
	}
}

// TestC4_EveryCrashState cuts the power after every step, with all that can
// become of what was not synced (C4, C9: rotation and blobs are among it).
func TestC4_EveryCrashState(t *testing.T) {
	s := newStory(t)
	s.tell(4)
	s.r.close(s.j)
	s.r.holds(s.j.ID(), told(s.said...))
	if n, _ := s.r.segments(s.j.ID()); len(n) < 3 {
		t.Fatalf("%d segments: nothing was rotated", len(n))
	}
	acked := 0
	for steps := range len(s.disks.log) + 1 {
		for _, m := range s.safe {
			if m.steps <= steps {
				acked = m.entries
			}
		}
		for f := range fates {
			for _, early := range []bool{false, true} {
				s.check(t, s.disks.crash(steps, f, early), acked)
			}
		}
	}
	t.Logf("%d states", (len(s.disks.log)+1)*int(fates)*2)
}

// TestC4_CrashAfterAFailedSync does the same where a sync fails in between (R22).
func TestC4_CrashAfterAFailedSync(t *testing.T) {
	for nth := 1; nth <= 6; nth++ {
		s := newStory(t)
		n := 0
		s.disks.fail = func(what, name string) (int, error) {
			if what == "sync" && strings.HasSuffix(name, ".jsonl") {
				if n++; n == nth {
					return 0, unix.EIO
				}
			}
			return 0, nil
		}
		s.tell(2)
		s.r.close(s.j)
		s.r.holds(s.j.ID(), told(s.said...))
		acked := 0
		for steps := range len(s.disks.log) + 1 {
			for _, m := range s.safe {
				if m.steps <= steps {
					acked = m.entries
				}
			}
			for f := range fates {
				s.check(t, s.disks.crash(steps, f, true), acked)
			}
		}
	}
}

// TestC5_EveryOperationFails fails operation N for N = 1, 2, … until a run has
// no more operations: once, and for some time.
func TestC5_EveryOperationFails(t *testing.T) {
	faults := []struct {
		name  string
		err   error
		short int
		times int
	}{
		{"no space", unix.ENOSPC, 0, 1}, {"no space after some", unix.ENOSPC, 77, 1}, {"an error", unix.EIO, 0, 1},
		{"an error after some", unix.EIO, 130, 1}, {"a short write", errShort, 50, 1},
		{"no space for long", unix.ENOSPC, 33, 12}, {"errors for long", unix.EIO, 33, 12},
	}
	for _, f := range faults {
		t.Run(f.name, func(t *testing.T) {
			for at := 1; ; at++ {
				s := newStory(t)
				n := 0
				s.disks.fail = func(what, _ string) (int, error) {
					if n++; n < at || n >= at+f.times {
						return 0, nil
					}
					if f.err == errShort && what != "write" {
						return 0, nil
					}
					return f.short, f.err
				}
				s.tell(2)
				s.r.clock.pass(10 * core.JournalRetry)
				if h := s.j.Health(); n >= at+f.times && h.Failing != "" {
					t.Fatalf("operation %d: long after it works again: %q", at, h.Failing)
				}
				err := s.j.Close()
				s.disks.fail = nil
				if err == nil {
					s.r.holds(s.j.ID(), told(s.said...))
				}
				acked := 0
				if len(s.safe) > 0 {
					acked = s.safe[len(s.safe)-1].entries
				}
				s.check(t, s.disks, acked)
				if n < at {
					break
				}
			}
		})
	}
}

// TestR22_AnythingMayFail lets operations fail at random, also those that undo
// what failed before: when the disk works again all is there once.
func TestR22_AnythingMayFail(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := newStory(t)
		odds := rapid.IntRange(2, 12).Draw(rt, "odds")
		s.disks.fail = func(what, _ string) (int, error) {
			if rapid.IntRange(0, odds).Draw(rt, what) > 0 {
				return 0, nil
			}
			err := rapid.SampledFrom([]error{unix.ENOSPC, unix.EIO, unix.EACCES}).Draw(rt, "error")
			return rapid.IntRange(0, 400).Draw(rt, "short"), err
		}
		s.tell(2)
		s.disks.fail = nil
		s.r.clock.pass(3 * core.JournalRetry)
		if h := s.j.Health(); h.Failing != "" {
			rt.Fatalf("long after it works again: %q", h.Failing)
		}
		if err := s.j.Close(); err != nil {
			rt.Fatal(err)
		}
		s.r.t = t
		records, skipped := s.r.read(s.j.ID())
		if got := told(entries(records)...); got != told(s.said...) || skipped != (record.Skipped{}) {
			rt.Fatalf("skipped %+v; the session says\n%q, not\n%q", skipped, got, told(s.said...))
		}
		if s.r.clock.pending() != 0 {
			rt.Fatalf("%d alarms are left", s.r.clock.pending())
		}
	})
}
