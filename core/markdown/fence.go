package markdown

import "copydesk/core/text"

// A window is the code that is highlighted as one: a whole block, or a part of
// a long one. Where a window ends depends on the text alone.
const (
	windowLines = 512 // a longer block is painted in windows
	windowSoft  = 384 // from here on a window ends at the first good place
	windowBytes = 64 << 10
)

const (
	wholeLines   = 32  // an open window up to here is painted whole at every line
	contextLines = 16  // lines before new ones that are tokenised with them
	budgetLines  = 256 // finished windows are painted in one Take until so many lines are reached
)

// A window is a run of code lines of one fence.
type window struct {
	first, end int // line numbers
	bytes      int
	language   string
	final      bool // has ended
	painted    bool // for good
	shown      int  // how many lines are highlighted for now
	whole      int  // how many there were when it was last painted whole
}

// behind says that lines of an open window wait to be highlighted.
func (w *window) behind() bool { return w.final || w.shown < w.end-w.first }

// addCode adds a complete line of a fence to its window.
func (p *Painter) addCode(line, size int, r record) {
	language := p.scanner.fence.language
	if p.highlighter == nil || language == "" || r.patch {
		return
	}
	if p.growing {
		w := &p.windows[len(p.windows)-1]
		if w.full(p.records, p.base, r) {
			p.endWindow()
		}
	}
	if !p.growing {
		p.windows = append(p.windows, window{first: line, end: line, language: language})
		p.growing = true
	}
	w := &p.windows[len(p.windows)-1]
	w.end++
	w.bytes += min(size, lineBytes)
}

// full says that the window ends before the line r. The soft limit ends it at
// an unindented line after an empty one, where a construct that spans lines is
// least likely to be cut.
func (w *window) full(records []record, base int, r record) bool {
	n := w.end - w.first
	if n >= windowLines || w.bytes >= windowBytes {
		return true
	}
	if n < windowSoft || r.from >= r.to || isBlank(r.text[r.from]) {
		return false
	}
	last := &records[w.end-1-base]
	return last.from >= last.to
}

func (p *Painter) endWindow() {
	if p.growing {
		p.windows[len(p.windows)-1].final = true
		p.growing = false
	}
}

// highlight paints the code windows that reach into the lines from oldest on:
// ended ones for good, the newest first, the open one for now.
func (p *Painter) highlight(oldest int) {
	budget := budgetLines
	for k := len(p.windows) - 1; k >= 0; k-- {
		w := &p.windows[k]
		switch {
		case w.end <= oldest:
		case !w.final:
			budget -= p.highlightOpen(w)
		case budget > 0 || p.closed:
			p.tokens(w, 0, 0)
			budget -= w.end - w.first
			w.painted = true
		}
	}
}

// highlightOpen paints the new lines of a window that still grows, and all of
// it again whenever it has grown by half: so that the cost stays linear, and
// what a few lines alone got wrong is put right. It returns the lines it
// tokenised.
func (p *Painter) highlightOpen(w *window) int {
	n := w.end - w.first
	if n == w.shown {
		return 0
	}
	from, skip := 0, 0
	if n <= wholeLines || 2*n >= 3*w.whole {
		w.whole = n
	} else {
		skip = w.shown
		from = max(0, skip-contextLines)
	}
	p.tokens(w, from, skip)
	w.shown = n
	return n - from
}

// tokens highlights the window's lines from index from on, and paints those
// from index skip on.
func (p *Painter) tokens(w *window, from, skip int) {
	p.contents = p.contents[:0]
	records := p.records[w.first-p.base : w.end-p.base]
	for k := range records[from:] {
		p.contents = append(p.contents, records[from+k].content())
	}
	styled := p.highlighter.Highlight(w.language, p.contents)
	clear(p.contents)
	if len(styled) != len(records)-from {
		return
	}
	for k := skip; k < len(records); k++ {
		p.paintCode(w.first-p.base+k, styled[k-from])
	}
}

// content is what the record holds besides its container's prefix.
func (r *record) content() string {
	if r.from >= r.to {
		return ""
	}
	return r.text[r.from:r.to]
}

// paintCode paints a line of code with the tokens found in it.
func (p *Painter) paintCode(i int, tokens []text.Span) {
	r := &p.records[i]
	b := p.spans.begin()
	b.prefix(r)
	left := r.to - r.from
	for _, t := range tokens {
		n := min(t.Len, left)
		if n <= 0 {
			continue
		}
		style := t.Style
		if style.Role() == text.Plain {
			style |= text.Code
		}
		b.add(n, style)
		left -= n
	}
	b.add(left+len(r.text)-r.to, text.Code)
	p.assign(i, b.finish())
}
