package ui

import (
	"context"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"copydesk/core/record"
	"copydesk/core/text"
	"copydesk/ui/dialog"
	"copydesk/ui/keys"
)

const (
	hitsShown = 2000                   // of a search
	hitBytes  = 1 << 10                // kept of a line, on each side of the first word
	findRest  = 250 * time.Millisecond // after a key before a search begins anew
)

// A hitList lists where words stand in the stored sessions, while the search goes
// on. What is typed changes the words.
type hitList struct {
	shelf
	hits     []record.Hit
	sessions map[string]bool // with hits
	all      bool            // the search is over
	more     bool            // it ended because there were too many
	words    string          // that are searched
	end      context.CancelFunc
	rest     func() // stops the timer after which words are searched
}

// findStored looks for words in the text of all sessions.
func (a *App) findStored(words string) {
	if !a.storable() {
		return
	}
	l := &hitList{shelf: a.newShelf(), end: func() {}, rest: func() {}}
	l.self = l
	l.Browser = dialog.NewBrowser("Search in all sessions", dialog.BrowserDeps{
		Theme: a.Theme, Keys: a.Keys,
		Entry:  l.entry,
		Typed:  l.typed,
		Moved:  func() {},
		Status: l.status,
		Empty:  l.empty,
		Hints:  l.hints,
		Do:     l.do,
		Pick:   l.pick,
		Close:  func() { a.drop(l) },
		Plain:  true,
	})
	l.SetQuery(strings.Join(strings.Fields(words), " "))
	l.rest()
	l.begin()
	a.push(l)
}

// pick opens the session of a hit, at what was found.
func (l *hitList) pick(i int) {
	h := l.hits[i]
	if l.sought = ""; len(h.Where) > 0 {
		l.sought = h.Text[h.Where[0][0]:h.Where[0][1]]
	}
	l.open(h.Summary)
}

// gone is called when the list has left the screen: the search ends at once.
func (l *hitList) gone() {
	l.rest()
	l.end()
	l.stop()
}

// typed ends the search for other words, and begins anew when no key has come
// for a while.
func (l *hitList) typed() {
	l.rest()
	l.end()
	l.rest = l.app.afterOnUI(findRest, l.begin)
}

// begin searches what is typed, off the UI goroutine.
func (l *hitList) begin() {
	if l.ctx.Err() != nil {
		return
	}
	l.end()
	l.Reset()
	l.hits, l.sessions, l.more = nil, map[string]bool{}, false
	l.words = strings.TrimSpace(l.Query())
	if l.all = l.words == ""; l.all {
		return
	}
	ctx, end := context.WithCancel(l.ctx)
	words := l.words
	l.end = end
	l.app.deps.Go(func() { l.fill(ctx, words) })
}

// fill takes the hits of a search as they come, as many as are shown. A session
// that cannot be read does not keep the others' hits away.
func (l *hitList) fill(ctx context.Context, words string) {
	f := &feed[record.Hit]{app: l.app, first: 1, take: func(batch []record.Hit) {
		if ctx.Err() != nil {
			return
		}
		for _, h := range batch {
			l.sessions[h.ID] = true
		}
		l.hits = append(l.hits, batch...)
		l.Grow(len(l.hits))
	}}
	n, more := 0, false
	var failed error
	for h, err := range l.app.deps.Sessions.Search(ctx, words) {
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			if failed == nil {
				failed = err
			}
			continue
		}
		if more = n == hitsShown; more {
			break
		}
		n++
		h.Summary = cleanSummary(h.Summary)
		f.add(around(h))
	}
	f.end(func() {
		if ctx.Err() != nil {
			return
		}
		l.all, l.more = true, more
		if failed != nil {
			l.Warn("Not everything could be searched: " + whole(failed))
		}
	})
}

// around is a hit with no more of its line than is shown at most: what stands
// around the first word.
func around(h record.Hit) record.Hit {
	h.Who = text.CleanLine(bounded(h.Who, summaryBytes))
	where := h.Where[:0:0]
	for _, w := range h.Where { // what is no range in order marks nothing
		if last := len(where) - 1; w[0] >= 0 && w[0] < w[1] && w[1] <= len(h.Text) && (last < 0 || where[last][1] <= w[0]) {
			where = append(where, w)
		}
	}
	h.Where = where
	if len(h.Text) <= 2*hitBytes {
		return h
	}
	from := 0
	if len(where) > 0 {
		from = max(0, where[0][0]-hitBytes)
	}
	for from > 0 && !utf8.RuneStart(h.Text[from]) {
		from--
	}
	h.Text = bounded(h.Text[from:], 2*hitBytes)
	h.Where = nil
	for _, w := range where {
		if w[1]-from <= len(h.Text) {
			h.Where = append(h.Where, [2]int{w[0] - from, w[1] - from})
		}
	}
	return h
}

// entry composes a hit's rows: the line around the first word, and below that
// where it stands.
func (l *hitList) entry(i, width int) [dialog.EntryRows]text.Line {
	h := l.hits[i]
	below := newRow(l.app.Theme, width)
	l.openIn(below, h.ID)
	rest := ""
	for _, s := range []string{h.Who, when(h.Updated, l.app.deps.Now())} {
		if s != "" {
			rest += l.dot() + s
		}
	}
	below.add(truncated(l.app.Theme, titled(h.Summary), max(8, below.room-text.Width(rest))), text.Muted)
	below.add(rest, text.Muted)
	return [dialog.EntryRows]text.Line{l.found(h, width), below.line()}
}

// found is a hit's line, cut so that the first word is in view, with the words
// marked.
func (l *hitList) found(h record.Hit, width int) text.Line {
	row, at := newRow(l.app.Theme, width), 0
	if len(h.Where) > 0 {
		if at = before(h.Text, h.Where[0], width); at > 0 {
			row.add(l.app.Theme.Glyphs().Ellipsis, text.Muted)
		}
	}
	for _, w := range h.Where {
		row.add(h.Text[at:w[0]], text.Plain)
		row.add(h.Text[w[0]:w[1]], text.Info|text.Bold|text.Underline)
		at = w[1]
	}
	row.add(h.Text[at:], text.Plain)
	return row.line()
}

// before is where a line begins to be shown so that a word in it is in view, and
// a third of the width before it.
func before(s string, word [2]int, width int) int {
	if text.Width(s[:word[1]]) <= width {
		return 0
	}
	room := max(0, min(width/3, width-1-text.Width(s[word[0]:word[1]])))
	to := text.Width(s[:word[0]])
	for c := range text.Clusters(s, text.Row{End: word[0]}) {
		if to-c.Col <= room {
			return c.Start
		}
	}
	return word[0]
}

// status says how many hits there are, and whether the search goes on.
func (l *hitList) status() []string {
	n, e := counted(len(l.hits), "hit"), l.app.Theme.Glyphs().Ellipsis
	in := n + " in " + counted(len(l.sessions), "session")
	switch {
	case l.more:
		n = fmt.Sprintf("more than %d", hitsShown)
		return []string{n + " hits in " + counted(len(l.sessions), "session"), n}
	case l.words == "":
		return nil
	case l.all:
		return []string{in, n}
	}
	return []string{in + ", still searching" + e, n + e}
}

func (l *hitList) empty() string {
	switch {
	case l.words == "":
		return "Type the words to look for. \"In quotes\" they stand together."
	case !l.all:
		return "Searching" + l.app.Theme.Glyphs().Ellipsis
	}
	return "No session has these words."
}

func (l *hitList) hints() []string {
	var hints []string
	for _, k := range []struct {
		action keys.Action
		does   string
	}{{keys.Confirm, "opens the session"}, {keys.ReadOnly, "reads it"}, {keys.ListClose, "closes"}} {
		if label := l.app.Keys.Label(k.action); label != "" && (l.Found() > 0 || k.action == keys.ListClose) {
			hints = append(hints, label+" "+k.does)
		}
	}
	return hints
}

// do does what else a key can do in the list.
func (l *hitList) do(action keys.Action) bool {
	i, ok := l.Selected()
	switch {
	case action == keys.SearchText:
		l.rest()
		l.begin()
	case action != keys.ReadOnly:
		return false
	case ok:
		l.read(l.hits[i].Summary)
	}
	return true
}
