package session

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
)

// RequestKind is what a request asks for (REQ 1).
type RequestKind string

// The kinds of request.
const (
	Approval  RequestKind = "approval"
	Choice    RequestKind = "choice"
	TextInput RequestKind = "text"
)

// A Request is an agent's question in mid-stream. The agent yields it and then
// waits for one answer on the channel it gave as Reply, or for the end of its
// context. The request must not be changed after it was yielded.
type Request struct {
	Kind    RequestKind
	Prompt  string   // the question, one sentence
	Choices []string // approval: the two labels, approve first; choice: what can be chosen; text: none

	// Fields are the real facts of what is asked (statement, rows, path …),
	// shown before anything the agent says of itself (REQ 6).
	Fields []Field

	// Claim is the agent's own title, shown marked as what "agent says".
	Claim string

	// TakesReason is true when a rejection with a reason lets the turn go on.
	TakesReason bool

	// Reply takes the answer; it must have room for one. A request without it
	// can be answered by nobody and is skipped.
	Reply chan<- Answer
}

// A Field is one real fact of a request.
type Field struct {
	Name  string
	Value string
	Lang  string // a chroma lexer's name, or empty
}

// Verdict is what an answer says.
type Verdict uint8

// The verdicts. Unanswered is sent for a request that could not be shown: it is
// never an approval.
const (
	Unanswered Verdict = iota
	Approve
	Reject
	Chosen
	Entered
)

// An Answer is what the user decided.
type Answer struct {
	Verdict Verdict
	Index   int    // Chosen: 0-based
	Value   string // Chosen: the choice; Entered: the text
	Reason  string // Reject: why; only where the request takes a reason
}

// Response is the answer as the requirements name it (R4): "approve",
// "reject", the chosen value or the text.
func (a Answer) Response() string {
	switch a.Verdict {
	case Approve:
		return "approve"
	case Reject:
		return "reject"
	case Chosen, Entered:
		return a.Value
	default:
		return ""
	}
}

// Validate says what makes a request impossible to show (REQ 1). A choice with
// a single entry is allowed.
func (r *Request) Validate() error {
	switch r.Kind {
	case Approval:
		if len(r.Choices) != 2 {
			return fmt.Errorf("an approval request needs two labels, it has %d", len(r.Choices))
		}
	case Choice:
		if len(r.Choices) == 0 {
			return errors.New("a choice request needs something to choose from, it has nothing")
		}
	case TextInput:
		if len(r.Choices) != 0 {
			return fmt.Errorf("a text request takes no choices, it has %d", len(r.Choices))
		}
	default:
		return fmt.Errorf("a request of kind %q is unknown; it can be approval, choice or text", r.Kind)
	}
	return nil
}

// Accepts says why an answer does not fit the request; nil means it fits.
func (r *Request) Accepts(a Answer) error {
	switch a.Verdict {
	case Reject:
		if a.Reason != "" && !r.TakesReason {
			return errors.New("this request takes no reason")
		}
		return nil
	case Approve:
		if r.Kind == Approval {
			return nil
		}
	case Chosen:
		if r.Kind == Choice && a.Index >= 0 && a.Index < len(r.Choices) && r.Choices[a.Index] == a.Value {
			return nil
		}
	case Entered:
		if r.Kind == TextInput && a.Value != "" {
			return nil
		}
	}
	return fmt.Errorf("that answer does not fit a request of kind %s", r.Kind)
}

// Digest identifies all that a request shows. An answer names the digest it was
// given for, so that a request that changed after it was shown cannot be
// answered by it (REQ 4, T47).
func (r *Request) Digest() string {
	h := sha256.New()
	put := func(parts ...string) {
		for _, p := range parts {
			var n [8]byte
			binary.BigEndian.PutUint64(n[:], uint64(len(p)))
			h.Write(n[:])
			h.Write([]byte(p))
		}
	}
	put(string(r.Kind), r.Prompt, r.Claim, fmt.Sprint(r.TakesReason), fmt.Sprint(len(r.Choices)))
	put(r.Choices...)
	for _, f := range r.Fields {
		put(f.Name, f.Value, f.Lang)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Pending is a request that waits for its answer, as front ends see it.
type Pending struct {
	ID      string // names the request in an answer; never used again
	Digest  string // of all that the request shows
	Request *Request
}
