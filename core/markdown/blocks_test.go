package markdown_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"copydesk/core/markdown"
)

func TestCPY_codeBlocks(t *testing.T) {
	tests := []struct {
		name, src string
		want      []markdown.Block
	}{
		{"none", "a `b`\n    c\n", nil},
		{"two", "x\n```go\na\n\nb\n```\ny\n~~~\nc\n~~~", []markdown.Block{{"go", "a\n\nb", 8, 12}, {"", "c", 23, 24}}},
		{"CRLF is kept", "```sh\r\na\r\nb\r\n```\r\n", []markdown.Block{{"sh", "a\r\nb", 7, 11}}},
		{"not closed", "```\na\n", []markdown.Block{{"", "a", 4, 5}}},
		{"not closed, no line end", "```\na", []markdown.Block{{"", "a", 4, 5}}},
		{"only opened", "```py", []markdown.Block{{"py", "", 5, 5}}},
		{"empty", "```\n```\n", []markdown.Block{{"", "", 4, 4}}},
		{"empty lines count", "```\n\n\n```\n", []markdown.Block{{"", "\n", 4, 5}}},
		{"shorter fence inside", "````md\n```\na\n```\n````", []markdown.Block{{"md", "```\na\n```", 7, 16}}},
		{"other fence inside", "~~~\n```\n~~~", []markdown.Block{{"", "```", 4, 7}}},
		{"indented fence", "  ```\n  a\n    b\n c\n  ```", []markdown.Block{{"", "a\n  b\nc", 8, 18}}},
		{"tab after the indentation", " ```\n\ta\n ```", []markdown.Block{{"", "   a", 5, 7}}},
		{"in a list", "1. x\n   ```js\n   a\n\n     b\n   ```\n", []markdown.Block{{"js", "a\n\n  b", 17, 26}}},
		{"in a quote, ends with it", "> ```\n> a\n>  b\nc", []markdown.Block{{"", "a\n b", 8, 14}}},
		{"escapes and controls are kept", "```\n\x1b[1m\x00\n```", []markdown.Block{{"", "\x1b[1m\x00", 4, 9}}},
		{"long lines are kept", "```\n" + strings.Repeat("é", 20_000) + "\n```", []markdown.Block{{"", strings.Repeat("é", 20_000), 4, 40_004}}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, markdown.CodeBlocks(test.src)); diff != "" {
				t.Errorf("blocks (-want +got):\n%s", diff)
			}
		})
	}
}

func checkBlocks(t interface{ Fatalf(string, ...any) }, src string) {
	last := 0
	for _, b := range markdown.CodeBlocks(src) {
		if b.Start < last || b.End < b.Start || b.End > len(src) {
			t.Fatalf("%q: block %d to %d after %d", src, b.Start, b.End, last)
		}
		last = b.End
		raw := src[b.Start:b.End]
		if strings.Count(raw, "\n") != strings.Count(b.Code, "\n") {
			t.Fatalf("%q: %q has other lines than %q", src, b.Code, raw)
		}
		if strings.HasPrefix(src, "```") && !strings.ContainsAny(src, "> \t") && !strings.Contains(raw, b.Code) {
			t.Fatalf("%q: %q is not in %q", src, b.Code, raw)
		}
	}
}

// The panel and the copy agree on what is code.
func TestCodeBlocksAreWhatIsPainted(t *testing.T) {
	r := rand.New(rand.NewPCG(23, 24))
	for range 3000 {
		src := randomDocument(r, r.IntN(30))
		checkBlocks(t, src)
		want := 0
		for _, line := range paintAll(t, nil, src) {
			if strings.Contains(line, "{info ") {
				want++
			}
		}
		got := 0
		for _, b := range markdown.CodeBlocks(src) {
			if b.Language != "" {
				got++
			}
		}
		if got != want {
			t.Fatalf("%q: %d blocks with a language, %d painted", src, got, want)
		}
	}
}
