package view

import (
	"copydesk/core/panel"
	"copydesk/core/text"
)

// lineHits is how many places of one line are found, at most.
const lineHits = 1000

// A finder is what is looked for in the kept lines, as they are shown. What a
// line holds of it is found when the line is asked for, and kept until the line
// or the pattern changes.
type finder struct {
	pattern text.Pattern // empty: nothing is looked for
	serial  int          // counts the patterns
	at      panel.Position
	chosen  bool // at is a place that was found

	follow bool // how the panel stood when the search began
	anchor panel.Position
}

// found is what a line holds of the pattern with a serial.
type found struct {
	places []text.Row
	serial int
}

// Finding reports whether something is looked for.
func (v *Panel) Finding() bool { return !v.finder.pattern.Empty() }

// Find looks for a pattern, and goes to the nearest place at or above where the
// search began: what is in view then. An empty one finds nothing, and leaves the
// search going.
func (v *Panel) Find(p text.Pattern) {
	f := &v.finder
	if !v.Finding() && f.serial == 0 {
		f.follow, f.anchor = v.follow, v.anchor
	}
	f.pattern, f.chosen = p, false
	f.serial++
	v.follow, v.anchor = f.follow, f.anchor
	v.hold()
	_, to, ok := v.View()
	if !ok || p.Empty() {
		return
	}
	f.at = panel.Position{Line: to.Line, Byte: len(v.line(to.Line).Text) + 1}
	if !v.FindNext(true) {
		v.FindNext(false)
	}
}

// EndFind ends the search. With back set what was in view when it began is in
// view again.
func (v *Panel) EndFind(back bool) {
	if back && v.finder.serial > 0 {
		v.follow, v.anchor = v.finder.follow, v.finder.anchor
		v.hold()
	}
	v.finder = finder{}
}

// FindNext goes to the place before the chosen one, or without older to the one
// after it, and reports whether there is one.
func (v *Panel) FindNext(older bool) bool {
	f := &v.finder
	if f.pattern.Empty() || len(v.lines) == 0 {
		return false
	}
	at := f.at
	if at.Line < v.first || at.Line >= v.end() { // what was chosen has gone
		at = panel.Position{Line: v.first}
	}
	for n := at.Line; ; {
		if p, ok := v.nextIn(n, at, older); ok {
			f.at, f.chosen = panel.Position{Line: n, Byte: p.Start}, true
			v.show(f.at)
			return true
		}
		switch {
		case older && n > v.first:
			n--
		case !older && n+1 < v.end():
			n++
		default:
			return false
		}
	}
}

// nextIn is the place in a line that is nearest to another one, on its one side.
func (v *Panel) nextIn(n uint64, from panel.Position, older bool) (text.Row, bool) {
	places := v.hits(n)
	if older {
		for i := len(places) - 1; i >= 0; i-- {
			if n < from.Line || places[i].Start < from.Byte {
				return places[i], true
			}
		}
		return text.Row{}, false
	}
	for _, p := range places {
		if n > from.Line || p.Start > from.Byte {
			return p, true
		}
	}
	return text.Row{}, false
}

// hits are where a line holds what is looked for.
func (v *Panel) hits(n uint64) []text.Row {
	l := v.line(n)
	if v.finder.pattern.Empty() {
		return nil
	}
	if l.found.serial != v.finder.serial {
		l.found = found{v.finder.pattern.All(l.Text, lineHits), v.finder.serial}
	}
	return l.found.places
}

// Found says how many places there are in the kept lines, and the how-manieth of
// them, from the oldest on, is chosen; 0: none is.
func (v *Panel) Found() (at, count int) {
	if v.finder.pattern.Empty() {
		return 0, 0
	}
	for n := v.first; n < v.end(); n++ {
		for _, p := range v.hits(n) {
			count++
			if v.finder.chosen && v.finder.at == (panel.Position{Line: n, Byte: p.Start}) {
				at = count
			}
		}
	}
	return at, count
}

// show brings a place into view: a third below the top, unless it is there.
func (v *Panel) show(at panel.Position) {
	width, height := v.page()
	if height == 0 {
		return
	}
	row := pos{at.Line, v.line(at.Line).rowAt(at.Byte, width)}
	if v.inView(row) {
		if v.follow && v.top() != (pos{line: v.first}) { // else nothing can move it
			v.stayAt(v.top())
		}
		return
	}
	v.stayAt(v.up(row, height/3))
}
