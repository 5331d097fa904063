//go:build e2e && unix

package deliver

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/creack/pty"
)

// startSway starts a headless compositor and points this process to it. Sway
// refuses root, so it runs as nobody then.
func startSway(t testing.TB) *exec.Cmd {
	t.Helper()
	need(t, "sway", "wl-paste", "wl-copy")
	dir, err := os.MkdirTemp("", "sway")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	conf, run := filepath.Join(dir, "conf"), filepath.Join(dir, "run")
	if err := os.WriteFile(conf, []byte("xwayland disable\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(run, 0o700); err != nil {
		t.Fatal(err)
	}
	server := exec.Command("sway", "-c", conf)
	server.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + run, "XDG_RUNTIME_DIR=" + run,
		"WLR_BACKENDS=headless", "WLR_LIBINPUT_NO_DEVICES=1", "WLR_RENDERER=pixman",
	}
	server.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if os.Getuid() == 0 {
		nobody, err := user.Lookup("nobody")
		if err != nil {
			t.Skipf("SKIPPED: sway refuses root, and there is no user nobody: %v", err)
		}
		uid, _ := strconv.Atoi(nobody.Uid)
		gid, _ := strconv.Atoi(nobody.Gid)
		server.SysProcAttr.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
		for _, path := range []string{dir, run} {
			if err := os.Chown(path, uid, gid); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = syscall.Kill(-server.Process.Pid, syscall.SIGKILL)
		_ = server.Wait()
	})
	until(t, "the compositor is there", func() bool {
		_, err := os.Stat(filepath.Join(run, "wayland-1"))
		return err == nil
	})
	t.Setenv("XDG_RUNTIME_DIR", run)
	t.Setenv("WAYLAND_DISPLAY", "wayland-1")
	t.Setenv("DISPLAY", "")
	t.Setenv("TMUX", "")
	return server
}

// pastedWayland is what another program gets from the clipboard.
func pastedWayland(t testing.TB, more ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patient)
	defer cancel()
	out, err := exec.CommandContext(ctx, "wl-paste", append([]string{"--no-newline"}, more...)...).Output()
	if err != nil {
		return fmt.Sprintf("(nothing: %v)", err)
	}
	return string(out)
}

func TestE2E_WaylandOutlivesTheProgramAndItsTerminal(t *testing.T) {
	startSway(t)
	for _, body := range []string{"one line", "▎wide 漢字 \t\x1b[31m\r\n\n", strings.Repeat("0123456789abcdef", 20_000)} {
		if got := copyAndExit(t, body); got != "wayland=owned" {
			t.Errorf("%d bytes: %s", len(body), got)
		}
		if got := pastedWayland(t); got != body {
			t.Errorf("pasted %d bytes %.40q, want %d", len(got), got, len(body))
		}
	}
	copyInATerminalThatCloses(t, "still here")
	if got := pastedWayland(t); got != "still here" {
		t.Errorf("after the terminal closed: pasted %.40q", got)
	}
}

// copyInATerminalThatCloses copies on a terminal of its own, and hangs it up.
func copyInATerminalThatCloses(t *testing.T, body string) {
	t.Helper()
	cmd := exec.Command(self(t), copyArg)
	cmd.Stdin = strings.NewReader(body)
	master, tty, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdout = tty
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: 1}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	tty.Close()
	said := make([]byte, 200)
	n, _ := master.Read(said)
	master.Close()
	_ = cmd.Wait() // it may end before it is hung up, or by that
	if !strings.Contains(string(said[:n]), "=owned") {
		t.Fatalf("it said %q", said[:n])
	}
}

func TestE2E_X11OutlivesTheTerminal(t *testing.T) {
	startX(t)
	copyInATerminalThatCloses(t, "still here")
	if got := pasted(t); got != "still here" {
		t.Errorf("after the terminal closed: pasted %.40q", got)
	}
}

func TestE2E_ThePrimarySelection(t *testing.T) {
	t.Run("X11", func(t *testing.T) {
		startX(t)
		d := desktop(t)
		d.primary = true
		if got := brief(d.Copy(context.Background(), "both")); got != "x11=owned" {
			t.Fatal(got)
		}
		out, err := exec.Command("xclip", "-out", "-selection", "primary").Output()
		if string(out) != "both" || pasted(t) != "both" {
			t.Errorf("primary %q, %v; clipboard %q", out, err, pasted(t))
		}
	})
	t.Run("Wayland", func(t *testing.T) {
		startSway(t)
		d := desktop(t)
		d.primary = true
		if got := brief(d.Copy(context.Background(), "both")); got != "wayland=owned" {
			t.Fatal(got)
		}
		if primary, clip := pastedWayland(t, "--primary"), pastedWayland(t); primary != "both" || clip != "both" {
			t.Errorf("primary %q, clipboard %q", primary, clip)
		}
	})
}

func TestE2E_AFleetingOwnerEndsWithTheProgram(t *testing.T) {
	startX(t)
	d := desktop(t)
	d.fleeting = true
	if got := brief(d.Copy(context.Background(), "mine")); got != "x11=owned" || pasted(t) != "mine" {
		t.Fatalf("%s, pasted %q", got, pasted(t))
	}
	d.leash.Close() // as the kernel does when the program ends
	until(t, "no owner is left", func() bool { return len(owners(t)) == 0 })
}

// desktop delivers in the environment of this process, without a terminal.
func desktop(t testing.TB) *Deliverer {
	return New(Options{
		Env: os.Getenv, LookPath: exec.LookPath, Exe: self(t), Go: func(f func()) { go f() }, Limit: patient,
		Lineage: Lineage, ProcessEnv: ProcessEnv,
	})
}
