package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"
	"unicode/utf8"

	"copydesk/config"
	"copydesk/core"
	talk "copydesk/core/session"
	"copydesk/core/text"
	"copydesk/platform/term"

	"github.com/spf13/cobra"
	xterm "golang.org/x/term"
)

// exitRejected is the exit code of a turn that asked for something and was
// refused it.
const exitRejected = 3

// leaveLimit is how long an agent may take to let go after its turn.
const leaveLimit = core.StopEOF + core.StopTerm + time.Second

// runFlags are the words of copydesk run.
type runFlags struct {
	agent string
	cwd   string
	db    string
	json  bool
}

// newRun is the command for one turn without a screen.
func newRun(p process, f *flags) *cobra.Command {
	var rf runFlags
	c := &cobra.Command{
		Use:   "run --agent NAME [PROMPT…]",
		Short: "Run one turn without a screen; the prompt is the arguments, or standard input",
		Long: `Run one turn without a screen.

The prompt is the arguments, or standard input without any. The answer goes to
standard output as it comes; notes and errors go to standard error. Whatever the
agent asks is refused, which ends the turn.

Exit codes: 0 done, 1 failed, 2 not begun, 3 something was asked and refused,
130 interrupted.`,
		RunE: func(c *cobra.Command, args []string) error { return runTurn(p, *f, rf, given(c), args) },
	}
	c.Flags().StringVar(&rf.agent, "agent", "", agentHelp)
	c.Flags().StringVar(&rf.cwd, "cwd", "", "the `FOLDER` that the agent works in")
	c.Flags().StringVar(&rf.db, "db", "", "the playground's database `FILE`")
	c.Flags().BoolVar(&rf.json, "json", false, "print one JSON object for each event")
	return c
}

// runTurn runs one turn from its words to its exit code.
func runTurn(p process, f flags, rf runFlags, given map[string]any, args []string) error {
	settings, err := load(p, f, given)
	if err != nil {
		return err
	}
	if settings.Agent == "" {
		return exit{exitRefused, "no agent is named; name one with --agent (copydesk agents lists them)"}
	}
	prompt, err := promptOf(p, args)
	if err != nil {
		return err
	}
	state, _ := config.StateDir(p.env) // without one nothing of it is missed
	logger, closeLog, err := openLog(state, settings.Log.Level)
	if err != nil {
		return err
	}
	defer closeLog()
	guard := term.NewGuard(term.GuardOptions{
		Program: "copydesk", Version: version, CrashDir: crashDir(state),
		Hide: append(newSecrets(p.environment()).list(), p.args...), Stderr: p.stderr,
	})
	r, err := newRoster(p, settings, state, running{log: logger, start: guard.Go, after: guarded(guard)})
	if err != nil {
		return err
	}
	if rf.cwd != "" {
		if err := r.workIn(rf.cwd); err != nil {
			return exit{exitRefused, err.Error()}
		}
	}
	agent, _, err := r.open(context.Background(), settings.Agent)
	if err != nil {
		return err
	}
	var out printer = newPlainPrinter(p.stdout, p.stderr, xterm.IsTerminal(int(p.stdout.Fd())))
	if rf.json {
		out = &jsonPrinter{out: p.stdout}
	}
	return (&oneShot{agent: agent, out: out, start: guard.Go, after: time.After}).run(prompt)
}

// guarded gives timers whose functions run under the guard.
func guarded(guard *term.Guard) func(time.Duration, func()) func() {
	return func(d time.Duration, f func()) func() {
		t := time.AfterFunc(d, func() { guard.Run(f) })
		return func() { t.Stop() }
	}
}

// workIn makes every agent work in a folder that the user named.
func (r *roster) workIn(dir string) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return fmt.Errorf("find the folder: %w", err)
	}
	if why := noFolder(dir); why != "" {
		return errors.New(why)
	}
	r.dir, r.pinned = dir, true
	return nil
}

// promptOf is what the user wants: the arguments, or all of standard input
// without its last line end.
func promptOf(p process, args []string) (string, error) {
	prompt := strings.Join(args, " ")
	if len(args) == 0 {
		if xterm.IsTerminal(int(p.stdin.Fd())) {
			return "", exit{exitRefused, "there is no prompt; write it behind the flags, or on standard input"}
		}
		data, err := io.ReadAll(io.LimitReader(p.stdin, core.PasteBytes+1))
		if err != nil {
			return "", fmt.Errorf("read the prompt: %w", err)
		}
		if len(data) > core.PasteBytes {
			return "", exit{exitRefused, fmt.Sprintf("the prompt is longer than %d bytes; put it into a file and name that", core.PasteBytes)}
		}
		prompt = strings.TrimSuffix(strings.TrimSuffix(string(data), "\n"), "\r")
	}
	switch {
	case strings.TrimSpace(prompt) == "":
		return "", exit{exitRefused, "the prompt is empty"}
	case !utf8.ValidString(prompt):
		return "", exit{exitRefused, "the prompt is not UTF-8"}
	}
	return prompt, nil
}

// A printer shows the events of a turn. Its methods are called by one goroutine
// at a time; an error is that of writing, and ends the turn.
type printer interface {
	event(e talk.Event) error
	beside(e talk.Event) error // outside of the turn
	refused(r *talk.Request) error
	end(o outcome, failure error) error
}

// outcome is how a turn ended, as --json says it.
type outcome string

const (
	done        outcome = "done"
	failed      outcome = "failed"
	wasRefused  outcome = "refused"
	interrupted outcome = "interrupted"
)

// A oneShot is one turn of an agent without a screen.
type oneShot struct {
	agent talk.Agent
	out   printer
	start func(func())
	after func(time.Duration) <-chan time.Time

	mu      sync.Mutex // guards out and what follows; events come from two goroutines
	cancel  context.CancelFunc
	asked   *talk.Request // the one that was refused
	failure error         // why the turn failed
	broken  error         // why nothing more can be written
	over    bool          // the end has been written
}

// run runs the turn. The error it returns has the exit code.
func (o *oneShot) run(prompt string) error {
	signals := make(chan os.Signal, 4)
	for _, sig := range []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		if !signal.Ignored(sig) {
			signal.Notify(signals, sig)
		}
	}
	defer signal.Stop(signals)
	// A reader that went away is an error of writing, not the end of the
	// program, so that the agent is ended too.
	pipe := make(chan os.Signal, 1)
	signal.Notify(pipe, syscall.SIGPIPE)
	defer signal.Stop(pipe)

	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	o.cancel = cancel
	leave := o.listen()
	ended := make(chan struct{})
	o.start(func() {
		defer close(ended)
		o.turn(ctx, prompt)
	})
	sig := o.wait(ctx, ended, signals)
	leave()
	return o.result(sig)
}

// listen starts what the agent does beside its turns. leave ends it and the
// agent, and returns after leaveLimit at the latest.
func (o *oneShot) listen() (leave func()) {
	ctx, stop := context.WithCancel(context.Background())
	quiet := make(chan struct{})
	o.start(func() {
		defer close(quiet)
		c, ok := o.agent.(talk.Connected)
		if !ok {
			return
		}
		for e := range c.Aside(ctx) {
			o.take(e, o.out.beside)
		}
	})
	return func() {
		stop()
		gone := make(chan struct{})
		o.start(func() {
			defer close(gone)
			<-quiet
			if c, ok := o.agent.(talk.Closer); ok {
				_ = c.Close() // the turn is over; how its agent ends is no news
			}
		})
		select {
		case <-gone:
		case <-o.after(leaveLimit):
		}
	}
}

// turn is the goroutine of the turn.
func (o *oneShot) turn(ctx context.Context, prompt string) {
	for e, err := range o.agent.Run(ctx, prompt) {
		if err != nil {
			o.mu.Lock()
			o.failure = err
			o.mu.Unlock()
			return
		}
		o.take(e, o.out.event)
	}
}

// take shows an event and refuses what is asked.
func (o *oneShot) take(e talk.Event, show func(talk.Event) error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.broken != nil || o.over {
		return
	}
	var err error
	switch e := e.(type) {
	case *talk.Request:
		err = o.refuse(e)
	case talk.Reopened:
		err = o.refuse(e.New)
	case talk.Withdrawn:
	default:
		err = show(e)
	}
	if err != nil {
		o.broken = err
		o.cancel()
	}
}

// refuse answers a request by a rejection and ends the turn, in this order
// (R4 §6). The lock is held.
func (o *oneShot) refuse(r *talk.Request) error {
	if r == nil || r.Reply == nil || cap(r.Reply) == 0 {
		return nil
	}
	select {
	case r.Reply <- talk.Answer{Verdict: talk.Reject}:
	default:
	}
	o.cancel()
	if o.asked != nil {
		return nil
	}
	o.asked = r
	return o.out.refused(r)
}

// wait waits for the end of the turn and gives the signal that ended it, if one
// did. From the first signal, or from when the turn was cancelled, the agent may
// take core.KillAfter to stop. The next signal, or that time, kills it, and
// another one waits no more (R5).
func (o *oneShot) wait(ctx context.Context, ended <-chan struct{}, signals <-chan os.Signal) os.Signal {
	var first os.Signal
	var late <-chan time.Time
	cancelled := ctx.Done()
	for tries := 0; ; tries++ {
		select {
		case <-ended:
			return first
		case sig := <-signals:
			if first == nil {
				first = sig
			}
		case <-cancelled:
		case <-late:
		}
		cancelled = nil
		switch tries {
		case 0:
			o.cancel()
			late = o.after(core.KillAfter)
		case 1:
			if k, ok := o.agent.(talk.Killer); ok {
				k.Kill()
			}
			late = o.after(core.StopTerm)
		default:
			return first
		}
	}
}

// result says how the turn ended, on the printer and as an exit code.
func (o *oneShot) result(sig os.Signal) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.over = true
	how, code, said := done, exitOK, ""
	switch {
	case sig != nil:
		how, code, said = interrupted, term.ExitCode(sig), "interrupted"
	case o.asked != nil:
		how, code = wasRefused, exitRejected
	case o.broken != nil:
		return exit{exitFailed, fmt.Sprintf("write the answer: %v", o.broken)}
	case o.failure != nil:
		how, code, said = failed, exitFailed, text.Clean(o.failure.Error())
	}
	if o.broken == nil {
		if err := o.out.end(how, o.failure); err != nil {
			return exit{exitFailed, fmt.Sprintf("write the answer: %v", err)}
		}
	}
	if code == exitOK {
		return nil
	}
	return exit{code, said}
}
