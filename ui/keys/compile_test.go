package keys

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"
	"pgregory.net/rapid"
)

func TestKEY1_Problems(t *testing.T) {
	for name, c := range map[string]struct {
		rebind map[string][]string
		want   []string
	}{
		"rebound":                {map[string][]string{"copy-answer": {"alt+c", "f5"}}, nil},
		"to none":                {map[string][]string{"copy-answer": {}}, nil},
		"two changed places":     {map[string][]string{"copy-answer": {"ctrl+l"}, "repaint": {"ctrl+y"}}, nil},
		"the same twice":         {map[string][]string{"copy-answer": {"alt+c", "Alt+C"}}, nil},
		"one chord, two places":  {map[string][]string{"approve": {"x"}, "focus-input": {"x"}}, nil},
		"another leader":         {map[string][]string{"copy-last": {"ctrl+g l"}}, nil},
		"a bad chord":            {map[string][]string{"copy-answer": {"ctrl+"}}, []string{`copy-answer: "ctrl+" is not a key`}},
		"two bad chords":         {map[string][]string{"copy-answer": {"ctrl+", "boo"}}, []string{`copy-answer: "ctrl+" is not a key`, `copy-answer: "boo" is not a key`}},
		"an unknown action":      {map[string][]string{"copy-al": {"f5"}}, []string{`copy-al: is not an action; "copydesk keys" lists them all`}},
		"taken by a default":     {map[string][]string{"copy-answer": {"ctrl+l"}}, []string{`copy-answer: "ctrl+l" already does repaint in the global context`}},
		"taken by another":       {map[string][]string{"copy-answer": {"f5"}, "help": {"f5"}}, []string{`help: "f5" already does copy-answer in the global context`}},
		"a chain":                {map[string][]string{"copy-answer": {"ctrl+z"}, "repaint": {"ctrl+y"}}, []string{`copy-answer: "ctrl+z" already does suspend in the global context`, `repaint: "ctrl+y" already does copy-answer in the global context`}},
		"its own leader":         {map[string][]string{"repaint": {"ctrl+l", "ctrl+l a"}}, []string{`repaint: "ctrl+l" and "ctrl+l a" cannot both be reached, one is the leader of the other`}},
		"a leader as a key":      {map[string][]string{"send": {"ctrl+x"}}, []string{`send: "ctrl+x" is the leader of "ctrl+x y", which does copy-panel`}},
		"a key as a leader":      {map[string][]string{"copy-last": {"ctrl+y l"}}, []string{`copy-last: "ctrl+y l" begins with "ctrl+y", which does copy-answer`}},
		"typed in the input":     {map[string][]string{"send": {"x"}}, []string{`send: "x" is typed into the text, it cannot be a key in the input context`}},
		"typed everywhere":       {map[string][]string{"help": {"?"}}, []string{`help: "?" is typed into the text, it cannot be a key in the global context`}},
		"typed into a filter":    {map[string][]string{"choose-down": {"j"}}, []string{`choose-down: "j" is typed into the text, it cannot be a key in the list context`}},
		"a character as leader":  {map[string][]string{"focus-input": {"g g"}}, []string{`focus-input: "g g" begins with a character, a leader cannot be one`}},
		"a number of a choice":   {map[string][]string{"reject-choice": {"0"}}, []string{`reject-choice: "0" is a number to choose with, it cannot be a key in the choice context`}},
		"typed into a form":      {map[string][]string{"next-input": {"x"}}, []string{`next-input: "x" is typed into the text, it cannot be a key in the form context`}},
		"a letter that ticks":    {map[string][]string{"tick": {"x"}}, nil},
		"a number of a form":     {map[string][]string{"tick": {"1"}}, []string{`tick: "1" is a number to choose with, it cannot be a key in the form context`}},
		"a letter in a reader":   {map[string][]string{"copy-dialog": {"y"}}, nil},
		"enter allows":           {map[string][]string{"allow-once": {"enter"}}, []string{`allow-once: "enter" already does confirm in the choice context`}},
		"enter approves":         {map[string][]string{"approve": {"ctrl+m"}}, []string{`approve: "enter" cannot answer a request, which has no default answer`}},
		"not told apart":         {map[string][]string{"copy-answer": {"ctrl+shift+c"}}, []string{`warning: copy-answer: "ctrl+shift+c" arrives as "ctrl+c" from older terminals`}},
		"control and a digit":    {map[string][]string{"copy-answer": {"ctrl+1"}}, []string{`warning: copy-answer: "ctrl+1" arrives as "1" from older terminals`}},
		"the same byte":          {map[string][]string{"complete": {"ctrl+i"}}, []string{`warning: complete: "ctrl+i" is the same key as "tab" to most terminals, and is taken as that`, `warning: complete: "tab" does complete in the input context and focus-next elsewhere`}},
		"wins in one context":    {map[string][]string{"newline": {"ctrl+l"}}, []string{`warning: newline: "ctrl+l" does newline in the input context and repaint elsewhere`}},
		"loses in some contexts": {map[string][]string{"copy-answer": {"up"}}, []string{`warning: copy-answer: "up" does history-previous in the input context and copy-answer elsewhere`, `warning: copy-answer: "up" does cursor-up in the panel context and copy-answer elsewhere`, `warning: copy-answer: "up" does dialog-up in the approval context and copy-answer elsewhere`, `warning: copy-answer: "up" does choose-up in the choice context and copy-answer elsewhere`}},
	} {
		t.Run(name, func(t *testing.T) {
			_, problems := Compile(c.rebind)
			var got []string
			for _, p := range problems {
				s := fmt.Sprintf("%s: %s", p.Action, p.Text)
				if p.Warning {
					s = "warning: " + s
				}
				got = append(got, s)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestKEY1_ABadEntryKeepsItsDefault(t *testing.T) {
	m, _ := Compile(map[string][]string{"copy-answer": {"f5", "ctrl+"}, "help": {"ctrl+l"}, "quit": {}, "suspend": {"f9"}})
	for a, want := range map[Action][]string{CopyAnswer: {"ctrl+y"}, Help: {"f1"}, Quit: nil, Suspend: {"f9"}} {
		var got []string
		for _, c := range m.Chords(a) {
			got = append(got, c.String())
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got)\n%s", a, diff)
		}
	}
	if got := m.Label(Quit); got != "" {
		t.Errorf("an action without keys has the label %q", got)
	}
}

// TestKEY1_WhateverIsReboundEveryChordCanBeReached: every chord of the compiled
// map does its action in every context of it, and an entry without a problem is
// in force.
func TestKEY1_WhateverIsReboundEveryChordCanBeReached(t *testing.T) {
	texts := []string{"ctrl+y", "ctrl+x", "ctrl+x y", "ctrl+x q", "ctrl+l", "ctrl+l a", "a", "1", "r", "x", "enter", "tab", "esc", "up", "f5", "ctrl+", "ctrl+i", "shift+enter"}
	var names []string
	for _, b := range Table() {
		names = append(names, string(b.Action))
	}
	rapid.Check(t, func(t *rapid.T) {
		rebind := rapid.MapOfN(rapid.SampledFrom(names), rapid.SliceOfN(rapid.SampledFrom(texts), 0, 3), 0, 8).Draw(t, "rebind")
		m, problems := Compile(rebind)
		for _, b := range Table() {
			for _, c := range m.Chords(b.Action) {
				for _, context := range b.Contexts {
					if got := press(m, []Context{context}, c); got != b.Action {
						t.Fatalf("%s in %s does %q, want %s", c, context, got, b.Action)
					}
				}
				if c[0].Printable() && slices.ContainsFunc(b.Contexts, func(c Context) bool { return c == Input || c == Global || c == Text || c == List }) {
					t.Fatalf("%s takes the typed %s", b.Action, c)
				}
			}
			given, ok := rebind[string(b.Action)]
			refused := slices.ContainsFunc(problems, func(p Problem) bool { return p.Action == b.Action && !p.Warning })
			if !ok || refused {
				given = b.Default
			}
			for _, text := range given {
				c, _ := Parse(text)
				if !slices.ContainsFunc(m.Chords(b.Action), c.Equal) {
					t.Fatalf("%s has %v, want %v", b.Action, m.Chords(b.Action), given)
				}
			}
		}
	})
}

func TestMarkdownHoldsEveryAction(t *testing.T) {
	got := Markdown()
	for _, b := range Table() {
		if strings.Count(got, "`"+string(b.Action)+"` |\n") != 1 {
			t.Errorf("%s is not in the tables once", b.Action)
		}
	}
	if !strings.Contains(got, "| Copy the last answer | Ctrl+Y | everywhere | `copy-answer` |\n") {
		t.Errorf("no row of copy-answer in\n%s", got)
	}
}

func TestYAMLIsTheDefaults(t *testing.T) {
	var config struct {
		Keys map[string][]string `yaml:"keys"`
	}
	if err := yaml.Unmarshal([]byte("keys:\n"+YAML()), &config); err != nil {
		t.Fatal(err)
	}
	want := map[string][]string{}
	for _, b := range Table() {
		want[string(b.Action)] = b.Default
	}
	if diff := cmp.Diff(want, config.Keys); diff != "" {
		t.Fatalf("(-want +got)\n%s", diff)
	}
	if _, problems := Compile(config.Keys); len(problems) > 0 {
		t.Errorf("the defaults written out have problems: %v", problems)
	}
}
