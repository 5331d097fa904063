package main

import (
	"context"
	"fmt"
	"iter"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"copydesk/core/desk"
	talk "copydesk/core/session"
	"copydesk/platform/history"
	"copydesk/platform/journal"
	"copydesk/platform/journal/shelf"
	"copydesk/ui/uitest"
)

// The soak is a day of work in little time: sessions are opened, worked in,
// closed, brought back and deleted, one each quarter of an hour.
const (
	soakDay     = 24 * time.Hour
	soakSession = 15 * time.Minute
	soakWarm    = 24 // sessions before the first measurement
)

// TestR50_ADayOfSessionsLeavesNothingBehind holds that goroutines, descriptors
// and memory are after a day of sessions what they were after its first hours.
func TestR50_ADayOfSessionsLeavesNothingBehind(t *testing.T) {
	s := newSoak(t)
	var early usage
	for i := range int(soakDay / soakSession) {
		if i == soakWarm {
			early = s.usage()
		}
		s.session(i)
	}
	late := s.usage()
	if late.goroutines > early.goroutines {
		t.Errorf("%d goroutines grew to %d", early.goroutines, late.goroutines)
	}
	if late.descriptors > early.descriptors {
		t.Errorf("%d open files grew to %d", early.descriptors, late.descriptors)
	}
	if limit := early.heap + early.heap/10 + 1<<20; late.heap > limit {
		t.Errorf("%d bytes of heap grew to %d", early.heap, late.heap)
	}
}

type usage struct {
	goroutines, descriptors int
	heap                    uint64
}

type soak struct {
	t       *testing.T
	dir     string
	clock   *uitest.Clock
	desk    *desk.Desk
	bell    <-chan struct{}
	store   *journal.Store
	shelf   *shelf.Shelf
	history *history.History
	asked   chan chan talk.Answer
}

func newSoak(t *testing.T) *soak {
	s := &soak{t: t, dir: t.TempDir(), clock: uitest.NewClock(), asked: make(chan chan talk.Answer, 1)}
	after := func(d time.Duration, f func()) func() {
		timer := s.clock.AfterFunc(d, f)
		return func() { timer.Stop() }
	}
	start := func(f func()) { go f() }
	log := slog.New(slog.DiscardHandler)
	s.desk = desk.New(desk.Deps{Now: s.clock.Now, Go: start, After: after, Log: log, PanelLines: 1000})
	s.bell = s.desk.Listen()
	s.store = journal.New(journal.Options{Dir: filepath.Join(s.dir, "sessions"), Now: s.clock.Now, After: after, Go: start, Log: log, Changed: s.desk.Ring})
	s.shelf = shelf.New(shelf.Options{Dir: filepath.Join(s.dir, "sessions"), Store: s.store})
	s.history = history.New(history.Options{Path: filepath.Join(s.dir, "history.jsonl"), Go: start, Now: s.clock.Now})
	t.Cleanup(func() {
		if err := s.desk.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return s
}

// worker is an agent that thinks, uses a tool, asks and answers at length.
type worker struct{ *soak }

func (worker) Name() string               { return "worker" }
func (worker) Echo(string) (string, bool) { return "worker", true }
func (w worker) Run(ctx context.Context, prompt string) iter.Seq2[talk.Event, error] {
	return func(yield func(talk.Event, error) bool) {
		reply := make(chan talk.Answer, 1)
		events := []talk.Event{
			talk.Thought{Chunk: "what to do about " + prompt},
			talk.ToolCall{ID: "1", Title: "read", Status: talk.Done, Chunk: strings.Repeat("output\n", 200)},
			&talk.Request{Kind: talk.Approval, Prompt: "Go on?", Choices: []string{"yes", "no"}, Reply: reply},
		}
		for _, e := range events {
			if !yield(e, nil) {
				return
			}
		}
		w.asked <- reply
		<-reply
		for i := range 300 {
			if !yield(talk.Text{Chunk: fmt.Sprintf("Line %d of **the answer** to %s.\n", i, prompt)}, nil) {
				return
			}
		}
	}
}

// until lets time pass until something holds.
func (s *soak) until(what string, holds func() bool) {
	s.t.Helper()
	for end := time.Now().Add(20 * time.Second); !holds(); {
		if time.Now().After(end) {
			s.t.Fatalf("waited for %s", what)
		}
		s.clock.Advance(50 * time.Millisecond)
		select {
		case <-s.bell:
		case <-time.After(time.Millisecond):
		}
	}
}

// session is one session: new or, each third time, one that is brought back.
func (s *soak) session(i int) {
	began := s.clock.Now()
	kept := s.store.Create(seatOf("worker", desk.PaneOptions{Title: "worker"}))
	if found, ok, err := s.shelf.Latest(context.Background(), ""); err != nil {
		s.t.Fatal(err)
	} else if ok && i%3 == 2 {
		if kept, err = s.store.Open(found.ID); err != nil {
			s.t.Fatal(err)
		}
	}
	p := s.desk.Open(worker{s}, desk.PaneOptions{Title: "worker", Journal: kept})
	for turn := range 3 {
		prompt := fmt.Sprintf("turn %d of session %d", turn, i)
		s.history.Add("worker", s.dir, prompt)
		p.Submit(prompt)
		s.until("a request", func() bool { return len(p.Since(0).Pending) == 1 })
		<-s.asked
		asked := p.Since(0).Pending[0]
		if err := p.Answer(asked.ID, asked.Digest, talk.Answer{Verdict: talk.Approve}); err != nil {
			s.t.Fatal(err)
		}
		s.until("the end of the turn", func() bool { return !p.Since(0).Status.Running })
	}
	s.desk.ClosePane(p)
	s.until("the session on the disk", func() bool {
		_, err := os.Stat(filepath.Join(s.dir, "sessions", kept.ID()+".jsonl"))
		return err == nil && kept.Health().Failing == "" && !kept.Health().Saved.IsZero()
	})
	s.until("the end of the session", func() bool { return s.free(kept.ID()) })
	if i%3 == 0 {
		if err := s.store.Remove(kept.ID()); err != nil {
			s.t.Fatal(err)
		}
	}
	s.clock.Advance(soakSession - s.clock.Now().Sub(began))
}

// free reports whether nobody writes a session any more.
func (s *soak) free(id string) bool {
	j, err := s.store.Open(id)
	if err != nil {
		return false
	}
	return j.Close() == nil
}

// usage is what is in use once everything has come to rest.
func (s *soak) usage() usage {
	var u usage
	s.until("rest", func() bool {
		before := runtime.NumGoroutine()
		runtime.GC()
		u.goroutines = runtime.NumGoroutine()
		return u.goroutines == before
	})
	if files, err := os.ReadDir("/proc/self/fd"); err == nil {
		u.descriptors = len(files)
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	u.heap = m.HeapAlloc
	return u
}
