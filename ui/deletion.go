package ui

import (
	"copydesk/ui/dialog"

	"github.com/gdamore/tcell/v2"
)

// A deletion asks whether something is to be deleted for good. What changes
// nothing comes first, and no key that was typed before the question was seen
// deletes anything: the gate is that of requests (T41, T42).
type deletion struct {
	*dialog.List
	app   *App
	gate  *dialog.Gate
	shown bool
	stop  func() // the gate's timer
}

// askDelete asks, and calls f when it is to be deleted.
func (a *App) askDelete(what string, f func()) {
	d := &deletion{app: a, gate: dialog.NewGate(a.Quiet), stop: func() {}}
	d.List = dialog.NewList("Delete this session?", []dialog.Item{
		{Name: "Keep it", Text: what},
		{Name: "Delete it", Text: "its text is gone for good"},
	}, dialog.ListDeps{
		Theme: a.Theme, Keys: a.Keys,
		Close: func() { a.drop(d) },
		Pick: func(i int) {
			switch {
			case i == 0:
				a.drop(d)
			case d.gate.Ready(a.deps.Now(), true):
				a.drop(d)
				f()
			default:
				a.say("This question has only just come up. Read it first.", false)
			}
		},
	})
	a.push(d)
}

// Draw draws the question, and lets the gate's time begin.
func (d *deletion) Draw(screen tcell.Screen) {
	d.List.Draw(screen)
	if !d.shown {
		d.shown = true
		d.gate.Shown(d.app.deps.Now())
		d.wait()
	}
}

func (d *deletion) wait() {
	d.stop = d.app.afterOnUI(d.gate.Wait(d.app.deps.Now()), func() {
		d.gate.Fired(d.app.deps.Now())
		if d.gate.Wait(d.app.deps.Now()) >= 0 {
			d.wait() // it fired late
		}
	})
}

// gone is called when the question has left the screen.
func (d *deletion) gone() { d.stop() }
