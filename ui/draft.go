package ui

import (
	"slices"
	"time"

	"copydesk/core/record"
)

// keepAfter is how long after a key what is written is handed over to be kept.
const keepAfter = 250 * time.Millisecond

// wrote notes that something may have been written, and keeps it a little later.
func (a *App) wrote() {
	t := a.tab
	if t.state.Session == "" || t.keeping != nil || !t.changed && !t.active {
		return
	}
	t.keeping = a.afterOnUI(keepAfter, t.keep)
}

// keep hands over what is written in the tab and not sent.
func (t *tab) keep() {
	if t.keeping != nil {
		t.keeping()
		t.keeping = nil
	}
	var answers []record.Unsent
	if t.request != nil {
		if unsent := t.request.Unsent(); unsent != "" {
			answers = []record.Unsent{{ID: t.request.ID(), Text: unsent}}
		}
	}
	if t.state.Session == "" || !t.changed && slices.Equal(answers, t.answers) {
		return
	}
	t.changed, t.answers = false, answers
	t.pane.Keep(t.field.Text(), answers)
}

// keepAll hands over what is written in every tab.
func (a *App) keepAll() {
	for _, t := range a.tabs {
		t.keep()
	}
}
