package dialog

import (
	"slices"

	"copydesk/core"
	"copydesk/core/text"
	"copydesk/ui/keys"
	"copydesk/ui/theme"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/tview"
)

// A target is a part of the drawn dialog that a click acts on.
type target struct {
	at     rect
	do     keys.Action // of a button
	choice int         // the choice of a row, or noChoice
}

// Draw draws the dialog and takes note of what of it has been on the screen.
func (r *Request) Draw(screen tcell.Screen) {
	r.endBefore, r.seenBefore = r.endSeen, append(r.seenBefore[:0], r.seen...)
	x, y, w, h := r.GetRect()
	columns, rows := screen.Size()
	r.tooSmall = columns < core.MinColumns || rows < core.MinRows
	if w <= 0 || h <= 0 {
		r.visible, r.targets = false, nil
		return
	}
	outer := rect{x, y, w, h}
	before := r.visible
	l := r.place(outer)
	r.visible = !r.tooSmall && l.body.h > 0 && x >= 0 && y >= 0 && x+w <= columns && y+h <= rows
	if before != r.visible {
		l = r.place(outer) // the hint and the buttons have changed
	}
	if r.visible && !r.endSeen && r.body.atEnd() {
		r.endSeen = true
		l = r.place(outer)
		r.body.toEnd() // the hint may have taken rows from it
	}
	r.see()
	r.paint(screen, l)
}

// place lays the dialog out and gives the body its height.
func (r *Request) place(outer rect) layout {
	l := r.layout(outer)
	r.body.place(l.body.h)
	return l
}

// see notes which choices are on the screen now.
func (r *Request) see() {
	if !r.visible {
		return
	}
	r.body.shown(func(_ int, p passage, row bodyRow) {
		if p.choice != noChoice && row.last {
			r.seen[p.choice] = true
		}
	})
}

func (r *Request) paint(screen tcell.Screen, l layout) {
	th := r.deps.Theme
	if r.active {
		screen.HideCursor() // until a line of text shows it
	}
	fill(screen, l.outer.x, l.outer.y, l.outer.w, l.outer.h, th.Element(theme.Base))
	switch {
	case l.framed:
		frame(screen, l.outer, th, r.active, l.title, r.badge(), r.more())
	case l.titled:
		r.paintTitleRow(screen, l)
	}
	var targets []target
	r.body.shown(func(row int, p passage, b bodyRow) {
		y := l.body.y + row
		r.paintBodyRow(screen, l.body, y, p, b)
		if p.choice != noChoice {
			targets = append(targets, target{rect{l.body.x, y, l.body.w, 1}, "", p.choice})
		}
	})
	if l.inputY >= 0 {
		r.paintInput(screen, l)
	}
	y := l.footY
	for _, row := range l.buttons {
		targets = append(targets, r.paintButtons(screen, l.body.x, y, row)...)
		y++
	}
	for _, s := range l.hints {
		put(screen, l.body.x, y, l.body.w, s, th.Element(theme.InputHint))
		y++
	}
	if !slices.Equal(targets, r.targets) {
		r.targets, r.steady, r.pressed = targets, r.deps.Now(), nil
	}
}

// more says how much of the body is out of sight.
func (r *Request) more() string {
	return outOfSight(r.deps.Theme, r.body.top, r.body.height, len(r.body.rows))
}

func (r *Request) paintTitleRow(screen tcell.Screen, l layout) {
	th := r.deps.Theme
	g := th.Glyphs()
	edge := g.Horizontal
	if r.active {
		edge = g.HorizontalFocus
	}
	for x := l.outer.x; x < l.outer.x+l.outer.w; x++ {
		screen.Put(x, l.outer.y, edge, th.Element(theme.DialogBorder))
	}
	title := l.title
	if b := r.badge(); b != "" {
		title = b
	}
	put(screen, l.outer.x+1, l.outer.y, l.outer.w-2, " "+cut(th, title, l.outer.w-4)+" ", th.Element(theme.DialogTitle))
}

func (r *Request) paintBodyRow(screen tcell.Screen, in rect, y int, p passage, b bodyRow) {
	th := r.deps.Theme
	pointed := p.choice != noChoice && p.choice == r.pointer
	var add func(tcell.Style) tcell.Style
	if pointed {
		add = func(s tcell.Style) tcell.Style { return s.Bold(true) }
	}
	indent := p.rowIndent(b.row)
	putRow(screen, in.x+indent, y, in.w-indent, p.line, b.row, th, add)
	if pointed && (b.row.Start == 0 || y == in.y) {
		put(screen, in.x+p.mark, y, 1, th.Glyphs().Pointer, th.Style(text.Info|text.Bold))
	}
	if p.input > 0 {
		r.paintField(screen, rect{in.x + p.inputAt, y, in.w - p.inputAt, 1}, r.form.entries[p.input-1], pointed)
	}
}

// paintField draws the text of an input of a form, or what it is for.
func (r *Request) paintField(screen tcell.Screen, at rect, e *entry, pointed bool) {
	th := r.deps.Theme
	if e.edit.text() == "" {
		put(screen, at.x, at.y, at.w, cut(th, e.takes(), at.w), th.Element(theme.InputHint))
	}
	e.edit.draw(screen, at.x, at.y, at.w, th.Element(theme.InputText), pointed && r.active && !r.answered, th)
}

// paintInput draws the line of text behind its mark: "?" for an answer, its
// name for a reason.
func (r *Request) paintInput(screen tcell.Screen, l layout) {
	th := r.deps.Theme
	mark := th.Glyphs().Ask
	if r.typing == aReason {
		mark = "Reason:"
	}
	used := put(screen, l.body.x, l.inputY, l.body.w, mark+" ", th.Element(theme.AskPrompt))
	cursor := r.active && !r.answered
	r.edit.draw(screen, l.body.x+used, l.inputY, l.body.w-used, th.Element(theme.InputText), cursor, th)
}

func (r *Request) paintButtons(screen tcell.Screen, x, y int, row []button) []target {
	var targets []target
	for _, b := range row {
		style := r.deps.Theme.Element(b.style)
		if b.off {
			style = r.deps.Theme.Element(theme.ButtonOff)
		}
		s := r.buttonText(b)
		w := put(screen, x, y, text.Width(s), s, style)
		if !b.off {
			targets = append(targets, target{rect{x, y, w, 1}, b.do, noChoice})
		}
		x += w + buttonGap
	}
	return targets
}

// MouseHandler takes every mouse event over the dialog. Only a left click on a
// button or a choice that has stood still for core.QuietGate, with the keyboard
// on the dialog, answers; the wheel scrolls (T43).
func (r *Request) MouseHandler() func(tview.MouseAction, *tcell.EventMouse, func(tview.Primitive)) (bool, tview.Primitive) {
	return r.WrapMouseHandler(func(action tview.MouseAction, ev *tcell.EventMouse, _ func(tview.Primitive)) (bool, tview.Primitive) {
		x, y := ev.Position()
		if !r.InRect(x, y) {
			r.pressed = nil
			return false, nil
		}
		switch action {
		case tview.MouseScrollUp:
			r.body.scroll(-1)
		case tview.MouseScrollDown:
			r.body.scroll(+1)
		case tview.MouseLeftDown:
			r.pressed = nil
			if t := r.targetAt(x, y); t != nil && !ev.When().Before(r.since) {
				r.pressed = t
			}
		case tview.MouseLeftClick:
			pressed := r.pressed
			r.pressed = nil
			if t := r.targetAt(x, y); t != nil && pressed != nil && *t == *pressed {
				r.click(*t)
			}
		}
		return true, nil
	})
}

// targetAt returns what a click at a place acts on, if it may act at all.
func (r *Request) targetAt(x, y int) *target {
	if !r.active || r.answered || r.deps.Now().Sub(r.steady) < core.QuietGate {
		return nil
	}
	for _, t := range r.targets {
		if t.at.holds(x, y) {
			return &t
		}
	}
	return nil
}

func (r *Request) click(t target) {
	switch {
	case t.choice == noChoice:
		r.do(t.do)
	case r.typing != nothing:
	case r.Context() == keys.Form:
		r.clickInput(t.choice)
	default:
		r.choose(t.choice)
	}
}
