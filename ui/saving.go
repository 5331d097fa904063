package ui

import (
	"fmt"
	"strings"
	"time"

	"copydesk/core/text"
	"copydesk/ui/theme"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/tview"
)

// bannerRows is how many rows the banner has, at most.
const bannerRows = 2

// failing reports whether the tab's session cannot be saved just now.
func (t *tab) failing() bool { return t.state.Saved.Failing != "" }

// failing are the tabs whose sessions cannot be saved: the one that is shown, if
// it is one of them, or else all others.
func (a *App) failing() []*tab {
	if a.tab.failing() {
		return []*tab{a.tab}
	}
	var tabs []*tab
	for _, t := range a.tabs {
		if t.failing() {
			tabs = append(tabs, t)
		}
	}
	return tabs
}

// unsavedNow reports whether any session cannot be saved.
func (a *App) unsavedNow() bool { return len(a.failing()) > 0 }

// watchSaving says when all sessions are saved again after some were not.
func (a *App) watchSaving() {
	again := false
	for _, t := range a.tabs {
		again = again || t.unsaved && !t.failing()
		t.unsaved = t.failing()
	}
	if again && !a.unsavedNow() {
		a.say("Everything is saved again.", false)
	}
}

// savedAt says when the session was saved; nothing before the first time and
// while it fails. It changes with the journal only, so it wakes nobody.
func (a *App) savedAt() string {
	if at := a.state.Saved.Saved; !at.IsZero() && !a.tab.failing() {
		return "saved " + at.In(a.deps.Now().Location()).Format(time.TimeOnly)
	}
	return ""
}

// since is when something began, as short as it can be said.
func since(t, now time.Time) string {
	t = t.In(now.Location())
	if t.Format(time.DateOnly) == now.Format(time.DateOnly) {
		return t.Format("15:04")
	}
	return t.Format("2 Jan 15:04")
}

// notSaved is what the banner says: that nothing is saved, since when, where,
// and why; empty while everything is.
func (a *App) notSaved() string {
	tabs := a.failing()
	if len(tabs) == 0 {
		return ""
	}
	first := tabs[0]
	names := make([]string, len(tabs))
	for i, t := range tabs {
		names[i] = t.name()
		if t.state.Saved.Since.Before(first.state.Saved.Since) {
			first = t
		}
	}
	where := ""
	if tabs[0] != a.tab {
		where = " in " + strings.Join(names, ", ")
	}
	s := "Not saved" + where
	if h := first.state.Saved; !h.Since.IsZero() {
		s += " since " + since(h.Since, a.deps.Now())
	}
	return s + ". " + text.CleanLine(first.state.Saved.Failing)
}

// lost says what would be lost for good if the desk ended now, because it could
// not be saved; empty: nothing.
func (a *App) lost() string {
	var numbers []string
	var began time.Time
	for _, t := range a.tabs {
		if h := t.state.Saved; t.failing() {
			numbers = append(numbers, fmt.Sprint(t.pane.Number()))
			if began.IsZero() || h.Since.Before(began) {
				began = h.Since
			}
		}
	}
	switch len(numbers) {
	case 0:
		return ""
	case 1:
		return "Nothing of pane " + numbers[0] + " has been saved since " + since(began, a.deps.Now()) + "."
	}
	return "Nothing of panes " + strings.Join(numbers, ", ") + " has been saved since " + since(began, a.deps.Now()) + "."
}

// A banner says above the input field that nothing is saved, as long as that is
// so.
type banner struct {
	*tview.Box
	app  *App
	rows []string
}

func newBanner(a *App) *banner {
	b := &banner{Box: tview.NewBox(), app: a}
	b.SetBackgroundColor(tcell.ColorDefault)
	return b
}

// fit takes what is to be said, and returns how many rows it needs of those that
// there are.
func (b *banner) fit(width, most int) int {
	b.rows = nil
	s := b.app.notSaved()
	most = min(most, bannerRows)
	if s == "" || most < 1 || width < 4 {
		return 0
	}
	for i, row := range text.Wrap(s, width-2) {
		if i == most-1 {
			b.rows = append(b.rows, truncated(b.app.Theme, s[row.Start:], width-2))
			break
		}
		b.rows = append(b.rows, s[row.Start:row.End])
	}
	return len(b.rows)
}

// Draw draws the banner.
func (b *banner) Draw(screen tcell.Screen) {
	b.DrawForSubclass(screen, b)
	x, y, _, height := b.GetInnerRect()
	for i := 0; i < min(height, len(b.rows)); i++ {
		screen.PutStrStyled(x+1, y+i, b.rows[i], b.app.Theme.Element(theme.StatusAlert))
	}
}
