//go:build e2e

package main

import (
	"encoding/base64"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
)

// eventually polls until the condition holds.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !ok(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited in vain for %s", what)
		}
	}
}

// homeEnv is the environment of a user with an empty home, in no terminal and on
// no display.
func homeEnv(t *testing.T, more ...string) []string {
	t.Helper()
	dir := t.TempDir()
	env := []string{
		"HOME=" + dir, "XDG_CONFIG_HOME=" + dir + "/config", "XDG_STATE_HOME=" + dir + "/state",
		"LANG=C.UTF-8", "TERM=xterm-256color", "PATH=" + os.Getenv("PATH"), "SHELL=/bin/sh",
	}
	return append(env, more...)
}

// A console is a pseudo terminal that a program runs on, and its keyboard.
type console struct {
	t    *testing.T
	tty  *os.File
	cmd  *exec.Cmd
	mu   sync.Mutex
	said []byte
}

// openConsole starts a program on a terminal of 120 columns.
func openConsole(t *testing.T, env []string, program string, args ...string) *console {
	t.Helper()
	s := &console{t: t, cmd: exec.Command(program, args...)}
	s.cmd.Env = env
	tty, err := pty.StartWithSize(s.cmd, &pty.Winsize{Rows: 30, Cols: 120})
	if err != nil {
		t.Fatal(err)
	}
	s.tty = tty
	t.Cleanup(func() {
		_ = s.cmd.Process.Kill()
		_ = s.cmd.Wait()
		tty.Close()
	})
	go func() {
		p := make([]byte, 64<<10)
		for {
			n, err := tty.Read(p)
			s.mu.Lock()
			s.said = append(s.said, p[:n]...)
			s.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	return s
}

func (s *console) output() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return string(s.said)
}

func (s *console) keys(text string) {
	s.t.Helper()
	if _, err := s.tty.WriteString(text); err != nil {
		s.t.Fatal(err)
	}
}

// clipboard is the text of the last OSC 52 that the terminal got with the letter
// of the clipboard, or with none.
func (s *console) clipboard() string {
	out := s.output()
	for {
		i := strings.LastIndex(out, "\x1b]52;")
		if i < 0 {
			return ""
		}
		letter, payload, _ := strings.Cut(out[i+len("\x1b]52;"):], ";")
		if end := strings.IndexAny(payload, "\a\x1b"); end > 0 && (letter == "" || letter == "c") {
			text, err := base64.StdEncoding.DecodeString(payload[:end])
			if err == nil {
				return string(text)
			}
		}
		out = out[:i]
	}
}

// startX starts an X server and returns its display.
func startX(t *testing.T) string {
	t.Helper()
	needs(t, "Xvfb", "xclip")
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	server := exec.Command("Xvfb", "-displayfd", "3", "-screen", "0", "1280x900x24", "-nolisten", "tcp")
	server.ExtraFiles = []*os.File{w}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	w.Close()
	t.Cleanup(func() { _ = server.Process.Kill(); _ = server.Wait() })
	var display int
	if _, err := fmt.Fscan(r, &display); err != nil {
		t.Fatalf("Xvfb names no display: %v", err)
	}
	return ":" + strconv.Itoa(display)
}

// startSway starts a headless compositor and returns the variables that lead to
// it. Sway refuses root, so it runs as nobody then.
func startSway(t *testing.T) []string {
	t.Helper()
	needs(t, "sway", "wl-paste")
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
	t.Cleanup(func() { _ = syscall.Kill(-server.Process.Pid, syscall.SIGKILL); _ = server.Wait() })
	eventually(t, "the compositor", func() bool {
		_, err := os.Stat(filepath.Join(run, "wayland-1"))
		return err == nil
	})
	return []string{"XDG_RUNTIME_DIR=" + run, "WAYLAND_DISPLAY=wayland-1"}
}

// paste is what another program gets from a clipboard.
func paste(env []string, program string, args ...string) string {
	c := exec.Command("timeout", append([]string{"5", program}, args...)...)
	c.Env = env
	out, err := c.Output()
	if err != nil {
		return ""
	}
	return string(out)
}

// A window is a terminal emulator on a display, with the desk in it.
type window struct {
	t      *testing.T
	env    []string
	record string // what the desk writes to its terminal
}

// openWindow starts an emulator whose last arguments run a program. The desk in
// it gets the variables of inside; "-NAME" takes one away, and
// those come first.
func openWindow(t *testing.T, env, inside []string, emulator string, args ...string) *window {
	t.Helper()
	needs(t, emulator, "script")
	w := &window{t: t, env: env, record: filepath.Join(t.TempDir(), "record")}
	run := "exec env"
	for _, v := range inside {
		if name, gone := strings.CutPrefix(v, "-"); gone {
			run += " -u " + name
		} else {
			run += " " + v
		}
	}
	run += " script -qfc " + built + " " + w.record
	c := exec.Command(emulator, append(args, "sh", "-c", run)...)
	c.Env = append(env, "LIBGL_ALWAYS_SOFTWARE=1")
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Kill(-c.Process.Pid, syscall.SIGKILL); _ = c.Wait() })
	eventually(t, emulator+" with a desk", func() bool { return strings.Contains(w.output(), "❯") })
	return w
}

func (w *window) output() string {
	out, _ := os.ReadFile(w.record)
	return string(out)
}

func (w *window) run(program string, args ...string) string {
	w.t.Helper()
	c := exec.Command(program, args...)
	c.Env = w.env
	out, err := c.CombinedOutput()
	if err != nil {
		w.t.Fatalf("%s %s: %v: %s", program, args, err, out)
	}
	return string(out)
}

// typeX types a line with the keyboard of an X display.
func (w *window) typeX(class, line string) {
	w.t.Helper()
	needs(w.t, "xdotool")
	id := strings.Fields(w.run("xdotool", "search", "--sync", "--onlyvisible", "--class", class))[0]
	w.run("xdotool", "windowfocus", "--sync", id)
	w.run("xdotool", "type", "--delay", "20", line)
	w.run("xdotool", "key", "Return")
}

// typeWayland types a line with a keyboard that stays: without one foot has no
// focus, and drops OSC 52.
func (w *window) typeWayland(line string) {
	w.t.Helper()
	needs(w.t, "wtype")
	stays := exec.Command("wtype", "-s", "600000", "x")
	stays.Env = w.env
	if err := stays.Start(); err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { _ = stays.Process.Kill(); _ = stays.Wait() })
	w.run("wtype", "-s", "300", "-d", "20", line, "-k", "Return")
}
