package ui

import (
	"context"

	"copydesk/core/text"
	"copydesk/ui/dialog"
)

// switchAgent gives the pane another agent: the one of a name, or one that the
// user picks. The session and the panel stay (AGT 6).
func (a *App) switchAgent(name string) {
	p := a.pane
	switchTo := func(name string) {
		a.begin("Switching to "+text.CleanLine(name)+"…", func() error { return a.deps.Desk.Switch(p, name) }, func(err error) {
			if err != nil {
				p.Note(whole(err), true)
			}
		})
	}
	if name != "" {
		switchTo(name)
		return
	}
	a.agents("Agent of this pane", a.state.Agent, switchTo)
}

// newPane opens a pane with the agent of a name, or one that the user picks.
func (a *App) newPane(name string) {
	if name != "" {
		a.openPane(name)
		return
	}
	a.agents("New pane with", "", a.openPane)
}

// pickAgent lets the user pick the agent that they begin with.
func (a *App) pickAgent() { a.switchAgent("") }

// agents lists the agents; take gets the name of the one that was picked.
// Finding them takes up to a second, so the list comes when it is there. The one
// that is called current is marked.
func (a *App) agents(title, current string, take func(name string)) {
	var rows []AgentRow
	find := func(ctx context.Context) ([]dialog.Item, error) {
		rows = a.deps.Desk.Agents(ctx)
		items := make([]dialog.Item, len(rows))
		for i, r := range rows {
			items[i] = dialog.Item{Name: r.Name, Text: r.What, Off: r.Missing, Mark: r.Current || r.Name == current}
		}
		return items, nil
	}
	a.lookUp(title, "Looking for agents…", find, func(i int) { take(rows[i].Name) })
}
