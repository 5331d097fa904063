package chat

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"copydesk/core/session"
)

// ambiguous are arguments that two readers could read differently, for a tool
// that takes a command.
var ambiguous = []string{
	`{"command":"ls","Command":"touch PWNED"}`,
	`{"Command":"touch PWNED"}`,
	`{"command":"ls","command":"touch PWNED"}`,
	`{"command":"ls","comm\u0061nd":"touch PWNED"}`,
	"{\"command\":\"a\xffb\"}",
	"{\"comm\xffand\":\"a\",\"command\":\"b\"}",
	`{"command":"a\ud800b"}`,
	`{"command":"a\udc00b"}`,
	`{"command":"a\udc00\ud800b"}`,
	`{"command":"a\ud800\n"}`,
	`{"command":"a\ud800"}`,
	`{"command":"ls"} {"command":"touch PWNED"}`,
	`{"command":"ls"}x`,
	`{"command":"ls"`,
	`{"command":"ls",}`,
	`["ls"]`,
	`"ls"`,
	``,
	`null`,
	`{}`,
	`{"command":null}`,
	`{"command":7}`,
	`{"command":{"0":"ls"}}`,
	`{"command":["ls",null]}`,
	`{"command":["ls",["-l"]]}`,
	`{"command":[]}`,
	`{"command":[""]}`,
	`{"command":" "}`,
	`{"command":["ls\u0000x"]}`,
	`{"command":"ls","cwd":7}`,
	`{"command":"ls","cwd":".."}`,
	`{"command":"ls","cwd":"/"}`,
	`{"command":"ls","cwd":"nowhere"}`,
	`{"command":"ls","timeout_seconds":"5"}`,
	`{"command":"ls","timeout_seconds":1.5}`,
	`{"command":"ls","timeout_seconds":0}`,
	`{"command":"ls","timeout_seconds":1e9}`,
	`{"command":"ls","sudo":true}`,
}

func TestT36_AmbiguousCallsAreRefused(t *testing.T) {
	for _, args := range ambiguous {
		piece := callPiece(0, "a", "run_command", args)
		if !utf8.ValidString(args) {
			// As a server would send it that passes on bytes as they are.
			piece = strings.Replace(callPiece(0, "a", "run_command", "@"), `"@"`, rawQuoted(args), 1)
		}
		h := newHost(t, chunks(piece, finish("tool_calls")), says("ok"))
		got := play(t, chatWith(t, h, nil), "go", nil) // play fails when it is asked
		if got.err != nil || got.text != "ok" {
			t.Fatalf("%s: %v", args, got.err)
		}
		last := h.requests()[1]
		last.valid(t)
		if !strings.HasPrefix(last.last(), "Error: ") || got.status["c1"] != session.Failed || got.output != last.last() {
			t.Errorf("%s: result %q, shown %v %q", args, last.last(), got.status, got.output)
		}
	}
}

// rawQuoted is a JSON text that holds bytes as they are.
func rawQuoted(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}

func TestT36_UnknownToolsAndBadCalls(t *testing.T) {
	for _, tt := range []struct{ name, args string }{
		{"rm", `{}`},
		{"Run_command", `{"command":"ls"}`},
		{"", `{}`},
		{"ask_user", `{"question":""}`},
		{"ask_user", `{"question":"Which?","choices":[]}`},
		{"ask_user", `{"question":"Which?","choices":["a","a"]}`},
		{"ask_user", `{"question":"Which?","choices":["a"," "]}`},
		{"ask_user", `{"question":"Which?","choices":["a",null]}`},
		{"ask_user", `{"question":"Which?","choices":"a"}`},
		{"ask_user", `{"Question":"Which?"}`},
		{"write_file", `{"path":"a"}`},
		{"write_file", `{"path":"a","content":"b","mode":"0777"}`},
		{"write_file", `{"path":"","content":"b"}`},
		{"write_file", `{"path":".","content":"b"}`},
		{"write_file", `{"path":"a/","content":"b"}`},
		{"write_file", `{"path":"a\u0000b","content":"b"}`},
		{"write_file", `{"path":"a","content":"b\u0000"}`},
		{"read_file", `{"path":"a","offset":0}`},
		{"read_file", `{"path":"a","limit":-1}`},
		{"read_file", `{"path":"nowhere"}`},
	} {
		h := newHost(t, callStep(tt.name, tt.args), says("ok"))
		got := play(t, chatWith(t, h, nil), "go", nil)
		if got.err != nil || !strings.HasPrefix(h.requests()[1].last(), "Error: ") || got.status["c1"] != session.Failed {
			t.Errorf("%s %s: %v, %q, %v", tt.name, tt.args, got.err, h.requests()[1].last(), got.status)
		}
		h.requests()[1].valid(t)
	}
}

// What is taken is what every strict reader takes.
func TestT36_WhatIsTakenIsPlain(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		want := rapid.String().Draw(rt, "text")
		b, err := json.Marshal(map[string]any{"path": want, "limit": 7})
		if err != nil {
			rt.Fatal(err)
		}
		var path string
		limit := 0
		if err := decode(string(b), argument{"path", &path, true}, argument{"limit", &limit, false}); err != nil || path != want || limit != 7 {
			rt.Fatalf("%s: %v, %q, %d", b, err, path, limit)
		}
	})
}

func FuzzDecode(f *testing.F) {
	for _, args := range ambiguous {
		f.Add(args)
	}
	f.Add(`{"command":"\ud83d\ude00 \\ud800"}`)
	f.Fuzz(func(t *testing.T, raw string) {
		var command json.RawMessage
		if decode(raw, argument{"command", &command, true}) != nil {
			return
		}
		var other map[string]json.RawMessage
		if err := json.Unmarshal([]byte(raw), &other); err != nil || len(other) != 1 || string(other["command"]) != string(command) {
			t.Fatalf("%q is read as %q and as %q, %v", raw, command, other, err)
		}
		if strings.ContainsRune(string(command), utf8.RuneError) != strings.ContainsRune(raw, utf8.RuneError) {
			t.Fatalf("%q has lost a character", raw)
		}
	})
}

// TestAGT4_AskUser holds how a question is asked and what the model hears.
func TestAGT4_AskUser(t *testing.T) {
	for _, tt := range []struct {
		args   string
		kind   session.RequestKind
		answer session.Answer
		want   string
		goesOn bool
	}{
		{`{"question":"Which?","choices":["red","blue"]}`, session.Choice, session.Answer{Verdict: session.Chosen, Index: 1, Value: "blue"}, "blue", true},
		{`{"question":"Which?","choices":["red"]}`, session.Choice, session.Answer{Verdict: session.Chosen, Value: "red"}, "red", true},
		{`{"question":"Which?"}`, session.TextInput, session.Answer{Verdict: session.Entered, Value: " r "}, " r ", true},
		{`{"question":"Which?","choices":null}`, session.TextInput, session.Answer{Verdict: session.Entered, Value: "x"}, "x", true},
		{`{"question":"Which?"}`, session.TextInput, session.Answer{}, "Error: the request could not be shown to the user, so it was not done.", true},
		{`{"question":"Which?"}`, session.TextInput, session.Answer{Verdict: session.Reject}, "The user rejected this and ended the turn.", false},
	} {
		h := newHost(t, callStep("ask_user", tt.args), says("ok"), says("ok"))
		a := chatWith(t, h, nil)
		got := play(t, a, "go", func(*session.Request) session.Answer { return tt.answer })
		if got.err != nil || len(got.requests) != 1 || (got.text == "ok") != tt.goesOn {
			t.Fatalf("%s: %v, %d requests, text %q", tt.args, got.err, len(got.requests), got.text)
		}
		if r := got.requests[0]; r.Kind != tt.kind || r.Prompt != "Which?" || r.From != "tester" {
			t.Errorf("asked %+v", r)
		}
		if !tt.goesOn {
			play(t, a, "on", nil)
		}
		last := h.requests()[1]
		last.valid(t)
		if last.Messages[3].Content != tt.want {
			t.Errorf("%s: the model hears %q", tt.args, last.Messages[3].Content)
		}
	}
}

// TestAGT4_SeveralCalls holds that calls made at once are done one after
// another, and that the end of the turn leaves none without a result.
func TestAGT4_SeveralCalls(t *testing.T) {
	three := func(w http.ResponseWriter, r *http.Request) {
		chunks(word("Three things."),
			callPiece(0, "a", "ask_user", `{"question":"One?"}`), callPiece(1, "b", "ask_user", `{"question":"Two?"}`),
			callPiece(2, "c", "ask_user", `{"question":"Three?"}`), finish("tool_calls"))(w, r)
	}
	h := newHost(t, three, says("ok"))
	n := 0
	count := func(*session.Request) session.Answer {
		n++
		return session.Answer{Verdict: session.Entered, Value: strings.Repeat("x", n)}
	}
	got := play(t, chatWith(t, h, nil), "go", count)
	if got.err != nil || len(got.requests) != 3 || got.requests[2].Prompt != "Three?" || h.requests()[1].last() != "xxx" {
		t.Fatalf("%v, %d requests, %q", got.err, len(got.requests), h.requests()[1].last())
	}
	if _, apart := got.events[1].(session.Break); !apart {
		t.Errorf("after the text comes %#v", got.events[1])
	}

	h = newHost(t, three, says("ok"))
	a := chatWith(t, h, nil)
	got = play(t, a, "go", func(r *session.Request) session.Answer {
		if r.Prompt == "Two?" {
			return session.Answer{Verdict: session.Reject}
		}
		return session.Answer{Verdict: session.Entered, Value: "x"}
	})
	if got.err != nil || len(got.requests) != 2 {
		t.Fatalf("%v, %d requests after the rejection", got.err, len(got.requests))
	}
	play(t, a, "on", nil)
	last := h.requests()[1]
	last.valid(t)
	if last.Messages[2].Content != "Three things." || last.Messages[5].Content != "Not done: the user ended the turn." {
		t.Errorf("the model is told %+v", last.Messages)
	}
}
