package dialog

import (
	"fmt"
	"strings"

	"copydesk/core/text"
	"copydesk/ui/keys"
	"copydesk/ui/theme"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/tview"
)

// wheelRows is how many rows a notch of the wheel scrolls a reader.
const wheelRows = 3

// ReaderDeps are what a reader works with. Copy gets the whole text when its
// key was pressed, Close is called when the reader was closed. The reader does
// not leave the stack by itself.
type ReaderDeps struct {
	Theme *theme.Theme
	Keys  *keys.Map
	Copy  func(text string)
	Close func()
}

// Reader is a modal that shows a long text, to be read and copied: it wraps
// softly and scrolls, and takes every key.
type Reader struct {
	*tview.Box
	deps   ReaderDeps
	title  string
	lines  []text.Line
	rows   []bodyRow
	width  int // the rows are wrapped to; 0: not yet
	height int // in rows, at the last draw
	top    int
	goTo   int // the line to show, from 1 on; 0: none
}

// NewReader returns a reader at the top of its text. The lines are clean.
func NewReader(title string, lines []text.Line, deps ReaderDeps) *Reader {
	return &Reader{Box: tview.NewBox(), deps: deps, title: text.CleanLine(title), lines: lines}
}

// Place gives the reader the room that its text needs, up to nearly the whole
// screen.
func (r *Reader) Place(columns, rows int) (x, y, width, height int) {
	margin := 4
	if columns < framedColumns+margin {
		margin = 0
	}
	width = max(text.Width(r.title)+6, framedColumns)
	for _, l := range r.lines {
		if width >= columns-margin {
			break
		}
		width = max(width, text.Width(l.Text)+4)
	}
	width = min(width, columns-margin)
	r.wrap(width - 4)
	return centred(columns, rows, width, min(len(r.rows)+3, max(rows-2, framedRows)))
}

func (r *Reader) wrap(width int) {
	if width = max(width, 2); r.width == width {
		return
	}
	var at bodyRow
	if r.top < len(r.rows) {
		at = r.rows[r.top]
	}
	r.rows, r.width = r.rows[:0], width
	held := r.top > 0
	r.top = 0
	for i, l := range r.lines {
		for _, row := range text.Wrap(l.Text, width) {
			if held && (i < at.passage || i == at.passage && row.Start <= at.row.Start) {
				r.top = len(r.rows)
			}
			r.rows = append(r.rows, bodyRow{passage: i, row: row})
		}
	}
}

// Draw draws the reader.
func (r *Reader) Draw(screen tcell.Screen) {
	x, y, w, h := r.GetRect()
	if w < 5 || h < 3 {
		return
	}
	th := r.deps.Theme
	fill(screen, x, y, w, h, th.Element(theme.Base))
	r.wrap(w - 4)
	r.height = max(1, h-3)
	r.arrive()
	r.scroll(0)
	frame(screen, rect{x, y, w, h}, th, true, r.title, "", r.more())
	for i := 0; i < r.height && r.top+i < len(r.rows); i++ {
		b := r.rows[r.top+i]
		putRow(screen, x+2, y+1+i, w-4, r.lines[b.passage], b.row, th, nil)
	}
	if len(r.lines) == 0 {
		put(screen, x+2, y+1, w-4, "There is nothing to read.", th.Element(theme.InputHint))
	}
	if h > 3 {
		put(screen, x+2, y+h-2, w-4, cut(th, r.hint(w-4), w-4), th.Element(theme.InputHint))
	}
}

// hint names the keys, in as many words as there is room for.
func (r *Reader) hint(width int) string {
	label := r.deps.Keys.Label
	parts := []string{label(keys.CopyDialog) + " copies", label(keys.ListClose) + " closes"}
	if len(r.rows) > r.height {
		pages := fmt.Sprintf("%s, %s scroll", label(keys.PageUp), label(keys.PageDown))
		if long := strings.Join(append([]string{pages}, parts...), ", ") + "."; text.Width(long) <= width {
			return long
		}
	}
	return strings.Join(parts, ", ") + "."
}

// GoTo shows a line, a third below the top, as soon as the reader is drawn.
func (r *Reader) GoTo(line int) { r.goTo = line + 1 }

// arrive goes where GoTo said.
func (r *Reader) arrive() {
	if r.goTo == 0 {
		return
	}
	for i, b := range r.rows {
		if b.passage == r.goTo-1 {
			r.top = max(0, i-r.height/3)
			break
		}
	}
	r.goTo = 0
}

// more says how much of the text is out of sight.
func (r *Reader) more() string { return outOfSight(r.deps.Theme, r.top, r.height, len(r.rows)) }

func (r *Reader) scroll(by int) {
	r.top = max(0, min(r.top+by, len(r.rows)-r.height))
}

// InputHandler scrolls, copies and closes.
func (r *Reader) InputHandler() func(*tcell.EventKey, func(tview.Primitive)) {
	return r.WrapInputHandler(func(ev *tcell.EventKey, _ func(tview.Primitive)) { r.HandleKey(ev) })
}

// HandleKey gives the reader a key and reports whether it was taken.
func (r *Reader) HandleKey(ev *tcell.EventKey) bool {
	a, _ := r.deps.Keys.Find([]keys.Context{keys.Reader, keys.Global}, nil, keys.From(ev))
	switch a {
	case keys.DialogUp, keys.LineUp:
		r.scroll(-1)
	case keys.DialogDown, keys.LineDown:
		r.scroll(+1)
	case keys.PageUp:
		r.scroll(-max(1, r.height-1))
	case keys.PageDown:
		r.scroll(max(1, r.height-1))
	case keys.ScrollTop:
		r.scroll(-len(r.rows))
	case keys.ScrollEnd:
		r.scroll(len(r.rows))
	case keys.CopyDialog:
		r.deps.Copy(r.Text())
	case keys.ListClose, keys.Close, keys.Cancel:
		r.deps.Close()
	default:
		return false
	}
	return true
}

// Text returns what the reader shows as plain text.
func (r *Reader) Text() string {
	lines := make([]string, len(r.lines))
	for i, l := range r.lines {
		lines[i] = l.Text
	}
	return strings.Join(lines, "\n")
}

// MouseHandler scrolls by the wheel.
func (r *Reader) MouseHandler() func(tview.MouseAction, *tcell.EventMouse, func(tview.Primitive)) (bool, tview.Primitive) {
	return r.WrapMouseHandler(func(action tview.MouseAction, _ *tcell.EventMouse, _ func(tview.Primitive)) (bool, tview.Primitive) {
		switch action {
		case tview.MouseScrollUp:
			r.scroll(-wheelRows)
		case tview.MouseScrollDown:
			r.scroll(+wheelRows)
		}
		return true, nil
	})
}
