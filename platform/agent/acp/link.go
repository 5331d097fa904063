package acp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"copydesk/core"
	"copydesk/core/session"
	"copydesk/platform/agent/acp/rpc"
	"copydesk/platform/agent/process"
)

// A program is what an agent runs in.
type program struct {
	in     io.Writer
	out    io.Reader
	done   <-chan struct{} // closed when it has ended
	exit   func() string   // how, in words
	stderr func() string   // the end of what it complained about
	stop   func(context.Context) error
}

// run starts the agent's command.
func (a *Agent) run() (*program, error) {
	p, err := process.Start(process.Options{Argv: a.o.Command, Dir: a.o.Dir, Env: a.o.environ(), Go: a.o.Go})
	if err != nil {
		return nil, err
	}
	return &program{in: p.Stdin, out: p.Stdout, done: p.Done(), exit: p.Exit, stderr: p.Stderr, stop: p.Stop}, nil
}

// A link is one program that runs, and the connection to it. What follows agent
// is guarded by the agent's lock; it is set before anything is read.
type link struct {
	agent    *Agent
	program  *program
	conn     *rpc.Conn
	greeting greeting // set before a session is opened

	current *conversation // the session that goes on; nil: none yet
	loading *conversation // the one that is being loaded
	opening bool          // a session is being made, whose id we do not know
	kept    []message     // what came for sessions that are not there yet
	size    int           // of kept, in bytes
	asks    []*ask
	opened  map[string]string // addresses, by the id of their elicitation
	ready   bool              // there has been a session

	exit string        // how the program ended, for the user; set before gone is closed
	owed bool          // a turn that runs will tell the user
	told bool          // the user knows
	gone chan struct{} // closed when the program has ended and all that came was handled
}

// A message came before its session. Those of an agent are kept up to earlyBytes.
type message struct {
	id     rpc.ID // of a request
	method string
	params json.RawMessage
	about  string // the session's id
}

const earlyBytes = 4 << 20

// connectTo makes a link out of a program that has just been started.
func (a *Agent) connectTo(p *program) *link {
	l := &link{agent: a, program: p, opened: map[string]string{}, gone: make(chan struct{})}
	l.conn = rpc.New(p.out, p.in, rpc.Options{Go: a.o.Go, Log: a.log, Handle: l, Noise: l.noise, Oversize: l.oversize})
	return l
}

// noise shows the first line that is no message, and no other (R12).
func (l *link) noise(line string, n int) {
	if n > 1 {
		return
	}
	const most = 200
	if len(line) > most {
		line = strings.ToValidUTF8(line[:most], "") + "…"
	}
	l.agent.notice(fmt.Sprintf("%s printed something that is no message, which is skipped, as will be all like it: %s", l.agent.o.Name, line), false)
}

// oversize tells of a line that was skipped (R11).
func (l *link) oversize(n int64) {
	l.agent.notice(fmt.Sprintf("%s sent a message of %s bytes, which was skipped: %d MiB are the most.",
		l.agent.o.Name, grouped(int(n)), core.LineBytes>>20), true)
}

// Notify takes a notification. It is called on the goroutine that reads, in the
// order in which they came.
func (l *link) Notify(method string, params json.RawMessage) {
	switch method {
	case sessionUpdate:
		if !l.early(method, rpc.ID{}, params) {
			l.updated(params)
		}
	case elicitationComplete:
		l.push(func() []session.Event { return l.completed(parse(params)) })
	case cancelRequest:
		var id rpc.ID
		if id.UnmarshalJSON(parse(params).get("requestId")) == nil && !id.IsZero() {
			l.withdraw(l.waiting(func(q *ask) bool { return q.id == id }), true)
		}
	default:
		l.push(func() []session.Event { l.agent.stray("notification", method); return nil })
	}
}

// updated hands on what an update says.
func (l *link) updated(params json.RawMessage) {
	o := parse(params)
	l.push(func() []session.Event {
		c := l.known(o.text("sessionId"))
		if c == nil {
			l.agent.stray("update of the session", o.text("sessionId"))
			return nil
		}
		return l.agent.update(c, o.object("update"))
	})
}

// push runs f under the lock and hands on its events, in order. It may wait for
// the pane, and is only for the goroutine that reads.
func (l *link) push(f func() []session.Event) {
	a := l.agent
	a.mu.Lock()
	events := f()
	a.mu.Unlock()
	l.handOn(events)
}

// handOn hands on events. A request that was taken back before the pane had it,
// by the end of its turn, is taken back once more: it must not wait for an answer
// that goes nowhere (T48). It may wait for the pane, as push does.
func (l *link) handOn(events []session.Event) {
	a := l.agent
	for _, e := range events {
		a.mail.push(e)
		r, _ := e.(*session.Request)
		if again, ok := e.(session.Reopened); ok {
			r = again.New
		}
		if r != nil && len(l.waiting(func(q *ask) bool { return q.shown == r && !q.closed })) == 0 {
			a.mail.put(session.Withdrawn{Request: r})
		}
	}
}

// known finds a session by its id. The lock is held.
func (l *link) known(id string) *conversation {
	for _, c := range []*conversation{l.loading, l.current} {
		if c != nil && c.id == id {
			return c
		}
	}
	return nil
}

// early keeps a message for a session that is still being made, and reports
// whether it did.
func (l *link) early(method string, id rpc.ID, params json.RawMessage) bool {
	l.agent.mu.Lock()
	defer l.agent.mu.Unlock()
	about := parse(params).text("sessionId")
	if !l.opening || about == "" || l.known(about) != nil || l.size+len(params) > earlyBytes {
		return false
	}
	l.size += len(params)
	l.kept = append(l.kept, message{id: id, method: method, params: append(json.RawMessage(nil), params...), about: about})
	return true
}

// adopt makes a session the one that goes on, with all that came for it before.
// It is called on the goroutine that reads, for the answer that opens it.
func (l *link) adopt(c *conversation, result json.RawMessage) {
	var kept []message
	l.push(func() []session.Event {
		events := append(c.endPrompt(), l.agent.opened(c, parse(result))...)
		c.answered(c.replayed)
		c.replayed, c.passage = false, passage{}
		l.current, l.loading, l.opening, l.ready = c, nil, false, true
		l.agent.past, l.agent.deaths, l.agent.ref = nil, 0, ""
		if l.greeting.caps.goesOn() {
			l.agent.ref = c.ref()
		}
		kept, l.kept, l.size = l.kept, nil, 0
		return events
	})
	for _, m := range kept {
		switch {
		case m.about != c.id && m.id.IsZero():
			l.push(func() []session.Event { l.agent.stray("update of the session", m.about); return nil })
		case m.id.IsZero():
			l.updated(m.params)
		default:
			l.asked(m.id, m.method, m.params)
		}
	}
}

// call makes a request of ours and waits for the answer. take gets a result on
// the goroutine that reads, before anything that came after it; what it keeps of
// the result it must copy.
func (l *link) call(ctx context.Context, method string, params any, take func(result json.RawMessage)) error {
	done := make(chan error, 1)
	_, err := l.conn.Send(method, params, func(result json.RawMessage, err error) {
		if err == nil && take != nil {
			take(result)
		}
		done <- err
	})
	if err != nil {
		return err
	}
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return fmt.Errorf("%s: %w", method, ctx.Err())
	}
}

// watch waits for the end of the program or of the connection, ends the other
// one with it, and says so unless somebody else does.
func (l *link) watch() {
	a := l.agent
	select {
	case <-l.conn.Done():
	case <-l.program.done:
	}
	if err := l.program.stop(context.Background()); err != nil {
		a.aside(session.Notice{Text: a.masks.Replace(sentence(err.Error())), Error: true})
	}
	<-l.conn.Done()
	a.mu.Lock()
	l.exit = l.obituary()
	if a.link == l {
		a.link = nil
		if a.trying != nil && a.trying.finished {
			a.trying = nil
		}
	}
	a.mu.Unlock()
	l.withdraw(l.waiting(func(*ask) bool { return true }), false)
	close(l.gone)
	l.mourn(func() bool { return l.ready && !l.owed })
}

// mourn tells the user, once, that the program has ended, if is says so.
func (l *link) mourn(is func() bool) {
	a := l.agent
	select {
	case <-l.gone:
	default:
		return
	}
	a.mu.Lock()
	tell := !l.told && a.ctx.Err() == nil && is()
	l.told = l.told || tell
	a.mu.Unlock()
	if tell {
		a.aside(session.Notice{Text: sentence(l.exit), Error: true})
	}
}

// obituary says how the program ended, and the end of what it complained about.
// The lock is held.
func (l *link) obituary() string {
	a := l.agent
	said := a.o.Name + " exited (" + l.program.exit() + ")"
	if err := l.conn.Err(); errors.Is(err, rpc.ErrNoise) {
		said = a.o.Name + " was ended: " + err.Error()
	}
	if !l.ready {
		said += " before it was ready; its command is " + spelled(a.o.Command)
	}
	if tail := lastLines(l.program.stderr()); tail != "" {
		said += ". Its last words:\n" + tail
	}
	return a.masks.Replace(said)
}

// stop ends the program; it waits until that is gone.
func (l *link) stop() error { return l.program.stop(l.agent.o.Hurry) }

// leave ends the program without a word about it.
func (l *link) leave() {
	l.agent.mu.Lock()
	l.told = true
	l.agent.mu.Unlock()
	if err := l.stop(); err != nil {
		l.agent.aside(session.Notice{Text: l.agent.masks.Replace(sentence(err.Error())), Error: true})
	}
	<-l.gone
}

// explain says what an error of a call means for the user. When the program has
// ended it waits until it is known how, and the user is not told once more.
func (l *link) explain(err error) error {
	var refused *rpc.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &refused):
		return errors.New(l.agent.masks.Replace(refusal(refused)))
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded),
		errors.Is(err, rpc.ErrLine), errors.Is(err, rpc.ErrFull), errors.Is(err, rpc.ErrMalformed):
		return err
	}
	<-l.gone
	l.agent.mu.Lock()
	defer l.agent.mu.Unlock()
	l.told = true
	return errors.New(l.exit)
}
