package term

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/gdamore/tcell/v2"
)

func TestWritesNeverInterleave(t *testing.T) {
	r := newRig(t, Options{})
	raw := "\x1b]52;c;" + strings.Repeat("QUJD", 200) + "\x1b\\"
	var wg sync.WaitGroup
	for range 4 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for range 20 {
				if err := r.WriteRaw([]byte(raw)); err != nil {
					t.Error(err)
				}
			}
		}()
	}
	for i := range 50 {
		r.Screen().PutStrStyled(0, i%24, fmt.Sprint("frame ", i), tcell.StyleDefault.Bold(i%2 == 0))
		r.Screen().Show()
	}
	wg.Wait()
	if r.tty.overlap.Load() {
		t.Error("two writes at once")
	}
	if n := strings.Count(r.tty.output(), raw); n != 80 {
		t.Errorf("%d of 80 sequences are whole", n)
	}
}

func TestRawWriteIsRefusedWhenTheTerminalIsNotOurs(t *testing.T) {
	r := newRig(t, Options{})
	if err := r.Screen().Suspend(); err != nil {
		t.Fatal(err)
	}
	before := len(r.tty.output())
	if err := r.WriteRaw([]byte("x")); !errors.Is(err, ErrRefused) {
		t.Errorf("suspended: %v", err)
	}
	r.Screen().Show() // tcell draws on; it must not reach the shell
	if out := r.tty.output(); len(out) != before {
		t.Errorf("written while suspended: %q", out[before:])
	}
	if err := r.Screen().Resume(); err != nil {
		t.Fatal(err)
	}
	if err := r.WriteRaw([]byte("y")); err != nil {
		t.Errorf("resumed: %v", err)
	}
	r.Close()
	if err := r.WriteRaw([]byte("x")); !errors.Is(err, ErrRefused) {
		t.Errorf("closed: %v", err)
	}
	if err := r.Screen().Resume(); !errors.Is(err, ErrRefused) {
		t.Errorf("resume after the end: %v", err)
	}
	if n := r.tty.started.Load(); n != 0 {
		t.Errorf("the tty is started %d times after the end", n)
	}
}

func TestR17_TheLossOfTheTerminalIsTold(t *testing.T) {
	t.Run("end of input", func(t *testing.T) {
		r := newRig(t, Options{})
		close(r.tty.in)
		within(t, time.Second, "Lost", func() { <-r.Lost() })
	})
	t.Run("EIO", func(t *testing.T) {
		r := newRig(t, Options{})
		err := error(&os.PathError{Op: "write", Path: "/dev/tty", Err: syscall.EIO})
		r.tty.failing.Store(&err)
		if got := r.WriteRaw([]byte("x")); !errors.Is(got, syscall.EIO) {
			t.Errorf("WriteRaw: %v", got)
		}
		within(t, time.Second, "Lost", func() { <-r.Lost() })
	})
	t.Run("not by suspending", func(t *testing.T) {
		r := newRig(t, Options{})
		_ = r.Screen().Suspend()
		_ = r.Screen().Resume()
		select {
		case <-r.Lost():
			t.Error("lost")
		default:
		}
	})
}

func TestR28_SizesOfZeroAre80x24(t *testing.T) {
	for _, size := range [][2]int32{{0, 0}, {0, 24}, {80, 0}} {
		r := rig{tty: newFakeTty(), dev: newFakeDevice(size[0], size[1])}.open(t, Options{Env: env()})
		if w, h := r.Screen().Size(); w != 80 || h != 24 {
			t.Errorf("%v: %d×%d", size, w, h)
		}
		r.dev.w.Store(100)
		r.dev.h.Store(30)
		r.Screen().Show()
		if w, h := r.Screen().Size(); w != 100 || h != 30 {
			t.Errorf("told 100×30, is %d×%d", w, h)
		}
	}
}

func TestR27_TheLastSizeArrives(t *testing.T) {
	r := newRig(t, Options{})
	until(t, "size watch", func() bool { r.dev.mu.Lock(); defer r.dev.mu.Unlock(); return r.dev.size != nil })
	for i := range int32(200) {
		r.dev.w.Store(1 + i%80)
		r.dev.h.Store(1 + i%24)
		r.dev.size()
	}
	r.dev.w.Store(77)
	r.dev.h.Store(11)
	r.dev.size()
	go func() {
		for r.Screen().PollEvent() != nil {
		}
	}()
	until(t, "77×11", func() bool { w, h := r.Screen().Size(); return w == 77 && h == 11 })
}

func TestMouseModesAreButtonsAndDragsOnly(t *testing.T) {
	r := newRig(t, Options{})
	before := len(r.tty.output())
	r.Screen().EnableMouse()
	if out := r.tty.output(); len(out) != before {
		t.Errorf("mouse off, written %q", out[before:])
	}
	r = newRig(t, Options{Mouse: true})
	before = len(r.tty.output())
	r.Screen().EnableMouse(tcell.MouseMotionEvents)
	out := r.tty.output()[before:]
	for _, mode := range []string{"1000", "1002", "1006"} {
		if !strings.Contains(out, "\x1b[?"+mode+"h") {
			t.Errorf("mode %s is not asked for in %q", mode, out)
		}
	}
	if strings.Contains(out, "\x1b[?1003h") {
		t.Errorf("all motion is asked for: %q", out)
	}
}

func TestInitIsDoneByOpen(t *testing.T) {
	r := newRig(t, Options{})
	before := len(r.tty.output())
	if before == 0 {
		t.Fatal("nothing written by Open")
	}
	if err := r.Screen().Init(); err != nil || len(r.tty.output()) != before {
		t.Errorf("Init: %v, wrote %q", err, r.tty.output()[before:])
	}
	if !strings.Contains(r.tty.output(), "\x1b[?2004h") {
		t.Error("bracketed paste is off")
	}
	r.Close()
	if err := r.Screen().Init(); err == nil {
		t.Error("Init after the end: no error")
	}
}

func TestR41_ContentIsUTF8InEveryLocale(t *testing.T) {
	for _, c := range []struct {
		locale string
		ascii  bool
	}{
		{"C", true}, {"POSIX", true}, {"C.UTF-8", false}, {"de_DE.utf8@euro", false},
		{"en_US", false}, {"de_DE.ISO-8859-1", true}, {"", false},
	} {
		t.Run(c.locale, func(t *testing.T) {
			t.Setenv("LC_ALL", c.locale)
			t.Setenv("LC_CTYPE", "")
			t.Setenv("LANG", "")
			r := newRig(t, Options{Env: env("LC_ALL", c.locale)})
			r.Screen().PutStr(0, 0, "é漢█")
			r.Screen().Show()
			for _, s := range []string{"é", "漢", "█"} {
				if !strings.Contains(r.tty.output(), s) {
					t.Errorf("%s is not in the output", s)
				}
			}
			if r.ASCII() != c.ascii {
				t.Errorf("ASCII is %v", r.ASCII())
			}
		})
	}
}

func TestR41_TitlesAreASCIIWhereNothingElseIs(t *testing.T) {
	for locale, want := range map[string]string{"C": "* waiting - a?b...", "C.UTF-8": "● waiting · a漢b…"} {
		r := newRig(t, Options{Env: env("LANG", locale)})
		r.SetTitle("● waiting · a漢b…")
		if !strings.HasSuffix(r.tty.output(), "\x1b]2;"+want+"\x1b\\") {
			t.Errorf("LANG=%s: written %q", locale, r.tty.output())
		}
	}
}

func TestR40_TerminalTypes(t *testing.T) {
	for _, c := range []struct {
		term string
		ok   bool
	}{{"dumb", false}, {"", true}, {"no-such-terminal", true}, {"xterm-256color", true}, {"linux", true}} {
		_, err := terminfoFor(env("TERM", c.term))
		if (err == nil) != c.ok {
			t.Errorf("TERM=%q: %v", c.term, err)
		}
		var bad *UnusableTerminal
		if err != nil && (!errors.As(err, &bad) || !strings.Contains(err.Error(), "TERM="+c.term)) {
			t.Errorf("TERM=%q: %v", c.term, err)
		}
	}
}

func TestR40_NoColorSendsNoColour(t *testing.T) {
	t.Setenv("NO_COLOR", "1")
	r := newRig(t, Options{Env: env("NO_COLOR", "1")})
	r.Screen().PutStrStyled(0, 0, "red", tcell.StyleDefault.Foreground(tcell.ColorRed).Background(tcell.ColorBlue).Bold(true))
	r.Screen().Show()
	r.Close()
	out := r.tty.output()
	for _, colour := range []string{"\x1b[3", "\x1b[4", "\x1b[9", "\x1b[1;3"} {
		for rest := out; ; {
			i := strings.Index(rest, colour)
			if i < 0 {
				break
			}
			rest = rest[i+2:]
			if end := strings.IndexAny(rest, "mhlHJKu~q"); end >= 0 && rest[end] == 'm' {
				t.Errorf("colour sequence %q", rest[:end+1])
			}
		}
	}
	if !strings.Contains(out, "\x1b[1m") {
		t.Error("bold is missing")
	}
}

func TestR39_NoEscapeByteOnAPipe(t *testing.T) {
	in, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	_, err = Open(Options{In: in, Out: out})
	var not *NotATerminal
	if !errors.As(err, &not) || not.Stream != "Standard input" {
		t.Fatalf("error is %v", err)
	}
	out.Close()
	if got, _ := io.ReadAll(in); len(got) > 0 {
		t.Errorf("written %q", got)
	}
}

func TestFiniEndsUnderLoadWithNobodyPolling(t *testing.T) {
	r := newRig(t, Options{})
	quit := make(chan struct{})
	defer close(quit)
	go func() {
		for {
			select {
			case r.tty.in <- []byte(strings.Repeat("x", 4096)):
			case <-quit:
				return
			}
		}
	}()
	until(t, "a full queue", func() bool { return len(r.screen.out) > 0 })
	within(t, finiLimit, "Fini", r.Screen().Fini)
	if n := r.tty.started.Load(); n != 0 {
		t.Error("tcell did not finish by itself")
	}
	if r.Screen().PollEvent() != nil {
		t.Error("an event after Fini")
	}
}

func TestR42_RestoreWorksWhileOutputIsBlocked(t *testing.T) {
	t.Parallel()
	r := newRig(t, Options{})
	r.tty.block = make(chan struct{})
	defer close(r.tty.block)
	go r.Screen().Show()
	until(t, "a stuck write", func() bool { return r.tty.writing.Load() == 1 })
	within(t, time.Second, "Restore", func() { r.Restore(); r.Restore() })
	if out := r.dev.written(); out != "\x18\x1b\\"+string(resetBytes(true)) {
		t.Errorf("written %q", out)
	}
	if r.dev.restored.Load() == 0 {
		t.Error("the modes are not restored")
	}
	within(t, 2*time.Second, "Close", r.Close)
}

func TestRestoreIsNoOpAfterACleanEnd(t *testing.T) {
	r := newRig(t, Options{})
	r.Close()
	r.Restore()
	if out := r.dev.written(); out != "" {
		t.Errorf("a second reset was written: %q", out)
	}
}
