package term

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gdamore/tcell/v2"
	"github.com/gdamore/tcell/v2/terminfo"
	xterm "golang.org/x/term"
)

// Options says how a terminal is opened. The zero value of every field but
// Guard is usable.
type Options struct {
	// Guard starts the goroutines and restores the terminal after a panic.
	Guard *Guard

	// In and Out are checked to be terminals; they default to os.Stdin and
	// os.Stdout.
	In, Out *os.File

	// Path is the terminal device; the default is the controlling terminal,
	// and standard input's device when there is none.
	Path string

	// Env looks up an environment variable; the default is os.Getenv.
	Env func(string) string

	// Mouse lets the program ask for mouse buttons. Off by default: asking
	// takes the terminal's own selection away.
	Mouse bool

	// PasteCut is called when a paste is longer than core.PasteBytes, once for
	// each paste, from the input goroutine; it must not block.
	PasteCut func()

	// Focus is called when the terminal says that its window has gained or lost
	// the focus, from the input goroutine; it must not block. tview has no use
	// for the event. See Terminal.Focus.
	Focus func(focused bool)

	// Now is the clock; the default is time.Now.
	Now func() time.Time
}

// ErrRefused is what WriteRaw returns while the terminal is not ours to write
// to: suspended, in the background, or closed.
var ErrRefused = errors.New("terminal is suspended or closed")

// ErrNoJobControl is what Suspend returns when the stop signal had no effect:
// no shell waits to take the terminal (POSIX: the process group is orphaned).
var ErrNoJobControl = errors.New("no shell to go back to")

// NotATerminal says that the program has no terminal to draw on. No byte has
// been written (R39); the caller prints it and exits with code 2.
type NotATerminal struct {
	Stream string // "Standard input", "Standard output" or a device path
}

// Error is a text for the user.
func (e *NotATerminal) Error() string {
	return e.Stream + " is not a terminal. Start the program in a terminal window, without a pipe or a redirection."
}

// UnusableTerminal says that the terminal cannot move its cursor (R40).
type UnusableTerminal struct {
	Term string // the value of TERM
}

// Error is a text for the user.
func (e *UnusableTerminal) Error() string {
	return fmt.Sprintf("The terminal type TERM=%s cannot show a full screen. "+
		"Set TERM to the type of your terminal, for example TERM=xterm-256color, and start again.", e.Term)
}

// A Terminal is the open terminal. Its methods are safe from any goroutine.
type Terminal struct {
	guard    *Guard
	dev      device
	tty      *lockedTty
	screen   *screen
	announce *announcer
	caller   *caller
	ascii    bool
	reset    []byte // what leaves every mode we may have entered

	enter []byte // what tcell wrote to enter the screen

	stopping atomic.Bool   // Suspend is between its stop and its continue
	resumed  chan struct{} // rung by the SIGCONT that ends Suspend's stop
	closed   chan struct{}
	once     sync.Once
}

// Open takes the terminal over: raw mode, alternate screen, bracketed paste.
// The errors that tview would swallow come from here (tview's SetScreen calls
// Init and ignores its result), so the Screen that is handed to tview is
// already initialised and its Init does nothing.
func Open(o Options) (*Terminal, error) {
	o = o.defaults()
	ti, err := o.usable()
	if err != nil {
		return nil, err
	}
	dev, err := openDevice(o.Path)
	if err != nil {
		return nil, err
	}
	inner, err := dev.tcellTty()
	if err != nil {
		dev.close()
		return nil, err
	}
	t, err := open(o, dev, inner, ti)
	if err != nil {
		dev.close()
		return nil, fmt.Errorf("open the terminal: %w", err)
	}
	return t, nil
}

// Check reports whether Open has a terminal to take over, without touching it:
// nil, a *NotATerminal or an *UnusableTerminal. What costs something can be
// done between the two.
func Check(o Options) error {
	_, err := o.defaults().usable()
	return err
}

func (o Options) usable() (*terminfo.Terminfo, error) {
	if !xterm.IsTerminal(int(o.In.Fd())) {
		return nil, &NotATerminal{Stream: "Standard input"}
	}
	if !xterm.IsTerminal(int(o.Out.Fd())) {
		return nil, &NotATerminal{Stream: "Standard output"}
	}
	return terminfoFor(o.Env)
}

// open builds the terminal on a device; the tests give it one without a
// kernel.
func open(o Options, dev device, inner tcell.Tty, ti *terminfo.Terminfo) (*Terminal, error) {
	speakUTF8()
	t := &Terminal{
		guard:   o.Guard,
		dev:     dev,
		tty:     newLockedTty(inner, dev, o.Guard, o.Now),
		ascii:   asciiLocale(o.Env),
		resumed: make(chan struct{}, 1),
		closed:  make(chan struct{}),
	}
	drawn, err := tcell.NewTerminfoScreenFromTtyTerminfo(t.tty, ti)
	if err != nil {
		return nil, err
	}
	t.reset = resetBytes(ti.XTermLike) // tcell sets the field for names that begin with xterm
	t.announce = newAnnouncer(o.Now, o.Guard.after, t.tty.writeRaw, ti.XTermLike)
	t.announce.ascii = t.ascii
	t.caller = &caller{
		now: o.Now, after: o.Guard.after, write: t.tty.writeRaw, announce: t.announce, desktop: desktopFor(o.Env, ti.XTermLike),
	}
	t.screen = newScreen(t, drawn, o)
	o.Guard.attach(t.Restore)
	if t.enter, err = t.tty.recording(drawn.Init); err != nil {
		t.Restore()
		return nil, err
	}
	t.screen.begin()
	t.guard.Go(func() { dev.watchContinue(t.continued, t.closed) })
	return t, nil
}

func (o Options) defaults() Options {
	if o.In == nil {
		o.In = os.Stdin
	}
	if o.Out == nil {
		o.Out = os.Stdout
	}
	if o.Env == nil {
		o.Env = os.Getenv
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Guard == nil {
		o.Guard = NewGuard(GuardOptions{Now: o.Now})
	}
	return o
}

// Screen is the screen for tview's SetScreen, initialised. EnablePaste and
// EnableMouse must still be called on the tview application after SetScreen:
// it drops paste events otherwise.
func (t *Terminal) Screen() tcell.Screen { return t.screen }

// ASCII tells that the locale has no UTF-8, so that borders and marks of our
// own should be ASCII (R41). Content still goes out as UTF-8.
func (t *Terminal) ASCII() bool { return t.ascii }

// Lost is closed when the terminal is gone: end of input or EIO (R17). The
// program must quit then; nothing can be drawn any more.
func (t *Terminal) Lost() <-chan struct{} { return t.tty.lost }

// WriteRaw writes one sequence, whole: no frame and no other sequence gets
// between its bytes. It blocks as long as the terminal does, so it belongs in
// a goroutine of its own when p is large. It returns ErrRefused while
// suspended and after Close.
func (t *Terminal) WriteRaw(p []byte) error { return t.tty.writeRaw(p) }

// Bell rings the bell, at most once in core.BellEvery; more are dropped (T68).
func (t *Terminal) Bell() { t.announce.bell() }

// Close gives the terminal back, in at most about a second even when it takes
// no more output. It may be called more than once, and after tview has
// finished the screen.
func (t *Terminal) Close() {
	t.once.Do(func() {
		t.screen.Fini()
		close(t.closed)
		t.dev.close()
	})
}

// Restore brings the terminal back to the state before Open, from any
// goroutine, at any moment, any number of times. It takes no lock of tcell,
// whose Fini deadlocks when the goroutine that panics holds its lock; nothing
// is drawn after it. It returns within half a second.
func (t *Terminal) Restore() {
	t.tty.seal(func(whole bool) {
		if !whole {
			// A write is stuck half way, perhaps inside a sequence: CAN and ST
			// end whatever it was (ECMA-48, xterm ctlseqs).
			t.dev.write([]byte("\x18\x1b\\"))
		}
		t.dev.write(t.reset)
	})
	t.dev.restoreModes()
}
