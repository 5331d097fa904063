package ui

import (
	"context"
	"fmt"
	"strings"

	"copydesk/core/clipboard"
	"copydesk/core/desk"
	"copydesk/ui/keys"
	"copydesk/ui/view"
)

// selecting is what the actions of the panel's cursor and selection do; false
// leaves the key to the input field.
func (a *App) selecting() map[keys.Action]func() bool {
	move := func(m view.Motion) func() bool {
		return func() bool { a.panel.Move(m, false); return true }
	}
	extend := func(m view.Motion) func() bool {
		return func() bool { return a.extendSelection(m) }
	}
	return map[keys.Action]func() bool{
		keys.CursorLeft:  move(view.Left),
		keys.CursorRight: move(view.Right),
		keys.CursorUp:    move(view.Up),
		keys.CursorDown:  move(view.Down),

		keys.SelectLeft:      extend(view.Left),
		keys.SelectRight:     extend(view.Right),
		keys.SelectUp:        extend(view.Up),
		keys.SelectDown:      extend(view.Down),
		keys.SelectWordLeft:  extend(view.WordLeft),
		keys.SelectWordRight: extend(view.WordRight),
		keys.SelectHome:      extend(view.RowStart),
		keys.SelectEnd:       extend(view.RowEnd),

		keys.SelectLine:    func() bool { a.panel.SelectLine(); return true },
		keys.SelectAll:     func() bool { a.panel.SelectAll(); return true },
		keys.CopySelection: a.copySelection,
	}
}

// extendSelection moves the end of the panel's selection. From an empty input
// field it goes to the panel; a draft has a selection of its own.
func (a *App) extendSelection(m view.Motion) bool {
	if !a.inPanel {
		if !a.field.Empty() {
			return false
		}
		a.inPanel = true
		a.panel.ResetCursor()
	}
	a.panel.Move(m, true)
	return true
}

// copySelection copies what is selected in the panel as it is shown now, and
// reports whether there was anything. It stays selected.
func (a *App) copySelection() bool {
	selected := a.panel.SelectedText()
	if selected == "" {
		return false
	}
	lines := strings.Count(selected, "\n") + 1
	a.deliver(desk.Capture{Text: selected, Said: fmt.Sprintf("Copied %d line(s) to the clipboard.", lines)})
	return true
}

// copyInstead copies a selection where the key would cancel: the selection comes
// first in what Ctrl+C means, also while a request has the keyboard (KEY 2). A
// dialog that covers the panel keeps the key.
func (a *App) copyInstead(stroke keys.Stroke) bool {
	if a.stack.Top() != nil || !a.panel.HasSelection() {
		return false
	}
	action, _ := a.Keys.Find(a.contexts(), nil, stroke)
	return action == keys.Cancel && a.copySelection()
}

// selected is called when the mouse has selected something in a tab.
func (a *App) selected(t *tab) {
	selected := t.panel.SelectedText()
	if !a.CopyOnSelect || selected == "" {
		return
	}
	capture := desk.Capture{Text: selected, Said: fmt.Sprintf("Copied %d line(s) to the primary selection.", strings.Count(selected, "\n")+1)}
	a.carry(capture, func(ctx context.Context) clipboard.Receipt { return a.deps.Clipboard.Select(ctx, selected) })
}
