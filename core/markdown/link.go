package markdown

import (
	"bytes"
	"unicode"
	"unicode/utf8"

	"copydesk/core/text"
)

// A bracket is a "[" or "![" that may open a link or an image.
type bracket struct {
	pos, size int
	delims    int // how many delimiters stood before it
}

// maxParens is how deep parentheses may be nested in a link's destination, the
// limit of the reference implementation.
const maxParens = 32

// closeBracket handles the "]" at i.
func (in *inliner) closeBracket(i int) int {
	if len(in.brackets) == 0 {
		return i + 1
	}
	index := len(in.brackets) - 1
	b := in.brackets[index]
	in.brackets = in.brackets[:index]
	dead := index < in.dead && b.size == 1
	in.dead = min(in.dead, index)
	if dead {
		return i + 1
	}
	if in.footnote(b, i) {
		in.set(b.pos, i+1, text.Link)
		return i + 1
	}
	if i+1 == len(in.src) {
		return i + 1
	}
	end := in.target(i + 1)
	if end < 0 {
		end = in.reference(b, i+1)
	}
	if end < 0 {
		return i + 1
	}
	in.set(b.pos, b.pos+b.size, text.Markup)
	in.set(i, i+1, text.Markup)
	in.raise(b.pos+b.size, i, lift{link: 1})
	in.emphasis(b.delims)
	if b.size == 1 {
		in.dead = index
	}
	return end
}

// footnote says that b to i is a footnote's label, "[^1]".
func (in *inliner) footnote(b bracket, i int) bool {
	label := in.src[b.pos+b.size : i]
	return b.size == 1 && len(label) > 1 && len(label) < 64 && label[0] == '^' && !bytes.ContainsAny(label, " \t\n[")
}

// reference paints the label of "[text][label]" that begins at i, and returns
// its end, or -1. Whether the label is defined cannot be known while the text
// streams in; an index like a[i][j] is told by the letter before it.
func (in *inliner) reference(b bracket, i int) int {
	if in.src[i] != '[' || b.pos > 0 && b.size == 1 && wordByte(in.src[b.pos-1]) {
		return -1
	}
	n := bytes.IndexAny(in.src[i+1:min(len(in.src), i+1000)], "[]\\")
	in.work += max(n, 0)
	if n < 1 || in.src[i+1+n] != ']' {
		return -1
	}
	in.set(i, i+1, text.Markup)
	in.set(i+1, i+1+n, text.URL)
	in.set(i+1+n, i+2+n, text.Markup)
	return i + 2 + n
}

func wordByte(b byte) bool { return isLetter(b) || isDigit(b) || b == '_' || b >= utf8.RuneSelf }

// target paints "(destination "title")" at i and returns its end, or -1.
func (in *inliner) target(i int) int {
	src := in.src
	if src[i] != '(' {
		return -1
	}
	url := in.spaces(i + 1)
	if url == len(src) {
		return -1
	}
	end := in.destination(url)
	if end < 0 {
		return -1
	}
	title := in.spaces(end)
	titleEnd := title
	if title > end {
		if titleEnd = in.title(title); titleEnd < 0 {
			return -1
		}
	}
	last := in.spaces(titleEnd)
	if last == len(src) || src[last] != ')' {
		return -1
	}
	in.set(i, i+1, text.Markup)
	in.set(url, end, text.URL)
	if src[url] == '<' {
		in.set(url, url+1, text.Markup)
		in.set(end-1, end, text.Markup)
	}
	in.set(title, titleEnd, text.String)
	in.set(last, last+1, text.Markup)
	return last + 1
}

func (in *inliner) spaces(i int) int {
	for i < len(in.src) && (isBlank(in.src[i]) || in.src[i] == '\n') {
		i++
	}
	return i
}

// destination returns the end of the link destination at i, or -1.
func (in *inliner) destination(i int) int {
	src, begin, parens := in.src, i, 0
	angled := src[i] == '<'
	if angled {
		i++
	}
	for ; i < len(src); i++ {
		in.work++
		switch b := src[i]; {
		case b == '\\' && i+1 < len(src) && isASCIIPunct(src[i+1]):
			i++
		case angled && b == '>':
			return i + 1
		case angled && (b == '\n' || b == '<'):
			return -1
		case angled:
		case b <= ' ' || b == 0x7f:
			if parens > 0 {
				return -1
			}
			return i
		case b == '(':
			if parens++; parens > maxParens {
				return -1
			}
		case b == ')':
			if parens--; parens < 0 {
				return i
			}
		}
	}
	if angled || parens > 0 || i == begin {
		return -1
	}
	return i
}

// title returns the end of the link title at i, i itself when there is none, or
// -1 when it does not end.
func (in *inliner) title(i int) int {
	src := in.src
	if i == len(src) {
		return i
	}
	closing := src[i]
	switch closing {
	case '"', '\'':
	case '(':
		closing = ')'
	default:
		return i
	}
	for k := i + 1; k < len(src); k++ {
		in.work++
		switch {
		case src[k] == '\\':
			k++
		case src[k] == closing:
			return k + 1
		case src[k] == '(' && closing == ')':
			return -1
		}
	}
	return -1
}

// angle paints the autolink, comment or tag that begins with the "<" at i.
func (in *inliner) angle(i int) int {
	rest := in.src[i:]
	if n := autolinkSize(rest); n > 0 {
		in.set(i, i+1, text.Markup)
		in.set(i+1, i+n-1, text.URL)
		in.set(i+n-1, i+n, text.Markup)
		return i + n
	}
	n := tagSize(rest)
	if n == 0 && bytes.HasPrefix(rest, []byte("<!--")) {
		end := bytes.Index(rest[:min(len(rest), 1<<10)], []byte("-->"))
		if end >= 0 {
			n = end + len("-->")
		}
	}
	if n == 0 {
		return i + 1
	}
	in.set(i, i+n, text.Markup)
	return i + n
}

// autolinkSize is the length of the <scheme:…> or <name@host> at the beginning
// of s, or 0.
func autolinkSize(s []byte) int {
	colon, at := 0, 0
	for k := 1; k < len(s); k++ {
		switch b := s[k]; {
		case b == '>':
			if colon > 2 && isLetter(s[1]) || at > 1 && colon == 0 && at+1 < k {
				return k + 1
			}
			return 0
		case b <= ' ' || b == '<' || b == 0x7f:
			return 0
		case b == ':' && colon == 0 && at == 0:
			if k > 33 {
				return 0
			}
			colon = k
		case b == '@':
			if at > 0 && colon == 0 {
				return 0
			}
			at = k
		case colon == 0 && !isLetter(b) && !isDigit(b) && bytes.IndexByte([]byte("+.-_"), b) < 0:
			return 0
		}
	}
	return 0
}

// entity paints the character reference at i.
func (in *inliner) entity(i int) int {
	k := i + 1
	if k < len(in.src) && in.src[k] == '#' {
		k++
	}
	begin := k
	for k < len(in.src) && k < i+34 && (isLetter(in.src[k]) || isDigit(in.src[k])) {
		k++
	}
	if k == begin || k == len(in.src) || in.src[k] != ';' {
		return i + 1
	}
	in.set(i, k+1, text.Markup)
	return k + 1
}

// bareURL paints a URL without any markup whose ":" or "." is at i (GFM,
// extended autolinks).
func (in *inliner) bareURL(i int) int {
	src, begin, body := in.src, i, i+1
	if src[i] == ':' {
		if !bytes.HasPrefix(src[i:], []byte("://")) {
			return i + 1
		}
		body = i + 3
	}
	for begin > 0 && i-begin < 6 && isLetter(src[begin-1]) {
		begin--
	}
	switch scheme := string(src[begin:i]); {
	case src[i] == ':' && (scheme == "http" || scheme == "https" || scheme == "ftp" || scheme == "file"):
	case src[i] == '.' && scheme == "www":
	default:
		return i + 1
	}
	if begin > 0 && wordByte(src[begin-1]) && src[begin-1] < utf8.RuneSelf {
		return i + 1
	}
	end := in.trimURL(body, in.urlEnd(body))
	if end <= body || !wordByte(src[body]) && src[body] != '/' {
		return i + 1
	}
	in.set(begin, end, text.URL)
	return end
}

// urlEnd is where the URL that goes on at i can end at most: white space, what
// surrounds URLs in prose, and the punctuation of scripts without spaces.
func (in *inliner) urlEnd(i int) int {
	for i < len(in.src) {
		b := in.src[i]
		if b < utf8.RuneSelf {
			if b <= ' ' || b == 0x7f || bytes.IndexByte([]byte("<>[]\"`|\\"), b) >= 0 {
				break
			}
			i++
			continue
		}
		r, size := utf8.DecodeRune(in.src[i:])
		if unicode.IsPunct(r) || unicode.IsSpace(r) {
			break
		}
		i += size
	}
	return i
}

// trimURL takes off what ends a sentence or closes what was opened before the
// URL.
func (in *inliner) trimURL(begin, end int) int {
	open := 0
	for _, b := range in.src[begin:end] {
		switch b {
		case '(':
			open++
		case ')':
			open--
		}
	}
	for end > begin {
		switch b := in.src[end-1]; {
		case b == ')' && open < 0:
			open++
		case bytes.IndexByte([]byte("?!.,:;*_~'"), b) >= 0:
		default:
			return end
		}
		end--
	}
	return end
}
