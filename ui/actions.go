package ui

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"copydesk/core/command"
	"copydesk/ui/dialog"
	"copydesk/ui/keys"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/tview"
)

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
	case len(before) == 0 && a.stack.Top() == nil && a.finding() && a.keyFind(stroke):
	case len(before) == 0 && a.field.Recalling() && a.holder() == tview.Primitive(a.field) && a.keyRecall(ev, stroke):
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
	a.wrote()
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
		a.unfocusRequest()
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
	if a.do(action, keys.Chord{stroke}) {
		return
	}
	if a.stack.Top() != nil || a.active || a.finding() {
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
	if action != "" {
		a.do(action, append(leader, stroke))
		return
	}
	if stroke.String() != "esc" {
		a.say(fmt.Sprintf("%s is not bound to anything.", append(leader, stroke).Label()), false)
	}
}

// push puts a modal over the desk. A request that had the keyboard must be seen
// anew before it gets it back: keys meant for the modal never answer.
func (a *App) push(m dialog.Modal) {
	a.unfocusRequest()
	a.stack.Push(m)
}

func (a *App) endLeader() {
	a.leader = nil
	if a.popup != nil {
		a.stack.Remove(a.popup)
		a.popup = nil
	}
}

// do does an action that a chord is bound to; false leaves the key to the input
// field.
func (a *App) do(action keys.Action, chord keys.Chord) bool {
	if action == keys.GoToPane {
		a.goToPane(slices.IndexFunc(a.Keys.Chords(action), chord.Equal) + 1)
		return true
	}
	f, ok := a.actions()[action]
	return ok && f()
}

// keyTooSmall takes what is possible while the desk cannot be drawn: rejecting
// and leaving, never approving (R29).
func (a *App) keyTooSmall(stroke keys.Stroke) {
	action, _ := a.Keys.Find(append(a.contexts(), keys.Approval), nil, stroke)
	switch {
	case action == keys.Quit && a.request == nil && a.field.Empty() && a.ends() == "":
		a.Quit()
	case action == keys.Quit && a.request == nil && a.field.Empty():
		a.quitTwice()
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
		if _, reads := a.stack.Top().(*dialog.Reader); reads {
			return []keys.Context{keys.Reader, keys.Global}
		}
		return []keys.Context{keys.List, keys.Global}
	case a.finding():
		return []keys.Context{keys.Global}
	case a.active:
		return []keys.Context{a.request.Context(), keys.Global}
	case a.inPanel:
		return []keys.Context{keys.Panel, keys.Global}
	default:
		return []keys.Context{keys.Input, keys.Global}
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

		keys.HistorySearchBack: a.recall(false),
		keys.HistorySearchOn:   a.recall(true),
		keys.Find:              always(a.startFind),
		keys.FindAnywhere:      always(a.startFind),
		keys.FindNext:          a.findNext(true),
		keys.FindPrevious:      a.findNext(false),
		keys.Queue: always(func() {
			if a.stack.Top() == nil {
				a.pickQueued()
			}
		}),

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
	maps.Copy(do, a.paneActions())
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

// focusRequest gives the keyboard to the request at the user's word: to the one
// that was seen, not to one that took its place a moment ago.
func (a *App) focusRequest() {
	switch {
	case a.request == nil:
		said := "No request is waiting."
		if names := a.waitingPanes(); len(names) > 0 {
			said = "No request is waiting here. " + names[0] + " waits for you."
		}
		a.say(said, false)
	case a.stack.Top() != nil || !a.shown || a.deps.Now().Sub(a.shownAt) < a.Quiet:
		a.say("This request has only just come up. Read it first.", false)
	default:
		a.activate()
	}
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
	a.push(help)
}

func (a *App) suspend() {
	if err := a.deps.Suspend(a.tv); err != nil {
		a.say(sentence(err), true)
	}
	a.unfocusRequest() // what was typed in the shell must not answer
}
