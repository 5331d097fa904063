package session

import (
	"strconv"
	"strings"

	"copydesk/core"
)

// Role is who a turn is of.
type Role string

// The roles.
const (
	User      Role = "user"
	Assistant Role = "assistant"
)

// Outcome is how a turn ended.
type Outcome uint8

// The outcomes. A user's turn is always Complete.
const (
	Complete Outcome = iota
	Rejected
	Cancelled
	Broken      // the agent failed
	Interrupted // the program ended before the turn did
)

// A Turn is one message of a conversation. Content is its raw Markdown, byte
// for byte as it came; of one longer than core.TurnBytes the head and the tail,
// and a line between them that says how much is missing (R8).
type Turn struct {
	Role    Role
	Agent   string // who answered; empty in a user's turn
	Content string
	Outcome Outcome
}

// A Session is an ordered list of turns, the last of which may still be open.
// It is not safe for concurrent use: the pane that owns it locks.
type Session struct {
	turns  []Turn
	answer *Bounded // of the open turn; nil: none is open
	agent  string   // who gives it
	joined bool     // the next text starts a new paragraph of the open turn
}

// Begin adds the user's turn and opens the assistant's, which the agent of that
// name answers.
func (s *Session) Begin(prompt, agent string) {
	s.turns = append(s.turns, Turn{Role: User, Content: prompt})
	s.Reply(agent)
}

// Reply opens a turn of the assistant's that nobody asked for.
func (s *Session) Reply(agent string) {
	s.answer, s.agent, s.joined = NewBounded(core.TurnBytes), agent, false
}

// Open reports whether a turn is open.
func (s *Session) Open() bool { return s.answer != nil }

// Write adds raw text to the open turn. Without one it does nothing.
func (s *Session) Write(chunk string) {
	if s.answer == nil || chunk == "" {
		return
	}
	if s.joined {
		s.joined = false
		s.separate()
	}
	s.answer.Write(chunk)
}

// Break ends a passage of the open turn: what is written next is another
// passage, set apart by an empty line.
func (s *Session) Break() { s.joined = s.answer != nil && s.answer.Len() > 0 }

func (s *Session) separate() {
	switch {
	case s.answer.EndsWith("\n\n"):
	case s.answer.EndsWith("\n"):
		s.answer.Write("\n")
	default:
		s.answer.Write("\n\n")
	}
}

// End closes the open turn and keeps what it holds, which may be nothing
// (SES 2, R4 §6).
func (s *Session) End(o Outcome) {
	if s.answer == nil {
		return
	}
	s.turns = append(s.turns, Turn{Role: Assistant, Agent: s.agent, Content: s.answer.String(), Outcome: o})
	s.answer, s.joined = nil, false
}

// Turns returns the finished turns. The slice must not be changed.
func (s *Session) Turns() []Turn { return s.turns }

// LastAnswer returns the content of the finished assistant turn with the
// highest index, and whether there is one (SES 1, R2 property 2).
func (s *Session) LastAnswer() (string, bool) {
	for i := len(s.turns) - 1; i >= 0; i-- {
		if s.turns[i].Role == Assistant {
			return s.turns[i].Content, true
		}
	}
	return "", false
}

// Markdown returns the finished turns as one document.
func (s *Session) Markdown() string { return s.Part(0, len(s.turns)) }

// Part returns the finished turns from one index up to another as they stand in
// the document that Markdown makes.
func (s *Session) Part(from, end int) string {
	var b strings.Builder
	for i, t := range s.turns {
		if i < from || i >= end {
			continue
		}
		if i > from {
			b.WriteString("\n")
		}
		who := "You"
		if t.Role == Assistant {
			who = t.Agent
		}
		b.WriteString("## " + strconv.Itoa(i+1) + ". " + who + "\n\n" + t.Content)
		if !strings.HasSuffix(t.Content, "\n") {
			b.WriteString("\n")
		}
	}
	return b.String()
}
