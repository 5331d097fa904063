package dialog

import (
	"strings"
	"testing"

	"copydesk/core"
	"copydesk/core/text"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func textsOf(lines []text.Line) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = l.Text
	}
	return out
}

func TestT44_HiddenRunsAreCounted(t *testing.T) {
	v := newRevealer(false)
	for name, c := range map[string]struct {
		raw  string
		want []string
	}{
		"plain":            {"rm -rf x", []string{"rm -rf x"}},
		"nothing":          {"", []string{""}},
		"spaces":           {"ls" + strings.Repeat(" ", 400) + "; touch PWNED", []string{"ls⟨400 spaces⟩; touch PWNED"}},
		"seven":            {"ls       x", []string{"ls       x"}},
		"eight":            {"ls        x", []string{"ls⟨8 spaces⟩x"}},
		"line ends":        {"ls" + strings.Repeat("\n", 200) + "touch PWNED", []string{"ls", "⟨199 empty lines⟩", "touch PWNED"}},
		"lines of blanks":  {"ls\n \n\t\n  \nx", []string{"ls", "⟨3 empty lines⟩", "x"}},
		"two empty lines":  {"a\n\n\nb", []string{"a", "", "", "b"}},
		"at the end":       {"ls\n\n\n\n", []string{"ls", "⟨3 empty lines⟩"}},
		"a line end":       {"ls\n", []string{"ls"}},
		"other blanks":     {"ls" + strings.Repeat("\u3000\u00a0", 5) + "x", []string{"ls⟨10 blanks⟩x"}},
		"Braille":          {"ls" + strings.Repeat("\u2800", 20) + "x", []string{"ls⟨20 blanks⟩x"}},
		"tabs":             {"ls" + strings.Repeat("\t", 8) + "x", []string{"ls⟨8 blanks⟩x"}},
		"indented":         {"if x:\n    y", []string{"if x:", "    y"}},
		"trailing":         {"ls" + strings.Repeat(" ", 9), []string{"ls⟨9 spaces⟩"}},
		"broken up unseen": {"ls" + strings.Repeat("    \u034f", 3) + "x", nil},
	} {
		t.Run(name, func(t *testing.T) {
			got := textsOf(v.lines(c.raw, text.Plain, nil))
			if c.want == nil {
				if joined := strings.Join(got, "\n"); strings.Contains(joined, strings.Repeat(" ", core.HiddenBlanks)) {
					t.Errorf("%q", joined)
				}
				return
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
	if got := newRevealer(true).one(strings.Repeat(" ", 9), text.Plain).Text; got != "<9 spaces>" {
		t.Errorf("in ASCII: %q", got)
	}
}

func TestT44_NoValueHidesAnything(t *testing.T) {
	piece := rapid.OneOf(
		rapid.SampledFrom([]string{" ", "\n", "\t", "\u3000", "\u00a0", "\u2800", "\u034f", "\ufe0f", "\u200b", "\u3164", "a", "e\u0301", "; touch PWNED"}),
		rapid.String(),
	)
	rapid.Check(t, func(t *rapid.T) {
		var b strings.Builder
		for _, p := range rapid.SliceOfN(piece, 0, 20).Draw(t, "pieces") {
			b.WriteString(strings.Repeat(p, rapid.IntRange(1, 12).Draw(t, "times")))
		}
		v := newRevealer(false)
		lines := v.lines(b.String(), text.Plain, nil)
		var solid strings.Builder
		empty := 0
		for _, l := range lines {
			if n, _, _ := longestRun(l.Text); n >= core.HiddenBlanks {
				t.Fatalf("%q holds %d blanks in a row", l.Text, n)
			}
			if empty++; !allBlank(l.Text) {
				empty = 0
			}
			if empty >= core.HiddenBlankLines {
				t.Fatalf("%d empty lines in a row in %q", empty, textsOf(lines))
			}
			at := 0
			for _, sp := range l.Spans {
				if sp.Style != text.Warning {
					solid.WriteString(l.Text[at : at+sp.Len])
				}
				at += sp.Len
			}
			if at != len(l.Text) {
				t.Fatalf("spans reach %d of %d bytes", at, len(l.Text))
			}
		}
		if got, want := unspaced(solid.String()), unspaced(text.Clean(b.String())); got != want {
			t.Fatalf("shown %q, want %q", got, want)
		}
	})
}

func longestRun(s string) (n, end int, what string) {
	for i := range s {
		if k, _, _ := blankRun(s[i:]); k > n {
			n = k
		}
	}
	return n, 0, ""
}

func unspaced(s string) string {
	return strings.Map(func(r rune) rune {
		if blank(r) {
			return -1
		}
		return r
	}, s)
}

func TestHighlightKeepsItsPlaceBesideTokens(t *testing.T) {
	paint := func(lines []string) [][]text.Span {
		return [][]text.Span{{{Len: 6, Style: text.Keyword}, {Len: 9, Style: text.Plain}, {Len: 1, Style: text.Number}}}
	}
	got := newRevealer(false).lines("select         1;", text.Code, paint)
	want := []text.Line{{
		Text: "select⟨9 spaces⟩1;",
		Spans: []text.Span{
			{Len: 6, Style: text.Keyword}, {Len: len("⟨9 spaces⟩"), Style: text.Warning},
			{Len: 1, Style: text.Number}, {Len: 1, Style: text.Code},
		},
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
