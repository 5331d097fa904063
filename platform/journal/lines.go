package journal

import (
	"bytes"
	"errors"
	"io"
)

// lines cuts a stretch of a file into lines. Its memory does not get larger than
// the longest line that is taken.
type lines struct {
	from  io.ReaderAt
	at    int64 // of buf[start] in the file
	read  int64 // how far the file is read
	limit int64 // where the stretch ends
	buf   []byte
	start int
	end   int
	err   error
}

const readAtOnce = 256 << 10

func newLines(from io.ReaderAt, start, limit int64) *lines {
	return &lines{from: from, at: start, read: start, limit: limit, buf: make([]byte, min(readAtOnce, max(limit-start, 1)))}
}

// next is the next line without its line end, and where it began. It is good
// until the next call. whole is false for what is behind the last line end, and
// over true for a line that is too long: then there is nothing of it. At the end
// size is 0.
func (l *lines) next() (line []byte, at, size int64, whole, over bool) {
	at = l.at
	searched := 0
	for {
		if i := bytes.IndexByte(l.buf[l.start+searched:l.end], '\n'); i >= 0 {
			i += searched
			line = l.buf[l.start : l.start+i]
			l.start += i + 1
			l.at += int64(i + 1)
			if over {
				line = nil
			}
			return line, at, l.at - at, true, over
		}
		searched = l.end - l.start
		if searched > mostLine {
			over = true
			l.at += int64(searched)
			l.start, l.end, searched = 0, 0, 0
		}
		if !l.fill() {
			line = l.buf[l.start:l.end]
			l.at += int64(len(line))
			l.start = l.end
			if over {
				line = nil
			}
			return line, at, l.at - at, false, over
		}
	}
}

// fill reads on; false at the end, or when nothing more can be read.
func (l *lines) fill() bool {
	left := l.limit - l.read
	if left <= 0 || l.err != nil {
		return false
	}
	if l.start > 0 {
		l.end = copy(l.buf, l.buf[l.start:l.end])
		l.start = 0
	}
	if l.end == len(l.buf) {
		l.buf = append(l.buf, make([]byte, len(l.buf))...)
	}
	n, err := l.from.ReadAt(l.buf[l.end:min(int64(len(l.buf)), int64(l.end)+left)], l.read)
	l.end += n
	l.read += int64(n)
	if err != nil && !errors.Is(err, io.EOF) {
		l.err = err
	}
	return n > 0
}
