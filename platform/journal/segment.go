package journal

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"copydesk/core"
	"copydesk/core/record"
)

// segment is a file of a session.
type segment struct {
	number int
	name   string
	f      file
	size   int64
	ragged bool // its last line may have no end: the next write begins with one
	headed bool // it has its header
	linked bool // its name is on the disk
	proven bool // it could be synced
}

// segment is the one to write to. A full one is left for the next (D7).
func (w *writer) segment() (*segment, error) {
	if seg := w.seg; seg != nil && seg.size >= w.j.store.segment {
		if err := w.sync(); err != nil {
			return nil, err
		}
		if w.seg == seg {
			seg.f.Close()
			w.seg = nil
		}
	}
	if w.seg != nil {
		return w.seg, nil
	}
	var err error
	if w.guard == nil {
		err = w.first()
	} else {
		err = w.following()
	}
	return w.seg, err
}

// first makes the session's first file, and locks it. A name that is taken is
// somebody else's session; this one then gets another id (R37).
func (w *writer) first() error {
	s := w.j.store
	w.made = w.made || !s.exists(s.o.Dir)
	if err := s.fs.MkdirAll(s.o.Dir); err != nil {
		return err
	}
	for {
		name := segmentName(w.j.ID(), 1)
		f, err := s.fs.Open(s.path(name), os.O_RDWR|os.O_APPEND|os.O_CREATE|os.O_EXCL)
		if errors.Is(err, fs.ErrExist) {
			w.j.rename()
			continue
		}
		if err != nil {
			return err
		}
		guard, err := s.lock(name)
		if err != nil {
			f.Close()
			if errors.Is(err, errLocked) {
				w.j.rename() // somebody opened it just now
				continue
			}
			return errors.Join(err, s.fs.Remove(s.path(name)))
		}
		w.guard = guard
		w.begin(&segment{number: 1, name: name, f: f})
		return nil
	}
}

func (w *writer) begin(seg *segment) {
	w.seg = seg
	w.j.mu.Lock()
	defer w.j.mu.Unlock()
	w.j.opened = true
}

// following makes the next file.
func (w *writer) following() error {
	s := w.j.store
	if err := s.fs.MkdirAll(s.o.Dir); err != nil {
		return err
	}
	for n := w.base + 1; ; n++ {
		name := segmentName(w.j.id, n)
		f, err := s.fs.Open(s.path(name), os.O_RDWR|os.O_APPEND|os.O_CREATE|os.O_EXCL)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return err
		}
		w.begin(&segment{number: n, name: name, f: f})
		return nil
	}
}

// rename gives a session that is not stored yet another id.
func (j *Journal) rename() {
	j.encoding.Lock()
	defer j.encoding.Unlock()
	j.mu.Lock()
	defer j.mu.Unlock()
	j.id = newID(j.store.o.Now())
	old := j.head
	head, err := j.store.newLine(place{old.seq, old.at}, j.named())
	if err != nil {
		return // it could be encoded with the other id
	}
	head.upto = old.upto
	lines := append([]*line(nil), j.lines...)
	if len(lines) > 0 && lines[0] == old {
		lines[0] = head
	}
	j.head, j.lines = head, lines
}

// link brings the names of the files to the disk, and that of the folder.
func (w *writer) link() error {
	s := w.j.store
	if err := s.fs.SyncDir(s.o.Dir); err != nil {
		return err
	}
	if !w.made {
		return nil
	}
	err := s.fs.SyncDir(filepath.Dir(s.o.Dir))
	if w.made = err != nil; errors.Is(err, fs.ErrPermission) {
		return nil // it can be written, not read
	}
	return err
}

// lookAfter looks whether the files are still what they were (R25). One that was
// deleted, moved or replaced is written again from what its descriptor holds;
// what stands in its place is somebody else's, and is set aside. One that was cut
// is left, and what memory holds goes into the next.
func (w *writer) lookAfter() error {
	s, seg := w.j.store, w.seg
	if seg.number > 1 {
		if mine, err := w.stands(w.guard, segmentName(w.j.id, 1)); err != nil {
			return err
		} else if !mine {
			f, _, err := w.salvage(w.guard, 1)
			if err != nil {
				return err
			}
			f.Close()
		}
	}
	mine, err := w.stands(seg.f, seg.name)
	if err != nil {
		return err
	}
	if !mine {
		f, size, err := w.salvage(seg.f, seg.number)
		if err != nil {
			return err
		}
		seg.f.Close()
		seg.f, seg.size, seg.ragged = f, size, false
		return nil
	}
	info, err := seg.f.Stat()
	switch {
	case err != nil:
		return err
	case info.Size() > seg.size:
		s.o.Log.Warn("somebody else has written to a session's file", "file", seg.name, "bytes", info.Size()-seg.size)
		seg.size, seg.ragged = info.Size(), true
	case info.Size() < seg.size:
		s.o.Log.Warn("a session's file was cut; what memory holds is written again", "file", seg.name, "bytes", seg.size-info.Size())
		seg.f.Close()
		w.base = max(w.base, seg.number)
		w.seg = nil
		w.j.mu.Lock()
		w.again(0)
		w.j.mu.Unlock()
	}
	return nil
}

// stands reports whether a file still has its name.
func (w *writer) stands(f file, name string) (bool, error) {
	mine, err := f.Stat()
	if err != nil {
		return false, err
	}
	here, err := w.j.store.fs.Lstat(w.j.store.path(name))
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist), nil // what cannot be looked at is not lost
	}
	return w.j.store.fs.Same(mine, here), nil
}

// salvage writes a file again that has lost its name, and brings it to the disk.
// The first one is locked anew.
func (w *writer) salvage(old file, number int) (f file, size int64, err error) {
	s, name := w.j.store, segmentName(w.j.id, number)
	s.o.Log.Warn("a session's file was deleted or replaced; it is written again", "file", name)
	if err := s.fs.MkdirAll(s.o.Dir); err != nil {
		return nil, 0, err
	}
	if err := w.setAside(name); err != nil {
		return nil, 0, err
	}
	f, err = s.fs.Open(s.path(name), os.O_RDWR|os.O_APPEND|os.O_CREATE|os.O_EXCL)
	if err != nil {
		return nil, 0, err
	}
	var guard file
	if number == 1 {
		guard, err = s.lock(name)
	}
	if err == nil {
		size, err = w.rescue(old, f)
	}
	if err == nil {
		err = f.Sync()
	}
	if err == nil {
		err = s.fs.SyncDir(s.o.Dir)
	}
	if err != nil {
		f.Close()
		if guard != nil {
			guard.Close()
		}
		return nil, 0, errors.Join(err, s.fs.Remove(s.path(name)))
	}
	if guard != nil {
		w.guard.Close()
		w.guard = guard
	}
	return f, size, nil
}

// setAside moves what stands under a name away. A session that another program
// has taken meanwhile stays.
func (w *writer) setAside(name string) error {
	s := w.j.store
	if !s.exists(s.path(name)) {
		return nil
	}
	if f, err := s.lock(name); err == nil {
		defer f.Close()
	} else if errors.Is(err, errLocked) {
		return err
	}
	return s.fs.Rename(s.path(name), s.path(s.tornName(w.j.id)))
}

// tornName is a free name for something that is set aside.
func (s *Store) tornName(id string) string {
	for n := 1; ; n++ {
		name := fmt.Sprintf("%s.torn-%d", id, n)
		if !s.exists(s.path(name)) {
			return name
		}
	}
}

// rescue copies the good lines of a file, with a header first.
func (w *writer) rescue(from io.ReaderAt, to io.Writer) (size int64, err error) {
	c := &cursor{src: from}
	out := w.out[:0]
	put := func() error {
		n, err := to.Write(out)
		size += int64(n)
		if err == nil && n < len(out) {
			err = io.ErrShortWrite
		}
		out = out[:0]
		return err
	}
	for first := true; ; first = false {
		if err := c.next(); err != nil {
			return size, err
		}
		if first && (c.done || c.head.kind != record.KindHeader) {
			w.j.mu.Lock()
			out = append(out, w.j.head.data...)
			w.j.mu.Unlock()
		}
		if c.done {
			return size, put()
		}
		out = append(append(out, c.head.line...), '\n')
		if len(out) >= core.JournalBatch {
			if err := put(); err != nil {
				return size, err
			}
		}
	}
}
