package chat

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"copydesk/core/session"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A step answers one request for a chat.
type step func(w http.ResponseWriter, r *http.Request)

// A host is a server that answers with steps, one after another.
type host struct {
	*httptest.Server
	t      *testing.T
	models string // the body of the list; empty: 404

	mu    sync.Mutex
	steps []step
	asked []asked
	keys  []string
}

// asked is a request as it came.
type asked struct {
	Model    string
	Stream   bool
	Messages []struct {
		Role, Content string
		ToolCallID    string `json:"tool_call_id"`
		ToolCalls     []struct {
			ID       string
			Function struct{ Name, Arguments string }
		} `json:"tool_calls"`
	}
	Tools         []json.RawMessage
	StreamOptions *struct{ IncludeUsage bool } `json:"stream_options"`
}

func newHost(t *testing.T, steps ...step) *host {
	h := &host{t: t, steps: steps, models: `{"object":"list","data":[{"id":"nomic-embed-text"},{"id":"tiny:latest"},{"id":"big"}]}`}
	h.Server = httptest.NewServer(h)
	t.Cleanup(h.Close)
	return h
}

func (h *host) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h.mu.Lock()
	h.keys = append(h.keys, r.Header.Get("Authorization"))
	if r.URL.Path == "/v1/models" {
		list := h.models
		h.mu.Unlock()
		if list == "" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, list)
		return
	}
	var a asked
	body, err := io.ReadAll(r.Body)
	if err == nil {
		err = json.Unmarshal(body, &a)
	}
	if err != nil || r.URL.Path != "/v1/chat/completions" || !a.Stream {
		h.t.Errorf("%s %s: %v, stream %v", r.Method, r.URL.Path, err, a.Stream)
	}
	h.asked = append(h.asked, a)
	next := step(func(http.ResponseWriter, *http.Request) { h.t.Error("one request too many") })
	if len(h.steps) > 0 {
		next, h.steps = h.steps[0], h.steps[1:]
	}
	h.mu.Unlock()
	next(w, r)
}

// requests are those for a chat so far.
func (h *host) requests() []asked {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.asked
}

// raw sends bytes as they are.
func raw(pieces ...string) step {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for _, p := range pieces {
			_, _ = io.WriteString(w, p)
			w.(http.Flusher).Flush()
		}
	}
}

// chunks sends events and [DONE].
func chunks(events ...string) step {
	var b strings.Builder
	for _, e := range events {
		b.WriteString("data: " + e + "\n\n")
	}
	return raw(b.String() + "data: [DONE]\n\n")
}

func status(code int, body string, header ...string) step {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		for i := 0; i < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(code)
		_, _ = io.WriteString(w, body)
	}
}

func quoted(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(b)
}

func delta(fields string) string {
	return `{"id":"x","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{` + fields + `},"finish_reason":null}]}`
}

func word(s string) string { return delta(`"content":` + quoted(s)) }

func callPiece(index int, id, name, args string) string {
	fields := fmt.Sprintf(`"index":%d`, index)
	if id != "" {
		fields += `,"id":` + quoted(id) + `,"type":"function"`
	}
	function := `"arguments":` + quoted(args)
	if name != "" {
		function = `"name":` + quoted(name) + `,` + function
	}
	return delta(`"tool_calls":[{` + fields + `,"function":{` + function + `}}]`)
}

func finish(why string) string {
	return `{"choices":[{"index":0,"delta":{},"finish_reason":` + quoted(why) + `}]}`
}

// callStep makes one call.
func callStep(name, args string) step {
	return chunks(callPiece(0, "call_1", name, args), finish("tool_calls"))
}

// says answers in words.
func says(s string) step { return chunks(word(s), finish("stop")) }

func realAfter(d time.Duration, f func()) func() {
	timer := time.AfterFunc(d, f)
	return func() { timer.Stop() }
}

// chatWith makes an agent that talks to a host.
func chatWith(t *testing.T, h *host, change func(*Options)) *Agent {
	t.Helper()
	o := Options{
		Name: "tester", BaseURL: h.URL + "/v1", Model: "tiny", Dir: t.TempDir(), Environ: os.Environ(),
		Go: func(f func()) { go f() }, Now: time.Now, After: realAfter, Jitter: func() float64 { return 0 },
	}
	if change != nil {
		change(&o)
	}
	a := New(o)
	t.Cleanup(func() { _ = a.Close() })
	return a
}

// A record is what a turn showed.
type record struct {
	events   []session.Event
	text     string
	thought  string
	notices  []string
	requests []*session.Request
	output   string // of tool calls
	status   map[string]session.Status
	err      error
}

// An answerer decides requests.
type answerer func(r *session.Request) session.Answer

func approve(*session.Request) session.Answer { return session.Answer{Verdict: session.Approve} }

// play runs a turn as a pane does: it answers, and a rejection without a reason
// ends the turn right behind the answer.
func play(t *testing.T, a *Agent, prompt string, answer answerer) *record {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r := &record{status: map[string]session.Status{}}
	decide := func(q *session.Request) {
		if err := q.Validate(); err != nil {
			t.Errorf("a request that cannot be shown: %v", err)
		}
		r.requests = append(r.requests, q)
		if answer == nil {
			t.Fatalf("asked %q", q.Prompt)
		}
		ans := answer(q)
		if err := q.Accepts(ans); ans.Verdict != session.Unanswered && err != nil {
			t.Errorf("%q: %v", q.Prompt, err)
		}
		q.Reply <- ans
		if ans.Verdict == session.Reject && ans.Reason == "" {
			cancel()
		}
	}
	for e, err := range a.Run(ctx, prompt) {
		if err != nil {
			r.err = err
			break
		}
		r.events = append(r.events, e)
		switch e := e.(type) {
		case session.Text:
			r.text += e.Chunk
		case session.Thought:
			r.thought += e.Chunk
		case session.Notice:
			r.notices = append(r.notices, e.Text)
		case session.ToolCall:
			r.output += e.Chunk
			if e.Status != session.NoStatus {
				r.status[e.ID] = e.Status
			}
		case *session.Request:
			decide(e)
		case session.Reopened:
			decide(e.New)
		}
	}
	return r
}

// last is the last message that a request held.
func (a asked) last() string { return a.Messages[len(a.Messages)-1].Content }

// valid fails when a server would refuse the conversation: a call without a
// result, a result without a call, or no turns.
func (a asked) valid(t *testing.T) {
	t.Helper()
	open := map[string]bool{}
	before := ""
	for i, m := range a.Messages {
		switch m.Role {
		case "tool":
			if !open[m.ToolCallID] {
				t.Errorf("message %d is a result of %q, which was not called", i, m.ToolCallID)
			}
			delete(open, m.ToolCallID)
		case "user", "assistant":
			if len(open) > 0 {
				t.Errorf("message %d comes while %v have no result", i, open)
			}
			if before == m.Role {
				t.Errorf("message %d is the second of %s in a row", i, m.Role)
			}
		}
		if m.Role != "tool" {
			before = m.Role
		} else {
			before = ""
		}
		for _, c := range m.ToolCalls {
			if open[c.ID] || !json.Valid([]byte(c.Function.Arguments)) {
				t.Errorf("message %d has the call %q twice, or with bad arguments %q", i, c.ID, c.Function.Arguments)
			}
			open[c.ID] = true
		}
	}
	if len(open) > 0 {
		t.Errorf("%v have no result", open)
	}
}
