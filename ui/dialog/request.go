package dialog

import (
	"time"

	"copydesk/core/session"
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

// Request is the docked dialog of one pending request (REQ 1 to REQ 7). It
// starts as a banner that takes no key; SetActive gives it the keyboard, which a
// Gate or the user's own chord decides. It has no default answer, shows all that
// is asked, and approves only after the end of it has been on the screen.
//
// Only keys, and clicks on what has stood still for core.QuietGate, answer.
type Request struct {
	*tview.Box
	deps     Deps
	pending  session.Pending
	compose  composer
	position int
	total    int

	held     *held // a key that may be an answer
	active   bool
	since    time.Time // when it got the keyboard
	answered bool
	changed  bool

	body    body
	pointer int    // the choice pointed at, len(Choices) for Reject, or noChoice
	digits  string // a number of several digits while it is typed
	edit    editor // the answer to a text request, or the reason
	reason  bool   // the reason is being typed
	said    hint   // what the last key led to

	visible  bool // at the last draw it stood whole on a screen of sufficient size
	tooSmall bool // at the last draw the screen was below the smallest one (R29)
	endSeen  bool
	seen     []bool // of the choices

	endBefore  bool // the same before the last draw
	seenBefore []bool

	targets []target // what can be clicked
	steady  time.Time
	pressed *target
}

// NewRequest returns the dialog of a pending request as a banner. position
// counts from 1.
func NewRequest(p session.Pending, position, total int, deps Deps) *Request {
	reject := deps.Keys.Label(keys.RejectChoice)
	if reject == "" {
		reject = deps.Theme.Glyphs().None
	}
	return &Request{
		Box:      tview.NewBox(),
		deps:     deps,
		pending:  p,
		compose:  composer{newRevealer(ascii(deps.Theme)), deps.Highlight, reject},
		position: position,
		total:    total,
		pointer:  noChoice,
		seen:     make([]bool, len(p.Request.Choices)+1),
	}
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
	if active {
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
func (r *Request) TakesText() bool {
	return r.active && (r.reason || r.pending.Request.Kind == session.TextInput)
}

// Adopt takes over what was typed into another dialog of the same request.
func (r *Request) Adopt(other *Request) { r.edit, r.reason = other.edit, other.reason }

// Text returns what the dialog shows as plain text, for copying.
func (r *Request) Text() string { return plainText(r.pending.Request) }

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

func (r *Request) canApprove() bool { return r.ready() && r.endSeen }

func (r *Request) approve() {
	if r.canApprove() {
		r.answer(session.Answer{Verdict: session.Approve})
	}
}

// choose answers with a choice that has been on the screen; its number after
// the last choice rejects.
func (r *Request) choose(i int) {
	choices := r.pending.Request.Choices
	switch {
	case i == len(choices):
		r.Reject()
	case !r.ready():
	case !r.seen[i]:
		r.said = r.unseenChoice(i)
		r.body.follow(i)
	default:
		r.answer(session.Answer{Verdict: session.Chosen, Index: i, Value: choices[i]})
	}
}
