package desk

import (
	"context"
	"errors"

	"copydesk/core/record"
	"copydesk/core/session"
)

// A replay is a stored session on its way back. No turn starts until one that
// the user asked for has ended; one that the agent sends by itself, or goes on
// with although nobody waits any more, holds nobody up.
type replay struct {
	seat     *seat
	cancel   context.CancelFunc // of the agent's Load; nil: nobody waits for it
	exchange bool               // the open turn has an echo
}

// Stored lists the sessions that the agent keeps, newest first. It asks the
// agent on the caller's goroutine, which may take seconds.
func (p *Pane) Stored(ctx context.Context) ([]session.Stored, error) {
	s := p.sitting()
	agent, ok := s.agent.(session.Keeper)
	if !ok {
		return nil, errors.New(s.name() + " keeps no sessions of its own.")
	}
	return agent.Stored(ctx)
}

// Load brings a stored session back in the background: it goes on where it
// ended. What is sent meanwhile waits.
func (p *Pane) Load(id string) {
	s := p.sitting()
	agent, ok := s.agent.(session.Keeper)
	if !ok {
		p.Note(s.name()+" keeps no sessions of its own.", true)
		return
	}
	var r *replay
	var ctx context.Context
	p.change(func() {
		if !p.idle() || s != p.seat {
			p.say("A session can be brought back when nothing else goes on. Wait for the turn to end, or cancel it.", true)
			return
		}
		p.keep(record.Loading{})
		p.endReplay()
		p.endText()
		r = &replay{seat: s}
		ctx, r.cancel = context.WithCancel(s.ctx)
		p.replay = r
	})
	if r == nil {
		return
	}
	p.background(s, func(context.Context) {
		defer r.cancel()
		err := agent.Load(ctx, id)
		if err == nil {
			return // the end of the replay is an event of its own
		}
		p.change(func() {
			if ctx.Err() != nil {
				return // nobody waits for it
			}
			if p.replay == r {
				p.keep(record.Loading{Over: true})
				p.endReplay()
				p.endText()
			}
			p.complain(s, err)
			p.held = len(p.queue) > 0 // what was queued counted on the session
		})
	})
}

// replayed takes an event of a stored session, and reports whether it was one.
// The lock is held, and no turn runs.
func (p *Pane) replayed(s *seat, event session.Event) bool {
	if s != p.seat {
		return false
	}
	switch e := event.(type) {
	case session.Prompt:
		if p.replay == nil {
			p.replay = &replay{seat: s}
		}
		p.endExchange()
		p.asked(e.Chunk)
	case session.Loaded:
		waited := p.loading()
		p.endReplay()
		said := "The session is back."
		if title := short(e.Title); title != "" {
			said = "The session is back: " + title
		}
		p.remark(said, false)
		if waited {
			p.goOn() // else it held nothing up, and a turn may just be ending
		}
	case session.Text, session.Thought, session.Break, session.Plan, session.Block, session.ToolCall:
		if p.replay == nil {
			return false
		}
		if _, words := event.(session.Text); words && !p.session.Open() {
			p.session.Reply(s.name())
		}
		p.apply(s, nil, event)
	default:
		return false
	}
	return true
}

// asked shows what the user said.
func (p *Pane) asked(prompt string) {
	s := p.replay.seat
	p.replay.exchange, p.plan = true, plan{}
	p.begun++
	s.turns, s.marked = true, false
	tag, _ := s.agent.Echo(prompt)
	p.echo(s, tag, prompt, session.Done)
}

// endExchange closes the turns of what was said last.
func (p *Pane) endExchange() {
	p.endText()
	p.replay.seat.tools.settle(p, session.Complete)
	p.session.End(session.Complete)
	if p.replay.exchange {
		p.end()
	}
	p.replay.exchange = false
}

// endReplay ends the coming back of a session, wherever it is; without one it
// does nothing.
func (p *Pane) endReplay() {
	if p.replay == nil {
		return
	}
	p.endExchange()
	p.replay = nil
}

// giveUp ends the coming back of a session that nobody waits for any more.
func (p *Pane) giveUp() {
	if p.loading() {
		p.replay.cancel()
		p.keep(record.Loading{Over: true})
		p.endText()
	}
	p.endReplay()
}

// loading reports whether the user waits for a stored session.
func (p *Pane) loading() bool { return p.replay != nil && p.replay.cancel != nil }
