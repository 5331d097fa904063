package markdown

import (
	"unicode"
	"unicode/utf8"

	"copydesk/core/text"
)

// An inliner paints the inlines of one segment: a paragraph, a heading or a
// table cell of at most segmentBytes. Its memory is used again for the next.
type inliner struct {
	src      []byte       // the segment: its lines without prefixes, joined by LF
	role     []text.Style // a role per byte; Plain: that of the surroundings
	lift     []lift       // where attributes begin and end, if lifted
	lifted   bool
	painted  bool // some byte has a role, or lifted
	delims   []delimiter
	brackets []bracket
	dead     int           // brackets before it cannot become links: they would hold one
	ticks    [maxTicks]int // where the last run of so many backticks begins
	ticked   bool          // ticks is filled to the end of src
	work     int           // steps of loops that look ahead or back, for the tests of cost
}

// A lift adds to how many spans of a kind cover the bytes from here on.
type lift struct{ bold, italic, strike, link int16 }

// maxTicks bounds the runs of backticks that can delimit a code span; longer
// ones are text, as in the reference implementation.
const maxTicks = 80

// special says where the loop over a segment must stop.
var special = [256]bool{
	'\\': true, '`': true, '*': true, '_': true, '~': true, '[': true, ']': true,
	'!': true, '<': true, '&': true, ':': true, '.': true,
}

// load sets the segment to s and forgets the one before.
func (in *inliner) load(s string) {
	in.src = append(in.src[:0], s...)
}

// join adds a line to the segment.
func (in *inliner) join(s string) {
	in.src = append(in.src, '\n')
	in.src = append(in.src, s...)
}

// run finds the inlines of what was loaded.
func (in *inliner) run() {
	in.lifted, in.painted, in.ticked, in.dead = false, false, false, 0
	in.delims, in.brackets = in.delims[:0], in.brackets[:0]
	src := in.src
	for i := 0; i < len(src); {
		if !special[src[i]] {
			i++
			continue
		}
		i = in.at(i)
	}
	in.emphasis(0)
}

// at handles the special byte at i and returns where to go on.
func (in *inliner) at(i int) int {
	src := in.src
	switch b := src[i]; b {
	case '\\':
		if i+1 < len(src) && (isASCIIPunct(src[i+1]) || src[i+1] == '\n') {
			in.set(i, i+1, text.Markup)
			return i + 2
		}
	case '`':
		return in.codeSpan(i)
	case '*', '_', '~':
		return in.delimiterRun(i, b)
	case '!':
		if i+1 < len(src) && src[i+1] == '[' {
			in.brackets = append(in.brackets, bracket{pos: i, size: 2, delims: len(in.delims)})
			return i + 2
		}
	case '[':
		in.brackets = append(in.brackets, bracket{pos: i, size: 1, delims: len(in.delims)})
	case ']':
		return in.closeBracket(i)
	case '<':
		return in.angle(i)
	case '&':
		return in.entity(i)
	case ':', '.':
		return in.bareURL(i)
	}
	return i + 1
}

// set gives bytes a role.
func (in *inliner) set(from, to int, style text.Style) {
	if !in.painted {
		in.painted = true
		if cap(in.role) < len(in.src) {
			in.role = make([]text.Style, len(in.src), 2*len(in.src))
		}
		in.role = in.role[:len(in.src)]
		clear(in.role)
	}
	for k := from; k < to; k++ {
		in.role[k] = style
	}
}

// raise adds l to the bytes from to to. The roles around it must have been set.
func (in *inliner) raise(from, to int, l lift) {
	if !in.lifted {
		in.lifted = true
		if cap(in.lift) <= len(in.src) {
			in.lift = make([]lift, len(in.src)+1, 2*len(in.src)+1)
		}
		in.lift = in.lift[:len(in.src)+1]
		clear(in.lift)
	}
	add(&in.lift[from], l, 1)
	add(&in.lift[to], l, -1)
}

func add(to *lift, l lift, sign int16) {
	to.bold += sign * l.bold
	to.italic += sign * l.italic
	to.strike += sign * l.strike
	to.link += sign * l.link
}

// walk hands out the style of each byte as runs, in order, over a base style.
// Neighbouring runs may have the same style.
func (in *inliner) walk(base text.Style, emit func(from, to int, style text.Style)) {
	if !in.painted {
		emit(0, len(in.src), base)
		return
	}
	var now lift
	for begin := 0; begin < len(in.src); {
		role, end := in.role[begin], begin+1
		if in.lifted {
			add(&now, in.lift[begin], 1)
			for end < len(in.src) && in.role[end] == role && in.lift[end] == (lift{}) {
				end++
			}
		} else {
			for end < len(in.src) && in.role[end] == role {
				end++
			}
		}
		emit(begin, end, now.over(base, role))
		begin = end
	}
}

// over is the style of a byte with the given role over the base.
func (l lift) over(base, role text.Style) text.Style {
	style := base
	switch {
	case role != text.Plain:
		style = role | base&^0xff
	case l.link > 0:
		style = text.Link | base&^0xff
	}
	if l.bold > 0 {
		style |= text.Bold
	}
	if l.italic > 0 {
		style |= text.Italic
	}
	if l.strike > 0 {
		style |= text.Strike
	}
	return style
}

func isASCIIPunct(b byte) bool {
	return b >= '!' && b <= '/' || b >= ':' && b <= '@' || b >= '[' && b <= '`' || b >= '{' && b <= '~'
}

// isPunct is CommonMark's punctuation: the Unicode categories P and S.
func isPunct(r rune) bool {
	if r < utf8.RuneSelf {
		return isASCIIPunct(byte(r))
	}
	return unicode.IsPunct(r) || unicode.IsSymbol(r)
}

// codeSpan paints the code span that begins at i, if one does.
func (in *inliner) codeSpan(i int) int {
	size := runAt(in.src, i)
	end := in.closingTicks(i+size, size)
	if end < 0 {
		return i + size
	}
	in.set(i, i+size, text.Markup)
	in.set(i+size, end, text.CodeSpan)
	in.set(end, end+size, text.Markup)
	return end + size
}

// closingTicks finds the next run of exactly size backticks, or -1. Once the
// end has been reached in vain, it is known where the last run of each size is,
// and no search is made in vain again: the cost of all is linear.
func (in *inliner) closingTicks(from, size int) int {
	if size >= maxTicks {
		return -1
	}
	if in.ticked && in.ticks[size] < from {
		return -1
	}
	if !in.ticked {
		clear(in.ticks[:])
	}
	for k := from; k < len(in.src); {
		in.work++
		if in.src[k] != '`' {
			k++
			continue
		}
		n := runAt(in.src, k)
		if n == size {
			return k
		}
		if n < maxTicks && !in.ticked {
			in.ticks[n] = k
		}
		k += n
	}
	in.ticked = true
	return -1
}

// runAt is how often the byte at i stands there.
func runAt(s []byte, i int) int {
	n := 1
	for i+n < len(s) && s[i+n] == s[i] {
		n++
	}
	return n
}
