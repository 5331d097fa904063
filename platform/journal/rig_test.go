package journal

import (
	"context"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"copydesk/core/record"
	"copydesk/core/session"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if role := os.Getenv("COPYDESK_JOURNAL_ROLE"); role != "" {
		os.Exit(play(role))
	}
	goleak.VerifyTestMain(m)
}

// clock is one that tests turn.
type clock struct {
	mu     sync.Mutex
	now    time.Time
	due    map[int]alarm
	number int
}

type alarm struct {
	at time.Time
	f  func()
}

func newClock() *clock {
	return &clock{now: time.Date(2026, 11, 21, 6, 23, 16, 123456789, time.UTC), due: map[int]alarm{}}
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) After(d time.Duration, f func()) func() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.number++
	n := c.number
	c.due[n] = alarm{c.now.Add(d), f}
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.due, n)
	}
}

// Advance lets time pass and runs what is due in it.
func (c *clock) Advance(d time.Duration) {
	c.mu.Lock()
	end := c.now.Add(d)
	for {
		next := 0
		for n, a := range c.due {
			if !a.at.After(end) && (next == 0 || a.at.Before(c.due[next].at) || a.at.Equal(c.due[next].at) && n < next) {
				next = n
			}
		}
		if next == 0 {
			break
		}
		a := c.due[next]
		delete(c.due, next)
		c.now = a.at
		c.mu.Unlock()
		a.f()
		c.mu.Lock()
	}
	c.now = end
	c.mu.Unlock()
}

// Jump sets the wall clock; no timer hears of it.
func (c *clock) Jump(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
	for n, a := range c.due {
		c.due[n] = alarm{a.at.Add(d), a.f}
	}
}

func (c *clock) timers() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.due)
}

// rig is a store for tests.
type rig struct {
	*Store
	t       testing.TB
	clock   *clock
	work    sync.WaitGroup
	mu      sync.Mutex
	changed int
}

func newRig(t testing.TB, on files) *rig {
	r := &rig{t: t, clock: newClock()}
	dir := "/state/sessions"
	if on == nil {
		on, dir = disk{}, t.TempDir()+"/sessions"
	}
	r.Store = New(Options{
		Dir: dir, Program: "1.0", Now: r.clock.Now, After: r.clock.After,
		Go: func(f func()) {
			r.work.Add(1)
			go func() {
				defer r.work.Done()
				f()
			}()
		},
		Changed: func() {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.changed++
		},
	})
	r.disk, r.host, r.pid = on, "host", 42
	return r
}

// again is another program with the same files.
func (r *rig) again() *rig {
	next := newRig(r.t, r.disk)
	next.o.Dir = r.o.Dir
	next.pid = 43
	next.clock.now = r.clock.Now().Add(time.Hour)
	return next
}

// rest waits until no goroutine of the store runs.
func (r *rig) rest() { r.work.Wait() }

func (r *rig) changes() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.changed
}

// begin makes a session with a prompt.
func (r *rig) begin() *Journal {
	j := r.Create(record.Seat{Agent: "echo"})
	j.Append(record.Header{ID: j.ID(), Program: "1.0", Seat: record.Seat{Agent: "echo", Dir: "/home"}})
	j.Append(record.Prompt{Text: "hello", Agent: "echo"})
	return j
}

func (r *rig) sync(j *Journal) {
	r.t.Helper()
	if err := j.Sync(context.Background()); err != nil {
		r.t.Fatal(err)
	}
	r.rest()
}

func (r *rig) close(j *Journal) {
	r.t.Helper()
	if err := j.Close(); err != nil {
		r.t.Fatal(err)
	}
	r.rest()
}

func (r *rig) open(id string) *Journal {
	r.t.Helper()
	j, err := r.Open(id)
	if err != nil {
		r.t.Fatal(err)
	}
	return j
}

// stored are the records of a session on the disk.
func (r *rig) stored(id string) ([]record.Record, record.Skipped) {
	r.t.Helper()
	seq, skipped := r.Read(context.Background(), id)
	var all []record.Record
	for rec, err := range seq {
		if err != nil {
			r.t.Fatal(err)
		}
		all = append(all, rec)
	}
	return all, skipped()
}

func records(t testing.TB, j *Journal) []record.Record {
	t.Helper()
	var all []record.Record
	for rec, err := range j.Records(context.Background()) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, rec)
	}
	return all
}

func kinds(all []record.Record) []string {
	var out []string
	for _, r := range all {
		out = append(out, string(r.Entry.Kind()))
	}
	return out
}

// joinedText is all that the agent said.
func joinedText(all []record.Record) string {
	var b []byte
	for _, r := range all {
		if said, ok := r.Entry.(record.Said); ok {
			if text, ok := said.Event.(session.Text); ok {
				b = append(b, text.Chunk...)
			}
		}
	}
	return string(b)
}

func text(s string) record.Entry { return record.Said{Event: session.Text{Chunk: s}} }

func (r *rig) names() []string {
	r.t.Helper()
	all, err := r.disk.ReadDir(r.o.Dir)
	if err != nil && !os.IsNotExist(err) {
		r.t.Fatal(err)
	}
	var names []string
	for _, e := range all {
		names = append(names, e.Name())
	}
	slices.Sort(names)
	return names
}

// ordered fails when numbers do not grow.
func ordered(t testing.TB, all []record.Record) {
	t.Helper()
	for i := 1; i < len(all); i++ {
		if all[i].Seq <= all[i-1].Seq {
			t.Fatalf("record %d comes after %d", all[i].Seq, all[i-1].Seq)
		}
	}
}
