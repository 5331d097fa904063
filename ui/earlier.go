package ui

import (
	"context"
	"fmt"
	"time"

	"copydesk/core/text"
	"copydesk/ui/dialog"
	"copydesk/ui/keys"
)

const (
	// earlierAfter is how long after a key the lines that have left the panel
	// are searched: they are read from the disk.
	earlierAfter = 300 * time.Millisecond
	// earlierHits is how many places there are counted, at most.
	earlierHits = 10_000
	// earlierLines is how many lines are read on either side of a place.
	earlierLines = 400
	// earlierEvery is after how many lines the count is shown anew.
	earlierEvery = 20_000
)

// earlier is a search in the lines of a session that its panel no longer keeps.
type earlier struct {
	stop  func()   // the timer's, or the search's
	hits  []uint64 // the numbers of lines that have the words, the oldest first
	lines uint64
	done  bool
	full  bool // there are more
	at    int  // the one of the hits that was asked for last
}

// counted says how much is found: "240 earlier".
func (e *earlier) counted(ellipsis string) string {
	switch n := len(e.hits); {
	case e.full:
		return fmt.Sprintf("%d+ earlier", n)
	case !e.done:
		return fmt.Sprintf("%d%s earlier", n, ellipsis)
	default:
		return fmt.Sprintf("%d earlier", n)
	}
}

// stopEarlier ends the search in the lines that have left the panel.
func (a *App) stopEarlier() {
	if e := a.find.earlier; e != nil {
		e.stop()
		a.find.earlier = nil
	}
}

// findEarlier begins that search, a little later.
func (a *App) findEarlier() {
	a.stopEarlier()
	t, pattern := a.tab, text.NewPattern(a.find.words)
	if pattern.Empty() || t.panel.First() == 0 || t.state.Session == "" {
		return
	}
	e := &earlier{}
	a.find.earlier = e
	ctx, cancel := context.WithCancel(a.ctx)
	wait := a.afterOnUI(earlierAfter, func() {
		a.deps.Go(func() { a.searchEarlier(ctx, t, e, pattern) })
	})
	e.stop = func() { wait(); cancel() }
}

// searchEarlier reads the lines off the UI goroutine.
func (a *App) searchEarlier(ctx context.Context, t *tab, e *earlier, pattern text.Pattern) {
	var hits []uint64
	lines, full := uint64(0), false
	show := func(done bool) {
		found, n, all := hits[:len(hits):len(hits)], lines, full
		a.post(func() {
			if ctx.Err() == nil {
				e.hits, e.lines, e.done, e.full = found, n, done, all
			}
		})
	}
	for line, err := range t.pane.Earlier(ctx) {
		if err != nil || ctx.Err() != nil {
			break
		}
		lines = line.Number + 1
		if _, ok := pattern.First(line.Text, 0); ok {
			if full = len(hits) == earlierHits; full {
				hits = hits[1:] // the newest are the nearest
			}
			hits = append(hits, line.Number)
		}
		if lines%earlierEvery == 0 {
			show(false)
		}
	}
	show(true)
}

// readEarlier shows the lines around one of the places, counted from the oldest;
// -1 is the newest of them.
func (a *App) readEarlier(hit int) {
	e := a.find.earlier
	if hit < 0 {
		hit = len(e.hits) - 1
	}
	switch {
	case !e.done:
		a.say("The lines before these are being searched. Press it once more in a moment.", false)
	case len(e.hits) == 0:
		a.say("There is nothing older.", false)
	default:
		a.openEarlier(hit)
	}
}

// turnEarlier goes on to another one of the places: by 1 to a newer one.
func (a *App) turnEarlier(v *earlierView, by int) {
	if a.find == nil || a.find.earlier == nil {
		return
	}
	switch e := a.find.earlier; {
	case e.at+by < 0:
		a.say("There is nothing older.", false)
	case e.at+by >= len(e.hits):
		a.drop(v) // what is newer is in the panel
	default:
		a.openEarlier(e.at + by)
	}
}

// openEarlier reads the lines around a place and shows them, in place of those
// that were shown.
func (a *App) openEarlier(hit int) {
	t, e, words := a.tab, a.find.earlier, a.find.words
	e.at = hit
	number, count := e.hits[hit], e.lines
	var lines []text.Line
	first := number - min(number, earlierLines)
	a.begin("Reading the lines before these…", func() error {
		for line, err := range t.pane.Earlier(a.ctx) {
			switch {
			case err != nil:
				return err
			case line.Number > number+earlierLines:
				return nil
			case line.Number >= first:
				lines = append(lines, marked(line.Line, text.NewPattern(words)))
			}
		}
		return nil
	}, func(err error) {
		if err != nil {
			a.say(whole(err), true)
			return
		}
		before, reading := a.stack.Top().(*earlierView)
		if t != a.tab || a.find == nil || e.at != hit || !reading && a.stack.Top() != nil {
			return // the user has gone on
		}
		v := &earlierView{app: a}
		title := fmt.Sprintf("Lines %d to %d of %d that have left the panel (%s older, %s newer)",
			first+1, first+uint64(len(lines)), count, a.Keys.Label(keys.FindNext), a.Keys.Label(keys.FindPrevious))
		v.Reader = dialog.NewReader(title, lines, dialog.ReaderDeps{
			Theme: a.Theme, Keys: a.Keys, Copy: a.copyText, Close: func() { a.drop(v) },
		})
		v.GoTo(int(number - first))
		if reading {
			a.stack.Remove(before)
		}
		a.push(v)
	})
}

// marked is a line with what was found in it to be seen.
func marked(l text.Line, p text.Pattern) text.Line {
	places := p.All(l.Text, 100)
	if len(places) == 0 {
		return l
	}
	out := text.Line{Text: l.Text}
	at := 0
	put := func(to int, style func(text.Style) text.Style) {
		for at < to {
			s, n := styleOf(l.Spans, at)
			n = min(n, to-at)
			out.Spans = append(out.Spans, text.Span{Len: n, Style: style(s)})
			at += n
		}
	}
	for _, place := range places {
		put(place.Start, func(s text.Style) text.Style { return s })
		put(place.End, func(text.Style) text.Style { return text.Warning | text.Bold | text.Underline })
	}
	put(len(l.Text), func(s text.Style) text.Style { return s })
	return out
}

// styleOf is the style of a byte, and for how many bytes it holds.
func styleOf(spans []text.Span, at int) (text.Style, int) {
	for _, s := range spans {
		if at < s.Len {
			return s.Style, s.Len - at
		}
		at -= s.Len
	}
	return text.Plain, 1 << 30
}
