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
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
)

// A wire is a pseudo terminal that can be hung up, and whose reader can be held.
type wire struct {
	t      *testing.T
	master *os.File
	slave  *os.File // kept open, so that the modes can be read afterwards
	cmd    *exec.Cmd
	ended  chan struct{}
	held   atomic.Bool

	mu   sync.Mutex
	said []byte
}

// newWire opens a terminal of a size; rows and columns may be 0.
func newWire(t *testing.T, columns, rows uint16) *wire {
	t.Helper()
	master, slave, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	// A handle of our own that polls, so that closing it hangs up at once.
	fd, err := unix.FcntlInt(master.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err == nil {
		err = unix.SetNonblock(fd, true)
	}
	if err != nil {
		t.Fatal(err)
	}
	master.Close()
	w := &wire{t: t, master: os.NewFile(uintptr(fd), "master"), slave: slave, ended: make(chan struct{})}
	w.resize(columns, rows)
	return w
}

// start runs a program in a session of its own on the terminal. What of in and
// out is not nil stands in for the terminal.
func (w *wire) start(env []string, in, out *os.File, program string, args ...string) {
	w.t.Helper()
	w.cmd = exec.Command(program, args...)
	w.cmd.Env = env
	w.cmd.Stdin, w.cmd.Stdout, w.cmd.Stderr = w.slave, w.slave, w.slave
	ctty := 2
	if in != nil {
		w.cmd.Stdin = in
	}
	if out != nil {
		w.cmd.Stdout = out
	}
	w.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: ctty}
	if err := w.cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	go func() { defer close(w.ended); _ = w.cmd.Wait() }()
	go w.read()
	w.t.Cleanup(func() {
		_ = syscall.Kill(-w.cmd.Process.Pid, syscall.SIGKILL)
		_ = w.cmd.Process.Kill()
		<-w.ended
		w.master.Close()
		w.slave.Close()
	})
}

func (w *wire) read() {
	p := make([]byte, 64<<10)
	for {
		for w.held.Load() {
			time.Sleep(time.Millisecond)
		}
		n, err := w.master.Read(p)
		w.mu.Lock()
		w.said = append(w.said, p[:n]...)
		w.mu.Unlock()
		if err != nil {
			return
		}
	}
}

func (w *wire) output() string { w.mu.Lock(); defer w.mu.Unlock(); return string(w.said) }

// sequences are what stands between the texts of a screen.
var sequences = regexp.MustCompile(`(\x1b\][^\a\x1b]*(\a|\x1b\\)|\x1b\[[0-9;:?<>=]*[ -/]*[@-~]|\x1b[()].|\x1b[=>]|[\r\n\x08 ])+`)

// plain is the text that was drawn from a place of the output on.
func (w *wire) plain(from int) string { return sequences.ReplaceAllString(w.output()[from:], " ") }

// shows waits for texts. Blanks do not count: between two cells that are drawn
// one after another nothing tells one.
func (w *wire) shows(from int, texts ...string) {
	w.t.Helper()
	packed := func(s string) string { return strings.ReplaceAll(s, " ", "") }
	for _, text := range texts {
		eventuallyOr(w.t, fmt.Sprintf("%q", text), func() bool { return strings.Contains(packed(w.plain(from)), packed(text)) }, func() string {
			out := w.plain(from)
			return out[max(0, len(out)-3000):]
		})
	}
}

// eventuallyOr polls like eventually and says more when it fails.
func eventuallyOr(t *testing.T, what string, ok func() bool, more func() string) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !ok(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited in vain for %s; there is %q", what, more())
		}
	}
}

func (w *wire) keys(text string) {
	w.t.Helper()
	if _, err := w.master.WriteString(text); err != nil {
		w.t.Fatal(err)
	}
}

func (w *wire) resize(columns, rows uint16) {
	w.t.Helper()
	if err := unix.IoctlSetWinsize(int(w.slave.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: rows, Col: columns}); err != nil {
		w.t.Fatal(err)
	}
}

func (w *wire) modes() *unix.Termios {
	w.t.Helper()
	tio, err := unix.IoctlGetTermios(int(w.slave.Fd()), unix.TCGETS)
	if err != nil {
		w.t.Fatal(err)
	}
	return tio
}

// ends waits for the end of the program and returns how it ended.
func (w *wire) ends(limit time.Duration) int {
	w.t.Helper()
	select {
	case <-w.ended:
	case <-time.After(limit):
		w.t.Fatalf("it has not ended within %v", limit)
	}
	return w.cmd.ProcessState.ExitCode()
}

func (w *wire) alive() {
	w.t.Helper()
	select {
	case <-w.ended:
		w.t.Fatalf("it has ended with %d: %q", w.cmd.ProcessState.ExitCode(), w.plain(0))
	default:
	}
}

// crierEnv is a home whose configuration opens the crier.
func crierEnv(t *testing.T, args ...string) []string {
	t.Helper()
	env := homeEnv(t)
	home := strings.TrimPrefix(env[0], "HOME=")
	crier := filepath.Join(home, "crier")
	if out, err := exec.Command("go", "build", "-o", crier, "./testdata/crier").CombinedOutput(); err != nil {
		t.Fatalf("build the agent: %v\n%s", err, out)
	}
	dir := filepath.Join(home, "config", "copydesk")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	command := strings.Join(append([]string{crier}, args...), ", ")
	text := fmt.Appendf(nil, "agent: crier\nagents:\n  crier:\n    command: [%s]\n", command)
	if err := os.WriteFile(filepath.Join(dir, "config.yaml"), text, 0o600); err != nil {
		t.Fatal(err)
	}
	return env
}

// crierOf is the process of the agent in a home.
func crierOf(t *testing.T, env []string) int {
	t.Helper()
	needs(t, "pgrep")
	out, _ := exec.Command("pgrep", "-f", "^"+strings.TrimPrefix(env[0], "HOME=")+"/crier").Output()
	pid, _ := strconv.Atoi(strings.TrimSpace(string(out)))
	return pid
}

// stateOf is the letter of a process in ps, "" when there is none.
func stateOf(pid int) string {
	stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, rest, _ := strings.Cut(string(stat), ") ")
	state, _, _ := strings.Cut(rest, " ")
	return state
}

// TestE2E_R16_AClosedTerminalEndsTheDesk hangs up in the middle of a stream, also
// with SIGHUP ignored (R17), with an agent that does not want to end.
func TestE2E_R16_AClosedTerminalEndsTheDesk(t *testing.T) {
	for name, argv := range map[string][]string{
		"with SIGHUP":        {built},
		"R17 without SIGHUP": {"/bin/sh", "-c", `trap "" HUP; "$0"; exit $?`, built},
	} {
		t.Run(name, func(t *testing.T) {
			env := crierEnv(t, "stubborn")
			w := newWire(t, 100, 30)
			w.start(env, nil, nil, argv[0], argv[1:]...)
			w.shows(0, "Connected to crier")
			w.keys("out 4000\r")
			w.shows(0, "prose")
			from := time.Now()
			w.master.Close()
			w.slave.Close()
			code := w.ends(10 * time.Second)
			if took := time.Since(from); took > 2*time.Second {
				t.Errorf("the end took %v", took)
			}
			if code != 129 {
				t.Errorf("exit code %d", code)
			}
			eventually(t, "the end of the agent", func() bool { return len(family(t, env, 0)) == 0 })
			if took := time.Since(from); took > 5*time.Second {
				t.Errorf("the agent was there for %v", took)
			}
		})
	}
}

// TestE2E_R20_ResetAfterAKill kills the desk so that it cannot clean up, and has
// copydesk reset do it.
func TestE2E_R20_ResetAfterAKill(t *testing.T) {
	needs(t, "tmux", "pgrep")
	d := newServer(t, "set -g default-terminal xterm-256color\nset -g mouse off")
	d.run(100, 30, "env PS1='$ ' ENV= /bin/sh")
	d.line("cd " + d.dir + "; echo before the desk; stty -a > before; " + built)
	d.shows("❯")
	pid := strings.Fields(d.tmux("list-panes", "-F", "#{pane_pid}"))[0]
	out, err := exec.Command("pgrep", "-P", pid, "copydesk").Output()
	if err != nil {
		t.Fatalf("finding copydesk: %v", err)
	}
	if err := exec.Command("kill", "-KILL", strings.TrimSpace(string(out))).Run(); err != nil {
		t.Fatal(err)
	}
	flags := func() string {
		return strings.TrimSpace(d.tmux("display-message", "-p", "alternate #{alternate_on}, mouse #{mouse_any_flag}, hidden cursor #{?cursor_flag,0,1}, keypad #{keypad_flag}, keypad cursor #{keypad_cursor_flag}"))
	}
	const clean = "alternate 0, mouse 0, hidden cursor 0, keypad 0, keypad cursor 0"
	eventually(t, "the shell", func() bool { return exec.Command("kill", "-0", strings.TrimSpace(string(out))).Run() != nil })
	if got := flags(); got == clean {
		t.Fatalf("nothing is broken: %s", got)
	}
	// Typed blind, into a terminal that echoes nothing and takes Enter for no
	// line end.
	d.tmux("send-keys", "-l", built+" reset")
	d.keys("C-j")
	d.shows("before the desk", "The terminal is as it should be.")
	if got := flags(); got != clean {
		t.Errorf("after the reset: %s", got)
	}
	d.line("stty -a > after; cmp before after && echo same modes")
	d.shows("same modes\n")
	if screen := d.screen(); strings.Contains(screen, "❯") {
		t.Errorf("the desk is still on the screen:\n%s", screen)
	}

	d.line("echo a healthy terminal; " + built + " reset; echo stays $?")
	d.shows("same modes\n", "a healthy terminal\n", "The terminal is as it should be.\nstays 0")
}

// TestE2E_R20_ResetWritesToATerminalOnly has its output in a file: the bytes go
// to the terminal all the same.
func TestE2E_R20_ResetWritesToATerminalOnly(t *testing.T) {
	file, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	w := newWire(t, 80, 24)
	before := w.modes()
	raw := *before
	raw.Lflag, raw.Iflag, raw.Oflag = 0, 0, 0
	if err := unix.IoctlSetTermios(int(w.slave.Fd()), unix.TCSETS, &raw); err != nil {
		t.Fatal(err)
	}
	w.start(homeEnv(t), nil, file, built, "reset")
	if code := w.ends(5 * time.Second); code != 0 {
		t.Errorf("exit code %d", code)
	}
	w.shows(0, "The terminal is as it should be.")
	if !strings.Contains(w.output(), "\x1b[?1049l") {
		t.Errorf("the terminal got %q", w.output())
	}
	if data, _ := os.ReadFile(file.Name()); len(data) > 0 {
		t.Errorf("the file got %q", data)
	}
	after := w.modes()
	after.Lflag |= before.Lflag & (unix.ECHOCTL | unix.ECHOKE) // no raw mode clears them
	after.Iflag |= before.Iflag & unix.IUTF8
	if diff := cmp.Diff(before, after); diff != "" {
		t.Errorf("the modes differ: %s", diff)
	}
}

// TestE2E_R38_StopsFromOutsideAndInside stops the desk from a shell with job
// control in every way; the agent runs on.
func TestE2E_R38_StopsFromOutsideAndInside(t *testing.T) {
	needs(t, "tmux", "pgrep")
	d := newServer(t, "")
	env := crierEnv(t)
	home := strings.TrimPrefix(env[0], "HOME=")
	d.run(100, 30, "env PS1='$ ' bash --norc --noprofile")
	d.line("stty -a > " + home + "/before; " + built + " --config " + home + "/config/copydesk/config.yaml")
	d.shows("Connected to crier", "❯")
	shell := strings.Fields(d.tmux("list-panes", "-F", "#{pane_pid}"))[0]
	out, err := exec.Command("pgrep", "-P", shell, "copydesk").Output()
	desk, _ := strconv.Atoi(strings.TrimSpace(string(out)))
	if err != nil || desk == 0 {
		t.Fatalf("finding copydesk: %v", err)
	}
	agent := crierOf(t, env)
	back := func(n int) {
		t.Helper()
		d.line("fg")
		d.shows("Connected to crier", "❯")
		d.line(fmt.Sprintf("hello %d", n))
		d.shows(fmt.Sprintf("heard: hello %d", n))
	}
	inShell := func(what string) {
		t.Helper()
		d.shows("Stopped")
		if got := stateOf(desk); got != "T" {
			t.Errorf("%s: the desk is %s", what, got)
		}
		if got := stateOf(agent); got == "T" || got == "" {
			t.Errorf("%s: the agent is %q", what, got)
		}
	}

	d.keys("C-z")
	inShell("Ctrl+Z")
	d.line("clear; stty -a > " + home + "/after; cmp " + home + "/before " + home + "/after && echo same modes")
	d.shows("same modes\n")
	if got := strings.TrimSpace(d.tmux("display-message", "-p", "#{alternate_on}#{mouse_any_flag}#{cursor_flag}")); got != "001" {
		t.Errorf("the terminal is not clean: %s", got)
	}
	back(1)

	d.keys("C-z")
	inShell("Ctrl+Z again")
	d.line("clear; bg")
	eventually(t, "a desk that runs in the background", func() bool { s := stateOf(desk); return s != "T" && s != "" })
	d.line("echo the shell $((40 + 2))")
	d.shows("the shell 42")
	back(2)

	for n, sig := range []syscall.Signal{syscall.SIGSTOP, syscall.SIGTSTP} {
		if err := syscall.Kill(desk, sig); err != nil {
			t.Fatal(err)
		}
		eventually(t, "a shell", func() bool { return stateOf(desk) == "T" })
		d.keys("Enter")
		inShell(unix.SignalName(sig))
		back(3 + n)
	}

	// Without the shell noticing, as a debugger or a laptop's sleep does it.
	_ = syscall.Kill(desk, syscall.SIGSTOP)
	_ = syscall.Kill(desk, syscall.SIGCONT)
	d.keys("C-d")
}
