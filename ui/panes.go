package ui

import (
	"fmt"
	"slices"
	"strings"

	"copydesk/core/text"
	"copydesk/ui/dialog"
	"copydesk/ui/keys"
)

// paneActions is what the actions of the panes and their agents do. While
// something lies over the desk they do nothing: it is about the pane below it.
func (a *App) paneActions() map[keys.Action]func() bool {
	free := func(f func()) func() bool {
		return func() bool {
			if a.stack.Top() == nil {
				f()
			}
			return true
		}
	}
	return map[keys.Action]func() bool{
		keys.NextPane:     free(func() { a.nextPane(1) }),
		keys.PreviousPane: free(func() { a.nextPane(-1) }),
		keys.NewPane:      free(func() { a.newPane("") }),
		keys.ClosePane:    free(a.closePane),
		keys.SwitchAgent:  free(func() { a.switchAgent("") }),
		keys.AgentOptions: free(func() { a.setOption("", "") }),
		keys.Details:      free(a.pickDetail),
		keys.OpenDetail:   free(a.openDetail),

		keys.StoredSessions: free(a.pickStored),
	}
}

// goToPane shows the pane with a number.
func (a *App) goToPane(number int) {
	if a.stack.Top() != nil {
		return
	}
	i := slices.IndexFunc(a.tabs, func(t *tab) bool { return t.pane.Number() == number })
	if i < 0 {
		a.say(fmt.Sprintf("There is no pane %d. %s opens a new one.", number, a.way(keys.NewPane, "/new")), false)
		return
	}
	a.turnTo(a.tabs[i])
}

// nextPane shows the pane that is by further on, round the end.
func (a *App) nextPane(by int) {
	if len(a.tabs) == 1 {
		a.say("There is one pane only. "+a.way(keys.NewPane, "/new")+" opens a new one.", false)
		return
	}
	n := len(a.tabs)
	a.turnTo(a.tabs[(slices.Index(a.tabs, a.tab)+by+n)%n])
}

// way names how something is done: by its key, else by its command.
func (a *App) way(action keys.Action, command string) string {
	if label := a.Keys.Label(action); label != "" {
		return label
	}
	return command
}

// openPane opens a pane with an agent, and shows it once it is there.
func (a *App) openPane(agent string) {
	from, before := a.pane, slices.Clone(a.tabs)
	a.begin("Opening "+text.CleanLine(agent)+"…", func() error { return a.deps.Desk.Open(agent) }, func(err error) {
		if err != nil {
			from.Note(whole(err), true)
			return
		}
		a.takePanes()
		for _, t := range a.tabs {
			if !slices.Contains(before, t) {
				a.turnTo(t)
			}
		}
	})
}

// begin does f off the UI goroutine, and after then on it. The toast stays as
// long as nothing else is said, at most.
func (a *App) begin(toast string, f func() error, after func(error)) {
	a.say(toast, false)
	number := a.toast.number
	a.deps.Go(func() {
		err := f()
		a.post(func() {
			if a.toast.number == number {
				a.toast.text = ""
			}
			after(err)
		})
	})
}

// closePane closes the pane that is shown. Where something would be lost with it
// the user is asked.
func (a *App) closePane() {
	t := a.tab
	if len(a.tabs) == 1 {
		a.say("This is the last pane, so it stays. "+a.way(keys.Quit, "/quit")+" quits.", false)
		return
	}
	if lost := t.unfinished(); lost != "" {
		a.confirm("Close "+t.name()+"?", "Keep it open", "Close it", lost, func() { a.closeTab(t) })
		return
	}
	a.closeTab(t)
}

// unfinished says what would end with the pane; empty: nothing.
func (t *tab) unfinished() string {
	switch {
	case t.failing():
		return "What could not be saved of it is lost."
	case len(t.pending) > 0:
		return "Its request stays unanswered, and its turn ends."
	case t.state.Running:
		return "Its turn ends."
	case len(t.state.Queue) > 0:
		return "What is queued is not sent."
	case !t.field.Blank():
		return "What is written in it is lost."
	}
	return ""
}

func (a *App) closeTab(t *tab) {
	if err := a.deps.Desk.Close(t.pane); err != nil {
		a.say(whole(err), true)
	}
	a.pull()
}

// running are the names of the panes in which a turn runs.
func (a *App) running() []string {
	var names []string
	for _, t := range a.tabs {
		if t.state.Running {
			names = append(names, t.name())
		}
	}
	return names
}

// quit leaves. While a turn runs anywhere, or something could not be saved, the
// user is asked once more.
func (a *App) quit() {
	ends := a.ends()
	if ends == "" {
		a.Quit()
		return
	}
	if _, asked := a.stack.Top().(*confirmation); asked {
		return
	}
	title := "Quit while the agents work?"
	if len(a.running()) == 0 {
		title = "Quit without saving?"
	}
	a.confirm(title, "Stay", "Quit", ends, a.Quit)
}

// ends says what would end with the desk, or would be lost; empty: nothing.
func (a *App) ends() string {
	var said []string
	switch names := a.running(); {
	case len(names) == 1:
		said = append(said, "The turn in "+names[0]+" ends.")
	case len(names) > 1:
		said = append(said, fmt.Sprintf("%d turns end: in %s.", len(names), strings.Join(names, ", ")))
	}
	if lost := a.lost(); lost != "" {
		said = append(said, lost)
	}
	return strings.Join(said, " ")
}

// A confirmation asks whether to go on. What changes nothing comes first.
type confirmation struct{ *dialog.List }

func (a *App) confirm(title, keep, do, what string, f func()) {
	c := &confirmation{}
	c.List = dialog.NewList(title, []dialog.Item{{Name: keep}, {Name: do, Text: what}}, dialog.ListDeps{
		Theme: a.Theme, Keys: a.Keys,
		Close: func() { a.stack.Remove(c) },
		Pick: func(i int) {
			a.stack.Remove(c)
			if i == 1 {
				f()
			}
		},
	})
	a.push(c)
}
