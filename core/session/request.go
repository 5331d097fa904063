package session

import (
	"errors"
	"fmt"
	"slices"
)

// RequestKind is what a request asks for (REQ 1).
type RequestKind string

// The kinds of request. Form is beyond R4: several inputs on one page.
const (
	Approval  RequestKind = "approval"
	Choice    RequestKind = "choice"
	TextInput RequestKind = "text"
	Form      RequestKind = "form"
)

// A Request is an agent's question. The agent yields it and waits for one
// answer on the channel it gave as Reply, or for the end of its context. The
// request must not be changed after it was yielded.
type Request struct {
	Kind    RequestKind `json:"kind"`
	Prompt  string      `json:"prompt"`            // the question, one sentence
	From    string      `json:"from,omitempty"`    // who asks: the agent's name
	Choices []string    `json:"choices,omitempty"` // approval: the two labels, approve first; choice: what can be chosen; else none

	// Means says what each of the choices lets the agent do, where it asks for
	// a permission; else it is nil. It is what a label is made from: a choice's
	// own name is only what the agent says (T45).
	Means []Means `json:"means,omitempty"`

	// Scope says in words what an AllowAlways covers, as far as is known. It is
	// shown before one is confirmed.
	Scope string `json:"scope,omitempty"`

	// Other is a label for a free text beside the choices; empty: there is none.
	Other string `json:"other,omitempty"`

	// Inputs are what a form asks for, in the order of the page.
	Inputs []Input `json:"inputs,omitempty"`

	// Fields are the real facts of what is asked (statement, rows, path …),
	// shown before anything the agent says of itself (REQ 6).
	Fields []Field `json:"fields,omitempty"`

	// Claim is the agent's own title, shown marked as what "agent says".
	Claim string `json:"claim,omitempty"`

	// Blocked says why this cannot be approved, as a sentence; it can be
	// rejected only. Empty: it can (T36).
	Blocked string `json:"blocked,omitempty"`

	// TakesReason is true when a rejection with a reason lets the turn go on.
	TakesReason bool `json:"takes_reason,omitempty"`

	// Reply takes the answer; it must have room for one. A request without it
	// can be answered by nobody and is skipped.
	Reply chan<- Answer `json:"-"`
}

// Means is what choosing an entry of a permission request does.
type Means uint8

// The meanings. Unknown is a kind that the agent made up: it is shown and
// cannot be chosen (T45).
const (
	Unknown Means = iota
	AllowOnce
	AllowAlways
	RejectOnce
	RejectAlways
)

// Words says what a meaning does, as a label.
func (m Means) Words() string {
	switch m {
	case AllowOnce:
		return "Allow once"
	case AllowAlways:
		return "Allow always"
	case RejectOnce:
		return "Reject"
	case RejectAlways:
		return "Reject always"
	default:
		return "Unknown"
	}
}

// Rejects reports whether the meaning is a rejection.
func (m Means) Rejects() bool { return m == RejectOnce || m == RejectAlways }

// A Field is one real fact of a request.
type Field struct {
	Name  string `json:"name"`
	Value string `json:"value"`
	Lang  string `json:"lang,omitempty"` // a chroma lexer's name, or empty; "diff" for a unified diff
	Warn  bool   `json:"warn,omitempty"` // something to look at twice
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
	Filled
)

// An Answer is what the user decided.
type Answer struct {
	Verdict Verdict    `json:"verdict"`
	Index   int        `json:"index,omitempty"`  // Chosen: 0-based
	Value   string     `json:"value,omitempty"`  // Chosen: the choice; Entered: the text
	Reason  string     `json:"reason,omitempty"` // Reject: why; only where the request takes a reason
	Values  [][]string `json:"values,omitempty"` // Filled: of each input, in order; an empty list is left out
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
	case Filled:
		return "filled in"
	default:
		return ""
	}
}

// Rejects reports whether an answer rejects the request: by the verdict, or by
// choosing what means a rejection.
func (r *Request) Rejects(a Answer) bool {
	return a.Verdict == Reject || a.Verdict == Chosen && a.Index < len(r.Means) && r.Means[a.Index].Rejects()
}

// Validate says what makes a request impossible to show (REQ 1). A choice with
// a single entry is allowed.
func (r *Request) Validate() error {
	if len(r.Means) > 0 && len(r.Means) != len(r.Choices) {
		return fmt.Errorf("a permission request names %d meanings for %d choices", len(r.Means), len(r.Choices))
	}
	switch r.Kind {
	case Approval:
		if len(r.Choices) != 2 {
			return fmt.Errorf("an approval request needs two labels, it has %d", len(r.Choices))
		}
		return nil
	case Choice:
		if len(r.Choices) == 0 {
			return errors.New("a choice request needs something to choose from, it has nothing")
		}
		return nil
	case Form:
		if len(r.Inputs) == 0 {
			return errors.New("a form needs something to fill in, it has nothing")
		}
		for _, in := range r.Inputs {
			if err := in.validate(); err != nil {
				return err
			}
		}
	case TextInput:
	default:
		return fmt.Errorf("a request of kind %q is unknown; it can be approval, choice, text or form", r.Kind)
	}
	if len(r.Choices) != 0 {
		return fmt.Errorf("a %s request takes no choices, it has %d", r.Kind, len(r.Choices))
	}
	return nil
}

// Accepts says why an answer does not fit the request; nil means it fits.
func (r *Request) Accepts(a Answer) error {
	if r.Blocked != "" && !r.Rejects(a) {
		return errors.New("this request can be rejected only")
	}
	fits := false
	switch a.Verdict {
	case Reject:
		if a.Reason != "" && !r.TakesReason {
			return errors.New("this request takes no reason")
		}
		return nil
	case Approve:
		fits = r.Kind == Approval
	case Chosen:
		fits = r.Kind == Choice && a.Index >= 0 && a.Index < len(r.Choices) && r.Choices[a.Index] == a.Value &&
			(r.Means == nil || r.Means[a.Index] != Unknown)
	case Entered:
		fits = a.Value != "" && (r.Kind == TextInput || r.Kind == Choice && r.Other != "")
	case Filled:
		if r.Kind == Form && len(a.Values) == len(r.Inputs) {
			return r.checkValues(a.Values)
		}
	}
	if !fits {
		return fmt.Errorf("that answer does not fit a request of kind %s", r.Kind)
	}
	return nil
}

func (r *Request) checkValues(values [][]string) error {
	for i, in := range r.Inputs {
		if err := in.Check(values[i]); err != nil {
			return fmt.Errorf("%s: %w", in.Label(), err)
		}
	}
	return nil
}

// First returns the index of the first choice that means m, or -1.
func (r *Request) First(m Means) int { return slices.Index(r.Means, m) }

// Pending is a request that waits for its answer, as front ends see it.
type Pending struct {
	ID      string // names the request in an answer; never used again
	Digest  string // of all that the request shows
	Request *Request
}
