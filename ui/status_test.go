package ui

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"copydesk/core/desk"
	"copydesk/core/session"

	"github.com/rivo/tview"
)

func TestUsageInTheStatus(t *testing.T) {
	for _, c := range []struct {
		usage session.Usage
		want  string
	}{
		{session.Usage{}, ""},
		{session.Usage{Used: 850}, "850 tokens"},
		{session.Usage{Used: 12_340, Limit: 200_000, Cost: "0.12 USD"}, "12k/200k tokens · 0.12 USD"},
		{session.Usage{Used: 1_234, Limit: 1_500_000}, "1.2k/1.5M tokens"},
		{session.Usage{Used: 999, Limit: 1000}, "999/1k tokens"},
		{session.Usage{Cost: "0.1\x1b[2J EUR"}, "0.1␛[2J EUR"},
	} {
		if got := usage(c.usage, "·"); got != c.want {
			t.Errorf("%v: %q, want %q", c.usage, got, c.want)
		}
	}
}

// configured is an agent with a mode and a model in force.
type configured struct {
	namedAgent
}

func (configured) Options() []session.Option                       { return settings }
func (configured) SetOption(context.Context, string, string) error { return nil }

func TestTheStatusNamesTheAgentItsModeAndItsModel(t *testing.T) {
	d := drive(t, 120, 20, echoing("x"))
	d.desk.Open(configured{namedAgent{func(_ context.Context, _ string, yield func(session.Event, error) bool) {
		yield(session.Usage{Used: 12_000, Limit: 200_000, Cost: "0.12 USD"}, nil)
	}, "claude"}}, desk.PaneOptions{Title: "claude · ~/src/app"})
	d.draw()
	d.press("alt+2")
	d.typed("go\n")
	d.shows("claude · Ask · Sonnet 4.5 │ 12k/200k tokens · 0.12 USD")
}

// stubborn goes on until it is killed.
type stubborn struct {
	namedAgent
	kills *atomic.Int32
	dead  chan struct{}
}

func (s stubborn) Kill() {
	if s.kills.Add(1) == 1 {
		close(s.dead)
	}
}

// TestR5_ATurnThatDoesNotStopIsEndedByForce cancels a turn that goes on. Escape
// does not end it by force, Ctrl+C does after a while, and says so before.
func TestR5_ATurnThatDoesNotStopIsEndedByForce(t *testing.T) {
	d := drive(t, 110, 20, echoing("x"))
	agent := stubborn{kills: &atomic.Int32{}, dead: make(chan struct{})}
	agent.namedAgent = namedAgent{func(_ context.Context, _ string, yield func(session.Event, error) bool) {
		yield(session.Text{Chunk: "at work\n"}, nil)
		<-agent.dead
	}, "claude"}
	d.desk.Open(agent, desk.PaneOptions{Title: "claude"})
	d.draw()
	d.press("alt+2")
	d.typed("go\n")
	d.shows("running", "at work")
	d.press("esc")
	d.shows("stopping 0s")
	d.wait(6 * time.Second)
	d.shows("stopping 6s: Ctrl+C ends it by force")
	d.press("esc")
	if agent.kills.Load() != 0 {
		t.Fatal("Escape ended the turn by force")
	}
	d.press("ctrl+c")
	d.until("the end of the turn", func(string) bool { return !d.app.state.Running })
	if agent.kills.Load() != 1 || d.app.ctx.Err() != nil {
		t.Errorf("%d kills, quit: %v", agent.kills.Load(), d.app.ctx.Err())
	}
}

func TestOpenDetailShowsWhatTheLineIsAbout(t *testing.T) {
	output := strings.Repeat("ok  \tcopydesk/core\t0.8s\r\n", 40)
	d := drive(t, 100, 40, func(_ context.Context, _ string, yield func(session.Event, error) bool) {
		for _, e := range []session.Event{
			session.Text{Chunk: "I run the tests.\n"},
			session.ToolCall{ID: "1", Kind: "execute", Title: "go test ./...", Status: session.Done, Parts: []session.Part{{Text: output}}},
		} {
			if !yield(e, nil) {
				return
			}
		}
	})
	d.typed("go\n")
	d.idle()
	d.press("tab", "o")
	d.shows("execute go test ./...", "c copies", "↓ 5 more")
	d.press("c")
	d.until("a copy", func(string) bool { return len(d.clip.all()) == 1 })
	if got := d.clip.all()[0]; got != output {
		t.Errorf("copied %q", got)
	}
	d.press("esc")
	for range 20 {
		d.press("up")
	}
	d.press("o")
	d.shows("There is no more to this line. Ctrl+X o lists the tool calls and thoughts.")
	d.press("tab")
	d.typed("/details\n")
	d.shows("Tool calls and thoughts", "go test ./... (40 lines)")
}

// TestT42_WhatWasTypedIntoALentTerminalAnswersNothing lends the terminal while a
// request has the keyboard.
func TestT42_WhatWasTypedIntoALentTerminalAnswersNothing(t *testing.T) {
	d := asked(t, dropRequest, 100, 24)
	d.wait(400 * time.Millisecond)
	failed := errors.New("the login ended with exit status 1")
	lent, ended := false, make(chan error, 1)
	go func() {
		ended <- d.app.Lend(t.Context(), func(tv *tview.Application) error {
			lent = true
			if tv != d.app.tv {
				return errors.New("another application")
			}
			return failed
		})
	}()
	d.until("the end of the loan", func(string) bool { return lent })
	if err := <-ended; !errors.Is(err, failed) {
		t.Errorf("Lend returned %v", err)
	}
	d.press("a", "enter")
	if open(d) != 1 || d.app.active {
		t.Error("a key answered right after the terminal came back")
	}

	gaveUp, cancel := context.WithCancel(t.Context())
	cancel()
	err := d.app.Lend(gaveUp, func(*tview.Application) error { t.Error("it was lent all the same"); return nil })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("Lend returned %v", err)
	}
	d.draw()
}
