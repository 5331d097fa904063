package desk

import (
	"fmt"
	"strings"

	"copydesk/core/panel"
	"copydesk/core/session"
	"copydesk/core/text"
)

// apply shows an event and keeps what is to be kept of it. t is the turn that it
// belongs to, nil outside of turns. The lock is held.
func (p *Pane) apply(s *seat, t *turn, event session.Event) {
	switch e := event.(type) {
	case session.Text:
		p.speak(e.Chunk)
	case session.Thought:
		p.think(e.Chunk)
	case session.Break:
		p.endText()
		p.session.Break()
		p.speech.apart = true
	case session.Usage:
		p.usage = e
	case session.Notice:
		p.notice(e)
	case session.Block:
		p.endText()
		p.block(e)
	case session.ToolCall:
		p.toolCall(s, e, t != nil || p.replay != nil)
	case session.Plan:
		p.showPlan(e)
	case *session.Request:
		p.request(s, t, e)
	case session.Reopened:
		p.reopen(s, t, e)
	case session.Withdrawn:
		p.takeBack(e.Request)
	case session.Prompt, session.Loaded:
		p.desk.deps.Log.Debug("ignored what only a stored session has", "agent", s.agent.Name())
	}
}

// speech is the text or thought that an agent is in the middle of. One cleaner
// goes on over its chunks, so how it was cut cannot be seen.
type speech struct {
	cleaner  text.Cleaner
	thinking bool
	thought  *detail // of the thought; nil: none has begun
	column   int     // bytes of the open line
	apart    bool    // the next text is a passage of its own
}

// speak adds a chunk of the answer to the panel and to the open turn, if there
// is one.
func (p *Pane) speak(chunk string) {
	if chunk == "" {
		return
	}
	if p.speech.thinking {
		p.endText()
	}
	p.write(p.speech.cleaner.Clean(chunk))
	p.session.Write(chunk)
}

func (p *Pane) write(clean string) {
	if clean == "" {
		return
	}
	if p.speech.apart {
		p.speech.apart = false
		if l, ok := p.panel.Line(p.panel.Next() - 1); ok && l.Kind == panel.Answer && l.Text != "" {
			clean = "\n" + clean
		}
	}
	for clean != "" {
		var head string
		head, clean = p.speech.fold(clean)
		p.panel.Write(head)
		if clean != "" {
			p.remark(fmt.Sprintf("A line longer than %d MiB goes on in the next one.", lineBytes>>20), false)
		}
	}
}

// lineBytes is the longest line that a panel shows as one, in bytes: a longer
// one would be wrapped anew with every frame and could not be scrolled.
const lineBytes = 2 << 20

// fold breaks the first line that is too long, and returns what comes after the
// break. Only the panel has it: the turn's content is as it came. It does not
// depend on how a text is cut into chunks, which a journal changes.
func (s *speech) fold(clean string) (head, rest string) {
	for at := 0; at < len(clean); {
		line, _, ended := strings.Cut(clean[at:], "\n")
		if s.column+len(line) > lineBytes {
			cut := at + text.Boundary(line, lineBytes-s.column)
			s.column = 0
			return clean[:cut] + "\n", clean[cut:]
		}
		at += len(line)
		if s.column += len(line); ended {
			at, s.column = at+1, 0
		}
	}
	return clean, ""
}

// think adds a chunk of reasoning. All of a passage is kept as a detail; the
// panel shows one line of it.
func (p *Pane) think(chunk string) {
	if chunk == "" {
		return
	}
	if !p.speech.thinking {
		p.endText()
		p.speech.thinking = true
	}
	if p.speech.thought == nil {
		p.speech.thought = p.details.add(panel.Thought, "")
	}
	p.details.grow(p.speech.thought, chunk)
	clean := p.speech.cleaner.Clean(chunk)
	for clean != "" {
		var head string
		head, clean = p.speech.fold(clean)
		p.panel.Think(p.speech.thought.ID, head)
	}
}

// endText ends what the agent is in the middle of.
func (p *Pane) endText() {
	if rest := p.speech.cleaner.Flush(); p.speech.thinking {
		p.panel.Think(p.speech.thought.ID, rest)
	} else {
		p.panel.Write(rest)
	}
	p.panel.EndText()
	p.speech = speech{apart: p.speech.apart}
}

// notice stands beside the answer: it neither tears a line of it nor joins it.
func (p *Pane) notice(n session.Notice) {
	kind := panel.Note
	if n.Error {
		kind = panel.Error
	}
	p.panel.Remark(told(kind, n.Text)...)
}

// complain shows that something failed which an agent was asked for beside its
// turns. The words may be the agent's. The lock is held.
func (p *Pane) complain(s *seat, err error) {
	e := session.Notice{Text: sentence(err.Error()), Error: true}
	p.keepEvent(s, true, e)
	p.notice(e)
}

// told makes lines out of what an agent says in a note or an error. The first
// one has the tag; those that follow are marked as the agent's, like its output,
// so that none of them passes for a line of ours (T35).
func told(kind panel.Kind, raw string) []panel.Line {
	lines := panel.Lines(panel.Line{Kind: kind}, text.Clean(raw))
	for i := range lines[1:] {
		lines[i+1] = panel.Line{Kind: panel.Output, Text: lines[i+1].Text}
	}
	return lines
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

// plan is where the agent's plan stands in the panel.
type plan struct {
	first uint64
	steps int
}

// showPlan shows a plan, in the place of the one before while it has as many
// steps.
func (p *Pane) showPlan(e session.Plan) {
	var lines []panel.Line
	for _, step := range e.Steps {
		lines = append(lines, panel.Line{Kind: panel.Plan, Text: "- " + short(step.Text), Status: step.Status})
	}
	if p.plan.steps == len(lines) {
		for i, l := range lines {
			p.panel.Replace(p.plan.first+uint64(i), l)
		}
		return
	}
	p.endText()
	p.plan = plan{p.panel.Add(lines...), len(lines)}
}

// titleBytes is the longest title of a tool call or a step that a line shows, in
// bytes.
const titleBytes = 4 << 10

// short is a title on one line.
func short(raw string) string {
	if len(raw) <= titleBytes {
		return text.CleanLine(raw)
	}
	return text.CleanLine(raw[:text.Boundary(raw, titleBytes)]) + "…"
}
