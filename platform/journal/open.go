package journal

import (
	"fmt"
	"io"
	"os"

	"copydesk/core/record"
)

func (s *Store) open(id string) (*Journal, error) {
	numbers, err := s.segments(id)
	if err != nil {
		return nil, err
	}
	if numbers[0] != 1 { // the first one carries the lock
		f, err := s.fs.Open(s.path(segmentName(id, 1)), os.O_RDWR|os.O_APPEND|os.O_CREATE|os.O_EXCL)
		if err != nil {
			return nil, err
		}
		f.Close()
	}
	guard, err := s.take(id)
	if err != nil {
		return nil, err
	}
	if numbers, err = s.segments(id); err != nil { // while nobody writes
		guard.Close()
		return nil, err
	}
	j := s.journal(id)
	j.disk.guard = guard
	m, err := j.scan()
	if err != nil {
		guard.Close()
		return nil, err
	}
	if j.skipped.Newer {
		guard.Close()
		return nil, ErrNewer
	}
	j.goOn(numbers[len(numbers)-1], m.last)
	j.readDraft()
	j.mu.Lock()
	j.begun, j.opened, j.flush = true, true, true
	j.push(s.opened(), s.o.Now(), 0)
	j.leave()
	return j, nil
}

// scan reads the whole session: how far its numbers go, what is damaged, its
// header, and the last lines of it.
func (j *Journal) scan() (*merge, error) {
	s := j.store
	m, err := s.merged(j.id, nil)
	if err != nil {
		return nil, err
	}
	known := map[record.Kind]bool{}
	for {
		f, err := m.next()
		if err != nil {
			return nil, err
		}
		if f.seq == 0 {
			break
		}
		j.seq = f.seq
		if !known[f.kind] && !s.known(f) {
			m.lost.Records++
			m.lost.Bytes += int64(len(f.line) + 1)
		} else {
			known[f.kind] = true
			if sum, size, ok := f.named(); ok && !s.blobThere(j.id, sum, size) {
				m.lost.Records++
				m.lost.Bytes += int64(len(f.line) + 1)
			}
		}
		j.remember(f)
	}
	j.skipped = m.skipped()
	if m.tailBad > 0 {
		j.skipped.Records++
		j.skipped.Bytes += m.tailBad
	}
	if j.head == nil {
		if j.head, err = s.newLine(place{1, s.o.Now()}, record.Header{ID: j.id, Program: s.o.Program}); err != nil {
			return nil, err
		}
	}
	j.seq = max(j.seq, 1, m.claimed()) // 1 is the header's, also when it is lost
	j.safe = len(j.kept)
	return m, nil
}

// known reports whether records of that kind can be read.
func (s *Store) known(f frame) bool {
	_, err := record.Decode(f.kind, f.line)
	if _, _, blob := f.named(); blob {
		return true
	}
	return err == nil
}

func (s *Store) blobThere(id, sum string, size int64) bool {
	info, err := s.fs.Lstat(s.blobPath(id, sum))
	return err == nil && info.Mode().IsRegular() && info.Size() == size
}

// remember keeps a line that stands in a file: the last of them go into the next
// file when somebody cuts that one.
func (j *Journal) remember(f frame) {
	l := &line{seq: f.seq, at: f.time(), data: append(append(make([]byte, 0, len(f.line)+1), f.line...), '\n')}
	if f.kind == record.KindHeader && j.head == nil {
		j.head = &line{seq: f.seq, at: l.at, data: l.data}
	}
	if len(l.data) > mostKept {
		return
	}
	j.kept = append(j.kept, l)
	j.keptSize += len(l.data)
	if j.keptSize > 2*mostKept {
		j.safe = len(j.kept)
		j.disk.trim()
	}
}

// goOn opens the last segment to go on with it, after what a crash has left at
// its end is set aside (R26). When that cannot be, the next write begins another
// one and nothing is touched.
func (j *Journal) goOn(number int, c *cursor) {
	s := j.store
	j.disk.base = number
	name := segmentName(j.id, number)
	f, err := s.fs.Open(s.path(name), os.O_RDWR|os.O_APPEND)
	if err != nil {
		s.o.Log.Warn("a session goes on in another file", "file", name, "reason", err)
		return
	}
	size, err := s.repair(j.id, f, c)
	if err != nil {
		s.o.Log.Warn("a session goes on in another file", "file", name, "reason", err)
		f.Close()
		return
	}
	j.disk.seg = &segment{number: number, name: name, f: f, size: size, headed: size > 0, linked: true, proven: true}
}

// repair sees to a last line without an end: a whole one gets its end, the rest
// of one is copied to a file of its own and then cut off.
func (s *Store) repair(id string, f file, c *cursor) (size int64, err error) {
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	size = info.Size()
	if c.open == 0 {
		return size, nil
	}
	if c.openGood {
		if n, err := f.Write([]byte{'\n'}); err != nil || n != 1 {
			return 0, fmt.Errorf("end the last line: %w", err)
		}
		return size + 1, f.Sync()
	}
	end := size - int64(c.open)
	torn := s.path(s.tornName(id))
	to, err := s.fs.Open(torn, os.O_WRONLY|os.O_CREATE|os.O_EXCL)
	if err != nil {
		return 0, err
	}
	_, err = io.Copy(to, io.NewSectionReader(f, end, int64(c.open)))
	if err == nil {
		err = to.Sync()
	}
	if err2 := to.Close(); err == nil {
		err = err2
	}
	if err == nil {
		err = s.fs.SyncDir(s.o.Dir)
	}
	if err != nil {
		if err2 := s.fs.Remove(torn); err2 != nil && !os.IsNotExist(err2) {
			s.o.Log.Warn("half a copy stays", "file", torn, "reason", err2)
		}
		return 0, fmt.Errorf("set the torn end aside: %w", err)
	}
	if err := f.Truncate(end); err != nil {
		return 0, err
	}
	if err := f.Sync(); err != nil {
		return 0, err
	}
	s.o.Log.Warn("the torn end of a session was set aside", "file", torn, "bytes", c.open)
	return end, nil
}
