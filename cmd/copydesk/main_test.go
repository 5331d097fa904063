package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// start runs the program with its output in files and returns its exit code.
func start(t *testing.T, home string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	in, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, err := os.CreateTemp(t.TempDir(), "out")
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	var errs bytes.Buffer
	env := map[string]string{"HOME": home, "TERM": "xterm-256color"}
	code = run(process{args: args, stdin: in, stdout: out, stderr: &errs, env: func(name string) string { return env[name] }})
	data, err := os.ReadFile(out.Name())
	if err != nil {
		t.Fatal(err)
	}
	return code, string(data), errs.String()
}

// TestR39_WithoutATerminalItSaysSo holds exit code 2 and that no escape byte
// goes anywhere.
func TestR39_WithoutATerminalItSaysSo(t *testing.T) {
	code, stdout, stderr := start(t, t.TempDir())
	if code != exitRefused || stdout != "" || !strings.Contains(stderr, "is not a terminal") {
		t.Errorf("exit %d, %q, %q", code, stdout, stderr)
	}
	if strings.Contains(stdout+stderr, "\x1b") {
		t.Error("an escape byte was written")
	}
}

func TestBadConfigNamesFileLineAndKey(t *testing.T) {
	home := t.TempDir()
	file := filepath.Join(home, "config.yaml")
	body := "theme: pink\n\nkeys:\n  copy-answer: 'ctrl+'\n  fly: f9\nagnet: x\n"
	if err := os.WriteFile(file, []byte(body), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"--config", file}, {"config", "check", "--config", file}, {"keys", "--config", file}} {
		code, stdout, stderr := start(t, home, args...)
		if code != exitRefused || stdout != "" {
			t.Errorf("%v: exit %d, %q", args, code, stdout)
		}
		for _, want := range []string{"config.yaml:1: theme", "config.yaml:4: keys.copy-answer", "config.yaml:5: keys.fly", "config.yaml:6: agnet"} {
			if !strings.Contains(stderr, want) {
				t.Errorf("%v does not say %q:\n%s", args, want, stderr)
			}
		}
	}
	if after, err := os.ReadFile(file); err != nil || string(after) != body {
		t.Errorf("the file was changed: %q, %v", after, err)
	}
}

func TestCommandsThatNeedNoTerminal(t *testing.T) {
	home := t.TempDir()
	for want, args := range map[string][]string{
		"copydesk " + version:                    {"version"},
		"copy-answer":                            {"keys"},
		"The configuration is fine.":             {"config", "check"},
		filepath.Join("copydesk", "config.yaml"): {"config", "path"},
	} {
		code, stdout, stderr := start(t, home, args...)
		if code != exitOK || !strings.Contains(stdout, want) || stderr != "" {
			t.Errorf("%v: exit %d, %q, %q", args, code, stdout, stderr)
		}
	}
	for _, args := range [][]string{{"nonsense"}, {"--nonsense"}, {"--agent", "nobody"}, {"version", "x"}} {
		if code, stdout, stderr := start(t, home, args...); code != exitRefused || stdout != "" || stderr == "" {
			t.Errorf("%v: exit %d, %q, %q", args, code, stdout, stderr)
		}
	}
}
