// Package journal keeps sessions on the disk so that nothing of them is lost:
// every session is a file of lines, each with a number and a checksum, that is
// only ever added to, by one program at a time. What is damaged is passed over
// and counted; it never hides what is good.
package journal

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"copydesk/core"
	"copydesk/core/record"
)

// Options is what a Store needs. A Store that only reads needs Dir alone.
type Options struct {
	Dir     string // the folder of the sessions; made with mode 0700 when something is written
	Program string // the program's version, for the journal's header

	Now   func() time.Time
	After func(d time.Duration, f func()) (stop func()) // calls f once, on any goroutine
	Go    func(func())                                  // starts what writes; it ends when nothing is left to do
	Log   *slog.Logger                                  // may be nil

	// Changed is called when a journal's Health is another one. No lock is held
	// then. It may be nil.
	Changed func()
}

// A Store is a folder of sessions. Any goroutine may call its methods, and any
// number of programs may have the same folder.
type Store struct {
	o       Options
	fs      files
	host    string
	pid     int
	segment int64 // core.SegmentBytes
	blob    int   // core.BlobBytes
}

// New makes a store. It touches no disk: the start does not depend on what is
// stored (P2).
func New(o Options) *Store {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Changed == nil {
		o.Changed = func() {}
	}
	host, err := os.Hostname()
	if err != nil {
		host = ""
	}
	return &Store{o: o, fs: disk{}, host: host, pid: os.Getpid(), segment: core.SegmentBytes, blob: core.BlobBytes}
}

// ErrNewer is the error of a session that a newer version of the program has
// written to. It can be read, and is not touched (R48).
var ErrNewer = errors.New("a newer version of the program has written to it; it can only be read")

// ErrForeign is the error of a file that holds another session than its name
// says (R52).
var ErrForeign = errors.New("its file holds another session")

// Held is the error of a session that another program has taken (R36).
type Held struct {
	ID    string
	PID   int // 0: not known
	Host  string
	Since time.Time
}

func (h *Held) Error() string {
	if h.PID == 0 {
		return fmt.Sprintf("session %s is open in another program", h.ID)
	}
	return fmt.Sprintf("session %s is open in another program: process %d on %s, since %s", h.ID, h.PID, h.Host, h.Since.Local().Format(time.DateTime))
}

// Create begins a session. Nothing is written before its first Prompt or a draft
// that is not blank; what comes before that waits in memory. A journal that is
// closed without either leaves nothing. The id is settled with the first write:
// it changes if a file of that name appears until then.
func (s *Store) Create(seat record.Seat) *Journal {
	now := s.o.Now()
	j := s.journal(newID(now))
	j.own = true
	j.seat = record.Header{Program: s.o.Program, Seat: seat}
	j.mu.Lock()
	j.push(j.named(), now, 0)
	j.push(s.opened(), now, 0)
	j.mu.Unlock()
	return j
}

func (s *Store) opened() record.Opened {
	return record.Opened{PID: s.pid, Host: s.host, Program: s.o.Program}
}

// Open takes a stored session to go on with it. What a crash has left behind is
// set aside first. The error is a *Held when somebody has the session, and wraps
// fs.ErrNotExist, ErrNewer or ErrForeign.
func (s *Store) Open(id string) (*Journal, error) {
	j, err := s.open(id)
	return j, explain("open", id, err)
}

// explain says what was tried with which session. A *Held says that itself.
func explain(what, id string, err error) error {
	if held := (*Held)(nil); err == nil || errors.As(err, &held) {
		return err
	}
	return fmt.Errorf("%s session %.40q: %w", what, id, err)
}

// Read reads a session without taking it, also while another program writes to
// it. The records come in the order of their numbers; what is damaged is passed
// over, and counted in what the function returns once all has been read. An
// error ends the sequence. A few MiB are held in memory at most.
func (s *Store) Read(ctx context.Context, id string) (iter.Seq2[record.Record, error], func() record.Skipped) {
	var skipped record.Skipped
	return func(yield func(record.Record, error) bool) {
		skipped = record.Skipped{}
		m, err := s.merged(id, nil)
		if err == nil {
			defer func() { skipped = m.skipped() }()
			err = m.each(ctx, s, yield)
		}
		if err != nil {
			yield(record.Record{}, explain("read", id, err))
		}
	}, func() record.Skipped { return skipped }
}

// Remove deletes all files of a session. The error is a *Held while somebody has
// it, this program too, and wraps fs.ErrNotExist when there is none.
func (s *Store) Remove(id string) error { return explain("remove", id, s.remove(id)) }

func (s *Store) remove(id string) error {
	if !ValidID(id) {
		return errID
	}
	guard, err := s.take(id)
	if err != nil {
		return err
	}
	err = s.removeAll(id)
	guard.Close()
	if first := s.path(segmentName(id, 1)); err != nil && s.exists(first) {
		return s.fs.Remove(first) // Windows removes nothing that is open
	}
	return err
}

// removeAll deletes all files of a session, the first segment last: as long as
// that is there, the session can be found and removed again.
func (s *Store) removeAll(id string) error {
	entries, err := s.fs.ReadDir(s.o.Dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		name := e.Name()
		if !strings.HasPrefix(name, id+".") || name == segmentName(id, 1) {
			continue
		}
		if e.IsDir() {
			if err := s.empty(s.path(name)); err != nil {
				return err
			}
		}
		if err := s.fs.Remove(s.path(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return s.fs.Remove(s.path(segmentName(id, 1)))
}

func (s *Store) empty(folder string) error {
	entries, err := s.fs.ReadDir(folder)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if err := s.fs.Remove(filepath.Join(folder, e.Name())); err != nil {
			return err
		}
	}
	return nil
}

// take opens and locks the first segment of a session.
func (s *Store) take(id string) (file, error) {
	name := segmentName(id, 1)
	for {
		f, err := s.lock(name)
		if errors.Is(err, errLocked) {
			return nil, s.holder(id)
		}
		if err != nil {
			return nil, err
		}
		here, err := s.fs.Lstat(s.path(name))
		mine, err2 := f.Stat()
		if err == nil && err2 == nil && s.fs.Same(here, mine) {
			return f, nil
		}
		f.Close() // it was removed or replaced in between
		if err := errors.Join(err, err2); err != nil {
			return nil, err
		}
	}
}

// lock opens a file and locks it.
func (s *Store) lock(name string) (file, error) {
	f, err := s.fs.Open(s.path(name), os.O_RDWR)
	if err != nil {
		return nil, err
	}
	if err := f.Lock(); err != nil {
		f.Close()
		return nil, fmt.Errorf("lock %s: %w", name, err)
	}
	return f, nil
}

// holder says who has a session: the one that wrote the last Opened.
func (s *Store) holder(id string) *Held {
	held := &Held{ID: id}
	records, _ := s.Read(context.Background(), id)
	for r, err := range records {
		if err != nil {
			break
		}
		if o, ok := r.Entry.(record.Opened); ok {
			held.PID, held.Host, held.Since = o.PID, o.Host, r.Time
		}
	}
	return held
}
