package view

import (
	"copydesk/core/panel"
	"copydesk/core/text"
)

// View returns the places of the text that what is in view begins and ends at,
// and whether there is any.
func (v *Panel) View() (from, to panel.Position, ok bool) {
	_, height := v.page()
	if height == 0 || len(v.lines) == 0 {
		return from, to, false
	}
	top := v.top()
	last := v.down(top, height-1)
	return panel.Position{Line: top.line, Byte: v.rowOf(top).Start}, panel.Position{Line: last.line, Byte: v.rowOf(last).End}, true
}

// Cell returns the cell of the screen that a place of the text is drawn at, and
// how many cells its row has from there on. It reports false for a place that is
// not in view. What a table has scrolled out at its left is at its first cell.
func (v *Panel) Cell(at panel.Position) (x, y, room int, ok bool) {
	from, to, ok := v.View()
	if !ok || at.Before(from) || !at.Before(to) {
		return 0, 0, 0, false
	}
	x, y, _, _ = v.GetRect()
	width, _ := v.page()
	row := v.top()
	target := pos{at.Line, v.line(at.Line).rowAt(at.Byte, width)}
	for row.line < target.line {
		y += len(v.line(row.line).wrap(width)) - row.row
		row = pos{line: row.line + 1}
	}
	column := 0
	for c := range text.Clusters(v.line(at.Line).Text, v.rowOf(target)) {
		column = c.Col
		if c.End > at.Byte {
			break
		}
		column += c.Width
	}
	if v.line(at.Line).Kind == panel.Table {
		column -= v.tableColumn()
	}
	column = min(max(0, column), width)
	return x + 1 + gutterWidth + column, y + 1 + target.row - row.row, width - column, true
}

// Detail is what the line with the cursor is about, or 0. Without a cursor it is
// what the last line in view that is about something is.
func (v *Panel) Detail() uint64 {
	if len(v.lines) > 0 && v.selection.set {
		return v.line(v.selection.to.Line).Detail
	}
	from, to, ok := v.View()
	for n := to.Line; ok && n >= from.Line; n-- {
		if id := v.line(n).Detail; id != 0 {
			return id
		}
		if n == 0 {
			break
		}
	}
	return 0
}
