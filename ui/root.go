package ui

import (
	"copydesk/core"
	"copydesk/ui/theme"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/tview"
)

// frameTime is the shortest time between two frames drawn for new output.
const frameTime = core.Frame

// root is the whole screen: the panes, below them the docked request, the
// completions, the input field and the status bar, and over it all the stack of
// dialogs.
type root struct {
	*tview.Flex
	app    *App
	panes  *tview.Flex
	docked tview.Primitive // the place of the request; never nil
	empty  *tview.Box
}

func newRoot(a *App) *root {
	r := &root{Flex: tview.NewFlex().SetDirection(tview.FlexRow), app: a, panes: tview.NewFlex(), empty: tview.NewBox()}
	r.panes.AddItem(a.panel, 0, 1, false)
	r.docked = r.empty
	r.build()
	return r
}

func (r *root) build() {
	r.Clear()
	r.AddItem(r.panes, 0, 1, false)
	r.AddItem(r.docked, 0, 0, false)
	r.AddItem(r.app.completions, 0, 0, false)
	r.AddItem(r.app.field, 1, 0, true)
	r.AddItem(r.app.status, 1, 0, false)
}

// dock shows a primitive above the input field, or nothing.
func (r *root) dock(p tview.Primitive) {
	if p == nil {
		p = r.empty
	}
	r.docked = p
	r.build()
}

// arrange gives every part its rows: the request at most half of the screen, the
// field at most a third, the panel what is left.
func (r *root) arrange(width, height int) {
	field := r.app.field.Height(width, max(1, height/3))
	request := 0
	if r.app.request != nil {
		request = r.app.request.Height(width, max(3, height/2))
	}
	r.ResizeItem(r.docked, request, 0)
	r.ResizeItem(r.app.completions, min(r.app.completions.Rows(), max(0, height-field-request-4)), 0)
	r.ResizeItem(r.app.field, field, 0)
	r.app.field.Fit(width, field)
}

// HasFocus is true always: every key and paste goes through the desk.
func (r *root) HasFocus() bool { return true }

// PasteHandler gives a paste to the input field, or to a request that asks for a
// text.
func (r *root) PasteHandler() func(string, func(tview.Primitive)) {
	return func(paste string, focus func(tview.Primitive)) {
		r.app.touched()
		if r.app.plain != nil {
			return // it would go where nobody sees it
		}
		if r.app.active && !r.app.request.TakesText() {
			r.app.setAside() // a paste never answers, and is never lost
		}
		target := r.app.holder()
		if target == tview.Primitive(r.app.panel) {
			r.app.inPanel = false
			target = r.app.field
		}
		if handler := target.PasteHandler(); handler != nil {
			handler(paste, focus)
		}
		r.app.complete()
		r.app.settle()
	}
}

// MouseHandler gives the mouse to the part under it. A click never moves the
// keyboard to a request (T43); it can move it between the panel and the field.
func (r *root) MouseHandler() func(tview.MouseAction, *tcell.EventMouse, func(tview.Primitive)) (bool, tview.Primitive) {
	return func(action tview.MouseAction, ev *tcell.EventMouse, _ func(tview.Primitive)) (bool, tview.Primitive) {
		consumed, capture := r.Flex.MouseHandler()(action, ev, func(tview.Primitive) {})
		if consumed && action == tview.MouseLeftDown {
			r.app.inPanel = r.app.panel.InRect(ev.Position())
			r.app.settle()
		}
		return consumed, capture
	}
}

// beforeDraw lays the screen out. It returns true when the desk is not to be
// drawn: in the clean view, and on a screen that is too small for it.
func (a *App) beforeDraw(screen tcell.Screen) bool {
	if a.plain != nil {
		a.drawClean(screen)
		return true
	}
	width, height := screen.Size()
	if a.tooSmall = width < core.MinColumns || height < core.MinRows; a.tooSmall {
		screen.Clear()
		screen.PutStrStyled(0, 0, tooSmallText(a.Keys, a.request != nil), a.Theme.Element(theme.Base))
		screen.HideCursor()
		if a.request != nil {
			a.request.Hide()
			a.shown = false
		}
		return true
	}
	a.updateStatus()
	a.root.arrange(width, height)
	return false
}

// afterDraw notes that the request has been seen.
func (a *App) afterDraw(tcell.Screen) {
	if a.request == nil || a.tooSmall {
		return
	}
	if a.stack.Top() != nil {
		a.request.Covered()
		return
	}
	if !a.shown {
		a.shown, a.shownAt = true, a.deps.Now()
		a.gate.Shown(a.shownAt)
		a.watchGate()
	}
}
