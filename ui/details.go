package ui

import (
	"fmt"
	"strings"

	"copydesk/core/desk"
	"copydesk/core/panel"
	"copydesk/core/session"
	"copydesk/core/text"
	"copydesk/ui/dialog"
	"copydesk/ui/keys"
)

// pickDetail lists the tool calls and thoughts of the pane, the newest first, and
// shows the one that is picked in full. After it the list is there again.
func (a *App) pickDetail() {
	p := a.pane
	details := p.Details()
	if len(details) == 0 {
		a.say("There is no tool call and no thought yet.", false)
		return
	}
	items := make([]dialog.Item, len(details))
	for i, d := range details {
		items[i] = dialog.Item{Name: a.kindOf(d), Text: d.Title + lineCount(d.Lines)}
	}
	var l *dialog.List
	l = dialog.NewList("Tool calls and thoughts", items, dialog.ListDeps{
		Theme: a.Theme, Keys: a.Keys,
		Close: func() { a.stack.Remove(l) },
		Pick: func(i int) {
			a.stack.Remove(l)
			a.read(p, details[i].ID, func() { a.push(l) })
		},
	})
	a.push(l)
}

// kindOf says what a detail is and how far it is.
func (a *App) kindOf(d desk.Detail) string {
	g := a.Theme.Glyphs()
	switch {
	case d.Kind == panel.Thought:
		return "  thought"
	case d.Status == session.Done:
		return g.OK + " tool"
	case d.Status == session.Failed:
		return g.Bad + " tool"
	case d.Status == session.Running:
		return g.Ellipsis + " tool"
	}
	return "  tool"
}

func lineCount(n int) string {
	switch n {
	case 0:
		return ""
	case 1:
		return " (1 line)"
	}
	return fmt.Sprintf(" (%d lines)", n)
}

// openDetail shows in full what the panel's line is about.
func (a *App) openDetail() {
	id := a.panel.Detail()
	if id == 0 {
		a.say("There is no more to this line. "+a.way(keys.Details, "/details")+" lists the tool calls and thoughts.", false)
		return
	}
	a.read(a.pane, id, func() {})
}

// read shows a detail in full, and calls after when that was closed.
func (a *App) read(p Pane, id uint64, after func()) {
	d, ok := p.Detail(id)
	if !ok {
		a.say("Its text is no longer kept.", false)
		after()
		return
	}
	var r *dialog.Reader
	r = dialog.NewReader(d.Title, a.detailLines(d), dialog.ReaderDeps{
		Theme: a.Theme, Keys: a.Keys,
		Copy:  func(string) { a.copyText(rawDetail(d)) },
		Close: func() { a.stack.Remove(r); after() },
	})
	a.push(r)
}

// rawDetail is a detail's text as it came, its parts one after the other.
func rawDetail(d desk.DetailText) string {
	var b strings.Builder
	for _, p := range d.Parts {
		content := p.Text
		if p.Kind == session.PlacePart {
			content = p.Name
		}
		if b.Len() > 0 && !strings.HasSuffix(b.String(), "\n") {
			b.WriteByte('\n')
		}
		b.WriteString(content)
	}
	return b.String()
}

// detailLines are the lines that show a detail: each part under its name, code
// and diffs in colours.
func (a *App) detailLines(d desk.DetailText) []text.Line {
	var lines []text.Line
	head := func(s string) {
		s = text.CleanLine(s)
		lines = append(lines, text.Line{Text: s, Spans: []text.Span{{Len: len(s), Style: text.Heading | text.Bold}}})
	}
	if d.Dropped > 0 {
		s := fmt.Sprintf("%d bytes of it are no longer kept.", d.Dropped)
		lines = append(lines, text.Line{Text: s, Spans: []text.Span{{Len: len(s), Style: text.Warning}}})
	}
	for _, p := range d.Parts {
		if len(lines) > 0 {
			lines = append(lines, text.Line{})
		}
		switch {
		case p.Name != "":
			head(p.Name)
		case p.Kind == session.InputPart:
			head("Input")
		case p.Kind == session.OutputPart && len(d.Parts) > 1:
			head("Output")
		}
		lines = append(lines, a.partLines(p)...)
	}
	return lines
}

// highlighted is how many lines of code are highlighted in a detail, at most: it
// is done while a key waits.
const highlighted = 400

func (a *App) partLines(p session.Part) []text.Line {
	if p.Text == "" {
		return nil
	}
	plain := strings.Split(strings.TrimSuffix(text.Clean(p.Text), "\n"), "\n")
	lines := make([]text.Line, len(plain))
	for i, s := range plain {
		lines[i] = text.Line{Text: s}
	}
	switch {
	case p.Kind == session.DiffPart:
		paintDiff(lines)
	case p.Lang != "" && a.deps.Highlight != nil && len(plain) <= highlighted:
		for i, spans := range a.deps.Highlight.Highlight(p.Lang, plain) {
			lines[i].Spans = spans
		}
	}
	return lines
}

// paintDiff styles the lines of a unified diff.
func paintDiff(lines []text.Line) {
	style, inHunk := text.Header, false
	for i, l := range lines {
		switch {
		case strings.HasPrefix(l.Text, "@@"):
			style, inHunk = text.Hunk, true
		case !inHunk:
		case strings.HasPrefix(l.Text, "+"):
			style = text.Added
		case strings.HasPrefix(l.Text, "-"):
			style = text.Removed
		default:
			style = text.Plain
		}
		lines[i].Spans = []text.Span{{Len: len(l.Text), Style: style}}
	}
}
