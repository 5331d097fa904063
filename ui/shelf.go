package ui

import (
	"context"

	"copydesk/core/desk"
	"copydesk/core/record"
	"copydesk/core/text"
	"copydesk/ui/dialog"
	"copydesk/ui/keys"
)

// A shelf is what the lists of stored sessions have in common: it opens one, or
// shows its text. Closing it ends what it reads.
type shelf struct {
	*dialog.Browser
	app    *App
	self   dialog.Modal // as it lies on the stack
	ctx    context.Context
	stop   context.CancelFunc
	busy   string // what is being done to a session; empty: nothing is
	sought string // what was found in the session that is opened; empty: nothing was looked for
}

func (a *App) newShelf() shelf {
	ctx, stop := context.WithCancel(a.ctx)
	return shelf{app: a, ctx: ctx, stop: stop}
}

// gone is called when the list has left the screen.
func (s *shelf) gone() { s.stop() }

// storable reports whether sessions are stored, and says it when they are not.
func (a *App) storable() bool {
	if a.deps.Sessions == nil {
		a.pane.Note("Nothing is stored: this desk keeps no sessions.", false)
		return false
	}
	return true
}

// summaryBytes is how much of a text of a summary is kept.
const summaryBytes = 400

// cleanSummary is a summary as it can be shown: what is stored may be anything.
func cleanSummary(s record.Summary) record.Summary {
	clean := func(s string) string { return text.CleanLine(bounded(s, summaryBytes)) }
	s.Title, s.Agent, s.Dir = clean(s.Title), clean(s.Agent), clean(s.Dir)
	return s
}

// titled is what a session is called.
func titled(s record.Summary) string {
	if s.Title != "" {
		return s.Title
	}
	return "No prompt yet"
}

// holding is the tab of the pane that has a stored session; nil: none has.
func (a *App) holding(id string) *tab {
	for _, t := range a.tabs {
		if id != "" && t.state.Session == id {
			return t
		}
	}
	return nil
}

// open brings a session back in a pane and shows it. Where a pane has it
// already, that one is shown.
func (s *shelf) open(sum record.Summary) {
	a := s.app
	if t := a.holding(sum.ID); t != nil {
		a.closeModals()
		a.turnTo(t)
		a.seek(t, s.sought)
		return
	}
	if !s.starts("Opening " + titled(sum)) {
		return
	}
	var p Pane
	a.begin("Opening the session…", func() (err error) {
		p, err = a.deps.Sessions.Open(sum.ID)
		return err
	}, func(err error) {
		s.busy = ""
		if err != nil {
			s.refused(err)
			return
		}
		a.takePanes()
		if t := a.tabOf(p); t != nil {
			t.pull()
			s.arrived(t)
		}
	})
}

// starts says what is done to a session, and reports false while something else
// still is.
func (s *shelf) starts(doing string) bool {
	free := s.busy == ""
	if free {
		s.busy = doing + s.app.Theme.Glyphs().Ellipsis
	}
	s.Say(s.busy, false)
	return free
}

// refused says why a session was not opened, and offers to read it.
func (s *shelf) refused(err error) {
	said := whole(err)
	if s.ctx.Err() != nil {
		s.app.pane.Note(said, true)
		return
	}
	if label := s.app.Keys.Label(keys.ReadOnly); label != "" {
		said += " " + label + " reads it."
	}
	s.Say(said, true)
}

// arrived shows the tab of a session that was opened, unless the list was closed
// meanwhile: then the user does something else.
func (s *shelf) arrived(t *tab) {
	a := s.app
	if s.ctx.Err() != nil {
		a.say("The session is open in "+t.name()+".", false)
		return
	}
	a.closeModals()
	a.turnTo(t)
	a.seek(t, s.sought)
}

// tabOf is the tab of a pane.
func (a *App) tabOf(p Pane) *tab {
	for _, t := range a.tabs {
		if t.pane.Number() == p.Number() {
			return t
		}
	}
	return nil
}

// read shows the whole panel of a session, to be read only. It is there beside
// whoever has the session.
func (s *shelf) read(sum record.Summary) {
	if !s.starts("Reading " + titled(sum)) {
		return
	}
	a := s.app
	a.deps.Go(func() {
		past, err := a.deps.Sessions.Read(s.ctx, sum.ID)
		a.post(func() {
			s.busy = ""
			switch {
			case s.ctx.Err() != nil || a.stack.Top() != s.self:
			case err != nil && len(past.Lines) == 0:
				s.Say("It could not be read: "+whole(err), true)
			default:
				s.Say("", false)
				a.readPast(sum, past, err)
			}
		})
	})
}

// readPast shows what was read of a session, and what could not be.
func (a *App) readPast(sum record.Summary, past desk.Past, err error) {
	lines := make([]text.Line, 0, len(past.Lines)+1)
	for _, l := range past.Lines {
		lines = append(lines, l.Line)
	}
	if err != nil {
		said := text.CleanLine("Not all of it could be read: " + whole(err))
		lines = append(lines, text.Line{Text: said, Spans: []text.Span{{Len: len(said), Style: text.Warning}}})
	}
	var r *dialog.Reader
	r = dialog.NewReader(titled(sum)+" (to be read only)", lines, dialog.ReaderDeps{
		Theme: a.Theme, Keys: a.Keys,
		Copy:  func(string) { a.copyText(past.Panel) },
		Close: func() { a.stack.Remove(r) },
	})
	a.push(r)
}

// openIn says in a row in which pane a session is open, if one has it.
func (s *shelf) openIn(row *rowMaker, id string) {
	t := s.app.holding(id)
	if t == nil {
		return
	}
	row.add("open", text.Success|text.Bold)
	if t != s.app.tab {
		row.add(" in "+t.name(), text.Success)
	}
	row.add(s.dot(), text.Muted)
}

// dot stands between two things of a row.
func (s *shelf) dot() string { return " " + s.app.Theme.Glyphs().Dot + " " }
