// Package uitest holds what tests of the interface share: a screen that can be
// read back and that checks every byte it would send to a terminal, golden
// files, and a clock that stands still. Only tests import it.
package uitest

import (
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/uniseg"
)

// A Screen is a simulated screen whose content is drawn to a terminal in memory
// as well, through tcell's own terminfo screen of an xterm-256color, so that
// every test of the interface has the bytes that a terminal would get. When the
// test ends they go through oracle O1.
//
// Init does nothing: NewScreen has done it, and the size stays. SetSize resizes
// both screens and posts the event that a terminal would.
type Screen struct {
	tcell.SimulationScreen
	real tcell.Screen
	tty  *tty
	fini sync.Once
}

// NewScreen makes a screen of w by h cells. It fails the test at its end when
// the output holds what must not be there; see CheckOutput. Where the locale is
// not UTF-8 it sets LC_ALL for the test, which then cannot be parallel.
func NewScreen(t testing.TB, w, h int) *Screen {
	t.Helper()
	if !utf8Locale() {
		t.Setenv("LC_ALL", "C.UTF-8")
	}
	found, err := tcell.LookupTerminfo("xterm-256color")
	if err != nil {
		t.Fatal(err)
	}
	// tcell writes to the description, which all screens would share.
	ti := *found
	ti.SetFgRGB, ti.SetBgRGB, ti.SetFgBgRGB = "", "", ""
	tty := &tty{w: w, h: h, stopped: make(chan struct{})}
	real, err := tcell.NewTerminfoScreenFromTtyTerminfo(tty, &ti)
	if err != nil {
		t.Fatal(err)
	}
	s := &Screen{SimulationScreen: tcell.NewSimulationScreen("UTF-8"), real: real, tty: tty}
	if err := s.SimulationScreen.Init(); err != nil {
		t.Fatal(err)
	}
	if err := real.Init(); err != nil {
		t.Fatal(err)
	}
	// Nobody reads the second screen's events, which would stop it.
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		for real.PollEvent() != nil {
		}
	}()
	s.SimulationScreen.SetSize(w, h)
	t.Cleanup(func() {
		s.Fini()
		<-drained
		if err := tty.result(); err != nil {
			t.Errorf("the screen wrote what it must not:\n%v", err)
		}
	})
	return s
}

// utf8Locale tells what tcell will make of the environment.
func utf8Locale() bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if v := os.Getenv(name); v != "" {
			v = strings.ToUpper(v)
			return strings.Contains(v, "UTF-8") || strings.Contains(v, "UTF8")
		}
	}
	return true
}

// Allow says what else may stand in the output; call it before it does.
func (s *Screen) Allow(o Options) { s.tty.allow(o) }

// Output returns what has been written to the terminal, of a long output the
// last part.
func (s *Screen) Output() []byte { return s.tty.output() }

// Cells returns what stands at a cell, and its style. The right half of a wide
// character is empty. Where nothing was ever shown is a blank.
func (s *Screen) Cells(x, y int) (string, tcell.Style) {
	cells, w, h := s.GetContents()
	if x < 0 || y < 0 || x >= w || y >= h {
		return "", tcell.StyleDefault
	}
	if x > 0 && width(cells[y*w+x-1]) == 2 && !covered(cells, w, x-1, y) {
		return "", cells[y*w+x-1].Style
	}
	return content(cells[y*w+x]), cells[y*w+x].Style
}

// covered is true for a cell that a wide character before it covers.
func covered(cells []tcell.SimCell, w, x, y int) bool {
	n := 0
	for x > 0 && width(cells[y*w+x-1]) == 2 {
		x--
		n++
	}
	return n%2 == 1
}

func content(c tcell.SimCell) string {
	if len(c.Runes) == 0 {
		return " "
	}
	return string(c.Runes)
}

func width(c tcell.SimCell) int {
	if len(c.Runes) == 1 && c.Runes[0] < 0x80 {
		return 1
	}
	return uniseg.StringWidth(content(c))
}

// Rows returns the text on the screen, row by row, without the blanks at the
// right.
func (s *Screen) Rows() []string {
	cells, w, h := s.GetContents()
	rows := make([]string, h)
	for y := range rows {
		var b strings.Builder
		for x := 0; x < w; {
			c := cells[y*w+x]
			b.WriteString(content(c))
			x += max(1, width(c))
		}
		rows[y] = strings.TrimRight(b.String(), " ")
	}
	return rows
}

// The calls that both screens get. What only one of them can answer goes to the
// simulated one, but for Colors.

func (s *Screen) Init() error { return nil }

func (s *Screen) Fini() {
	s.fini.Do(func() {
		s.SimulationScreen.Fini()
		s.real.Fini()
	})
}

// Colors is 256, and 0 where NO_COLOR is set.
func (s *Screen) Colors() int { return s.real.Colors() }

func (s *Screen) Clear() {
	s.SimulationScreen.Clear()
	s.real.Clear()
}

func (s *Screen) Fill(r rune, st tcell.Style) {
	s.SimulationScreen.Fill(r, st)
	s.real.Fill(r, st)
}

func (s *Screen) Put(x, y int, str string, st tcell.Style) (string, int) {
	s.real.Put(x, y, str, st)
	return s.SimulationScreen.Put(x, y, str, st)
}

func (s *Screen) PutStr(x, y int, str string) {
	s.real.PutStr(x, y, str)
	s.SimulationScreen.PutStr(x, y, str)
}

func (s *Screen) PutStrStyled(x, y int, str string, st tcell.Style) {
	s.real.PutStrStyled(x, y, str, st)
	s.SimulationScreen.PutStrStyled(x, y, str, st)
}

func (s *Screen) SetCell(x, y int, st tcell.Style, ch ...rune) {
	if len(ch) == 0 {
		ch = []rune{' '}
	}
	s.Put(x, y, string(ch), st)
}

func (s *Screen) SetContent(x, y int, main rune, combining []rune, st tcell.Style) {
	s.Put(x, y, string(append([]rune{main}, combining...)), st)
}

func (s *Screen) SetStyle(st tcell.Style) {
	s.real.SetStyle(st)
	s.SimulationScreen.SetStyle(st)
}

func (s *Screen) ShowCursor(x, y int) {
	s.real.ShowCursor(x, y)
	s.SimulationScreen.ShowCursor(x, y)
}

func (s *Screen) HideCursor() { s.ShowCursor(-1, -1) }

func (s *Screen) SetCursorStyle(cs tcell.CursorStyle, colors ...tcell.Color) {
	s.real.SetCursorStyle(cs, colors...)
	s.SimulationScreen.SetCursorStyle(cs, colors...)
}

func (s *Screen) Show() {
	s.real.Show()
	s.SimulationScreen.Show()
}

func (s *Screen) Sync() {
	s.real.Sync()
	s.SimulationScreen.Sync()
}

func (s *Screen) SetSize(w, h int) {
	s.tty.resize(w, h)
	s.SimulationScreen.SetSize(w, h)
	_ = s.PostEvent(tcell.NewEventResize(w, h)) // full when nobody reads
}

func (s *Screen) LockRegion(x, y, w, h int, lock bool) {
	s.real.LockRegion(x, y, w, h, lock)
	s.SimulationScreen.LockRegion(x, y, w, h, lock)
}

func (s *Screen) SetTitle(title string) {
	s.real.SetTitle(title)
	s.SimulationScreen.SetTitle(title)
}

func (s *Screen) SetClipboard(data []byte) {
	s.real.SetClipboard(data)
	s.SimulationScreen.SetClipboard(data)
}

func (s *Screen) Beep() error { return s.real.Beep() }

func (s *Screen) EnableMouse(f ...tcell.MouseFlags) {
	s.real.EnableMouse(f...)
	s.SimulationScreen.EnableMouse(f...)
}

func (s *Screen) DisableMouse() {
	s.real.DisableMouse()
	s.SimulationScreen.DisableMouse()
}

func (s *Screen) EnablePaste() {
	s.real.EnablePaste()
	s.SimulationScreen.EnablePaste()
}

func (s *Screen) DisablePaste() {
	s.real.DisablePaste()
	s.SimulationScreen.DisablePaste()
}

func (s *Screen) EnableFocus() {
	s.real.EnableFocus()
	s.SimulationScreen.EnableFocus()
}

func (s *Screen) DisableFocus() {
	s.real.DisableFocus()
	s.SimulationScreen.DisableFocus()
}

func (s *Screen) Suspend() error { return s.real.Suspend() }

func (s *Screen) Resume() error { return s.real.Resume() }
