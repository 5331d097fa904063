// Package clipboard says what became of a copy: which routes carried it and
// how sure that is.
package clipboard

// Outcome is how sure it is that a route carried a copy.
type Outcome uint8

// The outcomes, from the least to the most certain.
const (
	Failed   Outcome = iota // the route did not take the text
	Saved                   // it is in a file, and in no clipboard
	Sent                    // OSC 52 went out; nothing can confirm it
	Buffered                // it is in a named buffer (tmux), not known to be in a system clipboard
	Owned                   // an owner or a tool that ended well holds it
)

// String names the outcome in one word: "failed", "saved", "sent", "buffered" or
// "owned".
func (o Outcome) String() string {
	switch o {
	case Saved:
		return "saved"
	case Sent:
		return "sent"
	case Buffered:
		return "buffered"
	case Owned:
		return "owned"
	}
	return "failed"
}

// RouteResult is what one route reports of one copy.
type RouteResult struct {
	Route   string // "xclip", "x11", "wayland", "tmux", "osc52" …
	Outcome Outcome
	Reason  string // Failed: why; one line, cleaned
	Mend    string // Failed, Sent or Buffered: the one line of configuration that mends it, if any
	Path    string // Saved: the file; one line, cleaned
}

// A Receipt is what became of one copy.
type Receipt struct {
	Bytes  int
	Routes []RouteResult // in the order they ran
	Notes  []string      // what else is to be said of the text: "code block"
}
