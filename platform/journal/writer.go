package journal

import (
	"errors"
	"fmt"
	"io"
	"time"

	"copydesk/core"
)

// task is what the goroutine that writes does next.
type task uint8

const (
	idle task = iota
	encoding
	writing
	syncing
	drafting
	releasing
)

// next says what is to be done. j.mu is held.
func (j *Journal) next() task {
	switch {
	case j.released:
		return idle
	case j.flush && len(j.queue) > 0:
		return encoding
	case j.held || !j.begun:
		if j.closing {
			return releasing
		}
		return idle
	case j.syncLate && j.dirty:
		return syncing
	case len(j.lines) > 0:
		return writing
	case (j.syncDue || j.closing) && j.dirty:
		return syncing
	case j.draftDue:
		return drafting
	case j.closing:
		return releasing
	}
	return idle
}

// run does what is due, and ends when nothing is. There is one at a time.
func (j *Journal) run() {
	for {
		j.mu.Lock()
		t := j.next()
		if t == idle {
			j.running = false
			j.mu.Unlock()
			return
		}
		j.mu.Unlock()
		var err error
		switch t {
		case encoding:
			j.encode()
		case writing:
			err = j.disk.write()
		case syncing:
			err = j.disk.sync()
		case drafting:
			err = j.disk.writeDraft()
		case releasing:
			j.disk.release()
		}
		j.mu.Lock()
		j.progress++
		if err != nil {
			j.fail(err)
		}
		changed := j.changed
		j.changed = false
		j.mu.Unlock()
		if changed {
			j.store.o.Changed()
		}
	}
}

// writer is the journal's files. Only the goroutine that writes uses it.
type writer struct {
	j     *Journal
	guard file     // the first segment, locked
	seg   *segment // that is being written; nil: the next one begins with the next write
	base  int      // the number of the last segment that was on the disk once; 0: there is none
	scrap []string // segments that never were, and whose records stand in a later one
	made  bool     // the folder is new, and its name may not be on the disk
	out   []byte   // room for a batch
}

// write writes some lines with one write(2) of at most core.JournalBatch bytes,
// unless one line is longer (D4).
func (w *writer) write() error {
	seg, err := w.segment()
	if err != nil {
		return err
	}
	j := w.j
	j.mu.Lock()
	waiting, head := j.lines, j.head
	j.mu.Unlock()

	out := w.out[:0]
	if seg.ragged {
		out = append(out, '\n')
	}
	first := len(out)
	if !seg.headed && waiting[0] != head {
		out = append(out, head.data...)
	}
	begin, n := len(out), 0
	for _, l := range waiting {
		if n > 0 && (len(out)+len(l.data) > core.JournalBatch || l.blob != nil) {
			break
		}
		if l.blob != nil {
			if err := w.storeBlob(l); err != nil {
				return err
			}
		}
		out = append(out, l.data...)
		n++
	}
	w.out = out
	if cap(w.out) > 4*core.JournalBatch {
		w.out = nil
	}

	got, err := seg.f.Write(out)
	if err == nil && got < len(out) {
		err = io.ErrShortWrite
	}
	if err == nil {
		seg.size += int64(len(out))
		seg.ragged, seg.headed = false, true
		w.wrote(waiting[:n], true)
		return nil
	}
	return w.torn(seg, got, first, begin, waiting[:n], err)
}

// torn sees to what a failed write has left: whole lines stay, the rest of one is
// cut off. Where that cannot be done the next write begins with a line end.
func (w *writer) torn(seg *segment, got, first, begin int, lines []*line, err error) error {
	whole, n := 0, 0
	if got >= first {
		whole = first
	}
	if got >= begin {
		whole, seg.headed = begin, seg.headed || begin > first
		for _, l := range lines {
			if whole+len(l.data) > got {
				break
			}
			whole += len(l.data)
			n++
		}
		seg.headed = seg.headed || n > 0
	}
	if whole > 0 {
		seg.ragged = false
	}
	if got > whole {
		info, err2 := seg.f.Stat()
		if err2 == nil && info.Size() == seg.size+int64(got) {
			err2 = seg.f.Truncate(seg.size + int64(whole))
		} else if err2 == nil {
			err2 = errors.New("somebody else has written to the file")
		}
		if err2 != nil {
			seg.ragged = true
			whole = got
			w.j.store.o.Log.Warn("what was written in part cannot be cut off", "file", seg.name, "reason", err2)
		}
	}
	seg.size += int64(whole)
	if n > 0 {
		w.wrote(lines[:n], false)
	}
	if full(err) || errors.Is(err, io.ErrShortWrite) {
		return err
	}
	return w.leave(err)
}

// wrote moves lines from those that wait to those that are written.
func (w *writer) wrote(lines []*line, whole bool) {
	j := w.j
	j.mu.Lock()
	defer j.mu.Unlock()
	j.moves = j.moves || whole
	for _, l := range lines {
		j.waits -= l.size()
		k := l
		if l.blob != nil { // it is in its file
			k = &line{seq: l.seq, at: l.at, upto: l.upto, data: l.data}
		}
		j.kept = append(j.kept, k)
		j.keptSize += len(l.data)
		j.unsafe += len(l.data)
	}
	if l := lines[len(lines)-1]; l.upto > j.written {
		j.written = l.upto
	}
	if j.lines = j.lines[len(lines):]; len(j.lines) == 0 {
		j.lines = nil
		j.written = max(j.written, j.taken)
		w.removeScrap()
	}
	j.dirty = true
	if j.unsafe > mostUnsafe {
		j.syncLate = true
	}
	if j.health.Failing != "" {
		j.syncDue = true
	}
	j.set(&j.syncs, core.JournalSync, func() { j.syncLate = true })
}

const (
	mostUnsafe = 8 << 20 // bytes that are written before a sync cannot wait
	mostKept   = 1 << 20 // bytes that stay in memory for a file that somebody cuts (R25)
)

// sync brings what is written to the disk. A file that cannot be synced is never
// synced again: what it may have lost goes into the next one (D6, R22).
func (w *writer) sync() error {
	j, seg := w.j, w.seg
	j.mu.Lock()
	mark, saved := j.written, j.before()
	if seg == nil { // what it had waits to be written again
		j.dirty, j.syncLate = false, false
		j.mu.Unlock()
		return nil
	}
	j.mu.Unlock()
	if err := seg.f.Sync(); err != nil {
		return w.leave(err)
	}
	if !seg.linked {
		if err := w.link(); err != nil {
			return w.leave(err)
		}
		seg.linked = true
	}
	if err := w.lookAfter(); err != nil {
		return err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if w.seg == nil { // it was cut: all of it is to be written again
		return nil
	}
	seg.proven = true
	w.base = max(w.base, seg.number)
	j.dirty, j.syncDue, j.syncLate = false, false, false
	j.safe, j.unsafe = len(j.kept), 0
	w.trim()
	j.synced = max(j.synced, mark)
	if !saved.IsZero() && !saved.Equal(j.health.Saved) {
		j.health.Saved = saved
		j.changed = true
	}
	j.syncs.cancel()
	j.stalls.cancel()
	if len(j.lines) > 0 || len(j.queue) > 0 {
		j.stall()
		j.syncDue = len(j.waiters) > 0
	}
	j.recovered()
	j.settle()
	j.answer(nil)
	return nil
}

// before is the time before which everything has been written; zero when some of
// it is becoming lines just now. j.mu is held.
func (j *Journal) before() time.Time {
	switch {
	case len(j.lines) > 0:
		return j.lines[0].at
	case j.taken+uint64(len(j.queue)) < j.appended:
		return time.Time{}
	case len(j.queue) > 0:
		return j.queue[0].at
	}
	return j.store.o.Now()
}

// trim forgets old lines that are on the disk. j.mu is held.
func (w *writer) trim() {
	j, n := w.j, 0
	for n < j.safe && j.keptSize > mostKept {
		j.keptSize -= len(j.kept[n].data)
		n++
	}
	if n > 0 {
		j.kept = append([]*line(nil), j.kept[n:]...)
		j.safe -= n
	}
}

// leave gives a file up that cannot be trusted: all of it that is not known to
// be on the disk is to be written again, into the next one, under the same
// numbers.
func (w *writer) leave(err error) error {
	j, seg := w.j, w.seg
	if !seg.proven && seg.number > 1 {
		w.scrap = append(w.scrap, seg.name)
	}
	seg.f.Close()
	w.seg = nil
	w.base = max(w.base, 1)
	j.mu.Lock()
	defer j.mu.Unlock()
	w.again(j.safe)
	return fmt.Errorf("%w (%w)", err, errLeft)
}

// again has the kept lines from one on written again. j.mu is held.
func (w *writer) again(from int) {
	j := w.j
	lines := make([]*line, 0, len(j.kept)-from+len(j.lines))
	lines = append(append(lines, j.kept[from:]...), j.lines...)
	for _, l := range j.kept[from:] {
		j.keptSize -= len(l.data)
		j.waits += len(l.data)
	}
	j.lines, j.kept = lines, j.kept[:from:from]
	j.safe, j.unsafe = min(j.safe, from), 0
	j.dirty, j.syncDue, j.syncLate = false, true, false
	j.syncs.cancel()
	j.stall()
}

// errLeft says that the next write goes into another file.
var errLeft = errors.New("the file was left for another one")

// removeScrap deletes segments that never reached the disk, now that their
// records are written elsewhere: while a disk fails they would become many.
func (w *writer) removeScrap() {
	for _, name := range w.scrap {
		if err := w.j.store.fs.Remove(w.j.store.path(name)); err != nil {
			w.j.store.o.Log.Warn("a file that was given up stays", "file", name, "reason", err)
		}
	}
	w.scrap = nil
}

// release lets go of the files, and of the session.
func (w *writer) release() {
	j, s := w.j, w.j.store
	if w.seg != nil {
		w.seg.f.Close()
	}
	j.mu.Lock()
	empty := j.own && !j.prompted && j.draft.Blank() && j.opened && j.closeErr == nil
	j.mu.Unlock()
	if empty { // a draft was begun and taken back, and that is all
		err := s.removeAll(j.id)
		if err != nil {
			s.o.Log.Warn("an empty session stays", "session", j.id, "reason", err)
		}
	}
	if w.guard != nil {
		w.guard.Close()
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.released = true
	for _, a := range []*alarm{&j.joins, &j.syncs, &j.retries, &j.stalls, &j.drafts} {
		a.cancel()
	}
	if j.begun && j.synced < j.appended && j.closeErr == nil {
		j.closeErr = errors.New("close session " + j.id + ": not everything was saved")
	}
	j.answer(j.closeErr)
	close(j.done)
}
