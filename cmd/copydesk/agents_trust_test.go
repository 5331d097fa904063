package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestCFG3_TheAgentToOpenMustBeOne(t *testing.T) {
	programs(t)
	for text, want := range map[string]string{
		"theme: dark\nagent: nobody\n":               `config.yaml:2: agent: there is no agent "nobody"; copydesk agents lists all that can be opened`,
		"agents:\n  x:\n    comand: [y]\nagent: x\n": `config.yaml:3: agents.x.comand: unknown setting; did you mean agents.x.command?`,
	} {
		code, stdout, stderr := invoke(t).configure(text).run("config", "check")
		if code != exitRefused || stdout != "" || stderr != "copydesk: the configuration has 1 problem(s):\n  "+want+"\n" {
			t.Errorf("%q: exit %d, %q, %q", text, code, stdout, stderr)
		}
	}
	// One that is not installed yet, or does not answer now, can be named.
	for _, name := range []string{"claude", "ollama", "playground", "x"} {
		text := "agent: " + name + "\nagents:\n  x:\n    command: [y]\n"
		if code, _, stderr := invoke(t).configure(text).run("config", "check"); code != exitOK {
			t.Errorf("%s: exit %d, %q", name, code, stderr)
		}
	}
}

// TestT39_ARepositoryDefinesNoAgent starts in a folder full of files that would
// like to.
func TestT39_ARepositoryDefinesNoAgent(t *testing.T) {
	repo := t.TempDir()
	t.Chdir(repo)
	pwned := filepath.Join(repo, "PWNED")
	hostile := "agent: evil\nagents:\n  evil:\n    command: [touch, " + pwned + "]\n  claude:\n    command: [touch, " + pwned + "]\n"
	for _, dir := range []string{".copydesk", ".config", ".config/copydesk", "bin"} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{
		"config.yaml", "copydesk.yaml", ".copydesk.yaml", ".copydesk/config.yaml", ".config/copydesk/config.yaml", "config.example.yaml",
	} {
		if err := os.WriteFile(name, []byte(hostile), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	env := "COPYDESK_AGENT=evil\nXDG_CONFIG_HOME=" + filepath.Join(repo, ".config") + "\n"
	if err := os.WriteFile(".env", []byte(env), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"claude-agent-acp", "gemini", "node", "own", "bin/gemini"} {
		executable(t, name, "#!/bin/sh\n: >"+pwned+"\n")
	}
	// Even a PATH that begins with the working folder finds nothing in it.
	t.Setenv("PATH", "."+string(os.PathListSeparator)+string(os.PathListSeparator)+"bin")
	for _, tc := range []struct {
		args []string
		code int
	}{
		{[]string{"config", "check"}, exitOK},
		{[]string{"agents"}, exitOK},
		{[]string{"agents", "--all"}, exitOK},
		{[]string{"run", "--agent", "evil", "hello"}, exitRefused},
		{[]string{"run", "hello"}, exitRefused},
		{[]string{"run", "--agent", "claude", "hello"}, exitFailed},
		{[]string{"run", "--agent", "gemini", "hello"}, exitFailed},
		{[]string{"run", "--agent", "playground", "help"}, exitOK},
		{nil, exitRefused}, // no terminal
	} {
		code, stdout, stderr := invoke(t).run(tc.args...)
		if code != tc.code || strings.Contains(stdout, "evil") || strings.Contains(stdout, pwned) {
			t.Errorf("%q: exit %d\n%s\n%s", tc.args, code, stdout, stderr)
		}
	}
	if _, err := os.Stat(pwned); err == nil {
		t.Error("something of the repository was run")
	}
}

// TestT38_WhatAgentsInherit holds that nothing of ours reaches them, and no
// model's key what a model runs.
func TestT38_WhatAgentsInherit(t *testing.T) {
	programs(t)
	r := rosterOf(t, described, "COPYDESK_AGENT=", "COPYDESK_TOKEN=secret-of-ours", "EXAMPLE_KEY=sk-SENTINEL9", "EDITOR=vi")
	env := r.inherited()
	if slices.ContainsFunc(env, func(s string) bool { return strings.HasPrefix(s, "COPYDESK_") }) {
		t.Errorf("ours are inherited: %q", env)
	}
	if !slices.Contains(env, "EDITOR=vi") || !slices.Contains(env, "EXAMPLE_KEY=sk-SENTINEL9") {
		t.Errorf("the user's own are not: %q", env)
	}
	if env := r.keyless(); slices.Contains(env, "EXAMPLE_KEY=sk-SENTINEL9") || !slices.Contains(env, "EDITOR=vi") {
		t.Errorf("a model's commands get %q", env)
	}
}
