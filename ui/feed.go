package ui

import (
	"sync"
	"time"
)

// A feed hands what comes in one by one over to the UI goroutine in batches: the
// first ones as soon as so many are there, the others not more often than every
// feedEvery. Nothing of it waits.
type feed[T any] struct {
	app   *App
	first int       // how many are handed over at once
	take  func([]T) // on the UI goroutine

	mu     sync.Mutex
	batch  []T
	handed bool // something was handed over
	timed  bool // a timer will hand over what there is
}

// feedEvery is the shortest time between two batches.
const feedEvery = 100 * time.Millisecond

// add takes one more. It may be called from any goroutine.
func (f *feed[T]) add(v T) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.batch = append(f.batch, v)
	switch {
	case !f.handed && len(f.batch) == f.first:
		f.hand()
	case !f.timed:
		f.timed = true
		f.app.deps.After(feedEvery, func() {
			f.mu.Lock()
			defer f.mu.Unlock()
			f.timed = false
			f.hand()
		})
	}
}

// end hands over what is left, and calls after behind it on the UI goroutine.
func (f *feed[T]) end(after func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.hand()
	f.app.post(after)
}

// hand hands the batch over. The lock is held, so that batches stay in order.
func (f *feed[T]) hand() {
	if len(f.batch) == 0 {
		return
	}
	batch := f.batch
	f.batch, f.handed = nil, true
	f.app.post(func() { f.take(batch) })
}
