package ui

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"copydesk/core/text"
	"copydesk/ui/theme"
)

// A rowMaker composes a row of parts in their styles, no wider than it may be.
type rowMaker struct {
	theme *theme.Theme
	room  int // in cells
	text  strings.Builder
	spans []text.Span
}

func newRow(th *theme.Theme, width int) *rowMaker { return &rowMaker{theme: th, room: max(0, width)} }

// add adds a clean part, cut where there is no more room.
func (r *rowMaker) add(s string, style text.Style) {
	s = truncated(r.theme, s, r.room)
	if s == "" {
		return
	}
	r.room -= text.Width(s)
	r.text.WriteString(s)
	r.spans = append(r.spans, text.Span{Len: len(s), Style: style})
}

// right adds a part at the right edge, if there is room for it.
func (r *rowMaker) right(s string, style text.Style) {
	if w := text.Width(s); w > 0 && w <= r.room {
		r.add(strings.Repeat(" ", r.room-w), text.Plain)
		r.add(s, style)
	}
}

func (r *rowMaker) line() text.Line { return text.Line{Text: r.text.String(), Spans: r.spans} }

// bounded is the beginning of a text, at most so many bytes of it.
func bounded(s string, most int) string {
	if len(s) <= most {
		return s
	}
	for most > 0 && !utf8.RuneStart(s[most]) {
		most--
	}
	return strings.Clone(s[:most])
}

// folder cuts a folder to a width so that its end stays to be read.
func folder(th *theme.Theme, dir string, width int) string {
	cells := text.Width(dir)
	if cells <= width {
		return dir
	}
	for c := range text.Clusters(dir, text.Row{End: len(dir)}) {
		if cells-c.Col < width {
			return th.Glyphs().Less + dir[c.Start:] // an ASCII ellipsis reads as the home folder
		}
	}
	return ""
}

// bytes says how much is on a disk: "214 B", "12 kB", "3.4 MB".
func bytes(n int64) string {
	if n < 1000 {
		return fmt.Sprintf("%d B", max(0, n))
	}
	size, unit := float64(n), ""
	for _, unit = range []string{"kB", "MB", "GB", "TB"} {
		if size /= 1000; size < 999.5 {
			break
		}
	}
	if size < 9.95 {
		return fmt.Sprintf("%.1f %s", size, unit)
	}
	return fmt.Sprintf("%.0f %s", size, unit)
}

// counted is a number with what it counts: "1 session", "3 sessions".
func counted(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %ss", n, one)
}
