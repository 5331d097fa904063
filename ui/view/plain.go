package view

import (
	"copydesk/core/panel"
	"copydesk/core/text"
	"copydesk/ui/theme"

	"github.com/gdamore/tcell/v2"
)

// A Plain draws a panel's lines and nothing beside them, from the first to the
// last column of the screen, for the terminal's own selection. The panel itself
// stays as it is, and where a Plain shows does not move when lines come.
//
// A line that is longer than the screen is wide is broken where a row is full,
// not between words, and the rows of a table are broken, too. No terminal and no
// tmux joins such rows when they are selected: they do that where their own
// wrapping has broken a line, and a program that places each row with the cursor,
// as this one does, never makes them wrap. So a selection of a long line has line
// ends in it, whatever is drawn here. With full rows these line ends are all that
// is added, and taking them out gives the line back; a row that ends at a word
// loses the blank there as well, and one that is cut at the edge loses the rest.
type Plain struct {
	panel *Panel
	top   panel.Position
	rows  map[uint64]filled // of the lines that were drawn last
}

// filled is a line and the rows it was broken into at a width.
type filled struct {
	text  string
	width int
	rows  []text.Row
}

// Plain shows the panel on a screen from the place that the panel shows now; of
// one that follows its end, the last page.
func (v *Panel) Plain(width, height int) *Plain {
	p := &Plain{panel: v, rows: make(map[uint64]filled)}
	from, _, ok := v.View()
	switch {
	case len(v.lines) == 0:
	case v.follow || !ok:
		p.End(width, height)
	default:
		p.top = from
	}
	return p
}

// Draw draws the whole screen. It must have been cleared.
func (p *Plain) Draw(screen tcell.Screen) {
	v := p.panel
	width, height := screen.Size()
	if len(v.lines) == 0 {
		return
	}
	paint := painter{screen: screen, theme: v.theme, base: v.theme.Element(theme.Base)}
	kept := make(map[uint64]filled)
	at := p.row(width)
	for y := 0; at.line < v.end(); at = (pos{line: at.line + 1}) {
		l := v.line(at.line)
		rows := p.wrap(at.line, width)[at.row:]
		kept[at.line] = p.rows[at.line]
		paint.begin(&l.Line)
		for _, r := range rows[:min(len(rows), height-y)] {
			for c := range text.Clusters(l.Text, r) {
				paint.cluster(c.Col, y, c)
			}
			y++
		}
		if y == height {
			break
		}
	}
	p.rows = kept
}

// row is the row at the top.
func (p *Plain) row(width int) pos {
	v := p.panel
	switch {
	case p.top.Line < v.first:
		p.top = panel.Position{Line: v.first}
	case p.top.Line >= v.end():
		p.top = panel.Position{Line: v.end() - 1}
	}
	at := pos{line: p.top.Line}
	for i, r := range p.wrap(at.line, width) {
		if r.Start <= p.top.Byte {
			at.row = i
		}
	}
	return at
}

// wrap breaks a line where its rows are full.
func (p *Plain) wrap(n uint64, width int) []text.Row {
	s := p.panel.line(n).Text
	if f, ok := p.rows[n]; ok && f.width == width && f.text == s {
		return f.rows
	}
	f := filled{text: s, width: width, rows: fill(s, width)}
	p.rows[n] = f
	return f.rows
}

// fill breaks a text into rows of as many cells as there are, never inside of a
// cluster.
func fill(s string, width int) []text.Row {
	var rows []text.Row
	start := 0
	for {
		row := text.Row{Start: start, End: len(s)}
		for c := range text.Clusters(s, row) {
			if c.Col+c.Width > width && c.Start > start {
				row.End = c.Start
				break
			}
		}
		rows = append(rows, row)
		if row.End == len(s) {
			return rows
		}
		start = row.End
	}
}

// Scroll moves by a number of rows, down when it is positive, no further than to
// the last page.
func (p *Plain) Scroll(by, width, height int) {
	if len(p.panel.lines) == 0 {
		return
	}
	at, last := p.row(width), p.last(width, height)
	if by < 0 {
		at = p.up(at, -by, width)
	} else {
		at = p.down(at, by, width)
	}
	if last.before(at) {
		at = last
	}
	p.stand(at, width)
}

// Top shows the first line.
func (p *Plain) Top() { p.top = panel.Position{Line: p.panel.first} }

// End shows the last page.
func (p *Plain) End(width, height int) {
	if len(p.panel.lines) > 0 {
		p.stand(p.last(width, height), width)
	}
}

func (p *Plain) stand(at pos, width int) {
	p.top = panel.Position{Line: at.line, Byte: p.wrap(at.line, width)[at.row].Start}
}

// last is the row at the top of the last page.
func (p *Plain) last(width, height int) pos {
	n := p.panel.end() - 1
	return p.up(pos{n, len(p.wrap(n, width)) - 1}, height-1, width)
}

// up is n rows above a row, or the first one.
func (p *Plain) up(at pos, n, width int) pos {
	for n > at.row {
		if at.line == p.panel.first {
			return pos{line: at.line}
		}
		n -= at.row + 1
		at.line--
		at.row = len(p.wrap(at.line, width)) - 1
	}
	at.row -= n
	return at
}

// down is n rows below a row, or the last one.
func (p *Plain) down(at pos, n, width int) pos {
	for {
		left := len(p.wrap(at.line, width)) - 1 - at.row
		if n <= left || at.line+1 == p.panel.end() {
			at.row += min(n, left)
			return at
		}
		n -= left + 1
		at = pos{line: at.line + 1}
	}
}
