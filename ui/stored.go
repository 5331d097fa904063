package ui

import (
	"fmt"
	"strings"

	"copydesk/core/record"
	"copydesk/core/text"
	"copydesk/ui/dialog"
	"copydesk/ui/keys"
)

// storedFirst is how many sessions fill any screen; they are shown first.
const storedFirst = 50

// A storedList lists the stored sessions, the newest first, while they are still
// being read (SES 3).
type storedList struct {
	shelf
	rows    []storedRow
	all     bool // none is to come
	preview previewer
}

// A storedRow is a session of the list.
type storedRow struct {
	record.Summary
	find  string // what typing searches
	going bool   // it is being deleted
}

// pickStored shows the list.
func (a *App) pickStored() {
	if !a.storable() {
		return
	}
	l := &storedList{shelf: a.newShelf()}
	l.self = l
	l.preview = previewer{app: a, list: &l.shelf}
	l.Browser = dialog.NewBrowser("Sessions", dialog.BrowserDeps{
		Theme: a.Theme, Keys: a.Keys,
		Entry:  l.entry,
		Text:   func(i int) string { return l.rows[i].find },
		Moved:  l.moved,
		Status: l.status,
		Empty:  l.empty,
		Hints:  l.hints,
		Do:     l.do,
		Pick: func(i int) {
			if !l.rows[i].going {
				l.open(l.rows[i].Summary)
			}
		},
		Close:    func() { a.drop(l) },
		PickNone: l.search,
	})
	a.push(l)
	a.deps.Go(l.fill)
}

// gone is called when the list has left the screen.
func (l *storedList) gone() {
	l.preview.leave()
	l.stop()
}

// fill reads the sessions, off the UI goroutine. One that cannot be read does
// not keep the others away.
func (l *storedList) fill() {
	f := &feed[storedRow]{app: l.app, first: storedFirst, take: func(batch []storedRow) {
		if l.ctx.Err() == nil {
			l.rows = append(l.rows, batch...)
			l.Grow(len(l.rows))
		}
	}}
	var failed error
	for s, err := range l.app.deps.Sessions.List(l.ctx) {
		switch {
		case l.ctx.Err() != nil:
			return
		case err == nil:
			s = cleanSummary(s)
			f.add(storedRow{Summary: s, find: strings.ToLower(titled(s) + "\n" + s.Agent + "\n" + s.Dir)})
		case failed == nil:
			failed = err
		}
	}
	f.end(func() {
		l.all = true
		if failed != nil {
			l.Warn("Not all sessions could be listed: " + whole(failed))
		}
	})
}

// entry composes a session's rows: what it is called and when it was used, and
// below that whose it is.
func (l *storedList) entry(i, width int) [dialog.EntryRows]text.Line {
	th, s := l.app.Theme, l.rows[i]
	used := when(s.Updated, l.app.deps.Now())
	head := newRow(th, width)
	head.add(truncated(th, titled(s.Summary), width-text.Width(used)-2), text.Plain)
	head.right(used, text.Muted)
	below := newRow(th, width)
	if s.going {
		below.add("deleting", text.Warning)
		return [dialog.EntryRows]text.Line{head.line(), below.line()}
	}
	l.openIn(below, s.ID)
	if s.Agent != "" {
		below.add(s.Agent+l.dot(), text.Muted)
	}
	size := bytes(s.Bytes)
	if dir := folder(th, s.Dir, below.room-text.Width(size+l.dot())); dir != "" {
		below.add(dir+l.dot(), text.Muted)
	}
	below.add(size, text.Muted)
	return [dialog.EntryRows]text.Line{head.line(), below.line()}
}

// status says how many sessions there are.
func (l *storedList) status() []string {
	n, of := fmt.Sprint(l.Len()), counted(l.Len(), "session")
	if l.Query() != "" {
		n, of = fmt.Sprintf("%d of %s", l.Found(), n), fmt.Sprintf("%d of %s", l.Found(), of)
	}
	if !l.all {
		e := l.app.Theme.Glyphs().Ellipsis
		return []string{of + ", still reading" + e, of + e, n + e}
	}
	return []string{of, n}
}

// empty is what stands in place of sessions.
func (l *storedList) empty() string {
	switch {
	case !l.all:
		return "Reading" + l.app.Theme.Glyphs().Ellipsis
	case l.Len() == 0:
		return "No session is stored yet. One is with its first message."
	case strings.TrimSpace(l.Query()) == "":
		return "Nothing matches."
	}
	return "Nothing is called so. " + l.app.Keys.Label(keys.Confirm) + " looks in the text of all sessions."
}

func (l *storedList) hints() []string {
	var hints []string
	name := func(a keys.Action, does string) {
		if label := l.app.Keys.Label(a); label != "" {
			hints = append(hints, label+" "+does)
		}
	}
	if l.Found() > 0 {
		name(keys.Confirm, "opens")
	}
	name(keys.SearchText, "finds in text")
	if l.Found() > 0 {
		name(keys.Remove, "deletes")
		name(keys.ReadOnly, "reads")
	}
	name(keys.ListClose, "closes")
	return hints
}

// do does what else a key can do in the list.
func (l *storedList) do(action keys.Action) bool {
	i, ok := l.Selected()
	switch {
	case action == keys.SearchText:
		l.search()
	case action != keys.Remove && action != keys.ReadOnly:
		return false
	case !ok || l.rows[i].going:
	case action == keys.Remove:
		l.remove(i)
	default:
		l.read(l.rows[i].Summary)
	}
	return true
}

// search looks for what is typed in the text of all sessions. The list is there
// again after it.
func (l *storedList) search() {
	if strings.TrimSpace(l.Query()) == "" {
		l.Say("Type the words to look for first.", false)
		return
	}
	l.app.findStored(l.Query())
}

// moved has the preview follow the selection.
func (l *storedList) moved() {
	if i, ok := l.Selected(); ok {
		l.preview.follow(l.rows[i].ID)
	} else {
		l.preview.follow("")
	}
}

// remove asks whether a session is to be deleted, and deletes it.
func (l *storedList) remove(i int) {
	s := l.rows[i].Summary
	if t := l.app.holding(s.ID); t != nil {
		l.Say("It is open in "+t.name()+", so it stays. Close that pane first.", true)
		return
	}
	l.app.askDelete(titled(s), func() {
		l.rows[i].going = true
		l.app.begin("Deleting the session…", func() error { return l.app.deps.Sessions.Remove(s.ID) }, func(err error) {
			l.rows[i].going = false
			switch {
			case err == nil:
				l.Remove(i)
				l.app.say("The session is deleted.", false)
			case l.ctx.Err() != nil:
				l.app.pane.Note(whole(err), true)
			default:
				l.Say("It is not deleted. "+whole(err), true)
			}
		})
	})
}
