package desk

import (
	"copydesk/core"
	"copydesk/core/panel"
	"copydesk/core/session"
)

// tools are the tool calls of an agent that can still change.
type tools struct {
	known map[string]*call
	order []string // of the ids, oldest first
}

// A call is a tool's call as the panel shows it.
type call struct {
	detail *detail
	turn   int    // in which it began
	line   uint64 // its panel line
	end    uint64 // the line after what was shown of it last
	title  string // clean
	kind   string
	status session.Status
	shown  map[int][]string // the lines of each part that were shown
}

// find is the call that an event changes; nil: the event reports another one.
// Some agents count their calls anew in each turn, so what a turn says with a
// title is a new call where the one of that id is an older turn's, unless it
// says how a call that was open has ended.
func (t *tools) find(e session.ToolCall, turn int, inTurn bool) *call {
	c := t.known[e.ID]
	if c == nil || !inTurn || c.turn == turn || e.Title == "" || ended(e.Status) && !ended(c.status) {
		return c
	}
	return nil
}

func ended(s session.Status) bool { return s == session.Done || s == session.Failed }

func (t *tools) add(id string, c *call) {
	if t.known == nil {
		t.known = map[string]*call{}
	}
	if t.known[id] == nil {
		t.order = append(t.order, id)
	}
	t.known[id] = c
	if len(t.order) > core.PanelLines {
		delete(t.known, t.order[0])
		t.order = t.order[1:]
	}
}

// settle takes the running mark off the calls of the newest turn: nobody says
// any more how they end.
func (t *tools) settle(p *Pane, o session.Outcome) {
	for _, id := range t.order {
		c := t.known[id]
		if c.turn != p.begun || c.status != session.Running {
			continue
		}
		c.status = session.NoStatus
		if o != session.Complete {
			c.status = session.Failed
		}
		c.show(p)
	}
}

// toolCall shows a tool's call, or what has changed of it. inTurn says that it is
// no late word on an older turn.
func (p *Pane) toolCall(s *seat, e session.ToolCall, inTurn bool) {
	c := s.tools.find(e, p.begun, inTurn)
	isNew := c == nil
	if isNew {
		p.endText()
		c = &call{detail: p.details.add(panel.Tool, ""), turn: p.begun, shown: map[int][]string{}}
		s.tools.add(e.ID, c)
	}
	if e.Title != "" {
		c.title = short(e.Title)
	}
	if e.Kind != "" {
		c.kind = short(e.Kind)
	}
	if e.Status != session.NoStatus {
		c.status = e.Status
	}
	if isNew {
		c.line = p.panel.Add(c.panelLine())
		c.end = c.line + 1
	}
	c.show(p)
	if e.Parts != nil {
		p.details.set(c.detail, e.Parts)
	}
	if e.Chunk != "" {
		p.details.grow(c.detail, e.Chunk)
	}
	p.preview(c)
}

// show brings the call's line and its detail up to date.
func (c *call) show(p *Pane) {
	c.detail.Title, c.detail.Status = c.name(), c.status
	l := c.panelLine()
	if shown, ok := p.panel.Line(c.line); ok && (shown.Text != l.Text || shown.Status != l.Status) {
		p.panel.Replace(c.line, l)
	}
}

func (c *call) panelLine() panel.Line {
	return panel.Line{Kind: panel.Tool, Text: c.name(), Status: c.status, Detail: c.detail.ID}
}

// name is the call's title with what kind of call it is before it, unless the
// title begins with that.
func (c *call) name() string {
	switch {
	case c.title == "" && c.kind == "":
		return "a tool without a title"
	case c.title == "":
		return c.kind
	case c.kind == "" || c.kind == "other" || hasPrefixFold(c.title, c.kind):
		return c.title
	}
	return c.kind + " " + c.title
}

// preview shows what is new of what the call has to show: a diff once it is
// known, output once the call is done. Where other lines came in between the
// call is named again.
func (p *Pane) preview(c *call) {
	var lines []panel.Line
	for i := range c.detail.parts {
		if k := c.detail.parts[i].Kind; k == session.DiffPart || k == session.OutputPart && ended(c.status) {
			lines = append(lines, c.fresh(i)...)
		}
	}
	if len(lines) == 0 {
		return
	}
	if p.panel.Next() != c.end {
		head := panel.Line{Kind: panel.Tool, Text: c.name(), Detail: c.detail.ID}
		lines = append([]panel.Line{head}, lines...)
	}
	if p.panel.Remark(lines...) {
		c.end = p.panel.Next()
	}
}

// fresh is the preview of a part without what was shown of it before.
func (c *call) fresh(i int) []panel.Line {
	part := &c.detail.parts[i]
	head := excerptOf(part.Kind, part.raw())
	lines := head.show(part.Kind, c.detail.ID, i)
	texts := make([]string, 0, len(lines))
	for _, l := range lines {
		texts = append(texts, l.Text)
	}
	before := c.shown[i]
	same := 0
	for same < len(before) && same < len(texts) && before[same] == texts[same] {
		same++
	}
	if same == len(texts) {
		return nil // all of it has been shown
	}
	c.shown[i] = texts
	if same < len(before) {
		same = 0 // it is another text now
	}
	return append(lines[same:], head.rest(c.detail.ID, i)...)
}
