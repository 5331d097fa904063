package journal

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"sync"
	"time"

	"copydesk/core"
	"copydesk/core/record"
)

// Journal is one session that is being written. Any goroutine may call its
// methods. What writes is a goroutine that runs only while something is to be
// written: a session in which nothing happens costs no timer and no goroutine.
type Journal struct {
	store *Store
	own   bool // made by Create, not by Open

	// encoding is held while entries become lines, and never while the disk is
	// waited for.
	encoding sync.Mutex

	mu   sync.Mutex // of all up to disk
	id   string
	seat record.Header // without the id
	head *line         // the header, as it stands at the beginning of each segment

	queue    []item // not yet lines
	waiting  int    // bytes of text in queue
	lines    []*line
	waits    int     // bytes of lines
	kept     []*line // written; those from safe on are not known to be on the disk
	safe     int
	keptSize int // bytes of kept
	unsafe   int // bytes of kept[safe:]
	seq      uint64

	appended, taken, written, synced uint64 // how many items came, became lines, were written, reached the disk

	begun    bool // something is to be stored
	prompted bool // the user has said something
	flush    bool // queue is due
	dirty    bool // something is written and not synced
	syncDue  bool // a sync is due once all is written
	syncLate bool // a sync is due now
	held     bool // nothing is tried until the retry
	opened   bool // there is a file
	running  bool // there is a goroutine that writes
	closing  bool
	released bool
	progress int  // changes with each thing that was done
	tries    int  // failures in a row
	moves    bool // something was written since the last one

	turn, over, gap int64 // bytes of text since the last boundary; of them left out; left out because memory is full

	draft     record.Draft
	draftDue  bool // is to be written now
	draftKept bool // there is a file with one
	draftOld  bool // that file says something else
	draftBad  bool // it could not be written
	draftN    int  // which draft it is
	stored    record.Draft
	health    record.Health
	changed   bool // health is another one
	waiters   []waiter
	skipped   record.Skipped
	closeErr  error
	done      chan struct{}

	joins, syncs, retries, stalls, drafts alarm

	disk writer
}

// item is an entry that waits to become a line.
type item struct {
	at    time.Time
	entry record.Entry
	text  int // bytes that it counts for
}

// line is a record as it is written. It is never changed.
type line struct {
	seq  uint64
	at   time.Time
	upto uint64 // the number of the last item that is in it
	data []byte // with the line end
	sum  string // of blob
	blob []byte // content of a file that must be there before the line
}

func (l *line) size() int { return len(l.data) + len(l.blob) }

type waiter struct {
	want  uint64
	reply chan error
}

// alarm is a timer that is there only while it is wanted.
type alarm struct {
	stop func()
	n    int // which one it is
}

// set starts an alarm unless it runs. f is called with j.mu held.
func (j *Journal) set(a *alarm, d time.Duration, f func()) {
	if a.stop != nil {
		return
	}
	a.n++
	n := a.n
	a.stop = j.store.o.After(d, func() {
		j.mu.Lock()
		if a.n != n || a.stop == nil {
			j.mu.Unlock()
			return
		}
		a.stop = nil
		f()
		j.leave()
	})
}

func (a *alarm) cancel() {
	if a.stop != nil {
		a.stop()
		a.stop = nil
	}
}

// leave unlocks j.mu, and sees to what has become due meanwhile.
func (j *Journal) leave() {
	start := !j.running && j.next() != idle
	if start {
		j.running = true
	}
	changed := j.changed
	j.changed = false
	j.mu.Unlock()
	if changed {
		j.store.o.Changed()
	}
	if start {
		j.store.o.Go(j.run)
	}
}

func (s *Store) journal(id string) *Journal {
	j := &Journal{store: s, id: id, done: make(chan struct{})}
	j.disk.j = j
	return j
}

// named is the header with the id. j.mu is held or nobody else has j yet.
func (j *Journal) named() record.Header {
	h := j.seat
	h.ID = j.id
	return h
}

// ID names the session.
func (j *Journal) ID() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.id
}

// Append adds an entry behind all others. It never waits for the disk.
func (j *Journal) Append(e record.Entry) {
	if e == nil || e.Kind() == "" {
		return
	}
	now := j.store.o.Now()
	j.mu.Lock()
	if !j.closing {
		j.add(e, now)
	}
	j.leave()
}

// Sync waits until all that was appended is on the disk. It fails when that
// cannot be just now, when ctx is done, and after core.JournalWait: a disk that
// hangs must not hold up the work. Of a session that nothing is stored of yet,
// there is nothing to wait for.
func (j *Journal) Sync(ctx context.Context) error {
	j.mu.Lock()
	if !j.begun || j.synced >= j.appended {
		j.mu.Unlock()
		return nil
	}
	if j.released {
		j.mu.Unlock()
		return fmt.Errorf("save session %s: it is closed", j.id)
	}
	w := waiter{j.appended, make(chan error, 2)}
	j.waiters = append(j.waiters, w)
	j.flush, j.syncDue, j.held = true, true, false
	j.leave()

	select {
	case err := <-w.reply:
		return err
	default:
	}
	stop := j.store.o.After(core.JournalWait, func() { w.reply <- errSlow })
	defer stop()
	select {
	case err := <-w.reply:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

var errSlow = fmt.Errorf("save the session: the disk has not answered for %s", core.JournalWait)

// answer tells those that wait for what has been synced; with an error all of
// them. j.mu is held.
func (j *Journal) answer(err error) {
	j.waiters = slices.DeleteFunc(j.waiters, func(w waiter) bool {
		if err == nil && w.want > j.synced {
			return false
		}
		select {
		case w.reply <- err:
		default: // it waits no longer
		}
		return true
	})
}

// Records are all there are up to now, on the disk and in memory, the oldest
// first. What is damaged is passed over and counted by Skipped when the session
// was opened; an error ends the sequence.
func (j *Journal) Records(ctx context.Context) iter.Seq2[record.Record, error] {
	return func(yield func(record.Record, error) bool) {
		j.encode()
		j.mu.Lock()
		memory := make([]*line, 0, len(j.kept)+len(j.lines))
		memory = append(append(memory, j.kept...), j.lines...)
		id, until := j.id, j.seq
		j.leave() // there are lines to write now
		if until == 0 {
			return
		}
		slices.SortStableFunc(memory, bySeq)
		m, err := j.store.merged(id, memory)
		if err == nil {
			m.until = until
			err = m.each(ctx, j.store, yield)
		}
		if err != nil {
			yield(record.Record{}, fmt.Errorf("read session %s: %w", id, err))
		}
	}
}

func bySeq(a, b *line) int {
	switch {
	case a.seq < b.seq:
		return -1
	case a.seq > b.seq:
		return 1
	}
	return 0
}

// Skipped is what Open could not read.
func (j *Journal) Skipped() record.Skipped { return j.skipped }

// Health is how the journal does.
func (j *Journal) Health() record.Health {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.health
}

// Keep replaces the draft. It is written core.DraftAfter after the first change,
// and on Close; a blank one is removed at once. A draft makes a session that
// there is something to store of.
func (j *Journal) Keep(d record.Draft) {
	j.mu.Lock()
	defer j.leave()
	if j.closing {
		return
	}
	j.draft, j.draftOld = d, true
	j.draftN++
	switch {
	case d.Blank() && !j.draftKept:
		j.drafts.cancel()
		j.draftOld = false
	case d.Blank():
		j.drafts.cancel()
		j.draftDue = true
	default:
		j.set(&j.drafts, core.DraftAfter, func() {
			j.begin()
			j.draftDue = true
		})
	}
}

// Draft is what was kept when the session was opened.
func (j *Journal) Draft() record.Draft { return j.stored }

// Close writes what there is, waits for the disk and lets go of the session. It
// fails when something could not be saved. As long as the disk takes what is
// written Close goes on; it gives up when nothing has moved for
// core.JournalWait. What is appended later is lost.
func (j *Journal) Close() error {
	j.mu.Lock()
	if !j.closing {
		if j.draftOld && !j.draft.Blank() {
			j.begin()
		}
		j.boundary(j.store.o.Now())
		j.closing = true
		j.joins.cancel()
		j.drafts.cancel()
		j.flush, j.syncDue, j.held, j.tries = true, true, false, 0
		j.draftDue = j.draftOld
		j.dirty = j.dirty || j.opened // a sync looks after the file once more
	}
	j.leave()
	for {
		select {
		case <-j.done:
			return j.closeErr
		default:
		}
		j.mu.Lock()
		before := j.progress
		j.mu.Unlock()
		late := make(chan struct{})
		stop := j.store.o.After(core.JournalWait, func() { close(late) })
		select {
		case <-j.done:
			stop()
			return j.closeErr
		case <-late:
		}
		j.mu.Lock()
		stuck := j.progress == before && !j.released
		j.mu.Unlock()
		if stuck {
			return errSlow
		}
	}
}
