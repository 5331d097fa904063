package config

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

const examplePath = "../config.example.yaml"

// The example is the documentation of the settings, so it must be true. What
// stands below keys is held against the key table by whoever knows it.
func TestCFG3_ExampleIsTheDefault(t *testing.T) {
	c, problems, err := Load(Options{Path: examplePath})
	if err != nil || problems != nil {
		t.Fatal(err, problems)
	}
	if diff := cmp.Diff(Default(), c, cmpopts.IgnoreFields(Config{}, "Keys")); diff != "" {
		t.Error(diff)
	}
}

func TestCFG3_ExampleNamesEverySetting(t *testing.T) {
	data, err := os.ReadFile(examplePath)
	if err != nil {
		t.Fatal(err)
	}
	file := read(data)
	for _, s := range settings() {
		if file.lines[s.path] == 0 {
			t.Errorf("%s is not in the example", s.path)
		}
	}
}
