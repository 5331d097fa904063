package dialog

import (
	"strconv"

	"copydesk/core/session"
	"copydesk/ui/keys"
)

// input returns the entry of a form whose text is being edited, or nil.
func (r *Request) input() *entry {
	if r.form == nil || r.kind != asking {
		return nil
	}
	if e, _ := r.form.at(r.pointer); e != nil && e.typed() {
		return e
	}
	return nil
}

// formKey gives a stroke to a form that is filled in. None of them answers but
// Enter on the last rows, after a rest.
func (r *Request) formKey(s keys.Stroke) bool {
	a, _ := r.deps.Keys.Find([]keys.Context{keys.Form}, nil, s)
	switch a {
	case keys.NextInput:
		r.goTo(r.form.next(r.pointer, +1))
	case keys.PreviousInput:
		r.goTo(r.form.next(r.pointer, -1))
	case keys.ChooseUp:
		if r.pointer == 0 {
			r.scroll(keys.DialogUp) // to what stands above the inputs
			break
		}
		r.goTo(r.pointer - 1)
	case keys.ChooseDown:
		r.goTo(min(r.pointer+1, r.form.rejectStop()))
	case keys.Confirm:
		r.formConfirm()
	default:
		return r.formStroke(a, s)
	}
	return true
}

// formStroke gives a stroke to the entry that is pointed at.
func (r *Request) formStroke(a keys.Action, s keys.Stroke) bool {
	global, leader := r.deps.Keys.Find([]keys.Context{keys.Global}, nil, s)
	e, option := r.form.at(r.pointer)
	line := r.input()
	switch {
	case line != nil && (global == "" && !leader || editing(s, line.edit.text() != "")):
		if !line.edit.key(s) {
			return false
		}
		r.said = hint{}
		r.edited()
	case a == keys.Tick && e != nil && line == nil:
		r.tick(e, option)
	case r.scroll(global):
	case global != "" || leader:
		return false
	case line != nil || e == nil || !r.letter(e, s):
		r.refuse()
	}
	return true
}

// goTo moves the pointer to a stop.
func (r *Request) goTo(stop int) {
	from, _ := r.form.at(r.pointer)
	if to, _ := r.form.at(stop); from != nil && from != to {
		from.left = true
	}
	r.pointer, r.digits, r.said = stop, "", hint{}
	r.edited()
}

// edited says that an entry may hold something else: the page is laid out anew,
// with the pointer in view.
func (r *Request) edited() {
	r.body.width = 0
	r.body.follow(r.pointer)
}

func (r *Request) formConfirm() {
	e, option := r.form.at(r.pointer)
	switch {
	case e == nil && r.pointer == r.form.reviewStop():
		r.startReview()
	case e == nil && !r.calm():
		r.said = r.tooFast(r.key(keys.Confirm) + " rejects")
	case e == nil:
		r.Reject()
	case e.in.Kind == session.OneOf:
		e.choose(option)
		r.goTo(r.form.next(r.pointer, +1))
	default:
		r.goTo(r.form.next(r.pointer, +1))
	}
}

// tick chooses an option or leaves it out; a switch goes from one position to
// the next.
func (r *Request) tick(e *entry, option int) {
	if e.in.Kind == session.Switch {
		e.toggle()
	} else {
		e.tick(option)
	}
	r.said = hint{}
	r.edited()
}

// letter takes a digit of an option's number, or y and n of a switch.
func (r *Request) letter(e *entry, s keys.Stroke) bool {
	switch {
	case !s.Printable():
		return false
	case e.in.Kind == session.Switch && (s.Rune == 'y' || s.Rune == 'n'):
		e.choose(map[rune]int{'y': 0, 'n': 1}[s.Rune])
		r.said = hint{}
		r.edited()
		return true
	case e.in.Kind == session.Switch || s.Rune < '0' || s.Rune > '9':
		return false
	}
	first := r.pointer - r.form.stops[r.pointer].option
	digits := r.digits + string(s.Rune)
	n, _ := strconv.Atoi(digits)
	if n < 1 || n > len(e.ticked) {
		digits = string(s.Rune)
		n = int(s.Rune - '0')
	}
	if n < 1 || n > len(e.ticked) {
		return false
	}
	r.goTo(first + n - 1)
	switch {
	case len(e.ticked) >= 10: // another digit may follow
		r.digits = digits
	case e.in.Kind == session.OneOf:
		e.choose(n - 1)
	default:
		e.tick(n - 1)
	}
	return true
}

// startReview lists what will be sent, if all of it fits.
func (r *Request) startReview() {
	if r.pending.Request.Blocked != "" {
		r.said = r.blocked()
		return
	}
	at := r.form.firstWrong()
	if at < 0 {
		r.turnTo(newPage(reviewing, 0))
		return
	}
	r.form.tried = true
	r.goTo(at)
	e, _ := r.form.at(at)
	wrong := r.compose.one(e.in.Label()+" "+e.wrong()+".", 0).Text
	r.said = hint{wrong, "not yet complete"}
}

// send answers with what was filled in, once all of it was on the screen.
func (r *Request) send() {
	if !r.canApprove() {
		r.said = r.again()
		return
	}
	r.answer(session.Answer{Verdict: session.Filled, Values: r.form.values()})
}

// clickInput does what a click on a row of a form does.
func (r *Request) clickInput(stop int) {
	r.goTo(stop)
	e, option := r.form.at(stop)
	switch {
	case e == nil && stop == r.form.reviewStop():
		r.startReview()
	case e == nil:
		r.Reject()
	case !e.typed():
		r.tick(e, option)
	}
}
