package dialog

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"copydesk/core/session"
	"copydesk/core/text"
)

// TestT44_AllowingNeedsTheEnd: at three sizes nothing is allowed before the end
// was on the screen, by any key, and rejecting works at once.
func TestT44_AllowingNeedsTheEnd(t *testing.T) {
	payloads := map[string]string{
		"spaces": "ls" + strings.Repeat(" ", 400) + strings.Repeat("; true", 400) + "; touch PWNED",
		"lines":  "ls" + strings.Repeat("\nls", 200) + "\ntouch PWNED",
	}
	for _, size := range [][2]int{{80, 24}, {40, 10}, {20, 5}} {
		for name, payload := range payloads {
			t.Run(fmt.Sprintf("%dx%d %s", size[0], size[1], name), func(t *testing.T) {
				q := permission()
				q.Fields = []session.Field{{Name: "command", Value: payload}}
				s := simulated(t, q, size[0], size[1]).open()
				s.slowly("a", "A", "1", "2", "a")
				s.unanswered("a key before the end")
				if s.req.kind != asking {
					t.Error("always is confirmed before the end was seen")
				}
				fresh := simulated(t, q, size[0], size[1]).open()
				fresh.press("r")
				fresh.answered(chosen(q, 2))

				for i := 0; i < 3000 && !s.req.endSeen; i++ {
					s.press("pgdn")
				}
				s.slowly("a")
				s.answered(chosen(q, 1))
			})
		}
	}
}

// TestT44_TheConfirmationIsReadToItsEnd gives it a scope that is longer than the
// screen.
func TestT44_TheConfirmationIsReadToItsEnd(t *testing.T) {
	q := permission()
	q.Scope = strings.Repeat("every command, ", 200) + "and PWNED"
	for _, size := range [][2]int{{80, 24}, {40, 10}, {20, 5}} {
		s := simulated(t, q, size[0], size[1]).open()
		for range 40 {
			s.press("pgdn")
		}
		s.slowly("A", "A")
		if s.req.kind != confirming {
			t.Fatalf("no confirmation:\n%s", strings.Join(rowsOf(s.screen), "\n"))
		}
		s.slowly("A", "A")
		s.unanswered("A before the end")
		for i := 0; i < 1000 && !s.req.endSeen; i++ {
			s.press("pgdn")
		}
		s.slowly("home", "A")
		s.answered(chosen(q, 0))
	}
}

func TestT45_LabelsSayWhatTheyDo(t *testing.T) {
	q := &session.Request{
		Kind: session.Choice, Prompt: "Go on?", Choices: []string{"Reject", "Allow once", "Nicely\n\u202eyes", ""},
		Means: []session.Means{session.AllowAlways, session.RejectOnce, session.Unknown, session.AllowOnce},
	}
	s := newStage(t, q, 80, 24).open()
	s.mustShow(`1) Allow always  agent says: "Reject"`, `2) Reject        agent says: "Allow once"`, "4) Allow once", "(unknown kind, cannot be chosen)")
	if s.shows("\u202e") {
		t.Error("a name draws what it likes")
	}
	for row, want := range map[string]text.Style{"Allow always": text.Info, `Reject   `: text.Failure, "3) ": text.Muted, "Allow once\n": text.Info} {
		x, y := s.find(strings.TrimSuffix(row, "\n"))
		if row == "Allow once\n" {
			x, y = s.find("4) Allow once")
			x += 3
		}
		if _, got, _ := s.screen.Get(x, y); got != dark.Style(want) {
			t.Errorf("%q is drawn as %v, want %v", row, got, dark.Style(want))
		}
	}
	s.slowly("3", "enter")
	s.unanswered("a kind that nobody knows")
	s.slowly("3")
	s.mustShow("Choice 3 is of an unknown kind and cannot be chosen.")
	s.slowly("r")
	s.answered(chosen(q, 1))
}

func TestT45_AThousandOptions(t *testing.T) {
	q := &session.Request{Kind: session.Choice, Prompt: "Go on?"}
	for i := range 1000 {
		q.Choices, q.Means = append(q.Choices, fmt.Sprint("number ", i)), append(q.Means, session.AllowOnce)
	}
	s := simulated(t, q, 80, 24).open()
	s.slowly("end", "9", "9", "9", "enter")
	s.answered(chosen(q, 998))
}

func TestT46_TheConfirmationShowsTheFactsFirst(t *testing.T) {
	q := permission()
	q.Prompt, q.Claim = "Run this?", "Read README.md"
	q.Fields = []session.Field{{Name: "argv", Value: `"sh" "-c" "touch PWNED"`}}
	for _, press := range [][]string{nil, {"A"}} {
		s := newStage(t, q, 80, 24).open()
		s.slowly(press...)
		_, facts := s.find("touch PWNED")
		_, claim := s.find(`agent says: "Read README.md"`)
		_, row := s.find("Allow always")
		if last := strings.Join(rowsOf(s.screen)[claim:], "\n"); facts >= claim || !strings.Contains(last, "Allow always") {
			t.Errorf("facts in row %d, the claim in row %d, the choice in row %d", facts, claim, row)
		}
	}
}

func TestT47_AChangedPermissionStartsAnew(t *testing.T) {
	s := newStage(t, permission(), 80, 24).open()
	s.slowly("A")
	q := permission()
	q.Fields[0].Value = "npm run evil"
	if q.Digest() == s.req.Digest() {
		t.Fatal("the digest leaves out what changed")
	}
	fresh := newStage(t, q, 80, 24)
	fresh.req.MarkChanged()
	fresh.draw()
	fresh.mustShow("This request has changed.")
	fresh.press("A", "a")
	fresh.unanswered("a key right after the change")
	scope := permission()
	scope.Scope = "Everything."
	if scope.Digest() == permission().Digest() {
		t.Error("the digest leaves out the scope")
	}
}

func TestT33_NamesHideNothing(t *testing.T) {
	hidden := "x\u200b\u2060\u3164y\U000e0072"
	q := permission()
	q.From, q.Prompt, q.Scope, q.Choices[3] = hidden, hidden, hidden, hidden
	s := newStage(t, q, 120, 40).open()
	for _, press := range [][]string{nil, {"A"}} {
		s.slowly(press...)
		all := strings.Join(rowsOf(s.screen), "\n")
		for _, r := range "\u200b\u2060\U000e0072" {
			if strings.ContainsRune(all, r) || !strings.Contains(all, fmt.Sprintf("U+%04X", r)) {
				t.Errorf("U+%04X is not shown:\n%s", r, all)
			}
		}
	}
}

// TestT43_ADoubleClickDoesNotConfirm: the row that confirms stands where the one
// stood that led to it.
func TestT43_ADoubleClickDoesNotConfirm(t *testing.T) {
	q := permission()
	q.Choices, q.Means = []string{"", ""}, []session.Means{session.AllowAlways, session.RejectOnce}
	s := newStage(t, q, 80, 24).open()
	s.advance(time.Second)
	x, y := s.find("1) Allow always")
	s.click(x, y)
	if _, at := s.find("A) Allow always"); at != y || s.req.kind != confirming {
		t.Fatalf("the confirmation is in row %d, not %d", at, y)
	}
	s.click(x, y)
	s.unanswered("the second click")
	s.advance(time.Second)
	s.click(x, y)
	s.answered(chosen(q, 0))
}
