package text

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rivo/uniseg"
	"pgregory.net/rapid"
)

// boundaries are the places between the clusters of a line, its ends included.
func boundaries(s string) []int {
	out := []int{0}
	for g := uniseg.NewGraphemes(s); g.Next(); {
		_, end := g.Positions()
		out = append(out, end)
	}
	return out
}

func TestBoundaryIsTheNextOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		line := CleanLine(drawRaw(t) + rapid.String().Draw(t, "more"))
		at := rapid.IntRange(-1, len(line)+1).Draw(t, "at")
		want := len(line)
		for _, b := range boundaries(line) {
			if b >= at {
				want = b
				break
			}
		}
		if got := Boundary(line, at); got != want {
			t.Fatalf("Boundary(%q, %d) = %d, want %d", line, at, got, want)
		}
	})
}

func TestWords(t *testing.T) {
	for s, want := range map[string][]string{
		"":                      nil,
		"go test ./...":         {"go", " ", "test", " ", "./..."},
		"a_b2(x,  y)\t":         {"a_b2", "(", "x", ",", "  ", "y", ")", "\t"},
		"Größe e\u0301te\u0301": {"Größe", " ", "e\u0301te\u0301"},
		"日本語の文はカード":             {"日本語", "の", "文", "は", "カード"},
		"한국어 नमस्ते":            {"한국어", " ", "नमस्ते"},
		"x👩\u200d👩\u200d👧🇨🇭y\u00a0z": {"x", "👩\u200d👩\u200d👧🇨🇭", "y", "\u00a0", "z"},
	} {
		var got []string
		for w := range Words(s) {
			got = append(got, s[w.Start:w.End])
			if blank := s[w.Start] == ' ' || s[w.Start] == '\t' || s[w.Start:w.End] == "\u00a0"; blank != w.Blank {
				t.Errorf("%q of %q: blank is %v", s[w.Start:w.End], s, w.Blank)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("Words(%q): %s", s, diff)
		}
	}
}

func TestWordsCutNoCluster(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		line := CleanLine(drawRaw(t) + rapid.String().Draw(t, "more"))
		bounds := map[int]bool{}
		for _, b := range boundaries(line) {
			bounds[b] = true
		}
		at := 0
		for w := range Words(line) {
			if w.Start != at || w.End <= w.Start || !bounds[w.End] {
				t.Fatalf("word %v after byte %d of %q", w, at, line)
			}
			at = w.End
		}
		if at != len(line) {
			t.Fatalf("the words of %q end at %d", line, at)
		}
	})
}
