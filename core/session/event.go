package session

import "copydesk/core/text"

// An Event is one thing that happens in a turn or beside it: Text, Thought,
// Break, ToolCall, Plan, Block, Notice, Usage, Prompt, Loaded, Changed,
// *Request, Reopened or Withdrawn.
type Event interface{ event() }

// Text is a piece of the answer, raw as it came: any bytes, cut anywhere.
type Text struct {
	Chunk string `json:"text"`
}

// Thought is a piece of the agent's reasoning, raw as it came.
type Thought struct {
	Chunk string `json:"text"`
}

// Break says that the text or thought so far is a passage of its own: what
// comes next is set apart from it.
type Break struct{}

// ToolCall reports a tool's call or, with an ID seen before, its change. IDs
// are unique in a session. What is empty has not changed.
type ToolCall struct {
	ID     string `json:"id"`
	Title  string `json:"title,omitempty"`
	Kind   string `json:"tool,omitempty"` // "read", "edit", "execute" …: a word that is shown
	Status Status `json:"status,omitempty"`

	// Parts is what the call shows now, in place of all that it showed before;
	// nil leaves that as it is.
	Parts []Part `json:"parts,omitzero"`

	// Chunk is more of the call's output, raw as it came. It joins the last
	// part when that is output, and makes one otherwise.
	Chunk string `json:"more,omitempty"`
}

// A Part is something that a tool call shows: what it was given, what came
// out, how it changes a file.
type Part struct {
	Kind PartKind `json:"part,omitempty"`
	Name string   `json:"name,omitempty"` // a path, or what the part is; may be empty
	Lang string   `json:"lang,omitempty"` // a chroma lexer's name, or empty
	Text string   `json:"text,omitempty"` // raw; of a DiffPart a unified diff
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
type Plan struct {
	Steps []PlanStep `json:"steps"`
}

// PlanStep is one step of a plan.
type PlanStep struct {
	Text   string `json:"text"`
	Status Status `json:"status,omitempty"`
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
	Kind   BlockKind   `json:"block,omitempty"`
	Lines  []text.Line `json:"lines"`
	Source string      `json:"source,omitempty"`
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
	Text  string `json:"text"`
	Error bool   `json:"error,omitempty"`
}

// Usage reports what the session has cost so far. Used and Limit are tokens of
// the context, 0 is unknown; Cost is money in words ("0.12 USD"), empty when
// unknown.
type Usage struct {
	Used  int    `json:"used,omitempty"`
	Limit int    `json:"limit,omitempty"`
	Cost  string `json:"cost,omitempty"`
}

// Prompt is something that the user said before: it comes when a stored
// session is loaded. It ends what came before it.
type Prompt struct {
	Chunk string `json:"text"`
}

// Loaded says that a stored session has come back whole: what comes after it
// is new.
type Loaded struct {
	Title string `json:"title,omitempty"`
}

// Changed says that what is shown beside the conversation is another now: the
// agent's title, its options, its commands or its Ref.
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
