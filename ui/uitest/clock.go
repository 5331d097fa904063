package uitest

import (
	"sync"
	"time"
)

// A Timer can be stopped. It is an alias, so that an interface of a consumer
// that spells the same type out is satisfied by *Clock.
type Timer = interface{ Stop() bool }

// A Clock stands still until Advance moves it. Every method is safe from any
// goroutine.
type Clock struct {
	mu     sync.Mutex
	now    time.Time
	timers []*timer // in the order they were set
}

// NewClock makes a clock that shows a fixed time.
func NewClock() *Clock {
	return &Clock{now: time.Date(2020, time.January, 1, 12, 0, 0, 0, time.UTC)}
}

// Now is the time the clock shows.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// AfterFunc calls f when the clock has been advanced by d, on the goroutine that
// calls Advance. Stop reports whether it kept f from being called.
func (c *Clock) AfterFunc(d time.Duration, f func()) Timer {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := &timer{clock: c, at: c.now.Add(d), f: f}
	c.timers = append(c.timers, t)
	return t
}

// Advance moves the clock and calls every function that falls due, in the order
// of time, each at its own time. What they set in turn is called as well when it
// falls due before the end.
func (c *Clock) Advance(d time.Duration) {
	c.mu.Lock()
	end := c.now.Add(d)
	for {
		t := c.earliest(end)
		if t == nil {
			break
		}
		t.remove()
		if t.at.After(c.now) {
			c.now = t.at
		}
		c.mu.Unlock()
		t.f()
		c.mu.Lock()
	}
	c.now = end
	c.mu.Unlock()
}

// Pending is how many timers are set.
func (c *Clock) Pending() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.timers)
}

func (c *Clock) earliest(end time.Time) *timer {
	var first *timer
	for _, t := range c.timers {
		if !t.at.After(end) && (first == nil || t.at.Before(first.at)) {
			first = t
		}
	}
	return first
}

type timer struct {
	clock *Clock
	at    time.Time
	f     func()
}

func (t *timer) Stop() bool {
	t.clock.mu.Lock()
	defer t.clock.mu.Unlock()
	return t.remove()
}

// remove takes the timer off its clock; the clock is locked.
func (t *timer) remove() bool {
	for i, other := range t.clock.timers {
		if other == t {
			t.clock.timers = append(t.clock.timers[:i:i], t.clock.timers[i+1:]...)
			return true
		}
	}
	return false
}
