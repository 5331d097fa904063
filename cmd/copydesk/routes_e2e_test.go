//go:build e2e

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"copydesk/ui/uitest"
)

// A routeRow is one row of the README's table of routes.
type routeRow struct{ environment, route, result string }

// carriers are the routes that a receipt names, in the order in which they are
// named.
var carriers = regexp.MustCompile(`(X11|Wayland|OSC 52|outer tmux's buffer|tmux buffer|xclip|xsel|wl-copy|file) (ok|sent)`)

// moves are the sequences that move the cursor, and what else stands between
// the words on a screen: a blank that is there already is not drawn again.
var moves = regexp.MustCompile(`(\x1b\[[0-9;?]*[A-Za-z]| )+`)

// carriedBy waits until the desk has said what became of a copy, and returns the
// routes that took it.
func carriedBy(t *testing.T, output func() string) string {
	t.Helper()
	found := func() []string { return carriers.FindAllString(moves.ReplaceAllString(output(), " "), -1) }
	eventually(t, "a receipt", func() bool { return found() != nil })
	var names []string
	for _, m := range found() {
		if !slices.Contains(names, m) {
			names = append(names, m)
		}
	}
	return strings.Join(names, ", ")
}

// panelOf reports whether a text is the panel of a desk that has just begun.
func panelOf(text string) bool {
	return strings.HasPrefix(text, "[system] The playground is ready, on ") && !strings.Contains(text, "▎")
}

const (
	arrives = "arrives"
	away    = "SSH_CONNECTION=a"
)

// TestE2E_CLP_TheRealProgramInEveryTerminal types `copy all` into the real
// program in every environment, pastes in another program, and holds the
// README's table to what came of it. -update writes the table.
func TestE2E_CLP_TheRealProgramInEveryTerminal(t *testing.T) {
	var rows []routeRow
	add := func(environment, route, result string) { rows = append(rows, routeRow{environment, route, result}) }
	each := func(environment string, f func(t *testing.T) (route, result string)) {
		t.Run(environment, func(t *testing.T) {
			route, result := f(t)
			add(environment, route, result)
		})
	}
	each("xterm on X11", func(t *testing.T) (string, string) {
		env := homeEnv(t, "DISPLAY="+startX(t))
		w := openWindow(t, env, nil, "xterm", "-geometry", "120x30", "-e")
		w.typeX("xterm", "copy all")
		eventually(t, "the panel", func() bool { return panelOf(paste(env, "xclip", "-o", "-selection", "clipboard")) })
		return carriedBy(t, w.output), arrives
	})
	each("foot on Wayland", func(t *testing.T) (string, string) {
		env := homeEnv(t, startSway(t)...)
		w := openWindow(t, env, nil, "foot", "--config=/dev/null")
		w.typeWayland("copy all")
		eventually(t, "the panel", func() bool { return panelOf(paste(env, "wl-paste", "-n")) })
		return carriedBy(t, w.output), arrives
	})
	for _, e := range emulators() {
		each(e.name+" over SSH", func(t *testing.T) (string, string) { return overSSH(t, e) })
	}
	for _, set := range []string{"external", "on", "off"} {
		for _, pass := range []string{"off", "on"} {
			name := fmt.Sprintf("tmux over SSH, set-clipboard %s, allow-passthrough %s", set, pass)
			each(name, func(t *testing.T) (string, string) { return inTmux(t, set, pass) })
		}
	}
	each("tmux in tmux over SSH", inTmuxInTmux)
	each("GNU screen over SSH", inScreen)
	each("mosh", func(t *testing.T) (string, string) { return inMosh(t, "") })
	each("tmux in mosh", func(t *testing.T) (string, string) { return inMosh(t, "off") })
	each("tmux in mosh, allow-passthrough on", func(t *testing.T) (string, string) { return inMosh(t, "on") })
	each("the Linux console", onTheConsole)
	if t.Failed() {
		return
	}
	if len(rows) < 8+len(emulators())+6 {
		t.Log("SKIPPED: the README's table, because programs are missing; make e2e-deps installs them")
		return
	}
	checkTable(t, rows)
}

// An emulator is a terminal emulator, and how it runs a program.
type emulator struct {
	name, class string
	args        []string
	wayland     bool
	ignores     string // why nothing arrives
}

func emulators() []emulator {
	return []emulator{
		{name: "xterm", class: "xterm", args: []string{"-geometry", "120x30", "-e"}, ignores: "does not arrive: xterm needs `XTerm*allowWindowOps: true`"},
		{name: "xterm with allowWindowOps", class: "xterm", args: []string{"-xrm", "*allowWindowOps: true", "-geometry", "120x30", "-e"}},
		{name: "kitty", class: "kitty", args: []string{
			"--config", "NONE", "-o", "linux_display_server=x11", "-o", "shell_integration=disabled",
			"-o", "remember_window_size=no", "-o", "initial_window_width=1200", "-o", "initial_window_height=700",
		}},
		{name: "alacritty", class: "Alacritty", args: []string{"-o", "window.dimensions.columns=120", "-o", "window.dimensions.lines=30", "-e"}},
		{name: "foot", args: []string{"--config=/dev/null", "--window-size-chars=120x30"}, wayland: true},
	}
}

// overSSH runs the desk in an emulator, without the display that the emulator
// is on: only what it writes to its terminal can arrive.
func overSSH(t *testing.T, e emulator) (route, result string) {
	program, _, _ := strings.Cut(e.name, " ")
	inside := []string{away} // SSH carries TERM, and nothing else that is set here
	for _, name := range []string{
		"DISPLAY", "WAYLAND_DISPLAY", "XDG_RUNTIME_DIR", "XTERM_VERSION", "KITTY_WINDOW_ID", "ALACRITTY_WINDOW_ID",
	} {
		inside = append([]string{"-" + name}, inside...)
	}
	var env []string
	var w *window
	var clip func() string
	if e.wayland {
		env = homeEnv(t, startSway(t)...)
		clip = func() string { return paste(env, "wl-paste", "-n") }
		w = openWindow(t, env, inside, program, e.args...)
		w.typeWayland("copy all")
	} else {
		env = homeEnv(t, "DISPLAY="+startX(t))
		clip = func() string { return paste(env, "xclip", "-o", "-selection", "clipboard") }
		w = openWindow(t, env, inside, program, e.args...)
		w.typeX(e.class, "copy all")
	}
	route = carriedBy(t, w.output)
	if e.ignores == "" {
		eventually(t, "the panel", func() bool { return panelOf(clip()) })
		return route, arrives
	}
	for range 10 {
		if got := clip(); got != "" {
			t.Fatalf("it arrives: %.60q", got)
		}
	}
	return route, e.ignores
}

// startServer prepares a tmux server and returns the arguments that reach it.
func startServer(t *testing.T, conf string) []string {
	t.Helper()
	needs(t, "tmux")
	d := newServer(t, conf)
	return []string{"-S", d.sock, "-f", filepath.Join(d.dir, "tmux.conf")}
}

func inTmux(t *testing.T, set, pass string) (route, result string) {
	server := startServer(t, "set -s set-clipboard "+set+"\nset -g allow-passthrough "+pass)
	s := openConsole(t, homeEnv(t, away), "tmux", append(server, "new-session", built)...)
	eventually(t, "a desk", func() bool { return strings.Contains(s.output(), "❯") })
	s.keys("copy all\r")
	eventually(t, "the panel", func() bool { return panelOf(s.clipboard()) })
	route = carriedBy(t, s.output)
	if out, err := exec.Command("tmux", append(server, "show-buffer")...).Output(); err != nil || !panelOf(string(out)) {
		t.Errorf("tmux's buffer holds %.60q, %v", out, err)
	}
	return route, arrives
}

func inTmuxInTmux(t *testing.T) (route, result string) {
	outer, inner := startServer(t, ""), startServer(t, "")
	s := openConsole(t, homeEnv(t, away), "tmux", append(outer, "new-session", "tmux", inner[0], inner[1], inner[2], inner[3], "new-session", built)...)
	eventually(t, "a desk", func() bool { return strings.Contains(s.output(), "❯") })
	s.keys("copy all\r")
	eventually(t, "the panel", func() bool { return panelOf(s.clipboard()) })
	for _, server := range [][]string{outer, inner} {
		if out, err := exec.Command("tmux", append(server, "show-buffer")...).Output(); err != nil || !panelOf(string(out)) {
			t.Errorf("a tmux's buffer holds %.60q, %v", out, err)
		}
	}
	return carriedBy(t, s.output), arrives
}

func inScreen(t *testing.T) (route, result string) {
	needs(t, "screen")
	name := fmt.Sprintf("desk%d", os.Getpid())
	sockets := t.TempDir()
	if err := os.Chmod(sockets, 0o700); err != nil {
		t.Fatal(err)
	}
	env := homeEnv(t, away, "SCREENDIR="+sockets)
	s := openConsole(t, env, "screen", "-U", "-c", "/dev/null", "-S", name, built)
	defer func() {
		quit := exec.Command("screen", "-S", name, "-X", "quit")
		quit.Env = env
		_ = quit.Run()
	}()
	eventually(t, "a desk", func() bool { return strings.Contains(s.output(), "❯") })
	s.keys("copy all\r")
	eventually(t, "the panel", func() bool { return panelOf(s.clipboard()) })
	return carriedBy(t, s.output), arrives
}

// inMosh runs the desk behind mosh-server, also in a tmux there.
func inMosh(t *testing.T, pass string) (route, result string) {
	needs(t, "mosh-server", "mosh-client")
	env := homeEnv(t, away)
	program := []string{built}
	if pass != "" {
		server := startServer(t, "set -g allow-passthrough "+pass)
		program = append(append([]string{"tmux"}, server...), "new-session", built)
	}
	start := exec.Command("mosh-server", append([]string{"new", "-i", "127.0.0.1", "--"}, program...)...)
	start.Env = env
	out, err := start.CombinedOutput()
	if err != nil {
		t.Fatalf("mosh-server: %v: %s", err, out)
	}
	m := regexp.MustCompile(`MOSH CONNECT (\d+) (\S+)`).FindSubmatch(out)
	if pid := regexp.MustCompile(`pid = (\d+)`).FindSubmatch(out); pid != nil {
		t.Cleanup(func() { _ = exec.Command("kill", string(pid[1])).Run() })
	}
	if m == nil {
		t.Fatalf("mosh-server said %s", out)
	}
	s := openConsole(t, append(env, "MOSH_KEY="+string(m[2])), "mosh-client", "127.0.0.1", string(m[1]))
	eventually(t, "a desk", func() bool { return strings.Contains(s.output(), "❯") })
	s.keys("copy all\r")
	route = carriedBy(t, s.output)
	if pass == "off" {
		if s.clipboard() != "" {
			t.Errorf("it arrives: %.60q", s.clipboard())
		}
		return route, "in tmux's buffer only: tmux needs `set -g allow-passthrough on`"
	}
	eventually(t, "the panel", func() bool { return panelOf(s.clipboard()) })
	return route, arrives
}

func onTheConsole(t *testing.T) (route, result string) {
	env := homeEnv(t)
	for i, v := range env {
		if strings.HasPrefix(v, "TERM=") {
			env[i] = "TERM=linux"
		}
	}
	s := openConsole(t, env, built)
	eventually(t, "a desk", func() bool {
		return strings.Contains(s.output(), "❯") || strings.Contains(s.output(), "playground is ready")
	})
	s.keys("copy all\r")
	var saved string
	eventually(t, "a file", func() bool {
		files, _ := filepath.Glob(strings.TrimPrefix(env[2], "XDG_STATE_HOME=") + "/copydesk/copies/copy-*.txt")
		if len(files) != 1 {
			return false
		}
		text, _ := os.ReadFile(files[0])
		saved = string(text)
		return panelOf(saved)
	})
	return carriedBy(t, s.output), "in a file, whose path is said"
}

// checkTable holds the README's table to the rows.
func checkTable(t *testing.T, rows []routeRow) {
	t.Helper()
	const begin, end = "<!-- routes: begin -->\n", "<!-- routes: end -->"
	var b strings.Builder
	b.WriteString("\n| where | routes that took it | result |\n|---|---|---|\n")
	for _, r := range rows {
		fmt.Fprintf(&b, "| %s | %s | %s |\n", r.environment, r.route, r.result)
	}
	b.WriteString("\n")
	path := filepath.Join("..", "..", "README.md")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(data), begin)
	have, after, closed := strings.Cut(rest, end)
	switch {
	case !ok || !closed:
		t.Errorf("README.md has no part from %q to %q", begin, end)
	case have == b.String():
	case !uitest.Updating():
		t.Errorf("README.md does not say what came of it; run go test -tags e2e ./cmd/copydesk -run E2E_CLP -update. It is\n%s", b.String())
	default:
		if err := os.WriteFile(path, []byte(before+begin+b.String()+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
