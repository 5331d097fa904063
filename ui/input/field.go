// Package input is the field in which the user writes: several lines, a history
// that can be searched, and completion. Everything in it belongs to the UI goroutine.
package input

import (
	"fmt"
	"slices"
	"strings"

	"copydesk/core"
	"copydesk/core/text"
	"copydesk/ui/theme"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/tview"
)

// foldBytes is the size from which a paste is shown as one token instead of its
// text: a text area of megabytes would hold up every key.
const foldBytes = 16 << 10

// historyLimit is how many messages the history holds.
const historyLimit = core.HistoryEntries + 200

// A Field is the input field. The zero value is not usable.
type Field struct {
	*tview.TextArea
	glyph   string // of the prompt
	prompt  string // all that stands before the text
	hint    string // what it says while it is empty
	history []string
	own     int               // how many of them are of this run
	recall  *recall           // the search in the history; nil: none goes on
	at      int               // what is shown: an index of history, or its length for the draft
	draft   string            // the draft while history is shown
	folded  map[string]string // what the tokens of large pastes stand for
	pasted  int               // large pastes so far
	onPaste func()
}

// New makes an empty field. onPaste is called before a paste goes in; it may be
// nil.
func New(th *theme.Theme, onPaste func()) *Field {
	f := &Field{TextArea: tview.NewTextArea(), folded: map[string]string{}, onPaste: onPaste}
	f.SetTheme(th)
	return f
}

// SetTheme changes how the field looks.
func (f *Field) SetTheme(th *theme.Theme) {
	f.glyph = th.Glyphs().Prompt + " "
	f.label()
	f.SetLabelStyle(th.Element(theme.InputPrompt))
	f.SetTextStyle(th.Element(theme.InputText))
	f.SetPlaceholderStyle(th.Element(theme.InputHint))
	f.SetSelectedStyle(th.Element(theme.Selected))
	f.SetBackgroundColor(tcell.ColorDefault)
}

// Text is what the field holds, with folded pastes as they were.
func (f *Field) Text() string { return f.unfold(f.GetText()) }

func (f *Field) unfold(s string) string {
	if len(f.folded) == 0 {
		return s
	}
	pairs := make([]string, 0, 2*len(f.folded))
	for token, paste := range f.folded {
		pairs = append(pairs, token, paste)
	}
	return strings.NewReplacer(pairs...).Replace(s)
}

// Blank is true when the field holds nothing but white space: that is no draft
// (REQ 5). A search in the history is one: somebody types.
func (f *Field) Blank() bool { return f.recall == nil && strings.TrimSpace(f.GetText()) == "" }

// Empty is true when the field holds nothing at all.
func (f *Field) Empty() bool { return f.GetTextLength() == 0 }

// Put replaces what the field holds and sets the cursor behind it. A large text
// is folded.
func (f *Field) Put(s string) {
	if len(s) > foldBytes {
		s = f.fold(s)
	}
	f.SetText(s, true)
	f.at = len(f.history)
}

// Take empties the field, adds what it held to the history and returns it.
func (f *Field) Take() string {
	shown := f.GetText()
	whole := f.unfold(shown)
	f.Remember(shown)
	f.Put("")
	return whole
}

// Remember adds a text to the history, unless it is blank or the newest entry.
// Folded pastes stay folded there.
func (f *Field) Remember(shown string) {
	if strings.TrimSpace(shown) == "" {
		return
	}
	if n := len(f.history); n == 0 || f.history[n-1] != shown {
		f.history = append(f.history, shown)
		f.own++
	}
	if n := len(f.history); n > historyLimit {
		f.history = slices.Delete(f.history, 0, n-historyLimit)
	}
	f.at = len(f.history)
	f.forget()
}

// SetHistory puts what was sent in earlier runs before what was in this one. What
// is shown stays.
func (f *Field) SetHistory(earlier []string) {
	own := f.history[len(f.history)-min(f.own, len(f.history)):]
	by := len(earlier) + len(own) - len(f.history)
	f.history = slices.Concat(earlier, own)
	f.at = max(0, f.at+by)
	if f.recall != nil {
		f.recall.at = max(0, f.recall.at+by)
	}
}

// show is an entry of the history as the field shows it: a large one is folded.
func (f *Field) show(i int) string {
	if s := f.history[i]; len(s) > foldBytes {
		return f.fold(s)
	}
	return f.history[i]
}

// forget drops folded pastes that neither the field nor the history names.
func (f *Field) forget() {
	named := f.GetText() + "\x00" + f.draft + "\x00" + strings.Join(f.history, "\x00")
	for token := range f.folded {
		if !strings.Contains(named, token) {
			delete(f.folded, token)
		}
	}
}

// Previous shows the message before the one shown, and reports whether it did:
// only from the first line, and only while there is one.
func (f *Field) Previous() bool {
	if row, _, _, _ := f.GetCursor(); row > 0 || f.at == 0 {
		return false
	}
	if f.at == len(f.history) {
		f.draft = f.GetText()
	}
	f.at--
	f.SetText(f.show(f.at), true)
	return true
}

// Next shows the message after the one shown, at last the draft, and reports
// whether it did: only from the last line.
func (f *Field) Next() bool {
	if f.at >= len(f.history) || strings.Contains(f.AfterCursor(), "\n") {
		return false
	}
	f.at++
	shown := f.draft
	if f.at < len(f.history) {
		shown = f.show(f.at)
	}
	f.SetText(shown, true)
	return true
}

// BeforeCursor and AfterCursor are the text on either side of the cursor.
func (f *Field) BeforeCursor() string {
	_, start, _ := f.GetSelection()
	return f.GetText()[:start]
}

// AfterCursor is the text behind the cursor.
func (f *Field) AfterCursor() string {
	_, _, end := f.GetSelection()
	return f.GetText()[end:]
}

// Complete replaces the text from byte start to the cursor.
func (f *Field) Complete(start int, with string) {
	_, _, end := f.GetSelection()
	f.Replace(start, end, with)
	f.Select(start+len(with), start+len(with))
}

// Newline starts a new line at the cursor.
func (f *Field) Newline() { f.Insert("\n") }

// Insert puts a text in at the cursor.
func (f *Field) Insert(s string) {
	f.TextArea.PasteHandler()(s, func(tview.Primitive) {})
}

// SetPlaceholder sets what the field says while it is empty.
func (f *Field) SetPlaceholder(hint string) { f.hint = hint }

// Fit shows the field from its first row on when all of it has room, for the
// text area keeps the offset it had when it was smaller, and what it says while
// it is empty on one row.
func (f *Field) Fit(width, height int) {
	f.TextArea.SetPlaceholder(text.Truncate(f.hint, width-text.Width(f.prompt)-1))
	if f.Height(width, height+1) <= height {
		f.SetOffset(0, 0)
	}
}

// Height is how many rows the field wants in a width, at most limit.
func (f *Field) Height(width, limit int) int {
	inner := max(2, width-text.Width(f.prompt)-1)
	rows := 0
	for _, line := range strings.Split(f.GetText(), "\n") {
		if rows += len(text.Wrap(line, inner)); rows >= limit {
			return limit
		}
	}
	return rows
}

// PasteHandler puts a paste in at the cursor. A large one is folded into a
// token that stands for it.
func (f *Field) PasteHandler() func(string, func(tview.Primitive)) {
	return func(paste string, _ func(tview.Primitive)) {
		if f.onPaste != nil {
			f.onPaste()
		}
		if f.recall != nil {
			f.RecallType(strings.ReplaceAll(paste[:min(len(paste), foldBytes)], "\n", " "))
			return
		}
		// A paste that quotes a token is text, and stands for nothing else.
		for token := range f.folded {
			paste = strings.ReplaceAll(paste, token, strings.Replace(token, " ", "\u00a0", 1))
		}
		if len(paste) > foldBytes {
			paste = f.fold(paste)
		}
		f.Insert(paste)
	}
}

func (f *Field) fold(paste string) string {
	f.pasted++
	lines := strings.Count(strings.TrimSuffix(paste, "\n"), "\n") + 1
	token := fmt.Sprintf("[pasted text %d: %d KB, %d line(s)]", f.pasted, (len(paste)+1023)/1024, lines)
	f.folded[token] = paste
	return token
}
