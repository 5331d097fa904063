package dialog

import (
	"strings"
	"testing"

	"copydesk/core/session"
	"copydesk/ui/keys"
	"copydesk/ui/theme"
	"copydesk/ui/uitest"
)

func diffRequest() *session.Request {
	q := approval()
	q.Prompt = "Write this file?"
	q.Fields = []session.Field{
		{Name: "path", Value: "core/panel/panel.go"},
		{Name: "diff", Value: "@@ -1,3 +1,3 @@\n func f() {\n-\treturn 1\n+\treturn 2" + strings.Repeat(" ", 400) + "; evil()\n }\n", Lang: "diff"},
	}
	q.TakesReason = true
	return q
}

// TestScreens compares whole screens, colours and all, with those that were
// looked at.
func TestScreens(t *testing.T) {
	long := choice(12)
	long.Fields = []session.Field{{Name: "statement", Value: "drop table costumers"}}
	long.Claim = "There is no table of that name."
	for _, c := range []struct {
		name          string
		q             *session.Request
		columns, rows int
		theme         theme.Options
		active        bool
		press         []string
	}{
		{name: "approval", q: approval(), columns: 80, rows: 12, active: true},
		{name: "approval-hint", q: approval(), columns: 80, rows: 12, active: true, press: []string{"y"}},
		{name: "approval-banner", q: approval(), columns: 80, rows: 12},
		{name: "approval-diff", q: diffRequest(), columns: 80, rows: 16, active: true},
		{name: "approval-40x10", q: diffRequest(), columns: 40, rows: 10, active: true},
		{name: "approval-20x5", q: diffRequest(), columns: 20, rows: 5, active: true},
		{name: "approval-20x5-end", q: diffRequest(), columns: 20, rows: 5, active: true, press: []string{"end"}},
		{name: "approval-nocolor", q: approval(), columns: 80, rows: 12, theme: theme.Options{NoColor: true}, active: true},
		{name: "approval-ascii", q: diffRequest(), columns: 80, rows: 16, theme: theme.Options{Colors: 16, ASCII: true}, active: true},
		{name: "approval-reason", q: diffRequest(), columns: 80, rows: 16, active: true, press: []string{"n", "N", "o"}},
		{name: "choice", q: choice(3), columns: 80, rows: 12, active: true, press: []string{"down", "down"}},
		{name: "choice-40x10", q: long, columns: 40, rows: 10, active: true, press: []string{"up"}},
		{name: "choice-nocolor", q: choice(3), columns: 80, rows: 12, theme: theme.Options{NoColor: true}, active: true, press: []string{"down"}},
		{name: "text", q: textInput(), columns: 80, rows: 12, active: true, press: []string{"A", "d", "a"}},
		{name: "text-40x10", q: textInput(), columns: 40, rows: 10, active: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.theme == (theme.Options{}) {
				c.theme = theme.Options{Name: "dark", Colors: 256}
			}
			th, err := theme.New(c.theme)
			if err != nil {
				t.Fatal(err)
			}
			screen := uitest.NewScreen(t, c.columns, c.rows)
			s := stageOn(t, screen, c.q, th, table)
			if c.active {
				s.open().press(c.press...)
			}
			screen.Show()
			screen.Golden(t, c.name)
		})
	}
}

func TestModalScreens(t *testing.T) {
	items := []Item{
		{Name: "playground", Text: "SQL on an embedded SQLite file"},
		{Name: "claude", Text: "Claude Code over ACP"},
		{Name: "[red]tags", Text: "are shown [::b]as they are"},
	}
	leader, err := keys.Parse("ctrl+x")
	if err != nil {
		t.Fatal(err)
	}
	list := NewList("Which agent?", items, ListDeps{Theme: dark, Keys: table})
	filtered := NewList("Which agent?", items, ListDeps{Theme: dark, Keys: table})
	filtered.filter.insert("CL ac")
	filtered.search()
	commands := []Item{{Name: "/copy", Text: "Copy the last answer."}}
	for name, m := range map[string]Modal{
		"list":        list,
		"list-filter": filtered,
		"help":        NewHelp(commands, dark, table, nil),
		"popup":       NewPopup(leader[0], table.Following([]keys.Context{keys.Global}, leader[0]), dark),
	} {
		t.Run(name, func(t *testing.T) {
			rows := 12
			if name == "help" {
				rows = 24
			}
			screen := uitest.NewScreen(t, 80, rows)
			stack := NewStack(&recorder{})
			stack.SetRect(0, 0, 80, rows)
			stack.Push(m)
			stack.Draw(screen)
			screen.Show()
			screen.Golden(t, name)
		})
	}
}
