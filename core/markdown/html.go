package markdown

import "strings"

// rawEnds are HTML blocks that go on until a text is met, empty lines or not
// (CommonMark 4.6, kinds 1 to 5).
var rawEnds = [...]struct{ begin, end string }{
	{"<!--", "-->"},
	{"<?", "?>"},
	{"<![CDATA[", "]]>"},
	{"<script", "</script>"},
	{"<pre", "</pre>"},
	{"<style", "</style>"},
	{"<textarea", "</textarea>"},
}

// blockTags are the elements that begin an HTML block (kind 6).
const blockTags = " address article aside base basefont blockquote body caption center col colgroup dd details dialog dir div dl dt " +
	"fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hr html iframe legend li link main menu " +
	"menuitem nav noframes ol optgroup option p param search section summary table tbody td tfoot th thead title tr track ul "

// openHTML begins an HTML block if rest is its first line.
func (sc *scanner) openHTML(rest string, matched int, inParagraph bool) (record, bool) {
	end, ok := htmlStart(rest, inParagraph)
	if !ok {
		return record{}, false
	}
	sc.closeTo(matched)
	sc.leaf, sc.htmlEnd = html, end
	return sc.htmlRecord(rest), true
}

// htmlLine goes on with an open HTML block; false: the line is not part of it.
func (sc *scanner) htmlLine(c *cursor) (record, bool) {
	if _, next := c.indent(); sc.htmlEnd == "" && next == len(c.s) {
		return record{}, false
	}
	return sc.htmlRecord(c.s[c.pos:]), true
}

func (sc *scanner) htmlRecord(s string) record {
	r := record{kind: htmlText}
	if sc.htmlEnd == "-->" {
		r.kind = htmlComment
	}
	if sc.htmlEnd != "" && indexFold(s, sc.htmlEnd) >= 0 {
		sc.leaf = noLeaf
	}
	return r
}

// htmlStart says whether s begins an HTML block, and what ends that.
func htmlStart(s string, inParagraph bool) (end string, ok bool) {
	for _, raw := range rawEnds {
		if len(s) < len(raw.begin) || !strings.EqualFold(s[:len(raw.begin)], raw.begin) {
			continue
		}
		if !isLetter(raw.begin[1]) || len(s) == len(raw.begin) || strings.IndexByte(" \t>", s[len(raw.begin)]) >= 0 {
			return raw.end, true
		}
	}
	if len(s) > 2 && s[1] == '!' && isLetter(s[2]) {
		return ">", true
	}
	name := strings.TrimPrefix(s[1:], "/")
	n := 0
	for n < len(name) && (isLetter(name[n]) || isDigit(name[n])) {
		n++
	}
	after := name[n:]
	if n > 0 && n <= len("blockquote") && (after == "" || strings.IndexByte(" \t>", after[0]) >= 0 || strings.HasPrefix(after, "/>")) &&
		strings.Contains(blockTags, " "+strings.ToLower(name[:n])+" ") {
		return "", true
	}
	if inParagraph {
		return "", false
	}
	if size := tagSize(s); size > 0 && strings.Trim(s[size:], " \t") == "" {
		return "", true
	}
	return "", false
}

// indexFold is strings.Index for a lower-case ASCII sub in any case.
func indexFold(s, sub string) int {
	for i := 0; i+len(sub) <= len(s); i++ {
		j := strings.IndexByte(s[i:], sub[0])
		if j < 0 {
			return -1
		}
		i += j
		if i+len(sub) <= len(s) && strings.EqualFold(s[i:i+len(sub)], sub) {
			return i
		}
	}
	return -1
}

// tagSize is the length of the open or closing tag at the beginning of s, or 0
// (CommonMark 6.6). It gives up at the next "<" outside of quotes, so looking
// for many tags costs no more than the text is long.
func tagSize[T string | []byte](s T) int {
	i := 1
	closing := i < len(s) && s[i] == '/'
	if closing {
		i++
	}
	if i >= len(s) || !isLetter(s[i]) {
		return 0
	}
	for i < len(s) && (isLetter(s[i]) || isDigit(s[i]) || s[i] == '-') {
		i++
	}
	for i < len(s) {
		spaces := i
		for i < len(s) && (isBlank(s[i]) || s[i] == '\n') {
			i++
		}
		if i == len(s) {
			return 0
		}
		if s[i] == '>' {
			return i + 1
		}
		if closing {
			return 0
		}
		if s[i] == '/' {
			if i+1 < len(s) && s[i+1] == '>' {
				return i + 2
			}
			return 0
		}
		if i == spaces {
			return 0
		}
		n := attributeSize(s[i:])
		if n == 0 {
			return 0
		}
		i += n
	}
	return 0
}

// attributeSize is the length of the attribute at the beginning of s, or 0.
func attributeSize[T string | []byte](s T) int {
	i := 0
	for i < len(s) && (isLetter(s[i]) || s[i] == '_' || s[i] == ':' || i > 0 && (isDigit(s[i]) || s[i] == '.' || s[i] == '-')) {
		i++
	}
	if i == 0 || i == len(s) || s[i] != '=' {
		return i
	}
	i++
	if i == len(s) {
		return 0
	}
	if quote := s[i]; quote == '"' || quote == '\'' {
		for i++; i < len(s); i++ {
			if s[i] == quote {
				return i + 1
			}
		}
		return 0
	}
	begin := i
	for i < len(s) && !isBlank(s[i]) && s[i] != '\n' && s[i] != '"' && s[i] != '\'' && s[i] != '=' && s[i] != '<' && s[i] != '>' && s[i] != '`' {
		i++
	}
	if i == begin {
		return 0
	}
	return i
}
