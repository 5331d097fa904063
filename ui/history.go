package ui

import (
	"copydesk/ui/keys"

	"github.com/gdamore/tcell/v2"
)

// A scope is whose prompts a history has: those of an agent and a folder.
type scope struct{ agent, dir string }

// remember offers the prompts of earlier runs in a tab, once they have been read,
// and anew when its agent is another one.
func (a *App) remember(t *tab) {
	s := scope{t.state.Agent, t.state.Dir}
	if a.deps.History == nil || t.scope == s {
		return
	}
	t.scope = s
	a.deps.Go(func() {
		earlier := a.deps.History.Load(s.agent, s.dir)
		a.post(func() {
			if t.scope == s {
				t.field.SetHistory(earlier)
			}
		})
	})
}

// sent adds what was sent to the history.
func (a *App) sent(prompt string) {
	if a.deps.History != nil {
		a.deps.History.Add(a.state.Agent, a.state.Dir, prompt)
	}
}

// recall searches the history, back or on.
func (a *App) recall(forward bool) func() bool {
	return func() bool {
		if a.inPanel || a.active || a.stack.Top() != nil {
			return false
		}
		a.completions.Show(nil)
		a.field.Recall(forward)
		return true
	}
}

// keyRecall takes a key while the history is searched, and reports whether it
// did. Enter sends what was found, what leaves gives the draft back, and every
// key that means nothing here goes on with what was found in the field.
func (a *App) keyRecall(ev *tcell.EventKey, s keys.Stroke) bool {
	action, _ := a.Keys.Find([]keys.Context{keys.Input, keys.Global}, nil, s)
	switch {
	case s.Printable():
		a.field.RecallType(string(s.Rune))
	case s.Key == tcell.KeyBackspace && s.Mod == 0:
		a.field.RecallBackspace()
	case action == keys.HistorySearchBack, action == keys.HistorySearchOn:
		a.field.Recall(action == keys.HistorySearchOn)
	case action == keys.Cancel, s.String() == "ctrl+g":
		a.field.RecallEnd(false)
	case action == keys.Complete, action == keys.Close:
		a.field.RecallEnd(true)
	default:
		a.field.RecallEnd(true)
		return false
	}
	return true
}
