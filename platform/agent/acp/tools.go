package acp

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"copydesk/core"
	"copydesk/core/diff"
	"copydesk/core/session"
)

// What is remembered of a session's tool calls, so that an update can name only
// what has changed: how many, and how many bytes of what they show.
const (
	callsKept     = 1000
	callBytesKept = core.LineBytes
)

// A call is a tool call as far as it has been told. The first update of an id
// makes it, whatever kind of update that is.
type call struct {
	id, title, kind string
	status          session.Status

	content       []json.RawMessage
	locations     []place
	input, output json.RawMessage
	cwd           string // that an input has named, also when a later one does not

	held     int  // bytes that all of this is
	forgot   bool // that it was let go of
	streamed bool // output came piece by piece, outside of the content
	rejected bool // the user has rejected it
}

type place struct {
	path string
	line int // from 1; 0: unknown
}

func (p place) String() string {
	if p.line == 0 {
		return p.path
	}
	return p.path + ":" + strconv.Itoa(p.line)
}

// call returns what is known of an id, and whether it is new.
func (c *conversation) call(id string) (k *call, isNew bool) {
	if k := c.calls[id]; k != nil {
		return k, false
	}
	k = &call{id: id}
	c.calls[id] = k
	c.order = append(c.order, id)
	if len(c.order) > callsKept {
		c.held -= c.calls[c.order[0]].held
		delete(c.calls, c.order[0])
		c.order = c.order[1:]
	}
	return k, true
}

// weigh counts what a call holds, and lets go of what the oldest ones do when
// that is too much. What has ended is not needed again.
func (c *conversation) weigh(k *call) {
	c.held -= k.held
	k.held = len(k.input) + len(k.output)
	for _, raw := range k.content {
		k.held += len(raw)
	}
	c.held += k.held
	if k.status == session.Done || k.status == session.Failed {
		c.forget(k)
	}
	for _, id := range c.order {
		if c.held <= callBytesKept {
			break
		}
		if c.calls[id] != k {
			c.forget(c.calls[id])
		}
	}
}

func (c *conversation) forget(k *call) {
	c.held -= k.held
	k.content, k.input, k.output, k.held, k.forgot = nil, nil, nil, 0, true
}

// take applies an update: what is absent or null has not changed, what is there
// replaces what was. It returns what the pane has to know; changed is false if
// that is nothing.
func (k *call) take(o object) (e session.ToolCall, changed bool) {
	e.ID = k.id
	title := o.text("title")
	if title == "" && k.title == "" {
		title = o.text("name")
	}
	if title != "" && title != k.title {
		k.title, e.Title = title, title
	}
	if kind := o.text("kind"); kind != "" && kind != k.kind {
		k.kind, e.Kind = kind, kind
	}
	if s := callStatus(o.text("status")); s != session.NoStatus && s != k.status {
		k.status, e.Status = s, s
	}
	if k.takeParts(o) {
		e.Parts = k.parts()
	}
	e.Chunk = k.stream(o.object("_meta"))
	return e, e.Title != "" || e.Kind != "" || e.Status != session.NoStatus || e.Parts != nil || e.Chunk != ""
}

// callStatus is a status of the protocol. A call that waits to begin runs for
// whoever looks at it: agents go back and forth between the two.
func callStatus(s string) session.Status {
	switch s {
	case "pending", "in_progress":
		return session.Running
	case "completed":
		return session.Done
	case "failed":
		return session.Failed
	}
	return session.NoStatus
}

// takeParts takes over what the call shows, and reports whether it shows
// something else now.
func (k *call) takeParts(o object) bool {
	changed := false
	if items := o.list("content"); items != nil && !same(items, k.content) {
		k.content, changed = cloned(items), true
	}
	if raw := o.get("locations"); list(raw) != nil {
		if places := places(list(raw)); !slices.Equal(places, k.locations) {
			k.locations, changed = places, true
		}
	}
	// An empty input is what agents send before they know it.
	if raw := o.get("rawInput"); !isNull(raw) && !bytes.Equal(raw, k.input) && (isNull(k.input) || !bytes.Equal(raw, []byte("{}"))) {
		k.input, changed = bytes.Clone(raw), true
		for _, key := range cwdKeys {
			if cwd := parse(raw).text(key); cwd != "" {
				k.cwd = cwd
			}
		}
	}
	if raw := o.get("rawOutput"); !isNull(raw) && !bytes.Equal(raw, k.output) {
		k.output, changed = bytes.Clone(raw), true
	}
	// What has been let go of, or came in pieces, would be lost, and nothing
	// replaces it.
	if k.hasContent() {
		k.forgot = false
	}
	return changed && !k.forgot && (!k.streamed || k.hasContent())
}

func same(a, b []json.RawMessage) bool {
	return slices.EqualFunc(a, b, func(x, y json.RawMessage) bool { return bytes.Equal(x, y) })
}

func cloned(items []json.RawMessage) []json.RawMessage {
	out := make([]json.RawMessage, len(items))
	for i, raw := range items {
		out[i] = bytes.Clone(raw)
	}
	return out
}

func places(items []json.RawMessage) []place {
	var out []place
	for _, raw := range items {
		o := parse(raw)
		if p := (place{o.text("path"), o.whole("line")}); p.path != "" {
			out = append(out, p)
		}
	}
	return out
}

// hasContent reports whether the content shows something. A terminal does not:
// we have made none.
func (k *call) hasContent() bool {
	return slices.ContainsFunc(k.content, func(raw json.RawMessage) bool { return parse(raw).text("type") != "terminal" })
}

// parts is all that the call shows.
func (k *call) parts() []session.Part {
	parts := []session.Part{}
	diffs := map[string]bool{}
	var shown []session.Part
	for _, raw := range k.content {
		p, ok := part(raw)
		if !ok {
			continue
		}
		if p.Kind == session.DiffPart {
			diffs[p.Name] = true
		}
		shown = append(shown, p)
	}
	for _, l := range k.locations {
		if !diffs[l.path] {
			parts = append(parts, session.Part{Kind: session.PlacePart, Name: l.String()})
		}
	}
	switch {
	case len(shown) > 0:
		parts = append(parts, shown...)
	case !isNull(k.output):
		parts = append(parts, session.Part{Text: outputOf(k.output)})
	case !isNull(k.input):
		if in, ok := inputOf(k.input); ok {
			parts = append(parts, in)
		}
	}
	return parts
}

// part is one item of a call's content; not ok if it shows nothing.
func part(raw json.RawMessage) (session.Part, bool) {
	o := parse(raw)
	switch kind := o.text("type"); kind {
	case "content":
		s, _ := words(o.get("content"))
		return session.Part{Text: s}, s != ""
	case "diff":
		if d := unified(o); d != "" {
			return session.Part{Kind: session.DiffPart, Name: o.text("path"), Lang: "diff", Text: d}, true
		}
		return session.Part{Text: bracket(o.text("path") + " stays as it is")}, true
	case "terminal", "":
		return session.Part{}, false
	default:
		return session.Part{Text: bracket("something that this version does not know: " + kind)}, true
	}
}

// unified is a diff of the protocol, which holds the whole texts.
func unified(o object) string {
	path, after := o.text("path"), o.text("newText")
	if !o.given("oldText") {
		return diff.New(path, after)
	}
	return diff.Unified(path, o.text("oldText"), after)
}

// inputOf is what a tool is given: a command as such, anything else as JSON.
func inputOf(raw json.RawMessage) (session.Part, bool) {
	o := parse(raw)
	if o == nil {
		s := plain(raw)
		return session.Part{Kind: session.InputPart, Text: s}, s != ""
	}
	if command := commandOf(o); command != "" {
		return session.Part{Kind: session.InputPart, Lang: "bash", Text: command}, true
	}
	return session.Part{Kind: session.InputPart, Lang: "json", Text: plain(raw)}, len(o) > 0
}

// outputOf is what came out, when that is told only as JSON: the text in it, if
// there is one that is easily found.
func outputOf(raw json.RawMessage) string {
	o := parse(raw)
	for _, key := range []string{"output", "stdout", "formatted_output", "text", "content"} {
		if s := o.text(key); s != "" {
			return s
		}
	}
	return plain(raw)
}

// stream is output that an agent puts beside the protocol, in _meta, and how
// the command ended.
func (k *call) stream(meta object) string {
	if meta == nil {
		return ""
	}
	var b strings.Builder
	for _, key := range []string{"terminal_output", "terminal_output_delta"} {
		b.WriteString(meta.text(key))
		b.WriteString(meta.object(key).text("data"))
	}
	if code, signal := exitOf(meta.get("terminal_exit")); code != "" && code != "0" || signal != "" {
		said := "exit status " + code
		if signal != "" {
			said = "signal " + signal
		}
		b.WriteString("\n[" + said + "]\n")
	}
	k.streamed = k.streamed || b.Len() > 0
	return b.String()
}

func exitOf(raw json.RawMessage) (code, signal string) {
	o := parse(raw)
	if o == nil {
		if _, err := strconv.Atoi(string(raw)); err == nil {
			code = string(raw)
		}
		return code, ""
	}
	for _, key := range []string{"exit_code", "exitCode"} {
		if n := o.number(key); n != nil {
			code = strconv.FormatFloat(*n, 'f', -1, 64)
		}
	}
	return code, o.text("signal")
}

// absolute is a path below the working folder as an absolute one.
func absolute(dir, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, path)
}
