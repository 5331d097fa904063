package desk

import (
	"fmt"
	"slices"

	"copydesk/core/panel"
	"copydesk/core/record"
	"copydesk/core/session"
	"copydesk/core/text"
)

// request takes a request in, or says why it cannot be shown (REQ 1).
func (p *Pane) request(s *seat, t *turn, r *session.Request) {
	if p.skipped(s, r) {
		return
	}
	if t != nil || p.turn == nil {
		p.endText()
	}
	asked := record.Asked{Digest: r.Digest(), Request: r, From: p.from(s, t == nil)}
	if !p.showable(r) {
		p.keep(asked)
		return
	}
	asked.ID = p.inbox.Add(r).ID
	p.keep(asked)
	open := s.open(t)
	*open = append(*open, r)
}

// open lists the requests of a turn, or of an agent outside of turns.
func (s *seat) open(t *turn) *[]*session.Request {
	if t != nil {
		return &t.asked
	}
	return &s.asked
}

// skipped reports whether nobody can answer a request. Then there is nothing to
// see of it.
func (p *Pane) skipped(s *seat, r *session.Request) bool {
	if cap(r.Reply) > 0 {
		return false
	}
	p.desk.deps.Log.Warn("skipped a request that nobody can answer", "agent", s.agent.Name(), "kind", string(r.Kind))
	return true
}

// showable reports whether a request can be shown. The agent of one that cannot
// gets an answer that is no approval.
func (p *Pane) showable(r *session.Request) bool {
	if err := r.Validate(); err != nil {
		said := sentence("the agent asked something that cannot be shown: " + text.CleanLine(err.Error()))
		p.panel.Remark(panel.Line{Kind: panel.Error, Text: said})
		reply(r, session.Answer{})
		return false
	}
	return true
}

// reopen puts a request in the place of one that may have been seen (T47). Where
// the old one was answered a moment ago the new one is asked besides: the agent
// waits for it.
func (p *Pane) reopen(s *seat, t *turn, e session.Reopened) {
	if p.skipped(s, e.New) {
		p.dismiss(e.Old)
		return
	}
	open := s.open(t)
	again := record.Reopened{Old: p.inbox.Name(e.Old), Asked: record.Asked{Digest: e.New.Digest(), Request: e.New, From: p.from(s, t == nil)}}
	if !p.showable(e.New) {
		p.keep(again)
		p.inbox.Remove(e.Old)
		return
	}
	*open = append(*open, e.New)
	if p.inbox.Replace(e.Old, e.New) {
		again.ID = again.Old
	} else {
		again.ID = p.inbox.Add(e.New).ID
	}
	p.keep(again)
}

// takeBack closes a request that its agent no longer asks.
func (p *Pane) takeBack(r *session.Request) {
	name := p.inbox.Name(r)
	if p.inbox.Remove(r) {
		p.keep(record.Withdrawn{ID: name})
		p.remark("Taken back by the agent: "+text.CleanLine(r.Prompt), false)
	}
}

// dismiss closes requests without a word, and keeps that. The lock is held.
func (p *Pane) dismiss(asked ...*session.Request) {
	for _, r := range asked {
		if name := p.inbox.Name(r); p.inbox.Remove(r) {
			p.keep(record.Decided{ID: name, Digest: r.Digest()})
		}
	}
}

// withdraw closes requests that nobody can answer any more. The lock is held.
func (p *Pane) withdraw(asked []*session.Request) {
	for _, r := range asked {
		p.inbox.Remove(r)
	}
}

// reply hands over the one answer of a request; the channel has room for it.
func reply(r *session.Request, a session.Answer) {
	select {
	case r.Reply <- a:
	default:
	}
}

// Answer answers a request that was shown with a digest. The first answer wins;
// a later one, one for something else than was shown, or one that does not fit
// is an error and changes nothing (REQ 4, T47, T48). An answer that rejects what
// a turn asked ends the turn, unless it says why: the agent has the answer
// before it is told to stop.
func (p *Pane) Answer(id, digest string, a session.Answer) error {
	p.mu.Lock()
	asked, err := session.Pending{}, error(session.ErrGone)
	if !p.closed {
		asked, err = p.inbox.Take(id, digest, a)
	}
	var hand func()
	if err == nil {
		hand = p.decide(asked, a)
		p.panel.Touch()
	}
	p.mu.Unlock()
	if err != nil {
		return fmt.Errorf("answering request %s: %w", id, err)
	}
	p.desk.Ring()
	p.durable(hand)
	return nil
}

// decide takes an answer down, and returns what hands it over: that is done once
// it is on the disk. An approval of what was stopped meanwhile is not handed over.
// The lock is held.
func (p *Pane) decide(asked session.Pending, a session.Answer) (hand func()) {
	r, t := asked.Request, p.turn
	inTurn := t != nil && slices.Contains(t.asked, r)
	stops := inTurn && r.Rejects(a) && a.Reason == ""
	p.seat.asked = slices.DeleteFunc(p.seat.asked, func(q *session.Request) bool { return q == r })
	said := answered(r, a, stops)
	p.keep(record.Decided{ID: asked.ID, Digest: asked.Digest, Answer: a, Said: said})
	if said != "" {
		p.remark(said, false)
	}
	p.desk.deps.Log.Info("answered a request", "agent", r.From, "request", asked.ID, "verdict", verdict(a))
	if stops {
		t.handing = true
		p.settle(session.Rejected)
	}
	return func() {
		p.mu.Lock()
		if stops {
			t.handing = false
		}
		if !inTurn || r.Rejects(a) || t.outcome == session.Complete {
			reply(r, a)
		}
		p.mu.Unlock()
		if stops {
			t.cancel()
		}
	}
}
