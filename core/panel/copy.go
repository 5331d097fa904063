package panel

import "strings"

// All returns the whole panel as it is shown, its lines joined by LF, and how
// many lines that is (R3).
func (p *Panel) All() (string, int) {
	p.pull()
	return p.join(p.First())
}

// Last returns the panel from the newest echo line to its end, which is what
// the last command has shown (R3 with its boundary note). Of an echo longer than
// the panel it begins with what is left. Without an echo line it is nothing.
func (p *Panel) Last() (string, int) {
	p.pull()
	first := p.next
	for n := p.next; n > p.First(); n-- {
		l, _ := p.Line(n - 1)
		if l.Kind != Echo {
			continue
		}
		if first = n - 1; !l.More {
			break
		}
	}
	return p.join(first)
}

func (p *Panel) join(from uint64) (string, int) {
	count := int(p.next - from)
	if count == 0 {
		return "", 0
	}
	size := count - 1
	for n := from; n < p.next; n++ {
		size += len(p.slots[n%uint64(len(p.slots))].shown.Text)
	}
	var b strings.Builder
	b.Grow(size)
	for n := from; n < p.next; n++ {
		if n > from {
			b.WriteByte('\n')
		}
		b.WriteString(p.slots[n%uint64(len(p.slots))].shown.Text)
	}
	return b.String(), count
}
