package dialog

import (
	"strconv"
	"strings"

	"copydesk/core/session"
	"copydesk/ui/keys"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/tview"
)

// InputHandler gives the dialog a key.
func (r *Request) InputHandler() func(*tcell.EventKey, func(tview.Primitive)) {
	return r.WrapInputHandler(func(ev *tcell.EventKey, _ func(tview.Primitive)) { r.HandleKey(ev) })
}

// HandleKey gives the dialog a key and reports whether it was taken. A key that
// is not taken is a global one, such as those that scroll the panel (REQ 7), or
// came while the dialog had not yet got the keyboard (T41, T42).
func (r *Request) HandleKey(ev *tcell.EventKey) bool {
	if !r.active || ev.When().Before(r.since) {
		return false
	}
	s := keys.From(ev)
	if r.answered {
		return s.Printable()
	}
	if r.reason || r.pending.Request.Kind == session.TextInput {
		return r.typed(s)
	}
	if r.after(s) {
		return true
	}
	context := keys.Approval
	if r.pending.Request.Kind == session.Choice {
		context = keys.Choice
	}
	a, _ := r.deps.Keys.Find([]keys.Context{context}, nil, s)
	if r.uncertain(a, s) {
		r.hold(s, func() { _ = r.do(a) || r.digit(s) })
		return true
	}
	if r.do(a) || r.digit(s) {
		return true
	}
	global, leader := r.deps.Keys.Find([]keys.Context{keys.Global}, nil, s)
	if r.scroll(global) {
		return true
	}
	if a == "" && (global != "" || leader) {
		return false
	}
	r.refuse()
	if s.Printable() {
		r.hold(s, nil)
	}
	return true
}

// uncertain reports whether a key would answer and could as well begin a text. A
// digit of a long list waits for Enter anyway.
func (r *Request) uncertain(a keys.Action, s keys.Stroke) bool {
	switch {
	case !s.Printable() || a == keys.Approve && !r.canApprove():
		return false
	case a != "":
		return true
	}
	n := len(r.pending.Request.Choices)
	return r.pending.Request.Kind == session.Choice && n < 10 && s.Rune >= '1' && int(s.Rune-'0') <= n
}

// do does an action of an approval or a choice and reports whether it was one
// that can be done.
func (r *Request) do(a keys.Action) bool {
	switch a {
	case keys.Approve:
		r.said = r.again()
		r.approve()
	case keys.Reject, keys.RejectChoice:
		r.Reject()
	case keys.RejectReason:
		r.startReason()
	case keys.CopyDialog:
		r.said = hint{}
		r.deps.Copy(r.Text())
	case keys.ChooseUp:
		r.point(-1)
	case keys.ChooseDown:
		r.point(+1)
	case keys.Confirm:
		r.confirm()
	case keys.DialogUp, keys.DialogDown:
		return r.scroll(a)
	default:
		return false
	}
	return true
}

// refuse answers a key or a paste that means nothing here with a hint.
func (r *Request) refuse() {
	r.digits = ""
	r.said = r.again()
}

// scroll moves the body, if there is more of it than can be shown.
func (r *Request) scroll(a keys.Action) bool {
	if !r.body.overflows() {
		return false
	}
	switch a {
	case keys.DialogUp:
		r.body.scroll(-1)
	case keys.DialogDown:
		r.body.scroll(+1)
	case keys.PageUp:
		r.body.scroll(-max(1, r.body.height-1))
	case keys.PageDown:
		r.body.scroll(max(1, r.body.height-1))
	case keys.ScrollTop:
		r.body.scroll(-len(r.body.rows))
	case keys.ScrollEnd:
		r.body.scroll(len(r.body.rows))
	default:
		return false
	}
	r.said = hint{}
	return true
}

// point moves the pointer; before the first move it is nowhere (REQ 3).
func (r *Request) point(by int) {
	last := len(r.pending.Request.Choices)
	switch {
	case r.pointer != noChoice:
		r.pointer = min(max(r.pointer+by, 0), last)
	case by < 0:
		r.pointer = last
	default:
		r.pointer = 0
	}
	r.digits, r.said = "", hint{}
	r.body.follow(r.pointer)
}

// confirm takes the number that was typed, else what the pointer is at.
func (r *Request) confirm() {
	if n, err := strconv.Atoi(r.digits); err == nil {
		r.digits, r.said = "", hint{}
		r.choose(n - 1)
		return
	}
	if r.pointer == noChoice {
		r.refuse()
		return
	}
	r.choose(r.pointer)
}

// digit takes a digit of a choice's number. Up to nine choices it chooses at
// once; beyond, the digits wait for Enter.
func (r *Request) digit(s keys.Stroke) bool {
	if r.pending.Request.Kind != session.Choice || !s.Printable() || s.Rune < '0' || s.Rune > '9' {
		return false
	}
	choices := len(r.pending.Request.Choices)
	typed := r.digits + string(s.Rune)
	n, err := strconv.Atoi(typed)
	switch {
	case err != nil || n < 1 || n > choices:
		r.refuse()
	case choices < 10:
		r.said = hint{}
		r.choose(n - 1)
	default:
		r.digits = typed
		enter := r.key(keys.Confirm)
		r.said = hint{"Number " + typed + ": " + enter + " chooses it.", typed + ": " + enter}
		r.body.follow(n - 1)
	}
	return true
}

func (r *Request) startReason() {
	if !r.pending.Request.TakesReason {
		r.said = hint{"This agent takes no reason. Press " + r.rejectKey() + " to reject.", "takes no reason"}
		return
	}
	r.reason = true
	r.edit.clear()
	r.said = hint{}
}

// typed gives a stroke to the line of text.
func (r *Request) typed(s keys.Stroke) bool {
	a, _ := r.deps.Keys.Find([]keys.Context{keys.Text}, nil, s)
	global, leader := r.deps.Keys.Find([]keys.Context{keys.Global}, nil, s)
	switch {
	case a == keys.Confirm && r.reason:
		r.submitReason()
	case a == keys.Confirm:
		r.submit()
	case r.scroll(a):
	case r.reason && global == keys.Close:
		r.reason, r.said = false, hint{}
	case r.edit.text() == "" && r.scroll(global), global == keys.PageUp && r.scroll(global), global == keys.PageDown && r.scroll(global):
	case leader || global != "" && !editing(s, r.edit.text() != ""):
		return false
	case r.edit.key(s):
		r.said = hint{}
	default:
		return false
	}
	return true
}

// editing reports whether a stroke that is bound globally edits the line first.
func editing(s keys.Stroke, holdsText bool) bool {
	return holdsText && s.Mod == 0 && (s.Key == tcell.KeyHome || s.Key == tcell.KeyEnd)
}

// submit answers a text request. r and /reject alone reject; in quotes they are
// the answer (REQ 3).
func (r *Request) submit() {
	value := r.edit.text()
	switch strings.TrimSpace(value) {
	case "r", "/reject":
		r.Reject()
		return
	case `"r"`:
		value = "r"
	case `"/reject"`:
		value = "/reject"
	}
	if value == "" || !r.ready() {
		r.refuse()
		return
	}
	r.answer(session.Answer{Verdict: session.Entered, Value: value})
}

func (r *Request) submitReason() {
	if strings.TrimSpace(r.edit.text()) == "" {
		r.said = hint{"Type a reason, or " + r.key(keys.Close) + " to go back.", "type a reason"}
		return
	}
	r.answer(session.Answer{Verdict: session.Reject, Reason: r.edit.text()})
}

// PasteHandler takes a paste into the line of text, if one is being typed. A
// paste never answers (T43).
func (r *Request) PasteHandler() func(string, func(tview.Primitive)) {
	return r.WrapPasteHandler(func(pasted string, _ func(tview.Primitive)) {
		switch {
		case !r.active || r.answered:
		case !r.reason && r.pending.Request.Kind != session.TextInput:
			r.refuse()
		case r.edit.insert(pasted):
			r.said = hint{}
		default:
			r.said = hint{"That is too much text for an answer.", "too much text"}
		}
	})
}
