// Package desk is the one service that front ends talk to. It keeps the state
// of every pane with a revision; a change raises the revision and rings the
// doorbells, and each front end pulls what changed since its own revision, at
// its own pace.
package desk

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

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
}

// A Desk is one running instance. Its methods are safe from any goroutine.
type Desk struct {
	deps     Deps
	commands command.Table
	ctx      context.Context
	stop     context.CancelFunc
	turns    sync.WaitGroup // running turns

	mu     sync.Mutex
	bells  []chan struct{}
	copied string // the text of the last copy
}

// New makes a desk without panes. It lives until Close.
func New(deps Deps) *Desk {
	ctx, stop := context.WithCancel(context.Background())
	return &Desk{deps: deps, commands: command.New(), ctx: ctx, stop: stop}
}

// Open starts a pane for an agent. With loose set every line typed into it is
// a command of a small language, so "copy" with anything behind it is ours
// (CPY 3).
func (d *Desk) Open(agent session.Agent, loose bool) *Pane {
	return newPane(d, agent, loose)
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

func (d *Desk) ring() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, bell := range d.bells {
		select {
		case bell <- struct{}{}:
		default:
		}
	}
}

// Close ends every turn and waits until the agents have let go, or until ctx
// is done, which it then reports.
func (d *Desk) Close(ctx context.Context) error {
	d.stop()
	ended := make(chan struct{})
	d.deps.Go(func() {
		d.turns.Wait()
		close(ended)
	})
	select {
	case <-ended:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("wait for the agents to stop: %w", ctx.Err())
	}
}
