//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package term

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/gdamore/tcell/v2"
	"golang.org/x/sys/unix"
	xterm "golang.org/x/term"
)

// writeLimit bounds the last words to a terminal that takes no output.
const writeLimit = 150 * time.Millisecond

type ttyDevice struct {
	path string

	saved *xterm.State // before Open
	raw   atomic.Pointer[xterm.State]

	mu sync.RWMutex // write-locked by close only
	fd int          // -1 when closed
}

// openDevice opens the terminal a second time, non-blocking and with a file
// description of its own: a flag set on it changes nothing for the shell,
// which shares standard input's.
func openDevice(path string) (*ttyDevice, error) {
	paths := []string{path}
	if path == "" {
		// Without a controlling terminal (a container, a lost session) standard
		// input's device is used.
		paths = []string{"/dev/tty", "/dev/fd/0"}
	}
	var err error
	for _, path := range paths {
		var fd int
		fd, err = unix.Open(path, unix.O_RDWR|unix.O_NOCTTY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
		if err != nil {
			err = fmt.Errorf("open %s: %w", path, err)
			continue
		}
		d := &ttyDevice{path: path, fd: fd}
		if d.saved, err = xterm.GetState(fd); err != nil {
			_ = unix.Close(fd)
			err = &NotATerminal{Stream: path}
			continue
		}
		return d, nil
	}
	return nil, err
}

func (d *ttyDevice) tcellTty() (tcell.Tty, error) { return tcell.NewDevTtyFromDev(d.path) }

// with runs f on the handle unless it is closed.
func (d *ttyDevice) with(f func(fd int)) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	if d.fd >= 0 {
		f(d.fd)
	}
}

func (d *ttyDevice) close() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.fd >= 0 {
		_ = unix.Close(d.fd)
		d.fd = -1
	}
}

func (d *ttyDevice) size() (w, h int, err error) {
	err = os.ErrClosed
	d.with(func(fd int) { w, h, err = xterm.GetSize(fd) })
	return w, h, err
}

func (d *ttyDevice) captureRaw() {
	d.with(func(fd int) {
		if state, err := xterm.GetState(fd); err == nil {
			d.raw.Store(state)
		}
	})
}

func (d *ttyDevice) setRaw() {
	d.with(func(fd int) {
		if state := d.raw.Load(); state != nil {
			_ = xterm.Restore(fd, state)
		}
	})
}

func (d *ttyDevice) restoreModes() {
	if front, err := d.foreground(); err == nil && !front {
		return
	}
	d.ignoreTTOU(true)
	defer d.ignoreTTOU(false)
	d.with(func(fd int) { _ = xterm.Restore(fd, d.saved) })
}

func (d *ttyDevice) write(p []byte) {
	d.with(func(fd int) {
		for end := time.Now().Add(writeLimit); len(p) > 0; {
			n, err := unix.Write(fd, p)
			if n > 0 {
				p = p[n:]
				continue
			}
			if !errors.Is(err, unix.EAGAIN) && !errors.Is(err, unix.EINTR) || time.Now().After(end) {
				return
			}
			time.Sleep(time.Millisecond)
		}
	})
}

func (d *ttyDevice) flushInput() { d.with(flushInput) }

func (d *ttyDevice) foreground() (front bool, err error) {
	err = os.ErrClosed
	d.with(func(fd int) {
		var group int
		group, err = unix.IoctlGetInt(fd, unix.TIOCGPGRP)
		if errors.Is(err, unix.ENOTTY) {
			group, err = unix.Getpgrp(), nil // not our controlling terminal: no job control
		}
		front = group == unix.Getpgrp()
	})
	return front, err
}

// canStop knows the usual case without a shell, a program that a terminal
// window started by itself: it leads its session, and the kernel discards its
// stop signals.
func (d *ttyDevice) canStop() bool {
	session, err := unix.Getsid(0)
	return err != nil || session != unix.Getpid()
}

// stop signals the whole group, as the terminal driver does: what started us
// and waits in the same group must stop too. Agents have groups of their own
// and run on.
func (d *ttyDevice) stop() error { return unix.Kill(0, unix.SIGTSTP) }

// ignoreTTOU covers only the moments of a mode change: an ignored signal is
// inherited by every program that is started meanwhile.
func (d *ttyDevice) ignoreTTOU(on bool) {
	if on {
		signal.Ignore(syscall.SIGTTOU)
	} else {
		signal.Reset(syscall.SIGTTOU)
	}
}

// watchSize replaces tcell's watch, which takes SIGWINCH from a channel
// without a buffer and so can lose the last signal of a storm (R27).
func (d *ttyDevice) watchSize(call func(), quit <-chan struct{}) {
	watch(syscall.SIGWINCH, call, quit)
}

func (d *ttyDevice) watchContinue(call func(), quit <-chan struct{}) {
	watch(syscall.SIGCONT, call, quit)
}

func watch(sig os.Signal, call func(), quit <-chan struct{}) {
	ring := make(chan os.Signal, 1)
	signal.Notify(ring, sig)
	defer signal.Stop(ring)
	for {
		select {
		case <-ring:
			call()
		case <-quit:
			return
		}
	}
}
