package view

import (
	"copydesk/core/panel"
	"copydesk/core/text"
)

// A Motion is a way for the cursor to go.
type Motion uint8

// The motions.
const (
	Left Motion = iota // by a cluster
	Right
	Up // by a row
	Down
	WordLeft  // to the start of a word
	WordRight // to the end of a word
	RowStart  // to the start of the row, from there of the line
	RowEnd    // to the end of the row, from there of the line
)

// Move moves the cursor. With extend the selection reaches there, without it
// nothing is selected any more. A cursor that is out of view first comes back
// into it, unless a selection goes on there.
func (v *Panel) Move(m Motion, extend bool) {
	if !v.seat() {
		return
	}
	if !v.inView(v.cursorRow()) && !(extend && v.HasSelection()) {
		v.fetch()
		if !extend {
			return
		}
	}
	switch m {
	case Up:
		v.moveRow(-1, extend)
	case Down:
		v.moveRow(1, extend)
	case RowEnd:
		v.moveRowEnd(extend)
	default:
		v.selection.place(v.target(m), extend)
	}
	v.reveal()
	v.stay()
}

// seat makes sure that there is a cursor, at first behind the last text in view,
// and reports whether there can be one.
func (v *Panel) seat() bool {
	width, height := v.page()
	if height == 0 || len(v.lines) == 0 {
		return false
	}
	if !v.selection.set {
		last := v.down(v.top(), height-1)
		row := v.line(last.line).wrap(width)[last.row]
		v.selection.place(panel.Position{Line: last.line, Byte: row.End}, false)
		v.selection.rowEnd = row.End < len(v.line(last.line).Text)
	}
	return true
}

// ResetCursor lets the next motion begin at the end of what is in view, unless
// something is selected.
func (v *Panel) ResetCursor() {
	if !v.HasSelection() {
		v.forget()
	}
}

// fetch puts the cursor into the nearest row in view and selects nothing.
func (v *Panel) fetch() {
	_, height := v.page()
	column, to := v.cursorColumn(), v.top()
	if !v.cursorRow().before(to) {
		to = v.down(to, height-1)
	}
	v.putIntoRow(to, column, false)
}

// target is where a motion that goes by the text ends.
func (v *Panel) target(m Motion) panel.Position {
	switch m {
	case Left:
		return v.left(v.selection.to)
	case Right:
		return v.right(v.selection.to)
	case WordLeft:
		return v.wordLeft(v.selection.to)
	case WordRight:
		return v.wordRight(v.selection.to)
	}
	row := v.rowOf(v.cursorRow())
	at := panel.Position{Line: v.selection.to.Line, Byte: row.Start}
	if at == v.selection.to {
		at.Byte = 0
	}
	return at
}

func (v *Panel) left(p panel.Position) panel.Position {
	if p.Byte == 0 {
		if p.Line == v.first {
			return p
		}
		return panel.Position{Line: p.Line - 1, Byte: len(v.line(p.Line - 1).Text)}
	}
	width, _ := v.page()
	l := v.line(p.Line)
	row := l.wrap(width)[l.rowAt(p.Byte-1, width)]
	at := row.Start
	for c := range text.Clusters(l.Text, row) {
		if c.Start >= p.Byte {
			break
		}
		at = c.Start
	}
	return panel.Position{Line: p.Line, Byte: at}
}

func (v *Panel) right(p panel.Position) panel.Position {
	l := v.line(p.Line)
	if p.Byte == len(l.Text) {
		if p.Line+1 == v.end() {
			return p
		}
		return panel.Position{Line: p.Line + 1}
	}
	width, _ := v.page()
	for c := range text.Clusters(l.Text, l.wrap(width)[l.rowAt(p.Byte, width)]) {
		if c.End > p.Byte {
			return panel.Position{Line: p.Line, Byte: c.End}
		}
	}
	return panel.Position{Line: p.Line, Byte: len(l.Text)}
}

func (v *Panel) wordLeft(p panel.Position) panel.Position {
	for {
		start := -1
		for w := range text.Words(v.line(p.Line).Text) {
			if w.Start >= p.Byte {
				break
			}
			if !w.Blank {
				start = w.Start
			}
		}
		switch {
		case start >= 0:
			return panel.Position{Line: p.Line, Byte: start}
		case p.Line == v.first:
			return panel.Position{Line: p.Line}
		}
		p = panel.Position{Line: p.Line - 1, Byte: len(v.line(p.Line - 1).Text)}
	}
}

func (v *Panel) wordRight(p panel.Position) panel.Position {
	for {
		l := v.line(p.Line)
		for w := range text.Words(l.Text) {
			if w.End > p.Byte && !w.Blank {
				return panel.Position{Line: p.Line, Byte: w.End}
			}
		}
		if p.Line+1 == v.end() {
			return panel.Position{Line: p.Line, Byte: len(l.Text)}
		}
		p = panel.Position{Line: p.Line + 1}
	}
}

// wordAt is the word that a place is in; behind the line's end there is none.
func (v *Panel) wordAt(p panel.Position) (from, to panel.Position) {
	for w := range text.Words(v.line(p.Line).Text) {
		if w.End > p.Byte {
			return panel.Position{Line: p.Line, Byte: w.Start}, panel.Position{Line: p.Line, Byte: w.End}
		}
	}
	return p, p
}

// moveRow goes up or down by a row, to the column where the first such move
// began. From the first and the last row it goes to the end of the text.
func (v *Panel) moveRow(by int, extend bool) {
	goal := v.selection.goal
	if goal < 0 {
		goal = v.cursorColumn()
	}
	from := v.cursorRow()
	to := v.down(from, 1)
	if by < 0 {
		to = v.up(from, 1)
	}
	switch {
	case to != from:
		v.putIntoRow(to, goal, extend)
	case by < 0:
		v.selection.place(panel.Position{Line: v.first}, extend)
	default:
		v.selection.place(v.textEnd(), extend)
	}
	v.selection.goal = goal
}

// moveRowEnd goes behind the row, and from there behind the line.
func (v *Panel) moveRowEnd(extend bool) {
	s := &v.selection
	at := v.cursorRow()
	end, length := v.rowOf(at).End, len(v.line(at.line).Text)
	if s.to.Byte == end {
		end = length
	}
	s.place(panel.Position{Line: at.line, Byte: end}, extend)
	s.rowEnd = end < length
}

// putIntoRow puts the cursor into a row, before the cluster at a column.
func (v *Panel) putIntoRow(at pos, column int, extend bool) {
	l := v.line(at.line)
	row := v.rowOf(at)
	cut := clusterAt(l.Text, row, column)
	v.selection.place(panel.Position{Line: at.line, Byte: cut.Start}, extend)
	v.selection.rowEnd = cut.Start == row.End && row.End < len(l.Text)
}

// clusterAt is the cluster that covers a column of a row; behind the row it is
// empty.
func clusterAt(s string, row text.Row, column int) text.Row {
	for c := range text.Clusters(s, row) {
		if column < c.Col+c.Width {
			return text.Row{Start: c.Start, End: c.End}
		}
	}
	return text.Row{Start: row.End, End: row.End}
}

// cursorRow is the row that the cursor is in. There must be one.
func (v *Panel) cursorRow() pos {
	width, _ := v.page()
	s := &v.selection
	l := v.line(s.to.Line)
	row := l.rowAt(s.to.Byte, width)
	if s.rowEnd && row > 0 && l.rows[row].Start == s.to.Byte {
		row--
	}
	return pos{s.to.Line, row}
}

// cursorColumn is the column that the cursor is at.
func (v *Panel) cursorColumn() int {
	at := v.cursorRow()
	column := 0
	for c := range text.Clusters(v.line(at.line).Text, v.rowOf(at)) {
		if c.Start >= v.selection.to.Byte {
			return c.Col
		}
		column = c.Col + c.Width
	}
	return column
}

// rowOf is what of its line stands in a row.
func (v *Panel) rowOf(p pos) text.Row {
	width, _ := v.page()
	return v.line(p.line).wrap(width)[p.row]
}

// inView reports whether a row is shown.
func (v *Panel) inView(p pos) bool {
	_, height := v.page()
	top := v.top()
	return !p.before(top) && !v.down(top, height-1).before(p)
}

// reveal scrolls until the cursor can be seen.
func (v *Panel) reveal() {
	width, height := v.page()
	at, top := v.cursorRow(), v.top()
	switch {
	case at.before(top):
		v.setTop(at)
	case v.down(top, height-1).before(at):
		v.setTop(v.up(at, height-1))
	}
	if v.line(at.line).Kind != panel.Table {
		return
	}
	switch column := v.cursorColumn(); {
	case column < v.tableColumn():
		v.column = column
	case column >= v.tableColumn()+width:
		v.column = min(column-width+1, v.tableOverhang())
	}
}
