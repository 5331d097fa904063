package config

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
)

// Problem is one thing that is wrong with what the user wrote.
type Problem struct {
	// File is where it was written: a file's path, the name of an environment
	// variable, or a flag with its dashes.
	File string

	// Line is the line in the file, from 1; 0 where there is none.
	Line int

	// Path is the setting, such as clipboard.route or keys.copy-all[1]. Empty
	// when the file as a whole is meant.
	Path string

	// Text says what is wrong, without a full stop.
	Text string
}

// Check is a rule that this package cannot know, such as which chords there
// are. It fills in Path and Text; Load adds where the setting was written.
type Check func(Config) []Problem

// String is the problem on one line, in the form of CFG 3:
//
//	config.yaml:12: keys.copy-all: "ctrl+" is not a key
//
// Of the file only the last part of the name is shown. Characters that cannot
// be printed are escaped, so the line is safe on a terminal.
func (p Problem) String() string {
	var b strings.Builder
	if p.File != "" {
		b.WriteString(filepath.Base(p.File))
		if p.Line > 0 {
			fmt.Fprintf(&b, ":%d", p.Line)
		}
		b.WriteString(": ")
	}
	if p.Path != "" {
		b.WriteString(p.Path + ": ")
	}
	b.WriteString(p.Text)
	return printable(b.String())
}

// printable escapes what a terminal could take for more than text: controls,
// invisible characters and those that turn the direction of writing.
func printable(s string) string {
	if !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if unicode.IsPrint(r) {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, "\\u%04x", r)
		}
	}
	return b.String()
}

// origin tells where each setting that has been given was written last.
type origin struct {
	file  string
	lines map[string]int    // path of a setting in the file
	over  map[string]string // path of a setting to the variable or flag above the file
}

// locate adds the place to a problem that has only a path. A path that nobody
// wrote is looked for at what contains it: keys.copy-all[1], then
// keys.copy-all, then keys.
func (o origin) locate(p Problem) Problem {
	for path := p.Path; path != ""; path = container(path) {
		if source, ok := o.over[path]; ok {
			p.File, p.Line = source, 0
			return p
		}
		if line, ok := o.lines[path]; ok {
			p.File, p.Line = o.file, line
			return p
		}
	}
	p.File, p.Line = o.file, 0
	return p
}

// sort orders problems as the user meets them: the file from top to bottom,
// then the environment and the flags.
func (o origin) sort(problems []Problem) {
	above := func(p Problem) int {
		if p.File == o.file {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(problems, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(above(a), above(b)), cmp.Compare(a.Line, b.Line))
	})
}

// container is the path of the list or section a setting stands in.
func container(path string) string {
	if i := strings.LastIndexAny(path, ".["); i > 0 {
		return path[:i]
	}
	return ""
}
