//go:build e2e

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"copydesk/core"
)

// startAgent starts a desk whose agent is the crier with some arguments.
func startAgent(t *testing.T, width, height int, args ...string) *tmuxDesk {
	t.Helper()
	needs(t, "tmux")
	d := newServer(t, "")
	crier := filepath.Join(d.dir, "crier")
	if out, err := exec.Command("go", "build", "-o", crier, "./testdata/crier").CombinedOutput(); err != nil {
		t.Fatalf("build the agent: %v\n%s", err, out)
	}
	config := filepath.Join(d.dir, "config.yaml")
	command := strings.Join(append([]string{crier}, args...), ", ")
	if err := os.WriteFile(config, fmt.Appendf(nil, "agent: crier\nagents:\n  crier:\n    command: [%s]\n", command), 0o600); err != nil {
		t.Fatal(err)
	}
	d.run(width, height, built+" --config "+config)
	d.shows("Connected to crier", "❯")
	return d
}

// TestE2E_AGT2_APermissionIsAnsweredAtTheKeyboard allows once, allows always
// after a confirmation, and rejects.
func TestE2E_AGT2_APermissionIsAnsweredAtTheKeyboard(t *testing.T) {
	d := startAgent(t, 100, 32)
	ask := func() {
		d.line("ask")
		d.shows("command: rm -rf ./tmp", "1) Allow always", "2) Allow once", "3) Reject", `agent says: "Clean up"`)
		waitActive(d)
	}
	ask()
	d.keys("a")
	d.shows("It was allowed: once", "[crier] ask ✓")

	ask()
	d.keys("A")
	d.shows("Allow always?", "rm -rf ./tmp")
	opened := time.Now()
	d.until("the confirmation to be calm", func(string) bool { return time.Since(opened) > 2*core.QuietGate })
	d.keys("A")
	d.shows("It was allowed: always", "Allowed always: Run this command? rm -rf ./tmp")

	ask()
	d.keys("r")
	d.shows("Rejected. Agent response cancelled.", "[crier] ask ✗")
	d.line("still there?")
	d.shows("heard: still there?", "[crier] still there? ✓")
}

// TestE2E_R3_AnAgentThatWasKilled leaves its words, says why, and comes back
// with the next prompt.
func TestE2E_R3_AnAgentThatWasKilled(t *testing.T) {
	d := startAgent(t, 100, 32)
	d.line("die")
	d.shows("the last words", "signal 9 (killed)", "[crier] die ✗")
	d.line("are you back?")
	d.shows("heard: are you back?", "[crier] are you back? ✓")
}

// TestE2E_R8_AFloodKeepsTheKeysAndTheMemory streams 256 MiB, complains 256 MiB,
// and reports 5,000 changes at once.
func TestE2E_R8_AFloodKeepsTheKeysAndTheMemory(t *testing.T) {
	d := startAgent(t, 100, 32)
	d.line("out 256")
	d.shows("prose")
	d.tmux("send-keys", "-l", "αβγ")
	d.shows("❯ αβγ")
	d.keys("C-c")
	d.until("the end", func(s string) bool { return strings.Contains(s, "the flood has ended") })
	d.line("err 256")
	d.shows("done complaining")
	if strings.Contains(d.screen(), "complaint") {
		t.Error("what the agent complains about is on the screen")
	}
	d.line("calls 5000")
	d.shows("all steps are done", "step 5000 ✓")
	if most := mostMemory(t, d); most > 300 {
		t.Errorf("the desk took %d MiB", most)
	}
}

// mostMemory is the most memory that the desk has taken, in MiB.
func mostMemory(t *testing.T, d *tmuxDesk) int {
	t.Helper()
	pid := strings.TrimSpace(d.tmux("display-message", "-p", "#{pane_pid}"))
	status, err := os.ReadFile("/proc/" + pid + "/status")
	if err != nil {
		t.Skipf("SKIPPED: the memory of a program cannot be read here: %v", err)
	}
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			kib, err := strconv.Atoi(strings.Fields(rest)[0])
			if err != nil {
				t.Fatal(err)
			}
			return kib >> 10
		}
	}
	t.Fatalf("no VmHWM in %s", status)
	return 0
}

// TestE2E_AGT6_SeveralPanesAndOneThatWaits opens a second pane, has it ask in
// the background, and answers it there.
func TestE2E_AGT6_SeveralPanesAndOneThatWaits(t *testing.T) {
	d := startAgent(t, 100, 32)
	d.line("/new crier")
	d.shows("1 crier", "2 crier")
	d.line("ask")
	waitActive(d)
	d.keys("M-1")
	d.shows("waiting for you (1)")
	d.line("hello")
	screen := d.shows("heard: hello")
	if strings.Contains(screen, "rm -rf") {
		t.Errorf("the other pane's request is shown here:\n%s", screen)
	}
	d.keys("M-2")
	waitActive(d)
	d.keys("a")
	d.shows("It was allowed: once")
}

// TestE2E_AGT4_AChatAsksBeforeItActs has a model run a command, write a file and
// ask, each of which the user answers.
func TestE2E_AGT4_AChatAsksBeforeItActs(t *testing.T) {
	needs(t, "tmux")
	d := newServer(t, "")
	config := filepath.Join(d.dir, "config.yaml")
	work := filepath.Join(d.dir, "work")
	if err := os.Mkdir(work, 0o700); err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprintf("agent: local\nagents:\n  local:\n    cwd: %s\n    openai: {base_url: %q, model: fake}\n", work, startModel(t))
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	d.run(100, 36, built+" --config "+config)
	d.shows("Connected to", "❯")

	d.line("[run] touch made-by-a-command")
	d.shows("local asks: Run this command?", "command: touch made-by-a-command", "cwd: ")
	waitActive(d)
	if _, err := os.Stat(filepath.Join(work, "made-by-a-command")); err == nil {
		t.Error("the command ran before it was approved")
	}
	d.keys("a")
	d.shows("finished", "[local] [run] touch made-by-a-command ✓")
	if _, err := os.Stat(filepath.Join(work, "made-by-a-command")); err != nil {
		t.Error(err)
	}

	d.line("[write] note.txt a first line")
	d.shows("+a first line", "note.txt")
	waitActive(d)
	d.keys("r")
	d.shows("Rejected. Agent response cancelled.")
	if _, err := os.Stat(filepath.Join(work, "note.txt")); err == nil {
		t.Error("a file was written that was rejected")
	}
	d.line("[write] note.txt another line")
	d.shows("+another line")
	waitActive(d)
	d.keys("a")
	d.shows("[local] [write] note.txt another line ✓")
	if got, err := os.ReadFile(filepath.Join(work, "note.txt")); err != nil || string(got) != "another line\n" {
		t.Errorf("the file is %q: %v", got, err)
	}

	d.line("[ask] me")
	d.shows("Which colour?", "1) Red", "2) Blue")
	waitActive(d)
	d.keys("2")
	d.shows("Chosen: Blue", "[local] [ask] me ✓")
}

// TestE2E_T60_NoAgentIsLeftBehind ends the desk in each way, with an agent that
// does not want to end.
func TestE2E_T60_NoAgentIsLeftBehind(t *testing.T) {
	needs(t, "pgrep")
	for name, end := range map[string]func(d *tmuxDesk, pid string){
		"by its key":   func(d *tmuxDesk, _ string) { d.keys("C-d") },
		"by a signal":  func(_ *tmuxDesk, pid string) { _ = exec.Command("kill", pid).Run() },
		"by a hang-up": func(d *tmuxDesk, _ string) { _ = d.command("kill-server").Run() },
		"in mid-sentence": func(d *tmuxDesk, pid string) {
			d.line("out 4000")
			d.shows("prose")
			_ = exec.Command("kill", pid).Run()
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := startAgent(t, 100, 32, "stubborn")
			agent := "^" + filepath.Join(d.dir, "crier")
			if out, err := exec.Command("pgrep", "-f", agent).Output(); err != nil || len(out) == 0 {
				t.Fatalf("the agent does not run: %v", err)
			}
			end(d, strings.TrimSpace(d.tmux("display-message", "-p", "#{pane_pid}")))
			for limit := time.Now().Add(20 * time.Second); ; time.Sleep(20 * time.Millisecond) {
				left, _ := exec.Command("pgrep", "-f", agent).Output()
				if len(left) == 0 {
					return
				}
				if time.Now().After(limit) {
					t.Fatalf("these outlive the desk: %s", left)
				}
			}
		})
	}
}
