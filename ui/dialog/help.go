package dialog

import (
	"copydesk/core/text"
	"copydesk/ui/keys"
	"copydesk/ui/theme"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/tview"
)

// NewHelp returns the help: the keys that are in force, group by group, and the
// rows of the command table that the caller gives. It scrolls, typing filters
// it, and closes on Enter and Escape.
func NewHelp(commands []Item, th *theme.Theme, m *keys.Map, closed func()) *List {
	var items []Item
	group := ""
	for _, r := range m.Rows() {
		if r.Group != group {
			group = r.Group
			items = append(items, Item{Name: group, head: true})
		}
		items = append(items, Item{Name: r.Keys, Text: r.Help})
	}
	if len(commands) > 0 {
		items = append(items, Item{Name: "Commands", head: true})
		items = append(items, commands...)
	}
	l := NewList("Help", items, ListDeps{Theme: th, Keys: m, Close: closed})
	l.read = true
	return l
}

// Popup shows what can follow a leader. It takes no key itself: the next stroke
// is looked up by the caller, who removes the popup then.
type Popup struct {
	*tview.Box
	theme     *theme.Theme
	leader    string
	followers []keys.Follower
}

// NewPopup returns the popup of a leader.
func NewPopup(leader keys.Stroke, followers []keys.Follower, th *theme.Theme) *Popup {
	return &Popup{Box: tview.NewBox(), theme: th, leader: leader.Label(), followers: followers}
}

// Place puts the popup at the foot of the screen, above the status bar.
func (p *Popup) Place(columns, rows int) (x, y, width, height int) {
	width = text.Width(p.leader) + 8
	for _, f := range p.followers {
		width = max(width, text.Width(f.Stroke.Label())+2+text.Width(f.Binding.Help)+4)
	}
	width, height = min(width, columns), min(len(p.followers)+2, max(0, rows-1))
	return columns - width, max(0, rows-1-height), width, height
}

// Draw draws the popup.
func (p *Popup) Draw(screen tcell.Screen) {
	x, y, w, h := p.GetRect()
	if w < 5 || h < 3 {
		return
	}
	fill(screen, x, y, w, h, p.theme.Element(theme.Base))
	frame(screen, rect{x, y, w, h}, p.theme, true, p.leader, "", "")
	column := 0
	for _, f := range p.followers {
		column = max(column, text.Width(f.Stroke.Label()))
	}
	for i, f := range p.followers[:min(len(p.followers), h-2)] {
		put(screen, x+2, y+1+i, w-4, f.Stroke.Label(), p.theme.Style(text.Info))
		put(screen, x+2+column+2, y+1+i, w-6-column, cut(p.theme, f.Binding.Help, max(1, w-6-column)), p.theme.Style(text.Plain))
	}
}
