package view

import (
	"strings"
	"testing"
	"time"

	"copydesk/core/panel"
	"copydesk/core/text"
	"copydesk/ui/theme"
	"copydesk/ui/uitest"

	"github.com/gdamore/tcell/v2"
	"github.com/google/go-cmp/cmp"
	"github.com/rivo/tview"
	"github.com/rivo/uniseg"
	"pgregory.net/rapid"
)

// pointer drives the mouse of a panel.
type pointer struct {
	v     *Panel
	clock *uitest.Clock
	took  tview.Primitive
}

func newPointer(v *Panel) *pointer {
	p := &pointer{v: v, clock: uitest.NewClock()}
	v.SetClock(p.clock.Now, func(d time.Duration, f func()) func() {
		timer := p.clock.AfterFunc(d, f)
		return func() { timer.Stop() }
	})
	return p
}

func (p *pointer) do(action tview.MouseAction, x, y int, mod tcell.ModMask) {
	_, p.took = p.v.MouseHandler()(action, tcell.NewEventMouse(x, y, tcell.ButtonNone, mod), func(tview.Primitive) {})
}

func (p *pointer) click(x, y int) {
	p.do(tview.MouseLeftDown, x, y, 0)
	p.do(tview.MouseLeftUp, x, y, 0)
}

func (p *pointer) drag(x, y, tox, toy int) {
	p.clock.Advance(time.Second)
	p.do(tview.MouseLeftDown, x, y, 0)
	p.do(tview.MouseMove, tox, toy, 0)
	p.do(tview.MouseLeftUp, tox, toy, 0)
}

// cells are the positions before and behind what each cell of the text area
// shows, from what wraps the lines and from uniseg.
func (d *document) cells(v *Panel) map[[2]int][2]panel.Position {
	width, height := v.page()
	out := map[[2]int][2]panel.Position{}
	at := v.top()
	y := -at.row
	for n := at.line; n < d.end(); n++ {
		l := d.lines[n-d.first]
		rows, column := text.Wrap(l.Text, width), 0
		if l.Kind == panel.Table {
			rows, column = []text.Row{{End: len(l.Text)}}, v.tableColumn()
		}
		for _, r := range rows {
			col := -column
			for g := uniseg.NewGraphemes(l.Text[r.Start:r.End]); g.Next(); {
				w := g.Width()
				if g.Str() == "\t" {
					w = 8 - (col+column)%8
				}
				from, to := g.Positions()
				for i := range w {
					if y >= 0 && y < height {
						out[[2]int{col + i, y}] = [2]panel.Position{place(n, r.Start+from), place(n, r.Start+to)}
					}
				}
				col += w
			}
			for ; col <= width; col++ {
				out[[2]int{col, y}] = [2]panel.Position{place(n, r.End), place(n, r.End)}
			}
			y++
		}
	}
	for ; y < height; y++ {
		for col := 0; col <= width; col++ {
			end := place(d.end()-1, len(d.text(d.end()-1)))
			out[[2]int{col, y}] = [2]panel.Position{end, end}
		}
	}
	return out
}

// TestCPY_ADragIsThatPieceOfTheText drags from any cell to any other: wide and
// combined characters, tabs, wrapped lines, tables scrolled sideways.
func TestCPY_ADragIsThatPieceOfTheText(t *testing.T) {
	s := newSimulation(t)
	th := newTheme(t, theme.Options{Colors: 256})
	rapid.Check(t, func(t *rapid.T) {
		v := NewPanel(th)
		p := newPointer(v)
		w, h := rapid.IntRange(8, 80).Draw(t, "width"), rapid.IntRange(3, 20).Draw(t, "height")
		v.SetRect(0, 0, w, h)
		d := &document{}
		lines := someLines(10).Draw(t, "lines")
		if rapid.Bool().Draw(t, "table") {
			for i := range lines {
				lines[i].Kind = panel.Table
			}
		}
		d.apply(v, 0, lines)
		v.ScrollRows(-rapid.IntRange(0, 5).Draw(t, "up"))
		v.ScrollColumns(rapid.IntRange(0, 20).Draw(t, "sideways"))
		cells := d.cells(v)
		width, height := v.page()
		cell := func(name string) [2]int {
			return [2]int{rapid.IntRange(0, width).Draw(t, name+" x"), rapid.IntRange(0, height-1).Draw(t, name+" y")}
		}
		a, b := cell("from"), cell("to")
		p.drag(a[0]+3, a[1]+1, b[0]+3, b[1]+1)
		want := ""
		if a != b {
			first, last := cells[a], cells[b]
			if last[0].Before(first[0]) {
				first, last = last, first
			}
			want = d.piece(first[0], last[1])
			if last[1].Before(first[1]) {
				want = d.piece(first[0], first[1])
			}
		}
		if got := v.SelectedText(); got != want {
			t.Fatalf("from cell %v to %v, %q is selected, want %q", a, b, got, want)
		}
		marked(t, s, v)
	})
}

func TestMouseSelects(t *testing.T) {
	s := uitest.NewScreen(t, 23, 8) // 18 × 6 cells of text
	v := newPanel(t, 23, 8)
	p := newPointer(v)
	released := 0
	v.SetSelectedFunc(func() { released++ })
	v.Apply(0, 0, shown(panel.Answer, "one  two_2(three) and 世界", "", "last"))
	if diff := cmp.Diff([]string{"one  two_2(three)", "and 世界", "", "last", "", ""}, body(s, v)); diff != "" {
		t.Fatal(diff)
	}
	want := func(what, text string) {
		t.Helper()
		if got := v.SelectedText(); got != text {
			t.Errorf("%s selects %q, want %q", what, got, text)
		}
	}
	p.click(5, 1)
	want("a click", "")
	if released != 0 {
		t.Error("a click is told as a selection")
	}
	p.drag(3, 1, 5, 1)
	want("a drag", "one")
	p.drag(5, 1, 3, 1)
	want("a drag back", "one")
	if released != 2 {
		t.Errorf("%d selections were told, want 2", released)
	}
	p.drag(8, 2, 7, 2)
	want("a drag inside a wide character", "世")
	p.drag(20, 2, 3, 4)
	want("a drag from the padding", "\n\nl")
	p.drag(3, 4, 21, 6)
	want("a drag below the text", "last")

	p.clock.Advance(time.Second)
	p.click(9, 1)
	p.click(9, 1)
	want("a double click", "two_2")
	p.click(9, 1)
	want("a triple click", "one  two_2(three) and 世界")
	p.click(9, 1)
	want("a fourth click", "")
	p.clock.Advance(time.Second)
	p.click(9, 1)
	p.clock.Advance(501 * time.Millisecond)
	p.click(9, 1)
	want("two slow clicks", "")
	p.clock.Advance(time.Second)
	p.click(9, 1)
	p.click(10, 1)
	want("clicks in two places", "")

	p.clock.Advance(time.Second)
	p.click(9, 1)
	p.do(tview.MouseLeftDown, 9, 1, 0)
	p.do(tview.MouseMove, 4, 2, 0)
	want("a drag by words", "two_2(three) and")
	p.do(tview.MouseMove, 4, 1, 0)
	want("a drag by words back", "one  two_2")
	p.do(tview.MouseLeftUp, 4, 1, 0)
	p.do(tview.MouseMove, 9, 4, 0)
	want("a move after it", "one  two_2")

	p.clock.Advance(time.Second)
	p.click(8, 1)
	p.do(tview.MouseLeftDown, 12, 1, tcell.ModShift)
	p.do(tview.MouseLeftUp, 12, 1, tcell.ModShift)
	want("a click with Shift", "two_2")
	p.do(tview.MouseLeftDown, 3, 1, tcell.ModShift)
	want("a click with Shift before it", "one  ")
	p.do(tview.MouseLeftUp, 3, 1, tcell.ModShift)

	p.clock.Advance(time.Second)
	for range 3 {
		p.click(3, 4)
	}
	want("a triple click", "last")
	p.click(0, 3)
	want("a click at the frame", "last")
	p.click(3, 2)
	want("a click elsewhere", "")
}

func TestMouseSelectsNothingWithoutAClock(t *testing.T) {
	v := newPanel(t, 23, 8)
	v.Apply(0, 0, shown(panel.Answer, "one"))
	p := &pointer{v: v, clock: uitest.NewClock()}
	p.drag(3, 1, 5, 1)
	if v.SelectedText() != "" || p.took != nil {
		t.Error("a drag selects")
	}
}

// TestDragScrollsAtTheEdge holds a drag at an edge: the text scrolls by a row at
// a time, no timer is left at its end, and none when the button is released.
func TestDragScrollsAtTheEdge(t *testing.T) {
	s := uitest.NewScreen(t, 40, 6)
	v := newPanel(t, 40, 6)
	p := newPointer(v)
	v.Apply(0, 0, shown(panel.Answer, numbered(0, 20)...))
	pending := func(what string, want int) {
		t.Helper()
		if got := p.clock.Pending(); got != want {
			t.Errorf("%s: %d timers, want %d", what, got, want)
		}
	}
	p.do(tview.MouseLeftDown, 3, 4, 0)
	pending("pressed", 0)
	p.do(tview.MouseMove, 3, 0, 0)
	pending("at the edge", 1)
	p.clock.Advance(3 * scrollTime)
	if got := body(s, v)[0]; got != "line 13" {
		t.Errorf("%q is at the top after three rows", got)
	}
	if got, want := v.SelectedText(), strings.Join(numbered(13, 6), "\n")+"\nl"; got != want {
		t.Errorf("%q is selected, want %q", got, want)
	}
	p.do(tview.MouseMove, 3, 2, 0)
	pending("back in the text", 0)
	p.do(tview.MouseMove, 3, 0, 0)
	p.clock.Advance(time.Minute)
	pending("at the first line", 0)
	if got, want := v.SelectedText(), strings.Join(numbered(0, 19), "\n")+"\nl"; got != want {
		t.Errorf("%q is selected, want %q", got, want)
	}
	p.do(tview.MouseMove, 39, 5, 0)
	p.clock.Advance(time.Minute)
	pending("at the last line", 0)
	if got, want := v.SelectedText(), strings.Join(numbered(19, 1), "\n"); got != want {
		t.Errorf("%q is selected, want %q", got, want)
	}
	p.do(tview.MouseMove, 3, 0, 0)
	p.do(tview.MouseLeftUp, 3, 0, 0)
	pending("released", 0)
	p.do(tview.MouseLeftDown, 3, 2, 0)
	p.do(tview.MouseMove, 3, 5, 0)
	v.Apply(0, 0, nil)
	pending("nothing is left", 0)
}

// TestDragIgnoresALateTimer has a timer fire although it was stopped, as one that
// is already on its way does.
func TestDragIgnoresALateTimer(t *testing.T) {
	v := newPanel(t, 40, 6)
	p := newPointer(v)
	v.SetClock(p.clock.Now, func(d time.Duration, f func()) func() {
		p.clock.AfterFunc(d, f)
		return func() {}
	})
	v.Apply(0, 0, shown(panel.Answer, numbered(0, 20)...))
	p.do(tview.MouseLeftDown, 3, 4, 0)
	p.do(tview.MouseMove, 3, 0, 0)
	p.do(tview.MouseLeftUp, 3, 0, 0)
	p.do(tview.MouseLeftDown, 3, 4, 0)
	p.do(tview.MouseMove, 3, 0, 0)
	p.clock.Advance(scrollTime)
	if top := v.top(); top.line != 15 {
		t.Errorf("two timers scrolled to line %d, want one row to line 15", top.line)
	}
}
