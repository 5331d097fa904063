package shelf

import (
	"bytes"
	"strings"
)

// mostNeedle is the longest needle, in bytes; its places fit into a mask.
const mostNeedle = 32

// A needle is a run of ASCII letters and digits of a word, for which bytes can
// be searched that are not decoded yet. Where the word is, the needle is, too:
// JSON escapes none of its characters, and what cleaning puts into a text (see
// text.Cleaner) has other runs of letters and digits.
type needle struct {
	text  string // in lower case
	rare  int    // the place of its rarest character
	kelvs bool   // it has a k or s, for which U+212A and U+017F also stand
}

var (
	kelvin = []byte("\u212a")
	longS  = []byte("\u017f")
)

// rarity has the ASCII letters and digits, the most usual ones in prose, code and
// the frames of records first.
const rarity = "etaoinsrc0128dl3h456u79mfpgbywvkxjqz"

func newNeedle(folded []rune) needle {
	var best, run string
	take := func() {
		if run = run[:min(len(run), mostNeedle)]; usable(run) && len(run) > len(best) {
			best = run
		}
		run = ""
	}
	for _, r := range folded {
		switch {
		case 'A' <= r && r <= 'Z':
			run += string(r + 'a' - 'A')
		case '0' <= r && r <= '9':
			run += string(r)
		default:
			take()
		}
	}
	take()
	n := needle{text: best, kelvs: strings.ContainsAny(best, "ks")}
	for i := range len(best) {
		if strings.IndexByte(rarity, best[i]) > strings.IndexByte(rarity, best[n.rare]) {
			n.rare = i
		}
	}
	return n
}

// usable reports whether a run can come from a raw text only. What the cleaner
// puts in is <U+202E> and ⟨+3 marks⟩.
func usable(run string) bool {
	return strings.Trim(run, "0123456789abcdef") != "" && run != "u" && !strings.Contains("marks", run)
}

func (n *needle) given() bool { return n.text != "" }

// maybe reports whether a raw text can have the word.
func (n *needle) maybe(raw []byte) bool {
	return n.in(raw) || n.kelvs && (bytes.Contains(raw, longS) || bytes.Contains(raw, kelvin))
}

// encoded is maybe for the JSON of records. In one that holds bytes each of them
// is a character: so can be those two, or they are cut after their first byte or
// their second.
func (n *needle) encoded(b []byte) bool {
	if n.maybe(b) {
		return true
	}
	return n.kelvs && (bytes.Contains(b, []byte("\u00e2\u0084")) || bytes.Contains(b, []byte("\u00e2\"")) ||
		bytes.Contains(b, []byte("\u00c5\u00bf")) || bytes.Contains(b, []byte("\u00c5\"")))
}

// in reports whether bytes have the needle in any case. It goes from one of its
// rarest characters to the next.
func (n *needle) in(b []byte) bool {
	if len(b) < len(n.text) {
		return false
	}
	at := b[n.rare : len(b)-len(n.text)+n.rare+1] // where that character can be
	low := n.text[n.rare]
	up := low
	if low >= 'a' {
		up -= 'a' - 'A'
	}
	i, j := bytes.IndexByte(at, low), len(at)
	if up != low {
		j = next(at, up, -1)
	}
	if i < 0 {
		i = len(at)
	}
	for {
		k := min(i, j)
		if k == len(at) {
			return false
		}
		if n.begins(b[k:]) {
			return true
		}
		if k == i {
			i = next(at, low, i)
		} else {
			j = next(at, up, j)
		}
	}
}

// next is the place of the next c behind at, or the length of b.
func next(b []byte, c byte, at int) int {
	if i := bytes.IndexByte(b[at+1:], c); i >= 0 {
		return at + 1 + i
	}
	return len(b)
}

// begins reports whether b, which is long enough, begins with the needle.
func (n *needle) begins(b []byte) bool { return n.match(b, 0) == len(n.text) }

// match is how many bytes b goes on with the needle from a place of that on. The
// bit 0x20 tells ASCII cases apart; JSON has no control characters that it would
// make digits of.
func (n *needle) match(b []byte, from int) int {
	m := 0
	for from+m < len(n.text) && m < len(b) && b[m]|0x20 == n.text[from+m] {
		m++
	}
	return m
}
