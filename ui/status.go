package ui

import (
	"fmt"
	"strings"
	"time"

	"copydesk/core/desk"
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

// updateStatus composes what the bar says.
func (a *App) updateStatus() {
	b := a.status
	dot := " " + a.Theme.Glyphs().Bar + " "
	who := a.state.Agent
	if a.state.Tag != "" && a.state.Tag != who {
		who += " " + a.Theme.Glyphs().Dot + " " + a.state.Tag
	}
	b.left = []cell{{who, theme.Status}}
	add := func(s string, e theme.Element) {
		if s != "" {
			b.left = append(b.left, cell{dot, theme.Status}, cell{s, e})
		}
	}
	switch {
	case len(a.pending) > 0:
		add(fmt.Sprintf("waiting for you (%d)", len(a.pending)), theme.StatusAlert)
	case a.state.Running:
		add(elapsed(a.deps.Now().Sub(a.state.Since)), theme.Status)
	}
	add(queued(a.state, a.Keys), theme.Status)
	switch {
	case a.toast.text != "" && a.toast.failed:
		add(a.toast.text, theme.StatusAlert)
	default:
		add(a.toast.text, theme.Status)
	}
	b.right = a.footer()
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
	for _, c := range b.left {
		if at >= end {
			return
		}
		s := text.Truncate(c.text, end-at)
		screen.PutStrStyled(at, y, s, b.theme.Element(c.element))
		at += text.Width(s)
	}
	b.drawKeys(screen, at+3, end, y)
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
func tooSmallText(m *keys.Map, waiting bool) string {
	s := "Too small."
	if waiting {
		s += " " + strings.TrimSpace(m.Label(keys.Cancel)+" rejects.")
	}
	return s
}
