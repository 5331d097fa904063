package term

import (
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/gdamore/tcell/v2"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

var start = time.Unix(1000, 0)

func testFilter() *filter {
	return newFilter(func() (int, int) { return 80, 24 }, nil, nil)
}

// show writes events as text: runes as they are, keys by name.
func show(events []tcell.Event) string {
	var b strings.Builder
	for _, ev := range events {
		switch ev := ev.(type) {
		case *tcell.EventKey:
			if ev.Key() == tcell.KeyRune && ev.Modifiers() == 0 {
				b.WriteRune(ev.Rune())
			} else {
				fmt.Fprintf(&b, "<%s>", ev.Name())
			}
		case *tcell.EventPaste:
			b.WriteString(map[bool]string{true: "{", false: "}"}[ev.Start()])
		case *tcell.EventMouse:
			x, y := ev.Position()
			fmt.Fprintf(&b, "<mouse %d,%d %d>", x, y, ev.Buttons())
		default:
			fmt.Fprintf(&b, "<%T>", ev)
		}
	}
	return b.String()
}

func TestPasteKeepsLineEndsAndDropsControls(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"lf", "a\nb\n", "a<Enter>b<Enter>"},
		{"cr", "a\rb", "a<Enter>b"},
		{"crlf", "a\r\nb\r\n\r\n", "a<Enter>b<Enter><Enter>"},
		{"lf cr", "a\n\rb", "a<Enter><Enter>b"},
		{"cr cr lf", "\r\r\n", "<Enter><Enter>"},
		{"tab", "a\tb", "a<Tab>b"},
		{"escape", "\x1b[31mred\x1b", "[31mred"},
		{"half end marker", "\x1b[20\x1b[2x", "[20[2x"},
		{"start inside", pasteStart + "x", "[200~x"},
		{"c0", "a\x00\x01\x03\x04\x08\x0c\x16\x1a\x7fb", "ab"},
		{"c1", "a\u0080\u009b31m\u009db\x9b", "a31mb\ufffd"},
		{"utf-8", "é漢👍🏽", "é漢👍🏽"},
		{"broken utf-8", "a\xc3b\xff\xe6\xbc", "a\ufffdb\ufffd\ufffd"},
		{"open osc", "\x1b]0;x", "]0;x"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := testFilter()
			got := show(f.feed([]byte(pasteStart+c.in+pasteEnd+"k"), start))
			if want := "{" + c.want + "}k"; got != want {
				t.Errorf("got  %q\nwant %q", got, want)
			}
		})
	}
}

func TestEndMarkerInsideAPasteIsText(t *testing.T) {
	f := testFilter()
	got := show(f.feed([]byte(pasteStart+"safe"+pasteEnd+"\ra\r"+pasteEnd+"k"), start))
	if want := "{safe[201~<Enter>a<Enter>}k"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	got = show(f.feed([]byte(pasteStart+"one"+pasteEnd+"k"+pasteStart+"two"+pasteEnd), start))
	if want := "{one}k{two}"; got != want {
		t.Errorf("two pastes: got %q, want %q", got, want)
	}
	if got := show(f.feed([]byte(pasteEnd+"k"), start)); got != "k" {
		t.Errorf("an end without a start: %q", got)
	}
}

func TestPasteInKeyRecords(t *testing.T) {
	var in strings.Builder
	for _, b := range []byte(pasteStart + "a\nb\r\nc\x03" + pasteEnd + "k") {
		fmt.Fprintf(&in, "\x1b[0;0;%d;1;0;1_", b)
	}
	f := testFilter()
	if got, want := show(f.feed([]byte(in.String()), start)), "{a<Enter>b<Enter>c}k"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	open, _, _ := strings.Cut(in.String(), "\x1b[0;0;99;")
	f = testFilter()
	f.feed([]byte(open), start)
	if got := show(f.expire(start.Add(f.wait()))); got != "}" {
		t.Errorf("without an end: %q", got)
	}
}

func TestPasteWithoutEndGivesTheKeysBack(t *testing.T) {
	f := testFilter()
	if got := show(f.feed([]byte(pasteStart+"text"), start)); got != "{text" {
		t.Fatalf("got %q", got)
	}
	if got := f.expire(start.Add(pasteWait - 1)); got != nil {
		t.Errorf("ended early: %q", show(got))
	}
	if got := show(f.expire(start.Add(pasteWait))); got != "}" {
		t.Errorf("got %q", got)
	}
	if got := show(f.feed([]byte("k"), start)); got != "k" {
		t.Errorf("got %q", got)
	}
}

func TestInputSequences(t *testing.T) {
	for _, c := range []struct{ name, in, want, later string }{
		{"keys", "a\r\t\x03é", "a<Enter><Tab><Ctrl+C>é", ""},
		{"arrows", "\x1b[A\x1bOB\x1b[1;5C", "<Up><Down><Ctrl+Right>", ""},
		{"kitty", "\x1b[13;2u", "<Shift+Enter>", ""},
		{"alt", "\x1bx\x1b\r", "<Alt+Rune[x]>", ""},
		{"lone escape", "\x1b", "", "<Esc>"},
		{"two escapes", "\x1b\x1b", "", "<Esc><Esc>"},
		{"alt arrow", "\x1b\x1b[A", "<Alt+Up>", ""},
		{"alt bracket", "\x1b[", "", "<Alt+Rune[[]>"},
		{"alt closing bracket", "\x1b]", "", "<Alt+Rune[]]>"},
		{"alt O, P, N", "\x1bO", "", "<Alt+Rune[O]>"},
		{"alt P", "\x1bP", "", "<Alt+Rune[P]>"},
		{"alt N", "\x1bNx", "<Alt+Rune[N]>x", ""},
		{"clipboard reply", "\x1b]52;c;c2VjcmV0\x07a\x1b]52;c;c2VjcmV0\x1b\\b", "ab", ""},
		{"device reply", "\x1bP>|tmux 3.4\x1b\\a", "a", ""},
		{"open string", "\x1b]52;c;AAAA", "", ""},
		{"string cut by a key", "\x1b]52;AA\x1b[A", "<Up>", ""},
		{"private reply", "\x1b[?64;52c", "", ""},
		{"mouse", "\x1b[<0;5;6M\x1b[<0;500;600m", "<mouse 4,5 1><mouse 79,23 0>", ""},
		{"focus", "\x1b[I\x1b[O", "", ""},
		{"linux console", "\x1b[[A", "<F1>", ""},
		{"c1 key", "\u009ba", "a", ""},
		{"half a character", "\xc3a", "\ufffda", ""},
		{"repeat bomb", "\x1b[65;30;97;1;0;99999999_a", "a", ""},
		{"long sequence", "\x1b[" + strings.Repeat("1;", 5000) + "Aa", "a", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := testFilter()
			got := show(f.feed([]byte(c.in), start))
			if c.name == "alt" {
				got, _, _ = strings.Cut(got, "<Ctrl") // Alt+Enter has another name
				got = strings.TrimSuffix(got, "<Alt+Ctrl+m>")
				got = strings.TrimSuffix(got, "<Alt+Ctrl+Rune[m]>")
			}
			if !strings.HasPrefix(got, c.want) || (got != c.want && c.name != "alt") {
				t.Errorf("got %q, want %q", got, c.want)
			}
			if got := show(f.expire(start.Add(pasteWait))); got != c.later {
				t.Errorf("later %q, want %q", got, c.later)
			}
			if got := show(f.feed([]byte("k"), start.Add(time.Hour))); got != "k" {
				t.Errorf("the next key gives %q", got)
			}
		})
	}
}

func TestLongStringTakesNoMemory(t *testing.T) {
	f := testFilter()
	f.feed([]byte("\x1b]52;c;"), start)
	p := []byte(strings.Repeat("A", 4096))
	if n := testing.AllocsPerRun(100, func() { f.feed(p, start) }); n > 0 {
		t.Errorf("%v allocations for 4 KB of a clipboard reply", n)
	}
}

// TestChunkingDoesNotMatter: any cut of the bytes gives the same events.
func TestChunkingDoesNotMatter(t *testing.T) {
	piece := rapid.SampledFrom([]string{"a", "é", "\r", "\n", "\x1b[A", "\x1bx", "\x1b]52;c;QQ==\x07",
		"\x1bOP", "\x1b[<0;1;2M", pasteStart, pasteEnd, "\x1b[0201~", "\x1bPq\x1b\\", "漢", "\x00", "\x1b[20", "\x9b"})
	rapid.Check(t, func(t *rapid.T) {
		in := strings.Join(rapid.SliceOf(piece).Draw(t, "pieces"), "")
		if strings.Count(in, pasteEnd) > 1 {
			t.Skip("an end marker looks at what else was read")
		}
		whole := show(testFilter().feed([]byte(in), start))
		f := testFilter()
		var cut strings.Builder
		for rest := []byte(in); len(rest) > 0; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "n")
			cut.WriteString(show(f.feed(rest[:n], start)))
			rest = rest[n:]
		}
		if diff := cmp.Diff(whole, cut.String()); diff != "" {
			t.Fatal(diff)
		}
	})
}

// TestPasteModel: a pasted text arrives with each line end as one Enter.
func TestPasteModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOf(rapid.RuneFrom([]rune("ab \t\n\ré漢\u0085"))).Draw(t, "text")
		want := strings.NewReplacer("\r\n", "<Enter>", "\r", "<Enter>", "\n", "<Enter>", "\t", "<Tab>", "\u0085", "").Replace(text)
		got := show(testFilter().feed([]byte(pasteStart+text+pasteEnd), start))
		if got != "{"+want+"}" {
			t.Fatalf("%q gave %q", text, got)
		}
	})
}

func FuzzFilter(f *testing.F) {
	for _, s := range []string{"a\x1b[A", pasteStart + "x\n" + pasteEnd, "\x1b]52;c;QQ==\x07", "\x1bP", "\x1b[0;0;27;1;0;1_",
		"\x1b[65;30;97;1;0;9_", "\xff\xc3", "\x1b\x1b\x1b[", "\x1b[M !!"} {
		f.Add([]byte(s), uint8(3))
	}
	f.Fuzz(func(t *testing.T, p []byte, n uint8) {
		x := testFilter()
		depth := 0
		check := func(events []tcell.Event) {
			for _, ev := range events {
				switch ev := ev.(type) {
				case *tcell.EventPaste:
					if ev.Start() {
						depth++
					} else {
						depth--
					}
					if depth < 0 || depth > 1 {
						t.Fatal("paste marks do not match")
					}
				case *tcell.EventKey:
					if r := ev.Rune(); depth > 0 && ev.Key() == tcell.KeyRune && (r < ' ' || r >= 0x7f && r < 0xa0 || !utf8.ValidRune(r)) {
						t.Fatalf("pasted control %q", r)
					}
				case *tcell.EventClipboard:
					t.Fatal("clipboard reply")
				}
			}
		}
		for rest := p; len(rest) > 0; {
			k := min(len(rest), int(n)+1)
			check(x.feed(rest[:k], start))
			rest = rest[k:]
		}
		check(x.expire(start.Add(time.Hour)))
		if x.state != ground || depth != 0 {
			t.Fatalf("state %d, depth %d after an hour", x.state, depth)
		}
	})
}
