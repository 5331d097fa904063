// Package rpc is a JSON-RPC 2.0 connection over lines, one message a line, as
// the Agent Client Protocol speaks it with a program's standard input and
// output. What comes in is not trusted: lines that are no message, endless
// ones, keys given twice, ids used twice and a peer that does not read do no
// harm (R7, R10–R13, R15, T36, T48).
package rpc

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
)

// The codes of errors: those of JSON-RPC 2.0 §5.1, and the two that the Agent
// Client Protocol adds.
const (
	ParseError     = -32700
	InvalidRequest = -32600
	MethodNotFound = -32601
	InvalidParams  = -32602
	InternalError  = -32603

	RequestCancelled = -32800 // the answer to a request that $/cancel_request withdrew
	AuthRequired     = -32000 // the user has to log in first
)

// An Error is the answer of a peer that refused a request. Message and Data
// are the peer's: text to be cleaned before it is drawn.
type Error struct {
	Code    int
	Message string
	Data    json.RawMessage // nil: none
}

// Error returns the message with its code.
func (e *Error) Error() string {
	if e.Message == "" {
		return fmt.Sprintf("error %d", e.Code)
	}
	return fmt.Sprintf("%s (error %d)", e.Message, e.Code)
}

// How a connection or a message on it fails.
var (
	// ErrAnswered is that no request with the id waits for an answer: it got
	// one already, or it was never made (T48).
	ErrAnswered = errors.New("the request has been answered already")

	// ErrFull is that the peer does not read and core.WriteQueue bytes wait
	// for it (R7).
	ErrFull = errors.New("the agent does not read what it is sent")

	// ErrLine is that a line is longer than core.LineBytes (R11). A call ends
	// with it when its answer is such a line.
	ErrLine = errors.New("a message of the agent is too long")

	// ErrNoise is that core.NoiseLines lines in a row were no message (R12).
	ErrNoise = errors.New("what the agent says is no JSON-RPC")

	// ErrMalformed is that an answer is JSON, but none that JSON-RPC allows.
	ErrMalformed = errors.New("the agent's answer is malformed")

	// ErrClosed is that Close was called.
	ErrClosed = errors.New("the connection is closed")
)

// A Handler takes what the peer sends. Its methods are called on the goroutine
// that reads, one after another, in the order of the lines; none may block for
// long, since nothing else is read meanwhile.
type Handler interface {
	// Notify is a notification, also a request whose id is null. params is
	// nil, or an object or array that is valid only until Notify returns: what
	// is kept of it must be copied (json.Unmarshal copies).
	Notify(method string, params json.RawMessage)

	// Request is a request. It is answered later, or at once, with one
	// Conn.Answer or Conn.Refuse. params is nil, or an object or array that
	// the handler may keep. See Ambiguous.
	Request(id ID, method string, params json.RawMessage)
}

// Options are what a connection is made of. Go and Handle are required.
type Options struct {
	// Go starts a goroutine.
	Go func(func())

	// Log gets what is wrong with messages, at the level debug; nil: nobody.
	Log *slog.Logger

	Handle Handler

	// Noise is called for a line that is no message, on the goroutine that
	// reads: the line without its end, at most NoiseBytes of it, as it came
	// (to be cleaned before it is drawn), and how many there have been, this
	// one included. It may be nil.
	Noise func(line string, n int)

	// Oversize is called for a line longer than core.LineBytes, which was
	// skipped, on the goroutine that reads: n is its length in bytes. It may
	// be nil.
	Oversize func(n int64)
}

// NoiseBytes is how much of a line that is no message is handed on.
const NoiseBytes = 4 << 10
