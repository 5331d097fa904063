package term

import (
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"copydesk/core"
)

// called is a rig whose terminal has a clock of its own; it returns what was
// written since the last time.
type called struct {
	rig
	*clock
	mark int
}

func newCalled(t *testing.T, n Notices, pairs ...string) *called {
	t.Helper()
	c := &called{clock: &clock{at: start}}
	guard := NewGuard(GuardOptions{})
	guard.after = c.clock.after
	c.rig = newRig(t, Options{Guard: guard, Now: c.clock.now, Env: env(pairs...)})
	c.SetNotices(n)
	c.said()
	return c
}

func (c *called) said() string {
	c.advance(0)
	out := c.tty.output()[c.mark:]
	c.mark += len(out)
	return out
}

func TestNoticesGoOutWhenNobodyLooks(t *testing.T) {
	loud := Notices{When: Unfocused, Bell: true}
	for _, c := range []struct {
		name    string
		notices Notices
		reports []bool
		want    string
	}{
		{"nobody knows where the focus is", loud, nil, "\a"},
		{"away", loud, []bool{true, false}, "\a"},
		{"here", loud, []bool{true}, ""},
		{"back again", loud, []bool{false, true}, ""},
		{"always", Notices{When: Always, Bell: true}, []bool{true}, "\a"},
		{"never", Notices{When: Never, Bell: true, Desktop: true}, []bool{false}, ""},
		{"no way", Notices{When: Always}, nil, ""},
		{"the desktop alone", Notices{When: Unfocused, Desktop: true}, nil, "\x1b]9;claude: Run this command?\x1b\\"},
		{"both", Notices{When: Unfocused, Desktop: true, Bell: true}, nil, "\x1b]9;claude: Run this command?\x1b\\\a"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newCalled(t, c.notices)
			for _, focused := range c.reports {
				r.caller.look(focused)
			}
			r.Notify("claude", "Run this command?")
			if got := r.said(); got != c.want {
				t.Errorf("written %q, want %q", got, c.want)
			}
		})
	}
	if r := newRig(t, Options{}); true {
		mark := len(r.tty.output())
		r.Notify("claude", "before anybody has said how")
		if out := r.tty.output()[mark:]; out != "" {
			t.Errorf("written %q", out)
		}
	}
}

func TestT68_NoticesAreRareAndTheLastOneIsNotLost(t *testing.T) {
	r := newCalled(t, Notices{When: Unfocused, Desktop: true})
	for i := range 10_000 {
		r.Notify("claude", fmt.Sprint(i))
		r.advance(3 * time.Millisecond) // 30 s in all
	}
	if got := strings.Count(r.said(), "\x1b]9;"); got != 3 {
		t.Errorf("%d notices in 30 s, want 3", got)
	}
	r.advance(core.NoticeEvery)
	if got := r.said(); got != "\x1b]9;claude: 9999\x1b\\" {
		t.Errorf("the last one: %q", got)
	}
	r.advance(time.Hour)
	if got := r.said(); got != "" {
		t.Errorf("without a notice: %q", got)
	}
}

// A notice that has to wait is dropped when it has become pointless.
func TestNoticesThatNobodyNeedsAnyMore(t *testing.T) {
	for name, meanwhile := range map[string]func(r *called){
		"the user has looked":      func(r *called) { r.caller.look(true); r.caller.look(false) },
		"the user looks":           func(r *called) { r.caller.look(true) },
		"nothing waits":            func(r *called) { r.SetWaiting("") },
		"it is not wanted":         func(r *called) { r.SetNotices(Notices{When: Never, Bell: true}) },
		"there is no way any more": func(r *called) { r.SetNotices(Notices{When: Unfocused, Title: true}) },
	} {
		t.Run(name, func(t *testing.T) {
			r := newCalled(t, Notices{When: Unfocused, Bell: true})
			r.SetWaiting("● waiting")
			r.Notify("a", "1")
			r.Notify("a", "2")
			if got := r.said(); got != "\a" {
				t.Fatalf("written %q", got)
			}
			meanwhile(r)
			r.advance(2 * core.NoticeEvery)
			if got := r.said(); strings.ContainsAny(got, "\a") {
				t.Errorf("written %q", got)
			}
		})
	}
}

func TestTheTitleSaysThatSomethingWaits(t *testing.T) {
	r := newCalled(t, Notices{When: Unfocused, Title: true})
	title := func() string {
		r.advance(core.TitleEvery)
		out := r.said()
		out = out[max(0, strings.LastIndex(out, "\x1b]2;")):]
		return strings.TrimSuffix(strings.TrimPrefix(out, "\x1b]2;"), "\x1b\\")
	}
	for _, step := range []struct {
		what string
		do   func()
		want string
	}{
		{"the title", func() { r.SetTitle("desk") }, "desk"},
		{"something waits", func() { r.SetWaiting("waiting · desk") }, "waiting · desk"},
		{"the same again", func() { r.SetTitle("desk"); r.SetWaiting("waiting · desk") }, ""},
		{"the user looks", func() { r.caller.look(true) }, "desk"},
		{"and leaves", func() { r.caller.look(false) }, "waiting · desk"},
		{"it is not wanted", func() { r.SetNotices(Notices{When: Unfocused, Bell: true}) }, "desk"},
		{"it is", func() { r.SetNotices(Notices{When: Always, Title: true}) }, "waiting · desk"},
		{"nothing waits", func() { r.SetWaiting("") }, "desk"},
	} {
		step.do()
		if got := title(); got != step.want {
			t.Errorf("%s: %q, want %q", step.what, got, step.want)
		}
	}
}

// A terminal that takes no output must not keep a focus report, and the keys
// behind it, waiting.
func TestR42_AFocusReportWaitsForNoOutput(t *testing.T) {
	r := newRig(t, Options{})
	r.SetNotices(Notices{When: Unfocused, Title: true})
	r.SetTitle("desk")
	r.SetWaiting("waiting")
	block := make(chan struct{})
	r.Screen().Show()
	r.tty.block = block
	t.Cleanup(func() { close(block) })
	go func() { _ = r.WriteRaw([]byte("x")) }()
	until(t, "a stuck write", func() bool { return r.tty.writing.Load() == 1 })
	within(t, time.Second, "a key", func() {
		r.tty.send("\x1b[I\x1b[O\x1b[Ik")
		r.Screen().PollEvent()
	})
}

func TestDesktopSequences(t *testing.T) {
	const (
		nine       = "\x1b]9;a: b\x1b\\"
		urxvt      = "\x1b]777;notify;a;b\x1b\\"
		kitty      = "\x1b]99;i=copydesk:d=0;a\x1b\\\x1b]99;i=copydesk:p=body;b\x1b\\"
		doubleNine = "\x1bPtmux;\x1b\x1b]9;a: b\x1b\x1b\\\x1b\\"
	)
	for _, c := range []struct {
		name string
		env  []string
		want string
	}{
		{"xterm", nil, nine},
		{"iTerm2", []string{"TERM_PROGRAM", "iTerm.app"}, nine},
		{"kitty", []string{"TERM", "xterm-kitty"}, kitty},
		{"kitty by another name", []string{"KITTY_WINDOW_ID", "1"}, kitty},
		{"foot", []string{"TERM", "foot"}, urxvt},
		{"foot started from kitty", []string{"TERM", "foot", "KITTY_WINDOW_ID", "1"}, urxvt},
		{"urxvt", []string{"TERM", "rxvt-unicode-256color"}, urxvt},
		{"Ghostty", []string{"TERM", "xterm-ghostty"}, urxvt},
		{"WezTerm", []string{"TERM_PROGRAM", "WezTerm"}, urxvt},
		{"the Linux console", []string{"TERM", "linux"}, "\a"},
		{"the Linux console, kitty in another session", []string{"TERM", "linux", "KITTY_WINDOW_ID", "1"}, "\a"},
		{"VT220", []string{"TERM", "vt220"}, "\a"},
		{"tmux over SSH", []string{"TERM", "tmux-256color"}, "\a"},
		{"tmux in who knows what", []string{"TERM", "tmux-256color", "TMUX", "/tmp/s,1,0"}, "\a"},
		{"tmux in iTerm2", []string{"TERM", "screen-256color", "TMUX", "/tmp/s,1,0", "LC_TERMINAL", "iTerm2"}, doubleNine + "\a"},
		{"tmux in kitty", []string{"TERM", "tmux-256color", "TMUX", "/tmp/s,1,0", "KITTY_WINDOW_ID", "1"},
			"\x1bPtmux;" + strings.ReplaceAll(kitty, "\x1b", "\x1b\x1b") + "\x1b\\\a"},
		{"screen in iTerm2", []string{"TERM", "screen.xterm-256color", "STY", "1.x", "LC_TERMINAL", "iTerm2"}, "\x1bP\x1b]9;a: b\a\x1b\\\a"},
		{"screen", []string{"TERM", "screen", "STY", "1.x"}, "\a"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newCalled(t, Notices{When: Always, Desktop: true}, c.env...)
			r.Notify("a", "b")
			if diff := cmp.Diff(c.want, r.said()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestT68_NoticesCarryNothing: whatever an agent is called and asks, one
// sequence comes out, short, with no more fields than it has, and on one line.
func TestT68_NoticesCarryNothing(t *testing.T) {
	nasty := rapid.OneOf(
		rapid.String(), rapid.StringN(0, 400, 2000),
		rapid.SampledFrom([]string{"\x1b]52;c;QQ==\a", "\x1b\\\x1b[2J", "\u009c\u009b2J", "4;3;50", "9;C:\\", "\x9c", "a;b;c", "\u202ex\u2066", "\r\nls\n", "e" + strings.Repeat("\u0301", 900), "\xff\xfe", strings.Repeat("漢", 300)}),
	)
	rapid.Check(t, func(t *rapid.T) {
		n := notice{nasty.Draw(t, "title"), nasty.Draw(t, "body")}
		d := desktop{form: rapid.SampledFrom([]form{osc9, osc777, osc99}).Draw(t, "form")}
		out := string(d.sequence(n))
		if !utf8.ValidString(out) {
			t.Fatalf("not UTF-8: %q", out)
		}
		var begin, end, fields int
		texts := strings.NewReplacer("\x1b]", "", "\x1b\\", "", "i=copydesk:d=0;", "", "i=copydesk:p=body;", "", "777;notify;", "", "99;", "", "9;", "").Replace(out)
		begin, end, fields = strings.Count(out, "\x1b]"), strings.Count(out, "\x1b\\"), strings.Count(out, ";")
		want := map[form][3]int{osc9: {1, 1, 1}, osc777: {1, 1, 3}, osc99: {2, 2, 4}}[d.form]
		if got := [3]int{begin, end, fields}; got != want || strings.Count(out, "\x1b") != begin+end {
			t.Fatalf("%q has %v, want %v", out, got, want)
		}
		if bad := strings.IndexFunc(texts, func(r rune) bool { return unicode.In(r, unicode.Cc, unicode.Bidi_Control, unicode.Zl, unicode.Zp) }); bad >= 0 {
			t.Fatalf("a control in %q", texts)
		}
		if len(texts) > noticeBytes+len("> ") {
			t.Fatalf("%d bytes of text", len(texts))
		}
		if d.form == osc9 && strings.ContainsAny(out[len("\x1b]9;"):][:1], "0123456789") {
			t.Fatalf("a command: %q", out)
		}
	})
}
