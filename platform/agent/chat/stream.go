package chat

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/ssestream"

	"copydesk/core"
	"copydesk/core/session"
)

// maxArguments is how long the arguments of one tool call may be, in bytes.
const maxArguments = 8 << 20

// A reply is what the model said to one request.
type reply struct {
	text   strings.Builder // at most core.TurnBytes of it
	calls  []*call
	finish string // why the model stopped, in the API's word
	used   int    // tokens of the request and the reply; 0: not said
	asked  int    // tokens of the request; 0: not said
	shown  bool   // the user has seen something of it
}

// A call is a tool call of the model's.
type call struct {
	id    string // the model's; answers name it
	shown string // the session's; unique in it
	name  string
	args  strings.Builder
	index int64
}

// receive reads the answer's stream, event by event as they come, until its end.
// What can be shown is shown at once.
func (t *turn) receive(res *http.Response, r *reply) *failure {
	defer res.Body.Close()
	f := &failure{server: t.a.server.name}
	if media, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type")); media == "application/json" || media == "text/html" {
		return t.unstreamed(res, f)
	}
	// The library forgets an event that no empty line follows, and takes lines
	// of up to 32 MiB.
	res.Body = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(res.Body, strings.NewReader("\n\n")), res.Body}
	events := ssestream.NewDecoder(res)
	for events.Next() {
		data := bytes.TrimSpace(events.Event().Data)
		if len(data) == 0 {
			continue // older releases make an event of every empty line
		}
		if bytes.Equal(data, []byte("[DONE]")) {
			return nil
		}
		if f := t.event(data, r); f != nil {
			return f
		}
		if t.over || t.ctx.Err() != nil {
			return nil
		}
	}
	if r.finish != "" {
		return nil // some servers say no more than that
	}
	f.cut, f.err = true, events.Err()
	return f
}

// event takes one event of the stream in.
func (t *turn) event(data []byte, r *reply) *failure {
	var head struct {
		Error json.RawMessage `json:"error"`
	}
	if json.Unmarshal(data, &head) != nil {
		return &failure{server: t.a.server.name, cut: true}
	}
	if len(head.Error) > 0 && !bytes.Equal(head.Error, []byte("null")) {
		f := &failure{server: t.a.server.name, cut: true}
		f.complain(data)
		return f
	}
	var chunk openai.ChatCompletionChunk
	if json.Unmarshal(data, &chunk) != nil {
		return &failure{server: t.a.server.name, cut: true}
	}
	if u := chunk.Usage; u.TotalTokens > 0 || u.PromptTokens > 0 {
		r.asked, r.used = int(u.PromptTokens), int(max(u.TotalTokens, u.PromptTokens+u.CompletionTokens))
	}
	for i := range chunk.Choices {
		if c := &chunk.Choices[i]; c.Index == 0 {
			t.delta(&c.Delta, r)
			if c.FinishReason != "" {
				r.finish = c.FinishReason
			}
		}
	}
	return nil
}

// delta shows what is new. Reasoning has no field of its own in the API: servers
// call it reasoning_content (DeepSeek, llama.cpp, vLLM) or reasoning (Ollama,
// OpenRouter), or send both.
func (t *turn) delta(d *openai.ChatCompletionChunkChoiceDelta, r *reply) {
	for _, name := range []string{"reasoning_content", "reasoning"} {
		var thought string
		if raw := d.JSON.ExtraFields[name].Raw(); raw != "" && json.Unmarshal([]byte(raw), &thought) == nil && thought != "" {
			r.shown = true
			t.say(session.Thought{Chunk: thought})
			break
		}
	}
	for _, text := range []string{d.Content, d.Refusal} {
		if text != "" {
			r.shown = true
			if r.text.Len() < core.TurnBytes {
				r.text.WriteString(text)
			}
			t.say(session.Text{Chunk: text})
		}
	}
	for i := range d.ToolCalls {
		t.piece(&d.ToolCalls[i], r)
	}
}

// piece joins a piece of a tool call to the call that it belongs to.
func (t *turn) piece(d *openai.ChatCompletionChunkChoiceDeltaToolCall, r *reply) {
	c := r.find(d)
	if c == nil {
		c = &call{index: d.Index, shown: t.a.nextCall()}
		r.calls = append(r.calls, c)
	}
	if c.id == "" {
		c.id = d.ID
	}
	// Some servers repeat the name with every piece.
	named := c.name != ""
	if d.Function.Name != c.name {
		c.name += d.Function.Name
	}
	arguments := d.Function.Arguments
	if raw := d.Function.JSON.Arguments.Raw(); strings.HasPrefix(raw, "{") {
		arguments = raw // an object where the API has a text
	}
	if c.args.Len() <= maxArguments {
		c.args.WriteString(arguments)
	}
	if tool, ok := t.a.tool(c.name); ok && (!named || !r.shown) {
		r.shown = true
		if tool.kind != "" {
			t.say(session.ToolCall{ID: c.shown, Title: tool.title, Kind: tool.kind, Status: session.Running})
		}
	}
}

// nextCall is the next tool call's name in the session. Servers number their
// own anew with every answer.
func (a *Agent) nextCall() string {
	a.calls++
	return "c" + strconv.Itoa(a.calls)
}

// find returns the call that a piece belongs to, or nil for a new one. Pieces
// are keyed by index; servers that leave it out or number all with 0 tell calls
// apart by id.
func (r *reply) find(d *openai.ChatCompletionChunkChoiceDeltaToolCall) *call {
	var found *call
	for _, c := range r.calls {
		if d.JSON.Index.Valid() && c.index == d.Index || !d.JSON.Index.Valid() && (d.ID == "" || d.ID == c.id) {
			found = c
		}
	}
	if found != nil && d.ID != "" && found.id != "" && d.ID != found.id {
		return nil
	}
	return found
}

// name gives an id to the calls that have none or another's.
func (r *reply) name() {
	seen := map[string]bool{}
	for _, c := range r.calls {
		if c.id == "" || seen[c.id] {
			c.id = "call_" + c.shown
		}
		seen[c.id] = true
	}
}

// unstreamed reads an answer that is no stream: an error that was sent as a
// success, for the most part.
func (t *turn) unstreamed(res *http.Response, f *failure) *failure {
	body, err := io.ReadAll(io.LimitReader(res.Body, maxComplaint))
	if err != nil {
		f.cut, f.err = true, err
		return f
	}
	if f.complain(body); f.message == "" {
		f.strange = true
	}
	return f
}

// broken reports whether a connection ended where it should not have.
func broken(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
}
