package rpc

import (
	"bytes"
	"io"
)

const (
	// readBytes is how much is read at once, and the buffer's size for short
	// lines.
	readBytes = 64 << 10

	// keptBytes is how large a buffer is used again.
	keptBytes = 1 << 20

	// headBytes is how much of a line that is too long is looked at.
	headBytes = 4 << 10

	// idleReads is how often a reader may return nothing and no error.
	idleReads = 100
)

// A lineReader cuts a stream into lines. It is no bufio.Scanner, which stops
// for ever at a long line, and no json.Decoder, whose errors stay (R11, R12).
type lineReader struct {
	r   io.Reader
	max int // the longest line, in bytes, without its end

	buf        []byte
	start, end int   // what was read and not handed out: buf[start:end]
	seen       int   // there is no end of a line in buf[start:seen]
	skipped    int64 // how long the last line was that was too long
	err        error
}

// next returns the next line without its "\n", valid until the next call; see
// owned. With ErrLine it is the beginning of a line that was too long
// and was read to its end. With another error it is what came after the last end of
// a line, and the error stays.
func (l *lineReader) next() ([]byte, error) {
	for {
		if i := bytes.IndexByte(l.buf[l.seen:l.end], '\n'); i >= 0 {
			line := l.buf[l.start : l.seen+i]
			l.start += len(line) + 1
			l.seen = l.start
			if len(line) > l.max {
				l.skipped = int64(len(line))
				return line[:min(headBytes, len(line))], ErrLine
			}
			return line, nil
		}
		l.seen = l.end
		if l.end-l.start > l.max {
			return l.skip()
		}
		if l.err != nil {
			return l.buf[l.start:l.end], l.err
		}
		l.fill()
	}
}

// owned reports whether the line that next returned stays as it is: a large
// buffer is used for one long line only.
func (l *lineReader) owned() bool { return len(l.buf) > keptBytes }

// fill reads once, into room that it makes if there is none.
func (l *lineReader) fill() {
	rest := l.end - l.start
	switch size := len(l.buf); {
	case l.buf == nil || size > keptBytes && rest <= readBytes:
		l.move(2 * readBytes) // the long line has been handed out
	case size-l.end >= readBytes/2:
	case rest < size/2:
		l.move(size)
	case size == l.end:
		l.move(min(2*size, l.max+readBytes+1))
	}
	for range idleReads {
		// No more than this at once: what stands behind a long line is moved.
		n, err := l.r.Read(l.buf[l.end:min(len(l.buf), l.end+readBytes)])
		l.end += n
		if n > 0 || err != nil {
			l.err = err
			return
		}
	}
	l.err = io.ErrNoProgress
}

// move puts what was not handed out at the beginning of a buffer of the size.
func (l *lineReader) move(size int) {
	buf := l.buf
	if size != len(buf) {
		buf = make([]byte, size)
	}
	l.end = copy(buf, l.buf[l.start:l.end])
	l.start, l.seen, l.buf = 0, l.end, buf
}

// skip reads a line that is too long to its end and keeps the head of it.
func (l *lineReader) skip() ([]byte, error) {
	head := bytes.Clone(l.buf[l.start : l.start+min(headBytes, l.end-l.start)])
	l.skipped = int64(l.end - l.start)
	l.start, l.seen, l.end = 0, 0, 0
	l.buf = make([]byte, 2*readBytes)
	for l.err == nil {
		l.fill()
		if i := bytes.IndexByte(l.buf[:l.end], '\n'); i >= 0 {
			l.skipped += int64(i)
			l.start, l.seen = i+1, i+1
			return head, ErrLine
		}
		l.skipped += int64(l.end)
		l.end = 0
	}
	return head, ErrLine
}
