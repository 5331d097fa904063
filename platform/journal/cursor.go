package journal

import (
	"bytes"
	"errors"
	"io"
	"os"
)

const (
	readAhead   = 256 << 10 // bytes that are read at once
	scrapOfTail = 64 << 10  // how much of an endless line is looked at
)

// located reads a file by its name and opens it each time: a session has any
// number of segments, a process few descriptors (R43), and nothing is read of a
// file once it has been removed.
type located struct {
	fs   files
	name string
}

func (l located) ReadAt(p []byte, off int64) (int, error) {
	f, err := l.fs.Open(l.name, os.O_RDONLY)
	if errors.Is(err, os.ErrNotExist) {
		return 0, io.EOF
	}
	if err != nil {
		return 0, err
	}
	defer f.Close()
	return f.ReadAt(p, off)
}

// cursor goes through the lines of one file. It holds one line in memory, and no
// more than maxLine of that.
type cursor struct {
	src  io.ReaderAt
	size int64 // how long the file was; 0: not known
	buf  []byte
	pos  int   // of what is not read yet in buf
	off  int64 // of the end of buf in the file
	eof  bool
	head frame  // the good line that next has found
	prev uint64 // its number, or that of the one before
	done bool   // there is none any more

	// bad gets every line that is no good: what can be read of its number, its
	// length with the line end, and whether it is of a newer version. tail is set
	// for what stands behind the last line end.
	bad func(seq uint64, bytes int64, newer, tail bool)

	// glued is what is still to be looked at of a line that is no good: whole
	// records can stand in it where a line end was lost.
	glued []byte

	// open is the length of a last line without an end, at the end.
	open     int
	openGood bool // there is a whole record in it
}

// next goes to the next good line.
func (c *cursor) next() error {
	for {
		if c.unglue() {
			return nil
		}
		line, length, ended, err := c.line()
		if err != nil {
			return err
		}
		if length == 0 {
			c.done, c.head = true, frame{}
			return nil
		}
		line = bytes.TrimSuffix(line, []byte{'\r'})
		if len(line) == 0 && ended {
			continue
		}
		f, q := parse(line)
		if length > maxLine {
			q = damaged
		}
		if !ended {
			c.open, c.openGood = int(length), q == good
		}
		if q == good {
			c.head, c.prev = f, f.seq
			return nil
		}
		if q == damaged && length <= maxLine {
			c.glued = line
			if n, found := c.whole(); found {
				c.openGood = c.openGood || !ended
				f.seq, length = 0, n
			} else {
				c.glued = nil
			}
		}
		if f.seq == 0 && c.glued == nil && stub(line) {
			f.seq = c.prev + 1
		}
		if c.bad != nil && length > 0 {
			c.bad(f.seq, length, q == newer, !ended)
		}
	}
}

// unglue goes to the next record in the line that is being looked at.
func (c *cursor) unglue() bool {
	f, rest, ok := embedded(c.glued)
	if c.glued = rest; ok {
		c.head, c.prev = f, f.seq
	}
	return ok
}

// whole reports whether there are records in the line that is being looked at,
// and how many bytes of it belong to none.
func (c *cursor) whole() (waste int64, found bool) {
	rest := c.glued
	waste = int64(len(rest))
	for {
		f, more, ok := embedded(rest)
		if !ok {
			return waste, found
		}
		waste -= int64(len(f.line))
		rest, found = more, true
	}
}

// embedded finds the first whole record in a line, and what is behind it. In a
// string every quotation mark has a backslash before it, so what begins and ends
// as a record does, with the right checksum, is one.
func embedded(line []byte) (f frame, rest []byte, ok bool) {
	for {
		at := bytes.Index(line, []byte(`{"v":`))
		if at < 0 {
			return frame{}, nil, false
		}
		line = line[at:]
		next := bytes.Index(line[1:], []byte(`{"v":`)) + 1
		if next == 0 {
			next = len(line)
		}
		for from := 0; ; {
			i := bytes.Index(line[from:next], []byte(`,"c":"`))
			if i < 0 {
				break
			}
			from += i
			if end := from + crcTail; end <= next {
				if f, q := parse(line[:end]); q == good {
					return f, line[end:], true
				}
			}
			from++
		}
		line = line[next:]
	}
}

// line reads the next line, without its end. length is that with the end, 0 at
// the end of the file. A line that is too long is read over and only its
// beginning comes back.
func (c *cursor) line() (line []byte, length int64, ended bool, err error) {
	seen := 0
	for {
		rest := c.buf[c.pos:]
		if i := bytes.IndexByte(rest[seen:], '\n'); i >= 0 {
			i += seen
			c.pos += i + 1
			return rest[:i], int64(i + 1), true, nil
		}
		seen = len(rest)
		if c.eof {
			c.pos += seen
			return rest, int64(seen), false, nil
		}
		if seen > maxLine {
			return c.endless()
		}
		if err := c.fill(); err != nil {
			return nil, 0, false, err
		}
	}
}

// endless reads over a line that is too long.
func (c *cursor) endless() (line []byte, length int64, ended bool, err error) {
	line = bytes.Clone(c.buf[c.pos : c.pos+scrapOfTail])
	for {
		rest := c.buf[c.pos:]
		if i := bytes.IndexByte(rest, '\n'); i >= 0 {
			c.pos += i + 1
			return line, length + int64(i+1), true, nil
		}
		length += int64(len(rest))
		c.pos = len(c.buf)
		if c.eof {
			return line, length, false, nil
		}
		if err := c.fill(); err != nil {
			return nil, 0, false, err
		}
	}
}

// room is how much is read first: a small file needs little.
func (c *cursor) room() int {
	if c.size > 0 && c.size < readAhead/2 {
		return int(c.size) + 512 // the end is seen with the first read
	}
	return readAhead
}

// fill reads more behind what is not read yet.
func (c *cursor) fill() error {
	n := copy(c.buf, c.buf[c.pos:])
	c.pos = 0
	if cap(c.buf)-n < c.room()/2 {
		grown := make([]byte, n, max(c.room(), 2*cap(c.buf)))
		copy(grown, c.buf[:n])
		c.buf = grown
	}
	c.buf = c.buf[:cap(c.buf)]
	got, err := c.src.ReadAt(c.buf[n:], c.off)
	c.buf = c.buf[:n+got]
	c.off += int64(got)
	switch {
	case errors.Is(err, io.EOF):
		c.eof = true
	case err != nil:
		return err
	case got == 0:
		return io.ErrNoProgress
	}
	return nil
}
