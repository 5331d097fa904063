// Package command holds the commands of the input field: one table that parses,
// completes and describes them (CPY 5).
package command

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// An Effect is what a command asks for: Copy, Doctor, Help, Keys or Quit.
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

// Parse reads a line. It returns false when the line is no command but a
// prompt. With loose set, as in a desk where every line is a command, any line
// that begins with a bare command's word is that command; else only its exact
// forms are, so that a sentence which begins with "copy" goes to the agent
// (CPY 3). A command that cannot be understood is an error that says which
// forms there are.
func (t Table) Parse(line string, loose bool) (Effect, bool, error) {
	words := strings.Fields(line)
	if len(words) == 0 {
		return nil, false, nil
	}
	if effect, ok := bareCopy(words); ok {
		return effect, true, nil
	}
	name := strings.ToLower(words[0])
	for _, c := range t {
		if c.Name != name && !(loose && c.Bare && c.Name[1:] == name) {
			continue
		}
		effect, err := c.parse(words[1:])
		if err != nil {
			return nil, true, fmt.Errorf("%s %w. %s", words[0], err, c.forms(words[0]))
		}
		return effect, true, nil
	}
	if strings.HasPrefix(name, "/") && !strings.Contains(name[1:], "/") {
		return nil, true, fmt.Errorf("there is no command %s; /help lists the commands", words[0])
	}
	return nil, false, nil
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
