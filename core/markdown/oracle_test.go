package markdown_test

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	gmtext "github.com/yuin/goldmark/text"

	"copydesk/core/markdown"
	"copydesk/core/text"
)

// oracle says for each byte that goldmark takes for text how it is set: i
// italic, b bold, c code span, C code block, l link, h heading, in that order;
// a space is nothing, and 0 a byte that is markup.
func oracle(src []byte) []string {
	out := make([]string, len(src))
	set := func(s gmtext.Segment, how string) {
		for k := s.Start; k < s.Stop; k++ {
			if src[k] != '\n' {
				out[k] = how + " "
			}
		}
	}
	doc := goldmark.New().Parser().Parse(gmtext.NewReader(src))
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Text:
			set(n.Segment, context(n))
		case *ast.AutoLink, *ast.RawHTML:
			return ast.WalkSkipChildren, nil
		case *ast.FencedCodeBlock:
			for k := range n.Lines().Len() {
				set(n.Lines().At(k), "C")
			}
		case *ast.CodeBlock:
			for k := range n.Lines().Len() {
				set(n.Lines().At(k), "C")
			}
		}
		return ast.WalkContinue, nil
	})
	return out
}

func context(n ast.Node) string {
	var italic, bold, code, link, heading string
	for p := n.Parent(); p != nil; p = p.Parent() {
		switch p := p.(type) {
		case *ast.Emphasis:
			if p.Level == 1 {
				italic = "i"
			} else {
				bold = "b"
			}
		case *ast.CodeSpan:
			code = "c"
		case *ast.Link, *ast.Image:
			link = "l"
		case *ast.Heading:
			heading, bold = "h", "" // all of a heading is bold
		}
	}
	if heading != "" {
		bold = ""
	}
	if code != "" {
		link, heading = "", ""
	}
	if link != "" {
		heading = ""
	}
	return italic + bold + code + link + heading
}

// ours says the same of our styles.
func ours(src string, lines []text.Line) []string {
	out := make([]string, len(src))
	at := 0
	for _, l := range lines {
		k := at
		for _, s := range l.Spans {
			for range s.Len {
				out[k] = name(s.Style)
				k++
			}
		}
		for ; k < at+len(l.Text); k++ {
			out[k] = " "
		}
		at += len(l.Text) + 1
	}
	return out
}

func name(s text.Style) string {
	how := ""
	if s&text.Italic != 0 {
		how += "i"
	}
	if s&text.Bold != 0 && s.Role() != text.Heading {
		how += "b"
	}
	how += map[text.Style]string{text.CodeSpan: "c", text.Link: "l", text.Heading: "h", text.Code: "C", text.Markup: "m", text.Bullet: "m", text.Info: "m", text.Border: "m"}[s.Role()]
	return how + " "
}

var oraclePieces = []string{
	"*", "*", "**", "**", "***", "_", "__", "`", "``", " ", " ", " ", "a", "b", "word", "two words", ".", ",", "(", ")", "\n", "\n", "é", "«", "\\*", "\n\n",
}

var blockPieces = []string{
	"\n", "\n", "\n\n", "```\n", "~~~\n", "````\n", "   ```\n", "> ", ">", "- ", "  ", "   ", "    ", "1. ", "2) ", "# ", "#", "## x ##\n", "---\n", "===\n", "***\n",
	"a", "b c", "*d*", "`e`", "x\n", "x\n", "y\n\n",
}

// emptyNested finds an empty item inside an item. After an empty line goldmark
// closes both, the reference implementation only the inner one.
var emptyNested = regexp.MustCompile(`(?m)([-+*]|\d[.)])[ >]+([-+*]|\d[.)])[ >]*$`)

// TestEmphasisIsGoldmarks compares with an independent implementation of
// CommonMark: text that it sets in some way must be painted that way.
func TestEmphasisIsGoldmarks(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	for range 4000 {
		compare(t, r, oraclePieces, 1+r.IntN(14), false)
	}
}

// TestLinksAreGoldmarks does so for inline links and images. A full reference
// is painted as a link whether its label is defined or not, so there is none.
func TestLinksAreGoldmarks(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 16))
	pieces := []string{"[", "[", "]", "](u)", "](u)", "](<u v>)", "](u 't')", ")", "![", "*", "**", "`", "a", "b c", " ", "<abc:x>", "<b>", "\n", "\\"}
	for range 4000 {
		compare(t, r, pieces, 1+r.IntN(14), false)
	}
}

// TestBlocksAreGoldmarks does so for the structure of blocks.
func TestBlocksAreGoldmarks(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	for range 4000 {
		compare(t, r, blockPieces, 1+r.IntN(14), true)
	}
}

func compare(t *testing.T, r *rand.Rand, from []string, n int, blocks bool) {
	t.Helper()
	var b strings.Builder
	b.WriteString("a")
	if blocks {
		b.Reset()
	}
	for range n {
		b.WriteString(from[r.IntN(len(from))])
	}
	src := b.String()
	if emptyNested.MatchString(src) || strings.Contains(src, "][") {
		return
	}
	want := oracle([]byte(src))
	got := ours(src, paintSplit(t, nil, src, 1<<30, whole, always))
	texts := 0
	for k := range want {
		if strings.IndexByte("*_", src[k]) >= 0 && !strings.Contains(want[k], "c") && !strings.Contains(want[k], "C") {
			// Which bytes of a longer run are left as text is a matter of taste,
			// how many is not.
			if want[k] != "" {
				texts--
			}
			if got[k] != "m " && !strings.HasSuffix(got[k], "m ") {
				texts++
			}
			continue
		}
		if want[k] == "" || strings.IndexByte(" \t\\", src[k]) >= 0 {
			continue
		}
		g := got[k]
		if strings.HasSuffix(want[k], "h ") || strings.HasSuffix(g, "h ") || blocks {
			g = strings.Replace(g, "b", "", 1)
		}
		if blocks {
			want[k] = strings.Replace(want[k], "b", "", 1)
		}
		if want[k] != g {
			t.Fatalf("%q: byte %d (%q) is %q for goldmark, %q here", src, k, src[k], want[k], g)
		}
	}
	if texts != 0 && !blocks {
		t.Fatalf("%q: %+d delimiters are text here", src, texts)
	}
}

// TestCodeBlocksAreGoldmarks compares the code that is copied.
func TestCodeBlocksAreGoldmarks(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	for range 4000 {
		var b strings.Builder
		for range 1 + r.IntN(14) {
			b.WriteString(blockPieces[r.IntN(len(blockPieces))])
		}
		src := b.String() + "\n"
		if emptyNested.MatchString(src) {
			continue
		}
		var want, got []string
		doc := goldmark.New().Parser().Parse(gmtext.NewReader([]byte(src)))
		_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
			if n, ok := n.(*ast.FencedCodeBlock); ok && entering {
				want = append(want, blankSpaces(strings.TrimSuffix(string(n.Lines().Value([]byte(src))), "\n")))
			}
			return ast.WalkContinue, nil
		})
		for _, block := range markdown.CodeBlocks(src) {
			got = append(got, blankSpaces(block.Code))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("%q (-goldmark +ours):\n%s", src, diff)
		}
	}
}

// blankSpaces empties lines of white space alone: goldmark does not take a
// fence's indentation off those.
func blankSpaces(code string) string {
	lines := strings.Split(code, "\n")
	for k, line := range lines {
		if strings.Trim(line, " \t") == "" {
			lines[k] = ""
		}
	}
	return strings.Join(lines, "\n")
}
