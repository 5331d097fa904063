package main

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// An invocation is one start of the program for a test.
type invocation struct {
	t     *testing.T
	env   []string // besides HOME and TERM
	stdin string
	home  string
}

func invoke(t *testing.T, env ...string) *invocation {
	t.Helper()
	return &invocation{t: t, env: env, home: t.TempDir()}
}

// configure writes the configuration file.
func (i *invocation) configure(text string) *invocation {
	i.t.Helper()
	dir := filepath.Join(i.home, ".config", "copydesk")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		i.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "config.yaml"), []byte(text), 0o600); err != nil {
		i.t.Fatal(err)
	}
	return i
}

// process gives the process with its standard output in a file.
func (i *invocation) process(stderr io.Writer, args ...string) (process, func() string) {
	i.t.Helper()
	in := filepath.Join(i.t.TempDir(), "in")
	if err := os.WriteFile(in, []byte(i.stdin), 0o600); err != nil {
		i.t.Fatal(err)
	}
	stdin, err := os.Open(in)
	if err != nil {
		i.t.Fatal(err)
	}
	stdout, err := os.CreateTemp(i.t.TempDir(), "out")
	if err != nil {
		i.t.Fatal(err)
	}
	i.t.Cleanup(func() { stdin.Close(); stdout.Close() })
	all := append([]string{"HOME=" + i.home, "TERM=xterm-256color", "PATH=" + os.Getenv("PATH")}, i.env...)
	vars := map[string]string{}
	for _, pair := range all {
		name, value, _ := strings.Cut(pair, "=")
		vars[name] = value
	}
	p := process{
		args: args, stdin: stdin, stdout: stdout, stderr: stderr,
		env: func(name string) string { return vars[name] }, environ: func() []string { return all },
	}
	return p, func() string {
		data, err := os.ReadFile(stdout.Name())
		if err != nil {
			i.t.Fatal(err)
		}
		return string(data)
	}
}

func (i *invocation) run(args ...string) (code int, stdout, stderr string) {
	i.t.Helper()
	var errs shared
	p, out := i.process(&errs, args...)
	code = run(p)
	if strings.Contains(errs.String(), "\x1b") {
		i.t.Errorf("an escape byte on standard error: %q", errs.String())
	}
	return code, out(), errs.String()
}

// shared is a buffer for several goroutines.
type shared struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *shared) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *shared) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

func until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); !ok(); {
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain for %s", what)
		}
		runtime.Gosched()
	}
}

func TestRunThePlaygroundWithoutAScreen(t *testing.T) {
	i := invoke(t)
	db := filepath.Join(i.home, "shop.db")
	for _, step := range []struct {
		stdin          string
		args           []string
		stdout, stderr string
	}{
		{"", []string{"create table c with name text"}, "```sql\nCREATE TABLE", "copydesk: Table c created"},
		{"insert into c name \"Ada\"\n", nil, "```sql\nINSERT", "copydesk: 1 row inserted into c"},
		{"", []string{"show", "c"}, "| Ada", ""},
	} {
		i.stdin = step.stdin
		code, stdout, stderr := i.run(append([]string{"run", "--agent", "playground", "--db", db}, step.args...)...)
		if code != exitOK || !strings.Contains(stdout, step.stdout) || !strings.Contains(stderr, step.stderr) {
			t.Fatalf("%q %q: exit %d\n%s\n%s", step.stdin, step.args, code, stdout, stderr)
		}
	}
	code, stdout, stderr := i.run("run", "--agent", "playground", "--db", db, "drop table c")
	if code != exitRejected || !strings.Contains(stderr, "copydesk: refused, because nobody is here to answer: Drop the table c and its 1 row?") ||
		!strings.Contains(stderr, "  Statement: DROP TABLE c\n") {
		t.Errorf("exit %d\n%s\n%s", code, stdout, stderr)
	}
	if code, stdout, _ := i.run("run", "--agent", "playground", "--db", db, "show c"); code != exitOK || !strings.Contains(stdout, "Ada") {
		t.Errorf("the refused drop was done: exit %d\n%s", code, stdout)
	}
	if code, stdout, stderr := i.run("run", "--agent", "playground", "--db", db, "show nothing_like_it"); code != exitFailed || stdout != "" || !strings.HasPrefix(stderr, "copydesk: ") {
		t.Errorf("a failed turn: exit %d, %q, %q", code, stdout, stderr)
	}
}

func TestRunThePlaygroundAsJSON(t *testing.T) {
	i := invoke(t)
	db := filepath.Join(i.home, "shop.db")
	if code, _, stderr := i.run("run", "--agent", "playground", "--db", db, `create table c with name text`); code != 0 {
		t.Fatal(stderr)
	}
	if code, _, stderr := i.run("run", "--agent", "playground", "--db", db, `insert into c name "Ada"`); code != 0 {
		t.Fatal(stderr)
	}
	code, stdout, stderr := i.run("run", "--agent", "playground", "--db", db, "--json", "drop table c")
	events := decode(t, stdout)
	if code != exitRejected || stderr != "" || len(events) < 2 {
		t.Fatalf("exit %d, %q\n%s", code, stderr, stdout)
	}
	asked, end := events[len(events)-2], events[len(events)-1]
	if asked["event"] != "request" || asked["kind"] != "approval" || asked["fields"] == nil {
		t.Errorf("the request is %v", asked)
	}
	if diff := cmp.Diff(map[string]any{"event": "end", "outcome": "refused"}, end); diff != "" {
		t.Error(diff)
	}
	code, stdout, _ = i.run("run", "--agent", "playground", "--db", db, "--json", "show nothing_like_it")
	events = decode(t, stdout)
	if end := events[len(events)-1]; code != exitFailed || end["outcome"] != "failed" || end["error"] == nil {
		t.Errorf("exit %d, %v", code, end)
	}
}

// decode reads the lines of --json.
func decode(t *testing.T, text string) []map[string]any {
	t.Helper()
	var out []map[string]any
	for line := range strings.Lines(text) {
		var v map[string]any
		if err := json.Unmarshal([]byte(line), &v); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		out = append(out, v)
	}
	return out
}

func TestRunWithWordsThatCannotBeUnderstood(t *testing.T) {
	for _, tc := range []struct {
		stdin string
		args  []string
		want  string
	}{
		{"", []string{"run", "--agent", "nobody", "hello"}, `there is no agent "nobody"`},
		{"", []string{"run", "hello"}, "no agent is named"},
		{"", []string{"run", "--agent", "playground"}, "the prompt is empty"},
		{" \n\t\n", []string{"run", "--agent", "playground"}, "the prompt is empty"},
		{"a\xff", []string{"run", "--agent", "playground"}, "the prompt is not UTF-8"},
		{"", []string{"run", "--agent", "playground", "--cwd", "/no/such/folder", "help"}, "The folder /no/such/folder is not there."},
		{"", []string{"run", "--agent", "playground", "--colour", "help"}, "unknown flag"},
	} {
		i := invoke(t)
		i.stdin = tc.stdin
		if code, stdout, stderr := i.run(tc.args...); code != exitRefused || stdout != "" || !strings.Contains(stderr, tc.want) {
			t.Errorf("%q: exit %d, %q, %q", tc.args, code, stdout, stderr)
		}
	}
}

func TestRunWithoutAFlagTakesTheConfiguredAgent(t *testing.T) {
	i := invoke(t).configure("agent: playground\n")
	if code, stdout, stderr := i.run("run", "help"); code != exitOK || stdout+stderr == "" {
		t.Errorf("exit %d, %q, %q", code, stdout, stderr)
	}
}

func TestRunAnAgentThatIsNotInstalled(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	i := invoke(t).configure("agents:\n  own:\n    command: [no-such-program-here]\n")
	for name, want := range map[string]string{
		"own":    "copydesk: no-such-program-here is not on PATH. Install it, or give its absolute path in config.yaml.",
		"gemini": "copydesk: gemini is not on PATH. Install it: npm install -g @google/gemini-cli",
	} {
		if code, stdout, stderr := i.run("run", "--agent", name, "hello"); code != exitFailed || stdout != "" || !strings.HasPrefix(stderr, want) {
			t.Errorf("%s: exit %d, %q, %q", name, code, stdout, stderr)
		}
	}
}
