package journal

import (
	"time"

	"copydesk/core"
	"copydesk/core/record"
	"copydesk/core/session"
)

// itemBytes is what an item costs beside its text.
const itemBytes = 64

// add puts an entry into the queue, unless it is text that there is no room for.
// j.mu is held.
func (j *Journal) add(e record.Entry, now time.Time) {
	said, isSaid := e.(record.Said)
	switch d := e.(type) {
	case record.Prompt:
		j.boundary(now)
		j.prompted = true
		j.begin()
	case record.Ended:
		j.boundary(now)
	case record.Decided:
		if d.Answer.Verdict != session.Unanswered { // the user's own word, before any prompt
			j.begin()
		}
	}
	text := 0
	if isSaid {
		text = bulk(said.Event)
		j.turn += int64(text)
		switch {
		case j.turn > core.JournalTurnBytes:
			j.over += int64(text)
			if e, isSaid = slim(said); !isSaid {
				return
			}
			text = 0
		case j.waiting+j.waits+j.unsafe+text+itemBytes > core.JournalPending:
			j.gap += int64(text)
			if e, isSaid = slim(said); !isSaid {
				return
			}
			text = 0
		case j.gap > 0:
			j.push(record.Dropped{Bytes: j.gap}, now, 0)
			j.gap = 0
		}
	}
	j.push(e, now, text)
	switch e.(type) {
	case record.Prompt, record.Decided, record.Asked, record.Reopened, record.Withdrawn:
		j.flush = true
	case record.Ended:
		j.flush, j.syncDue = true, true
	}
}

// boundary begins or ends a turn: it says what has been left out of the text
// before it (R8).
func (j *Journal) boundary(now time.Time) {
	if n := j.over + j.gap; n > 0 {
		j.push(record.Dropped{Bytes: n}, now, 0)
	}
	j.turn, j.over, j.gap = 0, 0, 0
}

func (j *Journal) push(e record.Entry, now time.Time, text int) {
	if len(j.queue) == 0 {
		j.flush = false
	}
	j.queue = append(j.queue, item{now, e, text})
	j.waiting += text + itemBytes
	j.appended++
	if j.waiting >= core.JournalJoinBytes {
		j.flush = true
	}
	if j.begun {
		j.watch()
	}
}

// begin says that the session is to be stored from now on.
func (j *Journal) begin() {
	if !j.begun {
		j.begun, j.flush = true, true
		j.watch()
	}
}

// watch sets the alarms of something that is not saved yet.
func (j *Journal) watch() {
	j.stall()
	if !j.flush {
		j.set(&j.joins, core.JournalJoin, func() { j.flush = true })
	}
}

// bulk is how many bytes of an agent's are in an event.
func bulk(e session.Event) int {
	n := 0
	switch e := e.(type) {
	case session.Text:
		n = len(e.Chunk)
	case session.Thought:
		n = len(e.Chunk)
	case session.Prompt:
		n = len(e.Chunk)
	case session.Notice:
		n = len(e.Text)
	case session.ToolCall:
		n = len(e.Title) + len(e.Chunk)
		for _, p := range e.Parts {
			n += len(p.Name) + len(p.Text)
		}
	case session.Plan:
		for _, s := range e.Steps {
			n += len(s.Text)
		}
	case session.Block:
		n = len(e.Source)
		for _, l := range e.Lines {
			n += len(l.Text)
		}
	}
	return n
}

// slim is what is kept of an event when there is no room: how a tool's call went.
func slim(s record.Said) (record.Entry, bool) {
	call, ok := s.Event.(session.ToolCall)
	if !ok || call.Status == session.NoStatus {
		return nil, false
	}
	s.Event = session.ToolCall{ID: call.ID, Status: call.Status}
	return s, true
}

// delta reports whether an entry is a piece of text that others can join.
func delta(e record.Entry) bool {
	said, _ := e.(record.Said)
	switch event := said.Event.(type) {
	case session.Text, session.Thought:
		return true
	case session.ToolCall:
		return event.Chunk != ""
	}
	return false
}

// encode makes lines of all that is queued.
func (j *Journal) encode() {
	j.encoding.Lock()
	defer j.encoding.Unlock()
	j.mu.Lock()
	items, seq, taken := j.queue, j.seq, j.taken
	j.queue, j.waiting, j.flush = nil, 0, false
	j.waits += len(items) * itemBytes // until their size is known
	j.joins.cancel()
	j.mu.Unlock()
	if len(items) == 0 {
		return
	}

	var lines []*line
	bytes := 0
	for i := 0; i < len(items); {
		n := row(items[i:])
		entries := joined(items[i : i+n])
		for k, e := range entries {
			l, err := j.store.newLine(place{seq + 1, items[i].at}, e)
			if err != nil {
				j.store.o.Log.Error("an entry cannot be stored", "session", j.ID(), "kind", string(e.Kind()), "reason", err)
				continue
			}
			seq++
			if l.upto = taken + uint64(i); k == len(entries)-1 {
				l.upto += uint64(n)
			}
			bytes += l.size()
			lines = append(lines, l)
		}
		i += n
	}

	j.mu.Lock()
	defer j.mu.Unlock()
	j.seq, j.taken = seq, taken+uint64(len(items))
	j.lines = append(j.lines, lines...)
	j.waits += bytes - len(items)*itemBytes
	if j.head == nil && len(lines) > 0 && lines[0].seq == 1 {
		j.head = lines[0]
	}
	j.settle()
}

// settle notes that nothing is left to be saved, when that is so.
func (j *Journal) settle() {
	if len(j.lines) == 0 && !j.dirty {
		j.written, j.synced = j.taken, j.taken
		j.answer(nil)
	}
}

// row is how many items from the first on are pieces of text of about the same
// time.
func row(items []item) int {
	n := 1
	for delta(items[0].entry) && n < len(items) && delta(items[n].entry) && items[n].at.Sub(items[0].at) <= core.JournalJoin {
		n++
	}
	return n
}

func joined(items []item) []record.Entry {
	entries := make([]record.Entry, len(items))
	for i, it := range items {
		entries[i] = it.entry
	}
	if len(entries) == 1 {
		return entries
	}
	return record.Join(entries, core.JournalJoinBytes)
}
