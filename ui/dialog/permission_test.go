package dialog

import (
	"strings"
	"testing"
	"time"

	"copydesk/core"
	"copydesk/core/session"
	"copydesk/core/text"
	"copydesk/ui/keys"
	"copydesk/ui/theme"

	"github.com/gdamore/tcell/v2"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func chosen(q *session.Request, i int) session.Answer {
	return session.Answer{Verdict: session.Chosen, Index: i, Value: q.Choices[i]}
}

func TestREQ3_PermissionKeys(t *testing.T) {
	q := permission()
	for name, c := range map[string]struct {
		chords []string
		want   session.Answer
	}{
		"a":         {[]string{"a"}, chosen(q, 1)},
		"r":         {[]string{"r"}, chosen(q, 2)},
		"3":         {[]string{"3"}, chosen(q, 2)},
		"2":         {[]string{"2"}, chosen(q, 1)},
		"pointer":   {[]string{"down", "down", "enter"}, chosen(q, 1)},
		"A twice":   {[]string{"A", "A"}, chosen(q, 0)},
		"1, then A": {[]string{"1", "A"}, chosen(q, 0)},
		"arrows":    {[]string{"down", "enter", "down", "enter"}, chosen(q, 0)},
		"reason":    {[]string{"n", "N", "o", "enter"}, session.Answer{Verdict: session.Reject, Reason: "No"}},
		"back":      {[]string{"A", "esc", "a"}, chosen(q, 1)},
		"go back":   {[]string{"A", "down", "down", "enter", "a"}, chosen(q, 1)},
		"always r":  {[]string{"A", "r"}, chosen(q, 2)},
		"always n":  {[]string{"A", "n", "N", "o", "enter"}, session.Answer{Verdict: session.Reject, Reason: "No"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t, q, 80, 24).open()
			s.slowly(c.chords...)
			s.answered(c.want)
		})
	}
}

func TestREQ3_OnlyWhatIsOfferedHasAKey(t *testing.T) {
	q := permission()
	q.Choices, q.Means = q.Choices[1:3], q.Means[1:3]
	s := newStage(t, q, 80, 24).open()
	s.mustShow("a allows once, r rejects, n with a reason; or 1 to 2.")
	s.slowly("A", "enter", "3", "4")
	s.unanswered("what is not offered")
	s.slowly("A")
	s.mustShow(`"Allow always" is not offered.`)

	q = permission()
	q.Choices, q.Means = []string{"For ever", "Never"}, []session.Means{session.AllowAlways, session.RejectAlways}
	s = newStage(t, q, 80, 24).open()
	s.slowly("a")
	s.unanswered("a, where only always is offered")
	s.mustShow(`"Allow once" is not offered.`, "r) Reject", "2) Reject always")
	s.slowly("r")
	s.answered(rejected) // ours: the agent's own is for always
}

// TestREQ3_AnApprovalForAlwaysIsConfirmed: one allow and one reject make an
// approval, whatever the allow is.
func TestREQ3_AnApprovalForAlwaysIsConfirmed(t *testing.T) {
	for _, key := range []string{"a", "1", "A"} {
		q := approval()
		q.Choices, q.Means, q.Scope = []string{"Yes", "No"}, []session.Means{session.AllowAlways, session.RejectOnce}, "All of it."
		s := newStage(t, q, 80, 24).open()
		s.mustShow("[a] Allow always", `Allow always: agent says: "Yes"`, `Reject: agent says: "No"`)
		s.slowly(key)
		s.unanswered(key)
		s.mustShow("Allow always?", "covers: All of it.")
		s.slowly("A")
		s.answered(approved)
	}
}

func TestREQ3_AnotherAnswerIsTyped(t *testing.T) {
	q := other()
	for name, chords := range map[string][]string{
		"number":  {"4", "r", "1", "enter"},
		"pointer": {"down", "down", "down", "down", "enter", "r", "1", "enter"},
		"again":   {"4", "x", "esc", "4", "backspace", "r", "1", "enter"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t, q, 80, 24).open()
			s.mustShow("4) Another table: type…", "r) Reject")
			s.press(chords...)
			s.answered(session.Answer{Verdict: session.Entered, Value: "r1"})
		})
	}
	s := newStage(t, q, 80, 24).open()
	s.press("4", "enter")
	s.unanswered("an empty answer")
	s.mustShow("Type an answer, or Esc to go back.")
	s.paste("a\nb")
	s.unanswered("a paste")
	s.mustShow("? a⏎b")
	s.press("esc", "r")
	s.answered(rejected)
}

// TestREQ5_NoTextAllowsAlways: whatever is typed without a rest, with every key
// that text is made of, never confirms what holds for later.
func TestREQ5_NoTextAllowsAlways(t *testing.T) {
	typed := []string{"A", "A", "A", "enter", "enter", "a", "1", "2", "y", "space", "tab", "backspace", "esc", "n"}
	rapid.Check(t, func(t *rapid.T) {
		q := permission()
		q.Means[1] = session.RejectAlways // so that nothing ends it
		if rapid.Bool().Draw(t, "approval") {
			q.Kind, q.Choices, q.Means = session.Approval, []string{"Yes", "No"}, []session.Means{session.AllowAlways, session.RejectAlways}
		}
		s := simulated(t, q, 80, 24).open()
		if rapid.Bool().Draw(t, "holds") {
			s.holds()
		}
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			if rapid.IntRange(0, 9).Draw(t, "paste") == 0 {
				s.paste(rapid.SampledFrom([]string{"A", "A\n", "\n"}).Draw(t, "text"))
			} else {
				s.press(rapid.SampledFrom(typed).Draw(t, "key"))
			}
			s.advance(core.AnswerHold * time.Duration(rapid.IntRange(0, 99).Draw(t, "pause")) / 100)
		}
		for _, a := range s.answers {
			if !q.Rejects(a) {
				t.Fatalf("answered %+v", a)
			}
		}
	})
}

func TestREQ5_AHeldAlwaysIsTakenBack(t *testing.T) {
	s := newStage(t, permission(), 80, 24).holds().open()
	s.press("A")
	s.advance(core.AnswerHold)
	s.mustShow("Allow always?")
	s.press("A")
	s.mustShow("Read this first, then A again.")
	s.advance(core.QuietGate)
	s.press("A", "esc")
	s.advance(core.QuietGate)
	s.unanswered("a key that was taken back")
	s.press("A")
	s.advance(core.AnswerHold)
	s.answered(chosen(permission(), 0))
}

// TestREQ5_PuttingAsideForgetsAConfirmation: what is brought back is read anew.
func TestREQ5_PuttingAsideForgetsAConfirmation(t *testing.T) {
	s := newStage(t, permission(), 80, 24).open()
	s.slowly("A")
	s.req.SetActive(false)
	s.req.SetActive(true)
	s.draw()
	if s.shows("Allow always?") {
		t.Error("the confirmation is still open")
	}
}

func TestREQ4_ABlockedRequestCanBeRejectedOnly(t *testing.T) {
	text := textInput()
	text.Blocked = "It is not what it seems."
	plain := approval()
	plain.Blocked = "It is not what it seems."
	form := release()
	form.Blocked = "It is not what it seems."
	form.Inputs = form.Inputs[4:5]
	anotherOne := other()
	anotherOne.Blocked = "It is not what it seems."
	for _, q := range []*session.Request{blocked(), plain, text, form, anotherOne} {
		s := newStage(t, q, 100, 30).open()
		s.mustShow("Cannot be approved: ")
		s.slowly("a", "1", "A", "2", "4", "enter", "tab", "tab", "tab", "up", "enter", "enter")
		for _, a := range s.answers {
			if !q.Rejects(a) {
				t.Errorf("%s: answered %+v", q.Kind, a)
			}
		}
		fresh := newStage(t, q, 100, 30).open()
		if q.Kind == session.Approval || q.Kind == session.Choice {
			fresh.press("a")
			fresh.unanswered("a")
			fresh.mustShow(q.Blocked[:12], "Press r to reject.")
			fresh.slowly("r")
		} else {
			fresh.req.Reject()
		}
		if len(fresh.answers) != 1 || !q.Rejects(fresh.answers[0]) {
			t.Errorf("%s: %+v", q.Kind, fresh.answers)
		}
	}
}

func TestREQ6_WhatWarnsIsMarked(t *testing.T) {
	s := newStage(t, blocked(), 80, 24)
	x, y := s.find("touch PWNED")
	if _, got, _ := s.screen.Get(x, y); got != dark.Style(text.Warning) {
		t.Errorf("drawn as %v", got)
	}
}

func TestREQ4_TheFrameSaysWhoAsks(t *testing.T) {
	s := newStage(t, permission(), 80, 24)
	s.req.Update(1, 2)
	s.draw()
	s.mustShow("claude asks: Run this command?", "1 of 2")
	q := permission()
	q.Prompt = strings.Repeat("long ", 20)
	s = newStage(t, q, 80, 24)
	s.mustShow("┌ claude asks ─")
	_, y := s.find("long long")
	if _, facts := s.find("npm run build"); y >= facts {
		t.Error("the prompt is not above the facts")
	}
}

func TestContextFollowsThePage(t *testing.T) {
	for want, c := range map[keys.Context]struct {
		q     *session.Request
		press []string
	}{
		keys.Choice:   {permission(), []string{"A"}},
		keys.Text:     {other(), []string{"4"}},
		keys.Form:     {release(), nil},
		keys.Approval: {release(), filled},
	} {
		s := newStage(t, c.q, 80, 40).open()
		s.slowly(c.press...)
		if got := s.req.Context(); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

func TestREQ7_CCopiesAPermission(t *testing.T) {
	s := newStage(t, permission(), 80, 24).open()
	s.slowly("c")
	want := []string{"claude asks: Run this command?\ncommand: npm run build\ncwd: ~/src/app\nagent says: \"Build the site\"\n" +
		"1) Allow always  agent says: \"Yes, and don't ask again for npm run commands\"\n2) Allow once\n" +
		"3) Reject        agent says: \"No, and tell it what to do differently\"\n4) agent says: \"Only on Sundays\" (unknown kind, cannot be chosen)"}
	if diff := cmp.Diff(want, s.copied); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// TestCFG4_ChoicesDifferInWords draws them without a colour: the words are there.
func TestCFG4_ChoicesDifferInWords(t *testing.T) {
	plain, err := theme.New(theme.Options{NoColor: true, ASCII: true})
	if err != nil {
		t.Fatal(err)
	}
	screen := tcell.NewSimulationScreen("UTF-8")
	if err := screen.Init(); err != nil {
		t.Fatal(err)
	}
	screen.SetSize(80, 24)
	s := stageOn(t, screen, permission(), plain, table).open()
	s.mustShow("1) Allow always", "2) Allow once", "3) Reject", "(unknown kind")
}
