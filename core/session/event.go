package session

import "copydesk/core/text"

// An Event is one thing that happens in a turn or beside it: Text, Thought,
// Break, ToolCall, Plan, Block, Notice, Usage, Prompt, Loaded, Changed,
// *Request, Reopened or Withdrawn.
type Event interface{ event() }

// Text is a piece of the answer, raw as it came: any bytes, cut anywhere.
type Text struct{ Chunk string }

// Thought is a piece of the agent's reasoning, raw as it came.
type Thought struct{ Chunk string }

// Break says that the text or thought so far is a passage of its own: what
// comes next is set apart from it.
type Break struct{}

// ToolCall reports a tool's call or, with an ID seen before, its change. IDs
// are unique in a session. What is empty has not changed.
type ToolCall struct {
	ID     string
	Title  string
	Kind   string // "read", "edit", "execute" …: a word that is shown
	Status Status

	// Parts is what the call shows now, in place of all that it showed before;
	// nil leaves that as it is.
	Parts []Part

	// Chunk is more of the call's output, raw as it came. It joins the last
	// part when that is output, and makes one otherwise.
	Chunk string
}

// A Part is something that a tool call shows: what it was given, what came
// out, how it changes a file.
type Part struct {
	Kind PartKind
	Name string // a path, or what the part is; may be empty
	Lang string // a chroma lexer's name, or empty
	Text string // raw; of a DiffPart a unified diff
}

// PartKind says what a part is.
type PartKind uint8

// The kinds of part.
const (
	OutputPart PartKind = iota
	InputPart
	DiffPart
	PlacePart // Name is a path, with ":line" behind it where that is known
)

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

// Usage reports what the session has cost so far. Used and Limit are tokens of
// the context, 0 is unknown; Cost is money in words ("0.12 USD"), empty when
// unknown.
type Usage struct {
	Used, Limit int
	Cost        string
}

// Prompt is something that the user said before: it comes when a stored
// session is loaded. It ends what came before it.
type Prompt struct{ Chunk string }

// Loaded says that a stored session has come back whole: what comes after it
// is new.
type Loaded struct{ Title string }

// Changed says that what is shown beside the conversation is another now: the
// agent's title, its options or its commands.
type Changed struct{}

// Reopened replaces a request that may have been seen already: New has the
// place of Old and must be read again (T47). Old can no longer be answered.
type Reopened struct{ Old, New *Request }

// Withdrawn takes back a request that nobody has answered.
type Withdrawn struct{ Request *Request }

func (Text) event()      {}
func (Thought) event()   {}
func (Break) event()     {}
func (ToolCall) event()  {}
func (Plan) event()      {}
func (Block) event()     {}
func (Notice) event()    {}
func (Usage) event()     {}
func (Prompt) event()    {}
func (Loaded) event()    {}
func (Changed) event()   {}
func (*Request) event()  {}
func (Reopened) event()  {}
func (Withdrawn) event() {}
