package view

import (
	"sort"
	"strings"

	"copydesk/core/panel"
	"copydesk/core/text"
)

// A line is a shown line and how it was wrapped last.
type line struct {
	panel.Shown
	rows    []text.Row // nil: not wrapped yet
	width   int        // of rows
	wrapped int        // how many bytes of the text rows cover
	found   found      // of what is looked for
}

// replace takes a newer state of the line. Rows of a text that was only added
// to are kept, so that a long line that grows is not wrapped from its start.
func (l *line) replace(s panel.Shown) {
	if s.Kind != l.Kind || len(s.Text) < l.wrapped || !strings.HasPrefix(s.Text, l.Text[:l.wrapped]) {
		*l = line{}
	}
	l.Shown, l.found = s, found{}
}

// wrap returns the rows of the line at a width. The rows of a table do not
// wrap: they scroll sideways (PAN 6).
func (l *line) wrap(width int) []text.Row {
	if l.rows != nil && l.width == width && l.wrapped == len(l.Text) {
		return l.rows
	}
	switch {
	case l.Kind == panel.Table:
		l.rows = append(l.rows[:0], text.Row{End: len(l.Text)})
	case l.rows == nil || l.width != width:
		l.rows = text.Wrap(l.Text, width)
	default:
		// What follows can move the last break, when it continues a word or a
		// cluster there, but none before it.
		keep := max(0, len(l.rows)-2)
		start := l.rows[keep].Start
		l.rows = l.rows[:keep]
		for _, r := range text.Wrap(l.Text[start:], width) {
			l.rows = append(l.rows, text.Row{Start: r.Start + start, End: r.End + start})
		}
	}
	l.width, l.wrapped = width, len(l.Text)
	return l.rows
}

// rowAt is the index of the row that holds a byte.
func (l *line) rowAt(at, width int) int {
	rows := l.wrap(width)
	return max(0, sort.Search(len(rows), func(i int) bool { return rows[i].Start > at })-1)
}

// ofAgent reports whether a line is what an agent said or did, which the gutter
// marks (T35).
func ofAgent(k panel.Kind) bool {
	switch k {
	case panel.Echo, panel.Note, panel.Error:
		return false
	}
	return true
}
