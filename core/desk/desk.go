// Package desk is the one service that front ends talk to. It keeps the state
// of every pane with a revision; a change raises the revision and rings the
// doorbells, and each front end pulls what changed since its own revision, at
// its own pace.
package desk

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"copydesk/core"
	"copydesk/core/command"
	"copydesk/core/markdown"
	"copydesk/core/session"
)

// Deps is what a desk needs from outside.
type Deps struct {
	Now        func() time.Time
	Go         func(func()) // starts a goroutine
	Log        *slog.Logger
	Highlight  markdown.Highlighter // styles code blocks; may be nil
	PanelLines int                  // lines a panel keeps, at least 1
	Program    string               // its version, for journals

	// After calls f once after d, on any goroutine; stop prevents it. It may be
	// nil: then an agent whose pane is closed has no time to end its turn.
	After func(d time.Duration, f func()) (stop func())
}

// A Desk is one running instance. Its methods are safe from any goroutine.
type Desk struct {
	deps     Deps
	commands command.Table
	work     sync.WaitGroup // running turns, and agents that are let go

	mu       sync.Mutex
	bells    []chan struct{}
	panes    []*Pane
	last     int    // the number of the newest pane
	copied   string // the text of the last copy
	closed   bool
	failures []error // of agents that could not be closed
}

// New makes a desk without panes. It lives until Close.
func New(deps Deps) *Desk { return &Desk{deps: deps, commands: command.New()} }

// PaneOptions is how a pane shows an agent.
type PaneOptions struct {
	// Loose says that every line typed is a command of a small language, so
	// that "copy" with anything behind it is ours (CPY 3).
	Loose bool
	Title string // what the pane is about: "claude · ~/src/app"
	Hint  string // what an empty input field says
	Dir   string // where the agent works; absolute, or empty

	// Journal keeps the pane's session. What it holds already comes back first:
	// the panel, the turns, the draft. nil: nothing is kept.
	Journal Journal
}

// Open starts a pane for an agent, and listens to the agent if it is Connected.
// It reads the journal, which may take a moment. After Close the pane does
// nothing.
func (d *Desk) Open(agent session.Agent, o PaneOptions) *Pane {
	p := newPane(d, agent, o)
	d.mu.Lock()
	d.last++
	p.number = d.last
	d.panes = append(d.panes, p)
	p.closed = d.closed
	d.mu.Unlock()
	if !p.closed {
		p.listen(p.seat)
	}
	d.Ring()
	return p
}

// Panes are the open panes, in the order in which they were opened.
func (d *Desk) Panes() []*Pane {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.panes)
}

// ClosePane takes a pane out of the desk at once. Its agent is let go in the
// background: its turn ends, or is ended after core.KillAfter, then it is
// closed.
func (d *Desk) ClosePane(p *Pane) {
	d.mu.Lock()
	d.panes = slices.DeleteFunc(d.panes, func(q *Pane) bool { return p == q })
	d.mu.Unlock()
	if t := p.close(); t != nil {
		p.insist(t)
	}
}

// Commands is the table of commands.
func (d *Desk) Commands() command.Table { return d.commands }

// Listen returns a doorbell: a channel of capacity 1 that is rung after every
// change, however many there were. Ringing never blocks.
func (d *Desk) Listen() <-chan struct{} {
	bell := make(chan struct{}, 1)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.bells = append(d.bells, bell)
	return bell
}

// Ring tells the front ends that something has changed. It never blocks.
func (d *Desk) Ring() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, bell := range d.bells {
		select {
		case bell <- struct{}{}:
		default:
		}
	}
}

// Close ends every turn, lets go of all agents and waits until that is done, or
// until ctx is, which it then reports. What still runs then is killed, and has
// core.StopEOF to come to its end in its session.
func (d *Desk) Close(ctx context.Context) error {
	d.mu.Lock()
	d.closed = true
	panes := slices.Clone(d.panes)
	d.mu.Unlock()
	var hanging []*turn
	for _, p := range panes {
		if t := p.close(); t != nil {
			hanging = append(hanging, t)
		}
	}
	ended := make(chan struct{})
	d.deps.Go(func() {
		d.work.Wait()
		close(ended)
	})
	select {
	case <-ended:
		d.mu.Lock()
		defer d.mu.Unlock()
		return errors.Join(d.failures...)
	case <-ctx.Done():
		for _, t := range hanging {
			t.kill()
		}
		d.await(ended)
		for _, p := range panes {
			p.sync(context.Background())
		}
		return fmt.Errorf("wait for the agents to stop: %w", ctx.Err())
	}
}

// await waits a moment.
func (d *Desk) await(ended <-chan struct{}) {
	if d.deps.After == nil {
		return
	}
	late := make(chan struct{})
	stop := d.deps.After(core.StopEOF, func() { close(late) })
	defer stop()
	select {
	case <-ended:
	case <-late:
	}
}

// failed remembers that an agent could not be closed.
func (d *Desk) failed(agent string, err error) {
	d.deps.Log.Warn("could not close an agent", "agent", agent, "error", err)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.failures = append(d.failures, fmt.Errorf("close %s: %w", agent, err))
}
