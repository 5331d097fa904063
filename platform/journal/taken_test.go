package journal

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"copydesk/core"
	"copydesk/core/record"
	"copydesk/core/session"
)

// TestR25_TheFileIsTakenAway deletes, moves, replaces, cuts and adds to the file
// during a turn.
func TestR25_TheFileIsTakenAway(t *testing.T) {
	other := []byte("somebody else's\n")
	cases := []struct {
		name string
		do   func(dir, path string) error
		kept []byte // of what is set aside
	}{
		{"deleted", func(_, path string) error { return os.Remove(path) }, nil},
		{"moved", func(_, path string) error { return os.Rename(path, path+".old") }, nil},
		{"replaced", func(_, path string) error {
			if err := os.Rename(path, path+".old"); err != nil {
				return err
			}
			return os.WriteFile(path, other, 0o600)
		}, other},
		{"replaced by a folder", func(_, path string) error { return errors.Join(os.Remove(path), os.Mkdir(path, 0o700)) }, nil},
		{"cut", func(_, path string) error { return os.Truncate(path, 100) }, nil},
		{"emptied", func(_, path string) error { return os.Truncate(path, 0) }, nil},
		{"folder deleted", func(dir, _ string) error { return os.RemoveAll(dir) }, nil},
	}
	for _, c := range cases {
		for _, second := range []bool{false, true} {
			name := c.name
			if second {
				name += ", the first of two"
			}
			t.Run(name, func(t *testing.T) {
				dir := filepath.Join(t.TempDir(), "sessions")
				r := newRig(t, dir, nil)
				j := r.Create(seat)
				said := []record.Entry{prompt("one"), text("some text"), decided("r"), text("more")}
				for _, e := range said[:3] {
					j.Append(e)
				}
				r.sync(j)
				if second {
					if strings.Contains(c.name, "cut") || strings.Contains(c.name, "emptied") {
						t.Skip("what is no longer written cannot be had again")
					}
					r.segment = 1
				}
				j.Append(said[3])
				path := filepath.Join(dir, segmentName(j.ID(), 1))
				if second {
					r.sync(j)
				}
				r.segment = core.SegmentBytes
				if err := c.do(dir, path); err != nil {
					t.Fatal(err)
				}
				said = append(said, prompt("two"), text("on"))
				j.Append(said[4])
				r.sync(j)
				j.Append(said[5])
				if got := told(entries(r.collect(j.Records(context.Background())))...); got != told(said...) {
					t.Errorf("it holds %q", got)
				}
				if _, err := r.Open(j.ID()); !errors.As(err, new(*Held)) {
					t.Errorf("the lock is lost: %v", err)
				}
				r.close(j)
				records, _ := r.read(j.ID())
				if got := told(entries(records)...); got != told(said...) {
					t.Errorf("read, it says %q", got)
				}
				if c.kept != nil {
					if b, err := os.ReadFile(filepath.Join(dir, j.ID()+".torn-1")); !bytes.Equal(b, c.kept) {
						t.Errorf("what stood there: %q, %v", b, err)
					}
				}
				j = r.open(j.ID())
				if j.Skipped().Records > 1 {
					t.Errorf("skipped %+v", j.Skipped())
				}
				r.close(j)
			})
		}
	}
	t.Run("added to", func(t *testing.T) {
		r := newRig(t, t.TempDir(), nil)
		j := r.Create(seat)
		j.Append(prompt("one"))
		r.sync(j)
		f := must(os.OpenFile(r.path(segmentName(j.ID(), 1)), os.O_APPEND|os.O_WRONLY, 0))
		f.Write([]byte("junk"))
		f.Close()
		j.Append(text("a"))
		r.sync(j)
		j.Append(prompt("two"))
		r.close(j)
		records, skipped := r.read(j.ID())
		if got := told(entries(records)...); got != told(prompt("one"), text("a"), prompt("two")) || skipped.Records != 1 {
			t.Errorf("%q, skipped %+v", got, skipped)
		}
	})
}

// hung is a disk whose syncs hang until it is let go.
type hung struct {
	files
	mu    sync.Mutex
	gate  chan struct{}
	began chan struct{} // closed by the first sync that hangs; nil: nobody waits for it
}

func (h *hung) Open(name string, flag int) (file, error) {
	f, err := h.files.Open(name, flag)
	if err != nil {
		return nil, err
	}
	return hungFile{f, h}, nil
}

func (h *hung) set(gate chan struct{}) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.gate = gate
}

type hungFile struct {
	file
	h *hung
}

func (f hungFile) Sync() error {
	f.h.mu.Lock()
	gate := f.h.gate
	if gate != nil && f.h.began != nil {
		close(f.h.began)
		f.h.began = nil
	}
	f.h.mu.Unlock()
	if gate != nil {
		<-gate
	}
	return f.file.Sync()
}

// TestR51_ADiskThatHangs lets a sync never come back: the user is told after five
// seconds, nobody waits longer than two, and it ends when the disk answers.
func TestR51_ADiskThatHangs(t *testing.T) {
	disk := &hung{files: newMemory()}
	clock := newClock()
	s := New(Options{Dir: stateDir, Now: clock.Now, After: clock.After, Go: func(f func()) { go f() }})
	s.fs = disk
	j := s.Create(seat)
	j.Append(prompt("one"))
	syncIn(t, clock, j, 0, nil)
	saved := j.Health().Saved

	gate := make(chan struct{})
	disk.set(gate)
	j.Append(prompt("two"))
	began := clock.Now()
	syncIn(t, clock, j, core.JournalWait, errSlow)
	for range 100 {
		j.Append(text("it goes on "))
	}
	clock.pass(core.JournalStalled - clock.Now().Sub(began) - time.Millisecond)
	if h := j.Health(); h.Failing != "" {
		t.Errorf("too soon: %q", h.Failing)
	}
	clock.pass(time.Millisecond)
	const want = "The disk does not answer. The work goes on and is saved when it does."
	if h := j.Health(); h.Failing != want || h.Saved != saved || h.Since != clock.Now() {
		t.Errorf("%+v", h)
	}
	syncIn(t, clock, j, core.JournalWait, errSlow)
	disk.set(nil)
	close(gate)
	syncIn(t, clock, j, 0, nil)
	if h := j.Health(); h.Failing != "" || h.Saved == saved {
		t.Errorf("%+v", h)
	}
	if err := j.Close(); err != nil {
		t.Error(err)
	}
	seq, _ := s.Read(context.Background(), j.ID())
	n := 0
	for rec := range seq {
		if rec.Entry.Kind() == record.KindText {
			n += len(rec.Entry.(record.Said).Event.(session.Text).Chunk)
		}
	}
	if n != 100*len("it goes on ") {
		t.Errorf("%d bytes of text", n)
	}
}

// syncIn syncs, while the clock passes a time.
func syncIn(t *testing.T, c *clock, j *Journal, d time.Duration, want error) {
	t.Helper()
	before := c.pending()
	done := make(chan error, 1)
	go func() { done <- j.Sync(context.Background()) }()
	for d > 0 && c.pending() <= before {
		time.Sleep(time.Millisecond) // until it waits
	}
	c.pass(d)
	if err := <-done; !errors.Is(err, want) {
		t.Errorf("sync: %v, not %v", err, want)
	}
}

// TestR51_CloseDoesNotWaitForever closes while the disk hangs.
func TestR51_CloseDoesNotWaitForever(t *testing.T) {
	disk := &hung{files: newMemory()}
	clock := newClock()
	s := New(Options{Dir: stateDir, Now: clock.Now, After: clock.After, Go: func(f func()) { go f() }})
	s.fs = disk
	gate := make(chan struct{})
	disk.set(gate)
	j := s.Create(seat)
	j.Append(prompt("one"))
	done := make(chan error, 1)
	go func() { done <- j.Close() }()
	for {
		clock.pass(core.JournalWait)
		select {
		case err := <-done:
			if !errors.Is(err, errSlow) {
				t.Error(err)
			}
			close(gate)
			if err := j.Close(); err != nil {
				t.Error(err)
			}
			return
		case <-time.After(time.Millisecond):
		}
	}
}

func TestR23_NoPlaceToWrite(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	r := newRig(t, filepath.Join(file, "sessions"), nil)
	j := r.Create(seat)
	j.Append(prompt("one"))
	if err := j.Sync(context.Background()); err == nil {
		t.Error("it was saved")
	}
	if h := j.Health(); !strings.HasSuffix(h.Failing, ".") {
		t.Errorf("%q", h.Failing)
	}
	if got := told(entries(r.collect(j.Records(context.Background())))...); got != told(prompt("one")) {
		t.Errorf("it holds %q", got)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	r.clock.pass(core.JournalRetry)
	r.close(j)
	r.holds(j.ID(), told(prompt("one")))
}

// TestD5_WhatComesDuringTheLastSyncIsSyncedToo appends and closes while the disk
// syncs what came before.
func TestD5_WhatComesDuringTheLastSyncIsSyncedToo(t *testing.T) {
	disk := &hung{files: newMemory()}
	clock := newClock()
	s := New(Options{Dir: stateDir, Now: clock.Now, After: clock.After, Go: func(f func()) { go f() }})
	s.fs = disk
	j := s.Create(seat)
	j.Append(prompt("one"))
	syncIn(t, clock, j, 0, nil)

	gate, began := make(chan struct{}), make(chan struct{})
	disk.began = began // nothing syncs yet
	disk.set(gate)
	j.Append(record.Ended{})
	<-began
	j.Append(note("two"))
	closed := make(chan error)
	go func() { closed <- j.Close() }()
	for closing := false; !closing; {
		j.mu.Lock()
		closing = j.closing
		j.mu.Unlock()
	}
	disk.set(nil)
	close(gate)
	if err := <-closed; err != nil {
		t.Error(err)
	}
}
