package desk

import (
	"slices"
	"strings"
	"sync"
	"time"

	"copydesk/core"
	"copydesk/core/command"
	"copydesk/core/panel"
	"copydesk/core/record"
	"copydesk/core/session"
	"copydesk/core/text"
)

// A Pane is a conversation with one agent at a time: its session, its output
// panel, its requests and its queue. Its methods are safe from any goroutine.
type Pane struct {
	desk   *Desk
	number int

	mu      sync.Mutex
	seat    *seat
	closed  bool
	session session.Session
	panel   *panel.Panel
	inbox   session.Inbox
	seats   int          // so far
	journal Journal      // nil: nothing is kept
	draft   record.Draft // but for the queue
	ref     string       // of the agent's own session, as it was kept last
	queue   []string
	held    bool // the queue waits for the user: the turn before it did not end well
	turn    *turn
	begun   int // turns so far
	usage   session.Usage
	speech  speech
	plan    plan
	details details
	replay  *replay   // a stored session that comes back; nil: none does
	pending overheard // until the turn ends

	exchanges []exchange // those with lines in the panel, in order
}

// newPane makes a pane for an agent, with what its journal holds.
func newPane(d *Desk, agent session.Agent, o PaneOptions) *Pane {
	p := emptyPane(d, d.deps.PanelLines)
	if p.journal = o.Journal; p.journal == nil {
		p.sit(newSeat(agent, o))
		return p
	}
	err := p.restore()
	before, known := p.seat, p.ref
	p.sit(newSeat(agent, o))
	switch {
	case before == nil: // a new session
		p.keep(record.Header{ID: p.journal.ID(), Program: d.deps.Program, Seat: p.seat.record()})
	case before.name() != p.seat.name():
		known, p.ref, p.usage = "", "", session.Usage{}
		said := "The agent is " + p.seat.name() + " now."
		p.keep(record.Switched{Seat: p.seat.record(), Said: said})
		p.remark(said, false)
	default: // it goes on where it was
		p.seats, p.seat.number = before.number, before.number
		p.seat.turns, p.seat.marked, p.seat.tools = before.turns, before.marked, before.tools
	}
	if err != nil {
		p.say(sentence("not all of the session could be read: "+err.Error()), true)
	}
	if agent, ok := agent.(session.Resumer); ok && before != nil {
		agent.Resume(known, p.session.Turns())
	}
	return p
}

// emptyPane makes a pane without an agent, whose panel keeps so many lines.
func emptyPane(d *Desk, lines int) *Pane {
	p := &Pane{desk: d, panel: panel.New(lines, d.deps.Highlight)}
	p.panel.Touch() // revision 0 is "has seen nothing"
	return p
}

// sit gives the pane an agent. The lock is held, or nobody else has the pane.
func (p *Pane) sit(s *seat) {
	p.seats++
	s.number = p.seats
	p.seat = s
}

// Number names the pane: from 1 on, never used again.
func (p *Pane) Number() int { return p.number }

// Session names the pane's session; empty: it is not kept.
func (p *Pane) Session() string {
	if p.journal == nil {
		return ""
	}
	return p.journal.ID()
}

// Blank reports whether nothing has been done in the pane: no turn, no draft.
func (p *Pane) Blank() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.begun == 0 && len(p.session.Turns()) == 0 && len(p.queue) == 0 && strings.TrimSpace(p.draft.Input) == ""
}

// sitting is the pane's present agent.
func (p *Pane) sitting() *seat {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.seat
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

	Title    string    // what the pane is about: "claude · ~/src/app"
	Hint     string    // what an empty input field says
	Stopping time.Time // when the running turn was told to stop; zero: it was not
	Loading  bool      // a stored session comes back: what is sent waits for it
	Commands bool      // the agent takes commands of its own
	Dir      string    // where the agent works

	Session string        // names the session that is kept; empty: none is
	Saved   record.Health // of its journal
	Mode    string        // the name of the mode in force; empty: there is none
	Model   string        // the name of the model in force
}

// status is what the agent itself says. It is asked without the lock: it may
// have one of its own.
func (s *seat) status() Status {
	tag, _ := s.agent.Echo("")
	st := Status{Agent: s.agent.Name(), Tag: tag, Title: s.Title, Hint: s.Hint, Dir: s.Dir}
	_, st.Commands = s.agent.(session.Commander)
	options := s.options()
	st.Mode, st.Model = inForce(options, "mode"), inForce(options, "model")
	return st
}

// Since returns what changed after revision rev; 0 asks for everything.
func (p *Pane) Since(rev uint64) Delta {
	status := p.sitting().status()
	if p.journal != nil {
		status.Session, status.Saved = p.Session(), p.journal.Health()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	first, from, lines := p.panel.Since(rev)
	if p.panel.Behind() {
		defer p.desk.Ring()
		defer p.panel.Touch()
	}
	status.Queue, status.Held = append([]string(nil), p.queue...), p.held
	status.Usage, status.Loading = p.usage, p.loading()
	if p.turn != nil {
		status.Running, status.Since, status.Stopping = true, p.turn.began, p.turn.stopped
	}
	return Delta{Revision: p.panel.Revision(), First: first, From: from, Lines: lines, Pending: p.inbox.Open(), Status: status}
}

// change runs f under the lock and tells the front ends.
func (p *Pane) change(f func()) {
	p.mu.Lock()
	f()
	p.panel.Touch()
	p.mu.Unlock()
	p.desk.Ring()
}

// place is where a line of the pane's input field is typed.
func (p *Pane) place() command.Place {
	s := p.sitting()
	at := command.Place{Loose: s.Loose}
	if agent, ok := s.agent.(session.Commander); ok {
		at.Commander, at.Theirs = true, agent.Commands()
	}
	return at
}

// Submit takes a line from the input field. A command that a front end has to
// carry out comes back as its effect. Everything else is done here: a prompt
// starts a turn or joins the queue, an option that is named is set, a command
// that cannot be understood becomes an error line. An empty line sends the next
// message of a held queue.
func (p *Pane) Submit(input string) command.Effect {
	effect, prompt, err := p.desk.commands.Parse(input, p.place())
	if err != nil {
		p.Note(sentence(err.Error()), true)
		return nil
	}
	switch e := effect.(type) {
	case nil:
		p.change(func() { p.send(prompt) })
		return nil
	case command.Help:
		p.help()
		return nil
	case command.Options:
		if e.Value != "" {
			p.choose(e)
			return nil
		}
	}
	return effect
}

// send starts a turn with a prompt, or lets it wait. The lock is held.
func (p *Pane) send(prompt string) {
	switch {
	case p.closed:
	case strings.TrimSpace(prompt) == "":
		p.sendQueued()
	case p.idle():
		p.start(prompt) // past a queue that is held
	default:
		p.setQueue(append(p.queue, prompt))
	}
}

// idle reports whether a turn can start.
func (p *Pane) idle() bool { return p.turn == nil && !p.loading() && !p.closed }

// sendQueued starts a turn with the next message of the queue, if one can start
// and there is one.
func (p *Pane) sendQueued() {
	p.held = false
	if !p.idle() || len(p.queue) == 0 {
		return
	}
	prompt := p.queue[0]
	p.setQueue(p.queue[1:])
	p.start(prompt)
}

// Unqueue takes the newest message of the queue back (SES 5).
func (p *Pane) Unqueue() (string, bool) {
	var last string
	var ok bool
	p.change(func() {
		if n := len(p.queue); n > 0 {
			last, ok = p.queue[n-1], true
			p.setQueue(p.queue[:n-1])
		}
	})
	return last, ok
}

// Dequeue takes the i-th message out of the queue, counted from 0, if it still
// is the one that was seen there, and reports whether it did.
func (p *Pane) Dequeue(i int, message string) bool {
	ok := false
	p.change(func() {
		if ok = i >= 0 && i < len(p.queue) && p.queue[i] == message; ok {
			p.setQueue(slices.Delete(slices.Clone(p.queue), i, i+1))
		}
	})
	return ok
}

// Cancel ends the running turn, or stops waiting for a stored session, and
// reports whether it did something. An agent that does not stop is killed by a
// call that comes core.KillAfter after the cancel or later (R5).
func (p *Pane) Cancel() bool {
	done := false
	p.change(func() {
		t := p.turn
		switch {
		case t == nil && p.loading():
			done = true
			p.giveUp()
			p.say("Cancelled.", false)
			p.goOn()
		case t == nil:
		case t.outcome == session.Complete:
			done = true
			p.stop(session.Cancelled)
		case !t.killed && p.desk.deps.Now().Sub(t.stopped) >= core.KillAfter:
			// A turn that was cancelled and does not end is no reason not to leave:
			// where nothing can be done any more, this says so.
			if _, done = t.seat.agent.(session.Killer); done {
				t.killed = true
				p.say(t.seat.name()+" does not stop, so it is ended.", false)
				p.desk.deps.Go(t.kill)
			}
		}
	})
	return done
}

// Note shows a sentence to the user as a [system] or, with failed set, an
// [error] line. It never tears a line that an agent is writing.
func (p *Pane) Note(said string, failed bool) { p.change(func() { p.say(said, failed) }) }

// say is Note with the lock held.
func (p *Pane) say(said string, failed bool) {
	p.keep(record.Note{Text: said, Failed: failed})
	p.remark(said, failed)
}

// remark shows a sentence that comes of what is kept already. The lock is held.
func (p *Pane) remark(said string, failed bool) {
	kind := panel.Note
	if failed {
		kind = panel.Error
	}
	p.panel.Remark(panel.Lines(panel.Line{Kind: kind}, text.Clean(said))...)
}

func (p *Pane) help() {
	p.change(func() {
		source := p.desk.commands.Markdown()
		p.keep(record.Painted{Source: source})
		p.panel.Remark(panel.Painted(source, p.desk.deps.Highlight)...)
	})
}

// Complete lists how the input up to the cursor can go on: commands first, then
// what the agent itself offers.
func (p *Pane) Complete(input string) []command.Completion {
	at := p.place()
	if out := append(p.desk.commands.Complete(input, at), p.completeOption(input)...); len(out) > 0 {
		return out
	}
	agent, ok := p.sitting().agent.(session.Completer)
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
