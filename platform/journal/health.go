package journal

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"
	"time"

	"copydesk/core"
	"copydesk/core/record"
)

var errStalled = errors.New("the disk does not answer")

// failure is why nothing can be saved just now.
type failure struct {
	err     error // of the last attempt
	stalled bool  // an attempt has not come to its end for too long
	why     string
	since   time.Time

	draft      string // why the draft cannot be, which is tried by itself
	draftSince time.Time
}

// Health says when all was saved, and why it is not.
func (j *Journal) Health() record.Health {
	j.mu.Lock()
	defer j.mu.Unlock()
	h := record.Health{Saved: j.saved}
	switch f := &j.failure; {
	case f.err != nil || f.stalled:
		h.Failing, h.Since = f.why, f.since
	case f.draft != "":
		h.Failing, h.Since = f.draft, f.draftSince
	}
	return h
}

// watch has the time taken of what is not on the disk (R51). The lock is held.
func (j *Journal) watch() {
	if j.safe == j.tail || j.closing || j.failure.err != nil {
		j.timers.stall.end()
		return
	}
	if !j.failure.stalled {
		j.timers.stall.start(j, core.JournalStalled, j.stall)
	}
}

// stall says that the disk does not answer. The lock is held.
func (j *Journal) stall() {
	if j.safe == j.tail || j.closing || j.failure.err != nil {
		return
	}
	since := j.pendingSince()
	j.failure.stalled, j.failure.since = true, since
	j.failure.why = fmt.Sprintf("Not saved since %s: the disk does not answer. The work goes on and is saved when it does.", since.Local().Format(time.TimeOnly))
	j.store.o.Log.Error("the disk does not answer", "session", j.id)
	j.changed()
}

// changed tells that the health is another, once the lock is free.
func (j *Journal) changed() { j.store.o.Go(j.store.o.Changed) }

// pendingSince is when the oldest entry came that is not on the disk. The lock
// is held.
func (j *Journal) pendingSince() time.Time {
	switch {
	case len(j.items) > 0:
		return j.items[0].Time
	case len(j.queue) > 0:
		return j.queue[0].at
	}
	return j.store.o.Now()
}

// fail ends an attempt: it is said why, and tried again later. Whoever waits
// goes on without the disk.
func (j *Journal) fail(err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	f := &j.failure
	once := f.err == nil
	if once && !f.stalled {
		f.since = j.store.o.Now()
	}
	f.err, f.stalled = err, false
	f.why = "Nothing is saved: " + reason(err)
	j.store.o.Log.Error("cannot save", "session", j.id, "error", err)
	if once && j.seg == nil && j.first != nil { // another file may do
		j.retry = true
		j.save()
		j.watch()
		j.changed()
		return
	}
	for _, w := range j.waiters {
		w.done <- err
	}
	j.waiters = nil
	j.retry = false
	if j.closing {
		j.gaveUp, j.err = true, err
	} else {
		j.timers.retry.start(j, core.JournalRetry, func() {
			j.retry = true
			j.save()
		})
	}
	j.watch()
	j.changed()
}

// settle notes that the items in the current segment are on the disk.
func (j *Journal) settle() {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, i := range j.items[:j.written] {
		j.pending -= i.cost
		j.safe = i.upto
	}
	j.items = append([]*item(nil), j.items[j.written:]...)
	j.written = 0
	var waiting []waiter
	for _, w := range j.waiters {
		if w.tail > j.safe {
			waiting = append(waiting, w)
			continue
		}
		w.done <- nil
	}
	j.waiters = waiting
	j.saved = j.pendingSince()
	j.failure.stalled = false
	j.timers.stall.end()
	j.timers.sync.end()
	if j.failure.err != nil {
		j.failure.err, j.retry = nil, false
		j.timers.retry.end()
		j.store.o.Log.Info("saved again", "session", j.id)
	}
	j.watch()
	j.changed()
}

// reason says what failed and what can be done, as the rest of a sentence.
func reason(err error) string {
	const later = " The work goes on and is saved when it can be."
	switch {
	case full(err):
		return "no space left on the disk. Make room; the work goes on and is saved then."
	case errors.Is(err, fs.ErrPermission):
		return "its folder must not be written." + later + detail(err)
	case errors.Is(err, syscall.EROFS):
		return "the disk is read-only." + later
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE):
		return "too many files are open. Close something; the work goes on and is saved then."
	case errors.Is(err, syscall.EIO):
		return "the disk fails." + later + detail(err)
	}
	return err.Error() + "." + later
}

// detail names the file, where the error does.
func detail(err error) string {
	var at *fs.PathError
	if errors.As(err, &at) {
		return " (" + at.Path + ")"
	}
	return ""
}

// timers are those of a journal. None runs while all is saved.
type timers struct{ flush, sync, retry, stall, draft timer }

func (t *timers) stop() {
	for _, t := range []*timer{&t.flush, &t.sync, &t.retry, &t.stall, &t.draft} {
		t.end()
	}
}

// timer is one that runs or not. The journal's lock is held where it is used.
type timer struct {
	stop  func()
	round int
}

// start has f run after d, with the lock held, unless it runs already.
func (t *timer) start(j *Journal, d time.Duration, f func()) {
	if t.stop != nil {
		return
	}
	t.round++
	round := t.round
	t.stop = j.store.o.After(d, func() {
		j.mu.Lock()
		defer j.mu.Unlock()
		if t.round != round || t.stop == nil {
			return // it was stopped as it fired
		}
		t.stop = nil
		f()
		j.wake()
	})
}

func (t *timer) end() {
	if t.stop != nil {
		t.stop()
		t.stop = nil
	}
}
