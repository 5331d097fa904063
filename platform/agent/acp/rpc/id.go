package rpc

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"unicode/utf8"
)

// idBytes is the longest id that is accepted, as it is written.
const idBytes = 1024

// An ID is the id of a request, a number or a string. IDs of the same value
// are equal by ==, however they were written (1 and 1.0, "a" and "\u0061"). The zero
// ID is none, missing or null; 0 and "" are ids.
type ID struct {
	text string // as JSON, in one spelling
}

// number is the id of our own nth request.
func number(n int64) ID { return ID{strconv.FormatInt(n, 10)} }

// IsZero reports whether there is no id.
func (id ID) IsZero() bool { return id.text == "" }

// String is the id as JSON, for a log; "null" for none.
func (id ID) String() string {
	if id.text == "" {
		return "null"
	}
	return id.text
}

// MarshalJSON writes the id.
func (id ID) MarshalJSON() ([]byte, error) { return []byte(id.String()), nil }

// UnmarshalJSON reads an id, for example the one in the params of
// $/cancel_request.
func (id *ID) UnmarshalJSON(data []byte) error {
	parsed, ok := parseID(data)
	if !ok {
		return fmt.Errorf("%.40q is no id of a request", data)
	}
	*id = parsed
	return nil
}

// parseID reads a valid JSON value as an id; nil and null are none.
func parseID(value []byte) (ID, bool) {
	switch {
	case len(value) == 0 || string(value) == "null":
		return ID{}, true
	case len(value) > idBytes:
		return ID{}, false
	case value[0] == '"':
		return ID{spellString(value)}, true
	case value[0] == '-' || '0' <= value[0] && value[0] <= '9':
		return ID{spellNumber(value)}, true
	}
	return ID{}, false
}

// spellNumber writes whole numbers in one way and leaves others as they are.
func spellNumber(value []byte) string {
	if bytes.ContainsAny(value, ".eE") || string(value) == "-0" {
		f, err := strconv.ParseFloat(string(value), 64)
		if err == nil && f == math.Trunc(f) && math.Abs(f) < 1<<53 {
			return strconv.FormatInt(int64(f), 10)
		}
	}
	return string(value)
}

// spellString writes strings of one value in one way. One that has no exact
// value, with half a surrogate pair in it, stays as it is, for the answer has
// to bear it.
func spellString(value []byte) string {
	plain := true
	for _, b := range value[1 : len(value)-1] {
		plain = plain && b >= ' ' && b < utf8.RuneSelf && b != '\\'
	}
	if plain {
		return string(value)
	}
	if flawed(value[1 : len(value)-1]) {
		return string(bytes.ToValidUTF8(value, []byte("\uFFFD")))
	}
	var text string
	if err := json.Unmarshal(value, &text); err != nil {
		return string(value)
	}
	data, err := encode(text)
	if err != nil {
		return string(value)
	}
	return string(bytes.TrimSuffix(data, []byte("\n")))
}

// encode writes a value as one line. It leaves <, > and & as they are.
func encode(v any) ([]byte, error) {
	var line bytes.Buffer
	encoder := json.NewEncoder(&line)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return nil, err
	}
	return line.Bytes(), nil
}
