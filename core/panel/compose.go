package panel

import (
	"strconv"
	"strings"

	"copydesk/core/markdown"
	"copydesk/core/session"
	"copydesk/core/text"
)

// The words that the composer adds to a line's text (PAN 2). They are part of
// what is shown and so of what is copied.
const (
	runningPrefix  = "running: "
	teachingPrefix = "Executing SQL: "
	doneMark       = " ✓"
	failedMark     = " ✗"
)

// Compose makes the visible text of a line. It is the only place that does:
// the view draws its result as it is, and a copy is its text (PAN 2, PAN 3).
func Compose(l Line) text.Line {
	var c composer
	if !l.More {
		c.lead(l)
	}
	if len(c.b) == 0 && l.Status == session.NoStatus && l.Rest == 0 {
		return text.Line{Text: l.Text, Spans: bodySpans(l)}
	}
	c.body(l)
	c.rest(l)
	if !l.Open {
		c.mark(l.Status)
	}
	return text.Line{Text: string(c.b), Spans: c.spans}
}

// Lead is how many bytes Compose puts before a line's own text.
func Lead(l Line) int {
	if l.More {
		return 0
	}
	var c composer
	c.lead(l)
	return len(c.b)
}

type composer struct {
	b     []byte
	spans []text.Span
}

func (c *composer) put(s string, style text.Style) {
	if s == "" {
		return
	}
	c.b = append(c.b, s...)
	c.spans = append(c.spans, text.Span{Len: len(s), Style: style})
}

func (c *composer) lead(l Line) {
	switch l.Kind {
	case Echo:
		c.put("["+l.Tag+"]", text.Tag)
	case Note:
		c.put("[system]", text.NoteTag)
	case Error:
		c.put("[error]", text.ErrorTag)
	case Tool:
		c.put("[tool]", text.NoteTag)
	case Thought:
		c.put("[thought]", text.NoteTag)
	case Teaching:
		c.put(teachingPrefix, text.Muted)
		return
	default:
		return
	}
	c.put(" ", text.Plain)
	if l.Status == session.Running {
		c.put(runningPrefix, text.Prefix)
	}
}

func (c *composer) body(l Line) {
	c.b = append(c.b, l.Text...)
	c.spans = append(c.spans, bodySpans(l)...)
	covered := 0
	for _, s := range l.Runs {
		covered += s.Len
	}
	if rest := len(l.Text) - covered; rest > 0 && len(l.Runs) > 0 {
		c.spans = append(c.spans, text.Span{Len: rest})
	}
}

// rest says how much of a folded thought is not shown.
func (c *composer) rest(l Line) {
	switch {
	case l.Kind != Thought || l.Rest <= 0:
	case l.Rest == 1:
		c.put(" (+1 line)", text.Muted)
	default:
		c.put(" (+"+strconv.Itoa(l.Rest)+" lines)", text.Muted)
	}
}

func (c *composer) mark(s session.Status) {
	switch s {
	case session.Done:
		c.put(doneMark, text.Success)
	case session.Failed:
		c.put(failedMark, text.Failure)
	}
}

func bodySpans(l Line) []text.Span {
	if len(l.Runs) > 0 {
		return l.Runs
	}
	style := text.Plain
	switch l.Kind {
	case Echo:
		style = text.Bold
	case Thought:
		style = text.Muted | text.Italic
	case Teaching, Output:
		style = text.Muted
	default:
		return []text.Span{{Len: len(l.Text)}}
	}
	return []text.Span{{Len: len(l.Text), Style: style}}
}

// Lines cuts clean text of several lines into lines like model: the first one
// has its tag, the others continue it, the last one has its mark.
func Lines(model Line, clean string) []Line {
	parts := strings.Split(strings.TrimSuffix(clean, "\n"), "\n")
	out := make([]Line, len(parts))
	for i, part := range parts {
		l := model
		l.Text, l.More, l.Open = part, i > 0, i < len(parts)-1
		out[i] = l
	}
	return out
}

// Painted makes lines out of finished Markdown.
func Painted(source string, highlight markdown.Highlighter) []Line {
	p := markdown.New(highlight)
	p.Append(source)
	p.Close()
	_, painted := p.Take(p.Lines())
	lines := make([]Line, len(painted))
	for i, l := range painted {
		lines[i] = Line{Kind: Answer, Text: l.Text, Runs: l.Spans}
	}
	return lines
}
