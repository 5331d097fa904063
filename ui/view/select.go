package view

import (
	"copydesk/core/panel"
	"copydesk/core/text"

	"github.com/gdamore/tcell/v2"
)

// A selection is a piece of the text with the cursor at one of its ends. Both
// ends are places in the text and never cells, so they mean the same whatever is
// appended, scrolled or wrapped anew. It is empty where they are the same.
type selection struct {
	set    bool           // there is a cursor
	from   panel.Position // where it was begun
	to     panel.Position // the end that moves: the cursor
	rowEnd bool           // the cursor stands behind its row, not before the next one
	goal   int            // the column that Up and Down keep to; -1: the cursor's
}

// place puts the cursor somewhere, and with it the other end unless the
// selection is to reach there.
func (s *selection) place(p panel.Position, extend bool) {
	s.to, s.rowEnd, s.goal = p, false, -1
	if !extend || !s.set {
		s.from = p
	}
	s.set = true
}

// selected returns what is selected, from its first to behind its last byte, and
// whether that is anything.
func (v *Panel) selected() (from, to panel.Position, ok bool) {
	s := &v.selection
	if !s.set || s.from == s.to {
		return panel.Position{}, panel.Position{}, false
	}
	if s.to.Before(s.from) {
		return s.to, s.from, true
	}
	return s.from, s.to, true
}

// cutOf is what of a line of a length lies between two places.
func cutOf(n uint64, length int, from, to panel.Position) text.Row {
	if from == to || n < from.Line || n > to.Line {
		return text.Row{}
	}
	cut := text.Row{End: length}
	if n == from.Line {
		cut.Start = from.Byte
	}
	if n == to.Line {
		cut.End = to.Byte
	}
	return cut
}

// HasSelection reports whether anything is selected.
func (v *Panel) HasSelection() bool {
	_, _, ok := v.selected()
	return ok
}

// SelectedText returns the text that is selected: the lines as they are shown,
// joined by LF, without soft wraps, gutter and padding (CPY).
func (v *Panel) SelectedText() string {
	from, to, ok := v.selected()
	if !ok {
		return ""
	}
	lines := make([]panel.Shown, 0, to.Line-from.Line+1)
	for n := from.Line; n <= to.Line; n++ {
		lines = append(lines, v.line(n).Shown)
	}
	return panel.Cut(from.Line, lines, from, to)
}

// ClearSelection selects nothing, and reports whether something was selected.
// The cursor stays. Where the end is in view, the panel follows it again.
func (v *Panel) ClearSelection() bool {
	if !v.HasSelection() {
		return false
	}
	v.release()
	v.selection.place(v.selection.to, false)
	if _, height := v.page(); height > 0 && !v.top().before(v.lastPage()) {
		v.follow = true
	}
	return true
}

// SelectAll selects every line that is kept.
func (v *Panel) SelectAll() {
	if len(v.lines) == 0 {
		return
	}
	v.selection.place(panel.Position{Line: v.first}, false)
	v.selection.place(v.textEnd(), true)
	v.stay()
}

// SelectLine selects the line of the cursor; where whole lines are selected
// already, the next one as well.
func (v *Panel) SelectLine() {
	if !v.seat() {
		return
	}
	from, to, ok := v.selected()
	if !ok {
		from, to = v.selection.to, v.selection.to
	}
	length := len(v.line(to.Line).Text)
	if ok && from.Byte == 0 && to.Byte == length && to.Line+1 < v.end() {
		to.Line++
		length = len(v.line(to.Line).Text)
	}
	v.selection.place(panel.Position{Line: from.Line}, false)
	v.selection.place(panel.Position{Line: to.Line, Byte: length}, true)
	v.reveal()
	v.stay()
}

// textEnd is the place behind all text. There must be lines.
func (v *Panel) textEnd() panel.Position {
	n := v.end() - 1
	return panel.Position{Line: n, Byte: len(v.line(n).Text)}
}

// stay stops following while something is selected: what is being selected must
// not move away (PAN 5).
func (v *Panel) stay() {
	if _, height := v.page(); height > 0 && v.follow && v.HasSelection() {
		v.stayAt(v.top())
	}
}

// places are the places that a change of the text must keep right.
func (v *Panel) places() [4]*panel.Position {
	return [4]*panel.Position{&v.selection.from, &v.selection.to, &v.mouse.from, &v.mouse.to}
}

// carry keeps the selection on its text when the text of a line changes.
func (v *Panel) carry(n uint64, before, after string) {
	if !v.selection.set || before == after {
		return
	}
	for _, p := range v.places() {
		if p.Line == n {
			p.Byte = panel.Follow(before, after, p.Byte)
		}
	}
}

// clip takes lines that have gone out of the selection.
func (v *Panel) clip() {
	if !v.selection.set {
		return
	}
	if len(v.lines) == 0 {
		v.forget()
		return
	}
	for _, p := range v.places() {
		switch {
		case p.Line < v.first:
			*p = panel.Position{Line: v.first}
		case p.Line >= v.end():
			*p = v.textEnd()
		}
	}
}

// forget drops the selection and the cursor.
func (v *Panel) forget() {
	v.release()
	v.selection = selection{}
}

// drawCursor shows the cursor while the keyboard belongs to the panel.
func (v *Panel) drawCursor(screen tcell.Screen) {
	if !v.focused {
		return
	}
	if !v.seat() || !v.inView(v.cursorRow()) {
		screen.HideCursor()
		return
	}
	x, y, _, _ := v.GetRect()
	width, _ := v.page()
	at, row := v.cursorRow(), v.top()
	for row.line < at.line {
		y += len(v.line(row.line).wrap(width)) - row.row
		row = pos{line: row.line + 1}
	}
	column := v.cursorColumn()
	if v.line(at.line).Kind == panel.Table {
		if column -= v.tableColumn(); column < 0 || column > width {
			screen.HideCursor()
			return
		}
	}
	screen.ShowCursor(x+1+gutterWidth+min(column, width), y+1+at.row-row.row)
}
