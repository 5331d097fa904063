package term

import (
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"
)

// QuitLimit is how long a clean end may take after a signal or the loss of
// the terminal; the program is ended by force then (R16, R17: two seconds).
const QuitLimit = 1500 * time.Millisecond

// endings are the signals that end the program (R18).
func endings() []os.Signal {
	return []os.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGQUIT}
}

// ExitCode is the exit code for a program that a signal ended: 128 and the
// number of the signal.
func ExitCode(sig os.Signal) int {
	if n, ok := sig.(syscall.Signal); ok {
		return 128 + int(n)
	}
	return 1
}

// Signals gives the first signal that asks the program to end: SIGTERM,
// SIGINT, SIGHUP or SIGQUIT; the loss of the terminal (lost may be nil) counts
// as SIGHUP. The program then ends cleanly and exits with ExitCode. A second
// signal, or QuitLimit without an end, restores the terminal and exits at
// once. stop ends the watch; call it when the clean end is done.
//
// A signal that was ignored at the start (nohup) stays ignored. SIGPIPE never
// ends the program; it is caught, not ignored, because agents would inherit
// that.
func (g *Guard) Signals(lost <-chan struct{}) (first <-chan os.Signal, stop func()) {
	in := make(chan os.Signal, 4)
	for _, sig := range endings() {
		if !signal.Ignored(sig) {
			signal.Notify(in, sig)
		}
	}
	pipe := make(chan os.Signal, 1)
	signal.Notify(pipe, syscall.SIGPIPE)

	out, done := make(chan os.Signal, 1), make(chan struct{})
	g.Go(func() {
		var sig os.Signal
		for sig == nil || g.elsewhere(sig) {
			select {
			case sig = <-in:
			case <-lost:
				sig = syscall.SIGHUP
			case <-done:
				return
			}
		}
		out <- sig
		limit := time.NewTimer(QuitLimit)
		defer limit.Stop()
		for {
			select {
			case next := <-in:
				if next == syscall.SIGHUP || g.elsewhere(next) {
					continue // one hang-up comes from kernel and shell, and after the end of input
				}
				sig = next
			case <-limit.C:
			case <-done:
				return
			}
			break
		}
		g.end(ExitCode(sig))
	})
	var once sync.Once
	return out, func() {
		once.Do(func() {
			signal.Stop(in)
			signal.Stop(pipe)
			close(done)
		})
	}
}
