package ui

import (
	"strings"

	"copydesk/core/command"

	"github.com/rivo/tview"
)

// send submits what the field holds. A chosen completion is taken first.
func (a *App) send() {
	if c, ok := a.completions.Chosen(); ok {
		a.field.Complete(c.Start, c.Text)
		a.completions.Show(nil)
		return
	}
	prompt := a.field.Take()
	a.sent(prompt)
	effect := a.pane.Submit(prompt)
	a.keep()
	a.panel.ClearSelection() // Ctrl+C is to stop the turn, not to copy what is out of view
	a.panel.ScrollEnd()
	a.carryOut(effect)
	a.pull()
}

// carryOut does what a command asks of the front end.
func (a *App) carryOut(effect command.Effect) {
	switch e := effect.(type) {
	case command.Copy:
		a.copy(e)
	case command.Doctor:
		a.doctor()
	case command.Keys:
		a.showHelp()
	case command.Quit:
		a.quit()
	case command.Agent:
		a.switchAgent(e.Name)
	case command.NewPane:
		a.newPane(e.Name)
	case command.ClosePane:
		a.closePane()
	case command.Options:
		a.setOption(e.Category, e.Value)
	case command.Sessions:
		a.pickSession()
	case command.Stored:
		a.pickStored()
	case command.Search:
		a.findStored(e.Words)
	case command.Queue:
		a.pickQueued()
	case command.Details:
		a.pickDetail()
	}
}

// previous walks the completions, the queue or the history upwards.
func (a *App) previous() bool {
	if a.completions.Rows() > 0 {
		a.completions.Move(-1)
		return true
	}
	if a.field.Empty() && len(a.state.Queue) > 0 {
		if last, ok := a.pane.Unqueue(); ok {
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
	if a.field.Recalling() || a.holder() != tview.Primitive(a.field) || !strings.HasPrefix(line, "/") || a.field.AfterCursor() != "" {
		if !a.completing() {
			a.completions.Show(nil)
		}
		return
	}
	all := a.pane.Complete(line)
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
		a.completions.Show(a.pane.Complete(line))
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
