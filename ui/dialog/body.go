package dialog

import (
	"strings"

	"copydesk/core/session"
	"copydesk/core/text"
	"copydesk/ui/theme"
)

const noChoice = -1

// A passage is one logical line of a request's body.
type passage struct {
	line   text.Line
	indent int // cells before all of its rows
	hang   int // more cells before its rows but the first
	choice int // what choosing it does, a number of the page's own, or noChoice
	near   int // 1 + the choice that it says something about; 0: none
	mark   int // the cell that the pointer stands in

	input   int // 1 + the input whose text is edited in it; 0: none
	inputAt int // the cell that the text begins in
}

// A bodyRow is a screen row of a passage.
type bodyRow struct {
	passage int
	row     text.Row
	last    bool // the passage's last row
}

// A composer turns a request into passages.
type composer struct {
	revealer
	theme     *theme.Theme
	highlight Highlight
	keys      keyNames
}

// keyNames are the keys that stand before what they choose.
type keyNames struct{ reject, always, back string }

// passages returns what a request shows, in the order of trust: what is wrong
// with it, the real facts, what the agent says of itself, and last what can be
// chosen (REQ 6, T46).
func (c composer) passages(q *session.Request, withPrompt, withLabels bool) []passage {
	var out []passage
	if withPrompt {
		out = append(out, passage{line: c.one(q.Prompt, text.Plain|text.Bold), choice: noChoice})
	}
	if q.Blocked != "" {
		out = append(out, c.named("Cannot be approved: ", text.Warning, q.Blocked, ""))
	}
	out = append(out, c.facts(q)...)
	switch {
	case q.Kind == session.Choice:
		out = append(out, c.choices(q)...)
	case q.Kind == session.Approval && q.Means != nil:
		for i := range q.Choices {
			if saysMore(q, i) {
				out = append(out, c.named(q.Means[i].Words()+`: agent says: "`, text.Claim, q.Choices[i], `"`))
			}
		}
	case withLabels:
		out = append(out,
			c.named("Approve: ", text.Muted, q.Choices[0], ""),
			c.named("Reject: ", text.Muted, q.Choices[1], ""))
	}
	return out
}

// facts are the fields of a request, and what the agent says of it.
func (c composer) facts(q *session.Request) []passage {
	var out []passage
	for _, f := range q.Fields {
		out = append(out, c.field(f)...)
	}
	if q.Claim != "" {
		out = append(out, c.named(`agent says: "`, text.Claim, q.Claim, `"`))
	}
	return out
}

// field shows a value of one line behind its name, and one of several indented
// below it.
func (c composer) field(f session.Field) []passage {
	base := text.Plain
	if f.Warn {
		base = text.Warning
	}
	raw, paint := c.painter(f)
	value := c.lines(raw, base, paint)
	var b lineBuilder
	if f.Name != "" {
		b.addLine(c.one(f.Name, text.Muted))
		b.add(":", text.Muted)
	}
	if len(value) == 1 {
		if f.Name != "" {
			b.add(" ", text.Plain)
		}
		b.addLine(value[0])
		return []passage{{line: b.line(), hang: 2, choice: noChoice}}
	}
	var out []passage
	if f.Name != "" {
		out = append(out, passage{line: b.line(), hang: 2, choice: noChoice})
	}
	hang := 0
	if f.Lang == diffLang {
		hang = 2 // or a row that goes on could pass for a line of its own
	}
	for _, l := range value {
		out = append(out, passage{line: l, indent: 2, hang: hang, choice: noChoice})
	}
	return out
}

// painter returns what styles the lines of a field's value, nil to leave them
// as they are, and the value to style.
func (c composer) painter(f session.Field) (raw string, paint func([]string) [][]text.Span) {
	switch {
	case f.Lang == diffLang:
		return showLineEnds(f.Value), c.paintDiff
	case f.Warn:
	case f.Lang != "" && c.highlight != nil:
		return f.Value, func(lines []string) [][]text.Span { return c.highlight(f.Lang, lines) }
	case f.Lang == "" && isAddress(f.Value):
		return f.Value, paintAddress
	}
	return f.Value, nil
}

// named shows one line of the agent's between words of ours.
func (c composer) named(name string, style text.Style, raw, end string) passage {
	of := style
	if style == text.Muted || style == text.Warning {
		of = text.Plain
	}
	var b lineBuilder
	b.add(name, style)
	b.addLine(c.one(raw, of))
	b.add(end, style)
	return passage{line: b.line(), hang: 2, choice: noChoice}
}

// wrap breaks the passages into rows of at most width cells.
func wrap(ps []passage, width int) []bodyRow {
	var rows []bodyRow
	for i, p := range ps {
		first := wrapPassage(p, width)
		for j, r := range first {
			rows = append(rows, bodyRow{i, r, j == len(first)-1})
		}
	}
	return rows
}

// wrapPassage gives continued rows the narrower room that their hanging indent
// leaves, by wrapping what the first row left over once more.
func wrapPassage(p passage, width int) []text.Row {
	rows := text.Wrap(p.line.Text, max(2, width-p.indent))
	if len(rows) == 1 || p.hang == 0 {
		return rows
	}
	start := rows[0].End
	rest := text.Wrap(p.line.Text[start:], max(2, width-p.indent-p.hang))
	rows = rows[:1]
	for _, r := range rest {
		rows = append(rows, text.Row{Start: start + r.Start, End: start + r.End})
	}
	return rows
}

// plainText is what copying the dialog gives: the document text of all that it
// shows, without the tokens and indents of its drawing (REQ 7).
func (c composer) plainText(q *session.Request, of *form) string {
	lines := []string{text.CleanLine(q.Prompt)}
	if q.From != "" {
		lines[0] = asks(q.From) + ": " + lines[0]
	}
	if q.Blocked != "" {
		lines = append(lines, "Cannot be approved: "+text.CleanLine(q.Blocked))
	}
	for _, f := range q.Fields {
		lines = append(lines, plainField(f.Name, f.Value))
	}
	if q.Claim != "" {
		lines = append(lines, `agent says: "`+text.CleanLine(q.Claim)+`"`)
	}
	if q.Kind == session.Choice {
		for i, p := range c.choices(q) {
			if i < numbered(q) {
				lines = append(lines, p.line.Text)
			}
		}
	}
	if of != nil {
		for _, e := range of.entries {
			lines = append(lines, plainField(e.in.Label(), strings.Join(e.words(), "\n")))
		}
	}
	return strings.Join(lines, "\n")
}

func plainField(name, value string) string {
	value = text.Clean(value)
	switch {
	case name == "":
		return value
	case strings.Contains(value, "\n"):
		return text.CleanLine(name) + ":\n" + value
	}
	return text.CleanLine(name) + ": " + value
}
