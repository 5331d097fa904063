package main

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"os"
	"reflect"
	"strings"
	"syscall"
	"testing"
	"time"

	"copydesk/core"
	talk "copydesk/core/session"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// An actor is an agent that does what a test says.
type actor struct {
	run   func(ctx context.Context, yield func(talk.Event, error) bool)
	aside func(ctx context.Context, yield func(talk.Event) bool)
	kill  func()
}

func (a actor) Name() string               { return "actor" }
func (a actor) Echo(string) (string, bool) { return "actor", true }
func (a actor) Kill()                      { a.kill() }

func (a actor) Run(ctx context.Context, _ string) iter.Seq2[talk.Event, error] {
	return func(yield func(talk.Event, error) bool) { a.run(ctx, yield) }
}

func (a actor) Aside(ctx context.Context) iter.Seq[talk.Event] {
	return func(yield func(talk.Event) bool) {
		if a.aside != nil {
			a.aside(ctx, yield)
		}
	}
}

// saying is an agent that says the given events.
func saying(events ...talk.Event) actor {
	return actor{run: func(_ context.Context, yield func(talk.Event, error) bool) {
		for _, e := range events {
			if !yield(e, nil) {
				return
			}
		}
	}}
}

// perform runs one turn of an agent and gives what was written and the exit
// code.
func perform(a talk.Agent, terminal bool) (stdout, stderr string, code int) {
	var out, errs shared
	o := oneShot{agent: a, out: newPlainPrinter(&out, &errs, terminal), start: func(f func()) { go f() }, after: time.After}
	code = exitCode(o.run("prompt"), &errs)
	return out.String(), errs.String(), code
}

func TestR39_RawBytesForAFileAndCleanOnesForATerminal(t *testing.T) {
	a := saying(talk.Text{Chunk: "A\x1b"}, talk.Text{Chunk: "[2J\xc3"}, talk.Text{Chunk: "\xa9 \xff\r\nend"})
	if out, errs, code := perform(a, false); out != "A\x1b[2J\xc3\xa9 \xff\r\nend" || errs != "" || code != exitOK {
		t.Errorf("to a file: %q, %q, %d", out, errs, code)
	}
	if out, errs, code := perform(a, true); out != "A␛[2Jé \uFFFD\nend\n" || errs != "" || code != exitOK {
		t.Errorf("to a terminal: %q, %q, %d", out, errs, code)
	}
	if out, _, _ := perform(saying(talk.Text{Chunk: "end\n"}), true); out != "end\n" {
		t.Errorf("a second line end: %q", out)
	}
	if out, _, _ := perform(saying(), true); out != "" {
		t.Errorf("no answer became %q", out)
	}
}

func TestRunSetsPassagesApartAsASessionDoes(t *testing.T) {
	kinds := []talk.Event{
		talk.Text{Chunk: "a"}, talk.Text{Chunk: "b\n"}, talk.Text{Chunk: "c\n\n"}, talk.Text{}, talk.Break{},
		talk.Block{Source: "| t |\n"}, talk.Notice{Text: "n"}, talk.Thought{Chunk: "x"}, talk.ToolCall{ID: "1", Title: "t"},
	}
	rapid.Check(t, func(t *rapid.T) {
		events := rapid.SliceOf(rapid.SampledFrom(kinds)).Draw(t, "events")
		var s talk.Session
		s.Begin("prompt", "actor")
		for _, e := range events {
			switch e := e.(type) {
			case talk.Text:
				s.Write(e.Chunk)
			case talk.Break:
				s.Break()
			case talk.Block:
				s.Break()
				s.Write(e.Source)
				s.Break()
			}
		}
		s.End(talk.Complete)
		want, _ := s.LastAnswer()
		if got, _, _ := perform(saying(events...), false); got != want {
			t.Fatalf("wrote %q, want %q", got, want)
		}
	})
}

func TestRunRefusesWhateverIsAsked(t *testing.T) {
	reply := make(chan talk.Answer, 1)
	late := make(chan talk.Answer, 1)
	var answered talk.Answer
	var over error
	a := actor{run: func(ctx context.Context, yield func(talk.Event, error) bool) {
		yield(talk.Text{Chunk: "I will."}, nil)
		yield(&talk.Request{
			Kind: talk.Approval, Prompt: "Run \x1b[8mthis?", Choices: []string{"yes", "no"}, Claim: "harmless",
			Fields: []talk.Field{{Name: "Command", Value: "rm -rf ~\necho"}}, Reply: reply,
		}, nil)
		answered = <-reply
		over = ctx.Err() // the answer is there before the turn is cancelled or with it
		<-ctx.Done()
		yield(&talk.Request{Kind: talk.TextInput, Prompt: "Why?", Reply: late}, nil)
		yield(&talk.Request{Kind: talk.TextInput, Prompt: "No way to answer"}, nil)
		yield(nil, ctx.Err())
	}}
	out, errs, code := perform(a, false)
	if out != "I will." || code != exitRejected || answered.Verdict != talk.Reject || answered.Reason != "" {
		t.Errorf("%q, exit %d, answered %+v (%v)", out, code, answered, over)
	}
	if want := "copydesk: refused, because nobody is here to answer: Run ␛[8mthis?\n  Command: rm -rf ~\n    echo\n  agent says: harmless\n"; errs != want {
		t.Errorf("said %q, want %q", errs, want)
	}
	if got := <-late; got.Verdict != talk.Reject {
		t.Errorf("the second request was answered %+v", got)
	}
}

// What is asked outside of the turn is refused too, and what is said there is
// no part of the answer.
func TestRunWithAnAgentThatSpeaksAside(t *testing.T) {
	reply := make(chan talk.Answer, 1)
	said := make(chan struct{})
	a := actor{
		run: func(ctx context.Context, yield func(talk.Event, error) bool) {
			<-said
			yield(talk.Text{Chunk: "answer"}, nil)
			<-ctx.Done()
		},
		aside: func(ctx context.Context, yield func(talk.Event) bool) {
			yield(talk.Notice{Text: "Connected to actor."})
			yield(talk.Text{Chunk: "late"})
			close(said)
			yield(&talk.Request{Kind: talk.Choice, Prompt: "Which?", Choices: []string{"a"}, Reply: reply})
			<-ctx.Done()
		},
	}
	out, errs, code := perform(a, false)
	if (out != "answer" && out != "") || code != exitRejected || !strings.HasPrefix(errs, "copydesk: Connected to actor.\n") || strings.Contains(errs+out, "late") {
		t.Errorf("%q, %q, exit %d", out, errs, code)
	}
	if got := <-reply; got.Verdict != talk.Reject {
		t.Errorf("answered %+v", got)
	}
}

// gone is a reader that has left.
type gone struct{}

func (gone) Write([]byte) (int, error) { return 0, syscall.EPIPE }

func TestRunEndsWhenNobodyReads(t *testing.T) {
	ended := false
	a := actor{run: func(ctx context.Context, yield func(talk.Event, error) bool) {
		defer func() { ended = true }()
		for ctx.Err() == nil && yield(talk.Text{Chunk: "more"}, nil) {
		}
	}}
	var errs shared
	o := oneShot{agent: a, out: newPlainPrinter(gone{}, &errs, false), start: func(f func()) { go f() }, after: time.After}
	if code := exitCode(o.run("prompt"), &errs); code != exitFailed || !ended || !strings.Contains(errs.String(), "write the answer: broken pipe") {
		t.Errorf("exit %d, ended %v, %q", code, ended, errs.String())
	}
}

func TestRunSaysWhyItFailed(t *testing.T) {
	a := actor{run: func(_ context.Context, yield func(talk.Event, error) bool) {
		yield(talk.Text{Chunk: "half"}, nil)
		yield(nil, errors.New("the model \x1b]0;x\x07 is gone"))
	}}
	if out, errs, code := perform(a, false); out != "half" || errs != "copydesk: the model ␛]0;x␇ is gone\n" || code != exitFailed {
		t.Errorf("%q, %q, exit %d", out, errs, code)
	}
}

// TestRunIsInterrupted holds 128 and the signal's number, and that a turn that
// does not stop is killed by the next signal.
func TestRunIsInterrupted(t *testing.T) {
	for _, stubborn := range []bool{false, true} {
		begun, killed := make(chan struct{}), make(chan struct{})
		a := actor{
			run: func(ctx context.Context, yield func(talk.Event, error) bool) {
				yield(talk.Text{Chunk: "half"}, nil)
				close(begun)
				<-ctx.Done()
				if stubborn {
					_ = syscall.Kill(os.Getpid(), syscall.SIGINT)
					<-killed
				}
				yield(nil, ctx.Err())
			},
			kill: func() { close(killed) },
		}
		go func() {
			<-begun
			_ = syscall.Kill(os.Getpid(), syscall.SIGINT)
		}()
		if out, errs, code := perform(a, false); out != "half" || errs != "copydesk: interrupted\n" || code != 130 {
			t.Errorf("stubborn %v: %q, %q, exit %d", stubborn, out, errs, code)
		}
	}
}

// TestR5_AnAgentThatGoesOnIsKilled is the agent that neither a refusal nor a
// kill stops: the program ends all the same, and writes nothing more.
func TestR5_AnAgentThatGoesOnIsKilled(t *testing.T) {
	killed, let := make(chan struct{}), make(chan struct{})
	ended := make(chan struct{})
	a := actor{
		run: func(_ context.Context, yield func(talk.Event, error) bool) {
			defer close(ended)
			yield(&talk.Request{Kind: talk.TextInput, Prompt: "What?", Reply: make(chan talk.Answer, 1)}, nil)
			<-let
			yield(talk.Text{Chunk: "too late"}, nil)
		},
		kill: func() { close(killed) },
	}
	var out, errs shared
	waits := make(chan time.Duration, 8)
	o := oneShot{
		agent: a, out: newPlainPrinter(&out, &errs, false), start: func(f func()) { go f() },
		after: func(d time.Duration) <-chan time.Time {
			waits <- d
			fired := make(chan time.Time)
			close(fired)
			return fired
		},
	}
	if code := exitCode(o.run("prompt"), &errs); code != exitRejected {
		t.Errorf("exit %d, %q", code, errs.String())
	}
	<-killed
	close(let)
	<-ended
	if got := []time.Duration{<-waits, <-waits}; got[0] != core.KillAfter || got[1] != core.StopTerm || out.String() != "" {
		t.Errorf("waited %v, wrote %q", got, out.String())
	}
}

func TestRunAsJSON(t *testing.T) {
	events := []talk.Event{
		talk.Text{Chunk: "é\xe2\x82"}, talk.Text{Chunk: "\xac"}, talk.Thought{Chunk: "hm\xe2"}, talk.Text{Chunk: "<&>\x1b\u202e\U000e0041\u0085"},
		talk.Break{},
		talk.ToolCall{ID: "1", Title: "edit a.go", Kind: "edit", Status: talk.Done, Parts: []talk.Part{{Kind: talk.DiffPart, Name: "a.go", Text: "+x\n"}}},
		talk.Plan{Steps: []talk.PlanStep{{Text: "one", Status: talk.Running}}},
		talk.Block{Kind: talk.TableBlock, Source: "| a |\n"},
		talk.Notice{Text: "careful", Error: true}, talk.Usage{Used: 10, Limit: 100, Cost: "1 USD"},
		talk.Changed{},
	}
	var out shared
	o := oneShot{agent: saying(events...), out: &jsonPrinter{out: &out}, start: func(f func()) { go f() }, after: time.After}
	if err := o.run("prompt"); err != nil {
		t.Fatal(err)
	}
	want := `{"event":"text","text":"é"}
{"event":"text","text":"€"}
{"event":"thought","text":"hm"}
{"event":"thought","text":"\ufffd"}
{"event":"text","text":"<&>\u001b\u202e\udb40\udc41\u0085"}
{"event":"break"}
{"event":"tool","id":"1","title":"edit a.go","kind":"edit","status":"done","parts":[{"kind":"diff","name":"a.go","text":"+x\n"}]}
{"event":"plan","steps":[{"text":"one","status":"running"}]}
{"event":"block","text":"| a |\n","kind":"table"}
{"event":"notice","text":"careful","error":true}
{"event":"usage","used":10,"limit":100,"cost":"1 USD"}
{"event":"end","outcome":"done"}
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Error(diff)
	}
	decode(t, out.String())
}

// However a text is cut, its pieces add up to it, and no line holds what a
// terminal could obey.
func TestRunAsJSONKeepsTheText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		var events []talk.Event
		for rest := text; rest != ""; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "cut")
			events, rest = append(events, talk.Text{Chunk: rest[:n]}), rest[n:]
		}
		var out shared
		o := oneShot{agent: saying(events...), out: &jsonPrinter{out: &out}, start: func(f func()) { go f() }, after: time.After}
		if err := o.run("prompt"); err != nil {
			t.Fatal(err)
		}
		got := ""
		for line := range strings.Lines(out.String()) {
			var v struct{ Event, Text string }
			if err := json.Unmarshal([]byte(line), &v); err != nil {
				t.Fatal(err)
			}
			if v.Event == "text" {
				got += v.Text
			}
			if strings.ContainsAny(line, "\x1b\u009b\x7f\u202e") {
				t.Fatalf("%q", line)
			}
		}
		if got != text {
			t.Fatalf("read back %q of %q", got, text)
		}
	})
}

// The fields of --json are stable because people build on them, so each of them
// is documented.
func TestTheFieldsOfJSONAreDocumented(t *testing.T) {
	data, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(data), "\n### Without a screen\n")
	section, _, ok := strings.Cut(section, "\n## ")
	if !ok {
		t.Fatal("README.md has no section on turns without a screen")
	}
	for _, v := range []any{printed{}, recordPart{}, recordStep{}, recordField{}} {
		for i := range reflect.TypeOf(v).NumField() {
			name, _, _ := strings.Cut(reflect.TypeOf(v).Field(i).Tag.Get("json"), ",")
			if !strings.Contains(section, "`"+name+"`") {
				t.Errorf("%s is not documented", name)
			}
		}
	}
	for _, how := range []outcome{done, failed, wasRefused, interrupted} {
		if !strings.Contains(section, "`"+string(how)+"`") {
			t.Errorf("the outcome %s is not documented", how)
		}
	}
}
