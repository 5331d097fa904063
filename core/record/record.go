// Package record is what a journal keeps of a session: everything that went
// into a pane, in order, so that the same panel, turns and requests come out of
// it again. It says how an entry is written as JSON, and nothing of files.
package record

import (
	"time"

	"copydesk/core/session"
)

// A Record is an entry in its place. Seq counts from 1 in a session and decides
// the order; Time is only shown (R30).
type Record struct {
	Seq   uint64
	Time  time.Time
	Entry Entry
}

// An Entry is one thing that happened. The types below are all there are.
type Entry interface{ Kind() Kind }

// Kind names the type of an entry in a journal. Names are never given another
// meaning.
type Kind string

type (
	// A Header is the first entry of a session and of each of its files.
	Header struct {
		ID      string `json:"id"`
		Program string `json:"program,omitempty"` // the version that began it
		Seat
	}

	// A Seat is an agent as a pane shows it.
	Seat struct {
		Agent string `json:"agent"` // its name
		Title string `json:"title,omitempty"`
		Hint  string `json:"hint,omitempty"`
		Loose bool   `json:"loose,omitempty"`
		Dir   string `json:"dir,omitempty"` // where it works; absolute
	}

	// Opened says that a program has taken the session, and so may write it.
	Opened struct {
		PID     int    `json:"pid"`
		Host    string `json:"host,omitempty"`
		Program string `json:"program,omitempty"`
	}

	// Prompt begins a turn. It is on the disk before the agent gets it.
	Prompt struct {
		Text  string `json:"text"`
		Tag   string `json:"tag,omitempty"`
		Agent string `json:"agent,omitempty"`
		Quiet bool   `json:"quiet,omitempty"` // it has no echo and makes no turn
	}

	// Said is an event of an agent's, but for those about requests.
	Said struct {
		Event session.Event
		From
	}

	// From says whose an event is.
	From struct {
		Aside bool `json:"aside,omitempty"` // from outside of a turn
		Left  int  `json:"left,omitempty"`  // from the agent of that many switches ago
	}

	// Asked is a request. Reopened replaces the one of that id, Withdrawn takes
	// it back.
	Asked struct {
		ID      string           `json:"id"`
		Digest  string           `json:"digest"`
		Request *session.Request `json:"request"`
		From
	}
	Reopened struct {
		Old string `json:"old"` // the id of the request that it replaces
		Asked
	}
	Withdrawn struct {
		ID string `json:"id"`
	}

	// Decided is the user's answer to a request, for what was shown under its
	// digest. It is on the disk before the agent gets it. Said is what the panel
	// says of it.
	Decided struct {
		ID     string         `json:"id"`
		Digest string         `json:"digest"`
		Answer session.Answer `json:"answer"`
		Said   string         `json:"said,omitempty"`
	}

	// Note is a line of the desk's own, Painted finished Markdown of its own.
	Note struct {
		Text   string `json:"text"`
		Failed bool   `json:"failed,omitempty"`
	}
	Painted struct {
		Source string `json:"source"`
	}

	// Loading says that a session which the agent keeps begins to come back, or
	// with Over set that nobody waits for it any more.
	Loading struct {
		Over bool `json:"over,omitempty"`
	}

	// Ended ends a turn.
	Ended struct {
		Outcome session.Outcome `json:"outcome,omitempty"`
		Failure string          `json:"failure,omitempty"` // what the agent failed with
	}

	// Switched gives the pane another agent.
	Switched struct {
		Seat
		Said string `json:"said,omitempty"`
	}

	// Ref names the session that the pane's agent keeps of this one, by which
	// it can go on with it.
	Ref struct {
		Ref string `json:"ref"`
	}

	// Dropped says that there was no room for so many bytes of what was said.
	Dropped struct {
		Bytes int64 `json:"bytes"`
	}
)

// The kinds.
const (
	KindHeader    Kind = "header"
	KindOpened    Kind = "opened"
	KindPrompt    Kind = "prompt"
	KindAsked     Kind = "asked"
	KindReopened  Kind = "reopened"
	KindWithdrawn Kind = "withdrawn"
	KindDecided   Kind = "decided"
	KindNote      Kind = "note"
	KindPainted   Kind = "painted"
	KindLoading   Kind = "loading"
	KindEnded     Kind = "ended"
	KindSwitched  Kind = "switched"
	KindRef       Kind = "ref"
	KindDropped   Kind = "dropped"

	KindText    Kind = "text"
	KindThought Kind = "thought"
	KindBreak   Kind = "break"
	KindTool    Kind = "tool"
	KindPlan    Kind = "plan"
	KindBlock   Kind = "block"
	KindNotice  Kind = "notice"
	KindUsage   Kind = "usage"
	KindPast    Kind = "past" // session.Prompt: what the user said before
	KindLoaded  Kind = "loaded"
)

func (Header) Kind() Kind    { return KindHeader }
func (Opened) Kind() Kind    { return KindOpened }
func (Prompt) Kind() Kind    { return KindPrompt }
func (Asked) Kind() Kind     { return KindAsked }
func (Reopened) Kind() Kind  { return KindReopened }
func (Withdrawn) Kind() Kind { return KindWithdrawn }
func (Decided) Kind() Kind   { return KindDecided }
func (Note) Kind() Kind      { return KindNote }
func (Painted) Kind() Kind   { return KindPainted }
func (Loading) Kind() Kind   { return KindLoading }
func (Ended) Kind() Kind     { return KindEnded }
func (Switched) Kind() Kind  { return KindSwitched }
func (Ref) Kind() Kind       { return KindRef }
func (Dropped) Kind() Kind   { return KindDropped }

// Kind is that of the event; empty for an event that is not kept.
func (s Said) Kind() Kind {
	switch s.Event.(type) {
	case session.Text:
		return KindText
	case session.Thought:
		return KindThought
	case session.Break:
		return KindBreak
	case session.ToolCall:
		return KindTool
	case session.Plan:
		return KindPlan
	case session.Block:
		return KindBlock
	case session.Notice:
		return KindNotice
	case session.Usage:
		return KindUsage
	case session.Prompt:
		return KindPast
	case session.Loaded:
		return KindLoaded
	}
	return ""
}
