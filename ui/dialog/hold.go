package dialog

import (
	"time"

	"copydesk/core"
	"copydesk/ui/keys"

	"github.com/gdamore/tcell/v2"
)

// A held key is a letter or digit whose meaning is not certain yet: alone it is
// an answer, followed by another one it is the beginning of a text that was
// meant for the input field (REQ 5: no stream of typed text answers anything).
type held struct {
	rune rune
	act  func() // what the key does alone; nil: nothing
	due  time.Time
	stop func() // of its timer
}

// hold waits with what a key does until no other key has followed it.
func (r *Request) hold(s keys.Stroke, act func()) {
	if r.deps.After == nil {
		if act != nil {
			act()
		}
		return
	}
	h := &held{rune: s.Rune, act: act}
	r.held = h
	r.wait(h)
	if act != nil {
		r.said = hint{"Enter does it at once; any other key stops it.", "any other key stops it"}
	}
}

func (r *Request) wait(h *held) {
	h.due = r.deps.Now().Add(core.AnswerHold)
	h.stop = r.deps.After(core.AnswerHold, func() { r.release(h) })
}

// release is the held key's timer. One that fires late means that the program
// was stopped, and keys may lie in the terminal that follow the held one: the
// wait begins anew then.
func (r *Request) release(h *held) {
	switch {
	case r.held != h:
	case r.deps.Now().After(h.due.Add(core.GateSlack)):
		r.wait(h)
	default:
		r.held = nil
		if h.act != nil && r.active {
			r.said = hint{}
			h.act()
		}
	}
}

// drop forgets a held key.
func (r *Request) drop() {
	if r.held != nil {
		r.held.stop()
		r.held = nil
	}
}

// after says what a key means that follows a held one, and whether that was all
// of it: Enter answers at once, a letter makes both a text, Escape takes back.
func (r *Request) after(s keys.Stroke) bool {
	h := r.held
	if h == nil {
		return false
	}
	r.drop()
	switch {
	case s.Printable():
		r.said = hint{}
		r.deps.Typed(string(h.rune) + string(s.Rune))
		return true
	case s.Key == tcell.KeyEnter && s.Mod == 0 && h.act != nil:
		r.said = hint{}
		h.act()
		return true
	case s.Key == tcell.KeyEsc:
		r.said = hint{}
		return true
	}
	return false
}
