package rpc

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"slices"
	"sync"

	"copydesk/core"
)

// A Conn is a connection to a peer. Its methods are safe from any goroutine,
// also from a Handler's methods; but Call waits for the goroutine that runs
// those.
type Conn struct {
	lines   lineReader
	w       io.Writer
	o       Options
	log     *slog.Logger
	started sync.Once
	bell    chan struct{} // there is something to write
	ended   chan struct{} // the connection has ended; see err
	done    chan struct{} // besides, all calls know

	// Of the goroutine that reads.
	scan    scanner
	msg     envelope
	methods map[string]string // names that came before, which need no new memory
	noise   int               // lines that were no message, and
	run     int               // how many of them in a row

	mu     sync.Mutex
	err    error // why the connection ended
	broken error // why nothing can be written any more
	last   int64 // the id of our last request
	calls  map[ID]call
	open   map[ID]struct{} // requests of the peer's that wait for an answer
	queue  []packet
	queued int // bytes, those included that are just being written
}

// A call is a request of ours that waits for its answer.
type call struct {
	seq    int64
	method string
	keep   bool // done keeps the result
	done   func(result json.RawMessage, err error)
}

// A packet is a line to be written. id is that of our request, if it is one.
type packet struct {
	line []byte
	id   ID
}

// New returns a connection that reads lines from r and writes lines to w. It
// does neither before Start, or before the first Call, Send or Notify, so the
// handler can know its connection.
//
// A Conn closes neither r nor w. It ends with r. Its writer can hang in a Write
// until w is closed.
func New(r io.Reader, w io.Writer, o Options) *Conn {
	c := &Conn{
		lines:   lineReader{r: r, max: core.LineBytes},
		w:       w,
		o:       o,
		log:     o.Log,
		bell:    make(chan struct{}, 1),
		ended:   make(chan struct{}),
		done:    make(chan struct{}),
		methods: make(map[string]string),
		calls:   make(map[ID]call),
		open:    make(map[ID]struct{}),
	}
	if c.log == nil {
		c.log = slog.New(slog.DiscardHandler)
	}
	return c
}

// Start begins to read and to write, unless it was done before.
func (c *Conn) Start() {
	c.started.Do(func() {
		c.o.Go(c.read)
		c.o.Go(c.write)
	})
}

// Call makes a request and waits for its answer, which it decodes into result
// unless that is nil. params is nil or encodes to an object or an array. When
// Call returns, all that the peer sent before the answer has been handled;
// what it sent afterwards may have been, too: see Send.
//
// A refusal is an *Error. When ctx ends first, Call returns its error at once
// and tells the peer nothing; an answer that comes later is dropped.
func (c *Conn) Call(ctx context.Context, method string, params, result any) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	type answer struct {
		result json.RawMessage
		err    error
	}
	answers := make(chan answer, 1)
	id, err := c.send(method, params, call{
		keep: result != nil,
		done: func(result json.RawMessage, err error) { answers <- answer{result, err} },
	})
	if err != nil {
		return err
	}
	var a answer
	select {
	case a = <-answers:
	case <-ctx.Done():
		if c.forget(id) {
			return fmt.Errorf("%s: %w", method, ctx.Err())
		}
		a = <-answers // it is being handed over
	}
	if a.err != nil || result == nil {
		return a.err
	}
	if err := json.Unmarshal(a.result, result); err != nil {
		return fmt.Errorf("%s: %w: %w", method, ErrMalformed, err)
	}
	return nil
}

// Send makes a request and returns at once. Unless it fails, done is called
// exactly once: for the answer on the goroutine that reads, in order with all
// else that the peer sends; when none can come any more, on that goroutine, the
// one that writes or the one that calls Close. result is valid only until done
// returns. err is an *Error for a refusal.
func (c *Conn) Send(method string, params any, done func(result json.RawMessage, err error)) (ID, error) {
	return c.send(method, params, call{done: done})
}

// A request is one of ours, or a notification when it has no id.
type request struct {
	Version string `json:"jsonrpc"`
	ID      ID     `json:"id,omitzero"`
	Method  string `json:"method"`
	Params  any    `json:"params,omitempty"`
}

func (c *Conn) send(method string, params any, waiting call) (ID, error) {
	c.mu.Lock()
	c.last++
	waiting.seq, waiting.method = c.last, method
	c.mu.Unlock()

	id := number(waiting.seq)
	line, err := encode(request{"2.0", id, method, params})
	if err != nil {
		return ID{}, fmt.Errorf("%s: %w", method, err)
	}
	c.mu.Lock()
	if err = c.enqueue(packet{line, id}); err == nil {
		c.calls[id] = waiting
	}
	c.mu.Unlock()
	if err != nil {
		return ID{}, fmt.Errorf("%s: %w", method, err)
	}
	c.Start()
	return id, nil
}

// Cancel asks the peer to give up a request that Send made, with the
// notification $/cancel_request. Its answer comes all the same.
func (c *Conn) Cancel(id ID) error {
	return c.Notify("$/cancel_request", struct {
		ID ID `json:"requestId"`
	}{id})
}

// Notify sends a notification. params is as for Call.
func (c *Conn) Notify(method string, params any) error {
	line, err := encode(request{"2.0", ID{}, method, params})
	if err == nil {
		c.mu.Lock()
		err = c.enqueue(packet{line: line})
		c.mu.Unlock()
	}
	if err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	c.Start()
	return nil
}

// Answer answers a request of the peer's. One Answer or Refuse to each is
// sent, whoever makes it first; the others fail with ErrAnswered (T48). After
// any other error nothing was sent, and the request waits still.
func (c *Conn) Answer(id ID, result any) error {
	line, err := encode(struct {
		Version string `json:"jsonrpc"`
		ID      ID     `json:"id"`
		Result  any    `json:"result"`
	}{"2.0", id, result})
	return c.reply(id, line, err)
}

// Refuse answers a request of the peer's with an error. See Answer.
func (c *Conn) Refuse(id ID, code int, message string) error {
	line, err := refusal(id, code, message)
	return c.reply(id, line, err)
}

// refusal writes an answer that is an error.
func refusal(id ID, code int, message string) ([]byte, error) {
	return encode(struct {
		Version string `json:"jsonrpc"`
		ID      ID     `json:"id"`
		Error   struct {
			Code    int    `json:"code"`
			Message string `json:"message"`
		} `json:"error"`
	}{"2.0", id, struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	}{code, message}})
}

func (c *Conn) reply(id ID, line []byte, err error) error {
	if err == nil {
		c.mu.Lock()
		if _, waits := c.open[id]; waits {
			if err = c.enqueue(packet{line: line}); err == nil {
				delete(c.open, id)
			}
		} else if err = c.over(); err == nil {
			err = ErrAnswered
		}
		c.mu.Unlock()
	}
	if err != nil {
		return fmt.Errorf("answer request %v: %w", id, err)
	}
	return nil
}

// Close ends the connection: what waits to be written is dropped, calls fail
// with ErrClosed, and the handler is not called again (a call that runs goes
// on). r and w are left as they are.
func (c *Conn) Close() { c.finish(ErrClosed) }

// finish ends the connection for a reason; only the first one counts.
func (c *Conn) finish(reason error) {
	c.mu.Lock()
	if c.err != nil {
		c.mu.Unlock()
		return
	}
	c.err = reason
	waiting := slices.SortedFunc(maps.Values(c.calls), func(a, b call) int { return cmp.Compare(a.seq, b.seq) })
	clear(c.calls)
	clear(c.open)
	c.queue, c.queued = nil, 0
	c.mu.Unlock()

	close(c.ended)
	for _, call := range waiting {
		call.done(nil, unanswered(call, reason))
	}
	close(c.done)
}

// unanswered is the error of a call whose answer cannot come any more.
func unanswered(c call, reason error) error {
	if errors.Is(reason, ErrClosed) {
		return fmt.Errorf("%s: %w", c.method, reason)
	}
	return fmt.Errorf("%s: the agent gave no answer: %w", c.method, reason)
}

// Done is closed when the connection has ended and all that came was handled.
func (c *Conn) Done() <-chan struct{} { return c.done }

// Err is why the connection ended, nil before: io.EOF when the peer ended
// between two messages; an error that is io.ErrUnexpectedEOF when it ended
// within one (R15); ErrNoise; ErrClosed; or what reading failed with.
func (c *Conn) Err() error {
	select {
	case <-c.done:
	default:
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// over is the error of what comes after the connection's end, nil before. c.mu is
// held.
func (c *Conn) over() error {
	if c.err == nil || errors.Is(c.err, ErrClosed) {
		return c.err
	}
	return fmt.Errorf("the connection to the agent has ended: %w", c.err)
}

// forget drops a call, and reports whether it still waited.
func (c *Conn) forget(id ID) bool {
	_, waited := c.take(id)
	return waited
}

// take removes a call that waits for an answer.
func (c *Conn) take(id ID) (call, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	waiting, ok := c.calls[id]
	delete(c.calls, id)
	return waiting, ok
}
