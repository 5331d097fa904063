// Package core holds the limits that the whole program obeys. The packages
// below it are the program without a screen, a disk or a network.
package core

import "time"

// The limits, each with its unit and the reason for its size. Tests read them
// from here; the ones a user can want to change are fields of the
// configuration that start from these values.
const (
	// PanelLines is how many logical lines an output panel keeps (PAN 1, R3).
	PanelLines = 1000

	// LineBytes is the longest agent line that is accepted whole, in bytes
	// (R11: a 16 MiB line must pass, a 100 MB one is refused).
	LineBytes = 32 << 20

	// WriteQueue is how many bytes may wait for an agent that does not read
	// (R7).
	WriteQueue = 64 << 20

	// NoiseLines is how many lines in a row may be no message before a
	// connection to an agent counts as broken (R12).
	NoiseLines = 1000

	// NestingDepth is how deep a message may be nested (R13).
	NestingDepth = 1000

	// StderrBytes is how much of what an agent complains about is kept (R9).
	StderrBytes = 64 << 10

	// TurnBytes is how much of one turn is kept in memory; beyond it the middle
	// is dropped (R8).
	TurnBytes = 8 << 20

	// DetailBytes is how much of one tool call's or thought's text is kept,
	// DetailsBytes of all of a pane's (R8).
	DetailBytes  = 1 << 20
	DetailsBytes = 16 << 20

	// PreviewLines is how many lines of a tool's output the panel shows,
	// PreviewDiffLines of a diff.
	PreviewLines     = 12
	PreviewDiffLines = 60

	// KillAfter is how long after a cancel an agent that goes on may be killed
	// (R5).
	KillAfter = 5 * time.Second

	// StopEOF is how long an agent may take to end after its input has ended,
	// StopTerm how long after the signal to (T60).
	StopEOF  = 500 * time.Millisecond
	StopTerm = 3 * time.Second

	// CommandTime is how long a command that a chat runs may take unless it
	// says otherwise, CommandOutput how many bytes of its output the model gets.
	CommandTime   = 2 * time.Minute
	CommandOutput = 64 << 10

	// JournalJoin is how long pieces of text may wait to be written as one
	// record, JournalJoinBytes how long that record gets (D4). It is what a
	// killed program loses.
	JournalJoin      = 250 * time.Millisecond
	JournalJoinBytes = 16 << 10

	// JournalBatch is how many bytes one write to a journal has at most, unless
	// one record is longer (D4).
	JournalBatch = 64 << 10

	// JournalSync is how long what was written may not be on the disk yet (D5);
	// it is what a power cut loses. JournalWait is how long a prompt or a
	// decision waits for the disk: one that hangs must not hold up the work.
	JournalSync = time.Second
	JournalWait = 2 * time.Second

	// JournalRetry is the time between two attempts to write to a disk that
	// does not take it (R21). JournalStalled is how long a write may take before
	// the user is told (R51).
	JournalRetry   = 5 * time.Second
	JournalStalled = 5 * time.Second

	// SegmentBytes is the size from which a journal goes on in another file,
	// BlobBytes that from which a record's content has a file of its own (D7).
	SegmentBytes = 64 << 20
	BlobBytes    = 256 << 10

	// JournalTurnBytes is how much of one turn's text is written (R8).
	JournalTurnBytes = 64 << 20

	// JournalPending is how much text waits in memory while nothing can be
	// written. What is beyond it is dropped and counted; what the user said and
	// decided never is.
	JournalPending = 32 << 20

	// DraftAfter is how long after a key the draft is written.
	DraftAfter = 500 * time.Millisecond

	// HistoryEntries is how many prompts of an agent and a folder are offered,
	// HistoryBytes the size from which the file of all prompts is cut.
	HistoryEntries = 1000
	HistoryBytes   = 4 << 20

	// NoticeEvery is the shortest time between two notices to a user who looks
	// elsewhere.
	NoticeEvery = 10 * time.Second

	// MarksPerCell is how many combining marks or joiners one grapheme
	// cluster may carry before the rest is shown as a count (T34).
	MarksPerCell = 16

	// TabStop is the distance of tab stops, in cells.
	TabStop = 8

	// QuietGate is how long no key may have been pressed before a request
	// takes the keyboard (REQ 5, T41).
	QuietGate = 350 * time.Millisecond

	// AnswerHold is how long a letter waits in a request before it answers: a
	// letter that another one follows was the beginning of a text (REQ 5).
	AnswerHold = 300 * time.Millisecond

	// GateSlack is how late the gate's timer may fire; a later one means that
	// the program was stopped or blocked meanwhile, and starts the gate anew
	// (T42).
	GateSlack = 50 * time.Millisecond

	// Frame is the shortest time between two frames drawn for new output.
	Frame = 16 * time.Millisecond

	// ToolTimeout is how long a clipboard tool or library may take (R44).
	ToolTimeout = 2 * time.Second

	// X11NativeBytes is the most that golang.design/x/clipboard v0.9.0 may be
	// handed on X11: above it the request length wraps and bytes of the text
	// are executed by the X server.
	X11NativeBytes = 262_116

	// OSC52Bytes is the most one OSC 52 sequence carries, in decoded bytes,
	// to a terminal that is known to take it.
	OSC52Bytes = 1 << 20

	// OSC52TmuxBytes is the most tmux passes on inside one OSC or DCS string
	// (its input buffer is 1 MiB of base64), in decoded bytes.
	OSC52TmuxBytes = 786_420

	// OSC52UnknownBytes is the most one OSC 52 sequence carries to a terminal
	// nothing is known of: 100,000 characters with the framing.
	OSC52UnknownBytes = 74_994

	// MoshBytes is what mosh passes on of one OSC 52; it cuts the rest
	// without a word.
	MoshBytes = 12_284

	// TmuxBufferBytes is the most that is handed to `tmux load-buffer`.
	TmuxBufferBytes = 10 << 20

	// PasteBytes is the most one paste into the input field takes.
	PasteBytes = 4 << 20

	// HiddenBlanks and HiddenBlankLines are the shortest runs of blanks and
	// of empty lines that a request shows as a counted token (T44).
	HiddenBlanks     = 8
	HiddenBlankLines = 3

	// MinColumns and MinRows are the smallest screen on which the desk is
	// drawn and something can be approved (R29), in cells.
	MinColumns = 20
	MinRows    = 5

	// BellEvery is the shortest time between two bells, TitleEvery between two
	// window titles (T68).
	BellEvery  = time.Second
	TitleEvery = 250 * time.Millisecond

	// TitleCells is the longest window title, in cells (T68).
	TitleCells = 80
)
