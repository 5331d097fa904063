// Package command holds the commands of the input field: one table that parses,
// completes and describes them (CPY 5).
package command

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"copydesk/core/session"
)

// An Effect is what a command asks for: Agent, ClosePane, Copy, Details, Doctor,
// Help, Keys, NewPane, Options, Queue, Quit, Search, Sessions or Stored.
type Effect interface{ effect() }

// Copy asks for a copy of a scope. N is the 1-based number of a code block or
// turn; 0 is the last one.
type Copy struct {
	Scope Scope
	N     int
	Clean bool // without invisible and control characters

	// File sends the copy into a file instead of a clipboard; Path is the file,
	// empty for a new one in the state folder.
	File bool
	Path string
}

// Doctor asks to try every way that a copy can take.
type Doctor struct{}

// Help asks for the list of commands.
type Help struct{}

// Keys asks for the list of keys.
type Keys struct{}

// Quit asks to leave.
type Quit struct{}

// Agent asks for another agent in the pane: the one of that name, or a list to
// pick from when it is empty.
type Agent struct{ Name string }

// NewPane asks for one more pane, with an agent as in Agent.
type NewPane struct{ Name string }

// ClosePane asks to close the pane.
type ClosePane struct{}

// Options asks to set an option of the agent's: one of a category ("mode",
// "model"), or any when that is empty. Value is empty when it is to be chosen.
type Options struct{ Category, Value string }

// Sessions asks for the list of sessions that the agent keeps.
type Sessions struct{}

// Stored asks for the list of the sessions that copydesk has stored.
type Stored struct{}

// Search asks for the places where words stand in the stored sessions.
type Search struct{ Words string }

// Queue asks for the list of messages that wait.
type Queue struct{}

// Details asks for the list of tool calls and thoughts.
type Details struct{}

func (Agent) effect()     {}
func (NewPane) effect()   {}
func (ClosePane) effect() {}
func (Options) effect()   {}
func (Sessions) effect()  {}
func (Details) effect()   {}
func (Stored) effect()    {}
func (Search) effect()    {}
func (Queue) effect()     {}

func (Copy) effect()   {}
func (Doctor) effect() {}
func (Help) effect()   {}
func (Keys) effect()   {}
func (Quit) effect()   {}

// Scope is what a copy takes (CPY table).
type Scope uint8

// The scopes.
const (
	Answer  Scope = iota // the last answer's raw Markdown
	Panel                // the whole panel as shown
	Last                 // the panel from the newest echo line on
	Code                 // a code block of the last answer
	Turn                 // one turn
	Session              // the session as Markdown
)

// A Command is one row of the table.
type Command struct {
	Name    string // with its slash
	Bare    bool   // also a command without the slash
	Value   string // a value that may follow it, for example "[NAME]"
	Args    []Arg
	Summary string // what it does, without a full stop
	parse   func(args []string) (Effect, error)
}

// An Arg is one word that may follow a command.
type Arg struct {
	Word    string
	Bare    bool   // also after the command without its slash
	Value   string // a value that may follow, for example "[N]"
	Nested  bool   // any argument listed before it may follow
	Summary string
}

// A Table is the commands in the order in which help lists them. It never
// changes and is safe from any goroutine.
type Table []Command

// New returns the table of commands.
func New() Table {
	return Table{
		{
			Name: "/copy", Bare: true, Summary: "copy the last answer as it came, in raw Markdown",
			Args: []Arg{
				{Word: "all", Bare: true, Summary: "the whole panel as shown; `copy` and `copy all` do the same"},
				{Word: "last", Bare: true, Summary: "the panel from your last command on; also `copy last`"},
				{Word: "code", Value: "[N]", Summary: "the N-th code block of the last answer; the last one without N"},
				{Word: "turn", Value: "N", Summary: "the N-th turn of the session"},
				{Word: "session", Summary: "the whole session as Markdown"},
				{Word: "clean", Value: "[FORM]", Nested: true, Summary: "any of these without invisible and control characters"},
				{Word: "file", Value: "[PATH]", Summary: "the whole panel into a file; a new one in the state folder without PATH"},
				{Word: "doctor", Summary: "try every way that a copy can take, and say what mends it"},
			},
			parse: parseCopy,
		},
		{Name: "/agent", Value: "[NAME]", Summary: "another agent in this pane; a list to pick from without NAME", parse: named(func(s string) Effect { return Agent{s} })},
		{Name: "/new", Value: "[NAME]", Summary: "one more pane with an agent; a list to pick from without NAME", parse: named(func(s string) Effect { return NewPane{s} })},
		{Name: "/close", Summary: "close this pane", parse: plain(ClosePane{})},
		{Name: "/model", Value: "[NAME]", Summary: "choose the agent's model; a list without NAME", parse: named(func(s string) Effect { return Options{"model", s} })},
		{Name: "/mode", Value: "[NAME]", Summary: "choose the agent's mode; a list without NAME", parse: named(func(s string) Effect { return Options{"mode", s} })},
		{Name: "/options", Summary: "list the agent's options and set them", parse: plain(Options{})},
		{Name: "/resume", Summary: "list the sessions that the agent keeps, and go on with one", parse: plain(Sessions{})},
		{Name: "/sessions", Summary: "list the stored sessions, and bring one back", parse: plain(Stored{})},
		{Name: "/search", Value: "WORDS", Summary: "find words in all stored sessions; \"in quotes\" they stand together", parse: parseSearch},
		{Name: "/queue", Summary: "list the messages that wait, to edit or remove one", parse: plain(Queue{})},
		{Name: "/details", Summary: "list tool calls and thoughts, and show one in full", parse: plain(Details{})},
		{Name: "/help", Summary: "list the commands", parse: plain(Help{})},
		{Name: "/keys", Summary: "list the keys", parse: plain(Keys{})},
		{Name: "/quit", Summary: "leave copydesk", parse: plain(Quit{})},
	}
}

func plain(e Effect) func([]string) (Effect, error) {
	return func(args []string) (Effect, error) {
		if len(args) > 0 {
			return nil, errors.New("takes nothing after it")
		}
		return e, nil
	}
}

// named makes the effect of a command with a name behind it, which may have
// blanks in it.
func named(effect func(name string) Effect) func([]string) (Effect, error) {
	return func(args []string) (Effect, error) { return effect(strings.Join(args, " ")), nil }
}

func parseSearch(args []string) (Effect, error) {
	if len(args) == 0 {
		return nil, errors.New("needs the words to look for")
	}
	return Search{strings.Join(args, " ")}, nil
}

// A Place is where a line is typed.
type Place struct {
	// Loose says that every line is a command of a small language: any line that
	// begins with a bare command's word is that command; else only its exact
	// forms are, so that a sentence which begins with "copy" goes to the agent
	// (CPY 3).
	Loose bool

	// Commander says that the agent takes commands of its own, Theirs which.
	Commander bool
	Theirs    []session.Command
}

// Parse reads a line. It returns the effect of a command, or the prompt that
// goes to the agent: the line, but for //name, which is the agent's /name
// whoever else has a command of that name. Our own commands come before those
// of the agent. A command that cannot be understood is an error that says which
// forms there are.
func (t Table) Parse(line string, at Place) (effect Effect, prompt string, err error) {
	words := strings.Fields(line)
	if len(words) == 0 {
		return nil, line, nil
	}
	if effect, ok := bareCopy(words); ok {
		return effect, "", nil
	}
	if c, ok := t.find(words[0], at.Loose); ok {
		effect, err := c.parse(words[1:])
		if err != nil {
			return nil, "", fmt.Errorf("%s %w. %s", words[0], err, c.forms(words[0]))
		}
		return effect, "", nil
	}
	trimmed := strings.TrimLeftFunc(line, unicode.IsSpace)
	switch name, slash := strings.CutPrefix(words[0], "/"); {
	case !slash:
		return nil, line, nil
	case at.takes(trimmed):
		return nil, trimmed, nil
	case isName(strings.TrimPrefix(name, "/")) && strings.HasPrefix(name, "/"):
		return nil, trimmed[1:], nil
	case strings.Contains(name, "/"):
		return nil, line, nil
	case at.Commander && name != "":
		return nil, "", fmt.Errorf("neither copydesk nor the agent has a command %s; /%s sends it anyway", words[0], words[0])
	}
	return nil, "", fmt.Errorf("there is no command %s; /help lists the commands", words[0])
}

func isName(s string) bool { return s != "" && !strings.Contains(s, "/") }

// find is the command of ours that a word names.
func (t Table) find(word string, loose bool) (Command, bool) {
	word = strings.ToLower(word)
	for _, c := range t {
		if c.Name == word || loose && c.Bare && c.Name[1:] == word {
			return c, true
		}
	}
	return Command{}, false
}

// takes reports whether a line begins with a command of the agent's. Its name
// may have blanks in it.
func (p Place) takes(line string) bool {
	for _, c := range p.Theirs {
		if rest, ok := strings.CutPrefix(line, "/"+c.Name); ok && c.Name != "" && (rest == "" || strings.TrimLeftFunc(rest, unicode.IsSpace) != rest) {
			return true
		}
	}
	return false
}

// bareCopy reads the forms without a slash: the bare word copies the panel.
func bareCopy(words []string) (Effect, bool) {
	if strings.ToLower(words[0]) != "copy" || len(words) > 2 {
		return nil, false
	}
	if len(words) == 1 {
		return Copy{Scope: Panel}, true
	}
	switch strings.ToLower(words[1]) {
	case "all":
		return Copy{Scope: Panel}, true
	case "last":
		return Copy{Scope: Last}, true
	}
	return nil, false
}

func parseCopy(args []string) (Effect, error) {
	if len(args) == 0 {
		return Copy{Scope: Answer}, nil
	}
	word := strings.ToLower(args[0])
	switch {
	case word == "clean":
		return parseClean(args[1:])
	case word == "file":
		return Copy{Scope: Panel, File: true, Path: strings.Join(args[1:], " ")}, nil
	case word == "doctor" && len(args) == 1:
		return Doctor{}, nil
	}
	scopes := map[string]Scope{"all": Panel, "last": Last, "code": Code, "turn": Turn, "session": Session}
	scope, known := scopes[word]
	if !known {
		return nil, fmt.Errorf("does not know %q", strings.Join(args, " "))
	}
	counted := scope == Code || scope == Turn
	switch {
	case len(args) == 1 && scope != Turn:
		return Copy{Scope: scope}, nil
	case len(args) == 1:
		return nil, errors.New("turn needs the turn's number")
	case !counted || len(args) > 2:
		return nil, fmt.Errorf("does not know %q", strings.Join(args, " "))
	}
	n, err := strconv.Atoi(args[1])
	if err != nil || n < 1 {
		return nil, fmt.Errorf("%s takes a number from 1 on, not %q", word, args[1])
	}
	return Copy{Scope: scope, N: n}, nil
}

// parseClean reads what follows "clean": a form of a copy to the clipboard.
func parseClean(args []string) (Effect, error) {
	effect, err := parseCopy(args)
	if err != nil {
		return nil, err
	}
	c, ok := effect.(Copy)
	if !ok || c.Clean || c.File {
		return nil, fmt.Errorf("does not know %q", strings.Join(append([]string{"clean"}, args...), " "))
	}
	c.Clean = true
	return c, nil
}

// forms lists how a command can be written, as one sentence.
func (c Command) forms(as string) string {
	if len(c.Args) == 0 {
		return "Write " + as + " alone."
	}
	var b strings.Builder
	b.WriteString("The forms are: " + as)
	for i, a := range c.Args {
		if i == len(c.Args)-1 {
			b.WriteString(" and ")
		} else {
			b.WriteString(", ")
		}
		b.WriteString(strings.TrimSpace(as + " " + a.Word + " " + a.Value))
	}
	return b.String() + "."
}
