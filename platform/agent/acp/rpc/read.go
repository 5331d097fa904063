package rpc

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"copydesk/core"
)

const (
	// openRequests is how many requests of the peer's may wait for an answer.
	openRequests = 4096

	// knownMethods and knownBytes bound the names of methods that are kept.
	knownMethods = 64
	knownBytes   = 64
)

// read reads and hands over until the connection ends.
func (c *Conn) read() {
	for {
		line, err := c.lines.next()
		select {
		case <-c.ended:
			return
		default:
		}
		switch {
		case err == nil:
			c.line(line)
		case errors.Is(err, ErrLine):
			c.long(line)
		default:
			c.finish(c.lastLine(line, err))
			return
		}
		if c.lines.owned() {
			c.msg, c.scan = envelope{}, scanner{} // they hold the long line
		}
		if c.run >= core.NoiseLines {
			c.finish(fmt.Errorf("%w: %d lines in a row were no message", ErrNoise, c.run))
			return
		}
	}
}

// lastLine returns why reading ended. An unfinished line is never a message, even
// if it is whole but for its end (R15).
func (c *Conn) lastLine(rest []byte, err error) error {
	if !errors.Is(err, io.EOF) {
		return fmt.Errorf("read from the agent: %w", err)
	}
	switch rest = trim(rest); {
	case len(rest) == 0:
	case rest[0] == '{':
		return fmt.Errorf("the agent ended within a message, %d bytes after it began: %w", len(rest), io.ErrUnexpectedEOF)
	default:
		c.noisy(rest)
	}
	return io.EOF
}

// line handles one line.
func (c *Conn) line(line []byte) {
	line = trim(line)
	if len(line) == 0 {
		return
	}
	switch line[0] {
	case '{':
		if c.msg.read(&c.scan, line) && c.msg.isMessage() {
			c.run = 0
			c.message(&c.msg)
			return
		}
	case '[':
		if c.scan.whole(line) {
			c.run = 0
			c.reject(ID{}, InvalidRequest, "batches are not supported")
			return
		}
	}
	c.noisy(line)
}

// trim takes the white space of JSON off a line.
func trim(line []byte) []byte {
	for len(line) > 0 && isSpace(line[0]) {
		line = line[1:]
	}
	for len(line) > 0 && isSpace(line[len(line)-1]) {
		line = line[:len(line)-1]
	}
	return line
}

// noisy counts a line that is no message, and shows it (R12).
func (c *Conn) noisy(line []byte) {
	c.noise++
	c.run++
	if c.o.Noise != nil {
		c.o.Noise(string(line[:min(len(line), NoiseBytes)]), c.noise)
	}
}

// long handles a line that was too long by its beginning: whoever waits for it
// learns that it cannot come (R11).
func (c *Conn) long(head []byte) {
	n := c.lines.skipped
	c.log.Debug("a line of the agent's is too long and was skipped", "bytes", n)
	if head = trim(head); len(head) > 0 && head[0] == '{' && !c.msg.read(&c.scan, head) {
		id, ok := c.msg.key()
		cut := string(c.msg.cut)
		switch {
		case !ok || id.IsZero() || c.msg.fault != "":
		case cut == "result" || cut == "error":
			if waiting, ok := c.take(id); ok {
				waiting.done(nil, fmt.Errorf("%s: %w: %d MiB", waiting.method, ErrLine, n>>20))
			}
		case c.msg.method != nil:
			c.reject(id, InvalidRequest, fmt.Sprintf("the message is longer than %d MiB", core.LineBytes>>20))
		}
	}
	if c.o.Oversize != nil {
		c.o.Oversize(n)
	}
}

// message handles a message, whatever its kind.
func (c *Conn) message(m *envelope) {
	id, ok := m.key()
	if m.isAnswer() {
		c.answered(m, id)
		return
	}
	why, code := m.why(), InvalidRequest
	switch {
	case why != "":
	case !ok:
		why = "its id is neither a number nor a string"
	case m.method == nil:
		why = "it has no method"
	case m.method[0] != '"':
		why = "its method is no string"
	case !isNull(m.params) && m.params[0] != '{' && m.params[0] != '[':
		why, code = "its params are neither an object nor an array", InvalidParams
	}
	isNotification := ok && id.IsZero() && m.method != nil && m.method[0] == '"'
	switch {
	case why == "" && id.IsZero():
		c.o.Handle.Notify(c.method(m.method), params(m))
	case why == "":
		c.requested(m, id)
	case isNotification:
		c.log.Debug("a notification of the agent's was ignored", "why", why, "method", c.method(m.method))
	default:
		c.reject(id, code, "the message is no valid request: "+why)
	}
}

func params(m *envelope) json.RawMessage {
	if isNull(m.params) {
		return nil
	}
	return m.params
}

// method returns the name of a method from its JSON.
func (c *Conn) method(quoted []byte) string {
	raw := quoted[1 : len(quoted)-1]
	if name, known := c.methods[string(raw)]; known {
		return name
	}
	name := strings.ToValidUTF8(string(unescape(raw)), "\uFFFD")
	if len(c.methods) < knownMethods && len(raw) <= knownBytes {
		c.methods[string(raw)] = name
	}
	return name
}

// requested hands over a request, once for each id that is open.
func (c *Conn) requested(m *envelope, id ID) {
	c.mu.Lock()
	_, twice := c.open[id]
	many := len(c.open) >= openRequests
	if !twice && !many {
		c.open[id] = struct{}{}
	}
	c.mu.Unlock()

	switch {
	case twice:
		c.reject(id, InvalidRequest, fmt.Sprintf("a request with the id %v waits for its answer already", id))
	case many:
		c.reject(id, InternalError, "too many requests wait for their answers")
	default:
		c.o.Handle.Request(id, c.method(m.method), c.kept(params(m)))
	}
}

// kept returns a part of the line for good.
func (c *Conn) kept(part []byte) json.RawMessage {
	if c.lines.owned() {
		return part
	}
	return bytes.Clone(part)
}

// answered hands over the answer to a call.
func (c *Conn) answered(m *envelope, id ID) {
	waiting, ok := c.take(id)
	if id.IsZero() || !ok {
		c.log.Debug("an answer of the agent's was ignored: nobody waits for it", "id", id.String())
		return
	}
	if why := m.why(); why != "" {
		waiting.done(nil, fmt.Errorf("%s: %w: %s", waiting.method, ErrMalformed, why))
		return
	}
	if !isNull(m.failure) {
		waiting.done(nil, failure(m.failure))
		return
	}
	result := json.RawMessage(m.result)
	if waiting.keep {
		result = c.kept(result)
	}
	waiting.done(result, nil)
}

// failure reads the error of an answer. One that is not as JSON-RPC wants it is
// an error all the same.
func failure(value []byte) *Error {
	var fields struct {
		Code    json.Number     `json:"code"`
		Message string          `json:"message"`
		Data    json.RawMessage `json:"data"`
	}
	if err := json.Unmarshal(value, &fields); err != nil {
		return &Error{Code: InternalError, Message: strings.ToValidUTF8(string(value[:min(len(value), NoiseBytes)]), "\uFFFD")}
	}
	e := &Error{Code: InternalError, Message: fields.Message, Data: fields.Data}
	if code, err := fields.Code.Int64(); err == nil {
		e.Code = int(code)
	}
	return e
}

// reject refuses a message that nobody is asked about. Its answer must not pass
// for that to a request with the same id which waits (T48): it bears no id
// then, as JSON-RPC wants it for a request that has none that counts.
func (c *Conn) reject(id ID, code int, why string) {
	c.mu.Lock()
	if _, waits := c.open[id]; waits {
		id = ID{}
	}
	line, err := refusal(id, code, why)
	if err == nil {
		err = c.enqueue(packet{line: line})
	}
	c.mu.Unlock()
	c.log.Debug("a message of the agent's was refused", "why", why, "id", id.String(), "error", err)
}
