//go:build e2e

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// built is the program, built once for all end-to-end tests.
var built string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "copydesk-e2e-")
	if err != nil {
		panic(err)
	}
	built = filepath.Join(dir, "copydesk")
	build := exec.Command("go", "build", "-o", built, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "building copydesk: %v\n%s", err, out)
		os.Exit(1)
	}
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// needs skips a test, or fails it where everything is required, when a program
// is missing.
func needs(t *testing.T, programs ...string) {
	t.Helper()
	for _, program := range programs {
		if _, err := exec.LookPath(program); err != nil {
			if os.Getenv("COPYDESK_E2E_REQUIRE") == "1" {
				t.Fatalf("%s is missing; make e2e-deps installs it", program)
			}
			t.Skipf("SKIPPED: %s is missing; make e2e-deps installs it", program)
		}
	}
}

// A tmuxDesk is a desk that runs in a tmux server of its own.
type tmuxDesk struct {
	t    *testing.T
	dir  string
	sock string
}

// startDesktop starts copydesk in a window of the size. Lines of conf are
// tmux's configuration.
func startDesktop(t *testing.T, width, height int, conf string, args ...string) *tmuxDesk {
	t.Helper()
	needs(t, "tmux")
	d := newServer(t, conf)
	d.run(width, height, built+" "+strings.Join(args, " "))
	d.until("an input field", func(s string) bool { return strings.Contains(s, "❯") })
	return d
}

func newServer(t *testing.T, conf string) *tmuxDesk {
	t.Helper()
	dir, err := os.MkdirTemp("", "desk")
	if err != nil {
		t.Fatal(err)
	}
	d := &tmuxDesk{t: t, dir: dir, sock: filepath.Join(dir, "s")}
	if err := os.WriteFile(filepath.Join(dir, "tmux.conf"), []byte(conf+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = d.command("kill-server").Run()
		os.RemoveAll(dir)
	})
	return d
}

func (d *tmuxDesk) run(width, height int, program string) {
	d.t.Helper()
	d.tmux("new-session", "-d", "-x", fmt.Sprint(width), "-y", fmt.Sprint(height), program)
}

func (d *tmuxDesk) command(args ...string) *exec.Cmd {
	c := exec.Command("tmux", append([]string{"-S", d.sock, "-f", filepath.Join(d.dir, "tmux.conf")}, args...)...)
	c.Env = append(clean(os.Environ()), "HOME="+d.dir, "XDG_CONFIG_HOME="+d.dir+"/config", "XDG_STATE_HOME="+d.dir+"/state", "LANG=C.UTF-8", "TERM=xterm-256color")
	return c
}

// clean leaves out what would tell the program of another desktop.
func clean(env []string) []string {
	var out []string
	for _, v := range env {
		switch name, _, _ := strings.Cut(v, "="); name {
		case "TMUX", "TMUX_PANE", "STY", "DISPLAY", "WAYLAND_DISPLAY", "SSH_CONNECTION", "SSH_TTY", "SSH_CLIENT", "NO_COLOR", "COLORTERM", "LC_ALL":
		default:
			out = append(out, v)
		}
	}
	return out
}

func (d *tmuxDesk) tmux(args ...string) string {
	d.t.Helper()
	out, err := d.command(args...).CombinedOutput()
	if err != nil {
		d.t.Fatalf("tmux %s: %v: %s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

func (d *tmuxDesk) screen() string {
	d.t.Helper()
	return d.tmux("capture-pane", "-p")
}

// until polls the screen until it is as wanted.
func (d *tmuxDesk) until(what string, ok func(screen string) bool) string {
	d.t.Helper()
	var last string
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		out, _ := d.command("capture-pane", "-p").Output()
		if last = string(out); ok(last) {
			return last
		}
	}
	d.t.Fatalf("waited for %s; the screen is\n%s", what, last)
	return ""
}

func (d *tmuxDesk) shows(texts ...string) string {
	d.t.Helper()
	return d.until(fmt.Sprintf("%q", texts), func(s string) bool {
		for _, text := range texts {
			if !strings.Contains(s, text) {
				return false
			}
		}
		return true
	})
}

// keys sends keys by name, one after another.
func (d *tmuxDesk) keys(names ...string) {
	d.t.Helper()
	d.tmux(append([]string{"send-keys"}, names...)...)
}

// line types a line and sends it.
func (d *tmuxDesk) line(s string) {
	d.t.Helper()
	d.tmux("send-keys", "-l", s)
	d.keys("Enter")
}

// buffer is what tmux's newest paste buffer holds.
func (d *tmuxDesk) buffer() string {
	d.t.Helper()
	out, err := d.command("show-buffer").Output()
	if err != nil {
		return ""
	}
	return string(out)
}

func (d *tmuxDesk) untilBuffer(what string, ok func(string) bool) string {
	d.t.Helper()
	var last string
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if last = d.buffer(); ok(last) {
			return last
		}
	}
	d.t.Fatalf("waited for %s; tmux's buffer holds %q\nthe screen is\n%s", what, last, d.screen())
	return ""
}
