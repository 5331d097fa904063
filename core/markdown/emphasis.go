package markdown

import (
	"unicode"
	"unicode/utf8"

	"copydesk/core/text"
)

// A delimiter is a run of *, _ or ~ that may open or close emphasis.
type delimiter struct {
	pos, size  int // what is left of the run
	whole      int // its size to begin with
	prev, next int // the neighbours that are left, as indices; -1: none
	mark       byte
	opens      bool
	closes     bool
}

// delimiterRun notes the run at i by the flanking rules of CommonMark 6.2.
func (in *inliner) delimiterRun(i int, mark byte) int {
	size := runAt(in.src, i)
	end := i + size
	if mark == '~' && size != 2 {
		return end
	}
	before, after := ' ', ' '
	if i > 0 {
		before, _ = utf8.DecodeLastRune(in.src[:i])
	}
	if end < len(in.src) {
		after, _ = utf8.DecodeRune(in.src[end:])
	}
	spaceBefore, spaceAfter := unicode.IsSpace(before), unicode.IsSpace(after)
	punctBefore, punctAfter := isPunct(before), isPunct(after)
	left := !spaceAfter && (!punctAfter || spaceBefore || punctBefore)
	right := !spaceBefore && (!punctBefore || spaceAfter || punctAfter)
	d := delimiter{pos: i, size: size, whole: size, mark: mark, opens: left, closes: right}
	if mark == '_' {
		d.opens = left && (!right || punctBefore)
		d.closes = right && (!left || punctAfter)
	}
	if d.opens || d.closes {
		in.delims = append(in.delims, d)
	}
	return end
}

// bottoms remembers, for each kind of closing run, below which index there is
// no opening one for it. It is what keeps the cost of hostile text linear.
type bottoms [3 * 2 * 3]int

func (d *delimiter) kind() int {
	k := d.whole % 3
	if d.opens {
		k += 3
	}
	switch d.mark {
	case '_':
		k += 6
	case '~':
		k += 12
	}
	return k
}

// emphasis pairs the delimiters from index bottom on, and forgets them
// (CommonMark, "process emphasis").
func (in *inliner) emphasis(bottom int) {
	delims := in.delims
	for k := bottom; k < len(delims); k++ {
		delims[k].prev, delims[k].next = k-1, k+1
	}
	if bottom < len(delims) {
		delims[bottom].prev, delims[len(delims)-1].next = -1, -1
	}
	var low bottoms
	for k := range low {
		low[k] = bottom
	}
	closer := -1
	if bottom < len(delims) {
		closer = bottom
	}
	for closer >= 0 {
		c := &delims[closer]
		if !c.closes {
			closer = c.next
			continue
		}
		kind := c.kind()
		opener := in.opener(closer, low[kind])
		if opener < 0 {
			low[kind] = closer
			next := c.next
			if !c.opens {
				in.unlink(closer)
			}
			closer = next
			continue
		}
		closer = in.pair(opener, closer)
	}
	in.delims = delims[:bottom]
}

// opener finds the run that closer closes, not below index low; -1: none.
func (in *inliner) opener(closer, low int) int {
	c := &in.delims[closer]
	for k := c.prev; k >= low; k = in.delims[k].prev {
		in.work++
		o := &in.delims[k]
		if o.mark != c.mark || !o.opens {
			continue
		}
		thirds := (o.closes || c.opens) && c.whole%3 != 0 && (o.whole+c.whole)%3 == 0
		if !thirds || c.mark == '~' {
			return k
		}
	}
	return -1
}

// pair paints the emphasis between two runs and returns the next run to look
// at as a closing one.
func (in *inliner) pair(opener, closer int) int {
	o, c := &in.delims[opener], &in.delims[closer]
	l, size := lift{italic: 1}, 1
	switch {
	case c.mark == '~':
		l, size = lift{strike: 1}, 2
	case o.size >= 2 && c.size >= 2:
		l, size = lift{bold: 1}, 2
	}
	begin := o.pos + o.size
	in.set(begin-size, begin, text.Markup)
	in.set(c.pos, c.pos+size, text.Markup)
	in.raise(begin, c.pos, l)
	o.size -= size
	c.size -= size
	c.pos += size
	o.next, c.prev = closer, opener // what stands between can no longer pair
	if o.size == 0 {
		in.unlink(opener)
	}
	if c.size > 0 {
		return closer
	}
	next := c.next
	in.unlink(closer)
	return next
}

func (in *inliner) unlink(k int) {
	d := &in.delims[k]
	if d.prev >= 0 {
		in.delims[d.prev].next = d.next
	}
	if d.next >= 0 {
		in.delims[d.next].prev = d.prev
	}
}
