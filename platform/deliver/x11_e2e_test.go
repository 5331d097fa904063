//go:build e2e && unix

package deliver

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"copydesk/core"
)

// need skips the test where a program is missing.
func need(t testing.TB, programs ...string) {
	t.Helper()
	for _, program := range programs {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("%s is not installed", program)
		}
	}
}

// self is the absolute path of the test binary.
func self(t testing.TB) string {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// startX starts an X server on a free display, and points this process to it.
func startX(t testing.TB) *exec.Cmd {
	t.Helper()
	need(t, "Xvfb", "xclip")
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	server := exec.Command("Xvfb", "-displayfd", "3", "-screen", "0", "640x480x24", "-nolisten", "tcp")
	server.ExtraFiles = []*os.File{w}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	w.Close()
	t.Cleanup(func() {
		_ = server.Process.Kill()
		_ = server.Wait()
	})
	var display int
	if _, err := fmt.Fscan(r, &display); err != nil {
		t.Fatalf("Xvfb names no display: %v", err)
	}
	t.Setenv("DISPLAY", ":"+strconv.Itoa(display))
	t.Setenv("WAYLAND_DISPLAY", "")
	t.Setenv("TMUX", "")
	return server
}

// pasted is what another program gets from the clipboard.
func pasted(t testing.TB) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patient)
	defer cancel()
	out, err := exec.CommandContext(ctx, "xclip", "-out", "-selection", "clipboard").Output()
	if err != nil {
		return fmt.Sprintf("(nothing: %v)", err)
	}
	return string(out)
}

// owners are the owner processes on the display of this process.
func owners(t testing.TB) []int {
	t.Helper()
	entries, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	var out []int
	for _, cmdline := range entries {
		args, _ := os.ReadFile(cmdline)
		env, _ := os.ReadFile(filepath.Join(filepath.Dir(cmdline), "environ"))
		if bytes.HasSuffix(args, []byte("\x00"+OwnerArg+"\x00")) &&
			bytes.Contains(env, []byte("DISPLAY="+os.Getenv("DISPLAY")+"\x00")) {
			pid, err := strconv.Atoi(filepath.Base(filepath.Dir(cmdline)))
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, pid)
		}
	}
	return out
}

// copyAndExit copies from a program that has ended when it returns.
func copyAndExit(t testing.TB, body string) string {
	t.Helper()
	cmd := exec.Command(self(t), copyArg)
	cmd.Stdin = strings.NewReader(body)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

func TestE2E_TheTextOutlivesTheProgram(t *testing.T) {
	startX(t)
	for _, body := range []string{
		"one line",
		"▎wide 漢字 \t\x1b[31m\r\n\n",
		strings.Repeat("0123456789 the quick brown fox\n", 4000),
		strings.Repeat("x", core.X11NativeBytes),
	} {
		if got := copyAndExit(t, body); got != "x11=owned" {
			t.Errorf("%d bytes: %s", len(body), got)
		}
		if got := pasted(t); got != body {
			t.Errorf("pasted %d bytes %.40q, want %d", len(got), got, len(body))
		}
	}
	until(t, "one owner is left", func() bool { return len(owners(t)) == 1 })

	owner := owners(t)[0]
	if err := syscall.Kill(owner, syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	if got := pasted(t); len(got) != core.X11NativeBytes {
		t.Errorf("after the terminal closed: pasted %.40q", got)
	}

	xclip := exec.Command("xclip", "-in", "-selection", "clipboard")
	xclip.Stdin = strings.NewReader("another program's")
	if err := xclip.Run(); err != nil {
		t.Fatal(err)
	}
	until(t, "no owner is left after another program copied", func() bool { return len(owners(t)) == 0 })
	if got := pasted(t); got != "another program's" {
		t.Errorf("pasted %.40q", got)
	}
}

func TestE2E_AboveTheLimitOfX11AToolTakesOver(t *testing.T) {
	startX(t)
	for _, n := range []int{core.X11NativeBytes + 1, 3_000_000} {
		body := strings.Repeat("0123456789abcdef", n/16+1)[:n]
		if got := copyAndExit(t, body); !strings.HasPrefix(got, "x11=failed(") || !strings.HasSuffix(got, " xclip=owned") {
			t.Errorf("%d bytes: %s", n, got)
		}
		// xclip ends a moment before its child owns the clipboard.
		until(t, fmt.Sprintf("%d bytes can be pasted", n), func() bool { return pasted(t) == body })
		if left := owners(t); len(left) > 0 {
			t.Errorf("owners %v were given %d bytes", left, n)
		}
	}
}

func TestE2E_TheOwnerEndsWithTheXServer(t *testing.T) {
	server := startX(t)
	if got := copyAndExit(t, "hi"); got != "x11=owned" {
		t.Fatal(got)
	}
	if err := server.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	until(t, "no owner is left", func() bool { return len(owners(t)) == 0 })
	if got := copyAndExit(t, "hi"); !strings.HasPrefix(got, "x11=failed(cannot reach the X server ") {
		t.Errorf("without an X server: %s", got)
	}
}

func TestE2E_AMuteXServer(t *testing.T) {
	var mute net.Listener
	for display := 40; display < 100 && mute == nil; display++ {
		if l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", 6000+display)); err == nil {
			mute = l
			t.Setenv("DISPLAY", fmt.Sprintf("127.0.0.1:%d", display))
		}
	}
	if mute == nil {
		t.Skip("no port of an X display is free")
	}
	defer mute.Close()
	t.Setenv("WAYLAND_DISPLAY", "")
	t.Setenv("TMUX", "")

	d := New(Options{
		Env: os.Getenv, LookPath: exec.LookPath, Exe: self(t),
		Go: func(f func()) { go f() }, Terminal: &fakeTerminal{},
	})
	began := time.Now()
	receipt := d.Copy(context.Background(), "hi")
	if took := time.Since(began); took > core.ToolTimeout+500*time.Millisecond {
		t.Errorf("took %v", took)
	}
	if got, want := brief(receipt), "osc52=sent x11=failed(no answer within 2 s)"; got != want {
		t.Errorf("receipt %q, want %q", got, want)
	}
	until(t, "no owner is left", func() bool { return len(owners(t)) == 0 })
}
