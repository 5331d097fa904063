package ui

import (
	"fmt"
	"maps"
	"strings"
	"time"

	"copydesk/core/command"
	"copydesk/core/session"
	"copydesk/ui/dialog"
	"copydesk/ui/keys"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/tview"
)

// quitWindow is how long "press again to quit" holds.
const quitWindow = 2 * time.Second

// key handles a key press: what has the keyboard comes first, then the action
// that is bound to the key, then the input field.
func (a *App) key(ev *tcell.EventKey) {
	a.touched()
	before := a.leader
	asked := a.lastQuit
	a.endLeader()
	stroke := keys.From(ev)
	switch {
	case a.plain != nil:
		a.keyClean(before, stroke)
	case a.tooSmall:
		a.keyTooSmall(stroke)
	case len(before) > 0:
		a.follow(before, stroke)
	case a.copyInstead(stroke):
	case a.hold(ev):
	default:
		a.look(ev, stroke)
	}
	if a.lastQuit.Equal(asked) && !asked.IsZero() {
		a.lastQuit, a.toast.text = time.Time{}, "" // another key: quitting is off
	}
	a.complete()
	a.watchGate()
	a.settle()
}

// hold gives a key to the dialog that has the keyboard and reports whether it
// took it.
func (a *App) hold(ev *tcell.EventKey) bool {
	switch {
	case a.stack.Top() != nil:
		top, ok := a.stack.Top().(interface{ HandleKey(*tcell.EventKey) bool })
		return ok && top.HandleKey(ev)
	case a.active && a.request.Stale(ev):
		// It was pressed before the request had the keyboard, so somebody is
		// typing: the gate starts anew.
		a.active = false
		a.request.SetActive(false)
		a.gate.Shown(a.deps.Now())
	case a.active:
		return a.request.HandleKey(ev)
	}
	return false
}

// look does what a key is bound to; what is not bound, or does not apply here,
// is the input field's.
func (a *App) look(ev *tcell.EventKey, stroke keys.Stroke) {
	action, more := a.Keys.Find(a.contexts(), nil, stroke)
	if more {
		a.leader = keys.Chord{stroke}
		a.popup = dialog.NewPopup(stroke, a.Keys.Following(a.contexts(), stroke), a.Theme)
		a.stack.Push(a.popup)
		return
	}
	if f, ok := a.actions()[action]; ok && f() {
		return
	}
	if a.stack.Top() != nil || a.active {
		return // a key that a dialog cannot use must not edit the draft below it
	}
	if a.inPanel && stroke.Printable() {
		a.inPanel = false // what is typed always goes to the input field
	}
	if !a.inPanel {
		a.field.InputHandler()(ev, func(tview.Primitive) {})
	}
}

// follow does what a leader and the key after it are bound to.
func (a *App) follow(leader keys.Chord, stroke keys.Stroke) {
	action, _ := a.Keys.Find(a.contexts(), leader, stroke)
	if f, ok := a.actions()[action]; ok {
		f()
		return
	}
	if stroke.String() != "esc" {
		a.say(fmt.Sprintf("%s is not bound to anything.", append(leader, stroke).Label()), false)
	}
}

func (a *App) endLeader() {
	a.leader = nil
	if a.popup != nil {
		a.stack.Remove(a.popup)
		a.popup = nil
	}
}

// keyTooSmall takes what is possible while the desk cannot be drawn: rejecting
// and leaving, never approving (R29).
func (a *App) keyTooSmall(stroke keys.Stroke) {
	action, _ := a.Keys.Find(append(a.contexts(), keys.Approval), nil, stroke)
	switch {
	case action == keys.Quit && a.request == nil && a.field.Empty():
		a.Quit()
	case a.active && (action == keys.Reject || action == keys.RejectChoice), a.request != nil && action == keys.Cancel:
		a.request.Reject()
	case action == keys.Cancel:
		a.cancel()
	}
}

// contexts are the key contexts that are active, the narrowest first.
func (a *App) contexts() []keys.Context {
	switch {
	case a.stack.Top() != nil && a.popup == nil:
		return []keys.Context{keys.List, keys.Global}
	case a.active:
		return []keys.Context{a.requestContext(), keys.Global}
	case a.inPanel:
		return []keys.Context{keys.Panel, keys.Global}
	default:
		return []keys.Context{keys.Input, keys.Global}
	}
}

func (a *App) requestContext() keys.Context {
	switch a.pending[0].Request.Kind {
	case session.Choice:
		return keys.Choice
	case session.TextInput:
		return keys.Text
	default:
		return keys.Approval
	}
}

// actions is what each action does on the desk; false leaves the key to the
// input field.
func (a *App) actions() map[keys.Action]func() bool {
	always := func(f func()) func() bool {
		return func() bool { f(); return true }
	}
	do := map[keys.Action]func() bool{
		keys.Send:            always(a.send),
		keys.Newline:         always(a.field.Newline),
		keys.Complete:        a.takeCompletion,
		keys.HistoryPrevious: a.previous,
		keys.HistoryNext:     a.next,

		keys.CopyAnswer: always(func() { a.copy(command.Copy{Scope: command.Answer}) }),
		keys.CopyPanel:  always(func() { a.copy(command.Copy{Scope: command.Panel}) }),
		keys.CopyLast:   always(func() { a.copy(command.Copy{Scope: command.Last}) }),
		keys.PickCopy:   always(a.pickCopy),

		keys.PageUp:     always(a.panel.PageUp),
		keys.PageDown:   always(a.panel.PageDown),
		keys.ScrollTop:  a.unlessWriting(a.panel.ScrollTop),
		keys.ScrollEnd:  a.unlessWriting(a.panel.ScrollEnd),
		keys.LineUp:     always(func() { a.panel.ScrollRows(-1) }),
		keys.LineDown:   always(func() { a.panel.ScrollRows(1) }),
		keys.FocusInput: always(func() { a.inPanel = false }),
		keys.CleanView:  always(a.enterClean),

		keys.FocusRequest: always(a.focusRequest),
		keys.FocusNext:    always(func() { a.inPanel = !a.inPanel && !a.active }),
		keys.Cancel:       always(a.cancel),
		keys.Close:        always(a.closeOrInterrupt),
		keys.Help:         always(a.showHelp),
		keys.Repaint:      always(a.deps.Screen.Sync),
		keys.Suspend:      always(a.suspend),
		keys.Quit:         a.quitIfEmpty,
	}
	maps.Copy(do, a.selecting())
	return do
}

// unlessWriting scrolls, unless the key moves the cursor in a text.
func (a *App) unlessWriting(f func()) func() bool {
	return func() bool {
		if !a.inPanel && !a.field.Empty() {
			return false
		}
		f()
		return true
	}
}

// send submits what the field holds. A chosen completion is taken first.
func (a *App) send() {
	if c, ok := a.completions.Chosen(); ok {
		a.field.Complete(c.Start, c.Text)
		a.completions.Show(nil)
		return
	}
	switch effect := a.deps.Pane.Submit(a.field.Take()).(type) {
	case command.Copy:
		a.copy(effect)
	case command.Doctor:
		a.doctor()
	case command.Keys:
		a.showHelp()
	case command.Quit:
		a.Quit()
	}
	a.panel.ClearSelection() // Ctrl+C is to stop the turn, not to copy what is out of view
	a.panel.ScrollEnd()
	a.pull()
}

// previous walks the completions, the queue or the history upwards.
func (a *App) previous() bool {
	if a.completions.Rows() > 0 {
		a.completions.Move(-1)
		return true
	}
	if a.field.Empty() && len(a.state.Queue) > 0 {
		if last, ok := a.deps.Pane.Unqueue(); ok {
			a.field.Put(last)
			a.pull()
			return true
		}
	}
	return a.field.Previous()
}

func (a *App) next() bool {
	if a.completions.Rows() > 0 {
		a.completions.Move(1)
		return true
	}
	return a.field.Next()
}

// complete shows how a command can go on while it is typed.
func (a *App) complete() {
	line := a.field.BeforeCursor()
	if a.holder() != tview.Primitive(a.field) || !strings.HasPrefix(line, "/") || a.field.AfterCursor() != "" {
		if !a.completing() {
			a.completions.Show(nil)
		}
		return
	}
	all := a.deps.Pane.Complete(line)
	if len(all) == 1 && line[all[0].Start:] == all[0].Text {
		all = nil // it stands there whole
	}
	a.completions.Show(all)
}

// completing is true while the line is the one that Tab offered words for.
func (a *App) completing() bool {
	return a.completions.Rows() > 0 && a.field.BeforeCursor() == a.offered
}

// takeCompletion goes on with what is typed: the chosen entry, the only one, or
// else the list is shown and walked. On an empty line it goes to the panel.
func (a *App) takeCompletion() bool {
	line := a.field.BeforeCursor()
	if strings.TrimSpace(line) == "" {
		a.inPanel = true
		return true
	}
	if a.completions.Rows() == 0 {
		a.completions.Show(a.deps.Pane.Complete(line))
		a.offered = line
	}
	c, ok := a.completions.Chosen()
	if !ok {
		c, ok = a.completions.Only()
	}
	if !ok {
		a.completions.Move(1)
		return true // a draft keeps the keyboard even when nothing fits
	}
	a.field.Complete(c.Start, c.Text+" ")
	a.completions.Show(nil)
	return true
}

// focusRequest gives the keyboard to the request at the user's word: to the one
// that was seen, not to one that took its place a moment ago.
func (a *App) focusRequest() {
	switch {
	case a.request == nil:
		a.say("No request is waiting.", false)
	case a.stack.Top() != nil || !a.shown || a.deps.Now().Sub(a.shownAt) < a.Quiet:
		a.say("This request has only just come up. Read it first.", false)
	default:
		a.activate()
	}
}

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
	case a.deps.Pane.Cancel():
		a.pull()
	default:
		a.quitTwice()
	}
}

func (a *App) quitTwice() {
	now := a.deps.Now()
	if !a.lastQuit.IsZero() && now.Sub(a.lastQuit) <= quitWindow {
		a.Quit()
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
	case a.inPanel:
		a.inPanel = false
	case a.deps.Pane.Cancel():
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
	a.Quit()
	return true
}

func (a *App) showHelp() {
	if a.stack.Top() != nil {
		return
	}
	items := make([]dialog.Item, 0, len(a.deps.Commands))
	for _, c := range a.deps.Commands {
		items = append(items, dialog.Item{Name: c.Form, Text: c.Summary})
	}
	var help *dialog.List
	help = dialog.NewHelp(items, a.Theme, a.Keys, func() { a.stack.Remove(help) })
	a.stack.Push(help)
}

func (a *App) suspend() {
	if err := a.deps.Suspend(a.tv); err != nil {
		a.say(sentence(err), true)
	}
	if a.active { // what was typed in the shell must not answer
		a.active = false
		a.request.SetActive(false)
		a.gate.Shown(a.deps.Now())
	}
}
