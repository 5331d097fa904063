package shelf

import (
	"cmp"
	"math/bits"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"copydesk/core/text"
)

const (
	mostQuery  = 1 << 10 // bytes of a query that are read
	mostWords  = 64      // words of it that count
	mostRanges = 64      // found places of one word in one line
)

// A Query is what is searched for: words, all of which must be found. It is
// never changed, and safe from any goroutine.
type Query struct {
	words []word
	most  int // bytes that the longest word can take in a text
}

// Parse reads a query: words with blanks between them, and phrases in quotation
// marks, whose blanks count. A phrase that is not ended goes to the end. Words
// may be parts of longer words. Nothing else has a meaning; there are no regular
// expressions. What is found is compared under Unicode's simple case folding,
// and not normalised otherwise: é in one character is not e with an accent. Of a
// long query the first 1024 bytes and 64 words count.
func Parse(query string) Query {
	if len(query) > mostQuery {
		at := mostQuery
		for at > mostQuery-utf8.UTFMax && !utf8.RuneStart(query[at]) {
			at--
		}
		query = query[:at]
	}
	var q Query
	for i, part := range strings.Split(text.CleanLine(query), `"`) {
		if i%2 == 1 {
			q.add(part)
			continue
		}
		for _, w := range strings.Fields(part) {
			q.add(w)
		}
	}
	return q
}

func (q *Query) add(s string) {
	if strings.TrimSpace(s) == "" || len(q.words) == mostWords {
		return
	}
	w := newWord(s)
	if !slices.ContainsFunc(q.words, func(o word) bool { return slices.Equal(o.folded, w.folded) }) {
		q.words = append(q.words, w)
		q.most = max(q.most, utf8.UTFMax*len(w.folded))
	}
}

// Empty reports whether a query has no words. It finds nothing.
func (q Query) Empty() bool { return len(q.words) == 0 }

// Words are the words and phrases of a query, each once, as they were written.
func (q Query) Words() []string {
	out := make([]string, len(q.words))
	for i, w := range q.words {
		out[i] = w.text
	}
	return out
}

// all has a bit for each word.
func (q Query) all() uint64 { return 1<<len(q.words) - 1 }

// Find returns where a clean line has the words, as byte ranges in order, and
// whether it has all of them. Of places that overlap the first one counts, and
// of two that begin together the longer.
func (q Query) Find(line string) (where [][2]int, all bool) {
	all = !q.Empty()
	for _, w := range q.words {
		n := 0
		for at := 0; n < mostRanges; n++ {
			start, end, ok := w.find(line, at)
			if !ok {
				break
			}
			where = append(where, [2]int{start, end})
			at = end
		}
		all = all && n > 0
	}
	slices.SortFunc(where, func(a, b [2]int) int { return cmp.Or(a[0]-b[0], b[1]-a[1]) })
	kept := where[:0]
	for _, r := range where {
		if len(kept) == 0 || r[0] >= kept[len(kept)-1][1] {
			kept = append(kept, r)
		}
	}
	return kept, all
}

// in says which words a raw line has; clean is the line as it is shown, where
// that is needed.
func (q Query) in(raw []byte) (found uint64, clean string) {
	made := false
	for i := range q.words {
		w := &q.words[i]
		if w.needle.given() && !w.needle.maybe(raw) {
			continue
		}
		if !made {
			clean, made = text.Clean(string(raw)), true
		}
		if _, _, ok := w.find(clean, 0); ok {
			found |= 1 << i
		}
	}
	return found, clean
}

// A word is a word or phrase of a query.
type word struct {
	text   string
	folded []rune
	first  [256]bool // the bytes that can begin it
	needle needle
}

func newWord(s string) word {
	w := word{text: s}
	for _, r := range s {
		w.folded = append(w.folded, fold(r))
	}
	first := w.folded[0]
	for r := first; ; {
		w.first[utf8.AppendRune(nil, r)[0]] = true
		if r = unicode.SimpleFold(r); r == first {
			break
		}
	}
	w.needle = newNeedle(w.folded)
	return w
}

// find is the next place of the word in a clean line.
func (w *word) find(line string, from int) (start, end int, ok bool) {
	for i := from; i < len(line); i++ {
		if w.first[line[i]] {
			if n, ok := w.at(line[i:]); ok {
				return i, i + n, true
			}
		}
	}
	return 0, 0, false
}

// at returns how many bytes the word takes at the beginning of s.
func (w *word) at(s string) (int, bool) {
	n := 0
	for _, want := range w.folded {
		if n >= len(s) {
			return 0, false
		}
		r, size := rune(s[n]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(s[n:])
		}
		if fold(r) != want {
			return 0, false
		}
		n += size
	}
	return n, true
}

// fold is the first of the characters that differ in case alone.
func fold(r rune) rune {
	if r < utf8.RuneSelf {
		if 'a' <= r && r <= 'z' {
			r -= 'a' - 'A'
		}
		return r
	}
	least := r
	for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
		least = min(least, f)
	}
	return least
}

func count(words uint64) int { return bits.OnesCount64(words) }
