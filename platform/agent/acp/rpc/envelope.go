package rpc

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// strangers is how many members a message may have that JSON-RPC does not know.
const strangers = 16

// An envelope is a message before anybody looks into its values: parts of the
// line that it stands in, nil for those that are missing.
type envelope struct {
	version, id, method, params, result, failure []byte

	fault string // why JSON-RPC does not allow the message; empty: it may
	cut   []byte // the member in which the line breaks off, when it is no JSON
	deep  bool   // it is nested deeper than core.NestingDepth
	vague bool   // the id is there twice

	others [][]byte // the names that JSON-RPC does not know
}

// read reads a line that begins with a brace, in one pass. It reports whether
// the line is JSON; if it is not, what came before the fault is in e.
//
// Two readers must not see two messages in a line: names count in their exact
// case, and none may be there twice, in whatever case (T36).
func (e *envelope) read(s *scanner, line []byte) bool {
	*e = envelope{others: e.others[:0]}
	s.reset(line)
	s.push('{')
	if s.space(); s.eat('}') {
		return s.end()
	}
	for {
		name, ok := s.name()
		if !ok {
			return false
		}
		s.space()
		start := s.pos
		e.cut = name
		if !s.value() {
			return false
		}
		value := line[start:s.pos]
		s.space()
		last := s.eat('}')
		if !last && !s.eat(',') {
			return false
		}
		e.take(name, value)
		if last {
			e.cut, e.deep = nil, s.deep
			return s.end()
		}
	}
}

// name skips a member's name and the colon behind it, and returns the name
// without its escapes.
func (s *scanner) name() ([]byte, bool) {
	s.space()
	start := s.pos + 1
	if !s.eat('"') || !s.str() {
		return nil, false
	}
	raw := s.data[start : s.pos-1]
	s.space()
	return unescape(raw), s.eat(':')
}

// end reports whether nothing but white space is left.
func (s *scanner) end() bool {
	s.space()
	return s.pos == len(s.data)
}

// unescape returns the value of a valid string whose quotes were taken off.
func unescape(raw []byte) []byte {
	if bytes.IndexByte(raw, '\\') < 0 {
		return raw
	}
	quoted := make([]byte, 0, len(raw)+2)
	quoted = append(append(append(quoted, '"'), raw...), '"')
	var text string
	if err := json.Unmarshal(quoted, &text); err != nil {
		return raw
	}
	return []byte(text)
}

// slot is where the value of a member is kept, nil for one that JSON-RPC does
// not know.
func (e *envelope) slot(name []byte) *[]byte {
	switch string(name) {
	case "jsonrpc":
		return &e.version
	case "id":
		return &e.id
	case "method":
		return &e.method
	case "params":
		return &e.params
	case "result":
		return &e.result
	case "error":
		return &e.failure
	}
	return nil
}

// take keeps the value of a member, or notes why the member must not be there.
func (e *envelope) take(name, value []byte) {
	if slot := e.slot(name); slot != nil {
		if *slot != nil {
			e.fault = fmt.Sprintf("the member %q is there twice", name)
			e.vague = e.vague || slot == &e.id
		}
		*slot = value
		return
	}
	for _, known := range []string{"jsonrpc", "id", "method", "params", "result", "error"} {
		if bytes.EqualFold(name, []byte(known)) {
			e.fault = fmt.Sprintf("the member %q is written %q", known, name)
		}
	}
	for _, other := range e.others {
		if bytes.EqualFold(name, other) {
			e.fault = fmt.Sprintf("the member %.40q is there twice", name)
		}
	}
	if len(e.others) == strangers {
		e.fault = "it has too many members"
		return
	}
	e.others = append(e.others, name)
}

// key returns the id of the message, none if that is not clear. ok is false for
// something else than an id.
func (e *envelope) key() (id ID, ok bool) {
	if e.vague {
		return ID{}, false
	}
	return parseID(e.id)
}

// isAnswer reports whether the message answers a request.
func (e *envelope) isAnswer() bool {
	return e.method == nil && (e.result != nil || e.failure != nil)
}

// isMessage reports whether the line wants to be a message at all: programs
// log objects, too.
func (e *envelope) isMessage() bool {
	return e.version != nil || e.id != nil || e.method != nil || e.result != nil || e.failure != nil || e.fault != ""
}

// why says what is wrong with a message of either kind; empty: nothing.
func (e *envelope) why() string {
	switch {
	case e.fault != "":
		return e.fault
	case e.deep:
		return "it is nested too deep"
	case string(e.version) != `"2.0"`:
		return `it lacks "jsonrpc": "2.0"`
	case e.method != nil && (e.result != nil || e.failure != nil):
		return "it is both a request and an answer"
	case e.isAnswer() && !isNull(e.failure) && !isNull(e.result):
		return "it has both a result and an error"
	case e.isAnswer() && e.result == nil && isNull(e.failure):
		return "it has neither a result nor an error"
	}
	return ""
}

// isNull reports whether a value is missing or null.
func isNull(value []byte) bool { return value == nil || string(value) == "null" }
