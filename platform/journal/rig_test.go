package journal

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"copydesk/core/record"
	"copydesk/core/session"

	"go.uber.org/goleak"
)

var (
	update = flag.Bool("update", false, "write testdata anew: a new format is released")
	long   = flag.Bool("long", false, "run the crash and lock tests in full")
)

func TestMain(m *testing.M) {
	if child, ok := children[os.Getenv("COPYDESK_JOURNAL_CHILD")]; ok {
		child()
		return
	}
	goleak.VerifyTestMain(m)
}

// clock is a clock that only a test moves. Its alarms ring on the goroutine that
// moves it.
type clock struct {
	mu     sync.Mutex
	now    time.Time
	alarms []*ring
}

type ring struct {
	at time.Time
	f  func()
}

func newClock() *clock {
	return &clock{now: time.Date(2026, 11, 21, 6, 23, 16, 0, time.UTC)}
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) After(d time.Duration, f func()) func() {
	c.mu.Lock()
	defer c.mu.Unlock()
	r := &ring{c.now.Add(d), f}
	c.alarms = append(c.alarms, r)
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.alarms = slices.DeleteFunc(c.alarms, func(o *ring) bool { return o == r })
	}
}

func (c *clock) pending() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.alarms)
}

// jump sets the clock, as somebody does who sets the time: no alarm notices.
func (c *clock) jump(seconds int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	d := time.Duration(seconds) * time.Second
	c.now = c.now.Add(d)
	for _, r := range c.alarms {
		r.at = r.at.Add(d)
	}
}

// pass moves the clock and rings what is due, in order.
func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	end := c.now.Add(d)
	for {
		next := -1
		for i, r := range c.alarms {
			if !r.at.After(end) && (next < 0 || r.at.Before(c.alarms[next].at)) {
				next = i
			}
		}
		if next < 0 {
			break
		}
		r := c.alarms[next]
		c.alarms = slices.Delete(c.alarms, next, next+1)
		if r.at.After(c.now) {
			c.now = r.at
		}
		c.mu.Unlock()
		r.f()
		c.mu.Lock()
	}
	c.now = end
	c.mu.Unlock()
}

// rig is a store that writes on the goroutine that appends: everything happens
// in an order that is always the same.
type rig struct {
	*Store
	t       testing.TB
	clock   *clock
	changed int
}

func newRig(t testing.TB, dir string, on files) *rig {
	r := &rig{t: t, clock: newClock()}
	r.Store = New(Options{
		Dir: dir, Program: "1.0", Now: r.clock.Now, After: r.clock.After,
		Go: func(f func()) { f() }, Changed: func() { r.changed++ },
	})
	if on != nil {
		r.fs = on
	}
	r.host, r.pid = "here", 42
	return r
}

var seat = record.Seat{Agent: "fake", Title: "Fake", Dir: "/work"}

func text(s string) record.Entry   { return record.Said{Event: session.Text{Chunk: s}} }
func prompt(s string) record.Entry { return record.Prompt{Text: s, Agent: "fake"} }
func decided(id string) record.Entry {
	return record.Decided{ID: id, Digest: "d", Answer: session.Answer{Verdict: session.Approve}}
}
func note(s string) record.Entry { return record.Note{Text: s} }

// told is what entries say, without the frames of the files and without where
// text was cut.
func told(entries ...record.Entry) string {
	var b strings.Builder
	for _, e := range entries {
		switch e := e.(type) {
		case record.Header, record.Opened:
		case record.Said:
			if chunk, ok := e.Event.(session.Text); ok {
				b.WriteString(chunk.Chunk)
				continue
			}
			fmt.Fprintf(&b, "<%s %s>", e.Kind(), must(json.Marshal(e.Event)))
		default:
			said := must(json.Marshal(e))
			if len(said) > 200 {
				said = fmt.Appendf(nil, "%d bytes %x", len(said), sha256.Sum256(said))
			}
			fmt.Fprintf(&b, "<%s %s>", e.Kind(), said)
		}
	}
	return b.String()
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// read is all of a session, and what was damaged. It fails when numbers do not
// grow.
func (r *rig) read(id string) ([]record.Record, record.Skipped) {
	r.t.Helper()
	seq, skipped := r.Read(context.Background(), id)
	return r.collect(seq), skipped()
}

func (r *rig) collect(seq func(func(record.Record, error) bool)) []record.Record {
	r.t.Helper()
	var out []record.Record
	for rec, err := range seq {
		if err != nil {
			r.t.Fatalf("reading: %v", err)
		}
		if n := len(out); n > 0 && rec.Seq <= out[n-1].Seq {
			r.t.Fatalf("number %d comes after %d", rec.Seq, out[n-1].Seq)
		}
		out = append(out, rec)
	}
	return out
}

func entries(records []record.Record) []record.Entry {
	out := make([]record.Entry, len(records))
	for i, r := range records {
		out[i] = r.Entry
	}
	return out
}

// holds fails unless a session says just that, with nothing passed over.
func (r *rig) holds(id, want string) {
	r.t.Helper()
	records, skipped := r.read(id)
	if got := told(entries(records)...); got != want {
		r.t.Fatalf("the session says\n%q, not\n%q", got, want)
	}
	if skipped != (record.Skipped{}) {
		r.t.Fatalf("skipped %+v", skipped)
	}
}

func (r *rig) sync(j *Journal) {
	r.t.Helper()
	if err := j.Sync(context.Background()); err != nil {
		r.t.Fatalf("sync: %v", err)
	}
}

func (r *rig) close(j *Journal) {
	r.t.Helper()
	if err := j.Close(); err != nil {
		r.t.Fatalf("close: %v", err)
	}
}

func (r *rig) open(id string) *Journal {
	r.t.Helper()
	j, err := r.Open(id)
	if err != nil {
		r.t.Fatal(err)
	}
	return j
}
