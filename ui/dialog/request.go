package dialog

import (
	"time"

	"copydesk/core/session"
	"copydesk/core/text"
	"copydesk/ui/keys"
	"copydesk/ui/theme"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/tview"
)

// Deps are what a request's dialog works with. Highlight may be nil.
type Deps struct {
	Theme     *theme.Theme
	Keys      *keys.Map
	Answer    func(id, digest string, a session.Answer) // called once at most
	Copy      func(text string)
	Highlight Highlight
	Now       func() time.Time

	// After calls f once on the UI goroutine; stop prevents it. With it a key
	// answers only when no other key follows it. Without it a key answers at
	// once.
	After func(d time.Duration, f func()) (stop func())

	// Typed takes letters that were no answer but the beginning of a text.
	// Needed with After.
	Typed func(text string)
}

// typing is what a line of text is typed for.
type typing uint8

const (
	nothing  typing = iota
	anAnswer        // of a text request
	aReason         // of a rejection
	another         // in place of the choices that are offered
)

// Request is the docked dialog of one pending request (REQ 1 to REQ 7). It
// starts as a banner that takes no key; SetActive gives it the keyboard, which a
// Gate or the user's own chord decides. It has no default answer, shows all that
// is asked, and approves only after the end of it has been on the screen.
//
// Only keys, and clicks on what has stood still for core.QuietGate, answer.
type Request struct {
	*tview.Box
	*page          // the one that is shown
	first    *page // the one of the request itself
	deps     Deps
	pending  session.Pending
	compose  composer
	position int
	total    int

	held     *held // a key that may be an answer
	active   bool
	since    time.Time // when it got the keyboard
	typedAt  time.Time // when the last key came that may be text
	answered bool
	changed  bool

	edit   editor // the text that is typed outside of a form
	typing typing // what it is
	form   *form  // nil for the other kinds
	said   hint   // what the last key led to

	visible  bool // at the last draw it stood whole on a screen of sufficient size
	tooSmall bool // at the last draw the screen was below the smallest one (R29)

	targets []target // what can be clicked
	steady  time.Time
	pressed *target
}

// asks says who asks.
func asks(from string) string { return text.CleanLine(from) + " asks" }

// NewRequest returns the dialog of a pending request as a banner. position
// counts from 1.
func NewRequest(p session.Pending, position, total int, deps Deps) *Request {
	label := func(a keys.Action) string {
		if key := deps.Keys.Label(a); key != "" {
			return key
		}
		return deps.Theme.Glyphs().None
	}
	q := p.Request
	r := &Request{
		Box:      tview.NewBox(),
		page:     newPage(asking, len(q.Choices)+2),
		deps:     deps,
		pending:  p,
		compose:  composer{newRevealer(ascii(deps.Theme)), deps.Theme, deps.Highlight, keyNames{label(keys.RejectChoice), label(keys.AllowAlways), label(keys.Close)}},
		position: position,
		total:    total,
	}
	r.first = r.page
	switch q.Kind {
	case session.TextInput:
		r.typing = anAnswer
	case session.Form:
		r.form = newForm(q.Inputs)
		r.page.seen = make([]bool, len(r.form.stops))
		r.pointer = 0
	}
	return r
}

// ID returns the request's id.
func (r *Request) ID() string { return r.pending.ID }

// Digest returns the digest of what the dialog shows. A request with the same
// id and another digest needs a new dialog and a gate that starts anew (T47).
func (r *Request) Digest() string { return r.pending.Digest }

// Update says which of how many waiting requests this is.
func (r *Request) Update(position, total int) { r.position, r.total = position, total }

// MarkChanged says in the dialog that it replaces one that the user may have
// read already (T47).
func (r *Request) MarkChanged() { r.changed = true }

// SetActive gives the dialog the keyboard or takes it away. Key and mouse events
// from before it got the keyboard never reach it (T42).
func (r *Request) SetActive(active bool) {
	if active == r.active {
		return
	}
	r.active = active
	r.pressed = nil
	r.drop()
	if !active {
		r.turnBack() // what was put aside is read anew
	} else {
		r.since = r.deps.Now()
		r.steady = r.since
	}
}

// Active reports whether the dialog has the keyboard.
func (r *Request) Active() bool { return r.active }

// Hide says that the dialog is not drawn for now, because there is no room for
// it: nothing but a rejection is taken until it is drawn again (R29).
func (r *Request) Hide() { r.visible, r.tooSmall, r.targets = false, true, nil }

// Covered says that something lay over the dialog in the last frame: what it
// shows has not been seen by that.
func (r *Request) Covered() {
	r.visible, r.endSeen = false, r.endBefore
	copy(r.seen, r.seenBefore)
}

// Stale reports whether a key was pressed before the dialog had the keyboard.
func (r *Request) Stale(ev *tcell.EventKey) bool { return ev.When().Before(r.since) }

// TakesText reports whether a text is being typed into the dialog.
func (r *Request) TakesText() bool { return r.active && (r.typing != nothing || r.input() != nil) }

// Context returns the keys' context that the dialog is in.
func (r *Request) Context() keys.Context {
	q := r.pending.Request
	switch {
	case r.typing != nothing:
		return keys.Text
	case r.kind == confirming, r.kind == asking && q.Kind == session.Choice:
		return keys.Choice
	case r.kind == asking && q.Kind == session.Form:
		return keys.Form
	}
	return keys.Approval
}

// Adopt takes over what was typed into another dialog of the same request.
func (r *Request) Adopt(other *Request) {
	r.edit, r.typing = other.edit, other.typing
	if r.form != nil && other.form != nil {
		r.form = other.form
		r.pointer = other.first.pointer
		r.edited()
	}
}

// Text returns what the dialog shows as plain text, for copying.
func (r *Request) Text() string { return r.compose.plainText(r.pending.Request, r.form) }

// Reject rejects the request, whatever its kind: Ctrl+C does, active or not.
func (r *Request) Reject() { r.answer(session.Answer{Verdict: session.Reject}) }

func (r *Request) answer(a session.Answer) {
	if r.answered {
		return
	}
	r.answered = true
	r.deps.Answer(r.pending.ID, r.pending.Digest, a)
}

// ready reports whether an answer that is no rejection may be given.
func (r *Request) ready() bool { return r.active && r.visible && !r.answered }

// canApprove reports whether what leads further than a choice may be done: the
// end of the page has been on the screen, and nothing speaks against it.
func (r *Request) canApprove() bool {
	return r.ready() && r.endSeen && r.pending.Request.Blocked == ""
}
