package dialog

import (
	"slices"
	"strings"
	"testing"

	"copydesk/ui/keys"
	"copydesk/ui/uitest"

	"github.com/gdamore/tcell/v2"
	"github.com/google/go-cmp/cmp"
	"github.com/rivo/tview"
)

// A recorder is a primitive that counts what reaches it.
type recorder struct {
	tview.Box
	events []string
}

func (r *recorder) Draw(tcell.Screen) {}

func (r *recorder) InputHandler() func(*tcell.EventKey, func(tview.Primitive)) {
	return func(*tcell.EventKey, func(tview.Primitive)) { r.events = append(r.events, "key") }
}

func (r *recorder) PasteHandler() func(string, func(tview.Primitive)) {
	return func(string, func(tview.Primitive)) { r.events = append(r.events, "paste") }
}

func (r *recorder) MouseHandler() func(tview.MouseAction, *tcell.EventMouse, func(tview.Primitive)) (bool, tview.Primitive) {
	return func(tview.MouseAction, *tcell.EventMouse, func(tview.Primitive)) (bool, tview.Primitive) {
		r.events = append(r.events, "mouse")
		return false, nil
	}
}

func send(s *Stack) (mouseConsumed bool) {
	none := func(tview.Primitive) {}
	s.InputHandler()(tcell.NewEventKey(tcell.KeyRune, 'x', 0), none)
	s.PasteHandler()("x", none)
	consumed, _ := s.MouseHandler()(tview.MouseLeftDown, tcell.NewEventMouse(0, 0, tcell.ButtonPrimary, 0), none)
	return consumed
}

// TestNothingGoesPastAModal covers tview #806: a click beside a modal went to
// what is below it.
func TestNothingGoesPastAModal(t *testing.T) {
	base := &recorder{}
	s := NewStack(base)
	s.SetRect(0, 0, 80, 24)
	if send(s) {
		t.Error("a mouse event that nobody takes is consumed")
	}
	want := []string{"key", "paste", "mouse"}
	if diff := cmp.Diff(want, base.events); diff != "" {
		t.Errorf("without a modal (-want +got)\n%s", diff)
	}
	low := NewPopup(keys.Stroke{Key: tcell.KeyEsc}, nil, dark)
	list := NewList("List", []Item{{Name: "xa"}, {Name: "b"}}, ListDeps{Theme: dark, Keys: table})
	s.Push(low)
	s.Push(list)
	if !send(s) {
		t.Error("a mouse event beside a modal is not consumed")
	}
	if diff := cmp.Diff(want, base.events); diff != "" {
		t.Errorf("below a modal (-want +got)\n%s", diff)
	}
	if got := list.filter.text(); got != "xx" {
		t.Errorf("the top modal's filter is %q", got)
	}
	s.Remove(low)
	if s.Top() != Modal(list) {
		t.Error("removing the lower modal took the upper one away")
	}
	s.Remove(list)
	s.Remove(list)
	send(s)
	if len(base.events) != 6 || s.Top() != nil {
		t.Errorf("after the modals: %v", base.events)
	}
}

func TestFocusGoesToTheTop(t *testing.T) {
	base := &recorder{}
	s := NewStack(base)
	app := tview.NewApplication().SetRoot(s, true)
	if !base.HasFocus() || !s.HasFocus() {
		t.Fatal("the base has not got the focus")
	}
	list := NewList("List", nil, ListDeps{Theme: dark, Keys: table})
	s.Push(list)
	app.SetFocus(s)
	if base.HasFocus() || !list.HasFocus() || !s.HasFocus() {
		t.Error("the modal has not got the focus")
	}
	s.Remove(list)
	app.SetFocus(s)
	if !base.HasFocus() || list.HasFocus() {
		t.Error("the base has not got the focus back")
	}
}

func TestListTakesWhatIsSelected(t *testing.T) {
	for name, c := range map[string]struct {
		chords []string
		want   []int
	}{
		"enter":            {[]string{"enter"}, []int{0}},
		"down":             {[]string{"down", "down", "enter"}, []int{2}},
		"beyond the end":   {[]string{"down", "down", "down", "down", "enter"}, []int{2}},
		"up":               {[]string{"end", "up", "enter"}, []int{1}},
		"typed":            {[]string{"B", "enter"}, []int{1}},
		"typed and erased": {[]string{"b", "backspace", "enter"}, []int{0}},
		"words":            {[]string{"h", "space", "c", "enter"}, []int{2}},
		"nothing matches":  {[]string{"z", "enter", "down", "enter"}, nil},
		"escape":           {[]string{"esc"}, []int{-1}},
		"interrupt":        {[]string{"ctrl+c"}, []int{-1}},
	} {
		t.Run(name, func(t *testing.T) {
			var got []int
			l := NewList("List", []Item{{Name: "alpha", Text: "first"}, {Name: "beta", Text: "second"}, {Name: "charlie", Text: "third"}}, ListDeps{
				Theme: dark, Keys: table,
				Pick:  func(i int) { got = append(got, i) },
				Close: func() { got = append(got, -1) },
			})
			for _, text := range c.chords {
				k, err := keys.Parse(text)
				if err != nil {
					t.Fatal(err)
				}
				l.InputHandler()(tcell.NewEventKey(k[0].Key, k[0].Rune, k[0].Mod), nil)
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}

// containsRow looks for an action's row, which may be cut at the right.
func containsRow(screen string, r keys.Row) bool {
	for _, row := range strings.Split(screen, "\n") {
		if strings.Contains(row, r.Keys) && strings.Contains(row, r.Help[:min(len(r.Help), 12)]) {
			return true
		}
	}
	return false
}

func TestHelpScrollsAndFilters(t *testing.T) {
	screen := uitest.NewScreen(t, 60, 12)
	closed := 0
	h := NewHelp(nil, dark, table, func() { closed++ })
	s := NewStack(&recorder{})
	s.SetRect(0, 0, 60, 12)
	s.Push(h)
	show := func(chords ...string) string {
		for _, text := range chords {
			k, err := keys.Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			s.InputHandler()(tcell.NewEventKey(k[0].Key, k[0].Rune, k[0].Mod), nil)
		}
		screen.Clear()
		s.Draw(screen)
		screen.Show()
		all := ""
		for _, row := range rowsOf(screen) {
			all += row + "\n"
		}
		return all
	}
	first := show()
	if end := show("end"); end == first {
		t.Error("End does not scroll")
	}
	if again := show("home"); again != first {
		t.Errorf("Home does not go back:\n%s", again)
	}
	all := first
	for range len(table.Rows()) / 4 {
		all += show("pgdn")
	}
	for _, r := range table.Rows() {
		if !containsRow(all, r) {
			t.Errorf("%s is nowhere in the help", r.Action)
		}
	}
	if got := show("s", "h", "e", "l", "l"); !containsRow(got, keys.Row{Help: "Stop the program", Keys: "Ctrl+Z"}) {
		t.Errorf("typing does not filter:\n%s", got)
	}
	show("esc")
	show("enter")
	if closed != 2 {
		t.Errorf("closed %d times", closed)
	}
}
