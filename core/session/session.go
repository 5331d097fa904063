package session

import (
	"strconv"
	"strings"
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
	Broken // the agent failed
)

// A Turn is one message of a conversation. Content is its raw Markdown, byte
// for byte as it came.
type Turn struct {
	Role    Role
	Content string
	Outcome Outcome
}

// A Session is an ordered list of turns, the last of which may still be open.
// It is not safe for concurrent use: the pane that owns it locks.
type Session struct {
	turns  []Turn
	answer strings.Builder // of the open turn
	open   bool
	joined bool // the next text starts a new paragraph of the open turn
}

// Begin adds the user's turn and opens the assistant's.
func (s *Session) Begin(prompt string) {
	s.turns = append(s.turns, Turn{Role: User, Content: prompt})
	s.answer.Reset()
	s.open, s.joined = true, false
}

// Write adds raw text to the open turn. Without one it does nothing.
func (s *Session) Write(chunk string) {
	if !s.open || chunk == "" {
		return
	}
	if s.joined {
		s.joined = false
		s.separate()
	}
	s.answer.WriteString(chunk)
}

// Break ends a passage of the open turn: what is written next is another
// passage, set apart by an empty line.
func (s *Session) Break() { s.joined = s.open && s.answer.Len() > 0 }

func (s *Session) separate() {
	switch text := s.answer.String(); {
	case strings.HasSuffix(text, "\n\n"):
	case strings.HasSuffix(text, "\n"):
		s.answer.WriteString("\n")
	default:
		s.answer.WriteString("\n\n")
	}
}

// End closes the open turn and keeps what it holds, which may be nothing
// (SES 2, R4 §6).
func (s *Session) End(o Outcome) {
	if !s.open {
		return
	}
	s.turns = append(s.turns, Turn{Role: Assistant, Content: s.answer.String(), Outcome: o})
	s.answer = strings.Builder{}
	s.open, s.joined = false, false
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

// Markdown returns the finished turns as one document. agent names the
// assistant in its headings.
func (s *Session) Markdown(agent string) string { return s.Part(agent, 0, len(s.turns)) }

// Part returns the finished turns from one index up to another as they stand in
// the document that Markdown makes.
func (s *Session) Part(agent string, from, end int) string {
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
			who = agent
		}
		b.WriteString("## " + strconv.Itoa(i+1) + ". " + who + "\n\n" + t.Content)
		if !strings.HasSuffix(t.Content, "\n") {
			b.WriteString("\n")
		}
	}
	return b.String()
}
