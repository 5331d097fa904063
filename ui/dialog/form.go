package dialog

import (
	"fmt"
	"slices"
	"strings"

	"copydesk/core/session"
	"copydesk/core/text"
)

// A form is what is being filled in. It outlives its dialog, so that a draft of
// it is not lost.
type form struct {
	entries []*entry
	stops   []stop // what can be pointed at, from top to bottom
	tried   bool   // all that is wrong is shown, since the review was asked for
}

// An entry is one input of a form and what it holds now.
type entry struct {
	in     session.Input
	edit   editor // Line, Number, Integer
	ticked []bool // OneOf, ManyOf, Switch: of its options
	left   bool   // it was pointed at before: what is wrong with it is shown
}

// A stop is a place in a form. option is the option's index in a list, else 0.
type stop struct{ entry, option int }

// switchOptions are what a Switch is drawn as.
var switchOptions = [...]session.InputOption{{Value: "true", Title: "Yes"}, {Value: "false", Title: "No"}}

func newForm(inputs []session.Input) *form {
	f := &form{}
	for i, in := range inputs {
		e := &entry{in: in}
		e.ticked = make([]bool, len(e.options()))
		for j, o := range e.options() {
			e.ticked[j] = slices.Contains(in.Default, o.Value) && (in.Kind == session.ManyOf || !slices.Contains(e.ticked, true))
		}
		if e.typed() && len(in.Default) > 0 {
			e.edit.insert(in.Default[0])
		}
		f.entries = append(f.entries, e)
		f.stops = append(f.stops, stop{i, 0})
		for j := 1; j < len(in.Options) && e.listed(); j++ {
			f.stops = append(f.stops, stop{i, j})
		}
	}
	n := len(inputs)
	f.stops = append(f.stops, stop{n, 0}, stop{n + 1, 0})
	return f
}

// reviewStop and rejectStop are the last two stops.
func (f *form) reviewStop() int { return len(f.stops) - 2 }
func (f *form) rejectStop() int { return len(f.stops) - 1 }

// at returns the entry of a stop, nil for the last two, and the option.
func (f *form) at(stop int) (e *entry, option int) {
	s := f.stops[stop]
	if s.entry >= len(f.entries) {
		return nil, 0
	}
	return f.entries[s.entry], s.option
}

// next returns the first stop of the entry by entries further on; of a list
// with one value that is the value.
func (f *form) next(from, by int) int {
	to := min(max(f.stops[from].entry+by, 0), len(f.entries)+1)
	i := slices.Index(f.stops, stop{to, 0})
	if e, _ := f.at(i); e != nil && e.in.Kind == session.OneOf {
		i += max(0, slices.Index(e.ticked, true))
	}
	return i
}

// firstWrong returns the stop of the first entry that does not fit, or -1.
func (f *form) firstWrong() int {
	for i, e := range f.entries {
		if e.wrong() != "" {
			return slices.Index(f.stops, stop{i, 0})
		}
	}
	return -1
}

// values returns what is sent: of each input, in order.
func (f *form) values() [][]string {
	out := make([][]string, len(f.entries))
	for i, e := range f.entries {
		out[i] = e.values()
	}
	return out
}

// typed reports whether the entry is a line of text.
func (e *entry) typed() bool {
	switch e.in.Kind {
	case session.Switch, session.OneOf, session.ManyOf:
		return false
	}
	return true
}

// listed reports whether the entry is a list of options, one below the other.
func (e *entry) listed() bool { return e.in.Kind == session.OneOf || e.in.Kind == session.ManyOf }

func (e *entry) options() []session.InputOption {
	switch e.in.Kind {
	case session.Switch:
		return switchOptions[:]
	case session.OneOf, session.ManyOf:
		return e.in.Options
	}
	return nil
}

// values are those of the entry; nothing was entered if there are none.
func (e *entry) values() []string {
	if !e.typed() {
		var out []string
		for i, o := range e.options() {
			if e.ticked[i] {
				out = append(out, o.Value)
			}
		}
		return out
	}
	value := e.edit.text()
	if e.in.Kind != session.Line {
		value = strings.TrimSpace(value)
	}
	if value == "" {
		return nil
	}
	return []string{value}
}

// words are the values as they are called.
func (e *entry) words() []string {
	if e.typed() {
		return e.values()
	}
	var out []string
	for i, o := range e.options() {
		if e.ticked[i] {
			out = append(out, o.Label())
		}
	}
	return out
}

// wrong says what is wrong with the entry, "" if nothing is.
func (e *entry) wrong() string {
	if err := e.in.Check(e.values()); err != nil {
		return err.Error()
	}
	return ""
}

// tick chooses an option, or leaves it out again.
func (e *entry) tick(option int) {
	was := e.ticked[option]
	if e.in.Kind != session.ManyOf {
		clear(e.ticked)
	}
	e.ticked[option] = !was
}

// toggle brings a switch to its next position: yes, no, and where it need not be
// set, neither.
func (e *entry) toggle() {
	yes, no := e.ticked[0], e.ticked[1]
	e.ticked[0] = !yes && (!no || e.in.Required)
	e.ticked[1] = yes
}

// choose sets the only option of an entry that holds one.
func (e *entry) choose(option int) {
	clear(e.ticked)
	e.ticked[option] = true
}

// takes says what an empty line of text is for.
func (e *entry) takes() string {
	what := "a text"
	switch e.in.Kind {
	case session.Number:
		what = "a number"
	case session.Integer:
		what = "a whole number"
	case session.Line:
		what = map[string]string{
			"email": "an e-mail address", "uri": "an address like https://example.org",
			"date": "a date like 2026-05-31", "date-time": "a time like 2026-05-31T15:04:05Z",
		}[e.in.Format]
		if what == "" {
			what = "a text"
		}
		return what
	}
	switch lo, hi := e.in.Min, e.in.Max; {
	case lo != nil && hi != nil:
		what += fmt.Sprintf(" from %v to %v", *lo, *hi)
	case lo != nil:
		what += fmt.Sprintf(" from %v on", *lo)
	case hi != nil:
		what += fmt.Sprintf(" up to %v", *hi)
	}
	return what
}

// labelCells returns the width of the longest label, as it is drawn.
func (c composer) labelCells(f *form) int {
	widest := 0
	for _, e := range f.entries {
		widest = max(widest, text.Width(c.label(e).Text))
	}
	return widest
}

// label names an entry, and says in words when it is required.
func (c composer) label(e *entry) text.Line {
	var b lineBuilder
	b.addLine(c.one(e.in.Label(), text.Plain))
	if e.in.Required {
		b.add(" (required)", text.Muted)
	}
	return b.line()
}
