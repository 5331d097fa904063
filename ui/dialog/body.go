package dialog

import (
	"fmt"
	"strconv"
	"strings"

	"copydesk/core/session"
	"copydesk/core/text"
)

const noChoice = -1

// A passage is one logical line of a request's body.
type passage struct {
	line   text.Line
	indent int // cells before all of its rows
	hang   int // more cells before its rows but the first
	choice int // the choice it names, len(Choices) for the reject row, or noChoice
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
	highlight Highlight
	rejectKey string // what stands before ") Reject" below the choices
}

// passages returns what a request shows, in the order of trust: the real facts,
// what the agent says of itself, and last what can be chosen (REQ 6, T46). The
// prompt and an approval's labels are there only if they fit nowhere else.
func (c composer) passages(q *session.Request, withPrompt, withLabels bool) []passage {
	var out []passage
	if withPrompt {
		out = append(out, passage{line: c.one(q.Prompt, text.Plain|text.Bold), choice: noChoice})
	}
	for _, f := range q.Fields {
		out = append(out, c.field(f)...)
	}
	if q.Claim != "" {
		out = append(out, c.named(`agent says: "`, text.Claim, q.Claim, `"`))
	}
	if withLabels {
		out = append(out,
			c.named("Approve: ", text.Muted, q.Choices[0], ""),
			c.named("Reject: ", text.Muted, q.Choices[1], ""))
	}
	if q.Kind == session.Choice {
		out = append(out, c.choices(q)...)
	}
	return out
}

// field shows a value of one line behind its name, and one of several indented
// below it.
func (c composer) field(f session.Field) []passage {
	var paint func([]string) [][]text.Span
	if f.Lang != "" && c.highlight != nil {
		paint = func(lines []string) [][]text.Span { return c.highlight(f.Lang, lines) }
	}
	value := c.lines(f.Value, text.Plain, paint)
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
	for _, l := range value {
		out = append(out, passage{line: l, indent: 2, choice: noChoice})
	}
	return out
}

// named shows one line of the agent's between words of ours.
func (c composer) named(name string, style text.Style, raw, end string) passage {
	of := style
	if style == text.Muted {
		of = text.Plain
	}
	var b lineBuilder
	b.add(name, style)
	b.addLine(c.one(raw, of))
	b.add(end, style)
	return passage{line: b.line(), hang: 2, choice: noChoice}
}

// choices numbers what can be chosen, and puts the rejection below (R4).
func (c composer) choices(q *session.Request) []passage {
	var out []passage
	digits := len(strconv.Itoa(len(q.Choices)))
	for i, label := range q.Choices {
		number := fmt.Sprintf("%*d) ", digits, i+1)
		var b lineBuilder
		b.add(number, text.Info)
		b.addLine(c.one(label, text.Plain))
		out = append(out, passage{line: b.line(), indent: 2, hang: len(number), choice: i})
	}
	var b lineBuilder
	b.add(strings.Repeat(" ", max(0, digits-text.Width(c.rejectKey)))+c.rejectKey+") ", text.Failure)
	b.add("Reject", text.Plain)
	return append(out, passage{line: b.line(), indent: 2, choice: len(q.Choices)})
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
func plainText(q *session.Request) string {
	lines := []string{text.CleanLine(q.Prompt)}
	for _, f := range q.Fields {
		value := text.Clean(f.Value)
		switch {
		case f.Name == "":
			lines = append(lines, value)
		case strings.Contains(value, "\n"):
			lines = append(lines, text.CleanLine(f.Name)+":", value)
		default:
			lines = append(lines, text.CleanLine(f.Name)+": "+value)
		}
	}
	if q.Claim != "" {
		lines = append(lines, `agent says: "`+text.CleanLine(q.Claim)+`"`)
	}
	if q.Kind == session.Choice {
		for i, c := range q.Choices {
			lines = append(lines, fmt.Sprintf("%d) %s", i+1, text.CleanLine(c)))
		}
	}
	return strings.Join(lines, "\n")
}
