package view

import (
	"testing"

	"copydesk/core/panel"
	"copydesk/core/session"
	"copydesk/core/text"
	"copydesk/ui/theme"
	"copydesk/ui/uitest"
)

// conversation is one of each kind, composed as the core does.
func conversation() []panel.Shown {
	var lines []panel.Shown
	add := func(l panel.Line) {
		lines = append(lines, panel.Shown{Kind: l.Kind, Line: panel.Compose(l)})
	}
	add(panel.Line{Kind: panel.Note, Text: "Connected to claude (ACP 1)."})
	add(panel.Line{Kind: panel.Echo, Tag: "claude", Text: "fix the flaky panel test", Status: session.Done})
	add(panel.Line{Kind: panel.Thought, Text: "The clock is read twice.", Rest: 4})
	add(panel.Line{Kind: panel.Answer, Text: "## What it was", Runs: []text.Span{{Len: 3, Style: text.Markup}, {Len: 11, Style: text.Heading}}})
	add(panel.Line{Kind: panel.Answer, Text: ""})
	add(panel.Line{
		Kind: panel.Answer,
		Text: "I looked at `core/panel/panel_test.go`. The clock is read once before the append and once after it, so a slow machine sees two different frames; see https://example.org/clock.",
		Runs: []text.Span{{Len: 12}, {Len: 26, Style: text.CodeSpan}},
	})
	add(panel.Line{Kind: panel.Answer, Text: "```go", Runs: []text.Span{{Len: 5, Style: text.Markup}}})
	add(panel.Line{Kind: panel.Answer, Text: "func TestPanel(t *testing.T) {", Runs: []text.Span{{Len: 5, Style: text.Keyword}, {Len: 9, Style: text.Function}}})
	add(panel.Line{Kind: panel.Answer, Text: "\tnow := clock.Now() // once", Runs: []text.Span{{Len: 20}, {Len: 7, Style: text.Comment}}})
	add(panel.Line{Kind: panel.Answer, Text: "```", Runs: []text.Span{{Len: 3, Style: text.Markup}}})
	add(panel.Line{Kind: panel.Tool, Tag: "tool", Text: "edit core/panel/panel_test.go", Status: session.Done})
	for _, l := range []panel.Line{
		{Text: "@@ -40,3 +40,3 @@", Runs: []text.Span{{Len: 17, Style: text.Hunk}}},
		{Text: "-\tnow := clock.Now()", Runs: []text.Span{{Len: 20, Style: text.Removed}}},
		{Text: "+\tnow := p.now", Runs: []text.Span{{Len: 13, Style: text.Added}}},
		{Text: "… 31 more lines"},
	} {
		l.Kind = panel.Output
		add(l)
	}
	add(panel.Line{Kind: panel.Echo, Tag: "simple", Text: "count customers", Status: session.Failed})
	add(panel.Line{Kind: panel.Teaching, Text: "SELECT count(*) FROM customers;"})
	add(panel.Line{Kind: panel.Error, Text: "There is no table customers. Did you mean customer?"})
	for _, row := range []string{
		"┌────┬──────────────────────────────┬─────────┐",
		"│ id │ name                         │ city    │",
		"├────┼──────────────────────────────┼─────────┤",
		"│  1 │ Ada                          │ NULL    │",
		"└────┴──────────────────────────────┴─────────┘",
	} {
		add(panel.Line{Kind: panel.Table, Text: row, Runs: []text.Span{{Len: len(row), Style: text.Border}}})
	}
	add(panel.Line{Kind: panel.Echo, Tag: "claude", Text: "and add a fuzz target", Status: session.Running})
	return lines
}

func wide() []panel.Shown {
	return append(shown(panel.Answer,
		"日本語の文は単語の間に空白がなく、どこでも折り返せます。ただし句読点は行頭に来ません。",
		"Emoji: 👍🏽 👩\u200d👩\u200d👧 🇨🇭 1\ufe0f\u20e3 ❤\ufe0f end",
		"Combined: e\u0301 n\u0303\u0323 한국어 नमस्ते",
		"a\tb\t世\tc",
		text.CleanLine("hidden \u202e and \u200b and \x1b[2J"),
	), shown(panel.Table, "│ 世界 │ wide and wider and wider │")...)
}

// selectSome selects from the middle of one line to the middle of another, over a
// table, wide characters and a tab.
func selectSome(v *Panel, _ []panel.Shown) {
	v.SetFocused(true)
	v.Move(Up, false)
	v.Move(Up, false)
	v.Move(WordLeft, false)
	for range 14 {
		v.Move(Up, true)
	}
}

func TestGoldenScreens(t *testing.T) {
	dark := theme.Options{Name: "dark", Colors: 256}
	for _, c := range []struct {
		name    string
		w, h    int
		options theme.Options
		lines   []panel.Shown
		act     func(v *Panel, lines []panel.Shown)
	}{
		{name: "120x40", w: 120, h: 40, options: dark, lines: conversation()},
		{name: "80x24", w: 80, h: 24, options: dark, lines: conversation()},
		{name: "40x10", w: 40, h: 10, options: dark, lines: conversation()},
		{name: "light", w: 80, h: 24, options: theme.Options{Name: "light", Colors: 1 << 24}, lines: conversation()},
		{name: "nocolor", w: 80, h: 24, options: theme.Options{NoColor: true}, lines: conversation()},
		{name: "ascii", w: 60, h: 12, options: theme.Options{ASCII: true, NoColor: true}, lines: shown(panel.Answer, numbered(0, 20)...),
			act: func(v *Panel, _ []panel.Shown) { v.ScrollRows(-3) }},
		{name: "wide", w: 40, h: 16, options: dark, lines: wide()},
		{name: "pill", w: 80, h: 12, options: dark, lines: conversation(), act: func(v *Panel, lines []panel.Shown) {
			v.SetFocused(true)
			v.PageUp()
			n := uint64(len(lines))
			v.Apply(0, n, shown(panel.Answer, numbered(0, 12)...))
		}},
		{name: "selection", w: 60, h: 24, options: dark, lines: append(conversation(), wide()...), act: selectSome},
		{name: "selection-nocolor", w: 60, h: 24, options: theme.Options{NoColor: true}, lines: append(conversation(), wide()...), act: selectSome},
		{name: "empty", w: 40, h: 5, options: dark},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := uitest.NewScreen(t, c.w, c.h)
			v := NewPanel(newTheme(t, c.options))
			v.SetRect(0, 0, c.w, c.h)
			v.SetTitle("claude · ~/src/app")
			v.Apply(0, 0, c.lines)
			if c.act != nil {
				c.act(v, c.lines)
			}
			v.Draw(s)
			s.Show()
			s.Golden(t, c.name)
		})
	}
}
