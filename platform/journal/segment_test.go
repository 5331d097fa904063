package journal

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"copydesk/core"
	"copydesk/core/record"

	"pgregory.net/rapid"
)

func TestD7_SegmentsAndBlobs(t *testing.T) {
	r := newRig(t, t.TempDir(), nil)
	r.segment = 4 << 10
	j := r.Create(seat)
	var said []record.Entry
	for i := range 40 {
		e := []record.Entry{prompt(strings.Repeat("p", 500)), record.Painted{Source: strings.Repeat("\xffb", core.BlobBytes*(i%2)+i)}}
		said = append(said, e...)
		for _, e := range e {
			j.Append(e)
		}
	}
	if got := told(entries(r.collect(j.Records(context.Background())))...); got != told(said...) {
		t.Error("the open session says something else")
	}
	r.close(j)
	r.holds(j.ID(), told(said...))
	if n := must(r.segments(j.ID())); len(n) < 5 {
		t.Errorf("segments %v", n)
	}
	j = r.open(j.ID())
	if j.Skipped() != (record.Skipped{}) {
		t.Errorf("skipped %+v", j.Skipped())
	}
	r.close(j)
	blobs := must(os.ReadDir(r.path(blobsName(j.ID()))))
	if len(blobs) != 20 {
		t.Errorf("%d blobs", len(blobs))
	}
	damaged := filepath.Join(r.path(blobsName(j.ID())), blobs[0].Name())
	content := must(os.ReadFile(damaged))
	content[100] ^= 1
	if err := os.WriteFile(damaged, content, 0o600); err != nil {
		t.Fatal(err)
	}
	if records, skipped := r.read(j.ID()); skipped.Records != 1 || len(records) != len(said)+3-1 {
		t.Errorf("%d records, skipped %+v", len(records), skipped)
	}
	if err := r.Remove(j.ID()); err != nil {
		t.Error(err)
	}
	if left := must(os.ReadDir(r.o.Dir)); len(left) != 0 {
		t.Errorf("left is %v", left)
	}
	if err := r.Remove(j.ID()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("removed again: %v", err)
	}
}

func TestSES5_DraftsAreKept(t *testing.T) {
	m := newMemory()
	r := newRig(t, stateDir, m)
	j := r.Create(seat)
	d := record.Draft{Input: "half a \xff sentence", Queue: []string{"next", ""}, Answers: []record.Unsent{{ID: "r1", Text: "why"}}}
	path := filepath.Join(stateDir, draftName(j.ID()))
	j.Keep(record.Draft{Input: "h"})
	r.clock.pass(core.DraftAfter / 2)
	j.Keep(d)
	if m.nodes[path] != nil {
		t.Error("written too soon")
	}
	r.clock.pass(core.DraftAfter / 2)
	if m.nodes[path] == nil {
		t.Error("not written in time")
	}
	r.clock.pass(time.Minute)
	if r.clock.pending() != 0 {
		t.Errorf("%d alarms", r.clock.pending())
	}
	j.Keep(record.Draft{Input: "other"})
	j.Keep(d)
	r.close(j)
	j = r.open(j.ID())
	if got := j.Draft(); got.Input != d.Input || !slices.Equal(got.Queue, d.Queue) || !slices.Equal(got.Answers, d.Answers) {
		t.Errorf("%+v", got)
	}
	j.Keep(record.Draft{})
	if m.nodes[path] != nil {
		t.Error("a blank draft is still there")
	}
	j.Keep(d)
	r.close(j)
	m.nodes[path].data[30] ^= 1
	j = r.open(j.ID())
	if !j.Draft().Blank() || m.nodes[path] != nil || m.nodes[filepath.Join(stateDir, j.ID()+".torn-1")] == nil {
		t.Errorf("a damaged draft: %+v", j.Draft())
	}
	r.close(j)
}

func TestSES5_AnyDraftComesBack(t *testing.T) {
	str := rapid.Map(rapid.SliceOfN(rapid.Byte(), 0, 20), func(b []byte) string { return string(b) })
	rapid.Check(t, func(t *rapid.T) {
		d := record.Draft{Input: str.Draw(t, "input"), Queue: rapid.SliceOfN(str, 0, 3).Draw(t, "queue")}
		for range rapid.IntRange(0, 2).Draw(t, "answers") {
			d.Answers = append(d.Answers, record.Unsent{ID: str.Draw(t, "id"), Text: str.Draw(t, "text")})
		}
		file := encodeDraft(d)
		got, err := decodeDraft(file)
		if err != nil || got.Input != d.Input || !slices.Equal(got.Queue, d.Queue) || !slices.Equal(got.Answers, d.Answers) {
			t.Fatalf("%+v came back as %+v, %v", d, got, err)
		}
		cut := rapid.IntRange(0, len(file)-1).Draw(t, "cut")
		if _, err := decodeDraft(file[:cut]); err == nil {
			t.Fatalf("a draft cut at %d was read", cut)
		}
	})
}

// TestSES3_ReadWhileItIsWritten appends, reads and syncs from many goroutines:
// every reader sees all up to a point, once and in order.
func TestSES3_ReadWhileItIsWritten(t *testing.T) {
	s := New(Options{
		Dir: t.TempDir(), Now: time.Now, Go: func(f func()) { go f() },
		After: func(d time.Duration, f func()) func() { t := time.AfterFunc(d, f); return func() { t.Stop() } },
	})
	s.segment = 8 << 10
	j := s.Create(seat)
	j.Append(prompt("go"))
	if err := j.Sync(context.Background()); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			for i := range 1500 {
				j.Append(note("x"))
				if i%100 == 0 {
					if err := j.Sync(context.Background()); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	count := func(seq func(func(record.Record, error) bool), whole bool) int {
		last := uint64(0)
		for rec, err := range seq {
			if err != nil || rec.Seq != last+1 {
				t.Errorf("%d after %d, %v", rec.Seq, last, err)
				break
			}
			last = rec.Seq
		}
		return int(last)
	}
	for range 2 {
		wg.Go(func() {
			for n := 0; n < 3000; {
				least := n
				if n = count(j.Records(context.Background()), true); n < least {
					t.Errorf("%d records after %d", n, least)
				}
				seq, skipped := s.Read(context.Background(), j.ID())
				count(seq, false)
				if skipped() != (record.Skipped{}) {
					t.Errorf("skipped %+v", skipped())
				}
				j.Health()
			}
		})
	}
	wg.Wait()
	if err := j.Close(); err != nil {
		t.Error(err)
	}
	seq, _ := s.Read(context.Background(), j.ID())
	if n := count(seq, true); n != 3003 {
		t.Errorf("%d records", n)
	}
}
