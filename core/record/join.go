package record

import (
	"strings"

	"copydesk/core/session"
)

// Join makes one entry of those in a row that say more of the same: pieces of
// text, of a thought, of a tool's output. None of them gets longer than most
// bytes by it. What comes out says the same as what went in.
func Join(entries []Entry, most int) []Entry {
	out := entries[:0:0]
	for i := 0; i < len(entries); {
		n, size := 1, len(delta(entries[i]))
		if size > 0 {
			for i+n < len(entries) && same(entries[i], entries[i+n]) && size+len(delta(entries[i+n])) <= most {
				size += len(delta(entries[i+n]))
				n++
			}
		}
		if n == 1 {
			out = append(out, entries[i])
		} else {
			out = append(out, joined(entries[i:i+n], size))
		}
		i += n
	}
	return out
}

// delta is the text that an entry adds, when that is all it does.
func delta(e Entry) string {
	said, _ := e.(Said)
	switch event := said.Event.(type) {
	case session.Text:
		return event.Chunk
	case session.Thought:
		return event.Chunk
	case session.ToolCall:
		if event.Title == "" && event.Kind == "" && event.Status == session.NoStatus && event.Parts == nil {
			return event.Chunk
		}
	}
	return ""
}

// same reports whether what b adds goes on where a ended.
func same(a, b Entry) bool {
	if delta(b) == "" || a.Kind() != b.Kind() || a.(Said).From != b.(Said).From {
		return false
	}
	x, tool := a.(Said).Event.(session.ToolCall)
	return !tool || x.ID == b.(Said).Event.(session.ToolCall).ID
}

func joined(entries []Entry, size int) Entry {
	var b strings.Builder
	b.Grow(size)
	for _, e := range entries {
		b.WriteString(delta(e))
	}
	said := entries[0].(Said)
	switch event := said.Event.(type) {
	case session.Text:
		said.Event = session.Text{Chunk: b.String()}
	case session.Thought:
		said.Event = session.Thought{Chunk: b.String()}
	case session.ToolCall:
		event.Chunk = b.String()
		said.Event = event
	}
	return said
}
