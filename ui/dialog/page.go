package dialog

import (
	"time"

	"copydesk/core"
	"copydesk/core/session"
	"copydesk/core/text"
	"copydesk/ui/keys"

	"github.com/gdamore/tcell/v2"
)

// A pageKind is what a page of a request's dialog is for.
type pageKind uint8

const (
	asking     pageKind = iota // the request itself
	confirming                 // an AllowAlways that was chosen is confirmed
	reviewing                  // what was filled into a form is sent
)

// A page is what the dialog shows at a time, and what of it has been seen. What
// was seen of one page says nothing of another.
type page struct {
	kind   pageKind
	choice int       // confirming: the choice
	opened time.Time // zero for the first one

	body    body
	pointer int    // the choice pointed at, or noChoice
	digits  string // a number of several digits while it is typed

	endSeen bool
	seen    []bool // of the choices

	endBefore  bool // the same before the last draw
	seenBefore []bool
}

func newPage(kind pageKind, choices int) *page {
	return &page{kind: kind, pointer: noChoice, seen: make([]bool, choices)}
}

// turnTo opens a page on top of the first one.
func (r *Request) turnTo(p *page) {
	p.opened = r.deps.Now()
	r.page, r.said, r.targets, r.pressed = p, hint{}, nil, nil
}

// turnBack goes back to the first page and reports whether another was open.
func (r *Request) turnBack() bool {
	if r.page == r.first {
		return false
	}
	r.page, r.said, r.targets, r.pressed = r.first, hint{}, nil, nil
	r.body.width = 0 // what it shows may have changed
	return true
}

// calm reports whether an answer on a page that leads further than one key may
// be taken: nothing has been typed since it came up, for the quiet time. Text
// that somebody types without a pause gets no further than to such a page
// (REQ 5).
func (r *Request) calm() bool {
	last := r.opened
	if r.typedAt.After(last) {
		last = r.typedAt
	}
	return r.deps.Now().Sub(last) >= core.QuietGate
}

// travels reports whether a stroke only moves around: nobody types text by it.
func travels(s keys.Stroke) bool {
	switch s.Key {
	case tcell.KeyUp, tcell.KeyDown, tcell.KeyPgUp, tcell.KeyPgDn, tcell.KeyHome, tcell.KeyEnd:
		return true
	}
	return false
}

// passages returns what the page shows. The prompt and an approval's labels are
// there only if they fit nowhere else.
func (r *Request) passages(width int, withPrompt, withLabels bool) []passage {
	q := r.pending.Request
	switch {
	case r.kind == confirming:
		return r.compose.confirmation(q, r.choice)
	case r.kind == reviewing:
		return r.compose.review(q, r.form)
	case q.Kind == session.Form:
		out := r.compose.passages(q, withPrompt, false)
		return append(out, r.compose.form(r.form, width, len(out) > 0)...)
	}
	return r.compose.passages(q, withPrompt, withLabels)
}

// title says who asks and what, as far as there is room for it.
func (r *Request) title(promptInBody bool) string {
	q := r.pending.Request
	from := ""
	if q.From != "" {
		from = r.compose.one(asks(q.From), text.Plain).Text
	}
	switch {
	case r.kind == confirming:
		return "Allow always?"
	case r.kind == reviewing:
		return "Review and send"
	case !promptInBody:
		if from != "" {
			from += ": "
		}
		return from + r.compose.one(q.Prompt, text.Plain).Text
	case from != "":
		return from
	case q.Kind == session.Choice && q.Means != nil:
		return "Permission needed"
	}
	switch q.Kind {
	case session.Approval:
		return "Approval needed"
	case session.Choice:
		return "Choose one"
	case session.Form:
		return "Fill in"
	}
	return "Answer needed"
}
