package keys

import "slices"

// A Context is a place of the screen that has the keyboard. Keys are looked up
// in the contexts that are active, the narrowest first; Global is the last.
type Context string

// The contexts.
const (
	Approval Context = "approval" // an approval request
	Choice   Context = "choice"   // a choice request
	Text     Context = "text"     // a text request, or the reason of a rejection
	Form     Context = "form"     // a form, while it is filled in
	List     Context = "list"     // a modal list, the help
	Reader   Context = "reader"   // a long text that is read
	Input    Context = "input"    // the input field
	Panel    Context = "panel"    // the output panel
	Global   Context = "global"   // everywhere
)

// An Action is the name of something that keys can do, as a configuration
// writes it.
type Action string

// The actions.
const (
	Send            Action = "send"
	Newline         Action = "newline"
	Complete        Action = "complete"
	HistoryPrevious Action = "history-previous"
	HistoryNext     Action = "history-next"

	HistorySearchBack Action = "history-search-back"
	HistorySearchOn   Action = "history-search-on"
	Queue             Action = "queue"

	CopyAnswer Action = "copy-answer"
	CopyPanel  Action = "copy-panel"
	CopyLast   Action = "copy-last"
	PickCopy   Action = "pick-copy"
	CopyDialog Action = "copy-dialog"

	CursorLeft      Action = "cursor-left"
	CursorRight     Action = "cursor-right"
	CursorUp        Action = "cursor-up"
	CursorDown      Action = "cursor-down"
	SelectLeft      Action = "select-left"
	SelectRight     Action = "select-right"
	SelectUp        Action = "select-up"
	SelectDown      Action = "select-down"
	SelectWordLeft  Action = "select-word-left"
	SelectWordRight Action = "select-word-right"
	SelectHome      Action = "select-home"
	SelectEnd       Action = "select-end"
	SelectLine      Action = "select-line"
	SelectAll       Action = "select-all"
	CopySelection   Action = "copy-selection"

	PageUp     Action = "page-up"
	PageDown   Action = "page-down"
	ScrollTop  Action = "scroll-top"
	ScrollEnd  Action = "scroll-end"
	LineUp     Action = "line-up"
	LineDown   Action = "line-down"
	FocusInput Action = "focus-input"
	CleanView  Action = "clean-view"

	Find         Action = "find"
	FindAnywhere Action = "find-anywhere"
	FindNext     Action = "find-next"
	FindPrevious Action = "find-previous"

	FocusRequest  Action = "focus-request"
	Approve       Action = "approve"
	Reject        Action = "reject"
	RejectChoice  Action = "reject-choice"
	RejectReason  Action = "reject-reason"
	ChooseUp      Action = "choose-up"
	ChooseDown    Action = "choose-down"
	Confirm       Action = "confirm"
	DialogUp      Action = "dialog-up"
	DialogDown    Action = "dialog-down"
	AllowOnce     Action = "allow-once"
	AllowAlways   Action = "allow-always"
	NextInput     Action = "next-input"
	PreviousInput Action = "previous-input"
	Tick          Action = "tick"
	ListClose     Action = "list-close"
	Remove        Action = "remove"

	GoToPane     Action = "go-to-pane"
	NextPane     Action = "next-pane"
	PreviousPane Action = "previous-pane"
	NewPane      Action = "new-pane"
	ClosePane    Action = "close-pane"
	SwitchAgent  Action = "switch-agent"
	AgentOptions Action = "agent-options"
	Details      Action = "details"
	OpenDetail   Action = "open-detail"

	StoredSessions Action = "sessions"
	SearchText     Action = "search-text"
	ReadOnly       Action = "read-only"

	FocusNext Action = "focus-next"
	Cancel    Action = "cancel"
	Close     Action = "close"
	Help      Action = "help"
	Repaint   Action = "repaint"
	Suspend   Action = "suspend"
	Quit      Action = "quit"
)

// A Binding is one row of the table: an action, where it can be done, its
// default chords and what it does, in words.
type Binding struct {
	Action   Action
	Group    string // the heading it stands under
	Contexts []Context
	Default  []string // as Parse reads them
	Help     string   // a short sentence without its full stop
	Footer   string   // the words in the footer; empty: not shown there
}

// Table returns the table of all actions, in the order that help shows them.
// The rows of a group stand together. It is a new copy each time.
func Table() []Binding {
	rows := []Binding{
		{Send, "Writing", in(Input), on("enter"), "Send the message", "send"},
		{Newline, "Writing", in(Input), on("shift+enter", "alt+enter", "ctrl+j"), "Start a new line", ""},
		{Complete, "Writing", in(Input), on("tab"), "Complete a command or its argument", ""},
		{HistoryPrevious, "Writing", in(Input), on("up"), "Bring back the message before, from the first line", ""},
		{HistoryNext, "Writing", in(Input), on("down"), "Go on to the message after, from the last line", ""},
		{HistorySearchBack, "Writing", in(Input), on("ctrl+r"), "Search the history back; what begins with a blank is not in it", ""},
		{HistorySearchOn, "Writing", in(Input), on("ctrl+s"), "Search the history on, towards now", ""},

		{CopyAnswer, "Copying", in(Global), on("ctrl+y"), "Copy the last answer", "copy answer"},
		{CopyPanel, "Copying", in(Global), on("ctrl+x y"), "Copy the whole panel", ""},
		{CopyLast, "Copying", in(Global), on("ctrl+x l"), "Copy from the newest echo line to the end", ""},
		{PickCopy, "Copying", in(Global), on("ctrl+x c"), "Pick what to copy by a letter", ""},
		{CopyDialog, "Copying", in(Approval, Choice, Reader), on("c"), "Copy what the dialog shows", "copy"},

		{PageUp, "Reading", in(Global), on("pgup"), "Scroll up by a page", ""},
		{PageDown, "Reading", in(Global), on("pgdn"), "Scroll down by a page", ""},
		{ScrollTop, "Reading", in(Global), on("home", "ctrl+home"), "Scroll to the first line", ""},
		{ScrollEnd, "Reading", in(Global), on("end", "ctrl+end"), "Scroll to the end and follow it", ""},
		{LineUp, "Reading", in(Global), on("ctrl+up", "alt+up"), "Scroll up by a line", ""},
		{LineDown, "Reading", in(Global), on("ctrl+down", "alt+down"), "Scroll down by a line", ""},
		{FocusInput, "Reading", in(Panel), on("enter", "i"), "Go back to the input field", "write"},
		{Find, "Reading", in(Panel), on("/"), "Search the panel upwards, and the session before it", "find"},
		{FindAnywhere, "Reading", in(Global), on("ctrl+x /"), "The same from everywhere", ""},
		{FindNext, "Reading", in(Panel), on("n"), "Go to the next older place that was found", ""},
		{FindPrevious, "Reading", in(Panel), on("N"), "Go to the next newer place that was found", ""},
		{CleanView, "Reading", in(Global), on("ctrl+x v"), "Show the text alone, to select it with the terminal", ""},
	}
	more := []Binding{
		{FocusRequest, "Requests", in(Global), on("ctrl+x r"), "Give the keyboard to a waiting request", "answer"},
		{Approve, "Requests", in(Approval), on("a", "1"), "Approve, or send a form", "approve"},
		{Reject, "Requests", in(Approval), on("r", "2"), "Reject, and end the turn", "reject"},
		{AllowOnce, "Requests", in(Choice), on("a"), "Allow once, where that is offered", ""},
		{AllowAlways, "Requests", in(Approval, Choice), on("A"), "Allow always, after asking once more", ""},
		{RejectChoice, "Requests", in(Choice), on("r"), "Reject a choice, and end the turn", "reject"},
		{RejectReason, "Requests", in(Approval, Choice), on("n"), "Reject with a reason, where the agent takes one", ""},
		{DialogUp, "Requests", in(Approval, Text, Reader), on("up"), "Scroll the request or the text up", ""},
		{DialogDown, "Requests", in(Approval, Text, Reader), on("down"), "Scroll the request or the text down", ""},

		{ChooseUp, "Lists and choices", in(Choice, List, Form), on("up"), "Go to the entry above", ""},
		{ChooseDown, "Lists and choices", in(Choice, List, Form), on("down"), "Go to the entry below", ""},
		{Confirm, "Lists and choices", in(Choice, List, Text, Form), on("enter"), "Take the entry, or send the text", "take"},
		{NextInput, "Lists and choices", in(Form), on("tab"), "Go to the next input of a form", "next"},
		{PreviousInput, "Lists and choices", in(Form), on("shift+tab"), "Go to the input before", ""},
		{Tick, "Lists and choices", in(Form), on("space"), "Tick or untick an entry of a form", "tick"},
		{Remove, "Lists and choices", in(List), on("delete"), "Remove the entry, where that is possible", ""},
		{ListClose, "Lists and choices", in(List, Reader), on("esc"), "Close the list or the text", "close"},

		{FocusNext, "The desk", in(Global), on("tab", "shift+tab"), "Go to the panel and back; in the input, when nothing can be completed", ""},
		{Cancel, "The desk", in(Global), on("ctrl+c"), "Copy what is selected, else clear the draft, else reject the request, else cancel the turn, else quit", ""},
		{Close, "The desk", in(Global), on("esc"), "Close what is open, else select nothing, else interrupt the turn", ""},
		{Help, "The desk", in(Global), on("f1"), "Show this help", "help"},
		{Repaint, "The desk", in(Global), on("ctrl+l"), "Draw the screen anew", ""},
		{Suspend, "The desk", in(Global), on("ctrl+z"), "Stop the program and go back to the shell", ""},
		{Quit, "The desk", in(Global), on("ctrl+d"), "Quit, on an empty input", ""},
	}
	return slices.Concat(rows, selecting(), panes(), more)
}

// panes are the rows of the panes and their agents. The first chord of GoToPane
// goes to the pane with number 1, the second one to number 2, and so on.
func panes() []Binding {
	return []Binding{
		{GoToPane, "Panes and agents", in(Global), on("alt+1", "alt+2", "alt+3", "alt+4", "alt+5", "alt+6", "alt+7", "alt+8", "alt+9"), "Go to the pane with that number", ""},
		{NextPane, "Panes and agents", in(Global), on("ctrl+x n"), "Go to the next pane", ""},
		{PreviousPane, "Panes and agents", in(Global), on("ctrl+x p"), "Go to the pane before", ""},
		{NewPane, "Panes and agents", in(Global), on("ctrl+x w"), "Open a new pane with an agent", ""},
		{ClosePane, "Panes and agents", in(Global), on("ctrl+x k"), "Close this pane", ""},
		{SwitchAgent, "Panes and agents", in(Global), on("ctrl+x a"), "Take another agent for this pane", ""},
		{AgentOptions, "Panes and agents", in(Global), on("ctrl+x m"), "Set the agent's model, mode and other options", ""},
		{Details, "Panes and agents", in(Global), on("ctrl+x o"), "Show a tool call or a thought in full", ""},
		{Queue, "Panes and agents", in(Global), on("ctrl+x q"), "List the messages that wait, to edit or remove one", ""},
		{OpenDetail, "Panes and agents", in(Panel), on("o"), "Show what the line is about in full", "details"},
		{StoredSessions, "Panes and agents", in(Global), on("ctrl+x s"), "List the stored sessions, and bring one back", ""},
		{SearchText, "Panes and agents", in(List), on("ctrl+f"), "Find the typed words in the text of all stored sessions", ""},
		{ReadOnly, "Panes and agents", in(List), on("ctrl+o"), "Read a stored session without opening it", ""},
	}
}

// selecting are the rows of the panel's cursor and selection.
func selecting() []Binding {
	return []Binding{
		{SelectUp, "Selecting", in(Panel, Input), on("shift+up"), "Select up; from an empty input too", ""},
		{SelectDown, "Selecting", in(Panel, Input), on("shift+down"), "Select down by a row", ""},
		{SelectLeft, "Selecting", in(Panel, Input), on("shift+left"), "Select left by a character", ""},
		{SelectRight, "Selecting", in(Panel, Input), on("shift+right"), "Select right by a character", ""},
		{SelectWordLeft, "Selecting", in(Panel, Input), on("ctrl+shift+left", "alt+shift+left"), "Select left by a word", ""},
		{SelectWordRight, "Selecting", in(Panel, Input), on("ctrl+shift+right", "alt+shift+right"), "Select right by a word", ""},
		{SelectHome, "Selecting", in(Panel, Input), on("shift+home"), "Select to row start, line start", ""},
		{SelectEnd, "Selecting", in(Panel, Input), on("shift+end"), "Select to row end, line end", ""},
		{SelectLine, "Selecting", in(Panel), on("l"), "Select the line, then the next", "line"},
		{SelectAll, "Selecting", in(Panel), on("a"), "Select everything", "all"},
		{CopySelection, "Selecting", in(Panel), on("y"), "Copy what is selected", ""},
		{CursorUp, "Selecting", in(Panel), on("up"), "Move the cursor up", ""},
		{CursorDown, "Selecting", in(Panel), on("down"), "Move the cursor down", ""},
		{CursorLeft, "Selecting", in(Panel), on("left"), "Move the cursor left", ""},
		{CursorRight, "Selecting", in(Panel), on("right"), "Move the cursor right", ""},
	}
}

func in(c ...Context) []Context { return c }

func on(chords ...string) []string { return chords }
