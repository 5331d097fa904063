package dialog

import (
	"fmt"
	"testing"

	"copydesk/core/session"
	"copydesk/ui/theme"
	"copydesk/ui/uitest"
)

// permission is what agents really ask: always first, once, a rejection, and a
// kind that nobody knows.
func permission() *session.Request {
	return &session.Request{
		Kind:    session.Choice,
		From:    "claude",
		Prompt:  "Run this command?",
		Choices: []string{"Yes, and don't ask again for npm run commands", "Allow", "No, and tell it what to do differently", "Only on Sundays"},
		Means:   []session.Means{session.AllowAlways, session.AllowOnce, session.RejectOnce, session.Unknown},
		Scope:   "Every command that begins with npm run, in this session.",
		Fields: []session.Field{
			{Name: "command", Value: "npm run build"},
			{Name: "cwd", Value: "~/src/app"},
		},
		Claim:       "Build the site",
		TakesReason: true,
	}
}

func number(n float64) *float64 { return &n }

// release is a form with an input of every kind.
func release() *session.Request {
	return &session.Request{
		Kind:   session.Form,
		From:   "claude",
		Prompt: "How shall the release be made?",
		Claim:  "Prepare 1.4.0",
		Inputs: []session.Input{
			{Kind: session.Line, Name: "name", Title: "Name", Help: "What the release is called.", Required: true, MinLength: 3},
			{Kind: session.OneOf, Name: "channel", Title: "Channel", Required: true, Default: []string{"b"}, Options: []session.InputOption{
				{Value: "s", Title: "stable", Help: "for everybody"}, {Value: "b", Title: "beta"},
			}},
			{Kind: session.ManyOf, Name: "parts", Title: "Parts", MinItems: 1, Options: []session.InputOption{
				{Value: "search"}, {Value: "sync"}, {Value: "help", Title: "help pages"},
			}},
			{Kind: session.Switch, Name: "tell", Title: "Tell everybody"},
			{Kind: session.Integer, Name: "copies", Title: "Copies", Min: number(1), Max: number(9), Default: []string{"2"}},
			{Kind: session.Number, Name: "share", Title: "Share"},
			{Kind: session.Line, Name: "mail", Title: "Contact", Format: "email"},
		},
	}
}

func other() *session.Request {
	q := choice(3)
	q.From, q.Other = "claude", "Another table"
	return q
}

func blocked() *session.Request {
	q := permission()
	q.Blocked = "The input names \"command\" twice."
	q.Fields = append(q.Fields, session.Field{Name: "command", Value: "touch PWNED", Warn: true})
	return q
}

func address() *session.Request {
	return &session.Request{
		Kind: session.Approval, From: "codex", Prompt: "Open this address?", Choices: []string{"Open", "Leave it"},
		Fields: []session.Field{{Name: "address", Value: "https://bank.example@login.evil.example:8443/a/very/long/path?next=https://bank.example/"}},
		Claim:  "See [https://bank.example](https://evil.example/a)",
	}
}

// filled presses the form to where it can be reviewed, or leaves it half done.
var (
	filled = []string{"A", "d", "a", "space", "1", "tab", "1", "tab", "1", "3", "tab", "space", "tab", "tab", "tab", "tab", "enter"}
	wrong  = []string{"A", "tab", "tab", "tab", "tab", "backspace", "1", "2", "tab", "tab", "@", "tab", "enter"}
)

type kindScreen struct {
	name  string
	q     *session.Request
	press []string
}

func kindScreens() []kindScreen {
	return []kindScreen{
		{name: "permission", q: permission(), press: []string{"down", "down"}},
		{name: "permission-always", q: permission(), press: []string{"pgdn", "pgdn", "pgdn", "pgdn", "pgdn", "pgdn", "A"}},
		{name: "permission-blocked", q: blocked()},
		{name: "choice-other", q: other(), press: []string{"4", "c", "u", "s"}},
		{name: "form", q: release(), press: []string{"A", "d", "a"}},
		{name: "form-wrong", q: release(), press: wrong},
		{name: "form-end", q: release(), press: []string{"A", "d", "a", "tab", "tab", "tab", "tab", "tab", "tab", "tab"}},
		{name: "form-review", q: release(), press: filled},
		{name: "address", q: address()},
		{name: "diff", q: realDiff()},
	}
}

func realDiff() *session.Request {
	q := permission()
	q.Prompt, q.Claim = "Change this file?", ""
	q.Fields = []session.Field{{Name: "diff", Lang: "diff", Value: "--- a/cmd/main.go\n+++ b/cmd/main.go\n@@ -1,4 +1,5 @@\n package main\n \n-func main() { run() }\r\n+func main() {\n+\trun()  \n }\n\\ No newline at end of file\n"}}
	return q
}

// TestREQ6_Screens compares every page of every kind with what was looked at, at
// three sizes and in the themes.
func TestREQ6_Screens(t *testing.T) {
	sizes := [][2]int{{120, 40}, {80, 24}, {40, 10}}
	themes := []struct {
		name string
		of   theme.Options
	}{
		{"", theme.Options{Name: "dark", Colors: 256}},
		{"-light", theme.Options{Name: "light", Colors: 1 << 24}},
		{"-plain", theme.Options{NoColor: true, ASCII: true}},
	}
	for _, k := range kindScreens() {
		for _, size := range sizes {
			for i, th := range themes {
				if i > 0 && size[0] != 80 {
					continue // colours differ, not the layout
				}
				name := fmt.Sprintf("%s-%dx%d%s", k.name, size[0], size[1], th.name)
				t.Run(name, func(t *testing.T) {
					look, err := theme.New(th.of)
					if err != nil {
						t.Fatal(err)
					}
					screen := uitest.NewScreen(t, size[0], size[1])
					s := stageOn(t, screen, k.q, look, table)
					s.open()
					s.slowly(k.press...)
					screen.Show()
					screen.Golden(t, name)
				})
			}
		}
	}
}
