package chat

import (
	"strings"

	"copydesk/core/session"
	clean "copydesk/core/text"
)

var _ session.Resumer = (*Agent)(nil)

// Ref is empty: the server keeps no session, what the model knows of one is what
// it is told.
func (a *Agent) Ref() string { return "" }

// Resume makes what was said before a part of what the model is told. That is
// the texts of both sides; the tools that were used, what they gave, and the
// files that a prompt named are no part of it any more. What was said to other
// agents is left out: it was not meant for this server, and the user is
// told. Of a past that does not fit into the context the oldest turns are left
// out aloud, as ever. It must come before Aside and Run.
func (a *Agent) Resume(_ string, past []session.Turn) {
	for len(past) > 0 {
		n := 1
		for n < len(past) && past[n].Role != session.User {
			n++
		}
		a.remember(past[:n])
		past = past[n:]
	}
}

// remember takes a prompt and what was answered into the history, so that the
// roles alternate: the endpoints insist on it. A prompt that failed before
// anything came of it is left out, as it was when that happened.
func (a *Agent) remember(said []session.Turn) {
	var answers []string
	last := session.Turn{Outcome: session.Interrupted}
	mine, others := false, false
	for _, t := range said {
		switch {
		case t.Role != session.Assistant:
		case t.Agent != clean.CleanLine(a.options.Name):
			others = true
		default:
			last, mine = t, true
			if t.Content != "" {
				answers = append(answers, t.Content)
			}
		}
	}
	a.strange = a.strange || others
	failed := len(answers) == 0 && last.Outcome == session.Broken
	if said[0].Role != session.User || !mine || failed {
		return
	}
	x := a.past.begin(said[0].Content)
	switch {
	case len(answers) > 0 || last.Outcome == session.Complete:
		x.answer(strings.Join(answers, "\n\n"))
	case last.Outcome == session.Interrupted:
		x.answer("(The turn was interrupted here.)")
	default:
		x.settle()
	}
}
