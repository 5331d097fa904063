package ui

import (
	"strings"

	"copydesk/core"
	"copydesk/ui/theme"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/tview"
)

// frameTime is the shortest time between two frames drawn for new output.
const frameTime = core.Frame

// panelRows is how many rows the tab bar leaves to the panel at least.
const panelRows = 3

// root is the whole screen: the bar of tabs, the panel, below it what is said
// while nothing can be saved, the docked request, the completions, the input field and the status bar, and over it all
// the stack of dialogs.
type root struct {
	*tview.Flex
	app    *App
	bar    *tabBar
	banner *banner
	queue  *queueView
	find   *findBar
	docked tview.Primitive // the request, or an empty box in its place
	empty  *tview.Box
}

func newRoot(a *App) *root {
	r := &root{Flex: tview.NewFlex().SetDirection(tview.FlexRow), app: a, empty: tview.NewBox()}
	r.bar = newTabBar(a.Theme, a.clickedTab)
	r.banner = newBanner(a)
	r.queue = newQueueView(a.Theme)
	r.find = newFindBar(a)
	r.build()
	return r
}

// build puts the parts of the tab that is shown into their places.
func (r *root) build() {
	r.docked = r.empty
	if r.app.request != nil {
		r.docked = r.app.request
	}
	r.Clear()
	r.AddItem(r.bar, 0, 0, false)
	r.AddItem(r.app.panel, 0, 1, false)
	r.AddItem(r.banner, 0, 0, false)
	r.AddItem(r.docked, 0, 0, false)
	r.AddItem(r.queue, 0, 0, false)
	r.AddItem(r.app.completions, 0, 0, false)
	r.AddItem(r.find, 0, 0, false)
	r.AddItem(r.app.field, 1, 0, true)
	r.AddItem(r.app.status, 1, 0, false)
}

// arrange gives every part its rows: the request at most half of the screen, or
// two thirds where ten rows are left for the rest; the field at most a third; the
// panel what is left. With several tabs the bar takes
// a row; where there is none to spare, the panel's title says which tab this is.
func (r *root) arrange(width, height int) {
	field := r.app.field.Height(width, max(1, height/3))
	request := 0
	if r.app.request != nil {
		request = r.app.request.Height(width, max(3, height/2, min(height*2/3, height-10)))
	}
	bar, title := 0, strings.ReplaceAll(r.app.state.Title, " · ", " "+r.app.Theme.Glyphs().Dot+" ")
	switch several := len(r.app.tabs) > 1; {
	case several && height-field-request-2 >= panelRows:
		bar = 1
	case several:
		title = r.app.name()
	}
	r.app.panel.SetTitle(title)
	find := 0
	if r.app.find != nil {
		find = 1
	}
	spare := height - field - request - bar - find - 1 - panelRows
	banner := r.banner.fit(width, spare)
	queue := min(len(r.queue.lines), max(0, spare-banner))
	r.ResizeItem(r.bar, bar, 0)
	r.ResizeItem(r.banner, banner, 0)
	r.ResizeItem(r.docked, request, 0)
	r.ResizeItem(r.queue, queue, 0)
	r.ResizeItem(r.find, find, 0)
	r.ResizeItem(r.app.completions, min(r.app.completions.Rows(), max(0, height-field-request-bar-banner-queue-find-4)), 0)
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
		r.app.wrote()
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
		screen.PutStrStyled(0, 0, tooSmallText(a.Keys, a.request != nil, a.toast.text), a.Theme.Element(theme.Base))
		screen.HideCursor()
		if a.request != nil {
			a.request.Hide()
			a.shown = false
		}
		return true
	}
	a.root.bar.update(a.tabs, a.tab)
	a.root.queue.update(a.state.Queue, a.state.Held)
	a.root.arrange(width, height)
	a.updateStatus()
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
