package ui

import (
	"time"

	"copydesk/core/text"
)

// longTurn is how long a turn must have run for its end to be worth a call.
const longTurn = 10 * time.Second

// told is what the user was called for in a tab.
type told struct {
	request string    // the newest request
	running time.Time // since when the turn runs that was seen last; zero: none did
}

// announce keeps the window title true, and calls the user for what waits.
func (a *App) announce() {
	title := "copydesk · " + a.state.Agent
	a.deps.SetTitle(title)
	waiting := ""
	if n, where := a.waiting(); n > 0 {
		waiting = "● waiting for you" + where + " · " + title
	}
	for _, t := range a.tabs {
		if question, done := t.calls(a.deps.Now()); question != "" {
			a.deps.Notify(t.agent()+" waits for you", question)
		} else if done {
			a.deps.Notify(t.agent()+" has finished", t.state.Title)
		}
	}
	a.deps.SetWaiting(waiting)
}

// calls says what the user is to be called for now, once: a new request, or the
// end of a long turn.
func (t *tab) calls(now time.Time) (question string, done bool) {
	if n := len(t.pending); n > 0 && t.pending[n-1].ID != t.told.request {
		t.told.request = t.pending[n-1].ID
		question = text.CleanLine(t.pending[n-1].Request.Prompt)
	}
	began := t.told.running
	t.told.running = time.Time{}
	if t.state.Running {
		t.told.running = t.state.Since
		return question, false
	}
	return question, !began.IsZero() && t.state.Stopping.IsZero() && now.Sub(began) >= longTurn
}
