package dialog

import (
	"slices"
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
	Off  string // why it cannot be taken, as a sentence; empty: it can
	Mark bool   // it is the one in force
	head bool   // a heading, which cannot be taken
}

// Heading is an entry that stands over those behind it and cannot be taken.
func Heading(name string) Item { return Item{Name: name, head: true} }

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
	marks  bool // some item is the one in force
	press  int  // what the mouse went down on, -1: nothing
}

// NewList returns a list with its first item selected.
func NewList(title string, items []Item, deps ListDeps) *List {
	l := &List{Box: tview.NewBox(), deps: deps, title: text.CleanLine(title), press: -1}
	for _, it := range items {
		it.Name, it.Text, it.Off = text.CleanLine(it.Name), text.CleanLine(it.Text), text.CleanLine(it.Off)
		l.marks = l.marks || it.Mark
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
	l.leaveHeading(1)
	if len(words) == 0 {
		l.toMarked()
	}
}

// toMarked goes to the marked item, or stays at the first one.
func (l *List) toMarked() {
	if at := slices.IndexFunc(l.found, func(i int) bool { return l.items[i].Mark }); at >= 0 {
		l.at = at
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

// reasonRows is the most rows that say why an item cannot be taken, where some
// reason has no room in its row.
const reasonRows = 3

// Place puts the list in the middle of the screen.
func (l *List) Place(columns, rows int) (x, y, width, height int) {
	width = l.column + 4
	for _, it := range l.items {
		width = max(width, l.itemCells(it)+4)
	}
	width = max(width, text.Width(l.title)+8, 40)
	width = min(width, max(20, columns-4))
	height = max(1, len(l.items)) + 3
	height += l.reasons(width - 4)
	return centred(columns, rows, width, height)
}

// itemCells returns the width of an item's row.
func (l *List) itemCells(it Item) int {
	w := 2 + l.markCells() + l.column + 2 + text.Width(it.Text)
	if it.Off != "" {
		w += 2 + text.Width(it.Off)
	}
	return w
}

// reasons returns how many rows are kept for the reason why the selected item
// cannot be taken: none if every reason has room in its row.
func (l *List) reasons(width int) int {
	rows, tight := 0, false
	for _, it := range l.items {
		if it.Off != "" {
			tight = tight || l.itemCells(it) > width
			rows = max(rows, len(text.Wrap(it.Off, max(2, width))))
		}
	}
	if !tight {
		return 0
	}
	return min(rows, reasonRows)
}

// markCells is the width of the column that marks the item in force.
func (l *List) markCells() int {
	if l.marks {
		return 2
	}
	return 0
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
	if rows := l.reasons(w - 4); l.height > rows {
		l.height -= rows
		l.drawReason(screen, rect{x + 2, y + h - 1 - rows, w - 4, rows})
	}
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
	l.filter.draw(screen, x+2+used, y+1, w-4-used, th.Element(theme.InputText), true, th)
}

// drawReason says in full why the selected item cannot be taken: in its row
// there may be no room for it.
func (l *List) drawReason(screen tcell.Screen, at rect) {
	if at.h == 0 || l.at >= len(l.found) {
		return
	}
	off := l.items[l.found[l.at]].Off
	for i, row := range text.Wrap(off, max(2, at.w)) {
		s := off[row.Start:row.End]
		if i == at.h-1 {
			s = off[row.Start:]
		}
		if i < at.h {
			put(screen, at.x, at.y+i, at.w, cut(l.deps.Theme, s, at.w), l.deps.Theme.Element(theme.InputHint))
		}
	}
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
	name, rest, off := th.Style(text.Info), th.Style(text.Plain), th.Style(text.Muted)
	if it.Off != "" {
		name, rest = off, off
	}
	if at == l.at && !l.read {
		style := th.Element(theme.Selected)
		name, rest, off = style, style, style
		fill(screen, x, y, width, 1, style)
		put(screen, x, y, 1, th.Glyphs().Pointer, style)
	}
	x, width = x+2, width-2
	if it.Mark {
		put(screen, x, y, 1, th.Glyphs().OK, name)
	}
	x, width = x+l.markCells(), width-l.markCells()
	// On a narrow screen the names give way, so that what they are stays to be
	// read.
	column := l.column
	if width-column-2 < readable {
		column = min(column, max(8, (width-2)*2/5))
	}
	put(screen, x, y, column, cut(th, it.Name, column), name)
	x, width = x+column+2, width-column-2
	used := put(screen, x, y, width, cut(th, it.Text, max(1, width)), rest)
	if it.Off == "" {
		return
	}
	if used > 0 {
		used += 2
	}
	if room := width - used; room > 1 {
		put(screen, x+used, y, room, cut(th, it.Off, room), off)
	}
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
		first := l.at
		if first > 0 && l.items[l.found[first-1]].head {
			first-- // an entry is seen under its heading
		}
		l.top = min(l.top, first)
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

// Selected is the index of the item that would be taken, and whether there is
// one.
func (l *List) Selected() (int, bool) {
	if l.read || l.at < 0 || l.at >= len(l.found) || l.items[l.found[l.at]].head {
		return 0, false
	}
	return l.found[l.at], true
}

func (l *List) move(by int) {
	if l.read {
		l.top += by
		l.keepInView()
		return
	}
	l.at = max(0, min(l.at+by, len(l.found)-1))
	l.leaveHeading(by)
}

// leaveHeading goes on from a heading the way that led to it, or back where it
// is the first entry.
func (l *List) leaveHeading(by int) {
	step := 1
	if by < 0 {
		step = -1
	}
	for range 2 {
		for at := l.at; at >= 0 && at < len(l.found); at += step {
			if !l.items[l.found[at]].head {
				l.at = at
				return
			}
		}
		step = -step
	}
}

func (l *List) pick(at int) {
	switch {
	case l.read:
		l.deps.Close()
	case at < 0 || at >= len(l.found), l.items[l.found[at]].head:
	case l.items[l.found[at]].Off != "":
		l.at = at // the reason is shown
	default:
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
