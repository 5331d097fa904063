//go:build linux

package term

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/tview"
	"golang.org/x/sys/unix"
)

const (
	roleVariable  = "COPYDESK_TEST_ROLE"
	crashVariable = "COPYDESK_TEST_CRASHES"
)

// TestMain makes the test binary the program that the pty tests drive.
func TestMain(m *testing.M) {
	switch role := os.Getenv(roleVariable); role {
	case "":
		os.Exit(m.Run())
	case "shell":
		standInShell()
	default:
		program(role)
	}
}

// page is a small tview program's only widget.
type page struct {
	*tview.Box
	pasted  string
	drawing func(tcell.Screen)
}

func (p *page) Draw(s tcell.Screen) {
	s.PutStr(0, 0, "READY")
	s.PutStr(0, 2, p.pasted)
	if p.drawing != nil {
		p.drawing(s)
	}
}

func (p *page) PasteHandler() func(string, func(tview.Primitive)) {
	return func(text string, _ func(tview.Primitive)) { p.pasted = fmt.Sprintf("PASTE:%q", text) }
}

// borrow is a program on the lent terminal: it outlives an interrupt.
func borrow() error {
	cmd := exec.Command("/bin/sh", "-c", `trap 'echo INTERRUPTED' INT; echo ASKING; read a || read a; echo "HEARD:$a"; read b`)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	return cmd.Run()
}

func panicInKey()               { panic("in a key") }
func panicInGoroutine()         { panic("in a goroutine") }
func panickyDraw(tcell.Screen)  { panic("in a draw") }
func panicInShow(*tcell.Screen) { panic("in tcell") }

// brokenTty panics inside a write, that is while tcell holds its lock.
type brokenTty struct {
	tcell.Tty
	broken atomic.Bool
}

func (b *brokenTty) Write(p []byte) (int, error) {
	if b.broken.Swap(false) {
		panicInShow(nil)
	}
	return b.Tty.Write(p)
}

// openBroken is Open with a tty that breaks on demand.
func openBroken(o Options) (*Terminal, *brokenTty, error) {
	o = o.defaults()
	ti, err := terminfoFor(o.Env)
	if err != nil {
		return nil, nil, err
	}
	dev, err := openDevice("")
	if err != nil {
		return nil, nil, err
	}
	tty, err := dev.tcellTty()
	if err != nil {
		return nil, nil, err
	}
	broken := &brokenTty{Tty: tty}
	t, err := open(o, dev, broken, ti)
	return t, broken, err
}

// program is what a main function does with this package. A deaf one does not
// end when it is asked to; a broken one can panic inside tcell.
func program(role string) {
	guard := NewGuard(GuardOptions{Program: "copydesk", Version: "test", CrashDir: os.Getenv(crashVariable)})
	var code atomic.Int32
	guard.Run(func() {
		var t *Terminal
		var broken *brokenTty
		var err error
		if o := (Options{Guard: guard, Mouse: true}); role == "broken" {
			t, broken, err = openBroken(o)
		} else {
			t, err = Open(o)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			code.Store(2)
			return
		}
		defer t.Close()
		first, stop := guard.Signals(t.Lost())
		defer stop()
		root := &page{Box: tview.NewBox()}
		app := tview.NewApplication().SetScreen(t.Screen()).EnablePaste(true).EnableMouse(true)
		app.SetRoot(root, true)
		app.SetInputCapture(func(ev *tcell.EventKey) *tcell.EventKey {
			switch {
			case ev.Key() == tcell.KeyCtrlZ:
				_ = t.Suspend(app)
			case ev.Rune() == 'l':
				_ = t.Lend(app, borrow)
			case ev.Rune() == 'p':
				panicInKey()
			case ev.Rune() == 'g':
				guard.Go(panicInGoroutine)
			case ev.Rune() == 'd':
				root.drawing = panickyDraw
			case ev.Rune() == 's':
				broken.broken.Store(true)
				root.drawing = func(s tcell.Screen) { s.PutStr(0, 1, "more") }
			case ev.Rune() == 'q':
				guard.Go(func() { app.Stop() })
			}
			return nil
		})
		guard.Go(func() {
			sig := <-first
			if role == "deaf" {
				app.QueueUpdateDraw(func() { root.drawing = func(s tcell.Screen) { s.PutStr(0, 1, "SIGNAL") } })
				return
			}
			code.Store(int32(ExitCode(sig)))
			app.Stop()
		})
		_ = app.Run()
	})
	os.Exit(int(code.Load()))
}

// standInShell runs the program as a job, like an interactive shell does. It
// reads commands from descriptor 3 and answers on 4.
func standInShell() {
	signal.Ignore(syscall.SIGTTOU)
	tty := int(os.Stdin.Fd())
	commands, answers := bufio.NewScanner(os.NewFile(3, "commands")), os.NewFile(4, "answers")
	self, _ := os.Executable()
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), roleVariable+"=program")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Foreground: true, Ctty: tty}
	if err := cmd.Start(); err != nil {
		os.Exit(99)
	}
	job := cmd.Process.Pid
	changes := make(chan unix.WaitStatus)
	go func() {
		for {
			var status unix.WaitStatus
			if _, err := unix.Wait4(job, &status, unix.WUNTRACED|unix.WCONTINUED, nil); err == nil {
				changes <- status
			}
		}
	}()
	go func() {
		stopped := func() bool { // a stopped job needs SIGCONT, a running one does not
			stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", job))
			var pid int
			var name, state string
			_, _ = fmt.Sscan(string(stat), &pid, &name, &state)
			return state == "T"
		}
		for commands.Scan() {
			switch commands.Text() {
			case "bg":
				_ = unix.Kill(-job, unix.SIGCONT)
			case "fg":
				_ = unix.IoctlSetPointerInt(tty, unix.TIOCSPGRP, job)
				if stopped() {
					_ = unix.Kill(-job, unix.SIGCONT)
				}
			case "stop":
				_ = unix.Kill(-job, unix.SIGSTOP)
			}
		}
	}()
	for status := range changes {
		switch {
		case status.Stopped():
			_ = unix.IoctlSetPointerInt(tty, unix.TIOCSPGRP, unix.Getpgrp())
			fmt.Fprintln(answers, "stopped")
		case status.Continued():
			fmt.Fprintln(answers, "continued")
		case status.Exited():
			os.Exit(status.ExitStatus())
		case status.Signaled():
			os.Exit(128 + int(status.Signal()))
		}
	}
}
