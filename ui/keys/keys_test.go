package keys

import (
	"strings"
	"testing"
	"unicode"

	"github.com/gdamore/tcell/v2"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func mustParse(t *testing.T, s string) Chord {
	t.Helper()
	c, err := Parse(s)
	if err != nil {
		t.Fatalf("Parse(%q): %v", s, err)
	}
	return c
}

// strokes generates what From can return for any event of a key with a name or
// a character.
func strokes() *rapid.Generator[Stroke] {
	return rapid.Custom(func(t *rapid.T) Stroke {
		mod := tcell.ModMask(rapid.IntRange(0, 31).Draw(t, "mod"))
		switch rapid.IntRange(0, 3).Draw(t, "kind") {
		case 0:
			n := keyNames[rapid.IntRange(0, len(keyNames)-1).Draw(t, "name")]
			return From(tcell.NewEventKey(n.key, 0, mod))
		case 1:
			return From(tcell.NewEventKey(tcell.KeyF1+tcell.Key(rapid.IntRange(0, 63).Draw(t, "f")), 0, mod))
		case 2:
			control := rapid.OneOf(rapid.IntRange(0, 31), rapid.IntRange(64, 95), rapid.Just(127))
			return From(tcell.NewEventKey(tcell.Key(control.Draw(t, "key")), 0, mod))
		default:
			r := rapid.Rune().Filter(unicode.IsPrint).Draw(t, "rune")
			return From(tcell.NewEventKey(tcell.KeyRune, r, mod))
		}
	})
}

func TestParseReadsWhatStringWrites(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := Chord(rapid.SliceOfN(strokes(), 1, 2).Draw(t, "chord"))
		for _, text := range []string{c.String(), c.Label()} {
			got, err := Parse(text)
			if err != nil {
				t.Fatalf("Parse(%q): %v", text, err)
			}
			if !got.Equal(c) {
				t.Fatalf("Parse(%q) = %#v, want %#v", text, got, c)
			}
		}
	})
}

func TestStrokesHaveOneForm(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := strokes().Draw(t, "stroke")
		if again := canonical(s); again != s {
			t.Fatalf("canonical(%#v) = %#v", s, again)
		}
	})
}

func TestParseTakesEveryWriting(t *testing.T) {
	for in, want := range map[string]string{
		"Ctrl+Y":       "ctrl+y",
		"shift+alt+F5": "alt+shift+f5",
		"A":            "A",
		"shift+a":      "A",
		"alt+A":        "alt+a",
		"+":            "plus",
		"ctrl+plus":    "ctrl+plus",
		"ctrl++":       "ctrl+plus",
		" ctrl+x  r ":  "ctrl+x r",
		"ctrl+i":       "tab",
		"ctrl+m":       "enter",
		"ctrl+[":       "esc",
		"ctrl+@":       "ctrl+space",
		"PgUp":         "pgup",
		"?":            "?",
		"é":            "é",
	} {
		if got := mustParse(t, in).String(); got != want {
			t.Errorf("Parse(%q) = %q, want %q", in, got, want)
		}
	}
	for _, in := range []string{"", " ", "ctrl+", "ctrl", "hyperspace", "ctrl+ctrl+a", "banana+a", "a b c", "f0", "f01", "f65", "\x1b", "\u200b", "ctrl+yy", "\xff"} {
		if c, err := Parse(in); err == nil {
			t.Errorf("Parse(%q) = %q, want an error", in, c)
		} else if !strings.Contains(err.Error(), "is not a key") && in != "a b c" {
			t.Errorf("Parse(%q): %v, want it to say that it is not a key", in, err)
		}
	}
}

// TestFromLegacyBytes feeds the bytes terminals send through tcell's own input
// parser.
func TestFromLegacyBytes(t *testing.T) {
	for bytes, want := range map[string]string{
		"\r":            "enter",
		"\n":            "ctrl+j",
		"\x1b\r":        "alt+enter",
		"\x1b\n":        "alt+ctrl+j",
		"\t":            "tab",
		"\x1b[Z":        "shift+tab",
		"\x7f":          "backspace",
		"\b":            "backspace",
		"\x1b\x7f":      "alt+backspace",
		"\x1b\b":        "alt+backspace",
		"\x00":          "ctrl+space",
		"\x19":          "ctrl+y",
		"\x1c":          `ctrl+\`,
		"\x1f":          "ctrl+_",
		"\x1b\x1c":      `alt+ctrl+\`,
		"\x1b\x00":      "alt+ctrl+space",
		"a":             "a",
		"A":             "A",
		"\x1bA":         "alt+shift+a",
		"\x1b[97;4u":    "alt+shift+a",
		"\x1b[13;2u":    "shift+enter",
		"\x1b[27;2;13~": "shift+enter",
		"\x1b[13;3u":    "alt+enter",
		"\x1b[13;5u":    "ctrl+enter",
		"\x1b[27;5;13~": "ctrl+enter",
		"\x1b[105;5u":   "tab",
		"\x1b[121;5u":   "ctrl+y",
		"\x1b[27;6;65~": "ctrl+shift+a",
		"\x1b[97;6u":    "ctrl+shift+a",
		"\x1b[1;5A":     "ctrl+up",
		"\x1b[1;3B":     "alt+down",
		"\x1bOP":        "f1",
		"\x1b[11~":      "f1",
		"\x1b[5~":       "pgup",
		"\x1b[1;5H":     "ctrl+home",
		"é":             "é",
	} {
		events := make(chan tcell.Event, 8)
		tcell.NewInputProcessor(events).ScanUTF8([]byte(bytes))
		close(events)
		var got []string
		for ev := range events {
			if key, ok := ev.(*tcell.EventKey); ok {
				got = append(got, From(key).String())
			}
		}
		want := mustParse(t, want).String()
		if diff := cmp.Diff([]string{want}, got); diff != "" {
			t.Errorf("%q: (-want +got)\n%s", bytes, diff)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, b := range Table() {
		for _, c := range b.Default {
			f.Add(c)
		}
	}
	for _, s := range []string{"ctrl+", "+", "ctrl+plus", "Alt+İ", "shift+ß", "f64", "ctrl+@", "alt+ctrl+`"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		c, err := Parse(s)
		if err != nil {
			return
		}
		again, err := Parse(c.String())
		if err != nil || !again.Equal(c) {
			t.Fatalf("Parse(%q) = %q, which reads as %q (%v)", s, c, again, err)
		}
		for _, stroke := range c {
			if canonical(stroke) != stroke {
				t.Fatalf("Parse(%q) holds %#v, which is not in its one form", s, stroke)
			}
		}
	})
}

func TestKEY1_TheTableCompilesWithoutAProblem(t *testing.T) {
	m, problems := Compile(nil)
	if len(problems) > 0 {
		t.Fatalf("problems: %v", problems)
	}
	seen := map[Action]bool{}
	groups := map[string]bool{}
	last := ""
	for _, b := range Table() {
		if seen[b.Action] {
			t.Errorf("%s stands there twice", b.Action)
		}
		seen[b.Action] = true
		if b.Group != last && groups[b.Group] {
			t.Errorf("the group %s of %s stands in two places", b.Group, b.Action)
		}
		groups[b.Group], last = true, b.Group
		if b.Help == "" || strings.HasSuffix(b.Help, ".") || len(b.Contexts) == 0 {
			t.Errorf("%s: help %q, contexts %v", b.Action, b.Help, b.Contexts)
		}
		if len(m.Chords(b.Action)) != len(b.Default) {
			t.Errorf("%s: %d chords of %v", b.Action, len(m.Chords(b.Action)), b.Default)
		}
		for _, text := range b.Default {
			c := mustParse(t, text)
			if c.String() != text {
				t.Errorf("%s: %q is written %q", b.Action, text, c)
			}
			if err := allowed(b, c); err != nil {
				t.Errorf("%s: %v", b.Action, err)
			}
			for _, context := range b.Contexts {
				if a := press(m, []Context{context}, c); a != b.Action {
					t.Errorf("%s in %s does %q, want %q", c, context, a, b.Action)
				}
			}
		}
	}
}

// press finds the action of a whole chord.
func press(m *Map, contexts []Context, c Chord) Action {
	if len(c) == 1 {
		a, _ := m.Find(contexts, nil, c[0])
		return a
	}
	if _, more := m.Find(contexts, nil, c[0]); !more {
		return ""
	}
	a, _ := m.Find(contexts, c[:1], c[1])
	return a
}

func TestKEY2_CtrlABQStayFree(t *testing.T) {
	for _, b := range Table() {
		for _, text := range b.Default {
			for _, s := range mustParse(t, text) {
				for _, free := range []string{"ctrl+a", "ctrl+b", "ctrl+q"} {
					if s == mustParse(t, free)[0] {
						t.Errorf("%s uses %s", b.Action, free)
					}
				}
				if len(mustParse(t, text)) == 2 && mustParse(t, text)[0].String() != "ctrl+x" {
					t.Errorf("%s: %q has another leader than ctrl+x", b.Action, text)
				}
			}
		}
	}
}

func TestKEY2_Defaults(t *testing.T) {
	m, _ := Compile(nil)
	input := []Context{Input, Global}
	for _, c := range []struct {
		contexts []Context
		chord    string
		want     Action
	}{
		{input, "ctrl+y", CopyAnswer},
		{input, "enter", Send},
		{input, "alt+enter", Newline},
		{input, "ctrl+j", Newline},
		{input, "tab", Complete},
		{[]Context{Panel, Global}, "tab", FocusNext},
		{[]Context{Panel, Global}, "enter", FocusInput},
		{input, "i", ""},
		{input, "ctrl+x r", FocusRequest},
		{[]Context{Approval, Global}, "a", Approve},
		{[]Context{Approval, Global}, "1", Approve},
		{[]Context{Approval, Global}, "r", Reject},
		{[]Context{Approval, Global}, "2", Reject},
		{[]Context{Approval, Global}, "enter", ""},
		{[]Context{Approval, Global}, "y", ""},
		{[]Context{Text, Global}, "r", ""},
		{[]Context{Choice, Global}, "r", RejectChoice},
		{[]Context{Choice, Global}, "1", ""},
		{[]Context{List, Global}, "esc", ListClose},
		{input, "esc", Close},
	} {
		if got := press(m, c.contexts, mustParse(t, c.chord)); got != c.want {
			t.Errorf("%s in %v does %q, want %q", c.chord, c.contexts, got, c.want)
		}
	}
	if a, more := m.Find(input, nil, mustParse(t, "ctrl+x")[0]); a != "" || !more {
		t.Errorf("the leader gives %q, %v", a, more)
	}
	if a, more := m.Find(input, mustParse(t, "ctrl+x"), mustParse(t, "ctrl+y")[0]); a != "" || more {
		t.Errorf("ctrl+x ctrl+y gives %q, %v; want nothing", a, more)
	}
}

func TestFollowingListsTheLeader(t *testing.T) {
	m, _ := Compile(nil)
	var got []string
	for _, f := range m.Following([]Context{Input, Global}, mustParse(t, "ctrl+x")[0]) {
		got = append(got, f.Stroke.Label()+" "+string(f.Binding.Action))
	}
	want := []string{
		"y copy-panel", "l copy-last", "c pick-copy", "/ find-anywhere", "v clean-view", "n next-pane", "p previous-pane", "w new-pane", "k close-pane",
		"a switch-agent", "m agent-options", "o details", "q queue", "s sessions", "r focus-request",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// TestKEY2_ThePanesHaveKeys holds that each of the first nine panes has a key, in
// the order of their numbers, and that the help says so in a few words.
func TestKEY2_ThePanesHaveKeys(t *testing.T) {
	m, _ := Compile(nil)
	for i, c := range m.Chords(GoToPane) {
		if want := mustParse(t, "alt+"+string(rune('1'+i))); !c.Equal(want) {
			t.Errorf("pane %d has %s, want %s", i+1, c, want)
		}
		for _, narrow := range []Context{Input, Panel, Approval, Choice, Text, Form} {
			if got := press(m, []Context{narrow, Global}, c); got != GoToPane {
				t.Errorf("%s in the %s context does %q", c, narrow, got)
			}
		}
	}
	for _, r := range m.Rows() {
		if r.Action == GoToPane && r.Keys != "Alt+1 to Alt+9" {
			t.Errorf("the help names the keys %q", r.Keys)
		}
	}
}

func TestFooterNamesTheKeysInForce(t *testing.T) {
	m, _ := Compile(map[string][]string{"reject": {}, "approve": {"ctrl+g"}})
	var got []string
	for _, r := range m.Footer([]Context{Approval}) {
		got = append(got, r.Keys+" "+r.Help)
	}
	if diff := cmp.Diff([]string{"c copy", "Ctrl+G approve"}, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
