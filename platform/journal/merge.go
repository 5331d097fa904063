package journal

import (
	"bytes"
	"cmp"
	"container/heap"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"copydesk/core/record"
)

// How much is read ahead for a record that is missing, in case that it only
// stands in another place (R24).
const (
	windowBytes   = 4 << 20
	windowRecords = 4096
	mostClaims    = 1 << 16
)

// merge is all segments of a session in the order of their records' numbers. A
// number that comes again is the same record, written again after a failure
// (R22), and is left out.
type merge struct {
	id      string
	cursors []*cursor
	last    *cursor     // of the last segment
	memory  []*line     // what a journal holds, after the segments
	until   uint64      // the last number that is wanted; 0: all are
	ahead   window      // records behind one that is missing
	bytes   int         // of them
	at      uint64      // the number that came last
	seen    [][2]uint64 // the numbers that came: ranges with both ends
	pending *cursor     // whose head was handed out

	lost    record.Skipped
	claims  []claim
	tailBad int64 // of a damaged last line without an end
}

// claim is a damaged line that says which record it was.
type claim struct {
	seq   uint64
	bytes int64
}

// merged opens all of a session for reading, and memory behind it.
func (s *Store) merged(id string, memory []*line) (*merge, error) {
	m := &merge{id: id, memory: memory}
	numbers, err := s.segments(id)
	if whole := len(memory) > 0 && memory[0].seq == 1; err != nil && !whole && !(memory != nil && errors.Is(err, fs.ErrNotExist)) {
		return nil, err
	}
	for i, n := range numbers {
		c := &cursor{src: located{s.fs, s.path(segmentName(id, n))}}
		if info, err := s.fs.Lstat(s.path(segmentName(id, n))); err == nil {
			c.size = info.Size()
		}
		last := i == len(numbers)-1
		c.bad = func(seq uint64, bytes int64, newer, tail bool) { m.bad(seq, bytes, newer, tail && last) }
		if err := c.next(); err != nil {
			return nil, err
		}
		if err := c.belongs(id); err != nil {
			if memory != nil {
				continue // the journal sets it right when it syncs
			}
			return nil, err
		}
		m.cursors = append(m.cursors, c)
		m.last = c
	}
	return m, nil
}

// belongs holds that a segment's header names the session (R52). A segment whose
// header is lost is taken at its name.
func (c *cursor) belongs(id string) error {
	if c.done || c.head.kind != record.KindHeader {
		return nil
	}
	e, err := record.Decode(record.KindHeader, c.head.line)
	if err != nil {
		return nil
	}
	if got := e.(record.Header).ID; got != id {
		return fmt.Errorf("%w: its header names %.40q", ErrForeign, got)
	}
	return nil
}

// bad counts a line that is no good. end is set for the last line of all without
// an end: somebody may be writing it just now.
func (m *merge) bad(seq uint64, bytes int64, newer, end bool) {
	m.lost.Newer = m.lost.Newer || newer
	switch {
	case end && !newer:
		m.tailBad = bytes
	case seq != 0 && len(m.claims) < mostClaims:
		m.claims = append(m.claims, claim{seq, bytes})
	default:
		m.lost.Records++
		m.lost.Bytes += bytes
	}
}

// skipped is what could not be read. A damaged line whose record came from
// elsewhere is the trace of a failed write, and nothing is missing.
func (m *merge) skipped() record.Skipped {
	lost := m.lost
	for _, c := range m.claims {
		if !m.came(c.seq) {
			lost.Records++
			lost.Bytes += c.bytes
		}
	}
	return lost
}

// claimed is the highest number that a damaged line has, if that can be true: no
// new record may take its place, or nothing would seem to be missing.
func (m *merge) claimed() uint64 {
	highest := uint64(0)
	for _, c := range m.claims {
		if c.seq <= m.at+uint64(len(m.claims)+m.lost.Records) {
			highest = max(highest, c.seq)
		}
	}
	return highest
}

func (m *merge) came(seq uint64) bool {
	_, found := slices.BinarySearchFunc(m.seen, seq, func(r [2]uint64, seq uint64) int {
		switch {
		case seq < r[0]:
			return 1
		case seq > r[1]:
			return -1
		}
		return 0
	})
	return found
}

// each decodes all records. What cannot be decoded is counted.
func (m *merge) each(ctx context.Context, s *Store, yield func(record.Record, error) bool) error {
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		f, err := m.next()
		if err != nil {
			return err
		}
		if f.seq == 0 || m.until != 0 && f.seq > m.until {
			return nil
		}
		length := int64(len(f.line) + 1)
		r, err := s.decode(m.id, f)
		if err != nil {
			s.o.Log.Warn("a record was passed over", "session", m.id, "seq", f.seq, "reason", err)
			m.lost.Records++
			m.lost.Bytes += length
			continue
		}
		if !yield(r, nil) {
			return nil
		}
	}
}

// next is the next record; its seq is 0 when there is none any more. The frame
// holds until next is called again.
func (m *merge) next() (frame, error) {
	if m.pending != nil {
		c := m.pending
		m.pending = nil
		if err := c.next(); err != nil {
			return frame{}, err
		}
	}
	for {
		if len(m.ahead) > 0 && m.ahead[0].seq <= m.at+1 {
			if f := m.pop(); f.seq > m.at {
				return m.note(f), nil
			}
			continue
		}
		c, f, err := m.least()
		if err != nil {
			return frame{}, err
		}
		switch {
		case f.seq == 0 && len(m.ahead) == 0:
			return frame{}, nil
		case f.seq == 0 || m.bytes > windowBytes || len(m.ahead) > windowRecords:
			return m.note(m.pop()), nil
		case f.seq == m.at+1:
			if m.pending = c; c == nil {
				f = m.recall()
			}
			return m.note(f), nil
		}
		if c == nil {
			f = m.recall()
		} else {
			f.line, f.at = bytes.Clone(f.line), bytes.Clone(f.at)
			if err := c.next(); err != nil {
				return frame{}, err
			}
		}
		heap.Push(&m.ahead, f)
		m.bytes += len(f.line)
	}
}

func (m *merge) pop() frame {
	f := heap.Pop(&m.ahead).(frame)
	m.bytes -= len(f.line)
	return f
}

// note remembers that a record comes.
func (m *merge) note(f frame) frame {
	if n := len(m.seen); n > 0 && m.seen[n-1][1]+1 == f.seq {
		m.seen[n-1][1] = f.seq
	} else {
		m.seen = append(m.seen, [2]uint64{f.seq, f.seq})
	}
	m.at = f.seq
	return f
}

// least is the record with the lowest number at the heads of the segments and of
// the memory, for which the cursor is nil. Those that came already are passed.
func (m *merge) least() (*cursor, frame, error) {
	var from *cursor
	var found frame
	for _, c := range m.cursors {
		for !c.done && c.head.seq <= m.at {
			if !m.came(c.head.seq) { // it stands further back than is looked ahead
				m.lost.Records++
				m.lost.Bytes += int64(len(c.head.line) + 1)
			}
			if err := c.next(); err != nil {
				return nil, frame{}, err
			}
		}
		if !c.done && (found.seq == 0 || c.head.seq < found.seq) {
			from, found = c, c.head
		}
	}
	for len(m.memory) > 0 && m.memory[0].seq <= m.at {
		m.memory = m.memory[1:]
	}
	if len(m.memory) > 0 && (found.seq == 0 || m.memory[0].seq < found.seq) {
		from, found = nil, frame{seq: m.memory[0].seq}
	}
	return from, found, nil
}

// recall takes the first record out of the memory. Lines there are never
// changed, so it makes a copy.
func (m *merge) recall() frame {
	l := m.memory[0]
	m.memory = m.memory[1:]
	f, _ := parse(bytes.Clone(l.data[:len(l.data)-1]))
	f.blob = l.blob
	return f
}

// window holds frames by their numbers, the lowest first.
type window []frame

func (w window) Len() int           { return len(w) }
func (w window) Less(i, j int) bool { return cmp.Less(w[i].seq, w[j].seq) }
func (w window) Swap(i, j int)      { w[i], w[j] = w[j], w[i] }
func (w *window) Push(f any)        { *w = append(*w, f.(frame)) }
func (w *window) Pop() any {
	old := *w
	f := old[len(old)-1]
	*w = old[:len(old)-1]
	return f
}
