package ui

import (
	"context"
	"errors"
	"time"

	"copydesk/core/session"
	"copydesk/core/text"
	"copydesk/ui/dialog"
)

// pickSession lists the sessions that the pane's agent keeps, and loads the one
// that is picked.
func (a *App) pickSession() {
	t := a.tab
	var stored []session.Stored
	find := func(ctx context.Context) ([]dialog.Item, error) {
		var err error
		if stored, err = t.pane.Stored(ctx); err != nil {
			return nil, err
		}
		if len(stored) == 0 {
			return nil, errors.New("the agent keeps no session from before")
		}
		now := a.deps.Now()
		items := make([]dialog.Item, len(stored))
		for i, s := range stored {
			items[i] = sessionItem(s, now)
		}
		return items, nil
	}
	a.lookUp("Sessions of "+t.agent(), "Asking "+t.agent()+" for its sessions…", find, func(i int) {
		t.pane.Load(stored[i].ID)
		a.pull()
	})
}

// titleCells is how much of a session's title its name in the list has.
const titleCells = 48

func sessionItem(s session.Stored, now time.Time) dialog.Item {
	title := text.CleanLine(s.Title)
	if title == "" {
		title = text.CleanLine(s.ID)
	}
	what := when(s.Updated, now)
	if s.Dir != "" {
		if what != "" {
			what += "  "
		}
		what += s.Dir
	}
	return dialog.Item{Name: text.Truncate(title, titleCells), Text: what}
}

// when says when something was: the time of today, or else the day.
func when(t, now time.Time) string {
	t = t.In(now.Location())
	switch {
	case t.IsZero():
		return ""
	case t.Format(time.DateOnly) == now.Format(time.DateOnly):
		return "today " + t.Format("15:04")
	case t.Year() == now.Year():
		return t.Format("2 Jan 15:04")
	}
	return t.Format(time.DateOnly)
}
