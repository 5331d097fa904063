package dialog

import (
	"strings"
	"unicode"

	"copydesk/core"
	"copydesk/core/text"
	"copydesk/ui/keys"
	"copydesk/ui/theme"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/uniseg"
)

// An editor is a line of text that the user types. It may hold line ends from a
// paste; they are drawn as marks. Its text is kept as it was typed, blanks and
// all.
type editor struct {
	before, after string // around the cursor
}

func (e *editor) text() string { return e.before + e.after }

func (e *editor) clear() { *e = editor{} }

// insert puts text at the cursor and reports false if it does not fit into
// core.PasteBytes; then nothing is changed.
func (e *editor) insert(s string) bool {
	if len(e.before)+len(e.after)+len(s) > core.PasteBytes {
		return false
	}
	e.before += s
	return true
}

// key does what a stroke means to a line of text and reports whether it means
// anything.
func (e *editor) key(s keys.Stroke) bool {
	if s.Printable() || s.Key == tcell.KeyRune && s.Mod == 0 && unicode.In(s.Rune, unicode.M, unicode.Cf) {
		return e.insert(string(s.Rune))
	}
	if s.Mod != 0 {
		return false
	}
	switch s.Key {
	case tcell.KeyBackspace:
		e.before = e.before[:lastCluster(e.before)]
	case tcell.KeyDelete:
		e.after = e.after[firstCluster(e.after):]
	case tcell.KeyLeft:
		i := lastCluster(e.before)
		e.before, e.after = e.before[:i], e.before[i:]+e.after
	case tcell.KeyRight:
		i := firstCluster(e.after)
		e.before, e.after = e.before+e.after[:i], e.after[i:]
	case tcell.KeyHome:
		e.before, e.after = "", e.text()
	case tcell.KeyEnd:
		e.before, e.after = e.text(), ""
	default:
		return false
	}
	return true
}

func firstCluster(s string) int {
	cluster, _, _, _ := uniseg.FirstGraphemeClusterInString(s, -1)
	return len(cluster)
}

// lastCluster returns where the last cluster of s begins. It looks back no
// further than the line's last stretch: clusters do not reach over a line end or
// past this many bytes of anything that people type.
func lastCluster(s string) int {
	const reach = 256
	from := max(0, len(s)-reach)
	for from > 0 && s[from]&0xc0 == 0x80 {
		from--
	}
	rest := s[from:]
	start := from
	state := -1
	for rest != "" {
		var cluster string
		cluster, rest, _, state = uniseg.FirstGraphemeClusterInString(rest, state)
		if rest != "" {
			start += len(cluster)
		}
	}
	return start
}

// draw writes the text into a row so that the cursor can be seen, and shows the
// cursor there if asked. Where more of the text is to the left or the right, a
// mark stands at that edge.
func (e *editor) draw(s tcell.Screen, x, y, width int, style tcell.Style, cursor bool, th *theme.Theme) {
	if width < 2 {
		return
	}
	// Only what can be in the row is measured: a paste may be megabytes long.
	ascii := ascii(th)
	before, after := shown(tail(e.before, width), ascii), shown(head(e.after, width), ascii)
	mark := th.Element(theme.ScrollMark)
	room := width - 1 // for the cursor behind the text
	used := 0
	if text.Width(before) > room {
		used = put(s, x, y, 1, th.Glyphs().Less, mark)
		for text.Width(before) > room-used {
			before = before[firstCluster(before):]
		}
	}
	used += put(s, x+used, y, width-used, before, style)
	if cursor {
		s.ShowCursor(x+used, y)
	}
	if text.Width(after) <= width-used {
		put(s, x+used, y, width-used, after, style)
		return
	}
	put(s, x+used, y, width-used-1, after, style)
	put(s, x+width-1, y, 1, th.Glyphs().More, mark)
}

// tail and head return a part of s that surely fills width cells.
func tail(s string, width int) string {
	if n := width * 32; len(s) > n {
		return strings.ToValidUTF8(s[len(s)-n:], "")
	}
	return s
}

func head(s string, width int) string {
	if n := width * 32; len(s) > n {
		return strings.ToValidUTF8(s[:n], "")
	}
	return s
}

// shown is typed or pasted text as it is drawn: nothing of it reaches the
// terminal unclean, and tabs and line ends take one cell.
func shown(s string, ascii bool) string {
	lineEnd, tab := "⏎", "⇥"
	if ascii {
		lineEnd, tab = "^J", "^I"
	}
	return strings.NewReplacer("\n", lineEnd, "\t", tab).Replace(text.Clean(s))
}
