package view

import (
	"fmt"
	"strings"
	"testing"

	"copydesk/core/panel"
	"copydesk/core/text"
	"copydesk/ui/theme"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/uniseg"
	"pgregory.net/rapid"
)

var kinds = []panel.Kind{panel.Echo, panel.Answer, panel.Thought, panel.Tool, panel.Output, panel.Plan, panel.Table, panel.Teaching, panel.Note, panel.Error}

// pieces are what random lines are made of, beside words and any runes.
var pieces = []string{
	" ", " ", " ", "\t", "  ", "a", "word", "longer", "func(x)", "世", "界", "漢字かな", "한국어", "ไทย", "é", "e\u0301", "n\u0303\u0323",
	"👍🏽", "👩\u200d👩\u200d👧", "🇨🇭", "🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f", "1\ufe0f\u20e3", "❤\ufe0f", "☺",
	"│", "┼──", "┌─┐", "▎", "…", "✓", " ✗", "running: ", "[claude] ", "\u202e", "\u200b", "\x1b[2J", "\x9b", "\x00", "\xff", "नमस्ते", "ﷺ", "\u00a0", "⸻", "ｆｕｌｌ",
}

func randomLine() *rapid.Generator[panel.Shown] {
	piece := rapid.OneOf(rapid.SampledFrom(pieces), rapid.SampledFrom(pieces), rapid.SampledFrom(pieces), rapid.StringN(0, 6, -1))
	few, many := rapid.SliceOfN(piece, 0, 12), rapid.SliceOfN(piece, 0, 80)
	return rapid.Custom(func(t *rapid.T) panel.Shown {
		parts := few
		if rapid.IntRange(0, 9).Draw(t, "long") == 0 {
			parts = many
		}
		l := panel.Shown{Kind: rapid.SampledFrom(kinds).Draw(t, "kind")}
		l.Text = text.CleanLine(strings.Join(parts.Draw(t, "parts"), ""))
		for left := len(l.Text); left > 0 && len(l.Spans) < 3; {
			n := rapid.IntRange(0, left).Draw(t, "span")
			l.Spans = append(l.Spans, text.Span{Len: n, Style: text.Style(rapid.IntRange(0, int(text.Roles)-1).Draw(t, "role"))})
			left -= n
		}
		return l
	})
}

// expand is a text as a terminal shows it, tabs every 8 cells from the start.
// It counts by uniseg itself, not by what the view uses.
func expand(s string) string {
	var b strings.Builder
	col := 0
	for g := uniseg.NewGraphemes(s); g.Next(); {
		if g.Str() == "\t" {
			n := 8 - col%8
			b.WriteString(strings.Repeat(" ", n))
			col += n
			continue
		}
		b.WriteString(g.Str())
		col += g.Width()
	}
	return b.String()
}

// A simulation is a screen of which each frame is read back.
type simulation struct {
	tcell.SimulationScreen
}

func newSimulation(t testing.TB) simulation {
	t.Helper()
	s := simulation{tcell.NewSimulationScreen("UTF-8")}
	if err := s.Init(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Fini)
	return s
}

// draw shows a panel of w by h cells and reads the text back, row by row,
// without the frame and the gutter and without blanks at the right.
func (s simulation) draw(v *Panel, w, h int) []string {
	s.SetSize(w, h)
	v.SetRect(0, 0, w, h)
	v.Draw(s)
	s.Show()
	cells, _, _ := s.GetContents()
	rows := make([]string, 0, h-2)
	for y := 1; y < h-1; y++ {
		var b strings.Builder
		for x := 1 + gutterWidth; x < w-1; {
			c := string(cells[y*w+x].Runes)
			b.WriteString(c)
			x += max(1, uniseg.StringWidth(c))
		}
		rows = append(rows, strings.TrimRight(b.String(), " "))
	}
	return rows
}

// drift compares what a renderer draws of lines with their text (PAN 3): each on
// a row of its own on a screen that is wider than any of them, and wrapped at a
// width. The renderer is what hands the lines to the panel.
func drift(s simulation, v *Panel, lines []panel.Shown, width int, render func(*Panel, []panel.Shown)) error {
	widest, rows := 0, 0
	for _, l := range lines {
		widest = max(widest, text.Width(l.Text))
	}
	render(v, lines)
	for i, got := range s.draw(v, widest+2+gutterWidth+10, len(lines)+2) {
		if want := strings.TrimRight(expand(lines[i].Text), " "); got != want {
			return fmt.Errorf("line %q is drawn as %q, want %q", lines[i].Text, got, want)
		}
	}

	// Tables are cut at the edge instead of wrapped.
	var wrapped []panel.Shown
	for _, l := range lines {
		if l.Kind != panel.Table {
			wrapped = append(wrapped, l)
			rows += len(text.Wrap(l.Text, width))
		}
	}
	render(v, wrapped)
	got := s.draw(v, width+2+gutterWidth+1, rows+2)
	for _, l := range wrapped {
		joined := ""
		for _, r := range text.Wrap(l.Text, width) {
			part := l.Text[r.Start:r.End]
			if want := strings.TrimRight(expand(part), " "); got[0] != want {
				return fmt.Errorf("at width %d, %q of %q is drawn as %q, want %q", width, part, l.Text, got[0], want)
			}
			joined += got[0]
			got = got[1:]
		}
		if a, b := unblank(joined), unblank(l.Text); a != b {
			return fmt.Errorf("at width %d, the rows of %q are joined %q", width, b, a)
		}
	}
	return nil
}

func unblank(s string) string {
	return strings.NewReplacer(" ", "", "\t", "").Replace(s)
}

// asTheyAre is the product's renderer.
func asTheyAre(v *Panel, lines []panel.Shown) {
	v.Apply(0, 0, lines)
}

func TestPAN3_DriftLock(t *testing.T) {
	s := newSimulation(t)
	v := NewPanel(newTheme(t, theme.Options{Colors: 256}))
	rapid.Check(t, func(t *rapid.T) { // 100 checks of 100 lines
		lines := rapid.SliceOfN(randomLine(), 100, 100).Draw(t, "lines")
		width := rapid.IntRange(20, 200).Draw(t, "width")
		if err := drift(s, v, lines, width, asTheyAre); err != nil {
			t.Fatal(err)
		}
	})
}

// The drift lock is able to fail: a renderer that adds, drops or changes
// anything is found.
func TestPAN3_DriftIsFound(t *testing.T) {
	s := newSimulation(t)
	v := NewPanel(newTheme(t, theme.Options{Colors: 256}))
	lines := append(shown(panel.Answer, "some prose", "", "\ttab", "世界"), shown(panel.Echo, "[claude] running: x ✓")...)
	if err := drift(s, v, lines, 20, asTheyAre); err != nil {
		t.Fatal(err)
	}
	change := func(f func(string) string) func(*Panel, []panel.Shown) {
		return func(v *Panel, lines []panel.Shown) {
			changed := make([]panel.Shown, len(lines))
			for i, l := range lines {
				l.Text = f(l.Text)
				changed[i] = l
			}
			v.Apply(0, 0, changed)
		}
	}
	for name, render := range map[string]func(*Panel, []panel.Shown){
		"a prefix":  change(func(s string) string { return "> " + s }),
		"a shift":   change(func(s string) string { return " " + s }),
		"a suffix":  change(func(s string) string { return s + " ↵" }),
		"trimmed":   change(strings.TrimSpace),
		"tab stops": change(func(s string) string { return strings.ReplaceAll(s, "\t", "    ") }),
		"cut":       change(func(s string) string { return strings.ReplaceAll(s, "prose", "pros") }),
		"a line more": func(v *Panel, lines []panel.Shown) {
			v.Apply(0, 0, append(lines[:len(lines):len(lines)], shown(panel.Note, "-")...))
		},
	} {
		if err := drift(s, v, lines, 20, render); err == nil {
			t.Errorf("%s: nothing was found", name)
		}
	}
}
