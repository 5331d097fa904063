// Package view draws the output panel: the last lines of a conversation, as the
// core composed them. It adds decoration only, a frame, a gutter and marks, and
// none of that is in a copy (PAN 3). A Panel belongs to the goroutine that runs
// the interface.
package view

import (
	"strconv"

	"copydesk/core/panel"
	"copydesk/core/text"
	"copydesk/ui/theme"

	"github.com/rivo/tview"
)

// A Panel shows lines that are soft-wrapped to its width (PAN 6). It follows
// the end until it is scrolled up; then neither appended lines, nor evicted
// ones, nor a resize move what is being read (PAN 5).
//
// A text line is wrapped when it comes into view, and the result is kept for
// one width, so a frame costs what is visible and what has changed.
type Panel struct {
	*tview.Box
	theme   *theme.Theme
	title   string
	endKey  string
	focused bool

	lines []line // the kept ones
	first uint64 // number of the oldest

	follow bool
	anchor panel.Position // the top row while not following
	seen   uint64         // lines below this number were in view, or there when following stopped
	column int            // how far tables are scrolled sideways, in cells
	pill   span           // where "12 new · End" was drawn

	selection selection
	finder    finder
	mouse     mouse
}

// A span is a range of columns.
type span struct{ from, to int }

// NewPanel makes an empty panel that follows the end.
func NewPanel(th *theme.Theme) *Panel {
	return &Panel{Box: tview.NewBox(), theme: th, follow: true, endKey: "End"}
}

// SetTheme changes what everything is drawn with.
func (v *Panel) SetTheme(th *theme.Theme) { v.theme = th }

// SetTitle sets what stands in the upper edge. Tags in it have no meaning, and
// controls in it are shown.
func (v *Panel) SetTitle(title string) { v.title = text.CleanLine(title) }

// SetFocused says whether the keyboard belongs to the panel, which its frame
// shows.
func (v *Panel) SetFocused(focused bool) { v.focused = focused }

// SetEndKey names the key that goes to the end; empty when there is none.
func (v *Panel) SetEndKey(label string) { v.endKey = text.CleanLine(label) }

// Apply takes a change: the kept lines start at number first, and everything
// from number from on is replaced by lines. It costs what is replaced and what
// is dropped, not what is kept. A change that does not join what is there
// starts the panel anew at from.
func (v *Panel) Apply(first, from uint64, lines []panel.Shown) {
	if from < v.first || from > v.end() {
		v.lines, v.first = nil, from
		v.forget()
	}
	kept := int(from - v.first)
	for i, s := range lines {
		if at := kept + i; at < len(v.lines) {
			v.carry(v.first+uint64(at), v.lines[at].Text, s.Text)
			v.lines[at].replace(s)
		} else {
			v.lines = append(v.lines, line{Shown: s})
		}
	}
	v.cut(kept + len(lines))
	v.drop(first)
	v.hold()
	v.clip()
}

// cut forgets the lines after the first n.
func (v *Panel) cut(n int) {
	clear(v.lines[n:])
	v.lines = v.lines[:n]
}

// drop forgets the lines before a number.
func (v *Panel) drop(first uint64) {
	if first <= v.first {
		return
	}
	n := int(min(first-v.first, uint64(len(v.lines))))
	clear(v.lines[:n]) // what they hold can go before the array does
	v.lines = v.lines[n:]
	v.first = first
}

// hold puts an anchor whose line has gone on the nearest line.
func (v *Panel) hold() {
	switch {
	case len(v.lines) == 0:
		v.follow = true
	case v.anchor.Line < v.first:
		v.anchor = panel.Position{Line: v.first}
	case v.anchor.Line >= v.end():
		v.anchor = panel.Position{Line: v.end() - 1}
	}
}

// First is the number of the oldest line that is kept.
func (v *Panel) First() uint64 { return v.first }

// end is the number of the line that comes next.
func (v *Panel) end() uint64 { return v.first + uint64(len(v.lines)) }

// line returns a kept line.
func (v *Panel) line(n uint64) *line { return &v.lines[n-v.first] }

// Following reports whether the panel shows the end and stays there.
func (v *Panel) Following() bool { return v.follow }

// Unseen is how many lines have come below the view since following stopped and
// were not scrolled into view.
func (v *Panel) Unseen() int {
	if v.follow || v.seen >= v.end() {
		return 0
	}
	return int(v.end() - v.seen)
}

// pillText is what the lower edge says while the panel does not follow.
func (v *Panel) pillText() string {
	g := v.theme.Glyphs()
	n := v.Unseen()
	switch {
	case v.follow:
		return ""
	case n == 0 && v.endKey == "":
		return g.Down
	case n == 0:
		return g.Down + " " + v.endKey
	case v.endKey == "":
		return strconv.Itoa(n) + " new"
	}
	return strconv.Itoa(n) + " new " + g.Dot + " " + v.endKey
}
