package term

import (
	"strings"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/uniseg"
)

// A frame is what has been drawn since the last Clear, and what tcell has of it.
// tview clears the screen before every draw, and tcell v2.13 takes a cell that
// was cleared and written again for changed, so that each frame would send all
// of its text anew. The frame hands on only the cells that differ from the frame
// before. It belongs to the goroutine that draws.
type frame struct {
	width, height int
	now, sent     []drawnCell
}

// drawnCell is one cell: a grapheme cluster and its style. A text of "" in what
// was sent is a cell that tcell has not got.
type drawnCell struct {
	text  string
	style tcell.Style
}

// fit makes the frame as large as the screen; all of it has to be sent then.
func (f *frame) fit(width, height int) {
	if width == f.width && height == f.height {
		return
	}
	f.width, f.height = width, height
	f.now = make([]drawnCell, width*height)
	f.sent = make([]drawnCell, width*height)
	f.fill(" ", tcell.StyleDefault)
}

func (f *frame) fill(text string, style tcell.Style) {
	for i := range f.now {
		f.now[i] = drawnCell{text, style}
	}
}

// forget makes the next send hand on every cell.
func (f *frame) forget() { clear(f.sent) }

// put draws the first grapheme cluster of s and returns the rest and the
// cluster's width, as tcell's Put does.
func (f *frame) put(x, y int, s string, style tcell.Style) (rest string, width int) {
	if x < 0 || y < 0 || x >= f.width || y >= f.height {
		return s, 0
	}
	cluster := ""
	if len(s) == 1 || len(s) > 1 && s[0] >= ' ' && s[0] < 0x7f && s[1] < 0x80 {
		cluster, rest, width = s[:1], s[1:], 1
	} else {
		rest = s
		for state := -1; width == 0 && rest != ""; {
			_, rest, width, state = uniseg.FirstGraphemeClusterInString(rest, state)
		}
		cluster = s[:len(s)-len(rest)]
	}
	// A joiner at the end of a cell would bind what stands in the next one.
	cluster = strings.TrimRight(cluster, "\u200d")
	c := &f.now[y*f.width+x]
	fg, bg, _ := style.Decompose()
	if fg == tcell.ColorNone || bg == tcell.ColorNone {
		oldFg, oldBg, _ := c.style.Decompose()
		if fg == tcell.ColorNone {
			style = style.Foreground(oldFg)
		}
		if bg == tcell.ColorNone {
			style = style.Background(oldBg)
		}
	}
	*c = drawnCell{cluster, style}
	return rest, width
}

// send hands the cells that have changed to tcell.
func (f *frame) send(to tcell.Screen) {
	for i := range f.now {
		if f.now[i] == f.sent[i] {
			continue
		}
		to.Put(i%f.width, i/f.width, f.now[i].text, f.now[i].style)
		f.sent[i] = f.now[i]
	}
}

// Clear starts a frame.
func (s *screen) Clear() {
	s.frame.fit(s.Screen.Size())
	s.frame.fill(" ", s.style)
}

// Fill fills the frame with one character.
func (s *screen) Fill(r rune, style tcell.Style) {
	s.frame.fit(s.Screen.Size())
	s.frame.fill(string(r), style)
}

// SetStyle is the style of cleared cells.
func (s *screen) SetStyle(style tcell.Style) {
	s.style = style
	s.Screen.SetStyle(style)
}

// Put draws one grapheme cluster.
func (s *screen) Put(x, y int, str string, style tcell.Style) (string, int) {
	s.frame.fit(s.Screen.Size())
	return s.frame.put(x, y, str, style)
}

// PutStr draws a text in the default style.
func (s *screen) PutStr(x, y int, str string) { s.PutStrStyled(x, y, str, s.style) }

// PutStrStyled draws a text, as far as the row goes.
func (s *screen) PutStrStyled(x, y int, str string, style tcell.Style) {
	s.frame.fit(s.Screen.Size())
	for width := 0; str != ""; x += width {
		if str, width = s.frame.put(x, y, str, style); width == 0 {
			return
		}
	}
}

// SetContent draws one character with its combining ones.
func (s *screen) SetContent(x, y int, main rune, combining []rune, style tcell.Style) {
	if len(combining) == 0 && main >= ' ' && main < 0x7f {
		s.Put(x, y, ascii[main-' ':main-' '+1], style)
		return
	}
	s.Put(x, y, string(main)+string(combining), style)
}

// SetCell draws one cell.
func (s *screen) SetCell(x, y int, style tcell.Style, ch ...rune) {
	s.Put(x, y, string(ch), style)
}

// ascii is the printable ASCII characters: a slice of it costs no allocation.
const ascii = " !\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrstuvwxyz{|}~"

// Get returns what the frame holds at a cell.
func (s *screen) Get(x, y int) (string, tcell.Style, int) {
	if x < 0 || y < 0 || x >= s.frame.width || y >= s.frame.height {
		return "", tcell.StyleDefault, 0
	}
	c := s.frame.now[y*s.frame.width+x]
	width := uniseg.StringWidth(c.text)
	if width == 0 {
		return " ", c.style, 1
	}
	return c.text, c.style, width
}

// GetContent returns what the frame holds at a cell, as runes.
func (s *screen) GetContent(x, y int) (main rune, combining []rune, style tcell.Style, width int) {
	str, style, width := s.Get(x, y)
	for i, r := range str {
		if i == 0 {
			main = r
		} else {
			combining = append(combining, r)
		}
	}
	return main, combining, style, width
}
