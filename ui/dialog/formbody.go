package dialog

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"copydesk/core/session"
	"copydesk/core/text"
)

const (
	// columnsWidth is the narrowest form that has its labels beside the inputs.
	columnsWidth = 50
	// labelColumn is the widest column of labels.
	labelColumn = 30
	formIndent  = 2
	// labelGap is between a label and its input; the pointer stands in it.
	labelGap = 3
	// inputCells is the least room for an input.
	inputCells = 18
)

// A formPainter puts the passages of a form below each other, the labels in a
// column at the left where there is room, else above.
type formPainter struct {
	composer
	form   *form
	column int // the width of the labels and the gap behind them; 0: they stand above
	out    []passage
}

// form returns the passages of a form; apart sets it off from what is above.
func (c composer) form(f *form, width int, apart bool) []passage {
	p := formPainter{composer: c, form: f}
	if cells := c.labelCells(f); width >= columnsWidth && cells <= min(labelColumn, width-formIndent-inputCells) {
		p.column = cells + labelGap
	}
	if apart {
		p.out = append(p.out, passage{choice: noChoice})
	}
	for i, e := range f.entries {
		p.entry(e, slices.Index(f.stops, stop{i, 0}), i)
	}
	p.out = append(p.out, passage{choice: noChoice})
	p.row("Review and send", text.Info, f.reviewStop())
	p.row("Reject", text.Failure, f.rejectStop())
	return p.out
}

func (p *formPainter) row(words string, style text.Style, stop int) {
	line := text.Line{Text: words, Spans: whole(words, style)}
	p.out = append(p.out, passage{line: line, indent: formIndent, choice: stop})
}

// entry puts one input down: its label, what it holds, what is wrong with it and
// its help.
func (p *formPainter) entry(e *entry, first, index int) {
	label := p.label(e)
	if p.column == 0 {
		p.out = append(p.out, passage{line: label, indent: formIndent, hang: 2, choice: noChoice, near: first + 1})
		label = text.Line{}
	}
	at := p.inputAt()
	switch {
	case e.typed():
		row := p.labelled(label)
		p.out = append(p.out, passage{line: row, indent: formIndent, choice: first, mark: at - 2, input: index + 1, inputAt: at})
	case e.in.Kind == session.Switch:
		p.out = append(p.out, p.switched(e, label, first))
	default:
		p.list(e, label, first)
	}
	below := func(l text.Line) {
		p.out = append(p.out, passage{line: l, indent: at, choice: noChoice, near: first + 1})
	}
	if e.left || p.form.tried {
		if wrong := e.wrong(); wrong != "" {
			mark := p.theme.Glyphs().Bad + " "
			var b lineBuilder
			b.add(mark, text.Failure)
			b.addLine(p.one(wrong, text.Failure))
			below(b.line())
		}
	}
	if strings.TrimSpace(e.in.Help) != "" {
		below(p.one(e.in.Help, text.Muted))
	}
}

// inputAt returns the cell that inputs begin in.
func (p *formPainter) inputAt() int {
	if p.column > 0 {
		return formIndent + p.column
	}
	return 2 * formIndent
}

// labelled begins a row with its label, up to where the input begins.
func (p *formPainter) labelled(label text.Line) text.Line {
	var b lineBuilder
	b.addLine(label)
	b.add(strings.Repeat(" ", p.inputAt()-formIndent-text.Width(label.Text)), text.Plain)
	return b.line()
}

func (p *formPainter) switched(e *entry, label text.Line, first int) passage {
	var b lineBuilder
	b.addLine(p.labelled(label))
	for i, o := range e.options() {
		if i > 0 {
			b.add("   ", text.Plain)
		}
		b.add(p.mark(e, i)+" ", text.Info)
		b.add(o.Label(), text.Plain)
	}
	return passage{line: b.line(), indent: formIndent, hang: p.inputAt() - formIndent, choice: first, mark: p.inputAt() - 2}
}

// list puts the options down, one below the other, numbered.
func (p *formPainter) list(e *entry, label text.Line, first int) {
	digits := len(strconv.Itoa(len(e.ticked)))
	for i, o := range e.options() {
		var b lineBuilder
		b.addLine(p.labelled(label))
		label = text.Line{}
		number := fmt.Sprintf("%*d) ", digits, i+1)
		b.add(number, text.Info)
		b.add(p.mark(e, i)+" ", text.Info)
		b.addLine(p.one(o.Label(), text.Plain))
		if strings.TrimSpace(o.Help) != "" {
			b.add("  ", text.Plain)
			b.addLine(p.one(o.Help, text.Muted))
		}
		p.out = append(p.out, passage{
			line: b.line(), indent: formIndent,
			hang: p.inputAt() - formIndent + len(number) + len("[x] "), choice: first + i, mark: p.inputAt() - 2,
		})
	}
}

// mark shows whether an option is chosen: round where one excludes the others.
func (p *formPainter) mark(e *entry, i int) string {
	switch {
	case e.in.Kind == session.ManyOf && e.ticked[i]:
		return "[x]"
	case e.in.Kind == session.ManyOf:
		return "[ ]"
	case e.ticked[i]:
		return "(" + p.theme.Glyphs().Chosen + ")"
	}
	return "( )"
}

// review lists what a form sends.
func (c composer) review(q *session.Request, f *form) []passage {
	out := []passage{c.named("", text.Plain, q.Prompt, "")}
	out = append(out, passage{choice: noChoice})
	if q.Blocked != "" {
		out = append(out, c.named("Cannot be sent: ", text.Warning, q.Blocked, ""))
	}
	for _, e := range f.entries {
		words := e.words()
		if len(words) == 0 {
			var b lineBuilder
			b.addLine(c.one(e.in.Label(), text.Muted))
			b.add(": left out", text.Muted|text.Italic)
			out = append(out, passage{line: b.line(), hang: 2, choice: noChoice})
			continue
		}
		out = append(out, c.field(session.Field{Name: e.in.Label(), Value: strings.Join(words, "\n")})...)
	}
	return out
}
