package markdown_test

import (
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"copydesk/core/markdown"
	"copydesk/core/text"
)

const goCode = `// Package x does things.
package x

import "fmt"

/* A comment
over "two" lines. */
type T struct{ n int }

func (t *T) Add(n int) error {
	if n < 0x10 && t.n != 'a' {
		return fmt.Errorf("add %d: \"no\"", n)
	}
	s := ` + "`raw\nstring`" + `
	t.n += len(s)
	return nil
}
`

func TestPAN4_chromaStyles(t *testing.T) {
	tests := []struct{ language, code, want string }{
		{"go", "func f(n int) { // x", "{kw func}{code  }{fn f}{code (n }{type int}{code ) { }{comment // x}"},
		{"Golang", `s := "a\n" + 1`, `{code s }{op :=}{code  }{str "a\n"}{code  }{op +}{code  }{num 1}`},
		{"go", "/* a\nb */ if", "{comment /* a}\n{comment b */}{code  }{kw if}"},
		{"python", "def f(): # x", "{kw def}{code  }{fn f}{code (): }{comment # x}"},
		{"js{1,2}", "const a = 'b'", "{kw const}{code  a }{op =}{code  }{str 'b'}"},
		{"json", `{"a": 1}`, `{code {}{kw "a"}{code : }{num 1}{code }}`},
		{"nosuch", "func f", "{code func f}"},
		{"go", strings.Repeat("x ", 3000), "{code " + strings.Repeat("x ", 3000) + "}"},
	}
	for _, test := range tests {
		lines := paintAll(t, markdown.Chroma(), "```"+test.language+"\n"+test.code+"\n```")
		if diff := cmp.Diff(test.want, strings.Join(lines[1:len(lines)-1], "\n")); diff != "" {
			t.Errorf("%s %.40q (-want +got):\n%s", test.language, test.code, diff)
		}
	}
}

// Every language that can be named takes any code without a panic, and its
// spans fit.
func TestChromaTakesAnything(t *testing.T) {
	h := markdown.Chroma()
	r := rand.New(rand.NewPCG(19, 20))
	for _, language := range h.Languages() {
		lines := strings.Split(goCode[:150]+"<script>x</script><style>a{}</style>\n$(ls) `x` @rule\nRUN [\"a\"]\nall: b\n\techo\n"+randomDocument(r, 60), "\n")
		spans := h.Highlight(language, lines)
		if len(spans) != len(lines) {
			t.Fatalf("%s: %d spans for %d lines", language, len(spans), len(lines))
		}
		styled := 0
		for k, line := range lines {
			checkSpans(t, text.Line{Text: line, Spans: spans[k]})
			styled += len(spans[k])
		}
		if styled == 0 {
			t.Errorf("%s styles nothing", language)
		}
	}
}

// Chroma replaces bytes that are not UTF-8: what follows them stays plain.
func TestChromaMismatchLeavesTheRestPlain(t *testing.T) {
	spans := markdown.Chroma().Highlight("go", []string{"return", "\xff", "return"})
	if len(spans) != 3 || len(spans[0]) == 0 || len(spans[1]) != 0 || len(spans[2]) != 0 {
		t.Errorf("spans: %v, want them for the first line only", spans)
	}
}

func TestPAN4_finalStylesWithChroma(t *testing.T) {
	h := markdown.Chroma()
	src := "Some *prose*.\n\n```go\n" + strings.Repeat(goCode, 3) + "```\n\n- a list:\n\n  ```python\n  def f():\n      \"\"\"doc\n\n      more\"\"\"\n      return 1\n  ```\n\n> ```sh\n> ls | wc -l # x\n\n```go\nfunc open("
	want := paintSplit(t, h, src, 1000, whole, always)
	r := rand.New(rand.NewPCG(21, 22))
	for range 4 {
		got := paintSplit(t, h, src, 1000, func(n int) int { return 1 + r.IntN(min(n, 80)) }, func() bool { return r.IntN(2) > 0 })
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("(-whole +cut):\n%s", diff)
		}
	}
}

func TestChromaIsSafeForConcurrentUse(t *testing.T) {
	h := markdown.Chroma()
	lines := strings.Split(goCode, "\n")
	want := markdown.Chroma().Highlight("go", lines)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for _, language := range []string{"go", "python", "go"} {
				got := h.Highlight(language, lines)
				if language == "go" && !cmp.Equal(want, got) {
					t.Error("concurrent highlighting differs")
				}
			}
		})
	}
	wg.Wait()
}

func BenchmarkChroma(b *testing.B) {
	h := markdown.Chroma()
	lines := strings.Split(strings.Repeat(goCode, 10), "\n")
	h.Highlight("go", lines)
	b.ReportAllocs()
	for b.Loop() {
		h.Highlight("go", lines)
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*len(lines)), "µs/line")
}

func BenchmarkChromaFirstUse(b *testing.B) {
	for b.Loop() {
		markdown.Chroma().Highlight("go", []string{"package x"})
	}
}
