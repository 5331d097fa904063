package term

import (
	"strings"
	"time"
	"unicode/utf8"

	"github.com/gdamore/tcell/v2"
)

// maxToken bounds a key sequence, in bytes; the longest real one has under 40.
const maxToken = 64

// maxRepeat bounds the repeat count of a win32 key record: tcell posts that
// many events and would block for ever on the ones nobody can take.
const maxRepeat = 16

// filterState is what the filter is in the middle of.
type filterState uint8

const (
	ground   filterState = iota
	rune8                // a UTF-8 character
	escape               // ESC
	escape2              // ESC ESC
	csi                  // ESC [ …
	linuxKey             // ESC [ [, one more byte follows
	ss3                  // ESC O, one more byte follows
	str                  // inside OSC, DCS, SOS, PM or APC, whose bytes are dropped
	strEsc               // the same after ESC
	pasting
)

// filter cuts the bytes from the terminal into whole tokens. Keys go to
// tcell's parser, which sees nothing unfinished; pastes become events here;
// string sequences (an OSC 52 reply is somebody's clipboard, a DCS would be
// typed into the prompt) are dropped while they arrive, in no memory.
//
// tcell's parser alone swallows every key after Alt+] or an unfinished OSC
// until a BEL comes, and eats the key after Alt+[, Alt+N or Alt+O.
//
// It belongs to one goroutine and reads no clock.
type filter struct {
	state filterState
	token []byte
	bare  bool      // str: nothing has followed the introducer
	last  time.Time // of the newest byte
	paste paste

	torn string // the bytes that expire gave up last; see mend

	// wrapped is set inside a paste that comes through the parser: some
	// terminals on Windows send each byte of it as a win32 key record.
	wrapped bool

	parser tcell.InputProcessor
	parsed chan tcell.Event // what the parser posts
	events []tcell.Event    // result of the call in progress
	size   func() (w, h int)
	cut    func()
	focus  func(bool)
}

// parserQueue is more than the events of one token, so that the parser never
// blocks: a token has at most maxToken bytes, a win32 record maxRepeat events.
const parserQueue = 4 * maxToken

// newFilter makes a filter for a screen whose size in cells is size; cut and
// focus may be nil.
func newFilter(size func() (w, h int), cut func(), focus func(bool)) *filter {
	f := &filter{parsed: make(chan tcell.Event, parserQueue), size: size, cut: cut, focus: focus}
	f.parser = tcell.NewInputProcessor(f.parsed)
	// The parser clips mouse positions to the size it is told, from a goroutine
	// of its own that posts an event under the parser's lock. So it is told
	// once, the event is taken, and adopt clips to the true size.
	f.parser.SetSize(1<<15, 1<<15)
	<-f.parsed
	return f
}

// feed takes what one read gave and returns the events that are complete.
func (f *filter) feed(p []byte, now time.Time) []tcell.Event {
	f.events = nil
	if f.state == pasting {
		f.events = make([]tcell.Event, 0, len(p))
	}
	p = f.mend(p, now)
	f.last = now
	for i := 0; i < len(p); i++ {
		if f.state == pasting {
			f.pasteByte(p[i], p[i+1:])
		} else {
			f.step(p[i])
		}
	}
	return f.events
}

func (f *filter) toGround() {
	f.state = ground
	f.token = f.token[:0]
}

func (f *filter) begin(state filterState, b ...byte) {
	f.state = state
	f.token = append(f.token[:0], b...)
}

func (f *filter) step(b byte) {
	switch f.state {
	case ground:
		f.stepGround(b)
	case rune8:
		f.stepRune(b)
	case escape, escape2:
		f.stepEscape(b)
	case csi:
		f.stepCSI(b)
	case linuxKey, ss3:
		if b == 0x1b {
			f.begin(escape, b)
			return
		}
		f.token = append(f.token, b)
		f.parse()
	case str, strEsc:
		f.stepString(b)
	}
}

func (f *filter) stepGround(b byte) {
	switch {
	case b == 0x1b:
		f.begin(escape, b)
	case b >= utf8.RuneSelf:
		f.begin(rune8)
		f.stepRune(b)
	default:
		f.token = append(f.token[:0], b)
		f.parse()
	}
}

func (f *filter) stepRune(b byte) {
	if b < utf8.RuneSelf { // the character is broken: tell so, keep the byte
		f.emit(tcell.NewEventKey(tcell.KeyRune, utf8.RuneError, tcell.ModNone))
		f.toGround()
		f.stepGround(b)
		return
	}
	f.token = append(f.token, b)
	if !utf8.FullRune(f.token) {
		return
	}
	r, n := utf8.DecodeRune(f.token)
	rest := append([]byte(nil), f.token[n:]...)
	f.toGround()
	if r < 0x80 || r > 0x9f { // C1 is no key
		f.emit(tcell.NewEventKey(tcell.KeyRune, r, tcell.ModNone))
	}
	for _, b := range rest {
		f.stepGround(b)
	}
}

func (f *filter) stepEscape(b byte) {
	switch b {
	case 0x1b:
		if f.state == escape2 {
			f.emit(tcell.NewEventKey(tcell.KeyEsc, 0, tcell.ModNone))
			return
		}
		f.state = escape2
		f.token = append(f.token, b)
	case '[':
		f.state = csi
		f.token = append(f.token, b)
	case 'O':
		f.state = ss3
		f.token = append(f.token, b)
	case ']', 'P', 'X', '^', '_':
		f.begin(str, 0x1b, b)
		f.bare = true
	case 'N', '\\': // the parser would wait for more, or take it for an ST
		f.alt(b)
		f.toGround()
	default:
		if b >= utf8.RuneSelf { // Alt and a letter beyond ASCII
			f.begin(rune8)
			f.stepRune(b)
			return
		}
		f.token = append(f.token, b)
		f.parse()
	}
}

func (f *filter) stepCSI(b byte) {
	switch {
	case b == 0x1b:
		f.begin(escape, b)
	case b < 0x20, b > 0x7e:
		f.toGround() // broken
	case len(f.token) >= maxToken:
		if b >= 0x40 {
			f.toGround() // too long to be a key
		}
	case b == '[' && len(f.token) == 2:
		f.state = linuxKey
		f.token = append(f.token, b)
	default:
		f.token = append(f.token, b)
		if b >= 0x40 {
			f.endCSI()
		}
	}
}

func (f *filter) endCSI() {
	last := len(f.token) - 1
	params := strings.TrimPrefix(string(f.token[:last]), "\x1b[")
	switch final := f.token[last]; {
	case params != "" && strings.Contains("?=>", params[:1]):
		f.toGround() // a reply of the terminal; tcell takes ESC[?64c for Shift+Right
	case final == '~' && parameter(params, 0) == 200:
		f.startPaste()
	case final == '~' && parameter(params, 0) == 201:
		f.toGround() // an end without a start: tview would paste its last paste again
	case final == '_' && parameter(params, 5) > maxRepeat:
		f.toGround() // win32 key record: CSI Vk;Sc;Uc;Kd;Cs;Rc _
	default:
		f.parse()
	}
}

// parameter is the numeric parameter at index, capped; 0 when there is none.
func parameter(params string, index int) int {
	n := 0
	for _, c := range params {
		switch {
		case c == ';':
			index--
		case index == 0 && c >= '0' && c <= '9' && n < 1<<16:
			n = 10*n + int(c-'0')
		}
	}
	return n
}

func (f *filter) stepString(b byte) {
	f.bare = false
	switch {
	case f.state == strEsc && b != 0x1b:
		f.toGround() // ST, or ESC in a string that never ended
		if b != '\\' {
			f.begin(escape, 0x1b)
			f.stepEscape(b)
		}
	case b == 0x1b:
		f.state = strEsc
	case b == 0x07, b == 0x18, b == 0x1a: // BEL; CAN and SUB abort
		f.toGround()
	}
}

// alt emits Alt with an ASCII character.
func (f *filter) alt(b byte) {
	f.emit(tcell.NewEventKey(tcell.KeyRune, rune(b), tcell.ModAlt))
}

// parse gives the whole token to tcell's parser.
func (f *filter) parse() {
	f.parser.ScanUTF8(f.token)
	f.toGround()
	for {
		select {
		case ev := <-f.parsed:
			f.adopt(ev)
		default:
			return
		}
	}
}

// late takes an event that the parser posts by itself, after a wait of its
// own (it does so for doubly encoded win32 keys only).
func (f *filter) late(ev tcell.Event) []tcell.Event {
	f.events = nil
	f.adopt(ev)
	return f.events
}

// adopt passes an event of the parser on, repaired.
func (f *filter) adopt(ev tcell.Event) {
	switch ev := ev.(type) {
	case *tcell.EventResize, *tcell.EventClipboard:
		// Sizes come from the device; clipboard replies are never asked for.
	case *tcell.EventMouse:
		x, y := ev.Position()
		w, h := f.size()
		f.emit(tcell.NewEventMouse(max(0, min(x, w-1)), max(0, min(y, h-1)), ev.Buttons(), ev.Modifiers()))
	case *tcell.EventFocus:
		f.report(ev.Focused)
	case *tcell.EventPaste:
		f.endWrapped()
		if ev.Start() {
			f.paste = paste{}
			f.wrapped = true
			f.emit(ev)
		}
	case *tcell.EventKey:
		if f.wrapped {
			f.pasteEvent(ev)
			return
		}
		f.emit(ev)
	default:
		f.emit(ev)
	}
}

func (f *filter) emit(ev tcell.Event) { f.events = append(f.events, ev) }
