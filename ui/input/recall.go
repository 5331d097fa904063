package input

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"copydesk/core/text"

	"github.com/rivo/tview"
)

// A recall is a search in the history while words are typed (SES 4). What is
// found stands in the field, with the found part selected.
type recall struct {
	words   string
	forward bool
	at      int    // what is shown: an index of the history, or its length for the draft
	draft   string // the field before
	missing bool   // nothing else has the words; what is shown is the last that had them
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
		r.at, r.missing = len(f.history), false
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
	_, _, end := f.GetSelection()
	f.Select(end, end)
}

// seek shows the first entry with the words, from one on by steps of by.
func (f *Field) seek(from, by int) {
	r := f.recall
	defer f.label()
	if r.words == "" {
		return
	}
	for i := from; i >= 0 && i < len(f.history); i += by {
		start, end, ok := find(f.history[i], r.words)
		if !ok {
			continue
		}
		r.at, r.missing = i, false
		shown := f.show(i)
		f.SetText(shown, true)
		if shown == f.history[i] {
			f.Select(start, end)
		}
		return
	}
	r.missing = true
}

// find is where a text has words first. Words without a capital match both
// cases.
func find(s, words string) (start, end int, ok bool) {
	if strings.ContainsFunc(words, unicode.IsUpper) {
		start = strings.Index(s, words)
		return start, start + len(words), start >= 0
	}
	for start = range s {
		if end, ok = prefixFold(s[start:], words); ok {
			return start, start + end, true
		}
	}
	return 0, 0, false
}

// prefixFold reports whether s begins with words in any case, and with how many
// bytes.
func prefixFold(s, words string) (length int, ok bool) {
	rest := s
	for _, want := range words {
		got, size := utf8.DecodeRuneInString(rest)
		if size == 0 || unicode.ToLower(got) != unicode.ToLower(want) {
			return 0, false
		}
		rest = rest[size:]
	}
	return len(s) - len(rest), true
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
