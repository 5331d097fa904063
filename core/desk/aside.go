package desk

import (
	"fmt"

	"copydesk/core"
	"copydesk/core/session"
)

// overheard is what an agent said beside the turn that runs. It is shown after
// the turn, so that what came late is never mixed into another answer (R6).
type overheard struct {
	events  []said
	size    int // of the events, in bytes
	dropped int // bytes that there was no room for
}

type said struct {
	seat  *seat
	event session.Event
}

// overhear takes an event from outside of turns and reports whether the agent is
// still listened to.
func (p *Pane) overhear(s *seat, event session.Event) bool {
	if _, ok := event.(session.Changed); ok {
		p.follow(s)
	}
	on := true
	p.change(func() {
		if on = !s.left; !on {
			return
		}
		p.keepEvent(s, true, event)
		p.heed(s, event)
	})
	return on
}

// heed shows an event from outside of turns, now or after the turn that runs.
// The lock is held.
func (p *Pane) heed(s *seat, event session.Event) {
	if p.turn != nil && p.mustWait(s, event) {
		p.pending.add(s, event)
		return
	}
	p.hear(s, event)
}

// mustWait reports whether an event would be taken for a part of the turn that
// runs.
func (p *Pane) mustWait(s *seat, event session.Event) bool {
	switch e := event.(type) {
	case session.Text, session.Thought, session.Break, session.Plan, session.Block, session.Prompt, session.Loaded:
		return true
	case session.ToolCall:
		return s.tools.find(e, p.begun, false) == nil
	}
	return false
}

// eventBytes is what an event takes besides its text, roughly.
const eventBytes = 128

func (o *overheard) add(s *seat, event session.Event) {
	size := eventBytes
	switch e := event.(type) {
	case session.Text:
		size += len(e.Chunk)
	case session.Thought:
		size += len(e.Chunk)
	case session.Prompt:
		size += len(e.Chunk)
	case session.Block:
		size += len(e.Source)
	case session.ToolCall:
		size += len(e.Chunk)
		for _, part := range e.Parts {
			size += len(part.Text)
		}
	}
	if o.size+size > core.TurnBytes {
		o.dropped += size
		return
	}
	o.size += size
	o.events = append(o.events, said{s, event})
}

// hearPending shows what had to wait. The lock is held, and no turn runs.
func (p *Pane) hearPending() {
	waited := p.pending
	p.pending = overheard{}
	for _, w := range waited.events {
		p.hear(w.seat, w.event)
	}
	if waited.dropped > 0 {
		p.remark(fmt.Sprintf("%d bytes of what was said beside the turn were dropped.", waited.dropped), false)
	}
}

// hear shows an event from outside of turns: a stored session that comes back,
// or something that the agent says late.
func (p *Pane) hear(s *seat, event session.Event) {
	if p.replayed(s, event) {
		return
	}
	if e, ok := event.(session.Text); ok && e.Chunk != "" && !s.marked && p.turn == nil {
		s.marked = true
		p.endText()
		if s.turns {
			p.remark(s.name()+" said after the turn:", false)
		} else {
			p.remark(s.name()+" said before the first turn:", false)
		}
	}
	p.apply(s, nil, event)
}
