package dialog

import (
	"strings"
	"testing"
	"time"

	"copydesk/core"
	"copydesk/core/session"
	"copydesk/core/text"
	"copydesk/ui/keys"

	"github.com/gdamore/tcell/v2"
	"github.com/google/go-cmp/cmp"
	"github.com/rivo/tview"
)

func TestREQ4_ARejectionWithAReason(t *testing.T) {
	q := approval()
	q.TakesReason = true
	s := newStage(t, q, 80, 24).open()
	s.mustShow("[n] Reject with a reason")
	s.press("n", "a", "1", "enter")
	s.answered(session.Answer{Verdict: session.Reject, Reason: "a1"})

	s = newStage(t, q, 80, 24).open()
	s.press("n", "enter")
	s.unanswered("an empty reason")
	s.mustShow("Reason:", "Type a reason, or Esc to go back.")
	s.press("a", "esc")
	s.mustShow("[a] Approve")
	s.unanswered("Esc")
	s.press("r")
	s.answered(rejected)

	s = newStage(t, approval(), 80, 24).open()
	s.press("n")
	s.unanswered("n")
	s.mustShow("This agent takes no reason. Press r to reject.")
}

func TestREQ4_TheQueueIsNamed(t *testing.T) {
	s := newStage(t, approval(), 80, 24)
	s.req.Update(1, 2)
	s.draw()
	s.mustShow("1 of 2")
	s.req.Update(1, 1)
	s.draw()
	if s.shows("of 1") {
		t.Error("a single request is counted")
	}
}

func TestREQ5_ABannerTakesNoKey(t *testing.T) {
	for _, q := range everyKind() {
		s := newStage(t, q, 80, 24)
		s.mustShow("Ctrl+X r to answer")
		if q.Kind == session.Approval {
			s.mustShow("[–] A", "[–] Reject")
		}
		for _, key := range []string{"a", "A", "1", "r", "2", "n", "enter", "tab", "space"} {
			c, _ := keys.Parse(key)
			if s.req.HandleKey(tcell.NewEventKey(c[0].Key, c[0].Rune, c[0].Mod)) {
				t.Errorf("a banner takes %s", key)
			}
		}
		s.unanswered("a key")
	}
}

func TestREQ5_TheChordInTheBannerIsTheOneInForce(t *testing.T) {
	m, _ := keys.Compile(map[string][]string{"focus-request": {"f6"}, "approve": {"y"}, "reject": {"x"}})
	s := simulated(t, approval(), 80, 24)
	s = stageOn(t, s.screen, approval(), dark, m)
	s.mustShow("F6 to answer")
	s.open().press("a")
	s.mustShow("Press y to approve or x to reject.", "[y] Approve", "[x] Reject")
	s.press("y")
	s.answered(approved)
}

func TestT42_KeysFromBeforeTheFocusAreRefused(t *testing.T) {
	s := newStage(t, approval(), 80, 24)
	early := tcell.NewEventKey(tcell.KeyRune, 'a', 0)
	s.now = early.When().Add(time.Millisecond)
	s.req.SetActive(true)
	if s.req.HandleKey(early) {
		t.Error("a key from before is taken")
	}
	s.unanswered("a key from before the focus")
}

func TestREQ7_GlobalKeysAreLeftToTheDesk(t *testing.T) {
	for _, q := range []*session.Request{approval(), choice(3), permission(), other(), textInput()} {
		s := newStage(t, q, 80, 24).open()
		for _, key := range []string{"pgup", "pgdn", "ctrl+up", "ctrl+y", "ctrl+x", "f1", "ctrl+c", "tab"} {
			c, _ := keys.Parse(key)
			if s.req.HandleKey(tcell.NewEventKey(c[0].Key, c[0].Rune, c[0].Mod)) {
				t.Errorf("%s takes %s, though all of it is in sight", q.Kind, key)
			}
		}
	}
}

func TestREQ7_CCopiesTheDialog(t *testing.T) {
	q := approval()
	q.Fields = append(q.Fields, session.Field{Name: "diff", Value: "-a\n+b" + strings.Repeat(" ", 9) + "c\x1b"})
	s := newStage(t, q, 80, 24).open()
	s.press("c")
	s.unanswered("c")
	want := []string{"Run this command?\ncommand: rm -rf ./testdata/tmp\ncwd: ~/src/app\ndiff:\n-a\n+b         c␛\nagent says: \"Clean up temporary files\""}
	if diff := cmp.Diff(want, s.copied); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if s.req.Text() != want[0] {
		t.Error("Text is not what was copied")
	}
}

func TestT46_FactsComeBeforeTheClaim(t *testing.T) {
	q := approval()
	q.Prompt, q.Claim = "Run this?", "Read README.md"
	q.Fields = []session.Field{{Name: "argv", Value: `"sh" "-c" "touch PWNED"`}}
	s := newStage(t, q, 80, 24)
	_, facts := s.find("touch PWNED")
	_, claim := s.find(`agent says: "Read README.md"`)
	if facts >= claim {
		t.Errorf("facts in row %d, the claim in row %d", facts, claim)
	}
}

func TestT47_AChangedRequestSaysSo(t *testing.T) {
	s := newStage(t, approval(), 80, 24)
	s.req.MarkChanged()
	s.draw()
	s.mustShow("This request has changed. Ctrl+X r to answer")
	s.open().mustShow("This request has changed. Read it again.")
}

func TestREQ6_ALongPromptIsNotCut(t *testing.T) {
	q := approval()
	q.Prompt = strings.Repeat("very ", 30) + "long?"
	q.Choices[0] = strings.Repeat("allow ", 10) + "it"
	s := newStage(t, q, 60, 24).open()
	shown := strings.Join(strings.Fields(strings.NewReplacer("┃", "", "\n", " ").Replace(strings.Join(rowsOf(s.screen), "\n"))), " ")
	for _, want := range []string{q.Prompt, "Approve: " + q.Choices[0], "Approval needed", "[a] Approve"} {
		if !strings.Contains(shown, want) {
			t.Errorf("%q is not shown in\n%s", want, shown)
		}
	}
}

func TestREQ6_FieldsAreHighlighted(t *testing.T) {
	q := approval()
	q.Fields = []session.Field{{Name: "sql", Value: "drop table x\nnow", Lang: "sql"}}
	s := simulated(t, q, 80, 24)
	s.req.compose.highlight = func(lang string, lines []string) [][]text.Span {
		if lang != "sql" || len(lines) != 2 {
			t.Errorf("highlights %q as %s", lines, lang)
		}
		return [][]text.Span{{{Len: 4, Style: text.Keyword}}, nil}
	}
	s.req.body.width = 0
	s.draw()
	x, y := s.find("drop table x")
	if _, style, _ := s.screen.Get(x, y); style != dark.Style(text.Keyword) {
		t.Errorf("drawn as %v", style)
	}
}

func TestAnUnboundApprovalCanBeClickedOnly(t *testing.T) {
	m, _ := keys.Compile(map[string][]string{"approve": {}, "reject": {}})
	s := stageOn(t, simulated(t, approval(), 80, 24).screen, approval(), dark, m).open()
	s.press("a", "1", "r", "2")
	s.unanswered("an unbound key")
	s.advance(core.QuietGate)
	x, y := s.find("[–] Reject")
	s.click(x, y)
	s.answered(rejected)
}

func TestREQ4_TheAnswerIsSaid(t *testing.T) {
	s := newStage(t, approval(), 80, 24).open()
	s.press("a")
	s.mustShow("Answered.")
	if s.mouse(tview.MouseMove, 0, 0) {
		t.Error("takes the mouse beside it")
	}
}

// BenchmarkDrawALongRequest draws one frame of a request with a value of 64 KiB.
func BenchmarkDrawALongRequest(b *testing.B) {
	q := approval()
	q.Fields = []session.Field{{Name: "command", Value: strings.Repeat("echo harmless; ", 64<<10/15)}}
	s := simulated(b, q, 120, 40)
	b.ReportAllocs()
	for b.Loop() {
		s.draw()
	}
}
