package pick

import (
	"fmt"
	"strings"
	"testing"

	"copydesk/core/panel"
	"copydesk/core/session"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// spell writes things as "kind line:byte text".
func spell(things []Thing) []string {
	out := []string{}
	for _, t := range things {
		out = append(out, fmt.Sprintf("%s %d:%d %s", t.Kind, t.At.Line, t.At.Byte, t.Text))
	}
	return out
}

func noParts(uint64, int) (session.Part, bool) { return session.Part{}, false }

// TestCPY_WhatAToolShowsIsCopiedRaw holds that a copy is all of it, not the
// beginning that the panel shows.
func TestCPY_WhatAToolShowsIsCopiedRaw(t *testing.T) {
	out := func(detail uint64, part int, s string) panel.Line {
		return panel.Line{Kind: panel.Output, Detail: detail, Part: part, Text: s}
	}
	lines := []panel.Line{
		{Kind: panel.Tool, Text: "execute make", Detail: 1},
		out(1, 0, "see /tmp/log"), out(1, 0, "… 2 more lines"),
		out(1, 1, "--- a"), out(1, 1, "+see /tmp/x"),
		out(2, 0, "gone"), out(2, 0, "… 1 more line"),
		out(0, 0, "a note's second line"),
	}
	parts := func(detail uint64, part int) (session.Part, bool) {
		switch {
		case detail == 1 && part == 0:
			return session.Part{Text: "see /tmp/log\nall\n\x1b[0mof it\n"}, true
		case detail == 1 && part == 1:
			return session.Part{Kind: session.DiffPart, Text: "--- a\n+see /tmp/x\n"}, true
		}
		return session.Part{}, false
	}
	want := []string{
		"output 1:0 see /tmp/log\nall\n\x1b[0mof it\n", "path 1:4 /tmp/log",
		"diff 3:0 --- a\n+see /tmp/x\n",
		"output 5:0 gone\n… 1 more line",
	}
	if diff := cmp.Diff(want, spell(Find(0, lines, nil, parts))); diff != "" {
		t.Error(diff)
	}
}

// answer makes the lines of an agent's text.
func answer(s string) []panel.Line {
	var out []panel.Line
	for _, l := range strings.Split(s, "\n") {
		out = append(out, panel.Line{Kind: panel.Answer, Text: l})
	}
	return out
}

func TestCPY_FindEachKind(t *testing.T) {
	echo := panel.Line{Kind: panel.Echo, Tag: "simple", Status: session.Done}
	for _, tc := range []struct {
		name  string
		lines []panel.Line
		want  []string
	}{
		{"an echo, without its tag and mark", panel.Lines(echo, "show customers"), []string{"command 0:9 show customers"}},
		{"a running echo", panel.Lines(panel.Line{Kind: panel.Echo, Tag: "s", Status: session.Running}, "go"), []string{"command 0:13 go"}},
		{"an echo of two lines", panel.Lines(echo, "a\nb"), []string{"command 0:9 a\nb"}},
		{"two echoes", append(panel.Lines(echo, "a"), panel.Lines(echo, "b")...), []string{"command 0:9 a", "command 1:9 b"}},
		{"the SQL of a command", []panel.Line{{Kind: panel.Teaching, Text: "SELECT 1"}}, []string{"command 0:15 SELECT 1"}},
		{"a code block", answer("x\n```go\nfunc f() {}\n\treturn\n```\ny"), []string{"code block 1:0 func f() {}\n\treturn"}},
		{"a block that is still open", answer("```\na\nb"), []string{"code block 0:0 a\nb"}},
		{"a block without code", answer("```\n```\nx"), []string{}},
		{"a block in a quote", answer("> ```\n> a\n> b\n> ```"), []string{"code block 0:0 a\nb"}},
		{"a diff", answer("```diff\n-a\n+b\n```"), []string{"diff 0:0 -a\n+b"}},
		{"a diff by what it holds", answer("```\n--- a/x.go\n+++ b/x.go\n@@ -1 +1 @@\n-a\n+b\n```"), []string{"diff 0:0 --- a/x.go\n+++ b/x.go\n@@ -1 +1 @@\n-a\n+b"}},
		{"one shell line is its block", answer("```sh\nmake test\n```"), []string{"code block 0:0 make test"}},
		{"shell lines", answer("```sh\n# first\ncd /tmp\n  make a \\\n    b\n```"),
			[]string{"code block 0:0 # first\ncd /tmp\n  make a \\\n    b", "command 2:0 cd /tmp", "command 3:2 make a \\\n    b"}},
		{"a loop is one", answer("```sh\nfor i in 1 2; do\n  echo $i\ndone\n```"), []string{"code block 0:0 for i in 1 2; do\n  echo $i\ndone"}},
		{"a text in a script is one", answer("```bash\ncat <<E\nx\nE\n```"), []string{"code block 0:0 cat <<E\nx\nE"}},
		{"an open quote is one", answer("```bash\necho 'a\nb'\n```"), []string{"code block 0:0 echo 'a\nb'"}},
		{"a transcript", answer("```console\n$ go test ./...\nok\n# reboot\n```"),
			[]string{"code block 0:0 $ go test ./...\nok\n# reboot", "command 1:2 go test ./...", "command 3:2 reboot"}},
		{"other languages have no commands", answer("```go\na()\nb()\n```"), []string{"code block 0:0 a()\nb()"}},
		{"a URL in code", answer("```go\n// see https://go.dev/x.\nf()\n```"), []string{"code block 0:0 // see https://go.dev/x.\nf()", "URL 1:7 https://go.dev/x"}},
		{"a remark inside of an answer", append(answer("```\na"), append([]panel.Line{{Kind: panel.Note, Text: "see /etc/hosts"}}, answer("b\n```")...)...),
			[]string{"code block 0:0 a\nb", "path 2:13 /etc/hosts"}},
		{"a path in an error", []panel.Line{{Kind: panel.Error, Text: "open /var/db/x.db: locked"}}, []string{"path 0:13 /var/db/x.db"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, spell(Find(0, tc.lines, nil, noParts))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestCPY_FindWordsInProse(t *testing.T) {
	for s, want := range map[string][]string{
		"See https://example.com/a(b)/c?q=1&r=2#x.":      {"URL https://example.com/a(b)/c?q=1&r=2#x"},
		"(https://example.com) and <https://a.b/c>":      {"URL https://example.com", "URL https://a.b/c"},
		"[docs](https://a.b/c_(d)), [x](http://y.z)!":    {"URL https://a.b/c_(d)", "URL http://y.z"},
		"**https://a.b/c**":                              {"URL https://a.b/c"},
		"`https://a.b/c`, \"https://a.b/d\"":             {"URL https://a.b/c", "URL https://a.b/d"},
		"これはhttps://例え.jp/道。次":                           {"URL https://例え.jp/道"},
		"https://a.b/c<U+202E>d":                         {"URL https://a.b/c"},
		"https://a.b/c␛[0m":                              {"URL https://a.b/c"},
		"ssh://git@host:22/x.git mailto:a@b.c":           {"URL ssh://git@host:22/x.git", "URL mailto:a@b.c"},
		"nothing at https:// here":                       {},
		"look at /etc/hosts, ~/x and ./y/z.":             {"path /etc/hosts", "path ~/x", "path ./y/z"},
		"core/panel/panel.go:42:7: undefined":            {"path core/panel/panel.go"},
		"in `core/panel` and ui/view":                    {"path core/panel"},
		"and/or, n/a, 1/2, 24/7, w/o and 2024/01/02":     {},
		"(see docs/a.md) \"/a b/c d/e.txt\" '/x/y'":      {"path docs/a.md", "path /a b/c d/e.txt", "path /x/y"},
		"`/usr/bin/cp /a/b /c/d`":                        {"path /usr/bin/cp", "path /a/b", "path /c/d"},
		`C:\Users\me\a.txt and C:/x/y`:                   {`path C:\Users\me\a.txt`, "path C:/x/y"},
		`/srv/My\ Files/a.txt`:                           {`path /srv/My\ Files/a.txt`},
		"--file=/a/b.c -I../inc 2>/dev/null":             {"path /a/b.c", "path /dev/null"},
		"the command /copy all, </div> and 5 // 2":       {},
		"https://a.b/c/d.go is no path but /c/d.go is":   {"URL https://a.b/c/d.go", "path /c/d.go"},
		"~/.config/copydesk/config.yaml … ../.gitignore": {"path ~/.config/copydesk/config.yaml", "path ../.gitignore"},
		"größe/日本/datei.txt":                             {"path größe/日本/datei.txt"},
		"| `a/b.go` | https://a.b/c|":                    {"path a/b.go", "URL https://a.b/c"},
		"it's in /var/log/syslog; isn't it?":             {"path /var/log/syslog"},
	} {
		got := []string{}
		for _, thing := range Find(0, answer(s), nil, noParts) {
			got = append(got, thing.Kind.String()+" "+thing.Text)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q:\n%s", s, diff)
		}
	}
}

// TestCPY_AWordIsNeverCut holds that of a line that is searched in part only
// whole words are found.
func TestCPY_AWordIsNeverCut(t *testing.T) {
	word := "https://example.com/0123456789 "
	for skew := range len(word) {
		got := Find(0, answer(strings.Repeat("x", skew)+" "+strings.Repeat(word, 2*searched/len(word))), nil, noParts)
		if len(got) < searched/len(word)-2 {
			t.Fatalf("%d words are found", len(got))
		}
		for _, x := range got {
			if x.Text != strings.TrimSpace(word) {
				t.Fatalf("%v is cut", x)
			}
		}
	}
	if got := Find(0, answer("https://example.com/"+strings.Repeat("x", searched)), nil, noParts); len(got) > 0 {
		t.Errorf("a URL of %d bytes is found as %d", searched, len(got[0].Text))
	}
}

func TestCPY_FindTurnsAndAnswers(t *testing.T) {
	lines := append(panel.Lines(panel.Line{Kind: panel.Echo, Tag: "s"}, "hi"), panel.Line{Kind: panel.Tool, Text: "edit"})
	lines = append(lines, answer("one\ntwo")...)
	lines = append(lines, panel.Line{Kind: panel.Note, Text: "Cancelled."})
	x := Exchange{First: 7, End: 12, Answer: "raw\x1b", Whole: "whole"}
	want := []string{"turn 7:0 whole", "command 7:4 hi", "answer 9:0 raw\x1b"}
	if diff := cmp.Diff(want, spell(Find(7, lines, []Exchange{x}, noParts))); diff != "" {
		t.Error(diff)
	}
	want = []string{"answer 9:0 raw\x1b"}
	if diff := cmp.Diff(want, spell(InView(Find(7, lines, []Exchange{x}, noParts)[2:], panel.Position{Line: 9}, panel.Position{Line: 10}))); diff != "" {
		t.Error(diff)
	}
	want = []string{"turn 8:0 whole", "answer 8:0 raw\x1b"}
	if diff := cmp.Diff(want, spell(Find(8, answer("left"), []Exchange{x}, noParts))); diff != "" {
		t.Errorf("of a turn whose echo has left the panel: %s", diff)
	}
}

// TestCPY_ABlockWithoutItsFenceTurnsNothingAround has lost the first lines of a
// code block to the panel's end.
func TestCPY_ABlockWithoutItsFenceTurnsNothingAround(t *testing.T) {
	lines := panel.Painted("```\na\nb\n```\nsee docs/x.md\n```\nc\n```\n", nil)[1:]
	want := []string{"path 4:4 docs/x.md", "code block 5:0 c"}
	if diff := cmp.Diff(want, spell(Find(1, lines, nil, noParts))); diff != "" {
		t.Error(diff)
	}
}

// pieces are what the properties build panels of.
var pieces = []string{
	"plain words", "```go", "```", "~~~", "$ make x \\", "> quote https://a.b/c).", "| a | b\\|c |", "|---|:-:|", "| 1 |", "--- a", "+++ b", "@@ -1 +1 @@",
	"see (/etc/hosts), ~/x: and \"/a b/c\"", "core/a.go:1:2:", "日本/語.txt。", "\ttab ./x", "", "e\u0301 https://x.y/é…", "```sh", "for i; do", "C:\\x\\y", "`a/b`",
}

func drawLines(t *rapid.T) []panel.Line {
	kinds := []panel.Kind{panel.Answer, panel.Answer, panel.Answer, panel.Echo, panel.Note, panel.Error, panel.Table, panel.Teaching, panel.Tool, panel.Thought, panel.Plan}
	rows := []string{"┌───┬────┐", "│ 1 │ 日 │", "├───┼────┤", "└───┴────┘", "│ │ │ a  │", "│ x │", "odd"}
	var out []panel.Line
	for range rapid.IntRange(0, 30).Draw(t, "n") {
		l := panel.Line{Kind: rapid.SampledFrom(kinds).Draw(t, "kind"), Tag: "t", Status: session.Done, More: rapid.IntRange(0, 4).Draw(t, "more") == 0}
		l.Text = rapid.SampledFrom(pieces).Draw(t, "text")
		if l.Kind == panel.Table {
			l.Text = rapid.SampledFrom(rows).Draw(t, "row")
		}
		out = append(out, l)
	}
	return out
}

// TestCPY_WhatIsFoundIsThere holds that every thing lies in the lines, and that
// its text is what stands there.
func TestCPY_WhatIsFoundIsThere(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lines := drawLines(t)
		first := rapid.Uint64Range(0, 3).Draw(t, "first")
		shown := func(n uint64) string { return panel.Compose(lines[n-first]).Text }
		for _, x := range Find(first, lines, nil, noParts) {
			if x.Text == "" || x.At != x.From || !x.From.Before(x.To) {
				t.Fatalf("%v is nowhere", x)
			}
			if x.From.Line < first || x.To.Line >= first+uint64(len(lines)) || x.From.Byte > len(shown(x.From.Line)) || x.To.Byte > len(shown(x.To.Line)) {
				t.Fatalf("%v is outside of the lines", x)
			}
			var all []string
			for n := x.From.Line; n <= x.To.Line; n++ {
				all = append(all, shown(n))
			}
			switch x.Kind {
			case URL, Path:
				if got := all[0][x.From.Byte:x.To.Byte]; len(all) != 1 || got != x.Text {
					t.Fatalf("%v stands on %q", x, all)
				}
			default:
				here := strings.Join(all, "\n")
				for _, part := range strings.Split(x.Text, "\n") {
					if !strings.Contains(here, strings.TrimLeft(part, " ")) {
						t.Fatalf("%v: %q is not in %q", x, part, here)
					}
				}
			}
			for _, record := range x.Cells {
				if len(record) != len(x.Cells[0]) {
					t.Fatalf("%v has records of %d and %d cells", x, len(x.Cells[0]), len(record))
				}
			}
		}
	})
}

// TestCPY_NothingOutOfViewIsOffered holds that a letter stands in view, in
// reading order, and for everything that a view shows.
func TestCPY_NothingOutOfViewIsOffered(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lines := drawLines(t)
		all := Find(0, lines, nil, noParts)
		from := panel.Position{Line: rapid.Uint64Range(0, 30).Draw(t, "line"), Byte: rapid.IntRange(0, 20).Draw(t, "byte")}
		to := panel.Position{Line: from.Line + rapid.Uint64Range(0, 10).Draw(t, "lines"), Byte: rapid.IntRange(0, 20).Draw(t, "end")}
		in := InView(all, from, to)
		words := map[string]bool{}
		for i, x := range in {
			if x.At.Before(from) || !x.At.Before(to) || x.At.Before(x.From) || !x.At.Before(x.To) {
				t.Fatalf("%v has its letter out of the view from %v to %v", x, from, to)
			}
			if i > 0 && x.At.Before(in[i-1].At) {
				t.Fatalf("%v comes before %v", in[i-1], x)
			}
			words[x.Kind.String()+x.Text] = true
		}
		for _, x := range all {
			if from.Before(to) && x.From.Before(to) && from.Before(x.To) && !words[x.Kind.String()+x.Text] {
				t.Fatalf("%v is in view and not offered", x)
			}
		}
	})
}

func TestCPY_LabelsAreDifferentAndTheEasiestFirst(t *testing.T) {
	if diff := cmp.Diff([]string{"a", "s", "d", "f"}, Labels(4)); diff != "" {
		t.Error(diff)
	}
	for _, n := range []int{0, 1, 26, 27, 400, 676, 1000} {
		got := Labels(n)
		seen := map[string]bool{}
		for _, l := range got {
			seen[l] = true
			if want := 1 + min(1, n/27); len(l) != want {
				t.Errorf("of %d, %q", n, l)
			}
		}
		if len(seen) != min(n, 676) {
			t.Errorf("Labels(%d) are %d", n, len(seen))
		}
	}
}

func BenchmarkFind(b *testing.B) {
	var lines []panel.Line
	for len(lines) < 1000 {
		lines = append(lines, answer(strings.Join(pieces, "\n"))...)
	}
	b.ReportAllocs()
	for range b.N {
		Find(0, lines[:1000], nil, noParts)
	}
}
