// Package journal keeps sessions on the disk: one folder, and in it for each
// session a file of lines that only grows. Nothing that was said to be saved is
// lost by a crash, a full disk or a second program.
//
// A session's first file is ID.jsonl. From core.SegmentBytes on, and after a
// fault of the disk, it goes on in ID.0002.jsonl and so on. ID.blobs has the
// entries that are too large for a line, ID.draft.json what is not sent yet,
// ID.torn-1 what stood half written at the end of a file.
package journal

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"copydesk/core"
	"copydesk/core/record"
)

// Options are what a store works with.
type Options struct {
	Dir     string // the folder of the sessions; it is made when something is written
	Program string // the version of the program

	Now   func() time.Time
	After func(d time.Duration, f func()) (stop func()) // f runs once, on any goroutine
	Go    func(f func())
	Log   *slog.Logger

	// Changed is called when a journal's health is another; from any goroutine
	// and with no lock held. It may be nil.
	Changed func()
}

// A Store is a folder of sessions. Its methods may be called from any goroutine.
type Store struct {
	o    Options
	disk files
	host string
	pid  int
	most int64 // size of a segment, in bytes
}

// New is a store. It touches no disk: how long it takes to start does not depend
// on what is stored.
func New(o Options) *Store {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Changed == nil {
		o.Changed = func() {}
	}
	host, err := os.Hostname()
	if err != nil {
		host = "" // only shown
	}
	return &Store{o: o, disk: disk{}, host: host, pid: os.Getpid(), most: core.SegmentBytes}
}

var (
	// ErrNone is the error of a session that is not there.
	ErrNone = errors.New("there is no such session")
	// ErrNewer is the error of a session that a newer version of the program
	// has written: it can be read, not gone on with (R48).
	ErrNewer = errors.New("a newer version has written this session; it can only be read")
	// ErrForeign is the error of a file with another session's content (R52).
	ErrForeign = errors.New("the file has another session's content")

	errDamaged = errors.New("it is damaged")
	errClosed  = errors.New("the journal is closed")
)

// Held is the error of a session that a program works with (R36).
type Held struct {
	ID    string
	PID   int    // 0: not known
	Host  string // empty: not known
	Since time.Time
}

func (h *Held) Error() string {
	var who strings.Builder
	if h.PID > 0 {
		fmt.Fprintf(&who, " by process %d", h.PID)
	}
	if h.Host != "" {
		fmt.Fprintf(&who, " on %s", h.Host)
	}
	if !h.Since.IsZero() {
		fmt.Fprintf(&who, " since %s", h.Since.Local().Format("2006-01-02 15:04:05"))
	}
	return fmt.Sprintf("session %s is in use%s", h.ID, who.String())
}

// holder says who has a session: whoever opened it last.
func (s *Store) holder(id string) *Held {
	held := &Held{ID: id}
	var last frame
	var object []byte
	_, err := s.survey(id, func(f frame) {
		if string(f.kind) == string(record.KindOpened) && f.seq >= last.seq {
			object = append(append(object[:0], '{'), f.rest[min(1, len(f.rest)):]...)
			last = frame{seq: f.seq, at: append([]byte(nil), f.at...)}
		}
	})
	var opened record.Opened
	if err == nil && last.seq > 0 && json.Unmarshal(append(object, '}'), &opened) == nil {
		held.PID, held.Host, held.Since = opened.PID, opened.Host, last.time()
	}
	return held
}

// Remove deletes all files of a session. The error is a *Held while somebody
// works with it, and ErrNone when there is none.
func (s *Store) Remove(id string) error {
	if !ValidID(id) {
		return fmt.Errorf("remove session %q: %w", id, ErrNone)
	}
	first, err := s.disk.Open(s.path(segmentName(id, 1)), os.O_RDWR)
	switch {
	case err == nil:
		if err := first.Lock(); err != nil {
			_ = first.Close()
			if errors.Is(err, errLocked) {
				return s.holder(id)
			}
			return fmt.Errorf("remove session %s: %w", id, err)
		}
		defer func() { _ = first.Close() }()
	case !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, errLink) && !errors.Is(err, errPlain):
		return fmt.Errorf("remove session %s: %w", id, err)
	}
	return s.remove(id, first)
}

// remove deletes all files of a session whose first one is locked, or not there.
// That one is the last to go: until then the session can be removed again.
func (s *Store) remove(id string, first file) error {
	all, err := s.disk.ReadDir(s.o.Dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove session %s: %w", id, err)
	}
	found := false
	for _, entry := range all {
		name := entry.Name()
		if !strings.HasPrefix(name, id+".") {
			continue
		}
		if found = true; name == segmentName(id, 1) {
			continue
		}
		if name == blobDir(id) && entry.IsDir() {
			err = errors.Join(err, s.empty(s.path(name)))
		}
		err = errors.Join(err, s.disk.Remove(s.path(name)))
	}
	if !found {
		return fmt.Errorf("remove session %s: %w", id, ErrNone)
	}
	if err == nil {
		path := s.path(segmentName(id, 1))
		if err = s.disk.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) && first != nil {
			_ = first.Close() // some systems do not remove what is open
			err = s.disk.Remove(path)
		}
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
	}
	if err != nil {
		return fmt.Errorf("remove session %s: %w", id, err)
	}
	return s.disk.SyncDir(s.o.Dir)
}

func (s *Store) empty(dir string) error {
	all, err := s.disk.ReadDir(dir)
	for _, entry := range all {
		err = errors.Join(err, s.disk.Remove(filepath.Join(dir, entry.Name())))
	}
	return err
}

func (s *Store) path(name string) string { return filepath.Join(s.o.Dir, name) }
