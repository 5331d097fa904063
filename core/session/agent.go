// Package session holds a conversation: its turns, the requests an agent makes
// of the user, and what an agent is.
package session

import (
	"context"
	"iter"

	"copydesk/core/text"
)

// An Agent answers prompts. One turn of it runs at a time; Name and Echo may be
// called from any goroutine meanwhile.
type Agent interface {
	// Name is how the user calls it, for example "playground".
	Name() string

	// Echo says how an input is shown before it runs. tag stands in front of
	// it, without brackets ("simple", "claude"). With echo false the input is
	// a command to the program itself: it gets no echo line and its output
	// makes no turn (R3's app-level commands).
	Echo(input string) (tag string, echo bool)

	// Run answers one prompt. The turn's events come in order; a non-nil error
	// ends the turn as failed and is shown to the user, so its text says what
	// was tried and why it failed. When the consumer stops iterating, or ctx is
	// cancelled, the turn is over and Run must undo what is half done and
	// return. Run yields on the goroutine that iterates.
	Run(ctx context.Context, prompt string) iter.Seq2[Event, error]
}

// An Event is one thing that happens in a turn: Text, Thought, ToolCall, Plan,
// Block, Notice, Usage, or *Request.
type Event interface{ event() }

// Text is a piece of the answer, raw as it came: any bytes, cut anywhere.
type Text struct{ Chunk string }

// Thought is a piece of the agent's reasoning, raw as it came.
type Thought struct{ Chunk string }

// ToolCall reports a tool's call or, with an ID seen before, its change.
type ToolCall struct {
	ID     string
	Title  string // empty: unchanged
	Status Status
}

// Plan replaces the agent's plan.
type Plan struct{ Steps []PlanStep }

// PlanStep is one step of a plan.
type PlanStep struct {
	Text   string
	Status Status
}

// Status is how far an echo, a tool call or a plan step is.
type Status uint8

// The statuses.
const (
	NoStatus Status = iota
	Running
	Done
	Failed
)

// A Block is finished lines that are shown as they are: a table, a query plan,
// a teaching echo. Source is the Markdown that joins the turn's content for
// it; it ends with a line end.
type Block struct {
	Kind   BlockKind
	Lines  []text.Line
	Source string
}

// BlockKind says what a block's lines are.
type BlockKind uint8

// The kinds of block.
const (
	TableBlock BlockKind = iota
	PlanBlock
	TeachingBlock // lines are shown behind "Executing SQL: "
)

// Notice is a sentence beside the answer: a note, or an error that does not
// end the turn. It is no part of the turn's content.
type Notice struct {
	Text  string
	Error bool
}

// Usage reports what a turn has cost so far, in tokens; 0 is unknown.
type Usage struct{ Used, Limit int }

func (Text) event()     {}
func (Thought) event()  {}
func (ToolCall) event() {}
func (Plan) event()     {}
func (Block) event()    {}
func (Notice) event()   {}
func (Usage) event()    {}
func (*Request) event() {}
