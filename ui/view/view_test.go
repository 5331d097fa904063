package view

import (
	"fmt"
	"strings"
	"testing"

	"copydesk/core/panel"
	"copydesk/core/text"
	"copydesk/ui/theme"
	"copydesk/ui/uitest"

	"github.com/gdamore/tcell/v2"
	"github.com/google/go-cmp/cmp"
	"github.com/rivo/tview"
)

func newTheme(t testing.TB, o theme.Options) *theme.Theme {
	t.Helper()
	th, err := theme.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return th
}

// newPanel makes a panel of w by h cells at the left upper corner.
func newPanel(t testing.TB, w, h int) *Panel {
	t.Helper()
	v := NewPanel(newTheme(t, theme.Options{Name: "dark", Colors: 256}))
	v.SetRect(0, 0, w, h)
	return v
}

func shown(kind panel.Kind, texts ...string) []panel.Shown {
	lines := make([]panel.Shown, len(texts))
	for i, s := range texts {
		lines[i] = panel.Shown{Kind: kind, Line: text.Line{Text: s}}
	}
	return lines
}

func numbered(from, n int) []string {
	s := make([]string, n)
	for i := range s {
		s[i] = fmt.Sprintf("line %d", from+i)
	}
	return s
}

// body draws the panel and returns its rows without the frame and the gutter.
func body(s *uitest.Screen, v *Panel) []string {
	v.Draw(s)
	s.Show()
	_, _, w, h := v.GetRect()
	var rows []string
	for y := 1; y < h-1; y++ {
		var b strings.Builder
		for x := 1 + gutterWidth; x < w-1; x++ {
			c, _ := s.Cells(x, y)
			b.WriteString(c)
		}
		rows = append(rows, strings.TrimRight(b.String(), " "))
	}
	return rows
}

func lower(s *uitest.Screen) string {
	rows := s.Rows()
	return rows[len(rows)-1]
}

func TestPAN5_FollowsUntilScrolledUp(t *testing.T) {
	s := uitest.NewScreen(t, 40, 6)
	v := newPanel(t, 40, 6)
	v.Apply(0, 0, shown(panel.Answer, numbered(0, 10)...))
	check := func(what string, want []string, following bool, unseen int, pill string) {
		t.Helper()
		if diff := cmp.Diff(want, body(s, v)); diff != "" {
			t.Errorf("%s: %s", what, diff)
		}
		if v.Following() != following || v.Unseen() != unseen {
			t.Errorf("%s: following %v, %d unseen; want %v, %d", what, v.Following(), v.Unseen(), following, unseen)
		}
		if got := strings.Trim(lower(s), "└─┘ "); got != pill {
			t.Errorf("%s: the pill says %q, want %q", what, got, pill)
		}
	}
	check("start", numbered(6, 4), true, 0, "")
	v.Apply(0, 10, shown(panel.Answer, numbered(10, 2)...))
	check("appended", numbered(8, 4), true, 0, "")

	v.ScrollRows(-2)
	check("scrolled up", numbered(6, 4), false, 0, "↓ End")
	v.Apply(0, 12, shown(panel.Answer, numbered(12, 3)...))
	check("appended meanwhile", numbered(6, 4), false, 3, "3 new · End")
	v.Apply(5, 15, nil)
	check("evicted meanwhile", numbered(6, 4), false, 3, "3 new · End")
	v.Apply(9, 15, nil)
	check("evicted what was read", numbered(9, 4), false, 2, "2 new · End")
	v.ScrollRows(1)
	check("down by one", numbered(10, 4), false, 1, "1 new · End")
	v.ScrollRows(5)
	check("down to the end", numbered(11, 4), true, 0, "")

	v.PageUp()
	check("page up, as far as there is", numbered(9, 4), false, 0, "↓ End")
	v.SetEndKey("")
	check("no key", numbered(9, 4), false, 0, "↓")
	v.Apply(9, 15, shown(panel.Answer, numbered(15, 1)...))
	check("no key, one more", numbered(9, 4), false, 1, "1 new")
	v.ScrollEnd()
	check("end", numbered(12, 4), true, 0, "")
	v.ScrollTop()
	check("top", numbered(9, 4), false, 0, "↓")
	v.PageDown()
	check("page down", numbered(12, 4), true, 0, "")
}

func TestPAN5_WithoutAnythingAboveItGoesOnFollowing(t *testing.T) {
	v := newPanel(t, 40, 10)
	for _, scroll := range []func(){func() { v.ScrollRows(-1) }, v.PageUp, v.ScrollTop, v.PageDown} {
		scroll()
		if !v.Following() {
			t.Fatal("an empty panel does not follow")
		}
	}
	v.Apply(0, 0, shown(panel.Answer, numbered(0, 8)...))
	v.ScrollRows(-1)
	v.ScrollTop()
	if !v.Following() {
		t.Error("a panel that shows everything does not follow")
	}
}

func TestPAN5_OpenLineGrowsInPlace(t *testing.T) {
	s := uitest.NewScreen(t, 20, 5) // 15 × 3 cells of text
	v := newPanel(t, 20, 5)
	v.Apply(0, 0, shown(panel.Answer, "one", "two", "three", "four"))
	v.ScrollRows(-1)
	for _, open := range []string{"four and", "four and more words", "four and more words ✓"} {
		v.Apply(0, 3, shown(panel.Answer, open))
		if diff := cmp.Diff([]string{"one", "two", "three"}, body(s, v)); diff != "" {
			t.Errorf("%q: %s", open, diff)
		}
	}
	v.ScrollEnd()
	if diff := cmp.Diff([]string{"three", "four and more", "words ✓"}, body(s, v)); diff != "" {
		t.Error(diff)
	}
	v.Apply(0, 3, shown(panel.Answer, "4"))
	if diff := cmp.Diff([]string{"two", "three", "4"}, body(s, v)); diff != "" {
		t.Error(diff)
	}
}

func TestPAN6_TablesScrollSideways(t *testing.T) {
	s := uitest.NewScreen(t, 15, 6) // 10 × 4 cells of text
	v := newPanel(t, 15, 6)
	v.Apply(0, 0, append(shown(panel.Table, "│ab│cdef│世界│", "└──┴────┴────┘"), shown(panel.Answer, "some prose here")...))
	marks := func(row int) string {
		l, _ := s.Cells(2, row)
		r, _ := s.Cells(13, row)
		return l + r
	}
	check := func(want []string, wantMarks string) {
		t.Helper()
		got := body(s, v)
		for i := range 2 {
			got[i] = strings.TrimRight(strings.TrimSuffix(got[i], "›"), " ")
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		if m := marks(1); m != wantMarks {
			t.Errorf("marks %q, want %q", m, wantMarks)
		}
		if m := marks(3); m != "  " {
			t.Errorf("marks %q at prose", m)
		}
	}
	check([]string{"│ab│cdef│", "└──┴────┴─", "some prose", "here"}, " ›")
	v.ScrollColumns(3)
	check([]string{"│cdef│世界", "┴────┴────", "some prose", "here"}, "‹›")
	v.ScrollColumns(100)
	check([]string{"cdef│世界│", "────┴────┘", "some prose", "here"}, "‹ ")
	v.ScrollColumns(-1)
	check([]string{"│cdef│世界", "┴────┴────", "some prose", "here"}, "‹›")
	v.ScrollColumns(-100)
	check([]string{"│ab│cdef│", "└──┴────┴─", "some prose", "here"}, " ›")

	v.Apply(0, 0, append(shown(panel.Table, "世界世界世界", ""), shown(panel.Answer, "prose")...))
	v.ScrollColumns(1)
	check([]string{" 界世界世", "", "prose", ""}, "‹›")
}

func TestPAN6_NarrowTableIsNotScrolled(t *testing.T) {
	s := uitest.NewScreen(t, 15, 5)
	v := newPanel(t, 15, 5)
	v.Apply(0, 0, shown(panel.Table, "│ab│cdef│gh│"))
	v.ScrollColumns(2)
	v.Apply(0, 0, shown(panel.Table, "│ab│"))
	if got := body(s, v)[0]; got != "│ab│" {
		t.Errorf("drawn as %q", got)
	}
}

func TestMouse(t *testing.T) {
	s := uitest.NewScreen(t, 40, 6)
	v := newPanel(t, 40, 6)
	v.Apply(0, 0, shown(panel.Answer, numbered(0, 20)...))
	body(s, v)
	focused := 0
	do := func(action tview.MouseAction, x, y int) bool {
		used, _ := v.MouseHandler()(action, tcell.NewEventMouse(x, y, tcell.ButtonNone, 0), func(p tview.Primitive) {
			if p == tview.Primitive(v) {
				focused++
			}
		})
		return used
	}
	if do(tview.MouseScrollUp, 40, 2) || !v.Following() {
		t.Error("a wheel beside the panel scrolls it")
	}
	if !do(tview.MouseScrollUp, 5, 2) || v.Following() || body(s, v)[0] != "line 13" {
		t.Errorf("the wheel does not scroll up: %q", body(s, v))
	}
	if do(tview.MouseLeftClick, 5, 5) || v.Following() {
		t.Error("a click at the lower edge goes to the end")
	}
	if at := strings.Index(lower(s), "End"); at < 0 {
		t.Fatalf("no pill in %q", lower(s))
	}
	if !do(tview.MouseLeftClick, 36, 5) || !v.Following() {
		t.Error("a click at the pill does not go to the end")
	}
	do(tview.MouseScrollUp, 5, 2)
	if !do(tview.MouseScrollDown, 5, 2) || !v.Following() {
		t.Error("the wheel does not scroll down")
	}
	if !do(tview.MouseLeftDown, 5, 2) || focused != 1 {
		t.Error("a click does not ask for the focus")
	}
	if do(tview.MouseMove, 5, 2) {
		t.Error("a move is consumed")
	}
}
