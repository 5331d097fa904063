package journal

import (
	"errors"
	"fmt"
	"io"

	"copydesk/core"
	"copydesk/core/record"
)

// task is what the goroutine that writes does next.
type task uint8

const (
	idle task = iota
	number1
	writing
	syncing
	drafting
	releasing
)

// next says what is due. The lock is held.
func (j *Journal) next() task {
	ready := j.failure.err == nil || j.retry || j.closing
	ready = ready && !j.gaveUp
	switch {
	case j.over:
		return idle
	case !j.begun:
	case ready && j.written > 0 && (j.full() || j.fsync && j.items[j.written-1].upto >= j.goal):
		return syncing
	case j.flush && (len(j.queue) > 0 || !j.opened):
		return number1
	case ready && j.written < len(j.items):
		return writing
	case j.draft.due:
		return drafting
	}
	if j.closing {
		return releasing
	}
	return idle
}

// run does what is due, until nothing is.
func (j *Journal) run() {
	for {
		j.mu.Lock()
		t := j.next()
		switch t {
		case idle:
			j.running = false
			j.mu.Unlock()
			return
		case number1:
			j.enumerate()
		case syncing:
			if j.items[j.written-1].upto >= j.goal {
				j.fsync, j.goal = false, 0
			}
		case drafting:
			j.draft.due = false
		}
		j.mu.Unlock()
		var err error
		switch t {
		case writing:
			err = j.write()
		case syncing:
			err = j.sync()
		case drafting:
			j.writeDraft()
		case releasing:
			j.release()
		}
		if err != nil {
			j.fail(err)
		}
	}
}

// write writes as many items as one write takes.
func (j *Journal) write() error {
	j.mu.Lock()
	items := j.items[j.written:]
	j.mu.Unlock()
	if err := j.room(); err != nil {
		return err
	}
	if j.written == 0 { // another segment may have been begun
		j.mu.Lock()
		items = j.items
		j.mu.Unlock()
	}
	seg := j.seg
	b := j.batch[:0]
	if seg.ragged {
		b = append(b, '\n')
	}
	if seg.size == 0 && items[0].Seq != 1 {
		b = append(b, j.header...)
	}
	n := 0
	for _, i := range items {
		if err := j.encode(i); err != nil {
			if n == 0 {
				return err
			}
			break // what comes before it is written first
		}
		if n > 0 && len(b)+len(i.line) > core.JournalBatch {
			break
		}
		b = append(b, i.line...)
		n++
	}
	if err := j.put(b); err != nil {
		return err
	}
	seg.upto = items[n-1].Seq
	if j.batch = b; cap(b) > 4*core.JournalBatch {
		j.batch = nil
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.written += n
	j.started = true
	if seg.size-seg.safe > syncBytes {
		j.fsync = true
	}
	if !j.closing && !j.fsync {
		j.timers.sync.start(j, core.JournalSync, func() { j.fsync = true })
	}
	return nil
}

// put adds bytes to the segment: all of them or none (D4). What a write that
// failed has left is cut off; where that fails, too, a line end sets it apart
// from what comes next.
func (j *Journal) put(b []byte) error {
	seg := j.seg
	n, err := seg.file.Write(b)
	if err == nil && n < len(b) {
		err = io.ErrShortWrite
	}
	if err == nil {
		seg.size += int64(len(b))
		seg.ragged = false
		return nil
	}
	err = fmt.Errorf("write %s: %w", seg.path, err)
	if seg.file.Truncate(seg.size) != nil {
		before := seg.size
		if info, failed := seg.file.Stat(); failed == nil {
			seg.size = info.Size()
		} else {
			seg.size += int64(n)
		}
		seg.ragged = seg.ragged || seg.size != before
	}
	if !full(err) && !errors.Is(err, io.ErrShortWrite) {
		j.abandon()
	}
	return err
}

// encode makes an item's line, and writes the file of an entry that is too large
// for one.
func (j *Journal) encode(i *item) error {
	if i.line != nil {
		return nil
	}
	object, err := record.Encode(i.Entry)
	if err != nil {
		// No entry that is kept does that; the numbers go on without it.
		j.store.o.Log.Error("an entry cannot be written", "session", j.id, "error", err)
		i.line = []byte{}
		return nil
	}
	if len(object) > core.BlobBytes {
		name, err := writeBlob(j.store.disk, j.store.path(blobDir(j.id)), object)
		if err != nil {
			return err
		}
		i.line = appendBlobLine(nil, i.Seq, i.Time, i.Entry.Kind(), name, len(object))
	} else {
		i.line = appendLine(make([]byte, 0, len(object)+128), i.Seq, i.Time, i.Entry.Kind(), object)
	}
	if _, ok := i.Entry.(record.Header); ok && j.header == nil {
		j.header = i.line
	}
	return nil
}

// sync brings what is written to the disk. A file that failed at it is never
// synced again: what the system had in memory for it can be gone, and a second
// try would not say so (D6, R22).
func (j *Journal) sync() error {
	seg := j.seg
	err := seg.file.Sync()
	if err == nil && seg.nameless {
		err = j.store.disk.SyncDir(j.store.o.Dir)
	}
	if err != nil {
		j.abandon()
		return fmt.Errorf("sync %s: %w", seg.path, err)
	}
	if lost, err := j.recover(); lost || err != nil {
		j.mu.Lock()
		j.save()
		j.mu.Unlock()
		return err
	}
	seg.nameless, seg.safe, j.number = false, seg.size, max(j.number, seg.number)
	if j.stale != nil {
		j.discard(j.stale)
		j.stale = nil
	}
	j.settle()
	return nil
}
