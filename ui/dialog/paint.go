package dialog

import (
	"fmt"
	"strings"

	"copydesk/core/text"
	"copydesk/ui/theme"

	"github.com/gdamore/tcell/v2"
)

// ascii reports whether the interface keeps to ASCII (R41).
func ascii(t *theme.Theme) bool { return t.Glyphs().Pointer < "\x80" }

// put writes clean one-line text from x on, cut at width cells, and returns the
// cells written.
func put(s tcell.Screen, x, y, width int, str string, style tcell.Style) int {
	used := 0
	for c := range text.Clusters(str, text.Row{End: len(str)}) {
		if c.Col+c.Width > width {
			break
		}
		putCluster(s, x+c.Col, y, str[c.Start:c.End], c.Width, style)
		used = c.Col + c.Width
	}
	return used
}

// cut shortens clean text to a width with the theme's mark of it.
func cut(th *theme.Theme, s string, width int) string {
	short := text.Truncate(s, width)
	if short == s {
		return s
	}
	return strings.TrimSuffix(short, "…") + th.Glyphs().Ellipsis
}

// putRow writes one wrapped row of a line.
func putRow(s tcell.Screen, x, y, width int, line text.Line, row text.Row, th *theme.Theme, add func(tcell.Style) tcell.Style) {
	spans, end := line.Spans, 0
	style := text.Plain
	for c := range text.Clusters(line.Text, row) {
		for c.Start >= end {
			if len(spans) == 0 {
				style, end = text.Plain, len(line.Text)+1
				break
			}
			style, end = spans[0].Style, end+spans[0].Len
			spans = spans[1:]
		}
		if c.Col+c.Width > width {
			break
		}
		st := th.Style(style)
		if add != nil {
			st = add(st)
		}
		putCluster(s, x+c.Col, y, line.Text[c.Start:c.End], c.Width, st)
	}
}

func putCluster(s tcell.Screen, x, y int, cluster string, width int, style tcell.Style) {
	switch {
	case width <= 0:
	case cluster == "\t":
		fill(s, x, y, width, 1, style)
	default:
		s.Put(x, y, cluster, style)
	}
}

// fill blanks a rectangle.
func fill(s tcell.Screen, x, y, width, height int, style tcell.Style) {
	for row := y; row < y+height; row++ {
		for col := x; col < x+width; col++ {
			s.Put(col, row, " ", style)
		}
	}
}

// frame draws the box of a dialog, with heavy lines when it has the keyboard, a
// title at the left of the upper edge and a badge at its right; note stands at
// the right of the lower edge.
func frame(s tcell.Screen, r rect, th *theme.Theme, active bool, title, badge, note string) {
	g := th.Glyphs()
	hor, ver, tl, tr, bl, br := g.Horizontal, g.Vertical, g.TopLeft, g.TopRight, g.BottomLeft, g.BottomRight
	style := th.Element(theme.DialogBorder)
	if active {
		hor, ver, tl, tr, bl, br = g.HorizontalFocus, g.VerticalFocus, g.TopLeftFocus, g.TopRightFocus, g.BottomLeftFocus, g.BottomRightFocus
	}
	right, bottom := r.x+r.w-1, r.y+r.h-1
	for x := r.x + 1; x < right; x++ {
		s.Put(x, r.y, hor, style)
		s.Put(x, bottom, hor, style)
	}
	for y := r.y + 1; y < bottom; y++ {
		s.Put(r.x, y, ver, style)
		s.Put(right, y, ver, style)
	}
	s.Put(r.x, r.y, tl, style)
	s.Put(right, r.y, tr, style)
	s.Put(r.x, bottom, bl, style)
	s.Put(right, bottom, br, style)

	room := r.w - 4
	if badge != "" && text.Width(badge)+2 <= room {
		w := text.Width(badge) + 2
		put(s, right-1-w, r.y, w, " "+badge+" ", th.Element(theme.Badge))
		room -= w + 1
	}
	if title != "" && room > 2 {
		put(s, r.x+1, r.y, room, " "+cut(th, title, room-2)+" ", th.Element(theme.DialogTitle))
	}
	if w := text.Width(note) + 2; note != "" && w <= r.w-4 {
		put(s, right-1-w, bottom, w, " "+note+" ", style)
	}
}

// A rect is a rectangle in cells.
type rect struct{ x, y, w, h int }

func (r rect) holds(x, y int) bool {
	return x >= r.x && x < r.x+r.w && y >= r.y && y < r.y+r.h
}

// outOfSight says how many of some rows are below those that are shown, or else
// above them.
func outOfSight(th *theme.Theme, top, height, rows int) string {
	g := th.Glyphs()
	switch below := rows - top - height; {
	case rows <= height:
		return ""
	case below > 0:
		return fmt.Sprintf("%s %d more", g.Down, below)
	default:
		return fmt.Sprintf("%s %d above", g.Up, top)
	}
}
