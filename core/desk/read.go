package desk

import (
	"context"
	"iter"
	"log/slog"

	"copydesk/core/panel"
	"copydesk/core/record"
	"copydesk/core/session"
)

// pastLines is how many lines of a session are kept while it is read, at most:
// some that are older can still get another mark.
const pastLines = 32 << 10

// pieceBytes is how much of a text is read at once, so that what it adds has
// room among those lines.
const pieceBytes = 8 << 10

// A Line is a line of a session as its panel shows it, or showed it.
type Line struct {
	Number uint64
	panel.Shown
}

// Lines are all lines of a session, oldest first, also those that its panel no
// longer keeps. They are made anew from the records, as they were in the end;
// of a session in which something was open that is closed as after a restart.
// The lines have the numbers that they have in the panel.
func Lines(d Deps, records iter.Seq2[record.Record, error]) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		p := reader(d, pastLines)
		back := newPast(p)
		next := uint64(0)
		flush := func(end uint64) bool {
			for ; next < end; next++ {
				if shown, ok := p.panel.Shown(next); ok && !yield(Line{next, shown}, nil) {
					return false
				}
			}
			return true
		}
		for r, err := range records {
			if err != nil {
				yield(Line{}, err)
				return
			}
			for e := range pieces(r.Entry) {
				back.add(e)
				if at := p.panel.Next(); at > next+pastLines/2 && !flush(at-pastLines/4) {
					return
				}
			}
		}
		back.conclude(nil)
		flush(p.panel.Next())
	}
}

// pieces are the parts of a long text, or else the entry itself.
func pieces(e record.Entry) iter.Seq[record.Entry] {
	return func(yield func(record.Entry) bool) {
		said, _ := e.(record.Said)
		words, ok := said.Event.(session.Text)
		for ok && len(words.Chunk) > pieceBytes {
			said.Event = session.Text{Chunk: words.Chunk[:pieceBytes]}
			if !yield(said) {
				return
			}
			words.Chunk = words.Chunk[pieceBytes:]
			said.Event = words
			e = said
		}
		yield(e)
	}
}

// reader is a pane that only reads a session.
func reader(d Deps, lines int) *Pane {
	d.Log, d.PanelLines = slog.New(slog.DiscardHandler), lines
	return emptyPane(New(d), lines)
}

// A Past is a stored session, as it would come back.
type Past struct {
	Seat     record.Seat // its last agent
	Turns    []session.Turn
	Markdown string // of all turns
	Panel    string // the whole panel as shown, lines joined by LF
	Lines    []panel.Shown
}

// Read reads a stored session. The panel has the last lines of it, as many as a
// panel keeps.
func Read(d Deps, records iter.Seq2[record.Record, error]) (Past, error) {
	p := reader(d, d.PanelLines)
	back := newPast(p)
	var failed error
	for r, err := range records {
		if err != nil {
			failed = err
			break
		}
		back.add(r.Entry)
	}
	back.conclude(nil)
	out := Past{Turns: p.session.Turns(), Markdown: p.session.Markdown()}
	if p.seat != nil {
		out.Seat = p.seat.record()
	}
	out.Panel, _ = p.panel.All()
	_, _, out.Lines = p.panel.Since(0)
	return out, failed
}

// Earlier are the lines of the pane's session that its panel no longer keeps,
// oldest first. They are read from the journal, which takes its time: it must
// not be done where nobody may wait. Without a journal there are none.
func (p *Pane) Earlier(ctx context.Context) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		p.mu.Lock()
		first := p.panel.First()
		p.mu.Unlock()
		if p.journal == nil || first == 0 {
			return
		}
		for line, err := range Lines(p.desk.deps, p.journal.Records(ctx)) {
			if err == nil && line.Number >= first || !yield(line, err) {
				return
			}
		}
	}
}
