package ui

import (
	"copydesk/ui/keys"
	"copydesk/ui/theme"

	"github.com/gdamore/tcell/v2"
)

// enterClean shows the panel's text and nothing else, and gives the mouse back
// to the terminal, so that its own selection works. Everything behind stays as
// it is.
func (a *App) enterClean() {
	if a.stack.Top() != nil {
		return
	}
	a.plain = a.panel.Plain(a.deps.Screen.Size())
	a.tv.EnableMouse(false)
}

func (a *App) leaveClean() {
	a.plain = nil
	a.tv.EnableMouse(a.Mouse)
}

// keyClean takes a key in the clean view: what leaves it and what scrolls it.
// Nothing else does anything, so nothing can be answered, sent or cancelled that
// cannot be seen.
func (a *App) keyClean(before keys.Chord, stroke keys.Stroke) {
	action, more := a.Keys.Find([]keys.Context{keys.Global}, before, stroke)
	if more {
		a.leader = keys.Chord{stroke}
		return
	}
	width, height := a.deps.Screen.Size()
	page := max(1, height-1)
	switch action {
	case keys.CleanView, keys.Close, keys.Cancel:
		a.leaveClean()
	case keys.PageUp:
		a.plain.Scroll(-page, width, height)
	case keys.PageDown:
		a.plain.Scroll(page, width, height)
	case keys.LineUp:
		a.plain.Scroll(-1, width, height)
	case keys.LineDown:
		a.plain.Scroll(1, width, height)
	case keys.ScrollTop:
		a.plain.Top()
	case keys.ScrollEnd:
		a.plain.End(width, height)
	case keys.Repaint:
		a.deps.Screen.Sync()
	case keys.Suspend:
		a.suspend()
	default:
		if stroke.Key == tcell.KeyEsc && len(before) == 0 {
			a.leaveClean() // also where Esc is bound to nothing
		}
	}
}

// drawClean draws the clean view. A request that waits is not there to be seen,
// so it is said to wait and takes no answer until it has been drawn again.
func (a *App) drawClean(screen tcell.Screen) {
	screen.HideCursor()
	a.plain.Draw(screen)
	if a.request != nil {
		a.request.Hide()
		a.shown = false
	}
	if n, where := a.waiting(); n > 0 {
		a.lastRow(screen, []cell{{"A request is waiting for you" + where + ". Esc leaves this view.", theme.StatusAlert}})
	}
}
