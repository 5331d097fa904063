package panel

import (
	"strings"
	"testing"

	"copydesk/core/session"
	"copydesk/core/text"

	"pgregory.net/rapid"
)

func shownLines(texts []string) []Shown {
	lines := make([]Shown, len(texts))
	for i, s := range texts {
		lines[i] = Shown{Line: text.Line{Text: s}}
	}
	return lines
}

// TestCPY_ACutIsTheSamePieceOfTheJoinedLines compares with the lines joined by
// LF, from any place to any other.
func TestCPY_ACutIsTheSamePieceOfTheJoinedLines(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		texts := rapid.SliceOfN(rapid.String(), 1, 8).Draw(t, "lines")
		first := rapid.Uint64Range(0, 1<<40).Draw(t, "first")
		place := func(name string) (Position, int) {
			line := rapid.IntRange(0, len(texts)-1).Draw(t, name+" line")
			at := rapid.IntRange(0, len(texts[line])).Draw(t, name+" byte")
			return Position{first + uint64(line), at}, len(strings.Join(texts[:line], "\n")) + min(line, 1) + at
		}
		from, a := place("from")
		to, b := place("to")
		want := strings.Join(texts, "\n")[min(a, b):max(a, b)]
		if got := Cut(first, shownLines(texts), from, to); got != want {
			t.Fatalf("%q, want %q", got, want)
		}
	})
}

func TestCPY_ACutKeepsToTheLines(t *testing.T) {
	lines := shownLines([]string{"ab", "", "cd"})
	for want, ends := range map[string][2]Position{
		"ab\n\ncd": {{}, {Line: 99}},
		"ab\n":     {{3, 7}, {6, -1}},
		"":         {{Line: 1}, {Line: 2}},
		"\ncd":     {{Line: 6}, {7, 99}},
	} {
		if got := Cut(5, lines, ends[0], ends[1]); got != want {
			t.Errorf("Cut from %v to %v is %q, want %q", ends[0], ends[1], got, want)
		}
	}
	if got := Cut(5, nil, Position{}, Position{Line: 9}); got != "" {
		t.Errorf("of nothing, %q was cut", got)
	}
}

// TestFollowKeepsToTheText marks a place with a bar and looks where it is once
// the text has changed.
func TestFollowKeepsToTheText(t *testing.T) {
	for _, c := range []struct{ before, after string }{
		{"so f|ar", "so f|ar and on"},
		{"so far|", "so far| and on"},
		{"cafe|", "cafe\u0301|"},
		{"[simple] running: r|un it", "[simple] r|un it ✓"},
		{"[simple] running: run it|", "[simple] run it| ✗"},
		{"[simple] run|ning: run it", "[simple] |run it ✓"},
		{"[sim|ple] running: run it", "[sim|ple] run it ✓"},
		{"[simple] |running: running: x", "[simple] |running: x ✓"},
		{"[simple] running: running: |x", "[simple] running: |x ✓"},
		{"[simple] fix| it", "[simple] running: fix| it"},
		{"running: |", "running: |more"},
		{"edit 12| files", "edit 3| files"},
		{"edit 1|2 files", "edit |3 files"},
		{"o|ne", "|"},
	} {
		at := strings.Index(c.before, "|")
		before, after := strings.Replace(c.before, "|", "", 1), strings.Replace(c.after, "|", "", 1)
		got := Follow(before, after, at)
		if shown := after[:got] + "|" + after[got:]; shown != c.after {
			t.Errorf("%q becomes %q, want %q", c.before, shown, c.after)
		}
	}
}

// TestFollowNeverCutsACluster has texts become others, composed and not.
func TestFollowNeverCutsACluster(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{runningPrefix, "e\u0301", "👩\u200d👩", "🇨🇭", "世", " "}))
		line := func(name string) string {
			return text.CleanLine(strings.Join(rapid.SliceOfN(word, 0, 4).Draw(t, name), ""))
		}
		before, after := line("before"), line("after")
		switch rapid.IntRange(0, 2).Draw(t, "change") {
		case 0:
			after = text.CleanLine(before + after)
		case 1:
			l := Line{Kind: Echo, Tag: "simple", Text: before, Status: session.Running}
			before = Compose(l).Text
			l.Status = session.Done
			after = Compose(l).Text
		}
		at := text.Boundary(before, rapid.IntRange(0, len(before)).Draw(t, "at"))
		got := Follow(before, after, at)
		if got < 0 || got > len(after) || text.Boundary(after, got) != got {
			t.Fatalf("byte %d of %q becomes %d of %q", at, before, got, after)
		}
	})
}
