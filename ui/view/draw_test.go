package view

import (
	"strings"
	"testing"

	"copydesk/core/panel"
	"copydesk/core/text"
	"copydesk/ui/theme"
	"copydesk/ui/uitest"

	"github.com/google/go-cmp/cmp"
)

func TestT35_EveryRowOfAnAgentStartsWithTheGutter(t *testing.T) {
	s := uitest.NewScreen(t, 24, 40)
	long := "┌ Run this command? ─┐ [a] approve [r] reject and on and on"
	for kind, want := range map[panel.Kind]string{
		panel.Echo: " ", panel.Note: " ", panel.Error: " ",
		panel.Answer: "▎", panel.Thought: "▎", panel.Tool: "▎", panel.Plan: "▎", panel.Table: "▎", panel.Teaching: "▎",
	} {
		v := newPanel(t, 24, 40)
		v.Apply(0, 0, shown(kind, "", long, "\t"+long, "世界"))
		rows := 0
		for y, row := range body(s, v) {
			if strings.TrimSpace(row) == "" && y > 0 {
				continue
			}
			rows++
			got, style := s.Cells(1, y+1)
			if got != want {
				t.Errorf("kind %d: row %d starts with %q, want %q", kind, y, got, want)
			}
			if want != " " && style != v.theme.Element(theme.Gutter) {
				t.Errorf("kind %d: the gutter of row %d has another style", kind, y)
			}
			if got, _ := s.Cells(2, y+1); got != " " {
				t.Errorf("kind %d: row %d has %q beside the gutter", kind, y, got)
			}
		}
		if kind != panel.Table && rows < 8 {
			t.Errorf("kind %d: only %d rows, the text does not wrap", kind, rows)
		}
	}
}

func TestTitleIsDrawnAsItIs(t *testing.T) {
	s := uitest.NewScreen(t, 40, 5)
	v := newPanel(t, 40, 5)
	for title, want := range map[string]string{
		"playground · ~/src/app": "┌ playground · ~/src/app ──────────────┐",
		"[red]x[-] [::b]":        "┌ [red]x[-] [::b] ─────────────────────┐",
		"":                       "┌──────────────────────────────────────┐",
		"a\x1b]0;pwn\a":          "┌ a␛]0;pwn␇ ───────────────────────────┐",
		strings.Repeat("長い", 20): "┌ 長い長い長い長い長い長い長い長い長… ─┐",
	} {
		v.SetTitle(title)
		body(s, v)
		if got := s.Rows()[0]; got != want {
			t.Errorf("%q: drawn as %q, want %q", title, got, want)
		}
	}
}

func TestFocusIsAFrame(t *testing.T) {
	s := uitest.NewScreen(t, 20, 4)
	v := newPanel(t, 20, 4)
	body(s, v)
	if _, st := s.Cells(0, 0); s.Rows()[0] != "┌──────────────────┐" || st != v.theme.Element(theme.Border) {
		t.Errorf("drawn as %q", s.Rows())
	}
	v.SetFocused(true)
	body(s, v)
	if _, st := s.Cells(0, 0); s.Rows()[0] != "┏━━━━━━━━━━━━━━━━━━┓" || st != v.theme.Element(theme.BorderFocus) {
		t.Errorf("drawn as %q", s.Rows())
	}
}

func TestSpansAreDrawn(t *testing.T) {
	s := uitest.NewScreen(t, 15, 5) // 10 cells a row
	v := newPanel(t, 15, 5)
	v.Apply(0, 0, []panel.Shown{{Kind: panel.Answer, Line: text.Line{
		Text:  "plain bold 世\u0301界 rest",
		Spans: []text.Span{{Len: 6}, {Len: 0, Style: text.Failure}, {Len: 4, Style: text.Bold}, {Len: 1}, {Len: 8, Style: text.Keyword}},
	}}})
	body(s, v)
	var got []string
	for _, c := range []struct{ x, y int }{{3, 1}, {9, 1}, {12, 1}, {3, 2}, {5, 2}, {6, 2}, {8, 2}} {
		cell, st := s.Cells(c.x, c.y)
		for name, style := range map[string]text.Style{"plain": text.Plain, "bold": text.Bold, "keyword": text.Keyword} {
			if st == v.theme.Style(style) {
				got = append(got, cell+" "+name)
			}
		}
	}
	want := []string{"p plain", "b bold", "d bold", "世\u0301 keyword", "界 keyword", " keyword", "r plain"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s\n%q", diff, s.Rows())
	}
}

func TestR41_ChromeIsASCII(t *testing.T) {
	s := uitest.NewScreen(t, 30, 6)
	v := NewPanel(newTheme(t, theme.Options{ASCII: true}))
	v.SetRect(0, 0, 30, 6)
	v.SetTitle(strings.Repeat("title ", 10))
	v.Apply(0, 0, append(shown(panel.Answer, numbered(0, 5)...), shown(panel.Table, strings.Repeat("table ", 20))...))
	for _, focused := range []bool{false, true} {
		v.SetFocused(focused)
		v.ScrollEnd()
		for range 2 {
			v.ScrollColumns(1)
			body(s, v)
			for y, row := range s.Rows() {
				for _, r := range row {
					if r > '~' {
						t.Errorf("row %d: %q is not ASCII in %q", y, r, row)
					}
				}
			}
			v.ScrollRows(-1)
		}
	}
}

// R27: any size, in any order, draws without a fault and stays inside.
func TestR27_ResizeStorm(t *testing.T) {
	s := uitest.NewScreen(t, 80, 24)
	v := newPanel(t, 80, 24)
	v.SetTitle("storm")
	for i := range 20 {
		v.Apply(0, uint64(3*i), append(append(shown(panel.Answer, "世界 wide and\ttabs "+strings.Repeat("long ", 20)),
			shown(panel.Table, "│ a │ b │")...), shown(panel.Echo, "")...))
	}
	sizes := [][2]int{{1, 1}, {1, 200}, {200, 1}, {20, 5}, {80, 24}, {2, 2}, {0, 0}, {5, 3}, {6, 3}, {7, 4}, {200, 50}, {0, 24}, {80, 0}}
	for i := range 130 {
		size := sizes[i*7%len(sizes)]
		s.SetSize(max(1, size[0]), max(1, size[1]))
		v.SetRect(0, 0, size[0], size[1])
		switch i % 5 {
		case 0:
			v.ScrollRows(-3)
		case 1:
			v.PageDown()
		case 2:
			v.ScrollTop()
		case 3:
			v.ScrollColumns(4)
		}
		s.Clear()
		v.Draw(s)
		s.Show()
	}
	s.SetSize(80, 24)
	v.SetRect(0, 0, 80, 24)
	v.ScrollEnd()
	body(s, v)
	for y, row := range s.Rows() {
		if !strings.ContainsAny(row[:3], "┌│└") || !strings.ContainsAny(row[len(row)-3:], "┐│┘") {
			t.Errorf("row %d has no frame: %q", y, row)
		}
	}
}

// A panel that is not at the corner, on a screen with something else on it.
func TestDrawsItsRectangleAndNothingElse(t *testing.T) {
	s := uitest.NewScreen(t, 30, 8)
	for y := range 8 {
		s.PutStr(0, y, strings.Repeat("世", 15))
	}
	v := newPanel(t, 0, 0)
	v.SetRect(4, 2, 20, 4)
	v.Apply(0, 0, shown(panel.Answer, "one"))
	v.Draw(s)
	s.Show()
	want := []string{
		strings.Repeat("世", 15),
		strings.Repeat("世", 15),
		"世世┌──────────────────┐世世世",
		"世世│▎ one             │世世世",
		"世世│                  │世世世",
		"世世└──────────────────┘世世世",
		strings.Repeat("世", 15),
		strings.Repeat("世", 15),
	}
	if diff := cmp.Diff(want, s.Rows()); diff != "" {
		t.Error(diff)
	}
}

// T34: the flood that Clean lets through fits its cells, and the frame stands.
func TestT34_CombiningFlood(t *testing.T) {
	s := uitest.NewScreen(t, 120, 40)
	v := newPanel(t, 120, 40)
	payload := "a" + strings.Repeat("\u0301", 1_000_000) + "\n" +
		strings.Repeat("👩\u200d", 10_000) + "\n" + strings.Repeat("\ufdfd", 1000)
	v.Apply(0, 0, shown(panel.Answer, strings.Split(text.Clean(payload), "\n")...))
	body(s, v)
	for y := range 40 {
		for x := range 120 {
			if c, _ := s.Cells(x, y); len([]rune(c)) > 17 {
				t.Fatalf("cell %d,%d holds %d runes", x, y, len([]rune(c)))
			}
		}
		for _, x := range []int{0, 119} {
			if c, _ := s.Cells(x, y); !strings.Contains("┌┐└┘│─", c) {
				t.Errorf("the frame of row %d is %q", y, c)
			}
		}
	}
}
