// Package diff shows how a file changes. What it makes is a unified diff as
// patch(1) reads it (POSIX diff, section "Diff -u Output Format").
package diff

import (
	"strconv"
	"strings"
	"unicode"

	"github.com/aymanbagabas/go-udiff"
)

// nowhere is the name of a file that does not exist.
const nowhere = "/dev/null"

// Unified returns what changes from one content of a file to another, with
// three lines of context; it is empty when nothing does. A last line without a
// line end is marked as such, so that nothing of a change is left out.
func Unified(path, before, after string) string {
	name := header(path)
	return unified(name, name, before, after)
}

// New returns the diff of a file that is made. Of an empty file it is the names
// alone.
func New(path, after string) string {
	name := header(path)
	if after == "" {
		return "--- " + nowhere + "\n+++ " + name + "\n"
	}
	return unified(nowhere, name, "", after)
}

func unified(from, to, before, after string) string {
	out, err := udiff.ToUnified(from, to, before, udiff.Lines(before, after), udiff.DefaultContextLines)
	if err != nil {
		panic("diff: edits that do not fit their own text: " + err.Error())
	}
	return out
}

// header is a path as it stands behind --- and +++. One that could be taken for
// more than a name is quoted, as git does.
func header(path string) string {
	odd := func(r rune) bool { return r == '"' || r == '\\' || !unicode.IsPrint(r) || r == unicode.ReplacementChar }
	if strings.ContainsFunc(path, odd) || path == nowhere {
		return strconv.Quote(path)
	}
	return path
}

// Stat counts the lines that a unified diff adds and removes. The names of the
// files, which look alike, are not counted.
func Stat(unified string) (added, removed int) {
	inHunk := false
	for line := range strings.Lines(unified) {
		switch {
		case strings.HasPrefix(line, "@@"):
			inHunk = true
		case !inHunk:
		case line[0] == '+':
			added++
		case line[0] == '-':
			removed++
		}
	}
	return added, removed
}
