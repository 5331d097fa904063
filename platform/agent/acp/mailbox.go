package acp

import (
	"sync"

	"copydesk/core/session"
)

// What may wait for the pane. More than that makes the reader wait, and with it
// the agent, so that memory stays flat however much it says (R8).
const (
	mailBytes  = 1 << 20
	mailEvents = 1024

	// mergeBytes is up to which size pieces of a text that nobody has taken yet
	// are joined to one.
	mergeBytes = 32 << 10
)

// A mailbox holds events until they are iterated: those of a turn for Run, all
// others for Aside. It is safe from any goroutine.
type mailbox struct {
	mu     sync.Mutex
	room   *sync.Cond // something was taken, or goes elsewhere
	turn   *queue     // where events go; nil: to aside
	aside  queue
	heard  bool // somebody iterates aside
	closed bool
	lost   int // events that nobody was there for
}

// A queue is what waits for one iterator. The mailbox's lock guards it.
type queue struct {
	items []item
	size  int
	bell  chan struct{} // holds one: something has come
}

// An item is an event, or a text that may still grow.
type item struct {
	event session.Event
	text  []byte
	size  int
}

func newQueue() queue { return queue{bell: make(chan struct{}, 1)} }

func newMailbox() *mailbox {
	m := &mailbox{aside: newQueue()}
	m.room = sync.NewCond(&m.mu)
	return m
}

// push adds an event and waits for room first. Only the goroutine that reads
// from the agent may call it: whoever iterates would wait for itself.
func (m *mailbox) push(e session.Event) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for !m.closed && m.goesTo().full() && (m.turn != nil || m.heard) {
		m.room.Wait()
	}
	m.add(e)
}

// put adds an event at once. It is for what comes seldom.
func (m *mailbox) put(e session.Event) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.add(e)
}

func (m *mailbox) goesTo() *queue {
	if m.turn != nil {
		return m.turn
	}
	return &m.aside
}

func (m *mailbox) add(e session.Event) { m.addTo(m.goesTo(), e) }

func (m *mailbox) addTo(q *queue, e session.Event) {
	if m.closed {
		return
	}
	q.add(e)
	for q == &m.aside && !m.heard && q.full() && len(q.items) > 1 {
		q.take()
		m.lost++
	}
	q.ring()
}

// begin sends what comes from now on to a turn's queue.
func (m *mailbox) begin(q *queue) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.turn = q
}

// beginAlone begins if nobody iterates aside, and reports whether it did.
func (m *mailbox) beginAlone(q *queue) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.heard {
		m.turn = q
	}
	return !m.heard
}

// beside adds an event that is no part of a turn: to the turn's queue only when
// nobody iterates aside.
func (m *mailbox) beside(e session.Event) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.heard {
		m.addTo(&m.aside, e)
		return
	}
	m.add(e)
}

// end sends what comes from now on aside. What the turn's queue holds stays
// there for its iterator.
func (m *mailbox) end(q *queue) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.turn == q {
		m.turn = nil
		m.room.Broadcast()
	}
}

// leave ends a turn whose iterator has gone: what waits for it goes aside,
// but for its requests, which nobody can answer any more.
func (m *mailbox) leave(q *queue) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.turn == q {
		m.turn = nil
	}
	for len(q.items) > 0 {
		e := q.take()
		switch e.(type) {
		case *session.Request, session.Reopened, session.Withdrawn:
		default:
			m.add(e)
		}
	}
	m.room.Broadcast()
}

// next takes the oldest event of a queue.
func (m *mailbox) next(q *queue) (session.Event, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(q.items) == 0 {
		return nil, false
	}
	e := q.take()
	m.room.Broadcast()
	return e, true
}

// listen says whether somebody iterates aside.
func (m *mailbox) listen(on bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.heard = on
	m.room.Broadcast()
}

// close drops what waits, and all that still comes.
func (m *mailbox) close() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.closed = true
	m.aside.items, m.aside.size = nil, 0
	m.room.Broadcast()
}

func (q *queue) full() bool { return q.size >= mailBytes || len(q.items) >= mailEvents }

func (q *queue) ring() {
	select {
	case q.bell <- struct{}{}:
	default:
	}
}

func (q *queue) take() session.Event {
	it := q.items[0]
	q.items[0] = item{}
	if q.items = q.items[1:]; len(q.items) == 0 {
		q.items = nil
	}
	q.size -= it.size
	switch it.event.(type) {
	case session.Text:
		return session.Text{Chunk: string(it.text)}
	case session.Thought:
		return session.Thought{Chunk: string(it.text)}
	}
	return it.event
}

func (q *queue) add(e session.Event) {
	var last *item
	if n := len(q.items); n > 0 {
		last = &q.items[n-1]
	}
	size := weight(e)
	switch e := e.(type) {
	case session.Text:
		if q.extend(last, e, e.Chunk) {
			return
		}
		q.items = append(q.items, item{event: session.Text{}, text: []byte(e.Chunk), size: size})
	case session.Thought:
		if q.extend(last, e, e.Chunk) {
			return
		}
		q.items = append(q.items, item{event: session.Thought{}, text: []byte(e.Chunk), size: size})
	case session.ToolCall:
		if last != nil && merge(last, e) {
			q.size += weight(last.event) - last.size
			last.size = weight(last.event)
			return
		}
		q.items = append(q.items, item{event: e, size: size})
	default:
		q.items = append(q.items, item{event: e, size: size})
	}
	q.size += size
}

// extend joins a text to the last item if that is a text of its kind.
func (q *queue) extend(last *item, e session.Event, chunk string) bool {
	if last == nil || len(last.text) >= mergeBytes {
		return false
	}
	switch e.(type) {
	case session.Text:
		if _, same := last.event.(session.Text); !same {
			return false
		}
	default:
		if _, same := last.event.(session.Thought); !same {
			return false
		}
	}
	last.text = append(last.text, chunk...)
	last.size += len(chunk)
	q.size += len(chunk)
	return true
}

// merge makes one of two changes of a tool call that nobody has taken yet.
func merge(last *item, e session.ToolCall) bool {
	before, ok := last.event.(session.ToolCall)
	if !ok || before.ID != e.ID || len(before.Chunk) >= mergeBytes {
		return false
	}
	if e.Title != "" {
		before.Title = e.Title
	}
	if e.Kind != "" {
		before.Kind = e.Kind
	}
	if e.Status != session.NoStatus {
		before.Status = e.Status
	}
	if e.Parts != nil {
		before.Parts, before.Chunk = e.Parts, ""
	}
	before.Chunk += e.Chunk
	last.event = before
	return true
}

// weight is about how much memory an event holds, in bytes.
func weight(e session.Event) int {
	const base = 64
	switch e := e.(type) {
	case session.Text:
		return base + len(e.Chunk)
	case session.Thought:
		return base + len(e.Chunk)
	case session.Prompt:
		return base + len(e.Chunk)
	case session.Notice:
		return base + len(e.Text)
	case session.Plan:
		n := base
		for _, s := range e.Steps {
			n += base + len(s.Text)
		}
		return n
	case session.ToolCall:
		n := base + len(e.Title) + len(e.Chunk)
		for _, p := range e.Parts {
			n += base + len(p.Name) + len(p.Text)
		}
		return n
	}
	return base
}
