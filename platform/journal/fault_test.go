package journal

import (
	"context"
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"copydesk/core"
	"copydesk/core/record"
	"copydesk/core/session"
)

var errFull error = syscall.ENOSPC

// story is a session with all that can go wrong in it: several turns, an entry
// with a file of its own, a draft, and so many bytes that it takes several
// segments of 2 KiB. It returns what was appended.
type story struct {
	r     *rig
	j     *Journal
	want  []string // prompts, decisions and large notes, in order
	text  strings.Builder
	acked func(string)
}

func (s *story) must(e record.Entry, name string) {
	s.j.Append(e)
	s.want = append(s.want, name)
	if s.j.Sync(context.Background()) == nil && s.acked != nil {
		s.acked(name)
	}
	s.r.rest()
}

func (s *story) say(n int) {
	for i := range n {
		chunk := fmt.Sprintf("#%04d ", s.text.Len()/6+i-i)
		s.text.WriteString(chunk)
		s.j.Append(text(chunk))
		if i%4 == 3 {
			s.r.clock.Advance(core.JournalJoin)
			s.r.rest()
		}
	}
}

func tell(r *rig, acked func(string)) *story {
	r.most = 1 << 10
	s := &story{r: r, acked: acked}
	s.j = r.Create(record.Seat{Agent: "echo"})
	s.j.Append(record.Header{ID: s.j.ID(), Seat: record.Seat{Agent: "echo"}})
	s.must(record.Prompt{Text: "one"}, "one")
	s.say(16)
	s.j.Keep(record.Draft{Input: "draft"})
	s.r.clock.Advance(core.DraftAfter)
	s.r.rest()
	s.must(record.Decided{ID: "r1", Said: "yes"}, "yes")
	s.j.Append(record.Ended{})
	s.r.rest()
	s.must(record.Note{Text: strings.Repeat("n", core.BlobBytes)}, "note")
	s.must(record.Prompt{Text: "two"}, "two")
	s.say(60)
	r.clock.Advance(core.JournalSync)
	r.rest()
	s.say(20)
	s.must(record.Decided{ID: "r2", Said: "no"}, "no")
	s.j.Append(record.Ended{Outcome: session.Cancelled})
	s.r.rest()
	return s
}

// names are the entries of a story that a session has.
func told(all []record.Record) []string {
	var out []string
	for _, r := range all {
		switch e := r.Entry.(type) {
		case record.Prompt:
			out = append(out, e.Text)
		case record.Decided:
			out = append(out, e.Said)
		case record.Note:
			out = append(out, "note")
		}
	}
	return out
}

func TestC9_AStoryTakesSegmentsAndABlob(t *testing.T) {
	d := newRAM(t)
	r := newRig(t, d)
	s := tell(r, nil)
	r.close(s.j)
	all, skipped := r.stored(s.j.ID())
	if strings.Join(told(all), " ") != strings.Join(s.want, " ") || joinedText(all) != s.text.String() || skipped != (record.Skipped{}) {
		t.Fatalf("%v %v", told(all), skipped)
	}
	ordered(t, all)
	segments, blobs := 0, 0
	for name := range d.names {
		if strings.HasSuffix(name, ".jsonl") {
			segments++
		}
		if strings.Contains(name, ".blobs/") {
			blobs++
		}
	}
	if segments < 3 || blobs != 1 {
		t.Errorf("%d segments, %d blobs", segments, blobs)
	}
}

// TestC5_AnyOperationMayFail fails each operation in turn, once or from then on
// until the disk is well again: nothing is lost and nothing comes twice.
func TestC5_AnyOperationMayFail(t *testing.T) {
	for _, failure := range []struct {
		name  string
		err   error
		short bool
		lasts bool
	}{
		{"full", syscall.ENOSPC, false, false}, {"broken", syscall.EIO, false, false}, {"short", nil, true, false},
		{"full for long", syscall.ENOSPC, false, true}, {"broken for long", syscall.EIO, false, true},
	} {
		t.Run(failure.name, func(t *testing.T) {
			t.Parallel()
			for n := 0; ; n++ {
				if testing.Short() && n%7 != 0 {
					continue
				}
				hit := failed(t, n, failure.err, failure.short, failure.lasts)
				if t.Failed() {
					t.Fatalf("with operation %d failing", n)
				}
				if !hit {
					if n < 20 {
						t.Errorf("only %d operations", n)
					}
					return
				}
			}
		})
	}
}

func failed(t *testing.T, n int, err error, short, lasts bool) (hit bool) {
	d := newRAM(t)
	seen, well := 0, false
	d.fault = func(o op) (error, bool) {
		if short && o.kind != opWrite {
			return nil, false
		}
		if seen++; well || seen-1 != n && !(lasts && seen > n) {
			return nil, false
		}
		hit = true
		return err, short
	}
	r := newRig(t, d)
	s := tell(r, nil)
	if lasts && hit && s.j.Health().Failing == "" {
		t.Error("nobody was told")
	}
	d.mu.Lock()
	well = true
	d.mu.Unlock()
	r.clock.Advance(core.JournalRetry + time.Second)
	r.rest()
	if h := s.j.Health(); h.Failing != "" {
		t.Errorf("%s, with the disk well again", h.Failing)
	}
	live := records(t, s.j)
	r.close(s.j)
	all, skipped := r.stored(s.j.ID())
	if strings.Join(told(all), " ") != strings.Join(s.want, " ") || joinedText(all) != s.text.String() {
		t.Errorf("%v %q", told(all), joinedText(all))
	}
	if skipped.Records > 1 && !lasts || len(live) != len(all) {
		t.Errorf("skipped %v, %d records in memory, %d on the disk", skipped, len(live), len(all))
	}
	ordered(t, all)
	again := r.again()
	again.most = r.most
	k := again.open(s.j.ID())
	if k.Draft().Input != "draft" {
		t.Errorf("the draft is %v", k.Draft())
	}
	again.close(k)
	if t.Failed() {
		t.Log(d.list())
	}
	return hit
}

// TestC4_EveryStateAfterAPowerCut makes each state that a power cut can leave
// and goes on from there.
func TestC4_EveryStateAfterAPowerCut(t *testing.T) {
	plans := map[string]func(op) (error, bool){
		"well": nil,
		"a sync fails": func() func(op) (error, bool) {
			n := 0
			return func(o op) (error, bool) {
				if o.kind == opSync {
					if n++; n%3 == 2 {
						return syscall.EIO, false
					}
				}
				return nil, false
			}
		}(),
		"writes are short": func() func(op) (error, bool) {
			n := 0
			return func(o op) (error, bool) {
				if o.kind == opWrite {
					n++
					return nil, n%3 == 2
				}
				return nil, false
			}
		}(),
	}
	for name, plan := range plans {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newRAM(t)
			d.fault = plan
			r := newRig(t, d)
			s := tell(r, d.acknowledge)
			r.clock.Advance(core.JournalRetry)
			r.rest()
			r.close(s.j)
			d.fault = nil
			for n := range len(d.log) + 1 {
				if testing.Short() && n%5 != 0 {
					continue
				}
				for _, data := range []fate{kept, dropped, cut, zeroed} {
					for _, names := range []bool{true, false} {
						goOn(t, d, s, n, data, names)
						if t.Failed() {
							t.Fatalf("after operation %d of %d, data %s, names %v\n%s", n, len(d.log), data, names, d.list())
						}
					}
				}
			}
		})
	}
}

func goOn(t *testing.T, d *ram, s *story, n int, data fate, names bool) {
	var acked []string
	for _, o := range d.log[:n] {
		if o.kind == opAck {
			acked = append(acked, o.path)
		}
	}
	left := d.after(n, data, names)
	r := newRig(t, left)
	j, err := r.Open(s.j.ID())
	if err != nil {
		if len(acked) > 0 {
			t.Errorf("%v, although %v was acknowledged", err, acked)
		}
		return
	}
	before := records(t, j)
	r.rest()
	got := strings.Join(told(before), " ")
	if !strings.HasPrefix(strings.Join(s.want, " "), got) || len(told(before)) < len(acked) {
		t.Errorf("%q is there of %v", got, acked)
	}
	if got := joinedText(before); !strings.HasPrefix(s.text.String(), got) {
		t.Errorf("the text has a gap: %q", got)
	}
	j.Append(record.Prompt{Text: "three"})
	r.sync(j)
	r.close(j)
	all, _ := r.stored(s.j.ID())
	ordered(t, all)
	if now := strings.TrimSpace(got + " three"); strings.Join(told(all), " ") != now {
		t.Errorf("%v is there instead of %q", told(all), now)
	}
}
