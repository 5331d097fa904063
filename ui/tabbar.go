package ui

import (
	"slices"
	"strconv"
	"strings"

	"copydesk/core/text"
	"copydesk/ui/theme"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/tview"
)

// A tabBar is the top row: the panes by number and agent, and what goes on in
// each. The one that is shown stands in brackets. Where there is not room for
// all of it, the words give way first, then the names; and what tabs do not fit
// at all is said at the edges, so that none is missed.
type tabBar struct {
	*tview.Box
	theme  *theme.Theme
	click  func(number int)
	labels []tabLabel
	at     int      // the one that is shown
	drawn  []tabHit // what can be clicked
}

// A tabLabel is what the bar says of one pane.
type tabLabel struct {
	number  int
	name    string
	waiting bool // for the user
	running bool
}

// A tabHit is where a tab was drawn.
type tabHit struct{ from, to, number int }

func newTabBar(th *theme.Theme, click func(number int)) *tabBar {
	b := &tabBar{Box: tview.NewBox(), theme: th, click: click}
	b.SetBackgroundColor(tcell.ColorDefault)
	return b
}

// update takes what the tabs are now.
func (b *tabBar) update(tabs []*tab, shown *tab) {
	b.labels = b.labels[:0]
	for _, t := range tabs {
		b.labels = append(b.labels, tabLabel{t.pane.Number(), t.agent(), len(t.pending) > 0, t.state.Running})
	}
	b.at = slices.Index(tabs, shown)
}

// A tabForm is how much the bar says: whether what goes on is said in words, and
// how many cells a name may take.
type tabForm struct {
	words bool
	name  int
}

// The cells of a name when it is short, and of the shortest one.
const (
	shortName = 12
	tinyName  = 3
)

// forms are the ways to draw the bar, from all that there is to say to numbers.
func (b *tabBar) forms() []tabForm {
	widest := 0
	for _, l := range b.labels {
		widest = max(widest, text.Width(l.name))
	}
	forms := []tabForm{{true, widest}, {true, shortName}}
	for name := min(widest, shortName); name >= tinyName; name-- {
		forms = append(forms, tabForm{false, name})
	}
	return append(forms, tabForm{false, 0})
}

// parts are the cells of a tab: its number and name, and what goes on.
func (b *tabBar) parts(i int, f tabForm) (name, state string) {
	l := b.labels[i]
	name = strconv.Itoa(l.number)
	if f.name > 0 {
		name += " " + truncated(b.theme, l.name, f.name)
	}
	g := marksOf(b.theme)
	switch {
	case l.waiting && f.words:
		state = " " + g.waiting + " waiting"
	case l.waiting:
		state = " " + g.waiting
	case l.running && f.words:
		state = " " + g.running + "running"
	case l.running:
		state = " " + g.running
	}
	if f.name == 0 && state != "" {
		state = state[1:]
	}
	return name, state
}

// width is how many cells the tabs from one index up to another take in a form,
// each with a cell at both sides.
func (b *tabBar) width(f tabForm, from, to int) int {
	n := 0
	for i := from; i < to; i++ {
		name, state := b.parts(i, f)
		n += text.Width(name) + text.Width(state) + 2
	}
	return n
}

// fit finds the form in which the bar says most, and the tabs that have room in
// it, among them the one that is shown.
func (b *tabBar) fit(width int) (f tabForm, from, to int) {
	for _, f = range b.forms() {
		if b.width(f, 0, len(b.labels)) <= width {
			return f, 0, len(b.labels)
		}
	}
	from, to = b.at, b.at+1
	for {
		room := width - b.width(f, from, to) - text.Width(b.before(from)) - text.Width(b.behind(to))
		switch {
		case to < len(b.labels) && room >= b.width(f, to, to+1):
			to++
		case from > 0 && room >= b.width(f, from-1, from):
			from--
		default:
			return f, from, to
		}
	}
}

// before and behind say how many tabs are left out at the sides, and whether one
// of them waits for the user.
func (b *tabBar) before(from int) string {
	if from == 0 {
		return ""
	}
	return b.theme.Glyphs().Less + strconv.Itoa(from) + b.waitingIn(0, from)
}

func (b *tabBar) behind(to int) string {
	if to == len(b.labels) {
		return ""
	}
	return b.waitingIn(to, len(b.labels)) + strconv.Itoa(len(b.labels)-to) + b.theme.Glyphs().More
}

func (b *tabBar) waitingIn(from, to int) string {
	if slices.ContainsFunc(b.labels[from:to], func(l tabLabel) bool { return l.waiting }) {
		return marksOf(b.theme).waiting
	}
	return ""
}

// Draw draws the bar.
func (b *tabBar) Draw(screen tcell.Screen) {
	b.DrawForSubclass(screen, b)
	x, y, width, height := b.GetInnerRect()
	b.drawn = b.drawn[:0]
	if height == 0 || len(b.labels) == 0 {
		return
	}
	f, from, to := b.fit(width)
	put := func(s string, style tcell.Style) {
		screen.PutStrStyled(x, y, s, style)
		x += text.Width(s)
	}
	mark := b.theme.Element(theme.ScrollMark)
	put(b.before(from), mark)
	for i := from; i < to; i++ {
		b.drawTab(put, i, f)
		w := b.width(f, i, i+1)
		b.drawn = append(b.drawn, tabHit{x - w, x, b.labels[i].number})
	}
	put(b.behind(to), mark)
}

func (b *tabBar) drawTab(put func(string, tcell.Style), i int, f tabForm) {
	name, state := b.parts(i, f)
	style, left, right := b.theme.Element(theme.Title), " ", " "
	if i == b.at {
		style, left, right = b.theme.Element(theme.TitleFocus), "[", "]"
	}
	put(left, style)
	put(name, style)
	if b.labels[i].waiting {
		put(state, b.theme.Element(theme.StatusAlert))
	} else {
		put(state, b.theme.Element(theme.Status))
	}
	put(right, style)
}

// MouseHandler goes to the tab that is clicked.
func (b *tabBar) MouseHandler() func(tview.MouseAction, *tcell.EventMouse, func(tview.Primitive)) (bool, tview.Primitive) {
	return b.WrapMouseHandler(func(action tview.MouseAction, ev *tcell.EventMouse, _ func(tview.Primitive)) (bool, tview.Primitive) {
		x, y := ev.Position()
		if !b.InRect(x, y) {
			return false, nil
		}
		if action == tview.MouseLeftClick {
			for _, h := range b.drawn {
				if x >= h.from && x < h.to {
					b.click(h.number)
					break
				}
			}
		}
		return true, nil
	})
}

// clickedTab shows the tab that was clicked.
func (a *App) clickedTab(number int) {
	a.goToPane(number)
	a.settle()
}

// marks are the signs of what goes on in a pane.
type marks struct{ waiting, running string }

func marksOf(th *theme.Theme) marks {
	if ascii(th) {
		return marks{"!", "~"}
	}
	return marks{"●", "…"}
}

// ascii reports whether the interface keeps to ASCII (R41).
func ascii(th *theme.Theme) bool { return th.Glyphs().Pointer < "\x80" }

// truncated cuts a clean text to a width, with the theme's mark of it.
func truncated(th *theme.Theme, s string, width int) string {
	cut := text.Truncate(s, width)
	if cut == s {
		return s
	}
	return strings.TrimSuffix(cut, "…") + th.Glyphs().Ellipsis
}
