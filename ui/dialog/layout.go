package dialog

import (
	"fmt"
	"strings"

	"copydesk/core/session"
	"copydesk/core/text"
	"copydesk/ui/keys"
	"copydesk/ui/theme"
)

const (
	// framedColumns and framedRows are the smallest dialog that has a frame;
	// below, every cell is needed for what is asked.
	framedColumns = 30
	framedRows    = 5
	// titledRows is the smallest dialog without a frame that has a title row.
	titledRows = 4
	// labelCells is the longest label of an approval that stands in its button.
	labelCells = 24
	// hintRows is the most rows that a hint may take.
	hintRows = 3
	// bodyRows is how many rows the body gets before the longer form of the hint
	// has room, and without a frame before the buttons have.
	bodyRows = 3
)

// A layout says where the parts of a dialog are.
type layout struct {
	outer   rect
	framed  bool
	titled  bool // a title row instead of a frame
	title   string
	body    rect
	inputY  int // the row of the line of text; -1: none
	buttons [][]button
	hints   []string
	footY   int // the first row below the body and the line of text
}

// A button is a thing to press in the foot of an approval.
type button struct {
	do    keys.Action
	label string
	style theme.Element
	off   bool
}

// Height returns how many rows the dialog wants at a width in cells, at most
// max. It changes nothing.
func (r *Request) Height(width, max int) int {
	framed := width >= framedColumns
	inner, extra := width, 0
	if framed {
		inner, extra = width-4, 2
	}
	prompt, labels := r.inBody(width, framed)
	rows := len(r.body.rows)
	if r.body.width != inner || r.body.prompt != prompt {
		rows = len(wrap(r.passages(inner, prompt, labels), inner))
	}
	foot := len(r.buttonRows(inner, labels)) + len(wrapHint(r.hint().long, inner))
	if r.typing != nothing {
		foot++
	}
	if !framed && rows+foot+1 >= titledRows {
		extra = 1
	}
	return min(rows+foot+extra, max)
}

// inBody reports whether the prompt and the labels must stand in the body
// because there is no room for the whole of them outside it, or nothing else to
// stand in it.
func (r *Request) inBody(width int, framed bool) (prompt, labels bool) {
	room := width - 6
	if b := r.badge(); b != "" {
		room -= text.Width(b) + 3
	}
	q := r.pending.Request
	if r.kind != asking {
		return false, false
	}
	alone := len(q.Fields) == 0 && q.Claim == "" && q.Blocked == "" && q.Kind != session.Choice && q.Kind != session.Form
	prompt = !framed || alone || text.Width(r.title(false)) > room
	if q.Kind == session.Approval && q.Means == nil {
		limit := min(labelCells, width-12)
		for _, c := range q.Choices {
			labels = labels || text.Width(r.compose.one(c, text.Plain).Text) > limit
		}
	}
	return prompt, labels
}

func (r *Request) badge() string {
	if r.total > 1 {
		return fmt.Sprintf("%d of %d", r.position, r.total)
	}
	return ""
}

// layout divides a rectangle. The body gets what the foot leaves, but one row
// of it comes before the buttons, and a few before the longer form of the hint.
func (r *Request) layout(outer rect) layout {
	l := layout{outer: outer, inputY: -1}
	l.framed = outer.w >= framedColumns && outer.h >= framedRows
	in := outer
	switch {
	case l.framed:
		in = rect{outer.x + 2, outer.y + 1, outer.w - 4, outer.h - 2}
	case outer.h >= titledRows:
		l.titled = true
		in = rect{outer.x, outer.y + 1, outer.w, outer.h - 1}
	}
	prompt, labels := r.inBody(outer.w, l.framed)
	l.title = r.title(prompt)
	if r.body.width != in.w || r.body.prompt != prompt {
		r.body.lay(r.passages(in.w, prompt, labels), prompt, in.w)
	}

	room := in.h - 1
	if r.typing != nothing && room > 0 {
		l.inputY, room = 0, room-1
	}
	if room > 0 {
		room = r.layFoot(&l, in.w, room, labels)
	}
	l.body = rect{in.x, in.y, in.w, min(room+1, in.h)}
	l.footY = in.y + l.body.h
	if l.inputY == 0 {
		l.inputY, l.footY = l.footY, l.footY+1
	}
	return l
}

// layFoot chooses the buttons and the hint for at most room rows, 1 or more, and
// returns how many are left to the body beyond its first.
func (r *Request) layFoot(l *layout, width, room int, labels bool) int {
	more := min(len(r.body.rows), bodyRows) - 1 // rows that the body should have as well
	h := r.hint()
	room--
	buttons := r.buttonRows(width, labels)
	switch {
	case l.framed && len(buttons) <= room, len(buttons) <= room-more:
		l.buttons, room = buttons, room-len(buttons)
	case h == hint{}:
		h = r.again() // says what the buttons would
	}
	l.hints = []string{cut(r.deps.Theme, h.short, width)}
	if long := wrapHint(h.long, width); len(long) == 1 || len(long)-1 <= room-more {
		l.hints, room = long, room-(len(long)-1)
	}
	return room
}

// wrapHint breaks a hint into rows, always one at least, so that the dialog does
// not change its height when one comes.
func wrapHint(s string, width int) []string {
	var out []string
	for _, row := range text.Wrap(s, width) {
		out = append(out, strings.TrimRight(s[row.Start:row.End], " "))
	}
	return out[:min(len(out), hintRows)]
}

// buttonList returns the buttons of an approval, and of the page that sends a
// form.
func (r *Request) buttonList(plain bool) []button {
	q := r.pending.Request
	if r.typing != nothing || r.Context() != keys.Approval {
		return nil
	}
	off := !r.active || r.answered
	yes, no := "Approve", "Reject"
	if !plain {
		yes, no = r.label(0, yes), r.label(1, no)
	}
	if r.kind == reviewing {
		yes = "Send"
	}
	out := []button{
		{keys.Approve, yes, theme.ButtonApprove, !r.canApprove()},
		{keys.Reject, no, theme.ButtonReject, off},
	}
	if q.TakesReason {
		out = append(out, button{keys.RejectReason, "Reject with a reason", theme.ButtonReject, off})
	}
	if r.kind == reviewing {
		out = append(out, button{keys.Close, "Go back", theme.Base, off})
	}
	return append(out, button{keys.CopyDialog, "Copy", theme.Base, off})
}

// label returns what a choice does, else the agent's label, or our own where it
// has none.
func (r *Request) label(i int, otherwise string) string {
	q := r.pending.Request
	if i < len(q.Means) && q.Means[i] != session.Unknown {
		return q.Means[i].Words()
	}
	if i < len(q.Choices) {
		if s := r.compose.one(q.Choices[i], text.Plain).Text; strings.TrimSpace(s) != "" {
			return s
		}
	}
	return otherwise
}

// buttonText returns a button as it is drawn: one that cannot be pressed has no key.
func (r *Request) buttonText(b button) string {
	key := r.deps.Keys.Label(b.do)
	if b.off || key == "" {
		key = r.deps.Theme.Glyphs().None
	}
	return "[" + key + "] " + b.label
}

// buttonRows puts the buttons beside each other as far as they fit; plain ones
// have our labels, because the agent's stand in the body.
func (r *Request) buttonRows(width int, plain bool) [][]button {
	var rows [][]button
	used := 0
	for _, b := range r.buttonList(plain) {
		w := text.Width(r.buttonText(b))
		if len(rows) == 0 || used+buttonGap+w > width {
			rows, used = append(rows, nil), -buttonGap
		}
		rows[len(rows)-1] = append(rows[len(rows)-1], b)
		used += buttonGap + w
	}
	return rows
}

const buttonGap = 3
