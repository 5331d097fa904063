package acp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"time"

	"copydesk/core/session"
)

// slow is after how long without an answer an agent that starts is said to be
// slow.
const slow = 20 * time.Second

// An attempt to connect. What it came to is there when done is closed.
type attempt struct {
	done     chan struct{}
	link     *link
	err      error
	finished bool // of the lock's: done is closed, or about to be
	waiters  int  // turns that will tell the user of err
}

// Aside starts the program and yields what comes when no turn runs. When ctx
// ends it returns; the program goes on until Close.
func (a *Agent) Aside(ctx context.Context) iter.Seq[session.Event] {
	return func(yield func(session.Event) bool) {
		a.mail.listen(true)
		defer a.mail.listen(false)
		a.ensure(false)
		for {
			for ctx.Err() == nil {
				e, ok := a.mail.next(&a.mail.aside)
				if !ok {
					break
				}
				if !yield(e) {
					return
				}
			}
			select {
			case <-a.mail.aside.bell:
			case <-ctx.Done():
				return
			}
		}
	}
}

// aside shows what is no part of a turn, even while one runs.
func (a *Agent) aside(e session.Event) { a.mail.beside(e) }

// ensure returns the attempt that leads to a connection: the one that runs or
// has come to one, or a new one. waits says that a turn will tell of a failure.
func (a *Agent) ensure(waits bool) *attempt {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.trying == nil {
		t := &attempt{done: make(chan struct{})}
		a.trying = t
		a.o.Go(func() { a.try(t) })
	}
	if waits {
		a.trying.waiters++
	}
	return a.trying
}

func (a *Agent) try(t *attempt) {
	l, err := a.connect()
	a.mu.Lock()
	t.link, t.err, t.finished = l, err, true
	quiet := t.waiters > 0 || a.ctx.Err() != nil
	if a.trying == t && (err != nil || a.link != l) {
		a.trying = nil
	}
	a.mu.Unlock()
	if err != nil && !quiet {
		a.aside(session.Notice{Text: sentence(err.Error()), Error: true})
	}
	close(t.done)
}

// wait waits for an attempt.
func (a *Agent) wait(ctx context.Context) (*link, error) {
	t := a.ensure(true)
	defer a.giveUp(t)
	select {
	case <-t.done:
		return t.link, t.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// giveUp says that a turn waits no longer.
func (a *Agent) giveUp(t *attempt) {
	a.mu.Lock()
	defer a.mu.Unlock()
	t.waiters--
}

// connect starts the program and opens a session, with a login where it wants
// one.
func (a *Agent) connect() (*link, error) {
	for range logins {
		l, err := a.dial()
		if err != nil {
			return nil, err
		}
		again, err := a.enter(l)
		if err == nil && !again {
			a.aside(session.Notice{Text: fmt.Sprintf("Connected to %s (ACP %d).", a.o.Name, version)})
			return l, nil
		}
		l.leave()
		if err != nil {
			return nil, err
		}
	}
	return nil, fmt.Errorf("connecting to %s: it wants a login again and again", a.o.Name)
}

// dial starts the program and greets it.
func (a *Agent) dial() (*link, error) {
	p, err := a.start()
	if err != nil {
		return nil, fmt.Errorf("starting %s: %w", a.o.Name, err)
	}
	l := a.connectTo(p)
	a.mu.Lock()
	a.link = l
	a.mu.Unlock()
	l.conn.Start()
	a.o.Go(l.watch)
	if a.ctx.Err() != nil { // closed meanwhile, and Close saw no program
		l.leave()
		return nil, a.ctx.Err()
	}
	defer a.o.After(slow, func() {
		a.aside(session.Notice{Text: fmt.Sprintf("%s has not answered for %d seconds; it may still be starting.", a.o.Name, slow/time.Second)})
	})()
	err = l.call(a.ctx, initialize, initializeRequest{
		ProtocolVersion: version,
		ClientInfo:      implementation{Name: "copydesk", Title: "copydesk", Version: a.o.Version},
		ClientCapabilities: clientCapabilities{
			Auth: authCapabilities{Terminal: a.o.Login != nil},
			Meta: map[string]bool{"terminal_output_delta": true},
		},
	}, func(result json.RawMessage) { l.greeting = readGreeting(result) })
	if err != nil {
		err = fmt.Errorf("connecting to %s: %w", a.o.Name, l.explain(err))
		l.leave()
		return nil, err
	}
	if v := l.greeting.version; v != nil && *v != version {
		a.aside(session.Notice{
			Text: fmt.Sprintf("%s speaks version %v of the Agent Client Protocol, copydesk version %d: not all will work.", a.o.Name, *v, version), Error: true,
		})
	}
	return l, nil
}

// enter opens a session; again says that the program is to be started anew
// first, because a login in a terminal is seen only then.
func (a *Agent) enter(l *link) (again bool, err error) {
	for range logins {
		err := l.openSession()
		if !wantsLogin(err) {
			return false, err
		}
		if again, err := a.login(a.ctx, l, err); again || err != nil {
			return again, err
		}
	}
	return false, fmt.Errorf("connecting to %s: it wants a login again and again", a.o.Name)
}

// bye closes the session of a program that is about to be ended, where the
// agent can.
func (l *link) bye() {
	a := l.agent
	a.mu.Lock()
	c := l.current
	a.mu.Unlock()
	if c == nil || !l.greeting.caps.close {
		return
	}
	ctx, cancel := context.WithCancel(a.ctx)
	defer cancel()
	defer a.o.After(byeTime, cancel)()
	if err := l.call(ctx, sessionClose, sessionRequest{SessionID: c.id}, nil); err != nil && !errors.Is(err, context.Canceled) {
		a.log.Debug("closing the session", "error", a.masks.Replace(err.Error()))
	}
}

// byeTime is how long a session may take to close.
const byeTime = time.Second
