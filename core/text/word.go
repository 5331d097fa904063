package text

import (
	"iter"
	"unicode"
	"unicode/utf8"
)

// Boundary returns the first place at or after byte at where no cluster of a
// one-line text is cut.
func Boundary(s string, at int) int {
	if at <= 0 {
		return 0
	}
	if at >= len(s) {
		return len(s)
	}
	// ASCII never joins ASCII, so the scan can begin between two of them.
	from := at
	for from > 0 && (s[from] >= utf8.RuneSelf || s[from-1] >= utf8.RuneSelf) {
		from--
	}
	scan := scanner{src: s, at: from, state: -1}
	for scan.at < at && scan.next() {
	}
	return scan.at
}

// A Word is a run of clusters of one class: letters and digits of one script,
// blanks, or other signs.
type Word struct {
	Row
	Blank bool
}

// Words yields the words of a one-line text. They follow each other without a
// gap, and none cuts a cluster.
func Words(s string) iter.Seq[Word] {
	return func(yield func(Word) bool) {
		var w Word
		class := noWord
		scan := scanner{src: s, state: -1}
		for scan.next() {
			r, _ := utf8.DecodeRuneInString(s[scan.Start:scan.End])
			if c := wordClassOf(r); c != class {
				if w.End > w.Start && !yield(w) {
					return
				}
				w, class = Word{Row{scan.Start, scan.Start}, c == blankWord}, c
			}
			w.End = scan.End
		}
		if w.End > w.Start {
			yield(w)
		}
	}
}

// A wordClass is what keeps clusters together as a word.
type wordClass uint8

const (
	noWord wordClass = iota
	blankWord
	letterWord
	hanWord
	hiraganaWord
	katakanaWord
	signWord
)

// wordClassOf goes by the first rune of a cluster. Scripts that are written
// without blanks are words by script.
func wordClassOf(r rune) wordClass {
	switch {
	case unicode.IsSpace(r):
		return blankWord
	case r < utf8.RuneSelf:
		if r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) {
			return letterWord
		}
		return signWord
	case unicode.Is(unicode.Han, r):
		return hanWord
	case unicode.Is(unicode.Hiragana, r):
		return hiraganaWord
	case unicode.Is(unicode.Katakana, r) || r == 'ー':
		return katakanaWord
	case unicode.In(r, unicode.L, unicode.N, unicode.M):
		return letterWord
	}
	return signWord
}
