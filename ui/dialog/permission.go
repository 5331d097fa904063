package dialog

import (
	"fmt"

	"copydesk/core/session"
	"copydesk/ui/keys"
)

// allows reports whether a request offers to allow something.
func allows(q *session.Request) bool {
	return q.First(session.AllowOnce) >= 0 || q.First(session.AllowAlways) >= 0
}

// approve answers an approval, once its end has been seen. One that is for
// always is confirmed first.
func (r *Request) approve() {
	q := r.pending.Request
	switch {
	case r.kind == reviewing:
		r.send()
	case q.Blocked != "":
		r.said = r.blocked()
	case !r.canApprove():
		r.said = r.again()
	case len(q.Means) > 0 && q.Means[0] == session.AllowAlways:
		r.turnTo(r.confirmPage(0))
	default:
		r.answer(session.Answer{Verdict: session.Approve})
	}
}

func (r *Request) confirmPage(choice int) *page {
	p := newPage(confirming, confirmEntries)
	p.choice = choice
	return p
}

// allow takes the first choice that allows in this way.
func (r *Request) allow(m session.Means) {
	q := r.pending.Request
	i := q.First(m)
	switch {
	case q.Means == nil:
		r.refuse()
	case q.Blocked != "":
		r.said = r.blocked()
	case i < 0:
		r.said = hint{
			fmt.Sprintf("%q is not offered. %s.", m.Words(), r.rejectWords()),
			"not offered",
		}
	case q.Kind == session.Approval:
		r.approve()
	default:
		r.choose(i)
	}
}

// allowAlways opens the page that confirms it, and there allows.
func (r *Request) allowAlways() {
	if r.kind != confirming {
		r.allow(session.AllowAlways)
		return
	}
	q := r.pending.Request
	switch {
	case !r.canApprove() || !r.seen[allowRow]:
		r.said = r.again()
	case q.Kind == session.Approval:
		r.answer(session.Answer{Verdict: session.Approve})
	default:
		r.answer(session.Answer{Verdict: session.Chosen, Index: r.choice, Value: q.Choices[r.choice]})
	}
}

// rejectChoice rejects this time alone, in the agent's own way where it offers
// one.
func (r *Request) rejectChoice() {
	q := r.pending.Request
	if i := q.First(session.RejectOnce); i >= 0 && q.Kind == session.Choice {
		r.answer(session.Answer{Verdict: session.Chosen, Index: i, Value: q.Choices[i]})
		return
	}
	r.Reject()
}

// choose takes an entry that has been on the screen. Rejecting works at once.
func (r *Request) choose(i int) {
	q := r.pending.Request
	means := session.Unknown
	if i < len(q.Means) {
		means = q.Means[i]
	}
	switch {
	case r.kind == confirming && i == allowRow:
		r.allowAlways()
	case r.kind == confirming:
		r.turnBack()
	case i == numbered(q):
		r.Reject()
	case means == session.RejectOnce:
		r.answer(session.Answer{Verdict: session.Chosen, Index: i, Value: q.Choices[i]})
	case !r.ready():
	case !r.seen[i]:
		r.said = r.unseenChoice(i)
		r.body.follow(i)
	case q.Means != nil && i < len(q.Choices) && means == session.Unknown:
		r.said = hint{fmt.Sprintf("Choice %d is of an unknown kind and cannot be chosen.", i+1), "unknown kind"}
	case q.Blocked != "" && !means.Rejects():
		r.said = r.blocked()
	case (means == session.AllowOnce || means == session.AllowAlways) && !r.endSeen:
		r.said = r.unseenEnd()
	case means == session.AllowAlways:
		r.turnTo(r.confirmPage(i))
	case i == len(q.Choices):
		r.typing, r.said = another, hint{}
	default:
		r.answer(session.Answer{Verdict: session.Chosen, Index: i, Value: q.Choices[i]})
	}
}

// confirm takes what the pointer is at, or sends a form.
func (r *Request) confirm() {
	switch {
	case r.kind == reviewing && !r.calm():
		r.said = r.tooFast(r.key(keys.Confirm) + " sends it")
	case r.kind == reviewing:
		r.send()
	case r.kind == confirming && r.pointer == allowRow && !r.calm():
		r.said = r.tooFast(r.key(keys.AllowAlways) + " allows it")
	case r.pointer == noChoice:
		r.refuse()
	default:
		r.choose(r.pointer)
	}
}
