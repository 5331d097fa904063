package ui

import (
	"context"
	"errors"
	"strings"

	"copydesk/core"
	"copydesk/core/clipboard"
	"copydesk/core/command"
	"copydesk/core/desk"
	"copydesk/core/text"
)

// copy takes the text first and delivers it off the UI goroutine; what is said
// of it comes after, and so is in no copy of itself (CPY 2).
func (a *App) copy(c command.Copy) {
	capture, err := a.pane.Copy(c)
	if err != nil {
		a.pane.Note(err.Error(), false)
		return
	}
	if c.File {
		a.carry(capture, func(ctx context.Context) clipboard.Receipt {
			return a.deps.Clipboard.File(ctx, capture.Text, c.Path)
		})
		return
	}
	a.deliver(capture)
}

// copyText copies what a dialog shows.
func (a *App) copyText(content string) {
	a.deliver(desk.Capture{Text: content, Said: "Copied to clipboard."})
}

func (a *App) deliver(capture desk.Capture) {
	a.carry(capture, func(ctx context.Context) clipboard.Receipt {
		return a.deps.Clipboard.Copy(ctx, capture.Text)
	})
}

// carry has a copy carried off the UI goroutine, and says what became of it.
func (a *App) carry(capture desk.Capture, by func(context.Context) clipboard.Receipt) {
	a.copies++
	number, t := a.copies, a.tab
	t.pane.Copied(capture.Text)
	a.say("Copying…", false)
	a.flights.Add(1)
	a.deps.Go(func() {
		defer a.flights.Done()
		receipt := by(context.WithoutCancel(a.ctx))
		receipt.Notes = append(receipt.Notes, capture.Notes...)
		said, failed := receipt.Say(capture.Said, text.Hidden(capture.Text))
		t.pane.Note(said, failed)
		a.post(func() {
			if number != a.copies {
				return
			}
			a.toast.text = ""
			if t != a.tab || !t.panel.Following() { // else the note itself is in view
				first, _, _ := strings.Cut(said, ". ")
				a.say(strings.TrimSuffix(first, ".")+".", failed)
			}
		})
	})
}

// doctor tries every way that a copy can take, off the UI goroutine.
func (a *App) doctor() {
	a.say("Trying every way that a copy can take…", false)
	p := a.pane
	a.deps.Go(func() {
		report := a.deps.Clipboard.Doctor(a.ctx)
		p.Note(report, false)
		a.post(func() { a.toast.text = "" })
	})
}

// land waits for copies that are on their way, no longer than one may take.
func (a *App) land() {
	landed := make(chan struct{})
	a.deps.Go(func() {
		a.flights.Wait()
		close(landed)
	})
	late := make(chan struct{})
	stop := a.deps.After(core.ToolTimeout, func() { close(late) })
	defer stop()
	select {
	case <-landed:
	case <-late:
	}
}

// sentence makes what an error is in the end a sentence that users read.
func sentence(err error) string {
	for inner := errors.Unwrap(err); inner != nil; inner = errors.Unwrap(err) {
		err = inner
	}
	return whole(err)
}

// whole makes all that an error says a sentence that users read.
func whole(err error) string {
	s := err.Error()
	if s != "" {
		s = strings.ToUpper(s[:1]) + s[1:]
	}
	return strings.TrimSuffix(s, ".") + "."
}
