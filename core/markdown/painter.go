// Package markdown paints styles over Markdown source while it streams in: not
// one byte is added, dropped or moved, so what is copied is what was sent (PAN 4).
// It also finds the code blocks of a finished text.
package markdown

import (
	"slices"

	"copydesk/core/text"
)

// burstBytes is how much text between two Takes is too much to read as it goes
// by, in bytes: code is then left plain until the stream calms down or ends.
const burstBytes = 16 << 10

// A Highlighter styles the lines of one code block. The language is the fence's
// info word. It returns spans for each line, as many as there are lines, or nil
// when it does not know the language. The same block must always get the same
// spans.
type Highlighter interface {
	Highlight(language string, lines []string) [][]text.Span
}

// A Painter turns a stream of Markdown into styled lines. Text is only stored
// when it is appended; it is looked at in Take, and inlines and code only where
// their lines are asked for. What a text looks like in the end depends neither
// on how it was cut nor on when it was taken. A Painter is not safe for
// concurrent use; the zero value paints code plain.
type Painter struct {
	highlighter Highlighter
	source      source
	scanner     scanner
	inlines     inliner
	spans       arena

	base     int      // the number of the line in records[0]
	records  []record // lines that are not settled or not yet taken
	settled  int      // lines before it can no longer change but by a highlighter
	tail     bool     // the last record is the line that is still growing,
	resume   state    // and this is the state before it
	windows  []window // code that is not painted for good; the last may be open
	growing  bool     // the last window is open
	fresh    int      // bytes since the last Take
	stale    bool     // Append or Close has been called since the last Take
	closed   bool
	changed  int      // the first line whose styles have changed since the last Take
	contents []string // memory for the lines of a window
}

// New returns a painter of an empty text. Without a highlighter code is plain.
func New(h Highlighter) *Painter { return &Painter{highlighter: h} }

// Append adds text to the end: clean text with LF line ends and no control
// characters but the tab, cut anywhere. It must not be called after Close.
func (p *Painter) Append(src string) {
	if p.closed {
		panic("markdown: Append after Close")
	}
	if src == "" {
		return
	}
	p.source.add(src)
	p.fresh += len(src)
	p.stale = true
}

// Close says that no more text will come: the next Take returns final styles.
func (p *Painter) Close() {
	p.stale = p.stale || !p.closed
	p.closed = true
}

// Lines is how many logical lines there are so far. Text after the last LF is a
// line; an LF at the end opens none.
func (p *Painter) Lines() int { return p.source.lines() }

// Behind says that code within reach is still plain because too much text had
// come at once, and that another Take would paint some of it.
func (p *Painter) Behind() bool { return len(p.windows) > 0 && (!p.growing || p.windows[0].behind()) }

// Take paints what has changed since the last Take and returns the number of
// the first line that has changed, and all lines from that on. Lines older than
// the last keep lines are never returned, and not painted. A line's text never
// changes but for the last one, which grows; the styles of a line may change
// until the construct it stands in has ended.
func (p *Painter) Take(keep int) (from int, lines []text.Line) {
	total := p.source.lines()
	oldest := total - max(0, min(keep, total))
	p.changed = total
	burst := p.fresh > burstBytes && !p.closed
	if p.stale {
		p.advance(oldest)
	}
	p.fresh, p.stale = 0, false
	if !burst {
		p.highlight(oldest)
	}
	from = max(p.changed, oldest, p.base)
	if from < total {
		lines = make([]text.Line, 0, total-from)
	}
	for i := from; i < total; i++ {
		r := &p.records[i-p.base]
		if !r.done {
			p.paint(i - p.base)
		}
		lines = append(lines, text.Line{Text: r.text, Spans: r.spans})
	}
	p.dropWindows(oldest)
	p.drop(p.settled)
	if p.closed {
		p.release()
	}
	return from, lines
}

// advance scans what is new and repaints what that may have changed.
func (p *Painter) advance(oldest int) {
	if p.tail {
		p.scanner.state = p.resume
		p.records = p.records[:len(p.records)-1]
		p.tail = false
	}
	known := p.base + len(p.records)
	open := p.settled
	p.changed = known
	for i := open; i < known; i++ {
		p.records[i-p.base].done = false
	}
	for {
		line, ok := p.source.next()
		if !ok {
			break
		}
		p.push(p.scan(line))
		if len(p.records)%4096 == 0 {
			p.dropWindows(oldest)
			p.drop(oldest)
		}
	}
	if tail := p.source.tail(); tail != "" {
		if p.closed {
			p.push(p.scan(tail))
		} else {
			p.resume, p.tail = p.scanner.state, true
			p.settled = p.unsettled()
			p.records = append(p.records, p.scan(tail))
		}
	}
	if p.closed {
		p.endWindow()
		p.settled = p.base + len(p.records)
	} else if !p.tail {
		p.settled = p.unsettled()
	}
	for i := max(open, p.base); i < known; i++ {
		if !p.records[i-p.base].done {
			p.paint(i - p.base)
		}
	}
}

func (p *Painter) scan(line string) record {
	r := p.scanner.scan(line)
	r.prefix = p.spans.copy(p.scanner.prefix)
	return r
}

// push adds a complete line.
func (p *Painter) push(r record) {
	if r.kind == fencedText {
		p.addCode(p.base+len(p.records), len(r.text), r)
	} else {
		p.endWindow()
	}
	p.records = append(p.records, r)
}

// unsettled is the first line whose styles the line after the last record may
// change: where the open paragraph's last segment begins.
func (p *Painter) unsettled() int {
	end := len(p.records)
	if p.scanner.leaf != paragraph || end == 0 {
		return p.base + end
	}
	return p.base + p.segment(end-1)
}

// segment is the record in which the segment of record i begins.
func (p *Painter) segment(i int) int {
	for i > 0 && p.records[i].kind == paragraphText && !p.records[i].first {
		i--
	}
	return i
}

// dropWindows drops the windows that are painted for good or out of reach.
func (p *Painter) dropWindows(oldest int) {
	p.windows = slices.DeleteFunc(p.windows, func(w window) bool { return w.final && (w.painted || w.end <= oldest) })
}

// drop drops the records before line cut but for those of a window, and for the
// beginning of a segment that reaches beyond.
func (p *Painter) drop(cut int) {
	if len(p.windows) > 0 {
		cut = min(cut, p.windows[0].first)
	}
	n := min(cut-p.base, len(p.records))
	if n > 0 && n < len(p.records) {
		n = p.segment(n)
	} else if n > 0 && p.scanner.leaf == paragraph {
		n = p.segment(n - 1)
	}
	if n <= 0 {
		return
	}
	p.base += n
	if left := len(p.records) - n; left > n {
		clear(p.records[:n])
		p.records = p.records[n:]
	} else {
		copy(p.records, p.records[n:])
		clear(p.records[left:])
		p.records = p.records[:left]
	}
}

// release gives back the memory of a text that is complete and taken.
func (p *Painter) release() {
	p.source.blocks, p.records, p.contents = nil, nil, nil
	p.inlines = inliner{work: p.inlines.work}
}

// assign gives record i its spans and notes whether that is a change.
func (p *Painter) assign(i int, spans []text.Span) {
	r := &p.records[i]
	r.done = true
	if slices.Equal(r.spans, spans) {
		return
	}
	r.spans = p.spans.copy(spans)
	p.changed = min(p.changed, p.base+i)
}
