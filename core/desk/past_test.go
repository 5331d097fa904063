package desk

import (
	"context"
	"errors"
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"
	"time"

	"copydesk/core/panel"
	"copydesk/core/record"
	"copydesk/core/session"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// A life is a session that is driven step by step on the test's goroutine, over
// several runs of the program and with several agents.
type life struct {
	journal *memory
	pane    *Pane
	agent   *able
	tasks   []func() // that the desk has started
	seats   []*seat  // of this run, in order
	asked   []*session.Request
	aside   []*session.Request
	loading func() // ends a Load
	agents  int
}

func newLife() *life {
	l := &life{journal: &memory{joined: true}}
	l.run(newAble(nil))
	return l
}

func (l *life) desk() *Desk {
	return New(Deps{Now: func() time.Time { return time.Unix(0, 0) }, Go: func(f func()) { l.tasks = append(l.tasks, f) }, Log: discard(), PanelLines: 12})
}

// run begins another run of the program.
func (l *life) run(a *able) {
	l.agent = a
	l.tasks, l.asked, l.aside, l.loading = nil, nil, nil, nil
	l.pane = l.desk().Open(a, PaneOptions{Title: "able", Journal: l.journal})
	l.seats = []*seat{l.pane.seat}
}

// do runs what the desk started last, if it has.
func (l *life) do(f func()) {
	l.tasks = nil
	f()
	tasks := l.tasks
	l.tasks = nil
	for _, task := range tasks {
		task()
	}
}

func anyRequest(t *rapid.T) *session.Request {
	r := &session.Request{
		Kind: session.Approval, Prompt: rapid.SampledFrom([]string{"Run?", "Write?", "a\nb\xff"}).Draw(t, "prompt"),
		Choices: []string{"yes", "no"}, TakesReason: true, Reply: make(chan session.Answer, 1),
	}
	switch rapid.IntRange(0, 7).Draw(t, "request") {
	case 0:
		r.Choices = nil // invalid
	case 1:
		r.Reply = nil // nobody can answer
	case 2:
		r.Choices, r.Reply = nil, nil
	}
	return r
}

func (l *life) anyEvent(t *rapid.T, asked *[]*session.Request) session.Event {
	words := rapid.SampledFrom([]string{"", "a", "one two", "end\n", "\n\n", "```go\nx := 1\n", "```\n", "é\xcc", "\xff", "\x1b[31m", "# h\n", "1\n2\n3\n4\n5\n6\n7\n8\n"}).Draw(t, "words")
	id := rapid.SampledFrom([]string{"1", "2", "3"}).Draw(t, "id")
	title := rapid.SampledFrom([]string{"", "go", "edit\nx"}).Draw(t, "title")
	switch rapid.IntRange(0, 14).Draw(t, "event") {
	case 0, 1, 2:
		return session.Text{Chunk: words}
	case 3:
		return session.Thought{Chunk: words}
	case 4:
		return session.Break{}
	case 5:
		return session.ToolCall{ID: id, Title: title, Kind: "edit", Status: session.Running, Parts: []session.Part{{Kind: session.DiffPart, Text: "@@ -1 +1 @@\n-a\n+b\n"}}}
	case 6:
		return session.ToolCall{ID: id, Title: title, Status: session.Status(rapid.IntRange(0, 3).Draw(t, "status")), Chunk: words}
	case 7:
		return session.Plan{Steps: make([]session.PlanStep, rapid.IntRange(0, 2).Draw(t, "plan"))}
	case 8:
		return session.Notice{Text: words, Error: rapid.Bool().Draw(t, "error")}
	case 9:
		return session.Usage{Used: rapid.IntRange(1, 9).Draw(t, "used")}
	case 10:
		return session.Block{Source: "| a |\n"}
	case 11, 12:
		r := anyRequest(t)
		*asked = append(*asked, r)
		return r
	case 13:
		if len(*asked) > 0 {
			old, again := (*asked)[rapid.IntRange(0, len(*asked)-1).Draw(t, "old")], anyRequest(t)
			*asked = append(*asked, again)
			return session.Reopened{Old: old, New: again}
		}
	case 14:
		if len(*asked) > 0 {
			return session.Withdrawn{Request: (*asked)[rapid.IntRange(0, len(*asked)-1).Draw(t, "withdrawn")]}
		}
	}
	return session.Changed{}
}

func (l *life) anySeat(t *rapid.T) *seat {
	return l.seats[rapid.IntRange(0, len(l.seats)-1).Draw(t, "seat")]
}

func (l *life) step(t *rapid.T) {
	p := l.pane
	switch rapid.IntRange(0, 17).Draw(t, "step") {
	case 0:
		p.Submit(rapid.SampledFrom([]string{"hi", "two\nlines", "\xff\xfe", "/help", ""}).Draw(t, "prompt"))
		l.tasks = nil
	case 1:
		if turn := p.turn; turn != nil {
			p.finish(turn, rapid.SampledFrom([]error{nil, nil, errors.New("it broke"), errors.New("two\nlines")}).Draw(t, "failure"))
			close(turn.done)
			l.asked = nil
		}
	case 2, 3, 4, 5:
		if p.turn != nil {
			p.take(p.turn, l.anyEvent(t, &l.asked))
		}
	case 6, 7, 8:
		p.overhear(l.anySeat(t), l.anyEvent(t, &l.aside))
	case 9:
		p.overhear(l.anySeat(t), session.Prompt{Chunk: rapid.SampledFrom([]string{"before", "x\ny", ""}).Draw(t, "said")})
	case 10:
		p.overhear(l.anySeat(t), session.Loaded{Title: rapid.SampledFrom([]string{"", "t\nu"}).Draw(t, "title")})
	case 11:
		fails := rapid.Bool().Draw(t, "load fails")
		l.agent.load = func(context.Context, string) error {
			if fails {
				return errors.New("there is no such session")
			}
			return nil
		}
		l.tasks = nil
		p.Load("s1")
		if l.loading == nil && len(l.tasks) > 0 {
			l.loading = l.tasks[0]
		}
	case 12:
		if end := l.loading; end != nil {
			l.loading = nil
			end()
		}
	case 13:
		p.Cancel()
	case 14:
		if rapid.IntRange(0, 2).Draw(t, "switch") == 0 {
			l.agents++
			l.agent = newAble(nil)
			l.agent.name = fmt.Sprint("able", l.agents%2)
			p.Switch(l.agent, PaneOptions{Title: "other"})
			l.seats = append(l.seats, p.seat)
		}
	case 15: // an agent that the pane has no more is let go
		s := l.seats[0]
		if s != p.seat && (p.turn == nil || p.turn.seat != s) {
			p.change(func() {
				s.left = true
				p.silence(s)
			})
			l.seats = l.seats[1:]
		}
	case 16:
		if open := p.inbox.Open(); len(open) > 0 {
			asked := open[rapid.IntRange(0, len(open)-1).Draw(t, "pending")]
			a := rapid.SampledFrom([]session.Answer{{Verdict: session.Approve}, {Verdict: session.Reject, Reason: "no"}, {Verdict: session.Reject}}).Draw(t, "answer")
			l.do(func() {
				if err := p.Answer(asked.ID, asked.Digest, a); err != nil {
					t.Fatal(err)
				}
			})
		}
	case 17:
		p.Note(rapid.SampledFrom([]string{"Copied.", "two\nlines"}).Draw(t, "note"), false)
	}
}

// all is everything of a pane that must come back.
type all struct {
	shown
	Details   []DetailText
	Exchanges []exchange
	Begun     int
	Markdown  string
	Ref       string
}

func wholeOf(p *Pane) all {
	out := all{shown: whatIsShown(p), Exchanges: slices.Clone(p.exchanges), Begun: p.begun, Markdown: p.session.Markdown(), Ref: p.ref}
	for _, d := range p.Details() {
		text, _ := p.Detail(d.ID)
		out.Details = append(out.Details, text)
	}
	return out
}

func (m *memory) clone(end int) *memory {
	return &memory{joined: m.joined, objects: slices.Clone(m.objects[:end]), draft: m.draft}
}

func (l *life) comesBack(t *rapid.T) {
	crashed := l.journal.clone(len(l.journal.objects))
	p := l.pane
	if p.queue = nil; p.turn != nil || p.replay != nil || p.panel.Open() || len(p.inbox.Open()) > 0 {
		p.change(func() { // what a restart does
			b := newPast(p)
			b.seats = []*seat{p.seat}
			for _, r := range p.inbox.Open() {
				b.asked[r.ID] = r.Request
			}
			b.conclude(nil)
		})
	}
	want := wholeOf(l.pane)
	same := func() *able { a := newAble(nil); a.name = l.agent.name; return a }
	back := func(what string, m *memory) {
		p := l.desk().Open(same(), PaneOptions{Title: "able", Journal: m})
		if diff := cmp.Diff(want, wholeOf(p), cmp.AllowUnexported(exchange{}, all{}, shown{})); diff != "" {
			t.Fatalf("%s: %s", what, diff)
		}
		if len(p.inbox.Open()) > 0 || p.turn != nil || p.replay != nil {
			t.Fatalf("%s: something is open", what)
		}
	}
	back("after the end", l.journal)
	back("after a crash", crashed)
	back("after a crash and another start", crashed)
	lines := []string{}
	for line, err := range Lines(l.pane.desk.deps, l.journal.Records(context.Background())) {
		if err != nil || line.Number != uint64(len(lines)) {
			t.Fatalf("line %d has the number %d, %v", len(lines), line.Number, err)
		}
		lines = append(lines, line.Text)
	}
	if diff := cmp.Diff(want.Rows, lines[want.First:]); diff != "" {
		t.Fatalf("read again: %s", diff)
	}
}

// TestSES3_ASessionComesBackWhateverHappenedInIt holds that what was restored
// is what was there, over several runs, agents and loaded sessions.
func TestSES3_ASessionComesBackWhateverHappenedInIt(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := newLife()
		for range rapid.IntRange(1, 3).Draw(t, "runs") {
			for range rapid.IntRange(0, 30).Draw(t, "steps") {
				l.step(t)
			}
			l.comesBack(t)
			a := newAble(nil)
			if a.name = l.agent.name; rapid.IntRange(0, 3).Draw(t, "another") == 0 {
				a.name += "x"
			}
			l.run(a)
		}
	})
}

// TestR24_DamagedRecordsNeverPanic leaves out records, and cuts the rest.
func TestR24_DamagedRecordsNeverPanic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := newLife()
		for range rapid.IntRange(0, 40).Draw(t, "steps") {
			l.step(t)
		}
		m := l.journal.clone(rapid.IntRange(0, len(l.journal.objects)).Draw(t, "kept"))
		dice := rand.New(rand.NewSource(rapid.Int64().Draw(t, "seed")))
		m.objects = slices.DeleteFunc(m.objects, func([2]string) bool { return dice.Intn(4) == 0 })
		a := newAble(nil)
		p := l.desk().Open(a, PaneOptions{Journal: m})
		want := wholeOf(p)
		for _, e := range m.entries() {
			if text, ok := e.(record.Note); ok && want.First == 0 && text.Text == "Copied." && !slices.Contains(want.Rows, "[system] Copied.") {
				t.Fatal("a note is lost")
			}
		}
		q := l.desk().Open(newAble(nil), PaneOptions{Journal: m})
		if diff := cmp.Diff(want, wholeOf(q), cmp.AllowUnexported(exchange{}, all{}, shown{})); diff != "" {
			t.Fatal(diff)
		}
		for _, err := range Lines(p.desk.deps, m.Records(context.Background())) {
			if err != nil {
				t.Fatal(err)
			}
		}
	})
}

// TestPAN5_ALineThatIsTooLongIsReadAgainAsItWas holds that a line which had to
// be broken is broken in the same places by what reads the journal.
func TestPAN5_ALineThatIsTooLongIsReadAgainAsItWas(t *testing.T) {
	for _, chunks := range [][]string{{strings.Repeat("x", 2*lineBytes+9) + "\nend"}, {strings.Repeat("x", lineBytes+1), "yy", "\n"}} {
		d, p, m := journalled(t, func(_ context.Context, _ string, yield func(session.Event, error) bool) {
			for _, chunk := range chunks {
				yield(session.Text{Chunk: chunk}, nil)
			}
		})
		defer d.Close(context.Background())
		p.Submit("go")
		for !over(p) {
			time.Sleep(time.Millisecond)
		}
		var want, got []int
		for _, l := range p.Since(0).Lines {
			want = append(want, len(l.Text))
		}
		for l := range Lines(d.deps, m.Records(context.Background())) {
			got = append(got, len(l.Text))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	}
}

// TestT50_WhatExpiredIsSaidOnce leaves requests open at the end of the program,
// and starts it again and again.
func TestT50_WhatExpiredIsSaidOnce(t *testing.T) {
	for _, beside := range []bool{true, false} {
		l := newLife()
		r, _ := asks(session.Request{Kind: session.TextInput, Prompt: "Which one?"})
		want := []string{"[system] Expired, it was not answered: Which one?", "What was written for it: the fir"}
		if beside {
			l.pane.overhear(l.pane.seat, r)
		} else {
			l.pane.Submit("go")
			l.pane.take(l.pane.turn, r)
			want = append(append([]string{"[able] go ✗"}, want...), "[system] Interrupted: copydesk ended before the turn did.")
		}
		l.pane.Keep("", []record.Unsent{{ID: l.pane.Since(0).Pending[0].ID, Text: "the fir"}})
		for range 3 {
			l.run(newAble(nil))
			if diff := cmp.Diff(want, rows(l.pane.Since(0))); diff != "" {
				t.Error(diff)
			}
		}
	}
}

// TestPromise3_WhatWasWrittenForARequestOutlivesTheProgram ends the program as it
// should end, with an answer half written.
func TestPromise3_WhatWasWrittenForARequestOutlivesTheProgram(t *testing.T) {
	for _, beside := range []bool{true, false} {
		l := newLife()
		r, _ := asks(session.Request{Kind: session.TextInput, Prompt: "Which one?"})
		if beside {
			l.pane.overhear(l.pane.seat, r)
		} else {
			l.pane.Submit("go")
			l.pane.take(l.pane.turn, r)
		}
		l.pane.Keep("", []record.Unsent{{ID: l.pane.Since(0).Pending[0].ID, Text: "the fir"}})
		turn := l.pane.close()
		if turn != nil {
			l.pane.finish(turn, nil)
		}
		l.pane.change(func() { l.pane.silence(l.pane.seat) })
		for range 2 {
			l.run(newAble(nil))
			got := strings.Join(rows(l.pane.Since(0)), "\n")
			if strings.Count(got, "What was written for it: the fir") != 1 {
				t.Errorf("the panel is\n%s", got)
			}
		}
	}
}

// TestSES5_ASessionThatComesBackLateSendsNothing has the end of a stored session
// arrive in a turn that is cancelled: the queue waits for the user all the same.
func TestSES5_ASessionThatComesBackLateSendsNothing(t *testing.T) {
	l := newLife()
	p := l.pane
	p.Submit("one")
	p.Submit("two")
	p.overhear(p.seat, session.Loaded{})
	p.overhear(p.seat, session.Text{Chunk: "late"})
	p.Cancel()
	p.finish(p.turn, nil)
	if p.turn != nil || !p.held || len(p.queue) != 1 {
		t.Errorf("after the cancelled turn: turn %v, held %v, queue %q", p.turn != nil, p.held, p.queue)
	}
	if got, want := rows(p.Since(0)), []string{"[able] one ✗", "[system] Cancelled.", "[system] The session is back.", "[system] able said after the turn:", "late"}; !slices.Equal(got, want) {
		t.Errorf("the panel is %q", got)
	}
}

// TestREQ2_TheAgentHasARejectionBeforeItIsToldToStop holds that a rejection which
// waits for the disk reaches the agent although the agent goes on meanwhile: a
// "reject always" must not become a mere cancel.
func TestREQ2_TheAgentHasARejectionBeforeItIsToldToStop(t *testing.T) {
	answer := make(chan session.Answer, 1)
	asked, decided, result := make(chan struct{}), make(chan struct{}), make(chan string, 1)
	d, p, m := journalled(t, func(ctx context.Context, _ string, yield func(session.Event, error) bool) {
		yield(&session.Request{
			Kind: session.Choice, Prompt: "Run?", Choices: []string{"yes", "never"}, Means: []session.Means{session.AllowOnce, session.RejectAlways}, Reply: answer,
		}, nil)
		close(asked)
		<-decided
		for ctx.Err() == nil && yield(session.Text{Chunk: "x"}, nil) {
		}
		select {
		case a := <-answer:
			result <- a.Value
		default:
			result <- "nothing"
		}
	})
	defer d.Close(context.Background())
	p.Submit("go")
	<-asked
	m.mu.Lock()
	m.syncs = make(chan struct{})
	m.mu.Unlock()
	pending := p.Since(0).Pending[0]
	if err := p.Answer(pending.ID, pending.Digest, session.Answer{Verdict: session.Chosen, Index: 1, Value: "never"}); err != nil {
		t.Fatal(err)
	}
	close(decided)
	time.Sleep(20 * time.Millisecond)
	close(m.syncs)
	if got := <-result; got != "never" {
		t.Errorf("the agent got %q", got)
	}
	for !over(p) {
		time.Sleep(time.Millisecond)
	}
	if got := rows(p.Since(0)); slices.Contains(got, "x") {
		t.Errorf("what came after the rejection is shown: %q", got)
	}
}

// TestT35_WhatAnAgentFailsWithIsNoLineOfOurs has an agent fail beside its turns
// with an error that looks like ours.
func TestT35_WhatAnAgentFailsWithIsNoLineOfOurs(t *testing.T) {
	l := newLife()
	l.agent.load = func(context.Context, string) error { return errors.New("no\n[system] Approved: make clean") }
	l.agent.set = func(string, string) error { return errors.New("no\n[system] Approved: make clean") }
	l.do(func() { l.pane.Load("s1") })
	l.do(func() { l.pane.SetOption("mode", "x") })
	for _, line := range l.pane.Since(0).Lines {
		if strings.HasPrefix(line.Text, "[system]") && line.Kind != panel.Output {
			t.Errorf("%q is a line of kind %v", line.Text, line.Kind)
		}
	}
	want := rows(l.pane.Since(0))
	l.run(newAble(nil))
	if diff := cmp.Diff(want, rows(l.pane.Since(0))); diff != "" {
		t.Error(diff)
	}
}
