package keys

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/gdamore/tcell/v2"
)

// A Chord is what is pressed to do something: one stroke, or a leader and one
// stroke after it.
type Chord []Stroke

// Equal reports whether two chords are the same keys.
func (c Chord) Equal(d Chord) bool { return slices.Equal(c, d) }

// String returns the chord as a configuration writes it: "ctrl+y",
// "shift+enter", "ctrl+x r". For every chord that Parse returns,
// Parse(c.String()) is c.
func (c Chord) String() string { return c.join(false) }

// Label returns the chord for people: "Ctrl+Y", "Shift+Enter", "Ctrl+X r".
// Parse understands it too.
func (c Chord) Label() string { return c.join(true) }

func (c Chord) join(label bool) string {
	parts := make([]string, len(c))
	for i, s := range c {
		parts[i] = s.write(label)
	}
	return strings.Join(parts, " ")
}

// String returns the stroke as a configuration writes it.
func (s Stroke) String() string { return s.write(false) }

// Label returns the stroke for people.
func (s Stroke) Label() string { return s.write(true) }

func (s Stroke) write(label bool) string {
	var b strings.Builder
	for _, m := range modNames {
		if s.Mod&m.mod == 0 {
			continue
		}
		if label {
			b.WriteString(strings.ToUpper(m.name[:1]) + m.name[1:])
		} else {
			b.WriteString(m.name)
		}
		b.WriteByte('+')
	}
	b.WriteString(s.name(label))
	return b.String()
}

func (s Stroke) name(label bool) string {
	pick := func(name, lab string) string {
		if label {
			return lab
		}
		return name
	}
	if s.Key == tcell.KeyRune {
		for _, n := range runeNames {
			if n.r == s.Rune {
				return pick(n.name, n.label)
			}
		}
		if label && s.Mod != 0 && s.Rune >= 'a' && s.Rune <= 'z' {
			return string(s.Rune - 'a' + 'A')
		}
		return string(s.Rune)
	}
	if s.Key >= tcell.KeyF1 && s.Key <= tcell.KeyF64 {
		n := strconv.Itoa(int(s.Key-tcell.KeyF1) + 1)
		return pick("f"+n, "F"+n)
	}
	for _, n := range keyNames {
		if n.key == s.Key {
			return pick(n.name, n.label)
		}
	}
	return fmt.Sprintf("key%d", int(s.Key))
}

// Parse reads a chord: modifiers (ctrl, alt, shift, meta, hyper) and a key,
// joined by "+", and for a leader a space and a second stroke. Names and letters
// behind a modifier may be written in either case; a letter alone is the
// character it types, so "A" is Shift and a. The error says what is wrong in
// words that fit behind the name of a setting.
func Parse(s string) (Chord, error) {
	c, _, err := parse(s)
	return c, err
}

// parse also says which strokes were named by the control letter of a named
// key ("ctrl+i"), as written.
func parse(s string) (c Chord, aliases []string, err error) {
	fields := strings.Fields(s)
	switch len(fields) {
	case 0:
		return nil, nil, fmt.Errorf("%q is not a key", s)
	case 1, 2:
	default:
		return nil, nil, fmt.Errorf("%q has more than a leader and one key", s)
	}
	for _, f := range fields {
		stroke, alias, err := parseStroke(f)
		if err != nil {
			return nil, nil, err
		}
		if alias {
			aliases = append(aliases, f)
		}
		c = append(c, stroke)
	}
	return c, aliases, nil
}

func parseStroke(s string) (stroke Stroke, alias bool, err error) {
	mod := tcell.ModNone
	rest := s
	for {
		before, after, found := strings.Cut(rest, "+")
		if !found || before == "" {
			break
		}
		m, ok := modifier(before)
		if !ok {
			return Stroke{}, false, fmt.Errorf("%q is not a key: %q is no modifier", s, before)
		}
		if mod&m != 0 {
			return Stroke{}, false, fmt.Errorf("%q is not a key: %s stands there twice", s, strings.ToLower(before))
		}
		mod |= m
		rest = after
	}
	key, r, ok := keyNamed(rest)
	if !ok {
		return Stroke{}, false, fmt.Errorf("%q is not a key", s)
	}
	if mod != 0 {
		r = unicode.ToLower(r)
	}
	stroke = canonical(Stroke{Mod: mod, Key: key, Rune: r})
	return stroke, key == tcell.KeyRune && stroke.Key != tcell.KeyRune, nil
}

func modifier(name string) (tcell.ModMask, bool) {
	for _, m := range modNames {
		if strings.EqualFold(m.name, name) {
			return m.mod, true
		}
	}
	return 0, false
}

func keyNamed(name string) (tcell.Key, rune, bool) {
	if utf8.RuneCountInString(name) == 1 {
		r, _ := utf8.DecodeRuneInString(name)
		return tcell.KeyRune, r, utf8.ValidString(name) && unicode.IsPrint(r)
	}
	for _, n := range runeNames {
		if strings.EqualFold(n.name, name) {
			return tcell.KeyRune, n.r, true
		}
	}
	for _, n := range keyNames {
		if strings.EqualFold(n.name, name) {
			return n.key, 0, true
		}
	}
	if len(name) >= 2 && (name[0] == 'f' || name[0] == 'F') && name[1] != '0' {
		if n, err := strconv.ParseUint(name[1:], 10, 8); err == nil && n >= 1 && n <= 64 {
			return tcell.KeyF1 + tcell.Key(n-1), 0, true
		}
	}
	return 0, 0, false
}
