package acp

import (
	"strings"
	"testing"

	"copydesk/core/session"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func drain(m *mailbox, q *queue) []session.Event {
	var out []session.Event
	for e, ok := m.next(q); ok; e, ok = m.next(q) {
		out = append(out, e)
	}
	return out
}

func wantEvents(t *testing.T, got []session.Event, want ...session.Event) {
	t.Helper()
	if d := cmp.Diff(want, got, cmpopts.EquateEmpty()); d != "" {
		t.Errorf("events (-want +got):\n%s", d)
	}
}

func TestPiecesOfATextAreJoinedInOrder(t *testing.T) {
	m := newMailbox()
	m.listen(true)
	for _, e := range []session.Event{
		session.Text{Chunk: "a"}, session.Text{Chunk: "b"}, session.Thought{Chunk: "c"}, session.Thought{Chunk: "d"},
		session.Text{Chunk: "e"}, session.Break{}, session.Text{Chunk: "f"},
		session.ToolCall{ID: "1", Title: "t"}, session.ToolCall{ID: "1", Status: session.Running, Chunk: "x"}, session.ToolCall{ID: "1", Chunk: "y"},
		session.ToolCall{ID: "2", Chunk: "old"}, session.ToolCall{ID: "2", Parts: []session.Part{{Text: "new"}}},
	} {
		m.push(e)
	}
	wantEvents(t, drain(m, &m.aside),
		session.Text{Chunk: "ab"}, session.Thought{Chunk: "cd"}, session.Text{Chunk: "e"}, session.Break{}, session.Text{Chunk: "f"},
		session.ToolCall{ID: "1", Title: "t", Status: session.Running, Chunk: "xy"},
		session.ToolCall{ID: "2", Parts: []session.Part{{Text: "new"}}})
	if m.aside.size != 0 {
		t.Errorf("an empty queue weighs %d", m.aside.size)
	}
}

// TestR8_TheReaderWaitsForThePane: what is not taken does not grow.
func TestR8_TheReaderWaitsForThePane(t *testing.T) {
	m := newMailbox()
	q := newQueue()
	m.begin(&q)
	const pieces, piece = 200, 64 << 10
	done := make(chan struct{})
	go func() {
		defer close(done)
		for range pieces {
			m.push(session.Text{Chunk: strings.Repeat("x", piece)})
		}
	}()
	got, most := 0, 0
	for got < pieces*piece {
		<-q.bell
		for {
			m.mu.Lock()
			most = max(most, q.size)
			m.mu.Unlock()
			e, ok := m.next(&q)
			if !ok {
				break
			}
			got += len(e.(session.Text).Chunk)
		}
	}
	<-done
	if most > mailBytes+2*piece {
		t.Errorf("%d bytes waited", most)
	}
}

func TestWithoutAListenerTheOldestIsLost(t *testing.T) {
	m := newMailbox()
	for range 5000 {
		m.push(session.Break{})
	}
	if n := len(drain(m, &m.aside)); n > mailEvents || m.lost != 5000-n {
		t.Errorf("%d events are kept and %d lost", n, m.lost)
	}
}

func TestR6_WhatATurnLeavesGoesAsideButForItsRequests(t *testing.T) {
	m := newMailbox()
	m.listen(true)
	q := newQueue()
	m.begin(&q)
	m.put(session.Text{Chunk: "late"})
	m.put(&session.Request{})
	m.put(session.Withdrawn{})
	m.leave(&q)
	m.put(session.Text{Chunk: "r"})
	m.beside(session.Notice{Text: "n"})
	wantEvents(t, drain(m, &m.aside), session.Text{Chunk: "later"}, session.Notice{Text: "n"})
	wantEvents(t, drain(m, &q))
}

func TestWhatIsBesideATurnDoesNotJoinIt(t *testing.T) {
	m := newMailbox()
	q := newQueue()
	m.begin(&q)
	m.beside(session.Notice{Text: "alone"})
	m.listen(true)
	m.beside(session.Notice{Text: "heard"})
	m.end(&q)
	wantEvents(t, drain(m, &q), session.Notice{Text: "alone"})
	wantEvents(t, drain(m, &m.aside), session.Notice{Text: "heard"})
}
