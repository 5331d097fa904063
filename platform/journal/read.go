package journal

import (
	"container/heap"
	"context"
	"fmt"
	"iter"
	"os"

	"copydesk/core/record"
)

// Read is all records of a session, oldest first, also while somebody writes it:
// no lock is taken, and what is half written at the end is not there yet. What
// is damaged is passed over, and counted by the function that comes with it,
// which may be called once the records were read. An error is the last thing of
// the sequence. It is ErrNone for a session that is not there, ErrForeign for
// one that another one's content has replaced.
func (s *Store) Read(ctx context.Context, id string) (iter.Seq2[record.Record, error], func() record.Skipped) {
	var skipped record.Skipped
	all := func(yield func(record.Record, error) bool) {
		skipped = record.Skipped{}
		s.read(ctx, id, mostSeq, &skipped, yield)
	}
	return all, func() record.Skipped { return skipped }
}

// read yields the records of a session with numbers below before; false when the
// reader wants no more.
func (s *Store) read(ctx context.Context, id string, before uint64, skipped *record.Skipped, yield func(record.Record, error) bool) bool {
	fail := func(err error) bool {
		return yield(record.Record{}, fmt.Errorf("read session %s: %w", id, err))
	}
	if !ValidID(id) {
		return fail(ErrNone)
	}
	if err := ctx.Err(); err != nil {
		return fail(err)
	}
	v, err := s.survey(id, nil)
	if err != nil {
		return fail(err)
	}
	if len(v.pieces) == 0 {
		return fail(ErrNone)
	}
	*skipped = v.skipped
	if number, ok := v.foreign(); ok && len(v.runs) == 0 {
		return fail(fmt.Errorf("%s: %w", s.path(segmentName(id, number)), ErrForeign))
	}
	m := &merge{store: s, id: id, skipped: skipped}
	defer m.close()
	for _, r := range v.runs {
		if r.first < before {
			m.waiting = append(m.waiting, &cursor{run: r, frame: frame{seq: r.first}})
		}
	}
	heap.Init(m)
	for n := 0; ; n++ {
		if n%64 == 0 && ctx.Err() != nil {
			return fail(ctx.Err())
		}
		r, ok := m.next()
		if !ok || r.Seq >= before {
			return true
		}
		if !yield(r, nil) {
			return false
		}
	}
}

// A merge puts the records of several runs in order. What a fault of the disk
// made the journal write twice comes once.
type merge struct {
	store   *Store
	id      string
	skipped *record.Skipped
	waiting []*cursor // a heap, by number and then place
	seq     uint64    // of the record that came last
	sum     uint32
}

// A cursor is a place in a run. Until its first record is due nothing is opened.
type cursor struct {
	run
	frame
	at    int64
	size  int64
	lines *lines
	file  file
}

func (m *merge) Len() int      { return len(m.waiting) }
func (m *merge) Swap(i, k int) { m.waiting[i], m.waiting[k] = m.waiting[k], m.waiting[i] }
func (m *merge) Push(any)      {} // none joins later
func (m *merge) Pop() any {
	last := m.waiting[len(m.waiting)-1]
	m.waiting = m.waiting[:len(m.waiting)-1]
	return last
}

func (m *merge) Less(i, k int) bool {
	a, b := m.waiting[i], m.waiting[k]
	switch {
	case a.seq != b.seq:
		return a.seq < b.seq
	case a.number != b.number:
		return a.number < b.number
	}
	return a.from < b.from
}

// next is the next record that can be read.
func (m *merge) next() (record.Record, bool) {
	for len(m.waiting) > 0 {
		c := m.waiting[0]
		if c.lines == nil {
			if !m.open(c) || !c.next() {
				m.drop()
			} else {
				heap.Fix(m, 0)
			}
			continue
		}
		r, ok := m.take(c)
		if !c.next() {
			m.drop()
		} else if len(m.waiting) > 1 {
			heap.Fix(m, 0)
		}
		if ok {
			return r, true
		}
	}
	return record.Record{}, false
}

// take reads the record at a cursor; false when it came before or is damaged.
func (m *merge) take(c *cursor) (record.Record, bool) {
	if c.seq == m.seq {
		if c.frame.sum != m.sum {
			m.skip(c.size)
		}
		return record.Record{}, false
	}
	object := []byte(`{}`)
	switch {
	case c.blob != nil:
		var err error
		if object, err = readBlob(m.store.disk, m.store.path(blobDir(m.id)), string(c.blob), c.frame.size); err != nil {
			m.store.o.Log.Warn("an entry of a session cannot be read", "session", m.id, "seq", c.seq, "error", err)
			m.skip(c.size)
			return record.Record{}, false
		}
	case len(c.rest) > 0: // the commas around the members become the braces
		object = append(c.rest, '}')
		object[0] = '{'
	}
	e, err := record.Decode(record.Kind(c.kind), object)
	if err != nil {
		m.skip(c.size)
		return record.Record{}, false
	}
	m.seq, m.sum = c.seq, c.frame.sum
	return record.Record{Seq: c.seq, Time: c.time(), Entry: e}, true
}

func (m *merge) skip(size int64) {
	m.skipped.Records++
	m.skipped.Bytes += size
}

func (m *merge) open(c *cursor) bool {
	f, err := m.store.disk.Open(m.store.path(segmentName(m.id, c.number)), os.O_RDONLY)
	if err != nil {
		m.store.o.Log.Warn("a part of a session cannot be read", "session", m.id, "segment", c.number, "error", err)
		m.skip(c.to - c.from)
		return false
	}
	c.file, c.lines = f, newLines(f, c.from, c.to)
	return true
}

// next goes to the next record of the run.
func (c *cursor) next() bool {
	for {
		line, at, size, _, over := c.lines.next()
		if size == 0 {
			return false
		}
		if over {
			continue
		}
		f, v := parse(line)
		if v == damaged {
			if found, _, ok := salvage(line); ok {
				f, v = found, good
			}
		}
		if v == good && f.seq >= c.first && f.seq <= c.last {
			c.frame, c.at, c.size = f, at, size
			return true
		}
	}
}

// drop takes the first cursor out.
func (m *merge) drop() {
	c := heap.Pop(m).(*cursor)
	if c.file != nil {
		_ = c.file.Close()
	}
}

func (m *merge) close() {
	for _, c := range m.waiting {
		if c.file != nil {
			_ = c.file.Close()
		}
	}
}
