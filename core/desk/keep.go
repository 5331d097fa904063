package desk

import (
	"context"
	"iter"

	"copydesk/core/record"
	"copydesk/core/session"
)

// A Journal keeps what goes into a pane, in order. Its methods must be safe from
// any goroutine.
type Journal interface {
	// ID names the session.
	ID() string
	// Append takes an entry and never waits.
	Append(e record.Entry)
	// Sync waits until all that was appended is on the disk; not longer than
	// core.JournalWait, and not when the disk does not take it. The error says
	// so; Health does, too.
	Sync(ctx context.Context) error
	// Records are all there are, oldest first.
	Records(ctx context.Context) iter.Seq2[record.Record, error]
	// Keep replaces the draft and never waits; Draft is the one that was kept
	// when the journal was opened.
	Keep(d record.Draft)
	Draft() record.Draft
	Health() record.Health
	// Close saves what there is and lets go of the session.
	Close() error
}

// keep appends an entry to the pane's journal. The lock is held, which makes the
// order of the entries that of what happened.
func (p *Pane) keep(e record.Entry) {
	if p.journal != nil {
		p.journal.Append(e)
	}
}

// keepEvent keeps an agent's event, but for one about a request, which is kept
// with the request's name, and one that says nothing of the conversation.
func (p *Pane) keepEvent(s *seat, aside bool, event session.Event) {
	said := record.Said{Event: event, From: p.from(s, aside)}
	if said.Kind() != "" {
		p.keep(said)
	}
}

// from says whose an event is.
func (p *Pane) from(s *seat, aside bool) record.From {
	return record.From{Aside: aside, Left: p.seats - s.number}
}

// durable runs f once all that happened so far is on the disk, or cannot be
// brought there: what the user was not told to be lost is never lost, and a disk
// that fails does not end the work (T50, D5). f runs at once without a journal.
func (p *Pane) durable(f func()) {
	if p.journal == nil {
		f()
		return
	}
	p.desk.work.Add(1)
	p.desk.deps.Go(func() {
		defer p.desk.work.Done()
		p.sync(context.Background())
		f()
	})
}

// sync waits for the disk. That it fails is in the journal's health, which is
// shown.
func (p *Pane) sync(ctx context.Context) {
	if p.journal == nil {
		return
	}
	if err := p.journal.Sync(ctx); err != nil {
		p.desk.deps.Log.Warn("went on without saving", "session", p.journal.ID(), "error", err)
	}
}

// Keep remembers what is written in the pane and not sent: the draft of the
// input field, and what was begun in requests.
func (p *Pane) Keep(input string, answers []record.Unsent) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.draft.Input, p.draft.Answers = input, answers
	p.keepDraft()
}

// keepDraft keeps the draft and the queue. The lock is held.
func (p *Pane) keepDraft() {
	if p.journal != nil && !p.closed {
		d := p.draft
		d.Queue = append([]string(nil), p.queue...)
		p.journal.Keep(d)
	}
}

// Draft is what the input field held when the session was left.
func (p *Pane) Draft() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.draft.Input
}

// setQueue replaces the queue. The lock is held.
func (p *Pane) setQueue(queue []string) {
	p.queue = queue
	p.held = p.held && len(queue) > 0
	p.keepDraft()
}

// follow keeps the name of the agent's own session, when it has another one.
// The agent is asked without the lock.
func (p *Pane) follow(s *seat) {
	agent, ok := s.agent.(session.Resumer)
	if !ok || p.journal == nil {
		return
	}
	ref := agent.Ref()
	p.mu.Lock()
	defer p.mu.Unlock()
	if s == p.seat && ref != p.ref {
		p.ref = ref
		p.keep(record.Ref{Ref: ref})
	}
}
