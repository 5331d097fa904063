package dialog

import (
	"fmt"
	"strings"
	"testing"

	"copydesk/core/text"
	"copydesk/ui/keys"
	"copydesk/ui/theme"
	"copydesk/ui/uitest"

	"github.com/gdamore/tcell/v2"
	"github.com/google/go-cmp/cmp"
	"github.com/rivo/tview"
	"pgregory.net/rapid"
)

// A reading is a reader on a screen of its own.
type reading struct {
	*Reader
	screen tcell.Screen
	copied []string
	closed int
}

func toolCall() []text.Line {
	lines := []text.Line{
		{Text: "execute  npm run build", Spans: []text.Span{{Len: 7, Style: text.NoteTag}, {Len: 15, Style: text.Bold}}},
		{},
		{Text: "output", Spans: []text.Span{{Len: 6, Style: text.Heading}}},
	}
	for i := range 60 {
		lines = append(lines, text.Line{Text: fmt.Sprintf("line %d of what came out of it%s", i+1, strings.Repeat(", and more of it", i%9))})
	}
	return lines
}

func read(t tester, screen tcell.Screen, th *theme.Theme, lines []text.Line) *reading {
	r := &reading{screen: screen}
	r.Reader = NewReader("npm run build", lines, ReaderDeps{
		Theme: th, Keys: table,
		Copy:  func(text string) { r.copied = append(r.copied, text) },
		Close: func() { r.closed++ },
	})
	r.draw()
	return r
}

func (r *reading) draw() {
	columns, rows := r.screen.Size()
	stack := NewStack(&recorder{})
	stack.SetRect(0, 0, columns, rows)
	stack.Push(r.Reader)
	r.screen.Clear()
	stack.Draw(r.screen)
}

func (r *reading) press(chords ...string) {
	for _, text := range chords {
		c, _ := keys.Parse(text)
		r.HandleKey(tcell.NewEventKey(c[0].Key, c[0].Rune, c[0].Mod))
		r.draw()
	}
}

func (r *reading) shows(what string) bool {
	return strings.Contains(strings.Join(rowsOf(r.screen), "\n"), what)
}

func simulatedScreen(t tester, columns, rows int) tcell.Screen {
	screen := tcell.NewSimulationScreen("UTF-8")
	if err := screen.Init(); err != nil {
		t.Fatalf("%v", err)
	}
	screen.SetSize(columns, rows)
	return screen
}

func TestReaderScrolls(t *testing.T) {
	r := read(t, simulatedScreen(t, 80, 24), dark, toolCall())
	if !r.shows("execute  npm run build") || !r.shows("more") {
		t.Fatalf("not at the top:\n%s", strings.Join(rowsOf(r.screen), "\n"))
	}
	r.press("pgdn", "down")
	if r.shows("execute") {
		t.Error("PgDn does not scroll")
	}
	r.press("up", "pgup")
	if !r.shows("execute") {
		t.Error("PgUp does not scroll back")
	}
	r.press("end")
	if !r.shows("line 60 of") || !r.shows("above") {
		t.Error("End does not go to the end")
	}
	r.press("pgdn", "home")
	if !r.shows("execute") {
		t.Error("Home does not go to the top")
	}
	for range 3 {
		r.MouseHandler()(tview.MouseScrollDown, tcell.NewEventMouse(5, 5, tcell.WheelDown, 0), func(tview.Primitive) {})
	}
	r.draw()
	if r.top != 3*wheelRows {
		t.Errorf("the wheel scrolled %d rows", r.top)
	}
}

func TestReaderCopiesAndCloses(t *testing.T) {
	r := read(t, simulatedScreen(t, 40, 10), dark, []text.Line{{Text: "a"}, {}, {Text: strings.Repeat("long ", 20)}})
	r.press("c")
	if diff := cmp.Diff([]string{"a\n\n" + strings.Repeat("long ", 20)}, r.copied); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	r.press("x", "enter", "a")
	if r.closed > 0 {
		t.Error("another key closed it")
	}
	r.press("esc")
	r.press("ctrl+c")
	if r.closed != 2 {
		t.Errorf("closed %d times", r.closed)
	}
}

// TestReaderShowsEverything pages from top to end at any size: every word is
// seen, in order, and a resize keeps the place.
func TestReaderShowsEverything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		columns, rows := rapid.IntRange(20, 100).Draw(t, "columns"), rapid.IntRange(5, 30).Draw(t, "rows")
		var want strings.Builder
		var lines []text.Line
		for i, n := range rapid.SliceOfN(rapid.IntRange(0, 30), 1, 30).Draw(t, "lines") {
			l := strings.Repeat(fmt.Sprintf("w%d ", i), n)
			lines = append(lines, text.Line{Text: l})
			want.WriteString(l)
		}
		r := read(t, simulatedScreen(t, columns, rows), dark, lines)
		seen := map[int]string{}
		for {
			x, y, w, _ := r.GetRect()
			for i, row := range rowsOf(r.screen)[y+1 : y+1+r.height] {
				cells := []rune(row + strings.Repeat(" ", columns))
				seen[r.top+i] = string(cells[x+2 : x+w-2])
			}
			if r.top+r.height >= len(r.rows) {
				break
			}
			r.press("pgdn")
		}
		var got strings.Builder
		for i := range r.rows {
			got.WriteString(seen[i])
		}
		if unspaced(got.String()) != unspaced(want.String()) {
			t.Fatalf("shown %q, want %q", got.String(), want.String())
		}
		first := r.rows[r.top].passage
		r.screen.(tcell.SimulationScreen).SetSize(columns+7, rows)
		r.draw()
		last := r.rows[min(len(r.rows), r.top+r.height)-1].passage
		if r.top > 0 && first < r.rows[r.top].passage || first > last {
			t.Fatalf("line %d went out of sight", first)
		}
	})
}

func TestReaderScreens(t *testing.T) {
	for _, size := range [][2]int{{120, 40}, {80, 24}, {40, 10}} {
		for name, of := range map[string]theme.Options{
			"": {Name: "dark", Colors: 256}, "-light": {Name: "light", Colors: 1 << 24}, "-plain": {NoColor: true, ASCII: true},
		} {
			if name != "" && size[0] != 80 {
				continue
			}
			name := fmt.Sprintf("reader-%dx%d%s", size[0], size[1], name)
			t.Run(name, func(t *testing.T) {
				th, err := theme.New(of)
				if err != nil {
					t.Fatal(err)
				}
				screen := uitest.NewScreen(t, size[0], size[1])
				r := read(t, screen, th, toolCall())
				r.press("down", "down", "pgdn")
				screen.Show()
				screen.Golden(t, name)
			})
		}
	}
}

// BenchmarkDrawAReader draws a frame of a text of 1 MiB.
func BenchmarkDrawAReader(b *testing.B) {
	var lines []text.Line
	for range (1 << 20) / 64 {
		lines = append(lines, text.Line{Text: strings.Repeat("word ", 13)[:63]})
	}
	r := read(b, simulatedScreen(b, 120, 40), dark, lines)
	b.ReportAllocs()
	for b.Loop() {
		r.draw()
	}
}

func agents() []Item {
	return []Item{
		{Name: "playground", Text: "SQL on an embedded SQLite file"},
		{Name: "claude", Text: "Claude Code over ACP", Mark: true},
		{Name: "gemini", Text: "Gemini CLI", Off: "gemini is not on the PATH. Install it with: npm install -g @google/gemini-cli"},
		{Name: "goose", Off: "goose is not on the PATH."},
	}
}

func TestAGT6_AnEntryThatIsOffIsNotTaken(t *testing.T) {
	picked := []int{}
	l := NewList("Which agent?", agents(), ListDeps{Theme: dark, Keys: table, Pick: func(i int) { picked = append(picked, i) }})
	screen := simulatedScreen(t, 60, 16)
	draw := func() {
		stack := NewStack(&recorder{})
		stack.SetRect(0, 0, 60, 16)
		stack.Push(l)
		screen.Clear()
		stack.Draw(screen)
	}
	press := func(name tcell.Key) {
		l.HandleKey(tcell.NewEventKey(name, 0, 0))
		draw()
	}
	draw()
	press(tcell.KeyDown)
	press(tcell.KeyDown)
	press(tcell.KeyEnter)
	press(tcell.KeyDown)
	press(tcell.KeyEnter)
	press(tcell.KeyUp)
	if len(picked) > 0 {
		t.Fatalf("picked %v", picked)
	}
	shown := strings.Join(strings.Fields(strings.NewReplacer("┃", "", "\n", " ").Replace(strings.Join(rowsOf(screen), "\n"))), " ")
	for _, want := range []string{"✓ claude", "❯ gemini", "npm install -g @google/gemini-cli"} {
		if !strings.Contains(shown, want) {
			t.Errorf("%q is not shown in\n%s", want, strings.Join(rowsOf(screen), "\n"))
		}
	}
	press(tcell.KeyUp)
	press(tcell.KeyEnter)
	if diff := cmp.Diff([]int{1}, picked); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestAGT6_PickerScreens(t *testing.T) {
	for _, size := range [][2]int{{120, 40}, {80, 24}, {40, 10}} {
		name := fmt.Sprintf("list-off-%dx%d", size[0], size[1])
		t.Run(name, func(t *testing.T) {
			l := NewList("Which agent?", agents(), ListDeps{Theme: dark, Keys: table})
			l.at = 2
			screen := uitest.NewScreen(t, size[0], size[1])
			stack := NewStack(&recorder{})
			stack.SetRect(0, 0, size[0], size[1])
			stack.Push(l)
			stack.Draw(screen)
			screen.Show()
			screen.Golden(t, name)
		})
	}
}
