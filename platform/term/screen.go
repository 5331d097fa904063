package term

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gdamore/tcell/v2"
)

// screen is the tcell screen that tview gets: initialised, with repaired
// input, and with an end that cannot hang. The methods that are not here are
// tcell's own.
type screen struct {
	tcell.Screen // the terminfo screen
	t            *Terminal
	filter       *filter
	mouseAllowed bool

	out   chan []tcell.Event // from the filter
	drawn chan tcell.Event   // from tcell: resizes, posted events
	over  chan struct{}      // closed at the end of Fini

	whole    atomic.Bool // the next frame must be drawn whole
	finished atomic.Bool // Fini has begun
	once     sync.Once
	frame    frame
	style    tcell.Style
	life     sync.Mutex // held through each frame, Suspend, Resume, and tcell's Fini
	away     bool       // suspended; guarded by life

	mu      sync.Mutex // guards the fields below
	pending []tcell.Event
	mouse   bool
	paste   bool
}

func newScreen(t *Terminal, drawn tcell.Screen, o Options) *screen {
	s := &screen{
		Screen: drawn, t: t, mouseAllowed: o.Mouse,
		out:   make(chan []tcell.Event, 1),
		drawn: make(chan tcell.Event),
		over:  make(chan struct{}),
	}
	s.filter = newFilter(drawn.Size, o.PasteCut, func(focused bool) {
		t.caller.look(focused)
		if o.Focus != nil {
			o.Focus(focused)
		}
	})
	return s
}

// begin starts the input after tcell has been initialised.
func (s *screen) begin() {
	s.Screen.EnablePaste()
	s.paste = true
	s.Screen.EnableFocus()
	s.t.guard.Go(s.filterLoop)
	s.t.guard.Go(func() { s.Screen.ChannelEvents(s.drawn, s.over) })
}

// filterLoop turns bytes into events. It stops taking bytes while nobody
// takes its events, so memory is bounded by a few reads.
func (s *screen) filterLoop() {
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	f := s.filter
	for {
		if d := f.wait(); d > 0 {
			timer.Reset(d)
		} else {
			timer.Stop()
		}
		var events []tcell.Event
		select {
		case p := <-s.t.tty.chunks:
			if p == nil {
				events = f.reset()
			} else {
				events = f.feed(p, s.t.tty.now())
			}
		case <-timer.C:
			events = f.expire(s.t.tty.now())
		case ev := <-f.parsed:
			events = f.late(ev)
		case <-s.over:
			return
		}
		if len(events) == 0 {
			continue
		}
		select {
		case s.out <- events:
		case <-s.over:
			return
		}
	}
}

// Init does nothing: Open has done it, so that its error is not lost.
func (s *screen) Init() error {
	if s.finished.Load() {
		return ErrRefused
	}
	return nil
}

// PollEvent waits for an event; it returns nil after Fini.
func (s *screen) PollEvent() tcell.Event {
	for {
		if ev := s.next(); ev != nil {
			return ev
		}
		select {
		case events := <-s.out:
			s.mu.Lock()
			s.pending = append(s.pending, events...)
			s.mu.Unlock()
		case ev, ok := <-s.drawn:
			if ok {
				return ev
			}
			<-s.over
			return nil
		case <-s.over:
			return nil
		}
	}
}

func (s *screen) next() tcell.Event {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.pending) == 0 || s.finished.Load() {
		return nil
	}
	ev := s.pending[0]
	s.pending[0] = nil
	if s.pending = s.pending[1:]; len(s.pending) == 0 {
		s.pending = nil
	}
	return ev
}

// HasPendingEvent tells whether PollEvent would return at once.
func (s *screen) HasPendingEvent() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.pending) > 0 || len(s.out) > 0 || s.Screen.HasPendingEvent()
}

// ChannelEvents sends events to ch until quit or Fini, and closes ch.
func (s *screen) ChannelEvents(ch chan<- tcell.Event, quit <-chan struct{}) {
	defer close(ch)
	for {
		ev := s.PollEvent()
		if ev == nil {
			return
		}
		select {
		case ch <- ev:
		case <-quit:
			return
		case <-s.over:
			return
		}
	}
}

// Show draws what has changed, or everything after the terminal was in other
// hands.
func (s *screen) Show() {
	s.draw(func() {
		if s.whole.Swap(false) {
			s.sendWhole()
			return
		}
		s.frame.fit(s.Screen.Size())
		s.frame.send(s.Screen)
		s.Screen.Show()
	})
}

// Sync draws everything.
func (s *screen) Sync() { s.draw(s.sendWhole) }

// sendWhole sends every cell: tcell forgets its own while it is suspended.
func (s *screen) sendWhole() {
	s.frame.fit(s.Screen.Size())
	s.frame.forget()
	s.frame.send(s.Screen)
	s.Screen.Sync()
}

// draw runs f unless the screen is suspended or finished: tcell's cells are
// 0×0 then and its size is not, and its draw loops for ever over cells of no
// width, with its lock held.
func (s *screen) draw(f func()) {
	s.life.Lock()
	defer s.life.Unlock()
	if !s.away && !s.finished.Load() {
		f()
	}
}

// Suspend gives the terminal back until Resume. Keys typed and not yet
// delivered are dropped.
func (s *screen) Suspend() error {
	s.life.Lock()
	defer s.life.Unlock()
	if s.finished.Load() {
		return ErrRefused
	}
	s.away = true
	err := s.Screen.Suspend()
	s.dropKeys()
	return err
}

// dropKeys forgets keys and mouse events that wait. The marks of a paste stay:
// tview would paste its last paste again at an end without a start.
func (s *screen) dropKeys() {
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case events := <-s.out:
		s.pending = append(s.pending, events...)
	default:
	}
	s.pending = slices.DeleteFunc(s.pending, func(ev tcell.Event) bool {
		switch ev.(type) {
		case *tcell.EventKey, *tcell.EventMouse:
			return true
		}
		return false
	})
}

// Resume takes the terminal again. tview draws nothing after it by itself, so
// an event asks for a frame.
func (s *screen) Resume() error {
	s.life.Lock()
	defer s.life.Unlock()
	if s.finished.Load() {
		return ErrRefused // or the screen would come up again after the end
	}
	if err := s.Screen.Resume(); err != nil {
		s.t.tty.markLost()
		return err
	}
	s.away = false
	s.redraw()
	return nil
}

// finiLimit is how long tcell may take to give the terminal back. It waits
// for output that a stalled terminal never takes, and for a lock that a panic
// inside it never gives free.
const finiLimit = 700 * time.Millisecond

// Fini ends the screen in any case, by hand when tcell does not.
func (s *screen) Fini() {
	s.once.Do(func() {
		s.finished.Store(true)
		done := make(chan struct{})
		s.t.guard.Go(func() {
			defer close(done)
			s.t.tty.unmute(nil)
			s.life.Lock()
			defer s.life.Unlock()
			s.Screen.Fini()
		})
		select {
		case <-done:
		case <-time.After(finiLimit):
		}
		s.t.Restore()
		close(s.over)
	})
	<-s.over
}

// mouseModes are buttons, wheel and drags. tview asks for every motion, which
// is a flood over a slow line.
const mouseModes = tcell.MouseButtonEvents | tcell.MouseDragEvents

// EnableMouse asks for buttons, wheel and drags if the options allow it,
// whatever the flags are.
func (s *screen) EnableMouse(...tcell.MouseFlags) {
	if !s.mouseAllowed {
		return
	}
	s.set(&s.mouse, true)
	s.Screen.EnableMouse(mouseModes)
}

// DisableMouse ends mouse reports.
func (s *screen) DisableMouse() {
	s.set(&s.mouse, false)
	s.Screen.DisableMouse()
}

// EnablePaste asks for bracketed paste.
func (s *screen) EnablePaste() {
	s.set(&s.paste, true)
	s.Screen.EnablePaste()
}

// DisablePaste does nothing: text pasted without markers would be keys.
func (s *screen) DisablePaste() {}

func (s *screen) set(flag *bool, on bool) {
	s.mu.Lock()
	*flag = on
	s.mu.Unlock()
}

// modes asks again for what was asked for.
func (s *screen) modes() []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	var p []byte
	if s.mouse {
		p = append(p, "\x1b[?1000h\x1b[?1002h\x1b[?1006h"...)
	}
	if s.paste {
		p = append(p, pasteOn...)
	}
	return append(p, focusOn...)
}

const (
	pasteOn = "\x1b[?2004h"
	focusOn = "\x1b[?1004h"
)

// EnableFocus does nothing: focus reports are asked for from the start.
func (s *screen) EnableFocus() {}

// DisableFocus does nothing: who is to be called depends on them.
func (s *screen) DisableFocus() {}

// SetTitle is Terminal.SetTitle. tcell's own sends any byte, and TPuts takes
// "$<5000>" in a title for padding.
func (s *screen) SetTitle(title string) { s.t.SetTitle(title) }

// Beep is Terminal.Bell.
func (s *screen) Beep() error {
	s.t.Bell()
	return nil
}

// SetClipboard does nothing: copies go the ways that can report a result.
func (s *screen) SetClipboard([]byte) {}

// GetClipboard does nothing: reading the clipboard is never asked for.
func (s *screen) GetClipboard() {}

// SetSize does nothing: the window is the user's.
func (s *screen) SetSize(int, int) {}
