package desk

import (
	"context"
	"fmt"
	"strings"

	"copydesk/core/panel"
	"copydesk/core/session"
	"copydesk/core/text"
)

// start begins a turn. The lock is held.
func (p *Pane) start(prompt string) {
	ctx, cancel := context.WithCancel(p.desk.ctx)
	tag, echo := p.agent.Echo(prompt)
	t := &turn{began: p.desk.deps.Now(), cancel: cancel, echo: echo, tools: map[string]uint64{}}
	if echo {
		lines := panel.Lines(panel.Line{Kind: panel.Echo, Tag: text.CleanLine(tag), Status: session.Running}, text.Clean(prompt))
		t.lines = len(lines)
		t.first = p.panel.Add(lines...)
		p.session.Begin(prompt)
		p.begin(t.first)
	}
	p.turn = t
	p.desk.turns.Add(1)
	p.desk.deps.Go(func() {
		defer p.desk.turns.Done()
		defer cancel()
		p.run(ctx, t, prompt)
	})
}

// run is the turn's goroutine: the only place that iterates an agent.
func (p *Pane) run(ctx context.Context, t *turn, prompt string) {
	var failure error
	for event, err := range p.agent.Run(ctx, prompt) {
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

// take applies one event and reports whether the turn goes on.
func (p *Pane) take(t *turn, event session.Event) bool {
	on := true
	p.change(func() {
		if t.outcome != session.Complete {
			on = false
			return
		}
		p.apply(t, event)
	})
	return on
}

func (p *Pane) apply(t *turn, event session.Event) {
	switch e := event.(type) {
	case session.Text:
		p.stream(t, panel.Answer, e.Chunk)
		if t.echo {
			p.session.Write(e.Chunk)
		}
		return
	case session.Thought:
		p.stream(t, panel.Thought, e.Chunk)
		return
	case session.Usage:
		p.usage = e
		return
	case session.Notice:
		p.notice(e)
		return
	}
	switch e := event.(type) {
	case session.Block:
		p.endText(t)
		p.block(e)
	case session.ToolCall:
		p.toolCall(t, e)
	case session.Plan:
		p.plan(t, e)
	case *session.Request:
		p.endText(t)
		p.request(e)
	}
}

// stream cleans a chunk and adds it to the panel. The cleaner goes on over
// chunks of one kind, so how a text was cut cannot be seen.
func (p *Pane) stream(t *turn, kind panel.Kind, chunk string) {
	if chunk == "" {
		return
	}
	if t.kind != kind {
		p.endText(t)
		t.kind = kind
	}
	p.panel.Write(kind, t.cleaner.Clean(chunk))
}

func (p *Pane) endText(t *turn) {
	p.panel.Write(t.kind, t.cleaner.Flush())
	p.panel.EndText()
	t.kind = panel.Answer
}

// notice stands beside the answer: it neither tears a line of it nor joins it.
func (p *Pane) notice(n session.Notice) {
	kind := panel.Note
	if n.Error {
		kind = panel.Error
	}
	p.panel.Remark(panel.Lines(panel.Line{Kind: kind}, text.Clean(n.Text))...)
}

func (p *Pane) block(b session.Block) {
	kind := panel.Table
	switch b.Kind {
	case session.PlanBlock:
		kind = panel.Plan
	case session.TeachingBlock:
		kind = panel.Teaching
	}
	lines := make([]panel.Line, 0, len(b.Lines))
	for i, l := range b.Lines {
		line := panel.Line{Kind: kind, Text: text.CleanLine(l.Text), Runs: l.Spans, More: kind == panel.Teaching && i > 0}
		if line.Text != l.Text {
			line.Runs = nil // they were measured on other bytes
		}
		lines = append(lines, line)
	}
	p.panel.Add(lines...)
	p.session.Break()
	p.session.Write(b.Source)
	p.session.Break()
}

func (p *Pane) toolCall(t *turn, c session.ToolCall) {
	n, known := t.tools[c.ID]
	if !known {
		title := c.Title
		if title == "" {
			title = "a tool without a title"
		}
		p.endText(t)
		t.tools[c.ID] = p.panel.Add(panel.Line{Kind: panel.Tool, Text: text.CleanLine(title), Status: c.Status})
		return
	}
	if l, ok := p.panel.Line(n); ok {
		l.Status = c.Status
		if c.Title != "" {
			l.Text = text.CleanLine(c.Title)
		}
		p.panel.Replace(n, l)
	}
}

// plan shows a plan, in the place of the one before while it has as many steps.
func (p *Pane) plan(t *turn, e session.Plan) {
	var lines []panel.Line
	for _, step := range e.Steps {
		lines = append(lines, panel.Line{Kind: panel.Plan, Text: "- " + text.CleanLine(step.Text), Status: step.Status})
	}
	if t.steps == len(lines) {
		for i, l := range lines {
			p.panel.Replace(t.plan+uint64(i), l)
		}
		return
	}
	p.endText(t)
	t.plan, t.steps = p.panel.Add(lines...), len(lines)
}

// request takes a request in, or says why it cannot be shown (REQ 1).
func (p *Pane) request(r *session.Request) {
	if r.Reply == nil || cap(r.Reply) == 0 {
		p.desk.deps.Log.Warn("skipped a request that nobody can answer", "agent", p.agent.Name(), "kind", string(r.Kind))
		return
	}
	if err := r.Validate(); err != nil {
		p.panel.Add(panel.Line{Kind: panel.Error, Text: text.CleanLine(sentence("the agent asked something that cannot be shown: " + err.Error()))})
		reply(r, session.Answer{})
		return
	}
	p.inbox.Add(r)
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
// is an error and changes nothing (REQ 4, T47, T48).
func (p *Pane) Answer(id, digest string, a session.Answer) error {
	p.mu.Lock()
	asked, err := p.inbox.Take(id, digest, a)
	if err == nil {
		stops := a.Verdict == session.Reject && a.Reason == ""
		if !stops {
			p.panel.Remark(panel.Lines(panel.Line{Kind: panel.Note}, text.Clean(record(asked.Request, a)))...)
		}
		reply(asked.Request, a)
		p.desk.deps.Log.Info("answered a request", "agent", p.agent.Name(), "request", id, "response", a.Response())
		if stops && p.turn != nil {
			p.stop(session.Rejected)
		}
		p.panel.Touch()
	}
	p.mu.Unlock()
	if err != nil {
		return fmt.Errorf("answering request %s: %w", id, err)
	}
	p.desk.ring()
	return nil
}

// record is the panel line that says what was answered.
func record(r *session.Request, a session.Answer) string {
	switch a.Verdict {
	case session.Approve:
		return "Approved: " + r.Prompt
	case session.Chosen:
		return "Chosen: " + a.Value
	case session.Entered:
		return "Answered: " + a.Value
	default:
		return "Rejected, because: " + a.Reason
	}
}

// finish closes the turn and goes on with the queue. After a turn that did not
// end well the queue waits: what was queued may have counted on its success.
func (p *Pane) finish(t *turn, failure error) {
	p.change(func() {
		p.endText(t)
		if t.outcome == session.Complete && failure != nil {
			t.outcome = session.Broken
		}
		if p.desk.ctx.Err() != nil && t.outcome != session.Rejected {
			t.outcome = session.Cancelled
		}
		p.inbox.Withdraw()
		switch t.outcome {
		case session.Broken:
			p.panel.Add(panel.Lines(panel.Line{Kind: panel.Error}, text.Clean(sentence(failure.Error())))...)
		case session.Rejected:
			p.panel.Add(panel.Line{Kind: panel.Note, Text: "Rejected. Agent response cancelled."})
		case session.Cancelled:
			p.panel.Add(panel.Line{Kind: panel.Note, Text: "Cancelled."})
		}
		if t.echo {
			mark := session.Done
			if t.outcome != session.Complete {
				mark = session.Failed
			}
			p.panel.Mark(t.first, t.lines, mark)
			p.session.End(t.outcome)
			p.end()
		}
		p.turn = nil
		if t.outcome != session.Complete {
			p.held = len(p.queue) > 0
			return
		}
		if p.desk.ctx.Err() == nil && !p.held {
			p.sendQueued()
		}
	})
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
