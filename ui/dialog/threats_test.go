package dialog

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"copydesk/core"
	"copydesk/core/session"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/tview"
	"pgregory.net/rapid"
)

// everyKind is a request of each kind, with all that each of them can hold.
func everyKind() []*session.Request {
	always := approval()
	always.Means = []session.Means{session.AllowAlways, session.RejectOnce}
	return []*session.Request{approval(), always, choice(2), choice(12), other(), permission(), textInput(), release()}
}

func TestT41_KeysTypedBeforeGoToTheInput(t *testing.T) {
	s := newStage(t, approval(), 80, 24)
	typed := []string{"y", "a", "1", "enter", "space", "tab"}
	for i := range 40 { // every 50 ms for 2 s
		s.press(typed[i%len(typed)])
		s.advance(50 * time.Millisecond)
	}
	s.unanswered("typing")
	if want := strings.Repeat("ya1 ", 7)[:len(s.draft)]; s.draft != want || len(s.draft) < 24 {
		t.Errorf("the input holds %q", s.draft)
	}
	s.advance(time.Hour)
	if s.req.Active() {
		t.Fatal("took the keyboard over a draft")
	}
	s.draft = " \n"
	s.press("backspace") // the draft is empty now, but a key was pressed
	s.advance(400 * time.Millisecond)
	s.press("a", "enter")
	s.answered(approved)
}

func TestT42_BufferedKeysAfterAStop(t *testing.T) {
	s := newStage(t, approval(), 80, 24)
	s.stopped(10 * time.Second) // the timer is what runs first after it
	s.press("a", "enter", "1", "enter")
	s.unanswered("keys typed while the program was stopped")
}

func TestT43_PastesAndStrayEventsNeverAnswer(t *testing.T) {
	for _, q := range everyKind() {
		s := newStage(t, q, 80, 24).open()
		s.paste("a\n")
		s.paste("1")
		if q.Kind != session.TextInput && q.Kind != session.Form {
			s.mustShow("to reject.")
			s.press("enter")
		}
		for _, action := range []tview.MouseAction{tview.MouseMove, tview.MouseScrollUp, tview.MouseScrollDown, tview.MouseMiddleClick, tview.MouseRightClick, tview.MouseLeftUp, tview.MouseLeftDoubleClick} {
			for y := s.dialog.y; y < s.dialog.y+s.dialog.h; y++ {
				s.mouse(action, s.dialog.x+4, y)
			}
		}
		s.unanswered("a paste or the mouse in " + string(q.Kind))
	}
}

func TestT43_AClickCountsOnAButtonThatStoodStill(t *testing.T) {
	s := newStage(t, approval(), 80, 24)
	x, y := s.find("[–] Approve")
	s.click(x, y)
	s.unanswered("a click on a banner")
	s.open()
	s.click(x, y)
	s.unanswered("a click on a button that has just come")
	s.advance(core.QuietGate - time.Millisecond)
	s.click(x, y)
	s.unanswered("a click after 349 ms")
	s.mouse(tview.MouseLeftDown, x, y)
	s.advance(time.Second)
	s.mouse(tview.MouseLeftClick, x, y)
	s.unanswered("a press that began too early")
	if !s.mouse(tview.MouseLeftClick, x, y) {
		t.Error("a mouse event over the dialog is not taken")
	}
	s.mouse(tview.MouseLeftDown, x, y)
	s.mouse(tview.MouseLeftClick, x+15, y)
	s.unanswered("a press on one button let go on another")
	s.click(s.dialog.x+1, s.dialog.y+1)
	s.unanswered("a click beside the buttons")
	s.click(x, y)
	s.answered(approved)
}

func TestT43_AClickChooses(t *testing.T) {
	s := newStage(t, choice(3), 80, 24).open()
	s.advance(core.QuietGate)
	x, y := s.find("2) table b")
	s.click(x, y)
	s.answered(session.Answer{Verdict: session.Chosen, Index: 1, Value: "table b"})
}

func TestT43_AResizeMovesTheButtonsAndStartsTheirTime(t *testing.T) {
	s := newStage(t, approval(), 80, 24).open()
	s.advance(time.Second)
	s.screen.(interface{ SetSize(int, int) }).SetSize(80, 20)
	s.draw()
	x, y := s.find("[a] Approve")
	s.click(x, y)
	s.unanswered("a click on a button that has just moved")
	s.advance(core.QuietGate)
	s.click(x, y)
	s.answered(approved)
}

// TestREQ5_NoStreamOfTypedTextApproves: keys without a pause of the quiet time,
// pastes and the mouse, whatever they are, answer nothing.
func TestREQ5_NoStreamOfTypedTextApproves(t *testing.T) {
	keys := []string{"a", "1", "r", "2", "y", "n", "enter", "space", "tab", "up", "down", "esc", "backspace", "end", "pgdn", "3", "c", "A", "4", "shift+tab"}
	rapid.Check(t, func(t *rapid.T) {
		q := rapid.SampledFrom(everyKind()).Draw(t, "request")
		s := simulated(t, q, 60, 10)
		s.draft = rapid.SampledFrom([]string{"", "", "x", " "}).Draw(t, "draft")
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			switch rapid.IntRange(0, 5).Draw(t, "what") {
			case 0:
				s.paste(rapid.SampledFrom([]string{"a\n", "1", "y", "\n", "/reject"}).Draw(t, "paste"))
			case 1:
				s.click(rapid.IntRange(0, 59).Draw(t, "x"), rapid.IntRange(0, 9).Draw(t, "y"))
			default:
				s.press(rapid.SampledFrom(keys).Draw(t, "key"))
			}
			if rapid.IntRange(0, 15).Draw(t, "stop") == 0 {
				s.stopped(time.Duration(rapid.IntRange(401, 9000).Draw(t, "ms")) * time.Millisecond)
				s.press(rapid.SampledFrom(keys).Draw(t, "buffered"))
			}
			s.advance(time.Duration(rapid.IntRange(0, 349).Draw(t, "pause")) * time.Millisecond)
		}
		if len(s.answers) > 0 {
			t.Fatalf("answered %+v", s.answers)
		}
	})
}

// TestT43_WhileActivePastesAndClicksElsewhereNeverAnswer: a dialog with the
// keyboard is pasted into and clicked before its buttons have stood still.
func TestT43_WhileActivePastesAndClicksElsewhereNeverAnswer(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := rapid.SampledFrom(everyKind()).Draw(t, "request")
		s := simulated(t, q, 60, 10).open()
		for range rapid.IntRange(1, 20).Draw(t, "steps") {
			if rapid.Bool().Draw(t, "paste") {
				s.paste(rapid.StringN(0, 8, -1).Draw(t, "text"))
				continue
			}
			s.click(rapid.IntRange(0, 59).Draw(t, "x"), rapid.IntRange(0, 9).Draw(t, "y"))
		}
		if len(s.answers) > 0 {
			t.Fatalf("answered %+v", s.answers)
		}
	})
}

func TestT44_ApproveIsOffUntilTheEndWasOnTheScreen(t *testing.T) {
	payloads := map[string]string{
		"spaces":    "ls" + strings.Repeat(" ", 400) + "; touch PWNED",
		"line ends": "ls" + strings.Repeat("\n", 200) + "touch PWNED",
		"64 KiB":    strings.Repeat("echo harmless; ", 64<<10/15) + "; touch PWNED",
		"lines":     strings.Repeat("echo harmless\n", 500) + "touch PWNED",
	}
	for _, size := range [][2]int{{80, 24}, {40, 10}, {20, 5}} {
		for name, payload := range payloads {
			t.Run(fmt.Sprintf("%dx%d %s", size[0], size[1], name), func(t *testing.T) {
				q := approval()
				q.Fields = []session.Field{{Name: "command", Value: payload}}
				q.Claim = ""
				s := simulated(t, q, size[0], size[1]).open()
				if seen := s.shows("PWNED"); !seen {
					s.press("a", "enter", "1", "enter")
					s.unanswered("a before the end")
					if rows := strings.ToLower(strings.Join(rowsOf(s.screen), " ")); !strings.Contains(rows, "scroll") || !strings.Contains(rows, "to approve") && !strings.Contains(rows, "approve") {
						t.Errorf("no hint:\n%s", strings.Join(rowsOf(s.screen), "\n"))
					}
				} else if name == "64 KiB" || name == "lines" {
					t.Errorf("the end of %s is on the first screen", name)
				}
				fresh := simulated(t, q, size[0], size[1]).open()
				fresh.press("r", "enter")
				fresh.answered(rejected)

				for i := 0; i < 30 && !s.req.endSeen; i++ {
					s.press("down")
					if !s.req.endSeen {
						s.press("a")
						s.unanswered("a before the end")
					}
				}
				if !s.req.endSeen {
					s.press("end")
				}
				s.mustShow("PWNED")
				s.press("a")
				s.answered(approved)
			})
		}
	}
}

func TestT44_EndAndPagesScrollTheDialog(t *testing.T) {
	q := approval()
	q.Fields = []session.Field{{Name: "diff", Value: strings.Repeat("+ line\n", 100)}}
	for _, chords := range [][]string{{"end"}, {"pgdn", "pgdn", "pgdn", "pgdn", "pgdn", "pgdn", "pgdn", "pgdn", "pgdn"}} {
		s := newStage(t, q, 80, 24).open()
		s.mustShow("[–] Approve", "Scroll to the end to approve (Down, PgDn), or press r to reject.")
		s.press("a")
		s.unanswered("a before the end")
		s.press(chords...)
		s.mustShow("[a] Approve", "agent says", "above")
		s.press("home")
		s.mustShow("diff:", "[a] Approve")
		s.press("a")
		s.answered(approved)
	}
}

func TestT44_AResizeKeepsWhatWasSeen(t *testing.T) {
	q := approval()
	q.Fields = []session.Field{{Name: "command", Value: strings.Repeat("word ", 300)}}
	s := simulated(t, q, 80, 24).open()
	s.press("end")
	s.screen.(tcell.SimulationScreen).SetSize(40, 10)
	s.draw()
	s.press("a")
	s.answered(approved)
}

func TestT44_AChoiceOutOfSightIsNotTaken(t *testing.T) {
	s := newStage(t, choice(9), 40, 10).open()
	if s.shows("9) table i") {
		t.Fatal("the last choice is on the first screen")
	}
	s.press("9")
	s.unanswered("a choice that was never on the screen")
	s.mustShow("9) table i")
	s.press("9")
	s.answered(session.Answer{Verdict: session.Chosen, Index: 8, Value: "table i"})
}

func TestR29_TooSmallToApprove(t *testing.T) {
	for _, size := range [][2]int{{19, 4}, {5, 2}, {1, 1}, {19, 24}, {80, 4}} {
		for _, q := range []*session.Request{approval(), choice(1), permission(), textInput(), release()} {
			q.Fields = nil
			s := simulated(t, q, size[0], size[1])
			s.req.SetActive(true)
			s.draw()
			s.press("a", "1", "enter")
			s.unanswered(fmt.Sprintf("%s on %dx%d", q.Kind, size[0], size[1]))
			if q.Kind == session.TextInput || q.Kind == session.Form {
				s.req.Reject()
			} else {
				s.press("r")
			}
			if len(s.answers) != 1 || !q.Rejects(s.answers[0]) {
				t.Errorf("%s: %+v", q.Kind, s.answers)
			}
		}
	}
}

func TestR29_AfterShrinkingNothingIsApproved(t *testing.T) {
	s := simulated(t, approval(), 80, 24).open()
	s.screen.(tcell.SimulationScreen).SetSize(19, 4)
	s.draw()
	s.press("a")
	s.unanswered("a on a screen that became too small")
	s.screen.(tcell.SimulationScreen).SetSize(80, 24)
	s.draw()
	s.req.Hide()
	s.req.HandleKey(tcell.NewEventKey(tcell.KeyRune, 'a', 0))
	s.unanswered("a on a dialog that is not drawn")
	s.draw()
	s.press("a")
	s.answered(approved)
}

// TestREQ6_EverySizeShowsAll: scrolled from top to end, the rows of the body are
// all of what is asked, at any size, and nothing is drawn outside the dialog.
func TestREQ6_EverySizeShowsAll(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		columns := rapid.IntRange(20, 100).Draw(t, "columns")
		rows := rapid.IntRange(5, 30).Draw(t, "rows")
		q := approval()
		q.Prompt = rapid.SampledFrom([]string{"Go?", "Shall this be run on the machine now?"}).Draw(t, "prompt")
		words := rapid.SliceOfN(rapid.StringMatching(`[a-z]{1,30}`), 1, 60).Draw(t, "words")
		q.Fields = []session.Field{{Name: "command", Value: strings.Join(words, " ")}}
		q.TakesReason = rapid.Bool().Draw(t, "reason")
		s := simulated(t, q, columns, rows)
		asked, ended := "", false
		seen := make(map[int]string)
		look := func() {
			if s.dialog.h > max(rows-2, 1) {
				t.Fatalf("%d rows of %d", s.dialog.h, rows)
			}
			in := s.req.layout(s.dialog).body
			screen := rowsOf(s.screen)
			asked += strings.Join(screen, "")
			for y, row := range screen {
				if row != "" && !s.dialog.holds(0, y) {
					t.Fatalf("row %d is drawn outside the dialog: %q", y, row)
				}
				if y >= in.y && y < in.y+in.h {
					cells := []rune(row + strings.Repeat(" ", columns))
					seen[s.req.body.top+y-in.y] = strings.TrimSpace(string(cells[in.x : in.x+in.w]))
				}
			}
			ended = ended || s.req.body.atEnd()
		}
		look()
		s.req.SetActive(true)
		s.draw()
		for i := 0; ; i++ {
			look()
			if s.req.canApprove() != ended {
				t.Fatalf("approve %v, the end has been seen %v", s.req.canApprove(), ended)
			}
			if ended {
				break
			}
			s.press("pgdn")
			if i > len(s.req.body.rows) {
				t.Fatalf("the end does not come")
			}
		}
		var all strings.Builder
		for i := range s.req.body.rows {
			all.WriteString(seen[i])
		}
		if squeezed := strings.NewReplacer(" ", "", "┃", "").Replace(asked + " " + all.String()); !strings.Contains(squeezed, strings.ReplaceAll(q.Prompt, " ", "")) {
			t.Fatalf("the prompt is not shown in %q", squeezed)
		}
		got := strings.ReplaceAll(all.String(), " ", "")
		if want := strings.Join(words, ""); !strings.Contains(got, want) || !strings.HasSuffix(got, `temporaryfiles"`) {
			t.Fatalf("shown %q, want %q in it and the claim at its end", got, want)
		}
	})
}
