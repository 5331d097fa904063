package term

import (
	"os"
	"syscall"
)

// Lend gives the terminal to another program of the same process group while
// run runs it: an agent's own login. Interrupt and quit from the keyboard are
// that program's business meanwhile, and a stop stops both. Call it on the
// goroutine of the application's event loop; it returns what run returns, and
// ErrRefused when the application is suspended already.
func (t *Terminal) Lend(app Suspender, run func() error) error {
	t.guard.lent.Store(true)
	defer t.guard.lent.Store(false)
	var err error
	if !app.Suspend(func() { err = run() }) {
		return ErrRefused
	}
	return err
}

// elsewhere reports whether a signal from the keyboard was meant for the
// program that has the terminal now.
func (g *Guard) elsewhere(sig os.Signal) bool {
	return g.lent.Load() && (sig == syscall.SIGINT || sig == syscall.SIGQUIT)
}
