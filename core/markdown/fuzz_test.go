package markdown_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"copydesk/core/markdown"
)

var seeds = []string{
	"", "a\n", "# a\n\n*b* **c** `d`\n", "```go\nx\n```\n", "> - a\n>   ```\n>   b\n", "| a | b |\n|---|---|\n| `c|` | d |\n", "a\n===\nb\n---\n",
	"- [ ] a\n\n\t\tb\n", "[a](b \"c\") <d@e.f> ![g](h)", "<!-- a\n\nb --> c\n", "~~~\n\n", "***a** b*", "``a`b``", "[[[a](b)](c)", "\xff\xc3", "\r\n```\r\nx\r\n",
}

func FuzzPainter(f *testing.F) {
	for _, s := range seeds {
		f.Add(s, uint8(3), uint8(10))
	}
	f.Fuzz(func(t *testing.T, src string, piece, keep uint8) {
		k := int(keep) + 1
		want := paintSplit(t, &marks{}, src, k, whole, always)
		got := paintSplit(t, &marks{}, src, k, func(n int) int { return min(n, int(piece)+1) }, always)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("(-whole +cut):\n%s", diff)
		}
		lines := sourceLines(src)
		if diff := cmp.Diff(lines[max(0, len(lines)-k):], textsOf(got)); diff != "" {
			t.Fatalf("(-source +painted):\n%s", diff)
		}
	})
}

func FuzzCodeBlocks(f *testing.F) {
	for _, s := range seeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, src string) {
		checkBlocks(t, src)
		// A block that is written anew between longer fences is the same code.
		fence := strings.Repeat("~", 3+strings.Count(src, "~"))
		for _, b := range markdown.CodeBlocks(src) {
			if again := markdown.CodeBlocks(fence + "\n" + b.Code + "\n" + fence + "\n"); len(again) != 1 || again[0].Code != b.Code {
				t.Fatalf("%q came back as %+v", b.Code, again)
			}
		}
	})
}
