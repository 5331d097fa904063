package acp

import (
	"encoding/base64"
	"encoding/json"
	"strconv"
	"strings"
)

// words is a content block as text: a text is itself, all others are said in
// words, in brackets. known is false for a kind that came after us.
func words(raw json.RawMessage) (s string, known bool) { return wordsOf(parse(raw)) }

func wordsOf(o object) (s string, known bool) {
	switch kind := o.text("type"); kind {
	case "text":
		return o.text("text"), true
	case "image", "audio":
		return bracket(kind, o.text("uri"), o.text("mimeType"), size(o.text("data"))), true
	case "resource_link":
		name := o.text("title")
		if name == "" {
			name = o.text("name")
		}
		bytes := ""
		if n := o.whole("size"); n > 0 {
			bytes = amount(n)
		}
		return bracket("resource "+name, o.text("uri"), o.text("mimeType"), bytes), true
	case "resource":
		return resource(o.object("resource")), true
	case "":
		return "", o == nil // a bare string or null says nothing
	default:
		return bracket("content of a kind that this version does not know: " + kind), false
	}
}

// resource is an embedded one: a text in full, anything else by its size.
func resource(o object) string {
	if !o.given("text") {
		return bracket("resource", o.text("uri"), o.text("mimeType"), size(o.text("blob")))
	}
	return bracket("resource", o.text("uri"), o.text("mimeType")) + "\n" + o.text("text")
}

func bracket(parts ...string) string {
	var said []string
	for _, p := range parts {
		if p != "" {
			said = append(said, p)
		}
	}
	return "[" + strings.Join(said, ", ") + "]"
}

// size says how much base64 data holds.
func size(data string) string {
	return amount(base64.RawStdEncoding.DecodedLen(len(strings.TrimRight(data, "="))))
}

func amount(bytes int) string {
	if bytes == 1 {
		return "1 byte"
	}
	return grouped(bytes) + " bytes"
}

// grouped writes a number with commas between its thousands.
func grouped(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// inline is a content block within an answer: what is no text stands in a line
// of its own.
func inline(raw json.RawMessage) (s string, known bool) {
	o := parse(raw)
	s, known = wordsOf(o)
	if s != "" && o.text("type") != "text" {
		s = "\n" + s + "\n"
	}
	return s, known
}
