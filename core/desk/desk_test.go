package desk

import (
	"context"
	"errors"
	"io"
	"iter"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"copydesk/core/command"
	"copydesk/core/session"
	"copydesk/core/text"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// scripted is an agent that runs what a test gives it.
type scripted struct {
	run func(ctx context.Context, prompt string, yield func(session.Event, error) bool)
}

func (scripted) Name() string                  { return "fake" }
func (scripted) Echo(in string) (string, bool) { return "fake", !strings.HasPrefix(in, "mode") }
func (s scripted) Run(ctx context.Context, prompt string) iter.Seq2[session.Event, error] {
	return func(yield func(session.Event, error) bool) { s.run(ctx, prompt, yield) }
}

type bench struct {
	t    *testing.T
	desk *Desk
	pane *Pane
	bell <-chan struct{}
	log  *strings.Builder
}

func open(t *testing.T, loose bool, run func(ctx context.Context, prompt string, yield func(session.Event, error) bool)) *bench {
	t.Helper()
	var log strings.Builder
	var mu sync.Mutex
	d := New(Deps{
		Now:        func() time.Time { return time.Unix(0, 0) },
		Go:         func(f func()) { go f() },
		Log:        slog.New(slog.NewTextHandler(lockedWriter{&mu, &log}, nil)),
		PanelLines: 1000,
	})
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if err := d.Close(ctx); err != nil {
			t.Errorf("closing the desk: %v", err)
		}
	})
	return &bench{t: t, desk: d, pane: d.Open(scripted{run}, PaneOptions{Loose: loose}), bell: d.Listen(), log: &log}
}

type lockedWriter struct {
	mu *sync.Mutex
	w  io.Writer
}

func (l lockedWriter) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(p)
}

// until waits for a state of the pane, woken by its doorbell.
func (b *bench) until(what string, ok func(Delta) bool) Delta {
	b.t.Helper()
	deadline := time.After(10 * time.Second)
	for {
		d := b.pane.Since(0)
		if ok(d) {
			return d
		}
		select {
		case <-b.bell:
		case <-deadline:
			b.t.Fatalf("waited for %s; the panel shows\n%s", what, strings.Join(rows(d), "\n"))
		}
	}
}

func (b *bench) idle() []string {
	b.t.Helper()
	return rows(b.until("the end of the turn", func(d Delta) bool { return !d.Status.Running }))
}

func (b *bench) asked() session.Pending {
	b.t.Helper()
	return b.until("a request", func(d Delta) bool { return len(d.Pending) > 0 }).Pending[0]
}

func rows(d Delta) []string {
	out := []string{}
	for _, l := range d.Lines {
		out = append(out, l.Text)
	}
	return out
}

func (b *bench) shows(want ...string) {
	b.t.Helper()
	if diff := cmp.Diff(want, b.idle()); diff != "" {
		b.t.Error(diff)
	}
}

func say(chunks ...string) func(context.Context, string, func(session.Event, error) bool) {
	return func(_ context.Context, _ string, yield func(session.Event, error) bool) {
		for _, c := range chunks {
			if !yield(session.Text{Chunk: c}, nil) {
				return
			}
		}
	}
}

func TestSES1_ATurnIsEchoedAnsweredAndKept(t *testing.T) {
	b := open(t, false, say("Hello ", "*there*\n"))
	b.pane.Submit("hi\nyou")
	b.shows("[fake] hi", "you ✓", "Hello *there*")
	want := []session.Turn{{Role: session.User, Content: "hi\nyou"}, {Role: session.Assistant, Agent: "fake", Content: "Hello *there*\n"}}
	if diff := cmp.Diff(want, b.pane.session.Turns()); diff != "" {
		t.Error(diff)
	}
}

// TestAppLevelCommandsHaveNoEcho holds R3's rule: no echo, no turn.
func TestAppLevelCommandsHaveNoEcho(t *testing.T) {
	b := open(t, true, func(_ context.Context, _ string, yield func(session.Event, error) bool) {
		yield(session.Notice{Text: "Mode is advanced."}, nil)
	})
	b.pane.Submit("mode advanced")
	b.shows("[system] Mode is advanced.")
	if turns := b.pane.session.Turns(); len(turns) != 0 {
		t.Errorf("a command made turns: %+v", turns)
	}
}

func TestAFailureIsAnErrorLine(t *testing.T) {
	b := open(t, false, func(_ context.Context, _ string, yield func(session.Event, error) bool) {
		yield(session.Text{Chunk: "part"}, nil)
		yield(nil, errors.New("there is no table T"))
	})
	b.pane.Submit("show T")
	b.shows("[fake] show T ✗", "part", "[error] There is no table T.")
	if turns := b.pane.session.Turns(); turns[1].Content != "part" || turns[1].Outcome != session.Broken {
		t.Errorf("the turns are %+v", turns)
	}
}

// ask yields one request and then says what it was answered.
func ask(r session.Request) func(context.Context, string, func(session.Event, error) bool) {
	return func(ctx context.Context, _ string, yield func(session.Event, error) bool) {
		reply := make(chan session.Answer, 1)
		q := r
		q.Reply = reply
		if !yield(session.Text{Chunk: "partial\n"}, nil) || !yield(&q, nil) {
			return
		}
		select {
		case a := <-reply:
			yield(session.Text{Chunk: "answered " + a.Response()}, nil)
		case <-ctx.Done():
		}
	}
}

var approval = session.Request{Kind: session.Approval, Prompt: "Drop it?", Choices: []string{"Drop", "Keep"}}

func TestREQ2_TheTurnGoesOnAfterAnAnswer(t *testing.T) {
	for name, tc := range map[string]struct {
		r    session.Request
		a    session.Answer
		line string
		end  string
	}{
		"approval": {approval, session.Answer{Verdict: session.Approve}, "[system] Approved: Drop it?", "answered approve"},
		"choice": {
			session.Request{Kind: session.Choice, Prompt: "Which?", Choices: []string{"a", "b"}},
			session.Answer{Verdict: session.Chosen, Index: 1, Value: "b"}, "[system] Chosen: b", "answered b",
		},
		"text": {
			session.Request{Kind: session.TextInput, Prompt: "Name?"},
			session.Answer{Verdict: session.Entered, Value: "r"}, "[system] Answered: r", "answered r",
		},
		"reason": {
			session.Request{Kind: session.Approval, Prompt: "Run?", Choices: []string{"Run", "Skip"}, TakesReason: true},
			session.Answer{Verdict: session.Reject, Reason: "use git"}, "[system] Rejected, because: use git", "answered reject",
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := open(t, false, ask(tc.r))
			b.pane.Submit("go")
			p := b.asked()
			if err := b.pane.Answer(p.ID, p.Digest, tc.a); err != nil {
				t.Fatal(err)
			}
			b.shows("[fake] go ✓", "partial", tc.line, tc.end)
			if err := b.pane.Answer(p.ID, p.Digest, tc.a); !errors.Is(err, session.ErrGone) {
				t.Errorf("a second answer: %v", err)
			}
		})
	}
}

// TestREQ2_RejectingEndsTheTurn holds R4 §6 for every kind of request.
func TestREQ2_RejectingEndsTheTurn(t *testing.T) {
	for _, r := range []session.Request{
		approval,
		{Kind: session.Choice, Prompt: "Which?", Choices: []string{"a", "b"}},
		{Kind: session.TextInput, Prompt: "Name?"},
	} {
		b := open(t, false, ask(r))
		b.pane.Submit("go")
		p := b.asked()
		if err := b.pane.Answer(p.ID, p.Digest, session.Answer{Verdict: session.Reject}); err != nil {
			t.Fatal(err)
		}
		b.shows("[fake] go ✗", "partial", "[system] Rejected. Agent response cancelled.")
		got := b.pane.session.Turns()
		if len(got) != 2 || got[1].Content != "partial\n" || got[1].Outcome != session.Rejected {
			t.Errorf("%s: the turns are %+v", r.Kind, got)
		}
		b.pane.Submit("again")
		b.asked()
	}
}

func TestREQ1_WhatCannotBeAskedIsSaid(t *testing.T) {
	b := open(t, false, func(ctx context.Context, _ string, yield func(session.Event, error) bool) {
		reply := make(chan session.Answer, 1)
		yield(&session.Request{Kind: session.Choice, Reply: reply}, nil)
		a := <-reply
		yield(&session.Request{Kind: session.TextInput, Prompt: "Nobody?"}, nil)
		yield(session.Text{Chunk: "went on " + a.Response()}, nil)
	})
	b.pane.Submit("go")
	b.shows("[fake] go ✓", "[error] The agent asked something that cannot be shown: a choice request needs something to choose from, it has nothing.", "went on ")
	if !strings.Contains(b.log.String(), "nobody can answer") {
		t.Errorf("no warning is logged: %q", b.log.String())
	}
}

func TestT48_AfterACancelNothingCanBeAnswered(t *testing.T) {
	b := open(t, false, ask(approval))
	b.pane.Submit("go")
	p := b.asked()
	if !b.pane.Cancel() {
		t.Fatal("there was nothing to cancel")
	}
	if err := b.pane.Answer(p.ID, p.Digest, session.Answer{Verdict: session.Approve}); !errors.Is(err, session.ErrGone) {
		t.Errorf("a cancelled request was approved: %v", err)
	}
	b.shows("[fake] go ✗", "partial", "[system] Cancelled.")
	if b.pane.Cancel() {
		t.Error("an idle pane was cancelled")
	}
}

// TestREQ4_OnlyOneOfManyAnswersCounts answers from many goroutines at once.
func TestREQ4_OnlyOneOfManyAnswersCounts(t *testing.T) {
	b := open(t, false, ask(approval))
	b.pane.Submit("go")
	p := b.asked()
	var wg sync.WaitGroup
	won := make(chan session.Verdict, 16)
	for i := range 16 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			v := session.Approve
			if i%2 == 0 {
				v = session.Reject
			}
			if b.pane.Answer(p.ID, p.Digest, session.Answer{Verdict: v}) == nil {
				won <- v
			}
		}()
	}
	wg.Wait()
	close(won)
	var winners []session.Verdict
	for v := range won {
		winners = append(winners, v)
	}
	if len(winners) != 1 {
		t.Fatalf("%d answers won", len(winners))
	}
	last := b.idle()
	approved := strings.Contains(strings.Join(last, "\n"), "answered approve")
	if approved != (winners[0] == session.Approve) {
		t.Errorf("verdict %d won, and the panel shows %q", winners[0], last)
	}
}

// TestSES5_MessagesQueueBehindATurn holds the order, taking back, and that a
// queue waits after a turn that did not end well.
func TestSES5_MessagesQueueBehindATurn(t *testing.T) {
	release := make(chan struct{})
	b := open(t, false, func(ctx context.Context, prompt string, yield func(session.Event, error) bool) {
		select {
		case <-release:
		case <-ctx.Done():
		}
		yield(session.Text{Chunk: "did " + prompt}, nil)
	})
	for _, m := range []string{"one", "two", "three", "four"} {
		b.pane.Submit(m)
	}
	if got := b.pane.Since(0).Status.Queue; !cmp.Equal(got, []string{"two", "three", "four"}) {
		t.Fatalf("the queue is %q", got)
	}
	if got, ok := b.pane.Unqueue(); got != "four" || !ok {
		t.Fatalf("Unqueue() = %q, %v", got, ok)
	}
	b.pane.Cancel()
	d := b.until("a held queue", func(d Delta) bool { return d.Status.Held && !d.Status.Running })
	if !cmp.Equal(d.Status.Queue, []string{"two", "three"}) {
		t.Fatalf("after a cancel the queue is %q", d.Status.Queue)
	}
	close(release)
	b.pane.Submit("")
	b.shows("[fake] one ✗", "[system] Cancelled.", "[fake] two ✓", "did two", "[fake] three ✓", "did three")
	if _, ok := b.pane.Unqueue(); ok {
		t.Error("an empty queue gave a message")
	}
}

func TestCPY1_NothingToCopyIsSaid(t *testing.T) {
	b := open(t, true, say(""))
	for c, want := range map[command.Copy]string{
		{Scope: command.Answer}:     "No agent output to copy.",
		{Scope: command.Code}:       "No agent output to copy.",
		{Scope: command.Panel}:      "Nothing to copy.",
		{Scope: command.Last}:       "Nothing to copy.",
		{Scope: command.Session}:    "Nothing to copy.",
		{Scope: command.Turn, N: 1}: "There is no turn 1; the session has 0.",
	} {
		if got, err := b.pane.Copy(c); err == nil || err.Error() != want || got.Text != "" {
			t.Errorf("%+v: %+v, %v; want %q", c, got, err, want)
		}
	}
}

func TestCPY_EveryScope(t *testing.T) {
	answer := "Run:\n\n```sh\nmake\n```\n\nor\n\n~~~go\nx := 1\n~~~\n"
	b := open(t, false, say(answer))
	b.pane.Submit("how?")
	b.idle()
	shown := "[fake] how? ✓\n" + strings.TrimSuffix(answer, "\n")
	for _, tc := range []struct {
		c          command.Copy
		text, said string
	}{
		{command.Copy{Scope: command.Answer}, answer, "Copied to clipboard."},
		{command.Copy{Scope: command.Panel}, shown, "Copied 12 line(s) to the clipboard."},
		{command.Copy{Scope: command.Last}, shown, "Copied 12 line(s) to the clipboard."},
		{command.Copy{Scope: command.Code}, "x := 1", "Copied 1 line(s) to the clipboard."},
		{command.Copy{Scope: command.Code, N: 1}, "make", "Copied 1 line(s) to the clipboard."},
		{command.Copy{Scope: command.Turn, N: 1}, "how?", "Copied 1 line(s) to the clipboard."},
		{command.Copy{Scope: command.Turn, N: 2}, answer, "Copied 11 line(s) to the clipboard."},
		{command.Copy{Scope: command.Session}, "## 1. You\n\nhow?\n\n## 2. fake\n\n" + answer, "Copied 17 line(s) to the clipboard."},
	} {
		got, err := b.pane.Copy(tc.c)
		if err != nil || got.Text != tc.text || got.Said != tc.said {
			t.Errorf("%+v: %+v, %v; want %q and %q", tc.c, got, err, tc.text, tc.said)
		}
	}
	if _, err := b.pane.Copy(command.Copy{Scope: command.Code, N: 3}); err == nil || !strings.Contains(err.Error(), "has 2") {
		t.Errorf("a third code block: %v", err)
	}
}

// TestCPY_AnAnswerIsCopiedByteForByte holds R2's property 1 for any bytes in any
// pieces, and that the panel shows the same however they were cut.
func TestCPY_AnAnswerIsCopiedByteForByte(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		parts := rapid.SliceOfN(rapid.SampledFrom([]string{
			"text ", "**bold", "** `co", "de`\n", "```go\n", "x := 1\n", "```\n", "\n", "\r\n", "\r", "\x1b[2J", "\x1b]52;c;QQ==\x07",
			"\xc2\x9b", "€", "\xe2\x82", "\xff", "\u202e", "e\u0301", "👩‍👩‍👧", "\t", "| a | b |\n|---|---|\n", "\x00",
		}), 1, 25).Draw(rt, "answer")
		answer := strings.Join(parts, "")
		var chunks []string
		for rest := answer; rest != ""; {
			n := rapid.IntRange(1, len(rest)).Draw(rt, "cut")
			chunks = append(chunks, rest[:n])
			rest = rest[n:]
		}
		split := open(t, false, say(chunks...))
		split.pane.Submit("go")
		split.idle()
		got, err := split.pane.Copy(command.Copy{Scope: command.Answer})
		if err != nil || got.Text != answer {
			rt.Fatalf("copied %q, %v; want %q", got.Text, err, answer)
		}
		whole := open(t, false, say(answer))
		whole.pane.Submit("go")
		whole.idle()
		if diff := cmp.Diff(whole.pane.Since(0).Lines, split.pane.Since(0).Lines); diff != "" {
			rt.Fatalf("cut differently it shows differently:\n%s", diff)
		}
	})
}

// TestT30_NoTextFieldBringsControlsIn puts a hostile text into every text leaf
// that an agent has.
func TestT30_NoTextFieldBringsControlsIn(t *testing.T) {
	const bad = "x\x1b]0;pwn\x07\x1b[2J\u202e\u009b\r\x7f\ny"
	b := open(t, false, func(ctx context.Context, _ string, yield func(session.Event, error) bool) {
		reply := make(chan session.Answer, 1)
		for _, e := range []session.Event{
			session.Text{Chunk: bad}, session.Thought{Chunk: bad}, session.ToolCall{ID: bad, Title: bad, Status: session.Running},
			session.ToolCall{ID: bad, Title: bad + "2", Status: session.Done}, session.Plan{Steps: []session.PlanStep{{Text: bad}}},
			session.Notice{Text: bad}, session.Notice{Text: bad, Error: true}, session.Usage{Used: 1},
			&session.Request{Kind: session.TextInput, Prompt: bad, Reply: reply}, &session.Request{Kind: session.RequestKind(bad), Reply: make(chan session.Answer, 1)},
			session.Block{Kind: session.TableBlock, Lines: []text.Line{{Text: bad}}, Source: bad},
		} {
			if !yield(e, nil) {
				return
			}
		}
		<-reply
		yield(nil, errors.New(bad))
	})
	b.pane.Submit(bad)
	p := b.asked()
	if err := b.pane.Answer(p.ID, p.Digest, session.Answer{Verdict: session.Entered, Value: bad}); err != nil {
		t.Fatal(err)
	}
	for _, line := range b.idle() {
		if strings.ContainsAny(line, "\x1b\x07\r\n\x7f\u202e\u009b") {
			t.Errorf("a control character is shown: %q", line)
		}
	}
}

func TestNotesNeverTearAnAnswer(t *testing.T) {
	step := make(chan struct{})
	b := open(t, false, func(_ context.Context, _ string, yield func(session.Event, error) bool) {
		yield(session.Text{Chunk: "half "}, nil)
		<-step
		yield(session.Text{Chunk: "line\n"}, nil)
	})
	b.pane.Submit("go")
	b.until("the first half", func(d Delta) bool { return len(d.Lines) == 2 })
	b.pane.Note("copied", false)
	close(step)
	b.shows("[fake] go ✓", "half line", "[system] copied")
}

func TestUnknownCommandsAreErrorLines(t *testing.T) {
	b := open(t, true, say("x"))
	b.pane.Submit("copy foo")
	b.pane.Submit("/nothing")
	got := b.idle()
	if len(got) != 2 || !strings.HasPrefix(got[0], "[error] Copy does not know \"foo\". The forms are: copy, copy all") || !strings.Contains(got[1], "/help lists") {
		t.Errorf("the panel shows %q", got)
	}
}

func TestToolCallsChangeInPlace(t *testing.T) {
	b := open(t, false, func(_ context.Context, _ string, yield func(session.Event, error) bool) {
		yield(session.ToolCall{ID: "1", Title: "read a.go", Status: session.Running}, nil)
		yield(session.Text{Chunk: "then"}, nil)
		yield(session.ToolCall{ID: "1", Status: session.Done}, nil)
		yield(session.ToolCall{ID: "2", Title: "run", Status: session.Failed}, nil)
	})
	b.pane.Submit("go")
	b.shows("[fake] go ✓", "[tool] read a.go ✓", "then", "[tool] run ✗")
}

func TestCloseEndsARunningTurn(t *testing.T) {
	b := open(t, false, func(ctx context.Context, _ string, yield func(session.Event, error) bool) {
		<-ctx.Done()
	})
	b.pane.Submit("go")
	b.until("the turn", func(d Delta) bool { return d.Status.Running })
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if err := b.desk.Close(ctx); err != nil {
		t.Fatal(err)
	}
	b.shows("[fake] go ✗", "[system] Cancelled.")
}
