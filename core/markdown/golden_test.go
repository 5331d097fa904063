package markdown_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"copydesk/core/markdown"
	"copydesk/core/text"
)

var roleNames = map[text.Style]string{
	text.Heading: "head", text.Markup: "m", text.CodeSpan: "span", text.Code: "code", text.Link: "link", text.URL: "url",
	text.Quote: "quote", text.Bullet: "bullet", text.Border: "border", text.Header: "header", text.Keyword: "kw",
	text.Function: "fn", text.TypeName: "type", text.String: "str", text.Number: "num", text.Comment: "comment",
	text.Operator: "op", text.Added: "add", text.Removed: "del", text.Hunk: "hunk", text.Info: "info",
}

// painted writes a line with its styles: plain text as it is, other text as
// {style text}; B, I and S are the attributes.
func painted(t testing.TB, l text.Line) string {
	t.Helper()
	var out strings.Builder
	rest := l.Text
	for _, s := range l.Spans {
		piece := rest[:s.Len]
		rest = rest[s.Len:]
		if s.Style == text.Plain {
			out.WriteString(piece)
			continue
		}
		name := ""
		for _, a := range []struct {
			style text.Style
			name  string
		}{{text.Bold, "B"}, {text.Italic, "I"}, {text.Strike, "S"}} {
			if s.Style&a.style != 0 {
				name += a.name
			}
		}
		if s.Style.Role() != text.Plain {
			role, ok := roleNames[s.Style.Role()]
			if !ok {
				t.Errorf("unexpected role %d", s.Style.Role())
			}
			name += role
		}
		fmt.Fprintf(&out, "{%s %s}", name, piece)
	}
	return out.String() + rest
}

func paintAll(t testing.TB, h markdown.Highlighter, src string) []string {
	t.Helper()
	p := markdown.New(h)
	p.Append(src)
	p.Close()
	_, lines := p.Take(1 << 30)
	var out []string
	for _, l := range lines {
		out = append(out, painted(t, l))
	}
	return out
}

func TestPAN4_styles(t *testing.T) {
	tests := []struct{ name, src, want string }{
		{"plain", "just text", "just text"},
		{"emphasis", "a *b* **c** ***d*** _e_ __f__ ~~g~~", "a {m *}{I b}{m *} {m **}{B c}{m **} {m *}{Im **}{BI d}{Im **}{m *} {m _}{I e}{m _} {m __}{B f}{m __} {m ~~}{S g}{m ~~}"},
		{"no emphasis", "2 * 3 * 4, snake_case_name, ** x **, a ~ b ~, ~5 and ~10", "2 * 3 * 4, snake_case_name, ** x **, a ~ b ~, ~5 and ~10"},
		{"emphasis over lines", "a **b\nc** d", "a {m **}{B b}\n{B c}{m **} d"},
		{"emphasis ends with the paragraph", "a **b\n\nc** d", "a **b\n\nc** d"},
		{"code span", "use `a*b*` and `` x`y ``, not ` alone", "use {m `}{span a*b*}{m `} and {m ``}{span  x`y }{m ``}, not ` alone"},
		{"strong code", "**`x`**", "{m **}{Bm `}{Bspan x}{Bm `}{m **}"},
		{"escape", `\*not\* \a`, `{m \}*not{m \}* \a`},
		{"entity", "a &amp; b &#35; c & d;", "a {m &amp;} b {m &#35;} c & d;"},
		{"link", `[a *b*](http://x.y "t") and ![i](p.png)`, `{m [}{link a }{m *}{Ilink b}{m *](}{url http://x.y} {str "t"}{m )} and {m ![}{link i}{m ](}{url p.png}{m )}`},
		{"reference", "[a][b] x[1][2] [c]", "{m [}{link a}{m ][}{url b}{m ]} x[1][2] [c]"},
		{"autolink", "<https://a.b/c> <x@y.z> <b>", "{m <}{url https://a.b/c}{m >} {m <}{url x@y.z}{m >} {m <b>}"},
		{"bare URL", "see https://a.b/c_d_(e)?f=1. (www.x.org) **http://q.r**", "see {url https://a.b/c_d_(e)?f=1}. ({url www.x.org}) {m **}{Burl http://q.r}{m **}"},
		{"URL before CJK", "见https://a.b。好", "见{url https://a.b}。好"},
		{"headings", "# A *b* #\n\n## C\n#no\n#", "{m # }{Bhead A }{Bm *}{BIhead b}{Bm *}{m  #}\n\n{m ## }{Bhead C}\n#no\n{m #}"},
		{"setext", "A\nb `c`\n===\nd", "{Bhead A}\n{Bhead b }{Bm `}{Bspan c}{Bm `}\n{m ===}\nd"},
		{"rules", "***\n- - -\n\n___", "{border ***}\n{border - - -}\n\n{border ___}"},
		{"lists", "- a\n  b\n- [x] c\n  1. *d*\n10) e", "{bullet -} a\n  b\n{bullet -} {bullet [x]} c\n  {bullet 1.} {m *}{I d}{m *}\n{bullet 10)} e"},
		{"quotes", "> a **b**\nlazy\n> > c\n\nd", "{m >} {quote a }{m **}{Bquote b}{m **}\n{quote lazy}\n{m >} {m >} {quote c}\n\nd"},
		{"table", "| a | `b` |\n|---|:-:|\n| *c* | d\\|e |\n\nf | g", "{border |}{header  a }{border |}{header  }{m `}{span b}{m `}{header  }{border |}\n{border |---|:-:|}\n{border |} {m *}{I c}{m *} {border |} d{m \\}|e {border |}\n\nf | g"},
		{"fence", "```go\na := 1\n```\nb", "{m ```}{info go}\n{code a := 1}\n{m ```}\nb"},
		{"fence in a list", "- a\n\n  ~~~\n  x\n\n  y\n  ~~~\n  b", "{bullet -} a\n\n  {m ~~~}\n  {code x}\n\n  {code y}\n  {m ~~~}\n  b"},
		{"fence in a quote", "> ```\n> x\ny", "{m >} {m ```}\n{m >} {code x}\ny"},
		{"open fence", "````\n```\n*a*", "{m ````}\n{code ```}\n{code *a*}"},
		{"diff", "```diff\n@@ -1 +1 @@\n-a\n+b\n c\n```", "{m ```}{info diff}\n{hunk @@ -1 +1 @@}\n{del -a}\n{add +b}\n{code  c}\n{m ```}"},
		{"indented code", "a\n\n    *b*\n\tc\n\nd", "a\n\n    {code *b*}\n\t{code c}\n\nd"},
		{"tabs", "-\t\tfoo\n\n>\t\tbar\n\n-\tx\n\n\ty", "{bullet -}\t{code \tfoo}\n\n{m >}\t{code \tbar}\n\n{bullet -}\tx\n\n\ty"},
		{"html", "<details>\n<summary>a *b*</summary>\n\n*c* <b>d</b>\n<!-- x\n\ny -->\nz", "{m <details>}\n{m <summary>}a *b*{m </summary>}\n\n{m *}{I c}{m *} {m <b>}d{m </b>}\n{comment <!-- x}\n\n{comment y -->}\nz"},
		{"definitions", "[a]: http://x.y 'z'\n[^1]: note [^1]", "{m [}{link a}{m ]:} {url http://x.y} {str 'z'}\n{link [^1]}: note {link [^1]}"},
		{"long paragraphs are cut", strings.Repeat("x\n", 63) + "**a\nb**", strings.Repeat("x\n", 63) + "**a\nb**"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := paintAll(t, nil, test.src)
			if diff := cmp.Diff(strings.Split(test.want, "\n"), got); diff != "" {
				t.Errorf("styles (-want +got):\n%s", diff)
			}
		})
	}
}
