package text

import "unicode/utf8"

// A Row is the byte range of a logical line that stands on one screen row.
type Row struct{ Start, End int }

// minWidth is the narrowest row in cells: a wide character fits.
const minWidth = 2

// Wrap breaks a line into rows of at most width cells (PAN 6): after blanks,
// beside a wide character, and inside a word only when the word is longer than
// a row. It never cuts a grapheme cluster. The rows follow each other without a
// gap, the first starts at 0, the last ends at len(s), and there is at least
// one. A width below 2 counts as 2.
//
// Spaces and tabs at a break belong to the row before it, where they hang over
// the edge; without them every row fits. The one exception is a cluster that is
// wider than a row: it has a row to itself.
func Wrap(s string, width int) []Row {
	width = max(width, minWidth)
	if len(s) <= width && isNarrow(s) {
		return []Row{{0, len(s)}}
	}
	w := wrapper{width: width, rows: make([]Row, 0, len(s)/width+1)}
	scan := scanner{src: s, state: -1}
	for scan.next() {
		w.add(s, &scan)
		if w.inWord() && scan.skipWord(width) {
			w.end = rune(s[scan.at-1])
		}
	}
	return append(w.rows, Row{w.start, len(s)})
}

// A wrapper is the row that Wrap is filling.
type wrapper struct {
	rows   []Row
	width  int
	start  int  // where the row starts, in bytes
	brk    int  // where it may end, in bytes; at start: nowhere yet
	brkCol int  // the column there
	filled bool // something but blanks stands before brk
	wide   bool // the cluster before is wide
	end    rune // the first rune of the cluster before
	inked  bool // the row has more than blanks
}

// add takes the newest cluster of the scanner. Where that starts a new row, the
// scanner's column is moved along.
func (w *wrapper) add(s string, scan *scanner) {
	first := rune(s[scan.Start])
	if first >= utf8.RuneSelf {
		first, _ = utf8.DecodeRuneInString(s[scan.Start:scan.End])
	}
	if scan.End-scan.Start == 1 && (first == ' ' || first == '\t') {
		w.brk, w.brkCol, w.filled, w.wide, w.end = scan.End, scan.col, w.inked, false, first
		return
	}
	wide := scan.Width >= 2
	if (wide || w.wide) && w.mayBreak(first) {
		w.brk, w.brkCol, w.filled = scan.Start, scan.Col, w.inked
	}
	if scan.col > w.width && scan.Start > w.start {
		if w.brk > w.start && (w.filled || wordFits(s, w.brk, w.width)) {
			w.cut(w.brk, w.brkCol, scan)
		}
		if scan.col > w.width && scan.Start > w.start {
			w.cut(scan.Start, scan.Col, scan)
		}
	}
	w.wide, w.end, w.inked = wide, first, true
}

// inWord reports whether the cluster before neither is nor leaves a place to
// break at, if ASCII follows.
func (w *wrapper) inWord() bool {
	return !w.wide && w.end != ' ' && w.end != '\t'
}

// mayBreak reports whether a row may end between the cluster before and one
// that starts with a rune, when one of them is wide.
func (w *wrapper) mayBreak(first rune) bool {
	return !opens(w.end) && !closes(first)
}

// closes reports whether a sign does not stand at the start of a row beside a
// wide character (UAX 14: CL, CP, EX, NS and what glues).
func closes(r rune) bool {
	switch r {
	case '、', '。', '，', '．', '・', '：', '；', '？', '！', '）', '］', '｝', '〕', '〉', '》',
		'」', '』', '】', '〗', '〙', '〛', '’', '”', '…', 'ー', '々', 'ゝ', 'ゞ', 'ヽ', 'ヾ',
		',', '.', ':', ';', '?', '!', ')', ']', '}', '%', '\u00a0':
		return true
	}
	return false
}

// opens reports whether a sign does not stand at the end of a row beside a wide
// character (UAX 14: OP and what glues).
func opens(r rune) bool {
	switch r {
	case '（', '［', '｛', '〔', '〈', '《', '「', '『', '【', '〖', '〘', '〚', '‘', '“',
		'(', '[', '{', '\u00a0':
		return true
	}
	return false
}

// cut ends the row at a byte and its column.
func (w *wrapper) cut(at, col int, scan *scanner) {
	w.rows = append(w.rows, Row{w.start, at})
	w.start, w.brk, w.brkCol, w.filled = at, at, 0, false
	scan.Col -= col
	scan.col -= col
	w.inked = scan.Start > at
}

// wordFits reports whether the word at a place has room in one row. It is asked
// only for an indented first word: a row of nothing but the indent is worth it
// for a word that stays whole, not for one that is cut anyway. It looks at no
// more than one row, which the word then fills, so Wrap stays linear.
func wordFits(s string, at, width int) bool {
	scan := scanner{src: s, at: at, state: -1}
	for scan.next() && s[scan.Start] != ' ' && s[scan.Start] != '\t' {
		if scan.col > width {
			return false
		}
	}
	return true
}
