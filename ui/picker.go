package ui

import (
	"strings"
	"unicode"

	"copydesk/core/panel"
	"copydesk/core/pick"
	"copydesk/core/text"
	"copydesk/ui/keys"
	"copydesk/ui/theme"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/tview"
)

// A picker paints a letter on each thing in view that can be copied, and takes
// the letters that are typed then. It lies over the whole screen, so no key, no
// paste and no click reaches anything else while it is there, a request least of
// all. What is copied was taken when the picker came up: a thing that has changed
// since, or has moved, is copied as its letter found it.
type picker struct {
	*tview.Box
	app   *App
	marks []mark
	typed string      // the first of two letters
	added bool        // a capital was typed: add to the last copy
	table *pick.Thing // the table whose form is being chosen
}

// A mark is a thing and its letters.
type mark struct {
	thing pick.Thing
	label string
	drawn bool // in the last frame
}

// pickCopy paints the letters.
func (a *App) pickCopy() {
	if a.stack.Top() != nil {
		return
	}
	var things []pick.Thing
	if from, to, ok := a.panel.View(); ok {
		things = a.pane.Things(from, to)
	}
	if len(things) == 0 {
		a.say("There is nothing in view to pick. Scroll, or copy the whole panel.", false)
		return
	}
	p := &picker{Box: tview.NewBox(), app: a}
	for i, label := range pick.Labels(len(things)) {
		p.marks = append(p.marks, mark{thing: things[i], label: label})
	}
	a.stack.Push(p)
}

// Place lays the picker over the whole screen.
func (p *picker) Place(columns, rows int) (x, y, width, height int) { return 0, 0, columns, rows }

// HandleKey takes every key: a letter of a thing, or what leaves.
func (p *picker) HandleKey(ev *tcell.EventKey) bool {
	s := keys.From(ev)
	letter := string(unicode.ToLower(s.Rune))
	switch {
	case !s.Printable():
		p.leave()
	case p.table != nil:
		p.choose(letter)
	default:
		p.added = p.added || unicode.IsUpper(s.Rune)
		p.letter(p.typed + letter)
	}
	return true
}

// letter takes a thing by its letters, or waits for the second one.
func (p *picker) letter(typed string) {
	for _, m := range p.marks {
		switch {
		case !m.drawn || !strings.HasPrefix(m.label, typed):
		case m.label != typed:
			p.typed = typed
			return
		case len(m.thing.Cells) > 0:
			p.table = &m.thing
			return
		default:
			p.take(m.thing.Kind.String(), m.thing.Text)
			return
		}
	}
	p.leave()
}

// choose takes the table in one of its forms.
func (p *picker) choose(letter string) {
	switch letter {
	case "s":
		p.take("table", p.table.Text)
	case "t":
		p.take("table as TSV", pick.TSV(p.table.Cells))
	case "c":
		p.take("table as CSV", pick.CSV(p.table.Cells))
	default:
		p.leave()
	}
}

func (p *picker) take(what, content string) {
	p.leave()
	if content == "" { // a table of one empty cell
		p.app.say("Nothing to copy.", false)
		return
	}
	p.app.deliver(p.app.pane.Picked(what, content, p.added))
}

func (p *picker) leave() { p.app.stack.Remove(p) }

// Draw paints the letters over the text. One that has no room where its thing
// begins stands right of those that do; one that has none in its row, or whose
// thing is no longer in view, cannot be typed.
func (p *picker) Draw(screen tcell.Screen) {
	style := p.app.Theme.Element(theme.Badge).Reverse(true)
	taken := make(map[[2]int]bool)
	for i := range p.marks {
		m := &p.marks[i]
		x, y, ok := p.spot(m.thing.At, len(m.label), taken)
		m.drawn = ok
		if !ok || p.table != nil && m.thing.At != p.table.At || !strings.HasPrefix(m.label, p.typed) {
			continue
		}
		overlay(screen, x, y, m.label, style, p.app.Theme.Element(theme.Base))
	}
	p.drawHint(screen)
}

// spot finds the cells for a label and takes them.
func (p *picker) spot(at panel.Position, cells int, taken map[[2]int]bool) (x, y int, ok bool) {
	x, y, room, ok := p.app.panel.Cell(at)
	for ; ok && room >= cells; x, room = x+1, room-1 {
		free := true
		for i := range cells {
			free = free && !taken[[2]int{x + i, y}]
		}
		if !free {
			continue
		}
		for i := range cells {
			taken[[2]int{x + i, y}] = true
		}
		return x, y, true
	}
	return 0, 0, false
}

// overlay writes letters over what is drawn. Of a wide character that they cover
// half of, the other half becomes blank.
func overlay(screen tcell.Screen, x, y int, label string, style, base tcell.Style) {
	if x > 0 {
		if _, _, width := screen.Get(x-1, y); width > 1 {
			screen.Put(x-1, y, " ", base)
		}
	}
	last := x + len(label) - 1
	if _, _, width := screen.Get(last, y); width > 1 {
		screen.Put(last+1, y, " ", base)
	}
	for i := range len(label) {
		screen.Put(x+i, y, label[i:i+1], style)
	}
}

// drawHint says in the last row what can be typed.
func (p *picker) drawHint(screen tcell.Screen) {
	hint := []cell{{"letter", theme.StatusKey}, {" copies  ", theme.Status}, {"capital", theme.StatusKey}, {" adds to the last copy  ", theme.Status}, {"Esc", theme.StatusKey}, {" leaves", theme.Status}}
	if p.table != nil {
		hint = []cell{{"Table: ", theme.Status}, {"s", theme.StatusKey}, {" as shown  ", theme.Status}, {"t", theme.StatusKey}, {" TSV  ", theme.Status}, {"c", theme.StatusKey}, {" CSV  ", theme.Status}, {"Esc", theme.StatusKey}, {" leaves", theme.Status}}
	}
	p.app.lastRow(screen, hint)
}

// lastRow writes over the last row of the screen.
func (a *App) lastRow(screen tcell.Screen, parts []cell) {
	width, height := screen.Size()
	for x := range width {
		screen.Put(x, height-1, " ", a.Theme.Element(theme.Base))
	}
	at := 1
	for _, c := range parts {
		s := text.Truncate(c.text, width-1-at)
		screen.PutStrStyled(at, height-1, s, a.Theme.Element(c.element))
		at += text.Width(s)
	}
}
