package text

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"copydesk/core"
)

// A Cleaner turns the raw bytes of an agent or a program into document text as
// they stream in. What a terminal would obey or not show becomes something to
// read, and nothing is lost without a trace (T26, T27, T29, T32, T33, T34,
// R10):
//
//   - LF and TAB stay, CR LF becomes LF. Any other C0 control and DEL becomes
//     its picture: ␛, ␍, ␡.
//   - C1 and bidi controls, zero width characters, fillers, tags and other
//     invisible runes become a token such as <U+202E>.
//   - A byte that is not UTF-8 becomes U+FFFD.
//   - A cluster keeps at most core.MarksPerCell marks; the others become the
//     token ⟨+N marks⟩.
//
// What is needed to spell stays: joiners in emoji sequences and between letters
// of scripts that join, variation selectors that are defined for their base,
// and the tags of a flag such as Scotland's.
//
// The result does not depend on how the bytes are split into chunks, and
// cleaning it again changes nothing. Each cluster of it takes at least one
// cell, except LF and TAB. The zero Cleaner is ready to use. A Cleaner belongs
// to one goroutine.
type Cleaner struct {
	held   string // bytes that mean nothing without the next ones; tens at most
	base   rune   // what marks attach to: the first rune of the open cluster, or the last emoji of its sequence
	last   rune   // the newest rune of the open cluster; 0 at the start
	marks  int    // how many runes the open cluster has beyond its first
	over   int    // how many more belong to it and are not shown
	hidden int    // how many characters were invisible or controls
}

// Clean takes the next chunk and returns what is certain by now. It holds back
// a half rune, a CR, a joiner or the tags of a flag until the next chunk or
// Flush decides them. A chunk with nothing to clean is returned uncopied.
func (c *Cleaner) Clean(chunk string) string {
	return c.clean(chunk, false)
}

// Flush ends the text: it returns what was held back, and makes the Cleaner
// ready for another text.
func (c *Cleaner) Flush() string {
	out := c.clean("", true)
	*c = Cleaner{}
	return out
}

func (c *Cleaner) clean(chunk string, final bool) string {
	p := pass{Cleaner: c, src: c.held + chunk, final: final}
	c.held = ""
	p.run()
	if final {
		p.endRun()
	}
	if p.at < len(p.src) {
		c.held = strings.Clone(p.src[p.at:]) // the clone lets go of the chunk
	}
	if p.out.Len() == 0 {
		return p.src[p.copied:p.at]
	}
	p.out.WriteString(p.src[p.copied:p.at])
	return p.out.String()
}

// A pass is one call of Clean: what it reads and what it has written. The bytes
// from copied to at are kept as they are and not written yet, so that a text
// with nothing to clean is never copied.
type pass struct {
	*Cleaner
	src    string
	at     int
	copied int
	out    strings.Builder
	final  bool
	strip  bool // of Strip: what would be shown otherwise is left out
}

// run stops early at bytes that only the next chunk decides.
func (p *pass) run() {
	for p.at < len(p.src) {
		b := p.src[p.at]
		decided := true
		switch {
		case b >= utf8.RuneSelf:
			decided = p.wide()
		case isPlain(b):
			p.endRun()
			p.start(0, plainPrefix(p.src[p.at:]))
			p.base = rune(p.src[p.at-1])
			p.last = p.base
		default:
			decided = p.control(b)
		}
		if !decided {
			return
		}
	}
}

// control handles a C0 control other than TAB and LF, and DEL.
func (p *pass) control(b byte) bool {
	pic := firstControl + rune(b)
	if b == 0x7f {
		pic = deletePic
	}
	if b == '\r' {
		if p.at+1 == len(p.src) && !p.final {
			return false
		}
		if p.at+1 < len(p.src) && p.src[p.at+1] == '\n' {
			if p.strip {
				p.at++
			} else {
				p.drop(1)
			}
			return true
		}
	}
	p.hidden++
	if p.strip {
		p.drop(1)
		return true
	}
	p.endRun()
	p.replace(string(pic), 1)
	p.base, p.last, p.marks = pic, pic, 0
	return true
}

// wide handles a rune above ASCII, or a byte that is none.
func (p *pass) wide() bool {
	r, size, known := p.peek(p.at)
	if !known {
		return false
	}
	if r == utf8.RuneError && size == 1 {
		p.invalid()
		return true
	}
	k := classOf(r)
	if p.marks >= core.MarksPerCell && p.joins(k, r) {
		p.overflow(r, size)
		return true
	}
	switch k {
	case hidden:
		return p.hide(r, size)
	case joiner:
		return p.join(r, size)
	case mark:
		switch {
		case p.hasBase():
			p.extend(r, size)
		case hasNoWidth(r):
			p.token(r, size)
		default:
			p.start(r, size)
		}
	case selector:
		p.extendIf(p.last == p.base && selects(r, p.base), r, size)
	case modifier:
		p.extendIf((p.last == p.base || p.last == emojiStyle) && isPictograph(p.base), r, size)
	case jamo:
		if jamoFollows(p.last, r) {
			p.extend(r, size)
		} else {
			p.start(r, size)
		}
	case indicator:
		if p.marks == 0 && p.last >= utf8.RuneSelf && classOf(p.last) == indicator {
			p.extend(r, size)
		} else {
			p.start(r, size)
		}
	case prepend:
		// A chain of them would be one endless cluster, and spells nothing.
		if p.last >= utf8.RuneSelf && classOf(p.last) == prepend {
			p.token(r, size)
		} else {
			p.start(r, size)
		}
	default:
		p.start(r, size)
	}
	return true
}

// joins reports whether a rune belongs to the open cluster, which is full.
func (p *pass) joins(k class, r rune) bool {
	switch k {
	case mark, joiner, selector, modifier:
		return true
	case jamo:
		return jamoFollows(p.last, r)
	}
	return p.last == zwj && isPictograph(r)
}

// hide handles a rune that is shown only as a token, or inside a flag: U+1F3F4,
// three to six letters and digits as tags, U+E007F (UTS 51, ED-14c). More than
// a region's name is not a flag but a message.
func (p *pass) hide(r rune, size int) bool {
	if p.base != blackFlag || p.last != blackFlag {
		p.token(r, size)
		return true
	}
	tags, at := 0, p.at
	for at < len(p.src) {
		t, n, known := p.peek(at)
		if !known {
			return false
		}
		at += n
		if t == tagCancel && tags >= 3 && p.marks+tags < core.MarksPerCell {
			p.marks += tags + 1
			p.last = tagCancel
			p.at = at
			return true
		}
		if tags++; tags > 6 || !isRegionTag(t) {
			p.token(r, size)
			return true
		}
	}
	if !p.final {
		return false
	}
	p.token(r, size)
	return true
}

// invalid handles a byte that is not UTF-8.
func (p *pass) invalid() {
	if p.strip && p.closesUp() {
		p.hidden++
		p.drop(1)
		return
	}
	p.endRun()
	if p.strip {
		p.at++
	} else {
		p.replace("\ufffd", 1)
	}
	p.base, p.last, p.marks = utf8.RuneError, utf8.RuneError, 0
}

// closesUp reports whether the byte here, which is not UTF-8, would come to
// stand behind another such byte only by what was left out between them.
func (p *pass) closesUp() bool {
	if p.copied != p.at || utf8.RuneStart(p.src[p.at]) {
		return false
	}
	r, size := utf8.DecodeLastRuneInString(p.out.String())
	return r == utf8.RuneError && size == 1
}

func isRegionTag(t rune) bool {
	return t >= 0xe0030 && t <= 0xe0039 || t >= 0xe0061 && t <= 0xe007a
}

// join handles ZWNJ and ZWJ, which stay only between two runes that they tie
// or part.
func (p *pass) join(r rune, size int) bool {
	next, n, known := p.peek(p.at + size)
	if !known {
		return false
	}
	fits := p.marks+2 <= core.MarksPerCell // the joiner and what it joins
	if r == zwj && p.endsEmoji() && isPictograph(next) {
		if !fits {
			p.overflow(r, size)
			return true
		}
		p.at += size + n
		p.marks += 2
		p.base, p.last = next, next
		return true
	}
	k := hidden
	if next >= utf8.RuneSelf {
		k = classOf(next)
	}
	spells := fits && p.last != zwj && p.last != zwnj && (k == visible || k == mark) &&
		unicode.In(p.base, joining...) && unicode.In(next, joining...)
	p.extendIf(spells, r, size)
	return true
}

// endsEmoji reports whether the open cluster is an emoji that ZWJ can tie to
// another one.
func (p *pass) endsEmoji() bool {
	switch {
	case p.last == p.base, p.last == emojiStyle, p.last == tagCancel,
		p.last >= 0x1f3fb && p.last <= 0x1f3ff:
		return isPictograph(p.base)
	}
	return false
}

// peek decodes the rune at a place: 0 at the end of the text. Known is false
// when it is not all there yet.
func (p *pass) peek(at int) (r rune, size int, known bool) {
	rest := p.src[at:]
	r, size = utf8.DecodeRuneInString(rest)
	if r != utf8.RuneError || size > 1 {
		return r, size, true
	}
	if !p.final && !utf8.FullRuneInString(rest) {
		return 0, 0, false
	}
	if rest == "" {
		return 0, 0, true
	}
	return r, size, true
}

func (p *pass) hasBase() bool {
	return p.last != 0 && p.last != '\n' && p.last != '\t'
}
