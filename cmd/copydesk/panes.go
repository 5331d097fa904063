package main

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"copydesk/config"
	"copydesk/core"
	"copydesk/core/desk"
	"copydesk/core/markdown"
	"copydesk/platform/history"
	"copydesk/platform/journal"
	"copydesk/platform/journal/shelf"
	"copydesk/ui"
)

// panes is the desk as the front end sees it.
type panes struct {
	*desk.Desk
	agents  *roster
	store   *journal.Store   // nil: nothing is stored
	history *history.History // nil: as store
}

// panes makes a desk without panes, and what its sessions are stored in.
func (s session) panes(agents *roster, highlight markdown.Highlighter) panes {
	deps := desk.Deps{
		Now: time.Now, Go: s.guard.Go, Log: agents.log, After: s.after, Highlight: highlight, PanelLines: core.PanelLines, Program: version,
	}
	p := panes{Desk: desk.New(deps), agents: agents}
	if s.state != "" {
		p.store = storeOf(s.state, agents.running, p.Ring)
		p.history = history.New(history.Options{Path: filepath.Join(s.state, "history.jsonl"), Go: s.guard.Go, Log: agents.log, Now: time.Now})
	}
	return p
}

func (s session) shelf(store *journal.Store) *shelf.Shelf {
	return shelf.New(shelf.Options{Dir: filepath.Join(s.state, sessionsDir), Store: store})
}

// first opens the first pane: a stored session, or an agent. ask says that the
// list of agents is to be shown in front of it.
func (s session) first(p panes) (ask bool, err error) {
	var pane *desk.Pane
	if s.flags.resume != "" {
		pane, err = s.resumed(p)
	} else {
		var name string
		name, ask = p.agents.first()
		if pane, err = p.open(name); err == nil && name == config.PlaygroundName {
			pane.Note("The playground is ready, on "+p.agents.short(p.agents.databasePath())+". Type help to begin, F1 for the keys.", false)
		}
	}
	if err == nil && s.lost != nil {
		pane.Note(fmt.Sprintf("Nothing can be stored: %v. The work goes on and is lost with the end of copydesk; copy what you need.", s.lost), true)
	}
	return ask, err
}

// resumed brings back the session that the flags name.
func (s session) resumed(p panes) (*desk.Pane, error) {
	if p.store == nil {
		return nil, fmt.Errorf("no session can be brought back: %w", s.lost)
	}
	id := s.flags.resume
	if id == newestSession {
		id = ""
	}
	id, err := which(context.Background(), s.shelf(p.store), p.agents.dir, id)
	if err != nil {
		return nil, err
	}
	return p.resume(context.Background(), id, s.settings.Agent)
}

// open opens a pane with an agent and a session of its own.
func (p panes) open(name string) (*desk.Pane, error) {
	agent, shown, err := p.agents.open(context.Background(), name)
	if err != nil {
		return nil, err
	}
	if p.store != nil {
		shown.Journal = p.store.Create(seatOf(name, shown))
	}
	return p.Desk.Open(agent, shown), nil
}

// Panes are the open panes.
func (p panes) Panes() []ui.Pane {
	open := p.Desk.Panes()
	list := make([]ui.Pane, len(open))
	for i, pane := range open {
		list[i] = pane
	}
	return list
}

// Agents lists what can be opened here, and after it the usual agents that could
// be installed.
func (p panes) Agents(ctx context.Context) []ui.AgentRow {
	rows := p.agents.rows(ctx)
	rows = append(rows, p.agents.others(rows)...)
	list := make([]ui.AgentRow, len(rows))
	for i, r := range rows {
		list[i] = ui.AgentRow{Name: r.Name, What: r.What, Missing: r.Missing}
	}
	return list
}

// Open opens a pane with an agent.
func (p panes) Open(name string) error {
	_, err := p.open(name)
	return err
}

// Switch gives a pane another agent.
func (p panes) Switch(pane ui.Pane, name string) error {
	agent, shown, err := p.agents.open(context.Background(), name)
	if err == nil {
		pane.(*desk.Pane).Switch(agent, shown)
	}
	return err
}

// Close closes a pane.
func (p panes) Close(pane ui.Pane) error {
	p.ClosePane(pane.(*desk.Pane))
	return nil
}

// kept are the sessions of the open panes that can be brought back.
func (p panes) kept() []*desk.Pane {
	var list []*desk.Pane
	for _, pane := range p.Desk.Panes() {
		if d := pane.Since(0); d.Status.Session != "" && !d.Status.Saved.Saved.IsZero() {
			list = append(list, pane)
		}
	}
	return list
}

// hint says on the shell's screen how the sessions come back; nothing of those
// that could not be saved (R21).
func (s session) hint(kept []*desk.Pane) {
	for _, pane := range kept {
		st := pane.Since(0).Status
		if st.Saved.Failing == "" {
			fmt.Fprintf(s.stdout, "copydesk --resume %s  brings %s back.\n", st.Session, st.Agent)
		}
	}
}
