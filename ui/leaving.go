package ui

import (
	"fmt"
	"time"

	"copydesk/ui/keys"
)

// quitWindow is how long "press again to quit" holds.
const quitWindow = 2 * time.Second

// cancel is Ctrl+C: reject the request that has the keyboard, else clear a draft,
// else reject one that waits, else cancel the turn, else ask to press again
// (KEY 2).
func (a *App) cancel() {
	switch {
	case a.active:
		a.request.Reject()
	case !a.field.Empty():
		a.field.Take() // Up brings it back
	case a.request != nil:
		a.request.Reject()
	case a.pane.Cancel():
		a.pull()
	default:
		a.quitTwice()
	}
}

func (a *App) quitTwice() {
	now := a.deps.Now()
	if !a.lastQuit.IsZero() && now.Sub(a.lastQuit) <= quitWindow {
		a.lastQuit = time.Time{}
		a.quit()
		return
	}
	a.lastQuit = now
	a.say(fmt.Sprintf("Press %s again to quit.", a.Keys.Label(keys.Cancel)), false)
}

// closeOrInterrupt is Esc: send a request aside, close the list of completions,
// select nothing, leave the panel, else interrupt the turn.
func (a *App) closeOrInterrupt() {
	switch {
	case a.active:
		a.setAside()
	case a.completions.Rows() > 0:
		a.completions.Show(nil)
	case a.panel.ClearSelection():
	case a.find != nil:
		a.endFind(false)
	case a.inPanel:
		a.inPanel = false
	case a.state.Stopping.IsZero() && a.pane.Cancel(): // ending it by force takes another key
		a.pull()
	}
}

// quitIfEmpty is Ctrl+D; it leaves neither a draft nor a question behind.
func (a *App) quitIfEmpty() bool {
	if a.active {
		return true
	}
	if !a.field.Empty() {
		return false
	}
	a.quit()
	return true
}
