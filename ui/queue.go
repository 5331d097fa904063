package ui

import (
	"fmt"
	"strings"

	"copydesk/core/text"
	"copydesk/ui/dialog"
	"copydesk/ui/keys"
	"copydesk/ui/theme"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/tview"
)

// queueRows is how many messages that wait are in view.
const queueRows = 3

// A queueView shows the messages that wait behind the running turn, the next one
// first, above the field in which they were written.
type queueView struct {
	*tview.Box
	theme *theme.Theme
	lines []string
}

func newQueueView(th *theme.Theme) *queueView {
	q := &queueView{Box: tview.NewBox(), theme: th}
	q.SetBackgroundColor(tcell.ColorDefault)
	return q
}

// update takes the queue as it is now.
func (q *queueView) update(queue []string, held bool) {
	q.lines = q.lines[:0]
	state := "queued"
	if held {
		state = "held"
	}
	for i, message := range queue {
		if i == queueRows-1 && len(queue) > queueRows {
			q.lines = append(q.lines, fmt.Sprintf("%s %d more", q.theme.Glyphs().Ellipsis, len(queue)-i))
			break
		}
		q.lines = append(q.lines, fmt.Sprintf("%s %d: %s", state, i+1, firstLine(message)))
	}
}

// Draw draws the rows.
func (q *queueView) Draw(screen tcell.Screen) {
	q.DrawForSubclass(screen, q)
	x, y, width, height := q.GetInnerRect()
	for i := 0; i < min(height, len(q.lines)); i++ {
		screen.PutStrStyled(x, y+i, text.Truncate(q.lines[i], width), q.theme.Element(theme.InputHint))
	}
}

// queuedCells is how much of a message is looked at for its row, in bytes.
const queuedCells = 4 << 10

// firstLine is the first line of a message that is not blank, clean.
func firstLine(message string) string {
	message = strings.TrimSpace(message)
	line, _, more := strings.Cut(message[:min(len(message), queuedCells)], "\n")
	if line = text.CleanLine(strings.ToValidUTF8(line, "")); more {
		line += " …"
	}
	return line
}

// A queueList lists the messages that wait, to edit or remove one.
type queueList struct {
	*dialog.List
	app   *App
	tab   *tab
	queue []string
}

// pickQueued shows the list.
func (a *App) pickQueued() {
	if len(a.state.Queue) == 0 {
		a.say("No message waits. What is sent while a turn runs waits for its end.", false)
		return
	}
	l := &queueList{app: a, tab: a.tab, queue: a.state.Queue}
	items := make([]dialog.Item, len(l.queue))
	for i, message := range l.queue {
		items[i] = dialog.Item{Name: fmt.Sprintf("%d", i+1), Text: firstLine(message)}
	}
	title := "Messages that wait: " + a.Keys.Label(keys.Confirm) + " edits, " + a.Keys.Label(keys.Remove) + " removes"
	l.List = dialog.NewList(title, items, dialog.ListDeps{
		Theme: a.Theme, Keys: a.Keys, Close: func() { a.drop(l) }, Pick: l.edit,
	})
	a.push(l)
}

// HandleKey removes a message, or is the list's.
func (l *queueList) HandleKey(ev *tcell.EventKey) bool {
	if action, _ := l.app.Keys.Find([]keys.Context{keys.List}, nil, keys.From(ev)); action == keys.Remove {
		if i, ok := l.List.Selected(); ok {
			l.remove(i)
		}
		return true
	}
	return l.List.HandleKey(ev)
}

// take takes a message out of the queue; it is not lost whatever becomes of it.
func (l *queueList) take(i int) bool {
	a, t := l.app, l.tab
	a.drop(l)
	ok := t.pane.Dequeue(i, l.queue[i])
	if !ok {
		a.say("That message is no longer in the queue.", true)
	}
	a.pull()
	return ok
}

// edit takes a message back into the field. A draft that is there goes into the
// history.
func (l *queueList) edit(i int) {
	if !l.take(i) {
		return
	}
	l.tab.field.Take()
	l.tab.field.Put(l.queue[i])
}

func (l *queueList) remove(i int) {
	if !l.take(i) {
		return
	}
	l.tab.field.Remember(l.queue[i])
	l.app.say("Removed. "+l.app.Keys.Label(keys.HistoryPrevious)+" brings it back.", false)
	if len(l.tab.state.Queue) > 0 {
		l.app.pickQueued()
	}
}
