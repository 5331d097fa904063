package history

import (
	"bytes"
	"encoding/json"
	"iter"
	"time"
	"unicode/utf8"

	"copydesk/core/record"
)

// seat is whose prompts go together.
type seat struct{ agent, dir string }

type entry struct {
	seat
	at   time.Time
	text string
}

// written is a line of the file. With Bytes set each character of its strings
// stands for a byte: JSON itself cannot hold what is no UTF-8.
type written struct {
	Time  string `json:"t"`
	Agent string `json:"agent"`
	Dir   string `json:"dir"`
	Text  string `json:"text"`
	Bytes bool   `json:"bytes,omitempty"`
}

// line is the entry as JSON with a line end.
func (e entry) line() []byte {
	w := written{e.at.UTC().Format(time.RFC3339Nano), e.agent, e.dir, e.text, false}
	if !utf8.ValidString(e.agent) || !utf8.ValidString(e.dir) || !utf8.ValidString(e.text) {
		w.Agent, w.Dir, w.Text, w.Bytes = record.Widen(e.agent), record.Widen(e.dir), record.Widen(e.text), true
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(w); err != nil {
		panic(err) // strings can always be written
	}
	return b.Bytes()
}

// backward yields the prompts of a seat in lines of the file, the newest first.
// It passes over what is no such line.
func backward(data []byte, who seat) iter.Seq[string] {
	return func(yield func(string) bool) {
		for len(data) > 0 {
			data = bytes.TrimSuffix(data, []byte{'\n'})
			at := bytes.LastIndexByte(data, '\n') + 1
			line := data[at:]
			data = data[:at]
			if text, ok := parse(line, who); ok && !yield(text) {
				return
			}
		}
	}
}

// parse reads a line, if it is one of a seat's.
func parse(line []byte, who seat) (string, bool) {
	if another(line, who) {
		return "", false
	}
	var w written
	if json.Unmarshal(line, &w) != nil {
		return "", false
	}
	if w.Bytes {
		w.Agent, w.Dir, w.Text = record.Narrow(w.Agent), record.Narrow(w.Dir), record.Narrow(w.Text)
	}
	return w.Text, w.Agent == who.agent && w.Dir == who.dir && w.Text != ""
}

// another reports whether a line is surely of another seat: nothing in its seat
// is escaped or stands for bytes, and it differs. It spares reading most lines.
func another(line []byte, who seat) bool {
	rest, ok := bytes.CutPrefix(line, []byte(`{"t":"`))
	if !ok || bytes.HasSuffix(line, []byte(`,"bytes":true}`)) {
		return false
	}
	at, rest, ok1 := bytes.Cut(rest, []byte(`","agent":"`))
	agent, rest, ok2 := bytes.Cut(rest, []byte(`","dir":"`))
	dir, _, ok3 := bytes.Cut(rest, []byte(`","text":"`))
	if !ok1 || !ok2 || !ok3 || bytes.ContainsRune(at, '\\') || bytes.ContainsRune(agent, '\\') || bytes.ContainsRune(dir, '\\') {
		return false
	}
	return string(agent) != who.agent || string(dir) != who.dir
}
