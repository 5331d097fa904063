package shelf

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"copydesk/core/record"
	"copydesk/core/session"
	"copydesk/core/text"
)

// Who says something that is neither the user nor an agent.
const (
	whoYou      = "you"
	whoThought  = "thought"
	whoTool     = "tool"
	whoPlan     = "plan"
	whoNote     = "note"
	whoError    = "error"
	whoRequest  = "request"
	whoDecision = "decision"
)

const (
	pieceBytes = 4 << 10 // of a line that are searched together
	whoBytes   = 64
	mostTools  = 64 // calls whose last line is held at the same time
)

// A scan searches one session, record by record. It holds no more than the lines
// that are not ended yet.
type scan struct {
	q    Query
	emit func(record.Hit) bool // reports whether more are wanted
	over bool                  // none are

	agents []string // by their names, the first first
	speech passage  // what is being said
	kind   record.Kind
	from   record.From
	tools  map[string]*passage
	order  []string // of tools, the oldest call first

	// Of the turn:
	found  uint64 // the words that some line has
	direct bool   // a line has all of them
	best   record.Hit
	most   int             // words that best has
	shown  map[string]bool // hits that must not come again
}

func newScan(q Query, emit func(record.Hit) bool) *scan {
	return &scan{q: q, emit: emit, tools: map[string]*passage{}, shown: map[string]bool{}}
}

// A passage is what one says without a break.
type passage struct {
	who   string
	seq   uint64
	once  string // what tells its lines from equal ones of others; empty: equal ones count
	line  []byte // the last line, as far as it is known
	fresh int    // how many bytes at its end have not been searched
}

// write adds to a passage, and searches each line that is whole.
func (s *scan) write(p *passage, chunk string) {
	for chunk != "" && !s.over {
		line, rest, ended := strings.Cut(chunk, "\n")
		chunk = rest
		for len(p.line)+len(line) > pieceBytes && !s.over {
			n := pieceBytes - len(p.line)
			p.line = append(p.line, line[:n]...)
			p.fresh += n
			line = line[n:]
			s.cut(p)
		}
		p.line = append(p.line, line...)
		p.fresh += len(line)
		if ended {
			s.close(p)
		}
	}
}

// cut searches what there is of a line, and keeps its end for the next piece: a
// word that is cut is whole in one of them.
func (s *scan) cut(p *passage) {
	end := len(p.line)
	for i := end - 1; i >= max(0, end-utf8.UTFMax); i-- {
		if utf8.RuneStart(p.line[i]) {
			if !utf8.FullRune(p.line[i:]) {
				end = i
			}
			break
		}
	}
	rest := len(p.line) - end
	s.search(p, p.line[:end])
	from := max(0, end-min(s.q.most, pieceBytes/2))
	for from < end && !utf8.RuneStart(p.line[from]) {
		from++
	}
	p.line = append(p.line[:0], p.line[from:]...)
	p.fresh = rest
}

// close searches the last line of a passage. What comes next is another line.
func (s *scan) close(p *passage) {
	if p.fresh > 0 && !s.over {
		s.search(p, bytes.TrimSuffix(p.line, []byte{'\r'}))
	}
	p.line, p.fresh = p.line[:0], 0
}

// search looks for the words in a line.
func (s *scan) search(p *passage, line []byte) {
	found, clean := s.q.in(line)
	if found == 0 {
		return
	}
	s.found |= found
	hit := func() record.Hit {
		where, _ := s.q.Find(clean)
		return record.Hit{Seq: p.seq, Who: p.who, Text: strings.Clone(clean), Where: where}
	}
	switch {
	case found == s.q.all():
		s.direct = true
		if p.once != "" {
			key := p.once + "\x00" + clean
			if s.shown[key] {
				return
			}
			s.shown[key] = true
		}
		s.over = !s.emit(hit())
	case !s.direct && count(found) > s.most:
		s.best, s.most = hit(), count(found)
	}
}

// turn ends a turn.
func (s *scan) turn() {
	s.hush()
	for len(s.order) > 0 {
		s.drop()
	}
	if !s.direct && !s.over && s.found == s.q.all() {
		s.over = !s.emit(s.best)
	}
	s.found, s.direct, s.most = 0, false, 0
	clear(s.shown)
}

// drop ends the passage of the oldest tool call.
func (s *scan) drop() {
	s.close(s.tools[s.order[0]])
	delete(s.tools, s.order[0])
	s.order = s.order[1:]
}

// hush ends what is being said.
func (s *scan) hush() {
	s.close(&s.speech)
	s.kind = ""
}

// say goes on with what is being said, or begins it.
func (s *scan) say(r record.Record, kind record.Kind, from record.From, who, chunk string) {
	if s.kind != kind || s.from != from {
		s.hush()
		s.kind, s.from = kind, from
		s.speech.who, s.speech.seq = who, r.Seq
	}
	s.write(&s.speech, chunk)
}

// tell searches texts that are whole. They end what is being said.
func (s *scan) tell(r record.Record, who string, texts ...string) {
	s.hush()
	p := passage{who: who, seq: r.Seq}
	if who == whoPlan {
		p.once = who
	}
	for _, t := range texts {
		s.write(&p, t)
		s.close(&p)
	}
}

// add takes the next record.
func (s *scan) add(r record.Record) {
	switch e := r.Entry.(type) {
	case record.Header:
		if len(s.agents) == 0 {
			s.agents = []string{agentName(e.Agent)}
		}
	case record.Switched:
		s.tell(r, whoNote, e.Said)
		s.agents = append(s.agents, agentName(e.Agent))
	case record.Prompt:
		s.turn()
		s.tell(r, whoYou, e.Text)
	case record.Said:
		s.said(r, e)
	case record.Asked:
		s.request(r, e.Request)
	case record.Reopened:
		s.request(r, e.Request)
	case record.Decided:
		s.tell(r, whoDecision, e.Said, e.Answer.Value, e.Answer.Reason)
		for _, values := range e.Answer.Values {
			s.tell(r, whoDecision, values...)
		}
	case record.Note:
		who := whoNote
		if e.Failed {
			who = whoError
		}
		s.tell(r, who, e.Text)
	case record.Painted:
		s.tell(r, whoNote, e.Source)
	case record.Ended:
		s.tell(r, whoError, e.Failure)
	}
}

func (s *scan) said(r record.Record, e record.Said) {
	switch event := e.Event.(type) {
	case session.Text:
		s.say(r, record.KindText, e.From, s.agent(e.Left), event.Chunk)
	case session.Thought:
		s.say(r, record.KindThought, e.From, whoThought, event.Chunk)
	case session.Prompt:
		if s.kind != record.KindPast {
			s.turn()
		}
		s.say(r, record.KindPast, e.From, whoYou, event.Chunk)
	case session.Break:
		s.hush()
	case session.ToolCall:
		s.tool(r, event)
	case session.Plan:
		steps := make([]string, len(event.Steps))
		for i, step := range event.Steps {
			steps[i] = step.Text
		}
		s.tell(r, whoPlan, steps...)
	case session.Block:
		lines := make([]string, len(event.Lines))
		for i, l := range event.Lines {
			lines[i] = l.Text
		}
		s.tell(r, s.agent(e.Left), lines...)
	case session.Notice:
		who := whoNote
		if event.Error {
			who = whoError
		}
		s.tell(r, who, event.Text)
	}
}

// tool searches what is new of a tool's call. Only a call that was not seen
// before ends what is being said.
func (s *scan) tool(r record.Record, e session.ToolCall) {
	p := s.tools[e.ID]
	if p == nil {
		s.hush()
		if len(s.order) == mostTools {
			s.drop()
		}
		p = &passage{who: whoTool, seq: r.Seq, once: whoTool + "\x00" + e.ID}
		s.tools[e.ID] = p
		s.order = append(s.order, e.ID)
	}
	if e.Title != "" {
		title := passage{who: p.who, seq: p.seq, once: p.once}
		s.write(&title, e.Title)
		s.close(&title)
	}
	if e.Parts != nil {
		p.line, p.fresh = p.line[:0], 0 // it is no longer shown
		for i, part := range e.Parts {
			s.write(p, part.Name)
			s.close(p)
			s.write(p, part.Text)
			if i < len(e.Parts)-1 || part.Kind != session.OutputPart {
				s.close(p)
			}
		}
	}
	s.write(p, e.Chunk)
}

func (s *scan) request(r record.Record, q *session.Request) {
	texts := []string{q.Prompt, q.Claim, q.Scope, q.Blocked}
	for _, f := range q.Fields {
		texts = append(texts, f.Value)
	}
	s.tell(r, whoRequest, append(texts, q.Choices...)...)
}

// agent is the name of the agent from so many switches ago.
func (s *scan) agent(left int) string {
	if i := len(s.agents) - 1 - left; i >= 0 && i < len(s.agents) {
		return s.agents[i]
	}
	return "agent"
}

func agentName(name string) string {
	if name = short(text.CleanLine(name), whoBytes); name == "" {
		return "agent"
	}
	return name
}
