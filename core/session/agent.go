// Package session holds a conversation: its turns, the requests an agent makes
// of the user, and what an agent is.
package session

import (
	"context"
	"iter"
	"time"
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
	// cancelled, the turn is over: Run undoes what is half done and returns as
	// soon as the agent itself has stopped. Run yields on the goroutine that
	// iterates. A Request does not stop the events: those after it may come
	// while it waits for its answer.
	Run(ctx context.Context, prompt string) iter.Seq2[Event, error]
}

// The interfaces below are what an agent may be able to do besides. A pane
// asks for each by a type assertion. Their methods are safe from any
// goroutine, also while a turn runs.
type (
	// A Connected agent has something to say outside of turns. Aside starts
	// what the agent is made of (a process, a session of its own) and yields
	// what comes when no turn runs, until ctx is cancelled. It is iterated
	// once, for as long as the pane has the agent. A failure is a Notice.
	Connected interface {
		Aside(ctx context.Context) iter.Seq[Event]
	}

	// A Completer knows how an input can go on: words that can stand in it
	// from byte start on, up to its end.
	Completer interface {
		Complete(input string) (start int, words []string)
	}

	// A Commander takes commands of its own as prompts: "/name rest".
	Commander interface{ Commands() []Command }

	// A Configurable agent has options that the user sets (mode, model …).
	// SetOption returns when the agent has taken the value or refused it.
	Configurable interface {
		Options() []Option
		SetOption(ctx context.Context, id, value string) error
	}

	// A Keeper stores sessions of its own. Stored lists them, newest first.
	// Load makes one of them the session that goes on: the past of it comes
	// as events (Prompt, Text …) from Aside; it fails while a turn runs.
	Keeper interface {
		Stored(ctx context.Context) ([]Stored, error)
		Load(ctx context.Context, id string) error
	}

	// A Resumer can go on with a session of its own from an earlier run. Ref
	// names that session; it is empty as long as there is none, and a Changed
	// tells of another one. Resume is called once, before Aside, and says which
	// one to go on with and what was said in it; an empty ref says that the
	// agent named none. None of that is to be said again.
	Resumer interface {
		Ref() string
		Resume(ref string, past []Turn)
	}
	// A Killer can be ended although it does not stop when it is asked to.
	// The turn that runs fails then.
	Killer interface{ Kill() }

	// A Closer lets go of what it holds. Close waits a few seconds at most
	// and is called once, after the last turn and Aside have ended.
	Closer interface{ Close() error }
)

// A Command is one that an agent advertises. Name has no slash.
type Command struct {
	Name    string
	Hint    string // what may follow it; empty: nothing is known
	Summary string
}

// An Option is a setting of an agent's.
type Option struct {
	ID       string
	Name     string
	Category string // "mode", "model", "thought_level" or another word
	Summary  string
	Value    string // the one in force
	Values   []OptionValue
}

// An OptionValue is one value that an option can have.
type OptionValue struct {
	Value   string
	Name    string
	Group   string // a heading it stands under; may be empty
	Summary string
}

// Stored is a session that an agent keeps.
type Stored struct {
	ID      string
	Title   string
	Dir     string
	Updated time.Time // zero: unknown
}
