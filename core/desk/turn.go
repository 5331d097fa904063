package desk

import (
	"context"
	"strings"
	"time"

	"copydesk/core/panel"
	"copydesk/core/record"
	"copydesk/core/session"
	"copydesk/core/text"
)

// A turn is the answer that is being made.
type turn struct {
	seat    *seat
	began   time.Time
	stopped time.Time // when it was told to stop
	killed  bool
	cancel  context.CancelFunc
	outcome session.Outcome // what ended it, before the agent did
	handing bool            // the rejection that ends it is on its way to the agent
	echo    bool
	first   uint64             // the echo's first panel line
	lines   int                // and how many it has
	asked   []*session.Request // that may still wait
	done    chan struct{}      // closed when Run has returned and the turn is over
}

// start begins a turn. The lock is held.
func (p *Pane) start(prompt string) {
	ctx, cancel := context.WithCancel(context.Background())
	tag, echo := p.seat.agent.Echo(prompt)
	e := record.Prompt{Text: prompt, Tag: tag, Agent: p.seat.name(), Quiet: !echo}
	p.keep(e)
	t := p.open(p.seat, e)
	t.cancel = cancel
	p.desk.work.Add(1)
	p.desk.deps.Go(func() {
		defer p.desk.work.Done()
		defer close(t.done)
		defer cancel()
		p.run(ctx, t, prompt)
	})
}

// open shows that a turn has begun. The lock is held.
func (p *Pane) open(s *seat, e record.Prompt) *turn {
	t := &turn{seat: s, began: p.desk.deps.Now(), cancel: func() {}, echo: !e.Quiet, done: make(chan struct{})}
	p.endReplay()
	p.endText()
	if t.echo {
		t.first, t.lines = p.echo(s, e.Tag, e.Text, session.Running)
	}
	p.turn, p.plan = t, plan{}
	p.begun++
	s.turns, s.marked = true, false
	return t
}

// echo shows what the user said and opens the turns of it. The lock is held.
func (p *Pane) echo(s *seat, tag, prompt string, status session.Status) (first uint64, count int) {
	lines := panel.Lines(panel.Line{Kind: panel.Echo, Tag: text.CleanLine(tag), Status: status}, text.Clean(prompt))
	first = p.panel.Add(lines...)
	p.session.Begin(prompt, s.name())
	p.begin(first)
	return first, len(lines)
}

// run is the turn's goroutine: the only place that iterates Run.
func (p *Pane) run(ctx context.Context, t *turn, prompt string) {
	p.follow(t.seat)
	if p.sync(ctx); ctx.Err() != nil { // nothing was sent yet
		p.finish(t, nil)
		return
	}
	var failure error
	for event, err := range t.seat.agent.Run(ctx, prompt) {
		if err != nil {
			failure = err
			break
		}
		if !p.take(t, event) {
			break
		}
	}
	p.finish(t, failure)
}

// take applies one event and reports whether the turn goes on. What comes after
// it was stopped is no longer taken; the agent is not told that before it has
// the rejection that stopped it.
func (p *Pane) take(t *turn, event session.Event) bool {
	on := true
	p.change(func() {
		if t.outcome != session.Complete {
			on = t.handing
			return
		}
		p.keepEvent(t.seat, false, event)
		p.apply(t.seat, t, event)
	})
	return on
}

// stop makes the running turn end with an outcome; the first reason wins. What
// the turn still asks can no longer be answered. The lock is held.
func (p *Pane) stop(o session.Outcome) {
	p.settle(o)
	p.turn.cancel()
}

// settle is stop without telling the agent.
func (p *Pane) settle(o session.Outcome) {
	t := p.turn
	if t.outcome == session.Complete {
		t.outcome, t.stopped = o, p.desk.deps.Now()
	}
	p.dismiss(t.asked...)
}

// finish closes the turn and goes on with what waits for its end. After a turn
// that did not end well the queue waits, too: what was queued may have counted
// on its success.
func (p *Pane) finish(t *turn, failure error) {
	p.follow(t.seat)
	p.change(func() {
		e := record.Ended{Outcome: t.outcome}
		if t.outcome == session.Complete && failure != nil {
			e = record.Ended{Outcome: session.Broken, Failure: failure.Error()}
		}
		p.keep(e)
		p.over(t, e)
		if e.Outcome != session.Complete {
			p.held = len(p.queue) > 0
			return
		}
		p.goOn()
	})
}

// over shows that a turn has ended. The lock is held.
func (p *Pane) over(t *turn, e record.Ended) {
	p.endText()
	p.withdraw(t.asked)
	t.seat.tools.settle(p, e.Outcome)
	switch e.Outcome {
	case session.Broken:
		p.panel.Add(told(panel.Error, sentence(e.Failure))...)
	case session.Rejected:
		p.panel.Add(panel.Line{Kind: panel.Note, Text: "Rejected. Agent response cancelled."})
	case session.Cancelled:
		p.panel.Add(panel.Line{Kind: panel.Note, Text: "Cancelled."})
	case session.Interrupted:
		p.panel.Add(panel.Line{Kind: panel.Note, Text: "Interrupted: copydesk ended before the turn did."})
	}
	if t.echo {
		mark := session.Done
		if e.Outcome != session.Complete {
			mark = session.Failed
		}
		p.panel.Mark(t.first, t.lines, mark)
		p.session.End(e.Outcome)
		p.end()
	}
	p.turn = nil
	p.hearPending()
}

// goOn sends what is queued, unless it waits for the user. The lock is held.
func (p *Pane) goOn() {
	if !p.held {
		p.sendQueued()
	}
}

// sentence makes an error's text one that users read.
func sentence(s string) string {
	s = strings.TrimSpace(s)
	if s == "" {
		return s
	}
	if c := s[0]; c >= 'a' && c <= 'z' {
		s = string(c-'a'+'A') + s[1:]
	}
	if !strings.ContainsRune(".!?)`", rune(s[len(s)-1])) {
		s += "."
	}
	return s
}
