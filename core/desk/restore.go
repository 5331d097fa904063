package desk

import (
	"context"
	"fmt"
	"iter"

	"copydesk/core/panel"
	"copydesk/core/record"
	"copydesk/core/session"
	"copydesk/core/text"
)

// A ghost stands for an agent that a session had. It answers nothing.
type ghost string

func (g ghost) Name() string               { return string(g) }
func (g ghost) Echo(string) (string, bool) { return string(g), true }
func (ghost) Run(context.Context, string) iter.Seq2[session.Event, error] {
	return func(func(session.Event, error) bool) {}
}

// A past is a session on its way back from its journal: everything that went
// into the pane goes into it once more, through the same code, so that the same
// comes out. No agent hears of it and nothing is sent (T50).
type past struct {
	pane  *Pane
	seats []*seat
	asked map[string]*session.Request
}

func newPast(p *Pane) *past { return &past{pane: p, asked: map[string]*session.Request{}} }

// sit seats an agent of the session.
func (b *past) sit(seated record.Seat) {
	s := newSeat(ghost(seated.Agent), options(seated))
	b.seats = append(b.seats, s)
	b.pane.seats++
	s.number = b.pane.seats
	b.pane.seat = s
}

func options(s record.Seat) PaneOptions {
	return PaneOptions{Loose: s.Loose, Title: s.Title, Hint: s.Hint, Dir: s.Dir}
}

// of is the agent that an entry is from.
func (b *past) of(from record.From) *seat {
	if i := len(b.seats) - 1 - from.Left; i >= 0 && i < len(b.seats) {
		return b.seats[i]
	}
	return b.pane.seat
}

// add takes an entry. The pane's lock is held, or nobody else has the pane.
func (b *past) add(e record.Entry) {
	p := b.pane
	if p.seat == nil {
		seated, ok := e.(record.Header)
		if !ok {
			seated.Agent = "agent" // its header is damaged
		}
		if b.sit(seated.Seat); ok {
			return
		}
	}
	switch e := e.(type) {
	case record.Prompt:
		b.prompt(e)
	case record.Said:
		b.said(e)
	case record.Asked, record.Reopened, record.Withdrawn:
		b.request(e)
	case record.Decided:
		if r := b.asked[e.ID]; r != nil {
			p.inbox.Remove(r)
		}
		if e.Answer.Verdict != session.Unanswered || e.Said != "" {
			delete(b.asked, e.ID)
		}
		if e.Said != "" {
			p.remark(e.Said, false)
		}
	case record.Note:
		p.remark(e.Text, e.Failed)
	case record.Painted:
		p.panel.Remark(panel.Painted(e.Source, p.desk.deps.Highlight)...)
	case record.Loading:
		p.endReplay()
		if p.endText(); !e.Over {
			p.replay = &replay{seat: p.seat}
		}
	case record.Ended:
		if p.turn != nil {
			p.over(p.turn, e)
		}
	case record.Switched:
		p.endReplay()
		b.sit(e.Seat)
		p.usage, p.ref = session.Usage{}, ""
		p.remark(e.Said, false)
	case record.Ref:
		p.ref = e.Ref
	case record.Dropped:
		p.remark(fmt.Sprintf("%d bytes of what was said here were not stored.", e.Bytes), false)
	}
}

func (b *past) prompt(e record.Prompt) {
	p := b.pane
	if p.turn != nil { // its end is damaged, or was never written
		p.over(p.turn, record.Ended{Outcome: session.Interrupted})
	}
	p.open(p.seat, e)
}

func (b *past) said(e record.Said) {
	p := b.pane
	s := b.of(e.From)
	switch {
	case e.Aside:
		p.heed(s, e.Event)
	case p.turn != nil:
		p.apply(p.turn.seat, p.turn, e.Event)
	default: // the prompt is damaged
		p.apply(s, nil, e.Event)
	}
}

func (b *past) request(e record.Entry) {
	p := b.pane
	show := func(from record.From, event session.Event) {
		if from.Aside || p.turn == nil {
			p.hear(b.of(from), event)
			return
		}
		p.apply(p.turn.seat, p.turn, event)
	}
	var old *session.Request
	take := func(a record.Asked) *session.Request {
		r := *a.Request
		if a.ID != "" || r.Validate() != nil {
			r.Reply = make(chan session.Answer, 1) // nobody listens
		}
		if before := b.asked[a.ID]; before != nil && before != old {
			p.inbox.Remove(before) // of an earlier run; that it was closed is damaged
		}
		b.asked[a.ID] = &r
		return &r
	}
	switch e := e.(type) {
	case record.Asked:
		show(e.From, take(e))
	case record.Reopened:
		old = b.asked[e.Old]
		show(e.From, session.Reopened{Old: old, New: take(e.Asked)})
	case record.Withdrawn:
		if r := b.asked[e.ID]; r != nil {
			p.takeBack(r)
		}
	}
}

// restore brings the pane's session back from its journal: the panel as it was,
// the turns, the draft and the queue. What was open when the program ended is
// closed and said so, and that is kept: the next time it is part of the past.
func (p *Pane) restore() error {
	journal := p.journal
	p.journal = nil // what comes back is there already
	back := newPast(p)
	var failed error
	for r, err := range journal.Records(context.Background()) {
		if err != nil {
			failed = err
			break
		}
		back.add(r.Entry)
	}
	p.journal = journal
	p.draft = journal.Draft()
	unsent := p.draft.Answers
	p.draft.Answers = nil
	back.conclude(unsent)
	p.queue = p.draft.Queue // only now: nothing of it is sent
	p.held = len(p.queue) > 0
	if len(unsent) > 0 {
		p.keepDraft() // what was written is in the panel now
	}
	return failed
}

// conclude closes what the end of the program left open. What the user had
// written for a request is shown, also when its turn was ended with the program.
func (b *past) conclude(unsent []record.Unsent) {
	p := b.pane
	wrote := map[string]string{}
	for _, u := range unsent {
		if u.Text != "" && b.asked[u.ID] != nil {
			wrote[u.ID] = u.Text
		}
	}
	for _, asked := range p.inbox.Open() {
		b.expire(b.id(asked.Request), wrote)
	}
	for _, u := range unsent {
		if wrote[u.ID] != "" {
			b.expire(u.ID, wrote)
		}
	}
	if p.turn != nil {
		p.keep(record.Ended{Outcome: session.Interrupted})
		p.over(p.turn, record.Ended{Outcome: session.Interrupted})
	}
	if p.replay != nil || p.panel.Open() {
		p.keep(record.Loading{Over: true})
		p.endReplay()
		p.endText()
	}
}

// id is how the records name a request.
func (b *past) id(r *session.Request) string {
	for id, asked := range b.asked {
		if asked == r {
			return id
		}
	}
	return ""
}

// expire closes a request that was not answered, and keeps that.
func (b *past) expire(id string, wrote map[string]string) {
	p, r := b.pane, b.asked[id]
	e := record.Decided{ID: id, Digest: r.Digest(), Said: "Expired, it was not answered: " + text.CleanLine(r.Prompt)}
	if wrote[id] != "" {
		e.Said += "\nWhat was written for it: " + wrote[id]
		delete(wrote, id)
	}
	p.keep(e)
	b.add(e)
}
