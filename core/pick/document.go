package pick

import (
	"sort"
	"strings"

	"copydesk/core/markdown"
	"copydesk/core/panel"
	"copydesk/core/text"
)

// A document is the Markdown of neighbouring panel lines. Remarks that came in
// between are no part of it.
type document struct {
	source string
	lines  []int // the panel line of each line
	starts []int // and where it starts in the source
	inCode []bool
}

// document finds the things in the agent's text from line i on, and returns the
// line after it.
func (f *finder) document(i int) int {
	end, after := i, i
	var d document
	for ; end < len(f.lines); end++ {
		switch f.lines[end].Kind {
		case panel.Answer:
			d.lines = append(d.lines, end)
			after = end + 1
			continue
		case panel.Note, panel.Error:
			continue
		}
		break
	}
	if i == 0 && f.first > 0 {
		d.lines = d.lines[f.tail(d.lines):]
	}
	var b strings.Builder
	for k, n := range d.lines {
		if k > 0 {
			b.WriteByte('\n')
		}
		d.starts = append(d.starts, b.Len())
		b.WriteString(f.lines[n].Text)
	}
	d.source = b.String()
	d.inCode = make([]bool, len(d.lines))
	for _, block := range markdown.CodeBlocks(d.source) {
		f.block(&d, block)
	}
	f.pipeTables(&d)
	for k, n := range d.lines {
		if !d.inCode[k] {
			f.tokens(n, f.lines[n].Text, pathsToo)
		}
	}
	for k := i; k < after; k++ {
		if l := f.lines[k]; l.Kind != panel.Answer {
			f.tokens(k, l.Text, pathsToo)
		}
	}
	return after
}

// tail is where the lines begin that are surely outside of a code block whose
// opening fence is no longer in the panel: else its closing one would be taken
// for an opening one.
func (f *finder) tail(lines []int) int {
	for k, n := range lines {
		l := f.lines[n]
		if mark := strings.TrimSpace(l.Text); isFence(mark) {
			return k + 1
		}
		if strings.TrimSpace(l.Text) != "" && !paintedCode(l) {
			return 0
		}
	}
	return 0
}

// isFence reports whether a line can close a code block.
func isFence(s string) bool {
	return len(s) >= 3 && (strings.Trim(s, "`") == "" || strings.Trim(s, "~") == "")
}

// paintedCode reports whether the painter took a line for code.
func paintedCode(l panel.Line) bool {
	for _, s := range l.Runs {
		switch r := s.Style.Role(); {
		case r == text.Code, r >= text.Keyword && r <= text.Hunk:
			return true
		}
	}
	return false
}

// at is the line of the document that holds a byte of its source.
func (d *document) at(offset int) int {
	return sort.Search(len(d.starts), func(k int) bool { return d.starts[k] > offset }) - 1
}

// block adds a code block, its commands and its URLs.
func (f *finder) block(d *document, b markdown.Block) {
	if b.Start >= len(d.source) && b.Code == "" {
		return
	}
	from, to := d.at(b.Start), d.at(b.End)
	open, end := max(0, from-1), to
	if b.Code == "" && b.Start == b.End {
		end = open
	}
	if next := end + 1; next < len(d.lines) && isFence(strings.Trim(f.lines[d.lines[next]].Text, "> \t")) {
		end = next
	}
	for k := open; k <= end; k++ {
		d.inCode[k] = true
	}
	kind := Code
	if isDiff(b) {
		kind = Diff
	}
	last := d.lines[end]
	f.add(Thing{Kind: kind, Text: b.Code}, d.lines[open], 0, last, len(f.lines[last].Text))
	if kind == Diff || b.Code == "" {
		return
	}
	code := strings.Split(b.Code, "\n")
	for _, c := range commands(b.Language, code) {
		if c.text == b.Code {
			continue
		}
		first, last := d.lines[from+c.from], d.lines[from+c.to]
		start := max(0, len(f.lines[first].Text)-len(code[c.from])) + c.skip
		f.add(Thing{Kind: Command, Text: c.text}, first, min(start, len(f.lines[first].Text)), last, len(f.lines[last].Text))
	}
	for k := from; k <= to; k++ {
		f.tokens(d.lines[k], f.lines[d.lines[k]].Text, urlsOnly)
	}
}

// isDiff reports whether a code block is a diff by its language, or by what it
// holds: a hunk's header below the names of two files.
func isDiff(b markdown.Block) bool {
	switch b.Language {
	case "diff", "patch", "udiff":
		return true
	}
	head := "\n" + b.Code
	old := strings.Index(head, "\n--- ")
	return old >= 0 && strings.Contains(head[old:], "\n+++ ") && strings.Contains(head[old:], "\n@@ ")
}
