package dialog

import (
	"fmt"
	"strings"
	"testing"

	"copydesk/core/session"
	"copydesk/core/text"
	"copydesk/ui/theme"

	"github.com/gdamore/tcell/v2"
	"github.com/google/go-cmp/cmp"
)

var (
	approved = session.Answer{Verdict: session.Approve}
	rejected = session.Answer{Verdict: session.Reject}
)

func TestR4_3_1_ApprovalShowsPromptAndBothLabels(t *testing.T) {
	q := approval()
	q.Choices = []string{"Run it", "Leave it"}
	s := newStage(t, q, 80, 24).open()
	s.mustShow("Run this command?", "[a] Run it", "[r] Leave it", "command: rm -rf ./testdata/tmp", "cwd: ~/src/app", `agent says: "Clean up temporary files"`)
}

func TestR4_3_2_ApproveIsInfoAndRejectIsError(t *testing.T) {
	s := newStage(t, approval(), 80, 24).open()
	for label, want := range map[string]theme.Element{"[a] Approve": theme.ButtonApprove, "[r] Reject": theme.ButtonReject} {
		x, y := s.find(label)
		if _, got, _ := s.screen.Get(x, y); got != dark.Element(want) {
			t.Errorf("%s is drawn as %v, want %v", label, got, dark.Element(want))
		}
	}
	info, _, _ := dark.Style(text.Info).Decompose()
	failure, _, _ := dark.Style(text.Failure).Decompose()
	if fg, _, _ := dark.Element(theme.ButtonApprove).Decompose(); fg != info {
		t.Errorf("approve has the colour %v, not that of information, %v", fg, info)
	}
	if fg, _, _ := dark.Element(theme.ButtonReject).Decompose(); fg != failure {
		t.Errorf("reject has the colour %v, not that of errors, %v", fg, failure)
	}
}

func TestR4_3_3to6_ApprovalKeys(t *testing.T) {
	for key, want := range map[string]session.Answer{"a": approved, "1": approved, "r": rejected, "2": rejected} {
		s := newStage(t, approval(), 80, 24).open()
		s.press(key)
		s.answered(want)
		s.press("a", "r", "1", "2") // the first answer stands
		s.answered(want)
	}
}

func TestR4_3_E1_OtherKeysAskAgain(t *testing.T) {
	for _, key := range []string{"y", "3", "A", "space", "q", "alt+a", "up", "left", "f5", "ctrl+a"} {
		s := newStage(t, approval(), 80, 24).open()
		s.press(key)
		s.unanswered(key)
		s.mustShow("Press a to approve or r to reject.")
	}
}

func TestR4_3_E2_EnterAloneNeverAnswers(t *testing.T) {
	for name, q := range map[string]*session.Request{"approval": approval(), "choice": choice(3), "many": choice(12), "text": textInput()} {
		s := newStage(t, q, 80, 24).open()
		s.press("enter", "enter", "ctrl+j", "shift+enter", "alt+enter")
		s.unanswered("Enter in " + name)
		if !s.shows("to reject.") {
			t.Errorf("%s: no hint after Enter:\n%s", name, strings.Join(rowsOf(s.screen), "\n"))
		}
	}
}

func TestR4_4_1and5_ChoicesAreNumberedWithRejectBelow(t *testing.T) {
	s := newStage(t, choice(3), 80, 24).open()
	var ys []int
	for _, row := range []string{"1) table a", "2) table b", "3) table c", "r) Reject"} {
		_, y := s.find(row)
		ys = append(ys, y)
	}
	if diff := cmp.Diff([]int{ys[0], ys[0] + 1, ys[0] + 2, ys[0] + 3}, ys); diff != "" {
		t.Errorf("rows (-want +got)\n%s", diff)
	}
}

func TestR4_4_2_NumbersAreInfoAndChoicesPlain(t *testing.T) {
	s := newStage(t, choice(3), 80, 24).open()
	x, y := s.find("2) table b")
	if _, got, _ := s.screen.Get(x, y); got != dark.Style(text.Info) {
		t.Errorf("the number is drawn as %v", got)
	}
	if _, got, _ := s.screen.Get(x+3, y); got != dark.Style(text.Plain) {
		t.Errorf("the choice is drawn as %v", got)
	}
}

func TestR4_4_3and6_ANumberChooses(t *testing.T) {
	for i := range 9 {
		s := newStage(t, choice(9), 80, 24).open()
		s.press(fmt.Sprint(i + 1))
		s.answered(session.Answer{Verdict: session.Chosen, Index: i, Value: "table " + string(rune('a'+i))})
	}
	s := newStage(t, choice(12), 80, 24).open()
	s.press("1")
	s.unanswered("the first digit of twelve")
	s.press("2")
	s.mustShow("Number 12: Enter chooses it.")
	s.unanswered("a number without Enter")
	s.press("enter")
	s.answered(session.Answer{Verdict: session.Chosen, Index: 11, Value: "table l"})
}

func TestR4_4_4and8_ArrowsMoveAPointer(t *testing.T) {
	s := newStage(t, choice(3), 80, 24).open()
	if s.shows("❯") {
		t.Error("something is pointed at before the first arrow")
	}
	s.press("down", "down")
	s.mustShow("❯ 2) table b")
	x, y := s.find("table b")
	if _, style, _ := s.screen.Get(x, y); style != dark.Style(text.Plain).Bold(true) {
		t.Error("what is pointed at is not bold")
	}
	s.press("up", "up", "up")
	s.mustShow("❯ 1) table a")
	s.press("down", "enter")
	s.answered(session.Answer{Verdict: session.Chosen, Index: 1, Value: "table b"})
}

func TestR4_4_7_RejectOfAChoice(t *testing.T) {
	for name, chords := range map[string][]string{"r": {"r"}, "pointer": {"down", "down", "down", "down", "down", "enter"}, "up": {"up", "enter"}, "after a digit": {"1", "r"}} {
		n := 3
		if name == "after a digit" {
			n = 12
		}
		s := newStage(t, choice(n), 80, 24).open()
		s.press(chords...)
		s.answered(rejected)
	}
}

func TestR4_4_E1_OutOfRangeAsksAgain(t *testing.T) {
	for n, chords := range map[int][]string{3: {"4"}, 9: {"0"}, 12: {"1", "3"}, 99: {"0"}} {
		s := newStage(t, choice(n), 80, 24).open()
		s.press(chords...)
		s.press("enter")
		s.unanswered("a number out of range")
		s.mustShow(fmt.Sprintf("Choose 1 to %d, or r to reject.", n))
	}
}

func TestR4_4_E2_ForeignInputAsksAgain(t *testing.T) {
	for _, key := range []string{"a", "x", "space", "-", "left", "R"} {
		s := newStage(t, choice(3), 80, 24).open()
		s.press(key)
		s.unanswered(key)
		s.mustShow("Choose 1 to 3, or r to reject.")
	}
}

func TestR4_4_E3_ASingleChoiceIsAList(t *testing.T) {
	s := newStage(t, choice(1), 80, 24).open()
	s.mustShow("1) table a", "r) Reject")
	s.press("enter", "2")
	s.unanswered("Enter over one choice")
	s.mustShow("Choose 1, or r to reject.")
	s.press("1")
	s.answered(session.Answer{Verdict: session.Chosen, Index: 0, Value: "table a"})
}

func TestR4_5_1to4_TextIsAnswered(t *testing.T) {
	s := newStage(t, textInput(), 80, 24).open()
	s.mustShow("What is the customer called?")
	s.press("a", "1", "r", "space", "J", "ö", "left", "left", "backspace", "end", "!")
	s.mustShow("? a1rJö!")
	s.unanswered("typing")
	s.press("enter")
	s.answered(session.Answer{Verdict: session.Entered, Value: "a1rJö!"})
}

func TestR4_5_2_TheAskGlyphIsInfo(t *testing.T) {
	s := newStage(t, textInput(), 80, 24).open()
	x, y := s.dialog.x+2, s.dialog.y+s.dialog.h-3
	str, style, _ := s.screen.Get(x, y)
	if str != dark.Glyphs().Ask || style != dark.Element(theme.AskPrompt) {
		t.Errorf("%q drawn as %v", str, style)
	}
	info, _, _ := dark.Style(text.Info).Decompose()
	if fg, _, _ := dark.Element(theme.AskPrompt).Decompose(); fg != info {
		t.Errorf("the prompt has the colour %v, not that of information, %v", fg, info)
	}
}

func TestR4_5_3_BlanksAreKept(t *testing.T) {
	s := newStage(t, textInput(), 80, 24).open()
	s.press("space", "x", "space", "enter")
	s.answered(session.Answer{Verdict: session.Entered, Value: " x "})
}

func TestR4_5_5_TheHintSaysHowToRejectAndHowToAnswerR(t *testing.T) {
	s := newStage(t, textInput(), 80, 24).open()
	s.mustShow(`r or /reject alone rejects; "r" in quotes answers r.`)
}

func TestR4_5_6_RAloneRejects(t *testing.T) {
	for typed, want := range map[string]session.Answer{
		"r":         rejected,
		"/reject":   rejected,
		" r ":       rejected,
		`"r"`:       {Verdict: session.Entered, Value: "r"},
		`"/reject"`: {Verdict: session.Entered, Value: "/reject"},
		"R":         {Verdict: session.Entered, Value: "R"},
		"rr":        {Verdict: session.Entered, Value: "rr"},
		"/reject x": {Verdict: session.Entered, Value: "/reject x"},
		`"x"`:       {Verdict: session.Entered, Value: `"x"`},
	} {
		s := newStage(t, textInput(), 80, 24).open()
		for _, r := range typed {
			s.key(tcell.NewEventKey(tcell.KeyRune, r, 0))
		}
		s.press("enter")
		s.answered(want)
	}
}

func TestR4_5_E1_EmptyTextAsksAgain(t *testing.T) {
	s := newStage(t, textInput(), 80, 24).open()
	s.press("enter")
	s.unanswered("Enter")
	s.mustShow("Type an answer, or r to reject.")
}

// TestR4_2_E1and5_E2_CtrlCRejects: the desk maps Ctrl+C to Reject, so the
// dialog leaves the key to it.
func TestR4_2_E1and5_E2_CtrlCRejects(t *testing.T) {
	for _, q := range []*session.Request{approval(), choice(3), textInput()} {
		s := newStage(t, q, 80, 24).open()
		if s.req.HandleKey(tcell.NewEventKey(tcell.KeyCtrlC, 0, tcell.ModCtrl)) {
			t.Errorf("%s takes Ctrl+C", q.Kind)
		}
		s.req.Reject()
		s.answered(rejected)
	}
}
