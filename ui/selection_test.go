package ui

import (
	"context"
	"strings"
	"testing"
	"time"

	"copydesk/core/session"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/tview"
)

// copied waits for the n-th copy and returns it.
func (d *driver) copied(n int) string {
	d.t.Helper()
	d.until("a copy", func(string) bool { return len(d.clip.all()) >= n })
	if got := len(d.clip.all()); got != n {
		d.t.Fatalf("%d copies were made, want %d", got, n)
	}
	return d.clip.all()[n-1]
}

// talked is a desk where a turn has ended.
func talked(t testing.TB, w, h int, said string) *driver {
	t.Helper()
	d := drive(t, w, h, echoing(said))
	d.typed("go\n")
	d.idle()
	return d
}

// TestKEY2_CtrlCCopiesASelectionFirst holds the head of the chain, with a draft
// and with a request that has the keyboard; the selection stays.
func TestKEY2_CtrlCCopiesASelectionFirst(t *testing.T) {
	d := drive(t, 100, 24, answering(dropRequest))
	d.typed("go\n")
	d.shows("Drop the table customers?")
	d.press("shift+up", "shift+home")
	if got := d.app.panel.SelectedText(); got != "[simple] running: go\npartial text" {
		t.Fatalf("selected is %q", got)
	}
	d.shows("Ctrl+C copy selection", "Esc deselect")
	d.wait(500 * time.Millisecond)
	if !d.app.active {
		t.Fatal("the request has not got the keyboard")
	}
	d.press("ctrl+c")
	if got := d.copied(1); got != "[simple] running: go\npartial text" {
		t.Errorf("%q was copied", got)
	}
	d.shows("Copied 2 line(s) to the clipboard.")
	d.press("esc") // sends the request aside and leaves the selection
	d.typed("draft")
	d.press("ctrl+c")
	d.copied(2)
	if d.app.request == nil || d.app.field.Text() != "draft" || !d.app.panel.HasSelection() {
		t.Fatal("Ctrl+C did more than copy")
	}
	d.press("esc")
	if d.app.panel.HasSelection() || !d.app.state.Running {
		t.Fatal("Esc did not just select nothing")
	}
	d.lacks("copy selection")
	d.press("ctrl+c")
	if d.app.request == nil || !d.app.field.Empty() {
		t.Fatal("Ctrl+C without a selection did not clear the draft")
	}
	d.press("ctrl+c")
	d.shows("Rejected. Agent response cancelled.")
	if len(d.clip.all()) != 2 {
		t.Error("something else was copied")
	}
}

// TestCPY_EverythingSelectedIsCopyAll holds at narrow and wide screens for every
// shape of line.
func TestCPY_EverythingSelectedIsCopyAll(t *testing.T) {
	d := drive(t, 100, 30, func(_ context.Context, _ string, yield func(session.Event, error) bool) {
		for _, e := range shapes {
			if !yield(e, nil) {
				return
			}
		}
	})
	d.typed("go\n")
	d.idle()
	for i, width := range []int{20, 21, 33, 80, 200} {
		d.resize(width, 12)
		d.press("tab", "a")
		want, err := d.pane.Copy(panelScope)
		if err != nil {
			t.Fatal(err)
		}
		d.press("ctrl+c")
		if got := d.copied(i + 1); got != want.Text {
			t.Errorf("at width %d, everything is %q, want %q", width, got, want.Text)
		}
		d.until("the note", func(string) bool {
			now, _ := d.pane.Copy(panelScope)
			return now.Text != want.Text
		})
		if got := d.app.panel.SelectedText(); got != want.Text {
			t.Errorf("the confirmation got into the selection: %q", got)
		}
		d.press("esc", "esc")
	}
}

func TestSelectingFromTheInput(t *testing.T) {
	d := talked(t, 80, 20, "one two\nthree four\n")
	d.typed("draft")
	d.press("shift+left", "shift+up")
	if d.app.inPanel || d.app.panel.HasSelection() {
		t.Fatal("a draft's selection went to the panel")
	}
	d.press("ctrl+c")
	for _, step := range []struct{ chord, want string }{
		{"shift+left", "r"},
		{"ctrl+shift+left", "four"},
		{"alt+shift+left", "three four"},
		{"shift+up", "one two\nthree four"},
		{"shift+end", "\nthree four"},
		{"alt+shift+right", " four"},
		{"shift+down", ""},
	} {
		d.press(step.chord)
		if got := d.app.panel.SelectedText(); got != step.want {
			t.Fatalf("%s selects %q, want %q", step.chord, got, step.want)
		}
	}
	d.press("up", "l")
	if got := d.app.panel.SelectedText(); got != "one two" {
		t.Fatalf("l selects %q", got)
	}
	d.press("l", "y")
	if got := d.copied(1); got != "one two\nthree four" {
		t.Errorf("y copied %q", got)
	}
	d.shows("Copied 2 line(s) to the clipboard.")
	d.press("left")
	if d.app.panel.HasSelection() || !d.app.inPanel {
		t.Fatal("a plain arrow did not just select nothing")
	}
	d.press("y")
	if d.app.field.Text() != "y" || len(d.clip.all()) != 1 {
		t.Error("y without a selection is not typed")
	}
}

func TestSelectingLeavesThePanelInStages(t *testing.T) {
	d := talked(t, 80, 20, "one\n")
	d.press("tab", "a", "esc")
	if d.app.panel.HasSelection() || !d.app.inPanel {
		t.Fatal("the first Esc did not just select nothing")
	}
	d.press("esc")
	if d.app.inPanel {
		t.Fatal("the second Esc did not leave the panel")
	}
	d.press("tab", "a", "enter")
	if d.app.inPanel || !d.app.panel.HasSelection() {
		t.Fatal("Enter did not just go back to the input")
	}
	d.typed("more\n")
	if d.app.panel.HasSelection() {
		t.Error("sending a message leaves a selection that may be out of view")
	}
}

func TestR29_ATooSmallScreenCopiesNothing(t *testing.T) {
	d := talked(t, 80, 20, "one\n")
	d.press("tab", "a")
	d.resize(10, 2)
	d.press("ctrl+c")
	d.resize(80, 20)
	d.shows("Press Ctrl+C again to quit.")
	if len(d.clip.all()) != 0 {
		t.Error("what could not be seen was copied")
	}
}

// mouse hands a mouse action to the desk as tview does.
func (d *driver) mouse(action tview.MouseAction, x, y int) {
	d.app.touched()
	ev := tcell.NewEventMouse(x, y, tcell.ButtonNone, tcell.ModNone)
	target := tview.Primitive(d.app.stack)
	if d.grabbed != nil {
		target = d.grabbed
	}
	_, d.grabbed = target.MouseHandler()(action, ev, func(tview.Primitive) {})
	d.draw()
}

func TestDraggingSelects(t *testing.T) {
	d := talked(t, 80, 12, strings.Repeat("a line\n", 40))
	d.typed("draft")
	d.mouse(tview.MouseLeftDown, 5, 4)
	if !d.app.inPanel {
		t.Error("a press does not give the keyboard to the panel")
	}
	d.mouse(tview.MouseMove, 8, 0)
	timers := d.clock.Pending()
	d.wait(45 * time.Millisecond)
	before := d.app.panel.SelectedText()
	d.wait(45 * time.Millisecond)
	if after := d.app.panel.SelectedText(); len(after) <= len(before) {
		t.Errorf("held at the edge, %q is selected, then %q", before, after)
	}
	d.mouse(tview.MouseLeftUp, 8, 0)
	if d.clock.Pending() >= timers {
		t.Error("a timer is left")
	}
	selected := d.app.panel.SelectedText()
	d.wait(time.Second)
	if got := d.app.panel.SelectedText(); got != selected || len(d.clip.all()) != 0 {
		t.Errorf("after the release %q became %q, %d copies", selected, got, len(d.clip.all()))
	}
	d.press("ctrl+c")
	if got := d.copied(1); got != selected || d.app.field.Text() != "draft" {
		t.Errorf("copied is %q, want %q", got, selected)
	}

	settings := d.app.Settings
	settings.CopyOnSelect = true
	d.app.Configure(settings)
	d.draw()
	d.mouse(tview.MouseLeftDown, 3, 4)
	d.mouse(tview.MouseLeftUp, 3, 4)
	d.mouse(tview.MouseLeftDown, 3, 4)
	d.mouse(tview.MouseLeftUp, 3, 4)
	if got := d.copied(2); got != "a" {
		t.Errorf("a double click copied %q", got)
	}
}
