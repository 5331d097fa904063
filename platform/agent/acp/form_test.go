package acp

import (
	"encoding/json"
	"testing"

	"copydesk/core/session"
	"github.com/google/go-cmp/cmp"
)

func readTestForm(t *testing.T, properties, required string) form {
	t.Helper()
	f, err := readForm(parse(json.RawMessage(`{"message":"Which?","requestedSchema":{"type":"object","properties":` + properties + `,"required":` + required + `}}`)))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func answered(t *testing.T, f form, a session.Answer) string {
	t.Helper()
	r := New(Options{Name: "peer"}).formRequest(f)
	if err := r.Validate(); err != nil {
		t.Fatal(err)
	}
	content := f.content(r, a)
	if content == nil {
		return "none"
	}
	b, err := json.Marshal(content)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

const colour = `"c":{"type":"string","title":"Colour","oneOf":[{"const":"r","title":"Red","description":"like fire"},{"const":"n","title":"None of the above"}]}`

func TestREQ1_FormsTakeTheSimplestShape(t *testing.T) {
	for name, tc := range map[string]struct {
		properties, required string
		kind                 session.RequestKind
		other                string
	}{
		"nothing":                       {`{}`, `[]`, session.Approval, ""},
		"a choice":                      {`{` + colour + `}`, `["c"]`, session.Choice, ""},
		"a choice and another":          {`{` + colour + `,"o":{"type":"string","title":"Other"}}`, `[]`, session.Choice, "Other"},
		"the other first":               {`{"o":{"type":"string"},` + colour + `}`, `[]`, session.Choice, "o"},
		"needed, with a none":           {`{` + colour + `,"o":{"type":"string"}}`, `["c"]`, session.Choice, "o"},
		"needed, without a none":        {`{"c":{"type":"string","enum":["a","b"]},"o":{"type":"string"}}`, `["c"]`, session.Form, ""},
		"both needed":                   {`{` + colour + `,"o":{"type":"string"}}`, `["c","o"]`, session.Form, ""},
		"a text":                        {`{"o":{"type":"string"}}`, `["o"]`, session.TextInput, ""},
		"a text with a rule":            {`{"o":{"type":"string","pattern":"^a"}}`, `["o"]`, session.Form, ""},
		"a text with a start":           {`{"o":{"type":"string","default":"x"}}`, `["o"]`, session.Form, ""},
		"a number":                      {`{"o":{"type":"number"}}`, `["o"]`, session.Form, ""},
		"two choices":                   {`{` + colour + `,"d":{"type":"string","enum":["a"]}}`, `[]`, session.Form, ""},
		"a choice and what is not ours": {`{` + colour + `,"m":{"type":"moon"}}`, `[]`, session.Choice, ""},
	} {
		r := New(Options{Name: "peer"}).formRequest(readTestForm(t, tc.properties, tc.required))
		if r.Kind != tc.kind || r.Other != tc.other || r.Validate() != nil {
			t.Errorf("%s: %s with other %q, %v", name, r.Kind, r.Other, r.Validate())
		}
	}
}

func TestREQ2_FormsAreAnsweredInTheAgentsValues(t *testing.T) {
	choice := readTestForm(t, `{`+colour+`,"o":{"type":"string","title":"Other"}}`, `["c"]`)
	for name, tc := range map[string]struct {
		f    form
		a    session.Answer
		want string
	}{
		"a const, not its title": {choice, session.Answer{Verdict: session.Chosen, Index: 0, Value: "Red — like fire"}, `{"c":"r"}`},
		"another":                {choice, session.Answer{Verdict: session.Entered, Value: "pink"}, `{"c":"n","o":"pink"}`},
		"a rejection":            {choice, session.Answer{Verdict: session.Reject}, "none"},
		"nothing":                {choice, session.Answer{}, "none"},
		"out of range":           {choice, session.Answer{Verdict: session.Chosen, Index: 2}, "none"},
		"numbers stay numbers": {readTestForm(t, `{"n":{"type":"integer","enum":[1,2]}}`, `[]`),
			session.Answer{Verdict: session.Chosen, Index: 1, Value: "2"}, `{"n":2}`},
		"all at once": {readTestForm(t, `{"n":{"type":"number"},"i":{"type":"integer"},"b":{"type":"boolean"},"m":{"type":"array","items":{"enum":["x","y"]}},"s":{"type":"string"},"e":{"type":"array","items":{"enum":["x"]}}}`, `["e"]`),
			session.Answer{Verdict: session.Filled, Values: [][]string{{".5"}, {"9007199254740993"}, {"false"}, {"y", "x"}, nil, {"x"}}},
			`{"b":false,"e":["x"],"i":9007199254740993,"m":["y","x"],"n":0.5}`},
	} {
		if d := cmp.Diff(tc.want, answered(t, tc.f, tc.a)); d != "" {
			t.Errorf("%s:\n%s", name, d)
		}
	}
}

func TestREQ1_WhatCannotBeFilledInBlocks(t *testing.T) {
	r := New(Options{Name: "peer"}).formRequest(readTestForm(t, `{`+colour+`,"m":{"type":"moon","title":"Phase"}}`, `["m"]`))
	if r.Blocked == "" || r.Accepts(session.Answer{Verdict: session.Chosen, Value: r.Choices[0]}) == nil {
		t.Errorf("a form with a needed field of an unknown type can be accepted: %+v", r)
	}
	for _, schema := range []string{`{"requestedSchema":{"properties":{"m":{"type":"moon"}},"required":["m"]}}`, `{"requestedSchema":{"required":["gone"]}}`, `{}`} {
		if _, err := readForm(parse(json.RawMessage(schema))); err == nil {
			t.Errorf("%s is a form", schema)
		}
	}
}

func TestT31_AddressesShowTheirHost(t *testing.T) {
	for url, tc := range map[string]struct {
		host    string
		blocked bool
		warned  bool
	}{
		"https://login.example/x?y":         {"login.example", false, false},
		"https://bank.example@evil.example": {"evil.example", false, true},
		"https://bänk.example/":             {"bänk.example", false, true},
		"http://xn--bnk-sma.example:8080/":  {"xn--bnk-sma.example:8080", false, true},
		"file:///etc/passwd":                {"", true, false},
		"ssh://host":                        {"", true, false},
		"javascript:alert(1)":               {"", true, false},
	} {
		r := New(Options{Name: "peer", Browse: func(string) error { return nil }}).addressRequest(address{url: url})
		host, _ := fieldOf(r.Fields, "host")
		warned := false
		for _, f := range r.Fields {
			warned = warned || f.Warn
		}
		shown, _ := fieldOf(r.Fields, "address")
		if host != tc.host || (r.Blocked != "") != tc.blocked || warned != tc.warned || shown != url {
			t.Errorf("%s: %+v", url, r)
		}
	}
}
