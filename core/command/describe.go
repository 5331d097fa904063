package command

import (
	"strings"

	"copydesk/core/session"
	"copydesk/core/text"
)

// A Row describes one form of a command.
type Row struct{ Form, Summary string }

// Rows lists every form of every command, for help and documentation.
func (t Table) Rows() []Row {
	var rows []Row
	for _, c := range t {
		rows = append(rows, Row{strings.TrimSpace(c.Name + " " + c.Value), c.Summary})
		for _, a := range c.Args {
			rows = append(rows, Row{strings.TrimSpace(c.Name + " " + a.Word + " " + a.Value), a.Summary})
		}
	}
	return rows
}

// Markdown is the table as Markdown.
func (t Table) Markdown() string {
	rows := t.Rows()
	form, summary := len("command"), len("does")
	for _, r := range rows {
		form, summary = max(form, len(r.Form)+2), max(summary, len(r.Summary))
	}
	var b strings.Builder
	line := func(left, right string) {
		b.WriteString("| " + left + strings.Repeat(" ", form-len(left)) + " | " + right + strings.Repeat(" ", summary-len(right)) + " |\n")
	}
	line("command", "does")
	line(strings.Repeat("-", form), strings.Repeat("-", summary))
	for _, r := range rows {
		line("`"+r.Form+"`", r.Summary)
	}
	return b.String()
}

// A Completion is one way to go on with a line: Text replaces the line from
// byte Start on.
type Completion struct {
	Start   int
	Text    string
	Summary string
}

// Complete lists how a line up to the cursor can go on: our own commands in the
// table's order, then those of the agent. A line that is no command has none.
func (t Table) Complete(line string, at Place) []Completion {
	if !strings.HasPrefix(line, "/") {
		return t.completeBare(line)
	}
	return append(t.completeOurs(line), t.completeTheirs(line, at.Theirs)...)
}

func (t Table) completeOurs(line string) []Completion {
	name, rest, spaced := strings.Cut(line, " ")
	if !spaced {
		var out []Completion
		for _, c := range t {
			if strings.HasPrefix(c.Name, strings.ToLower(name)) {
				out = append(out, Completion{0, c.Name, c.Summary})
			}
		}
		return out
	}
	for _, c := range t {
		if c.Name == strings.ToLower(name) {
			return completeArg(c.Args, rest, len(line)-len(rest), false)
		}
	}
	return nil
}

// completeTheirs offers a command that one of ours hides with two slashes. A
// name that could not be shown as it is cannot be typed either.
func (t Table) completeTheirs(line string, theirs []session.Command) []Completion {
	var out []Completion
	for _, c := range theirs {
		words := strings.Fields(c.Name)
		if len(words) == 0 || text.CleanLine(c.Name) != c.Name {
			continue
		}
		form := "/" + c.Name
		if _, hidden := t.find("/"+words[0], false); hidden {
			form = "/" + form
		}
		if strings.HasPrefix(form, line) {
			out = append(out, Completion{0, form, summary(c)})
		}
	}
	return out
}

// summary is the first line of what an agent says of its command, which may be
// a page.
func summary(c session.Command) string {
	first, _, _ := strings.Cut(strings.TrimSpace(c.Summary), "\n")
	if short := text.Truncate(text.CleanLine(first), summaryCells); short != "" {
		return short
	}
	return text.Truncate(text.CleanLine(c.Hint), summaryCells)
}

// summaryCells is the longest summary of an agent's command, in cells: lists
// show one line of it.
const summaryCells = 120

func (t Table) completeBare(line string) []Completion {
	word, rest, spaced := strings.Cut(line, " ")
	if !spaced || strings.ToLower(word) != "copy" {
		return nil
	}
	for _, c := range t {
		if c.Bare {
			return completeArg(c.Args, rest, len(line)-len(rest), true)
		}
	}
	return nil
}

func completeArg(args []Arg, typed string, start int, bare bool) []Completion {
	if word, rest, spaced := strings.Cut(typed, " "); spaced {
		for i, a := range args {
			if a.Nested && (a.Bare || !bare) && a.Word == strings.ToLower(word) {
				return completeArg(args[:i], rest, start+len(word)+1, bare)
			}
		}
		return nil
	}
	var out []Completion
	for _, a := range args {
		if strings.HasPrefix(a.Word, strings.ToLower(typed)) && (a.Bare || !bare) {
			out = append(out, Completion{start, a.Word, a.Summary})
		}
	}
	return out
}
