package desk

import (
	"context"
	"strings"
	"sync"
	"time"

	"copydesk/core/command"
	"copydesk/core/panel"
	"copydesk/core/session"
	"copydesk/core/text"
)

// A Pane is a conversation with one agent: its session, its output panel, its
// requests and its queue. Its methods are safe from any goroutine.
type Pane struct {
	desk  *Desk
	agent session.Agent
	loose bool

	mu      sync.Mutex
	session session.Session
	panel   *panel.Panel
	inbox   session.Inbox
	queue   []string
	held    bool // the queue waits for the user: the turn before it did not end well
	turn    *turn
	usage   session.Usage

	exchanges []exchange // those with lines in the panel, in order
}

func newPane(d *Desk, agent session.Agent, loose bool) *Pane {
	p := &Pane{desk: d, agent: agent, loose: loose, panel: panel.New(d.deps.PanelLines, d.deps.Highlight)}
	p.panel.Touch() // revision 0 is "has seen nothing"
	return p
}

// Delta is what changed in a pane after a revision. Every line from number From
// on is replaced by Lines; lines before First are no longer kept.
type Delta struct {
	Revision uint64
	First    uint64
	From     uint64
	Lines    []panel.Shown
	Pending  []session.Pending // oldest first
	Status   Status
}

// Status is what the status bar tells of a pane.
type Status struct {
	Agent   string
	Tag     string    // the agent's mode, as an echo would show it
	Running bool      // a turn runs
	Since   time.Time // of the running turn's start
	Queue   []string  // messages that wait, the next one first
	Held    bool      // the queue waits for the user
	Usage   session.Usage
}

// Since returns what changed after revision rev; 0 asks for everything.
func (p *Pane) Since(rev uint64) Delta {
	tag, _ := p.agent.Echo("")
	p.mu.Lock()
	defer p.mu.Unlock()
	first, from, lines := p.panel.Since(rev)
	if p.panel.Behind() {
		defer p.desk.ring()
		defer p.panel.Touch()
	}
	d := Delta{
		Revision: p.panel.Revision(), First: first, From: from, Lines: lines, Pending: p.inbox.Open(),
		Status: Status{Agent: p.agent.Name(), Tag: tag, Queue: append([]string(nil), p.queue...), Held: p.held, Usage: p.usage},
	}
	if p.turn != nil {
		d.Status.Running, d.Status.Since = true, p.turn.began
	}
	return d
}

// change runs f under the lock and tells the front ends.
func (p *Pane) change(f func()) {
	p.mu.Lock()
	f()
	p.panel.Touch()
	p.mu.Unlock()
	p.desk.ring()
}

// Submit takes a line from the input field. A command that a front end has to
// carry out comes back as its effect. Everything else is done here: a prompt
// starts a turn or joins the queue, a command that cannot be understood
// becomes an error line. An empty line sends the next message of a held queue.
func (p *Pane) Submit(input string) command.Effect {
	effect, is, err := p.desk.commands.Parse(input, p.loose)
	switch {
	case err != nil:
		p.Note(sentence(err.Error()), true)
		return nil
	case is:
		if _, help := effect.(command.Help); help {
			p.help()
			return nil
		}
		return effect
	}
	p.change(func() {
		if strings.TrimSpace(input) == "" {
			p.sendQueued()
			return
		}
		if p.turn == nil {
			p.start(input) // past a queue that is held
			return
		}
		p.queue = append(p.queue, input)
	})
	return nil
}

// sendQueued starts a turn with the next message of the queue, if no turn
// runs and there is one.
func (p *Pane) sendQueued() {
	p.held = false
	if p.turn != nil || len(p.queue) == 0 {
		return
	}
	prompt := p.queue[0]
	p.queue = p.queue[1:]
	p.start(prompt)
}

// Unqueue takes the newest message of the queue back (SES 5).
func (p *Pane) Unqueue() (string, bool) {
	var last string
	var ok bool
	p.change(func() {
		if n := len(p.queue); n > 0 {
			last, ok = p.queue[n-1], true
			p.queue = p.queue[:n-1]
			p.held = p.held && n > 1
		}
	})
	return last, ok
}

// Cancel ends the running turn and reports whether there was one.
func (p *Pane) Cancel() bool {
	var running bool
	p.change(func() {
		// A turn that was cancelled already and does not end is no reason not to
		// leave.
		if running = p.turn != nil && p.turn.outcome == session.Complete; running {
			p.stop(session.Cancelled)
		}
	})
	return running
}

// Note shows a sentence to the user as a [system] or, with failed set, an
// [error] line. It never tears a line that an agent is writing.
func (p *Pane) Note(said string, failed bool) {
	kind := panel.Note
	if failed {
		kind = panel.Error
	}
	p.change(func() {
		p.panel.Remark(panel.Lines(panel.Line{Kind: kind}, text.Clean(said))...)
	})
}

func (p *Pane) help() {
	p.change(func() {
		p.panel.Remark(panel.Painted(p.desk.commands.Markdown(), p.desk.deps.Highlight)...)
	})
}

// Complete lists how the input up to the cursor can go on: commands first,
// then what the agent itself offers.
func (p *Pane) Complete(input string) []command.Completion {
	if out := p.desk.commands.Complete(input); len(out) > 0 {
		return out
	}
	agent, ok := p.agent.(completer)
	if !ok {
		return nil
	}
	start, words := agent.Complete(input)
	var out []command.Completion
	for _, w := range words {
		out = append(out, command.Completion{Start: start, Text: w})
	}
	return out
}

// A completer is an agent that knows how a prompt can go on: words that can
// replace it from byte start on. It may be called while a turn runs.
type completer interface {
	Complete(input string) (start int, words []string)
}

// A turn is the answer that is being made.
type turn struct {
	began   time.Time
	cancel  context.CancelFunc
	outcome session.Outcome // what ended it, before the agent did
	echo    bool
	first   uint64 // the echo's first panel line
	lines   int    // and how many it has
	cleaner text.Cleaner
	kind    panel.Kind        // of the text the cleaner holds
	tools   map[string]uint64 // the panel line of each tool call
	plan    uint64            // the plan's first panel line
	steps   int               // and how many it has
}

// stop makes the running turn end with an outcome; the first reason wins. What
// the turn still asks can no longer be answered. The lock is held.
func (p *Pane) stop(o session.Outcome) {
	if p.turn.outcome == session.Complete {
		p.turn.outcome = o
	}
	p.turn.cancel()
	p.inbox.Withdraw()
}
