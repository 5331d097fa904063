package session

import (
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func permission() Request {
	return Request{
		Kind: Choice, Prompt: "Run?", Choices: []string{"1", "2", "3"}, Means: []Means{AllowOnce, RejectOnce, Unknown},
	}
}

// TestT45_MeaningsDecide holds that a choice is taken for what it means, and
// that a meaning nobody knows cannot be chosen.
func TestT45_MeaningsDecide(t *testing.T) {
	r := permission()
	chosen := func(i int) Answer { return Answer{Verdict: Chosen, Index: i, Value: r.Choices[i]} }
	for i, rejects := range []bool{false, true, false} {
		if got := r.Rejects(chosen(i)); got != rejects {
			t.Errorf("choosing %d rejects: %v", i, got)
		}
		if err := r.Accepts(chosen(i)); (err == nil) != (r.Means[i] != Unknown) {
			t.Errorf("choosing %d: %v", i, err)
		}
	}
	if !r.Rejects(Answer{Verdict: Reject}) || r.Rejects(Answer{Verdict: Approve}) {
		t.Error("the verdicts are mixed up")
	}
	if got := r.First(RejectOnce); got != 1 {
		t.Errorf("the first rejection is %d", got)
	}
	if got := r.First(RejectAlways); got != -1 {
		t.Errorf("a rejection that is not offered is %d", got)
	}
	r.Means = r.Means[:2]
	if err := r.Validate(); err == nil || !strings.Contains(err.Error(), "2 meanings for 3 choices") {
		t.Errorf("a choice without a meaning: %v", err)
	}
	words := map[string]bool{}
	for m := Unknown; m <= RejectAlways; m++ {
		words[m.Words()] = true
		if m.Rejects() != (m >= RejectOnce) {
			t.Errorf("%s rejects: %v", m.Words(), m.Rejects())
		}
	}
	if len(words) != 5 {
		t.Errorf("the meanings are called %v", words)
	}
}

func TestT36_ABlockedRequestCanOnlyBeRejected(t *testing.T) {
	r := permission()
	r.Blocked = "It cannot be read."
	for _, tc := range []struct {
		a  Answer
		ok bool
	}{
		{Answer{Verdict: Chosen, Value: "1"}, false},
		{Answer{Verdict: Chosen, Index: 1, Value: "2"}, true},
		{Answer{Verdict: Reject}, true},
		{Answer{}, false},
	} {
		if err := r.Accepts(tc.a); (err == nil) != tc.ok {
			t.Errorf("%+v: %v", tc.a, err)
		}
	}
}

func TestREQ_FormsAndFreeTexts(t *testing.T) {
	form := Request{Kind: Form, Inputs: []Input{{Name: "n", Kind: Integer, Required: true}, {Name: "s"}}}
	other := Request{Kind: Choice, Choices: []string{"a"}, Other: "Other"}
	for name, tc := range map[string]struct {
		r    Request
		a    Answer
		want string // part of the reason; empty: it fits
	}{
		"filled":         {form, Answer{Verdict: Filled, Values: [][]string{{"3"}, nil}}, ""},
		"wrong value":    {form, Answer{Verdict: Filled, Values: [][]string{{"3.5"}, nil}}, "n: takes a whole number"},
		"missing value":  {form, Answer{Verdict: Filled, Values: [][]string{nil, nil}}, "n: is needed"},
		"too few values": {form, Answer{Verdict: Filled, Values: [][]string{{"3"}}}, "does not fit"},
		"approved form":  {form, Answer{Verdict: Approve}, "does not fit"},
		"rejected form":  {form, Answer{Verdict: Reject}, ""},
		"other":          {other, Answer{Verdict: Entered, Value: "b"}, ""},
		"empty other":    {other, Answer{Verdict: Entered}, "does not fit"},
		"no other":       {Request{Kind: Choice, Choices: []string{"a"}}, Answer{Verdict: Entered, Value: "b"}, "does not fit"},
		"filled choice":  {other, Answer{Verdict: Filled, Values: [][]string{{"a"}}}, "does not fit"},
	} {
		err := tc.r.Accepts(tc.a)
		if tc.want == "" && err != nil || tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
			t.Errorf("%s: %v, want %q", name, err, tc.want)
		}
	}
	for name, tc := range map[string]struct {
		r  Request
		ok bool
	}{
		"form":                   {form, true},
		"empty form":             {Request{Kind: Form}, false},
		"form with choices":      {Request{Kind: Form, Inputs: form.Inputs, Choices: []string{"a"}}, false},
		"input without options":  {Request{Kind: Form, Inputs: []Input{{Kind: OneOf, Name: "x"}}}, false},
		"input of unknown kind":  {Request{Kind: Form, Inputs: []Input{{Kind: ManyOf + 1, Name: "x"}}}, false},
		"many without something": {Request{Kind: Form, Inputs: []Input{{Kind: ManyOf, Name: "x"}}}, false},
	} {
		if err := tc.r.Validate(); (err == nil) != tc.ok {
			t.Errorf("%s: %v", name, err)
		}
	}
	if got := (Answer{Verdict: Filled}).Response(); got != "filled in" {
		t.Errorf("a form responds %q", got)
	}
}

// TestT47_AReplacedRequestKeepsItsPlace holds the name, the place and that the
// old text can no longer be answered.
func TestT47_AReplacedRequestKeepsItsPlace(t *testing.T) {
	var b Inbox
	first, second := permission(), permission()
	second.Prompt = "And this?"
	one, two := b.Add(&first), b.Add(&second)
	changed := permission()
	changed.Fields = []Field{{Name: "command", Value: "rm -rf /"}}
	if !b.Replace(&first, &changed) || b.Replace(&first, &changed) {
		t.Error("a request is not replaced once")
	}
	open := b.Open()
	if len(open) != 2 || open[0].ID != one.ID || open[0].Request != &changed || open[0].Digest == one.Digest || open[1] != two {
		t.Fatalf("the open requests are %+v", open)
	}
	yes := Answer{Verdict: Chosen, Value: "1"}
	if _, err := b.Take(one.ID, one.Digest, yes); !errors.Is(err, ErrChanged) {
		t.Errorf("an answer to the old text: %v", err)
	}
	if got, err := b.Take(one.ID, open[0].Digest, yes); err != nil || got.Request != &changed {
		t.Errorf("an answer to the new text: %v", err)
	}
}

// TestT47_TheDigestCoversAForm changes each part of a form and a permission.
func TestT47_TheDigestCoversAForm(t *testing.T) {
	one := 1.0
	base := func() Request {
		return Request{
			Kind: Form, Prompt: "p", Scope: "s", Means: []Means{AllowOnce}, Choices: []string{"a"},
			Inputs: []Input{{Name: "n", Options: []InputOption{{Value: "v"}}, Default: []string{"d"}}, {Name: "m"}},
		}
	}
	original := base()
	seen := map[string]string{original.Digest(): "nothing"}
	for what, change := range map[string]func(*Request){
		"from":          func(r *Request) { r.From = "x" },
		"scope":         func(r *Request) { r.Scope = "x" },
		"meaning":       func(r *Request) { r.Means[0] = AllowAlways },
		"other":         func(r *Request) { r.Other = "x" },
		"blocked":       func(r *Request) { r.Blocked = "x" },
		"warning":       func(r *Request) { r.Fields = []Field{{Warn: true}} },
		"field":         func(r *Request) { r.Fields = []Field{{}} },
		"input":         func(r *Request) { r.Inputs = r.Inputs[:1] },
		"input kind":    func(r *Request) { r.Inputs[0].Kind = OneOf },
		"input title":   func(r *Request) { r.Inputs[0].Title = "x" },
		"input help":    func(r *Request) { r.Inputs[0].Help = "x" },
		"required":      func(r *Request) { r.Inputs[0].Required = true },
		"option":        func(r *Request) { r.Inputs[0].Options[0].Value = "x" },
		"option title":  func(r *Request) { r.Inputs[0].Options[0].Title = "x" },
		"default":       func(r *Request) { r.Inputs[0].Default = nil },
		"least":         func(r *Request) { r.Inputs[0].Min = &one },
		"most":          func(r *Request) { r.Inputs[0].Max = &one },
		"least length":  func(r *Request) { r.Inputs[0].MinLength = 1 },
		"most length":   func(r *Request) { r.Inputs[0].MaxLength = 1 },
		"least items":   func(r *Request) { r.Inputs[0].MinItems = 1 },
		"most items":    func(r *Request) { r.Inputs[0].MaxItems = 1 },
		"pattern":       func(r *Request) { r.Inputs[0].Pattern = "x" },
		"format":        func(r *Request) { r.Inputs[0].Format = "uri" },
		"inputs joined": func(r *Request) { r.Inputs[0].Name, r.Inputs[1].Name = "nm", "" },
	} {
		r := base()
		change(&r)
		if other, dup := seen[r.Digest()]; dup {
			t.Errorf("changing the %s gives the digest of changing the %s", what, other)
		}
		seen[r.Digest()] = what
	}
}

func TestREQ_InputsCheckTheirValues(t *testing.T) {
	low, high := 2.0, 4.0
	options := []InputOption{{Value: "a"}, {Value: "b"}, {Value: "c"}}
	for _, tc := range []struct {
		in     Input
		values []string
		want   string // empty: they fit
	}{
		{Input{}, nil, ""},
		{Input{}, []string{""}, ""},
		{Input{Required: true}, nil, "is needed"},
		{Input{Required: true}, []string{""}, "is needed"},
		{Input{}, []string{"a", "b"}, "takes one value"},
		{Input{MinLength: 2}, []string{"é"}, "takes at least 2 characters"},
		{Input{MaxLength: 1}, []string{"é"}, ""},
		{Input{MaxLength: 1}, []string{"ab"}, "takes at most 1 characters"},
		{Input{Pattern: "^[a-z]+$"}, []string{"ab"}, ""},
		{Input{Pattern: "^[a-z]+$"}, []string{"a1"}, "takes a text that matches ^[a-z]+$"},
		{Input{Pattern: "(?<broken"}, []string{"a1"}, ""},
		{Input{Format: "email"}, []string{"a@b"}, ""},
		{Input{Format: "email"}, []string{"a b@c"}, "takes an e-mail address"},
		{Input{Format: "uri"}, []string{"https://example.org/x"}, ""},
		{Input{Format: "uri"}, []string{"example.org"}, "takes an address like https://example.org"},
		{Input{Format: "date"}, []string{"2026-05-31"}, ""},
		{Input{Format: "date"}, []string{"31.5.2026"}, "takes a date like 2026-05-31"},
		{Input{Format: "date-time"}, []string{"2026-05-31T15:04:05Z"}, ""},
		{Input{Format: "date-time"}, []string{"2026-05-31"}, "takes a time like 2026-05-31T15:04:05Z"},
		{Input{Format: "shade"}, []string{"x"}, ""},
		{Input{Kind: Number}, []string{"2.5"}, ""},
		{Input{Kind: Number}, []string{"x"}, "takes a number"},
		{Input{Kind: Number}, []string{"NaN"}, "takes a number"},
		{Input{Kind: Number}, []string{"1e999"}, "takes a number"},
		{Input{Kind: Number, Min: &low}, []string{"1"}, "takes a number from 2 on"},
		{Input{Kind: Number, Max: &high}, []string{"5"}, "takes a number up to 4"},
		{Input{Kind: Integer, Min: &low, Max: &high}, []string{"3"}, ""},
		{Input{Kind: Integer}, []string{"3.5"}, "takes a whole number"},
		{Input{Kind: Switch}, []string{"true"}, ""},
		{Input{Kind: Switch}, []string{"yes"}, "takes yes or no"},
		{Input{Kind: OneOf, Options: options}, []string{"b"}, ""},
		{Input{Kind: OneOf, Options: options}, []string{"B"}, "takes one of the values that are offered"},
		{Input{Kind: ManyOf, Options: options}, []string{"a", "c"}, ""},
		{Input{Kind: ManyOf, Options: options}, []string{"a", "a"}, "takes values that are offered, each once"},
		{Input{Kind: ManyOf, Options: options}, []string{"x"}, "takes values that are offered, each once"},
		{Input{Kind: ManyOf, Options: options, MinItems: 2}, []string{"a"}, "takes at least 2"},
		{Input{Kind: ManyOf, Options: options, MaxItems: 1}, []string{"a", "b"}, "takes at most 1"},
	} {
		err := tc.in.Check(tc.values)
		if tc.want == "" && err != nil || tc.want != "" && (err == nil || err.Error() != tc.want) {
			t.Errorf("%+v with %q: %v, want %q", tc.in, tc.values, err, tc.want)
		}
	}
}

// TestREQ_NoValueIsTakenThatWasNotOffered throws values at inputs with options.
func TestREQ_NoValueIsTakenThatWasNotOffered(t *testing.T) {
	words := rapid.SampledFrom([]string{"a", "b", "c", "A", "", "a ", "true"})
	rapid.Check(t, func(t *rapid.T) {
		in := Input{Kind: rapid.SampledFrom([]InputKind{OneOf, ManyOf}).Draw(t, "kind"), Required: rapid.Bool().Draw(t, "required")}
		for _, v := range rapid.SliceOfNDistinct(words, 1, 4, rapid.ID[string]).Draw(t, "options") {
			in.Options = append(in.Options, InputOption{Value: v})
		}
		values := rapid.SliceOfN(words, 0, 4).Draw(t, "values")
		fits := len(values) > 0 && (in.Kind == ManyOf || len(values) == 1) || len(values) == 0 && !in.Required
		seen := map[string]bool{}
		for _, v := range values {
			fits = fits && in.has(v) && !seen[v]
			seen[v] = true
		}
		if err := in.Check(values); (err == nil) != fits {
			t.Fatalf("%+v with %q: %v", in, values, err)
		}
	})
}
