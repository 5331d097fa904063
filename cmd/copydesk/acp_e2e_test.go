//go:build e2e

package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"copydesk/core/command"
	"copydesk/core/desk"
	"copydesk/core/record"
	talk "copydesk/core/session"
	"copydesk/platform/agent/acp"
	"copydesk/platform/journal"
)

// A realAgent is an agent that nobody here wrote, in a pane of a desk, before a
// model on loopback.
type realAgent struct {
	t     *testing.T
	model string // base URL
	dir   string // the agent's working folder
	store *journal.Store
	made  acp.Options // of the agent
	desk  *desk.Desk
	pane  *desk.Pane
	bell  <-chan struct{}
}

// startModel builds and starts the fake model and returns its base URL.
func startModel(t *testing.T) string {
	t.Helper()
	exe := filepath.Join(t.TempDir(), "model")
	if out, err := exec.Command("go", "build", "-o", exe, "./testdata/model").CombinedOutput(); err != nil {
		t.Fatalf("build the model: %v\n%s", err, out)
	}
	cmd := exec.Command(exe)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		_ = cmd.Wait()
	})
	url, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(url)
}

const opencodeConfig = `{
  "enabled_providers": ["fake"], "model": "fake/fake", "small_model": "fake/fake",
  "permission": {"bash": "ask", "edit": "ask"}, "autoupdate": false, "share": "disabled",
  "provider": {"fake": {"npm": "@ai-sdk/openai-compatible", "name": "Fake",
    "options": {"baseURL": %q, "apiKey": "none"},
    "models": {"fake": {"name": "Fake", "limit": {"context": 100000, "output": 8000}}}}}}`

// startOpencode opens a pane with opencode, or skips the test.
func startOpencode(t *testing.T) *realAgent {
	t.Helper()
	exe := os.Getenv("COPYDESK_OPENCODE")
	if exe == "" {
		found, err := exec.LookPath("opencode")
		if err != nil {
			t.Skip("SKIPPED: opencode is not installed; set COPYDESK_OPENCODE to its program to run this test")
		}
		exe = found
	}
	a := &realAgent{t: t, model: startModel(t), dir: t.TempDir()}
	home := t.TempDir()
	conf := filepath.Join(home, "opencode.json")
	if err := os.WriteFile(conf, fmt.Appendf(nil, opencodeConfig, a.model), 0o600); err != nil {
		t.Fatal(err)
	}
	sessions := t.TempDir()
	a.store = journal.New(journal.Options{
		Dir: sessions, Now: time.Now, Go: func(f func()) { go f() }, Log: slog.New(slog.DiscardHandler),
		After: func(d time.Duration, f func()) func() {
			timer := time.AfterFunc(d, f)
			return func() { timer.Stop() }
		},
	})
	a.made = acp.Options{
		Name: "opencode", Command: []string{exe, "acp"}, Dir: a.dir, Version: "test",
		Environ: []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "TMPDIR=" + home},
		Env: map[string]string{
			"OPENCODE_CONFIG": conf, "OPENCODE_DISABLE_MODELS_FETCH": "1", "OPENCODE_DISABLE_AUTOUPDATE": "1",
			"OPENCODE_DISABLE_LSP_DOWNLOAD": "1", "OPENCODE_DISABLE_DEFAULT_PLUGINS": "1",
		},
	}
	a.open(a.store.Create(record.Seat{Agent: "opencode"}))
	return a
}

// open opens a pane with the agent and a session.
func (a *realAgent) open(kept desk.Journal) {
	a.t.Helper()
	goes := func(f func()) { go f() }
	o := a.made
	o.Go, o.Now = goes, time.Now
	a.desk = desk.New(desk.Deps{Now: time.Now, Go: goes, Log: slog.New(slog.NewTextHandler(io.Discard, nil)), PanelLines: 1000})
	a.bell = a.desk.Listen()
	a.pane = a.desk.Open(acp.New(o), desk.PaneOptions{Title: o.Name, Journal: kept})
	a.t.Cleanup(a.leave)
}

// leave closes the desk.
func (a *realAgent) leave() {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	if err := a.desk.Close(ctx); err != nil {
		a.t.Errorf("close the desk: %v", err)
	}
}

func (a *realAgent) until(what string, holds func(desk.Delta) bool) desk.Delta {
	a.t.Helper()
	late := time.After(90 * time.Second)
	for {
		state := a.pane.Since(0)
		if holds(state) {
			return state
		}
		select {
		case <-a.bell:
		case <-late:
			a.t.Fatalf("waited for %s in vain; the panel shows\n%s", what, a.text())
		}
	}
}

func (a *realAgent) text() string {
	var b strings.Builder
	for _, l := range a.pane.Since(0).Lines {
		b.WriteString(l.Text + "\n")
	}
	return b.String()
}

func (a *realAgent) request() talk.Pending {
	a.t.Helper()
	return a.until("a request", func(s desk.Delta) bool { return len(s.Pending) > 0 }).Pending[0]
}

func (a *realAgent) idle() {
	a.t.Helper()
	a.until("the end of the turn", func(s desk.Delta) bool { return !s.Status.Running })
}

func (a *realAgent) answer(q talk.Pending, answer talk.Answer) {
	a.t.Helper()
	if err := a.pane.Answer(q.ID, q.Digest, answer); err != nil {
		a.t.Fatal(err)
	}
}

// allow is the answer that allows once.
func allow(t *testing.T, q *talk.Request) talk.Answer {
	t.Helper()
	if q.Kind == talk.Approval {
		return talk.Answer{Verdict: talk.Approve}
	}
	i := q.First(talk.AllowOnce)
	if i < 0 {
		t.Fatalf("nothing allows once in %+v", q)
	}
	return talk.Answer{Verdict: talk.Chosen, Index: i, Value: q.Choices[i]}
}

func (a *realAgent) lastAnswer() string {
	c, err := a.pane.Copy(command.Copy{})
	if err != nil {
		return err.Error()
	}
	return c.Text
}

// calls is how often the model was asked with tools.
func (a *realAgent) calls() string {
	a.t.Helper()
	answer, err := http.Get(strings.TrimSuffix(a.model, "/v1") + "/calls")
	if err != nil {
		a.t.Fatal(err)
	}
	defer answer.Body.Close()
	n, err := io.ReadAll(answer.Body)
	if err != nil {
		a.t.Fatal(err)
	}
	return string(n)
}

// shows reports whether a field of a request holds a text.
func shows(q *talk.Request, text string) bool {
	for _, f := range q.Fields {
		if strings.Contains(f.Value, text) {
			return true
		}
	}
	return false
}

func TestE2E_OpencodeAllows(t *testing.T) {
	a := startOpencode(t)
	ran := filepath.Join(a.dir, "ran")
	a.pane.Submit("[run] echo rig-ran | tee " + ran)
	q := a.request()
	if !shows(q.Request, "echo rig-ran | tee "+ran) {
		t.Errorf("the command is not shown: %+v", q.Request)
	}
	if _, err := os.Stat(ran); err == nil {
		t.Error("it ran before it was allowed")
	}
	a.answer(q, allow(t, q.Request))
	a.idle()
	if got, err := os.ReadFile(ran); err != nil || string(got) != "rig-ran\n" {
		t.Errorf("the command wrote %q, %v", got, err)
	}
	if got := a.lastAnswer(); !strings.Contains(got, "The command **finished**.") {
		t.Errorf("the answer is %q", got)
	}
	if text := a.text(); !strings.Contains(text, "rig-ran") || !strings.Contains(text, "[tool]") {
		t.Errorf("the panel shows\n%s", text)
	}
}

func TestE2E_OpencodeRejectionEndsTheTurn(t *testing.T) {
	a := startOpencode(t)
	ran := filepath.Join(a.dir, "ran")
	a.pane.Submit("[run] touch " + ran)
	q := a.request()
	before := a.calls()
	a.answer(q, talk.Answer{Verdict: talk.Reject})
	a.idle()
	text := a.text()
	if !strings.Contains(text, "Rejected. Agent response cancelled.") || strings.Contains(text, "finished") {
		t.Errorf("the panel shows\n%s", text)
	}
	// The next turn is its own: nothing of the rejected one comes into it.
	a.pane.Submit("hello there")
	a.idle()
	if got := a.lastAnswer(); got != "You said: hello there\n" {
		t.Errorf("the next answer is %q", got)
	}
	if after := a.calls(); fmt.Sprint(after) == before {
		t.Errorf("the model was not asked again: %s, %s", before, after)
	}
	if _, err := os.Stat(ran); err == nil {
		t.Error("what was rejected ran")
	}
}

func TestE2E_OpencodeRejectionWithAReason(t *testing.T) {
	a := startOpencode(t)
	ran := filepath.Join(a.dir, "ran")
	a.pane.Submit("[run] touch " + ran)
	q := a.request()
	if !q.Request.TakesReason {
		t.Skip("the request takes no reason")
	}
	a.answer(q, talk.Answer{Verdict: talk.Reject, Reason: "use words instead"})
	a.idle()
	if got := a.lastAnswer(); !strings.Contains(got, "use words instead") {
		t.Errorf("the model never heard the reason: %q\n%s", got, a.text())
	}
	if _, err := os.Stat(ran); err == nil {
		t.Error("what was rejected ran")
	}
}

func TestE2E_OpencodeCancelWithAnOpenPermission(t *testing.T) {
	a := startOpencode(t)
	ran := filepath.Join(a.dir, "ran")
	a.pane.Submit("[run] touch " + ran)
	q := a.request()
	if !a.pane.Cancel() {
		t.Error("there was nothing to cancel")
	}
	if err := a.pane.Answer(q.ID, q.Digest, allow(t, q.Request)); err == nil {
		t.Error("a request of a cancelled turn can be answered")
	}
	a.idle()
	if state := a.pane.Since(0); len(state.Pending) > 0 {
		t.Errorf("still open: %+v", state.Pending)
	}
	a.pane.Submit("and now")
	a.idle()
	if got := a.lastAnswer(); got != "You said: and now\n" {
		t.Errorf("the next answer is %q", got)
	}
	if _, err := os.Stat(ran); err == nil {
		t.Error("what was cancelled ran")
	}
}

func TestE2E_OpencodeEditsWithADiff(t *testing.T) {
	a := startOpencode(t)
	file := filepath.Join(a.dir, "notes.txt")
	if err := os.WriteFile(file, []byte("first\nold\nlast\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	a.pane.Submit("[edit] " + file + " old new")
	q := a.request()
	if !shows(q.Request, "-old") || !shows(q.Request, "+new") || !shows(q.Request, file) {
		t.Errorf("the change is not shown: %+v", q.Request.Fields)
	}
	a.answer(q, allow(t, q.Request))
	a.idle()
	if got, err := os.ReadFile(file); err != nil || string(got) != "first\nnew\nlast\n" {
		t.Errorf("the file holds %q, %v", got, err)
	}
	if text := a.text(); !strings.Contains(text, "-old") || !strings.Contains(text, "+new") {
		t.Errorf("the panel shows no diff:\n%s", text)
	}
}

func TestE2E_OpencodeAnswersThreeThousandLines(t *testing.T) {
	a := startOpencode(t)
	a.pane.Submit("[long]")
	a.until("the turn", func(s desk.Delta) bool { return s.Status.Running })
	a.idle()
	lines := strings.Split(strings.TrimSuffix(a.lastAnswer(), "\n"), "\n")
	if len(lines) != 3000 {
		t.Fatalf("%d lines", len(lines))
	}
	for i, l := range lines {
		if want := fmt.Sprintf("line %04d of the long answer", i+1); l != want {
			t.Fatalf("line %d is %q", i+1, l)
		}
	}
}

func TestE2E_OpencodeThinks(t *testing.T) {
	a := startOpencode(t)
	a.pane.Submit("[think]")
	a.idle()
	if got := a.lastAnswer(); got != "Thought through.\n" {
		t.Errorf("the answer is %q", got)
	}
	if text := a.text(); !strings.Contains(text, "[thought] First I think about it.") {
		t.Errorf("the panel shows\n%s", text)
	}
}

func TestE2E_OpencodeKeepsSessions(t *testing.T) {
	a := startOpencode(t)
	a.pane.Submit("remember me")
	a.idle()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	stored, err := a.pane.Stored(ctx)
	if err != nil || len(stored) == 0 {
		t.Fatalf("stored are %+v, %v", stored, err)
	}
	if n := strings.Count(a.text(), "You said: remember me"); n != 1 {
		t.Errorf("the answer is shown %d times", n)
	}
}

// TestE2E_OpencodeGoesOnAfterARestart leaves a session and brings it back: the
// panel is the same, with nothing in it twice, and the agent knows what was said.
func TestE2E_OpencodeGoesOnAfterARestart(t *testing.T) {
	a := startOpencode(t)
	a.pane.Submit("the word is xylophone")
	a.idle()
	a.until("a name for its session", func(desk.Delta) bool { return strings.Contains(a.text(), "You said: the word is xylophone") })
	before, id := a.text(), a.pane.Session()
	a.leave()

	kept, err := a.store.Open(id)
	if err != nil {
		t.Fatal(err)
	}
	a.open(kept)
	if got := a.text(); !strings.HasPrefix(got, before) {
		t.Errorf("the panel was\n%s\nand came back as\n%s", before, got)
	}
	a.pane.Submit("[recall] xylophone")
	a.idle()
	got := a.text()
	if n := strings.Count(got, "You said: the word is xylophone"); n != 1 {
		t.Errorf("the first answer is shown %d times", n)
	}
	if !strings.Contains(got, "You said it 1 time(s) before.") {
		t.Errorf("the agent does not know what was said:\n%s", got)
	}
}

func TestE2E_OpencodeTellsAModelsError(t *testing.T) {
	a := startOpencode(t)
	a.pane.Submit("[fail]")
	a.idle()
	if text := a.text(); !strings.Contains(text, "fails as told") {
		t.Errorf("the panel shows\n%s", text)
	}
}
