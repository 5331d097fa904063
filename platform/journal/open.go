package journal

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"copydesk/core/record"
)

// Open takes a stored session to go on with it. The error is a *Held when a
// program works with it, ErrNone when there is none, ErrNewer or ErrForeign when
// it must not be written. What is damaged is skipped and counted; what is half
// written at the end is set aside.
func (s *Store) Open(id string) (*Journal, error) {
	j, err := s.open(id)
	var held *Held
	if err != nil && !errors.As(err, &held) {
		return nil, fmt.Errorf("open session %s: %w", id, err)
	}
	return j, err
}

func (s *Store) open(id string) (*Journal, error) {
	if !ValidID(id) {
		return nil, ErrNone
	}
	j := s.journal(id, record.Seat{})
	if err := j.take(); err != nil {
		return nil, err
	}
	fail := func(err error) (*Journal, error) {
		_ = j.first.Close()
		return nil, err
	}
	v, err := s.survey(id, nil)
	if err != nil {
		return fail(err)
	}
	if len(v.pieces) == 0 {
		return fail(ErrNone)
	}
	if number, ok := v.foreign(); ok {
		return fail(fmt.Errorf("%s: %w", s.path(segmentName(id, number)), ErrForeign))
	}
	if v.skipped.Newer {
		return fail(ErrNewer)
	}
	for _, p := range v.pieces {
		if p.size > p.tail && !p.joins && p.number == v.pieces[len(v.pieces)-1].number {
			v.skip(p.size - p.tail)
		}
	}
	j.old, j.seq, j.header = v.skipped, v.last, v.header
	if err := j.resume(v.pieces[len(v.pieces)-1]); err != nil {
		return fail(err)
	}
	j.readDraft()
	j.mu.Lock()
	defer j.mu.Unlock()
	j.begun, j.started, j.flush = true, true, true
	if j.opened = v.last > 0; j.opened { // an empty file gets a header, too
		j.push(s.opened(), s.o.Now(), 0)
	} else {
		j.fsync = true
	}
	j.wake()
	return j, nil
}

// take locks the first segment. One that is missing is made, when there is more
// of the session.
func (j *Journal) take() error {
	s := j.store
	path := s.path(segmentName(j.id, 1))
	for range 10 {
		f, err := s.disk.Open(path, appending)
		if errors.Is(err, fs.ErrNotExist) {
			numbers, failed := segments(s.disk, s.o.Dir, j.id)
			if failed != nil {
				return failed
			}
			if len(numbers) == 0 {
				return ErrNone
			}
			f, err = s.disk.Open(path, appending|os.O_CREATE|os.O_EXCL)
			if errors.Is(err, fs.ErrExist) {
				continue
			}
		}
		if err != nil {
			return err
		}
		if err := f.Lock(); err != nil {
			_ = f.Close()
			if errors.Is(err, errLocked) {
				return s.holder(j.id)
			}
			return err
		}
		own, err := f.Stat()
		there, failed := s.disk.Lstat(path)
		if err == nil && failed == nil && s.disk.Same(own, there) {
			j.first = f
			return nil
		}
		_ = f.Close() // it was removed or replaced before it was locked
	}
	return ErrNone
}

// resume makes the last segment the one that grows, when it can be. What is
// behind its last line end is set aside before anything is appended (D3, R26).
func (j *Journal) resume(last piece) error {
	seg := &segment{file: j.first, path: j.store.path(segmentName(j.id, 1)), number: 1}
	if last.number > 1 {
		var err error
		if seg, err = j.open(last.number, appending); errors.Is(err, errLocked) {
			return j.store.holder(j.id)
		} else if err != nil {
			return err
		}
	}
	j.number = last.number
	seg.size, seg.upto = last.size, j.seq
	seg.safe = seg.size
	if err := j.mend(seg, last); err != nil {
		// The disk does not take it: the file stays as it is, and the session goes
		// on in another one as soon as one can be made.
		j.store.o.Log.Warn("the end of a session's file cannot be set aside", "path", seg.path, "error", err)
		j.let(seg)
		return nil
	}
	j.seg = seg
	return nil
}

// mend makes a segment end with a line end.
func (j *Journal) mend(seg *segment, p piece) error {
	if p.tail == p.size {
		return nil
	}
	if p.joins {
		seg.ragged = true // its record is whole; the next write begins with a line end
		return nil
	}
	disk := j.store.disk
	path, err := freeTorn(disk, j.store.o.Dir, j.id)
	if err != nil {
		return err
	}
	if err := copyTail(disk, seg.file, p.tail, p.size, path); err != nil {
		_ = disk.Remove(path)
		return err
	}
	if err := disk.SyncDir(j.store.o.Dir); err != nil {
		return err
	}
	if err := seg.file.Truncate(p.tail); err != nil {
		return err
	}
	if err := seg.file.Sync(); err != nil {
		return err
	}
	seg.size, seg.safe = p.tail, p.tail
	return nil
}

// freeTorn is a name for something that is set aside.
func freeTorn(on files, dir, id string) (string, error) {
	for n := 1; n < 10000; n++ {
		path := filepath.Join(dir, id+".torn-"+strconv.Itoa(n))
		if _, err := on.Lstat(path); errors.Is(err, fs.ErrNotExist) {
			return path, nil
		} else if err != nil {
			return "", err
		}
	}
	return "", errors.New("too many damaged ends are kept")
}

func copyTail(on files, from file, start, end int64, path string) error {
	to, err := on.Open(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL)
	if err != nil {
		return err
	}
	b := make([]byte, 64<<10)
	for start < end && err == nil {
		var n int
		if n, err = from.ReadAt(b[:min(end-start, int64(len(b)))], start); n > 0 {
			n, err = to.Write(b[:n])
			start += int64(n)
		}
	}
	if err == nil {
		err = to.Sync()
	}
	return errors.Join(err, to.Close())
}
