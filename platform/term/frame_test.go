package term

import (
	"strings"
	"testing"

	"github.com/gdamore/tcell/v2"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// draws are the ways of tview to put something on a screen.
func drawRandom(t *rapid.T, screens ...tcell.Screen) {
	w, h := screens[0].Size()
	if rapid.Bool().Draw(t, "clear") {
		for _, s := range screens {
			s.Clear()
		}
	}
	for range rapid.IntRange(0, 12).Draw(t, "draws") {
		x, y := rapid.IntRange(-1, w).Draw(t, "x"), rapid.IntRange(-1, h).Draw(t, "y")
		text := rapid.SampledFrom([]string{"a", "bc", "日本", "e\u0301x", "👩‍👩‍👧", " ", "long text over the edge", "ⅷ"}).Draw(t, "text")
		style := tcell.StyleDefault.Foreground(rapid.SampledFrom([]tcell.Color{tcell.ColorDefault, tcell.ColorRed, tcell.ColorNone}).Draw(t, "colour"))
		switch rapid.IntRange(0, 2).Draw(t, "how") {
		case 0:
			for _, s := range screens {
				s.Put(x, y, text, style)
			}
		case 1:
			for _, s := range screens {
				s.PutStrStyled(x, max(0, y), text, style)
			}
		case 2:
			r := []rune(text)
			for _, s := range screens {
				s.SetContent(x, y, r[0], nil, style)
			}
		}
	}
	for _, s := range screens {
		s.Show()
	}
}

// TestFrameDrawsWhatTcellWouldDraw compares a screen with frames and one without
// after every frame, at changing sizes.
func TestFrameDrawsWhatTcellWouldDraw(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		plain, under := simulated(t), simulated(t)
		framed := newScreen(&Terminal{}, under, Options{})
		plain.Clear() // as tview does before each frame
		framed.Clear()
		for range rapid.IntRange(1, 8).Draw(t, "frames") {
			if rapid.IntRange(0, 4).Draw(t, "resize") == 0 {
				w, h := rapid.IntRange(1, 30).Draw(t, "w"), rapid.IntRange(1, 6).Draw(t, "h")
				plain.SetSize(w, h)
				under.SetSize(w, h)
				plain.Clear()
				framed.Clear()
			}
			drawRandom(t, plain, framed)
			if diff := cmp.Diff(cellsOf(plain), cellsOf(under)); diff != "" {
				t.Fatal(diff)
			}
		}
	})
}

func simulated(t *rapid.T) tcell.SimulationScreen {
	s := tcell.NewSimulationScreen("UTF-8")
	if err := s.Init(); err != nil {
		t.Fatal(err)
	}
	s.SetSize(20, 4)
	return s
}

func cellsOf(s tcell.SimulationScreen) []string {
	cells, w, h := s.GetContents()
	var out []string
	for y := range h {
		var b strings.Builder
		for x := 0; x < w; x++ {
			fg, _, _ := cells[y*w+x].Style.Decompose()
			b.WriteString(string(cells[y*w+x].Runes) + "|" + fg.Name() + ";")
		}
		out = append(out, b.String())
	}
	return out
}

// counting counts what reaches tcell.
type counting struct {
	tcell.Screen
	puts int
}

func (c *counting) Put(x, y int, s string, style tcell.Style) (string, int) {
	c.puts++
	return c.Screen.Put(x, y, s, style)
}

// TestAnUnchangedFrameSendsNothing is why there are frames: the screen is
// cleared and drawn anew each time, and nothing may go out for it (P7).
func TestAnUnchangedFrameSendsNothing(t *testing.T) {
	under := tcell.NewSimulationScreen("UTF-8")
	if err := under.Init(); err != nil {
		t.Fatal(err)
	}
	under.SetSize(80, 24)
	c := &counting{Screen: under}
	s := newScreen(&Terminal{}, c, Options{})
	draw := func(text string) {
		s.Clear()
		for y := range 24 {
			s.PutStrStyled(0, y, text, tcell.StyleDefault)
		}
		s.Show()
	}
	draw("the same text on every row")
	first := c.puts
	draw("the same text on every row")
	if c.puts != first {
		t.Errorf("an unchanged frame handed %d cells on", c.puts-first)
	}
	draw("the same text on every rok")
	if got := c.puts - first; got != 24 {
		t.Errorf("24 changed cells handed %d cells on", got)
	}
	s.Sync()
	if got := c.puts - first - 24; got != 80*24 {
		t.Errorf("a whole frame handed %d cells on, want %d", got, 80*24)
	}
}
