package markdown_test

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"copydesk/core/markdown"
	"copydesk/core/text"
)

// pieces are what random documents are made of.
var pieces = []string{
	"*", "**", "***", "_", "__", "`", "``", "```", "~~", "~~~", "[", "]", "(", ")", "](", "![", "<", ">", "|", "|---|", "\\", "&amp;",
	"#", "## ", "- ", "+ ", "1. ", "10) ", "> ", ">", "    ", "  ", " ", "\t", "===", "---", "* * *", "\n", "\n", "\n", "\n\n", "\n\n", "\n```go\n", "\n```\n",
	"\n~~~ diff\n", "```sh", "| a | b |\n|---|---|\n| c | d |\n", "word", "two words", "é", "日本", "👩‍👩‍👧", "e\u0301", "https://a.b/c", "www.a.b", "<a@b.c>", "<div>", "<!--",
	"-->", "<br/>", "[a]: b", "[^1]", "- [ ] ", "+a", "-b", "@@", "func x() {", "\"str", "/* c", ":", ".", "!", "x",
}

func randomDocument(r *rand.Rand, n int) string {
	var b strings.Builder
	for range n {
		b.WriteString(pieces[r.IntN(len(pieces))])
	}
	return b.String()
}

func document(t *rapid.T) string {
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 60).Draw(t, "pieces"), "")
}

// sourceLines are the lines that a source must become.
func sourceLines(src string) []string {
	if src == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(src, "\n"), "\n")
}

func textsOf(lines []text.Line) []string {
	var out []string
	for _, l := range lines {
		out = append(out, l.Text)
	}
	return out
}

// checkSpans checks that the spans fit their text and cut no rune.
func checkSpans(t interface{ Fatalf(string, ...any) }, l text.Line) {
	at := 0
	for k, s := range l.Spans {
		if s.Len <= 0 || at+s.Len > len(l.Text) {
			t.Fatalf("span %d of %q has %d bytes at %d", k, l.Text, s.Len, at)
		}
		at += s.Len
		if at < len(l.Text) && !utf8.RuneStart(l.Text[at]) && utf8.ValidString(l.Text) {
			t.Fatalf("span %d of %q ends inside a rune", k, l.Text)
		}
	}
}

// marks is a fast highlighter whose spans depend on the whole block, as those
// of a real one do: lines after an odd number of quotes are strings.
type marks struct{ lines int }

func (m *marks) Highlight(language string, lines []string) [][]text.Span {
	m.lines += len(lines)
	if language != "go" {
		return nil
	}
	out := make([][]text.Span, len(lines))
	inString := false
	for k, line := range lines {
		if strings.Count(line, `"`)%2 == 1 {
			inString = !inString
		}
		if inString && line != "" {
			out[k] = []text.Span{{Len: len(line), Style: text.String}}
		}
	}
	return out
}

// A screen keeps what a consumer of Take has.
type screen struct{ lines []text.Line }

func (s *screen) take(t interface{ Fatalf(string, ...any) }, p *markdown.Painter, keep int) {
	from, lines := p.Take(keep)
	total := p.Lines()
	if from+len(lines) != total {
		t.Fatalf("from %d with %d lines, but there are %d", from, len(lines), total)
	}
	if len(lines) > keep {
		t.Fatalf("%d lines returned, keep %d", len(lines), keep)
	}
	for from > len(s.lines) {
		s.lines = append(s.lines, text.Line{}) // older than what is kept
	}
	for k := from; k < len(s.lines)-1; k++ {
		if s.lines[k].Text != lines[k-from].Text {
			t.Fatalf("line %d changed from %q to %q", k, s.lines[k].Text, lines[k-from].Text)
		}
	}
	s.lines = append(s.lines[:from], lines...)
	for _, l := range lines {
		checkSpans(t, l)
	}
}

// paintSplit paints src in the given pieces, taking after those that says so.
func paintSplit(t interface{ Fatalf(string, ...any) }, h markdown.Highlighter, src string, keep int, cut func(int) int, take func() bool) []text.Line {
	p := markdown.New(h)
	var s screen
	for src != "" {
		n := cut(len(src))
		p.Append(src[:n])
		src = src[n:]
		if take() {
			s.take(t, p, keep)
		}
	}
	p.Close()
	s.take(t, p, keep)
	return s.lines[max(0, len(s.lines)-keep):]
}

func whole(n int) int { return n }
func always() bool    { return true }

func TestPAN4_noByteIsAddedDroppedOrMoved(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 12000 {
		src := randomDocument(r, r.IntN(25))
		lines := paintSplit(t, nil, src, 1<<30, whole, always)
		if diff := cmp.Diff(sourceLines(src), textsOf(lines)); diff != "" {
			t.Fatalf("%q (-want +got):\n%s", src, diff)
		}
	}
}

func TestPAN4_hostileTextIsKept(t *testing.T) {
	for _, src := range hostile(100_000) {
		lines := paintSplit(t, &marks{}, src, 1<<30, whole, always)
		if strings.Join(textsOf(lines), "\n") != strings.TrimSuffix(src, "\n") {
			t.Errorf("%.40q… came out changed", src)
		}
	}
}

// The styles in the end depend neither on how the text was cut nor on when it
// was taken.
func TestPAN4_finalStylesDoNotDependOnTheCuts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		src := document(t)
		keep := rapid.SampledFrom([]int{1, 2, 5, 1000}).Draw(t, "keep")
		want := paintSplit(t, &marks{}, src, keep, whole, always)
		cut := func(n int) int { return rapid.IntRange(1, min(n, 12)).Draw(t, "cut") }
		take := func() bool { return rapid.Bool().Draw(t, "take") }
		got := paintSplit(t, &marks{}, src, keep, cut, take)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("%q (-whole +cut):\n%s", src, diff)
		}
	})
}

// The same for many more documents than rapid has time for, and at every byte.
func TestPAN4_finalStylesByteByByte(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 1000 {
		src := randomDocument(r, 1+r.IntN(30))
		want := paintSplit(t, &marks{}, src, 8, whole, always)
		got := paintSplit(t, &marks{}, src, 8, func(int) int { return 1 }, always)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("%q (-whole +cut):\n%s", src, diff)
		}
	}
}

// Long blocks are painted in windows and segments: those must not depend on the
// cuts either, nor on bursts.
func TestPAN4_finalStylesOfLongBlocks(t *testing.T) {
	var b strings.Builder
	r := rand.New(rand.NewPCG(5, 6))
	for b.Len() < 60_000 {
		b.WriteString("```go\n")
		for range 100 + r.IntN(900) {
			b.WriteString([]string{"x := 1\n", "\n", "\ty(\"\n", "}\n", "// some more of a comment\n"}[r.IntN(5)])
		}
		b.WriteString("```\n")
		for range r.IntN(100) {
			b.WriteString([]string{"a *b\n", "c* `d\n", "e ** f\n", "|x|\n"}[r.IntN(4)])
		}
		b.WriteString("---\n")
	}
	b.WriteString("```go\n" + strings.Repeat("\tx(\"a\n", 1500)) // no good place to end a window
	src := b.String()
	for _, keep := range []int{300, 1000, 1 << 30} {
		want := paintSplit(t, &marks{}, src, keep, whole, always)
		for _, most := range []int{50, 3000, 40_000} {
			got := paintSplit(t, &marks{}, src, keep, func(n int) int { return 1 + r.IntN(min(n, most)) }, func() bool { return r.IntN(3) > 0 })
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("keep %d, pieces up to %d (-whole +cut):\n%.2000s", keep, most, diff)
			}
		}
	}
}

// Records are dropped while a burst is scanned: never what a line within reach
// is painted with.
func TestPAN4_finalStylesAfterABurst(t *testing.T) {
	for n := 4080; n < 4100; n += 2 {
		src := "p\n\n" + strings.Repeat("x\n", n) + "*a\n" + strings.Repeat("y\n", 10) + "b*\n" + strings.Repeat("y\n", 20) + "c*"
		for keep := 0; keep < 30; keep += 3 {
			want := paintSplit(t, nil, src, keep+1, func(n int) int { return min(n, 1000) }, always)
			got := paintSplit(t, nil, src, keep+1, whole, always)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("%d lines, keep %d (-pieces +whole):\n%s", n, keep+1, diff)
			}
		}
	}
}

func TestLines(t *testing.T) {
	p := markdown.New(nil)
	for _, step := range []struct {
		src  string
		want int
	}{{"", 0}, {"a", 1}, {"\n", 1}, {"\n", 2}, {"b\nc", 4}, {"d", 4}} {
		p.Append(step.src)
		if got := p.Lines(); got != step.want {
			t.Errorf("after %q: %d lines, want %d", step.src, got, step.want)
		}
	}
}

func TestTakeReturnsOnlyWhatChanged(t *testing.T) {
	p := markdown.New(nil)
	steps := []struct {
		add  string
		from int
		want []string
	}{
		{"a\n\nb *c\n", 0, []string{"a", "", "b *c"}},
		{"", 3, nil},
		{"d", 3, []string{"d"}},
		{"e", 3, []string{"de"}},
		{"* f", 2, []string{"b {m *}{I c}", "{I de}{m *} f"}},
		{"\n\n", 3, []string{"{I de}{m *} f", ""}},
		{"g\n", 5, []string{"g"}},
		{"=", 5, []string{"{Bhead g}", "{m =}"}},
		{" h", 5, []string{"g", "= h"}},
	}
	for _, step := range steps {
		p.Append(step.add)
		from, lines := p.Take(1000)
		var got []string
		for _, l := range lines {
			got = append(got, painted(t, l))
		}
		if diff := cmp.Diff(step.want, got); from != step.from || diff != "" {
			t.Errorf("after %q: from %d, want %d (-want +got):\n%s", step.add, from, step.from, diff)
		}
	}
}

func TestLinesOlderThanKeepAreNotReturned(t *testing.T) {
	p := markdown.New(nil)
	p.Append(strings.Repeat("line\n\n", 100))
	if from, lines := p.Take(3); from != 197 || len(lines) != 3 {
		t.Errorf("from %d with %d lines, want 197 with 3", from, len(lines))
	}
	p.Append("x")
	if from, lines := p.Take(0); from != 201 || len(lines) != 0 {
		t.Errorf("from %d with %d lines, want 201 with none", from, len(lines))
	}
}

// What was handed out is a value: later text must not change it.
func TestTakenLinesStayAsTheyWere(t *testing.T) {
	p := markdown.New(&marks{})
	type taken struct {
		line   text.Line
		before text.Line
	}
	var all []taken
	r := rand.New(rand.NewPCG(7, 8))
	for range 300 {
		p.Append(randomDocument(r, 3))
		_, lines := p.Take(50)
		for _, l := range lines {
			all = append(all, taken{l, text.Line{Text: strings.Clone(l.Text), Spans: append([]text.Span(nil), l.Spans...)}})
		}
	}
	for _, x := range all {
		if diff := cmp.Diff(x.before, x.line); diff != "" {
			t.Fatalf("a taken line changed:\n%s", diff)
		}
	}
}

func TestNothingChangesAfterTheEnd(t *testing.T) {
	p := markdown.New(&marks{})
	p.Append("a *b\n```go\nx")
	p.Close()
	p.Take(10)
	p.Close()
	if from, lines := p.Take(10); from != 3 || len(lines) != 0 || p.Lines() != 3 || p.Behind() {
		t.Errorf("from %d with %d of %d lines, want nothing", from, len(lines), p.Lines())
	}
}

func TestAppendAfterCloseIsRefused(t *testing.T) {
	p := markdown.New(nil)
	p.Close()
	defer func() {
		if recover() == nil {
			t.Error("text after Close was taken in silence")
		}
	}()
	p.Append("lost")
}

// hostile are texts of n bytes that make naive painters quadratic.
func hostile(n int) []string {
	fill := func(s string) string { return strings.Repeat(s, n/len(s)+1)[:n] }
	ticks := func() string {
		var b strings.Builder
		for b.Len() < n {
			for k := 1; k < 100; k++ {
				b.WriteString(strings.Repeat("`", k) + "x")
			}
			b.WriteString(strings.Repeat("x", 11_000) + "\n")
		}
		return b.String()
	}
	lines := func(s string) string {
		return strings.Repeat(strings.Repeat(s, 90/len(s)+1)+"\n", n/90)
	}
	var all []string
	for _, s := range []string{
		"*", "_", "~~", "[", "]", "![", "`", "``x`", "*a ", "a* ", "*a_ ", "**a *b ", "*a **b_c ", "[a](", "[a](b", "[a](<b", "](", "[a](b \"", "[a](b 'c \"",
		"<", "<a ", "<a b='", "<a b=\"<a b='", "<!--", "<!", "<?", "&", "&a", "\\", "http://a", "http://a)", "www.", "(((", ">", "> ", "- ", "1. ", "| ", "|-", "#", " ", "\t",
		"[a][", "[^", "a@", "<a@", "<a:", "-->", "![a](b) [", "[![a](b)](c)", "*[", "[*a](b*", "(http://a.b) ", "é", "~~~ ", "=", "e\u0301",
	} {
		all = append(all, fill(s), lines(s), lines("> " + s)[:n/4], fill("[a]: " + s)[:n/4])
	}
	return append(all, ticks(), "```go\n"+fill("\"\n"), "```go\n"+fill("a"), "a|b\n"+lines("|-"))
}
