package dialog

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"copydesk/core/session"
)

func TestT43_PastesFillInAndNeverAnswer(t *testing.T) {
	s := newStage(t, release(), 80, 40).open()
	s.paste("Ada\nLovelace\n")
	s.mustShow("Ada⏎Lovelace⏎")
	if !s.req.TakesText() {
		t.Error("a line of text does not take a text")
	}
	s.slowly("tab")
	if s.req.TakesText() {
		t.Error("a list takes a text")
	}
	s.paste("1")
	s.mustShow("(•) beta")
	s.slowly("end")
	s.paste("\n")
	s.unanswered("a paste")
}

func TestT43_AFormIsClicked(t *testing.T) {
	s := newStage(t, release(), 80, 40).open()
	s.press("A", "d", "a")
	click := func(what string) {
		t.Helper()
		s.advance(time.Second)
		x, y := s.find(what)
		s.click(x, y)
	}
	click("1) ( ) stable")
	click("2) [ ] sync")
	click("( ) Yes")
	click("Copies")
	s.press("1", "backspace", "backspace", "5")
	click("Review and send")
	s.unanswered("clicks")
	x, y := s.find("[a] Send")
	s.click(x, y)
	s.unanswered("a click on a button that has just come")
	click("[a] Send")
	s.answered(filledIn([]string{"Ada"}, []string{"s"}, []string{"sync"}, []string{"true"}, []string{"5"}, nil, nil))
}

// TestT44_AReviewIsReadToItsEnd: at three sizes nothing is sent before the end of
// what is sent was on the screen.
func TestT44_AReviewIsReadToItsEnd(t *testing.T) {
	long := strings.Repeat("word ", 2000) + "PWNED"
	for _, size := range [][2]int{{80, 24}, {40, 10}, {20, 5}} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			q := &session.Request{Kind: session.Form, Prompt: "Fill in.", Inputs: []session.Input{{Name: "a", Default: []string{long}}}}
			s := simulated(t, q, size[0], size[1]).open()
			s.slowly("tab", "enter")
			if s.req.kind != reviewing {
				t.Fatalf("no review:\n%s", strings.Join(rowsOf(s.screen), "\n"))
			}
			s.slowly("enter", "a", "enter", "1")
			s.unanswered("a key before the end")
			for i := 0; i < 3000 && !s.req.endSeen; i++ {
				s.press("pgdn")
			}
			s.mustShow("PWNED")
			s.slowly("enter")
			s.answered(filledIn([]string{long}))
		})
	}
}

// TestT44_DefaultsHideNothing: blanks that an agent fills in are counted before
// they are sent.
func TestT44_DefaultsHideNothing(t *testing.T) {
	value := "ls" + strings.Repeat(" ", 400) + "; touch PWNED"
	q := &session.Request{Kind: session.Form, Prompt: "Fill in.", Inputs: []session.Input{{Name: "a", Default: []string{value}}}}
	s := newStage(t, q, 80, 24).open()
	s.mustShow("‹")
	s.slowly("tab", "enter")
	s.mustShow("a: ls⟨400 spaces⟩; touch PWNED")
}

func TestT33_LabelsHideNothing(t *testing.T) {
	hidden := "x\u200b\u2060y\U000e0072"
	q := release()
	for i := range q.Inputs {
		q.Inputs[i].Title, q.Inputs[i].Help = hidden, hidden
	}
	q.Inputs[1].Options[0] = session.InputOption{Value: hidden, Help: hidden}
	q.Inputs[0].Default, q.Inputs[0].Pattern = []string{hidden}, hidden+"!"
	s := newStage(t, q, 80, 40).open()
	s.slowly("tab")
	all := strings.Join(rowsOf(s.screen), "\n")
	for _, r := range "\u200b\u2060\U000e0072" {
		if strings.ContainsRune(all, r) || !strings.Contains(all, fmt.Sprintf("U+%04X", r)) {
			t.Errorf("U+%04X is not shown:\n%s", r, all)
		}
	}
}

func TestT46_AFormShowsFactsBeforeTheClaim(t *testing.T) {
	q := release()
	q.Fields = []session.Field{{Name: "server", Value: "db-1"}}
	s := newStage(t, q, 80, 40)
	_, facts := s.find("server: db-1")
	_, claim := s.find(`agent says: "Prepare 1.4.0"`)
	_, input := s.find("Name (required)")
	if facts >= claim || claim >= input {
		t.Errorf("facts in row %d, the claim in row %d, the inputs from row %d", facts, claim, input)
	}
}
