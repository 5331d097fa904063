package journal

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"copydesk/core"
	"copydesk/core/record"
)

// A segment is a file of a session that grows.
type segment struct {
	file     file
	path     string
	number   int
	size     int64  // what it is known to have
	safe     int64  // how much of it is on the disk
	upto     uint64 // the number of its last record
	ragged   bool   // it ends within a line
	nameless bool   // it was made, and its name is not known to be on the disk
}

// full reports whether the session goes on in another segment (D7).
func (j *Journal) full() bool { return j.seg != nil && j.seg.size >= j.store.most }

const appending = os.O_RDWR | os.O_APPEND

// room sees to it that there is a segment to write to.
func (j *Journal) room() error {
	if j.full() && j.written == 0 {
		j.let(j.seg)
		j.seg = nil
	}
	if j.seg != nil {
		return nil
	}
	if j.first == nil {
		return j.create()
	}
	seg, err := j.make(j.number + 1)
	if err != nil {
		return err
	}
	j.seg = seg
	return nil
}

// create makes the first segment of a new session. A session that has the name
// already keeps it: this one takes another.
func (j *Journal) create() error {
	if err := j.store.disk.Mkdir(j.store.o.Dir); err != nil {
		return err
	}
	for tries := 0; ; tries++ {
		seg, err := j.open(1, appending|os.O_CREATE|os.O_EXCL)
		if errors.Is(err, fs.ErrExist) && tries < 10 {
			j.rename()
			continue
		}
		if err != nil {
			return err
		}
		j.seg, j.first, j.number = seg, seg.file, 1
		return nil
	}
}

// rename gives the session another name before anything is written.
func (j *Journal) rename() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.id = newID(j.store.o.Now())
	header := *j.items[0]
	h := header.Entry.(record.Header)
	h.ID = j.id
	header.Entry, header.line = h, nil
	j.items[0], j.header = &header, nil
}

// make makes a segment; its number is from, or the next one that is free. The
// first one has that name or none.
func (j *Journal) make(from int) (*segment, error) {
	if err := j.store.disk.Mkdir(j.store.o.Dir); err != nil {
		return nil, err
	}
	for number := from; ; number++ {
		seg, err := j.open(number, appending|os.O_CREATE|os.O_EXCL)
		if errors.Is(err, fs.ErrExist) && from > 1 && number < from+gap-1 {
			continue
		}
		return seg, err
	}
}

// open opens and locks a segment: who appends to a file has it locked, whatever
// became of the first one.
func (j *Journal) open(number, flag int) (*segment, error) {
	path := j.store.path(segmentName(j.id, number))
	f, err := j.store.disk.Open(path, flag)
	if err != nil {
		return nil, err
	}
	seg := &segment{file: f, path: path, number: number, nameless: flag&os.O_EXCL != 0}
	if err := f.Lock(); err != nil {
		_ = f.Close()
		if seg.nameless && !errors.Is(err, errLocked) {
			_ = j.store.disk.Remove(path)
		}
		return nil, err
	}
	return seg, nil
}

// let closes a segment. The first one stays open: it has the lock.
func (j *Journal) let(seg *segment) {
	if seg.file != j.first {
		_ = seg.file.Close()
	}
}

// discard deletes a segment that was made for nothing.
func (j *Journal) discard(seg *segment) {
	j.let(seg)
	if err := j.store.disk.Remove(seg.path); err != nil {
		j.store.o.Log.Warn("a file of a session stays behind", "path", seg.path, "error", err)
	}
}

// abandon gives up the current segment. All that is not known to be on the disk
// goes into another one, from memory. At most one file stays behind that holds
// nothing but copies, however often that fails.
func (j *Journal) abandon() {
	seg := j.seg
	j.seg = nil
	j.mu.Lock()
	j.written = 0
	j.mu.Unlock()
	switch {
	case seg.number == 1 || seg.safe > 0:
		j.let(seg)
	case j.stale == nil:
		j.stale = seg
	case seg.upto >= j.stale.upto:
		j.discard(j.stale)
		j.stale = seg
	default:
		j.discard(seg)
	}
}

// recover looks whether the file under the segment's name is still the one that
// is written (R25). If not, the session goes on in another: with all that is
// still to be had, which is everything when the file was only deleted, moved or
// replaced. What somebody else has put there is never touched.
func (j *Journal) recover() (lost bool, err error) {
	disk := j.store.disk
	if err := j.recoverFirst(); err != nil {
		return true, err
	}
	seg := j.seg
	there, err := disk.Lstat(seg.path)
	gone := errors.Is(err, fs.ErrNotExist)
	own, failed := seg.file.Stat()
	whole := failed == nil && own.Size() == seg.size
	if err == nil && whole && disk.Same(there, own) {
		return false, nil
	}
	j.store.o.Log.Warn("the file of a session was changed by something else", "path", seg.path, "gone", gone, "whole", whole)
	if !whole {
		if gone && seg.number == 1 {
			return true, j.replaceFirst(0)
		}
		seg.safe = max(seg.safe, 1) // something in it may be nowhere else
		j.number = max(j.number, seg.number)
		j.abandon()
		return true, nil
	}
	if gone && seg.number == 1 {
		return true, j.replaceFirst(seg.size)
	}
	number := j.number + 1
	if gone {
		number = seg.number
	}
	next, err := j.copied(seg.file, seg.size, number)
	if err != nil {
		return true, err
	}
	next.upto, next.ragged = seg.upto, seg.ragged
	j.let(seg)
	j.seg = next
	return true, nil
}

// recoverFirst brings the first segment back while another one grows: it has the
// lock, and a session is found by it.
func (j *Journal) recoverFirst() error {
	if j.seg.file == j.first {
		return nil
	}
	_, err := j.store.disk.Lstat(j.store.path(segmentName(j.id, 1)))
	if !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	info, err := j.first.Stat()
	if err != nil {
		return nil // nothing is to be had of it
	}
	next, err := j.copied(j.first, info.Size(), 1)
	if err != nil {
		return err
	}
	if err := errors.Join(next.file.Sync(), j.store.disk.SyncDir(j.store.o.Dir)); err != nil {
		j.discard(next)
		return err
	}
	_ = j.first.Close()
	j.first = next.file
	return nil
}

// replaceFirst makes the first segment again, with the first bytes of the old
// one; it is the one that grows.
func (j *Journal) replaceFirst(size int64) error {
	old := j.seg
	next, err := j.copied(old.file, size, 1)
	if err != nil {
		return err
	}
	if size > 0 {
		next.upto, next.ragged = old.upto, old.ragged
	} else {
		j.mu.Lock()
		j.written = 0
		j.mu.Unlock()
	}
	j.seg, j.first = next, next.file
	_ = old.file.Close()
	return nil
}

// copied makes a segment with the first bytes of a file.
func (j *Journal) copied(from file, size int64, number int) (*segment, error) {
	seg, err := j.make(number)
	if err != nil {
		return nil, err
	}
	b := make([]byte, core.JournalBatch)
	for seg.size < size && err == nil {
		var n int
		if n, err = from.ReadAt(b[:min(size-seg.size, int64(len(b)))], seg.size); n > 0 {
			if n, err = seg.file.Write(b[:n]); err == nil {
				seg.size += int64(n)
			}
		} else if err == nil {
			err = io.ErrUnexpectedEOF
		}
	}
	if err != nil {
		j.discard(seg)
		return nil, fmt.Errorf("copy %s: %w", seg.path, err)
	}
	return seg, nil
}

// release lets go of the session. A new one in which nothing was said and that
// has no draft leaves nothing behind.
func (j *Journal) release() {
	if j.seg != nil && j.seg.file != j.first {
		_ = j.seg.file.Close()
	}
	if j.stale != nil {
		_ = j.stale.file.Close()
	}
	j.mu.Lock()
	empty := j.made && !j.said && j.draft.now.Blank()
	j.mu.Unlock()
	if j.first != nil {
		if empty {
			if err := j.store.remove(j.id, j.first); err != nil {
				j.store.o.Log.Warn("an empty session stays behind", "session", j.id, "error", err)
			}
		}
		_ = j.first.Close()
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.over = true
	for _, w := range j.waiters {
		w.done <- errClosed
	}
	j.waiters = nil
	close(j.done)
}
