package view

import (
	"time"

	"copydesk/core/panel"
	"copydesk/core/text"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/tview"
)

const (
	wheel      = 3 // rows or cells a notch
	clickTime  = 500 * time.Millisecond
	scrollTime = 40 * time.Millisecond // for a row, while a drag is held at the edge
)

// A mouse is what the left button does: it selects by clusters, after a double
// click by words, after a triple click by lines.
type mouse struct {
	now        func() time.Time
	after      func(time.Duration, func()) (stop func())
	onSelected func()

	on       bool           // a drag goes on
	moved    bool           // the pointer has left the cell where it began
	x, y     int            // where the pointer is
	from, to panel.Position // what was pressed: it stays selected
	clicks   int            // 1 to 3 in one place
	pressed  time.Time      // when the last of them was
	stop     func()         // ends the timer that scrolls; nil: none runs
	timer    int            // the number of that timer
}

// SetClock lets the mouse select: now tells the time, after calls a function
// once on the goroutine of the panel. Nothing is waited for but while a drag is
// held at the upper or lower edge and there is more to scroll to.
func (v *Panel) SetClock(now func() time.Time, after func(time.Duration, func()) (stop func())) {
	v.mouse.now, v.mouse.after = now, after
}

// SetSelectedFunc sets what is called when the mouse has selected something and
// its button is released.
func (v *Panel) SetSelectedFunc(f func()) { v.mouse.onSelected = f }

// MouseHandler selects with the left button, scrolls with the wheel, goes to the
// end on a click at the pill, and asks for the focus on a press.
func (v *Panel) MouseHandler() func(tview.MouseAction, *tcell.EventMouse, func(tview.Primitive)) (bool, tview.Primitive) {
	return v.WrapMouseHandler(func(action tview.MouseAction, ev *tcell.EventMouse, focus func(tview.Primitive)) (bool, tview.Primitive) {
		x, y := ev.Position()
		switch {
		case action == tview.MouseLeftDown:
			v.release() // where the last one never came
		case v.mouse.on:
			return true, v.dragged(action, x, y)
		}
		if !v.InRect(x, y) {
			return false, nil
		}
		switch action {
		case tview.MouseLeftDown:
			focus(v)
			if v.press(x, y, ev.Modifiers()&tcell.ModShift != 0) {
				return true, v
			}
		case tview.MouseLeftClick:
			_, top, _, height := v.GetRect()
			if y != top+height-1 || x < v.pill.from || x >= v.pill.to {
				return false, nil
			}
			v.ScrollEnd()
		default:
			return v.scrolled(action), nil
		}
		return true, nil
	})
}

// scrolled does what the wheel asks for, and reports whether it was the wheel.
func (v *Panel) scrolled(action tview.MouseAction) bool {
	switch action {
	case tview.MouseScrollUp:
		v.ScrollRows(-wheel)
	case tview.MouseScrollDown:
		v.ScrollRows(wheel)
	case tview.MouseScrollLeft:
		v.ScrollColumns(-wheel)
	case tview.MouseScrollRight:
		v.ScrollColumns(wheel)
	default:
		return false
	}
	return true
}

// dragged goes on with a drag, and returns what takes the next event.
func (v *Panel) dragged(action tview.MouseAction, x, y int) tview.Primitive {
	switch {
	case action == tview.MouseLeftUp:
		v.release()
		if v.HasSelection() && v.mouse.onSelected != nil {
			v.mouse.onSelected()
		}
		return nil
	case action == tview.MouseMove, v.scrolled(action):
		v.drag(x, y)
	}
	return v
}

// press begins a selection, or with extend moves the end of the one that is
// there. It reports whether the pointer is on the text.
func (v *Panel) press(x, y int, extend bool) bool {
	m := &v.mouse
	left, top, w, h := v.GetRect()
	_, height := v.page()
	if m.now == nil || height == 0 || len(v.lines) == 0 || x <= left || x >= left+w-1 || y <= top || y >= top+h-1 {
		m.clicks = 0
		return false
	}
	now := m.now()
	if m.clicks == 3 || m.moved || x != m.x || y != m.y || now.Sub(m.pressed) > clickTime {
		m.clicks = 0
	}
	m.clicks++
	m.pressed, m.x, m.y = now, x, y
	m.on, m.moved = true, false
	if extend && v.selection.set {
		m.from, m.to, m.clicks = v.selection.from, v.selection.from, 1
		v.reach()
		return true
	}
	v.ClearSelection()
	m.on = true // clearing ends a drag
	m.from, m.to = v.under(x, y)
	if m.clicks == 1 {
		v.selection.place(m.from, false)
		return true
	}
	v.reach()
	return true
}

// drag moves the end of the selection to the pointer. Beyond the upper or lower
// edge the text scrolls until the pointer comes back.
func (v *Panel) drag(x, y int) {
	m := &v.mouse
	if _, height := v.page(); height == 0 || len(v.lines) == 0 {
		return
	}
	if x == m.x && y == m.y && !m.moved {
		return
	}
	m.x, m.y, m.moved = x, y, true
	v.reach()
	v.scrollAtEdge()
}

// reach selects from what was pressed to what is under the pointer, both whole.
func (v *Panel) reach() {
	m := &v.mouse
	from, to := v.under(m.x, m.y)
	if from.Before(m.from) {
		v.selection.place(m.to, false)
		v.selection.place(from, true)
	} else {
		if to.Before(m.to) {
			to = m.to
		}
		v.selection.place(m.from, false)
		v.selection.place(to, true)
	}
	v.stay()
}

// under is what the pointer is on, as the number of clicks wants it: a cluster,
// a word or a line. Behind a row it is empty. Outside of the text area it is the
// nearest. There must be lines and room.
func (v *Panel) under(x, y int) (from, to panel.Position) {
	left, top, _, _ := v.GetRect()
	_, height := v.page()
	down, column := min(max(0, y-top-1), height-1), max(0, x-left-1-gutterWidth)
	at := v.top()
	for ; down > 0; down-- {
		next := v.down(at, 1)
		if next == at { // below the text
			end := v.textEnd()
			return end, end
		}
		at = next
	}
	l := v.line(at.line)
	if l.Kind == panel.Table {
		column += v.tableColumn()
	}
	var cut text.Row
	switch v.mouse.clicks {
	case 3:
		cut = text.Row{End: len(l.Text)}
	default:
		cut = clusterAt(l.Text, v.rowOf(at), column)
	}
	from, to = panel.Position{Line: at.line, Byte: cut.Start}, panel.Position{Line: at.line, Byte: cut.End}
	if v.mouse.clicks == 2 && from != to {
		return v.wordAt(from)
	}
	return from, to
}

// release ends a drag.
func (v *Panel) release() {
	v.mouse.on = false
	v.stopScrolling()
}

func (v *Panel) stopScrolling() {
	if v.mouse.stop != nil {
		v.mouse.stop()
		v.mouse.stop = nil
	}
	v.mouse.timer++
}

// scrollAtEdge scrolls by a row after a while if the pointer is held at the
// upper or lower edge and there is more beyond it.
func (v *Panel) scrollAtEdge() {
	m := &v.mouse
	by := v.beyond()
	if by == 0 {
		v.stopScrolling()
		return
	}
	if m.stop != nil {
		return
	}
	number := m.timer
	m.stop = m.after(scrollTime, func() {
		if number != m.timer {
			return // it was stopped when it had fired already
		}
		m.stop = nil
		if by := v.beyond(); by != 0 {
			v.ScrollRows(by)
			v.drag(m.x, m.y)
		}
	})
}

// beyond is -1 or 1 where the pointer is above or below the text and there are
// rows to scroll to, else 0.
func (v *Panel) beyond() int {
	_, top, _, h := v.GetRect()
	_, height := v.page()
	switch {
	case height == 0 || len(v.lines) == 0:
	case v.mouse.y <= top && v.top() != pos{line: v.first}:
		return -1
	case v.mouse.y >= top+h-1 && v.top().before(v.lastPage()):
		return 1
	}
	return 0
}
