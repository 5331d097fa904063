package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"copydesk/config"
	"copydesk/core/command"
	"copydesk/ui/keys"
	"copydesk/ui/uitest"
)

// generated is a part of a document that is made from a table.
type generated struct {
	file, begin, end string
	text             string
}

func parts() []generated {
	return []generated{
		{"README.md", "<!-- keys: begin -->\n", "<!-- keys: end -->", "\n" + keys.Markdown() + "\n"},
		{"README.md", "<!-- commands: begin -->\n", "<!-- commands: end -->", "\n" + command.New().Markdown() + "\n"},
		{"config.example.yaml", "# keys: begin\n", "# keys: end", "keys:\n" + keys.YAML()},
	}
}

// TestKEY1_DocumentsAreMadeFromTheTables holds the README's tables and the
// example's keys equal to the tables in the code. -update writes them.
func TestKEY1_DocumentsAreMadeFromTheTables(t *testing.T) {
	for _, part := range parts() {
		path := filepath.Join("..", "..", part.file)
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		before, rest, ok := strings.Cut(string(data), part.begin)
		have, after, closed := strings.Cut(rest, part.end)
		if !ok || !closed {
			t.Errorf("%s has no part from %q to %q", part.file, part.begin, part.end)
			continue
		}
		if have == part.text {
			continue
		}
		if !uitest.Updating() {
			t.Errorf("%s: the part after %q is not what the table says; run go test ./cmd/copydesk -update", part.file, part.begin)
			continue
		}
		if err := os.WriteFile(path, []byte(before+part.begin+part.text+part.end+after), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// TestCFG3_TheExampleIsTheDefault holds that config.example.yaml loads without a
// problem and changes nothing.
func TestCFG3_TheExampleIsTheDefault(t *testing.T) {
	path := filepath.Join("..", "..", "config.example.yaml")
	c, problems, err := config.Load(config.Options{Path: path, Checks: []config.Check{checkKeys, checkAgent}})
	if err != nil || len(problems) > 0 {
		t.Fatalf("loading the example: %v, %v", problems, err)
	}
	got, found := keys.Compile(c.Keys.Map())
	want, _ := keys.Compile(nil)
	if len(found) > 0 {
		t.Errorf("the example's keys have problems: %v", found)
	}
	for _, b := range keys.Table() {
		if got.Label(b.Action) != want.Label(b.Action) || len(got.Chords(b.Action)) != len(want.Chords(b.Action)) {
			t.Errorf("%s: the example binds %v, the default is %v", b.Action, got.Chords(b.Action), want.Chords(b.Action))
		}
	}
}
