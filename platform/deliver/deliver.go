// Package deliver carries a copy to the clipboard of the person who looks at the
// terminal, by every route that can get there, and says what became of it. It
// writes clipboards and reads none, but for the doctor, which reads back what it
// wrote itself.
package deliver

import (
	"cmp"
	"context"
	"errors"
	"io"
	"runtime"
	"sync"
	"time"

	"copydesk/core"
	"copydesk/core/clipboard"
	"copydesk/platform/deliver/route"
)

// errSuperseded is the fate of a copy that a newer one overtook.
var errSuperseded = errors.New("a newer copy took its place")

// Options are what a Deliverer works with.
type Options struct {
	// Env looks a variable of the environment up; "" means not set.
	Env func(name string) string

	// LookPath finds a program (exec.LookPath). It is asked again for each
	// copy, so a tool that was installed meanwhile is found.
	LookPath func(program string) (string, error)

	// Exe is the absolute path of a program that calls OwnerMain when it is
	// started with OwnerArg: our own (os.Executable).
	Exe string

	// Terminal takes OSC 52; nil means that there is none.
	Terminal Terminal

	// Go starts a goroutine. It may last longer than the copy: until the
	// terminal reads again, or until the clipboard's owner ends. Nobody needs to
	// wait for it at the end of the program.
	Go func(func())

	// Route is the user's choice: "auto" or "" for every way that works here,
	// "native", "osc52", "tmux", "command" or "file" for that way alone, "off"
	// for none.
	Route string

	// Command is the program and its arguments of the route "command".
	Command []string

	// Limit is how long a copy may take; 0 means core.ToolTimeout. Copy returns
	// a few tenths of a second after it at the latest, and one second more where
	// nothing took the text in time and it is saved in a file.
	Limit time.Duration

	// Primary also sets the primary selection on X11 and Wayland.
	Primary bool

	// Selection sets the primary selection instead of the clipboard, by native
	// routes only: what the mouse has selected.
	Selection bool

	// Fleeting lets the clipboard's owner end when this process does.
	Fleeting bool

	// StateDir is where copies are saved that nothing else took; "" saves none.
	StateDir string

	// Now is the clock that names those files; the default is time.Now.
	Now func() time.Time

	// Answers52 is that the terminal named 52 among its attributes; see
	// AskAttributes.
	Answers52 bool

	// Lineage and ProcessEnv tell of other processes, as the functions of those
	// names do. Without them mosh, and tmux within tmux, are not found out.
	Lineage    func(id int) []Process
	ProcessEnv func(id int, name string) string
}

// A Deliverer delivers copies. It is safe from any goroutine.
type Deliverer struct {
	goos       string
	env        func(string) string
	choice     string
	command    []string
	lookPath   func(string) (string, error)
	exe        string
	sender     *sender // nil without a terminal
	start      func(func())
	limit      time.Duration
	primary    bool
	selection  bool
	fleeting   bool
	stateDir   string
	now        func() time.Time
	answers52  bool
	lineage    func(int) []Process
	processEnv func(int, string) string

	once      sync.Once
	ancestors []Process

	mu     sync.Mutex
	newest *flight
	leash  io.Closer // of the owner, if it is fleeting: closing it ends the owner
}

// A flight is a copy that is under way.
type flight struct {
	cancel context.CancelCauseFunc
	landed chan struct{}
}

// New returns a Deliverer.
func New(o Options) *Deliverer {
	d := &Deliverer{
		goos:       runtime.GOOS,
		env:        o.Env,
		choice:     o.Route,
		command:    o.Command,
		lookPath:   o.LookPath,
		exe:        o.Exe,
		start:      o.Go,
		limit:      cmp.Or(o.Limit, core.ToolTimeout),
		primary:    o.Primary,
		selection:  o.Selection,
		fleeting:   o.Fleeting,
		stateDir:   o.StateDir,
		now:        o.Now,
		answers52:  o.Answers52,
		lineage:    o.Lineage,
		processEnv: o.ProcessEnv,
	}
	if o.Terminal != nil {
		d.sender = &sender{terminal: o.Terminal, start: o.Go}
	}
	if d.now == nil {
		d.now = time.Now
	}
	if o.Env("TERMUX_VERSION") != "" {
		d.limit = max(d.limit, termuxWait)
	}
	return d
}

// emptyText is why an empty text is not sent: it would clear the clipboard in
// some terminals.
const emptyText = "the text is empty"

// Copy carries the text by every route of the plan and returns what became of
// it. It never cuts the text and never sends an empty one. It blocks, up to the
// limit: never call it from the UI goroutine. A copy that is still under way is
// cancelled first and waited for, so that the newest text is what stays.
func (d *Deliverer) Copy(ctx context.Context, body string) clipboard.Receipt {
	receipt := clipboard.Receipt{Bytes: len(body)}
	switch {
	case body == "":
		receipt.Routes = []clipboard.RouteResult{{Reason: emptyText}}
		return receipt
	case d.choice == route.Off:
		receipt.Routes = []clipboard.RouteResult{{Reason: "clipboard.route is off in the configuration"}}
		return receipt
	}
	ctx, done := d.begin(ctx, d.limit)
	defer done()

	p := d.look(ctx, body)
	run := copying{Deliverer: d, place: p, body: body, unfit: unfit(body)}
	run.carry(ctx, route.Choose(p.context, d.choice))
	receipt.Routes = run.results
	return receipt
}

// begin makes this copy the newest one. It waits until the one before has ended,
// which it does at once.
func (d *Deliverer) begin(ctx context.Context, limit time.Duration) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	ctx, stop := context.WithTimeoutCause(ctx, limit, noAnswer(limit))
	f := &flight{cancel: cancel, landed: make(chan struct{})}

	d.mu.Lock()
	before := d.newest
	d.newest = f
	d.mu.Unlock()
	if before != nil {
		before.cancel(errSuperseded)
		<-before.landed
	}
	return ctx, func() {
		stop()
		cancel(nil)
		close(f.landed)
	}
}
