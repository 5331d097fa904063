package dialog

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"copydesk/core/text"
	"copydesk/ui/keys"
	"copydesk/ui/uitest"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/tview"
	"pgregory.net/rapid"
)

// browsing is a browser whose work is counted.
type browsing struct {
	*Browser
	screen   *uitest.Screen
	composed int // entries
	compared int
	moves    []int
	picked   []int
	nobody   int
	did      []keys.Action
	closed   bool
}

func browse(t testing.TB, columns, rows int) *browsing {
	t.Helper()
	s := &browsing{screen: uitest.NewScreen(t, columns, rows)}
	s.Browser = NewBrowser("Entries", BrowserDeps{
		Theme: dark, Keys: table,
		Entry: func(i, width int) [EntryRows]text.Line {
			s.composed++
			return [EntryRows]text.Line{{Text: fmt.Sprintf("entry %d", i)}, {Text: "below"}}
		},
		Text: func(i int) string {
			s.compared++
			return fmt.Sprintf("entry %d", i)
		},
		Moved: func() {
			i, ok := s.Selected()
			if !ok {
				i = -1
			}
			s.moves = append(s.moves, i)
		},
		Status:   func() []string { return []string{fmt.Sprintf("%d of %d", s.Found(), s.Len())} },
		Empty:    func() string { return "There is nothing." },
		Hints:    func() []string { return []string{"Enter opens", "Esc closes"} },
		Do:       func(a keys.Action) bool { s.did = append(s.did, a); return true },
		Pick:     func(i int) { s.picked = append(s.picked, i) },
		PickNone: func() { s.nobody++ },
		Close:    func() { s.closed = true },
	})
	return s
}

func (s *browsing) draw() string {
	columns, rows := s.screen.Size()
	s.SetRect(s.Place(columns, rows))
	s.Draw(s.screen)
	s.screen.Show()
	return strings.Join(s.screen.Rows(), "\n")
}

func (s *browsing) press(t testing.TB, chords ...string) {
	t.Helper()
	for _, name := range chords {
		c, err := keys.Parse(name)
		if err != nil {
			t.Fatal(err)
		}
		s.HandleKey(tcell.NewEventKey(c[0].Key, c[0].Rune, c[0].Mod))
	}
}

// TestSES3_TenThousandEntriesCostNoMoreThanAScreen counts what a browser does.
func TestSES3_TenThousandEntriesCostNoMoreThanAScreen(t *testing.T) {
	const many, batch = 10_000, 100
	s := browse(t, 80, 24)
	for n := batch; n <= many; n += batch {
		s.Grow(n)
		s.draw()
	}
	frames := many / batch
	if s.compared != 0 || s.composed > frames*s.height {
		t.Errorf("filling took %d comparisons, and %d entries were composed for %d frames of %d", s.compared, s.composed, frames, s.height)
	}
	if len(s.moves) != 1 {
		t.Errorf("the selection moved %d times", len(s.moves))
	}
	s.composed = 0
	s.press(t, "down", "pgdn", "end", "up", "home", "pgdn")
	s.draw()
	if s.compared != 0 || s.composed > s.height {
		t.Errorf("moving took %d comparisons and %d entries", s.compared, s.composed)
	}
	s.press(t, "9")
	if s.compared != many {
		t.Errorf("the first letter took %d comparisons", s.compared)
	}
	found := s.Found()
	s.compared = 0
	s.press(t, "9")
	if s.compared != found {
		t.Errorf("the second letter took %d comparisons where %d entries were left", s.compared, found)
	}
	s.compared = 0
	s.Grow(many + 3)
	if s.compared != 3 {
		t.Errorf("three more took %d comparisons", s.compared)
	}
}

// TestSES3_ABrowserFindsWhatAListWould types, removes and fills at random.
func TestSES3_ABrowserFindsWhatAListWould(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := browse(t, 80, rapid.IntRange(6, 30).Draw(rt, "rows"))
		gone := map[int]bool{}
		for range rapid.IntRange(1, 40).Draw(rt, "steps") {
			switch rapid.IntRange(0, 4).Draw(rt, "step") {
			case 0:
				s.Grow(s.count + rapid.IntRange(0, 30).Draw(rt, "more"))
			case 1:
				if i, ok := s.Selected(); ok {
					s.Remove(i)
					gone[i] = true
				}
			case 2:
				s.press(t, rapid.SampledFrom([]string{"1", "2", "3", "space", "e", "backspace", "left", "x"}).Draw(rt, "key"))
			case 3:
				s.press(t, rapid.SampledFrom([]string{"up", "down", "pgup", "pgdn", "home", "end"}).Draw(rt, "move"))
			default:
				s.draw()
			}
			var want []int
			for i := range s.count {
				if !gone[i] && holdsAll(fmt.Sprintf("entry %d", i), strings.Fields(s.Query())) {
					want = append(want, i)
				}
			}
			if !slices.Equal(s.found, want) {
				rt.Fatalf("with %q found are %v, want %v", s.Query(), s.found, want)
			}
			i, ok := s.Selected()
			if ok != (len(want) > 0) || ok && !slices.Contains(want, i) {
				rt.Fatalf("selected is %d, %v of %v", i, ok, want)
			}
			if ok && len(s.moves) > 0 && s.moves[len(s.moves)-1] != i {
				rt.Fatalf("selected is %d, told was %v", i, s.moves)
			}
			if s.draw(); ok && (s.at < s.top || s.at >= s.top+max(1, s.height)) {
				rt.Fatalf("the selected entry is out of view")
			}
		}
	})
}

func TestABrowserWithoutEntries(t *testing.T) {
	s := browse(t, 40, 10)
	if screen := s.draw(); !strings.Contains(screen, "There is nothing.") || !strings.Contains(screen, "0 of 0") {
		t.Errorf("the screen is\n%s", screen)
	}
	s.press(t, "enter", "down", "end", "pgup", "delete", "f1", "esc")
	if s.nobody != 1 || len(s.picked) > 0 || !s.closed || !slices.Equal(s.did, []keys.Action{keys.Remove, keys.Help}) {
		t.Errorf("%d, %v, %v, %v", s.nobody, s.picked, s.closed, s.did)
	}
}

func TestABrowserSaysAndWarns(t *testing.T) {
	s := browse(t, 80, 12)
	s.Grow(5)
	s.Warn("This stays.")
	s.Say("This goes.", true)
	if screen := s.draw(); !strings.Contains(screen, "This stays.") || !strings.Contains(screen, "This goes.") || strings.Contains(screen, "Esc closes") {
		t.Errorf("the screen is\n%s", screen)
	}
	s.press(t, "down")
	if screen := s.draw(); !strings.Contains(screen, "This stays.") || strings.Contains(screen, "This goes.") || !strings.Contains(screen, "Enter opens, Esc closes.") {
		t.Errorf("the screen is\n%s", screen)
	}
	for _, size := range [][2]int{{20, 5}, {6, 4}, {1, 1}, {200, 60}} {
		s.screen.SetSize(size[0], size[1])
		s.Say(strings.Repeat("a long notice ", 30), false)
		s.SetPreview([]text.Line{{Text: strings.Repeat("a long line ", 100)}}, "")
		s.draw()
	}
}

// TestT43_AClickSelectsAndASecondOneTakes clicks on entries.
func TestT43_AClickSelectsAndASecondOneTakes(t *testing.T) {
	s := browse(t, 80, 24)
	s.Grow(3)
	s.draw()
	x, y := s.list.x+5, s.list.y+2*EntryRows+1
	click := func() {
		mouse := s.MouseHandler()
		for _, a := range []tview.MouseAction{tview.MouseLeftDown, tview.MouseLeftUp, tview.MouseLeftClick} {
			mouse(a, tcell.NewEventMouse(x, y, tcell.Button1, 0), nil)
		}
	}
	click()
	if i, _ := s.Selected(); i != 2 || len(s.picked) > 0 {
		t.Errorf("selected is %d, taken %v", i, s.picked)
	}
	click()
	if !slices.Equal(s.picked, []int{2}) {
		t.Errorf("taken is %v", s.picked)
	}
	y += EntryRows
	click()
	if len(s.picked) != 1 {
		t.Errorf("a click below the entries took %v", s.picked)
	}
}
