package journal

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"copydesk/core/record"
)

// A run is a stretch of a segment in which the records' numbers grow. A segment
// that nothing has damaged is one run.
type run struct {
	number int   // of the segment
	from   int64 // where its first line begins
	to     int64 // where its last one ends
	first  uint64
	last   uint64
	sum    uint32 // of the last one
}

// A piece is what a survey finds of one segment.
type piece struct {
	number  int
	size    int64
	tail    int64 // where what is behind the last line end begins; size when there is nothing
	joins   bool  // the tail is a whole record that lacks its line end
	headed  bool  // it has a header
	foreign bool  // it has, or goes on with, another session's content
}

// A survey is what there is of a session, without any record's content. It is
// all that is needed to go on with one, and to read it in order without holding
// it in memory.
type survey struct {
	runs    []run
	pieces  []piece
	last    uint64 // the highest number of a record
	header  []byte // the header's line
	skipped record.Skipped
}

// foreign is the first segment with another session's content.
func (v *survey) foreign() (int, bool) {
	for _, p := range v.pieces {
		if p.foreign {
			return p.number, true
		}
	}
	return 0, false
}

// survey reads all segments of a session once and checks every line. each is
// called with the frame of every good record, and may be nil.
func (s *Store) survey(id string, each func(frame)) (*survey, error) {
	numbers, err := segments(s.disk, s.o.Dir, id)
	if err != nil {
		return nil, err
	}
	v := &survey{}
	known := map[string]bool{}
	for _, number := range numbers {
		if err := s.surveySegment(v, id, number, known, each); err != nil {
			return nil, err
		}
	}
	return v, nil
}

func (s *Store) surveySegment(v *survey, id string, number int, known map[string]bool, each func(frame)) error {
	path := s.path(segmentName(id, number))
	f, err := s.disk.Open(path, os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // it has gone since
	}
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	p := piece{number: number, size: info.Size(), tail: info.Size()}
	var now *run
	foreign := false
	all := newLines(f, 0, p.size)
	for {
		line, at, size, whole, over := all.next()
		if size == 0 {
			break
		}
		var f frame
		verdict := damaged
		if !over {
			f, verdict = parse(line)
		}
		if !whole {
			if p.tail = at; verdict != good {
				v.skipped.Newer = v.skipped.Newer || verdict == newer
				break
			}
			p.joins = true
		}
		if verdict == damaged {
			if found, from, ok := salvage(line); ok {
				v.skip(int64(from))
				f, verdict = found, good
			}
		}
		if verdict == good && !knows(known, f.kind) {
			verdict = damaged
		}
		if verdict == good && string(f.kind) == string(record.KindHeader) {
			if foreign = headerID(f) != id; !foreign {
				p.headed = true
				if v.header == nil {
					v.header = append(append([]byte(nil), line[len(line)-lineLength(f, line):]...), '\n')
				}
			} else {
				p.foreign = true
			}
		}
		if len(line) == 0 && !over {
			continue // it sets a write apart from one that failed
		}
		if verdict != good || foreign {
			v.skipped.Newer = v.skipped.Newer || verdict == newer
			v.skip(size)
			continue
		}
		if each != nil {
			each(f)
		}
		v.last = max(v.last, f.seq)
		if now == nil || f.seq < now.last || f.seq == now.last && f.sum != now.sum {
			v.runs = append(v.runs, run{number: number, from: at, first: f.seq})
			now = &v.runs[len(v.runs)-1]
		}
		now.last, now.sum, now.to = f.seq, f.sum, at+size
	}
	if rest := p.size - all.at; all.err != nil && rest > 0 {
		s.o.Log.Warn("a part of a session cannot be read", "path", path, "offset", all.at, "error", all.err)
		v.skip(rest)
		p.tail = p.size
	}
	v.pieces = append(v.pieces, p)
	return nil
}

func (v *survey) skip(size int64) {
	v.skipped.Records++
	v.skipped.Bytes += size
}

// lineLength is the length of the record at the end of a line; there may be
// something else before it.
func lineLength(f frame, line []byte) int {
	if g, v := parse(line); v == good && g.seq == f.seq {
		return len(line)
	}
	_, at, _ := salvage(line)
	return len(line) - at
}

// knows reports whether entries of a kind can be read. seen are the kinds that
// were asked for before.
func knows(seen map[string]bool, kind []byte) bool {
	known, ok := seen[string(kind)]
	if !ok {
		_, err := record.Decode(record.Kind(kind), []byte(`{}`))
		known = !errors.Is(err, record.ErrKind)
		if len(seen) < 1000 {
			seen[string(kind)] = known
		}
	}
	return known
}

// headerID is the session that a header is of; empty when it says none.
func headerID(f frame) string {
	object := append([]byte{'{'}, f.rest[min(1, len(f.rest)):]...)
	var header struct {
		ID string `json:"id"`
	}
	if json.Unmarshal(append(object, '}'), &header) != nil {
		return ""
	}
	return header.ID
}
