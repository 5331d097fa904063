package record

import "time"

// Health is how a journal does.
type Health struct {
	Saved time.Time // when all that there was had reached the disk; zero: nothing has yet

	// Failing says in a sentence why nothing can be saved just now; empty: it
	// can. Since is when that began.
	Failing string
	Since   time.Time
}

// A Draft is what the user has written in a pane and not sent. It is kept
// beside the journal, and replaced as a whole.
type Draft struct {
	Input   string   `json:"input,omitempty"`
	Queue   []string `json:"queue,omitempty"` // messages that wait, the next one first
	Answers []Unsent `json:"answers,omitempty"`
}

// Blank reports whether nothing is written.
func (d Draft) Blank() bool { return d.Input == "" && len(d.Queue) == 0 && len(d.Answers) == 0 }

// Unsent is what was written into a request that was not answered.
type Unsent struct {
	ID   string `json:"id"` // of the request
	Text string `json:"text"`
}

// A Summary is a stored session as a list shows it.
type Summary struct {
	ID      string
	Title   string // the first line of the first prompt; empty: there is none
	Agent   string
	Dir     string
	Started time.Time
	Updated time.Time
	Bytes   int64 // on the disk
}

// A Hit is a place in a stored session where words were found.
type Hit struct {
	Summary
	Seq   uint64   // of the record
	Who   string   // "you", the agent's name, "note", "tool" …
	Text  string   // the line, clean
	Where [][2]int // of Text: the found words, as byte ranges in order
}

// Skipped is what could not be read of a session.
type Skipped struct {
	Records int   // lines that are damaged, cut or of a kind that is not known
	Bytes   int64 // of them
	Newer   bool  // some were written by a newer version
}
