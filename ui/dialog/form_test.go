package dialog

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"copydesk/core"
	"copydesk/core/session"

	"github.com/gdamore/tcell/v2"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/rivo/tview"
	"pgregory.net/rapid"
)

func filledIn(values ...[]string) session.Answer {
	return session.Answer{Verdict: session.Filled, Values: values}
}

func TestREQ3_AFormIsFilledInAndSent(t *testing.T) {
	for _, send := range []string{"enter", "a", "1"} {
		s := newStage(t, release(), 80, 40).open()
		s.slowly(filled...)
		s.unanswered("filling in")
		s.mustShow("Review and send", "Name: Ada 1", "Channel: stable", "search", "help pages", "Tell everybody: Yes", "Copies: 2", "Share: left out", "[a] Send")
		s.slowly(send)
		s.answered(filledIn([]string{"Ada 1"}, []string{"s"}, []string{"search", "help"}, []string{"true"}, []string{"2"}, nil, nil))
	}
}

func TestREQ3_AnInputOfEachKind(t *testing.T) {
	options := []session.InputOption{{Value: "x"}, {Value: "y"}, {Value: "z"}}
	for name, c := range map[string]struct {
		in    session.Input
		press []string
		want  []string
	}{
		"line":                  {session.Input{}, []string{"1", "space", "y", "left", "left", "!"}, []string{"1! y"}},
		"line with a default":   {session.Input{Default: []string{"ab"}}, []string{"backspace", "c"}, []string{"ac"}},
		"line left out":         {session.Input{Default: []string{"a"}}, []string{"backspace"}, nil},
		"number":                {session.Input{Kind: session.Number}, []string{"space", "-", "1", ".", "5"}, []string{"-1.5"}},
		"integer":               {session.Input{Kind: session.Integer}, []string{"4", "2"}, []string{"42"}},
		"switch y":              {session.Input{Kind: session.Switch}, []string{"y"}, []string{"true"}},
		"switch n":              {session.Input{Kind: session.Switch}, []string{"n"}, []string{"false"}},
		"switch once":           {session.Input{Kind: session.Switch}, []string{"space"}, []string{"true"}},
		"switch twice":          {session.Input{Kind: session.Switch}, []string{"space", "space"}, []string{"false"}},
		"switch off":            {session.Input{Kind: session.Switch}, []string{"space", "space", "space"}, nil},
		"required switch":       {session.Input{Kind: session.Switch, Required: true}, []string{"space", "space", "space"}, []string{"true"}},
		"switch by default":     {session.Input{Kind: session.Switch, Default: []string{"false"}}, nil, []string{"false"}},
		"one of, a digit":       {session.Input{Kind: session.OneOf, Options: options}, []string{"2"}, []string{"y"}},
		"one of, an arrow":      {session.Input{Kind: session.OneOf, Options: options}, []string{"down", "down", "space"}, []string{"z"}},
		"one of, Enter":         {session.Input{Kind: session.OneOf, Options: options}, []string{"down", "enter"}, []string{"y"}},
		"one of, taken back":    {session.Input{Kind: session.OneOf, Options: options, Default: []string{"x"}}, []string{"space"}, nil},
		"one of, not offered":   {session.Input{Kind: session.OneOf, Options: options, Default: []string{"q"}}, nil, nil},
		"many of":               {session.Input{Kind: session.ManyOf, Options: options}, []string{"3", "1"}, []string{"x", "z"}},
		"many of, by space":     {session.Input{Kind: session.ManyOf, Options: options}, []string{"space", "down", "space", "up", "space"}, []string{"y"}},
		"many of, with default": {session.Input{Kind: session.ManyOf, Options: options, Default: []string{"x", "y"}}, []string{"1"}, []string{"y"}},
		"unknown letters":       {session.Input{Kind: session.OneOf, Options: options}, []string{"q", "9", "0", "y"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			c.in.Name = "input"
			s := newStage(t, &session.Request{Kind: session.Form, Prompt: "Fill in.", Inputs: []session.Input{c.in}}, 80, 24).open()
			s.press(c.press...)
			s.slowly("tab", "tab", "tab", "up", "enter", "enter")
			s.answered(filledIn(c.want))
		})
	}
}

// TestREQ3_ALongListTakesSeveralDigits: they move the pointer, a space takes.
func TestREQ3_ALongListTakesSeveralDigits(t *testing.T) {
	in := session.Input{Kind: session.OneOf, Name: "n"}
	for i := range 12 {
		in.Options = append(in.Options, session.InputOption{Value: fmt.Sprint("v", i+1)})
	}
	s := newStage(t, &session.Request{Kind: session.Form, Prompt: "Fill in.", Inputs: []session.Input{in}}, 80, 40).open()
	s.press("1", "1")
	s.mustShow("❯ 11) ( ) v11")
	s.press("space", "tab")
	s.slowly("enter", "enter")
	s.answered(filledIn([]string{"v11"}))
}

func TestREQ3_WhatDoesNotFitIsSaidAndNotSent(t *testing.T) {
	s := newStage(t, release(), 80, 40).open()
	if s.shows("✗") {
		t.Error("something is wrong before anything was typed")
	}
	s.slowly(wrong...)
	s.unanswered("a form that does not fit")
	s.mustShow("Name (required)    ❯ A", "✗ takes at least 3 characters", "✗ takes a number up to 9", "✗ takes an e-mail address", "Name takes at least 3 characters.")
	s.press("d", "a")
	if s.shows("✗ takes at least 3 characters") {
		t.Error("it is still called wrong")
	}
}

func TestREQ3_AFormIsRejected(t *testing.T) {
	s := newStage(t, release(), 80, 40).open()
	s.slowly("tab", "tab", "tab", "tab", "tab", "tab", "tab", "tab", "enter")
	s.answered(rejected)

	s = newStage(t, release(), 80, 40).open()
	if s.req.HandleKey(tcell.NewEventKey(tcell.KeyCtrlC, 0, tcell.ModCtrl)) {
		t.Error("Ctrl+C is not left to the desk")
	}
	s.req.Reject()
	s.answered(rejected)

	s = newStage(t, release(), 80, 40).open()
	s.slowly(append(filled, "r")...)
	s.answered(rejected)
}

// TestREQ4_AReasonForAForm: on the page that would send it.
func TestREQ4_AReasonForAForm(t *testing.T) {
	q := release()
	q.TakesReason = true
	s := newStage(t, q, 80, 40).open()
	s.slowly(append(filled, "n", "N", "o", "enter")...)
	s.answered(session.Answer{Verdict: session.Reject, Reason: "No"})
}

func TestREQ3_EscGoesBackFromTheReview(t *testing.T) {
	s := newStage(t, release(), 80, 40).open()
	s.slowly(append(filled, "esc")...)
	s.unanswered("Esc")
	s.mustShow("❯ Review and send", "Name (required)      Ada 1")
	if s.req.HandleKey(tcell.NewEventKey(tcell.KeyEsc, 0, 0)) {
		t.Error("Esc on the form is not left to the desk, which puts it aside")
	}
}

// TestREQ5_NoTextSendsAForm: whatever is typed or pasted without a rest fills in
// at most.
func TestREQ5_NoTextSendsAForm(t *testing.T) {
	typed := []string{"enter", "enter", "enter", "tab", "tab", "a", "r", "1", "y", "n", "@", "space", "backspace", "shift+tab", "c"}
	easy := &session.Request{Kind: session.Form, Prompt: "Fill in.", TakesReason: true, Inputs: []session.Input{
		{Name: "a"}, {Kind: session.OneOf, Name: "b", Options: []session.InputOption{{Value: "x"}, {Value: "y"}}}, {Kind: session.Switch, Name: "c"},
	}}
	rapid.Check(t, func(t *rapid.T) {
		s := simulated(t, easy, 60, rapid.SampledFrom([]int{8, 24}).Draw(t, "rows")).open()
		if rapid.Bool().Draw(t, "holds") {
			s.holds()
		}
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			if rapid.IntRange(0, 9).Draw(t, "paste") == 0 {
				s.paste(rapid.SampledFrom([]string{"a", "a\n", "\n\n\n"}).Draw(t, "text"))
			} else {
				s.press(rapid.SampledFrom(typed).Draw(t, "key"))
			}
			s.advance(time.Duration(rapid.IntRange(0, 299).Draw(t, "ms")) * time.Millisecond)
		}
		for _, a := range s.answers {
			if a.Verdict == session.Filled {
				t.Fatalf("sent %q", a.Values)
			}
		}
	})
}

// TestREQ5_EnterAfterEnterGoesNoFurtherThanTheReview presses it without a rest.
func TestREQ5_EnterAfterEnterGoesNoFurtherThanTheReview(t *testing.T) {
	q := &session.Request{Kind: session.Form, Prompt: "Fill in.", Inputs: []session.Input{{Name: "a"}}}
	s := newStage(t, q, 80, 24).open()
	s.press("x", "enter", "enter", "enter", "enter", "a", "enter")
	s.unanswered("Enter upon Enter")
	s.mustShow("Read this first, then Enter sends it.")
	s.slowly("enter")
	s.answered(filledIn([]string{"x"}))
}

// TestREQ5_TypedTextDoesNotRejectAForm tabs past its end without a rest.
func TestREQ5_TypedTextDoesNotRejectAForm(t *testing.T) {
	s := newStage(t, release(), 80, 40).open()
	s.press("tab", "tab", "tab", "tab", "tab", "tab", "tab", "tab", "tab", "enter", "enter")
	s.unanswered("text with tabs in it")
	s.mustShow("Read this first, then Enter rejects.")
	s.slowly("enter")
	s.answered(rejected)
}

// TestAFormOutlivesItsDialog: renewed settings and being put aside keep the
// draft.
func TestAFormOutlivesItsDialog(t *testing.T) {
	s := newStage(t, release(), 80, 40).open()
	s.press("A", "d", "a")
	s.slowly("tab", "1")
	s.req.SetActive(false)
	s.req.SetActive(true)
	s.draw()
	s.mustShow("Name (required)      Ada", "Channel (required) ❯ 1) (•) stable")

	again := newStage(t, release(), 80, 40)
	again.req.Adopt(s.req)
	again.draw()
	again.mustShow("Name (required)      Ada", "1) (•) stable")

	typing := newStage(t, other(), 80, 24).open()
	typing.press("4", "h", "a", "l", "f")
	renewed := newStage(t, other(), 80, 24)
	renewed.req.Adopt(typing.req)
	renewed.open().press("enter")
	renewed.answered(session.Answer{Verdict: session.Entered, Value: "half"})

	review := newStage(t, release(), 80, 40).open()
	review.slowly(filled...)
	review.req.SetActive(false)
	review.req.SetActive(true)
	review.draw()
	review.mustShow("❯ Review and send")
}

// TestREQ6_APointerInAFormIsAlwaysInSight moves about at any size.
func TestREQ6_APointerInAFormIsAlwaysInSight(t *testing.T) {
	moves := []string{"tab", "shift+tab", "up", "down", "space", "1", "backspace", "enter"}
	rapid.Check(t, func(t *rapid.T) {
		columns, rows := rapid.IntRange(20, 100).Draw(t, "columns"), rapid.IntRange(6, 40).Draw(t, "rows")
		s := simulated(t, release(), columns, rows).open()
		for range rapid.IntRange(1, 30).Draw(t, "steps") {
			top := s.req.pointer == 0
			key := rapid.SampledFrom(moves).Draw(t, "key")
			if s.press(key); s.req.kind != asking {
				return
			}
			if top && key == "up" {
				continue // it scrolls to what is above the inputs
			}
			in := s.req.layout(s.dialog).body
			found := false
			for _, row := range rowsOf(s.screen)[in.y : in.y+in.h] {
				found = found || strings.Contains(row, dark.Glyphs().Pointer)
			}
			if !found {
				t.Fatalf("stop %d is out of sight:\n%s", s.req.pointer, strings.Join(rowsOf(s.screen), "\n"))
			}
		}
	})
}

func TestREQ6_TheCursorStandsInTheInput(t *testing.T) {
	s := simulated(t, release(), 80, 40).open()
	s.press("A", "d", "a")
	s.screen.Show()
	x, y := s.find("Ada")
	if cx, cy, shown := s.screen.(tcell.SimulationScreen).GetCursor(); cx != x+3 || cy != y || !shown {
		t.Errorf("the cursor is at %d, %d (%v), want %d, %d", cx, cy, shown, x+3, y)
	}
	s.slowly("tab")
	s.screen.Show()
	if _, _, shown := s.screen.(tcell.SimulationScreen).GetCursor(); shown {
		t.Error("there is a cursor in a list")
	}
}

// TestREQ6_AFormSentIsAFormShown: all that is sent stands on the review page.
func TestREQ6_AFormSentIsAFormShown(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.StringMatching(`[a-z]{1,20}`).Draw(t, "value")
		ticked := rapid.SliceOfN(rapid.Bool(), 3, 3).Draw(t, "ticked")
		in := []session.Input{{Name: "first", Default: []string{value}}, {Kind: session.ManyOf, Name: "second"}}
		var want []string
		for i, on := range ticked {
			o := session.InputOption{Value: fmt.Sprint("value", i), Title: fmt.Sprint("title", i)}
			in[1].Options = append(in[1].Options, o)
			if on {
				in[1].Default, want = append(in[1].Default, o.Value), append(want, o.Title)
			}
		}
		s := simulated(t, &session.Request{Kind: session.Form, Prompt: "Fill in.", Inputs: in}, 80, 40).open()
		s.slowly("tab", "tab", "enter")
		s.mustShow(append(want, value)...)
		s.slowly("enter")
		if diff := cmp.Diff([]session.Answer{filledIn([]string{value}, in[1].Default)}, s.answers, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("(-want +got)\n%s", diff)
		}
	})
}

func TestREQ7_GlobalKeysOfAFormAreLeftToTheDesk(t *testing.T) {
	s := newStage(t, release(), 80, 60).open()
	for range 9 {
		for _, key := range []tcell.Key{tcell.KeyPgUp, tcell.KeyCtrlY, tcell.KeyCtrlX, tcell.KeyF1, tcell.KeyCtrlC, tcell.KeyEsc} {
			if s.req.HandleKey(tcell.NewEventKey(key, 0, 0)) {
				t.Errorf("the form takes %s at stop %d", tcell.KeyNames[key], s.req.pointer)
			}
		}
		s.press("tab")
	}
	if s.req.MouseHandler() == nil || s.mouse(tview.MouseMove, 0, 0) {
		t.Error("takes the mouse beside it")
	}
	s.unanswered("a global key")
}

func TestREQ7_CCopiesAForm(t *testing.T) {
	s := newStage(t, release(), 80, 40).open()
	s.slowly(append(filled, "c")...)
	if len(s.copied) != 1 || !strings.Contains(s.copied[0], "Name: Ada 1\nChannel: stable\nParts:\nsearch\nhelp pages\nTell everybody: Yes") {
		t.Errorf("copied %q", s.copied)
	}
}

func TestR29_AFormIsNotSentFromASmallScreen(t *testing.T) {
	s := simulated(t, release(), 80, 40).open()
	s.slowly(filled...)
	s.screen.(tcell.SimulationScreen).SetSize(19, 4)
	s.draw()
	s.slowly("enter", "a")
	s.unanswered("a form on a screen that became too small")
	s.advance(core.QuietGate)
	s.press("r")
	s.answered(rejected)
}
