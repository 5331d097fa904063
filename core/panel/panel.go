package panel

import (
	"strings"

	"copydesk/core/markdown"
	"copydesk/core/session"
	"copydesk/core/text"
)

// pullAt is how many bytes of streamed text may wait before they are painted
// although nobody has asked for them yet.
const pullAt = 1 << 20

// mostBytes is how much text the kept lines may have. Longer ones than anybody
// reads push the oldest out before there are as many lines as there is room for
// (R8).
const mostBytes = 32 << 20

// A Panel is a ring of the last logical lines. Every line has a number that
// never changes, counted from 0 at the panel's start; the text of a line never
// changes either, but for the open end of a stream and for status marks.
//
// The panel keeps the revision of all that is shown beside it: every change
// raises it, and Since tells what changed after one. It is not safe for
// concurrent use: the pane that owns it locks.
type Panel struct {
	highlight markdown.Highlighter
	slots     []slot // of line n at n % len(slots)
	next      uint64 // number of the line that comes next
	floor     uint64 // lines before it had to go because of their size
	bytes     int    // of the kept lines' text
	rev       uint64
	stream    *stream  // text that grows; nil: there is none
	thought   *thought // reasoning that grows; not beside a stream
	held      []Line   // wait for the end of the stream's open line
}

type slot struct {
	line  Line
	shown Shown
	rev   uint64
}

// A stream is text that grows at the panel's end. Other lines may come between
// its lines; places maps its line indices to panel numbers.
type stream struct {
	painter *markdown.Painter
	places  []place // ordered by index
	waiting int     // bytes appended since the last Take
	midline bool    // the last line has no end yet
}

type place struct {
	index int    // of the stream's line
	line  uint64 // the panel line that it is
}

// New makes a panel of the last capacity lines, at least 1. highlight styles
// code blocks; it may be nil.
func New(capacity int, highlight markdown.Highlighter) *Panel {
	return &Panel{highlight: highlight, slots: make([]slot, max(1, capacity))}
}

// Revision is raised by every change.
func (p *Panel) Revision() uint64 { return p.rev }

// Touch raises the revision for a change of something shown beside the panel.
func (p *Panel) Touch() { p.rev++ }

// First is the number of the oldest line kept.
func (p *Panel) First() uint64 {
	if n := uint64(len(p.slots)); p.next > n {
		return max(p.floor, p.next-n)
	}
	return p.floor
}

// Add appends lines and returns the number of the first. It ends an open
// stream.
func (p *Panel) Add(lines ...Line) uint64 {
	p.EndText()
	return p.append(lines)
}

// Remark appends lines beside an open stream without ending it: in the middle
// of a line they wait until that line has its end, so that no line of the
// agent is ever torn. It reports whether the lines are shown by now.
func (p *Panel) Remark(lines ...Line) bool {
	p.rev++
	if p.stream == nil {
		p.append(lines)
		return true
	}
	p.held = append(p.held, lines...)
	if p.stream.midline {
		return false
	}
	p.release()
	return true
}

func (p *Panel) append(lines []Line) uint64 {
	p.rev++
	first := p.next
	for _, l := range lines {
		p.set(p.next, l)
		p.next++
	}
	p.shrink()
	return first
}

func (p *Panel) set(n uint64, l Line) {
	p.put(n, slot{line: l, shown: Shown{Kind: l.Kind, Detail: l.Detail, Line: Compose(l)}, rev: p.rev})
}

func (p *Panel) put(n uint64, s slot) {
	old := &p.slots[n%uint64(len(p.slots))]
	p.bytes += len(s.shown.Text) - len(old.shown.Text)
	*old = s
}

// shrink lets the oldest lines go while there is too much text, but never the
// newest one.
func (p *Panel) shrink() {
	for p.bytes > mostBytes && p.First()+1 < p.next {
		p.put(p.First(), slot{})
		p.floor = p.First() + 1
	}
}

// Write streams clean text of the answer.
func (p *Panel) Write(clean string) {
	if clean == "" {
		return
	}
	p.endThought()
	p.rev++
	if p.stream == nil {
		p.stream = &stream{painter: markdown.New(p.highlight), places: []place{{0, p.next}}}
	}
	if len(p.held) > 0 {
		if i := strings.IndexByte(clean, '\n'); i >= 0 {
			p.feed(clean[:i+1])
			p.release()
			clean = clean[i+1:]
		}
	}
	p.feed(clean)
}

func (p *Panel) feed(clean string) {
	if clean == "" {
		return
	}
	s := p.stream
	s.painter.Append(clean)
	s.midline = clean[len(clean)-1] != '\n'
	if s.waiting += len(clean); s.waiting >= pullAt {
		p.pull()
	}
}

// release puts the held lines where the stream's next line would have come.
func (p *Panel) release() {
	p.pull()
	if len(p.held) == 0 {
		return
	}
	p.append(p.held)
	p.held = nil
	if s := p.stream; s != nil {
		s.places = append(s.places, place{s.painter.Lines(), p.next})
	}
}

// Open reports whether a stream, of text or of reasoning, has not ended.
func (p *Panel) Open() bool { return p.stream != nil || p.thought != nil }

// EndText ends an open stream, of text or of reasoning.
func (p *Panel) EndText() {
	p.endThought()
	s := p.stream
	if s == nil {
		return
	}
	p.rev++
	s.painter.Close()
	p.pull()
	p.stream = nil
	p.release()
}

// pull takes what the painter has painted anew into the ring.
func (p *Panel) pull() {
	p.pullThought()
	s := p.stream
	if s == nil {
		return
	}
	s.waiting = 0
	from, lines := s.painter.Take(len(p.slots))
	if len(lines) == 0 {
		return
	}
	at := len(s.places) - 1
	for i := len(lines) - 1; i >= 0; i-- {
		index := from + i
		for at > 0 && s.places[at].index > index {
			at--
		}
		if s.places[at].index > index {
			break // it and all before it are out of the ring: remarks took their room
		}
		n := s.places[at].line + uint64(index-s.places[at].index)
		if n >= p.next {
			p.next = n + 1
		}
		if n >= p.First() {
			p.setPainted(n, lines[i])
		}
	}
	p.shrink()
	// A settled line is never painted again, so the places before the one that
	// the oldest kept line lies in can go.
	for len(s.places) > 1 && s.places[1].line <= p.First() {
		s.places = s.places[1:]
	}
}

func (p *Panel) setPainted(n uint64, l text.Line) {
	p.put(n, slot{line: Line{Kind: Answer, Text: l.Text, Runs: l.Spans}, shown: Shown{Kind: Answer, Line: l}, rev: p.rev})
}

// Behind is true while lines that are shown already would be styled better by
// another Since: code after a burst is painted a piece at a time.
func (p *Panel) Behind() bool { return p.stream != nil && p.stream.painter.Behind() }

// Next is the number of the line that comes next.
func (p *Panel) Next() uint64 {
	p.pull()
	return p.next
}

// Lines returns the kept lines before they were composed, and the number of the
// first.
func (p *Panel) Lines() (first uint64, lines []Line) {
	p.pull()
	first = p.First()
	lines = make([]Line, 0, p.next-first)
	for n := first; n < p.next; n++ {
		lines = append(lines, p.slots[n%uint64(len(p.slots))].line)
	}
	return first, lines
}

// Line returns a kept line before it was composed.
func (p *Panel) Line(n uint64) (Line, bool) {
	if n < p.First() || n >= p.next {
		return Line{}, false
	}
	return p.slots[n%uint64(len(p.slots))].line, true
}

// Shown returns a line as it is shown, and whether it is still kept.
func (p *Panel) Shown(n uint64) (Shown, bool) {
	p.pull()
	if n < p.First() || n >= p.next {
		return Shown{}, false
	}
	return p.slots[n%uint64(len(p.slots))].shown, true
}

// Mark sets the status of count lines from number first on, those still kept.
func (p *Panel) Mark(first uint64, count int, s session.Status) {
	p.rev++
	for n := first; n < first+uint64(count); n++ {
		if l, ok := p.Line(n); ok {
			l.Status = s
			p.set(n, l)
		}
	}
}

// Replace changes a kept line; one that is gone stays gone.
func (p *Panel) Replace(n uint64, l Line) {
	if _, ok := p.Line(n); ok {
		p.rev++
		p.set(n, l)
	}
}

// Since returns the number of the oldest line kept, the number of the first
// line that changed after revision rev, and every line from there on. From
// revision 0 it returns all. The lines must not be changed.
func (p *Panel) Since(rev uint64) (first, from uint64, lines []Shown) {
	p.pull()
	first = p.First()
	from = p.next
	for n := p.next; n > first; n-- {
		if p.slots[(n-1)%uint64(len(p.slots))].rev > rev {
			from = n - 1
		}
	}
	if from == p.next {
		return first, from, nil
	}
	lines = make([]Shown, 0, p.next-from)
	for n := from; n < p.next; n++ {
		lines = append(lines, p.slots[n%uint64(len(p.slots))].shown)
	}
	return first, from, lines
}
