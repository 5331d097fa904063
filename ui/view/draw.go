package view

import (
	"strings"

	"copydesk/core/panel"
	"copydesk/core/text"
	"copydesk/ui/theme"

	"github.com/gdamore/tcell/v2"
)

// gutterWidth is the gutter's cell and the blank after it.
const gutterWidth = 2

// Draw draws the panel. Every cell of its rectangle is written, so what was
// there before does not matter. A rectangle that is too small for a frame and a
// cell of text stays blank.
func (v *Panel) Draw(screen tcell.Screen) {
	x, y, w, h := v.GetRect()
	if w <= 0 || h <= 0 {
		return
	}
	p := painter{screen: screen, theme: v.theme, base: v.theme.Element(theme.Base)}
	if w < 2 || h < 2 {
		for row := y; row < y+h; row++ {
			p.blank(x, row, w)
		}
		return
	}
	v.drawRows(&p, x+1, y+1, w-2, h-2)
	v.drawCursor(screen)
	v.drawFrame(&p, x, y, w, h)
}

// drawRows draws the visible rows into the inside of the frame.
func (v *Panel) drawRows(p *painter, x, y, w, h int) {
	bottom := y + h
	width, height := v.page()
	if height > 0 && len(v.lines) > 0 {
		column := v.tableColumn()
		from, to, _ := v.selected()
		p.selected = v.theme.Element(theme.Selected)
		p.found, p.chosen = v.theme.Element(theme.Found), v.theme.Element(theme.FoundChosen)
		top := v.top()
		for n := top.line; n < v.end() && y < bottom; n++ {
			l := v.line(n)
			rows := l.wrap(width)
			p.begin(&l.Line)
			p.mark = cutOf(n, len(l.Text), from, to)
			p.places, p.at = v.hits(n), -1
			if v.finder.chosen && v.finder.at.Line == n {
				p.at = v.finder.at.Byte
			}
			for _, row := range rows[top.row:] {
				if y == bottom {
					break
				}
				p.gutter(x, y, ofAgent(l.Kind))
				if l.Kind == panel.Table {
					p.tableRow(x+gutterWidth, y, width, column)
				} else {
					p.row(x+gutterWidth, y, width, row)
				}
				y++
				if row.End == len(l.Text) {
					v.seen = max(v.seen, n+1)
				}
			}
			top.row = 0
		}
	}
	for ; y < bottom; y++ {
		p.blank(x, y, w)
	}
}

// drawFrame draws the frame with the title in its upper edge and the pill in its
// lower one.
func (v *Panel) drawFrame(p *painter, x, y, w, h int) {
	g := v.theme.Glyphs()
	style, title := v.theme.Element(theme.Border), v.theme.Element(theme.Title)
	horizontal, vertical := g.Horizontal, g.Vertical
	corners := [4]string{g.TopLeft, g.TopRight, g.BottomLeft, g.BottomRight}
	if v.focused {
		style, title = v.theme.Element(theme.BorderFocus), v.theme.Element(theme.TitleFocus)
		horizontal, vertical = g.HorizontalFocus, g.VerticalFocus
		corners = [4]string{g.TopLeftFocus, g.TopRightFocus, g.BottomLeftFocus, g.BottomRightFocus}
	}
	right, bottom := x+w-1, y+h-1
	for row := y + 1; row < bottom; row++ {
		p.screen.Put(x, row, vertical, style)
		p.screen.Put(right, row, vertical, style)
	}
	p.screen.Put(x, y, corners[0], style)
	p.screen.Put(right, y, corners[1], style)
	p.screen.Put(x, bottom, corners[2], style)
	p.screen.Put(right, bottom, corners[3], style)

	at := x + 1
	if label := v.label(v.title, w-5); label != "" {
		at = p.label(at, y, label, title)
	}
	p.fill(at, y, right-at, horizontal, style)

	v.pill = span{}
	at = right
	if label := v.label(v.pillText(), w-5); label != "" {
		v.pill = span{right - 1 - text.Width(label) - 2, right - 1}
		p.label(v.pill.from, bottom, label, v.theme.Element(theme.Pill))
		p.fill(v.pill.to, bottom, right-v.pill.to, horizontal, style)
		at = v.pill.from
	}
	p.fill(x+1, bottom, at-x-1, horizontal, style)
}

// label cuts a text to the room that an edge has for it.
func (v *Panel) label(s string, room int) string {
	cut := text.Truncate(s, room)
	if cut != s {
		cut = strings.TrimSuffix(cut, "…") + v.theme.Glyphs().Ellipsis
	}
	if text.Width(cut) > room {
		return ""
	}
	return cut
}

// A painter writes cells. For the rows of one line, which come from top to
// bottom, it goes through the line's spans once.
type painter struct {
	screen tcell.Screen
	theme  *theme.Theme
	base   tcell.Style

	line  *text.Line
	next  int // index of the span after the one that style is of
	until int // byte that style ends before
	style tcell.Style

	mark     text.Row // what of the line is selected
	selected tcell.Style

	places        []text.Row // what was found in the line, from the next one on
	at            int        // the chosen one of it; -1: none is
	found, chosen tcell.Style
}

// begin turns to a line.
func (p *painter) begin(l *text.Line) {
	p.line, p.next, p.until = l, 0, 0
}

// styleAt is the style of a byte. The bytes must come in order.
func (p *painter) styleAt(at int) tcell.Style {
	for at >= p.until {
		if p.next == len(p.line.Spans) {
			p.until, p.style = len(p.line.Text)+1, p.theme.Style(text.Plain)
			break
		}
		s := p.line.Spans[p.next]
		p.next++
		p.until += s.Len
		if at < p.until {
			p.style = p.theme.Style(s.Style)
		}
	}
	return p.style
}

// gutter draws the two cells at the left of every row.
func (p *painter) gutter(x, y int, agent bool) {
	if agent {
		p.screen.Put(x, y, p.theme.Glyphs().Gutter, p.theme.Element(theme.Gutter))
	} else {
		p.screen.Put(x, y, " ", p.base)
	}
	p.screen.Put(x+1, y, " ", p.base)
}

// row draws one wrapped row and the blank column after the text. Blanks that
// hang over the edge are not drawn.
func (p *painter) row(x, y, width int, r text.Row) {
	col := 0
	for c := range text.Clusters(p.line.Text, r) {
		if c.Col+c.Width > width {
			break
		}
		p.cluster(x+c.Col, y, c)
		col = c.Col + c.Width
	}
	p.blank(x+col, y, width+1-col)
}

// tableRow draws a row of a table from a column on. A mark at each side says
// that it goes on there.
func (p *painter) tableRow(x, y, width, column int) {
	more, col := false, 0
	for c := range text.Clusters(p.line.Text, text.Row{End: len(p.line.Text)}) {
		from, to := c.Col-column, c.Col+c.Width-column
		if to <= 0 {
			continue
		}
		if to > width {
			more = true
			break
		}
		if from < 0 { // the right half of a wide character
			p.blank(x, y, to)
		} else {
			p.cluster(x+from, y, c)
		}
		col = to
	}
	p.blank(x+col, y, width+1-col)
	mark := p.theme.Element(theme.ScrollMark)
	if more {
		p.screen.Put(x+width, y, p.theme.Glyphs().More, mark)
	}
	if column > 0 {
		p.screen.Put(x-1, y, p.theme.Glyphs().Less, mark)
	}
}

// cluster draws one cluster of the line.
func (p *painter) cluster(x, y int, c text.Cluster) {
	s := p.line.Text[c.Start:c.End]
	style := p.styleAt(c.Start)
	for len(p.places) > 0 && p.places[0].End <= c.Start {
		p.places = p.places[1:]
	}
	if len(p.places) > 0 && p.places[0].Start < c.End {
		if style = p.found; p.places[0].Start == p.at {
			style = p.chosen
		}
	}
	if c.Start >= p.mark.Start && c.Start < p.mark.End {
		style = p.selected
	}
	if s == "\t" {
		p.fill(x, y, c.Width, " ", style)
		return
	}
	p.screen.Put(x, y, s, style)
}

func (p *painter) blank(x, y, n int) { p.fill(x, y, n, " ", p.base) }

// fill draws one glyph n times.
func (p *painter) fill(x, y, n int, glyph string, style tcell.Style) {
	for ; n > 0; n-- {
		p.screen.Put(x, y, glyph, style)
		x++
	}
}

// label draws a one-line text with a blank at each side and returns the column
// after it.
func (p *painter) label(x, y int, s string, style tcell.Style) int {
	s = " " + s + " "
	for c := range text.Clusters(s, text.Row{End: len(s)}) {
		p.screen.Put(x+c.Col, y, s[c.Start:c.End], style)
	}
	return x + text.Width(s)
}
