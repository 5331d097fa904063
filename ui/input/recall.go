package input

import (
	"unicode/utf8"

	"copydesk/core/text"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/tview"
)

// A recall is a search in the history while words are typed (SES 4). What is
// found stands in the field, with the found part selected.
type recall struct {
	words   string
	forward bool
	at      int      // what is shown: an index of the history, or its length for the draft
	draft   string   // the field before
	place   text.Row // what of the field has the words; empty where that is folded
	missing bool     // nothing else has the words; what is shown is the last that had them
}

// Recalling reports whether the history is being searched.
func (f *Field) Recalling() bool { return f.recall != nil }

// Recall begins a search in the history, back from the newest entry. While one
// goes on it goes to the next entry that has the words: the one before, or with
// forward set the one after.
func (f *Field) Recall(forward bool) {
	r := f.recall
	if r == nil {
		f.recall = &recall{forward: forward, at: len(f.history), draft: f.GetText()}
		f.label()
		return
	}
	r.forward = forward
	by := -1
	if forward {
		by = 1
	}
	f.seek(r.at+by, by)
}

// RecallType adds to the words, RecallBackspace takes the last character away.
func (f *Field) RecallType(s string) {
	r := f.recall
	r.words += text.CleanLine(s)
	f.seek(min(r.at, len(f.history)-1), -1)
}

// RecallBackspace widens the search: it begins anew from the newest entry.
func (f *Field) RecallBackspace() {
	r := f.recall
	_, size := utf8.DecodeLastRuneInString(r.words)
	r.words = r.words[:len(r.words)-size]
	if r.words == "" {
		r.at, r.missing, r.place = len(f.history), false, text.Row{}
		f.SetText(r.draft, true)
		f.label()
		return
	}
	f.seek(len(f.history)-1, -1)
}

// RecallEnd ends the search. What was found stays in the field, or the draft
// comes back.
func (f *Field) RecallEnd(keep bool) {
	r := f.recall
	if r == nil {
		return
	}
	f.recall = nil
	f.label()
	if !keep || r.at == len(f.history) {
		f.SetText(r.draft, true)
		f.at = len(f.history)
		return
	}
	f.draft, f.at = r.draft, r.at // Down goes on to the draft
	if r.place.End > 0 {
		f.Select(r.place.End, r.place.End)
	}
}

// Draw draws the field, with what was searched marked. The text area forgets a
// selection when its width changes, and the words stand in front of it.
func (f *Field) Draw(screen tcell.Screen) {
	f.TextArea.Draw(screen)
	if r := f.recall; r != nil && r.place.End > 0 {
		f.Select(r.place.Start, r.place.End)
		f.TextArea.Draw(screen)
	}
}

// seek shows the first entry with the words, from one on by steps of by.
func (f *Field) seek(from, by int) {
	r := f.recall
	defer f.label()
	if r.words == "" {
		return
	}
	for i := from; i >= 0 && i < len(f.history); i += by {
		found, ok := text.NewPattern(r.words).First(f.history[i], 0)
		if !ok {
			continue
		}
		r.at, r.missing, r.place = i, false, found
		shown := f.show(i)
		if f.SetText(shown, true); shown != f.history[i] {
			r.place = text.Row{}
		}
		return
	}
	r.missing = true
}

// label shows in front of the field what it is for.
func (f *Field) label() {
	f.prompt = f.glyph
	if r := f.recall; r != nil {
		f.prompt = "history, back: "
		if r.forward {
			f.prompt = "history, on: "
		}
		if r.missing {
			f.prompt = "not in the history: "
		}
		f.prompt += text.Truncate(r.words, recallCells) + " " + f.glyph
	}
	f.SetLabel(tview.Escape(f.prompt))
}

// recallCells is how much of the words is shown.
const recallCells = 24
