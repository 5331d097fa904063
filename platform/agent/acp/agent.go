// Package acp lets a program that speaks the Agent Client Protocol v1 over its
// standard input and output be an agent of ours
// (https://agentclientprotocol.com/protocol/v1). The program's every message is
// read leniently: a field, an item or a message that cannot be understood costs
// itself and nothing else (R14). What it asks is shown as it really is, and the
// answer is for exactly that (T36, T44–T48).
package acp

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"copydesk/core/session"
	"copydesk/platform/agent/mention"
)

// Options are what an agent is made of. Name, Command, Dir and Go are required.
type Options struct {
	Name    string   // how the user calls it
	Command []string // the program and its arguments
	Dir     string   // the working folder, absolute
	Version string   // ours, for the agent to know

	// Environ is the environment that the program gets, "NAME=value" each; Env
	// is added to it and wins. Nothing else is in it (T38).
	Environ []string
	Env     map[string]string

	Go  func(func())
	Now func() time.Time
	Log *slog.Logger // nil: nobody

	// After calls f after d unless it is stopped before; nil: by the system's
	// clock.
	After func(d time.Duration, f func()) (stop func())

	// Hurry ends when there is no time left to ask the program to end: it is
	// killed then. nil: there is always time.
	Hurry context.Context

	// Login runs a program on the user's own terminal and returns when it has
	// ended; its error says that it failed. Browse opens an address on the
	// user's desktop. Where one of them is nil that is not possible, which is
	// said. Both are called on goroutines of their own.
	Login  func(ctx context.Context, argv, env []string, dir string) error
	Browse func(url string) error
}

// An Agent is a program that speaks the protocol, and the session with it. The
// program runs from the first Aside or Run on, and is started anew by the next
// Run when it has ended. Its methods are safe from any goroutine.
type Agent struct {
	o     Options
	log   *slog.Logger
	masks *strings.Replacer // takes the user's secrets out of texts (T37)
	mail  *mailbox
	busy  chan struct{} // holds one: a turn, or the loading of a session

	ctx    context.Context // ends with Close
	cancel context.CancelFunc

	// start runs the program; tests have another one.
	start func() (*program, error)

	mu      sync.Mutex
	trying  *attempt          // to connect; nil: not yet, or the connection has ended
	link    *link             // the one in use; nil: none
	turn    *turn             // the one that runs; nil: none
	ref     string            // of the session that goes on, or is to be gone on with; empty: none
	past    []session.Turn    // of an earlier run, until there is a session; nil: nothing was said in one
	spoken  bool              // something was said in the session
	deaths  int               // how often the program has ended while it took the session up
	dirs    map[string]string // of stored sessions, by id
	unknown map[string]bool   // kinds that the user has been told of
	strays  int               // messages for nobody (R14)
}

// The capabilities that an agent of ours has.
var (
	_ session.Agent        = (*Agent)(nil)
	_ session.Connected    = (*Agent)(nil)
	_ session.Completer    = (*Agent)(nil)
	_ session.Commander    = (*Agent)(nil)
	_ session.Configurable = (*Agent)(nil)
	_ session.Keeper       = (*Agent)(nil)
	_ session.Resumer      = (*Agent)(nil)
	_ session.Killer       = (*Agent)(nil)
	_ session.Closer       = (*Agent)(nil)
)

// New returns an agent. It starts nothing: Aside and Run do.
func New(o Options) *Agent {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Hurry == nil {
		o.Hurry = context.Background()
	}
	if o.After == nil {
		o.After = func(d time.Duration, f func()) func() {
			t := time.AfterFunc(d, f)
			return func() { t.Stop() }
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	a := &Agent{
		o: o, log: o.Log.With("agent", o.Name), masks: secrets(o.environ()), mail: newMailbox(),
		busy: make(chan struct{}, 1), ctx: ctx, cancel: cancel, unknown: map[string]bool{},
	}
	a.start = a.run
	return a
}

// Name is how the user calls the agent.
func (a *Agent) Name() string { return a.o.Name }

// Echo shows every input behind the agent's name.
func (a *Agent) Echo(string) (tag string, echo bool) { return a.o.Name, true }

// Complete offers the paths below the working folder behind an @ (AGT 5).
func (a *Agent) Complete(input string) (start int, words []string) {
	return mention.Complete(a.o.Dir, input)
}

// Commands are the ones that the agent advertises, in its order.
func (a *Agent) Commands() []session.Command {
	a.mu.Lock()
	defer a.mu.Unlock()
	if c := a.conversation(); c != nil {
		return slices.Clone(c.commands)
	}
	return nil
}

// Title is what the agent calls the session; empty as long as it has not said.
func (a *Agent) Title() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	if c := a.conversation(); c != nil {
		return c.title
	}
	return ""
}

// conversation is the session that goes on, nil for none. The lock is held.
func (a *Agent) conversation() *conversation {
	if a.link == nil {
		return nil
	}
	return a.link.current
}

// Kill ends the program, with all that it has started: it is asked to end, and
// killed when it does not (R5). Kill does not wait for that. What waits for the
// program fails; the next prompt starts it anew.
func (a *Agent) Kill() {
	a.mu.Lock()
	l := a.link
	a.mu.Unlock()
	if l == nil {
		return
	}
	a.o.Go(func() {
		if err := l.stop(); err != nil {
			a.aside(session.Notice{Text: a.masks.Replace(sentence(err.Error())), Error: true})
		}
	})
}

// Close ends the session and the program. It returns when the program is gone,
// after a few seconds at most.
func (a *Agent) Close() error {
	a.mu.Lock()
	l := a.link
	a.mu.Unlock()
	if l != nil {
		l.bye()
	}
	a.cancel()
	a.mail.close()
	if l == nil {
		return nil
	}
	return l.stop()
}

// notice shows a sentence, in the turn if one runs.
func (a *Agent) notice(text string, failed bool) {
	a.mail.put(session.Notice{Text: a.masks.Replace(text), Error: failed})
}

// errGone is that there is no agent to ask.
var errGone = errors.New("the agent does not run; send it a prompt to start it")
