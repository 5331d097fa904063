// Package dialog draws what asks the user something: the docked dialog of an
// agent's request, modal lists and the help, and the stack that gives the
// topmost of them the keyboard and the mouse.
//
// The primitives embed tview's Box and nothing else of tview, because its Modal
// and List read tags out of the text they show. They belong to the goroutine of
// the tview application, as all primitives do; Gate does too.
package dialog

import (
	"time"

	"copydesk/core"
)

// A Gate keeps a request from taking the keyboard while somebody types (REQ 5,
// T41, T42). It opens when no key has been pressed for the quiet time since the
// request was first shown, and only by a timer that fires when it is due: one
// that fires late means that the program was stopped, and keys may lie in the
// terminal that were typed before anything was seen.
//
// The caller tells it of every key, paste and mouse event before it acts on it,
// runs a timer for Wait after each, and calls Fired when the timer fires. The
// gate itself reads no clock.
type Gate struct {
	quiet time.Duration
	due   time.Time
	open  bool
}

// NewGate returns a gate that opens after the quiet time, usually
// core.QuietGate. It stays shut until Shown.
func NewGate(quiet time.Duration) *Gate { return &Gate{quiet: quiet} }

// Shown shuts the gate: a request was drawn for the first time, or it changed.
func (g *Gate) Shown(now time.Time) { g.shut(now) }

// Key shuts the gate: a key was pressed, wherever it went, or something was
// pasted, or the mouse was used.
func (g *Gate) Key(now time.Time) {
	if !g.due.IsZero() {
		g.shut(now)
	}
}

func (g *Gate) shut(now time.Time) {
	g.due = now.Add(g.quiet)
	g.open = false
}

// Fired says that the timer fired. Too early it does nothing; later than
// core.GateSlack after it was due it starts the quiet time anew.
func (g *Gate) Fired(now time.Time) {
	switch {
	case g.due.IsZero() || g.open || now.Before(g.due):
	case now.After(g.due.Add(core.GateSlack)):
		g.shut(now)
	default:
		g.open = true
	}
}

// Wait returns how long the caller's timer must run, 0 if it is due. It is
// negative when no timer is needed: the gate is open, or nothing is shown.
func (g *Gate) Wait(now time.Time) time.Duration {
	if g.open || g.due.IsZero() {
		return -1
	}
	return max(0, g.due.Sub(now))
}

// Ready reports whether the request may take the keyboard. draftEmpty is false
// while the input field holds more than white space.
func (g *Gate) Ready(now time.Time, draftEmpty bool) bool {
	return g.open && draftEmpty && !now.Before(g.due)
}
