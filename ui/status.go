package ui

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"copydesk/core"
	"copydesk/core/desk"
	"copydesk/core/session"
	"copydesk/core/text"
	"copydesk/ui/keys"
	"copydesk/ui/theme"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/tview"
)

// toastTime is how long a message stays in the status bar.
const toastTime = 6 * time.Second

// A toast is a message that passes.
type toast struct {
	text   string
	failed bool
	number int
}

// say shows a message in the status bar for a while.
func (a *App) say(message string, failed bool) {
	a.toast = toast{text: text.CleanLine(message), failed: failed, number: a.toast.number + 1}
	number := a.toast.number
	a.deps.After(toastTime, func() {
		a.post(func() {
			if a.toast.number == number {
				a.toast.text = ""
			}
		})
	})
}

// statusBar is the bottom row: who is there and what goes on at the left, the
// keys that are in force at the right. What does not fit is left out from the
// right.
type statusBar struct {
	*tview.Box
	theme *theme.Theme
	left  []cell
	right []keys.Row
	saved string // when the session was saved; left out first
}

type cell struct {
	text    string
	element theme.Element
}

func newStatusBar(th *theme.Theme) *statusBar {
	b := &statusBar{Box: tview.NewBox(), theme: th}
	b.SetBackgroundColor(tcell.ColorDefault)
	return b
}

// watchTurn shows the running turn's age anew each second. Nothing is woken
// while no turn runs.
func (a *App) watchTurn() {
	if !a.state.Running || a.ticking {
		return
	}
	a.ticking = true
	a.deps.After(time.Second, func() {
		a.post(func() { a.ticking = false })
	})
}

// elapsed says how long a turn has run; the first second is not worth a number.
func elapsed(d time.Duration) string {
	if d < time.Second {
		return "running"
	}
	return "running " + d.Truncate(time.Second).String()
}

// stopping says how long a turn has been told to stop, and when it is long, how
// it is ended all the same (R5).
func stopping(d time.Duration, m *keys.Map) string {
	s := "stopping " + max(0, d).Truncate(time.Second).String()
	if label := m.Label(keys.Cancel); d >= core.KillAfter && label != "" {
		s += ": " + label + " ends it by force"
	}
	return s
}

// who says which agent the pane has, and what of its settings is in force.
func (a *App) who() string {
	s := a.state.Agent
	seen := []string{s}
	for _, more := range []string{a.state.Tag, a.state.Mode, a.state.Model} {
		if more != "" && !slices.Contains(seen, more) {
			s += " " + a.Theme.Glyphs().Dot + " " + more
			seen = append(seen, more)
		}
	}
	return text.CleanLine(s)
}

// waiting says how many requests wait for the user in all panes, and in which
// panes, unless all of them wait in the one that is shown.
func (a *App) waiting() (n int, where string) {
	for _, t := range a.tabs {
		n += len(t.pending)
	}
	if n > len(a.pending) {
		where = " in " + strings.Join(a.waitingPanes(), ", ")
	}
	return n, where
}

// waitingPanes are the names of the panes that wait for the user.
func (a *App) waitingPanes() []string {
	var names []string
	for _, t := range a.tabs {
		if len(t.pending) > 0 {
			names = append(names, t.name())
		}
	}
	return names
}

// updateStatus composes what the bar says.
func (a *App) updateStatus() {
	b := a.status
	dot := " " + a.Theme.Glyphs().Bar + " "
	b.left = []cell{{a.who(), theme.Status}}
	add := func(s string, e theme.Element) {
		if s != "" {
			b.left = append(b.left, cell{dot, theme.Status}, cell{s, e})
		}
	}
	if a.root.banner.rows == nil && a.unsavedNow() {
		add("not saved", theme.StatusAlert)
	}
	n, where := a.waiting()
	if n > 0 {
		add(fmt.Sprintf("waiting for you (%d)%s", n, where), theme.StatusAlert)
	}
	switch {
	case !a.state.Stopping.IsZero():
		add(stopping(a.deps.Now().Sub(a.state.Stopping), a.Keys), theme.Status)
	case len(a.pending) > 0:
	case a.state.Running:
		add(elapsed(a.deps.Now().Sub(a.state.Since)), theme.Status)
	case a.state.Loading:
		add("loading the session", theme.Status)
	}
	add(queued(a.state, a.Keys), theme.Status)
	switch {
	case a.toast.text != "" && a.toast.failed:
		add(a.toast.text, theme.StatusAlert)
	default:
		add(a.toast.text, theme.Status)
	}
	add(usage(a.state.Usage, a.Theme.Glyphs().Dot), theme.Status)
	b.right = a.footer()
	b.saved = a.savedAt()
}

// usage says what the session has cost so far: "12k/200k tokens · 0.12 USD".
func usage(u session.Usage, dot string) string {
	var parts []string
	switch {
	case u.Used > 0 && u.Limit > 0:
		parts = append(parts, short(u.Used)+"/"+short(u.Limit)+" tokens")
	case u.Used > 0:
		parts = append(parts, short(u.Used)+" tokens")
	}
	if u.Cost != "" {
		parts = append(parts, text.CleanLine(u.Cost))
	}
	return strings.Join(parts, " "+dot+" ")
}

// short is a number in at most four characters, as far as it goes: "850", "1.2k",
// "200k", "1.5M".
func short(n int) string {
	for _, unit := range []struct {
		size int
		name string
	}{{1_000_000, "M"}, {1_000, "k"}} {
		if n < unit.size {
			continue
		}
		whole, tenth := n/unit.size, n%unit.size*10/unit.size
		if whole >= 10 || tenth == 0 {
			return strconv.Itoa(whole) + unit.name
		}
		return fmt.Sprintf("%d.%d%s", whole, tenth, unit.name)
	}
	return strconv.Itoa(n)
}

// footer is the keys worth naming now, those first that go last when there is no
// room.
func (a *App) footer() []keys.Row {
	var rows []keys.Row
	name := func(action keys.Action, does string) {
		if label := a.Keys.Label(action); label != "" {
			rows = append(rows, keys.Row{Action: action, Keys: label, Help: does})
		}
	}
	name(keys.Help, "help")
	selected := a.panel.HasSelection()
	if selected {
		name(keys.Cancel, "copy selection")
	}
	switch {
	case a.active:
		name(keys.Close, "aside")
		if a.contexts()[0] == keys.Text && !selected {
			name(keys.Cancel, "reject")
		}
	case selected:
		name(keys.Close, "deselect")
	case a.state.Running && a.contexts()[0] == keys.Input:
		name(keys.Close, "interrupt")
	}
	for _, k := range a.Keys.Footer(a.contexts()) {
		switch {
		case k.Action == keys.Help, a.active && k.Context == "everywhere":
		case k.Action == keys.FocusRequest && a.request == nil:
		default:
			rows = append(rows, k)
		}
	}
	return rows
}

// queued says what waits behind the running turn.
func queued(s desk.Status, m *keys.Map) string {
	n := len(s.Queue)
	switch {
	case n == 0:
		return ""
	case s.Held:
		return fmt.Sprintf("%d held: %s sends, %s takes back", n, m.Label(keys.Send), m.Label(keys.HistoryPrevious))
	default:
		return fmt.Sprintf("%d queued: %s takes back", n, m.Label(keys.HistoryPrevious))
	}
}

// Draw draws the bar.
func (b *statusBar) Draw(screen tcell.Screen) {
	b.DrawForSubclass(screen, b)
	x, y, width, _ := b.GetInnerRect()
	at := x + 1
	end := x + width - 1
	for _, c := range b.said(end - at) {
		if at >= end {
			return
		}
		s := text.Truncate(c.text, end-at)
		screen.PutStrStyled(at, y, s, b.theme.Element(c.element))
		at += text.Width(s)
	}
	b.drawKeys(screen, at+3, end, y)
}

// said is what stands at the left: when the session was saved is the last of it,
// and only where nothing else gives way to it.
func (b *statusBar) said(width int) []cell {
	if b.saved == "" {
		return b.left
	}
	more := []cell{{" " + b.theme.Glyphs().Bar + " ", theme.Status}, {b.saved, theme.Status}}
	for _, c := range slices.Concat(b.left, more) {
		width -= text.Width(c.text)
	}
	width -= 1 // and two of the three that drawKeys leaves
	for _, k := range b.right {
		width -= 2 + text.Width(k.Keys) + 1 + text.Width(k.Help)
	}
	if width < 0 {
		return b.left
	}
	return slices.Concat(b.left, more)
}

// drawKeys draws as many keys as fit from the right edge on, the first one there.
func (b *statusBar) drawKeys(screen tcell.Screen, from, end, y int) {
	for _, k := range b.right {
		keyWidth := text.Width(k.Keys)
		at := end - keyWidth - 1 - text.Width(k.Help)
		if at < from {
			return
		}
		screen.PutStrStyled(at, y, k.Keys, b.theme.Element(theme.StatusKey))
		screen.PutStrStyled(at+keyWidth+1, y, k.Help, b.theme.Element(theme.Status))
		end = at - 2
	}
}

// tooSmallText is all that a screen under the smallest size shows (R29).
func tooSmallText(m *keys.Map, waiting bool, said string) string {
	s := "Too small."
	if waiting {
		s += " " + strings.TrimSpace(m.Label(keys.Cancel)+" rejects.")
	}
	if said != "" {
		s += " " + said
	}
	return s
}
