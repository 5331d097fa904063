package keys

import (
	"fmt"
	"maps"
	"slices"

	"github.com/gdamore/tcell/v2"
)

// A Problem is something wrong, or doubtful, in a user's key settings. Text
// fits behind the name of the setting: `keys.copy-answer: "ctrl+" is not a
// key`.
type Problem struct {
	Action  Action
	Text    string
	Warning bool // the setting is used all the same
}

// Compile applies a user's settings to the table: for each named action the
// chords that replace its defaults; an empty list leaves it without a key. It
// always returns a map that works: an entry with a problem that is no warning
// keeps its default. Problems come in the order of the table, those of unknown
// actions last.
func Compile(rebind map[string][]string) (*Map, []Problem) {
	c := compiler{
		table:  Table(),
		chords: make(map[Action][]Chord),
		own:    make(map[Action]bool),
		found:  make(map[Action][]Problem),
	}
	known := make(map[string]bool, len(c.table))
	for _, b := range c.table {
		known[string(b.Action)] = true
		c.chords[b.Action] = defaults(b)
		if texts, ok := rebind[string(b.Action)]; ok {
			c.rebind(b, texts)
		}
	}
	c.settle()
	c.warnShadows()

	var problems []Problem
	for _, b := range c.table {
		problems = append(problems, c.found[b.Action]...)
	}
	for _, name := range slices.Sorted(maps.Keys(rebind)) {
		if !known[name] {
			problems = append(problems, Problem{Action: Action(name), Text: `is not an action; "copydesk keys" lists them all`})
		}
	}
	return newMap(c.table, c.chords), problems
}

// defaults parses the table's own chords, which are correct by test.
func defaults(b Binding) []Chord {
	chords := make([]Chord, 0, len(b.Default))
	for _, text := range b.Default {
		if c, err := Parse(text); err == nil {
			chords = append(chords, c)
		}
	}
	return chords
}

type compiler struct {
	table  []Binding
	chords map[Action][]Chord
	own    map[Action]bool // actions with chords of the user's
	found  map[Action][]Problem
}

func (c *compiler) note(a Action, warning bool, format string, args ...any) {
	c.found[a] = append(c.found[a], Problem{Action: a, Text: fmt.Sprintf(format, args...), Warning: warning})
}

// rebind takes a user's chords for one action, if all of them can be used.
func (c *compiler) rebind(b Binding, texts []string) {
	if slices.Equal(texts, b.Default) {
		return // a configuration that writes the default out means no change
	}
	var chords []Chord
	bad := false
	for _, text := range texts {
		chord, aliases, err := parse(text)
		if err == nil {
			err = allowed(b, chord)
		}
		if err != nil {
			c.note(b.Action, false, "%v", err)
			bad = true
			continue
		}
		if i := slices.IndexFunc(chords, func(o Chord) bool { return len(o) != len(chord) && o[0] == chord[0] }); i >= 0 {
			c.note(b.Action, false, "%q and %q cannot both be reached, one is the leader of the other", chords[i], chord)
			bad = true
		}
		if !slices.ContainsFunc(chords, chord.Equal) {
			chords = append(chords, chord)
		}
		for _, a := range aliases {
			stroke, _, _ := parseStroke(a)
			c.note(b.Action, true, "%q is the same key as %q to most terminals, and is taken as that", a, stroke)
		}
		for _, s := range chord {
			if old, differs := s.oldForm(); differs {
				c.note(b.Action, true, "%q arrives as %q from older terminals", s, old)
			}
		}
	}
	if !bad {
		c.chords[b.Action] = chords
		c.own[b.Action] = true
	}
}

// allowed says why an action cannot have a chord, whatever else is bound.
func allowed(b Binding, chord Chord) error {
	first := chord[0]
	if len(chord) == 2 && first.Printable() {
		return fmt.Errorf("%q begins with a character, a leader cannot be one", chord)
	}
	for _, context := range b.Contexts {
		if len(chord) == 2 && slices.Contains([]Context{Approval, Choice, Text, Form, List, Reader}, context) {
			return fmt.Errorf("%q begins with a leader, a key of the %s context is one stroke", chord, context)
		}
		switch context {
		case Input, Text, List, Global:
			if first.Printable() {
				return fmt.Errorf("%q is typed into the text, it cannot be a key in the %s context", chord, context)
			}
		case Form:
			if first.Printable() && b.Action != Tick {
				return fmt.Errorf("%q is typed into the text, it cannot be a key in the %s context", chord, context)
			}
		}
		if (context == Choice || context == Form) && first.Printable() && first.Rune >= '0' && first.Rune <= '9' {
			return fmt.Errorf("%q is a number to choose with, it cannot be a key in the %s context", chord, context)
		}
	}
	if (b.Action == Approve || b.Action == Reject) && first.Key == tcell.KeyEnter {
		return fmt.Errorf("%q cannot answer a request, which has no default answer", chord)
	}
	return nil
}

// settle takes chords back that collide, until none does. Each round takes back
// at least one action of the user's, and the defaults alone do not collide.
func (c *compiler) settle() {
	for {
		clashes := c.clashes()
		if len(clashes) == 0 {
			return
		}
		reverted := false
		for _, clash := range clashes {
			loser, winner := clash.second, clash.first
			if !c.own[loser] {
				loser, winner = winner, loser
			}
			if !c.own[loser] {
				continue
			}
			c.note(loser, false, "%s", clash.text(loser, winner))
			c.own[loser] = false
			c.chords[loser] = defaults(c.binding(loser))
			reverted = true
		}
		if !reverted {
			return
		}
	}
}

func (c *compiler) binding(a Action) Binding {
	i := slices.IndexFunc(c.table, func(b Binding) bool { return b.Action == a })
	return c.table[i]
}

// A clash is two actions whose chords cannot both be reached.
type clash struct {
	first, second Action // in the order of the table
	of, other     Chord  // the chords of the two
	context       Context
}

func (k clash) text(loser, winner Action) string {
	mine, theirs := k.other, k.of
	if loser == k.first {
		mine, theirs = k.of, k.other
	}
	if len(mine) == len(theirs) {
		return fmt.Sprintf("%q already does %s in the %s context", mine, winner, k.context)
	}
	if len(mine) < len(theirs) {
		return fmt.Sprintf("%q is the leader of %q, which does %s", mine, theirs, winner)
	}
	return fmt.Sprintf("%q begins with %q, which does %s", mine, theirs, winner)
}

// clashes finds the same chord twice in one context, and a chord that is the
// leader of another where both can be pressed.
func (c *compiler) clashes() []clash {
	var found []clash
	for i, a := range c.table {
		for _, b := range c.table[i+1:] {
			for _, x := range c.chords[a.Action] {
				for _, y := range c.chords[b.Action] {
					context, same, overlap := meet(a.Contexts, b.Contexts)
					if x.Equal(y) && same || len(x) != len(y) && x[0] == y[0] && overlap {
						found = append(found, clash{a.Action, b.Action, x, y, context})
					}
				}
			}
		}
	}
	return found
}

// warnShadows notes chords of the user's that do one thing everywhere and
// another in one context, where the latter wins.
func (c *compiler) warnShadows() {
	for _, wide := range c.table {
		if !slices.Contains(wide.Contexts, Global) {
			continue
		}
		for _, narrow := range c.table {
			if slices.Contains(narrow.Contexts, Global) || !c.own[wide.Action] && !c.own[narrow.Action] {
				continue
			}
			for _, x := range c.chords[wide.Action] {
				if !slices.ContainsFunc(c.chords[narrow.Action], x.Equal) {
					continue
				}
				at := wide.Action
				if !c.own[at] {
					at = narrow.Action
				}
				c.note(at, true, "%q does %s in the %s context and %s elsewhere", x, narrow.Action, narrow.Contexts[0], wide.Action)
			}
		}
	}
}

// meet says in which context two lists of contexts meet: same if both name it,
// overlap also if one of them is everywhere.
func meet(a, b []Context) (at Context, same, overlap bool) {
	for _, x := range a {
		if slices.Contains(b, x) {
			return x, true, true
		}
	}
	return Global, false, slices.Contains(a, Global) || slices.Contains(b, Global)
}
