package markdown

import (
	"unicode/utf8"

	"copydesk/core/text"
)

// The limits that keep the cost of a chunk from growing with the answer. They
// depend on the text alone, so that the styles do not depend on how it was cut.
const (
	lineBytes    = 16 << 10 // of a longer line only the beginning is painted
	segmentLines = 64       // a longer paragraph is painted in segments
	segmentBytes = 16 << 10
	maxDepth     = 24 // more containers inside each other are text
)

// A kind is what a line is.
type kind uint8

const (
	blank kind = iota
	paragraphText
	atxHeading
	setextUnderline
	thematicBreak
	fenceOpen
	fenceClose
	fencedText
	indentedText
	htmlText
	htmlComment
	tableDelimiter
	tableRow
	linkDefinition
)

// A leaf is the block that is open inside the innermost container.
type leaf uint8

const (
	noLeaf leaf = iota
	paragraph
	fenced
	indented
	html
	table
)

// A container is an open block quote or list item.
type container struct {
	quote  bool
	hollow bool  // an item that began with an empty line and has nothing yet
	indent int32 // columns that an item's content is indented by
}

// A fence is an open code fence.
type fence struct {
	marker   byte
	length   int // of the opening run
	indent   int // columns before it
	language string
}

// A state is what one line hands on to the next. It is a value: to scan a line
// for the time being is to scan it with a copy.
type state struct {
	stack    [maxDepth]container
	depth    int
	leaf     leaf
	fence    fence
	htmlEnd  string // what ends the HTML block; "" is an empty line
	lines    int    // of the open segment
	bytes    int
	lastText string // the last line of the open paragraph: may become a table's header
}

// A record is one scanned line.
type record struct {
	text   string
	prefix []text.Span // styles of text[:from]
	spans  []text.Span // styles of the whole line, once it is painted
	from   int         // where the content begins
	to     int         // where it ends, for inlines and code
	aux    [2]int      // a fence's info word; a heading's content
	pad    int         // columns of a tab before from that belong to the content
	kind   kind
	base   text.Style // of content without a style of its own
	first  bool       // begins a segment of a paragraph
	patch  bool       // a line of a diff
	done   bool       // is painted
}

// A scanner finds the block structure line by line, by the rules of CommonMark
// 0.31 and the tables of GFM.
type scanner struct {
	state
	prefix []text.Span // of the line in hand
	marked int         // how many bytes prefix covers
	base   text.Style
	item   bool // the line in hand has just opened a list item
}

// scan scans one line. The record's prefix is the scanner's own and must be
// copied.
func (sc *scanner) scan(line string) record {
	full := line
	line = clip(line)
	sc.prefix, sc.marked, sc.base, sc.item = sc.prefix[:0], 0, text.Plain, false
	var r record
	if sc.depth == 0 && line != "" && ordinary(line[0]) && sc.leaf != html && sc.leaf != indented {
		r = sc.ordinaryLine(line)
	} else {
		c := cursor{s: line}
		r = sc.structured(&c)
		r.from, r.pad = c.pos, c.owed()
	}
	r.text = full
	r.base |= sc.base
	if r.to == 0 {
		r.to = len(line)
	}
	return r
}

// clip cuts a line to what is painted, on a rune boundary.
func clip(line string) string {
	if len(line) <= lineBytes {
		return line
	}
	n := lineBytes
	for n > lineBytes-utf8.UTFMax && !utf8.RuneStart(line[n]) {
		n--
	}
	return line[:n]
}

// ordinary says that a line with this first byte opens and closes no block.
func ordinary(b byte) bool {
	return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= utf8.RuneSelf
}

// ordinaryLine is the short way for the bulk of all lines.
func (sc *scanner) ordinaryLine(line string) record {
	switch sc.leaf {
	case fenced:
		return record{kind: fencedText, patch: sc.isPatch()}
	case table:
		return record{kind: tableRow}
	default:
		return sc.paragraphLine(line)
	}
}

func (sc *scanner) structured(c *cursor) record {
	matched := sc.match(c)
	if matched == sc.depth {
		switch sc.leaf {
		case fenced:
			return sc.fencedLine(c)
		case html:
			if r, ok := sc.htmlLine(c); ok {
				return r
			}
		}
	} else if sc.leaf != paragraph {
		sc.closeTo(matched)
	}
	for {
		columns, next := c.indent()
		if next == len(c.s) {
			return sc.blankLine(c, matched)
		}
		inParagraph := sc.leaf == paragraph
		if columns >= 4 {
			if inParagraph {
				break
			}
			sc.leaf = indented
			c.columns(4)
			return record{kind: indentedText}
		}
		if sc.leaf == indented {
			sc.leaf = noLeaf
		}
		opened, r, done := sc.start(c, columns, next, matched)
		if done {
			return r
		}
		if !opened {
			break
		}
		matched = sc.depth
	}
	if sc.leaf == table {
		c.blanks()
		return record{kind: tableRow}
	}
	c.blanks()
	return sc.textLine(c)
}

// match enters the open containers that the line continues, and returns how
// many there are.
func (sc *scanner) match(c *cursor) int {
	for i := range sc.depth {
		open := &sc.stack[i]
		columns, next := c.indent()
		empty := next == len(c.s)
		if open.quote {
			if empty || columns > 3 || c.s[next] != '>' {
				return i
			}
			sc.enterQuote(c, next)
			continue
		}
		switch {
		case columns >= int(open.indent):
			c.columns(int(open.indent))
			open.hollow = open.hollow && empty
		case empty && !open.hollow:
			c.blanks()
		default:
			return i
		}
	}
	return sc.depth
}

func (sc *scanner) enterQuote(c *cursor, at int) {
	c.blanks()
	sc.base = text.Quote
	sc.mark(at, at+1, text.Markup)
	c.bytes(1)
	if columns, _ := c.indent(); columns > 0 {
		c.columns(1)
	}
}

// closeTo closes the containers from the given depth on, and the leaf in them.
func (sc *scanner) closeTo(depth int) {
	sc.depth, sc.leaf = depth, noLeaf
}

func (sc *scanner) open(c container, matched int) {
	sc.closeTo(matched)
	sc.stack[sc.depth] = c
	sc.depth++
}

// mark styles bytes of the line's prefix; marks come from left to right.
func (sc *scanner) mark(from, to int, style text.Style) {
	if from > sc.marked {
		sc.prefix = append(sc.prefix, text.Span{Len: from - sc.marked})
	}
	sc.prefix = append(sc.prefix, text.Span{Len: to - from, Style: style})
	sc.marked = to
}

// start tries every block that can begin here. opened: a container was entered,
// and what follows may begin another block. done: the line is r.
func (sc *scanner) start(c *cursor, columns, next, matched int) (opened bool, r record, done bool) {
	rest := c.s[next:]
	inParagraph := sc.leaf == paragraph && matched == sc.depth
	switch rest[0] {
	case '>':
		if matched < maxDepth {
			sc.open(container{quote: true}, matched)
			sc.enterQuote(c, next)
			return true, r, false
		}
	case '#':
		if r, ok := heading(rest, next); ok {
			sc.closeTo(matched)
			c.blanks()
			return false, r, true
		}
	case '`', '~':
		if r, ok := sc.openFence(rest, columns, next, matched); ok {
			c.blanks()
			return false, r, true
		}
	case '<':
		if r, ok := sc.openHTML(rest, matched, sc.leaf == paragraph); ok {
			return false, r, true
		}
	}
	if inParagraph {
		if underline(rest) {
			sc.leaf = noLeaf
			c.blanks()
			return false, record{kind: setextUnderline}, true
		}
		if n := delimiterCells(rest); n > 0 && n == rowCells(sc.lastText) {
			sc.leaf = table
			c.blanks()
			return false, record{kind: tableDelimiter}, true
		}
	}
	if rule(rest) {
		sc.closeTo(matched)
		c.blanks()
		return false, record{kind: thematicBreak}, true
	}
	if matched < maxDepth {
		if size, ok := listMarker(rest, inParagraph); ok {
			sc.enterItem(c, columns, size, matched)
			return true, r, false
		}
	}
	return false, r, false
}

// enterItem opens a list item whose marker of the given size comes next.
func (sc *scanner) enterItem(c *cursor, columns, size, matched int) {
	c.blanks()
	sc.mark(c.pos, c.pos+size, text.Bullet)
	c.bytes(size)
	gap, next := c.indent()
	empty := next == len(c.s)
	if gap > 4 || empty {
		gap = 1
	}
	c.columns(gap)
	sc.open(container{hollow: empty, indent: int32(columns + size + gap)}, matched)
	sc.item = true
}

func (sc *scanner) blankLine(c *cursor, matched int) record {
	keep := sc.leaf == indented && matched == sc.depth
	sc.closeTo(matched)
	if keep {
		sc.leaf = indented
	}
	c.pos = len(c.s)
	return record{kind: blank}
}

// textLine adds a line to a paragraph. A paragraph whose containers the line
// does not continue goes on all the same: nothing else can begin here.
func (sc *scanner) textLine(c *cursor) record {
	if sc.item {
		if n := taskBox(c.s[c.pos:]); n > 0 {
			sc.mark(c.pos, c.pos+n, text.Bullet)
			c.bytes(n)
			c.blanks()
		}
	}
	if sc.leaf != paragraph {
		if to, ok := sc.definition(c.s, c.pos); ok {
			c.pos = to
			return record{kind: linkDefinition}
		}
	}
	return sc.paragraphLine(c.s[c.pos:])
}

func (sc *scanner) paragraphLine(s string) record {
	first := sc.leaf != paragraph || sc.lines >= segmentLines || sc.bytes+len(s) > segmentBytes
	if first {
		sc.lines, sc.bytes = 0, 0
	}
	sc.leaf = paragraph
	sc.lines++
	sc.bytes += len(s) + 1
	sc.lastText = s
	if sc.depth > 0 && sc.base == text.Plain && sc.lazyQuote() {
		sc.base = text.Quote
	}
	return record{kind: paragraphText, first: first}
}

// lazyQuote says that the paragraph stands in a quote although its line has no
// ">" of its own.
func (sc *scanner) lazyQuote() bool {
	for _, c := range sc.stack[:sc.depth] {
		if c.quote {
			return true
		}
	}
	return false
}
