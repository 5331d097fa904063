package panel

import (
	"strings"

	"copydesk/core/text"
)

// A Position is a place in the text of a panel: a line by its number, and a byte
// of its composed text. It means the same at every width.
type Position struct {
	Line uint64
	Byte int
}

// Before reports whether p comes before q in the text.
func (p Position) Before(q Position) bool {
	return p.Line < q.Line || p.Line == q.Line && p.Byte < q.Byte
}

// Cut returns the text between two positions, in either order: the lines as
// they are shown, joined by LF (CPY). The lines follow each other and the first
// one's number is first; a position that is not in them counts as the nearest
// one that is.
func Cut(first uint64, lines []Shown, from, to Position) string {
	if len(lines) == 0 {
		return ""
	}
	if to.Before(from) {
		from, to = to, from
	}
	from, to = within(first, lines, from), within(first, lines, to)
	start := lines[from.Line-first].Text
	if from.Line == to.Line {
		return start[from.Byte:to.Byte]
	}
	var b strings.Builder
	b.WriteString(start[from.Byte:])
	for _, l := range lines[from.Line-first+1 : to.Line-first] {
		b.WriteByte('\n')
		b.WriteString(l.Text)
	}
	b.WriteByte('\n')
	b.WriteString(lines[to.Line-first].Text[:to.Byte])
	return b.String()
}

func within(first uint64, lines []Shown, p Position) Position {
	last := first + uint64(len(lines)) - 1
	switch {
	case p.Line < first:
		return Position{Line: first}
	case p.Line > last:
		return Position{last, len(lines[last-first].Text)}
	}
	p.Byte = min(max(0, p.Byte), len(lines[p.Line-first].Text))
	return p
}

// Follow returns where a byte of a line's text is once the text has become
// another one: the same byte while only the end grew, moved along where the
// status changed what stands before it, and else the nearest place that did not
// change. The result is never inside a cluster.
func Follow(before, after string, at int) int {
	at = min(max(0, at), len(before))
	if at < len(before) && strings.HasPrefix(after, before) {
		return at
	}
	return text.Boundary(after, follow(before, after, at))
}

func follow(before, after string, at int) int {
	if strings.HasPrefix(after, before) {
		return at
	}
	lead, body, running := strings.Cut(before, runningPrefix)
	if running && strings.HasPrefix(after, lead) && strings.HasPrefix(after[len(lead):], body) {
		if at <= len(lead) {
			return at
		}
		return max(len(lead), at-len(runningPrefix))
	}
	same, most := 0, min(len(before), len(after))
	for same < most && before[same] == after[same] {
		same++
	}
	end := 0
	for end < most-same && before[len(before)-1-end] == after[len(after)-1-end] {
		end++
	}
	switch {
	case at <= same:
		return at
	case at >= len(before)-end:
		return at + len(after) - len(before)
	}
	return same
}
