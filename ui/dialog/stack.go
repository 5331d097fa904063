package dialog

import (
	"slices"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/tview"
)

// A Modal is drawn over everything else and has the keyboard alone.
type Modal interface {
	tview.Primitive
	// Place returns where the modal wants to be on a screen, in cells.
	Place(columns, rows int) (x, y, width, height int)
}

// Stack is the root of the screen: what is always there, and the modals over
// it. The topmost modal gets every key, paste and mouse event; none reaches what
// is below it (tview #806).
//
// After Push and Remove the caller gives the focus to the stack anew, outside
// of a Draw: app.SetFocus(stack).
type Stack struct {
	*tview.Box
	base   tview.Primitive
	modals []Modal
}

// NewStack returns a stack over what is always there.
func NewStack(base tview.Primitive) *Stack {
	return &Stack{Box: tview.NewBox(), base: base}
}

// Push puts a modal on top.
func (s *Stack) Push(m Modal) {
	s.top().Blur()
	s.modals = append(s.modals, m)
}

// Remove takes a modal away, wherever it is.
func (s *Stack) Remove(m Modal) {
	if i := slices.Index(s.modals, m); i >= 0 {
		m.Blur()
		s.modals = slices.Delete(s.modals, i, i+1)
	}
}

// Top returns the topmost modal, or nil.
func (s *Stack) Top() Modal {
	if n := len(s.modals); n > 0 {
		return s.modals[n-1]
	}
	return nil
}

func (s *Stack) top() tview.Primitive {
	if m := s.Top(); m != nil {
		return m
	}
	return s.base
}

// SetRect places what is always there.
func (s *Stack) SetRect(x, y, width, height int) {
	s.Box.SetRect(x, y, width, height)
	s.base.SetRect(x, y, width, height)
}

// Draw draws the base and then the modals, the lowest first.
func (s *Stack) Draw(screen tcell.Screen) {
	s.base.Draw(screen)
	if len(s.modals) > 0 {
		screen.HideCursor()
	}
	x, y, width, height := s.GetRect()
	for _, m := range s.modals {
		mx, my, w, h := m.Place(width, height)
		m.SetRect(x+mx, y+my, w, h)
		m.Draw(screen)
	}
}

// Focus gives the focus to what is on top.
func (s *Stack) Focus(delegate func(tview.Primitive)) { delegate(s.top()) }

// HasFocus reports whether what is on top has the focus.
func (s *Stack) HasFocus() bool { return s.top().HasFocus() }

// Blur takes the focus from what is on top.
func (s *Stack) Blur() { s.top().Blur() }

// InputHandler passes keys to what is on top.
func (s *Stack) InputHandler() func(*tcell.EventKey, func(tview.Primitive)) {
	return s.WrapInputHandler(func(ev *tcell.EventKey, setFocus func(tview.Primitive)) {
		if handler := s.top().InputHandler(); handler != nil {
			handler(ev, setFocus)
		}
	})
}

// PasteHandler passes pastes to what is on top.
func (s *Stack) PasteHandler() func(string, func(tview.Primitive)) {
	return s.WrapPasteHandler(func(pasted string, setFocus func(tview.Primitive)) {
		if handler := s.top().PasteHandler(); handler != nil {
			handler(pasted, setFocus)
		}
	})
}

// MouseHandler passes mouse events to what is on top, and consumes all of them
// while a modal is up.
func (s *Stack) MouseHandler() func(tview.MouseAction, *tcell.EventMouse, func(tview.Primitive)) (bool, tview.Primitive) {
	return s.WrapMouseHandler(func(action tview.MouseAction, ev *tcell.EventMouse, setFocus func(tview.Primitive)) (bool, tview.Primitive) {
		modal := s.Top() != nil
		if handler := s.top().MouseHandler(); handler != nil {
			consumed, capture := handler(action, ev, setFocus)
			return consumed || modal, capture
		}
		return modal, nil
	})
}

// centred places a dialog in the middle, a little above it on tall screens.
func centred(columns, rows, width, height int) (x, y, w, h int) {
	w, h = min(width, columns), min(height, rows)
	return (columns - w) / 2, (rows - h) / 3, w, h
}
