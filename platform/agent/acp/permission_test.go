package acp

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"copydesk/core/session"
	"pgregory.net/rapid"
)

// TestREQ2_AnAnswerIsOneOfTheOptions: whatever is answered, what goes out is an
// option that means it, and nothing is allowed that was not chosen.
func TestREQ2_AnAnswerIsOneOfTheOptions(t *testing.T) {
	kinds := []string{"allow_once", "allow_always", "reject_once", "reject_always", "maybe"}
	rapid.Check(t, func(t *rapid.T) {
		a := New(Options{Name: "peer", Dir: "/w"})
		var options []string
		for i, kind := range rapid.SliceOfN(rapid.SampledFrom(kinds), 1, 6).Draw(t, "kinds") {
			options = append(options, `{"optionId":"`+string(rune('a'+i))+`","name":"n","kind":"`+kind+`"}`)
		}
		p, err := readPermission(json.RawMessage(`{"toolCall":{"rawInput":{"command":"ls"}},"options":[` + strings.Join(options, ",") + `]}`))
		if err != nil {
			t.Fatal(err)
		}
		r := a.request(p, "/w", &call{input: json.RawMessage(`{"command":"ls"}`)}, true)
		if err := r.Validate(); err != nil {
			t.Fatal(err)
		}
		answer := session.Answer{Verdict: session.Verdict(rapid.IntRange(0, 5).Draw(t, "verdict")), Index: rapid.IntRange(-1, 7).Draw(t, "index")}
		if answer.Index >= 0 && answer.Index < len(r.Choices) {
			answer.Value = r.Choices[answer.Index]
		}
		o := p.chosen(r, answer)
		switch {
		case o == nil:
			fits := r.Accepts(answer) == nil
			if fits && (answer.Verdict != session.Reject || p.first(session.RejectOnce) >= 0) {
				t.Fatalf("%+v was answered with nothing", answer)
			}
		case answer.Verdict == session.Chosen && r.Means[answer.Index] == o.means:
		case answer.Verdict == session.Approve && o.means == session.AllowOnce:
		case answer.Verdict == session.Reject && o.means == session.RejectOnce:
		default:
			t.Fatalf("%+v was answered with %+v", answer, *o)
		}
	})
}

func fieldOf(fields []session.Field, name string) (string, int) {
	i := slices.IndexFunc(fields, func(f session.Field) bool { return f.Name == name })
	if i < 0 {
		return "", -1
	}
	return fields[i].Value, i
}

func TestT46_RealFieldsAreInOrder(t *testing.T) {
	dir := t.TempDir()
	a := New(Options{Name: "peer", Dir: dir})
	k := &call{id: "1"}
	k.take(parse(json.RawMessage(`{"title":"Read README.md","kind":"read","rawInput":{"timeout":5,"command":["git ","status","a b","ok"],"cwd":"sub/../..","description":"harmless","nested":{"x":[1]}},
		"content":[{"type":"diff","path":"f.go","oldText":"a\n","newText":"b\n"}],"locations":[{"path":"/etc/passwd","line":2}]}`)))
	f := a.factsOf(dir, k, nil)
	var names []string
	for _, x := range f.fields {
		names = append(names, x.Name)
	}
	if got, want := strings.Join(names, " "), "command cwd description timeout nested path diff location kind"; got != want {
		t.Errorf("the fields are %s, want %s", got, want)
	}
	for name, want := range map[string]string{
		"command": `"git " status "a b" ok`, "cwd": filepath.Dir(dir), "timeout": "5", "path": filepath.Join(dir, "f.go"), "location": "/etc/passwd:2",
	} {
		if got, _ := fieldOf(f.fields, name); !strings.HasPrefix(got, want) {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if f.question() != "Run this command?" || f.blocked != "" {
		t.Errorf("the question is %q, blocked %q", f.question(), f.blocked)
	}
	if _, i := fieldOf(f.fields, "cwd"); !f.fields[i].Warn {
		t.Error("a folder outside of the working folder is no warning")
	}
}

func TestT46_NothingToInspectIsAWarning(t *testing.T) {
	a := New(Options{Name: "peer", Dir: "/w"})
	for _, update := range []string{
		`{"title":"Trust me"}`, `{"rawInput":{}}`, `{"rawInput":null}`, `{"locations":[{"path":"/w/a"}]}`,
		`{"content":[{"type":"content","content":{"type":"text","text":"I only read"}}]}`, `{"rawInput":{"description":"nothing much"}}`,
	} {
		k := &call{}
		k.take(parse(json.RawMessage(update)))
		f := a.factsOf("/w", k, nil)
		if got, i := fieldOf(f.fields, "input"); i < 0 || !f.fields[i].Warn || !strings.HasPrefix(got, "cannot be inspected") {
			t.Errorf("%s: the fields are %+v", update, f.fields)
		}
	}
}

func TestT46_ALaterInputDoesNotHideWhereItRuns(t *testing.T) {
	a := New(Options{Name: "peer", Dir: "/w"})
	k := &call{}
	k.take(parse(json.RawMessage(`{"rawInput":{"cwd":"/etc"}}`)))
	k.take(parse(json.RawMessage(`{"rawInput":{"command":"rm x"}}`)))
	k.take(parse(json.RawMessage(`{"rawInput":{}}`)))
	f := a.factsOf("/w", k, nil)
	command, _ := fieldOf(f.fields, "command")
	cwd, _ := fieldOf(f.fields, "cwd")
	if command != "rm x" || cwd != "/etc" {
		t.Errorf("the fields are %+v", f.fields)
	}
}

func TestT36_TwoReadingsBlockAndAreShown(t *testing.T) {
	a := New(Options{Name: "peer", Dir: "/w"})
	for _, input := range []string{`{"command":"ls","Command":"touch PWNED"}`, `{"command":"ls","command":"touch PWNED"}`, `{"comm\u0061nd":"ls","command":"touch PWNED"}`} {
		k := &call{input: json.RawMessage(input)}
		f := a.factsOf("/w", k, nil)
		var shown []string
		for _, x := range f.fields {
			shown = append(shown, x.Value)
		}
		if f.blocked == "" || !slices.Contains(shown, "ls") || !slices.Contains(shown, "touch PWNED") {
			t.Errorf("%s: blocked %q, fields %+v", input, f.blocked, f.fields)
		}
	}
}

func TestT51_AnAlwaysSaysWhoseItIs(t *testing.T) {
	a := New(Options{Name: "peer", Dir: "/w"})
	p, err := readPermission(json.RawMessage(`{"toolCall":{},"options":[{"optionId":"x","name":"Yes, and all npm commands","kind":"allow_always"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	r := a.request(p, "/w", &call{input: json.RawMessage(`{"command":"npm test"}`)}, false)
	for _, want := range []string{"peer decides", `"Yes, and all npm commands"`, "npm test"} {
		if !strings.Contains(r.Scope, want) {
			t.Errorf("the scope %q lacks %q", r.Scope, want)
		}
	}
	if r.TakesReason {
		t.Error("outside of a turn nobody takes a reason")
	}
}
