package term

import (
	"time"

	"github.com/gdamore/tcell/v2"
)

// A Suspender hands the terminal over while f runs; it is a tview
// application.
type Suspender interface {
	Suspend(f func()) bool
}

const (
	// stopWait is how long the stop signal may take to work. A group without a
	// shell above it is not stopped at all, and no SIGCONT would ever come.
	stopWait = 200 * time.Millisecond

	// frontPoll is how often a background process looks whether it has been
	// brought to the front: bash's fg sends no signal to a running job.
	frontPoll = 100 * time.Millisecond
)

// Suspend answers Ctrl+Z (R38): the terminal goes back to the shell, the
// process group stops, and after it is continued in the foreground the screen
// is ours again and drawn anew. After bg the program runs on without a screen
// until fg. Call it on the goroutine of the application's event loop; it
// returns when the terminal is back, at once with ErrNoJobControl when there
// is no shell, and with ErrRefused when the application is already suspended.
func (t *Terminal) Suspend(app Suspender) error {
	if !t.dev.canStop() {
		return ErrNoJobControl
	}
	var err error
	if !app.Suspend(func() { err = t.stopSelf() }) {
		return ErrRefused
	}
	return err
}

func (t *Terminal) stopSelf() error {
	t.stopping.Store(true)
	defer t.stopping.Store(false)
	select {
	case <-t.resumed: // left over
	default:
	}
	if err := t.dev.stop(); err != nil {
		return err
	}
	select {
	case <-t.resumed:
	case <-time.After(stopWait):
		// The time also runs out while we are stopped: look once more.
		select {
		case <-t.resumed:
		case <-time.After(stopWait / 4):
			return ErrNoJobControl
		}
	}
	t.waitForeground()
	return nil
}

// continued is called after each SIGCONT. A stop from outside (kill -STOP)
// gave no chance to clean up, and the shell has changed modes and screen
// since: put everything back and draw anew.
func (t *Terminal) continued() {
	if t.stopping.Load() {
		select {
		case t.resumed <- struct{}{}:
		default:
		}
		return
	}
	if !t.tty.mute() {
		return
	}
	if !t.waitForeground() {
		t.tty.unmute(nil)
		return
	}
	// What was typed meanwhile was not meant for a request that has come up
	// since (T42).
	t.dev.flushInput()
	t.dev.setRaw()
	t.tty.unmute(t.screen.reenter())
	t.screen.redraw()
}

// waitForeground waits until the terminal is ours; it reports false when the
// terminal is gone or closed first.
func (t *Terminal) waitForeground() bool {
	for {
		front, err := t.dev.foreground()
		switch {
		case err != nil:
			t.tty.markLost()
			return false
		case front:
			return true
		}
		select {
		case <-time.After(frontPoll):
		case <-t.closed:
			return false
		case <-t.screen.over:
			return false
		case <-t.tty.lost:
			return false
		}
	}
}

// reenter is everything that brings the screen back: leaving first keeps the
// terminal's stacks (keyboard flags, title) one deep.
func (s *screen) reenter() []byte {
	p := append([]byte(nil), s.t.reset...)
	p = append(p, s.t.enter...)
	return append(p, s.modes()...)
}

// redraw has the next frame drawn whole, and asks for one, after the terminal
// was in other hands.
func (s *screen) redraw() {
	s.t.caller.forget()
	s.whole.Store(true)
	w, h := s.Screen.Size()
	_ = s.Screen.PostEvent(tcell.NewEventResize(w, h))
	s.t.caller.retitle()
	s.t.announce.again()
}
