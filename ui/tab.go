package ui

import (
	"slices"
	"strconv"
	"time"

	"copydesk/core/desk"
	"copydesk/core/record"
	"copydesk/core/session"
	"copydesk/core/text"
	"copydesk/ui/dialog"
	"copydesk/ui/input"
	"copydesk/ui/keys"
	"copydesk/ui/view"
)

// A tab is what the front end keeps of a pane. Every tab takes what changes in
// its pane; one of them is shown, and only that one is laid out and can have the
// keyboard. What the user left in a tab is there when they come back: the draft,
// the history, the place that is read, what was typed into a request.
type tab struct {
	pane        Pane
	panel       *view.Panel
	field       *input.Field
	completions *input.Completions
	offered     string // the line that Tab offered words for
	inPanel     bool   // the panel has the keyboard
	scope       scope  // whose history the field has
	find        *find  // the search in the panel; nil: none goes on

	changed bool            // what is written has changed since it was kept
	answers []record.Unsent // as they were kept last
	keeping func()          // stops the timer after which it is kept; nil: none runs
	unsaved bool            // its session could not be saved, when that was looked at last

	revision uint64
	state    desk.Status
	pending  []session.Pending

	request   *dialog.Request // the oldest pending one; nil without, or until the tab is shown
	gate      *dialog.Gate
	gateTimer func() // stops it; nil when none runs
	active    bool   // the request has the keyboard
	aside     bool   // the user sent the request away; only the chord brings it back
	told      told   // what the user was called for
	shown     bool   // the request has been drawn, with nothing over it
	shownAt   time.Time
}

func (a *App) newTab(p Pane) *tab {
	t := &tab{pane: p, gate: dialog.NewGate(a.Quiet)}
	t.panel = view.NewPanel(a.Theme)
	t.panel.SetEndKey(a.Keys.Label(keys.ScrollEnd))
	t.panel.SetClock(a.deps.Now, a.afterOnUI)
	t.panel.SetSelectedFunc(func() { a.selected(t) })
	t.field = input.New(a.Theme, a.touched)
	t.completions = input.NewCompletions(a.Theme)
	t.field.Put(p.Draft())
	t.field.SetChangedFunc(func() { t.changed = true })
	return t
}

// pull takes what has changed in the pane. It wraps and draws nothing.
func (t *tab) pull() {
	d := t.pane.Since(t.revision)
	t.revision = d.Revision
	t.panel.Apply(d.First, d.From, d.Lines)
	t.state = d.Status
	t.pending = d.Pending
}

// name is what the pane is called where there are several: "2: claude".
func (t *tab) name() string { return strconv.Itoa(t.pane.Number()) + ": " + t.agent() }

// agent is the agent's name, as it can be shown.
func (t *tab) agent() string { return text.CleanLine(t.state.Agent) }

// takePanes makes the tabs those of the panes that there are. When the one that
// is shown has gone, its neighbour is shown.
func (a *App) takePanes() {
	panes := a.deps.Desk.Panes()
	if len(panes) == 0 || slices.EqualFunc(a.tabs, panes, func(t *tab, p Pane) bool { return t.pane == p }) {
		return
	}
	tabs := make([]*tab, 0, len(panes))
	for _, p := range panes {
		i := slices.IndexFunc(a.tabs, func(t *tab) bool { return t.pane == p })
		if i >= 0 {
			tabs = append(tabs, a.tabs[i])
		} else {
			tabs = append(tabs, a.newTab(p))
		}
	}
	at := slices.Index(a.tabs, a.tab)
	a.tabs = tabs
	if !slices.Contains(tabs, a.tab) {
		a.closeModals() // they were about the pane that has gone
		a.turnTo(tabs[min(at, len(tabs)-1)])
	}
}

// turnTo shows a tab. A request in it begins as one that has not been seen: its
// gate starts anew, so no key that was typed before answers it (T41, T43).
func (a *App) turnTo(t *tab) {
	if t == a.tab {
		return
	}
	a.stopGate()
	if a.request != nil {
		a.request.SetActive(false)
		a.request.Hide()
	}
	a.active, a.shown = false, false
	a.tab = t
	a.gate = dialog.NewGate(a.Quiet)
	a.showRequest()
	a.root.build()
}

// closeModals closes everything that lies over the desk.
func (a *App) closeModals() {
	for a.stack.Top() != nil {
		a.drop(a.stack.Top())
	}
	a.leader, a.popup = nil, nil
}
