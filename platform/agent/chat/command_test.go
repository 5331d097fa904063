package chat

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"copydesk/core"
	"copydesk/core/session"
)

// runs plays a turn with one command and returns what the model hears of it.
func runs(t *testing.T, args string, change func(*Options), answer answerer) (*record, string) {
	t.Helper()
	h := newHost(t, callStep("run_command", args), says("ok"), says("ok"))
	a := chatWith(t, h, change)
	got := play(t, a, "go", answer)
	if got.err != nil {
		t.Fatal(got.err)
	}
	if len(h.requests()) == 1 {
		play(t, a, "on", nil)
	}
	last := h.requests()[1]
	last.valid(t)
	return got, last.Messages[3].Content
}

// hasty is the clock with a short way of ending what goes on.
func hasty(d time.Duration, f func()) func() {
	if d == linger || d == core.StopEOF {
		d = 10 * time.Millisecond
	}
	return realAfter(d, f)
}

func TestT46_TheRealCommandIsShown(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "src", "deep"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("src/deep", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		args   string
		fields []session.Field
	}{
		{`{"command":["git ","status"]}`, []session.Field{{Name: "command", Value: `"git " status`}, {Name: "cwd", Value: dir}, {Name: "time limit", Value: "120 s"}}},
		{
			`{"command":["sh","-c","ls\n\n\u202e ; touch PWNED"],"cwd":"link","timeout_seconds":5}`,
			[]session.Field{{Name: "command", Value: `sh -c "ls\n\n\u202e ; touch PWNED"`}, {Name: "cwd", Value: filepath.Join(dir, "src", "deep")}, {Name: "time limit", Value: "5 s"}},
		},
		{
			`{"command":"ls` + strings.Repeat(" ", 400) + `; touch PWNED","cwd":"src/../src"}`,
			[]session.Field{{Name: "command, run by sh -c", Value: "ls" + strings.Repeat(" ", 400) + "; touch PWNED", Lang: "bash"}, {Name: "cwd", Value: filepath.Join(dir, "src")}, {Name: "time limit", Value: "120 s"}},
		},
	} {
		got, heard := runs(t, tt.args, func(o *Options) { o.Dir = dir }, func(*session.Request) session.Answer {
			return session.Answer{Verdict: session.Reject, Reason: "not now"}
		})
		want := &session.Request{
			Kind: session.Approval, Prompt: "Run this command?", From: "tester", Choices: []string{"Run", "Reject"},
			Fields: tt.fields, TakesReason: true,
		}
		if d := cmp.Diff(want, got.requests[0], cmpopts.IgnoreFields(session.Request{}, "Reply")); d != "" {
			t.Error(d)
		}
		if heard != "The user rejected this. The reason: not now" || got.text != "ok" || got.status["c1"] != session.Failed {
			t.Errorf("the model hears %q, text %q, status %v", heard, got.text, got.status)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "PWNED")); err == nil {
		t.Error("a rejected command ran")
	}
}

func TestAGT4_RejectingACommandEndsTheTurn(t *testing.T) {
	got, heard := runs(t, `{"command":"touch PWNED"}`, nil, func(*session.Request) session.Answer { return session.Answer{Verdict: session.Reject} })
	if got.text != "" || heard != "The user rejected this and ended the turn." || got.status["c1"] != session.Failed {
		t.Errorf("text %q, the model hears %q, status %v", got.text, heard, got.status)
	}
}

func TestAGT4_RunsCommands(t *testing.T) {
	for name, tt := range map[string]struct {
		args, output, heard string
		status              session.Status
	}{
		"list":        {`{"command":["printf","%s|","a b","c"]}`, "a b|c|", "Ended with exit status 0 after 0 s.\nOutput:\na b|c|", session.Done},
		"text":        {`{"command":"echo out; echo err >&2; exit 3"}`, "out\nerr\n", "Ended with exit status 3 after 0 s.\nOutput:\nout\nerr\n", session.Failed},
		"nothing":     {`{"command":["true"]}`, "", "Ended with exit status 0 after 0 s.\nIt printed nothing.", session.Done},
		"no input":    {`{"command":"cat; echo end"}`, "end\n", "Ended with exit status 0 after 0 s.\nOutput:\nend\n", session.Done},
		"no terminal": {`{"command":"test -t 0 || test -t 1 || echo none"}`, "none\n", "Ended with exit status 0 after 0 s.\nOutput:\nnone\n", session.Done},
		"binary":      {`{"command":"printf '\\377'"}`, "\xff", "Ended with exit status 0 after 0 s.\nOutput:\n\uFFFD", session.Done},
		"left behind": {`{"command":"sleep 999 & echo started"}`, "started\n", "Ended with exit status 0 after 0 s.\nOutput:\nstarted\n", session.Done},
	} {
		t.Run(name, func(t *testing.T) {
			now := time.Unix(0, 0)
			got, heard := runs(t, tt.args, func(o *Options) { o.Now, o.After = func() time.Time { return now }, hasty }, approve)
			if got.output != tt.output || heard != tt.heard || got.status["c1"] != tt.status {
				t.Errorf("shown %q %v, the model hears %q", got.output, got.status, heard)
			}
		})
	}
	if got, heard := runs(t, `{"command":["no-such-program-anywhere"]}`, nil, approve); !strings.HasPrefix(heard, "Error: the command did not start: ") || got.output != heard {
		t.Errorf("shown %q, the model hears %q", got.output, heard)
	}
}

// TestAGT4_LongOutput holds that all of it is shown, and that the model gets its
// head and tail.
func TestAGT4_LongOutput(t *testing.T) {
	got, heard := runs(t, `{"command":"i=0; while [ $i -lt 20000 ]; do echo line $i; i=$((i+1)); done"}`, nil, approve)
	var all strings.Builder
	for i := range 20000 {
		fmt.Fprintf(&all, "line %d\n", i)
	}
	if got.output != all.String() {
		t.Errorf("%d bytes are shown, want %d", len(got.output), all.Len())
	}
	left := fmt.Sprintf("\n[%d bytes are left out here.]\n", all.Len()-core.CommandOutput)
	head, tail, ok := strings.Cut(heard, left)
	if !ok || !strings.Contains(head, "line 0\nline 1\n") || !strings.HasSuffix(tail, "line 19999\n") || len(heard) > core.CommandOutput+200 {
		t.Errorf("the model hears %d bytes, of which %.80q", len(heard), heard)
	}
}

func TestAGT4_CommandsEnd(t *testing.T) {
	// The time limit and what is still to come fire at once, process's own
	// waits do not.
	started := make(chan struct{})
	limit := func(o *Options) {
		o.After = func(d time.Duration, f func()) func() {
			if d != 5*time.Second {
				return hasty(d, f)
			}
			go func() { <-started; f() }()
			return func() {}
		}
	}
	h := newHost(t, callStep("run_command", `{"command":"echo up; sleep 999","timeout_seconds":5}`), says("ok"))
	for e, err := range chatWith(t, h, limit).Run(t.Context(), "go") {
		if err != nil {
			t.Fatal(err)
		}
		if r, ok := e.(*session.Request); ok {
			r.Reply <- session.Answer{Verdict: session.Approve}
		}
		if c, ok := e.(session.ToolCall); ok && c.Chunk == "up\n" {
			close(started)
		}
	}
	if heard := h.requests()[1].last(); heard != "Ended after its time limit of 5 s.\nOutput:\nup\n" {
		t.Errorf("the model hears %q", heard)
	}

	h = newHost(t, callStep("run_command", `{"command":"echo up; sleep 999"}`), says("ok"))
	a := chatWith(t, h, func(o *Options) { o.After = hasty })
	ctx, cancel := context.WithCancel(t.Context())
	for e := range a.Run(ctx, "go") {
		if r, ok := e.(*session.Request); ok {
			r.Reply <- session.Answer{Verdict: session.Approve}
		}
		if c, ok := e.(session.ToolCall); ok && c.Chunk == "up\n" {
			cancel()
		}
	}
	cancel()
	play(t, a, "on", nil)
	last := h.requests()[1]
	last.valid(t)
	if heard := last.Messages[3].Content; heard != "Ended by the user, who ended the turn.\nOutput:\nup\n" {
		t.Errorf("the model hears %q", heard)
	}
}

// TestT47_TheFolderIsTheOneThatWasShown puts another folder in the place of the
// one that a command was approved for.
func TestT47_TheFolderIsTheOneThatWasShown(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a", "b"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	link := filepath.Join(dir, "link")
	if err := os.Symlink("a", link); err != nil {
		t.Fatal(err)
	}
	_, heard := runs(t, `{"command":"touch ran","cwd":"link"}`, func(o *Options) { o.Dir = dir }, func(r *session.Request) session.Answer {
		if err := os.Remove(link); err != nil {
			t.Error(err)
		}
		if err := os.Symlink("b", link); err != nil {
			t.Error(err)
		}
		return approve(r)
	})
	if !strings.HasPrefix(heard, "Error: ") {
		t.Errorf("the model hears %q", heard)
	}
	if found, _ := filepath.Glob(filepath.Join(dir, "*", "ran")); found != nil {
		t.Errorf("ran in %v", found)
	}
}

// TestT37_T38_TheKeyIsNowhere lets a server refuse the key with the key in its
// words and a command print its environment.
func TestT37_T38_TheKeyIsNowhere(t *testing.T) {
	var log strings.Builder
	with := func(o *Options) {
		o.KeyEnv = "DEMO_API_KEY"
		o.Key = func(context.Context) (string, error) { return " sk-SENTINEL9\n", nil }
		o.Environ = []string{"PATH=" + os.Getenv("PATH"), "DEMO_API_KEY=sk-SENTINEL9", "COPY=Bearer sk-SENTINEL9", "demo_api_key=x", "KEPT=yes"}
		o.Log = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
		o.After = (&clock{}).after
	}
	h := newHost(t, status(500, `{"error":"sk-SENTINEL9"}`), status(401, `{"error":{"message":"Incorrect API key provided: sk-SENTINEL9","code":"sk-SENTINEL9"}}`))
	a := chatWith(t, h, with)
	got := play(t, a, "hi", nil)
	said := fmt.Sprintf("%v %q %#v", got.err, got.notices, got.err)
	h.models = ""
	ctx, cancel := context.WithCancel(t.Context())
	for e := range a.Aside(ctx) {
		said += fmt.Sprint(e)
		cancel()
	}
	cancel()
	_, heard := runs(t, `{"command":["env"]}`, func(o *Options) { with(o); o.After = realAfter }, approve)
	if !strings.Contains(heard, "KEPT=yes\n") || strings.Contains(strings.ToUpper(heard), "DEMO_API_KEY") {
		t.Errorf("a command sees %q", heard)
	}
	if got.err == nil || log.Len() == 0 {
		t.Fatal("nothing was said or logged")
	}
	for where, s := range map[string]string{"the log": log.String(), "what is said": said, "a command's environment": heard} {
		if strings.Contains(s, "SENTINEL9") {
			t.Errorf("%s holds the key: %s", where, s)
		}
	}
}

func TestT37_TheKeyIsAskedForOnceAndAgain(t *testing.T) {
	asked := 0
	h := newHost(t, says("a"), status(401, "{}"), says("b"))
	a := chatWith(t, h, func(o *Options) {
		o.Key = func(context.Context) (string, error) {
			asked++
			return fmt.Sprint("key", asked), nil
		}
	})
	for range 3 {
		play(t, a, "hi", nil)
	}
	if d := cmp.Diff([]string{"Bearer key1", "Bearer key1", "Bearer key2"}, h.keys); d != "" {
		t.Error(d)
	}
	a = chatWith(t, h, func(o *Options) {
		o.Key = func(context.Context) (string, error) { return "", fmt.Errorf("DEMO_API_KEY is not set") }
	})
	if got := play(t, a, "hi", nil); got.err == nil || !strings.HasSuffix(got.err.Error(), "cannot be had: DEMO_API_KEY is not set") {
		t.Error(got.err)
	}
}

// TestT38_NoKeyOfAnotherServer holds that the library's own variables, which
// are for another server, go nowhere.
func TestT38_NoKeyOfAnotherServer(t *testing.T) {
	for _, name := range []string{"OPENAI_API_KEY", "OPENAI_ADMIN_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "OPENAI_CUSTOM_HEADERS"} {
		t.Setenv(name, "X-A: SENTINEL9")
	}
	t.Setenv("OPENAI_BASE_URL", "http://127.0.0.1:1/")
	h := newHost(t, says("ok"))
	if got := play(t, chatWith(t, h, nil), "hi", nil); got.err != nil || h.keys[0] != "" {
		t.Errorf("%v, sent %q", got.err, h.keys)
	}
}
