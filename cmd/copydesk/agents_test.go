package main

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"copydesk/config"
	"copydesk/platform/agent/known"

	"github.com/google/go-cmp/cmp"
)

// programs makes a folder with programs that only exist, and makes it the PATH.
func programs(t *testing.T, names ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range names {
		executable(t, filepath.Join(dir, name), "#!/bin/sh\nexit 1\n")
	}
	t.Setenv("PATH", dir)
	return dir
}

func executable(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
}

// rosterOf makes a roster that asks no server, with the configuration that a
// file of the given text makes.
func rosterOf(t *testing.T, text string, env ...string) *roster {
	t.Helper()
	i := invoke(t, env...).configure(text)
	p, _ := i.process(io.Discard)
	settings, problems, err := config.Load(options(p, flags{}, nil))
	if err != nil || problems != nil {
		t.Fatal(err, problems)
	}
	var wait sync.WaitGroup
	t.Cleanup(wait.Wait)
	r, err := newRoster(p, settings, filepath.Join(i.home, "state"), running{
		log: slog.New(slog.DiscardHandler), start: wait.Go,
		after: func(d time.Duration, f func()) func() { return func() {} },
	})
	if err != nil {
		t.Fatal(err)
	}
	r.servers = nil
	return r
}

// modelServer is a server that lists models.
func modelServer(t *testing.T, body string) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, body) }))
	t.Cleanup(s.Close)
	return s.URL + "/v1"
}

func names(rows []agentRow) []string {
	var out []string
	for _, r := range rows {
		out = append(out, r.Name)
	}
	return out
}

func row(t *testing.T, rows []agentRow, name string) agentRow {
	t.Helper()
	i := slices.IndexFunc(rows, func(r agentRow) bool { return r.Name == name })
	if i < 0 {
		t.Fatalf("%s is not in %v", name, rows)
	}
	return rows[i]
}

const described = `agents:
  zeta:
    command: [gemini, --acp, --model, x]
    cwd: /no/such/folder
  alpha:
    command: [not-here]
  claude:
    command: [claude-agent-acp]
    cwd: ~/
  hosted:
    openai: {base_url: "https://api.example.org/v1", model: big, key_env: EXAMPLE_KEY}
  local:
    openai: {base_url: "http://localhost:9/v1"}
`

func TestAGT6_TheListIsWhatIsDescribedThenFoundThenThePlayground(t *testing.T) {
	programs(t, "gemini", "claude-agent-acp", "claude", "codex", "goose", "node")
	r := rosterOf(t, described)
	r.servers = []known.Endpoint{
		{Name: "ollama", What: "Ollama", BaseURL: modelServer(t, `{"data":[{"id":"qwen3:8b"}]}`)},
		{Name: "vllm", What: "vLLM", BaseURL: "http://127.0.0.1:1/v1"},
		{Name: "lm-studio", What: "LM Studio", BaseURL: modelServer(t, `{"data":[]}`)},
	}
	rows := r.rows(t.Context())
	want := []string{"alpha", "claude", "hosted", "local", "zeta", "gemini", "codex", "goose", "ollama", "lm-studio", "playground"}
	if diff := cmp.Diff(want, names(rows)); diff != "" {
		t.Error(diff)
	}
	for name, want := range map[string]agentRow{
		"alpha":      {"alpha", "not-here", "not-here is not on PATH. Install it, or give its absolute path in config.yaml."},
		"claude":     {"claude", "Claude Code: claude-agent-acp, in ~", ""},
		"hosted":     {"hosted", "big at api.example.org", "The variable EXAMPLE_KEY is not set, and the key is in it."},
		"local":      {"local", "the first model at 127.0.0.1:9", ""},
		"zeta":       {"zeta", "Gemini CLI: gemini --acp --model x, in /no/such/folder", "The folder /no/such/folder is not there. Make it, or change cwd."},
		"gemini":     {"gemini", "Gemini CLI: gemini --acp", ""},
		"codex":      {"codex", "Codex: codex-acp", "codex is here, its adapter codex-acp is not on PATH. Install it: npm install -g @agentclientprotocol/codex-acp (Node.js 20 or later)"},
		"playground": {"playground", "A SQL desk on ~/state/playground.db. No network, no key.", ""},
	} {
		if diff := cmp.Diff(want, row(t, rows, name)); diff != "" {
			t.Error(diff)
		}
	}
	if got := row(t, rows, "ollama"); !strings.HasSuffix(got.What, ", qwen3:8b") || got.Missing != "" {
		t.Errorf("ollama is %+v", got)
	}
	if got := row(t, rows, "lm-studio"); got.Missing == "" {
		t.Errorf("a server without a model lacks nothing: %+v", got)
	}
	others := names(r.others(rows))
	if slices.Contains(others, "gemini") || !slices.Contains(others, "qwen") || !slices.Contains(others, "opencode") {
		t.Errorf("the others are %v", others)
	}
}

// A server that the configuration describes is not listed a second time.
func TestAGT6_ADescribedServerIsNotFoundAgain(t *testing.T) {
	programs(t)
	base := modelServer(t, `{"data":[{"id":"m"}]}`)
	r := rosterOf(t, "agents:\n  mine:\n    openai: {base_url: '"+strings.Replace(base, "127.0.0.1", "localhost", 1)+"/'}\n")
	r.servers = []known.Endpoint{{Name: "ollama", What: "Ollama", BaseURL: base}}
	if got := names(r.rows(t.Context())); !cmp.Equal(got, []string{"mine", "playground"}) {
		t.Errorf("the list is %v", got)
	}
}

func TestAGT6_WhatAStartOpens(t *testing.T) {
	for _, tc := range []struct {
		name, text string
		programs   []string
		want       string
		ask        bool
	}{
		{"nothing here", "", nil, "playground", false},
		{"something found", "", []string{"gemini"}, "playground", true},
		{"an adapter is missing", "", []string{"claude"}, "playground", false},
		{"something described", "agents:\n  x:\n    command: [y]\n", nil, "playground", true},
		{"named in the file", "agent: gemini\n", []string{"gemini"}, "gemini", false},
		{"the playground is named", "agent: playground\n", []string{"gemini"}, "playground", false},
	} {
		programs(t, tc.programs...)
		r := rosterOf(t, tc.text)
		// A server that is asked would hold the first frame up (P1).
		r.servers = []known.Endpoint{{Name: "ollama", What: "Ollama", BaseURL: "http://" + silent(t) + "/v1"}}
		if got, ask := r.first(); got != tc.want || ask != tc.ask {
			t.Errorf("%s: opens %q, asks %v", tc.name, got, ask)
		}
	}
}

// silent is the address of a server that must not be asked.
func silent(t *testing.T) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("a server was asked") }))
	t.Cleanup(s.Close)
	return s.Listener.Addr().String()
}

func TestAGT6_OpenSaysWhatIsWrong(t *testing.T) {
	programs(t, "codex")
	r := rosterOf(t, described)
	r.servers = []known.Endpoint{{Name: "vllm", What: "vLLM", BaseURL: "http://127.0.0.1:1/v1"}}
	for name, want := range map[string]string{
		"alpha":  "not-here is not on PATH.",
		"hosted": "The variable EXAMPLE_KEY is not set",
		"zeta":   "The folder /no/such/folder is not there.",
		"codex":  "codex is here, its adapter codex-acp is not on PATH. Install it: npm install",
		"qwen":   "qwen is not on PATH. Install it: npm install",
		"vllm":   "vLLM does not answer at 127.0.0.1:1.",
		"nobody": `there is no agent "nobody"; described are alpha, claude, hosted, local, zeta; copydesk agents lists`,
	} {
		if agent, _, err := r.open(t.Context(), name); err == nil || agent != nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAGT6_OpenMakesEachKindOfAgent(t *testing.T) {
	programs(t, "goose", "claude-agent-acp")
	base := modelServer(t, `{"data":[{"id":"m1"},{"id":"m2"}]}`)
	r := rosterOf(t, described, "EXAMPLE_KEY=sk-SENTINEL9")
	r.servers = []known.Endpoint{{Name: "ollama", What: "Ollama", BaseURL: base}}
	wd := shortened(r.dir, r.env("HOME"))
	for name, title := range map[string]string{
		"claude": "claude · ~", "hosted": "hosted · " + wd, "goose": "goose · " + wd, "ollama": "ollama · " + wd,
		"playground": "playground · ~/state/playground.db",
	} {
		agent, o, err := r.open(t.Context(), name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if agent.Name() != name || o.Title != title || o.Hint == "" || o.Loose != (name == "playground") {
			t.Errorf("%s is called %q and shown as %+v", name, agent.Name(), o)
		}
		if c, ok := agent.(io.Closer); ok {
			if err := c.Close(); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	// A folder that the user names counts more than the configuration's.
	if err := r.workIn(t.TempDir()); err != nil {
		t.Fatal(err)
	}
	if _, o, err := r.open(t.Context(), "claude"); err != nil || o.Title != "claude · "+r.dir {
		t.Errorf("shown as %+v, %v", o, err)
	}
}

// The playground's file is opened when its agent is, not before (P1), and
// several panes share it.
func TestThePlaygroundIsOpenedWhenItIsAskedFor(t *testing.T) {
	programs(t)
	r := rosterOf(t, "")
	r.rows(t.Context())
	r.first()
	if _, err := os.Stat(r.databasePath()); err == nil {
		t.Error("the database was made before anybody asked for it")
	}
	one, _, err := r.open(t.Context(), "playground")
	if err != nil {
		t.Fatal(err)
	}
	two, _, err := r.open(t.Context(), "playground")
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range one.Run(context.Background(), "create table shared with name text") {
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, err := range two.Run(context.Background(), `insert into shared name "Ada"`) {
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, a := range []any{one, two} {
		if err := a.(io.Closer).Close(); err != nil {
			t.Error(err)
		}
	}
}

// A changed configuration is for what is opened next.
func TestAChangedConfigurationIsForTheNextPane(t *testing.T) {
	programs(t, "goose")
	r := rosterOf(t, "")
	c := r.config()
	c.Agents = config.Agents{"new": {Command: config.Argv{"goose"}}}
	if _, _, err := r.open(t.Context(), "new"); err == nil {
		t.Error("opened before it was described")
	}
	r.configure(c)
	if _, _, err := r.open(t.Context(), "new"); err != nil {
		t.Error(err)
	}
}

func TestAgentsListsForScripts(t *testing.T) {
	programs(t, "goose")
	i := invoke(t).configure("agents:\n  mine:\n    command: [not-here, \"\\x1b[2J\"]\n")
	code, stdout, stderr := i.run("agents")
	if code != exitOK || stderr != "" || strings.Contains(stdout, "\x1b") {
		t.Fatalf("exit %d, %q, %q", code, stdout, stderr)
	}
	for _, want := range []string{"mine ", "not-here ␛[2J", "not-here is not on PATH.", "goose ", "playground ", "  ready\n"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("%q is not in\n%s", want, stdout)
		}
	}
	if strings.Contains(stdout, "\nqwen ") {
		t.Errorf("what is not here is listed without --all:\n%s", stdout)
	}
	if _, stdout, _ := i.run("agents", "--all"); !strings.Contains(stdout, "\nqwen ") {
		t.Errorf("--all leaves out what is not here:\n%s", stdout)
	}
	_, stdout, _ = i.run("agents", "--json")
	var rows []agentRow
	if err := json.Unmarshal([]byte(stdout), &rows); err != nil {
		t.Fatalf("%v\n%s", err, stdout)
	}
	if row(t, rows, "goose").Missing != "" || row(t, rows, "mine").Missing == "" {
		t.Errorf("the rows are %+v", rows)
	}
}
