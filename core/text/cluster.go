package text

import (
	"iter"
	"strings"

	"copydesk/core"

	"github.com/rivo/uniseg"
)

// A Cluster is one grapheme cluster of a row (UAX 29): its byte range in the
// line, the cell column it starts at, and how many cells it takes. Width is
// uniseg's, which is what the terminal library goes by: 0 for what has none, 1
// or 2 for nearly everything, more for long dashes and for syllables with
// several spacing marks. A tab is one cluster that reaches to the next tab stop.
type Cluster struct{ Start, End, Col, Width int }

// ellipsis stands for what Truncate leaves out.
const ellipsis = "…"

// Clusters yields the clusters of one row, columns counted from 0. Blanks that
// hang over the edge (see Wrap) are among them.
func Clusters(s string, r Row) iter.Seq[Cluster] {
	return func(yield func(Cluster) bool) {
		scan := scanner{src: s[:r.End], at: r.Start, state: -1}
		for scan.next() {
			if !yield(scan.Cluster) {
				return
			}
		}
	}
}

// Width returns how many cells a one-line text takes, tabs expanded from
// column 0.
func Width(s string) int {
	if isNarrow(s) {
		return len(s)
	}
	scan := scanner{src: s, state: -1}
	for scan.next() {
	}
	return scan.col
}

// Truncate cuts a one-line text to at most width cells. Where it cuts it ends
// in …, for which there is room in one cell. A width below 1 leaves nothing.
func Truncate(s string, width int) string {
	if len(s) <= width && isNarrow(s) {
		return s
	}
	room := width - uniseg.StringWidth(ellipsis)
	keep := 0
	scan := scanner{src: s, state: -1}
	for scan.next() {
		if scan.col > width {
			if room < 0 {
				return ""
			}
			return strings.TrimRight(s[:keep], " \t") + ellipsis
		}
		if scan.col <= room {
			keep = scan.End
		}
	}
	return s
}

// A scanner goes through the clusters of a row. The embedded cluster is the
// newest one.
type scanner struct {
	Cluster
	src   string // up to the end of the row
	at    int    // where the next cluster starts
	col   int    // and its column
	state int    // of uniseg; -1 where it knows nothing of what was before
}

func (c *scanner) next() bool {
	if c.at >= len(c.src) {
		return false
	}
	b := c.src[c.at]
	size, width := 1, 1
	switch {
	case b >= 0x7f, b < ' ' && b != '\t', c.at+1 < len(c.src) && c.src[c.at+1] >= 0x80:
		var cluster string
		cluster, _, width, c.state = uniseg.FirstGraphemeClusterInString(c.src[c.at:], c.state)
		size = len(cluster)
		if cluster == "\t" {
			width = core.TabStop - c.col%core.TabStop
		}
	case b == '\t':
		width, c.state = core.TabStop-c.col%core.TabStop, -1
	default: // ASCII before ASCII needs no table
		c.state = -1
	}
	c.Cluster = Cluster{Start: c.at, End: c.at + size, Col: c.col, Width: width}
	c.at += size
	c.col += width
	return true
}

// skipWord goes on to the end of a word of ASCII, or to a column, without a stop
// at each cluster. The newest cluster is then not the last one passed. It
// reports whether it moved.
func (c *scanner) skipWord(col int) bool {
	from := c.at
	for c.at < len(c.src) && c.col < col && c.src[c.at] > ' ' && c.src[c.at] < 0x7f &&
		(c.at+1 == len(c.src) || c.src[c.at+1] < 0x80) {
		c.at++
		c.col++
	}
	if c.at == from {
		return false
	}
	c.state = -1
	return true
}

// isNarrow reports whether a text is printable ASCII: as many cells as bytes.
func isNarrow(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] >= 0x7f {
			return false
		}
	}
	return true
}
