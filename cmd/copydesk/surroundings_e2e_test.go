//go:build e2e

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestE2E_R39_WithoutATerminal starts the desk with everything that its input
// and output can be but two terminals.
func TestE2E_R39_WithoutATerminal(t *testing.T) {
	open := func(t *testing.T, kind string, write bool) *os.File {
		t.Helper()
		switch kind {
		case "terminal":
			return nil
		case "null":
			f, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { f.Close() })
			return f
		case "pipe":
			r, w, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { r.Close(); w.Close() })
			if write {
				return w
			}
			fmt.Fprintln(w, "hi")
			return r
		}
		f, err := os.Create(filepath.Join(t.TempDir(), "file"))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		return f
	}
	for _, in := range []string{"terminal", "null", "pipe", "file"} {
		for _, out := range []string{"terminal", "null", "pipe", "file"} {
			if in == "terminal" && out == "terminal" {
				continue
			}
			t.Run(in+" to "+out, func(t *testing.T) {
				w := newWire(t, 80, 24)
				before := *w.modes()
				to := open(t, out, true)
				w.start(homeEnv(t), open(t, in, false), to, built)
				if code := w.ends(5 * time.Second); code != exitRefused {
					t.Errorf("exit code %d", code)
				}
				w.shows(0, "is not a terminal")
				if got := w.output(); strings.Contains(got, "\x1b") {
					t.Errorf("the terminal got %q", got)
				}
				if after := *w.modes(); after != before {
					t.Errorf("the modes were %+v and are %+v", before, after)
				}
				if out == "file" {
					if info, err := to.Stat(); err != nil || info.Size() > 0 {
						t.Errorf("the file has %d bytes", info.Size())
					}
				}
			})
		}
	}
	for name, line := range map[string]string{
		"nothing is open": `"$0" <&- >&- 2>&-`,
		"no input":        `"$0" <&-`,
		"no output":       `"$0" >&-`,
	} {
		t.Run(name, func(t *testing.T) {
			w := newWire(t, 80, 24)
			w.start(homeEnv(t), nil, nil, "/bin/sh", "-c", line+"; exit $?", built)
			if code := w.ends(5 * time.Second); code != exitRefused {
				t.Errorf("exit code %d", code)
			}
			if got := w.output(); strings.Contains(got, "\x1b") {
				t.Errorf("the terminal got %q", got)
			}
		})
	}
	t.Run("no terminal anywhere", func(t *testing.T) {
		for _, args := range [][]string{nil, {"reset"}} {
			c := exec.Command("setsid", append([]string{"-w", built}, args...)...)
			c.Env = homeEnv(t)
			said, err := c.CombinedOutput()
			if code := c.ProcessState.ExitCode(); code != exitRefused || strings.Contains(string(said), "\x1b") || len(said) == 0 {
				t.Errorf("%v: %v, %q", args, err, said)
			}
		}
	})
}

// TestE2E_R40_TerminalTypes starts the desk with types that it knows, does not
// know, and cannot use.
func TestE2E_R40_TerminalTypes(t *testing.T) {
	for _, name := range []string{"", "no-such-terminal", "xterm", "linux", "vt100", "screen", "tmux-256color", "foot", "rxvt-unicode"} {
		t.Run("TERM="+name, func(t *testing.T) {
			w := newWire(t, 80, 24)
			w.start(homeEnv(t, "TERM="+name), nil, nil, built)
			w.shows(0, "playground is ready", "❯")
			w.keys("\x04")
			if code := w.ends(5 * time.Second); code != 0 {
				t.Errorf("exit code %d", code)
			}
		})
	}
	for _, name := range []string{"dumb", "unknown"} {
		t.Run("TERM="+name, func(t *testing.T) {
			w := newWire(t, 80, 24)
			w.start(homeEnv(t, "TERM="+name), nil, nil, built)
			if code := w.ends(5 * time.Second); code != exitRefused {
				t.Errorf("exit code %d", code)
			}
			w.shows(0, "TERM="+name)
			if strings.Contains(w.output(), "\x1b") {
				t.Errorf("written %q", w.output())
			}
		})
	}
}

// graphics are the parameters of every SGR.
var graphics = regexp.MustCompile(`\x1b\[([0-9;:]*)m`)

// TestE2E_R40_NoColor looks at every SGR of a desk that does all kinds of things.
func TestE2E_R40_NoColor(t *testing.T) {
	w := newWire(t, 100, 30)
	w.start(homeEnv(t, "NO_COLOR=1", "COLORTERM=truecolor"), nil, nil, built)
	everything(w, "❯")
	bold := false
	for _, m := range graphics.FindAllStringSubmatch(w.output(), -1) {
		for _, field := range strings.Split(m[1], ";") {
			n, _ := strconv.Atoi(field)
			if n >= 30 && n <= 49 || n >= 90 && n <= 107 {
				t.Errorf("a colour: %q", m[0])
			}
			bold = bold || n == 1
		}
	}
	if !bold {
		t.Error("nothing is bold")
	}
}

// everything shows help, an error, a table, a request, a list and the picker.
func everything(w *wire, prompt string) {
	w.t.Helper()
	w.shows(0, prompt)
	do := func(keys string, texts ...string) {
		w.t.Helper()
		from := len(w.output())
		w.keys(keys)
		w.shows(from, texts...)
	}
	do("create table t with x int, name text\r", "created")
	do("insert into t x 1, name \"one\"\r", "id 1")
	do("show t\r", "1 row")
	do("show nonsense\r", "nonsense")
	do("\x1bOP", "Copy the last answer") // F1
	w.keys("\x1b")
	time.Sleep(100 * time.Millisecond) // an Esc by itself
	do("drop table t\r", "Drop the table t", "[r]")
	do("r", "Rejected")
	do("\x18", "Ctrl+X")
	w.keys("\x1b")
	time.Sleep(100 * time.Millisecond)
	do("/new nobody\r", "nobody")
	w.keys("\x04")
	if code := w.ends(5 * time.Second); code != 0 {
		w.t.Errorf("exit code %d", code)
	}
}

// inContent are the characters beyond ASCII that the panel's own text has: the
// marks of an echo, the frames of tables, and what stands between the parts of a
// receipt. They are in copies, too, and so the same in every locale.
const inContent = "✓✗…·│┌┐└┘├┤┬┴┼─"

// TestE2E_R41_ChromeIsASCIIWithoutUTF8 reads every byte, in two locales that have
// no more.
func TestE2E_R41_ChromeIsASCIIWithoutUTF8(t *testing.T) {
	for _, locale := range [][]string{{"LANG=C"}, {"LANG=de_DE.UTF-8", "LC_ALL=POSIX"}} {
		t.Run(strings.Join(locale, " "), func(t *testing.T) {
			w := newWire(t, 100, 30)
			w.start(homeEnv(t, locale...), nil, nil, built)
			everything(w, ">")
			out := w.output()
			for _, mark := range inContent {
				out = strings.ReplaceAll(out, string(mark), "")
			}
			for i := 0; i < len(out); i++ {
				if out[i] > 0x7e {
					t.Fatalf("byte %#x in %q", out[i], out[max(0, i-60):min(len(out), i+60)])
				}
			}
		})
	}
}

// TestE2E_R41_ContentIsUnchangedWithoutUTF8 shows a text that is more than ASCII.
func TestE2E_R41_ContentIsUnchangedWithoutUTF8(t *testing.T) {
	w := newWire(t, 100, 30)
	w.start(homeEnv(t, "LC_ALL=C"), nil, nil, built)
	w.shows(0, "playground is ready")
	w.keys("create table t with x text\r")
	w.shows(0, "created")
	w.keys("insert into t x \"héllo 漢字\"\rshow t\r")
	w.shows(0, "héllo", "漢字", "1 row")
}

// TestE2E_R28_SizesThatSayNothing starts on terminals without a size, and goes on
// when they get one.
func TestE2E_R28_SizesThatSayNothing(t *testing.T) {
	for _, size := range [][2]uint16{{0, 0}, {0, 24}, {80, 0}} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			w := newWire(t, size[0], size[1])
			w.start(homeEnv(t), nil, nil, built)
			w.shows(0, "playground is ready", "❯")
			from := len(w.output())
			w.resize(60, 12)
			w.shows(from, "❯", "F1 help")
			w.resize(0, 0)
			w.keys("count nothing\r")
			w.shows(from, "✗") // of the echo: other cells may have been the same before
			w.alive()
		})
	}
}

// TestE2E_R29_TooSmall starts on screens that are too small, and grows them.
func TestE2E_R29_TooSmall(t *testing.T) {
	for _, size := range [][2]uint16{{1, 1}, {5, 2}, {19, 4}, {200, 1}, {1, 200}} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			w := newWire(t, size[0], size[1])
			w.start(homeEnv(t), nil, nil, built)
			w.shows(0, "T")            // of "Too small."
			w.keys("nobody sees this") // so it is dropped
			from := len(w.output())
			w.resize(100, 30)
			w.shows(from, "❯", "F1 help")
			w.keys("\x03") // what came after the change
			w.keys("create table t with x int\r")
			w.shows(from, "Table t created")
			w.keys("\x04")
			if code := w.ends(5 * time.Second); code != 0 {
				t.Errorf("exit code %d", code)
			}
		})
	}
}

// TestE2E_R27_AResizeStorm changes the size a thousand times in two seconds while
// an agent streams, and looks at the last frame.
func TestE2E_R27_AResizeStorm(t *testing.T) {
	w := newWire(t, 80, 24)
	w.start(crierEnv(t), nil, nil, built)
	w.shows(0, "Connected to crier")
	w.keys("out 20\r")
	w.shows(0, "prose")
	sizes := [][2]uint16{{1, 1}, {1, 200}, {200, 1}, {20, 5}, {80, 24}, {500, 200}}
	for i := range 1000 {
		size := sizes[i*7%len(sizes)]
		w.resize(size[0], size[1])
		time.Sleep(2 * time.Millisecond)
	}
	w.shows(0, "the flood has ended")
	from := len(w.output())
	began := time.Now()
	w.resize(90, 20)
	w.shows(from, "┐", "the flood has ended", "F1 help")
	if took := time.Since(began); took > time.Second {
		t.Errorf("the last frame took %v", took)
	}
	from = len(w.output())
	w.keys("x")
	w.shows(from, "x")
	w.alive()
}

// written is what a process has handed to write in all, in bytes.
func written(t *testing.T, pid int) int {
	t.Helper()
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/io", pid))
	if err != nil {
		t.Skipf("SKIPPED: what a process writes cannot be read here: %v", err)
	}
	for line := range strings.Lines(string(data)) {
		if rest, ok := strings.CutPrefix(line, "wchar:"); ok {
			n, _ := strconv.Atoi(strings.TrimSpace(rest))
			return n
		}
	}
	t.Fatalf("no wchar in %q", data)
	return 0
}

// TestE2E_R42_AStalledTerminalDoesNotStopTheAgent reads nothing while an agent
// says 50 MiB, and then sees the end of it.
func TestE2E_R42_AStalledTerminalDoesNotStopTheAgent(t *testing.T) {
	env := crierEnv(t)
	w := newWire(t, 100, 30)
	w.start(env, nil, nil, built)
	w.shows(0, "Connected to crier")
	agent := crierOf(t, env)
	w.held.Store(true)
	w.keys("out 50\r")
	eventually(t, "an agent that has said everything", func() bool { return written(t, agent) > 50<<20 })
	w.alive()
	from := len(w.output())
	w.held.Store(false)
	w.shows(from, "the flood has ended")
	w.keys("still alive\r")
	w.shows(from, "heard: still alive")

	// It also ends while nobody reads.
	w.held.Store(true)
	w.keys("out 50\r")
	eventually(t, "a stream", func() bool { return written(t, agent) > 60<<20 })
	began := time.Now()
	_ = w.cmd.Process.Signal(os.Interrupt)
	w.ends(10 * time.Second)
	if took := time.Since(began); took > 2*time.Second {
		t.Errorf("the end took %v", took)
	}
}

// TestE2E_R43_Limits runs the desk where the system gives it little.
func TestE2E_R43_Limits(t *testing.T) {
	needs(t, "tmux")
	start := func(t *testing.T, limit string) *tmuxDesk {
		d := newServer(t, "")
		home := strings.TrimPrefix(crierEnv(t)[0], "HOME=")
		d.run(120, 40, "sh -c '"+limit+"; exec "+built+" --config "+home+"/config/copydesk/config.yaml'")
		d.shows("Connected to crier", "❯")
		return d
	}
	t.Run("32 descriptors", func(t *testing.T) {
		d := start(t, "ulimit -n 32")
		for n := 2; ; n++ {
			if n == 30 {
				t.Fatal("there is no limit")
			}
			d.line("/new crier")
			screen := d.until("one more pane, or why there is none", func(s string) bool {
				return strings.Contains(s, "Starting crier: start") || strings.Contains(s, fmt.Sprintf("%d crier", n)) && strings.Contains(s, "Connected to crier")
			})
			if strings.Contains(screen, "Starting crier: start") {
				t.Logf("the limit was reached with %d panes:\n%s", n, screen)
				break
			}
		}
		d.keys("M-1")
		d.line("hello")
		d.shows("heard: hello")
		d.line("/close")
		d.shows("❯")
	})
	t.Run("memory", func(t *testing.T) {
		d := start(t, "ulimit -v 1500000")
		d.line("out 256")
		d.shows("the flood has ended")
		d.line("hello")
		d.shows("heard: hello")
	})
}
