package panel

import "strings"

// A thought is a passage of reasoning, folded into one line of the panel: its
// newest line while it grows, its first one once it has ended. Blank lines at
// its ends do not count.
type thought struct {
	line    uint64 // the panel's
	detail  uint64
	first   string
	last    string          // the newest line that has its end
	current strings.Builder // the line that grows
	lines   int             // from first to last
	blank   int             // blank lines since
	shown   bool            // it has its panel line
	stale   bool            // which is out of date
}

// Think streams clean reasoning. What belongs to one detail is one passage;
// another one, or text of the answer, ends it.
func (p *Panel) Think(detail uint64, clean string) {
	if clean == "" {
		return
	}
	if p.thought != nil && p.thought.detail != detail || p.stream != nil {
		p.EndText()
	}
	if p.thought == nil {
		p.thought = &thought{detail: detail}
	}
	t := p.thought
	for line := range strings.Lines(clean) {
		body, ended := strings.CutSuffix(line, "\n")
		t.current.WriteString(body)
		if ended {
			t.feed()
		}
	}
	if !t.shown && t.newest() != "" {
		t.shown, t.line = true, p.append([]Line{{Kind: Thought}})
	}
	p.rev++
	t.stale = t.shown
}

// feed ends the line that grows.
func (t *thought) feed() {
	line := t.current.String()
	t.current.Reset()
	switch {
	case strings.TrimSpace(line) != "":
		if t.lines == 0 {
			t.first = line
		}
		t.lines, t.blank, t.last = t.lines+t.blank+1, 0, line
	case t.lines > 0:
		t.blank++
	}
}

// newest is the last line that is not blank.
func (t *thought) newest() string {
	if growing := t.current.String(); strings.TrimSpace(growing) != "" {
		return growing
	}
	return t.last
}

// pullThought shows what the passage has come to.
func (p *Panel) pullThought() {
	if t := p.thought; t != nil && t.stale {
		t.stale = false
		p.setThought(t.line, Line{Kind: Thought, Text: t.newest(), Detail: t.detail})
	}
}

// endThought folds the passage.
func (p *Panel) endThought() {
	t := p.thought
	if t == nil {
		return
	}
	p.rev++
	p.thought = nil
	if t.feed(); t.shown {
		p.setThought(t.line, Line{Kind: Thought, Text: t.first, Rest: t.lines - 1, Detail: t.detail})
	}
}

func (p *Panel) setThought(n uint64, l Line) {
	if n >= p.First() {
		p.set(n, l)
	}
}
