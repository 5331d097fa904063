package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"copydesk/core/record"
	talk "copydesk/core/session"
)

// kept stores a session in a home folder and returns its id.
func kept(t *testing.T, home string, said ...string) string {
	t.Helper()
	j := storeIn(filepath.Join(home, ".local/state/copydesk", sessionsDir)).Create(record.Seat{Agent: "claude", Dir: "/src/app"})
	j.Append(record.Header{ID: j.ID(), Seat: record.Seat{Agent: "claude", Dir: "/src/app"}})
	for _, prompt := range said {
		j.Append(record.Prompt{Text: prompt, Tag: "claude", Agent: "claude"})
		j.Append(record.Said{Event: talk.Text{Chunk: "*heard* " + prompt}})
		j.Append(record.Ended{})
	}
	if err := j.Sync(context.Background()); err != nil {
		t.Fatal(err)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	return j.ID()
}

// TestCLI_SessionsArePrinted lists, shows and exports a session.
func TestCLI_SessionsArePrinted(t *testing.T) {
	home := t.TempDir()
	if code, stdout, stderr := start(t, home, "sessions", "list"); code != exitOK || stdout != "" || stderr != "No session is stored yet.\n" {
		t.Errorf("exit %d, %q, %q", code, stdout, stderr)
	}
	id := kept(t, home, "one", "two\nlines")
	markdown := "## 1. You\n\none\n\n## 2. claude\n\n*heard* one\n\n## 3. You\n\ntwo\nlines\n\n## 4. claude\n\n*heard* two\nlines\n"
	for _, tc := range []struct {
		args []string
		want string
	}{
		{[]string{"show", id}, markdown},
		{[]string{"show", id[:12]}, markdown},
		{[]string{"export", id}, markdown},
		{[]string{"export", id, "--format", "txt"}, "[claude] one ✓\n*heard* one\n[claude] two\nlines ✓\n*heard* two\nlines\n"},
	} {
		code, stdout, stderr := start(t, home, append([]string{"sessions"}, tc.args...)...)
		if code != exitOK || stdout != tc.want || stderr != "" {
			t.Errorf("%v: exit %d, %q, %q", tc.args, code, stdout, stderr)
		}
	}
	_, stdout, _ := start(t, home, "sessions", "list")
	for _, want := range []string{id, "claude", "/src/app", "one"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("the list does not say %q:\n%s", want, stdout)
		}
	}
	_, stdout, _ = start(t, home, "sessions", "list", "--json")
	var row sessionRow
	if err := json.Unmarshal([]byte(stdout), &row); err != nil || row.ID != id || row.Title != "one" || row.Agent != "claude" {
		t.Errorf("%v: %s", err, stdout)
	}
	_, stdout, _ = start(t, home, "sessions", "export", id, "--format", "json")
	var e exported
	if err := json.Unmarshal([]byte(stdout), &e); err != nil || e.ID != id || len(e.Turns) != 4 || e.Turns[3].Content != "*heard* two\nlines" || e.Turns[0].Role != talk.User {
		t.Errorf("%v: %s", err, stdout)
	}
}

func TestCLI_WhatIsWrongWithASessionIsSaid(t *testing.T) {
	home := t.TempDir()
	id := kept(t, home, "one")
	second := kept(t, home, "two")
	for _, tc := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"show"}, exitRefused, "name one session"},
		{[]string{"show", "1999"}, exitFailed, `there is no session "1999"`},
		{[]string{"show", "../../etc/passwd"}, exitFailed, "there is no session"},
		{[]string{"show", id[:8]}, exitFailed, "2 sessions begin with"},
		{[]string{"export", id, "--format", "pdf"}, exitRefused, "it can be md, json or txt"},
		{[]string{"rm", "1999"}, exitFailed, "there is no session"},
	} {
		code, stdout, stderr := start(t, home, append([]string{"sessions"}, tc.args...)...)
		if code != tc.code || stdout != "" || !strings.Contains(stderr, tc.want) {
			t.Errorf("%v: exit %d, %q, %q", tc.args, code, stdout, stderr)
		}
	}
	if code, stdout, stderr := start(t, home, "sessions", "rm", id); code != exitOK || stdout != "Deleted "+id+".\n" {
		t.Errorf("exit %d, %q, %q", code, stdout, stderr)
	}
	left, err := filepath.Glob(filepath.Join(home, ".local/state/copydesk", sessionsDir, "2*"))
	if err != nil || len(left) != 1 || !strings.Contains(left[0], second) {
		t.Errorf("left are %q, %v", left, err)
	}
}

// TestR24_ADamagedSessionIsPrintedAsFarAsItGoes cuts and fills a session's file.
func TestR24_ADamagedSessionIsPrintedAsFarAsItGoes(t *testing.T) {
	home := t.TempDir()
	id := kept(t, home, "one", "two", "three")
	file := filepath.Join(home, ".local/state/copydesk", sessionsDir, id+".jsonl")
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	at := strings.Index(string(whole), `"*heard* two"`)
	copy(whole[at:], make([]byte, 4))
	if err := os.WriteFile(file, whole, 0o600); err != nil {
		t.Fatal(err)
	}
	code, stdout, stderr := start(t, home, "sessions", "show", id)
	if code != exitOK || !strings.Contains(stdout, "*heard* one") || strings.Contains(stdout, "*heard* two") || !strings.Contains(stdout, "*heard* three") {
		t.Errorf("exit %d, %q", code, stdout)
	}
	if stderr != "copydesk: 1 damaged record(s) were skipped.\n" {
		t.Errorf("it says %q", stderr)
	}
}
