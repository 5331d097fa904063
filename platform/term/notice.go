package term

import (
	"time"

	"copydesk/core"
)

// Notices says how the user is called when something waits for them. The zero
// value calls nobody.
type Notices struct {
	When When

	// Bell rings the bell.
	Bell bool

	// Desktop asks the terminal for a notification of the desktop. Where it is
	// not known to have any, or may not get to see the request, the bell rings.
	Desktop bool

	// Title has the window's title say it for as long as something waits.
	Title bool
}

// When says when the user is called.
type When uint8

// The values of When.
const (
	Never     When = iota
	Unfocused      // unless the terminal says that its window has the focus
	Always
)

// A notice is one call: what calls, and why.
type notice struct{ title, body string }

// An attention decides whether, and when, the user is called. It reads no clock
// and writes nothing.
type attention struct {
	notices Notices

	// Nobody knows where the focus is before the terminal has said so.
	focused, known bool

	title   string // of the window
	waiting string // the same while something waits; "" when nothing does

	last time.Time // of the newest call
	held *notice   // the call that has to wait for its time
}

// wanted tells that the user, as far as is known, wants to be called.
func (a *attention) wanted() bool {
	switch a.notices.When {
	case Always:
		return true
	case Unfocused:
		return !a.known || !a.focused
	}
	return false
}

// audible tells that a call is heard or seen outside of the title.
func (a *attention) audible() bool { return a.notices.Bell || a.notices.Desktop }

// ask takes a notice and says whether it is to go out at once, or that due is
// to be asked again after wait. A notice that has to wait gives way to a newer
// one: both say that somebody waits.
func (a *attention) ask(n notice, now time.Time) (call bool, wait time.Duration) {
	if !a.wanted() || !a.audible() {
		return false, 0
	}
	rest := core.NoticeEvery - now.Sub(a.last)
	if a.last.IsZero() || rest <= 0 {
		a.last = now
		return true, 0
	}
	waits := a.held != nil
	a.held = &n
	if waits {
		return false, 0
	}
	return false, rest
}

// due gives the notice whose time has come, unless nobody needs it any more.
func (a *attention) due(now time.Time) (notice, bool) {
	held := a.held
	a.held = nil
	if held == nil || !a.wanted() || !a.audible() {
		return notice{}, false
	}
	a.last = now
	return *held, true
}

// look takes what the terminal says of its focus. Somebody who has come needs
// no call for what was there already.
func (a *attention) look(focused bool) {
	a.focused, a.known = focused, true
	if !a.wanted() {
		a.held = nil
	}
}

// forget is for a terminal that was in other hands: what it said meanwhile was
// not said to us.
func (a *attention) forget() { a.focused, a.known = false, false }

// wait takes the title of the time in which something waits, "" when nothing
// does any more.
func (a *attention) wait(title string) {
	a.waiting = title
	if title == "" {
		a.held = nil
	}
}

// shown is the title that the window is to have.
func (a *attention) shown() string {
	if a.waiting != "" && a.notices.Title && a.wanted() {
		return a.waiting
	}
	return a.title
}
