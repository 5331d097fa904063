//go:build unix

package acp_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"copydesk/core/session"
	"copydesk/platform/agent/acp"
)

// A seen is an event where it was seen.
type seen struct {
	turn  int // 0: beside the turns
	event session.Event
	err   error // ends the turn
	end   bool  // Run has returned
}

// A rig is an agent under test between a peer and a driver that plays the pane.
type rig struct {
	t     testing.TB
	stage *stage
	agent *acp.Agent
	dir   string
	clock *clock
	goes  sync.WaitGroup

	endAside context.CancelFunc
	asideEnd chan struct{}

	mu     sync.Mutex
	log    []seen
	bell   chan struct{}
	turns  []*turn
	closed bool
}

// A turn is one Run.
type turn struct {
	n      int
	cancel context.CancelFunc
	done   chan struct{}
	err    error
}

// newRig makes an agent that starts puppets; Aside does not run yet.
func newRig(t testing.TB, change ...func(*acp.Options)) *rig {
	t.Helper()
	r := &rig{t: t, stage: newStage(t), dir: t.TempDir(), clock: newClock(), bell: make(chan struct{})}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	o := acp.Options{
		Name: "peer", Command: []string{exe}, Dir: r.dir, Version: "1.2.3",
		Env:     map[string]string{puppetSocket: r.stage.socket},
		Environ: []string{"PATH=" + os.Getenv("PATH"), "HOME=" + r.dir, "GORACE=" + os.Getenv("GORACE")},
		Go:      r.spawn, Now: r.clock.Now, After: r.clock.After,
		Log: slog.New(slog.NewTextHandler(io.Discard, &slog.HandlerOptions{Level: slog.LevelDebug})),
	}
	for _, c := range change {
		c(&o)
	}
	r.agent = acp.New(o)
	t.Cleanup(r.close)
	return r
}

func (r *rig) spawn(f func()) {
	r.goes.Add(1)
	go func() {
		defer r.goes.Done()
		f()
	}()
}

// begin iterates Aside as a pane does.
func (r *rig) begin() {
	ctx, cancel := context.WithCancel(context.Background())
	r.endAside, r.asideEnd = cancel, make(chan struct{})
	go func() {
		defer close(r.asideEnd)
		for e := range r.agent.Aside(ctx) {
			r.record(seen{event: e})
		}
	}()
}

const (
	plainInitialize = `{"protocolVersion":1,"agentInfo":{"name":"peer","version":"0.1"},"agentCapabilities":{},"authMethods":[]}`
	fullInitialize  = `{"protocolVersion":1,"agentInfo":{"name":"peer","title":"Peer","version":"0.1"},
		"agentCapabilities":{"loadSession":true,"promptCapabilities":{"embeddedContext":true},
		"sessionCapabilities":{"list":{},"resume":{},"close":{}}},"authMethods":[]}`
	plainNew = `{"sessionId":"s1"}`
)

// connected begins and brings a puppet up to an open session.
func (r *rig) connected() *peer {
	r.t.Helper()
	r.begin()
	return r.greet(plainInitialize, plainNew)
}

// greet answers what a client says first.
func (r *rig) greet(initialize, opened string) *peer {
	r.t.Helper()
	p := r.stage.next()
	p.answer(p.expect("initialize"), initialize)
	p.answer(p.expect("session/new"), opened)
	p.session = "s1"
	return p
}

func start(t testing.TB) (*rig, *peer) {
	t.Helper()
	r := newRig(t)
	return r, r.connected()
}

// turn starts a turn and takes its prompt in.
func (r *rig) turn(p *peer, prompt string) *turn {
	r.t.Helper()
	tn := r.run(prompt)
	p.prompted()
	return tn
}

// run iterates Run as a pane does.
func (r *rig) run(prompt string) *turn {
	ctx, cancel := context.WithCancel(context.Background())
	r.mu.Lock()
	tn := &turn{n: len(r.turns) + 1, cancel: cancel, done: make(chan struct{})}
	r.turns = append(r.turns, tn)
	r.mu.Unlock()
	go func() {
		defer close(tn.done)
		for e, err := range r.agent.Run(ctx, prompt) {
			r.record(seen{turn: tn.n, event: e, err: err})
			if err != nil {
				tn.err = err
				break
			}
		}
		r.record(seen{turn: tn.n, end: true})
	}()
	return tn
}

func (r *rig) record(s seen) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.log = append(r.log, s)
	close(r.bell)
	r.bell = make(chan struct{})
}

// over waits for the end of a turn and returns its error.
func (r *rig) over(tn *turn) error {
	r.t.Helper()
	r.waitFor(tn.done, "the turn does not end")
	return tn.err
}

// done waits for the end of a turn that must end well.
func (r *rig) done(tn *turn) {
	r.t.Helper()
	if err := r.over(tn); err != nil {
		r.t.Fatalf("the turn failed: %v", err)
	}
}

func (r *rig) waitFor(c <-chan struct{}, otherwise string) {
	r.t.Helper()
	select {
	case <-c:
	case <-time.After(patience):
		r.t.Fatalf("%s; seen so far:\n%s", otherwise, r.story(0))
	}
}

// until waits until a test of all that was seen holds.
func (r *rig) until(what string, holds func([]seen) bool) {
	r.t.Helper()
	late := time.After(patience)
	for {
		r.mu.Lock()
		ok, bell := holds(r.log), r.bell
		r.mu.Unlock()
		if ok {
			return
		}
		select {
		case <-bell:
		case <-late:
			r.t.Fatalf("waited for %s in vain; seen so far:\n%s", what, r.story(0))
		}
	}
}

// untilSeen waits until the story holds a text.
func (r *rig) untilSeen(text string) {
	r.t.Helper()
	r.until(text, func(log []seen) bool { return strings.Contains(story(log, -1), text) })
}

// request waits for the n-th request, counted from 1, a reopened one too.
func (r *rig) request(n int) *session.Request {
	r.t.Helper()
	var found *session.Request
	r.until(fmt.Sprintf("request %d", n), func(log []seen) bool {
		left := n
		for _, s := range log {
			var q *session.Request
			switch e := s.event.(type) {
			case *session.Request:
				q = e
			case session.Reopened:
				q = e.New
			}
			if q == nil {
				continue
			}
			if left--; left == 0 {
				found = q
				return true
			}
		}
		return false
	})
	return found
}

// reply answers as a pane does: a rejection without a reason ends the turn.
func (r *rig) reply(q *session.Request, a session.Answer) {
	r.t.Helper()
	if err := q.Validate(); err != nil {
		r.t.Fatalf("the request cannot be shown: %v", err)
	}
	if err := q.Accepts(a); err != nil {
		r.t.Fatalf("the answer does not fit: %v", err)
	}
	select {
	case q.Reply <- a:
	default:
		r.t.Fatal("the request has no room for its answer")
	}
	if q.Rejects(a) && a.Reason == "" {
		r.last().cancel()
	}
}

func (r *rig) last() *turn {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.turns[len(r.turns)-1]
}

func approve() session.Answer { return session.Answer{Verdict: session.Approve} }
func reject() session.Answer  { return session.Answer{Verdict: session.Reject} }
func because(reason string) session.Answer {
	return session.Answer{Verdict: session.Reject, Reason: reason}
}

// choose is the answer that takes a choice by its place.
func choose(q *session.Request, i int) session.Answer {
	return session.Answer{Verdict: session.Chosen, Index: i, Value: q.Choices[i]}
}

// events are those of a turn; 0 are those beside the turns.
func (r *rig) events(turn int) []session.Event {
	r.mu.Lock()
	defer r.mu.Unlock()
	var out []session.Event
	for _, s := range r.log {
		if s.turn == turn && s.event != nil {
			out = append(out, s.event)
		}
	}
	return out
}

func (r *rig) snapshot() []seen {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.log)
}

// close ends everything and holds that nothing is left.
func (r *rig) close() {
	r.mu.Lock()
	was := r.closed
	r.closed = true
	turns := slices.Clone(r.turns)
	r.mu.Unlock()
	if was {
		return
	}
	for _, tn := range turns {
		tn.cancel()
	}
	if r.endAside != nil {
		r.endAside()
	}
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		// An agent that answers nothing holds its turn open until it is ended.
		r.agent.Kill()
		for _, tn := range turns {
			<-tn.done
		}
		if r.asideEnd != nil {
			<-r.asideEnd
		}
		if err := r.agent.Close(); err != nil {
			r.t.Logf("Close: %v", err)
		}
		r.goes.Wait()
	}()
	r.waitFor(closed, "the agent does not let go")
}

// A clock is time that only the test moves.
type clock struct {
	mu     sync.Mutex
	now    time.Time
	timers []*timer
}

type timer struct {
	at time.Time
	f  func()
}

func newClock() *clock { return &clock{now: time.Date(2026, 5, 31, 12, 0, 0, 0, time.UTC)} }

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) After(d time.Duration, f func()) (stop func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := &timer{at: c.now.Add(d), f: f}
	c.timers = append(c.timers, t)
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.timers = slices.DeleteFunc(c.timers, func(o *timer) bool { return o == t })
	}
}

// forward lets time pass.
func (c *clock) forward(d time.Duration) {
	c.mu.Lock()
	c.now = c.now.Add(d)
	var due []*timer
	c.timers = slices.DeleteFunc(c.timers, func(t *timer) bool {
		if t.at.After(c.now) {
			return false
		}
		due = append(due, t)
		return true
	})
	c.mu.Unlock()
	for _, t := range due {
		t.f()
	}
}
