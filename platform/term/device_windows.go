package term

import (
	"os"
	"sync/atomic"

	"github.com/gdamore/tcell/v2"
	xterm "golang.org/x/term"
)

// ttyDevice is the Windows console. It has no job control and no signals for
// the size: tcell reads the size from the console's own events.
type ttyDevice struct {
	inner   atomic.Pointer[tcell.Tty]
	in, out *xterm.State // before Open
}

func openDevice(string) (*ttyDevice, error) {
	d := &ttyDevice{}
	var err error
	if d.in, err = xterm.GetState(int(os.Stdin.Fd())); err != nil {
		return nil, &NotATerminal{Stream: "Standard input"}
	}
	if d.out, err = xterm.GetState(int(os.Stdout.Fd())); err != nil {
		return nil, &NotATerminal{Stream: "Standard output"}
	}
	return d, nil
}

func (d *ttyDevice) tcellTty() (tcell.Tty, error) {
	tty, err := tcell.NewDevTty()
	if err != nil {
		return nil, err
	}
	d.inner.Store(&tty)
	return tty, nil
}

func (d *ttyDevice) size() (w, h int, err error) {
	tty := d.inner.Load()
	if tty == nil {
		return 0, 0, os.ErrClosed
	}
	size, err := (*tty).WindowSize()
	return size.Width, size.Height, err
}

func (d *ttyDevice) restoreModes() {
	_ = xterm.Restore(int(os.Stdin.Fd()), d.in)
	_ = xterm.Restore(int(os.Stdout.Fd()), d.out)
}

func (d *ttyDevice) watchSize(call func(), quit <-chan struct{}) {
	if tty := d.inner.Load(); tty != nil {
		(*tty).NotifyResize(call)
	}
	<-quit
}

func (d *ttyDevice) watchContinue(_ func(), quit <-chan struct{}) { <-quit }

func (d *ttyDevice) write(p []byte)            { _, _ = os.Stdout.Write(p) }
func (d *ttyDevice) foreground() (bool, error) { return true, nil }
func (d *ttyDevice) canStop() bool             { return false }
func (d *ttyDevice) stop() error               { return ErrNoJobControl }
func (d *ttyDevice) captureRaw()               {}
func (d *ttyDevice) setRaw()                   {}
func (d *ttyDevice) flushInput()               {}
func (d *ttyDevice) ignoreTTOU(bool)           {}
func (d *ttyDevice) close()                    {}
