package term

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
	"unicode"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/uniseg"

	"copydesk/core"
)

// TestLongPasteIsCutAndKeysLive: 10 MB give 4 MiB, one notice, and the key
// after it, in bounded memory.
func TestLongPasteIsCutAndKeysLive(t *testing.T) {
	var cuts atomic.Int32
	r := newRig(t, Options{PasteCut: func() { cuts.Add(1) }})
	go r.tty.send(pasteStart + strings.Repeat("0123456789abcde\n", 10<<20/16) + pasteEnd + "k")
	var runes, peak uint64
	var key rune
	for pasting, polls := false, 0; key == 0; polls++ {
		switch ev := r.Screen().PollEvent().(type) {
		case *tcell.EventPaste:
			pasting = ev.Start()
		case *tcell.EventKey:
			if pasting {
				runes++
			} else {
				key = ev.Rune()
			}
		}
		if polls%500_000 == 0 {
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			peak = max(peak, m.HeapInuse)
		}
	}
	if runes != core.PasteBytes || cuts.Load() != 1 || key != 'k' {
		t.Errorf("%d characters, %d cuts, key %q", runes, cuts.Load(), key)
	}
	if limit := uint64(100 << 20); peak > limit {
		t.Errorf("%d MiB in use", peak>>20)
	}
}

// clock is a hand-driven clock.
type clock struct {
	mu   sync.Mutex
	at   time.Time
	due  []func()
	when []time.Time
}

func (c *clock) now() time.Time { c.mu.Lock(); defer c.mu.Unlock(); return c.at }

func (c *clock) after(d time.Duration, f func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.due, c.when = append(c.due, f), append(c.when, c.at.Add(d))
}

func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	c.at = c.at.Add(d)
	var run []func()
	for i := 0; i < len(c.due); {
		if c.when[i].After(c.at) {
			i++
			continue
		}
		run = append(run, c.due[i])
		c.due, c.when = append(c.due[:i], c.due[i+1:]...), append(c.when[:i], c.when[i+1:]...)
	}
	c.mu.Unlock()
	for _, f := range run {
		f()
	}
}

func TestT68_TitlesAndBellsAreRare(t *testing.T) {
	c := &clock{at: start}
	var out []string
	a := newAnnouncer(c.now, c.after, func(p []byte) error { out = append(out, string(p)); return nil }, true)
	for i := range 10_000 {
		a.setTitle(fmt.Sprint("title ", i))
		a.bell()
		c.advance(100 * time.Microsecond) // one second in all
	}
	titles, bells := 0, 0
	for _, s := range out {
		if s == "\a" {
			bells++
		} else {
			titles++
		}
	}
	if titles > 5 || bells > 1 {
		t.Errorf("%d titles and %d bells in a second", titles, bells)
	}
	c.advance(core.TitleEvery)
	if last := out[len(out)-1]; last != "\x1b]2;title 9999\x1b\\" {
		t.Errorf("the last title is %q", last)
	}
	n := len(out)
	a.setTitle("title 9999")
	c.advance(time.Hour)
	if len(out) != n {
		t.Error("the same title was written again")
	}
	a.bell()
	if len(out) != n+1 {
		t.Error("no bell after an hour")
	}
}

func TestT68_TitlesAreOneCleanLine(t *testing.T) {
	for _, in := range []string{
		"a\x1b]2;b\x07c\x9c\u009c", "x\u202ey\u200bz\ufeff\U000e0041", "two\nlines\tand\u2028more\r\n",
		strings.Repeat("漢", 100), strings.Repeat("\x1b", 1<<20), "e" + strings.Repeat("\u0301", 1000), "",
	} {
		got := cleanTitle(in)
		if strings.ContainsFunc(got, func(r rune) bool { return unicode.In(r, unicode.Cc, unicode.Bidi_Control, unicode.Zl, unicode.Zp) }) {
			t.Errorf("%.40q gives %q", in, got)
		}
		if uniseg.StringWidth(got) > core.TitleCells || len(got) > maxTitle+16 {
			t.Errorf("%.40q gives %d bytes, %d cells", in, len(got), uniseg.StringWidth(got))
		}
	}
	if got := cleanTitle(" copydesk: $<5000> 漢 "); got != "copydesk: $<5000> 漢" {
		t.Errorf("got %q", got)
	}
}

// suspender does what a tview application does.
type suspender struct{ s tcell.Screen }

func (s suspender) Suspend(f func()) bool {
	if s.s.Suspend() != nil {
		return false
	}
	f()
	_ = s.s.Resume()
	return true
}

func TestR38_SuspendStopsAndComesBack(t *testing.T) {
	t.Parallel()
	r := newRig(t, Options{})
	r.SetTitle("desk")
	r.dev.onStop = func() {
		if r.tty.started.Load() != 0 {
			t.Error("stopped with the terminal engaged")
		}
		r.dev.front.Store(false) // bg: continued, but not in front
		go r.continued()
		time.AfterFunc(2*frontPoll, func() { r.dev.front.Store(true) })
	}
	mark := len(r.tty.output())
	if err := r.Suspend(suspender{r.Screen()}); err != nil {
		t.Fatal(err)
	}
	out := r.tty.output()[mark:]
	leave, enter := strings.Index(out, "\x1b[?1049l"), strings.LastIndex(out, "\x1b[?1049h")
	if leave < 0 || enter < leave || !strings.Contains(out[enter:], "\x1b]2;desk") {
		t.Errorf("written %q", out)
	}
	if _, ok := r.Screen().PollEvent().(*tcell.EventResize); !ok {
		t.Error("no frame is asked for")
	}
	r.Screen().Show()
	if !strings.Contains(r.tty.output()[mark+enter:], "\x1b[2J") {
		t.Error("the frame is not whole")
	}
}

func TestR38_WithoutAShellNothingStops(t *testing.T) {
	t.Parallel()
	r := newRig(t, Options{})
	if err := r.Suspend(suspender{r.Screen()}); !errors.Is(err, ErrNoJobControl) {
		t.Errorf("a stop without effect: %v", err)
	}
	r.dev.noShell = true
	mark := len(r.tty.output())
	if err := r.Suspend(suspender{r.Screen()}); !errors.Is(err, ErrNoJobControl) || len(r.tty.output()) != mark {
		t.Errorf("a session leader: %v", err)
	}
}

func TestR38_StopFromOutsideRedraws(t *testing.T) {
	r := newRig(t, Options{Mouse: true})
	r.Screen().EnableMouse()
	r.Screen().PutStr(0, 0, "old text")
	r.Screen().Show()
	mark := len(r.tty.output())
	r.dev.front.Store(false)
	done := make(chan struct{})
	go func() { defer close(done); r.continued() }()
	until(t, "refused in the background", func() bool { return errors.Is(r.WriteRaw(nil), ErrRefused) })
	r.Screen().PutStr(0, 1, "new")
	r.Screen().Show()
	if out := r.tty.output()[mark:]; out != "" {
		t.Errorf("written in the background: %q", out)
	}
	r.dev.front.Store(true)
	within(t, time.Second, "continue", func() { <-done })
	r.Screen().Show()
	out := r.tty.output()[mark:]
	for _, s := range []string{"\x1b[?1049h", "\x1b[?1002h", "\x1b[?2004h", "old text", "new"} {
		if !strings.Contains(out, s) {
			t.Errorf("%q is missing after the continue", s)
		}
	}
	if got := strings.Join(r.dev.log, " "); got != "flush raw" {
		t.Errorf("device: %s", got)
	}
	r.dev.gone.Store(true)
	r.continued()
	within(t, time.Second, "Lost", func() { <-r.Lost() })
}

func TestR19_APanicRestoresReportsAndExits(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "crashes")
	codes := make(chan int, 2)
	var errOut strings.Builder
	guard := NewGuard(GuardOptions{
		Program: "copydesk", Version: "v1.2.3", CrashDir: dir, Hide: []string{"hunter22", "x"},
		Stderr: &errOut, Exit: func(code int) { codes <- code },
	})
	r := newRig(t, Options{Guard: guard})
	guard.Go(func() { panic("lost hunter22 \x1b[31m" + strings.Repeat("y", 3000)) })
	if code := <-codes; code != ExitPanic {
		t.Errorf("exit code %d", code)
	}
	if out := r.dev.written(); out != string(resetBytes(true)) || r.dev.restored.Load() == 0 {
		t.Errorf("terminal: %q", out)
	}
	files, _ := filepath.Glob(filepath.Join(dir, "crash-*.txt"))
	if len(files) != 1 || !strings.HasSuffix(errOut.String(), files[0]+"\n") || strings.Count(errOut.String(), "\n") != 1 {
		t.Fatalf("files %v, line %q", files, errOut.String())
	}
	if info, _ := os.Stat(files[0]); runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v", info.Mode())
	}
	report, _ := os.ReadFile(files[0])
	for _, want := range []string{"v1.2.3", "lost [hidden]", "TestR19_", "y…"} {
		if !strings.Contains(string(report), want) {
			t.Errorf("%q is not in the report", want)
		}
	}
	if strings.ContainsAny(string(report), "\x1b") || strings.Contains(string(report), "hunter22") {
		t.Error("the report holds what it must not")
	}
	guard.Run(func() { panic("second") })
	if len(codes) != 0 {
		t.Error("a second panic exits again")
	}
}

func TestR19_WithoutADirectoryTheReportGoesToStderr(t *testing.T) {
	var errOut strings.Builder
	code := 0
	NewGuard(GuardOptions{Stderr: &errOut, Exit: func(n int) { code = n }}).Run(func() { panic("why") })
	if code != ExitPanic || !strings.Contains(errOut.String(), "panic: why") || !strings.Contains(errOut.String(), "flow_test.go") {
		t.Errorf("code %d, %q", code, errOut.String())
	}
}

func TestR17_LossCountsAsHangUp(t *testing.T) {
	t.Parallel()
	codes := make(chan int, 1)
	guard := NewGuard(GuardOptions{Exit: func(code int) { codes <- code }})
	lost := make(chan struct{})
	first, stop := guard.Signals(lost)
	defer stop()
	close(lost)
	if sig := <-first; sig != syscall.SIGHUP || ExitCode(sig) != 129 {
		t.Errorf("told %v", sig)
	}
	within(t, 2*time.Second, "exit by force", func() {
		if code := <-codes; code != 129 {
			t.Errorf("exit code %d", code)
		}
	})
}

func BenchmarkPaste(b *testing.B) {
	f := testFilter()
	f.feed([]byte(pasteStart), start)
	p := []byte(strings.Repeat("0123456789abcde\n", 256))
	b.SetBytes(int64(len(p)))
	b.ReportAllocs()
	for b.Loop() {
		f.paste.bytes = 0
		f.feed(p, start)
	}
}
