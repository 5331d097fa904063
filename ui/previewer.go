package ui

import (
	"context"
	"slices"
	"time"

	"copydesk/core/panel"
	"copydesk/core/text"
)

// A previewer shows the end of the selected session beside the list. It reads
// one only when the selection has rested, and gives up when it moves on.
type previewer struct {
	app   *App
	list  *shelf
	id    string // of the session that is to be seen
	rest  func() // stops the timer; nil: none runs
	stop  context.CancelFunc
	known []seen // the newest last
}

// seen is a preview that was read.
type seen struct {
	id      string
	lines   []text.Line
	instead string
}

const (
	previewRest  = 150 * time.Millisecond
	previewLines = 200     // of a session
	previewBytes = 2 << 10 // of a line
	previewKept  = 8       // sessions
)

// follow is called when another session is selected; an empty id is none.
func (p *previewer) follow(id string) {
	p.leave()
	p.id = id
	if i := slices.IndexFunc(p.known, func(s seen) bool { return s.id == id }); i >= 0 {
		p.list.SetPreview(p.known[i].lines, p.known[i].instead)
		return
	}
	p.list.SetPreview(nil, "")
	if id != "" {
		p.rest = p.app.afterOnUI(previewRest, func() {
			if p.id == id && p.stop == nil {
				p.look()
			}
		})
	}
}

// leave ends what is being read.
func (p *previewer) leave() {
	if p.rest != nil {
		p.rest()
		p.rest = nil
	}
	if p.stop != nil {
		p.stop()
		p.stop = nil
	}
}

// look reads the session, off the UI goroutine.
func (p *previewer) look() {
	if p.rest = nil; p.list.ctx.Err() != nil || !p.list.Previews() {
		return
	}
	ctx, stop := context.WithCancel(p.list.ctx)
	id := p.id
	p.stop = stop
	p.list.SetPreview(nil, "Reading"+p.app.Theme.Glyphs().Ellipsis)
	p.app.deps.Go(func() {
		past, err := p.app.deps.Sessions.Read(ctx, id)
		s := seen{id: id, lines: lastLines(past.Lines)}
		switch {
		case err != nil && len(s.lines) == 0:
			s.instead = "It could not be read: " + whole(err)
		case len(s.lines) == 0:
			s.instead = "There is nothing to read."
		}
		p.app.post(func() {
			if ctx.Err() != nil || id != p.id {
				return
			}
			p.known = append(p.known, s)
			p.known = p.known[max(0, len(p.known)-previewKept):]
			p.list.SetPreview(s.lines, s.instead)
		})
	})
}

// lastLines are the last lines of a panel, none longer than can be wrapped at
// every draw.
func lastLines(shown []panel.Shown) []text.Line {
	shown = shown[max(0, len(shown)-previewLines):]
	lines := make([]text.Line, len(shown))
	for i, s := range shown {
		lines[i] = text.Line{Text: bounded(s.Text, previewBytes), Spans: s.Spans}
	}
	return lines
}
