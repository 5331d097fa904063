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
	taken := r.stroke(s)
	if !travels(s) {
		r.typedAt = r.deps.Now()
	}
	return taken
}

func (r *Request) stroke(s keys.Stroke) bool {
	switch {
	case r.typing != nothing:
		return r.typed(s)
	case r.Context() == keys.Form:
		return r.formKey(s)
	case r.after(s):
		return true
	}
	a := r.action(s)
	switch {
	case (a == keys.Approve || a == keys.AllowAlways) && r.kind != asking && !r.calm():
		r.said = r.tooFast(s.Label() + " again")
		r.hold(s, nil)
		return true
	case r.uncertain(a, s):
		r.hold(s, func() { _ = r.do(a) || r.digit(s) })
		return true
	case r.do(a):
		if s.Printable() {
			r.hold(s, nil)
		}
		return true
	case r.digit(s):
		return true
	}
	global, leader := r.deps.Keys.Find([]keys.Context{keys.Global}, nil, s)
	switch {
	case r.scroll(global), global == keys.Close && r.turnBack():
		return true
	case a == "" && (global != "" || leader):
		return false
	}
	r.refuse()
	if s.Printable() {
		r.hold(s, nil)
	}
	return true
}

// action is what a stroke does on the page that is shown.
func (r *Request) action(s keys.Stroke) keys.Action {
	a, _ := r.deps.Keys.Find([]keys.Context{r.Context()}, nil, s)
	if a == "" && r.kind == reviewing {
		if c, _ := r.deps.Keys.Find([]keys.Context{keys.Choice}, nil, s); c == keys.Confirm {
			return c
		}
	}
	return a
}

// uncertain reports whether a key would answer and could as well begin a text. A
// digit of a long list waits for Enter anyway.
func (r *Request) uncertain(a keys.Action, s keys.Stroke) bool {
	if !s.Printable() {
		return false
	}
	switch a {
	case keys.Approve:
		return r.canApprove()
	case keys.AllowOnce:
		return r.kind == asking && r.offered(session.AllowOnce) && r.canApprove()
	case keys.AllowAlways:
		return r.offered(session.AllowAlways) && r.canApprove()
	case "":
	default:
		return true
	}
	n := numbered(r.pending.Request)
	return r.kind == asking && r.pending.Request.Kind == session.Choice && n < 10 && s.Rune >= '1' && int(s.Rune-'0') <= n
}

// do does an action of an approval or a choice and reports whether it was one
// that can be done.
func (r *Request) do(a keys.Action) bool {
	switch a {
	case keys.Approve:
		r.approve()
	case keys.AllowOnce:
		if r.kind == confirming {
			return false
		}
		r.allow(session.AllowOnce)
	case keys.AllowAlways:
		r.allowAlways()
	case keys.Reject:
		r.Reject()
	case keys.RejectChoice:
		r.rejectChoice()
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
		r.takeEntry()
	case keys.Close:
		return r.turnBack()
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
	last := r.entries() - 1
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

// takeEntry takes the number that was typed, else what the pointer is at.
func (r *Request) takeEntry() {
	if n, err := strconv.Atoi(r.digits); err == nil {
		r.digits, r.said = "", hint{}
		r.choose(n - 1)
		return
	}
	r.confirm()
}

// digit takes a digit of a choice's number. Up to nine choices it chooses at
// once; beyond, the digits wait for Enter.
func (r *Request) digit(s keys.Stroke) bool {
	if r.kind != asking || r.pending.Request.Kind != session.Choice || !s.Printable() || s.Rune < '0' || s.Rune > '9' {
		return false
	}
	choices := numbered(r.pending.Request)
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
	r.typing, r.said = aReason, hint{}
	r.edit.clear()
}

// typed gives a stroke to the line of text.
func (r *Request) typed(s keys.Stroke) bool {
	a, _ := r.deps.Keys.Find([]keys.Context{keys.Text}, nil, s)
	global, leader := r.deps.Keys.Find([]keys.Context{keys.Global}, nil, s)
	switch {
	case a == keys.Confirm:
		r.submit()
	case r.scroll(a):
	case r.typing != anAnswer && global == keys.Close:
		r.typing, r.said = nothing, hint{}
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

// submit gives the answer that was typed.
func (r *Request) submit() {
	value := r.edit.text()
	switch r.typing {
	case aReason:
		r.submitReason(value)
		return
	case anAnswer:
		// r and /reject alone reject; in quotes they are the answer (REQ 3).
		switch strings.TrimSpace(value) {
		case "r", "/reject":
			r.Reject()
			return
		case `"r"`:
			value = "r"
		case `"/reject"`:
			value = "/reject"
		}
	}
	if value == "" || !r.ready() || r.pending.Request.Blocked != "" {
		r.refuse()
		return
	}
	r.answer(session.Answer{Verdict: session.Entered, Value: value})
}

func (r *Request) submitReason(reason string) {
	if strings.TrimSpace(reason) == "" {
		r.said = hint{"Type a reason, or " + r.key(keys.Close) + " to go back.", "type a reason"}
		return
	}
	r.answer(session.Answer{Verdict: session.Reject, Reason: reason})
}

// PasteHandler takes a paste into the line of text, if one is being typed. A
// paste never answers (T43).
func (r *Request) PasteHandler() func(string, func(tview.Primitive)) {
	return r.WrapPasteHandler(func(pasted string, _ func(tview.Primitive)) {
		if !r.active || r.answered {
			return
		}
		r.typedAt = r.deps.Now()
		into := &r.edit
		switch e := r.input(); {
		case r.typing != nothing:
		case e != nil:
			into = &e.edit
			r.edited()
		default:
			r.refuse()
			return
		}
		r.said = hint{}
		if !into.insert(pasted) {
			r.said = hint{"That is too much text for an answer.", "too much text"}
		}
	})
}
