package acp

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"copydesk/core/session"
	"copydesk/core/text"
)

// Ref names the session that goes on, or the one of an earlier run that is to be
// gone on with: its id, and behind a line end its folder where that is not the
// agent's. It is empty where the agent could not go on with a session.
func (a *Agent) Ref() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.ref
}

// Resume says which session of an earlier run the program goes on with once it
// runs, and what was said in it. Nothing of that is sent: the agent knows it, or
// the user is told that it does not (T50).
func (a *Agent) Resume(ref string, past []session.Turn) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.ref, a.past, a.spoken = ref, past, len(past) > 0
}

// ref is how a session is named.
func (c *conversation) ref() string {
	if c.dir != c.link.agent.o.Dir {
		return c.id + "\n" + c.dir
	}
	return c.id
}

// named is the session that a ref names.
func (l *link) named(ref string) (id, dir string) {
	if i := strings.LastIndexByte(ref, '\n'); i >= 0 {
		return ref[:i], ref[i+1:]
	}
	return ref, l.agent.o.Dir
}

// openSession goes on with the session that there was, if something was said in
// it and the agent can, and makes a new one otherwise.
func (l *link) openSession() error {
	a := l.agent
	a.mu.Lock()
	ref, spoken, deaths := a.ref, a.spoken, a.deaths
	a.mu.Unlock()
	var cause error
	switch {
	case !spoken || ref == "" || !l.greeting.caps.goesOn():
	case deaths >= deadly:
		cause = fmt.Errorf("its program has ended %d times while it took that session up", deaths)
	default:
		err := l.goOn(ref)
		if err == nil || wantsLogin(err) || a.ctx.Err() != nil {
			return err
		}
		cause = l.explain(err)
		select {
		case <-l.gone:
			a.mu.Lock()
			a.deaths++
			a.mu.Unlock()
			return fmt.Errorf("going on with the session of %s: %w", a.o.Name, cause)
		default:
		}
	}
	a.mu.Lock()
	past := a.past
	a.mu.Unlock()
	if err := l.newSession(); err != nil {
		return err
	}
	if spoken {
		a.aside(session.Notice{Text: a.anew(past, cause), Error: true})
	}
	return nil
}

// deadly is how often the program may end while it takes a session up before
// that is not asked of it any more: a session that ends it would keep the user
// from every other.
const deadly = 2

// anew says that the agent does not know what was said before. past is what was
// said in an earlier run, nil: in this one.
func (a *Agent) anew(past []session.Turn, cause error) string {
	mine := func(t session.Turn) bool {
		return t.Role == session.Assistant && t.Agent == text.CleanLine(a.o.Name)
	}
	said := a.o.Name + " was started anew and does not know what was said before."
	switch {
	case slices.ContainsFunc(past, mine):
		said = a.o.Name + " cannot go on with its session, so it begins anew: it does not know what was said before."
	case past != nil:
		said = a.o.Name + " begins anew: it does not know what was said before, to another agent."
	}
	if cause != nil {
		said += " The reason: " + strings.TrimRight(cause.Error(), ".") + "."
	}
	return said
}

// newSession makes a session in which nothing was said.
func (l *link) newSession() error {
	a := l.agent
	a.mu.Lock()
	l.opening = true
	a.mu.Unlock()
	nameless := false
	err := l.call(a.ctx, sessionNew, openRequest{Dir: a.o.Dir, MCPServers: []empty{}}, func(result json.RawMessage) {
		id := parse(result).text("sessionId")
		if nameless = id == ""; !nameless {
			l.adopt(newConversation(l, id, a.o.Dir), result)
		}
	})
	switch {
	case wantsLogin(err):
		return err
	case err != nil:
		return fmt.Errorf("opening a session with %s: %w", a.o.Name, l.explain(err))
	case nameless:
		return fmt.Errorf("opening a session with %s: it gave no session id", a.o.Name)
	}
	a.mu.Lock()
	a.spoken = false
	a.mu.Unlock()
	return nil
}

// goOn goes on with a session whose past is shown already. It returns when the
// agent has nothing more to say of that.
func (l *link) goOn(ref string) error {
	a := l.agent
	id, dir := l.named(ref)
	method := sessionResume
	if !l.greeting.caps.resume {
		method = sessionLoad
	}
	a.mu.Lock()
	again := &replay{past: a.past, muted: true, over: make(chan struct{})}
	a.mu.Unlock()
	if err := l.enterSession(a.ctx, method, id, dir, again, nil); err != nil {
		return err
	}
	select {
	case <-again.over:
	case <-l.gone: // which is told like any other end
	case <-a.ctx.Done():
	}
	return nil
}

// enterSession loads or resumes a session. again is set where its past is shown
// already. after is called when it is open, on the goroutine that reads.
func (l *link) enterSession(ctx context.Context, method, id, dir string, again *replay, after func(*conversation)) error {
	c := newConversation(l, id, dir)
	c.replayed, c.again = method == sessionLoad, again
	l.agent.mu.Lock()
	l.loading = c
	l.agent.mu.Unlock()
	err := l.call(ctx, method, openRequest{SessionID: id, Dir: dir, MCPServers: []empty{}}, func(result json.RawMessage) {
		if !l.isLoading(c) {
			return // nobody wants it any more
		}
		l.adopt(c, result)
		if after != nil {
			after(c)
		}
	})
	if err != nil {
		l.agent.mu.Lock()
		if l.loading == c {
			l.loading = nil
		}
		l.agent.mu.Unlock()
	}
	return err
}

func (l *link) isLoading(c *conversation) bool {
	l.agent.mu.Lock()
	defer l.agent.mu.Unlock()
	return l.loading == c
}
