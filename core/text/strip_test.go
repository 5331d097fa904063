package text

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestCPY_StripRemovesWhatIsHidden(t *testing.T) {
	for _, tc := range []struct {
		name, raw, want string
		removed         int
	}{
		{"plain", "plain text, ünïcödé, 日本\n\tand a tab", "plain text, ünïcödé, 日本\n\tand a tab", 0},
		{"T26 screen control", "A\x1b[2Jok\rB\x08\x7f", "A[2JokB", 4},
		{"T27 C1", "\xc2\x9b2J", "2J", 1},
		{"T32 bidi", "\u202ea\u2066b\u2069", "ab", 3},
		{"T33 zero width", "rm\u200b -rf\u2060 ~\u3164", "rm -rf ~", 3},
		{"T33 the flag of Scotland", "🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f", "🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f", 0},
		{"T33 a message in tags", "x\U000e0072\U000e006d", "x", 2},
		{"T34 marks", "a" + strings.Repeat("\u0301", 20) + "b", "a" + strings.Repeat("\u0301", 16) + "b", 4},
		{"line ends", "a\r\nb\rc\n\td\r", "a\r\nbc\n\td", 2},
		{"a CR before a line end", "a\r\r\n\r\x00\n", "a\r\n\n", 3},
		{"a family stays one", "👩‍👩‍👧 ❤️‍🔥 👍🏽", "👩‍👩‍👧 ❤️‍🔥 👍🏽", 0},
		{"a joiner between letters", "a\u200db\u200cc", "abc", 2},
		{"a joiner where the script shapes", "می\u200cخواهم", "می\u200cخواهم", 0},
		{"a mark that the hidden one parted", "a\u200b\u0301", "a\u0301", 1},
		{"soft hyphen and BOM", "\ufeffa\u00adb", "ab", 2},
		{"invalid bytes stay", "\xff\xfe a", "\xff\xfe a", 0},
		{"bytes that would close up", "\xe2\x00\x80\x8b!", "\xe2!", 3},
		{"tokens are text", "<U+202E> ␛", "<U+202E> ␛", 0},
		{"nothing else", "\u200b\u200b", "", 2},
		{"empty", "", "", 0},
	} {
		got, removed := Strip(tc.raw)
		if got != tc.want || removed != tc.removed {
			t.Errorf("%s: Strip(%q) = %q, %d; want %q, %d", tc.name, tc.raw, got, removed, tc.want, tc.removed)
		}
	}
}

func TestCPY_StripLeavesNothingHidden(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { stripHolds(t, drawRaw(t)) })
}

// stripHolds checks what Strip says of itself.
func stripHolds(t interface {
	Helper()
	Fatalf(string, ...any)
}, raw string) {
	t.Helper()
	got, removed := Strip(raw)
	if n := Hidden(got); n != 0 {
		t.Fatalf("Strip(%q) = %q, which holds %d hidden", raw, got, n)
	}
	if again, n := Strip(got); again != got || n != 0 {
		t.Fatalf("stripping %q again removes %d and gives %q", got, n, again)
	}
	if (removed == 0) != (got == raw) || (Hidden(raw) == 0) != (removed == 0) {
		t.Fatalf("Strip(%q) = %q, %d, of %d hidden", raw, got, removed, Hidden(raw))
	}
	at := 0
	for i := range len(got) {
		j := strings.IndexByte(raw[at:], got[i])
		if j < 0 {
			t.Fatalf("Strip(%q) = %q, which is more than left out", raw, got)
		}
		at += j + 1
	}
}

func FuzzStrip(f *testing.F) {
	for _, s := range fragments {
		f.Add(s + "\u200b" + s)
	}
	f.Fuzz(func(t *testing.T, raw string) { stripHolds(t, raw) })
}

func BenchmarkStrip(b *testing.B) {
	for name, raw := range map[string]string{
		"plain":  strings.Repeat("func main() { println(1) }\n", 4000),
		"hidden": strings.Repeat("zero\u200bwidth \x1b[1mbold\n", 4000),
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(raw)))
			for range b.N {
				Strip(raw)
			}
		})
	}
}
