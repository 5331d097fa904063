// Package panel holds the last 1000 logical lines of a conversation as they are
// shown, composes their visible text, and cuts what is copied out of them.
package panel

import (
	"copydesk/core/session"
	"copydesk/core/text"
)

// Kind is what a line is (PAN 1).
type Kind uint8

// The kinds of line.
const (
	Echo     Kind = iota // what the user submitted
	Answer               // the agent's text
	Thought              // the agent's reasoning
	Tool                 // a tool call
	Output               // what a tool call shows, or what an agent adds to a note
	Plan                 // a plan or a query plan
	Table                // a row of a result table, borders too
	Teaching             // the SQL a simple command stands for
	Note                 // [system]
	Error                // [error]
)

// A Line is one logical line before it is composed. Text is clean: one line, no
// control or invisible character but the tab.
type Line struct {
	Kind   Kind
	Tag    string // Echo: the mode or agent at submission
	Text   string
	Runs   []text.Span // styles over Text
	Status session.Status
	More   bool // continues the line before it: no tag, no prefix
	Open   bool // is continued by the next line: no ✓ or ✗ here

	Rest   int    // Thought: how many lines more there are of it
	Detail uint64 // what the line is about, in full; 0: nothing more is kept of it
	Part   int    // Output: which of the detail's parts it shows
}

// A Shown line is a composed one: what is drawn, and what is copied.
type Shown struct {
	Kind   Kind
	Detail uint64 // as in Line
	text.Line
}
