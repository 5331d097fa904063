package ui

import (
	"strings"
	"testing"
	"time"

	"copydesk/core/text"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// wideText has what a narrow window breaks.
const wideText = "a long line that goes on and on, past the edge of a narrow window, in the middle of a word, and on\n" +
	"\ttab\tand 日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語\n" +
	"```go\nfunc main() {}\n```\n"

func TestTheCleanView(t *testing.T) {
	d := drive(t, 60, 15, echoing(wideText))
	d.typed("show\n")
	d.idle()
	d.press("ctrl+x v")
	d.screen.Golden(t, "clean-60x15")
	if rows := d.screen.Rows(); rows[0] != "[simple] show ✓" || rows[14] != "" {
		t.Errorf("the first and the last row are %q and %q", rows[0], rows[14])
	}
	d.press("ctrl+x v")
	d.shows("Type a command.")
}

// TestTheCleanViewHasTheText reads the cells back: rows that are full, and
// nothing but the panel's text in them.
func TestTheCleanViewHasTheText(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		width := rapid.IntRange(4, 70).Draw(rt, "width")
		pieces := rapid.SliceOfN(rapid.SampledFrom([]string{"word ", "long-long-word", "日本語", "e\u0301", "👩‍👩‍👧", "  ", "x", "\n"}), 1, 40).Draw(rt, "text")
		d := drive(t, 80, 24, echoing(strings.Join(pieces, "")+"\n"))
		d.typed("go\n")
		d.idle()
		capture, err := d.pane.Copy(panelScope)
		if err != nil {
			rt.Fatal(err)
		}
		d.press("ctrl+x v")
		d.resize(width, 300)
		var want []string
		for _, line := range strings.Split(capture.Text, "\n") {
			row, used := "", 0
			for c := range text.Clusters(line, text.Row{End: len(line)}) {
				if used+c.Width > width && row != "" {
					want, row, used = append(want, row), "", 0
				}
				row += line[c.Start:c.End]
				used += c.Width
			}
			want = append(want, row)
		}
		for i := range want {
			want[i] = strings.TrimRight(want[i], " ")
		}
		got := d.screen.Rows()[:len(want)]
		if diff := cmp.Diff(want, got); diff != "" {
			rt.Fatal(diff)
		}
	})
}

// screenState is all that the clean view must bring back.
type screenState struct {
	Rows, Styles []string
	CursorX      int
	CursorY      int
	Cursor       bool
	Draft        string
	Before       string // of the cursor in the draft
	InPanel      bool
	Active       bool
	Following    bool
	Mouse        bool
	Queue        int
}

func (d *driver) state() screenState {
	s := screenState{
		Rows: d.screen.Rows(), Styles: d.screen.Styles(), Draft: d.app.field.Text(), Before: d.app.field.BeforeCursor(),
		InPanel: d.app.inPanel, Active: d.app.active, Following: d.app.panel.Following(), Mouse: d.asksForMouse(), Queue: len(d.app.state.Queue),
	}
	s.CursorX, s.CursorY, s.Cursor = d.screen.GetCursor()
	return s
}

// asksForMouse reports whether the terminal was last asked for the mouse.
func (d *driver) asksForMouse() bool {
	out := string(d.screen.Output())
	return strings.LastIndex(out, "\x1b[?1000h") > strings.LastIndex(out, "\x1b[?1000l")
}

// TestTheCleanViewComesBackToTheSamePlace goes there from anywhere, presses
// anything, and is back where it was.
func TestTheCleanViewComesBackToTheSamePlace(t *testing.T) {
	moves := []string{"pgup", "pgdn", "ctrl+up", "alt+down", "ctrl+home", "ctrl+end", "tab", "shift+up", "shift+left"}
	inside := []string{"pgup", "pgdn", "ctrl+up", "home", "end", "enter", "tab", "a", "r", "up", "f1", "ctrl+d", "ctrl+y", "ctrl+x y", "ctrl+x c", "ctrl+x r", "ctrl+x esc", "ctrl+l", "alt+enter"}
	rapid.Check(t, func(rt *rapid.T) {
		d := drive(t, 80, 20, echoing(strings.Repeat(wideText, 12)))
		s := d.app.Settings
		s.Mouse = rapid.Bool().Draw(rt, "mouse")
		d.app.Configure(s)
		d.draw()
		d.typed("go\n")
		d.idle()
		for _, key := range rapid.SliceOfN(rapid.SampledFrom(moves), 0, 6).Draw(rt, "moves") {
			d.press(key)
		}
		d.typed(rapid.SampledFrom([]string{"", "", "draft", "/co"}).Draw(rt, "draft"))
		for range rapid.IntRange(0, 3).Draw(rt, "left") {
			d.press("left")
		}
		if rapid.Bool().Draw(rt, "up") {
			d.press("pgup")
		}
		before := d.state()
		if before.Mouse != s.Mouse {
			rt.Fatalf("the mouse is on: %v, want %v", before.Mouse, s.Mouse)
		}
		d.press("ctrl+x v")
		if d.asksForMouse() || strings.Contains(d.text(), "▎") || strings.Contains(d.text(), "│") {
			rt.Fatalf("the clean view has the mouse or a frame:\n%s", d.text())
		}
		for _, key := range rapid.SliceOfN(rapid.SampledFrom(inside), 0, 6).Draw(rt, "inside") {
			d.press(key)
		}
		if rapid.Bool().Draw(rt, "resize") {
			d.resize(33, 9)
			d.resize(80, 20)
		}
		d.paste("pasted")
		d.press(rapid.SampledFrom([]string{"ctrl+x v", "esc", "ctrl+c"}).Draw(rt, "leave"))
		if diff := cmp.Diff(before, d.state()); diff != "" {
			rt.Fatalf("it is not what it was:\n%s", diff)
		}
		if d.app.ctx.Err() != nil || len(d.clip.all()) > 0 {
			rt.Fatal("a key did something in the clean view")
		}
	})
}

// TestTheCleanViewStaysWhereItIs lets lines come while somebody selects.
func TestTheCleanViewStaysWhereItIs(t *testing.T) {
	d := drive(t, 60, 15, echoing(strings.Repeat("a line\n", 40)))
	d.typed("go\n")
	d.idle()
	d.press("ctrl+x v")
	before := d.text()
	d.pane.Note("something new", false)
	d.draw()
	if got := d.text(); got != before {
		t.Errorf("what is being selected moved:\n%s", cmp.Diff(before, got))
	}
	d.press("pgdn")
	d.shows("something new")
	d.press("home")
	d.shows("[simple] go")
	d.press("end", "esc")
	d.shows("something new", "Type a command.")
}

// TestT41_NothingIsAnsweredInTheCleanView holds that a request that comes there
// is only said to wait, and that it is new to whoever leaves.
func TestT41_NothingIsAnsweredInTheCleanView(t *testing.T) {
	for _, comes := range []string{"before", "after"} {
		d := drive(t, 80, 20, answering(dropRequest))
		if comes == "before" {
			d.typed("go\n")
			d.shows("Drop the table")
			d.wait(time.Second)
		}
		d.press("ctrl+x v")
		if comes == "after" {
			d.pane.Submit("go")
		}
		d.shows("A request is waiting for you. Esc leaves this view.")
		d.lacks("Drop the table")
		rows := d.screen.Rows()
		if !strings.Contains(rows[len(rows)-1], "A request is waiting") {
			t.Errorf("the hint is not in the last row: %q", rows)
		}
		for _, key := range []string{"a", "enter", "1", "r", "n", "ctrl+x r", "a", "enter"} {
			d.press(key)
			d.wait(time.Second)
		}
		d.screen.SetSize(10, 3)
		d.draw()
		d.press("r", "a", "enter")
		d.screen.SetSize(80, 20)
		d.draw()
		if open(d) != 1 {
			t.Fatalf("%s: it was answered in the clean view", comes)
		}
		d.press("esc")
		if comes == "after" {
			d.press("a")
			if open(d) != 1 || d.app.active {
				t.Fatalf("%s: it was answered by a key pressed before it was seen", comes)
			}
			d.press("ctrl+c")
		}
		d.shows("Drop the table")
		d.wait(time.Second)
		d.press("r", "enter")
		d.shows("Rejected. Agent response cancelled.")
		d.idle()
	}
}
