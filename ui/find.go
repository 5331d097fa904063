package ui

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"copydesk/core/text"
	"copydesk/ui/dialog"
	"copydesk/ui/keys"
	"copydesk/ui/theme"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/tview"
)

// A find is a search in a tab's panel (PAN 5). It goes upwards, from what is in
// view to the oldest line, and beyond it to the lines that the panel no longer
// keeps.
type find struct {
	words   string
	typing  bool // the words have the keyboard
	earlier *earlier
}

// findBar is the row in which the words are typed, and which says how often they
// are there. It belongs to the tab that is shown.
type findBar struct {
	*tview.Box
	app *App
}

func newFindBar(a *App) *findBar {
	b := &findBar{Box: tview.NewBox(), app: a}
	b.SetBackgroundColor(tcell.ColorDefault)
	return b
}

// Draw draws the bar.
func (b *findBar) Draw(screen tcell.Screen) {
	b.DrawForSubclass(screen, b)
	a := b.app
	if a.find == nil {
		return
	}
	x, y, width, _ := b.GetInnerRect()
	count := a.counted()
	room := max(width/2, width-text.Width(count)-3)
	words := text.Clean(a.find.words)
	for text.Width(words) > room-1 && words != "" { // its end is what is typed
		_, size := utf8.DecodeRuneInString(words)
		words = words[size:]
	}
	screen.PutStrStyled(x, y, "/", a.Theme.Element(theme.InputPrompt))
	screen.PutStrStyled(x+1, y, words, a.Theme.Element(theme.InputText))
	if a.find.typing {
		screen.ShowCursor(x+1+text.Width(words), y)
	}
	screen.PutStrStyled(x+1+text.Width(words)+2, y, text.Truncate(count, max(0, width-text.Width(words)-3)), a.Theme.Element(theme.InputHint))
}

// PasteHandler adds a paste to the words, as one line.
func (b *findBar) PasteHandler() func(string, func(tview.Primitive)) {
	return func(paste string, _ func(tview.Primitive)) {
		paste, _, _ = strings.Cut(strings.TrimLeft(paste, "\n"), "\n")
		b.app.findWords(b.app.find.words + text.CleanLine(paste[:min(len(paste), findBytes)]))
	}
}

// findBytes is how much of a paste is looked for.
const findBytes = 256

// counted says how often the words are there: "3 of 17", and how often earlier.
func (a *App) counted() string {
	f := a.find
	if f.words == "" {
		return "type what to look for"
	}
	at, count := a.panel.Found()
	said := "not found"
	switch {
	case at > 0:
		said = fmt.Sprintf("%d of %d", at, count)
	case count > 0:
		said = fmt.Sprintf("%d found", count)
	}
	if f.earlier != nil {
		said += " " + a.Theme.Glyphs().Dot + " " + f.earlier.counted(a.Theme.Glyphs().Ellipsis)
	}
	m := a.Keys
	if f.typing {
		said += fmt.Sprintf("  (%s keeps it, %s leaves)", m.Label(keys.Send), m.Label(keys.Close))
	} else {
		said += fmt.Sprintf("  (%s older, %s newer, %s ends)", m.Label(keys.FindNext), m.Label(keys.FindPrevious), m.Label(keys.Close))
	}
	return said
}

// startFind opens the bar, with the words of the search that goes on.
func (a *App) startFind() {
	if a.stack.Top() != nil {
		return
	}
	a.unfocusRequest()
	if a.find == nil {
		a.find = &find{}
	}
	a.find.typing = true
	a.completions.Show(nil)
}

// seek looks for words in a tab that has just been shown, once it has been drawn.
func (a *App) seek(t *tab, words string) {
	if words == "" {
		return
	}
	a.post(func() {
		if t != a.tab || a.stack.Top() != nil {
			return
		}
		a.endFind(false)
		a.find, a.inPanel = &find{}, true
		a.findWords(words)
	})
}

// findWords looks for other words.
func (a *App) findWords(words string) {
	a.find.words = words
	a.panel.Find(text.NewPattern(words))
	a.findEarlier()
}

// endFind ends the search; with back set what was read before is in view again.
func (a *App) endFind(back bool) {
	if a.find == nil {
		return
	}
	if words := a.find.words; words != "" {
		a.sought = append(a.sought, words)
	}
	a.stopEarlier()
	a.find = nil
	a.panel.EndFind(back)
}

// keyFind takes a key while words are typed, and reports whether it did.
func (a *App) keyFind(s keys.Stroke) bool {
	f := a.find
	action, _ := a.Keys.Find([]keys.Context{keys.Input, keys.Global}, nil, s)
	switch {
	case s.Printable():
		a.findWords(f.words + string(s.Rune))
	case s.Key == tcell.KeyBackspace && s.Mod == 0 && f.words == "":
		a.endFind(true)
	case s.Key == tcell.KeyBackspace && s.Mod == 0:
		_, size := utf8.DecodeLastRuneInString(f.words)
		a.findWords(f.words[:len(f.words)-size])
	case action == keys.Send && f.words == "":
		a.endFind(false)
	case action == keys.Send:
		f.typing, a.inPanel = false, true
	case action == keys.Close, action == keys.Cancel:
		a.endFind(true)
	case action == keys.HistoryPrevious:
		a.findAgain(-1)
	case action == keys.HistoryNext:
		a.findAgain(1)
	case action == keys.Complete: // the words stay as they are
	default:
		return false
	}
	return true
}

// findAgain brings back what was looked for before, or after that.
func (a *App) findAgain(by int) {
	at := len(a.sought)
	for i, words := range a.sought {
		if words == a.find.words {
			at = i
		}
	}
	if at += by; at >= 0 && at < len(a.sought) {
		a.findWords(a.sought[at])
	}
}

// findNext goes to the next older place, or to the next newer one.
func (a *App) findNext(older bool) func() bool {
	return func() bool {
		f := a.find
		switch {
		case f == nil && len(a.sought) > 0: // the search before is taken up
			a.find = &find{}
			a.findWords(a.sought[len(a.sought)-1])
		case f == nil:
			a.startFind()
		case a.panel.FindNext(older):
		case older && f.earlier != nil:
			a.readEarlier(-1)
		case older:
			a.say("There is nothing older.", false)
		default:
			a.say("There is nothing newer.", false)
		}
		return true
	}
}

// An earlierView shows lines that have left the panel, around one place where
// the words are.
type earlierView struct {
	*dialog.Reader
	app *App
}

// HandleKey goes on to another place, or is the reader's.
func (v *earlierView) HandleKey(ev *tcell.EventKey) bool {
	switch action, _ := v.app.Keys.Find([]keys.Context{keys.Panel}, nil, keys.From(ev)); action {
	case keys.FindNext:
		v.app.turnEarlier(v, -1)
	case keys.FindPrevious:
		v.app.turnEarlier(v, 1)
	default:
		return v.Reader.HandleKey(ev)
	}
	return true
}
