package acp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"copydesk/core/text"
	"copydesk/platform/agent/acp/rpc"
)

// What is shown of what a program complained about: lines, and bytes of each.
const (
	lastWords = 10
	wordBytes = 400
)

// environ is the whole environment of the program, sorted where it is ours.
func (o Options) environ() []string {
	var out []string
	for _, e := range o.Environ {
		name, _, _ := strings.Cut(e, "=")
		if _, ours := o.Env[name]; !ours {
			out = append(out, e)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(o.Env)) {
		out = append(out, name+"="+o.Env[name])
	}
	return out
}

var secretName = regexp.MustCompile(`(?i)key|token|secret|passw|credential|auth|cookie`)

// secretBytes is how long a value must be to be taken for a secret: shorter ones
// stand in every text.
const secretBytes = 6

// secrets takes the values out of texts whose names in the environment say that
// they are secret (T37). What is left names the variable.
func secrets(environ []string) *strings.Replacer {
	values := map[string]string{}
	for _, e := range environ {
		name, value, _ := strings.Cut(e, "=")
		if len(value) >= secretBytes && secretName.MatchString(name) {
			values[value] = "[" + name + "]"
		}
	}
	var pairs []string
	longest := func(a, b string) int { return len(b) - len(a) }
	for _, value := range slices.SortedFunc(maps.Keys(values), longest) {
		pairs = append(pairs, value, values[value])
	}
	return strings.NewReplacer(pairs...)
}

// lastLines is the end of what a program complained about, without its colours.
func lastLines(raw string) string {
	plain, _ := text.Strip(sequences.ReplaceAllString(raw, ""))
	var lines []string
	for line := range strings.Lines(plain) {
		if line = strings.TrimRightFunc(line, unicode.IsSpace); line == "" {
			continue
		}
		if len(line) > wordBytes {
			line = strings.ToValidUTF8(line[:wordBytes], "") + "…"
		}
		lines = append(lines, line)
	}
	return strings.Join(lines[max(0, len(lines)-lastWords):], "\n")
}

// sequences are the control sequences that colour a program's complaints
// (ECMA-48 §5.4) and set titles.
var sequences = regexp.MustCompile("\x1b(\\[[0-?]*[ -/]*[@-~]|\\][^\x07\x1b]*(\x07|\x1b\\\\))")

// spelled is a command as it would be typed.
func spelled(argv []string) string {
	var out []string
	for _, arg := range argv {
		if !bare.MatchString(arg) {
			arg = quoted(arg)
		}
		out = append(out, arg)
	}
	return strings.Join(out, " ")
}

// sentence makes an error's text one that users read.
func sentence(s string) string {
	s = strings.TrimSpace(s)
	first, size := utf8.DecodeRuneInString(s)
	if name, _, _ := strings.Cut(s, " "); strings.ToLower(name) == name && unicode.IsLetter(first) {
		s = string(unicode.ToUpper(first)) + s[size:]
	}
	if s != "" && !strings.ContainsAny(s[len(s)-1:], ".!?`") {
		s += "."
	}
	return s
}

// refusal is what an agent says in an error, in one line if it can be: some put
// JSON into the message, others all that matters into the data.
func refusal(e *rpc.Error) string {
	said := innermost(json.RawMessage(strings.TrimSpace(e.Message)))
	if said == "" {
		said = strings.TrimSpace(e.Message)
	}
	if more := innermost(e.Data); more != "" && !strings.Contains(said, more) {
		said = strings.TrimPrefix(said+": "+more, ": ")
	}
	if said == "" {
		said = "it does not say why"
	}
	return fmt.Sprintf("%s (error %d)", said, e.Code)
}

// dataBytes is how much is shown of data that we do not understand.
const dataBytes = 600

// innermost finds the sentence in the data of an error.
func innermost(raw json.RawMessage) string {
	if s, ok := unquote(raw); ok {
		if inner := innermost(json.RawMessage(s)); inner != "" && json.Valid([]byte(s)) {
			return inner
		}
		return s
	}
	o := parse(raw)
	if o == nil || !json.Valid(raw) {
		return ""
	}
	for _, key := range []string{"message", "details", "detail", "error", "reason", "data"} {
		if s := innermost(o.get(key)); s != "" {
			return s
		}
	}
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil || b.Len() <= len("{}") {
		return ""
	}
	s := b.String()
	if len(s) > dataBytes {
		s = s[:dataBytes] + "…"
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}
