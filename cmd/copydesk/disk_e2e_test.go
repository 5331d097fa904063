//go:build e2e

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestE2E_R21_AFullDisk fills the disk of the state folder while an agent talks:
// the work goes on, a line says what is wrong, and all of it is saved once there
// is room.
func TestE2E_R21_AFullDisk(t *testing.T) {
	d := startAgent(t, 100, 30)
	state := filepath.Join(d.dir, "small")
	if err := os.Mkdir(state, 0o700); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=256k", "none", state).CombinedOutput(); err != nil {
		t.Skipf("SKIPPED: a small disk cannot be mounted here: %v: %s", err, out)
	}
	t.Cleanup(func() { _ = exec.Command("umount", "-l", state).Run() })
	ballast := filepath.Join(state, "ballast")
	fill := func(size int) {
		if err := os.WriteFile(ballast, make([]byte, size), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	fill(200 << 10)
	d.tmux("set-option", "-g", "remain-on-exit", "on")
	d.tmux("respawn-pane", "-k", "env XDG_STATE_HOME="+state+" "+built+" --config "+filepath.Join(d.dir, "config.yaml"))
	d.shows("Connected to crier", "❯")
	d.line("count 12000")
	d.shows("Not saved", "No space left on the disk.")
	d.shows("#012000")
	d.line("hello")
	d.shows("heard: hello", "Not saved")
	if err := os.Truncate(ballast, 0); err != nil {
		t.Fatal(err)
	}
	// 12,000 lines of 8 bytes and what else there is have room now.
	screen := d.until("everything saved", func(s string) bool { return strings.Contains(s, "saved ") && !strings.Contains(s, "Not saved") })
	d.kill()

	out, err := exec.Command("env", "XDG_STATE_HOME="+state, "HOME="+d.dir, built, "sessions", "list").Output()
	if err != nil {
		t.Fatal(err)
	}
	id := strings.Fields(string(out))[0]
	session, err := exec.Command("env", "XDG_STATE_HOME="+state, "HOME="+d.dir, built, "sessions", "export", id, "--format", "txt").CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, session)
	}
	if n := strings.Count(string(session), "\n#"); n != 12000 || !strings.Contains(string(session), "heard: hello") || strings.Contains(string(session), "skipped") {
		t.Errorf("%d of 12000 lines are in the session; the screen was\n%s", n, screen)
	}
}
