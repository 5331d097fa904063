package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Pattern is a text to look for in lines. Without a capital letter in it, it
// is found in both cases. The zero value is found nowhere.
type Pattern struct {
	words  string
	folded bool
}

// NewPattern makes a pattern of words, which may have blanks in them.
func NewPattern(words string) Pattern {
	return Pattern{words, !strings.ContainsFunc(words, unicode.IsUpper)}
}

// Empty reports whether there is nothing to look for.
func (p Pattern) Empty() bool { return p.words == "" }

// First returns the bytes of s, from one on, where the pattern is first.
func (p Pattern) First(s string, from int) (at Row, ok bool) {
	switch {
	case p.words == "" || from > len(s):
		return Row{}, false
	case !p.folded:
		i := strings.Index(s[from:], p.words)
		return Row{Start: from + i, End: from + i + len(p.words)}, i >= 0
	}
	for from < len(s) {
		if from += p.candidate(s[from:]); from >= len(s) {
			break
		}
		if n, ok := prefixFold(s[from:], p.words); ok {
			return Row{Start: from, End: from + n}, true
		}
		_, size := utf8.DecodeRuneInString(s[from:])
		from += size
	}
	return Row{}, false
}

// candidate is where in s the pattern can begin at the earliest.
func (p Pattern) candidate(s string) int {
	c := p.words[0]
	if c >= utf8.RuneSelf {
		return 0
	}
	at := strings.IndexByte(s, c)
	if at < 0 {
		at = len(s)
	}
	if 'a' <= c && c <= 'z' {
		if up := strings.IndexByte(s[:at], c-'a'+'A'); up >= 0 {
			at = up
		}
	}
	return at
}

// All returns where the pattern is in s, from left to right and apart from each
// other, as often as most.
func (p Pattern) All(s string, most int) []Row {
	var found []Row
	for from := 0; len(found) < most; {
		at, ok := p.First(s, from)
		if !ok {
			break
		}
		found = append(found, at)
		from = at.End
	}
	return found
}

// prefixFold reports whether s begins with words in any case, and with how many
// bytes. A letter of ASCII stands for itself and its capital only.
func prefixFold(s, words string) (length int, ok bool) {
	rest := s
	for _, want := range words {
		got, size := utf8.DecodeRuneInString(rest)
		if size == 0 || !sameFold(got, want) {
			return 0, false
		}
		rest = rest[size:]
	}
	return len(s) - len(rest), true
}

func sameFold(a, b rune) bool {
	if a == b {
		return true
	}
	if a < utf8.RuneSelf || b < utf8.RuneSelf {
		return a < utf8.RuneSelf && b < utf8.RuneSelf && unicode.ToLower(a) == unicode.ToLower(b)
	}
	return unicode.ToLower(a) == unicode.ToLower(b)
}
