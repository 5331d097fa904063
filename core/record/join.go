package record

import (
	"strings"

	"copydesk/core/session"
)

// Join makes one entry of those in a row that say more of the same: pieces of
// text or of a thought. None of them gets longer than most bytes by it. What
// comes out shows the same as what went in. That is not so of a tool's output,
// of which each piece may be shown where it came.
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
	}
	return ""
}

// same reports whether what b adds goes on where a ended.
func same(a, b Entry) bool {
	return delta(b) != "" && a.Kind() == b.Kind() && a.(Said).From == b.(Said).From
}

func joined(entries []Entry, size int) Entry {
	var b strings.Builder
	b.Grow(size)
	for _, e := range entries {
		b.WriteString(delta(e))
	}
	said := entries[0].(Said)
	if said.Kind() == KindText {
		said.Event = session.Text{Chunk: b.String()}
	} else {
		said.Event = session.Thought{Chunk: b.String()}
	}
	return said
}
