package view

import (
	"strings"
	"testing"

	"copydesk/core/panel"
	"copydesk/core/text"
	"copydesk/ui/uitest"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// TestCellIsWhereAPlaceIsDrawn reads the character of every place back from the
// cell that it is said to be drawn at.
func TestCellIsWhereAPlaceIsDrawn(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w, h := rapid.IntRange(8, 40).Draw(rt, "w"), rapid.IntRange(3, 12).Draw(rt, "h")
		s := uitest.NewScreen(t, w, h)
		v := newPanel(t, w, h)
		pieces := []string{"word ", "long-long-word ", "日本", "é", "x", " "}
		for range rapid.IntRange(1, 8).Draw(rt, "lines") {
			kind := rapid.SampledFrom([]panel.Kind{panel.Answer, panel.Echo, panel.Table}).Draw(rt, "kind")
			line := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 12).Draw(rt, "text"), "")
			v.Apply(0, v.end(), shown(kind, line))
		}
		v.ScrollRows(-rapid.IntRange(0, 20).Draw(rt, "up"))
		v.ScrollColumns(rapid.IntRange(0, 10).Draw(rt, "right"))
		v.Draw(s)
		s.Show()
		from, to, ok := v.View()
		if !ok {
			rt.Fatal("nothing is in view")
		}
		width, _ := v.page()
		for n := v.first; n < v.end(); n++ {
			l := v.line(n)
			for c := range text.Clusters(l.Text, text.Row{End: len(l.Text)}) {
				at := panel.Position{Line: n, Byte: c.Start}
				x, y, room, ok := v.Cell(at)
				if inside := !at.Before(from) && at.Before(to); ok != inside {
					rt.Fatalf("%v is in view: %v, between %v and %v", at, ok, from, to)
				}
				if !ok {
					continue
				}
				if room < 0 || room > width || x+room > w-2 || y < 1 || y > h-2 {
					rt.Fatalf("%v has %d cells from %d,%d on a screen of %d by %d", at, room, x, y, w, h)
				}
				if l.Kind == panel.Table && (c.Col < v.tableColumn() || c.Col+c.Width > v.tableColumn()+width) || c.Width > room {
					continue // scrolled out at a side, or a blank that hangs over the edge
				}
				if got, _ := s.Cells(x, y); got != l.Text[c.Start:c.End] {
					rt.Fatalf("%v is said to be at %d,%d, where %q stands:\n%s", at, x, y, got, strings.Join(s.Rows(), "\n"))
				}
			}
		}
	})
}

func TestAnEmptyPanelHasNoPlaces(t *testing.T) {
	for _, size := range [][2]int{{20, 10}, {3, 2}} {
		v := newPanel(t, size[0], size[1])
		if size[0] < 10 {
			v.Apply(0, 0, shown(panel.Answer, "x"))
		}
		if _, _, ok := v.View(); ok {
			t.Error("something is in view")
		}
		if _, _, _, ok := v.Cell(panel.Position{}); ok {
			t.Error("a place has a cell")
		}
	}
}

func TestPlainScrollsByItsOwnRows(t *testing.T) {
	s := uitest.NewScreen(t, 10, 3)
	v := newPanel(t, 40, 8)
	rows := func(p *Plain) []string {
		s.Clear()
		p.Draw(s)
		s.Show()
		return s.Rows()
	}
	check := func(what string, p *Plain, want ...string) {
		t.Helper()
		if diff := cmp.Diff(want, rows(p)); diff != "" {
			t.Errorf("%s: %s", what, diff)
		}
	}
	check("nothing", v.Plain(10, 3), "", "", "")
	v.Apply(0, 0, shown(panel.Answer, "a b c d e f g h", "", "日本語日本語", "end"))
	p := v.Plain(10, 3)
	check("the last page", p, "日本語日本", "語", "end")
	p.Scroll(-2, 10, 3)
	check("two up", p, "f g h", "", "日本語日本")
	p.Scroll(-5, 10, 3)
	check("the first row", p, "a b c d e", "f g h", "")
	p.Scroll(1, 10, 3)
	check("one down", p, "f g h", "", "日本語日本")
	p.Scroll(9, 10, 3)
	check("the end", p, "日本語日本", "語", "end")
	p.Top()
	check("the top", p, "a b c d e", "f g h", "")
	v.Apply(2, 4, shown(panel.Answer, "more"))
	check("after its lines have gone", p, "日本語日本", "語", "end")
	p.End(10, 3)
	check("the new end", p, "語", "end", "more")
	if !v.Following() {
		t.Error("the panel itself has moved")
	}
}
