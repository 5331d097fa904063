package text

import (
	"strings"
	"testing"
	"unicode/utf8"

	"copydesk/core"

	"github.com/rivo/uniseg"
	"pgregory.net/rapid"
)

func TestCleanShowsWhatCannotBeSeen(t *testing.T) {
	for _, tc := range []struct{ name, raw, want string }{
		{"T26 screen control", "A\x1b[2J\x1b[H\x1b[8mhid\x1b[0m\x1b[1A\x1b[2Kok\rB\x08\x08\x7f", "A␛[2J␛[H␛[8mhid␛[0m␛[1A␛[2Kok␍B␈␈␡"},
		{"T27 C1 as UTF-8", "\xc2\x9b2J", "<U+009B>2J"},
		{"T27 OSC and ST as C1", "\xc2\x9d52;c;QQ==\xc2\x9c", "<U+009D>52;c;QQ==<U+009C>"},
		{"T27 a raw C1 byte", "\x9b2J", "\ufffd2J"},
		{"T28 OSC 52", "\x1b]52;c;QQ==\x07", "␛]52;c;QQ==␇"},
		{"T29 queries", "\x05 \x1b[c \x1bP$qm\x1b\\ \x1b_G\x1b\\", "␅ ␛[c ␛P$qm␛\\ ␛_G␛\\"},
		{"T32 bidi", "\u202ea\u2066b\u2069", "<U+202E>a<U+2066>b<U+2069>"},
		{"T33 zero width", "\u200b\u2060\u3164", "<U+200B><U+2060><U+3164>"},
		{"T33 the flag of Scotland", "🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f", "🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f"},
		{"a flag that never ends", "🏴\U000e0067x", "🏴<U+E0067>x"},
		{"R10 invalid bytes", "\xff\xfe\xc3\x28\xe2\x82", "\ufffd\ufffd\ufffd(\ufffd\ufffd"},
		{"line ends", "a\r\nb\rc\n\td\r", "a\nb␍c\n\td␍"},
		{"NUL", "a\x00b", "a␀b"},
		{"a family stays one", "👩‍👩‍👧 ❤️‍🔥 👍🏽", "👩‍👩‍👧 ❤️‍🔥 👍🏽"},
		{"a joiner between letters", "a\u200db\u200cc", "a<U+200D>b<U+200C>c"},
		{"a joiner where the script shapes", "می\u200cخواهم क्\u200dष", "می\u200cخواهم क्\u200dष"},
		{"a joiner at the end", "👩\u200d", "👩<U+200D>"},
		{"selectors", "☀\ufe0f \ufe0f葛\U000e0100a\U000e0100", "☀\ufe0f <U+FE0F>葛\U000e0100a<U+E0100>"},
		{"soft hyphen and BOM", "\ufeffa\u00adb", "<U+FEFF>a<U+00AD>b"},
		{"line separators", "a\u2028b\u2029", "a<U+2028>b<U+2029>"},
		{"T34 marks", "a" + strings.Repeat("\u0301", 20) + "b", "a" + strings.Repeat("\u0301", 16) + "⟨+4 marks⟩b"},
		{"plain", "plain text, ünïcödé, 日本", "plain text, ünïcödé, 日本"},
	} {
		if got := Clean(tc.raw); got != tc.want {
			t.Errorf("%s:\n got %q\nwant %q", tc.name, got, tc.want)
		}
	}
}

// TestT33_TagSmuggling is the payload of the threat: "rm -rf ~" in tags, and
// three characters without width.
func TestT33_TagSmuggling(t *testing.T) {
	raw := "\xf3\xa0\x81\xb2\xf3\xa0\x81\xad\xf3\xa0\x80\xa0\xf3\xa0\x80\xad\xf3\xa0\x81\xb2\xf3\xa0\x81\xa6\xf3\xa0\x80\xa0\xf3\xa0\x81\xbe" +
		"\xe2\x80\x8b\xe2\x81\xa0\xe3\x85\xa4"
	got := Clean(raw)
	if n := strings.Count(got, "<U+E00"); n != 8 {
		t.Errorf("%d tag tokens in %q, want 8", n, got)
	}
	if n := strings.Count(got, "<U+"); n != 11 {
		t.Errorf("%d tokens in %q, want 11", n, got)
	}
	if n := Hidden(raw); n != 11 {
		t.Errorf("Hidden() = %d, want 11", n)
	}
}

// fragments are pieces that the properties are tried on; pieces of runes too.
var fragments = []string{
	"a", "word ", "\n", "\r", "\r\n", "\t", "\x00", "\x1b[2J", "\x7f", "\x9b", "\xc2\x9b", "\xe2", "\x82", "\xac", "€", "é", "e\u0301", "\u0301",
	"\u0301\u0301\u0301\u0301\u0301\u0301\u0301\u0301\u0301", "\u200d", "\u200c", "👩", "❤\ufe0f", "🏽", "🏴", "\U000e0067", "\U000e007f", "\ufe0f",
	"\U000e0100", "葛", "ی", "\u202e", "\u200b", "ᄀ", "\u0600", "\u0600\u0600\u0600\u0600\u0600\u0600\u0600\u0600\u0600", "日本", "🇩🇪", "\ufdfd", "<U+202E>", "⟨+3 marks⟩", "\U0010ffff", "\ufdd0",
}

func drawRaw(t *rapid.T) string {
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom(fragments), 0, 30).Draw(t, "raw"), "")
}

func TestCleanDoesNotDependOnTheCut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		raw := drawRaw(t)
		var c Cleaner
		var got strings.Builder
		for rest := raw; rest != ""; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "cut")
			got.WriteString(c.Clean(rest[:n]))
			rest = rest[n:]
		}
		got.WriteString(c.Flush())
		if want := Clean(raw); got.String() != want {
			t.Fatalf("%q in pieces: %q, whole: %q", raw, got.String(), want)
		}
		if again := c.Clean("x") + c.Flush(); again != "x" {
			t.Fatalf("after a flush x becomes %q", again)
		}
	})
}

func checkClean(t interface{ Fatalf(string, ...any) }, raw string) {
	got := Clean(raw)
	if !utf8.ValidString(got) {
		t.Fatalf("Clean(%q) is not UTF-8: %q", raw, got)
	}
	for _, r := range got {
		if r < ' ' && r != '\n' && r != '\t' || r >= 0x7f && r <= 0x9f || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 || r == 0x200b {
			t.Fatalf("Clean(%q) holds %U: %q", raw, r, got)
		}
	}
	if again := Clean(got); again != got {
		t.Fatalf("Clean is not idempotent on %q: %q, then %q", raw, got, again)
	}
	if line := CleanLine(raw); strings.ContainsAny(line, "\n\r") {
		t.Fatalf("CleanLine(%q) = %q", raw, line)
	}
	rest, state := got, -1
	for rest != "" {
		var cluster string
		cluster, rest, _, state = uniseg.FirstGraphemeClusterInString(rest, state)
		if n := utf8.RuneCountInString(cluster); n > 3*core.MarksPerCell {
			t.Fatalf("Clean(%q) has a cluster of %d characters", raw, n)
		}
	}
}

func TestCleanProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { checkClean(t, drawRaw(t)) })
	rapid.Check(t, func(t *rapid.T) { checkClean(t, string(rapid.SliceOf(rapid.Byte()).Draw(t, "bytes"))) })
	rapid.Check(t, func(t *rapid.T) { checkClean(t, rapid.String().Draw(t, "text")) })
}

func FuzzClean(f *testing.F) {
	for _, s := range fragments {
		f.Add(s + s)
	}
	f.Fuzz(func(t *testing.T, raw string) { checkClean(t, raw) })
}

// TestT34_FloodsAreBounded holds that a cluster stays small and the text short.
func TestT34_FloodsAreBounded(t *testing.T) {
	for name, raw := range map[string]string{
		"marks":     "a" + strings.Repeat("\u0301", 1_000_000),
		"joiners":   strings.Repeat("👩\u200d", 10_000) + "👩",
		"jamo":      strings.Repeat("ᄀ", 10_000),
		"prepended": strings.Repeat("\u0600", 10_000),
		"viramas":   strings.Repeat("\u094d", 10_000),
	} {
		checkClean(t, raw)
		if name == "marks" && len(Clean(raw)) > 100 {
			t.Errorf("%s: %d bytes are left", name, len(Clean(raw)))
		}
	}
}

func TestT65_HiddenCountsWhatIsNotSeen(t *testing.T) {
	for raw, want := range map[string]int{
		"plain\ttext\n": 0, "a\r\nb": 0, "a\rb": 1, "\x1b[31m": 1, "\u202e\u202c": 2, "👩‍👩‍👧": 0, "\xff": 0, "日本é": 0,
		"a\u200db": 1, "\x00\x07\x7f\u009b": 4, "a" + strings.Repeat("\u0301", 20): 4,
	} {
		if got := Hidden(raw); got != want {
			t.Errorf("Hidden(%q) = %d, want %d", raw, got, want)
		}
	}
}

func BenchmarkClean(b *testing.B) {
	ascii := strings.Repeat("The quick brown fox jumps over the lazy dog.\n", 1<<20/45)
	mixed := strings.Repeat("Größe: 10 €, 日本語 and e\u0301 \x1b[31mred\x1b[0m\r\n", 1<<20/55)
	for name, s := range map[string]string{"ascii": ascii, "mixed": mixed} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(s)))
			var c Cleaner
			for b.Loop() {
				c.Clean(s)
			}
		})
	}
}
