package command

import (
	"strings"
	"testing"

	"copydesk/core/session"
	"copydesk/core/text"

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
		"/agent":              Agent{},
		"/agent claude":       Agent{"claude"},
		"/new my agent":       NewPane{"my agent"},
		"/new":                NewPane{},
		"/close":              ClosePane{},
		"/model":              Options{Category: "model"},
		"/model GPT 5":        Options{"model", "GPT 5"},
		"/mode plan":          Options{"mode", "plan"},
		"/options":            Options{},
		"/resume":             Sessions{},
		"/details":            Details{},
		"/keys":               Keys{},
		"/quit":               Quit{},
		"/QUIT":               Quit{},
	} {
		for _, loose := range []bool{true, false} {
			got, prompt, err := New().Parse(line, Place{Loose: loose})
			if err != nil || prompt != "" || got != want {
				t.Errorf("Parse(%q, %v) = %#v, %q, %v; want %#v", line, loose, got, prompt, err, want)
			}
		}
	}
}

// TestCPY3_OnlyExactWordsAreCommandsForAnAgent holds the rule for sentences
// that begin with "copy".
func TestCPY3_OnlyExactWordsAreCommandsForAnAgent(t *testing.T) {
	for _, line := range []string{"copy the file to /tmp", "copy foo", "copy last line please", "copy all of it"} {
		if got, prompt, err := New().Parse(line, Place{}); got != nil || prompt != line || err != nil {
			t.Errorf("Parse(%q) = %#v, %q, %v; want a prompt", line, got, prompt, err)
		}
		_, _, err := New().Parse(line, Place{Loose: true})
		if err == nil {
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
		_, prompt, err := New().Parse(line, Place{})
		if prompt != "" || err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Parse(%q) = %q, %v; want an error with %q", line, prompt, err, want)
		}
	}
}

func TestParsePrompts(t *testing.T) {
	for _, line := range []string{"", "   ", "hello", "help", "/usr/bin/env is missing", "what does /copy do?", "quit", "select 1"} {
		if got, prompt, err := New().Parse(line, Place{Loose: true}); got != nil || prompt != line || err != nil {
			t.Errorf("Parse(%q) = %#v, %q, %v; want a prompt", line, got, prompt, err)
		}
	}
}

// TestCPY5_CompletionLeadsToEveryCommand types every form with completion.
func TestCPY5_CompletionLeadsToEveryCommand(t *testing.T) {
	table := New()
	for _, c := range table {
		if !offered(table.Complete(c.Name[:2], Place{}), 0, c.Name) {
			t.Errorf("%q does not complete to %s", c.Name[:2], c.Name)
		}
		for _, a := range c.Args {
			if !offered(table.Complete(c.Name+" "+a.Word[:1], Place{}), len(c.Name)+1, a.Word) {
				t.Errorf("%s does not complete to %s", c.Name, a.Word)
			}
		}
	}
	if got := table.Complete("/copy clean c", Place{}); len(got) != 1 || got[0].Text != "code" || got[0].Start != len("/copy clean ") {
		t.Errorf("/copy clean c completes to %v", got)
	}
	for _, word := range []string{"clean", "file", "doctor"} {
		if offered(table.Complete("/copy clean ", Place{}), len("/copy clean "), word) {
			t.Errorf("/copy clean completes to %s", word)
		}
	}
	if got := table.Complete("copy clean ", Place{}); len(got) > 0 {
		t.Errorf("copy clean completes to %v", got)
	}
	var bare []string
	for _, c := range table.Complete("copy ", Place{}) {
		bare = append(bare, c.Text)
	}
	if diff := cmp.Diff([]string{"all", "last"}, bare); diff != "" {
		t.Error(diff)
	}
	for _, line := range []string{"", "hello", "cop", "/copy code 1", "/help ", "copying "} {
		if got := table.Complete(line, Place{}); len(got) > 0 {
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
		if e, _, err := New().Parse(strings.ReplaceAll(form, " N", " 1"), Place{}); e == nil || err != nil {
			t.Errorf("the form %q of help cannot be used: %v", r.Form, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"copy", "/copy code 2", "/", "copy \x00", "/copy turn 99999999999999999999"} {
		f.Add(s, "plan", true)
	}
	f.Add("/memory show all", "memory show", false)
	f.Add("//memory", "memory", false)
	f.Fuzz(func(t *testing.T, line, theirs string, loose bool) {
		at := Place{Loose: loose, Commander: theirs != "", Theirs: []session.Command{{Name: theirs}}}
		effect, prompt, err := New().Parse(line, at)
		if effect != nil && err != nil || prompt != "" && (effect != nil || err != nil) {
			t.Fatalf("Parse(%q, %v) = %v, %q, %v", line, at, effect, prompt, err)
		}
		if prompt != "" && prompt != line && !strings.HasSuffix(line, prompt) {
			t.Fatalf("Parse(%q) sends %q", line, prompt)
		}
		New().Complete(line, at)
	})
}

func TestCompleteKeepsWhatIsTyped(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		line := rapid.StringMatching(`/?[a-z]{0,4} ?[a-z]{0,3}`).Draw(t, "line")
		for _, c := range New().Complete(line, Place{}) {
			if c.Start > len(line) || !strings.HasPrefix(c.Text, line[c.Start:]) {
				t.Fatalf("Complete(%q) offers %q from %d", line, c.Text, c.Start)
			}
		}
	})
}

// TestAGT2_TheAgentsCommandsGoToIt holds whose a line is.
func TestAGT2_TheAgentsCommandsGoToIt(t *testing.T) {
	claude := Place{Commander: true, Theirs: []session.Command{
		{Name: "compact"}, {Name: "memory show"}, {Name: "$plan"}, {Name: "copy"}, {Name: "new task"}, {Name: ""},
	}}
	for line, want := range map[string]string{
		"/compact":            "/compact",
		"/compact the rest":   "/compact the rest",
		"  /compact\nall":     "/compact\nall",
		"/memory show x":      "/memory show x",
		"/$plan":              "/$plan",
		"//copy":              "/copy",
		"//unheard of":        "/unheard of",
		"//compact now":       "/compact now",
		"// why is this so?":  "// why is this so?",
		"//server/share/file": "//server/share/file",
		"/usr/bin/env":        "/usr/bin/env",
		"///":                 "///",
	} {
		if effect, prompt, err := New().Parse(line, claude); effect != nil || prompt != want || err != nil {
			t.Errorf("Parse(%q) = %#v, %q, %v; want the prompt %q", line, effect, prompt, err, want)
		}
	}
	for line, want := range map[string]Effect{"/copy": Copy{}, "/new task": NewPane{"task"}} {
		if effect, prompt, err := New().Parse(line, claude); effect != want || prompt != "" || err != nil {
			t.Errorf("Parse(%q) = %#v, %q, %v; want %#v", line, effect, prompt, err, want)
		}
	}
	for line, want := range map[string]string{
		"/memory":     "neither copydesk nor the agent has a command /memory; //memory sends it anyway",
		"/compacting": "//compacting sends it anyway",
		"/":           "there is no command /; /help",
	} {
		if _, prompt, err := New().Parse(line, claude); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Parse(%q) = %q, %v; want an error with %q", line, prompt, err, want)
		}
	}
	if _, prompt, err := New().Parse("//compact", Place{}); prompt != "/compact" || err != nil {
		t.Errorf("without a list of commands //compact is %q, %v", prompt, err)
	}
}

func TestAGT2_TheAgentsCommandsAreOffered(t *testing.T) {
	at := Place{Commander: true, Theirs: []session.Command{
		{Name: "memory show", Summary: "show\nit all"}, {Name: "memory add", Hint: "TEXT"}, {Name: "copy", Summary: "theirs"},
		{Name: "a\u202eb"}, {Name: ""}, {Name: "long", Summary: strings.Repeat("word ", 300)},
	}}
	for line, want := range map[string][]Completion{
		"/mem":       {{0, "/memory show", "show"}, {0, "/memory add", "TEXT"}},
		"/memory s":  {{0, "/memory show", "show"}},
		"//c":        {{0, "//copy", "theirs"}},
		"/co":        {{0, "/copy", New()[0].Summary}},
		"/memory x":  nil,
		"memory":     nil,
		"/a":         {{0, "/agent", New()[1].Summary}},
		"/copy last": {{6, "last", New()[0].Args[1].Summary}},
	} {
		if diff := cmp.Diff(want, New().Complete(line, at)); diff != "" {
			t.Errorf("Complete(%q): %s", line, diff)
		}
	}
	long := New().Complete("/long", at)
	if len(long) != 1 || text.Width(long[0].Summary) > summaryCells {
		t.Errorf("a long summary is %v", long)
	}
	if got := New().Complete("/", at); got[len(New())].Text != "/memory show" {
		t.Errorf("behind our commands stands %v", got[len(New())])
	}
}
