package playground

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// kind says what a token is.
type kind uint8

const (
	endToken    kind = iota
	wordToken        // a bare word: a keyword, a name, or a value such as yes
	singleToken      // 'text'
	doubleToken      // "text": a name in SQL, a name or a value in the simple language
	nameToken        // `name` or [name]
	numberToken
	punctToken
	openToken // a quote or a comment that never ends
)

// A token is one piece of an input. val is the text without its quotes; start
// and end are byte offsets into the input.
type token struct {
	kind       kind
	val        string
	start, end int
}

// is reports whether the token is the bare word w, in any case.
func (t token) is(w string) bool { return t.kind == wordToken && strings.EqualFold(t.val, w) }

// names reports whether the token can be a name in SQL.
func (t token) names() bool {
	return t.kind == wordToken || t.kind == doubleToken || t.kind == nameToken
}

// grammar selects the two dialects that are lexed.
type grammar uint8

const (
	sqlGrammar    grammar = iota // SQLite's tokens, with its comments
	simpleGrammar                // no comments, typographic quotes, dates as one word
)

// lex cuts an input into tokens; comments and blanks are dropped. The last
// token is always an endToken at len(s).
func lex(s string, g grammar) []token {
	var out []token
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case unicode.IsSpace(r):
			i += n
			continue
		case g == sqlGrammar && strings.HasPrefix(s[i:], "--"):
			end := strings.IndexByte(s[i:], '\n')
			if end < 0 {
				end = len(s) - i
			}
			i += end
			continue
		case g == sqlGrammar && strings.HasPrefix(s[i:], "/*"):
			end := strings.Index(s[i+2:], "*/")
			if end < 0 {
				// SQLite takes a comment that the input ends in as finished.
				i = len(s)
				continue
			}
			i += end + 4
			continue
		}
		t := lexOne(s, i, r, n, g)
		out = append(out, t)
		i = t.end
	}
	return append(out, token{kind: endToken, start: len(s), end: len(s)})
}

// lexOne reads the token that starts at i with the rune r of n bytes.
func lexOne(s string, i int, r rune, n int, g grammar) token {
	switch {
	case r == '\'':
		return quoted(s, i, n, "'", singleToken)
	case r == '"':
		return quoted(s, i, n, `"`, doubleToken)
	case r == '`':
		return quoted(s, i, n, "`", nameToken)
	case r == '[':
		return quoted(s, i, n, "]", nameToken)
	case g == simpleGrammar && r == '“':
		return quoted(s, i, n, "”", doubleToken)
	case g == simpleGrammar && r == '‘':
		return quoted(s, i, n, "’", singleToken)
	case isDigit(r), r == '.' && i+1 < len(s) && isDigit(rune(s[i+1])):
		return number(s, i, g)
	case wordStart(r):
		end := i + n
		for end < len(s) {
			c, m := utf8.DecodeRuneInString(s[end:])
			if !wordStart(c) && !unicode.IsDigit(c) && !unicode.IsMark(c) && c != '$' {
				break
			}
			end += m
		}
		return token{wordToken, s[i:end], i, end}
	}
	for _, op := range [...]string{"->>", "->", "<=", ">=", "<>", "!=", "==", "||"} {
		if strings.HasPrefix(s[i:], op) {
			return token{punctToken, op, i, i + len(op)}
		}
	}
	return token{punctToken, s[i : i+n], i, i + n}
}

// quoted reads from the quote at i, of n bytes, to the closing one; a doubled
// closing quote stands for itself.
func quoted(s string, i, n int, closing string, k kind) token {
	var val strings.Builder
	for at := i + n; ; {
		end := strings.Index(s[at:], closing)
		if end < 0 {
			return token{openToken, s[i : i+n], i, len(s)}
		}
		val.WriteString(s[at : at+end])
		at += end + len(closing)
		if closing == "]" || !strings.HasPrefix(s[at:], closing) {
			return token{k, val.String(), i, at}
		}
		val.WriteString(closing)
		at += len(closing)
	}
}

// number reads a number. In the simple language everything that hangs together
// and starts with a digit is one token, so that 2024-12-31 and 10:30 need no
// quotes; what is no number is a word.
func number(s string, i int, g grammar) token {
	end := i
	for end < len(s) {
		c, m := utf8.DecodeRuneInString(s[end:])
		exponent := (c == '+' || c == '-') && end > i && (s[end-1] == 'e' || s[end-1] == 'E')
		joined := g == simpleGrammar && (c == '-' || c == ':') && end+1 < len(s) && isDigit(rune(s[end+1]))
		if !wordStart(c) && !isDigit(c) && c != '.' && !exponent && !joined {
			break
		}
		end += m
	}
	k := numberToken
	if g == simpleGrammar && !isNumber(s[i:end]) {
		k = wordToken
	}
	return token{k, s[i:end], i, end}
}

func isDigit(r rune) bool { return '0' <= r && r <= '9' }

// wordStart reports whether SQLite lets a bare name start with r: letters, the
// underscore, and everything outside ASCII that is no blank. In the simple
// language that goes for the inside of a name too.
func wordStart(r rune) bool {
	switch r {
	case '“', '”', '‘', '’':
		return false
	}
	return r == '_' || unicode.IsLetter(r) || r > unicode.MaxASCII && !unicode.IsSpace(r) && r != utf8.RuneError
}

// numberForm is a decimal literal as SQLite reads it, without a sign.
var numberForm = regexp.MustCompile(`^(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$`)

func isNumber(s string) bool { return numberForm.MatchString(s) }
