package acp

import (
	"strings"
	"time"

	"copydesk/core/session"
)

// A replay is what an agent tells again of a session that it goes on with, whose
// past is shown already (D9). Most agents have told all of it when they answer
// session/load; gemini begins before its answer and goes on behind it, and some
// replay on session/resume, where they must not.
//
// The invariant: no prompt goes out before the replay is over, so nothing that
// is dropped as a part of it can be an answer to the user. It is over when the
// answer is there and nothing of a conversation has come for as long as quiet.
// What comes later is compared, up to the first prompt: a message of the user's,
// who has sent none, and words that stand in the past take the replay up again,
// and any other words are new. After the first prompt nothing is dropped.
//
// The agent's lock guards it.
type replay struct {
	past  []session.Turn // what is shown; nil: not known
	muted bool           // what comes is a part of it
	count int            // what has been dropped, in updates
	over  chan struct{}  // closed when it is over for the first time
	ended bool           // over is closed
}

// quiet is how long an agent says nothing before its replay is taken to be over.
const quiet = 250 * time.Millisecond

// Words of the past that stand in it by chance are not taken for it: they are a
// whole turn, or as long as this, in bytes. Only so much of the past is looked
// at, the newest of it.
const (
	tellingBytes = 16
	pastBytes    = 16 << 20
)

// repeats reports whether an update is a part of the replay, and is to be
// dropped. The lock is held.
func (c *conversation) repeats(kind string, o object) bool {
	r := c.again
	if r == nil {
		return false
	}
	switch kind {
	case "user_message_chunk", "agent_message_chunk", "agent_thought_chunk", "tool_call", "tool_call_update",
		"plan", "notice", "compaction_update", "compaction_summary_chunk":
	default:
		return false // it is of the session as it is now
	}
	if !r.muted {
		s, _ := inline(o.get("content"))
		switch {
		case kind == "user_message_chunk", kind == "agent_message_chunk" && r.holds(s):
			r.muted = true
			c.listen(r)
		case kind == "agent_message_chunk":
			c.again = nil
			return false
		default:
			return false
		}
	}
	r.count++
	return true
}

// holds reports whether words stand in the past.
func (r *replay) holds(s string) bool {
	s = strings.TrimSpace(s)
	if s == "" {
		return false
	}
	size := 0
	for i := len(r.past) - 1; i >= 0 && size < pastBytes; i-- {
		t := r.past[i]
		size += len(t.Content)
		if t.Role != session.Assistant {
			continue
		}
		if len(s) >= tellingBytes && strings.Contains(t.Content, s) || strings.TrimSpace(t.Content) == s {
			return true
		}
	}
	return false
}

// answered notes that the session is open. The lock is held.
func (c *conversation) answered(loaded bool) {
	r := c.again
	switch {
	case r == nil:
	case loaded || r.count > 0:
		c.listen(r)
	default:
		r.end()
	}
}

// listen ends the replay when nothing more of it comes. The lock is held.
func (c *conversation) listen(r *replay) {
	a, before := c.link.agent, r.count
	a.o.After(quiet, func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		switch {
		case c.again != r:
		case r.count != before:
			c.listen(r)
		default:
			r.end()
		}
	})
}

func (r *replay) end() {
	r.muted = false
	if !r.ended {
		r.ended = true
		close(r.over)
	}
}
