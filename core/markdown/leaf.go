package markdown

import (
	"strings"

	"copydesk/core/text"
)

// run is how often b stands at the beginning of s.
func run(s string, b byte) int {
	n := 0
	for n < len(s) && s[n] == b {
		n++
	}
	return n
}

func isBlank(b byte) bool { return b == ' ' || b == '\t' }

func isDigit(b byte) bool { return b >= '0' && b <= '9' }

func isLetter(b byte) bool { return b|0x20 >= 'a' && b|0x20 <= 'z' }

// heading reads an ATX heading that begins at byte at of its line.
func heading(rest string, at int) (record, bool) {
	level := run(rest, '#')
	if level > 6 || level < len(rest) && !isBlank(rest[level]) {
		return record{}, false
	}
	body := strings.TrimRight(rest, " \t")
	end := len(body)
	closing := strings.TrimRight(body, "#")
	if len(closing) <= level {
		end = level
	} else if len(closing) < len(body) && isBlank(closing[len(closing)-1]) {
		end = len(strings.TrimRight(closing, " \t"))
	}
	begin := level
	for begin < end && isBlank(rest[begin]) {
		begin++
	}
	return record{kind: atxHeading, aux: [2]int{at + begin, at + max(begin, end)}}, true
}

// openFence reads a code fence that begins at byte at of its line.
func (sc *scanner) openFence(rest string, columns, at, matched int) (record, bool) {
	marker := rest[0]
	length := run(rest, marker)
	if length < 3 || marker == '`' && strings.IndexByte(rest[length:], '`') >= 0 {
		return record{}, false
	}
	begin := length
	for begin < len(rest) && isBlank(rest[begin]) {
		begin++
	}
	end := begin
	for end < len(rest) && !isBlank(rest[end]) {
		end++
	}
	sc.closeTo(matched)
	sc.leaf = fenced
	sc.fence = fence{marker: marker, length: length, indent: columns, language: rest[begin:end]}
	return record{kind: fenceOpen, aux: [2]int{at + begin, at + end}}, true
}

// isPatch says that the open fence holds a diff, which is painted line by line.
func (sc *scanner) isPatch() bool {
	switch sc.fence.language {
	case "diff", "patch", "udiff":
		return true
	}
	return false
}

// fencedLine is a line inside an open fence: code, or the fence's end.
func (sc *scanner) fencedLine(c *cursor) record {
	columns, next := c.indent()
	if columns < 4 {
		rest := c.s[next:]
		n := run(rest, sc.fence.marker)
		if n >= sc.fence.length && strings.Trim(rest[n:], " \t") == "" {
			sc.leaf = noLeaf
			c.blanks()
			return record{kind: fenceClose}
		}
	}
	c.columns(min(columns, sc.fence.indent))
	return record{kind: fencedText, patch: sc.isPatch()}
}

// underline says that s makes the paragraph above it a heading.
func underline(s string) bool {
	if s[0] != '=' && s[0] != '-' {
		return false
	}
	return strings.Trim(s[run(s, s[0]):], " \t") == ""
}

// rule says that s is a thematic break.
func rule(s string) bool {
	if s[0] != '*' && s[0] != '-' && s[0] != '_' {
		return false
	}
	count := 0
	for i := range len(s) {
		if s[i] == s[0] {
			count++
		} else if !isBlank(s[i]) {
			return false
		}
	}
	return count >= 3
}

// listMarker reads a bullet or a number and returns how many bytes it has. An
// item that interrupts a paragraph must not be empty, and must be the first.
func listMarker(s string, interrupts bool) (int, bool) {
	size := 1
	switch {
	case s[0] == '-' || s[0] == '+' || s[0] == '*':
	case isDigit(s[0]):
		for size < len(s) && size < 9 && isDigit(s[size]) {
			size++
		}
		if size == len(s) || s[size] != '.' && s[size] != ')' {
			return 0, false
		}
		if interrupts && strings.TrimLeft(s[:size], "0") != "1" {
			return 0, false
		}
		size++
	default:
		return 0, false
	}
	if size < len(s) && !isBlank(s[size]) {
		return 0, false
	}
	if interrupts && strings.Trim(s[size:], " \t") == "" {
		return 0, false
	}
	return size, true
}

// taskBox is the length of a task's check box at the beginning of s, or 0.
func taskBox(s string) int {
	if len(s) > 3 && s[0] == '[' && s[2] == ']' && isBlank(s[3]) && strings.IndexByte(" xX", s[1]) >= 0 {
		return 3
	}
	return 0
}

// delimiterCells is how many cells a table's delimiter row has; 0: s is none.
func delimiterCells(s string) int {
	if strings.IndexByte("|:-", s[0]) < 0 || strings.IndexByte(s, '|') < 0 {
		return 0
	}
	s = strings.Trim(s, " \t")
	s = strings.TrimSuffix(strings.TrimPrefix(s, "|"), "|")
	cells := 1
	for {
		cell, rest, more := strings.Cut(s, "|")
		cell = strings.Trim(cell, " \t")
		cell = strings.TrimSuffix(strings.TrimPrefix(cell, ":"), ":")
		if cell == "" || run(cell, '-') != len(cell) {
			return 0
		}
		if !more {
			return cells
		}
		cells++
		s = rest
	}
}

// rowCells is how many cells s has as a row of a table.
func rowCells(s string) int {
	s = strings.TrimRight(s, " \t")
	cells := 1
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\\':
			i++
		case s[i] == '|' && i > 0 && i < len(s)-1:
			cells++
		}
	}
	return cells
}

// definition reads a link reference definition or a footnote's label that
// begins at byte at, marks it, and returns where it ends. A footnote's text is
// a paragraph, so it is not done: what is reported is the link definition.
func (sc *scanner) definition(line string, at int) (int, bool) {
	s := line[at:]
	if len(s) < 4 || s[0] != '[' {
		return 0, false
	}
	label := strings.IndexAny(s[1:], "[]\\") + 1
	if label < 2 || s[label] != ']' || label+1 >= len(s) || s[label+1] != ':' || s[1] == '^' {
		return 0, false
	}
	url := label + 2
	for url < len(s) && isBlank(s[url]) {
		url++
	}
	end := url
	for end < len(s) && !isBlank(s[end]) {
		end++
	}
	title := strings.Trim(s[end:], " \t")
	if url == end || title != "" && !quoted(title) {
		return 0, false
	}
	sc.mark(at, at+1, text.Markup)
	sc.mark(at+1, at+label, text.Link)
	sc.mark(at+label, at+label+2, text.Markup)
	sc.mark(at+url, at+end, text.URL)
	if title != "" {
		from := at + end + strings.Index(s[end:], title)
		sc.mark(from, from+len(title), text.String)
	}
	return len(line), true
}

// quoted says that s is a link's title.
func quoted(s string) bool {
	if len(s) < 2 {
		return false
	}
	last := s[len(s)-1]
	switch s[0] {
	case '"', '\'':
		return last == s[0] && strings.IndexByte(s[1:len(s)-1], last) < 0
	case '(':
		return last == ')' && !strings.ContainsAny(s[1:len(s)-1], "()")
	}
	return false
}
