package acp

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf8"
)

// An object is a JSON object as it was written: its keys in their order and
// case, also those that come twice. Reading into a struct would take "Command"
// for "command" and the last of two for the only one (T36, CVE-2026-27896), and
// one field of an odd type would cost the whole message.
type object []member

// A member is one key of an object.
type member struct {
	key   string
	value json.RawMessage // part of what was read
}

// parse reads an object; it is nil for anything else. What cannot be read ends
// it. The values are parts of raw.
func parse(raw json.RawMessage) object {
	i := blanks(raw, 0)
	if i >= len(raw) || raw[i] != '{' {
		return nil
	}
	o := make(object, 0, 4)
	for i++; ; i++ {
		from := blanks(raw, i)
		if from >= len(raw) || raw[from] != '"' {
			return o
		}
		to := value(raw, from)
		key, ok := name(raw[from:to])
		colon := blanks(raw, to)
		if !ok || colon >= len(raw) || raw[colon] != ':' {
			return o
		}
		from = blanks(raw, colon+1)
		to = value(raw, from)
		if to == from {
			return o
		}
		o = append(o, member{key: key, value: raw[from:to:to]})
		if i = blanks(raw, to); i >= len(raw) || raw[i] != ',' {
			return o
		}
	}
}

// list reads an array; it is nil for anything else. The items are parts of raw.
func list(raw json.RawMessage) []json.RawMessage {
	i := blanks(raw, 0)
	if i >= len(raw) || raw[i] != '[' {
		return nil
	}
	out := []json.RawMessage{}
	for i++; ; i++ {
		from := blanks(raw, i)
		to := value(raw, from)
		if to == from {
			return out
		}
		out = append(out, raw[from:to:to])
		if i = blanks(raw, to); i >= len(raw) || raw[i] != ',' {
			return out
		}
	}
}

func blanks(raw []byte, i int) int {
	for i < len(raw) && (raw[i] == ' ' || raw[i] == '\n' || raw[i] == '\t' || raw[i] == '\r') {
		i++
	}
	return i
}

// value returns where the value that begins at i ends; i if there is none.
func value(raw []byte, i int) int {
	depth := 0
	for i < len(raw) {
		switch raw[i] {
		case '"':
			i = quotation(raw, i)
		case '{', '[':
			depth++
			i++
			continue
		case '}', ']':
			if depth == 0 {
				return i
			}
			depth--
			i++
		case ',', ':':
			if depth == 0 {
				return i
			}
			i++
			continue
		case ' ', '\n', '\t', '\r':
			if depth == 0 {
				return i
			}
			i++
			continue
		default:
			for i < len(raw) && !bytes.ContainsRune([]byte(" \n\t\r,:]}[{\""), rune(raw[i])) {
				i++
			}
		}
		if depth == 0 {
			return i
		}
	}
	return len(raw)
}

// quotation returns where the string that begins at i ends.
func quotation(raw []byte, i int) int {
	for i++; i < len(raw); i++ {
		j := bytes.IndexAny(raw[i:], `"\`)
		if j < 0 {
			break
		}
		if i += j; raw[i] == '"' {
			return i + 1
		}
		i++ // what is escaped
	}
	return len(raw)
}

// unquote reads a string. Bytes that are no UTF-8 become U+FFFD (R10).
func unquote(raw json.RawMessage) (string, bool) {
	if len(raw) < 2 || raw[0] != '"' {
		return "", false
	}
	if inner := raw[1 : len(raw)-1]; raw[len(raw)-1] == '"' && bytes.IndexByte(inner, '\\') < 0 && utf8.Valid(inner) {
		return string(inner), true
	}
	var s string
	err := json.Unmarshal(raw, &s)
	return s, err == nil
}

// name reads a key. The ones that come with every message need no new memory.
func name(raw json.RawMessage) (string, bool) {
	switch string(raw) {
	case `"sessionId"`:
		return "sessionId", true
	case `"update"`:
		return "update", true
	case `"sessionUpdate"`:
		return "sessionUpdate", true
	case `"content"`:
		return "content", true
	case `"messageId"`:
		return "messageId", true
	case `"type"`:
		return "type", true
	case `"text"`:
		return "text", true
	case `"toolCallId"`:
		return "toolCallId", true
	}
	return unquote(raw)
}

// get returns the value of a key, nil if there is none. Of a key that is there
// twice it is the last one.
func (o object) get(key string) json.RawMessage {
	for i := len(o) - 1; i >= 0; i-- {
		if o[i].key == key {
			return o[i].value
		}
	}
	return nil
}

// given reports whether a key has a value that is not null.
func (o object) given(key string) bool { return !isNull(o.get(key)) }

func isNull(raw json.RawMessage) bool { return len(raw) == 0 || string(raw) == "null" }

// text returns a string, empty for anything else.
func (o object) text(key string) string {
	s, _ := unquote(o.get(key))
	return s
}

// object returns an object, nil for anything else.
func (o object) object(key string) object { return parse(o.get(key)) }

// list returns an array's items, nil for anything else.
func (o object) list(key string) []json.RawMessage { return list(o.get(key)) }

// truth reports whether a key is true.
func (o object) truth(key string) bool { return string(o.get(key)) == "true" }

// number returns a number, nil for anything else.
func (o object) number(key string) *float64 {
	n, err := strconv.ParseFloat(string(o.get(key)), 64)
	if err != nil {
		return nil
	}
	return &n
}

// whole returns a number without its fraction, 0 for anything that is none or
// below 0.
func (o object) whole(key string) int {
	n := o.number(key)
	if n == nil || !(*n > 0) || *n > 1<<53 {
		return 0
	}
	return int(*n)
}

// texts returns the strings of an array; what is none is left out.
func (o object) texts(key string) []string {
	var out []string
	for _, raw := range o.list(key) {
		if s, ok := unquote(raw); ok {
			out = append(out, s)
		}
	}
	return out
}

// plain is a value in words: a string without quotes, anything else as JSON,
// with line breaks where it is nested.
func plain(raw json.RawMessage) string {
	if s, ok := unquote(raw); ok {
		return s
	}
	if len(raw) > 0 && (raw[0] == '{' || raw[0] == '[') {
		var b bytes.Buffer
		if json.Indent(&b, raw, "", "  ") == nil {
			return strings.ToValidUTF8(b.String(), "\uFFFD")
		}
	}
	return strings.ToValidUTF8(string(raw), "\uFFFD")
}
