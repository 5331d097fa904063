package playground

import (
	"strings"

	"copydesk/core/session"
	"copydesk/core/text"
)

// A drawing is a table whose column widths are known.
type drawing struct {
	header *cells
	rows   []*cells
	widths []int
	right  []bool // the column holds numbers only
}

func newDrawing(names []string, rows []*cells) *drawing {
	n := len(names)
	d := &drawing{
		header: newCells(names...),
		rows:   rows,
		widths: make([]int, n),
		right:  make([]bool, n),
	}
	for i := range names {
		d.widths[i] = text.Width(d.header.text[i])
		numbers, others := 0, 0
		for _, r := range rows {
			d.widths[i] = max(d.widths[i], text.Width(r.text[i]))
			switch r.kind[i] {
			case numberCell:
				numbers++
			case textCell:
				others++
			}
		}
		d.right[i] = numbers > 0 && others == 0
	}
	return d
}

// styled collects a line and its spans.
type styled struct {
	text  strings.Builder
	spans []text.Span
}

func (s *styled) add(part string, style text.Style) {
	if part == "" {
		return
	}
	s.text.WriteString(part)
	if n := len(s.spans); n > 0 && s.spans[n-1].Style == style {
		s.spans[n-1].Len += len(part)
		return
	}
	s.spans = append(s.spans, text.Span{Len: len(part), Style: style})
}

func (s *styled) line() text.Line { return text.Line{Text: s.text.String(), Spans: s.spans} }

func (d *drawing) rule(left, middle, right string) text.Line {
	parts := make([]string, len(d.widths))
	for i, w := range d.widths {
		parts[i] = strings.Repeat("─", w+2)
	}
	var s styled
	s.add(left+strings.Join(parts, middle)+right, text.Border)
	return s.line()
}

func (d *drawing) row(r *cells) text.Line {
	var s styled
	for i, cell := range r.text {
		s.add("│", text.Border)
		pad := strings.Repeat(" ", d.widths[i]-text.Width(cell))
		style := text.Plain
		switch {
		case r == d.header:
			style = text.Header | text.Bold
		case r.kind[i] == numberCell:
			style = text.Number
		case r.kind[i] == nullCell:
			style = text.Null
		}
		s.add(" ", text.Plain)
		if d.right[i] {
			s.add(pad, text.Plain)
		}
		s.add(cell, style)
		if !d.right[i] {
			s.add(pad, text.Plain)
		}
		s.add(" ", text.Plain)
	}
	s.add("│", text.Border)
	return s.line()
}

// markdown writes the table as a pipe table of GitHub Flavored Markdown. Its
// cells are the data byte for byte, because it is what a copy takes along; only
// what would end a cell or a row is written in another way.
func (d *drawing) markdown() string {
	var out strings.Builder
	line := func(r *cells) {
		for _, cell := range r.raw {
			out.WriteString("| " + markdownCell(cell) + " ")
		}
		out.WriteString("|\n")
	}
	line(d.header)
	for _, right := range d.right {
		if right {
			out.WriteString("| ---: ")
		} else {
			out.WriteString("| --- ")
		}
	}
	out.WriteString("|\n")
	for _, r := range d.rows {
		line(r)
	}
	return out.String()
}

// markdownCell writes a pipe as \|, the backslashes before a pipe twice and a
// line end as <br>. All else stays as it is
// (https://github.github.com/gfm/#tables-extension-).
func markdownCell(s string) string {
	if !strings.ContainsAny(s, "|\r\n") {
		return s
	}
	var out strings.Builder
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '|':
			for at := i - 1; at >= 0 && s[at] == '\\'; at-- {
				out.WriteByte('\\')
			}
			out.WriteString(`\|`)
		case '\r':
			if i+1 < len(s) && s[i+1] == '\n' {
				i++
			}
			out.WriteString("<br>")
		case '\n':
			out.WriteString("<br>")
		default:
			out.WriteByte(s[i])
		}
	}
	return out.String()
}

// fence writes lines as a fenced block of Markdown.
func fence(lang string, lines []string) string {
	body := strings.Join(lines, "\n")
	marks := "```"
	for strings.Contains(body, marks) {
		marks += "`"
	}
	return marks + lang + "\n" + body + "\n" + marks + "\n"
}

// sqlLines paints SQL, one line of it at a time.
func sqlLines(sql []string) []text.Line {
	var out []text.Line
	for _, one := range sql {
		for _, l := range strings.Split(one, "\n") {
			l = text.CleanLine(l)
			var s styled
			at := 0
			for _, tok := range lex(l, sqlGrammar) {
				s.add(l[at:tok.start], text.Plain)
				s.add(l[tok.start:tok.end], sqlStyle(tok))
				at = tok.end
			}
			out = append(out, s.line())
		}
	}
	return out
}

func sqlStyle(tok token) text.Style {
	switch tok.kind {
	case wordToken:
		if sqlKeyword(tok.val) {
			return text.Keyword
		}
	case singleToken, openToken:
		return text.String
	case numberToken:
		return text.Number
	case punctToken:
		return text.Operator
	}
	return text.Plain
}

// planNode is one step of a query plan.
type planNode struct {
	id, parent int64
	detail     string
}

// plan shows what EXPLAIN QUERY PLAN says, as a tree.
func (t *turn) plan(s statement) error {
	rows, err := t.a.db.all(t.ctx, s.text)
	if err != nil {
		return err
	}
	children := make(map[int64][]planNode)
	for _, r := range rows {
		id, _ := r[0].(int64)
		parent, _ := r[1].(int64)
		children[parent] = append(children[parent], planNode{id, parent, asText(r[3])})
	}
	lines := []text.Line{{Text: "QUERY PLAN", Spans: []text.Span{{Len: len("QUERY PLAN"), Style: text.Header | text.Bold}}}}
	var walk func(parent int64, indent string)
	walk = func(parent int64, indent string) {
		for i, n := range children[parent] {
			branch, below := "├─ ", "│  "
			if i == len(children[parent])-1 {
				branch, below = "└─ ", "   "
			}
			lines = append(lines, planLine(indent+branch, n.detail))
			if n.id != parent {
				walk(n.id, indent+below)
			}
		}
	}
	walk(0, "")
	plain := make([]string, len(lines))
	for i, l := range lines {
		plain[i] = l.Text
	}
	return t.block(session.Block{Kind: session.PlanBlock, Lines: lines, Source: fence("text", plain)})
}

// planLine paints one step: SQLite's words in capitals are keywords, and a scan
// of a whole table stands out from a search.
func planLine(branch, detail string) text.Line {
	var s styled
	s.add(branch, text.Border)
	detail, _ = fit(detail)
	for i, word := range strings.SplitAfter(detail, " ") {
		bare := strings.TrimSpace(word)
		style := text.Plain
		switch {
		case bare == "SCAN":
			style = text.Warning
		case bare == "SEARCH":
			style = text.Success
		case len(bare) > 1 && strings.Trim(bare, "ABCDEFGHIJKLMNOPQRSTUVWXYZ-") == "":
			style = text.Keyword
		case i == 1:
			style = text.TypeName
		case strings.HasPrefix(bare, "("):
			style = text.Muted
		}
		s.add(bare, style)
		s.add(word[len(bare):], text.Plain)
	}
	return s.line()
}
