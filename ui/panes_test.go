package ui

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"copydesk/core"
	"copydesk/core/desk"
	"copydesk/core/session"
	"copydesk/ui/theme"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/tview"
	"pgregory.net/rapid"
)

// named is an agent of a test under a name of its own.
type namedAgent struct {
	script
	name string
}

func (n namedAgent) Name() string               { return n.name }
func (n namedAgent) Echo(string) (string, bool) { return n.name, true }

// beside opens a pane beside the first one, which stays the one that is shown.
func (d *driver) beside(name string, agent script) *desk.Pane {
	d.t.Helper()
	shown := d.app.tab
	p := d.desk.Open(namedAgent{agent, name}, options(name))
	d.draw()
	if d.app.tab != shown {
		d.t.Fatal("a pane that was opened beside is shown")
	}
	return p
}

// waits has a pane ask something, and waits until it does.
func (d *driver) waits(p *desk.Pane) {
	d.t.Helper()
	p.Submit("go")
	d.until("a request", func(string) bool { return len(p.Since(0).Pending) == 1 })
	d.draw()
}

func (d *driver) shownPane() int { return d.app.pane.Number() }

// pending is how many requests are open in each of the panes.
func (d *driver) pending() []int {
	var n []int
	for _, p := range d.desk.Panes() {
		n = append(n, len(p.Since(0).Pending))
	}
	return n
}

// several has three panes: a playground, one that waits for the user and one that
// runs.
func several(t testing.TB, w, h int) *driver {
	t.Helper()
	d := drive(t, w, h, echoing("hi\n"))
	d.waits(d.beside("claude", answering(dropRequest)))
	p := d.beside("opencode", func(ctx context.Context, _ string, yield func(session.Event, error) bool) {
		if yield(session.Text{Chunk: "I look at it.\n"}, nil) {
			<-ctx.Done()
		}
	})
	p.Submit("look")
	d.until("a turn", func(string) bool { return p.Since(0).Status.Running })
	return d
}

func TestKEY2_PanesByTheirKeys(t *testing.T) {
	d := drive(t, 100, 20, echoing("x"))
	d.press("ctrl+x n")
	d.shows("There is one pane only. Ctrl+X w opens a new one.")
	d.beside("claude", echoing("y"))
	d.beside("opencode", echoing("z"))
	d.shows("[1 fake]", "2 claude", "3 opencode")
	for _, step := range []struct {
		key  string
		want int
	}{
		{"alt+2", 2}, {"alt+3", 3}, {"ctrl+x n", 1}, {"ctrl+x p", 3}, {"ctrl+x p", 2}, {"alt+7", 2}, {"alt+1", 1}, {"alt+1", 1},
	} {
		d.press(step.key)
		if got := d.shownPane(); got != step.want {
			t.Fatalf("%s shows pane %d, want %d", step.key, got, step.want)
		}
	}
	d.press("alt+7")
	d.shows("There is no pane 7. Ctrl+X w opens a new one.")
}

// TestEachPaneKeepsWhatWasLeftInIt leaves a draft, a history and a place in one
// pane and comes back.
func TestEachPaneKeepsWhatWasLeftInIt(t *testing.T) {
	d := drive(t, 80, 20, echoing(strings.Repeat("a line\n", 60)))
	d.beside("claude", echoing("y\n"))
	d.typed("first\n")
	d.idle()
	d.press("pgup")
	top := d.screen.Rows()[2]
	d.typed("half a thought")
	d.press("alt+2")
	d.lacks("half a thought", "a line")
	if !d.app.field.Empty() {
		t.Fatal("the draft went along")
	}
	d.typed("second\n")
	d.idle()
	d.press("up")
	if got := d.app.field.Text(); got != "second" {
		t.Errorf("the history of the second pane has %q", got)
	}
	d.press("up", "alt+1")
	if got := d.app.field.Text(); got != "half a thought" {
		t.Errorf("the draft became %q", got)
	}
	if got := d.screen.Rows()[2]; got != top {
		t.Errorf("what was read moved: %q, now %q", top, got)
	}
	d.press("up")
	if got := d.app.field.Text(); got != "first" {
		t.Errorf("the history of the first pane has %q", got)
	}
}

func TestBackgroundPanesAreUpToDate(t *testing.T) {
	d := drive(t, 80, 20, echoing("x"))
	p := d.beside("claude", echoing("**done**\n"))
	p.Submit("go")
	d.until("the end of the turn", func(string) bool { return !p.Since(0).Status.Running })
	d.lacks("**done**")
	d.press("alt+2")
	if !strings.Contains(d.text(), "▎ **done**") {
		t.Errorf("the first frame of the pane is not up to date:\n%s", d.text())
	}
}

func TestREQ5_ARequestInAnotherPaneWaitsThere(t *testing.T) {
	d := drive(t, 110, 24, echoing("x"))
	p := d.beside("claude", answering(dropRequest))
	d.waits(p)
	d.wait(10 * time.Second)
	d.shows("waiting for you (1) in 2: claude", "2 claude ● waiting")
	d.lacks("Drop the table")
	if !strings.Contains(string(d.screen.Output()), "waiting for you in 2: claude") {
		t.Error("the window's title does not say where somebody waits")
	}
	if d.app.active || d.app.request != nil {
		t.Fatal("the request of another pane has the keyboard")
	}
	d.typed("a1y")
	d.press("ctrl+x r")
	d.shows("No request is waiting here. 2: claude waits for you.")
	if got := d.app.field.Text(); got != "a1y" || d.pending()[1] != 1 {
		t.Fatalf("the draft is %q, %v requests are open", got, d.pending())
	}
	d.press("ctrl+c", "alt+2")
	d.shows("Drop the table customers?", "waiting for you (1)")
	d.lacks("(1) in")
}

// TestT41_KeysAroundASwitchNeverAnswer types without a pause, into one pane and
// right after the switch into the one whose request has waited for long.
func TestT41_KeysAroundASwitchNeverAnswer(t *testing.T) {
	d := drive(t, 110, 24, echoing("x"))
	d.waits(d.beside("claude", answering(dropRequest)))
	d.wait(5 * time.Second)
	d.press("y", "a", "1", "alt+2")
	for range 8 {
		for _, key := range []string{"a", "1", "enter", "space", "tab"} {
			d.press(key)
			d.wait(50 * time.Millisecond)
		}
	}
	if d.pending()[1] != 1 || d.app.active {
		t.Fatal("typing took a request that has just come into view")
	}
	d.wait(400 * time.Millisecond)
	if !d.app.active {
		t.Fatal("after silence the request has not got the keyboard")
	}
	d.press("alt+1", "a", "enter", "alt+2", "a", "enter")
	if d.pending()[1] != 1 {
		t.Fatal("a request that had the keyboard before was answered right after the switch")
	}
	d.press("ctrl+c")
	d.wait(400 * time.Millisecond)
	d.press("a", "enter")
	d.shows("Approved: Drop the table customers?")
}

// TestT41_AHeldAnswerIsDroppedByASwitch leaves a pane within the time that a
// letter is held in.
func TestT41_AHeldAnswerIsDroppedByASwitch(t *testing.T) {
	for _, leave := range []string{"alt+2", "ctrl+x n"} {
		d := drive(t, 110, 24, answering(dropRequest))
		d.beside("claude", echoing("y"))
		d.waits(d.pane)
		d.wait(400 * time.Millisecond)
		d.press("a")
		d.press(leave)
		d.wait(5 * time.Second)
		if d.pending()[0] != 1 || d.shownPane() != 2 {
			t.Fatalf("%s: a letter answered although its pane was left", leave)
		}
	}
}

// TestT42_TheGateOfOnePaneOpensNoOther leaves a pane just before its gate opens,
// for one whose request has the same id.
func TestT42_TheGateOfOnePaneOpensNoOther(t *testing.T) {
	d := drive(t, 110, 24, answering(dropRequest))
	d.waits(d.beside("claude", answering(dropRequest)))
	d.waits(d.pane)
	d.wait(340 * time.Millisecond)
	d.press("alt+2")
	d.wait(340 * time.Millisecond)
	if d.app.active {
		t.Fatal("the request has the keyboard before it has been in view for the quiet time")
	}
	d.wait(20 * time.Millisecond)
	if !d.app.active {
		t.Fatal("the gate never opened")
	}
	d.clock.Advance(time.Minute) // the program was stopped
	d.press("alt+1")
	d.clock.Advance(time.Minute)
	d.draw()
	if d.app.active {
		t.Fatal("a late timer gave the keyboard away")
	}
}

func TestT43_PastesAndClicksAroundASwitchNeverAnswer(t *testing.T) {
	d := drive(t, 110, 24, echoing("x"))
	d.waits(d.beside("claude", answering(dropRequest)))
	d.wait(time.Second)
	d.press("alt+2")
	for _, paste := range []string{"a\r", "1\n", "approve"} {
		d.paste(paste)
		d.wait(10 * time.Millisecond)
	}
	d.press("ctrl+c")
	d.wait(400 * time.Millisecond)
	d.press("alt+1")
	d.paste("a\r")
	d.press("alt+2")
	for y := range 24 {
		for x := range 110 {
			for _, action := range []tview.MouseAction{tview.MouseLeftDown, tview.MouseLeftUp, tview.MouseLeftClick} {
				d.app.touched()
				d.app.stack.MouseHandler()(action, tcell.NewEventMouse(x, y, tcell.Button1, tcell.ModNone), func(tview.Primitive) {})
			}
		}
	}
	if d.pending()[1] != 1 {
		t.Fatal("a paste or a click answered around a switch")
	}
}

// counting asks and counts the answers that it gets.
func counting(n *atomic.Int32) script {
	return func(ctx context.Context, _ string, yield func(session.Event, error) bool) {
		reply := make(chan session.Answer, 1)
		q := dropRequest
		q.Reply = reply
		if !yield(&q, nil) {
			return
		}
		select {
		case <-reply:
			n.Add(1)
		case <-ctx.Done():
		}
	}
}

// TestREQ5_NoTypedTextAnswersInAnyPane is the property of TestREQ5_NoTypedTextApproves
// with three panes that ask: whatever is typed, pasted and opened, and to which
// pane the user goes, nothing is answered without a silence before.
func TestREQ5_NoTypedTextAnswersInAnyPane(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var answers atomic.Int32
		agent := counting(&answers)
		d := drive(t, 60, 16, agent)
		for _, name := range []string{"claude", "opencode"} {
			d.waits(d.beside(name, agent))
		}
		d.waits(d.pane)
		silent := 0
		for range rapid.IntRange(1, 20).Draw(rt, "steps") {
			pause := silent
			silent = 0
			switch rapid.IntRange(0, 5).Draw(rt, "step") {
			case 0, 1:
				d.press(rapid.SampledFrom([]string{"a", "1", "y", "enter", "space", "x", "tab", "up", "pgup", "backspace", "o"}).Draw(rt, "key"))
			case 2:
				d.paste(rapid.SampledFrom([]string{"a", "a\r", "1\n", "approve"}).Draw(rt, "paste"))
			case 3:
				n := rapid.IntRange(0, 340-pause).Draw(rt, "pause")
				silent = pause + n
				d.wait(time.Duration(n) * time.Millisecond)
			default:
				d.press(rapid.SampledFrom([]string{"alt+1", "alt+2", "alt+3", "ctrl+x n", "ctrl+x p", "ctrl+x r", "ctrl+x a", "ctrl+x o", "f1", "esc"}).Draw(rt, "go"))
			}
			if answers.Load() > 0 {
				rt.Fatalf("a request was answered:\n%s", d.text())
			}
		}
	})
}

// TestREQ5_AModalTakesTheKeyboardFromARequest closes a list over a request that
// had the keyboard: what is typed on answers nothing.
func TestREQ5_AModalTakesTheKeyboardFromARequest(t *testing.T) {
	for _, modal := range []string{"f1", "ctrl+x a", "ctrl+x w"} {
		d := asked(t, dropRequest, 100, 24)
		d.wait(400 * time.Millisecond)
		d.press(modal)
		d.wait(time.Second)
		d.press("esc", "a", "enter")
		if open(d) != 1 || d.app.active {
			t.Fatalf("%s: a key after the list answered", modal)
		}
	}
}

func TestClosingPanes(t *testing.T) {
	d := several(t, 110, 24)
	d.press("ctrl+x k") // idle: at once
	if d.shownPane() != 2 || len(d.app.tabs) != 2 {
		t.Fatalf("pane %d is shown of %d", d.shownPane(), len(d.app.tabs))
	}
	d.press("ctrl+x k")
	d.shows("Close 2: claude?", "Its request stays unanswered")
	d.press("enter") // stays
	if len(d.app.tabs) != 2 {
		t.Fatal("what changes nothing does not come first")
	}
	d.press("alt+3", "ctrl+x k")
	d.shows("Close 3: opencode?", "Its turn ends.")
	d.press("down", "enter")
	if d.shownPane() != 2 || len(d.app.tabs) != 1 {
		t.Fatalf("pane %d is shown of %d", d.shownPane(), len(d.app.tabs))
	}
	d.lacks("[2 claude")
	d.typed("/close\n")
	d.shows("This is the last pane, so it stays.")
	if len(d.app.tabs) != 1 {
		t.Fatal("the last pane was closed")
	}
}

func TestClosingAsksForADraft(t *testing.T) {
	d := drive(t, 100, 20, echoing("x"))
	d.beside("claude", echoing("y"))
	d.typed("half a thought")
	d.press("ctrl+x k")
	d.shows("What is written in it is lost.")
	d.press("esc")
	if d.app.field.Text() != "half a thought" {
		t.Fatal("the draft is lost")
	}
}

// TestAPaneThatGoesAwayTakesItsListsAlong closes the pane that is shown from
// elsewhere while a list lies over it.
func TestAPaneThatGoesAwayTakesItsListsAlong(t *testing.T) {
	d := several(t, 100, 20)
	d.press("alt+3", "f1")
	d.agents.Close(d.app.pane)
	d.draw()
	if d.shownPane() != 2 || d.app.stack.Top() != nil {
		t.Errorf("pane %d is shown, with %v over it", d.shownPane(), d.app.stack.Top())
	}
}

func TestQuittingAsksWhileTurnsRun(t *testing.T) {
	for _, quit := range []func(d *driver){
		func(d *driver) { d.press("ctrl+d") },
		func(d *driver) { d.press("ctrl+c", "ctrl+c") },
		func(d *driver) { d.typed("/quit\n") },
	} {
		d := several(t, 110, 24)
		quit(d)
		d.shows("Quit while the agents work?", "2 turns end: in 2: claude, 3: opencode.")
		if d.app.ctx.Err() != nil {
			t.Fatal("it quit without asking")
		}
		d.press("ctrl+d", "esc")
		if d.app.ctx.Err() != nil || d.app.stack.Top() != nil {
			t.Fatal("Esc did not stay")
		}
		quit(d)
		d.press("down", "enter")
		if d.app.ctx.Err() == nil {
			t.Fatal("it did not quit")
		}
	}
}

func TestQuittingASmallScreenAsksWhileTurnsRun(t *testing.T) {
	d := several(t, 80, 24)
	d.resize(19, 4)
	d.press("ctrl+d")
	if d.app.ctx.Err() != nil {
		t.Fatal("one press quit while turns ran")
	}
}

func TestTheStatusSaysWhatGoesOnInAllPanes(t *testing.T) {
	d := several(t, 110, 24)
	d.shows("waiting for you (1) in 2: claude", "[1 fake] 2 claude ● waiting  3 opencode …running")
	d.press("alt+3")
	d.wait(3 * time.Second)
	d.shows("waiting for you (1) in 2: claude │ running 3s", "Esc interrupt")
	d.press("alt+2")
	d.shows("waiting for you (1) ")
}

// TestTheTabBarIsCutHonestly holds at every width that the bar fits, that the
// pane that is shown can be told, and that what is left out is counted.
func TestTheTabBarIsCutHonestly(t *testing.T) {
	th, err := theme.New(theme.Options{Name: "dark", Colors: 256})
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		b := newTabBar(th, nil)
		names := rapid.SampledFrom([]string{"claude", "playground", "世界の代理人", "a", "an agent with a very long name indeed"})
		for i := range rapid.IntRange(2, 12).Draw(t, "panes") {
			b.labels = append(b.labels, tabLabel{i + 1, names.Draw(t, "name"), rapid.Bool().Draw(t, "waiting"), rapid.Bool().Draw(t, "running")})
		}
		b.at = rapid.IntRange(0, len(b.labels)-1).Draw(t, "shown")
		width := rapid.IntRange(core.MinColumns, 200).Draw(t, "width")
		f, from, to := b.fit(width)
		if b.at < from || b.at >= to {
			t.Fatalf("the shown tab %d is not among %d to %d", b.at, from, to)
		}
		cells := len([]rune(b.before(from))) + b.width(f, from, to) + len([]rune(b.behind(to)))
		if cells > width {
			t.Fatalf("%d cells in %d", cells, width)
		}
		hidden := append(append([]tabLabel(nil), b.labels[:from]...), b.labels[to:]...)
		waiting := 0
		for _, l := range hidden {
			if l.waiting {
				waiting = 1
			}
		}
		said := b.before(from) + b.behind(to)
		if waiting == 1 != strings.Contains(said, "●") {
			t.Fatalf("%q for %v", said, hidden)
		}
		if from > 0 && !strings.HasPrefix(b.before(from), fmt.Sprintf("‹%d", from)) || to < len(b.labels) && !strings.HasSuffix(b.behind(to), fmt.Sprintf("%d›", len(b.labels)-to)) {
			t.Fatalf("%d before and %d behind are said as %q", from, len(b.labels)-to, said)
		}
	})
}

func TestATabIsShownByAClick(t *testing.T) {
	d := several(t, 110, 24)
	at := strings.Index(d.screen.Rows()[0], "3 opencode")
	for _, action := range []tview.MouseAction{tview.MouseLeftDown, tview.MouseLeftUp, tview.MouseLeftClick} {
		d.app.stack.MouseHandler()(action, tcell.NewEventMouse(at, 0, tcell.Button1, tcell.ModNone), func(tview.Primitive) {})
	}
	d.draw()
	if d.shownPane() != 3 {
		t.Errorf("pane %d is shown", d.shownPane())
	}
}

func TestR29_SeveralPanesOnALowScreen(t *testing.T) {
	d := several(t, 40, 5)
	d.press("alt+2")
	d.lacks("[2 claude")
	d.press("alt+1")
	d.shows("1: fake")
}

func TestTwoPanesOnTheScreen(t *testing.T) {
	for _, size := range [][2]int{{120, 40}, {80, 24}, {40, 10}} {
		name := fmt.Sprintf("%dx%d", size[0], size[1])
		d := drive(t, size[0], size[1], echoing("I looked at `panel.go`.\n"))
		d.waits(d.beside("claude", answering(dropRequest)))
		d.typed("look at the panel\n")
		d.idle()
		d.screen.Golden(t, "panes-two-"+name)
		d.press("alt+2")
		d.wait(400 * time.Millisecond)
		d.screen.Golden(t, "panes-two-waiting-"+name)
	}
}

func nine(t *testing.T, w, h int) *driver {
	d := several(t, w, h)
	for _, name := range []string{"gemini", "codex", "goose", "ollama/qwen3-coder:30b"} {
		d.beside(name, echoing("x\n"))
	}
	d.waits(d.beside("claude", answering(dropRequest)))
	d.beside("qwen", echoing("x\n"))
	d.press("alt+5")
	return d
}

func TestNinePanesOnTheScreen(t *testing.T) {
	for _, size := range [][2]int{{120, 40}, {80, 24}, {40, 10}} {
		d := nine(t, size[0], size[1])
		d.screen.Golden(t, fmt.Sprintf("panes-nine-%dx%d", size[0], size[1]))
	}
}

// TestCFG4_ThePanesInEveryTheme looks at the bar in light colours, without
// colours and in ASCII.
func TestCFG4_ThePanesInEveryTheme(t *testing.T) {
	for name, o := range map[string]theme.Options{
		"light":   {Name: "light", Colors: 256},
		"nocolor": {NoColor: true},
		"ascii":   {NoColor: true, ASCII: true},
	} {
		d := nine(t, 80, 12)
		th, err := theme.New(o)
		if err != nil {
			t.Fatal(err)
		}
		s := d.app.Settings
		s.Theme = th
		d.app.Configure(s)
		d.draw()
		d.draw()
		d.screen.Golden(t, "panes-nine-"+name)
		if name != "ascii" {
			continue
		}
		for _, r := range d.screen.Rows()[0] {
			if r > 0x7e {
				t.Errorf("the bar holds %q", r)
			}
		}
	}
}
