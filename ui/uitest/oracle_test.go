package uitest

import (
	"strings"
	"testing"
	"time"
)

const payload = "dG91Y2ggUFdORUQK" // touch PWNED

// forbidden are, one by one, the sequences of the attacks by agent text, and
// some more that must not leave the program.
var forbidden = []struct{ name, out string }{
	{"T26 whole", "A\x1b[2J\x1b[H\x1b[8mhid\x1b[0m\x1b[1A\x1b[2Kok\rB\x08\x08\x7f"},
	{"T26 conceal", "\x1b[8m"},
	{"T26 conceal among others", "\x1b[1;38;5;8;8m"},
	{"T26 carriage return", "ok\rB"},
	{"T26 backspace", "B\b\b"},
	{"T26 DEL", "\x7f"},
	{"T26 CRLF on the screen", "a\r\nb"},
	{"T26 scrollback erased", "\x1b[3J"},
	{"T27 C1 CSI", "\u009b2J"},
	{"T27 C1 OSC", "\u009d52;c;" + payload + "\u009c"},
	{"T27 raw C1", "\x9b2J"},
	{"T27 split: ESC at the end", "text\x1b"},
	{"T27 split: the rest", "\x07\x07"},
	{"T28 OSC 52, BEL", "\x1b]52;c;" + payload + "\x07"},
	{"T28 OSC 52, ST", "\x1b]52;c;" + payload + "\x1b\\"},
	{"T28 OSC 52 for tmux", "\x1bPtmux;\x1b\x1b]52;c;" + payload + "\x07\x1b\\"},
	{"T29 ENQ", "\x05"},
	{"T29 DA1", "\x1b[c"},
	{"T29 XTVERSION", "\x1b[>q"},
	{"T29 title report", "\x1b[21t"},
	{"T29 cursor report", "\x1b[6n"},
	{"T29 colour query", "\x1b]11;?\x07"},
	{"T29 font query", "\x1b]50;?\x07"},
	{"T29 kitty colours", "\x1b]21;foo=?\x1b\\"},
	{"T29 DECRQSS", "\x1bP$qm\x1b\\"},
	{"T29 kitty graphics", "\x1b_Gi=1,a=q;AAAA\x1b\\"},
	{"T30 title and bidi", "x\x1b]0;pwn\x07\x1b[2J\u202e"},
	{"T32 bidi override", "\u202e"},
	{"T32 isolate", "\u2066"},
	{"T55 window size", "\x1b[8;9999;9999t"},
	{"T55 reset", "\x1bc"},
	{"T55 notification", "\x1b]777;notify;a;b\x07"},
	{"T55 iTerm2", "\x1b]1337;Copy=:aGk=\x07"},
	{"T68 bells", "\a\a"},
	{"T68 long title", "\x1b]2;" + strings.Repeat("x", 81) + "\x1b\\"},
	{"T68 title with bidi", "\x1b]2;x\u202e\x1b\\"},
	{"T68 title with ESC", "\x1b]2;x\x1b[2J\x1b\\"},
	{"T31 file link", "\x1b]8;;file:///etc/passwd\x1b\\"},
	{"T31 script link", "\x1b]8;;javascript:1\x1b\\"},
	{"T31 long link", "\x1b]8;;https://x/" + strings.Repeat("x", 2048) + "\x1b\\"},
	{"T31 link with a blank", "\x1b]8;;https://x/ y\x1b\\"},
	{"OSC 8 without a target", "\x1b]8\x1b\\"},
	{"OSC 52 read", "\x1b]52;c;?\x07"},
	{"public mode", "\x1b[4h"},
	{"unknown private mode", "\x1b[?1049;66h"},
	{"cut CSI", "\x1b[12"},
	{"cut CSI before text", "\x1b[12\u00e9"},
	{"cut OSC", "\x1b]2;title"},
	{"cut DCS", "\x1bPtmux;"},
	{"PM", "\x1b^x\x1b\\"},
	{"save cursor", "\x1b7"},
	{"kitty query", "\x1b[?u"},
	{"broken UTF-8", "\xc3("},
	{"NUL", "\x00"},
	{"insert line", "\x1b[3L"},
	{"unknown SGR", "\x1b[300m"},
}

func TestO1_FindsWhatMustNotBe(t *testing.T) {
	for _, c := range forbidden {
		if err := CheckOutput([]byte("\x1b[?1049hbefore "+c.out), Options{}); err == nil {
			t.Errorf("%s: nothing was found in %q", c.name, c.out)
		}
	}
}

func TestO1_AllowsWhatDraws(t *testing.T) {
	osc52 := "\x1b]52;c;" + payload + "\x07"
	for _, c := range []struct {
		name, out string
		o         Options
	}{
		{"text", "plain, wide 世界, combined e\u0301, family 👩\u200d👩\u200d👧", Options{}},
		{"styles", "\x1b[m\x1b[0;1;4:3;38;5;8;48;2;8;8;8;58:2::8:8:8mx\x1b[39;49m", Options{}},
		{"moves", "\x1b[H\x1b[2J\x1b[K\x1b[1;2H\x1b[3;20r\x1b[S\x1b[r\x1b[5G\x1b[2A", Options{}},
		{"wide characters as tcell draws them", "  \b\b世  \b\b界", Options{}},
		{"title", "\x1b]2;" + strings.Repeat("世", 40) + "\x1b\\", Options{}},
		{"link", "\x1b]8;id=1;https://example.org/a?b=c\x1b\\x\x1b]8;;\x1b\\", Options{}},
		{"one bell", "\a", Options{}},
		{"a bell a second", "\a\a\a", Options{Elapsed: 2 * time.Second}},
		{"a copy", osc52, Options{Copied: true}},
		{"the primary selection", strings.Replace(osc52, "c;", "p;", 1), Options{Copied: true}},
		{"a copy in tmux", osc52 + "\x1bPtmux;\x1b" + osc52 + "\x1b\\", Options{Copied: true, Tmux: true}},
		{"a copy in tmux, ST", "\x1bPtmux;\x1b\x1b]52;c;" + payload + "\x1b\x1b\\\x1b\\", Options{Copied: true, Tmux: true}},
		{"lines outside of the screen", "\x1b[?1049l" + "saved\r\nbye\n", Options{}},
	} {
		if err := CheckOutput([]byte("\x1b[?1049h"+c.out), c.o); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func TestO1_CopiesHaveAForm(t *testing.T) {
	allowed := Options{Copied: true, Tmux: true}
	for _, out := range []string{
		"\x1b]52;c;?\x07",
		"\x1b]52;c;!!!!\x07",
		"\x1b]52;s;" + payload + "\x07",
		"\x1b]52;;" + payload + "\x07",
		"\x1bPtmux;\x1b\x1b]2;title\x07\x1b\\",
		"\x1bPtmux;\x1b\x1b]52;c;" + payload + "\x07\x1b\x1b]52;c;" + payload + "\x07\x1b\\",
		"\x1bPtmux;\x1b\x1b]52;c;" + payload + "\x07",
		"\x1bPother;\x1b\x1b]52;c;" + payload + "\x07\x1b\\",
	} {
		if CheckOutput([]byte(out), allowed) == nil {
			t.Errorf("nothing was found in %q", out)
		}
	}
	if CheckOutput([]byte("\x1bPtmux;\x1b\x1b]52;c;"+payload+"\x07\x1b\\"), Options{Copied: true}) == nil {
		t.Error("a tmux wrapper outside of tmux was allowed")
	}
}

func TestO1_PiecesDoNotMatter(t *testing.T) {
	whole := "\x1b[?1049hA\x1b[2J\r\n\x1b[?1049l\r\n\x05"
	c := checker{}
	for _, piece := range []string{"\x1b[?1049h", "A", "\x1b[2J", "\r\n", "\x1b[?1049l", "\r\n", "\x05"} {
		c.feed([]byte(piece))
	}
	want := CheckOutput([]byte(whole), Options{})
	if got := c.result(); got == nil || want == nil || got.Error() != want.Error() {
		t.Errorf("got %v, want %v", got, want)
	}
}

func FuzzCheckOutput(f *testing.F) {
	for _, c := range forbidden {
		f.Add([]byte(c.out))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		err := CheckOutput(append([]byte("\x1b[?1049h"), data...), Options{})
		if err != nil {
			return
		}
		for _, s := range []string{"\x1b]52;", "\x1bP", "\x1b_", "\x00", "\x05", "\x7f", "\x1bc"} {
			if strings.Contains(string(data), s) {
				t.Errorf("%q passed in %q", s, data)
			}
		}
	})
}
