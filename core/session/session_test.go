package session

import (
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestSES1_LastAnswerIsTheAssistantTurnWithTheHighestIndex holds R2's
// properties 1 and 2 against a plain list.
func TestSES1_LastAnswerIsTheAssistantTurnWithTheHighestIndex(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var s Session
		want, any := "", false
		for range rapid.IntRange(0, 8).Draw(t, "turns") {
			s.Begin(rapid.String().Draw(t, "prompt"), "claude")
			chunks := rapid.SliceOfN(rapid.SliceOf(rapid.Byte()), 0, 4).Draw(t, "chunks")
			for _, c := range chunks {
				s.Write(string(c))
			}
			s.End(Outcome(rapid.IntRange(0, 3).Draw(t, "outcome")))
			want, any = "", true
			for _, c := range chunks {
				want += string(c)
			}
		}
		got, ok := s.LastAnswer()
		if got != want || ok != any {
			t.Fatalf("LastAnswer() = %q, %v; want %q, %v", got, ok, want, any)
		}
	})
}

func TestSES1_NoAnswerWithoutAnAssistantTurn(t *testing.T) {
	var s Session
	if got, ok := s.LastAnswer(); ok {
		t.Errorf("an empty session has the answer %q", got)
	}
	s.Begin("hello", "claude")
	s.Write("half an ans")
	if got, ok := s.LastAnswer(); ok {
		t.Errorf("an open turn is an answer already: %q", got)
	}
}

func TestSES2_WhatEndsEarlyIsKept(t *testing.T) {
	for _, o := range []Outcome{Rejected, Cancelled, Broken} {
		var s Session
		s.Begin("first", "claude")
		s.Write("one")
		s.End(Complete)
		s.Begin("second", "claude")
		s.Write("par")
		s.Write("tial")
		s.End(o)
		s.Begin("third", "claude")
		s.End(o)
		turns := s.Turns()
		if len(turns) != 6 {
			t.Fatalf("outcome %d: %d turns, want 6", o, len(turns))
		}
		if turns[1].Content != "one" || turns[3].Content != "partial" || turns[3].Outcome != o || turns[5].Content != "" {
			t.Errorf("outcome %d: turns are %+v", o, turns)
		}
	}
}

func TestSessionPassagesAreSetApart(t *testing.T) {
	for _, tc := range []struct{ first, second, want string }{
		{"a", "b", "a\n\nb"},
		{"a\n", "b", "a\n\nb"},
		{"a\n\n", "b", "a\n\nb"},
		{"", "b", "b"},
		{"a", "", "a"},
	} {
		var s Session
		s.Begin("p", "claude")
		s.Write(tc.first)
		s.Break()
		s.Break()
		s.Write(tc.second)
		s.End(Complete)
		if got, _ := s.LastAnswer(); got != tc.want {
			t.Errorf("%q and %q joined to %q, want %q", tc.first, tc.second, got, tc.want)
		}
	}
}

func TestSessionMarkdownHoldsEveryTurn(t *testing.T) {
	var s Session
	s.Begin("ask", "claude")
	s.Write("*answer*\n")
	s.End(Complete)
	want := "## 1. You\n\nask\n\n## 2. claude\n\n*answer*\n"
	if got := s.Markdown(); got != want {
		t.Errorf("Markdown() = %q, want %q", got, want)
	}
}

func TestREQ1_WhatCanBeAsked(t *testing.T) {
	for name, tc := range map[string]struct {
		r  Request
		ok bool
	}{
		"approval with two labels":   {Request{Kind: Approval, Choices: []string{"yes", "no"}}, true},
		"approval with one label":    {Request{Kind: Approval, Choices: []string{"yes"}}, false},
		"approval with three":        {Request{Kind: Approval, Choices: []string{"a", "b", "c"}}, false},
		"approval without labels":    {Request{Kind: Approval}, false},
		"choice of two":              {Request{Kind: Choice, Choices: []string{"a", "b"}}, true},
		"choice of one":              {Request{Kind: Choice, Choices: []string{"a"}}, true},
		"choice of nothing":          {Request{Kind: Choice}, false},
		"text":                       {Request{Kind: TextInput}, true},
		"text with choices":          {Request{Kind: TextInput, Choices: []string{"a"}}, false},
		"a kind that does not exist": {Request{Kind: "confirm"}, false},
	} {
		if err := tc.r.Validate(); (err == nil) != tc.ok {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestREQ2_AnAnswerMustFit(t *testing.T) {
	approval := Request{Kind: Approval, Choices: []string{"yes", "no"}}
	choice := Request{Kind: Choice, Choices: []string{"a", "b"}}
	input := Request{Kind: TextInput}
	reasoned := Request{Kind: Approval, Choices: []string{"yes", "no"}, TakesReason: true}
	for name, tc := range map[string]struct {
		r  Request
		a  Answer
		ok bool
	}{
		"approve":                {approval, Answer{Verdict: Approve}, true},
		"reject":                 {approval, Answer{Verdict: Reject}, true},
		"reject a choice":        {choice, Answer{Verdict: Reject}, true},
		"reject a text":          {input, Answer{Verdict: Reject}, true},
		"approve a choice":       {choice, Answer{Verdict: Approve}, false},
		"approve a text":         {input, Answer{Verdict: Approve}, false},
		"choose":                 {choice, Answer{Verdict: Chosen, Index: 1, Value: "b"}, true},
		"choose out of range":    {choice, Answer{Verdict: Chosen, Index: 2, Value: "c"}, false},
		"choose below":           {choice, Answer{Verdict: Chosen, Index: -1}, false},
		"choose another value":   {choice, Answer{Verdict: Chosen, Index: 0, Value: "b"}, false},
		"choose in an approval":  {approval, Answer{Verdict: Chosen, Index: 0, Value: "yes"}, false},
		"enter":                  {input, Answer{Verdict: Entered, Value: "x"}, true},
		"enter nothing":          {input, Answer{Verdict: Entered}, false},
		"reason where none goes": {approval, Answer{Verdict: Reject, Reason: "no"}, false},
		"reason where it goes":   {reasoned, Answer{Verdict: Reject, Reason: "no"}, true},
		"nothing":                {approval, Answer{}, false},
	} {
		if err := tc.r.Accepts(tc.a); (err == nil) != tc.ok {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestREQ2_ResponsesAreTheOnesOfTheRequirement(t *testing.T) {
	for want, a := range map[string]Answer{
		"approve": {Verdict: Approve},
		"reject":  {Verdict: Reject, Reason: "later"},
		"b":       {Verdict: Chosen, Index: 1, Value: "b"},
		"42":      {Verdict: Entered, Value: "42"},
		"":        {},
	} {
		if got := a.Response(); got != want {
			t.Errorf("%+v responds %q, want %q", a, got, want)
		}
	}
}

func TestREQ4_FirstAnswerWins(t *testing.T) {
	var b Inbox
	first := b.Add(&Request{Kind: Approval, Choices: []string{"yes", "no"}, Prompt: "one"})
	second := b.Add(&Request{Kind: Approval, Choices: []string{"yes", "no"}, Prompt: "two"})
	if open := b.Open(); len(open) != 2 || open[0].ID != first.ID || open[1].ID != second.ID {
		t.Fatalf("the open requests are %+v", open)
	}
	if _, err := b.Take(first.ID, second.Digest, Answer{Verdict: Approve}); !errors.Is(err, ErrChanged) {
		t.Errorf("an answer to another text was taken: %v", err)
	}
	if _, err := b.Take(first.ID, first.Digest, Answer{Verdict: Entered, Value: "x"}); err == nil {
		t.Error("an answer that does not fit was taken")
	}
	if _, err := b.Take(first.ID, first.Digest, Answer{Verdict: Approve}); err != nil {
		t.Errorf("the first answer was refused: %v", err)
	}
	if _, err := b.Take(first.ID, first.Digest, Answer{Verdict: Reject}); !errors.Is(err, ErrGone) {
		t.Errorf("a second answer was taken: %v", err)
	}
	if open := b.Open(); len(open) != 1 || open[0].ID != second.ID {
		t.Errorf("the open requests are %+v", open)
	}
	if !b.Remove(second.Request) || b.Remove(second.Request) {
		t.Error("a request is not taken back once")
	}
	if _, err := b.Take(second.ID, second.Digest, Answer{Verdict: Approve}); !errors.Is(err, ErrGone) {
		t.Errorf("a withdrawn request was answered: %v", err)
	}
}

// TestT47_TheDigestCoversAllThatIsShown changes each part of a request.
func TestT47_TheDigestCoversAllThatIsShown(t *testing.T) {
	base := func() Request {
		return Request{
			Kind: Choice, Prompt: "p", Choices: []string{"a", "b"}, Claim: "c",
			Fields: []Field{{Name: "n", Value: "v", Lang: "l"}, {Name: "m", Value: "w"}},
		}
	}
	original := base()
	seen := map[string]string{original.Digest(): "nothing"}
	for what, change := range map[string]func(*Request){
		"kind":         func(r *Request) { r.Kind = Approval },
		"prompt":       func(r *Request) { r.Prompt = "q" },
		"a choice":     func(r *Request) { r.Choices = []string{"a", "c"} },
		"choices":      func(r *Request) { r.Choices = []string{"ab", ""} },
		"one choice":   func(r *Request) { r.Choices = []string{"a"} },
		"claim":        func(r *Request) { r.Claim = "" },
		"reason":       func(r *Request) { r.TakesReason = true },
		"field name":   func(r *Request) { r.Fields[0].Name = "x" },
		"field value":  func(r *Request) { r.Fields[1].Value = "x" },
		"field moved":  func(r *Request) { r.Fields[0], r.Fields[1] = r.Fields[1], r.Fields[0] },
		"field joined": func(r *Request) { r.Fields[0].Name, r.Fields[0].Value = "nv", "" },
	} {
		r := base()
		change(&r)
		d := r.Digest()
		if other, dup := seen[d]; dup {
			t.Errorf("changing %s gives the digest of changing %s", what, other)
		}
		seen[d] = what
	}
	if again := base(); strings.Compare(again.Digest(), original.Digest()) != 0 {
		t.Error("the same request has two digests")
	}
}
