package dialog

import (
	"fmt"
	"strings"

	"copydesk/core/text"
	"copydesk/ui/theme"

	"github.com/gdamore/tcell/v2"
)

// Where a preview has room: beside the list from so many columns of the screen
// on, below it from so many rows on.
const (
	besideColumns = 100
	belowRows     = 30
)

// The rows of a screen from which a browser leaves some of them to the desk, and
// the cells that its query has at least.
const (
	roomyRows    = 16
	roomyColumns = 64
	queryCells   = 20
)

// The most rows of a warning and of a notice.
const (
	warningRows = 2
	noticeRows  = 3
)

// Place gives the browser nearly the whole screen, and all of a small one.
func (b *Browser) Place(columns, rows int) (x, y, width, height int) {
	width, height = columns, rows
	if columns >= roomyColumns {
		width -= 4
	}
	if rows >= roomyRows {
		height -= 3
	}
	before := b.previews
	b.previews = !b.deps.Plain && (columns >= besideColumns || rows >= belowRows)
	if b.previews && !before && b.told >= 0 {
		b.deps.Moved()
	}
	return centred(columns, rows, width, height)
}

// Draw draws the list, and the preview where there is room.
func (b *Browser) Draw(screen tcell.Screen) {
	x, y, w, h := b.GetRect()
	if w < 5 || h < 4 {
		return
	}
	th := b.deps.Theme
	fill(screen, x, y, w, h, th.Element(theme.Base))
	inner := rect{x + 2, y + 1, w - 4, h - 2}
	foot := b.foot(inner)
	b.list = rect{inner.x, inner.y + 1, inner.w, max(0, inner.h-1-len(foot))}
	preview := b.split(screen)
	b.height = b.list.h / EntryRows
	b.keepInView()
	frame(screen, rect{x, y, w, h}, th, true, b.title, "", b.more())
	for i, l := range foot {
		putRow(screen, inner.x, inner.y+inner.h-len(foot)+i, inner.w, l, text.Row{End: len(l.Text)}, th, nil)
	}
	b.drawEntries(screen)
	if preview.h > 0 {
		b.drawPreview(screen, preview)
	}
	b.drawQuery(screen, inner)
}

// split takes the room of the preview from the list, and draws the line between.
func (b *Browser) split(screen tcell.Screen) rect {
	columns, rows := screen.Size()
	th := b.deps.Theme
	g, border := th.Glyphs(), th.Element(theme.DialogBorder)
	l := &b.list
	switch {
	case b.deps.Plain:
	case columns >= besideColumns:
		left := (l.w - 3) * 11 / 20
		for y := l.y; y < l.y+l.h; y++ {
			screen.Put(l.x+left+1, y, g.Vertical, border)
		}
		at := rect{l.x + left + 3, l.y, l.w - left - 3, l.h}
		l.w = left
		return at
	case rows >= belowRows:
		upper := (l.h - 1) / 2 / EntryRows * EntryRows
		for x := l.x; x < l.x+l.w; x++ {
			screen.Put(x, l.y+upper, g.Horizontal, border)
		}
		at := rect{l.x, l.y + upper + 1, l.w, l.h - upper - 1}
		l.h = upper
		return at
	}
	return rect{}
}

func (b *Browser) drawEntries(screen tcell.Screen) {
	th, l := b.deps.Theme, b.list
	if len(b.found) == 0 {
		b.drawText(screen, l, b.deps.Empty(), theme.InputHint)
		return
	}
	if l.w < 4 {
		return
	}
	chosen := th.Element(theme.Selected)
	for k := 0; k < b.height && b.top+k < len(b.found); k++ {
		y := l.y + k*EntryRows
		var add func(tcell.Style) tcell.Style
		if b.top+k == b.at {
			fill(screen, l.x, y, l.w, EntryRows, chosen)
			put(screen, l.x, y, 1, th.Glyphs().Pointer, chosen)
			add = func(s tcell.Style) tcell.Style {
				_, _, attrs := s.Decompose()
				return chosen.Bold(attrs&tcell.AttrBold != 0).Underline(s.GetUnderlineStyle() != tcell.UnderlineStyleNone)
			}
		}
		for row, line := range b.deps.Entry(b.found[b.top+k], l.w-2) {
			putRow(screen, l.x+2, y+row, l.w-2, line, text.Row{End: len(line.Text)}, th, add)
		}
	}
}

// drawPreview draws the last rows of what is previewed.
func (b *Browser) drawPreview(screen tcell.Screen, at rect) {
	if len(b.preview) == 0 {
		b.drawText(screen, at, b.instead, theme.InputHint)
		return
	}
	top := len(b.preview)
	for rows := 0; top > 0 && rows < at.h; {
		top--
		rows += len(text.Wrap(b.preview[top].Text, max(2, at.w)))
	}
	var rows []bodyRow
	for i := top; i < len(b.preview); i++ {
		for _, row := range text.Wrap(b.preview[i].Text, max(2, at.w)) {
			rows = append(rows, bodyRow{passage: i, row: row})
		}
	}
	rows = rows[max(0, len(rows)-at.h):]
	for i, r := range rows {
		putRow(screen, at.x, at.y+i, at.w, b.preview[r.passage], r.row, b.deps.Theme, nil)
	}
}

// drawText draws a clean sentence over the rows it needs.
func (b *Browser) drawText(screen tcell.Screen, at rect, s string, e theme.Element) {
	for i, row := range text.Wrap(s, max(2, at.w)) {
		if i < at.h {
			put(screen, at.x, at.y+i, at.w, s[row.Start:row.End], b.deps.Theme.Element(e))
		}
	}
}

// drawQuery draws what is typed and, right of it, what there is.
func (b *Browser) drawQuery(screen tcell.Screen, in rect) {
	th := b.deps.Theme
	room := in.w
	for _, s := range b.deps.Status() {
		if w := text.Width(s); s != "" && w+queryCells <= in.w {
			put(screen, in.x+in.w-w, in.y, w, s, th.Element(theme.InputHint))
			room -= w + 1
			break
		}
	}
	used := put(screen, in.x, in.y, room, "/ ", th.Element(theme.InputPrompt))
	if b.filter.text() == "" {
		put(screen, in.x+used, in.y, room-used, cut(th, "Type to search.", room-used), th.Element(theme.InputHint))
	}
	b.filter.draw(screen, in.x+used, in.y, room-used, th.Element(theme.InputText), true, th)
}

// foot is what stands below the list: a warning, and a notice or else what keys
// do.
func (b *Browser) foot(in rect) []text.Line {
	var lines []text.Line
	add := func(s string, style text.Style, most int) {
		rows := text.Wrap(s, max(2, in.w))
		for i, row := range rows[:min(len(rows), most)] {
			part := s[row.Start:row.End]
			if i == most-1 {
				part = cut(b.deps.Theme, s[row.Start:], in.w)
			}
			lines = append(lines, text.Line{Text: part, Spans: []text.Span{{Len: len(part), Style: style}}})
		}
	}
	if b.warning != "" {
		add(b.warning, text.Warning, warningRows)
	}
	switch {
	case b.notice != "" && b.failed:
		add(b.notice, text.Warning|text.Bold, noticeRows)
	case b.notice != "":
		add(b.notice, text.Muted, noticeRows)
	default:
		add(b.hint(in.w), text.Muted|text.Italic, 1)
	}
	return lines[:min(len(lines), max(0, in.h-1-EntryRows))]
}

// hint names as many keys as there is room for.
func (b *Browser) hint(width int) string {
	hints := b.deps.Hints()
	for n := len(hints); n > 0; n-- {
		if s := strings.Join(hints[:n], ", ") + "."; text.Width(s) <= width {
			return s
		}
	}
	return ""
}

func (b *Browser) more() string {
	g := b.deps.Theme.Glyphs()
	switch below := len(b.found) - b.top - b.height; {
	case len(b.found) <= b.height:
		return ""
	case below > 0:
		return fmt.Sprintf("%s %d more", g.Down, below)
	default:
		return fmt.Sprintf("%s %d above", g.Up, b.top)
	}
}
