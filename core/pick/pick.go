// Package pick finds the things in a panel that somebody would copy: code
// blocks, commands, paths, URLs, tables, diffs, what tools have put out, answers
// and turns. It works on
// the logical lines, so that how they are wrapped or decorated is in no copy.
// Every function is pure, and safe from any goroutine.
package pick

import (
	"cmp"
	"slices"
	"strings"

	"copydesk/core/panel"
	"copydesk/core/session"
)

// A Kind is what a thing is.
type Kind uint8

// The kinds, those that hold others first: where two begin at one place, their
// letters stand in this order.
const (
	Turn    Kind = iota // a message and its answer, as Markdown
	Answer              // the answer alone, byte for byte as it came
	Code                // a fenced code block, without its fences
	Diff                // a fenced code block that is a diff, or a tool's diff
	Output              // what a tool has put out
	Table               // a table
	Command             // what was submitted, the SQL it stands for, or a command line in a code block
	URL
	Path
)

// String names a kind as a user reads it.
func (k Kind) String() string {
	return [...]string{"turn", "answer", "code block", "diff", "output", "table", "command", "URL", "path"}[k]
}

// compare orders places as they are read.
func compare(p, q panel.Position) int {
	return cmp.Or(cmp.Compare(p.Line, q.Line), cmp.Compare(p.Byte, q.Byte))
}

// A Thing is one thing that can be copied. It stands from one place up to
// another, and its letter goes to At.
type Thing struct {
	Kind     Kind
	Text     string // what is copied; a table as it is shown
	From, To panel.Position
	At       panel.Position
	Cells    [][]string // of a table that could be read, its header first
}

// An Exchange is a finished turn of the user's and the agent's, and the panel
// lines that it filled: from First up to End.
type Exchange struct {
	First, End uint64
	Answer     string // the agent's turn, raw
	Whole      string // both turns as Markdown
}

// Find lists the things in panel lines that are numbered from first on, in
// reading order. part returns a part of a detail as it came, if it is still
// kept: a panel shows only the beginning of it.
func Find(first uint64, lines []panel.Line, turns []Exchange, part func(detail uint64, part int) (session.Part, bool)) []Thing {
	f := finder{first: first, lines: lines, part: part}
	f.exchanges(turns)
	for i := 0; i < len(lines); {
		switch l := lines[i]; l.Kind {
		case panel.Echo, panel.Teaching:
			i = f.statement(i)
		case panel.Table:
			i = f.tables(i)
		case panel.Answer:
			i = f.document(i)
		case panel.Output:
			i = f.output(i)
		default:
			f.tokens(i, l.Text, pathsToo)
			i++
		}
	}
	slices.SortStableFunc(f.found, func(a, b Thing) int {
		return cmp.Or(compare(a.At, b.At), cmp.Compare(a.Kind, b.Kind))
	})
	return f.found
}

// InView keeps the things that can be seen from one place up to another, in
// reading order, with their letters inside. Of URLs and paths that stand there
// several times the first one is enough.
func InView(all []Thing, from, to panel.Position) []Thing {
	type word struct {
		kind Kind
		text string
	}
	seen := make(map[word]bool)
	var out []Thing
	if !from.Before(to) {
		return nil
	}
	for _, t := range all {
		if !t.From.Before(to) || !from.Before(t.To) {
			continue
		}
		if t.Kind == URL || t.Kind == Path {
			if seen[word{t.Kind, t.Text}] {
				continue
			}
			seen[word{t.Kind, t.Text}] = true
		}
		if t.At.Before(from) {
			t.At = from
		}
		out = append(out, t)
	}
	slices.SortStableFunc(out, func(a, b Thing) int {
		return cmp.Or(compare(a.At, b.At), cmp.Compare(a.Kind, b.Kind))
	})
	return out
}

// A finder collects the things of one panel.
type finder struct {
	first uint64
	lines []panel.Line
	part  func(detail uint64, part int) (session.Part, bool)
	found []Thing
}

// add takes a thing that stands from a byte of one line up to a byte of
// another, both counted in the lines' own text. Nothing is not a thing.
func (f *finder) add(t Thing, from, start, to, end int) {
	if t.Text == "" {
		return
	}
	t.From, t.To = f.place(from, start), f.place(to, end)
	t.At = t.From
	f.found = append(f.found, t)
}

// place is a byte of a line's own text in its shown text.
func (f *finder) place(i, at int) panel.Position {
	return panel.Position{Line: f.first + uint64(i), Byte: panel.Lead(f.lines[i]) + at}
}

// join is the text of the lines from one up to another, joined by LF.
func (f *finder) join(from, to int) string {
	texts := make([]string, 0, to-from)
	for _, l := range f.lines[from:to] {
		texts = append(texts, l.Text)
	}
	return strings.Join(texts, "\n")
}

// statement finds what was submitted at once, and returns the line after it.
func (f *finder) statement(i int) int {
	end := i + 1
	for end < len(f.lines) && f.lines[end].Kind == f.lines[i].Kind && f.lines[end].More {
		end++
	}
	f.add(Thing{Kind: Command, Text: f.join(i, end)}, i, 0, end-1, len(f.lines[end-1].Text))
	if f.lines[i].Kind == panel.Echo {
		for k := i; k < end; k++ {
			f.tokens(k, f.lines[k].Text, pathsToo)
		}
	}
	return end
}

// output finds what a tool shows from line i on, and returns the line after it.
// What is no longer kept in full is copied as it is shown.
func (f *finder) output(i int) int {
	l := f.lines[i]
	end := i + 1
	for end < len(f.lines) && f.lines[end].Kind == l.Kind && f.lines[end].Detail == l.Detail && f.lines[end].Part == l.Part {
		end++
	}
	t := Thing{Kind: Output, Text: f.join(i, end)}
	if from, kept := f.part(l.Detail, l.Part); kept {
		if t.Text = from.Text; from.Kind == session.DiffPart {
			t.Kind = Diff
		}
	}
	if l.Detail != 0 {
		f.add(t, i, 0, end-1, len(f.lines[end-1].Text))
	}
	for k := i; k < end; k++ {
		f.tokens(k, f.lines[k].Text, t.Kind != Diff)
	}
	return end
}

// exchanges finds turns and their answers. The letter of an answer goes to its
// first line, that of a turn to the tag of its echo.
func (f *finder) exchanges(turns []Exchange) {
	last := f.first + uint64(len(f.lines))
	for _, x := range turns {
		from, end := int(max(x.First, f.first)-f.first), int(max(min(x.End, last), f.first)-f.first)
		if from >= end || x.Answer == "" {
			continue
		}
		f.span(Turn, x.Whole, from, end)
		for from < end && !said(f.lines[from].Kind) {
			from++
		}
		for end > from && !said(f.lines[end-1].Kind) {
			end--
		}
		if from < end {
			f.span(Answer, x.Answer, from, end)
		}
	}
}

// span adds a thing that fills whole lines, what the composer puts before their
// text too.
func (f *finder) span(k Kind, content string, from, end int) {
	l := f.lines[end-1]
	to := panel.Position{Line: f.first + uint64(end-1), Byte: max(1, len(panel.Compose(l).Text))}
	start := panel.Position{Line: f.first + uint64(from)}
	f.found = append(f.found, Thing{Kind: k, Text: content, From: start, To: to, At: start})
}

// said reports whether lines of a kind are part of an answer.
func said(k panel.Kind) bool {
	switch k {
	case panel.Answer, panel.Table, panel.Plan, panel.Teaching:
		return true
	}
	return false
}
