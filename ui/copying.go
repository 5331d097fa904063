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
	capture, err := a.deps.Pane.Copy(c)
	if err != nil {
		a.deps.Pane.Note(err.Error(), false)
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
	number := a.copies
	a.deps.Pane.Copied(capture.Text)
	a.say("Copying…", false)
	a.flights.Add(1)
	a.deps.Go(func() {
		defer a.flights.Done()
		receipt := by(context.WithoutCancel(a.ctx))
		receipt.Notes = append(receipt.Notes, capture.Notes...)
		said, failed := receipt.Say(capture.Said, text.Hidden(capture.Text))
		a.deps.Pane.Note(said, failed)
		a.post(func() {
			if number != a.copies {
				return
			}
			a.toast.text = ""
			if !a.panel.Following() { // else the note itself is in view
				first, _, _ := strings.Cut(said, ". ")
				a.say(strings.TrimSuffix(first, ".")+".", failed)
			}
		})
	})
}

// doctor tries every way that a copy can take, off the UI goroutine.
func (a *App) doctor() {
	a.say("Trying every way that a copy can take…", false)
	a.deps.Go(func() {
		report := a.deps.Clipboard.Doctor(a.ctx)
		a.deps.Pane.Note(report, false)
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

// sentence makes an error's text one that users read.
func sentence(err error) string {
	for inner := errors.Unwrap(err); inner != nil; inner = errors.Unwrap(err) {
		err = inner
	}
	s := err.Error()
	if s != "" {
		s = strings.ToUpper(s[:1]) + s[1:]
	}
	return strings.TrimSuffix(s, ".") + "."
}
