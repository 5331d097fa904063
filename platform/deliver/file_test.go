//go:build unix

package deliver

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"copydesk/core/clipboard"
)

func morning() time.Time { return time.Date(2026, 11, 21, 8, 30, 0, 0, time.UTC) }

// withState gives the rig a state folder that is not there yet.
func withState(r *rig) string {
	r.options.StateDir = r.path("state")
	r.options.Now = morning
	return filepath.Join(r.options.StateDir, "copies")
}

func TestCLP_TheLastResortIsAFile(t *testing.T) {
	r := newRig(t, "TERM=linux")
	dir := withState(r)
	const body = "one\n\x00\xff\x1b[31m"
	first := filepath.Join(dir, "copy-20261121-083000.txt")

	receipt := r.copy(body)
	want := []clipboard.RouteResult{
		{Route: "osc52", Reason: "this terminal ignores it", Mend: "Use a terminal that takes OSC 52, such as kitty, foot or alacritty."},
		{Route: "file", Outcome: clipboard.Saved, Path: first},
	}
	if diff := cmp.Diff(want, receipt.Routes); diff != "" {
		t.Errorf("receipt (-want +got):\n%s", diff)
	}
	if got, err := os.ReadFile(first); err != nil || string(got) != body {
		t.Errorf("the file holds %q, %v", got, err)
	}
	for path, mode := range map[string]os.FileMode{first: 0o600, dir: 0o700} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != mode {
			t.Errorf("%s: %v, %v", path, info.Mode(), err)
		}
	}

	second := r.copy("again").Routes[1].Path
	if second != filepath.Join(dir, "copy-20261121-083000-2.txt") {
		t.Errorf("the second file is %s", second)
	}
	if got, _ := os.ReadFile(first); string(got) != body {
		t.Errorf("the first file holds %q", got)
	}
}

func TestNoFileWhereARouteTookTheText(t *testing.T) {
	r := newRig(t)
	dir := withState(r)
	if got, want := brief(r.copy("hi")), "osc52=sent"; got != want {
		t.Errorf("receipt %q, want %q", got, want)
	}
	r.options.Route = "off"
	r.copy("hi")
	if _, err := os.Stat(dir); err == nil {
		t.Error("there is a folder for copies")
	}
}

func TestATextThatNothingTookInTimeIsSaved(t *testing.T) {
	r := newRig(t, "DISPLAY=:9")
	withState(r)
	r.options.Limit = quick
	r.options.Exe = r.script("owner", "exec sleep 60")
	r.terminal.gate.Lock()
	defer r.terminal.gate.Unlock()
	receipt := r.copy("hi")
	if got, want := brief(receipt), "osc52=failed(the terminal has not taken it yet) x11=failed(no answer within 0.4 s) file=saved"; got != want {
		t.Errorf("receipt %q, want %q", got, want)
	}
}

func TestACopyThatIsGivenUpLeavesNoFile(t *testing.T) {
	r := newRig(t, "TERM=linux")
	dir := withState(r)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if got := New(r.options).Copy(ctx, "hi"); got.Best() != clipboard.Failed {
		t.Errorf("receipt %q", brief(got))
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("there is a folder for copies")
	}
}

func TestCopyFile(t *testing.T) {
	r := newRig(t)
	dir := withState(r)
	inner := r.options.Env
	r.options.Env = func(name string) string {
		if name == "HOME" {
			return r.dir
		}
		return inner(name)
	}
	if err := os.WriteFile(r.path("mine"), []byte("precious"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(r.path("nowhere"), r.path("link")); err != nil {
		t.Fatal(err)
	}
	exists := func(name string) string {
		return "file=failed(" + r.path(name) + ": the file exists already, and was left as it is)"
	}
	for _, tt := range []struct{ path, body, want, where string }{
		{"", "x", "file=saved", filepath.Join(dir, "copy-20261121-083000.txt")},
		{r.path("new"), strings.Repeat("long", 1<<20), "file=saved", r.path("new")},
		{"~/home", "x", "file=saved", r.path("home")},
		{r.path("mine"), "x", exists("mine"), ""},
		{r.path("link"), "x", exists("link"), ""},
		{r.path("no/such/folder"), "x", "file=failed(open " + r.path("no/such/folder") + ": no such file or directory)", ""},
		{r.path("empty"), "", "=failed(the text is empty)", ""},
	} {
		receipt := New(r.options).File(context.Background(), tt.body, tt.path)
		if got := brief(receipt); got != tt.want || receipt.Routes[0].Path != tt.where || receipt.Bytes != len(tt.body) {
			t.Errorf("%q: receipt %q in %q, want %q", tt.path, got, receipt.Routes[0].Path, tt.want)
		}
		if tt.where == "" {
			continue
		}
		if got, err := os.ReadFile(tt.where); err != nil || string(got) != tt.body {
			t.Errorf("%q holds %d bytes, %v", tt.where, len(got), err)
		}
	}
	if got, _ := os.ReadFile(r.path("mine")); string(got) != "precious" {
		t.Errorf("the user's file holds %q", got)
	}
	for _, name := range []string{"nowhere", "empty"} {
		if _, err := os.Lstat(r.path(name)); err == nil {
			t.Errorf("%s was made", name)
		}
	}
	line, isError := New(r.options).File(context.Background(), "x", r.path("mine")).Say("Copied to clipboard.", 0)
	if !isError || !strings.HasSuffix(line, "Name another file, or remove that one first.") {
		t.Errorf("%q, %v", line, isError)
	}
}

func TestNoFileWithoutAStateFolder(t *testing.T) {
	r := newRig(t)
	if got := brief(New(r.options).File(context.Background(), "x", "")); got != "file=failed(there is no state folder to save it in)" {
		t.Errorf("receipt %q", got)
	}
}

func TestTheUsersOwnProgram(t *testing.T) {
	const body = "any \x00\xff bytes"
	r := newRig(t, "SSH_AUTH_SOCK=/agent", "DISPLAY=:9", "SECRET=x")
	r.options.Route = "command"
	r.script("send", `cat >$DIR/got; echo "$@" >$DIR/args; env >$DIR/env`)
	r.options.Command = []string{"send", "to", "my host; rm -rf"}
	if got, want := brief(r.copy(body)), "command=owned"; got != want {
		t.Errorf("receipt %q, want %q", got, want)
	}
	if got := r.file("got"); got != body {
		t.Errorf("it got %q", got)
	}
	if got := r.file("args"); got != "to my host; rm -rf\n" {
		t.Errorf("its arguments were %q", got)
	}
	if env := r.file("env"); !strings.Contains(env, "SSH_AUTH_SOCK=/agent\n") || strings.Contains(env, "SECRET") {
		t.Errorf("its environment was %q", env)
	}
	if got := r.terminal.sequences(); len(got) > 0 {
		t.Errorf("the terminal got %q", got)
	}

	r.script("send", `echo "no route to host" >&2; exit 1`)
	line, isError := r.copy(body).Say("Copied to clipboard.", 0)
	if want := "Clipboard copy failed: no route to host (command)."; line != want || !isError {
		t.Errorf("%q, want %q", line, want)
	}
	r.options.Command = []string{"absent"}
	line, _ = r.copy(body).Say("Copied to clipboard.", 0)
	if want := "Clipboard utility not found: absent."; line != want {
		t.Errorf("%q, want %q", line, want)
	}
	r.options.Command = nil
	if got, want := brief(r.copy(body)), "command=failed(clipboard.command names no program)"; got != want {
		t.Errorf("receipt %q, want %q", got, want)
	}
}

func TestWSLAndTermuxHaveToolsOfTheirOwn(t *testing.T) {
	for _, tt := range []struct {
		name, env, tool, want string
		args                  string
	}{
		{"WSL", "WSL_INTEROP=/run/x", "powershell.exe", "osc52=sent powershell.exe=owned", "-NoProfile -NonInteractive -Command " + powershellSet},
		{"Termux", "TERMUX_VERSION=0.118", "termux-clipboard-set", "osc52=sent termux-clipboard-set=owned", ""},
	} {
		r := newRig(t, tt.env)
		r.script(tt.tool, `cat >$DIR/got; echo "$@" >$DIR/args; env >$DIR/env`)
		if got := brief(r.copy("ünïcode 漢字")); got != tt.want {
			t.Errorf("%s: receipt %q, want %q", tt.name, got, tt.want)
		}
		if got := r.file("got"); got != "ünïcode 漢字" {
			t.Errorf("%s: it got %q", tt.name, got)
		}
		if got := strings.TrimSpace(r.file("args")); got != tt.args {
			t.Errorf("%s: its arguments were %q", tt.name, got)
		}
		if tt.name == "WSL" && !strings.Contains(r.file("env"), tt.env+"\n") {
			t.Errorf("%s: its environment was %q", tt.name, r.file("env"))
		}
	}
	r := newRig(t, "WSL_INTEROP=/run/x", "WT_SESSION=1")
	r.script("powershell.exe", `cat >$DIR/got`)
	if got, want := brief(r.copy("hi")), "osc52=sent"; got != want {
		t.Errorf("Windows Terminal: receipt %q, want %q", got, want)
	}
	long := strings.Repeat("x", 2<<20)
	if got := brief(r.copy(long)); !strings.HasPrefix(got, "osc52=failed(2.1 MB is more than ") || !strings.HasSuffix(got, " powershell.exe=owned") || r.file("got") != long {
		t.Errorf("Windows Terminal: receipt %q", got)
	}
	if d := New(newRig(t, "TERMUX_VERSION=0.118").options); d.limit < termuxWait {
		t.Errorf("Termux has %v", d.limit)
	}
	short := newRig(t, "TERMUX_VERSION=0.118").options
	short.Limit = quick
	if d := New(short); d.limit != termuxWait {
		t.Errorf("Termux has %v, want %v", d.limit, termuxWait)
	}
}
