package dialog

import (
	"strings"
	"testing"

	"copydesk/core/text"

	"github.com/google/go-cmp/cmp"
)

func TestT44_ADiffIsShownWhole(t *testing.T) {
	s := newStage(t, realDiff(), 80, 30)
	s.mustShow("--- a/cmd/main.go", "-func main() { run() }␍", "+       run()", `\ No newline at end of file`)
	for what, want := range map[string]text.Style{"@@ -1,4": text.Hunk, "-func": text.Removed, "+func": text.Added, "␍": text.Warning, "+++ b": text.Muted | text.Bold} {
		x, y := s.find(what)
		if _, got, _ := s.screen.Get(x, y); got != dark.Style(want) {
			t.Errorf("%q is drawn as %v, want %v", what, got, dark.Style(want))
		}
	}
}

// TestREQ6_ARowThatGoesOnIsNoLine: a long line cannot be padded so that its end
// looks like another line of the diff.
func TestREQ6_ARowThatGoesOnIsNoLine(t *testing.T) {
	q := realDiff()
	q.Fields[0].Value = "@@ -1 +1 @@\n-" + strings.Repeat("x", 73) + " +not added\n"
	s := newStage(t, q, 80, 30)
	x, _ := s.find("+not added")
	if start, _ := s.find("-xxx"); x <= start {
		t.Errorf("the row goes on at %d, the line begins at %d", x, start)
	}
}

// TestREQ6_ARemovedLineIsNoHeader: inside a hunk "--- a" is a line that is
// removed, whatever it looks like.
func TestREQ6_ARemovedLineIsNoHeader(t *testing.T) {
	lines := strings.Split("--- a/x.sql\n+++ b/x.sql\n@@ -1,2 +1,2 @@\n--- drop\n+++ keep\n x\n--- a/y.go\n+++ b/y.go\n@@ -1 +1 @@\n-a\n+b", "\n")
	spans := composer{}.paintDiff(lines)
	want := []text.Style{text.Muted | text.Bold, text.Muted | text.Bold, text.Hunk, text.Removed, text.Added, text.Plain, text.Muted | text.Bold, text.Muted | text.Bold, text.Hunk, text.Removed, text.Added}
	for i, sp := range spans {
		if sp[0].Style != want[i] {
			t.Errorf("%q is styled %v, want %v", lines[i], sp[0].Style, want[i])
		}
	}
}

func TestREQ6_WhatADiffKeepsIsHighlighted(t *testing.T) {
	var got []string
	c := composer{highlight: func(lang string, lines []string) [][]text.Span {
		got = append(append(got, lang), lines...)
		return make([][]text.Span, len(lines))
	}}
	c.paintDiff(strings.Split("--- a/x.go\n+++ b/x.go\n@@ -1,2 +1,2 @@\n-a\n+b\n c", "\n"))
	if diff := cmp.Diff([]string{"go", "b", "c"}, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func FuzzDiffSpans(f *testing.F) {
	f.Add("@@ -1 +1 @@\n-a\n+b ")
	f.Add("@@ -1,9 +1,9 @@\n+\n-\n\n\\")
	f.Fuzz(func(t *testing.T, raw string) {
		lines := strings.Split(raw, "\n")
		for i, spans := range (composer{}).paintDiff(lines) {
			n := 0
			for _, sp := range spans {
				n += sp.Len
			}
			if n != len(lines[i]) {
				t.Fatalf("%d of %d bytes of %q are styled", n, len(lines[i]), lines[i])
			}
		}
	})
}
