package journal

import (
	"time"

	"copydesk/core"
	"copydesk/core/record"
	"copydesk/core/session"
)

const (
	overhead = 256 // what an entry costs in memory besides its text, in bytes

	// mostPending is what may wait for a disk that takes it: a turn that comes
	// faster than the disk writes must not lose anything.
	mostPending = core.JournalPending + core.JournalTurnBytes

	// syncBytes is how much may be written and not on the disk yet: it stays in
	// memory until then.
	syncBytes = core.JournalPending / 4
)

// turn is what was said since a prompt.
type turn struct {
	open    bool
	bytes   int64
	dropped int64 // beyond core.JournalTurnBytes
}

// add puts an entry into the queue, or as much of it as there is room for. The
// lock is held.
func (j *Journal) add(e record.Entry, now time.Time) {
	size := textBytes(e)
	if said, ok := e.(record.Said); ok {
		short := false
		if j.turn.open {
			j.turn.bytes += int64(size)
			if short = j.turn.bytes > core.JournalTurnBytes; short {
				j.turn.dropped += int64(size)
			}
		}
		most := mostPending
		if j.failure.err != nil || j.failure.stalled || !j.begun {
			most = core.JournalPending
		}
		if !short && j.pending+size > most {
			short = true
			j.drop(size, now)
		}
		if short {
			bare, ok := bareOf(said)
			if !ok || j.pending > 2*most {
				return
			}
			e, size = bare, textBytes(bare)
		}
	}
	switch e.(type) {
	case record.Prompt:
		j.endTurn(now)
		j.turn = turn{open: true}
	case record.Ended:
		j.endTurn(now)
	}
	j.push(e, now, size)
	j.queued += size
}

// push puts an entry into the queue. The lock is held.
func (j *Journal) push(e record.Entry, now time.Time, size int) {
	cost := overhead + size
	j.queue = append(j.queue, entry{entry: e, at: now, cost: cost})
	j.pending += cost
	j.tail++
	j.lack = nil
}

// drop counts text that there is no room for. The record of it stands where the
// text would. The lock is held.
func (j *Journal) drop(size int, now time.Time) {
	if size == 0 {
		return
	}
	if j.lack == nil {
		lack := &record.Dropped{}
		j.push(dropping{lack}, now, 0)
		j.lack = lack
	}
	j.lack.Bytes += int64(size)
}

// dropping is a Dropped in the queue, whose count still grows.
type dropping struct{ *record.Dropped }

// endTurn says how much of a turn's text was too much (R8). The lock is held.
func (j *Journal) endTurn(now time.Time) {
	if j.turn.dropped > 0 {
		j.push(record.Dropped{Bytes: j.turn.dropped}, now, 0)
	}
	j.turn = turn{}
}

// enumerate gives all that is in the queue its numbers, and joins what belongs
// together: from here on it is a record. The lock is held.
func (j *Journal) enumerate() {
	j.flush = false
	j.timers.flush.end()
	if len(j.queue) == 0 && (j.opened || !j.begun) {
		return
	}
	if !j.opened {
		j.opened = true
		j.prelude()
	}
	entries := make([]record.Entry, len(j.queue))
	for i, e := range j.queue {
		if d, ok := e.entry.(dropping); ok {
			e.entry = *d.Dropped
		}
		entries[i] = e.entry
	}
	from := 0
	for _, e := range record.Join(entries, core.JournalJoinBytes) {
		first := j.queue[from]
		made := &item{Record: record.Record{Time: first.at, Entry: e}}
		for left := textBytes(e); ; { // the pieces that became this one
			left -= textBytes(entries[from])
			made.cost += j.queue[from].cost
			from++
			if left <= 0 {
				break
			}
		}
		j.seq++
		made.Seq = j.seq
		made.upto = j.safe
		if n := len(j.items); n > 0 {
			made.upto = j.items[n-1].upto
		}
		j.items = append(j.items, made)
	}
	j.items[len(j.items)-1].upto = j.tail
	j.queue, j.queued, j.lack = nil, 0, nil
}

// prelude puts what begins a new session before everything else. The lock is
// held.
func (j *Journal) prelude() {
	at, rest := j.store.o.Now(), j.queue
	header := record.Header{Program: j.store.o.Program, Seat: j.seat}
	if len(rest) > 0 {
		at = rest[0].at
		if h, ok := rest[0].entry.(record.Header); ok {
			header, rest = h, rest[1:]
			j.pending -= overhead
		}
	}
	header.ID = j.id
	j.queue = append([]entry{{header, at, overhead}, {j.store.opened(), at, overhead}}, rest...)
	j.pending += 2 * overhead
}

func (s *Store) opened() record.Opened {
	return record.Opened{PID: s.pid, Host: s.host, Program: s.o.Program}
}

// textBytes is how much text an entry has.
func textBytes(e record.Entry) int {
	switch e := e.(type) {
	case record.Prompt:
		return len(e.Text)
	case record.Note:
		return len(e.Text)
	case record.Painted:
		return len(e.Source)
	case record.Asked:
		return requestBytes(e.Request)
	case record.Reopened:
		return requestBytes(e.Request)
	case record.Decided:
		return len(e.Answer.Value) + len(e.Answer.Reason) + len(e.Said)
	case record.Said:
		return eventBytes(e.Event)
	}
	return 0
}

func requestBytes(r *session.Request) int {
	if r == nil {
		return 0
	}
	n := len(r.Prompt) + len(r.Claim)
	for _, f := range r.Fields {
		n += len(f.Value)
	}
	return n
}

func eventBytes(event session.Event) int {
	n := 0
	switch e := event.(type) {
	case session.Text:
		n = len(e.Chunk)
	case session.Thought:
		n = len(e.Chunk)
	case session.Prompt:
		n = len(e.Chunk)
	case session.ToolCall:
		n = len(e.Chunk)
		for _, p := range e.Parts {
			n += len(p.Text)
		}
	case session.Block:
		n = len(e.Source)
		for _, l := range e.Lines {
			n += len(l.Text)
		}
	case session.Plan:
		for _, s := range e.Steps {
			n += len(s.Text)
		}
	case session.Notice:
		n = len(e.Text)
	}
	return n
}

// bareOf is an event without its text; false when nothing is left of it then. A
// tool call that ended is not shown as one that runs because its output was too
// long.
func bareOf(said record.Said) (record.Said, bool) {
	switch e := said.Event.(type) {
	case session.ToolCall:
		if e.Chunk, e.Parts = "", nil; e.Title == "" && e.Kind == "" && e.Status == session.NoStatus {
			return said, false
		}
		said.Event = e
	case session.Text, session.Thought, session.Prompt, session.Block:
		return said, false
	}
	return said, true
}
