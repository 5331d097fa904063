package desk

import (
	"context"
	"errors"
	"iter"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"copydesk/core/record"
	"copydesk/core/session"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// memory is a journal in memory. Every entry goes through its JSON.
type memory struct {
	mu      sync.Mutex
	objects [][2]string // kind, object
	joined  bool        // Records joins deltas, as on the disk
	draft   record.Draft
	synced  int // entries at the last Sync
	syncs   chan struct{}
	fail    error
	closed  bool
}

func (m *memory) ID() string { return "20261121-062316-k3f9q2" }

func (m *memory) Append(e record.Entry) {
	m.mu.Lock()
	defer m.mu.Unlock()
	object, err := record.Encode(e)
	if err != nil {
		panic(err)
	}
	m.objects = append(m.objects, [2]string{string(e.Kind()), string(object)})
}

func (m *memory) Sync(context.Context) error {
	if m.syncs != nil {
		<-m.syncs
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.synced = len(m.objects)
	return m.fail
}

func (m *memory) entries() []record.Entry {
	m.mu.Lock()
	defer m.mu.Unlock()
	var out []record.Entry
	for _, o := range m.objects {
		e, err := record.Decode(record.Kind(o[0]), []byte(o[1]))
		if err != nil {
			panic(err)
		}
		out = append(out, e)
	}
	if m.joined {
		out = record.Join(out, 1<<10)
	}
	return out
}

func (m *memory) Records(context.Context) iter.Seq2[record.Record, error] {
	return func(yield func(record.Record, error) bool) {
		for i, e := range m.entries() {
			if !yield(record.Record{Seq: uint64(i + 1), Entry: e}, nil) {
				return
			}
		}
	}
}

func (m *memory) Keep(d record.Draft) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.draft = d
}

func (m *memory) Draft() record.Draft {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.draft
}

func (m *memory) Health() record.Health { return record.Health{} }

func (m *memory) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.closed = true
	return nil
}

// shown is all of a pane that must come back.
type shown struct {
	Rows  []string
	First uint64
	Turns []session.Turn
	Usage session.Usage
}

func whatIsShown(p *Pane) shown {
	d := p.Since(0)
	p.mu.Lock()
	defer p.mu.Unlock()
	return shown{Rows: rows(d), First: d.First, Turns: slices.Clone(p.session.Turns()), Usage: d.Status.Usage}
}

func journalled(t interface{ Helper() }, run func(ctx context.Context, prompt string, yield func(session.Event, error) bool)) (*Desk, *Pane, *memory) {
	t.Helper()
	d := quiet()
	m := &memory{joined: true}
	return d, d.Open(scripted{run}, PaneOptions{Title: "fake · ~", Journal: m}), m
}

func quiet() *Desk {
	return New(Deps{Now: func() time.Time { return time.Unix(0, 0) }, Go: func(f func()) { go f() }, Log: discard(), PanelLines: 12})
}

func over(p *Pane) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.turn == nil
}

// TestSES3_ThePanelComesBackAsItWas holds that whatever a turn does, the same
// panel, turns and usage come out of the journal, however its texts were joined.
func TestSES3_ThePanelComesBackAsItWas(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var script []func(yield func(session.Event, error) bool) bool
		d, p, m := journalled(t, func(ctx context.Context, _ string, yield func(session.Event, error) bool) {
			for _, step := range script {
				if !step(yield) {
					return
				}
			}
		})
		defer d.Close(context.Background())
		for range rapid.IntRange(1, 3).Draw(t, "turns") {
			script = script[:0]
			for range rapid.IntRange(0, 14).Draw(t, "steps") {
				script = append(script, anyStep(t, p))
			}
			p.Submit(rapid.SampledFrom([]string{"hi", "two\nlines", "mode x", "\xff\xfe", "/help"}).Draw(t, "prompt"))
			for !over(p) {
				time.Sleep(50 * time.Microsecond)
			}
			if rapid.Bool().Draw(t, "remark") {
				p.Note("Copied to clipboard.", rapid.Bool().Draw(t, "failed"))
			}
		}
		p.change(p.endText) // as the end of the program does
		want := whatIsShown(p)
		all := []string{}
		for l, err := range Lines(d.deps, m.Records(context.Background())) {
			if err != nil || l.Number != uint64(len(all)) {
				t.Fatalf("line %d has the number %d, %v", len(all), l.Number, err)
			}
			all = append(all, l.Text)
		}
		if diff := cmp.Diff(want.Rows, all[want.First:]); diff != "" {
			t.Fatalf("read again: %s", diff)
		}
		back := quiet()
		defer back.Close(context.Background())
		got := whatIsShown(back.Open(scripted{}, PaneOptions{Title: "fake · ~", Journal: m}))
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatal(diff)
		}
	})
}

// anyStep is something that an agent does in a turn, or that happens beside it.
func anyStep(t *rapid.T, p *Pane) func(yield func(session.Event, error) bool) bool {
	yes := func(e session.Event) func(func(session.Event, error) bool) bool {
		return func(yield func(session.Event, error) bool) bool { return yield(e, nil) }
	}
	words := rapid.SampledFrom([]string{"a", "one two", "end\n", "\n\n", "```go\nx := 1\n", "```\n", "é\xcc", "\xff", "\x1b[31m", "# h\n", "- x\n"}).Draw(t, "words")
	id := rapid.SampledFrom([]string{"1", "2"}).Draw(t, "id")
	switch rapid.IntRange(0, 13).Draw(t, "step") {
	case 0, 1, 2, 3:
		return yes(session.Text{Chunk: words})
	case 4:
		return yes(session.Thought{Chunk: words})
	case 5:
		return yes(session.Break{})
	case 6:
		return yes(session.ToolCall{ID: id, Title: "edit", Kind: "edit", Status: session.Running, Parts: []session.Part{{Kind: session.DiffPart, Text: "@@ -1 +1 @@\n-a\n+b\n"}}})
	case 7:
		return yes(session.ToolCall{ID: id, Status: session.Done, Chunk: words})
	case 8:
		return yes(session.ToolCall{ID: id, Chunk: words})
	case 9:
		return yes(session.Plan{Steps: []session.PlanStep{{Text: words, Status: session.Running}, {Text: "b"}}})
	case 10:
		return yes(session.Notice{Text: words, Error: rapid.Bool().Draw(t, "error")})
	case 11:
		return yes(session.Usage{Used: rapid.IntRange(1, 9).Draw(t, "used"), Cost: "1 USD"})
	case 12:
		return func(func(session.Event, error) bool) bool {
			p.overhear(p.seat, session.Text{Chunk: words})
			return true
		}
	}
	verdict := rapid.SampledFrom([]session.Answer{
		{Verdict: session.Approve}, {Verdict: session.Reject, Reason: "no"}, {Verdict: session.Reject},
	}).Draw(t, "verdict")
	return func(yield func(session.Event, error) bool) bool {
		answer := make(chan session.Answer, 1)
		r := &session.Request{Kind: session.Approval, Prompt: "Run " + words + "?", Choices: []string{"yes", "no"}, TakesReason: true, Reply: answer}
		if !yield(r, nil) {
			return false
		}
		asked := p.inbox.Open()[0]
		if err := p.Answer(asked.ID, asked.Digest, verdict); err != nil {
			panic(err)
		}
		<-answer
		return true
	}
}

// TestT50_ADecisionIsOnTheDiskBeforeTheAgentHasIt holds the order of what is
// kept and what is done.
func TestT50_ADecisionIsOnTheDiskBeforeTheAgentHasIt(t *testing.T) {
	answer := make(chan session.Answer, 1)
	asked := make(chan struct{})
	d, p, m := journalled(t, func(ctx context.Context, _ string, yield func(session.Event, error) bool) {
		yield(&session.Request{Kind: session.Approval, Prompt: "Run?", Choices: []string{"yes", "no"}, Reply: answer}, nil)
		close(asked)
		<-ctx.Done()
	})
	defer d.Close(context.Background())
	m.mu.Lock()
	m.syncs = make(chan struct{})
	m.mu.Unlock()
	p.Submit("go")
	select {
	case <-asked:
		t.Fatal("the agent got the prompt before it was on the disk")
	default:
	}
	m.syncs <- struct{}{}
	<-asked
	pending := p.Since(0).Pending[0]
	if err := p.Answer(pending.ID, pending.Digest, session.Answer{Verdict: session.Approve}); err != nil {
		t.Fatal(err)
	}
	if len(answer) != 0 {
		t.Fatal("the agent got the answer before it was on the disk")
	}
	if last := m.entries()[len(m.entries())-1]; last.Kind() != record.KindDecided {
		t.Errorf("the newest entry is %s, not the decision", last.Kind())
	}
	m.syncs <- struct{}{}
	if got := <-answer; got.Verdict != session.Approve {
		t.Errorf("the answer is %+v", got)
	}
	close(m.syncs)
}

// TestT50_NothingIsDoneAgainAfterARestart kills the desk while a request is open
// and a prompt is queued.
func TestT50_NothingIsDoneAgainAfterARestart(t *testing.T) {
	asked := make(chan struct{})
	d, p, m := journalled(t, func(ctx context.Context, _ string, yield func(session.Event, error) bool) {
		yield(session.Text{Chunk: "Half an ans"}, nil)
		yield(&session.Request{Kind: session.TextInput, Prompt: "Which table?", Reply: make(chan session.Answer, 1)}, nil)
		close(asked)
		<-ctx.Done()
	})
	p.Submit("begin")
	<-asked
	p.Submit("and then this")
	p.Keep("a dra", []record.Unsent{{ID: p.Since(0).Pending[0].ID, Text: "custo\x1b[0m"}})
	stored := &memory{objects: slices.Clone(m.objects), draft: m.Draft()}
	defer d.Close(context.Background())

	back := quiet()
	defer back.Close(context.Background())
	q := back.Open(scripted{func(context.Context, string, func(session.Event, error) bool) {
		t.Error("something was sent")
	}}, PaneOptions{Journal: stored})
	got := q.Since(0)
	want := []string{
		"[fake] begin ✗", "Half an ans",
		"[system] Expired, it was not answered: Which table?", "What was written for it: custo␛[0m",
		"[system] Interrupted: copydesk ended before the turn did.",
	}
	if diff := cmp.Diff(want, rows(got)); diff != "" {
		t.Error(diff)
	}
	if len(got.Pending) != 0 || got.Status.Running {
		t.Errorf("after the restart there is something to do: %+v", got)
	}
	if !got.Status.Held || !slices.Equal(got.Status.Queue, []string{"and then this"}) || q.Draft() != "a dra" {
		t.Errorf("queue %q (held %v), draft %q", got.Status.Queue, got.Status.Held, q.Draft())
	}
	if turns := q.session.Turns(); len(turns) != 2 || turns[1].Content != "Half an ans" || turns[1].Outcome != session.Interrupted {
		t.Errorf("the turns are %+v", turns)
	}
	third := quiet()
	defer third.Close(context.Background())
	if diff := cmp.Diff(want, rows(third.Open(scripted{}, PaneOptions{Journal: stored}).Since(0))); diff != "" {
		t.Errorf("after one more restart: %s", diff)
	}
}

// resumable is an agent that can go on with a session of its own.
type resumable struct {
	scripted
	ref  string
	past func(ref string, past []session.Turn)
}

func (r resumable) Ref() string                            { return r.ref }
func (r resumable) Resume(ref string, past []session.Turn) { r.past(ref, past) }

func TestSES3_TheAgentGoesOnWithItsSession(t *testing.T) {
	m := &memory{}
	d := quiet()
	p := d.Open(resumable{scripted{say("Hello.")}, "s-1", nil}, PaneOptions{Journal: m})
	p.Submit("hi")
	for !over(p) {
		time.Sleep(time.Millisecond)
	}
	d.Close(context.Background())
	if !m.closed {
		t.Error("the journal was not closed")
	}
	var ref string
	var turns []session.Turn
	back := quiet()
	defer back.Close(context.Background())
	back.Open(resumable{scripted{}, "", func(r string, past []session.Turn) { ref, turns = r, past }}, PaneOptions{Journal: m})
	want := []session.Turn{{Role: session.User, Content: "hi"}, {Role: session.Assistant, Agent: "fake", Content: "Hello."}}
	if diff := cmp.Diff(want, turns); ref != "s-1" || diff != "" {
		t.Errorf("resumed %q: %s", ref, diff)
	}
}

func TestSES3_AnotherAgentBeginsAnew(t *testing.T) {
	m := &memory{}
	d := quiet()
	p := d.Open(resumable{scripted{say("Hello.")}, "s-1", nil}, PaneOptions{Journal: m})
	p.Submit("hi")
	for !over(p) {
		time.Sleep(time.Millisecond)
	}
	p.Switch(resumable{scripted{say("Hello.")}, "s-2", nil}, PaneOptions{Title: "other"})
	p.Submit("you")
	for !over(p) {
		time.Sleep(time.Millisecond)
	}
	want := whatIsShown(p)
	d.Close(context.Background())
	back := quiet()
	defer back.Close(context.Background())
	var ref string
	q := back.Open(resumable{scripted{}, "", func(r string, _ []session.Turn) { ref = r }}, PaneOptions{Journal: m})
	if got := whatIsShown(q); cmp.Diff(want, got) != "" || ref != "s-2" {
		t.Errorf("resumed %q: %s", ref, cmp.Diff(want, got))
	}
}

func TestR21_AFailingDiskDoesNotEndTheWork(t *testing.T) {
	d, p, m := journalled(t, say("Done."))
	defer d.Close(context.Background())
	m.fail = errors.New("no space left on device")
	p.Submit("go")
	for !over(p) {
		time.Sleep(time.Millisecond)
	}
	if got := strings.Join(rows(p.Since(0)), "\n"); got != "[fake] go ✓\nDone." {
		t.Errorf("the panel shows\n%s", got)
	}
}

func discard() *slog.Logger { return slog.New(slog.DiscardHandler) }

// TestPAN5_EveryLineOfALongAnswerIsReadAgain holds that no line is missing of an
// answer that came in one piece and is longer than what is kept while reading.
func TestPAN5_EveryLineOfALongAnswerIsReadAgain(t *testing.T) {
	const count = 3 * pastLines
	d, p, _ := journalled(t, say(strings.Repeat("\n", count-1)+"end"))
	defer d.Close(context.Background())
	p.Submit("go")
	for !over(p) {
		time.Sleep(time.Millisecond)
	}
	first, lines := p.Since(0).First, 0
	for l, err := range p.Earlier(context.Background()) {
		if err != nil || l.Number != uint64(lines) {
			t.Fatalf("line %d has the number %d, %v", lines, l.Number, err)
		}
		lines++
	}
	if uint64(lines) != first || first != count+1-12 {
		t.Errorf("%d lines are read, %d have left the panel", lines, first)
	}
}
