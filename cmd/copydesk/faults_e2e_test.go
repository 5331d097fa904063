//go:build e2e

package main

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"
)

// answerLimit is how long a key may wait for its echo.
const answerLimit = 50 * time.Millisecond

// toolbox is a folder with programs of our own, which come before all others.
func toolbox(t *testing.T, scripts map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, body := range scripts {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+body+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return "PATH=" + dir + ":" + os.Getenv("PATH")
}

// muteDisplay is an X display that takes connections and never answers.
func muteDisplay(t *testing.T) string {
	t.Helper()
	for n := 60; n < 160; n++ {
		if l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", 6000+n)); err == nil {
			t.Cleanup(func() { l.Close() })
			return fmt.Sprintf("127.0.0.1:%d", n)
		}
	}
	t.Skip("SKIPPED: no port of an X display is free")
	return ""
}

// TestE2E_R44_KeysAreAnsweredWhileACopyHangs types while the copy is under way.
func TestE2E_R44_KeysAreAnsweredWhileACopyHangs(t *testing.T) {
	const noX = "DISPLAY=:4711"
	for _, tt := range []struct {
		name    string
		env     func(t *testing.T) []string
		receipt string
	}{
		{"a mute X server", func(t *testing.T) []string { return []string{"DISPLAY=" + muteDisplay(t)} }, `X11 failed: no answer within`},
		{"a tool that hangs", func(t *testing.T) []string {
			return []string{noX, toolbox(t, map[string]string{"xclip": "sleep 60 & wait"})}
		}, `xclip failed: no answer within`},
		{"a tool that floods and fails", func(t *testing.T) []string {
			return []string{noX, toolbox(t, map[string]string{"xclip": "head -c 10000000 /dev/zero | tr '\\0' e >&2; sleep 1; exit 1", "xsel": "exit 1"})}
		}, `xclip failed: eeeee`},
		{"a tool that fails", func(t *testing.T) []string {
			return []string{noX, toolbox(t, map[string]string{"xclip": "echo no luck >&2; exit 1", "xsel": "exit 1"})}
		}, `xclip failed: no luck`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			env := append(homeEnv(t), tt.env(t)...)
			s := openConsole(t, env, built)
			eventually(t, "a desk", func() bool { return strings.Contains(s.output(), "❯") })
			s.keys("copy all\r")
			var took []time.Duration
			for _, key := range "abcdefghijklmnopqrst" {
				took = append(took, echoed(t, s, string(key)))
				time.Sleep(20 * time.Millisecond) // as a hand types; the copy goes on meanwhile
			}
			slices.Sort(took)
			t.Logf("keys were answered within %v, p50 %v", took[len(took)-1], took[len(took)/2])
			if late := took[len(took)-2]; late > answerLimit {
				t.Errorf("keys were answered within %v: %v", late, took)
			}
			words := regexp.MustCompile(strings.ReplaceAll(regexp.QuoteMeta(tt.receipt), " ", `\s+`))
			eventually(t, "the receipt", func() bool { return words.MatchString(moves.ReplaceAllString(s.output(), " ")) })
			eventually(t, "the end of what was started", func() bool { return len(family(t, env, s.cmd.Process.Pid)) == 0 })
		})
	}
}

// echoed types a key and returns how long it takes until the screen shows it.
func echoed(t *testing.T, s *console, key string) time.Duration {
	t.Helper()
	before := len(s.output())
	began := time.Now()
	s.keys(key)
	for end := began.Add(5 * time.Second); !strings.Contains(moves.ReplaceAllString(s.output()[before:], ""), key); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%q was not answered", key)
		}
	}
	return time.Since(began)
}

// family are the processes with the home of an environment, but for one.
func family(t *testing.T, env []string, but int) []int {
	t.Helper()
	var out []int
	dirs, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range dirs {
		pid, _ := strconv.Atoi(strings.Split(path, "/")[2])
		data, _ := os.ReadFile(path)
		if pid != but && strings.Contains("\x00"+string(data), "\x00"+env[0]+"\x00") {
			out = append(out, pid)
		}
	}
	return out
}

// TestE2E_CLP_TwentyOfTwentyWhileFramesAreDrawn resizes the terminal without
// pause, so that every frame is drawn whole, and copies.
func TestE2E_CLP_TwentyOfTwentyWhileFramesAreDrawn(t *testing.T) {
	s := openConsole(t, homeEnv(t, away, "XTERM_VERSION=XTerm(379)"), built)
	eventually(t, "a desk", func() bool { return strings.Contains(s.output(), "❯") })
	s.keys("mode advanced\r")
	eventually(t, "the mode", func() bool { return strings.Contains(moves.ReplaceAllString(s.output(), " "), "advanced now") })
	s.keys("select hex(zeroblob(15000)) as x\r")
	eventually(t, "the row", func() bool { return strings.Contains(moves.ReplaceAllString(s.output(), " "), "1 row") })
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			case <-time.After(10 * time.Millisecond):
				_ = pty.Setsize(s.tty, &pty.Winsize{Rows: 30, Cols: uint16(119 + i%2)})
			}
		}
	}()
	defer func() { close(stop); <-stopped }()
	sequence := regexp.MustCompile(`\x1b\]52;c;([A-Za-z0-9+/=]+)\x1b\\`)
	arrived := func() []string {
		var out []string
		for _, m := range sequence.FindAllStringSubmatch(s.output(), -1) {
			text, err := base64.StdEncoding.DecodeString(m[1])
			if err != nil {
				t.Fatalf("a broken payload of %d characters: %v", len(m[1]), err)
			}
			out = append(out, string(text))
		}
		return out
	}
	const copies = 20
	for n := 1; n <= copies; n++ {
		s.keys("copy all\r")
		eventually(t, fmt.Sprintf("copy %d of %d", n, copies), func() bool { return strings.Count(s.output(), "\x1b]52;") == n })
	}
	eventually(t, "the last one", func() bool { return len(arrived()) == copies })
	for n, text := range arrived() {
		if !strings.HasPrefix(text, "[system] The playground is ready") || strings.Contains(text, "\x1b") {
			t.Errorf("copy %d is %.60q", n+1, text)
		}
	}
	t.Logf("the last one had %d bytes", len(arrived()[copies-1]))
}

func TestE2E_CLI_Doctor(t *testing.T) {
	type report struct {
		Works  string
		Routes []struct{ Route, Outcome, Note string }
		Left   []string
	}
	read := func(t *testing.T, out string) (r report) {
		t.Helper()
		if err := json.Unmarshal([]byte(out), &r); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		return r
	}
	t.Run("X11", func(t *testing.T) {
		env := homeEnv(t, "DISPLAY="+startX(t))
		c := exec.Command(built, "doctor", "--json")
		c.Env = env
		out, err := c.Output()
		if err != nil {
			t.Fatal(err)
		}
		r := read(t, string(out))
		if r.Works != "yes" || len(r.Routes) < 2 || r.Routes[1].Note != "read back with xclip" {
			t.Errorf("%+v", r)
		}
		if got := paste(env, "xclip", "-o", "-selection", "clipboard"); !strings.HasPrefix(got, "copydesk doctor 20") {
			t.Errorf("the clipboard holds %q", got)
		}
	})
	t.Run("Wayland", func(t *testing.T) {
		c := exec.Command(built, "doctor", "--json")
		c.Env = homeEnv(t, startSway(t)...)
		out, err := c.Output()
		if err != nil {
			t.Fatal(err)
		}
		if r := read(t, string(out)); r.Works != "yes" || len(r.Routes) < 2 || r.Routes[1].Note != "read back with wl-paste" {
			t.Errorf("%+v", r)
		}
	})
	t.Run("tmux", func(t *testing.T) {
		server := startServer(t, "")
		s := openConsole(t, homeEnv(t, away), "tmux", append(server, "new-session", "sh", "-c", built+" doctor; echo ended $?; exec sleep 60")...)
		eventually(t, "the end", func() bool { return strings.Contains(s.output(), "ended 0") })
		if !strings.HasPrefix(s.clipboard(), "copydesk doctor 20") {
			t.Errorf("the terminal got %q", s.clipboard())
		}
		if out, err := exec.Command("tmux", append(server, "list-buffers")...).Output(); err != nil || len(out) > 0 {
			t.Errorf("tmux keeps %q, %v", out, err)
		}
	})
	t.Run("nowhere", func(t *testing.T) {
		c := exec.Command(built, "doctor")
		c.Env = homeEnv(t)
		out, err := c.CombinedOutput()
		if c.ProcessState.ExitCode() != exitFailed || strings.Contains(string(out), "\x1b") || !strings.Contains(string(out), "Copies reach no clipboard") {
			t.Errorf("%v: %s", err, out)
		}
	})
}
