package acp

import (
	"context"
	"errors"
	"fmt"

	"copydesk/core/session"
	"copydesk/platform/agent/acp/rpc"
)

// logins is how often in a row an agent may ask for one.
const logins = 3

// wantsLogin reports whether an agent refused because nobody is logged in.
func wantsLogin(err error) bool {
	var refused *rpc.Error
	return errors.As(err, &refused) && refused.Code == rpc.AuthRequired
}

// login lets the user choose how to log in, and does it. again says that the
// program must be started anew to see it.
func (a *Agent) login(ctx context.Context, l *link, cause error) (again bool, err error) {
	why := l.explain(cause)
	if len(l.greeting.methods) == 0 {
		return false, fmt.Errorf("%s wants a login and offers none here; log in with its own command, %s, and try again: %w",
			a.o.Name, spelled(a.o.Command[:1]), why)
	}
	for range logins {
		i, err := a.askLogin(ctx, l)
		if err != nil {
			return false, err
		}
		m := l.greeting.methods[i]
		if again, err = a.loginBy(ctx, l, m); err == nil {
			return again, nil
		}
		if ctx.Err() != nil {
			return false, err
		}
		a.notice(sentence(err.Error()), true)
	}
	return false, fmt.Errorf("logging in to %s: it did not work: %w", a.o.Name, why)
}

// errDeclined is that the user does not want to log in.
var errDeclined = errors.New("nobody is logged in")

// askLogin lets the user choose one of the methods.
func (a *Agent) askLogin(ctx context.Context, l *link) (int, error) {
	r := &session.Request{Kind: session.Choice, Prompt: a.o.Name + " wants you to log in. How?", From: a.o.Name}
	for _, m := range l.greeting.methods {
		label := m.name
		if label == "" {
			label = m.id
		}
		if m.about != "" && m.about != label {
			label += " — " + m.about
		}
		r.Choices = append(r.Choices, label)
	}
	chosen := make(chan int, 1)
	q := &ask{
		settle: func(shown *session.Request, answer session.Answer) {
			if answer.Verdict != session.Chosen || shown.Accepts(answer) != nil {
				answer.Index = -1
			}
			chosen <- answer.Index
		},
		abandon: func(bool) { chosen <- -1 },
	}
	a.mu.Lock()
	e := l.open(q, r)
	a.mu.Unlock()
	a.mail.put(e)
	select {
	case <-ctx.Done():
		l.withdraw([]*ask{q}, false)
		return 0, ctx.Err()
	case i := <-chosen:
		if i < 0 {
			return 0, fmt.Errorf("connecting to %s: %w", a.o.Name, errDeclined)
		}
		return i, nil
	}
}

func (a *Agent) loginBy(ctx context.Context, l *link, m method) (again bool, err error) {
	switch {
	case m.kind == "agent":
		a.notice("Logging in to "+a.o.Name+"; it may open a page in your browser.", false)
		if err := l.call(ctx, authenticate, authenticateRequest{MethodID: m.id}, nil); err != nil {
			return false, fmt.Errorf("logging in to %s: %w", a.o.Name, l.explain(err))
		}
		return false, nil
	case m.kind == "terminal" && a.o.Login != nil:
		env := Options{Environ: a.o.environ(), Env: map[string]string{}}
		for _, v := range m.env {
			env.Env[v.key] = plain(v.value)
		}
		argv := append(append([]string(nil), a.o.Command...), m.args...)
		if err := a.o.Login(ctx, argv, env.environ(), a.o.Dir); err != nil {
			return false, fmt.Errorf("logging in to %s with %s: %w", a.o.Name, spelled(argv), err)
		}
		return true, nil
	case m.kind == "terminal":
		return false, fmt.Errorf("logging in to %s works in a terminal only: run %s there", a.o.Name, spelled(append([]string{a.o.Command[0]}, m.args...)))
	}
	return false, fmt.Errorf("logging in to %s by %s is not known to this version; set what it needs in the agent's env and start it again", a.o.Name, quoted(m.kind))
}
