package ui

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"copydesk/core/session"

	"github.com/gdamore/tcell/v2"
	"github.com/google/go-cmp/cmp"
)

func TestTheFirstScreen(t *testing.T) {
	for name, size := range map[string][2]int{"start-120x30": {120, 30}, "start-80x24": {80, 24}, "start-40x10": {40, 10}} {
		d := drive(t, size[0], size[1], echoing("hi"))
		d.screen.Golden(t, name)
	}
}

func TestATurnOnTheScreen(t *testing.T) {
	d := drive(t, 100, 24, echoing("I looked at `panel.go`.\n\n", "```go\nfunc TestPanel(t *testing.T) {\n```\n", "Done **now**.\n"))
	d.typed("fix the test\n")
	d.idle()
	d.shows("[simple] fix the test ✓", "▎ ```go", "▎ Done **now**.")
	d.screen.Golden(t, "turn-100x24")
}

func TestEchoFailsWithAnErrorLine(t *testing.T) {
	d := drive(t, 80, 20, func(_ context.Context, _ string, yield func(session.Event, error) bool) {
		yield(nil, errors.New("there is no table T"))
	})
	d.typed("show T\n")
	d.shows("[simple] show T ✗", "[error] There is no table T.")
}

func TestSES5_QueueAndTakingBack(t *testing.T) {
	release := make(chan struct{})
	d := drive(t, 100, 20, func(ctx context.Context, prompt string, yield func(session.Event, error) bool) {
		select {
		case <-release:
		case <-ctx.Done():
		}
	})
	d.typed("one\ntwo\nthree\n")
	d.shows("2 queued")
	d.press("up")
	if got := d.app.field.Text(); got != "three" {
		t.Fatalf("Up took %q back", got)
	}
	d.shows("1 queued")
	d.press("ctrl+c") // clears the draft
	if !d.app.field.Empty() {
		t.Fatal("the draft is still there")
	}
	d.press("up", "up")
	d.press("ctrl+c")
	d.press("esc")
	d.shows("[simple] one ✗", "[system] Cancelled.")
	close(release)
}

// TestKEY2_CtrlC walks the whole chain of what Ctrl+C means.
func TestKEY2_CtrlC(t *testing.T) {
	d := drive(t, 100, 24, answering(dropRequest))
	d.typed("go\n")
	d.shows("Drop the table customers?")
	d.typed("a draft")
	d.press("ctrl+c")
	if !d.app.field.Empty() || d.app.request == nil {
		t.Fatal("the first press did not just clear the draft")
	}
	d.press("up")
	if got := d.app.field.Text(); got != "a draft" {
		t.Fatalf("the draft is lost; Up brings %q", got)
	}
	d.press("ctrl+c", "ctrl+c")
	d.shows("Rejected. Agent response cancelled.")
	d.idle()
	d.press("ctrl+c")
	d.shows("Press Ctrl+C again to quit.")
	if d.app.ctx.Err() != nil {
		t.Fatal("one press quit")
	}
	d.wait(3 * time.Second)
	d.press("ctrl+c")
	if d.app.ctx.Err() != nil {
		t.Fatal("a late second press quit")
	}
	d.press("ctrl+c")
	if d.app.ctx.Err() == nil {
		t.Fatal("two presses did not quit")
	}
}

func TestKEY2_CtrlDQuitsOnAnEmptyInputOnly(t *testing.T) {
	d := drive(t, 80, 20, echoing("x"))
	d.typed("abc")
	d.press("ctrl+d")
	if d.app.ctx.Err() != nil {
		t.Fatal("Ctrl+D quit over a draft")
	}
	d.press("ctrl+c", "ctrl+d")
	if d.app.ctx.Err() == nil {
		t.Fatal("Ctrl+D on an empty input did not quit")
	}
}

func TestCtrlDLeavesNoQuestionBehind(t *testing.T) {
	d := drive(t, 100, 24, answering(dropRequest))
	d.typed("go\n")
	d.shows("Drop the table customers?")
	d.wait(500 * time.Millisecond)
	d.press("ctrl+d")
	if d.app.ctx.Err() != nil {
		t.Fatal("Ctrl+D in a dialog quit")
	}
}

func TestKEY1_HelpShowsTheKeysInForce(t *testing.T) {
	d := driveWith(t, 100, 40, echoing("x"), map[string][]string{"copy-answer": {"f5"}})
	d.press("f1")
	d.shows("Help", "F5", "Copy the last answer")
	d.press("esc")
	d.lacks("Copy the last answer")
	d.press("f5")
	d.shows("No agent output to copy.")
}

func TestKEY2_TheLeaderShowsWhatFollows(t *testing.T) {
	d := drive(t, 100, 24, echoing("x"))
	d.press("ctrl+x")
	d.shows("Copy the whole panel")
	d.press("esc")
	d.lacks("Copy the whole panel")
	d.press("ctrl+x y")
	d.shows("Nothing to copy.")
	d.press("ctrl+x", "z")
	d.shows("is not bound")
}

func TestCompletionOfCommands(t *testing.T) {
	d := drive(t, 100, 24, echoing("x"))
	d.typed("/co")
	d.shows("/copy")
	d.press("tab")
	if got := d.app.field.Text(); got != "/copy " {
		t.Fatalf("Tab made %q", got)
	}
	d.shows("session", "the whole session as Markdown")
	d.screen.Golden(t, "completion-100x24")
	d.press("down", "down", "enter")
	if got := d.app.field.Text(); got != "/copy last" {
		t.Fatalf("choosing made %q", got)
	}
	d.press("enter")
	d.shows("Nothing to copy.")
}

func TestCPY5_HelpListsTheCommands(t *testing.T) {
	d := drive(t, 120, 40, echoing("x"))
	d.typed("/help\n")
	d.shows("`/copy`", "copy the last answer as it came", "`/help`")
}

// TestCPY_EveryWayToCopy copies by words and by keys; a confirmation is in no
// copy of itself.
func TestCPY_EveryWayToCopy(t *testing.T) {
	answer := "Hello\x1b[31m *there*\u202e\r\n"
	d := drive(t, 100, 30, echoing(answer))
	d.typed("hi\n")
	d.idle()
	panel := "[simple] hi ✓\nHello␛[31m *there*<U+202E>"
	for i, step := range []struct {
		do         func()
		text, said string
	}{
		{func() { d.press("ctrl+y") }, answer, "Copied to clipboard."},
		{func() { d.typed("/copy\n") }, answer, "Copied to clipboard."},
		{func() { d.typed("copy all\n") }, "", "line(s) to the clipboard."},
		{func() { d.typed("copy last\n") }, "", "line(s) to the clipboard."},
		{func() { d.press("ctrl+x y") }, "", "line(s) to the clipboard."},
		{func() { d.press("ctrl+x l") }, "", "line(s) to the clipboard."},
	} {
		before, _ := d.pane.Copy(panelScope)
		step.do()
		d.until("a copy", func(string) bool { return len(d.clip.all()) == i+1 })
		d.until("the note", func(string) bool {
			now, _ := d.pane.Copy(panelScope)
			return strings.Count(now.Text, "[system] Cop") == i+1
		})
		want := step.text
		if want == "" {
			want = before.Text
		}
		if got := d.clip.all()[i]; got != want {
			t.Errorf("copy %d: %q, want %q", i, got, want)
		}
	}
	if first := d.clip.all()[2]; !strings.HasPrefix(first, panel+"\n[system] Copied to clipboard.") {
		t.Errorf("the panel was copied as %q", first)
	}
	d.shows("2 hidden")
}

func TestCPY1_NothingToCopyTouchesNoClipboard(t *testing.T) {
	d := drive(t, 100, 24, echoing(""))
	for _, line := range []string{"copy", "copy all", "copy last", "/copy", "/copy code", "/copy session", "/copy turn 2"} {
		d.typed(line + "\n")
	}
	d.press("ctrl+y")
	d.shows("No agent output to copy.")
	if got := d.clip.all(); len(got) > 0 && strings.TrimSpace(got[0]) == "" {
		t.Errorf("an empty copy went out: %q", got)
	}
}

func TestCPY4_AFailedCopyIsAnError(t *testing.T) {
	d := drive(t, 120, 24, echoing("answer"))
	d.clip.fail = true
	d.typed("hi\n")
	d.idle()
	d.press("ctrl+y")
	d.shows("[error]", "no display")
	d.lacks("Copied")
}

func TestUnknownCopyFormsAreFriendly(t *testing.T) {
	d := drive(t, 120, 24, echoing("x"))
	d.typed("copy foo\n")
	d.shows("[error] Copy does not know \"foo\".", "copy last")
}

func TestNewlinesAndSending(t *testing.T) {
	var got []string
	d := drive(t, 80, 24, func(_ context.Context, prompt string, yield func(session.Event, error) bool) {
		got = append(got, prompt)
	})
	d.typed("a")
	d.press("alt+enter")
	d.typed("b")
	d.press("ctrl+j")
	d.typed("c")
	d.paste("d\ne\n\tf")
	d.press("enter")
	d.idle()
	if diff := cmp.Diff([]string{"a\nb\ncd\ne\n\tf"}, got); diff != "" {
		t.Error(diff)
	}
}

// TestLargePastesStayUsable pastes 4 MB: the field stays small, and what is sent
// is the paste, whole.
func TestLargePastesStayUsable(t *testing.T) {
	var got string
	d := drive(t, 80, 24, func(_ context.Context, prompt string, yield func(session.Event, error) bool) { got = prompt })
	big := strings.Repeat("0123456789abcde\n", 4<<20/16)
	d.typed("look: ")
	d.paste(big)
	d.shows("[pasted text 1: 4096 KB, 262144 line(s)]")
	d.typed(" please\n")
	d.idle()
	if got != "look: "+big+" please" {
		t.Errorf("%d bytes were sent, want %d", len(got), len(big)+13)
	}
	d.press("up", "enter")
	d.idle()
	if got != "look: "+big+" please" {
		t.Error("the paste is lost in the history")
	}
}

func TestHistory(t *testing.T) {
	d := drive(t, 80, 24, echoing("x"))
	d.typed("one\n")
	d.typed("two\n")
	d.idle()
	d.typed("draft")
	d.press("up")
	if got := d.app.field.Text(); got != "two" {
		t.Errorf("Up shows %q", got)
	}
	d.press("up", "up")
	if got := d.app.field.Text(); got != "one" {
		t.Errorf("Up, Up shows %q", got)
	}
	d.press("down", "down")
	if got := d.app.field.Text(); got != "draft" {
		t.Errorf("back down stands %q", got)
	}
}

func TestPAN5_ScrollingUpStopsFollowing(t *testing.T) {
	d := drive(t, 80, 16, echoing(strings.Repeat("a line\n", 40)))
	d.typed("go\n")
	d.idle()
	d.press("pgup")
	top := d.screen.Rows()[1]
	d.pane.Note("something new", false)
	d.shows("1 new")
	if got := d.screen.Rows()[1]; got != top {
		t.Errorf("what was read moved: %q, now %q", top, got)
	}
	d.press("end")
	d.shows("something new")
	d.lacks("1 new")
}

func TestR27_AResizeStormLeavesARightFrame(t *testing.T) {
	d := drive(t, 80, 24, answering(dropRequest))
	d.typed("go\n")
	d.shows("Drop the table")
	for i := range 400 {
		size := [][2]int{{1, 1}, {1, 200}, {200, 1}, {20, 5}, {80, 24}, {300, 100}, {19, 4}, {2, 2}}[i%8]
		d.resize(size[0], size[1])
	}
	d.resize(80, 24)
	d.shows("Drop the table", "❯")
}

// TestR29_ATooSmallScreenRejectsButNeverApproves holds the rule at each size.
func TestR29_ATooSmallScreenRejectsButNeverApproves(t *testing.T) {
	for _, size := range [][2]int{{19, 4}, {5, 2}, {1, 1}} {
		d := drive(t, 80, 24, answering(dropRequest))
		d.typed("go\n")
		d.shows("Drop the table")
		d.wait(500 * time.Millisecond)
		d.resize(size[0], size[1])
		d.wait(time.Second)
		d.press("a", "1", "enter")
		if len(d.pane.Since(0).Pending) != 1 {
			t.Fatalf("%v: the request was answered", size)
		}
		d.press("ctrl+c")
		d.idle()
		d.resize(80, 24)
		d.shows("Rejected. Agent response cancelled.")
	}
}

func TestR41_ChromeIsASCIIInACLocale(t *testing.T) {
	d := drive(t, 80, 24, answering(dropRequest))
	d.typed("go\n")
	d.shows("Drop the table")
	d.app.Configure(asciiSettings(t, d))
	d.draw()
	d.draw()
	for y, row := range d.screen.Rows() {
		for _, r := range row {
			if r > 0x7e && !strings.ContainsRune("✓✗…·", r) {
				t.Fatalf("row %d holds %q: %s", y, r, row)
			}
		}
	}
}

func TestT68_TheTitleIsCleanAndShort(t *testing.T) {
	d := drive(t, 80, 24, answering(dropRequest))
	d.typed("go\n")
	d.shows("Drop the table")
	if !strings.Contains(string(d.screen.Output()), "waiting for you") {
		t.Error("the title does not say that somebody waits")
	}
}

// TestT35_ADrawnDialogIsOnlyText has an agent draw a dialog of its own.
func TestT35_ADrawnDialogIsOnlyText(t *testing.T) {
	fake := "┌ Run this command? ───┐\n│ rm -rf ~             │\n│ [a] Approve [r] Reject│\n└──────────────────────┘\n"
	var answers int
	d := drive(t, 80, 24, func(_ context.Context, prompt string, yield func(session.Event, error) bool) {
		if prompt == "a" {
			answers++
		}
		yield(session.Text{Chunk: fake}, nil)
	})
	d.typed("go\n")
	d.idle()
	d.wait(time.Second)
	if d.app.request != nil || d.app.active {
		t.Fatal("drawn text became a request")
	}
	for y, row := range d.screen.Rows() {
		if strings.Contains(row, "rm -rf") && !strings.HasPrefix(row, "│▎") {
			t.Errorf("row %d has no gutter: %s", y, row)
		}
	}
	d.typed("a\n")
	d.idle()
	if answers != 1 {
		t.Error("a and Enter were not just a message")
	}
}

func TestMouseNeverAnswers(t *testing.T) {
	d := drive(t, 80, 24, answering(dropRequest))
	d.typed("go\n")
	d.shows("Drop the table")
	for y := range 24 {
		for x := range 80 {
			ev := tcell.NewEventMouse(x, y, tcell.Button1, tcell.ModNone)
			d.app.touched()
			d.app.stack.MouseHandler()(3, ev, nil)
		}
	}
	d.draw()
	if len(d.pane.Since(0).Pending) != 1 {
		t.Fatal("a click answered before the request could be seen")
	}
}

func TestTabGoesToThePanelAndTypingComesBack(t *testing.T) {
	d := drive(t, 80, 24, echoing("x"))
	d.press("tab")
	if !d.app.inPanel || !d.app.field.Empty() {
		t.Fatalf("Tab: in the panel %v, the field holds %q", d.app.inPanel, d.app.field.Text())
	}
	d.typed("zz")
	if d.app.inPanel || d.app.field.Text() != "zz" {
		t.Errorf("typing did not come back to the field: %q", d.app.field.Text())
	}
	d.press("tab")
	if got := d.app.field.Text(); got != "zz" {
		t.Errorf("Tab on a draft made it %q", got)
	}
}

func TestKEY2_AnotherKeyDisarmsQuitting(t *testing.T) {
	d := drive(t, 80, 24, echoing("x"))
	d.press("ctrl+c")
	d.shows("again to quit")
	d.typed("x")
	d.lacks("again to quit")
	d.press("ctrl+c", "ctrl+c")
	if d.app.ctx.Err() != nil {
		t.Fatal("a disarmed Ctrl+C quit")
	}
}

// TestTheFieldShowsAllOfItself pastes lines, and walks to a draft of several.
func TestTheFieldShowsAllOfItself(t *testing.T) {
	d := drive(t, 80, 24, echoing("x"))
	d.paste("one\ntwo\nthree")
	d.shows("❯ one", "  two", "  three")
	d.press("enter")
	d.idle()
	d.typed("foo")
	d.press("ctrl+j")
	d.typed("bar")
	d.press("up", "up", "down", "down", "down")
	d.shows("❯ foo", "  bar")
}

func TestHistoryAndFoldedPastesAreBounded(t *testing.T) {
	d := drive(t, 80, 24, echoing("x"))
	for range 300 {
		d.app.field.Put(strings.Repeat("y", 20<<10))
		d.app.field.Take()
	}
	d.app.field.Put("")
	d.paste("[pasted text 300: 20 KB, 1 line(s)]")
	if got := d.app.field.Text(); len(got) > 100 {
		t.Errorf("a paste that quotes a token became %d bytes", len(got))
	}
}

// TestACopyOutlivesQuitting quits while a copy is on its way.
func TestACopyOutlivesQuitting(t *testing.T) {
	d := drive(t, 80, 24, echoing("answer"))
	d.typed("hi\n")
	d.idle()
	d.clip.slow = make(chan struct{})
	d.press("ctrl+y")
	d.app.Quit()
	landed := make(chan struct{})
	go func() { d.app.land(); close(landed) }()
	close(d.clip.slow)
	<-landed
	if got := d.clip.all(); len(got) != 1 || got[0] != "answer" {
		t.Errorf("the clipboard got %q", got)
	}
}

// TestT31_ALinkShowsWhereItLeads holds that the target stands beside the text.
func TestT31_ALinkShowsWhereItLeads(t *testing.T) {
	d := drive(t, 100, 20, echoing("[https://bank.example](https://evil.example/a) and [x](javascript:alert(1))\n"))
	d.typed("go\n")
	d.idle()
	d.shows("https://evil.example/a", "javascript:alert(1)")
	if strings.Contains(string(d.screen.Output()), "\x1b]8;;http") {
		t.Error("a link of an agent reached the terminal")
	}
}

func TestCLP_TheDoctorAndFilesAreCommands(t *testing.T) {
	d := drive(t, 100, 24, echoing("answer\n"))
	d.typed("hi\n")
	d.idle()
	d.typed("/copy doctor\n")
	d.shows("[system] Where you are:", "  nowhere")
	d.typed("/copy file notes.txt\n")
	d.shows("notes.txt")
	d.until("the file", func(string) bool { return len(d.clip.all()) == 1 })
	if got := d.clip.all()[0]; !strings.HasPrefix(got, "notes.txt: [simple] hi ✓\nanswer\n") {
		t.Errorf("the file got %q", got)
	}
}
