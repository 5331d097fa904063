package ui

import (
	"context"

	"copydesk/ui/dialog"
	"copydesk/ui/keys"

	"github.com/gdamore/tcell/v2"
)

// A lookup is a list of what has to be looked for first. It says so meanwhile,
// and keeps what is typed for when the list is there. Closing it gives up.
type lookup struct {
	*dialog.List
	typed []*tcell.EventKey // nil once the list is there
	stop  context.CancelFunc
	found bool
}

// lookUp shows a list that find makes, off the UI goroutine. pick gets the index
// of what was taken, once the list has closed.
func (a *App) lookUp(title, meanwhile string, find func(context.Context) ([]dialog.Item, error), pick func(int)) {
	ctx, stop := context.WithCancel(a.ctx)
	l := &lookup{stop: stop}
	l.List = dialog.NewList(title, []dialog.Item{{Text: meanwhile, Off: meanwhile}}, dialog.ListDeps{
		Theme: a.Theme, Keys: a.Keys, Close: func() { a.drop(l) }, Pick: func(int) {},
	})
	a.push(l)
	p := a.pane
	a.deps.Go(func() {
		items, err := find(ctx)
		a.post(func() {
			switch {
			case ctx.Err() != nil: // closed meanwhile
			case err != nil:
				a.drop(l)
				p.Note(whole(err), true)
			default:
				l.show(dialog.NewList(title, items, dialog.ListDeps{
					Theme: a.Theme, Keys: a.Keys,
					Close: func() { a.drop(l) },
					Pick:  func(i int) { a.drop(l); pick(i) },
				}))
			}
		})
	})
}

// show replaces the waiting list by the one that was found, with what was typed
// meanwhile as its search.
func (l *lookup) show(found *dialog.List) {
	l.List, l.found = found, true
	for _, ev := range l.typed {
		l.List.HandleKey(ev)
	}
	l.typed = nil
}

// HandleKey keeps what searches until the list is there: a key that takes an
// entry must be pressed after the entry was seen.
func (l *lookup) HandleKey(ev *tcell.EventKey) bool {
	if s := keys.From(ev); !l.found && (s.Printable() || s.Key == tcell.KeyBackspace) {
		l.typed = append(l.typed, ev)
	}
	return l.List.HandleKey(ev)
}

// gone is called when the list has left the screen.
func (l *lookup) gone() { l.stop() }

// drop takes a modal from the screen, and ends what was done for it.
func (a *App) drop(m dialog.Modal) {
	a.stack.Remove(m)
	if g, ok := m.(interface{ gone() }); ok {
		g.gone()
	}
	a.watchGate()
}
