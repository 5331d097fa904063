package term

import (
	"bytes"
	"strings"
	"time"

	"github.com/gdamore/tcell/v2"
)

// How long the rest of an unfinished sequence may take. A terminal sends a
// sequence at once; what stays unfinished was a key, or is broken.
const (
	escWait    = 50 * time.Millisecond // after ESC, or ESC and one character: an Alt key
	tokenWait  = 250 * time.Millisecond
	stringWait = time.Second
	tornWait   = time.Second     // the rest of a sequence whose beginning was given up; see mend
	pasteWait  = 3 * time.Second // a paste whose end marker got lost
)

// wait is how long expire is to be called after the last byte if nothing more
// comes; 0 means never.
func (f *filter) wait() time.Duration {
	switch f.state {
	case ground:
		if f.wrapped {
			return pasteWait
		}
		return 0
	case escape, escape2, ss3:
		return escWait
	case pasting:
		return pasteWait
	case str, strEsc:
		if f.bare {
			return escWait
		}
		return stringWait
	case csi:
		if len(f.token) == 2 {
			return escWait
		}
	}
	return tokenWait
}

// expire gives up on what is unfinished at now, so that no key is ever
// swallowed for longer than pasteWait.
func (f *filter) expire(now time.Time) []tcell.Event {
	f.events = nil
	if d := f.wait(); d == 0 || now.Sub(f.last) < d {
		return nil
	}
	f.torn = ""
	if f.state == escape || f.state == escape2 || f.state == csi {
		f.torn = "\x1b" + strings.TrimLeft(string(f.token), "\x1b")
	}
	switch {
	case f.state == pasting:
		f.endPaste()
	case f.state == escape:
		f.emit(tcell.NewEventKey(tcell.KeyEsc, 0, tcell.ModNone))
	case f.state == escape2:
		f.emit(tcell.NewEventKey(tcell.KeyEsc, 0, tcell.ModNone))
		f.emit(tcell.NewEventKey(tcell.KeyEsc, 0, tcell.ModNone))
	case f.state == ss3, f.state == csi && len(f.token) == 2, f.state == str && f.bare:
		f.alt(f.token[len(f.token)-1])
	}
	f.toGround()
	if now.Sub(f.last) >= pasteWait {
		f.endWrapped()
	}
	return f.events
}

// reset forgets what is unfinished; a paste is ended.
func (f *filter) reset() []tcell.Event {
	f.events = nil
	if f.state == pasting {
		f.endPaste()
	}
	f.endWrapped()
	f.torn = ""
	f.toGround()
	return f.events
}

// The focus reports (xterm ctlseqs, "FocusIn/FocusOut").
const (
	focusIn  = "\x1b[I"
	focusOut = "\x1b[O"
)

// mend takes the rest of a sequence whose beginning was given up, on a line
// that stalls in the middle of it. Nobody has pressed a key for a focus report
// or the start of a paste, so the rest must not become text in a draft, nor what
// is pasted an answer (T41, T43). It counts only when it is read at once, as no
// hand types it. What is left of p is returned.
func (f *filter) mend(p []byte, now time.Time) []byte {
	torn := f.torn
	f.torn = ""
	if torn == "" || now.Sub(f.last) > tornWait {
		return p
	}
	for _, whole := range []string{focusIn, focusOut, pasteStart} {
		rest, ok := strings.CutPrefix(whole, torn)
		if !ok || !bytes.HasPrefix(p, []byte(rest)) {
			continue
		}
		if whole == pasteStart {
			f.startPaste()
		} else {
			f.report(whole == focusIn)
		}
		return p[len(rest):]
	}
	return p
}

// report tells the focus. It is no event: tview has no use for it, and nothing
// of it may get where keys go.
func (f *filter) report(focused bool) {
	if f.focus != nil {
		f.focus(focused)
	}
}
