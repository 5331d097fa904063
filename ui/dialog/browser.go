package dialog

import (
	"strings"

	"copydesk/core/text"
	"copydesk/ui/keys"
	"copydesk/ui/theme"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/tview"
)

// EntryRows is how many rows an entry of a browser has.
const EntryRows = 2

// BrowserDeps are what a browser works with. Entries are named by their index,
// which they keep. All texts are clean.
type BrowserDeps struct {
	Theme *theme.Theme
	Keys  *keys.Map

	// Entry composes the rows of an entry for a width in cells. It is called for
	// entries in view only.
	Entry func(i, width int) [EntryRows]text.Line

	// Text is what typing searches in an entry, in lower case. Without it typing
	// filters nothing: Typed, which may be nil, gets to know of it.
	Text  func(i int) string
	Typed func()

	Moved    func()                 // another entry is selected, or its preview can be seen now
	Status   func() []string        // what there is, the longest form first
	Empty    func() string          // what is said where no entry is
	Hints    func() []string        // what keys do, the most important first
	Do       func(keys.Action) bool // does another action of a list
	Pick     func(i int)            // the entry was taken
	Close    func()                 // the browser was closed
	PickNone func()                 // Enter was pressed where no entry is; may be nil

	Plain bool // there is never a preview
}

// Browser is a modal list of very many entries that may still be coming in: it
// can be used meanwhile, and looks at no more than it draws but for the search.
// Beside or below the list there is room for a preview of the selected entry. It
// does not leave the stack by itself.
type Browser struct {
	*tview.Box
	deps   BrowserDeps
	title  string
	filter editor
	sought string // what was filtered by
	count  int    // entries so far, with those that were removed
	gone   map[int]bool
	found  []int
	at     int // in found
	top    int // in found
	height int // of the list at the last draw, in entries
	told   int // the entry that Moved was told of; -1: none
	press  int // what the mouse went down on; -1: nothing
	list   rect

	warning string // stays
	notice  string // until the next key
	failed  bool   // the notice is of a failure

	previews bool // there is room for a preview
	preview  []text.Line
	instead  string // what is said in place of one
}

// NewBrowser returns an empty browser.
func NewBrowser(title string, deps BrowserDeps) *Browser {
	return &Browser{Box: tview.NewBox(), deps: deps, title: text.CleanLine(title), gone: map[int]bool{}, told: -1, press: -1}
}

// Grow says that there are so many entries now; those that were there stay.
func (b *Browser) Grow(count int) {
	from := b.count
	b.count = count
	b.seek(func(yield func(int)) {
		for i := from; i < count; i++ {
			yield(i)
		}
	})
	b.moved()
}

// Reset takes all entries out. What is typed stays.
func (b *Browser) Reset() {
	b.count, b.found, b.at, b.top = 0, nil, 0, 0
	clear(b.gone)
	b.warning, b.notice, b.told = "", "", -1
}

// Remove takes an entry out. The others keep their index.
func (b *Browser) Remove(i int) {
	b.gone[i] = true
	for k, f := range b.found {
		if f == i {
			b.found = append(b.found[:k:k], b.found[k+1:]...)
			if k < b.at {
				b.at--
			}
			break
		}
	}
	b.move(0)
}

// Len is how many entries there are, Found how many of them are found.
func (b *Browser) Len() int   { return b.count - len(b.gone) }
func (b *Browser) Found() int { return len(b.found) }

// Query is what is typed; SetQuery types something else.
func (b *Browser) Query() string { return b.filter.text() }

// SetQuery replaces what is typed.
func (b *Browser) SetQuery(words string) {
	b.filter = editor{before: words}
	b.search()
}

// Selected is the selected entry, if there is one.
func (b *Browser) Selected() (int, bool) {
	if b.at < 0 || b.at >= len(b.found) {
		return 0, false
	}
	return b.found[b.at], true
}

// Say shows a sentence until the next key; Warn shows one that stays.
func (b *Browser) Say(said string, failed bool) { b.notice, b.failed = text.CleanLine(said), failed }

// Warn shows a sentence that stays; an empty one takes it away.
func (b *Browser) Warn(said string) { b.warning = text.CleanLine(said) }

// Previews reports whether there was room for a preview at the last draw.
func (b *Browser) Previews() bool { return b.previews }

// SetPreview shows the last of some clean lines, or what is said in place of
// them. They must not be longer than can be wrapped at every draw.
func (b *Browser) SetPreview(lines []text.Line, instead string) {
	b.preview, b.instead = lines, text.CleanLine(instead)
}

// seek adds those of some entries that hold what is typed.
func (b *Browser) seek(entries func(yield func(int))) {
	words := strings.Fields(strings.ToLower(b.sought))
	entries(func(i int) {
		if b.gone[i] {
			return
		}
		if b.deps.Text == nil || len(words) == 0 || holdsAll(b.deps.Text(i), words) {
			b.found = append(b.found, i)
		}
	})
}

// search finds the entries anew. What goes on with what was typed is searched in
// what was found only.
func (b *Browser) search() {
	before, typed := b.sought, b.filter.text()
	if typed == before {
		return
	}
	b.sought = typed
	if b.deps.Text == nil {
		if b.deps.Typed != nil {
			b.deps.Typed()
		}
		return
	}
	old := b.found
	b.found, b.at, b.top = nil, 0, 0
	b.seek(func(yield func(int)) {
		if strings.HasPrefix(typed, before) {
			for _, i := range old {
				yield(i)
			}
			return
		}
		for i := range b.count {
			yield(i)
		}
	})
	b.moved()
}

// moved tells of another selected entry.
func (b *Browser) moved() {
	i, ok := b.Selected()
	if !ok {
		i = -1
	}
	if i != b.told {
		b.told = i
		b.deps.Moved()
	}
}

func (b *Browser) move(by int) {
	b.at = max(0, min(b.at+by, len(b.found)-1))
	b.keepInView()
	b.moved()
}

func (b *Browser) keepInView() {
	if b.height > 0 {
		b.top = max(min(b.top, b.at), b.at-b.height+1)
	}
	b.top = max(0, min(b.top, len(b.found)-b.height))
}

// InputHandler moves, filters, takes and closes.
func (b *Browser) InputHandler() func(*tcell.EventKey, func(tview.Primitive)) {
	return b.WrapInputHandler(func(ev *tcell.EventKey, _ func(tview.Primitive)) { b.HandleKey(ev) })
}

// HandleKey gives the browser a key and reports whether it was taken.
func (b *Browser) HandleKey(ev *tcell.EventKey) bool {
	s := keys.From(ev)
	b.notice = ""
	a, more := b.deps.Keys.Find([]keys.Context{keys.List, keys.Global}, nil, s)
	switch a {
	case keys.ChooseUp:
		b.move(-1)
	case keys.ChooseDown:
		b.move(+1)
	case keys.PageUp:
		b.move(-max(1, b.height-1))
	case keys.PageDown:
		b.move(max(1, b.height-1))
	case keys.ScrollTop:
		b.move(-len(b.found))
	case keys.ScrollEnd:
		b.move(len(b.found))
	case keys.Confirm:
		b.pick()
	case keys.ListClose, keys.Close, keys.Cancel:
		b.deps.Close()
	default:
		if a != "" {
			return b.deps.Do(a)
		}
		if more || !b.filter.key(s) {
			return false
		}
		b.search()
	}
	return true
}

func (b *Browser) pick() {
	if i, ok := b.Selected(); ok {
		b.deps.Pick(i)
	} else if b.deps.PickNone != nil {
		b.deps.PickNone()
	}
}

// PasteHandler adds a paste to what is typed.
func (b *Browser) PasteHandler() func(string, func(tview.Primitive)) {
	return b.WrapPasteHandler(func(pasted string, _ func(tview.Primitive)) {
		if b.filter.insert(strings.Join(strings.Fields(pasted), " ")) {
			b.search()
		}
	})
}

// MouseHandler selects an entry by a click, takes the selected one, and scrolls
// by the wheel.
func (b *Browser) MouseHandler() func(tview.MouseAction, *tcell.EventMouse, func(tview.Primitive)) (bool, tview.Primitive) {
	return b.WrapMouseHandler(func(action tview.MouseAction, ev *tcell.EventMouse, _ func(tview.Primitive)) (bool, tview.Primitive) {
		at := -1
		x, y := ev.Position()
		if b.list.holds(x, y) {
			if at = b.top + (y-b.list.y)/EntryRows; at >= len(b.found) {
				at = -1
			}
		}
		switch action {
		case tview.MouseScrollUp:
			b.move(-1)
		case tview.MouseScrollDown:
			b.move(+1)
		case tview.MouseLeftDown:
			b.press = at
		case tview.MouseLeftClick:
			switch {
			case at < 0 || at != b.press:
			case at == b.at:
				b.pick()
			default:
				b.move(at - b.at)
			}
			b.press = -1
		}
		return true, nil
	})
}
