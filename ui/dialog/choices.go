package dialog

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"copydesk/core/session"
	"copydesk/core/text"
)

// numbered returns how many numbers a choice has: of what is offered, and of
// the answer that is typed instead.
func numbered(q *session.Request) int {
	if q.Other != "" {
		return len(q.Choices) + 1
	}
	return len(q.Choices)
}

// ownReject reports whether the rejection below the choices is ours: a
// permission brings its own, if it offers one for this time alone.
func ownReject(q *session.Request) bool { return q.First(session.RejectOnce) < 0 }

// entries returns how many rows of the page can be pointed at.
func (r *Request) entries() int {
	q := r.pending.Request
	switch {
	case r.kind == confirming:
		return confirmEntries
	case r.kind == reviewing:
		return 0
	case r.form != nil:
		return len(r.form.stops)
	case ownReject(q):
		return numbered(q) + 1
	}
	return numbered(q)
}

// choices numbers what can be chosen, and puts the rejection below (R4).
func (c composer) choices(q *session.Request) []passage {
	var out []passage
	digits := len(strconv.Itoa(numbered(q)))
	row := func(line func(b *lineBuilder), style text.Style) {
		number := fmt.Sprintf("%*d) ", digits, len(out)+1)
		var b lineBuilder
		b.add(number, style)
		line(&b)
		out = append(out, passage{line: b.line(), indent: 2, hang: len(number), choice: len(out)})
	}
	for i, label := range q.Choices {
		switch {
		case q.Means == nil:
			row(func(b *lineBuilder) { b.addLine(c.one(label, text.Plain)) }, text.Info)
		case q.Means[i] == session.Unknown:
			row(func(b *lineBuilder) { c.unknown(b, label) }, text.Muted)
		default:
			row(func(b *lineBuilder) { c.permission(b, q, i) }, text.Info)
		}
	}
	if q.Other != "" {
		row(func(b *lineBuilder) {
			b.addLine(c.one(q.Other, text.Plain))
			b.add(": type"+c.theme.Glyphs().Ellipsis, text.Muted)
		}, text.Info)
	}
	if !ownReject(q) {
		return out
	}
	var b lineBuilder
	key := c.keys.reject
	b.add(strings.Repeat(" ", max(0, digits-text.Width(key)))+key+") ", text.Failure)
	b.add("Reject", text.Plain)
	return append(out, passage{line: b.line(), indent: 2, choice: numbered(q)})
}

// permission names a choice by what it does, and shows the agent's name for it
// as what it is: something that the agent says (T45).
func (c composer) permission(b *lineBuilder, q *session.Request, i int) {
	style := text.Info
	switch {
	case q.Means[i].Rejects():
		style = text.Failure
	case q.Blocked != "":
		style = text.Muted
	}
	b.add(q.Means[i].Words(), style)
	if saysMore(q, i) {
		wide := 0
		for _, m := range q.Means {
			if m != session.Unknown {
				wide = max(wide, len(m.Words()))
			}
		}
		b.add(strings.Repeat(" ", wide-len(q.Means[i].Words())+2), text.Plain)
		b.add(`agent says: "`, text.Claim)
		b.addLine(c.one(q.Choices[i], text.Claim))
		b.add(`"`, text.Claim)
	}
}

func (c composer) unknown(b *lineBuilder, label string) {
	if strings.TrimSpace(label) != "" {
		b.add(`agent says: "`, text.Muted)
		b.addLine(c.one(label, text.Muted))
		b.add(`" `, text.Muted)
	}
	b.add("(unknown kind, cannot be chosen)", text.Muted)
}

// saysMore reports whether the agent's name for a choice holds a word that its
// label lacks.
func saysMore(q *session.Request, i int) bool {
	words := func(s string) []string {
		return strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) })
	}
	label := words(q.Means[i].Words())
	said := words(text.CleanLine(q.Choices[i]))
	return slices.ContainsFunc(said, func(w string) bool { return !slices.Contains(label, w) }) ||
		len(said) == 0 && strings.TrimSpace(q.Choices[i]) != ""
}

// The rows of the page that confirms an AllowAlways.
const (
	allowRow = iota
	backRow
	confirmEntries
)

// confirmation is the page that confirms an AllowAlways: what it covers, and
// the request once more.
func (c composer) confirmation(q *session.Request, choice int) []passage {
	scope := q.Scope
	if strings.TrimSpace(scope) == "" {
		scope = "Unknown. The agent does not say what else it will do without asking."
	}
	out := []passage{
		{line: c.one("The agent will not ask again for what this covers.", text.Plain|text.Bold), choice: noChoice},
	}
	out = append(out, c.field(session.Field{Name: "covers", Value: scope, Warn: true})...)
	if saysMore(q, choice) {
		out = append(out, c.named(`agent says: "`, text.Claim, q.Choices[choice], `"`))
	}
	out = append(out, passage{line: text.Line{}, choice: noChoice}, c.named("Asked now: ", text.Muted, q.Prompt, ""))
	out = append(out, c.facts(q)...)
	wide := max(text.Width(c.keys.always), text.Width(c.keys.back))
	for i, row := range [confirmEntries]struct {
		key, words string
		style      text.Style
	}{{c.keys.always, session.AllowAlways.Words(), text.Info}, {c.keys.back, "Go back", text.Plain}} {
		var b lineBuilder
		b.add(strings.Repeat(" ", wide-text.Width(row.key))+row.key+") ", text.Info)
		b.add(row.words, row.style)
		out = append(out, passage{line: b.line(), indent: 2, hang: wide + 2, choice: i})
	}
	return out
}
