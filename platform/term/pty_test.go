//go:build linux

package term

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
)

// inPty is a program under a pseudo terminal.
type inPty struct {
	t       *testing.T
	cmd     *exec.Cmd
	master  *os.File
	slave   *os.File // kept open, so that the modes can be read afterwards
	before  *unix.Termios
	crashes string
	control *os.File // the stand-in shell's commands
	said    *bufio.Scanner
	exit    chan struct{}

	mu     sync.Mutex
	out    bytes.Buffer
	errOut bytes.Buffer
}

func modes(t *testing.T, f *os.File) *unix.Termios {
	t.Helper()
	tio, err := unix.IoctlGetTermios(int(f.Fd()), unix.TCGETS)
	if err != nil {
		t.Fatal(err)
	}
	return tio
}

// startInPty starts this test binary as the program of role, through argv
// when that is not empty.
func startInPty(t *testing.T, role string, argv ...string) *inPty {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := &inPty{t: t, crashes: t.TempDir(), exit: make(chan struct{})}
	master, slave, err := pty.Open()
	if err != nil {
		t.Skip("no pseudo terminals: ", err)
	}
	if err := pty.Setsize(master, &pty.Winsize{Rows: 24, Cols: 80}); err != nil {
		t.Fatal(err)
	}
	p.master, p.slave = pollable(t, master), slave
	p.before = modes(t, p.slave)
	argv = append(argv, self)
	p.cmd = exec.Command(argv[0], argv[1:]...)
	p.cmd.Env = append(os.Environ(), "TERM=xterm-256color", "LANG=C.UTF-8", "GORACE=atexit_sleep_ms=0", roleVariable+"="+role, crashVariable+"="+p.crashes)
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = p.slave, p.slave, lockedWriter{p, &p.errOut}
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if role == "shell" {
		p.talk()
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for _, f := range p.cmd.ExtraFiles {
		f.Close()
	}
	go func() { _, _ = io.Copy(lockedWriter{p, &p.out}, p.master) }()
	go func() { defer close(p.exit); _ = p.cmd.Wait() }()
	t.Cleanup(func() {
		_ = p.cmd.Process.Kill()
		<-p.exit
		p.master.Close()
		p.slave.Close()
	})
	p.sees(0, "READY")
	return p
}

// pollable gives f a handle that Close closes at once: pty leaves it blocking,
// and then a Read in progress keeps it open, so that nobody is hung up.
func pollable(t *testing.T, f *os.File) *os.File {
	t.Helper()
	fd, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err == nil {
		err = unix.SetNonblock(fd, true)
	}
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	return os.NewFile(uintptr(fd), f.Name())
}

// talk gives the stand-in shell its commands and its answers.
func (p *inPty) talk() {
	in, control, err := os.Pipe()
	if err != nil {
		p.t.Fatal(err)
	}
	said, out, err := os.Pipe()
	if err != nil {
		p.t.Fatal(err)
	}
	p.cmd.ExtraFiles = []*os.File{in, out}
	p.control, p.said = control, bufio.NewScanner(said)
	p.t.Cleanup(func() { control.Close(); said.Close() })
}

type lockedWriter struct {
	p *inPty
	w io.Writer
}

func (l lockedWriter) Write(b []byte) (int, error) {
	l.p.mu.Lock()
	defer l.p.mu.Unlock()
	return l.w.Write(b)
}

func (p *inPty) output() string { p.mu.Lock(); defer p.mu.Unlock(); return p.out.String() }

// sees waits for text in the output from byte mark on.
func (p *inPty) sees(mark int, text string) {
	p.t.Helper()
	for end := time.Now().Add(10 * time.Second); !strings.Contains(p.output()[mark:], text); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(end) {
			p.t.Fatalf("%q never came; output %q, stderr %q", text, p.output(), p.errOut.String())
		}
	}
}

func (p *inPty) keys(s string) {
	p.t.Helper()
	if _, err := p.master.WriteString(s); err != nil {
		p.t.Fatal(err)
	}
}

func (p *inPty) shell(command string) { fmt.Fprintln(p.control, command) }

func (p *inPty) hears(want string) {
	p.t.Helper()
	if !p.said.Scan() || p.said.Text() != want {
		p.t.Fatalf("the shell says %q, want %q; output %q", p.said.Text(), want, p.output())
	}
}

// ends waits for the end, within the two seconds that R16 and R17 give.
func (p *inPty) ends(code int) {
	p.t.Helper()
	from := time.Now()
	select {
	case <-p.exit:
	case <-time.After(10 * time.Second):
		_ = p.cmd.Process.Signal(syscall.SIGABRT) // a Go program prints its stacks
		<-p.exit
		p.t.Fatalf("the program does not end; output %q\n%s", p.output(), p.errOut.String())
	}
	if d := time.Since(from); d > 2*time.Second {
		p.t.Errorf("the end took %v", d)
	}
	if got := p.cmd.ProcessState.ExitCode(); got != code {
		p.t.Errorf("exit code %d, want %d; stderr %q", got, code, p.errOut.String())
	}
}

// clean checks the modes and that the output leaves a clean terminal.
func (p *inPty) clean() {
	p.t.Helper()
	if diff := cmp.Diff(p.before, modes(p.t, p.slave)); diff != "" {
		p.t.Errorf("the modes have changed: %s", diff)
	}
	// What was written before the exit may still be on its way to us.
	for end := time.Now().Add(time.Second); ; time.Sleep(2 * time.Millisecond) {
		dirty := leftOn(p.output())
		if dirty == "" {
			return
		}
		if time.Now().After(end) {
			p.t.Errorf("left on: %s", dirty)
			return
		}
	}
}

var private = regexp.MustCompile(`\x1b\[(?:\?([0-9]+)([hl])|([<>])([0-9;]*)([um]))`)

// leftOn names the modes that out sets and does not reset.
func leftOn(out string) string {
	on := map[string]bool{}
	pushed := 0
	for _, m := range private.FindAllStringSubmatch(out, -1) {
		switch {
		case m[1] == "25":
			on["hidden cursor"] = m[2] == "l"
		case m[1] == "7" || m[1] == "12" || m[1] == "1":
		case m[1] != "":
			on[m[1]] = m[2] == "h"
		case m[5] == "u" && m[3] == ">":
			pushed++
		case m[5] == "u":
			pushed--
		default:
			on["modifyOtherKeys"] = m[4] != "4;0"
		}
	}
	on["keyboard stack"] = pushed > 0
	var left []string
	for mode, set := range on {
		if set {
			left = append(left, mode)
		}
	}
	return strings.Join(left, " ")
}

func TestLeftOnSeesWhatIsLeftOn(t *testing.T) {
	if got := leftOn("\x1b[?1049h\x1b[?25l\x1b[?25h"); got != "1049" {
		t.Errorf("got %q", got)
	}
	if got := leftOn("\x1b[?1049h\x1b[>1u\x1b[>4;2m\x1b[?25l" + string(resetBytes(true))); got != "" {
		t.Errorf("got %q after a reset", got)
	}
}

func TestR19_PanicsLeaveACleanTerminal(t *testing.T) {
	for key, where := range map[string]string{"p": "panicInKey", "g": "panicInGoroutine", "d": "panickyDraw", "s": "panicInShow"} {
		t.Run(where, func(t *testing.T) {
			t.Parallel()
			role := "program"
			if where == "panicInShow" {
				role = "broken"
			}
			p := startInPty(t, role)
			p.keys(key)
			p.ends(ExitPanic)
			p.clean()
			files, _ := filepath.Glob(filepath.Join(p.crashes, "*"))
			if len(files) != 1 || !strings.HasSuffix(p.errOut.String(), files[0]+"\n") || strings.Count(p.errOut.String(), "\n") != 1 {
				t.Fatalf("files %v, stderr %q", files, p.errOut.String())
			}
			if report, _ := os.ReadFile(files[0]); !strings.Contains(string(report), where) {
				t.Errorf("the place of the panic is not in the report: %s", report)
			}
		})
	}
}

func TestR18_SignalsEndCleanly(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGQUIT} {
		t.Run(unix.SignalName(sig), func(t *testing.T) {
			t.Parallel()
			if signal.Ignored(sig) {
				t.Skipf("SKIPPED: %v is ignored here, under nohup, and stays so", sig)
			}
			p := startInPty(t, "program")
			_ = p.cmd.Process.Signal(sig)
			p.ends(128 + int(sig))
			p.clean()
			if p.errOut.Len() > 0 {
				t.Errorf("stderr %q", p.errOut.String())
			}
		})
	}
	t.Run("second signal", func(t *testing.T) {
		t.Parallel()
		p := startInPty(t, "deaf")
		_ = p.cmd.Process.Signal(syscall.SIGINT)
		p.sees(0, "SIGNAL")
		_ = p.cmd.Process.Signal(syscall.SIGTERM)
		p.ends(143)
		p.clean()
	})
	t.Run("no clean end", func(t *testing.T) {
		t.Parallel()
		p := startInPty(t, "deaf")
		_ = p.cmd.Process.Signal(syscall.SIGTERM)
		p.ends(143)
		p.clean()
	})
}

func TestQuitByKey(t *testing.T) {
	t.Parallel()
	p := startInPty(t, "program")
	p.keys("q")
	p.ends(0)
	p.clean()
}

func TestR16_ClosingTheTerminalEndsTheProgram(t *testing.T) {
	p := startInPty(t, "program")
	p.master.Close()
	p.ends(129)
}

func TestR17_ClosingTheTerminalEndsTheProgramWithoutSIGHUP(t *testing.T) {
	p := startInPty(t, "program", "/bin/sh", "-c", `trap "" HUP; "$0"; exit $?`)
	p.master.Close()
	p.ends(129)
}

func TestPasteReachesTviewWhole(t *testing.T) {
	t.Parallel()
	p := startInPty(t, "program")
	p.keys("\x1b[200~one\ntwo\r\nthree\tx\x1b[31m\x1b[201~")
	p.sees(0, `PASTE:"one\ntwo\nthree\tx[31m"`)
	p.keys("q")
	p.ends(0)
}

func TestR38_JobControl(t *testing.T) {
	t.Parallel()
	p := startInPty(t, "shell")
	p.keys("\x1a")
	p.hears("stopped")
	p.clean()

	mark := len(p.output())
	p.shell("bg")
	p.hears("continued")
	p.shell("fg") // a running job gets no SIGCONT from bash
	p.sees(mark, "\x1b[?1049h")
	p.sees(mark, "READY")
	if tio := modes(t, p.slave); tio.Lflag&unix.ICANON != 0 {
		t.Error("not raw after fg")
	}

	mark = len(p.output())
	p.shell("stop") // kill -STOP: the shell then sets its own modes
	p.hears("stopped")
	if err := unix.IoctlSetTermios(int(p.slave.Fd()), unix.TCSETS, p.before); err != nil {
		t.Fatal(err)
	}
	p.shell("fg")
	p.sees(mark, "\x1b[?1049h")
	p.sees(mark, "READY")
	if tio := modes(t, p.slave); tio.Lflag&unix.ICANON != 0 {
		t.Error("not raw after a stop from outside")
	}
	p.keys("q")
	p.ends(0)
	p.clean()
}

// An agent's own login has the terminal for itself: cooked, with its interrupt,
// and the screen is back when it has ended.
func TestAGT2_ALoginHasTheTerminal(t *testing.T) {
	t.Parallel()
	p := startInPty(t, "program")
	p.keys("l")
	p.sees(0, "ASKING")
	p.clean()
	p.keys("\x03")
	p.sees(0, "INTERRUPTED")
	p.keys("secret\n")
	p.sees(0, "HEARD:secret")
	mark := len(p.output())
	p.keys("\n")
	p.sees(mark, "\x1b[?1049h")
	p.sees(mark, "READY")
	p.keys("q")
	p.ends(0)
	p.clean()
}

func TestR39_NotATerminal(t *testing.T) {
	self, _ := os.Executable()
	for _, from := range []string{"/dev/null", "pipe"} {
		cmd := exec.Command(self)
		cmd.Env = append(os.Environ(), "TERM=xterm", roleVariable+"=program")
		if from == "pipe" {
			cmd.Stdin = strings.NewReader("hi\n")
		}
		var out, errOut strings.Builder
		cmd.Stdout, cmd.Stderr = &out, &errOut
		err := cmd.Run()
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != 2 {
			t.Errorf("%s: %v", from, err)
		}
		if out.Len() > 0 || strings.Contains(errOut.String(), "\x1b") || !strings.Contains(errOut.String(), "is not a terminal.") {
			t.Errorf("%s: stdout %q, stderr %q", from, out.String(), errOut.String())
		}
	}
}
