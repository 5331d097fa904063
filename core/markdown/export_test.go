package markdown

import (
	"slices"
)

// Work is how many steps the painter has looked ahead or back in inlines, how
// many records it holds, and how much memory it keeps for one segment.
func (p *Painter) Work() (steps, records, segment int) {
	return p.inlines.work, len(p.records), cap(p.inlines.src)
}

// Languages are the names of the languages that the highlighter knows.
func (h *ChromaHighlighter) Languages() []string {
	h.load.Do(h.readLexers)
	var names []string
	for _, lexer := range h.lexers {
		names = append(names, lexer.Config().Name)
	}
	slices.Sort(names)
	return slices.Compact(names)
}
