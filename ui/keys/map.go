package keys

import (
	"fmt"
	"slices"
	"strings"
)

// A Map says which action a stroke does. It is never changed.
type Map struct {
	table  []Binding
	chords map[Action][]Chord
	found  map[Context]map[string]Action // by the chord's text
	leads  map[Context]map[Stroke]bool
}

func newMap(table []Binding, chords map[Action][]Chord) *Map {
	m := &Map{
		table:  table,
		chords: chords,
		found:  make(map[Context]map[string]Action),
		leads:  make(map[Context]map[Stroke]bool),
	}
	for _, b := range table {
		for _, context := range b.Contexts {
			if m.found[context] == nil {
				m.found[context] = make(map[string]Action)
				m.leads[context] = make(map[Stroke]bool)
			}
			for _, c := range chords[b.Action] {
				m.found[context][c.String()] = b.Action
				if len(c) == 2 {
					m.leads[context][c[0]] = true
				}
			}
		}
	}
	return m
}

// Find looks a stroke up in the active contexts, the narrowest first. before
// holds the leader that was pressed, if one was. more is true when the stroke
// is itself a leader: the next stroke decides. Neither an action nor more: the
// stroke is the widget's.
func (m *Map) Find(contexts []Context, before Chord, s Stroke) (a Action, more bool) {
	text := append(slices.Clip(before), s).String()
	for _, context := range contexts {
		if a, ok := m.found[context][text]; ok {
			return a, false
		}
		if len(before) == 0 && m.leads[context][s] {
			return "", true
		}
	}
	return "", false
}

// Chords returns the chords of an action, the one to name first.
func (m *Map) Chords(a Action) []Chord { return slices.Clone(m.chords[a]) }

// Label returns the first chord of an action for people, or "" if it has none.
func (m *Map) Label(a Action) string {
	if c := m.chords[a]; len(c) > 0 {
		return c[0].Label()
	}
	return ""
}

// A Follower is a stroke that goes on after a leader.
type Follower struct {
	Stroke  Stroke
	Binding Binding
}

// Following returns what can follow a leader in the active contexts, in the
// order of the table.
func (m *Map) Following(contexts []Context, leader Stroke) []Follower {
	var out []Follower
	for _, b := range m.table {
		for _, c := range m.chords[b.Action] {
			if len(c) != 2 || c[0] != leader {
				continue
			}
			if a, _ := m.Find(contexts, c[:1], c[1]); a == b.Action {
				out = append(out, Follower{c[1], b})
			}
		}
	}
	return out
}

// A Row is an action in words: its keys for people, its help and its group.
type Row struct {
	Action  Action
	Group   string
	Context string // "everywhere", or the contexts
	Keys    string // "a, 1"; "none" where no key is bound
	Help    string
}

// Rows returns the whole table with the keys that are in force, for the help.
func (m *Map) Rows() []Row {
	rows := make([]Row, 0, len(m.table))
	for _, b := range m.table {
		rows = append(rows, Row{b.Action, b.Group, where(b.Contexts), labels(m.chords[b.Action]), b.Help})
	}
	return rows
}

// manyLabels is how many chords are named one by one.
const manyLabels = 4

// labels names the chords of an action, of a long row the first and the last.
func labels(chords []Chord) string {
	names := make([]string, len(chords))
	for i, c := range chords {
		names[i] = c.Label()
	}
	switch n := len(names); {
	case n == 0:
		return "none"
	case n > manyLabels:
		return names[0] + " to " + names[n-1]
	}
	return strings.Join(names, ", ")
}

// Footer returns what the footer shows in the active contexts: rows whose Keys
// is the first chord and whose Help is the footer's words. Actions without a
// key are left out.
func (m *Map) Footer(contexts []Context) []Row {
	var rows []Row
	for _, context := range contexts {
		for _, b := range m.table {
			label := m.Label(b.Action)
			if b.Footer == "" || label == "" || !slices.Contains(b.Contexts, context) {
				continue
			}
			rows = append(rows, Row{b.Action, b.Group, where(b.Contexts), label, b.Footer})
		}
	}
	return rows
}

func where(contexts []Context) string {
	names := make([]string, len(contexts))
	for i, c := range contexts {
		if c == Global {
			return "everywhere"
		}
		names[i] = string(c)
	}
	return strings.Join(names, ", ")
}

// Markdown returns the default keys as Markdown tables, one for each group, for
// the README.
func Markdown() string {
	m, _ := Compile(nil)
	var b strings.Builder
	group := ""
	for _, r := range m.Rows() {
		if r.Group != group {
			if group != "" {
				b.WriteByte('\n')
			}
			group = r.Group
			fmt.Fprintf(&b, "| %s | keys | where | action |\n|---|---|---|---|\n", group)
		}
		fmt.Fprintf(&b, "| %s | %s | %s | `%s` |\n", r.Help, r.Keys, r.Context, r.Action)
	}
	return b.String()
}

// YAML returns the default keys as the lines of a configuration below "keys:",
// indented by two blanks, each with its help as a comment.
func YAML() string {
	var b strings.Builder
	group := ""
	for _, r := range Table() {
		if r.Group != group {
			group = r.Group
			fmt.Fprintf(&b, "  # %s\n", group)
		}
		quoted := make([]string, len(r.Default))
		for i, c := range r.Default {
			quoted[i] = fmt.Sprintf("%q", c)
		}
		fmt.Fprintf(&b, "  %s: [%s] # %s\n", r.Action, strings.Join(quoted, ", "), r.Help)
	}
	return b.String()
}
