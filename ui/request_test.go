package ui

import (
	"context"
	"strings"
	"testing"
	"time"

	"copydesk/core"
	"copydesk/core/command"
	"copydesk/core/session"
	"copydesk/ui/theme"

	"pgregory.net/rapid"
)

var panelScope = command.Copy{Scope: command.Panel}

func asciiSettings(t *testing.T, d *driver) Settings {
	t.Helper()
	s := d.app.Settings
	th, err := theme.New(theme.Options{Name: "dark", Colors: 256, ASCII: true})
	if err != nil {
		t.Fatal(err)
	}
	s.Theme = th
	return s
}

func open(d *driver) int { return len(d.pane.Since(0).Pending) }

func asked(t *testing.T, r session.Request, w, h int) *driver {
	t.Helper()
	d := drive(t, w, h, answering(r))
	d.typed("go\n")
	d.until("a request", func(string) bool { return d.app.request != nil })
	return d
}

func TestREQ3_ApprovalByKeys(t *testing.T) {
	for _, key := range []string{"a", "1"} {
		d := asked(t, dropRequest, 100, 24)
		d.wait(400 * time.Millisecond)
		d.screen.Golden(t, "approval-100x24")
		d.press(key)
		d.wait(core.AnswerHold)
		d.idle()
		d.shows("Approved: Drop the table customers?", "answered approve", "[simple] go ✓")
	}
	for _, key := range []string{"r", "2", "ctrl+c"} {
		d := asked(t, dropRequest, 100, 24)
		d.wait(400 * time.Millisecond)
		d.press(key)
		d.wait(core.AnswerHold)
		d.idle()
		d.shows("Rejected. Agent response cancelled.", "[simple] go ✗", "partial text")
		d.lacks("answered")
	}
}

func TestREQ3_NothingElseAnswersAnApproval(t *testing.T) {
	d := asked(t, dropRequest, 100, 24)
	d.wait(400 * time.Millisecond)
	for _, key := range []string{"enter", "y", "3", "space", "tab", "x", "enter"} {
		d.press(key)
		d.shows("Press a to approve or r to reject.")
		d.wait(core.AnswerHold)
	}
	if open(d) != 1 || !d.app.active {
		t.Fatal("a key that is no answer answered")
	}
}

func TestREQ3_Choice(t *testing.T) {
	r := session.Request{Kind: session.Choice, Prompt: "Which one is meant?", Choices: []string{"customers", "customs"}}
	d := asked(t, r, 100, 24)
	d.wait(400 * time.Millisecond)
	d.screen.Golden(t, "choice-100x24")
	d.press("enter")
	if open(d) != 1 {
		t.Fatal("Enter alone chose")
	}
	d.press("7")
	d.shows("1 to 2")
	d.wait(core.AnswerHold)
	d.press("down", "down", "enter")
	d.idle()
	d.shows("Chosen: customs", "answered customs")

	d = asked(t, r, 100, 24)
	d.wait(400 * time.Millisecond)
	d.press("1", "enter")
	d.idle()
	d.shows("answered customers")

	d = asked(t, r, 100, 24)
	d.wait(400 * time.Millisecond)
	d.press("r", "enter")
	d.idle()
	d.shows("Rejected. Agent response cancelled.")
}

func TestREQ3_Text(t *testing.T) {
	r := session.Request{Kind: session.TextInput, Prompt: "What is the name?"}
	for typed, want := range map[string]string{"Ada": "answered Ada", `"r"`: "answered r", "r": "Rejected.", "/reject": "Rejected."} {
		d := asked(t, r, 100, 24)
		d.wait(400 * time.Millisecond)
		d.press("enter")
		if open(d) != 1 {
			t.Fatal("an empty answer was taken")
		}
		d.typed(typed + "\n")
		d.idle()
		d.shows(want)
	}
}

// TestT41_KeysTypedBeforeDoNotAnswer types without a pause while a request
// comes, then is silent, then answers.
func TestT41_KeysTypedBeforeDoNotAnswer(t *testing.T) {
	d := asked(t, dropRequest, 100, 24)
	for range 8 {
		for _, key := range []string{"y", "a", "1", "enter", "space", "tab"} {
			d.press(key)
			d.wait(50 * time.Millisecond)
		}
	}
	if open(d) != 1 || d.app.active {
		t.Fatal("typing took the request")
	}
	queue := strings.Join(d.pane.Since(0).Status.Queue, "")
	if !strings.Contains(queue, "ya1") {
		t.Errorf("what was typed is lost: %q", queue)
	}
	d.wait(400 * time.Millisecond)
	if !d.app.active {
		t.Fatal("after silence the request has not got the keyboard")
	}
	d.press("a", "enter")
	d.shows("Approved: Drop the table customers?")
}

func TestREQ5_ADraftKeepsTheKeyboard(t *testing.T) {
	d := asked(t, dropRequest, 100, 24)
	d.typed("half a thought")
	d.wait(10 * time.Second)
	if d.app.active {
		t.Fatal("a request took the keyboard from a draft")
	}
	d.shows("Ctrl+X r")
	d.screen.Golden(t, "banner-100x24")
	d.press("a", "ctrl+x r")
	if !d.app.active || d.app.field.Text() != "half a thoughta" {
		t.Fatalf("the chord did not focus the request, or the draft is %q", d.app.field.Text())
	}
	d.press("r", "enter")
	d.idle()
	if d.app.field.Text() != "half a thoughta" {
		t.Error("answering changed the draft")
	}
}

// TestT42_ATimerThatFiresLateStartsTheGateAnew stops the program while the gate
// runs: keys may lie in the terminal.
func TestT42_ATimerThatFiresLateStartsTheGateAnew(t *testing.T) {
	d := asked(t, dropRequest, 100, 24)
	d.clock.Advance(5 * time.Second) // in one step: nothing ran meanwhile
	d.draw()
	if d.app.active {
		t.Fatal("a late timer gave the keyboard away")
	}
	d.typed("a\n1\n")
	if open(d) != 1 {
		t.Fatal("a buffered key answered")
	}
	d.wait(400 * time.Millisecond)
	if !d.app.active {
		t.Fatal("the gate never opened again")
	}
}

func TestT43_PastesNeverAnswer(t *testing.T) {
	d := asked(t, dropRequest, 100, 24)
	for _, p := range []string{"a\r", "1\n", "a", "approve"} {
		d.paste(p)
		d.wait(10 * time.Millisecond)
	}
	d.press("ctrl+c") // the draft that the pastes made
	d.wait(time.Second)
	if !d.app.active {
		t.Fatal("the request has not got the keyboard")
	}
	for _, p := range []string{"a\r", "1\n", "a", "approve"} {
		d.paste(p)
		d.wait(core.AnswerHold)
	}
	if open(d) != 1 {
		t.Fatal("a paste answered")
	}
	if got := d.app.field.Text(); got != "a\r1\naapprove" {
		t.Errorf("what was pasted is lost: %q", got)
	}
}

// TestT44_ApprovingNeedsTheEndSeen pads a statement so that its end lies below.
func TestT44_ApprovingNeedsTheEndSeen(t *testing.T) {
	for name, command := range map[string]string{
		"long":  strings.Repeat("harmless words ", 4000) + "; touch PWNED",
		"blank": "ls" + strings.Repeat(" ", 400) + "; touch PWNED",
		"lines": "ls" + strings.Repeat("\n", 200) + "; touch PWNED",
	} {
		for _, size := range [][2]int{{80, 24}, {40, 10}, {20, 5}} {
			r := session.Request{Kind: session.Approval, Prompt: "Run this?", Choices: []string{"Run", "Skip"}, Fields: []session.Field{{Name: "Command", Value: command}}}
			d := asked(t, r, size[0], size[1])
			d.wait(400 * time.Millisecond)
			shownAtOnce := strings.Contains(d.text(), "PWNED")
			d.press("a", "enter")
			if answered := open(d) == 0; answered && !shownAtOnce {
				t.Fatalf("%s at %v: approved before the end was on the screen:\n%s", name, size, d.text())
			}
			if shownAtOnce {
				continue
			}
			d.press("r", "enter")
			d.idle()
		}
	}
}

// TestREQ5_NoTypedTextApproves is the property: whatever is typed or pasted, as
// long as no key is an answer in a dialog that was given the keyboard after a
// silence, nothing is approved.
func TestREQ5_NoTypedTextApproves(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		d := asked(t, dropRequest, 80, 24)
		silent := 0
		for range rapid.IntRange(1, 25).Draw(rt, "steps") {
			pause := silent
			silent = 0
			switch rapid.IntRange(0, 3).Draw(rt, "step") {
			case 0, 1:
				d.press(rapid.SampledFrom([]string{"a", "1", "y", "enter", "space", "x", "tab", "up", "pgup", "backspace"}).Draw(rt, "key"))
			case 2:
				d.paste(rapid.SampledFrom([]string{"a", "a\r", "1\n", "approve"}).Draw(rt, "paste"))
			case 3:
				n := rapid.IntRange(0, 340-pause).Draw(rt, "pause")
				silent = pause + n
				d.wait(time.Duration(n) * time.Millisecond)
			}
			if open(d) != 1 {
				rt.Fatalf("the request was answered:\n%s", d.text())
			}
		}
	})
}

func TestREQ4_RequestsQueue(t *testing.T) {
	d := drive(t, 100, 30, twoRequests)
	d.typed("go\n")
	d.shows("1 of 2", "First?")
	d.wait(400 * time.Millisecond)
	d.press("a", "enter")
	d.shows("Second?")
	if d.app.active {
		t.Fatal("the second request took the key for the first")
	}
	d.press("a")
	if open(d) != 1 {
		t.Fatal("a key right after the first answer answered the second")
	}
	d.press("ctrl+c")
	d.wait(400 * time.Millisecond)
	d.press("a", "enter")
	d.idle()
	d.shows("approve approve")
}

func TestREQ7_ThePanelStaysReadableAndTheDialogCopies(t *testing.T) {
	d := asked(t, dropRequest, 100, 24)
	d.wait(400 * time.Millisecond)
	d.shows("partial text")
	d.press("c")
	d.wait(core.AnswerHold)
	d.until("a copy", func(string) bool { return len(d.clip.all()) == 1 })
	got := d.clip.all()[0]
	for _, want := range []string{"Drop the table customers?", "DROP TABLE customers", "Clean up"} {
		if !strings.Contains(got, want) {
			t.Errorf("the dialog's copy lacks %q: %q", want, got)
		}
	}
	if open(d) != 1 {
		t.Error("copying answered")
	}
}

func TestEscPutsARequestAside(t *testing.T) {
	d := asked(t, dropRequest, 100, 24)
	d.wait(400 * time.Millisecond)
	d.press("esc")
	if d.app.active || d.app.request == nil {
		t.Fatal("Esc did not put the request aside")
	}
	d.wait(5 * time.Second)
	if d.app.active {
		t.Fatal("a request that was put aside came back by itself")
	}
	d.press("ctrl+x r")
	d.press("a", "enter")
	d.idle()
	d.shows("answered approve")
}

// TestREQ5_TypedTextBecomesADraft types a command whose first letters are
// answers into a request that has had the keyboard for long.
func TestREQ5_TypedTextBecomesADraft(t *testing.T) {
	for _, typed := range []string{"add column city", "alter", "request", "copy all", "1 apple", "show", "count"} {
		d := asked(t, dropRequest, 100, 24)
		d.wait(2 * time.Second)
		for _, r := range typed {
			d.typed(string(r))
			d.wait(120 * time.Millisecond)
		}
		d.wait(5 * time.Second)
		if open(d) != 1 || d.app.active {
			t.Errorf("%q answered, or left the keyboard with the request", typed)
		}
		if got := d.app.field.Text(); got != typed {
			t.Errorf("%q became the draft %q", typed, got)
		}
		if got := d.clip.all(); len(got) > 0 {
			t.Errorf("%q copied %q", typed, got)
		}
	}
}

func TestREQ5_AHeldAnswerCanBeTakenBack(t *testing.T) {
	d := asked(t, dropRequest, 100, 24)
	d.wait(400 * time.Millisecond)
	d.press("a", "esc")
	d.wait(time.Second)
	if open(d) != 1 || !d.app.active {
		t.Fatal("Esc did not take the answer back")
	}
	d.press("a")
	d.clock.Advance(3 * time.Second) // the program was stopped: more keys may lie in the terminal
	d.draw()
	if open(d) != 1 {
		t.Fatal("a late timer answered")
	}
	d.wait(core.AnswerHold)
	d.idle()
	d.shows("answered approve")
}

// TestREQ5_TheChordTakesNoRequestThatWasNotSeen presses it when a request has
// only just come up, and under the help.
func TestREQ5_TheChordTakesNoRequestThatWasNotSeen(t *testing.T) {
	d := asked(t, dropRequest, 100, 24)
	d.press("ctrl+x r")
	d.shows("This request has only just come up.")
	d.press("a", "enter")
	if open(d) != 1 {
		t.Fatal("a request was approved in the moment it came up")
	}

	d = drive(t, 80, 24, answering(dropRequest))
	d.press("f1")
	d.pane.Submit("go")
	d.until("a request", func(string) bool { return d.app.request != nil })
	d.wait(5 * time.Second)
	d.press("ctrl+x r", "esc", "a", "enter")
	if open(d) != 1 || d.app.active {
		t.Fatal("a request was approved that lay under the help")
	}
}

func TestREQ5_AStaleKeyTakesTheKeyboardBack(t *testing.T) {
	d := asked(t, dropRequest, 100, 24)
	d.wait(400 * time.Millisecond)
	d.clock.Advance(100 * 365 * 24 * time.Hour) // real keys are older than this now
	d.app.request.SetActive(false)
	d.app.request.SetActive(true)
	d.typed("dropa")
	if open(d) != 1 || d.app.active || d.app.field.Text() != "dropa" {
		t.Errorf("active %v, draft %q", d.app.active, d.app.field.Text())
	}
}

func TestATextAnswerDoesNotEditTheDraft(t *testing.T) {
	d := asked(t, session.Request{Kind: session.TextInput, Prompt: "Name?"}, 100, 24)
	d.typed("my draft")
	d.wait(400 * time.Millisecond)
	d.press("ctrl+x r")
	d.typed("answer")
	d.press("ctrl+u", "ctrl+w", "alt+enter")
	if got := d.app.field.Text(); got != "my draft" {
		t.Errorf("the draft became %q", got)
	}
}

func TestAReloadKeepsWhatWasTypedAndWhatWasPutAside(t *testing.T) {
	d := asked(t, session.Request{Kind: session.TextInput, Prompt: "Name?"}, 100, 24)
	d.wait(400 * time.Millisecond)
	d.typed("half an answer")
	d.press("esc")
	d.app.Configure(asciiSettings(t, d))
	d.wait(5 * time.Second)
	if d.app.active {
		t.Fatal("a reload brought back a request that was put aside")
	}
	d.press("ctrl+x r")
	d.typed("!\n")
	d.idle()
	d.shows("answered half an answer!")
}

func TestR29_AScreenThatGrowsAgainAsksAgain(t *testing.T) {
	d := asked(t, dropRequest, 100, 24)
	d.resize(10, 3)
	d.wait(time.Second)
	d.typed("inser")
	if open(d) != 1 {
		t.Fatal("typing on a small screen rejected a request that had not the keyboard")
	}
	d.resize(100, 24)
	d.wait(time.Second)
	if !d.app.active {
		t.Fatal("after growing the request never gets the keyboard")
	}
}

// TestT41_ALetterHeldInADialogThatIsGoneDoesNotAnswer begins a text in a
// request whose dialog is made anew before the second letter: by a change of the
// settings, and by a request that changes and changes back.
func TestT41_ALetterHeldInADialogThatIsGoneDoesNotAnswer(t *testing.T) {
	for _, name := range []string{"settings", "request"} {
		first, other, again := dropRequest, dropRequest, dropRequest
		other.Prompt = "Drop another table?"
		change := make(chan *session.Request)
		d := drive(t, 100, 24, func(ctx context.Context, _ string, yield func(session.Event, error) bool) {
			reply := make(chan session.Answer, 3)
			now := &first
			first.Reply, other.Reply, again.Reply = reply, reply, reply
			for ok := yield(now, nil); ok; {
				select {
				case next := <-change:
					ok = yield(session.Reopened{Old: now, New: next}, nil)
					now = next
				case a := <-reply:
					yield(session.Text{Chunk: "answered " + a.Response()}, nil)
					return
				case <-ctx.Done():
					return
				}
			}
		})
		d.typed("go\n")
		d.until("a request", func(string) bool { return d.app.request != nil })
		d.wait(400 * time.Millisecond)
		d.press("a")
		if name == "settings" {
			d.app.Configure(asciiSettings(t, d))
		} else {
			for _, r := range []*session.Request{&other, &again} {
				before := d.pane.Since(0).Pending[0].Digest
				change <- r
				d.until("a change", func(string) bool { return d.pane.Since(0).Pending[0].Digest != before })
			}
		}
		d.draw()
		for _, letter := range "nd so on" {
			d.wait(30 * time.Millisecond)
			d.typed(string(letter))
		}
		d.wait(2 * time.Second)
		if open(d) != 1 {
			t.Errorf("%s: a text that was typed has answered", name)
		}
		d.lacks("answered approve")
	}
}
