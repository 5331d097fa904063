package dialog

import (
	"strings"

	"copydesk/core/text"
	"copydesk/ui/keys"
	"copydesk/ui/theme"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/tview"
)

// An Item is an entry of a list. Both texts may be anything an agent sent.
type Item struct {
	Name string // what it is called, in the first column
	Text string // what it is
	head bool   // a heading, which cannot be taken
}

// ListDeps are what a list works with. Pick gets the index of the item that was
// taken, Close is called when the list was closed without. The list does not
// leave the stack by itself.
type ListDeps struct {
	Theme *theme.Theme
	Keys  *keys.Map
	Pick  func(index int)
	Close func()
}

// List is a modal list of items that typing filters: an item stays if it holds
// every word that was typed, in either case.
type List struct {
	*tview.Box
	deps   ListDeps
	title  string
	items  []Item
	filter editor
	found  []int // of items
	at     int   // in found
	top    int
	height int  // rows for items, at the last draw
	read   bool // only to be read: nothing can be taken
	column int  // width of the first column
	press  int  // what the mouse went down on, -1: nothing
}

// NewList returns a list with its first item selected.
func NewList(title string, items []Item, deps ListDeps) *List {
	l := &List{Box: tview.NewBox(), deps: deps, title: text.CleanLine(title), press: -1}
	for _, it := range items {
		it.Name, it.Text = text.CleanLine(it.Name), text.CleanLine(it.Text)
		l.items = append(l.items, it)
		if !it.head {
			l.column = max(l.column, text.Width(it.Name))
		}
	}
	l.search()
	return l
}

// search finds the items that hold what was typed. A heading stays as long as
// something below it does.
func (l *List) search() {
	words := strings.Fields(strings.ToLower(l.filter.text()))
	l.found, l.at, l.top = nil, 0, 0
	head := -1
	for i, it := range l.items {
		if it.head {
			head = i
			continue
		}
		if !holdsAll(strings.ToLower(it.Name+" "+it.Text), words) {
			continue
		}
		if head >= 0 {
			l.found = append(l.found, head)
			head = -1
		}
		l.found = append(l.found, i)
	}
}

func holdsAll(s string, words []string) bool {
	for _, w := range words {
		if !strings.Contains(s, w) {
			return false
		}
	}
	return true
}

// Place puts the list in the middle of the screen.
func (l *List) Place(columns, rows int) (x, y, width, height int) {
	width = l.column + 4
	for _, it := range l.items {
		width = max(width, l.column+2+text.Width(it.Text)+6)
	}
	width = max(width, text.Width(l.title)+8, 40)
	return centred(columns, rows, min(width, max(20, columns-4)), max(1, len(l.items))+3)
}

// Draw draws the list.
func (l *List) Draw(screen tcell.Screen) {
	x, y, w, h := l.GetRect()
	if w < 5 || h < 3 {
		return
	}
	th := l.deps.Theme
	fill(screen, x, y, w, h, th.Element(theme.Base))
	l.height = max(0, h-3)
	l.keepInView()
	frame(screen, rect{x, y, w, h}, th, true, l.title, "", l.more())
	used := put(screen, x+2, y+1, w-4, "/ ", th.Element(theme.InputPrompt))
	if l.filter.text() == "" {
		put(screen, x+2+used, y+1, w-4-used, "Type to search.", th.Element(theme.InputHint))
	}
	if len(l.found) == 0 {
		put(screen, x+2, y+2, w-4, "Nothing matches.", th.Element(theme.InputHint))
	}
	for row := 0; row < l.height && l.top+row < len(l.found); row++ {
		l.drawItem(screen, x+2, y+2+row, w-4, l.top+row)
	}
	l.filter.draw(screen, x+2+used, y+1, w-4-used, th.Element(theme.InputText), true, ascii(th))
}

// readable is how many cells say what an item is, at least.
const readable = 12

func (l *List) drawItem(screen tcell.Screen, x, y, width, at int) {
	th := l.deps.Theme
	it := l.items[l.found[at]]
	if it.head {
		put(screen, x, y, width, it.Name, th.Style(text.Heading|text.Bold))
		return
	}
	name, rest := th.Style(text.Info), th.Style(text.Plain)
	if at == l.at && !l.read {
		style := th.Element(theme.Selected)
		name, rest = style, style
		fill(screen, x, y, width, 1, style)
		put(screen, x, y, 1, th.Glyphs().Pointer, style)
	}
	// On a narrow screen the names give way, so that what they are stays to be
	// read.
	column := l.column
	if width-column-4 < readable {
		column = min(column, max(8, (width-4)*2/5))
	}
	put(screen, x+2, y, column, cut(th, it.Name, column), name)
	put(screen, x+2+column+2, y, width-column-4, cut(th, it.Text, max(1, width-column-4)), rest)
}

func (l *List) more() string {
	g := l.deps.Theme.Glyphs()
	switch {
	case len(l.found) <= l.height:
		return ""
	case l.top+l.height < len(l.found):
		return g.Down + " more"
	default:
		return g.Up + " more"
	}
}

func (l *List) keepInView() {
	if !l.read {
		l.top = min(l.top, l.at)
		l.top = max(l.top, l.at-l.height+1)
	}
	l.top = max(0, min(l.top, len(l.found)-l.height))
}

// InputHandler moves, filters, takes and closes.
func (l *List) InputHandler() func(*tcell.EventKey, func(tview.Primitive)) {
	return l.WrapInputHandler(func(ev *tcell.EventKey, _ func(tview.Primitive)) { l.HandleKey(ev) })
}

// HandleKey gives the list a key and reports whether it was taken.
func (l *List) HandleKey(ev *tcell.EventKey) bool {
	s := keys.From(ev)
	a, _ := l.deps.Keys.Find([]keys.Context{keys.List, keys.Global}, nil, s)
	switch a {
	case keys.ChooseUp:
		l.move(-1)
	case keys.ChooseDown:
		l.move(+1)
	case keys.PageUp:
		l.move(-max(1, l.height-1))
	case keys.PageDown:
		l.move(max(1, l.height-1))
	case keys.ScrollTop:
		l.move(-len(l.found))
	case keys.ScrollEnd:
		l.move(len(l.found))
	case keys.Confirm:
		l.pick(l.at)
	case keys.ListClose, keys.Close, keys.Cancel:
		l.deps.Close()
	default:
		if a != "" || !l.filter.key(s) {
			return false
		}
		l.search()
	}
	return true
}

func (l *List) move(by int) {
	if l.read {
		l.top += by
		l.keepInView()
		return
	}
	l.at = max(0, min(l.at+by, len(l.found)-1))
}

func (l *List) pick(at int) {
	switch {
	case l.read:
		l.deps.Close()
	case at >= 0 && at < len(l.found):
		l.deps.Pick(l.found[at])
	}
}

// PasteHandler adds a paste to the filter.
func (l *List) PasteHandler() func(string, func(tview.Primitive)) {
	return l.WrapPasteHandler(func(pasted string, _ func(tview.Primitive)) {
		if l.filter.insert(strings.Join(strings.Fields(pasted), " ")) {
			l.search()
		}
	})
}

// MouseHandler takes an item by a click, and scrolls by the wheel.
func (l *List) MouseHandler() func(tview.MouseAction, *tcell.EventMouse, func(tview.Primitive)) (bool, tview.Primitive) {
	return l.WrapMouseHandler(func(action tview.MouseAction, ev *tcell.EventMouse, _ func(tview.Primitive)) (bool, tview.Primitive) {
		at := -1
		x, y := ev.Position()
		if bx, by, w, _ := l.GetRect(); (rect{bx + 1, by + 2, w - 2, l.height}).holds(x, y) {
			at = l.top + y - by - 2
		}
		switch action {
		case tview.MouseScrollUp:
			l.move(-1)
		case tview.MouseScrollDown:
			l.move(+1)
		case tview.MouseLeftDown:
			l.press = at
		case tview.MouseLeftClick:
			if at >= 0 && at == l.press && !l.read {
				l.pick(at)
			}
			l.press = -1
		}
		return true, nil
	})
}
