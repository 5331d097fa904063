package term

import (
	"strings"
	"testing"
	"time"

	"github.com/gdamore/tcell/v2"
	"pgregory.net/rapid"
)

func TestFocusIsTold(t *testing.T) {
	told := make(chan bool, 1)
	r := newRig(t, Options{Focus: func(on bool) { told <- on }})
	if !strings.Contains(r.tty.output(), focusOn) {
		t.Error("focus reports are not asked for")
	}
	if _, known := r.Focus(); known {
		t.Error("the focus is known before the terminal has said so")
	}
	for report, want := range map[string]bool{"\x1b[O": false, "\x1b[I": true} {
		r.tty.send(report)
		if got := <-told; got != want {
			t.Errorf("%q is told as %v", report, got)
		}
		if focused, known := r.Focus(); focused != want || !known {
			t.Errorf("after %q: focused %v, known %v", report, focused, known)
		}
	}
	if err := r.Screen().Suspend(); err != nil {
		t.Fatal(err)
	}
	if err := r.Screen().Resume(); err != nil {
		t.Fatal(err)
	}
	if _, known := r.Focus(); known {
		t.Error("what was said before the terminal was in other hands still counts")
	}
}

// Focus reports are off whenever the terminal is not ours.
func TestFocusReportsAreSwitchedOff(t *testing.T) {
	off := func(t *testing.T, out string) {
		t.Helper()
		if on, off := strings.LastIndex(out, focusOn), strings.LastIndex(out, "\x1b[?1004l"); on < 0 || off < on {
			t.Errorf("left on: %q", out)
		}
	}
	for _, name := range []string{"xterm-256color", "foot", "screen-256color", "linux"} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, Options{Env: env("TERM", name)})
			if name == "linux" { // it has no such mode
				if strings.Contains(r.tty.output(), focusOn) {
					t.Error("asked for")
				}
				return
			}
			if err := r.Suspend(suspender{r.Screen()}); err == nil {
				t.Fatal("stopped")
			}
			if err := r.Screen().Suspend(); err != nil {
				t.Fatal(err)
			}
			off(t, r.tty.output())
			if err := r.Screen().Resume(); err != nil {
				t.Fatal(err)
			}
			if out := r.tty.output(); strings.LastIndex(out, focusOn) < strings.LastIndex(out, "\x1b[?1004l") {
				t.Error("not asked for after the return")
			}
			err := r.Lend(suspender{r.Screen()}, func() error { off(t, r.tty.output()); return nil })
			if err != nil {
				t.Fatal(err)
			}
			r.Restore()
			if out := r.dev.written(); !strings.Contains(out, "\x1b[?1004l") {
				t.Errorf("not in the reset: %q", out)
			}
		})
	}
	r := newRig(t, Options{})
	r.Close()
	off(t, r.tty.output())
}

// TestT41_NoByteOfAFocusReportIsAKey cuts reports, and the marks of a paste, at
// every place, with every wait between, also where they come amid keys.
func TestT41_NoByteOfAFocusReportIsAKey(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"alone", "\x1b[I", ""},
		{"two", "\x1b[O\x1b[I", ""},
		{"after a key", "a\x1b[O", "a"},
		{"before keys", "\x1b[Iyb", "yb"},
		{"after Esc", "\x1b\x1b[O", ""},
		{"in a paste", pasteStart + "one\x1b[Otwo\x1b[I" + pasteEnd, "{onetwo}"},
	} {
		for cut := range len(c.in) + 1 {
			for _, wait := range []time.Duration{time.Millisecond, escWait, tokenWait, tornWait} {
				var told []bool
				f := newFilter(func() (int, int) { return 80, 24 }, nil, func(on bool) { told = append(told, on) })
				got := show(f.feed([]byte(c.in[:cut]), start))
				got += show(f.expire(start.Add(wait)))
				got += show(f.feed([]byte(c.in[cut:]), start.Add(wait)))
				got += show(f.expire(start.Add(time.Hour)))
				// What was given up is Esc, or Alt and a bracket: no text.
				got = strings.NewReplacer("<Esc>", "", "<Alt+Rune[[]>", "").Replace(got)
				if got != c.want {
					t.Errorf("%s, cut at %d, %v later: got %q, want %q", c.name, cut, wait, got, c.want)
				}
				if len(told) != strings.Count(c.in, "I")+strings.Count(c.in, "O") {
					t.Errorf("%s, cut at %d, %v later: told %v", c.name, cut, wait, told)
				}
			}
		}
	}
}

// What is typed after Esc stays: only the rest of a report is taken.
func TestKeysAfterEscAreNotTakenForAReport(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		typed := rapid.StringOf(rapid.RuneFrom([]rune("[IOax200~"))).Draw(t, "typed")
		f := testFilter()
		at := start
		f.feed([]byte("\x1b"), at)
		at = at.Add(escWait)
		f.expire(at)
		var got strings.Builder
		for _, b := range []byte(typed) {
			at = at.Add(time.Duration(rapid.IntRange(1, 400).Draw(t, "pause")) * time.Millisecond)
			if d := f.wait(); d > 0 && at.Sub(f.last) >= d {
				got.WriteString(show(f.expire(at)))
			}
			got.WriteString(show(f.feed([]byte{b}, at)))
		}
		got.WriteString(show(f.expire(at.Add(time.Hour))))
		if got.String() != typed {
			t.Fatalf("typed %q, got %q", typed, got.String())
		}
	})
}

func TestFocusIsNoEvent(t *testing.T) {
	r := newRig(t, Options{})
	r.tty.send("\x1b[I")
	r.tty.send("\x1b[Ok")
	for {
		switch ev := r.Screen().PollEvent().(type) {
		case *tcell.EventResize:
		case *tcell.EventKey:
			if ev.Rune() != 'k' {
				t.Errorf("the first key is %s", ev.Name())
			}
			return
		default:
			t.Fatalf("a %T", ev)
		}
	}
}
