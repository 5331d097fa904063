package term

import (
	"bytes"
	"unicode/utf8"

	"github.com/gdamore/tcell/v2"

	"copydesk/core"
)

// The markers of a bracketed paste (xterm ctlseqs, "Bracketed Paste Mode").
const (
	pasteStart = "\x1b[200~"
	pasteEnd   = "\x1b[201~"
)

// paste is the state between the markers.
type paste struct {
	matched int    // bytes of pasteEnd seen
	cr      bool   // the last byte was CR
	part    []byte // of an unfinished UTF-8 character
	bytes   int    // of text passed on
	cut     bool   // the rest is dropped

	// ascii holds one event for each character, sent as often as it comes:
	// nobody changes an event, and making one reads the clock, which took most
	// of the time of a long paste.
	ascii [utf8.RuneSelf]*tcell.EventKey
}

func (f *filter) startPaste() {
	f.endWrapped()
	f.toGround()
	f.state = pasting
	f.paste = paste{part: f.paste.part[:0]}
	f.emit(tcell.NewEventPaste(true))
}

func (f *filter) endPaste() {
	f.pasteFlush()
	f.toGround()
	f.emit(tcell.NewEventPaste(false))
}

// endWrapped ends a paste that came through the parser.
func (f *filter) endWrapped() {
	if f.wrapped {
		f.wrapped = false
		f.emit(tcell.NewEventPaste(false))
	}
}

// pasteEvent takes a key inside a paste that comes through the parser.
func (f *filter) pasteEvent(ev *tcell.EventKey) {
	r := ev.Rune()
	switch key := ev.Key(); {
	case key == tcell.KeyEnter:
		f.pasteClean('\r')
	case key == tcell.KeyCtrlJ:
		f.pasteClean('\n')
	case key == tcell.KeyTab:
		f.pasteClean('\t')
	case key == tcell.KeyRune && r < utf8.RuneSelf:
		f.pasteClean(byte(r))
	case key == tcell.KeyRune && r > 0x9f && utf8.ValidRune(r):
		f.paste.cr = false
		f.pasteKey(tcell.KeyRune, r, utf8.RuneLen(r))
	}
}

// pasteByte takes one byte of a paste; rest is what was read after it.
//
// Most terminals take ESC out of what they paste, some do not: then a text
// can hold an end marker of its own, and what follows would be keys, Enter
// among them. If another end comes in the same read, this one was text.
func (f *filter) pasteByte(b byte, rest []byte) {
	p := &f.paste
	if b == pasteEnd[p.matched] {
		p.matched++
		if p.matched < len(pasteEnd) {
			return
		}
		p.matched = 0
		if embeddedEnd(rest) {
			f.pasteText(pasteEnd[1:])
			return
		}
		f.endPaste()
		return
	}
	if p.matched == len("\x1b[") && (b == 'I' || b == 'O') {
		p.matched = 0
		f.report(b == 'I') // the window has changed while a long paste came
		return
	}
	if p.matched > 0 {
		text := pasteEnd[1:p.matched] // without its ESC
		p.matched = 0
		f.pasteText(text)
		if b == pasteEnd[0] {
			p.matched = 1
			return
		}
	}
	f.pasteClean(b)
}

func embeddedEnd(rest []byte) bool {
	end := bytes.Index(rest, []byte(pasteEnd))
	if end < 0 {
		return false
	}
	start := bytes.Index(rest, []byte(pasteStart))
	return start < 0 || end < start
}

func (f *filter) pasteText(s string) {
	for i := range len(s) {
		f.pasteClean(s[i])
	}
}

// pasteClean passes on what a text may hold: line ends, one event for each
// LF, CR or CRLF (tview knows only CR and loses the others), tabs, and
// characters. C0, DEL and C1 are dropped.
func (f *filter) pasteClean(b byte) {
	p := &f.paste
	if len(p.part) > 0 || b >= utf8.RuneSelf {
		f.pasteRune(b)
		return
	}
	afterCR := p.cr
	p.cr = b == '\r'
	switch {
	case b == '\n' && afterCR:
	case b == '\n', b == '\r':
		f.pasteKey(tcell.KeyEnter, 0, 1)
	case b == '\t':
		f.pasteKey(tcell.KeyTab, 0, 1)
	case b >= ' ' && b != 0x7f:
		f.pasteKey(tcell.KeyRune, rune(b), 1)
	}
}

// pasteRune collects a character beyond ASCII; broken ones become U+FFFD.
func (f *filter) pasteRune(b byte) {
	p := &f.paste
	if b < utf8.RuneSelf {
		f.pasteFlush()
		f.pasteClean(b)
		return
	}
	p.cr = false
	p.part = append(p.part, b)
	for len(p.part) > 0 && utf8.FullRune(p.part) {
		r, n := utf8.DecodeRune(p.part)
		p.part = append(p.part[:0], p.part[n:]...)
		if r < 0x80 || r > 0x9f {
			f.pasteKey(tcell.KeyRune, r, utf8.RuneLen(r))
		}
	}
}

// pasteFlush ends an unfinished character.
func (f *filter) pasteFlush() {
	if len(f.paste.part) > 0 {
		f.paste.part = f.paste.part[:0]
		f.pasteKey(tcell.KeyRune, utf8.RuneError, utf8.RuneLen(utf8.RuneError))
	}
}

// pasteKey emits one character of n bytes, unless the paste is full.
func (f *filter) pasteKey(key tcell.Key, r rune, n int) {
	p := &f.paste
	if p.cut {
		return
	}
	if p.bytes+n > core.PasteBytes {
		p.cut = true
		if f.cut != nil {
			f.cut()
		}
		return
	}
	p.bytes += n
	if r >= utf8.RuneSelf || key != tcell.KeyRune {
		f.emit(tcell.NewEventKey(key, r, tcell.ModNone))
		return
	}
	if p.ascii[r] == nil {
		p.ascii[r] = tcell.NewEventKey(key, r, tcell.ModNone)
	}
	f.emit(p.ascii[r])
}
