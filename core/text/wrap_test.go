package text

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rivo/uniseg"
	"pgregory.net/rapid"
)

func rowsOf(s string, width int) []string {
	var out []string
	for _, r := range Wrap(s, width) {
		out = append(out, s[r.Start:r.End])
	}
	return out
}

func TestPAN6_Wrap(t *testing.T) {
	for _, tc := range []struct {
		s     string
		width int
		want  []string
	}{
		{"", 10, []string{""}},
		{"one two three", 13, []string{"one two three"}},
		{"one two three", 12, []string{"one two ", "three"}},
		{"one two three", 3, []string{"one ", "two ", "thr", "ee"}},
		{"abcdefgh", 3, []string{"abc", "def", "gh"}},
		{"ab    cd", 3, []string{"ab    ", "cd"}},
		{"  indented text", 10, []string{"  indented ", "text"}},
		{"日本語です", 5, []string{"日本", "語で", "す"}},
		{"ab日本", 3, []string{"ab", "日", "本"}},
		{"a\tb", 20, []string{"a\tb"}},
		{"a\tb", 8, []string{"a\t", "b"}},
		{"x e\u0301e\u0301e\u0301", 4, []string{"x ", "e\u0301e\u0301e\u0301"}},
		{"👩‍👩‍👧👩‍👩‍👧", 2, []string{"👩‍👩‍👧", "👩‍👩‍👧"}},
		{"abc", 0, []string{"ab", "c"}},
	} {
		if diff := cmp.Diff(tc.want, rowsOf(tc.s, tc.width)); diff != "" {
			t.Errorf("Wrap(%q, %d): %s", tc.s, tc.width, diff)
		}
	}
}

// TestPAN6_RowsAreTheLine holds that rows leave nothing out, fit, and never cut
// a grapheme cluster.
func TestPAN6_RowsAreTheLine(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		line := CleanLine(drawRaw(t) + rapid.String().Draw(t, "more"))
		width := rapid.IntRange(2, 200).Draw(t, "width")
		bounds := map[int]bool{0: true}
		for at, rest, state := 0, line, -1; rest != ""; {
			var cluster string
			cluster, rest, _, state = uniseg.FirstGraphemeClusterInString(rest, state)
			at += len(cluster)
			bounds[at] = true
		}
		rows := Wrap(line, width)
		if len(rows) == 0 || rows[0].Start != 0 || rows[len(rows)-1].End != len(line) {
			t.Fatalf("%q wraps to %v", line, rows)
		}
		for i, r := range rows {
			if i > 0 && r.Start != rows[i-1].End || i > 0 && r.End <= r.Start {
				t.Fatalf("row %d of %q: %v", i, line, rows)
			}
			if !bounds[r.Start] || !bounds[r.End] {
				t.Fatalf("row %d of %q cuts a cluster: %v", i, line, r)
			}
			text := line[r.Start:r.End]
			if w := Width(strings.TrimRight(text, " \t")); w > width && uniseg.GraphemeClusterCount(text) > 1 {
				t.Fatalf("row %q has %d cells of %d", text, w, width)
			}
		}
	})
}

func TestClustersCoverTheirRow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		line := CleanLine(drawRaw(t))
		for _, r := range Wrap(line, rapid.IntRange(2, 30).Draw(t, "width")) {
			at, col := r.Start, 0
			for c := range Clusters(line, r) {
				if c.Start != at || c.Col != col || c.End <= c.Start || c.Width < 0 {
					t.Fatalf("cluster %+v at byte %d, column %d of %q", c, at, col, line)
				}
				at, col = c.End, col+c.Width
			}
			if at != r.End {
				t.Fatalf("the clusters of %q end at %d of %d", line, at, r.End)
			}
		}
	})
}

func TestWidthAndTruncate(t *testing.T) {
	for s, want := range map[string]int{"hello": 5, "日本語": 6, "a\tb": 9, "": 0, "e\u0301": 1, "👩‍👩‍👧": 2} {
		if got := Width(s); got != want {
			t.Errorf("Width(%q) = %d, want %d", s, got, want)
		}
	}
	for _, tc := range []struct {
		s     string
		width int
		want  string
	}{
		{"hello", 5, "hello"}, {"hello!", 5, "hell…"}, {"日本語", 6, "日本語"}, {"日本語", 5, "日本…"}, {"日本語", 4, "日…"},
		{"x", 0, ""}, {"xy", 1, "…"}, {"one two", 5, "one…"},
	} {
		if got := Truncate(tc.s, tc.width); got != tc.want {
			t.Errorf("Truncate(%q, %d) = %q, want %q", tc.s, tc.width, got, tc.want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		s, n := CleanLine(drawRaw(t)), rapid.IntRange(0, 20).Draw(t, "width")
		got := Truncate(s, n)
		if Width(got) > n {
			t.Fatalf("Truncate(%q, %d) = %q, %d cells", s, n, got, Width(got))
		}
		if n > 0 && Width(s) <= n && got != s {
			t.Fatalf("Truncate(%q, %d) = %q, and it fits", s, n, got)
		}
	})
}

func BenchmarkWrap(b *testing.B) {
	for name, s := range map[string]string{
		"120 columns": strings.Repeat("some words here ", 8)[:120],
		"1 MB line":   strings.Repeat("some words here ", 1<<16),
		"1 MB mixed":  strings.Repeat("Wörter, 日本 ", 1<<16),
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(s)))
			for b.Loop() {
				Wrap(s, 100)
			}
		})
	}
}
