package view

import (
	"fmt"
	"strings"
	"testing"

	"copydesk/core/panel"
	"copydesk/core/text"
	"copydesk/ui/theme"
	"copydesk/ui/uitest"

	"github.com/google/go-cmp/cmp"
	"github.com/rivo/uniseg"
	"pgregory.net/rapid"
)

// place is short for a position.
func place(line uint64, at int) panel.Position { return panel.Position{Line: line, Byte: at} }

// A document is what a panel shows, kept apart from it.
type document struct {
	first uint64
	lines []panel.Shown
}

func (d *document) apply(v *Panel, from uint64, lines []panel.Shown) {
	d.lines = append(d.lines[:from-d.first:from-d.first], lines...)
	v.Apply(d.first, from, lines)
}

func (d *document) end() uint64 { return d.first + uint64(len(d.lines)) }

func (d *document) drop(v *Panel, n int) {
	d.first += uint64(n)
	d.lines = d.lines[n:]
	v.Apply(d.first, d.end(), nil)
}

func (d *document) text(n uint64) string { return d.lines[n-d.first].Text }

func (d *document) joined() string {
	texts := make([]string, len(d.lines))
	for i, l := range d.lines {
		texts[i] = l.Text
	}
	return strings.Join(texts, "\n")
}

// offset is where a position is in the joined lines.
func (d *document) offset(p panel.Position) int {
	n := p.Byte
	for i := d.first; i < p.Line; i++ {
		n += len(d.text(i)) + 1
	}
	return n
}

// piece is the joined lines between two positions.
func (d *document) piece(a, b panel.Position) string {
	x, y := d.offset(a), d.offset(b)
	return d.joined()[min(x, y):max(x, y)]
}

// step is a position moved by a cluster, by what uniseg says of the joined lines.
func (d *document) step(p panel.Position, by int) panel.Position {
	var all []panel.Position
	for i, l := range d.lines {
		at := place(d.first+uint64(i), 0)
		all = append(all, at)
		for g := uniseg.NewGraphemes(l.Text); g.Next(); {
			_, at.Byte = g.Positions()
			all = append(all, at)
		}
	}
	for i, q := range all {
		if q == p {
			return all[min(max(0, i+by), len(all)-1)]
		}
	}
	return panel.Position{Line: 1 << 60}
}

// marked is what is drawn as selected, row by row from the top, and fails where
// decoration is.
func marked(t rapid.TB, s simulation, v *Panel) string {
	_, _, w, h := v.GetRect()
	s.SetSize(w, h)
	v.Draw(s)
	s.Show()
	cells, _, _ := s.GetContents()
	style := v.theme.Element(theme.Selected)
	var b strings.Builder
	for y := range h {
		for x := 0; x < w; {
			c := cells[y*w+x]
			if c.Style == style {
				if y == 0 || y == h-1 || x <= gutterWidth || x >= w-1 {
					t.Fatalf("cell %d, %d of the decoration is drawn as selected", x, y)
				}
				b.WriteString(string(c.Runes))
			}
			x += max(1, uniseg.StringWidth(string(c.Runes)))
		}
	}
	return b.String()
}

func someLines(most int) *rapid.Generator[[]panel.Shown] {
	return rapid.SliceOfN(randomLine(), 1, most)
}

// TestCPY_ASelectionIsThatPieceOfTheText moves the cursor and the selection
// with the keyboard while lines come, grow and go, and the panel is scrolled and
// resized. What is selected is always the same range of the joined lines, and it
// is what is drawn as selected.
func TestCPY_ASelectionIsThatPieceOfTheText(t *testing.T) {
	s := newSimulation(t)
	th := newTheme(t, theme.Options{Colors: 256})
	rapid.Check(t, func(t *rapid.T) {
		v := NewPanel(th)
		v.SetFocused(true)
		d := &document{}
		resize := func() {
			v.SetRect(0, 0, rapid.IntRange(8, 60).Draw(t, "width"), rapid.IntRange(3, 12).Draw(t, "height"))
		}
		resize()
		d.apply(v, 0, someLines(8).Draw(t, "lines"))
		for range rapid.IntRange(1, 12).Draw(t, "steps") {
			from, to := v.selection.from, v.selection.to
			switch rapid.IntRange(0, 9).Draw(t, "what") {
			case 0:
				d.apply(v, d.end(), someLines(3).Draw(t, "more"))
			case 1:
				last := d.lines[len(d.lines)-1]
				last.Text = text.CleanLine(last.Text + rapid.SampledFrom(pieces).Draw(t, "grown"))
				d.apply(v, d.end()-1, []panel.Shown{last})
			case 2:
				d.drop(v, rapid.IntRange(0, len(d.lines)-1).Draw(t, "dropped"))
			case 3:
				resize()
			case 4:
				v.ScrollRows(rapid.IntRange(-9, 9).Draw(t, "rows"))
				v.ScrollColumns(rapid.IntRange(-9, 9).Draw(t, "columns"))
			case 5:
				v.SelectLine()
				if a, b, ok := v.selected(); ok && (a.Byte != 0 || b.Byte != len(d.text(b.Line))) {
					t.Fatalf("line selects from %v to %v", a, b)
				}
			default:
				m := Motion(rapid.IntRange(0, int(RowEnd)).Draw(t, "motion"))
				extend := rapid.IntRange(0, 3).Draw(t, "extend") > 0
				known := v.selection.set && (v.inView(v.cursorRow()) || extend && from != to)
				v.Move(m, extend)
				if m == Left || m == Right {
					if want := d.step(to, 2*int(m)-1); known && v.selection.to != want {
						t.Fatalf("motion %d goes from %v to %v, want %v", m, to, v.selection.to, want)
					}
				}
				if known && extend && v.selection.from != from {
					t.Fatalf("motion %d moves the start from %v to %v", m, from, v.selection.from)
				}
				if !extend && v.HasSelection() {
					t.Fatalf("motion %d leaves a selection", m)
				}
				if !v.inView(v.cursorRow()) {
					t.Fatalf("motion %d leaves the cursor out of view", m)
				}
			}
			if !v.selection.set {
				continue
			}
			for _, p := range []panel.Position{v.selection.from, v.selection.to} {
				if p.Line < d.first || p.Line >= d.end() || text.Boundary(d.text(p.Line), p.Byte) != p.Byte {
					t.Fatalf("%v is no place in the text", p)
				}
			}
			want := d.piece(v.selection.from, v.selection.to)
			if got := v.SelectedText(); got != want {
				t.Fatalf("selected is %q, want %q", got, want)
			}
		}
		// On a screen that shows all of it.
		widest := 0
		for _, l := range d.lines {
			widest = max(widest, text.Width(l.Text))
		}
		v.SetRect(0, 0, widest+10, len(d.lines)+2)
		v.ScrollTop()
		if a, b := unblank(marked(t, s, v)), unblank(v.SelectedText()); a != strings.ReplaceAll(b, "\n", "") {
			t.Fatalf("%q is drawn as selected, %q is", a, b)
		}
	})
}

// TestCPY_EverythingSelectedIsThePanel holds at every width.
func TestCPY_EverythingSelectedIsThePanel(t *testing.T) {
	th := newTheme(t, theme.Options{Colors: 256})
	rapid.Check(t, func(t *rapid.T) {
		d := &document{first: rapid.Uint64Range(0, 1<<40).Draw(t, "first")}
		v := NewPanel(th)
		v.SetRect(0, 0, rapid.IntRange(20, 200).Draw(t, "width"), rapid.IntRange(3, 60).Draw(t, "height"))
		d.apply(v, d.first, someLines(60).Draw(t, "lines"))
		v.SelectAll()
		if got := v.SelectedText(); got != d.joined() {
			t.Fatalf("everything is %q, want %q", got, d.joined())
		}
		v.ClearSelection()
		v.ScrollTop()
		v.ResetCursor()
		for range len(d.joined()) {
			v.Move(Up, false)
		}
		for v.SelectedText() != d.joined() {
			before := v.selection.to
			v.Move(Down, true)
			if v.selection.to == before {
				t.Fatalf("by rows, everything is %q, want %q", v.SelectedText(), d.joined())
			}
		}
	})
}

// TestPAN5_WhatIsSelectedDoesNotMove holds that text that comes meanwhile is
// counted, not shown, until the selection is gone.
func TestPAN5_WhatIsSelectedDoesNotMove(t *testing.T) {
	s := uitest.NewScreen(t, 40, 6)
	v := newPanel(t, 40, 6)
	v.Apply(0, 0, shown(panel.Answer, numbered(0, 10)...))
	v.Move(Up, true)
	if want := "\nline 9"; v.SelectedText() != want {
		t.Fatalf("selected is %q, want %q", v.SelectedText(), want)
	}
	v.Apply(0, 10, shown(panel.Answer, numbered(10, 5)...))
	if diff := cmp.Diff(numbered(6, 4), body(s, v)); diff != "" || v.Unseen() != 5 {
		t.Errorf("%d are unseen: %s", v.Unseen(), diff)
	}
	v.ScrollEnd()
	if !v.ClearSelection() || !v.Following() || v.ClearSelection() {
		t.Error("the selection was not cleared once")
	}
	v.Move(Right, true)
	if v.Following() {
		t.Error("it follows while something is selected")
	}
	v.ClearSelection()
	if !v.Following() {
		t.Error("it does not follow again although the end is in view")
	}
}

// TestCPY_ASelectionKeepsToItsText changes the status of a selected echo.
func TestCPY_ASelectionKeepsToItsText(t *testing.T) {
	v := newPanel(t, 60, 6)
	v.Apply(5, 5, shown(panel.Echo, "[simple] running: count rows"))
	v.Move(WordLeft, false)
	v.Move(WordLeft, true)
	if got := v.SelectedText(); got != "count " {
		t.Fatalf("selected is %q", got)
	}
	v.Apply(5, 5, shown(panel.Echo, "[simple] count rows ✓"))
	if got := v.SelectedText(); got != "count " {
		t.Errorf("then %q is selected", got)
	}
	v.Apply(6, 6, shown(panel.Answer, "next"))
	if v.HasSelection() {
		t.Errorf("of a line that is gone %q is selected", v.SelectedText())
	}
	v.SelectAll()
	v.Apply(0, 0, shown(panel.Answer, "anew"))
	if v.HasSelection() {
		t.Errorf("of a panel that began anew %q is selected", v.SelectedText())
	}
}

func TestCursorGoesByRows(t *testing.T) {
	v := newPanel(t, 15, 8) // 10 × 6 cells of text
	v.Apply(0, 0, shown(panel.Answer, "one two three four", "x", "日本語のカード"))
	v.selection.place(place(0, 7), false)
	for i, step := range []struct {
		m    Motion
		want panel.Position
	}{
		{RowEnd, place(0, 8)}, // behind the row
		{RowEnd, place(0, 18)},
		{RowStart, place(0, 8)},
		{RowStart, place(0, 0)},
		{RowStart, place(0, 0)},
		{RowEnd, place(0, 8)},
		{RowStart, place(0, 0)}, // of the row that the cursor is shown in
		{Right, place(0, 1)},
		{Down, place(0, 9)},
		{Down, place(1, 1)},
		{Down, place(2, 0)},
		{Up, place(1, 1)},
		{Up, place(0, 9)}, // where it came from
		{Left, place(0, 8)},
		{Left, place(0, 7)},
		{WordLeft, place(0, 4)},
		{WordRight, place(0, 7)},
		{WordRight, place(0, 13)},
		{WordRight, place(0, 18)},
		{WordRight, place(1, 1)},
		{WordRight, place(2, 9)},
		{WordRight, place(2, 12)},
		{WordRight, place(2, 21)},
		{Right, place(2, 21)},
		{Up, place(2, 9)},
		{Down, place(2, 21)},
		{Down, place(2, 21)},
		{WordLeft, place(2, 12)},
		{WordLeft, place(2, 9)},
		{WordLeft, place(2, 0)},
		{WordLeft, place(1, 0)},
		{Up, place(0, 8)},
		{Up, place(0, 0)},
		{Up, place(0, 0)},
		{WordLeft, place(0, 0)},
		{Left, place(0, 0)},
	} {
		v.Move(step.m, false)
		if v.selection.to != step.want {
			t.Fatalf("step %d, motion %d: the cursor is at %v, want %v", i, step.m, v.selection.to, step.want)
		}
	}
}

// TestCursorIsShown reads the place of the terminal's cursor.
func TestCursorIsShown(t *testing.T) {
	s := newSimulation(t)
	v := newPanel(t, 15, 5) // 10 × 3 cells of text
	s.SetSize(15, 5)
	cursor := func() string {
		v.Draw(s)
		s.Show()
		if x, y, on := s.GetCursor(); on {
			return fmt.Sprintf("%d,%d", x, y)
		}
		return "none"
	}
	v.SetFocused(true)
	if got := cursor(); got != "none" {
		t.Errorf("in an empty panel the cursor is at %s", got)
	}
	v.Apply(0, 0, shown(panel.Answer, "one two three", "世界"))
	for i, step := range []struct {
		do   func()
		want string
	}{
		{func() {}, "7,3"}, // behind the last text in view
		{func() { v.Move(Left, false) }, "5,3"},
		{func() { v.Move(Up, false) }, "5,2"},
		{func() { v.Move(Up, false); v.Move(RowEnd, false) }, "11,1"},
		{func() { v.Apply(0, 2, shown(panel.Answer, "more", "and more")) }, "none"},
		{func() { v.ScrollTop() }, "11,1"},
		{func() { v.ScrollEnd(); v.Move(Left, false) }, "7,1"}, // it is fetched
		{func() { v.Apply(0, 0, shown(panel.Table, "│ab│cdef│世界│")); v.Move(RowEnd, false) }, "13,1"},
		{func() { v.Move(RowStart, false) }, "3,1"},
		{func() { v.ScrollColumns(3) }, "none"},
	} {
		step.do()
		if got := cursor(); got != step.want {
			t.Errorf("step %d: the cursor is at %s, want %s", i, got, step.want)
		}
	}
}
