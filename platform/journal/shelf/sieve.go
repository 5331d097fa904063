package shelf

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/bits"
	"os"
	"path/filepath"
)

// window is how many bytes of a file are looked at together. The last overlap of
// them are looked at again with the next ones: what is searched there, and what
// stands around a quotation mark, is shorter than half of that.
const (
	window  = 1 << 20
	overlap = 4 * mostNeedle
)

// A sieve finds sessions that cannot have the words of a query, without decoding
// them. It may pass what does not have them, and never holds back what does: each
// word's needle is in some string of a record, or it is cut. Then one string ends
// with its beginning, one begins with its end, and each of those that lie between
// is a part of it as a whole. Which records they are in, and in which order,
// makes no difference to the sieve.
type sieve struct {
	seeks []seek
	buf   []byte
}

// seek is what is known of one needle in one session.
type seek struct {
	needle
	places [256]uint64 // of each byte: where the needle has it

	found  bool
	ends   uint64             // a string ends with as many bytes of the needle
	begins uint64             // a string begins with what is behind as many bytes
	whole  [mostNeedle]uint64 // a string is all between these places
}

func newSieve(q Query) *sieve {
	s := new(sieve)
	for _, w := range q.words {
		if !w.needle.given() {
			continue
		}
		k := seek{needle: w.needle}
		for i := range len(k.text) {
			c := k.text[i]
			k.places[c] |= 1 << i
			if c >= 'a' {
				k.places[c-'a'+'A'] |= 1 << i
			}
		}
		s.seeks = append(s.seeks, k)
	}
	return s
}

// passes reports whether a session can have the words. What cannot be read
// passes: whoever reads it next says why.
func (s *sieve) passes(ctx context.Context, shelf *Shelf, t *stored) bool {
	if len(s.seeks) == 0 {
		return true
	}
	for i := range s.seeks {
		k := &s.seeks[i]
		k.found, k.ends, k.begins, k.whole = false, 0, 0, [mostNeedle]uint64{}
	}
	for _, number := range t.segments {
		done, err := s.file(ctx, shelf, t.name(number))
		if done || err != nil {
			return true
		}
	}
	if t.blobs {
		entries, err := os.ReadDir(filepath.Join(shelf.o.Dir, t.id+blobs))
		if err != nil {
			return true
		}
		for _, e := range entries {
			done, err := s.file(ctx, shelf, filepath.Join(t.id+blobs, e.Name()))
			if done || err != nil {
				return true
			}
		}
	}
	for i := range s.seeks {
		if !s.seeks[i].possible() {
			return false
		}
	}
	return true
}

// file looks at one file. Done says that all needles have been found.
func (s *sieve) file(ctx context.Context, shelf *Shelf, name string) (done bool, err error) {
	f, err := shelf.open(name)
	if err != nil {
		return false, err
	}
	defer f.Close()
	if s.buf == nil {
		s.buf = make([]byte, window)
	}
	kept := 0
	for {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		n, err := io.ReadFull(f, s.buf[kept:])
		if s.look(s.buf[:kept+n]) {
			return true, nil
		}
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		kept = copy(s.buf, s.buf[len(s.buf)-overlap:])
	}
}

func (s *sieve) look(b []byte) (all bool) {
	all = true
	for i := range s.seeks {
		k := &s.seeks[i]
		if k.found {
			continue
		}
		if k.encoded(b) {
			k.found = true
			continue
		}
		k.seams(b)
		all = false
	}
	return all
}

// seams looks at what stands before and behind each quotation mark: there begins
// or ends a string, unless it is a quotation mark in one.
func (k *seek) seams(b []byte) {
	last := uint64(1) << (len(k.text) - 1)
	for q := bytes.IndexByte(b, '"'); q < len(b) && q >= 0; q = next(b, '"', q) {
		if q > 0 {
			for m := k.places[b[q-1]] &^ last; m != 0; m &= m - 1 {
				k.end(b[:q], bits.TrailingZeros64(m)+1)
			}
		}
		if q+1 == len(b) {
			return
		}
		for m := k.places[b[q+1]] &^ 1; m != 0; m &= m - 1 {
			k.begin(b[q+1:], bits.TrailingZeros64(m))
		}
	}
}

// end notes that a string ends with the first n bytes of the needle, if it does.
func (k *seek) end(b []byte, n int) {
	if len(b) >= n && k.match(b[len(b)-n:], 0) == n {
		k.ends |= 1 << n
	}
}

// begin notes that a string begins with, or is, what follows a place of the
// needle, if that is so.
func (k *seek) begin(b []byte, from int) {
	n := k.match(b, from)
	switch {
	case from+n == len(k.text):
		k.begins |= 1 << from
	case n < len(b) && b[n] == '"':
		k.whole[from] |= 1 << (from + n)
	}
}

// possible reports whether the needle was found, or strings that it can be cut
// into.
func (k *seek) possible() bool {
	if k.found {
		return true
	}
	upto := k.ends
	for i := range len(k.text) {
		if upto&(1<<i) != 0 {
			upto |= k.whole[i]
		}
	}
	return upto&k.begins != 0
}
