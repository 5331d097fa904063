package process

import (
	"context"
	"errors"
	"fmt"
	"time"

	"copydesk/core"
)

const (
	// look is how often it is looked whether a group without its leader is
	// gone; no event tells.
	look = 20 * time.Millisecond

	// killed is how long the kernel may take to end what was killed.
	killed = time.Second

	// leftovers is how long Stdout may be read on when all has ended.
	leftovers = 200 * time.Millisecond
)

// Stop ends the program and its process group: it ends the standard input,
// asks the group to end (TERM) core.StopEOF later, and kills it core.StopTerm
// after that (R5, T60). It goes on as soon as all are gone. When ctx ends Stop
// kills at once; a ctx that has ended before is a fast end. Further calls
// wait for the first and can hurry it.
//
// Out of reach is what made a session or a process group of its own. The
// error is that the program itself did not end.
func (p *Process) Stop(ctx context.Context) error {
	p.stopping.Do(func() { p.goes(p.stop) })
	select {
	case <-p.stopped:
	case <-ctx.Done():
		p.hurrying.Do(func() { close(p.hurry) })
		<-p.stopped
	}
	return p.failed
}

// Kill kills the program and its process group at once. Stop is still to be
// called.
func (p *Process) Kill() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.empty {
		return nil
	}
	return p.group.kill()
}

func (p *Process) stop() {
	defer close(p.stopped)
	p.Stdin.Close()
	if !p.gone(core.StopEOF, p.hurry) && !p.asked() {
		err := p.Kill()
		if !p.gone(killed, nil) && !closed(p.exited) {
			p.failed = errors.Join(fmt.Errorf("end process %d: it was killed and is still there", p.PID()), err)
		}
	}
	p.mu.Lock()
	p.empty = true
	p.group.release()
	p.mu.Unlock()

	// What escaped with a session of its own can hold the pipes for ever.
	p.await(leftovers, p.out.ended, nil)
	p.out.file.Close()
	if p.errout != nil {
		p.await(leftovers, p.drained, nil)
		p.errout.Close()
	}
	if p.failed == nil {
		<-p.done
	}
}

// asked asks the group to end, unless there is no time for that, and reports
// whether it did.
func (p *Process) asked() bool {
	if closed(p.hurry) {
		return false
	}
	p.mu.Lock()
	if !p.empty {
		p.group.ask()
	}
	p.mu.Unlock()
	return p.gone(core.StopTerm, p.hurry)
}

// gone waits until the program and its group have ended, for d at most, or
// until hurry is closed. It reports whether they have.
func (p *Process) gone(d time.Duration, hurry <-chan struct{}) bool {
	late := make(chan struct{})
	defer p.after(d, func() { close(late) })()
	select {
	case <-p.exited:
	case <-late:
		return false
	case <-hurry:
		return false
	}
	for p.alive() {
		if closed(late) || closed(hurry) {
			return false
		}
		p.await(look, late, hurry)
	}
	return true
}

// alive reports whether the group has a member besides the reaped leader. Once
// it has none its number can become another's, and it is never asked again.
func (p *Process) alive() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.empty = p.empty || !p.group.alive()
	return !p.empty
}
