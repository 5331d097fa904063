package desk

import (
	"math"
	"slices"
	"strings"

	"copydesk/core/panel"
	"copydesk/core/pick"
)

// An exchange is what the user sent and what came of it: two turns of the
// session, and the panel lines from first up to end.
type exchange struct {
	first, end uint64
	turn       int // index of the user's turn
}

// stillOpen is the end of an exchange whose turn runs.
const stillOpen = math.MaxUint64

// begin notes that the user's newest turn starts at a panel line. The lock is
// held.
func (p *Pane) begin(first uint64) {
	p.exchanges = slices.DeleteFunc(p.exchanges, func(x exchange) bool { return x.end <= p.panel.First() })
	p.exchanges = append(p.exchanges, exchange{first, stillOpen, len(p.session.Turns()) - 1})
}

// end notes that the newest exchange is over. The lock is held.
func (p *Pane) end() { p.exchanges[len(p.exchanges)-1].end = p.panel.Next() }

// Things lists what can be copied of what is in view from one place of the panel
// up to another. The answer of a turn that still runs is not among it.
func (p *Pane) Things(from, to panel.Position) []pick.Thing {
	p.mu.Lock()
	defer p.mu.Unlock()
	turns := p.session.Turns()
	var seen []pick.Exchange
	for _, x := range p.exchanges {
		if x.end == stillOpen || x.end <= from.Line || x.first > to.Line {
			continue
		}
		seen = append(seen, pick.Exchange{
			First: x.first, End: x.end, Answer: turns[x.turn+1].Content, Whole: p.session.Part(x.turn, x.turn+2),
		})
	}
	first, lines := p.panel.Lines()
	return pick.InView(pick.Find(first, lines, seen, p.details.part), from, to)
}

// Copied remembers the text of a copy, for one that is to be added to it. It is
// one memory for all panes of the desk.
func (p *Pane) Copied(content string) {
	p.desk.mu.Lock()
	defer p.desk.mu.Unlock()
	p.desk.copied = content
}

// Picked is the copy of a thing, which is named in words. With added set its text comes after that of the
// last copy, on a line of its own; without one it stands alone.
func (p *Pane) Picked(what, content string, added bool) Capture {
	p.desk.mu.Lock()
	before := p.desk.copied
	p.desk.mu.Unlock()
	if added && before != "" {
		content = strings.TrimSuffix(before, "\n") + "\n" + content
		what += " added"
	}
	return Capture{Text: content, Said: saidOf(lineCount(content)), Notes: []string{what}}
}
