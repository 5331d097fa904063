package markdown

import (
	"strings"

	"copydesk/core/text"
)

// An arena hands out memory for spans in large pieces.
type arena struct {
	free    []text.Span
	scratch []text.Span
}

const arenaSpans = 256

// copy returns a copy of the spans that nothing will write to again.
func (a *arena) copy(spans []text.Span) []text.Span {
	n := len(spans)
	if n == 0 {
		return nil
	}
	if n > len(a.free) {
		if n > arenaSpans/4 {
			return append([]text.Span(nil), spans...)
		}
		a.free = make([]text.Span, arenaSpans)
	}
	out := a.free[:n:n]
	a.free = a.free[n:]
	copy(out, spans)
	return out
}

// A builder puts the spans of one line together, in the arena's scratch memory.
type builder struct {
	a     *arena
	spans []text.Span
}

func (a *arena) begin() builder { return builder{a: a, spans: a.scratch[:0]} }

// add styles the next n bytes.
func (b *builder) add(n int, style text.Style) {
	if n <= 0 {
		return
	}
	if last := len(b.spans) - 1; last >= 0 && b.spans[last].Style == style {
		b.spans[last].Len += n
		return
	}
	b.spans = append(b.spans, text.Span{Len: n, Style: style})
}

// prefix styles what stands before the record's content.
func (b *builder) prefix(r *record) {
	left := r.from
	for _, s := range r.prefix {
		b.add(s.Len, s.Style)
		left -= s.Len
	}
	b.add(left, text.Plain)
}

// finish returns the spans without plain ones at the end. They are valid until
// the arena begins another line.
func (b *builder) finish() []text.Span {
	b.a.scratch = b.spans
	n := len(b.spans)
	for n > 0 && b.spans[n-1].Style == text.Plain {
		n--
	}
	return b.spans[:n]
}

// paint gives record i its spans; of a paragraph, the whole segment.
func (p *Painter) paint(i int) {
	r := &p.records[i]
	switch r.kind {
	case paragraphText:
		p.paintSegment(p.segment(i))
	case tableRow:
		p.paintRow(i, r.base)
	case atxHeading:
		p.paintHeading(i)
	case fencedText:
		p.paintFenced(i)
	case fenceOpen:
		b := p.spans.begin()
		b.prefix(r)
		b.add(r.aux[0]-r.from, text.Markup)
		b.add(r.aux[1]-r.aux[0], text.Info)
		b.add(len(r.text)-r.aux[1], text.Markup)
		p.assign(i, b.finish())
	case htmlText:
		p.paintHTML(i)
	default:
		b := p.spans.begin()
		b.prefix(r)
		b.add(len(r.text)-r.from, wholeStyle[r.kind])
		p.assign(i, b.finish())
	}
}

// wholeStyle is the style of lines that have one from end to end.
var wholeStyle = [...]text.Style{
	setextUnderline: text.Markup,
	thematicBreak:   text.Border,
	fenceClose:      text.Markup,
	indentedText:    text.Code,
	htmlComment:     text.Comment,
	tableDelimiter:  text.Border,
	linkDefinition:  text.Plain,
}

// paintSegment paints the part of a paragraph that begins at record i. The line
// after it says whether it is a heading, or its last line a table's header.
func (p *Painter) paintSegment(i int) {
	end := i + 1
	for end < len(p.records) && p.records[end].kind == paragraphText && !p.records[end].first {
		end++
	}
	style := p.records[i].base
	if end < len(p.records) {
		switch p.records[end].kind {
		case setextUnderline:
			style = text.Heading | text.Bold
		case tableDelimiter:
			end--
			p.paintRow(end, text.Header)
		}
	}
	if i == end {
		return
	}
	in := &p.inlines
	in.load(p.records[i].content())
	for k := i + 1; k < end; k++ {
		in.join(p.records[k].content())
	}
	in.run()
	b := p.spans.begin()
	b.prefix(&p.records[i])
	left := len(p.records[i].content())
	k := i
	in.walk(style, func(from, to int, style text.Style) {
		for from < to {
			if n := min(left, to-from); n > 0 {
				b.add(n, style)
				from += n
				left -= n
				continue
			}
			p.assign(k, b.finish()) // an LF between lines
			from++
			k++
			b = p.spans.begin()
			b.prefix(&p.records[k])
			left = len(p.records[k].content())
		}
	})
	p.assign(k, b.finish())
}

func (p *Painter) paintHeading(i int) {
	const style = text.Heading | text.Bold
	r := &p.records[i]
	p.inlines.load(r.text[r.aux[0]:r.aux[1]])
	p.inlines.run()
	b := p.spans.begin()
	b.prefix(r)
	b.add(r.aux[0]-r.from, text.Markup)
	p.inlines.walk(style, func(from, to int, style text.Style) { b.add(to-from, style) })
	b.add(r.to-r.aux[1], text.Markup)
	p.assign(i, b.finish())
}

// paintRow paints a table's row cell by cell. A pipe ends a cell even in a code
// span, unless it is escaped (GFM).
func (p *Painter) paintRow(i int, style text.Style) {
	r := &p.records[i]
	s := r.content()
	b := p.spans.begin()
	b.prefix(r)
	emit := func(from, to int, style text.Style) { b.add(to-from, style) }
	for s != "" {
		n := cellSize(s)
		if n > 0 {
			p.inlines.load(s[:n])
			p.inlines.run()
			p.inlines.walk(style, emit)
		}
		if n == len(s) {
			break
		}
		b.add(1, text.Border)
		s = s[n+1:]
	}
	p.assign(i, b.finish())
}

// cellSize is where the first pipe of s is that is not escaped, or its length.
func cellSize(s string) int {
	for from := 0; ; {
		n := strings.IndexByte(s[from:], '|')
		if n < 0 {
			return len(s)
		}
		n += from
		slashes := 0
		for n-slashes > from && s[n-slashes-1] == '\\' {
			slashes++
		}
		if slashes%2 == 0 {
			return n
		}
		from = n + 1
	}
}

// paintFenced paints a line of code that no highlighter has painted.
func (p *Painter) paintFenced(i int) {
	r := &p.records[i]
	style := text.Code
	if s := r.content(); r.patch && s != "" {
		switch {
		case s[0] == '+':
			style = text.Added
		case s[0] == '-':
			style = text.Removed
		case strings.HasPrefix(s, "@@"):
			style = text.Hunk
		}
	}
	b := p.spans.begin()
	b.prefix(r)
	b.add(len(r.text)-r.from, style)
	p.assign(i, b.finish())
}

// paintHTML paints the tags in a line of an HTML block.
func (p *Painter) paintHTML(i int) {
	r := &p.records[i]
	s := r.content()
	b := p.spans.begin()
	b.prefix(r)
	for s != "" {
		n := strings.IndexByte(s, '<')
		if n < 0 {
			n = len(s)
		}
		b.add(n, r.base)
		s = s[n:]
		if s == "" {
			break
		}
		size := max(tagSize(s), 1)
		style := text.Markup
		if size == 1 {
			style = r.base
		}
		b.add(size, style)
		s = s[size:]
	}
	p.assign(i, b.finish())
}
