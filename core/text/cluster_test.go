package text

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"copydesk/core"

	"github.com/google/go-cmp/cmp"
	"github.com/rivo/uniseg"
	"pgregory.net/rapid"
)

// graphemes cuts a text with uniseg alone, as the terminal library does.
func graphemes(s string) (clusters []string, widths []int) {
	for state := -1; s != ""; {
		var c string
		var w int
		c, s, w, state = uniseg.FirstGraphemeClusterInString(s, state)
		clusters, widths = append(clusters, c), append(widths, w)
	}
	return clusters, widths
}

// checkSeen holds that each cluster of a clean text takes a cell, so that a
// screen shows it, and that none is longer than a prepended sign, a base and
// its marks.
func checkSeen(t interface{ Fatalf(string, ...any) }, raw string) {
	clusters, widths := graphemes(Clean(raw))
	for i, c := range clusters {
		if widths[i] == 0 && c != "\n" && c != "\t" {
			t.Fatalf("%+q is left in Clean(%+q) and takes no cell", c, raw)
		}
		if n := utf8.RuneCountInString(c); n > core.MarksPerCell+2 {
			t.Fatalf("a cluster of %d runes is left in Clean(%.200q)", n, raw)
		}
	}
}

// spellings are what tempts the rules for clusters.
var spellings = slices.Concat(fragments, []string{
	"\u0d4e", "\u1161", "\u11a8", "가", "각", "\u0e33", "\u0903", "\u093f", "\u094d", "क", "1", "#", "\u20e3", "\ufe0e", "\ufe00", "\ufe05",
	"\U000e0101", "\u180b", "ᠠ", "🇩", "🇪", "\U000e0062", "\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074", "©", "\u034f", "\uff9e", "≨",
	"\U000e0001", "\xf3\xa0", "\x81\xa2", "🏻", "\u200d👩", "—", "⸻", "「", "」", "\u3000", "\u00a0",
})

func drawSpelling(t *rapid.T) string {
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom(spellings), 0, 30).Draw(t, "raw"), "")
}

func TestT33_NoRuneIsUnseen(t *testing.T) {
	for r := rune(0); r <= utf8.MaxRune; r++ {
		low := r & 0xffff // the insides of the big blocks are all alike
		if r >= 0x3500 && r < 0x9f00 || r >= 0x20000 && low >= 0x3000 && low < 0xff00 {
			continue
		}
		checkSeen(t, string(r))
		checkSeen(t, "a"+string(r)+"b")
	}
}

func TestT34_EveryFloodIsBounded(t *testing.T) {
	for _, raw := range []string{
		"a" + strings.Repeat("\u0301", 100_000), strings.Repeat("👩\u200d", 10_000) + "👩", "a" + strings.Repeat("\u200d", 10_000),
		strings.Repeat("👩🏽\u200d", 10_000), "👩" + strings.Repeat("\ufe0f", 10_000), "👩" + strings.Repeat("🏽", 10_000),
		strings.Repeat("\u1100", 10_000), strings.Repeat("\u1161", 10_000), strings.Repeat("\u11a8", 10_000),
		"ก" + strings.Repeat("\u0e33", 10_000), "ｶ" + strings.Repeat("\uff9e", 10_000), strings.Repeat("\u0600", 10_000) + "a",
		strings.Repeat("\ufdfd", 1000), strings.Repeat("ی\u200c", 10_000),
	} {
		checkSeen(t, raw)
		checkClean(t, raw)
		var whole Cleaner
		whole.Clean(raw)
		if n := len(whole.held); n > 32 {
			t.Errorf("%d bytes of %.20q are held back", n, raw)
		}
	}
}

func TestT33_MessagesInVariantsAndFlags(t *testing.T) {
	for name, raw := range map[string]string{
		"a message as a flag":           "🏴\U000e0072\U000e006d\U000e0020\U000e002d\U000e0072\U000e0066\U000e0020\U000e007e\U000e007f",
		"a selector after a letter":     "a\ufe01",
		"a selector for nothing":        "😀\ufe05",
		"two selectors":                 "❤\ufe0f\ufe0f",
		"the supplement after an emoji": "😀\U000e0154\U000e0155",
		"a skin tone on a letter":       "a🏽",
		"a mark on nothing":             "\t\u0301",
	} {
		if got := Clean(raw); !strings.Contains(got, "<U+") || Hidden(raw) == 0 {
			t.Errorf("%s: Clean(%+q) = %+q, %d hidden", name, raw, got, Hidden(raw))
		}
	}
}

func TestT33_SpellingStays(t *testing.T) {
	for _, s := range []string{
		"👩🏽\u200d❤\ufe0f\u200d💋\u200d👨🏼", "👨🏻\u200d👩🏻\u200d👧🏻\u200d👦🏻", "🏳\ufe0f\u200d🌈", "🏴\u200d☠\ufe0f", "👁\ufe0f\u200d🗨\ufe0f", "🧑\u200d⚕\ufe0f", "⛹🏿\u200d♀\ufe0f", "1\ufe0f⃣#\ufe0f⃣", "©\ufe0f", "☎\ufe0e", "‼\ufe0f", "🇩🇪🇫🇷",
		"می\u200cخواهم", "क्\u200dष", "র\u200d্য", "ශ්\u200dරී", "葛\U000e0100", "한국어", "한", "ᠠ᠋", "กำ", "ကြော", "ｶﾞ", "Việt Nam", "שָׁלוֹם",
	} {
		if got := Clean(s); got != s || Hidden(s) != 0 {
			t.Errorf("Clean(%q) = %+q, %d hidden", s, got, Hidden(s))
		}
	}
}

func TestCleanSpellings(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		raw := drawSpelling(t)
		checkSeen(t, raw)
		checkClean(t, raw)
		got := Clean(raw)
		if n := Hidden(got); n != 0 {
			t.Fatalf("the clean text %+q of %+q hides %d", got, raw, n)
		}
		var c Cleaner
		var bytewise strings.Builder
		for i := range len(raw) {
			bytewise.WriteString(c.Clean(raw[i : i+1]))
		}
		bytewise.WriteString(c.Flush())
		if bytewise.String() != got {
			t.Fatalf("%+q byte by byte: %+q, whole: %+q", raw, bytewise.String(), got)
		}
	})
}

func FuzzCleanSeen(f *testing.F) {
	for _, s := range spellings {
		f.Add("a"+s+s, 1)
	}
	f.Fuzz(func(t *testing.T, raw string, cut int) {
		checkSeen(t, raw)
		at := max(0, min(cut, len(raw)))
		var c Cleaner
		if got, want := c.Clean(raw[:at])+c.Clean(raw[at:])+c.Flush(), Clean(raw); got != want {
			t.Fatalf("%+q cut at %d: %+q, whole: %+q", raw, at, got, want)
		}
	})
}

// TestPAN6_WidthsAreTheScreens holds that columns are those of uniseg. With any
// other width the terminal library draws one cluster over the next.
func TestPAN6_WidthsAreTheScreens(t *testing.T) {
	check := func(t interface{ Fatalf(string, ...any) }, s string) {
		var got, want []string
		col := 0
		clusters, widths := graphemes(s)
		for i, c := range clusters {
			if c == "\t" {
				widths[i] = core.TabStop - col%core.TabStop
			}
			want = append(want, fmt.Sprintf("%+q %d+%d", c, col, widths[i]))
			col += widths[i]
		}
		for c := range Clusters(s, Row{0, len(s)}) {
			got = append(got, fmt.Sprintf("%+q %d+%d", s[c.Start:c.End], c.Col, c.Width))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("%+q: %s", s, diff)
		}
		if w := Width(s); w != col {
			t.Fatalf("Width(%+q) = %d, want %d", s, w, col)
		}
	}
	for _, s := range []string{"⸺x", "⸻x", "ကြောx", "क्षिx", "கொx", "1\ufe0f⃣x", "a\tb\u0301\tc", "\r\n"} {
		check(t, s)
	}
	rapid.Check(t, func(t *rapid.T) { check(t, drawSpelling(t)) })
}

func checkWrap(t interface{ Fatalf(string, ...any) }, s string, width int) {
	rows := Wrap(s, width)
	width = max(width, minWidth)
	at := 0
	for _, r := range rows {
		if r.Start != at || r.End < r.Start || r.End == r.Start && len(rows) > 1 {
			t.Fatalf("Wrap(%+q, %d) = %v", s, width, rows)
		}
		inked, edge := 0, 0
		for c := range Clusters(s, r) {
			if b := s[c.Start:c.End]; b != " " && b != "\t" {
				inked++
				edge = c.Col + c.Width
			}
		}
		if edge > width && inked > 1 {
			t.Fatalf("row %+q of Wrap(%+q, %d) reaches column %d", s[r.Start:r.End], s, width, edge)
		}
		at = r.End
	}
	if at != len(s) {
		t.Fatalf("Wrap(%+q, %d) ends at %d", s, width, at)
	}
	ends := map[int]bool{0: true}
	for c := range Clusters(s, Row{0, len(s)}) {
		ends[c.End] = true
	}
	for _, r := range rows {
		if !ends[r.Start] || !ends[r.End] {
			t.Fatalf("row %v of Wrap(%+q, %d) cuts a cluster", r, s, width)
		}
	}
}

func TestPAN6_AnyTextWraps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		checkWrap(t, drawSpelling(t), rapid.IntRange(2, 40).Draw(t, "width"))
	})
}

func FuzzWrap(f *testing.F) {
	for _, s := range spellings {
		f.Add(s+" word "+s+s, 7)
	}
	f.Fuzz(func(t *testing.T, s string, width int) { checkWrap(t, s, width%200) })
}

// TestPAN6_WordsStayWhole holds that a word is cut only when no row has room
// for it, for words of ASCII.
func TestPAN6_WordsStayWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		width := rapid.IntRange(4, 30).Draw(t, "width")
		s := rapid.StringMatching(`( {0,9}[a-z]{1,30}){0,12}`).Draw(t, "line")
		for _, r := range Wrap(s, width)[1:] {
			if s[r.Start-1] == ' ' {
				continue
			}
			start := strings.LastIndexByte(s[:r.Start], ' ') + 1
			end, _, _ := strings.Cut(s[start:], " ")
			if len(end) <= width {
				t.Fatalf("Wrap(%q, %d) cuts %q", s, width, end)
			}
		}
	})
}

func TestPAN6_Breaks(t *testing.T) {
	for _, tc := range []struct {
		s     string
		width int
		want  []string
	}{
		{"日本語。です", 6, []string{"日本", "語。で", "す"}},
		{"日「本」語", 6, []string{"日", "「本」", "語"}},
		{"ab日本, cd", 6, []string{"ab日", "本, cd"}},
		{"        deep", 10, []string{"        ", "deep"}},
		{"    aaaaaaaaaaaaaa b", 10, []string{"    aaaaaa", "aaaaaaaa b"}},
		{"x    aaaaaaaaaaaaaa", 10, []string{"x    ", "aaaaaaaaaa", "aaaa"}},
		{"a\t\tb", 12, []string{"a\t\t", "b"}},
		{"ab⸻c", 4, []string{"ab", "⸻", "c"}},
		{"⸻⸻", 2, []string{"⸻", "⸻"}},
	} {
		if diff := cmp.Diff(tc.want, rowsOf(tc.s, tc.width)); diff != "" {
			t.Errorf("Wrap(%q, %d): %s", tc.s, tc.width, diff)
		}
	}
}

func BenchmarkHidden(b *testing.B) {
	s := strings.Repeat("Größe: 10 €, 日本語 \x1b[31mred\x1b[0m\r\n", 1<<20/50)
	b.ReportAllocs()
	b.SetBytes(int64(len(s)))
	for b.Loop() {
		Hidden(s)
	}
}
