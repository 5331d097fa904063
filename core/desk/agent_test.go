package desk

import (
	"context"
	"errors"
	"io"
	"iter"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"copydesk/core/session"
)

// An able agent can do all that an agent can.
type able struct {
	name   string
	run    func(ctx context.Context, prompt string, yield func(session.Event, error) bool)
	aside  chan session.Event
	killed chan struct{}
	closed atomic.Bool
	ended  chan struct{} // closed by Close
	heard  atomic.Int32  // iterations of Aside that have not ended

	mu       sync.Mutex
	options  []session.Option
	commands []session.Command
	set      func(id, value string) error
	load     func(ctx context.Context, id string) error
	words    []string
}

func newAble(run func(ctx context.Context, prompt string, yield func(session.Event, error) bool)) *able {
	return &able{name: "able", run: run, aside: make(chan session.Event), killed: make(chan struct{}), ended: make(chan struct{})}
}

func (a *able) Name() string               { return a.name }
func (a *able) Echo(string) (string, bool) { return a.name, true }
func (a *able) Run(ctx context.Context, prompt string) iter.Seq2[session.Event, error] {
	return func(yield func(session.Event, error) bool) { a.run(ctx, prompt, yield) }
}

func (a *able) Aside(ctx context.Context) iter.Seq[session.Event] {
	a.heard.Add(1)
	return func(yield func(session.Event) bool) {
		defer a.heard.Add(-1)
		for {
			select {
			case e := <-a.aside:
				if !yield(e) {
					return
				}
			case <-ctx.Done():
				return
			}
		}
	}
}

func (a *able) Complete(input string) (int, []string) {
	return strings.LastIndexByte(input, '@'), a.words
}

func (a *able) Commands() []session.Command { return a.commands }

func (a *able) Options() []session.Option {
	a.mu.Lock()
	defer a.mu.Unlock()
	return append([]session.Option(nil), a.options...)
}

func (a *able) SetOption(_ context.Context, id, value string) error {
	if err := a.set(id, value); err != nil {
		return err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	for i := range a.options {
		if a.options[i].ID == id {
			a.options[i].Value = value
		}
	}
	return nil
}

func (a *able) Stored(context.Context) ([]session.Stored, error) {
	return []session.Stored{{ID: "s1", Title: "before"}}, nil
}

func (a *able) Load(ctx context.Context, id string) error { return a.load(ctx, id) }
func (a *able) Kill()                                     { close(a.killed) }
func (a *able) Close() error {
	if a.heard.Load() != 0 {
		return errors.New("closed while it is listened to")
	}
	a.closed.Store(true)
	close(a.ended)
	return nil
}

// letGo waits until the agent was closed.
func (a *able) letGo(t *testing.T) {
	t.Helper()
	select {
	case <-a.ended:
	case <-time.After(10 * time.Second):
		t.Fatal("the agent was not closed")
	}
}

// say yields an event outside of turns, and returns once the pane has it.
func (a *able) say(events ...session.Event) {
	for _, e := range events {
		a.aside <- e
	}
	a.aside <- session.Changed{} // taken only after the one before
}

// seated opens a pane for an able agent. The clock stands still but for what the
// test adds to it.
func seated(t *testing.T, a *able) (*bench, *atomic.Int64) {
	t.Helper()
	var seconds atomic.Int64
	d := New(Deps{
		Now:        func() time.Time { return time.Unix(seconds.Load(), 0) },
		Go:         func(f func()) { go f() },
		Log:        slog.New(slog.NewTextHandler(io.Discard, nil)),
		PanelLines: 1000,
	})
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if err := d.Close(ctx); err != nil {
			t.Errorf("closing the desk: %v", err)
		}
		if !a.closed.Load() {
			t.Error("the agent was not closed")
		}
	})
	return &bench{t: t, desk: d, bell: d.Listen(), pane: d.Open(a, PaneOptions{Title: "able · here", Hint: "Say something."})}, &seconds
}

// line waits until the panel shows a line.
func (b *bench) line(want string) {
	b.t.Helper()
	b.until("the line "+want, func(d Delta) bool { return strings.Contains(strings.Join(rows(d), "\n")+"\n", want+"\n") })
}

// asks makes a request and the channel of its answer.
func asks(r session.Request) (*session.Request, chan session.Answer) {
	reply := make(chan session.Answer, 1)
	r.Reply = reply
	return &r, reply
}
