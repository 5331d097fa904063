package pick

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// What tokens looks for.
const (
	pathsToo = true
	urlsOnly = false
)

// searched is how many bytes of a line are searched for words, so that a line of
// megabytes does not hold the picker up.
const searched = 64 << 10

// scheme is how a URL begins.
var scheme = lazily(`(?i)\b(?:[a-z][a-z0-9+.-]{1,15}://|mailto:)`)

// tokens finds the URLs and, if asked for, the paths in a line's own text.
func (f *finder) tokens(i int, s string, paths bool) {
	if len(s) > searched {
		s = s[:strings.LastIndexAny(s[:searched], " \t")+1] // no word is cut
	}
	at := 0
	for _, m := range scheme().FindAllStringIndex(s, -1) {
		if m[0] < at {
			continue
		}
		end := m[1] + urlLength(s[m[1]:])
		end = m[0] + len(trimURL(s[m[0]:end]))
		if end <= m[1] {
			continue
		}
		if paths {
			f.paths(i, s, at, m[0])
		}
		f.add(Thing{Kind: URL, Text: s[m[0]:end]}, i, m[0], i, end)
		at = end
	}
	if paths {
		f.paths(i, s, at, len(s))
	}
}

// urlLength is how far a URL can reach: RFC 3986 has neither blanks nor these
// signs, and what is not ASCII is taken as part of it unless it closes a
// sentence or stands for a control.
func urlLength(s string) int {
	for i, r := range s {
		if unicode.IsSpace(r) || strings.ContainsRune("<>\"`\\^{}|", r) || foreign(r) {
			return i
		}
	}
	return len(s)
}

// foreign reports whether a rune above ASCII is no part of a URL or a path: the
// pictures and tokens of the cleaner, the edges of tables, quotes and full-width
// punctuation.
func foreign(r rune) bool {
	switch {
	case r < utf8.RuneSelf:
		return false
	case r >= 0x2010 && r <= 0x205f, r >= 0x2190 && r <= 0x27ff, r >= 0x3000 && r <= 0x303f, r >= 0xff00 && r <= 0xff0f,
		r >= 0xff1a && r <= 0xff20, r >= 0xff3b && r <= 0xff40, r >= 0xff5b && r <= 0xff65, r == 0xfffd:
		return true
	}
	return strings.ContainsRune("«»", r)
}

// trimURL cuts what belongs to the sentence around a URL: its punctuation, and
// brackets that were opened before it.
func trimURL(s string) string {
	for s != "" {
		last := s[len(s)-1]
		switch last {
		case '.', ',', ';', ':', '!', '?', '\'', '*':
		case ')', ']':
			opening := map[byte]string{')': "(", ']': "["}[last]
			if strings.Count(s, opening) >= strings.Count(s, string(last)) {
				return s
			}
		default:
			return s
		}
		s = s[:len(s)-1]
	}
	return s
}

// paths finds the paths in a part of a line.
func (f *finder) paths(i int, s string, at, to int) {
	for at < to {
		r, size := utf8.DecodeRuneInString(s[at:to])
		if !pathRune(r) {
			at += size
			continue
		}
		start := at
		quote := byte(0)
		if start > 0 && strings.IndexByte("`\"'", s[start-1]) >= 0 {
			quote = s[start-1]
		}
		end := start + pathLength(s[start:to])
		if whole, ok := quoted(s[start:to], quote); ok {
			f.add(Thing{Kind: Path, Text: whole}, i, start, i, start+len(whole))
			at = start + len(whole)
			continue
		}
		if word := trimPath(s[start:end]); isPath(word, quote == '`') {
			f.add(Thing{Kind: Path, Text: word}, i, start, i, start+len(word))
		}
		at = end
	}
}

// pathRune reports whether a rune can stand in a path that is not quoted.
func pathRune(r rune) bool {
	return !unicode.IsSpace(r) && r != utf8.RuneError && !strings.ContainsRune("<>\"'`()[]{}|;,*?!&=", r) && !foreign(r)
}

// pathLength is how far a path reaches. A blank after a backslash is part of it.
func pathLength(s string) int {
	escaped := false
	for i, r := range s {
		if !pathRune(r) && !(escaped && r == ' ') {
			return i
		}
		escaped = r == '\\'
	}
	return len(s)
}

// quoted finds a path with blanks up to the quote that closes it. A command line
// in quotes is not one.
func quoted(s string, quote byte) (string, bool) {
	if quote == 0 || !strings.HasPrefix(s, "/") && !strings.HasPrefix(s, "~/") && !strings.HasPrefix(s, "./") && !strings.HasPrefix(s, "../") {
		return "", false
	}
	end := strings.IndexByte(s, quote)
	if end < 0 {
		return "", false
	}
	s = s[:end]
	first, rest, blanks := strings.Cut(s, " ")
	if !blanks || !strings.Contains(rest, "/") && (strings.Count(first, "/") < 2 || !strings.Contains(rest, ".")) {
		return "", false
	}
	return s, !strings.Contains(s, " /") && !strings.Contains(s, " -") && !strings.Contains(s, " .") && !strings.Contains(s, " ~")
}

// lineSuffix is the place in a file that compilers put behind its path.
var lineSuffix = lazily(`:\d+(?::\d+)?:?$`)

// trimPath cuts the sentence's punctuation and a line number off.
func trimPath(s string) string {
	s = strings.TrimRight(s, ".:")
	return strings.TrimRight(lineSuffix().ReplaceAllString(s, ""), ":")
}

// extension is a last segment with the ending of a file name.
var extension = lazily(`[^/.][^/]*\.[A-Za-z][A-Za-z0-9]{0,9}$|/\.[A-Za-z][A-Za-z0-9_-]+$`)

// isPath reports whether a word is a path. One that starts at a root, at home
// or at a dot is; another one is only with the ending of a file name, or where
// it is set as code: prose has its "and/or".
func isPath(s string, code bool) bool {
	if len(s) > 3 && s[1] == ':' && (s[2] == '\\' || s[2] == '/') && unicode.IsLetter(rune(s[0])) {
		return true
	}
	slashes := strings.Count(s, "/")
	if slashes == 0 || strings.Contains(s, "//") || strings.IndexFunc(s, wordRune) < 0 {
		return false
	}
	switch {
	case strings.HasPrefix(s, "~/"), strings.HasPrefix(s, "./"), strings.HasPrefix(s, "../"):
		return true
	case s[0] == '/':
		return slashes > 1 || extension().MatchString(s)
	case s[0] == '-', s[0] == '$' && !code:
		return false
	}
	return extension().MatchString(s) || code && strings.IndexFunc(s, unicode.IsLetter) >= 0
}

func wordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
