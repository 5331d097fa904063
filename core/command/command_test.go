package command

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestCPY_EveryFormMeansItsScope(t *testing.T) {
	for line, want := range map[string]Effect{
		"/copy":              Copy{Scope: Answer},
		"  /copy  ":          Copy{Scope: Answer},
		"copy":               Copy{Scope: Panel},
		"COPY":               Copy{Scope: Panel},
		"copy all":           Copy{Scope: Panel},
		"Copy  All":          Copy{Scope: Panel},
		"/copy all":          Copy{Scope: Panel},
		"copy last":          Copy{Scope: Last},
		"/copy last":         Copy{Scope: Last},
		"/copy code":         Copy{Scope: Code},
		"/copy code 2":       Copy{Scope: Code, N: 2},
		"/copy turn 3":       Copy{Scope: Turn, N: 3},
		"/copy session":      Copy{Scope: Session},
		"/copy clean":        Copy{Scope: Answer, Clean: true},
		"/copy file":         Copy{Scope: Panel, File: true},
		"/copy file a b.txt": Copy{Scope: Panel, File: true, Path: "a b.txt"},
		"/copy doctor":       Doctor{},
		"/help":              Help{},

		"/copy clean all":     Copy{Scope: Panel, Clean: true},
		"/copy CLEAN last":    Copy{Scope: Last, Clean: true},
		"/copy clean code":    Copy{Scope: Code, Clean: true},
		"/copy clean code 2":  Copy{Scope: Code, N: 2, Clean: true},
		"/copy clean turn 3":  Copy{Scope: Turn, N: 3, Clean: true},
		"/copy clean session": Copy{Scope: Session, Clean: true},
		"/keys":               Keys{},
		"/quit":               Quit{},
		"/QUIT":               Quit{},
	} {
		for _, loose := range []bool{true, false} {
			got, is, err := New().Parse(line, loose)
			if err != nil || !is || got != want {
				t.Errorf("Parse(%q, %v) = %#v, %v, %v; want %#v", line, loose, got, is, err, want)
			}
		}
	}
}

// TestCPY3_OnlyExactWordsAreCommandsForAnAgent holds the rule for sentences
// that begin with "copy".
func TestCPY3_OnlyExactWordsAreCommandsForAnAgent(t *testing.T) {
	for _, line := range []string{"copy the file to /tmp", "copy foo", "copy last line please", "copy all of it"} {
		if got, is, err := New().Parse(line, false); is || err != nil {
			t.Errorf("Parse(%q, false) = %#v, %v, %v; want a prompt", line, got, is, err)
		}
		_, is, err := New().Parse(line, true)
		if !is || err == nil {
			t.Errorf("Parse(%q, true) is no error", line)
			continue
		}
		for _, form := range []string{"copy all", "copy last", "copy code [N]", "copy turn N", "copy session"} {
			if !strings.Contains(err.Error(), form) {
				t.Errorf("Parse(%q, true): %q does not name %q", line, err, form)
			}
		}
	}
}

func TestCPY3_WhatCannotBeUnderstoodSaysTheForms(t *testing.T) {
	for line, want := range map[string]string{
		"/copy foo":         `does not know "foo"`,
		"/copy all of it":   `does not know "all of it"`,
		"/copy code x":      `code takes a number from 1 on, not "x"`,
		"/copy code 0":      `not "0"`,
		"/copy code 1 2":    `does not know "code 1 2"`,
		"/copy turn":        "turn needs the turn's number",
		"/copy turn -1":     `not "-1"`,
		"/copy clean x":     `does not know "x"`,
		"/copy clean turn":  "turn needs the turn's number",
		"/copy clean clean": `does not know "clean clean"`,
		"/help me":          "Write /help alone",
		"/nothing":          "there is no command /nothing",
		"/":                 "there is no command /",
	} {
		_, is, err := New().Parse(line, false)
		if !is || err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Parse(%q) = %v, %v; want an error with %q", line, is, err, want)
		}
	}
}

func TestParsePrompts(t *testing.T) {
	for _, line := range []string{"", "   ", "hello", "help", "/usr/bin/env is missing", "what does /copy do?", "quit", "select 1"} {
		if got, is, err := New().Parse(line, true); is || err != nil {
			t.Errorf("Parse(%q) = %#v, %v, %v; want a prompt", line, got, is, err)
		}
	}
}

// TestCPY5_CompletionLeadsToEveryCommand types every form with completion.
func TestCPY5_CompletionLeadsToEveryCommand(t *testing.T) {
	table := New()
	for _, c := range table {
		if !offered(table.Complete(c.Name[:2]), 0, c.Name) {
			t.Errorf("%q does not complete to %s", c.Name[:2], c.Name)
		}
		for _, a := range c.Args {
			if !offered(table.Complete(c.Name+" "+a.Word[:1]), len(c.Name)+1, a.Word) {
				t.Errorf("%s does not complete to %s", c.Name, a.Word)
			}
		}
	}
	if got := table.Complete("/copy clean c"); len(got) != 1 || got[0].Text != "code" || got[0].Start != len("/copy clean ") {
		t.Errorf("/copy clean c completes to %v", got)
	}
	for _, word := range []string{"clean", "file", "doctor"} {
		if offered(table.Complete("/copy clean "), len("/copy clean "), word) {
			t.Errorf("/copy clean completes to %s", word)
		}
	}
	if got := table.Complete("copy clean "); len(got) > 0 {
		t.Errorf("copy clean completes to %v", got)
	}
	var bare []string
	for _, c := range table.Complete("copy ") {
		bare = append(bare, c.Text)
	}
	if diff := cmp.Diff([]string{"all", "last"}, bare); diff != "" {
		t.Error(diff)
	}
	for _, line := range []string{"", "hello", "cop", "/copy code 1", "/help ", "copying "} {
		if got := table.Complete(line); len(got) > 0 {
			t.Errorf("Complete(%q) = %v", line, got)
		}
	}
}

func offered(all []Completion, start int, word string) bool {
	for _, c := range all {
		if c.Start == start && c.Text == word && c.Summary != "" {
			return true
		}
	}
	return false
}

func TestCPY5_HelpListsEveryFormWithADescription(t *testing.T) {
	doc := New().Markdown()
	for _, r := range New().Rows() {
		if r.Summary == "" || !strings.Contains(doc, "| `"+r.Form+"`") || !strings.Contains(doc, r.Summary) {
			t.Errorf("help does not describe %q", r.Form)
		}
		form, _, _ := strings.Cut(r.Form, " [")
		if _, is, err := New().Parse(strings.ReplaceAll(form, " N", " 1"), false); !is || err != nil {
			t.Errorf("the form %q of help cannot be used: %v", r.Form, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"copy", "/copy code 2", "/", "copy \x00", "/copy turn 99999999999999999999"} {
		f.Add(s, true)
	}
	f.Fuzz(func(t *testing.T, line string, loose bool) {
		effect, is, err := New().Parse(line, loose)
		if (effect != nil) != (is && err == nil) {
			t.Fatalf("Parse(%q, %v) = %v, %v, %v", line, loose, effect, is, err)
		}
	})
}

func TestCompleteKeepsWhatIsTyped(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		line := rapid.StringMatching(`/?[a-z]{0,4} ?[a-z]{0,3}`).Draw(t, "line")
		for _, c := range New().Complete(line) {
			if c.Start > len(line) || !strings.HasPrefix(c.Text, line[c.Start:]) {
				t.Fatalf("Complete(%q) offers %q from %d", line, c.Text, c.Start)
			}
		}
	})
}
