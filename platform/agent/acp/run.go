package acp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"copydesk/core/session"
	"copydesk/platform/agent/acp/rpc"
	"copydesk/platform/agent/mention"
)

// A turn is one Run. The agent's lock guards what is not its queue.
type turn struct {
	queue     queue
	link      *link // that its prompt went to
	cancelled bool
	rejected  bool     // the user has rejected something in it
	reasons   []string // with which, not yet told to the agent

	over   chan struct{} // closed when the prompt that was sent is answered
	reason string        // why it stopped, then
	err    error         // or why there is no answer
}

// Run sends a prompt and yields what comes of it. Files that it names with @ go
// along as links (AGT 5). What the user rejects with a reason does not end the
// turn: the reason is its next prompt.
func (a *Agent) Run(ctx context.Context, prompt string) iter.Seq2[session.Event, error] {
	return func(yield func(session.Event, error) bool) {
		select {
		case a.busy <- struct{}{}:
		case <-ctx.Done():
			return
		}
		defer func() { <-a.busy }()
		r := &runner{agent: a, ctx: ctx, yield: yield, turn: &turn{queue: newQueue()}}
		if err := r.run(prompt); err != nil && !r.stopped {
			yield(nil, err)
		}
	}
}

// A runner is what iterates a turn.
type runner struct {
	agent   *Agent
	ctx     context.Context
	yield   func(session.Event, error) bool
	turn    *turn
	stopped bool // nothing may be yielded any more
}

func (r *runner) run(prompt string) error {
	a := r.agent
	resent, tries := false, 0
	for {
		l, err := r.connected()
		if r.stopped || err != nil {
			return err
		}
		err = r.exchange(l, prompt)
		switch {
		case r.stopped:
			return nil
		case errors.Is(err, errUnsent) && !resent:
			// The program ended before the prompt, and nobody had noticed.
			resent = true
			<-l.gone
			continue
		case wantsLogin(err) && tries < logins:
			tries++
			if err := r.login(l, err); r.stopped || err != nil {
				return err
			}
			continue
		case err != nil:
			return fmt.Errorf("asking %s: %w", a.o.Name, l.explain(err))
		}
		reasons := r.reasons()
		if reasons == "" {
			r.closing()
			return nil
		}
		prompt = reasons
		if !r.emit(session.Break{}) {
			return nil
		}
	}
}

// connected waits for a connection. Nothing of it is part of the turn, unless
// nobody listens elsewhere.
func (r *runner) connected() (*link, error) {
	a := r.agent
	t := a.ensure(true)
	defer a.giveUp(t)
	alone := a.mail.beginAlone(&r.turn.queue)
	if !r.pump(t.done) {
		a.mail.leave(&r.turn.queue)
		return nil, nil
	}
	if alone {
		a.mail.end(&r.turn.queue)
		r.pump(t.done)
	}
	return t.link, t.err
}

// errUnsent is that a prompt has certainly not reached the agent.
var errUnsent = errors.New("the prompt was not sent")

// exchange sends a prompt and yields until it is answered. The error is why it
// was not.
func (r *runner) exchange(l *link, prompt string) error {
	a, t := r.agent, r.turn
	a.mu.Lock()
	c := l.current
	t.link, t.over, t.reason, t.err, t.rejected = l, make(chan struct{}), "", nil, false
	a.turn, a.spoken = t, true
	c.passage, c.again = passage{}, nil
	a.mu.Unlock()
	a.mail.begin(&t.queue)
	_, err := l.conn.Send(sessionPrompt, promptRequest{SessionID: c.id, Prompt: content(c.dir, prompt)}, func(result json.RawMessage, err error) {
		a.answered(t, c, parse(result).text("stopReason"), err)
	})
	if err != nil {
		a.answered(t, c, "", fmt.Errorf("%w: %w", errUnsent, err))
	}
	if !r.pump(t.over) {
		a.abort(t, c)
		return nil
	}
	if errors.Is(t.err, syscall.EPIPE) || errors.Is(t.err, os.ErrClosed) {
		return fmt.Errorf("%w: %w", errUnsent, t.err)
	}
	return t.err
}

// content is a prompt as it was typed, with links to the files that it names.
func content(dir, prompt string) []block {
	blocks := []block{{Type: "text", Text: &prompt}}
	seen := map[string]bool{}
	for _, m := range mention.Find(dir, prompt) {
		if seen[m.Abs] {
			continue
		}
		seen[m.Abs] = true
		at := url.URL{Scheme: "file", Path: filepath.ToSlash(m.Abs)}
		blocks = append(blocks, block{Type: "resource_link", URI: at.String(), Name: m.Path})
	}
	return blocks
}

// answered ends a turn: what it still asks can no longer be answered, and what
// comes from now on is beside it. It is called in the order of what comes.
func (a *Agent) answered(t *turn, c *conversation, reason string, err error) {
	l := t.link
	a.mu.Lock()
	t.reason, t.err = reason, err
	if a.turn == t {
		a.turn = nil
	}
	var refused *rpc.Error
	l.owed = err != nil && !errors.As(err, &refused) && !t.cancelled
	events := c.unfinished(reason != "end_turn")
	a.mu.Unlock()
	l.withdraw(l.waiting(func(q *ask) bool { return q.turn == t && q.convo != nil }), false)
	for _, e := range events {
		a.mail.put(e)
	}
	a.mail.end(&t.queue)
	close(t.over)
}

// unfinished ends the calls that will not go on: those that were rejected, or
// all. The lock is held.
func (c *conversation) unfinished(all bool) []session.Event {
	var events []session.Event
	for _, id := range c.order {
		if k := c.calls[id]; k.status == session.Running && (all || k.rejected) {
			k.status = session.Failed
			events = append(events, session.ToolCall{ID: id, Status: session.Failed})
		}
	}
	return events
}

// abort ends a turn that is wanted no longer. What the user has answered goes
// out first, then the cancel, then that all else which is open is cancelled;
// then the agent has all the time it takes to end the turn.
func (a *Agent) abort(t *turn, c *conversation) {
	l := t.link
	a.mu.Lock()
	t.cancelled = true
	a.mu.Unlock()
	a.mail.leave(&t.queue)
	open := l.waiting(func(q *ask) bool { return q.convo == c || q.turn == t })
	for _, q := range open {
		close(q.halt)
		<-q.looked
	}
	select {
	case <-t.over:
	default:
		l.sent(l.conn.Notify(sessionCancel, sessionRequest{SessionID: c.id}))
	}
	l.withdraw(open, false)
	<-t.over
	l.mourn(func() bool { return true })
}

// pump yields the turn's events until done is closed and all that came before
// has been yielded. It reports whether the turn goes on.
func (r *runner) pump(done <-chan struct{}) bool {
	m := r.agent.mail
	for last := false; ; {
		for {
			if r.ctx.Err() != nil {
				r.stopped = true
				return false
			}
			e, ok := m.next(&r.turn.queue)
			if !ok {
				break
			}
			if !r.emit(e) {
				return false
			}
		}
		if last {
			return true
		}
		select {
		case <-r.turn.queue.bell:
		case <-done:
			last = true
		case <-r.ctx.Done():
		}
	}
}

func (r *runner) emit(e session.Event) bool {
	r.stopped = r.stopped || !r.yield(e, nil)
	return !r.stopped
}

// login logs in within the turn.
func (r *runner) login(l *link, cause error) error {
	a := r.agent
	ctx, cancel := context.WithCancel(a.ctx)
	defer cancel()
	a.mail.begin(&r.turn.queue)
	var again bool
	var err error
	done := make(chan struct{})
	a.o.Go(func() {
		defer close(done)
		again, err = a.login(ctx, l, cause)
	})
	if !r.pump(done) {
		cancel()
		a.mail.leave(&r.turn.queue)
		return nil
	}
	a.mail.end(&r.turn.queue)
	if !r.pump(done) || err != nil {
		return err
	}
	if again {
		l.leave()
	}
	return nil
}

// reasons takes what the user has rejected something with.
func (r *runner) reasons() string {
	r.agent.mu.Lock()
	defer r.agent.mu.Unlock()
	said := strings.Join(r.turn.reasons, "\n\n")
	r.turn.reasons = nil
	return said
}

// closing says why a turn ended, where that was not its plain end.
func (r *runner) closing() {
	name := r.agent.o.Name
	switch reason := r.turn.reason; reason {
	case "end_turn":
	case "max_tokens":
		r.emit(session.Notice{Text: name + " stopped because its answer reached the limit of tokens."})
	case "max_turn_requests":
		r.emit(session.Notice{Text: name + " stopped because it has asked its model as often as one turn allows."})
	case "refusal":
		r.emit(session.Notice{Text: name + " refuses to go on. What was said in this turn may be no part of what it remembers.", Error: true})
	case "cancelled":
		if !r.turn.rejected {
			r.emit(session.Notice{Text: name + " cancelled the turn by itself."})
		}
	case "":
		r.emit(session.Notice{Text: name + " ended the turn and did not say why."})
	default:
		r.emit(session.Notice{Text: name + " ended the turn for a reason that this version does not know: " + reason + "."})
	}
}
