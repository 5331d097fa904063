package desk

import (
	"context"
	"fmt"
	"sync"

	"copydesk/core"
	"copydesk/core/record"
	"copydesk/core/session"
	"copydesk/core/text"
)

// A seat is the time that a pane has an agent.
type seat struct {
	agent  session.Agent
	number int // the how-manieth of the pane it is, from 1 on
	PaneOptions
	ctx   context.Context // until the agent is let go
	stop  context.CancelFunc
	ended chan struct{}  // closed when Aside has ended
	calls sync.WaitGroup // of the agent's methods in the background

	// The pane's lock guards what follows.
	left   bool               // what the agent says is no longer heard
	turns  bool               // it has had a turn
	marked bool               // what it says after the turn has its note
	asked  []*session.Request // outside of turns
	tools  tools
}

func newSeat(agent session.Agent, o PaneOptions) *seat {
	ctx, stop := context.WithCancel(context.Background())
	return &seat{agent: agent, PaneOptions: o, ctx: ctx, stop: stop, ended: make(chan struct{})}
}

// record is the seat as a journal keeps it.
func (s *seat) record() record.Seat {
	return record.Seat{Agent: s.name(), Title: s.Title, Hint: s.Hint, Loose: s.Loose, Dir: s.Dir}
}

// name is what the agent is called, on one line.
func (s *seat) name() string { return text.CleanLine(s.agent.Name()) }

// listen takes what the agent says outside of turns, until it is let go.
func (p *Pane) listen(s *seat) {
	agent, ok := s.agent.(session.Connected)
	if !ok {
		close(s.ended)
		return
	}
	p.desk.deps.Go(func() {
		defer close(s.ended)
		for event := range agent.Aside(s.ctx) {
			if !p.overhear(s, event) {
				break
			}
		}
		p.change(func() { p.silence(s) })
	})
}

// silence ends what only goes on while the agent can be heard. The lock is held.
func (p *Pane) silence(s *seat) {
	p.dismiss(s.asked...)
	s.asked = nil
	if p.replay != nil && p.replay.seat == s {
		p.keep(record.Loading{Over: true})
		p.endReplay()
	}
}

// Switch gives the pane another agent: the panel and the session stay. A turn
// that runs goes on to its end, and the old agent is closed then; what is queued
// waits for the user, who wrote it for the old one.
func (p *Pane) Switch(agent session.Agent, o PaneOptions) {
	next := newSeat(agent, o)
	var old *seat
	var t *turn
	p.change(func() {
		if p.closed {
			return
		}
		old, t = p.seat, p.turn
		p.giveUp()
		said := "The agent is " + next.name() + " now."
		if t != nil {
			said += fmt.Sprintf(" %s goes on until its turn has ended.", t.seat.name())
			if t.seat != old {
				t = nil // whose turn it is left before
			}
		}
		p.sit(next)
		p.usage, p.ref = session.Usage{}, ""
		p.held = p.held || len(p.queue) > 0
		p.keep(record.Switched{Seat: next.record(), Said: said})
		p.remark(said, false)
		p.desk.work.Add(1)
	})
	if old == nil {
		close(next.ended)
		p.desk.deps.Go(func() { p.release(next, nil) })
		return
	}
	p.listen(next)
	p.desk.deps.Go(func() {
		defer p.desk.work.Done()
		p.release(old, t)
	})
}

// release lets go of an agent once its turn t has ended; nil: it has none.
func (p *Pane) release(s *seat, t *turn) {
	if t != nil {
		<-t.done
	}
	p.change(func() {
		s.left = true
		p.silence(s)
	})
	s.stop()
	<-s.ended
	s.calls.Wait()
	if agent, ok := s.agent.(session.Closer); ok {
		if err := agent.Close(); err != nil {
			p.desk.failed(s.name(), err)
		}
	}
}

// close ends the pane's turn, which it returns, and lets go of its agent in the
// background.
func (p *Pane) close() *turn {
	var t *turn
	closing := false
	p.change(func() {
		if closing = !p.closed; !closing {
			return
		}
		p.closed = true
		if t = p.turn; t != nil {
			p.stop(session.Cancelled)
		}
		p.giveUp()
		p.desk.work.Add(1)
	})
	if !closing {
		return nil
	}
	mine := t
	if t != nil && t.seat != p.seat {
		mine = nil
	}
	p.desk.deps.Go(func() {
		defer p.desk.work.Done()
		p.release(p.seat, mine)
		if t != nil {
			<-t.done // of an agent that the pane had before
		}
		p.shut()
	})
	return t
}

// shut closes the pane's journal: nothing more can happen in it.
func (p *Pane) shut() {
	if p.journal == nil {
		return
	}
	if err := p.journal.Close(); err != nil {
		p.desk.failed("the journal of "+p.seat.name(), err)
	}
}

// insist kills the agent of a turn that was told to stop and does not.
func (p *Pane) insist(t *turn) {
	if p.desk.deps.After == nil {
		p.desk.deps.Go(t.kill)
		return
	}
	unset := p.desk.deps.After(core.KillAfter, t.kill)
	p.desk.deps.Go(func() {
		<-t.done
		unset()
	})
}

// kill ends the agent of a turn that still runs, if that is possible.
func (t *turn) kill() {
	select {
	case <-t.done:
	default:
		if agent, ok := t.seat.agent.(session.Killer); ok {
			agent.Kill()
		}
	}
}
