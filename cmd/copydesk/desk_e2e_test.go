//go:build e2e

package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"copydesk/ui/uitest"
)

// panelText is the panel as the screen shows it: without borders, gutter and
// padding. It is right for lines that are not wrapped.
func panelText(screen string) []string {
	var out []string
	for _, row := range strings.Split(screen, "\n") {
		inner, ok := strings.CutPrefix(row, "│")
		if !ok {
			continue
		}
		if i := strings.LastIndex(inner, "│"); i >= 0 {
			inner = inner[:i]
		}
		inner = strings.TrimRight(inner, " ")
		if cut, ok := strings.CutPrefix(inner, "▎ "); ok {
			inner = cut
		} else if cut, ok := strings.CutPrefix(inner, "▎"); ok {
			inner = cut
		} else {
			inner = strings.TrimPrefix(inner, "  ")
		}
		out = append(out, inner)
	}
	for len(out) > 0 && out[len(out)-1] == "" {
		out = out[:len(out)-1]
	}
	return out
}

// TestE2E_TheFirstMinute is the whole story of the playground, at the keyboard.
func TestE2E_TheFirstMinute(t *testing.T) {
	d := startDesktop(t, 130, 50, "")
	d.line("create table customers with name text required, age int")
	d.shows("[simple] create table customers with name text required, age int ✓", "Executing SQL: CREATE TABLE customers", "[system] Table customers created")
	for _, row := range []string{`"Ada", age 36`, `"Bob", age 41`, `"Cy", age 7`} {
		d.line("insert into customers name " + row)
	}
	d.shows("(id 3)")
	d.line("show customers")
	d.shows("│ Ada  │  36 │", "3 rows")

	d.line("drop table customers")
	d.shows("Drop the table customers and its 3 rows?", "DROP TABLE customers")
	d.shows("[a] Approve")
	waitActive(d)
	d.keys("r")
	d.shows("Rejected. Agent response cancelled.", "[simple] drop table customers ✗")
	d.line("count customers")
	d.shows("[simple] count customers ✓")

	d.line("show custmers")
	d.shows("Which one is meant?", "1) customers")
	waitActive(d)
	d.keys("Down")
	d.keys("Enter")
	d.shows("[system] Chosen: customers")

	d.line("insert into customers age 5")
	d.shows("name")
	waitActive(d)
	d.tmux("send-keys", "-l", "Dora")
	d.keys("Enter")
	d.shows("[system] Answered: Dora", "(id 4)")

	d.line("mode advanced")
	d.shows("The mode is advanced now.")
	d.line("explain query plan select * from customers where name = 'Ada'")
	d.shows("SCAN customers")
	d.line("selct 1")
	d.shows("[advanced] selct 1 ✗", "[error] ")
}

// waitActive waits until the request has the keyboard: its frame is heavy then.
func waitActive(d *tmuxDesk) {
	d.t.Helper()
	d.until("a request with the keyboard", func(s string) bool { return strings.Contains(s, "┏") })
}

// TestE2E_T41_KeysTypedBeforeARequestDoNotAnswerIt types on while a statement
// that asks is sent.
func TestE2E_T41_KeysTypedBeforeARequestDoNotAnswerIt(t *testing.T) {
	d := startDesktop(t, 110, 40, "")
	d.line("create table t with x int")
	d.line("insert into t x 1")
	d.shows("(id 1)")
	d.tmux("send-keys", "-l", "drop table t")
	d.tmux("send-keys", "Enter", "a", "1", "y", "a")
	d.shows("Drop the table t and its 1 row?")
	screen := d.until("what was typed in the input field", func(s string) bool { return strings.Contains(s, "❯ a1ya") })
	if strings.Contains(screen, "Approved") {
		t.Fatalf("typing approved:\n%s", screen)
	}
	d.shows("Ctrl+X r")
	d.keys("C-c")
	waitActive(d)
	d.keys("a")
	d.shows("[system] Approved: Drop the table t and its 1 row?", "[simple] drop table t ✓")
}

// TestE2E_CopiesInTmux compares tmux's own buffer with the screen.
func TestE2E_CopiesInTmux(t *testing.T) {
	d := startDesktop(t, 120, 50, "")
	d.line("create table customers with name text, age int")
	d.line(`insert into customers name "Ünïcode 日本", age 36`)
	d.line("show customers")
	screen := d.shows("│ Ünïcode 日本 │", "1 row")
	want := strings.Join(panelText(screen), "\n")
	d.line("copy all")
	got := d.untilBuffer("the panel", func(s string) bool { return strings.Contains(s, "1 row") })
	if got != want {
		t.Errorf("the panel was copied as\n%q\nand the screen shows\n%q", got, want)
	}
	d.shows("[system] Copied")
	if strings.Contains(got, "Copied") {
		t.Error("the confirmation is in its own copy")
	}

	d.line("copy last")
	last := d.untilBuffer("the last command", func(s string) bool { return strings.HasPrefix(s, "[simple] show customers ✓\n") })
	if !strings.Contains(last, "│ Ünïcode 日本 │") {
		t.Errorf("copy last: %q", last)
	}

	d.keys("C-y")
	answer := d.untilBuffer("the answer", func(s string) bool { return strings.Contains(s, "| Ünïcode 日本 |") })
	if strings.Contains(answer, "[simple]") || strings.Contains(answer, "▎") {
		t.Errorf("the answer's Markdown is %q", answer)
	}
	d.line("/copy")
	d.until("a second copy of the answer", func(s string) bool { return strings.Count(s, "[system] Copied") == 4 })
	if again := d.buffer(); again != answer {
		t.Errorf("/copy: %q, Ctrl+Y: %q", again, answer)
	}
	d.line("copy foo")
	d.shows(`[error] Copy does not know "foo".`)
}

// TestE2E_R53_CopiesLeaveTmuxWithItsDefaults records what the outer terminal of
// a tmux client gets.
func TestE2E_R53_CopiesLeaveTmuxWithItsDefaults(t *testing.T) {
	needs(t, "script")
	d := startDesktop(t, 100, 30, "")
	record := filepath.Join(d.dir, "client.out")
	client := exec.Command("script", "-qfc", "tmux -S "+d.sock+" attach", record)
	client.Env = append(clean(os.Environ()), "TERM=xterm-256color", "LANG=C.UTF-8")
	hold, keep, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	client.Stdin = hold
	if err := client.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { keep.Close(); client.Process.Kill(); client.Wait() }()
	d.until("a client", func(string) bool { return strings.TrimSpace(d.tmux("list-clients")) != "" })
	d.line("create table t with x int")
	d.shows("Table t created")
	d.line("copy last")
	d.untilBuffer("the copy", func(s string) bool { return strings.HasPrefix(s, "[simple] create table t") })
	deadline := time.Now().Add(20 * time.Second)
	for {
		out, _ := os.ReadFile(record)
		if bytes.Contains(out, []byte("\x1b]52;")) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal("no OSC 52 reached the terminal outside of tmux")
		}
		time.Sleep(20 * time.Millisecond)
	}
}

func TestE2E_PastesKeepTheirLines(t *testing.T) {
	d := startDesktop(t, 100, 30, "")
	for name, end := range map[string]string{"LF": "\n", "CR": "\r", "CRLF": "\r\n"} {
		file := filepath.Join(d.dir, "paste")
		if err := os.WriteFile(file, []byte("one"+end+"two\tx"+end+"three"), 0o600); err != nil {
			t.Fatal(err)
		}
		d.tmux("load-buffer", "-b", "p", file)
		d.tmux("paste-buffer", "-p", "-r", "-b", "p")
		d.until(name, func(s string) bool {
			return strings.Contains(s, "❯ one\n") && strings.Contains(s, "\n  two") && strings.Contains(s, "\n  three")
		})
		d.keys("C-c")
		d.until("an empty field", func(s string) bool { return strings.Contains(s, "❯ Type") })
	}
}

// TestE2E_ATenMegabytePasteKeepsTheKeysAlive types after it.
func TestE2E_ATenMegabytePasteKeepsTheKeysAlive(t *testing.T) {
	d := startDesktop(t, 100, 30, "")
	file := filepath.Join(d.dir, "paste")
	if err := os.WriteFile(file, bytes.Repeat([]byte("0123456789abcde\n"), 10<<20/16), 0o600); err != nil {
		t.Fatal(err)
	}
	d.tmux("load-buffer", "-b", "p", file)
	d.tmux("paste-buffer", "-p", "-r", "-b", "p")
	d.shows("[pasted text 1: 4096 KB")
	d.tmux("send-keys", "-l", "still alive")
	d.shows("still alive")
}

func TestE2E_AMillionRowsAreNotLoaded(t *testing.T) {
	d := startDesktop(t, 110, 40, "")
	d.line("mode advanced")
	d.line("with recursive n(i) as (select 1 union all select i + 1 from n where i < 1000000) select i from n")
	d.shows("more")
	d.line("with recursive n(i) as (select 1 union all select i + 1 from n) select count(*) from n")
	d.shows("running: with recursive")
	d.tmux("send-keys", "-l", "typing goes on")
	d.shows("typing goes on")
	d.keys("C-c")
	d.keys("C-c")
	d.shows("[system] Cancelled.")
}

// TestE2E_ADatabaseThatIsNoneIsLeftAlone opens files that are no database.
func TestE2E_ADatabaseThatIsNoneIsLeftAlone(t *testing.T) {
	needs(t, "tmux")
	for name, body := range map[string]string{
		"notes.txt":  strings.Repeat("these are notes\n", 100),
		"corrupt.db": "SQLite format 3\x00" + strings.Repeat("\xff", 4000),
	} {
		d := newServer(t, "")
		file := filepath.Join(d.dir, name)
		if err := os.WriteFile(file, []byte(body), 0o600); err != nil {
			t.Fatal(err)
		}
		d.run(150, 30, "env PS1='$ ' bash --norc --noprofile")
		d.line(built + " --db " + file + "; echo ended $?")
		d.shows("ended 1", name)
		if after, err := os.ReadFile(file); err != nil || string(after) != body {
			t.Errorf("%s was changed", name)
		}
		if beside, _ := filepath.Glob(file + "*"); len(beside) != 1 {
			t.Errorf("files beside it: %v", beside)
		}
	}
}

// TestE2E_R18_SignalsLeaveACleanTerminal runs the desk from a shell, ends it by
// every signal, and looks at what the shell gets back.
func TestE2E_R18_SignalsLeaveACleanTerminal(t *testing.T) {
	needs(t, "tmux")
	for name, code := range map[string]int{"TERM": 143, "HUP": 129, "INT": 130, "QUIT": 131} {
		d := newServer(t, "")
		d.run(100, 30, "env PS1='$ ' bash --norc --noprofile")
		d.line("cd " + d.dir + "; stty -a > before; " + built + "; echo ended $?; stty -a > after; cmp before after && echo same")
		d.shows("❯")
		pid := strings.Fields(d.tmux("list-panes", "-F", "#{pane_pid}"))[0]
		out, err := exec.Command("pgrep", "-P", pid, "copydesk").Output()
		if err != nil {
			t.Fatalf("finding copydesk: %v", err)
		}
		if err := exec.Command("kill", "-"+name, strings.TrimSpace(string(out))).Run(); err != nil {
			t.Fatal(err)
		}
		screen := d.shows(fmt.Sprintf("ended %d", code), "same")
		if strings.Contains(screen, "❯") {
			t.Errorf("SIG%s: the desk is still on the screen:\n%s", name, screen)
		}
	}
}

func TestE2E_R38_SuspendAndReturn(t *testing.T) {
	needs(t, "tmux")
	d := newServer(t, "")
	d.run(100, 30, "env PS1='$ ' bash --norc --noprofile")
	d.line(built)
	d.shows("❯")
	d.line("create table kept with x int")
	d.shows("Table kept created")
	d.keys("C-z")
	d.shows("Stopped")
	d.line("echo in the shell")
	d.shows("in the shell")
	d.line("fg")
	d.shows("Table kept created", "❯")
	d.tmux("send-keys", "-l", "alive")
	d.shows("❯ alive")
}

func TestE2E_ConfigIsReadAnew(t *testing.T) {
	needs(t, "tmux")
	d := newServer(t, "")
	dir := filepath.Join(d.dir, "config", "copydesk")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	write := func(s string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, "config.yaml"), []byte(s), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("theme: dark\n")
	d.run(110, 30, built)
	d.shows("❯", "Ctrl+Y copy answer")
	write("theme: dark\nkeys:\n  copy-answer: [f5]\n")
	d.shows("The configuration was read anew.", "F5 copy answer")
	write("theme: dark\nkeys:\n  copy-answer: ['ctrl+']\n  nothing: [f6]\ntheem: x\n")
	d.shows("stays as it was", "config.yaml:3", "config.yaml:4", "config.yaml:5", "F5 copy answer")
}

// TestE2E_O1_HostileDataStaysText puts escape sequences and invisible characters
// into the database and looks at every byte that the desk writes.
func TestE2E_O1_HostileDataStaysText(t *testing.T) {
	needs(t, "tmux")
	d := newServer(t, "set -g default-terminal xterm-256color")
	record := filepath.Join(d.dir, "out")
	d.run(120, 40, "sh -c 'stty -echo; read go; exec "+built+"'")
	d.tmux("pipe-pane", "-o", "cat > "+record)
	d.keys("Enter")
	d.shows("❯")
	d.line("mode advanced")
	d.shows("advanced now")
	d.line("create table t(x text)")
	d.shows("create table t(x text) ✓")
	d.line("insert into t values (char(27)||'[2J'||char(27)||']52;c;QQ=='||char(7)||char(155)||'2J'||char(5)||char(8238)||char(917618)||char(8203)||char(27)||'P$qm'||char(27)||char(92))")
	d.shows("1 row")
	d.line("select x, 'end' as e from t")
	d.shows("␛[2J␛]52;c;QQ==␇<U+009B>2J␅<U+202E><U+E0072><U+200B>␛P$qm␛", "end", "as e from t ✓") // while a turn runs Ctrl+D asks
	d.keys("C-d")
	d.until("the end", func(string) bool { return d.command("list-sessions").Run() != nil })
	out, err := os.ReadFile(record)
	if err != nil || len(out) < 1000 {
		t.Fatalf("the record has %d bytes: %v", len(out), err)
	}
	if err := uitest.CheckOutput(out, uitest.Options{}); err != nil {
		t.Error(err)
	}
}

// TestE2E_AOneMegabyteLineKeepsTheKeysAlive shows a value of a megabyte on one
// line, types, scrolls and copies it whole.
func TestE2E_AOneMegabyteLineKeepsTheKeysAlive(t *testing.T) {
	d := startDesktop(t, 100, 30, "")
	d.line("mode advanced")
	d.line("select replace(hex(zeroblob(500000)), '00', 'xy') as big")
	d.shows("1 row")
	d.tmux("send-keys", "-l", "still alive")
	d.shows("❯ still alive")
	d.keys("C-c", "PPage", "PPage", "End", "C-y")
	d.untilBuffer("the line", func(s string) bool { return strings.Contains(s, strings.Repeat("xy", 500_000)) })
}
