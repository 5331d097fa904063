package acp

import (
	"errors"
	"slices"
	"sync"

	"copydesk/core/session"
	"copydesk/platform/agent/acp/rpc"
)

// An ask is a request that waits for the user. The agent's lock guards what
// changes. It is answered exactly once: by the user, by being taken back, or by
// the end of its turn (T48).
type ask struct {
	link  *link
	id    rpc.ID // the zero one for a request of our own
	convo *conversation
	turn  *turn // in which it came; nil: in none
	tool  string

	// build makes what is shown, nil for what never changes.
	build func() *session.Request

	// settle sends an answer to what was shown, abandon that there will be
	// none: withdrawn says that the agent itself took the request back. One of
	// the two is called once, without the lock.
	settle  func(shown *session.Request, answer session.Answer)
	abandon func(withdrawn bool)

	shown    *session.Request
	digest   string
	closed   bool
	replaced chan struct{} // closed when another request is shown in place of shown

	halt   chan struct{} // closed: look now whether there is an answer
	looked chan struct{} // closed when that has been done, or an answer is out
	end    chan struct{} // closed with closed
	once   sync.Once
}

// open shows a request and waits for its answer on a goroutine of its own. The
// lock is held; the event is to be handed on.
func (l *link) open(q *ask, r *session.Request) session.Event {
	q.link, q.turn = l, l.agent.turn
	q.halt, q.looked, q.end = make(chan struct{}), make(chan struct{}), make(chan struct{})
	l.asks = append(l.asks, q)
	q.show(r)
	return r
}

// show makes r what is answered. The lock is held.
func (q *ask) show(r *session.Request) {
	reply := make(chan session.Answer, 1)
	r.Reply = reply
	q.shown, q.digest, q.replaced = r, r.Digest(), make(chan struct{})
	replaced := q.replaced
	q.link.agent.o.Go(func() { q.wait(r, reply, replaced) })
}

// wait waits for the answer to one request that is shown. It alone takes from
// its channel, so that a rejection that is in it when the turn is cancelled is
// never lost.
func (q *ask) wait(r *session.Request, reply <-chan session.Answer, replaced <-chan struct{}) {
	select {
	case answer := <-reply:
		q.answer(r, answer)
	case <-replaced:
		// Nobody has to say no a second time.
		if answer, ok := waiting(reply); ok && r.Rejects(answer) {
			q.answer(r, answer)
		}
	case <-q.halt:
		if answer, ok := waiting(reply); !ok || !q.answer(r, answer) {
			q.lookedAt()
		}
	case <-q.end:
	}
}

func (q *ask) lookedAt() { q.once.Do(func() { close(q.looked) }) }

func waiting(reply <-chan session.Answer) (session.Answer, bool) {
	select {
	case answer := <-reply:
		return answer, true
	default:
		return session.Answer{}, false
	}
}

// answer takes the user's answer to a request. One to a request that has
// changed since, or whose turn has been stopped, counts only if it is a rejection
// (T47, T48). It reports whether the ask has been answered, by this or otherwise.
func (q *ask) answer(r *session.Request, answer session.Answer) bool {
	a := q.link.agent
	a.mu.Lock()
	stale := q.shown != r
	if closed := q.closed; closed || stale && !r.Rejects(answer) {
		a.mu.Unlock()
		return closed
	}
	if t := q.turn; t != nil && t.cancelled && !r.Rejects(answer) {
		a.mu.Unlock()
		q.lookedAt() // the end of the turn takes it back
		return false
	}
	now := q.shown
	q.closed = true
	close(q.end)
	if t := q.turn; t != nil && r.Rejects(answer) {
		t.rejected = true
		if answer.Reason != "" {
			t.reasons = append(t.reasons, answer.Reason)
		}
	}
	if k := q.call(); k != nil && r.Rejects(answer) {
		k.rejected = true
	}
	a.mu.Unlock()
	q.settle(r, answer)
	q.drop()
	if stale {
		a.mail.put(session.Withdrawn{Request: now})
	}
	return true
}

func (q *ask) call() *call {
	if q.convo == nil || q.tool == "" {
		return nil
	}
	return q.convo.calls[q.tool]
}

// drop forgets an ask that has been answered. Until then it is there to be
// waited for: the cancel of a turn must not overtake the answer before it.
func (q *ask) drop() {
	q.lookedAt()
	l := q.link
	l.agent.mu.Lock()
	defer l.agent.mu.Unlock()
	l.asks = slices.DeleteFunc(l.asks, func(other *ask) bool { return other == q })
}

// withdraw takes asks back that nobody has answered. Without the lock.
func (l *link) withdraw(asks []*ask, byAgent bool) {
	for _, q := range asks {
		l.agent.mu.Lock()
		gone, shown := q.closed, q.shown
		if !gone {
			q.closed = true
			close(q.end)
		}
		l.agent.mu.Unlock()
		if gone {
			continue
		}
		q.abandon(byAgent)
		q.drop()
		l.agent.mail.put(session.Withdrawn{Request: shown})
	}
}

// waiting returns the asks for which is is true.
func (l *link) waiting(is func(*ask) bool) []*ask {
	l.agent.mu.Lock()
	defer l.agent.mu.Unlock()
	var out []*ask
	for _, q := range l.asks {
		if is(q) {
			out = append(out, q)
		}
	}
	return out
}

// reopen shows the requests for a call anew if they would show something else
// now (T47). The lock is held.
func (l *link) reopen(c *conversation, k *call) []session.Event {
	var events []session.Event
	for _, q := range l.asks {
		if q.closed || q.convo != c || q.tool != k.id || q.build == nil {
			continue
		}
		now, old := q.build(), q.shown
		if now.Digest() == q.digest {
			continue
		}
		close(q.replaced)
		q.show(now)
		events = append(events, session.Reopened{Old: old, New: now})
	}
	return events
}

// sent notes what became of an answer.
func (l *link) sent(err error) {
	if err != nil && !errors.Is(err, rpc.ErrClosed) {
		l.agent.log.Debug("an answer was not sent", "error", l.agent.masks.Replace(err.Error()))
	}
}
