//go:build e2e

package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// stays keeps a window whose program has ended, so that another can be started
// in it.
const stays = "set -g remain-on-exit on"

// kill ends the program in the window with signal 9.
func (d *tmuxDesk) kill() {
	d.t.Helper()
	pid := strings.TrimSpace(d.tmux("display-message", "-p", "#{pane_pid}"))
	if out, err := exec.Command("kill", "-KILL", pid).CombinedOutput(); err != nil {
		d.t.Fatalf("kill the desk: %v: %s", err, out)
	}
	d.until("the end of the program", func(string) bool {
		return strings.TrimSpace(d.tmux("display-message", "-p", "#{pane_dead}")) == "1"
	})
}

// again starts copydesk in the window of a program that has ended.
func (d *tmuxDesk) again(args ...string) {
	d.t.Helper()
	d.tmux("respawn-pane", "-k", built+" "+strings.Join(args, " "))
}

// cli runs copydesk beside the desk, in its environment.
func (d *tmuxDesk) cli(args ...string) (stdout, stderr string, err error) {
	c := exec.Command(built, args...)
	c.Env = append(d.command().Env, "TERM=dumb")
	var out, errs strings.Builder
	c.Stdout, c.Stderr = &out, &errs
	err = c.Run()
	return out.String(), errs.String(), err
}

// ids are the ids of the stored sessions, the newest first.
func (d *tmuxDesk) ids() []string {
	d.t.Helper()
	out, stderr, err := d.cli("sessions", "list")
	if err != nil {
		d.t.Fatalf("list the sessions: %v: %s", err, stderr)
	}
	return regexp.MustCompile(`(?m)^\d{8}-\d{6}-[a-z0-9]{6}`).FindAllString(out, -1)
}

// TestE2E_SES3_AKilledDeskComesBack kills a desk while something is written, and
// brings it back, panel and draft and all.
func TestE2E_SES3_AKilledDeskComesBack(t *testing.T) {
	d := startDesktop(t, 110, 40, stays)
	d.line("create table customers with name text, age int")
	d.line(`insert into customers name "Ünïcode 日本", age 36`)
	d.line("show customers")
	d.line("selct 1")
	d.shows("1 row", "[simple] selct 1 ✗")
	d.tmux("send-keys", "-l", "half a dra")
	before := panelText(d.shows("❯ half a dra", "saved "))
	eventually(t, "the draft on the disk", func() bool {
		found, _ := filepath.Glob(filepath.Join(d.dir, "state/copydesk/sessions/*.draft.json"))
		if len(found) != 1 {
			return false
		}
		b, _ := os.ReadFile(found[0])
		return strings.Contains(string(b), "half a dra")
	})
	d.kill()

	d.again("--resume")
	after := panelText(d.shows("❯ half a dra", "selct 1 ✗"))
	if !slices.Equal(before, after) {
		t.Errorf("the panel was\n%s\nand came back as\n%s", strings.Join(before, "\n"), strings.Join(after, "\n"))
	}
	d.keys("C-c")
	d.line("count customers")
	d.shows("[simple] count customers ✓")
	if ids := d.ids(); len(ids) != 1 {
		t.Errorf("there are the sessions %q, not one", ids)
	}
}

// TestE2E_R36_ASessionIsWrittenByOneDesk opens a session that another desk has.
func TestE2E_R36_ASessionIsWrittenByOneDesk(t *testing.T) {
	d := startDesktop(t, 110, 30, stays)
	d.line("show tables")
	d.shows("[simple] show tables", "saved ")
	pid := strings.TrimSpace(d.tmux("display-message", "-p", "#{pane_pid}"))
	id := d.ids()[0]
	second := newServer(t, stays)
	second.run(200, 30, "env XDG_STATE_HOME="+d.dir+"/state "+built+" --resume "+id+"; sleep 60")
	second.shows("process " + pid)
	if out, _, err := d.cli("sessions", "show", id); err != nil || !strings.Contains(out, "show tables") {
		t.Errorf("it cannot be read meanwhile: %v: %s", err, out)
	}
	if _, stderr, err := d.cli("sessions", "rm", id); err == nil || !strings.Contains(stderr, "process "+pid) {
		t.Errorf("it could be deleted: %v, %s", err, stderr)
	}
	d.kill()
	d.again("--resume", id)
	d.shows("[simple] show tables")
}

// TestE2E_T50_AKilledTurnExpires kills a desk with an open request: it comes back
// as expired, and its agent is not told a second time.
func TestE2E_T50_AKilledTurnExpires(t *testing.T) {
	d := startAgent(t, 100, 34)
	d.tmux("set-option", "-g", "remain-on-exit", "on")
	d.line("ask")
	d.shows("command: rm -rf ./tmp")
	d.kill()
	d.again("--config", filepath.Join(d.dir, "config.yaml"), "--resume")
	d.shows("[crier] ask ✗", "[system] Expired, it was not answered: Run this command?", "[system] Interrupted: copydesk ended before the turn did.")
	if s := d.screen(); strings.Contains(s, "waiting for you") {
		t.Errorf("something waits:\n%s", s)
	}
	d.line("ask")
	waitActive(d)
	d.keys("a")
	d.shows("It was allowed: once", "[crier] ask ✓")
}

// crashLoops is how many times the desk is killed; 500 are what is promised.
func crashLoops(t *testing.T) int {
	if s := os.Getenv("COPYDESK_CRASH_LOOPS"); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	return 6
}

// TestE2E_R1_AKilledDeskLosesNothing kills the desk at random moments while an
// agent counts. What was on the screen a second ago is in the session, without a
// gap, and the prompt always is.
func TestE2E_R1_AKilledDeskLosesNothing(t *testing.T) {
	d := startAgent(t, 100, 30)
	d.tmux("set-option", "-g", "remain-on-exit", "on")
	number := regexp.MustCompile(`#(\d{6})`)
	last := func(s string) int {
		all := number.FindAllStringSubmatch(s, -1)
		if len(all) == 0 {
			return 0
		}
		n, _ := strconv.Atoi(all[len(all)-1][1])
		return n
	}
	for loop := range crashLoops(t) {
		prompt := fmt.Sprintf("count %d", 1_000_000+loop)
		d.line(prompt)
		d.until("a line", func(s string) bool { return last(s) > 0 })
		seen := last(d.screen())
		shown := time.Now()
		until := shown.Add(time.Second + time.Duration(rand.IntN(1000))*time.Millisecond)
		eventually(t, "the moment", func() bool { return time.Now().After(until) })
		d.kill()
		id := d.ids()[0]
		out, stderr, err := d.cli("sessions", "show", id)
		if err != nil || stderr != "" {
			t.Fatalf("loop %d: %v: %s", loop, err, stderr)
		}
		_, answer, ok := strings.Cut(out, prompt+"\n")
		if !ok {
			t.Fatalf("loop %d: the prompt is lost:\n%s", loop, out)
		}
		numbers := number.FindAllStringSubmatch(answer, -1)
		for i, m := range numbers {
			if n, _ := strconv.Atoi(m[1]); n != i+1 {
				t.Fatalf("loop %d: line %d has the number %d", loop, i+1, n)
			}
		}
		if len(numbers) < seen {
			t.Fatalf("loop %d: %d was on the screen %v before the end, and the session ends with %d", loop, seen, time.Since(shown), len(numbers))
		}
		d.again("--config", filepath.Join(d.dir, "config.yaml"))
		d.shows("Connected to crier", "❯")
	}
}

// TestE2E_R23_WithoutAStateFolder starts where nothing can be stored.
func TestE2E_R23_WithoutAStateFolder(t *testing.T) {
	needs(t, "tmux")
	d := newServer(t, stays)
	file := filepath.Join(d.dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	d.run(100, 30, "env XDG_STATE_HOME="+file+" "+built)
	d.shows("Nothing can be stored:", "❯")
	d.line("create table t with x int")
	d.shows("[simple] create table t with x int ✓")
	d.kill()
	d.tmux("respawn-pane", "-k", "env XDG_STATE_HOME="+file+" "+built+" --require-state; echo ended with $?; sleep 60")
	d.shows("sessions cannot be stored", "ended with 3")
	d.tmux("respawn-pane", "-k", "env -u HOME -u XDG_STATE_HOME "+built)
	d.shows("Nothing can be stored:", "❯")
}

// TestE2E_SES3_TheListBringsASessionBack finds a session by what was said in it.
func TestE2E_SES3_TheListBringsASessionBack(t *testing.T) {
	d := startDesktop(t, 120, 34, stays)
	d.line("create table whales with name text")
	d.shows("whales with name text ✓")
	d.keys("C-d")
	d.until("the way back", func(string) bool {
		return strings.Contains(d.tmux("capture-pane", "-p", "-S", "-5"), "copydesk --resume ")
	})
	d.again()
	d.shows("❯")
	d.line("/sessions")
	d.shows("create table whales with name text")
	d.tmux("send-keys", "-l", "whales")
	d.keys("Enter")
	if s := d.shows("[simple] create table whales with name text ✓"); strings.Contains(s, "1 playground") {
		t.Errorf("the empty pane is still there:\n%s", s)
	}

	d.line("/search WHALES")
	d.shows("create table whales")
	d.keys("Escape")
}

// TestE2E_R49_ATerminatedDeskHasSavedAll ends a desk with SIGTERM in the middle of
// an answer: it is gone within five seconds, and the session has its end.
func TestE2E_R49_ATerminatedDeskHasSavedAll(t *testing.T) {
	d := startAgent(t, 100, 30)
	d.tmux("set-option", "-g", "remain-on-exit", "on")
	d.line("count 1000000")
	d.shows("#00")
	pid := strings.TrimSpace(d.tmux("display-message", "-p", "#{pane_pid}"))
	began := time.Now()
	if out, err := exec.Command("kill", "-TERM", pid).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	d.until("the end", func(string) bool { return strings.TrimSpace(d.tmux("display-message", "-p", "#{pane_dead}")) == "1" })
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("it took %v", took)
	}
	out, stderr, err := d.cli("sessions", "export", d.ids()[0], "--format", "txt")
	if err != nil || stderr != "" {
		t.Fatalf("%v: %s", err, stderr)
	}
	if !strings.Contains(out, "[system] Cancelled.") || strings.Contains(out, "Interrupted") {
		t.Errorf("the turn has no end:\n%s", out)
	}
}
