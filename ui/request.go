package ui

import (
	"time"

	"copydesk/core/session"
	"copydesk/ui/dialog"
)

// showRequest makes the docked dialog the oldest pending request. A dialog
// whose request is gone closes; the next one starts with a gate of its own, so
// that no key meant for the first answers it.
func (a *App) showRequest() {
	if len(a.pending) == 0 {
		if a.request != nil {
			a.closeRequest()
		}
		return
	}
	first := a.pending[0]
	if a.request != nil && a.request.ID() == first.ID && a.request.Digest() == first.Digest {
		a.request.Update(1, len(a.pending))
		return
	}
	changed := a.request != nil && a.request.ID() == first.ID
	a.closeRequest()
	a.request = a.newRequest(a.tab, first)
	if changed {
		a.request.MarkChanged()
	}
	a.gate = dialog.NewGate(a.Quiet)
	a.root.build()
}

// newRequest makes the dialog of the oldest request of a tab. What it answers,
// it answers there.
func (a *App) newRequest(t *tab, first session.Pending) *dialog.Request {
	return dialog.NewRequest(first, 1, len(t.pending), dialog.Deps{
		Theme:     a.Theme,
		Keys:      a.Keys,
		Highlight: a.highlight(),
		Answer:    func(id, digest string, answer session.Answer) { a.answer(t.pane, id, digest, answer) },
		Copy:      a.copyText,
		Now:       a.deps.Now,
		After:     a.afterOnUI,
		Typed:     func(s string) { a.typedInstead(t, s) },
	})
}

func (a *App) closeRequest() {
	a.stopGate()
	if a.request != nil {
		a.request.SetActive(false) // with it goes a letter that is held and might answer
	}
	a.request, a.active, a.aside, a.shown = nil, false, false, false
	a.root.build()
}

// afterOnUI calls f once on the UI goroutine.
func (a *App) afterOnUI(d time.Duration, f func()) (stop func()) {
	return a.deps.After(d, func() { a.post(f) })
}

// typedInstead gives the input field letters that a request had taken for
// answers. The request waits until the draft is gone.
func (a *App) typedInstead(t *tab, s string) {
	t.active = false
	t.request.SetActive(false)
	t.field.Insert(s)
}

// answer hands the user's answer over. One that came too late, or for a request
// that has changed, is said and changes nothing.
func (a *App) answer(p Pane, id, digest string, answer session.Answer) {
	if err := p.Answer(id, digest, answer); err != nil {
		a.say(sentence(err), true)
	}
	a.pull()
}

// touched restarts the gate: a key, a paste or the mouse was used (T41, T43).
func (a *App) touched() {
	a.gate.Key(a.deps.Now())
	a.watchGate()
}

// watchGate lets a waiting request take the keyboard once its gate opens. It is
// called whenever something that the gate depends on has changed.
func (a *App) watchGate() {
	a.stopGate()
	if a.request == nil || a.active || a.aside || a.tooSmall || a.plain != nil || a.stack.Top() != nil || a.drafting() {
		return
	}
	wait := a.gate.Wait(a.deps.Now())
	if wait < 0 {
		return
	}
	t, id := a.tab, a.request.ID()
	a.gateTimer = a.deps.After(wait, func() {
		a.post(func() {
			if t == a.tab { // ids mean something in their own pane only
				a.gateFired(id)
			}
		})
	})
}

func (a *App) stopGate() {
	if a.gateTimer != nil {
		a.gateTimer()
		a.gateTimer = nil
	}
}

func (a *App) gateFired(id string) {
	if a.request == nil || a.request.ID() != id || a.active || a.aside {
		return
	}
	now := a.deps.Now()
	a.gate.Fired(now)
	if a.stack.Top() != nil || a.tooSmall || a.plain != nil || !a.gate.Ready(now, !a.drafting()) {
		a.watchGate()
		return
	}
	a.activate()
}

func (a *App) activate() {
	a.stopGate()
	a.active, a.aside = true, false
	a.request.SetActive(true)
}

// setAside gives the keyboard back to the input field; the request stays
// docked until its chord is pressed.
func (a *App) setAside() {
	a.active, a.aside = false, true
	a.request.SetActive(false)
}

// highlight is what styles the fields of a request; nil leaves them plain.
func (a *App) highlight() dialog.Highlight {
	if a.deps.Highlight == nil {
		return nil
	}
	return a.deps.Highlight.Highlight
}

// renewRequests shows the requests with other settings, as banners: what was
// typed into one stays, and one that was put aside stays aside.
func (a *App) renewRequests() {
	a.stopGate()
	for _, t := range a.tabs {
		old := t.request
		if old != nil {
			old.SetActive(false)
		}
		t.request, t.active, t.shown = nil, false, false
		t.gate = dialog.NewGate(a.Quiet)
		if old == nil || len(t.pending) == 0 || old.ID() != t.pending[0].ID || old.Digest() != t.pending[0].Digest {
			t.aside = false
			continue
		}
		t.request = a.newRequest(t, t.pending[0])
		t.request.Adopt(old)
	}
	a.root.build()
}

// unfocusRequest takes the keyboard from the request. It gets it back once it has
// been in view for the quiet time with no key pressed.
func (a *App) unfocusRequest() {
	if !a.active {
		return
	}
	a.active = false
	a.request.SetActive(false)
	a.gate.Shown(a.deps.Now())
}
