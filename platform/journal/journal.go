package journal

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync"
	"time"

	"copydesk/core"
	"copydesk/core/record"
)

// A Journal keeps one session. Its methods may be called from any goroutine.
// What is appended waits in memory for one goroutine that writes; it runs only
// while there is something to do.
type Journal struct {
	store *Store
	seat  record.Seat // of a session that has no header yet
	done  chan struct{}

	mu  sync.Mutex
	id  string
	old record.Skipped

	// What waits. An entry in the queue has no number yet: it may still be joined
	// with the next one. An item has one and is not known to be on the disk; the
	// first written of them are in the current segment.
	queue   []entry
	queued  int // text in the queue, in bytes
	items   []*item
	written int
	seq     uint64 // of the last item
	opened  bool   // header and Opened are in
	tail    uint64 // how many entries were appended
	safe    uint64 // how many of them are on the disk
	pending int    // what all that costs in memory, in bytes
	turn    turn
	lack    *record.Dropped // what is dropped just now; in the queue

	// What is due.
	begun   bool   // something may be written
	started bool   // something is on the disk
	made    bool   // by this program, just now
	said    bool   // there is a prompt
	flush   bool   // the queue becomes items
	fsync   bool   // what is written is to be brought to the disk
	goal    uint64 // but not before so many entries are written
	retry   bool   // another attempt, although the last one failed
	closing bool
	gaveUp  bool // closing, and the last attempt failed
	running bool // the goroutine is
	over    bool // the session is let go of
	waiters []waiter

	draft draft

	saved   time.Time
	failure failure
	timers  timers
	err     error // of Close

	// What is below belongs to the goroutine that writes.
	header []byte   // the header's line
	seg    *segment // the one that grows; nil: the next record needs another one
	first  file     // the first segment: it has the session's lock
	number int      // of the last segment that holds what no other one does
	stale  *segment // one that failed before it was ever safe; the items have all that it has
	batch  []byte
}

// entry is what was appended, before it is joined.
type entry struct {
	entry record.Entry
	at    time.Time
	cost  int
}

// item is a record that is not known to be on the disk.
type item struct {
	record.Record
	cost int
	upto uint64 // how many entries of all that were appended are in the items up to this one
	line []byte // belongs to the goroutine that writes
}

// waiter is a call of Sync.
type waiter struct {
	tail uint64
	done chan error // takes one
}

// Create makes a new session, in memory: nothing is written before the first
// Prompt or a draft that is not blank. The first entry is to be its Header.
func (s *Store) Create(seat record.Seat) *Journal {
	j := s.journal(newID(s.o.Now()), seat)
	j.made = true
	return j
}

func (s *Store) journal(id string, seat record.Seat) *Journal {
	return &Journal{store: s, id: id, seat: seat, done: make(chan struct{})}
}

// ID names the session. It can become another one until the first record is on
// the disk: when a session of that name is there already (R37).
func (j *Journal) ID() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.id
}

// Skipped is what Open could not read.
func (j *Journal) Skipped() record.Skipped { return j.old }

// Append takes an entry and never waits for the disk. The order of the calls is
// that of the records. An event that is not kept, and what comes after Close, is
// passed over.
func (j *Journal) Append(e record.Entry) {
	if e.Kind() == "" {
		return
	}
	now := j.store.o.Now()
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.closing {
		j.store.o.Log.Warn("an entry came after the end of its journal", "session", j.id, "kind", string(e.Kind()))
		return
	}
	j.add(e, now)
	switch e.(type) {
	case record.Prompt:
		j.said = true
		j.begin()
		j.flush = true
	case record.Decided, record.Asked, record.Reopened:
		j.flush = true
	case record.Ended:
		j.save()
	}
	if j.queued >= core.JournalJoinBytes {
		j.flush = true
	}
	j.wake()
}

// wake starts what the journal's state asks for: the goroutine or the timer that
// will. The lock is held.
func (j *Journal) wake() {
	if !j.begun && !j.closing {
		return
	}
	if len(j.queue) > 0 && !j.flush {
		j.timers.flush.start(j, core.JournalJoin, func() { j.flush = true })
	}
	j.watch()
	if j.running || j.next() == idle {
		return
	}
	j.running = true
	j.store.o.Go(j.run)
}

// save has all that was appended so far brought to the disk. The lock is held.
func (j *Journal) save() {
	j.flush, j.fsync, j.goal = true, true, j.tail
}

// Sync waits until all that was appended before is on the disk, where it
// survives a power cut. It does not wait longer than core.JournalWait, and not
// at all for a disk that is known to hang; the error says so. A disk that failed
// is tried once more.
func (j *Journal) Sync(ctx context.Context) error {
	j.mu.Lock()
	switch {
	case !j.begun || j.safe == j.tail:
		j.mu.Unlock()
		return nil
	case j.closing:
		j.mu.Unlock()
		return fmt.Errorf("save session %s: %w", j.id, errClosed)
	case j.failure.stalled:
		j.mu.Unlock()
		return fmt.Errorf("save session %s: %w", j.id, errStalled)
	}
	w := waiter{tail: j.tail, done: make(chan error, 1)}
	j.waiters = append(j.waiters, w)
	j.save()
	j.retry = j.retry || j.failure.err != nil
	j.wake()
	j.mu.Unlock()

	late := make(chan struct{})
	stop := j.store.o.After(core.JournalWait, func() { close(late) })
	defer stop()
	var err error
	select {
	case err = <-w.done:
	case <-ctx.Done():
		err = ctx.Err()
	case <-late:
		err = errStalled
	}
	if err != nil {
		return fmt.Errorf("save session %s: %w", j.ID(), err)
	}
	return nil
}

// Records are all there are: those on the disk and then those in memory, up to
// what was appended before the call. What is damaged is passed over.
func (j *Journal) Records(ctx context.Context) iter.Seq2[record.Record, error] {
	return func(yield func(record.Record, error) bool) {
		j.mu.Lock()
		j.enumerate()
		id, started, before := j.id, j.started, j.seq+1
		memory := slices.Clone(j.items)
		if len(memory) > 0 {
			before = memory[0].Seq
		}
		j.mu.Unlock()
		if started {
			ok := true
			var skipped record.Skipped
			j.store.read(ctx, id, before, &skipped, func(r record.Record, err error) bool {
				if errors.Is(err, ErrNone) || errors.Is(err, ErrForeign) {
					return false // the file has gone; it is written anew with the next record
				}
				ok = yield(r, err) && err == nil
				return ok
			})
			if !ok {
				return
			}
		}
		for _, i := range memory {
			if !yield(i.Record, nil) {
				return
			}
		}
	}
}

// Close saves what there is and lets go of the session. It waits for a disk that
// hangs no longer than core.JournalWait. The error says that not all is saved. A
// new session without a prompt and a draft leaves nothing behind.
func (j *Journal) Close() error {
	j.mu.Lock()
	if !j.closing {
		j.endTurn(j.store.o.Now())
		j.closing = true
		j.save()
		j.draft.due = j.draft.dirty
		j.timers.stop()
		j.begun = j.begun || j.draft.dirty && !j.draft.now.Blank()
		j.wake()
	}
	j.mu.Unlock()
	late := make(chan struct{})
	stop := j.store.o.After(core.JournalWait, func() { close(late) })
	defer stop()
	var err error
	select {
	case <-j.done:
		j.mu.Lock()
		err = j.err
		j.mu.Unlock()
	case <-late:
		err = errStalled
	}
	if err != nil {
		return fmt.Errorf("close session %s: %w", j.ID(), err)
	}
	return nil
}
