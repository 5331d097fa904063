//go:build unix

package deliver

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"copydesk/core/clipboard"
)

// The test binary is its own clipboard owner, as the program is.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == OwnerArg {
		os.Exit(OwnerMain(os.Stdin, os.Stdout))
	}
	if len(os.Args) > 1 && os.Args[1] == copyArg {
		os.Exit(copyStdin())
	}
	os.Exit(m.Run())
}

// copyArg makes the test binary a program that copies its standard input, says
// what became of it, and ends.
const copyArg = "__copy"

func copyStdin() int {
	body, err := io.ReadAll(os.Stdin)
	if err != nil {
		return 1
	}
	d := New(Options{Env: os.Getenv, LookPath: exec.LookPath, Exe: os.Args[0], Go: func(f func()) { go f() }})
	fmt.Println(brief(d.Copy(context.Background(), string(body))))
	return 0
}

// quick is the limit of copies that are expected to reach it, patient that of
// copies that are not, on a machine with other things to do.
const (
	quick   = 400 * time.Millisecond
	patient = 30 * time.Second
)

// A rig is a Deliverer among fakes: tools are shell scripts in a directory of
// their own.
type rig struct {
	t        *testing.T
	dir      string
	terminal *fakeTerminal
	options  Options
}

func newRig(t *testing.T, env ...string) *rig {
	t.Helper()
	vars := map[string]string{"TERM": "xterm-256color", "PATH": os.Getenv("PATH")}
	for _, pair := range env {
		name, value, _ := strings.Cut(pair, "=")
		vars[name] = value
	}
	r := &rig{t: t, dir: t.TempDir(), terminal: &fakeTerminal{}}
	r.options = Options{
		Env: func(name string) string { return vars[name] },
		LookPath: func(program string) (string, error) {
			return exec.LookPath(filepath.Join(r.dir, program))
		},
		Terminal: r.terminal,
		Go:       func(f func()) { go f() },
		Limit:    patient,
	}
	r.options.Exe = r.script("owner", `echo "err x11 cannot reach the X server"`)
	return r
}

// script writes a program; $DIR is the rig's directory.
func (r *rig) script(name, body string) string {
	r.t.Helper()
	path := r.path(name)
	text := "#!/bin/sh\nDIR='" + r.dir + "'\n" + body + "\n"
	if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
		r.t.Fatal(err)
	}
	return path
}

func (r *rig) path(name string) string { return filepath.Join(r.dir, name) }

// file returns what a script left in a file, "" if there is none.
func (r *rig) file(name string) string {
	p, _ := os.ReadFile(r.path(name))
	return string(p)
}

func (r *rig) copy(body string) clipboard.Receipt {
	return New(r.options).Copy(context.Background(), body)
}

// fakeTerminal keeps what is written to it. While its gate is held it does not
// read.
type fakeTerminal struct {
	gate    sync.Mutex
	mu      sync.Mutex
	written []string
	onWrite func()
	err     error
}

func (f *fakeTerminal) WriteRaw(p []byte) error {
	f.gate.Lock()
	defer f.gate.Unlock()
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err != nil {
		return f.err
	}
	if f.onWrite != nil {
		f.onWrite()
	}
	f.written = append(f.written, string(p))
	return nil
}

func (f *fakeTerminal) sequences() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]string(nil), f.written...)
}

// brief words a receipt as "ROUTE=OUTCOME" pairs, with the reason of a failure.
func brief(r clipboard.Receipt) string {
	var parts []string
	for _, route := range r.Routes {
		outcome := route.Outcome.String()
		if route.Outcome == clipboard.Failed {
			outcome = "failed(" + route.Reason + ")"
		}
		parts = append(parts, route.Route+"="+outcome)
	}
	return strings.Join(parts, " ")
}

// tmuxSays is tmux's answer: the clients that are attached, allow-passthrough,
// and TERM of the client, whose process is 77.
func tmuxSays(short string) string {
	f := strings.Split(short, "|")
	return fmt.Sprintf("3.3a|external|%s|%s|77|%s||", f[1], f[0], f[2])
}

// until polls until the condition holds.
func until(t testing.TB, what string, cond func() bool) {
	t.Helper()
	for end := time.Now().Add(patient); !cond(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited in vain until %s", what)
		}
	}
}

// alive reports whether a process runs; one that nobody has waited for does not.
func alive(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err != nil || !bytes.Contains(stat, []byte(") Z "))
}

// pids returns the process ids that scripts noted in a file.
func (r *rig) pids(name string) []int {
	var out []int
	for _, field := range strings.Fields(r.file(name)) {
		pid, err := strconv.Atoi(field)
		if err != nil {
			r.t.Fatalf("%s: %v", name, err)
		}
		out = append(out, pid)
	}
	return out
}
