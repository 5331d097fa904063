package chat

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/openai/openai-go/v3"

	"copydesk/core/session"
)

var (
	_ session.Agent        = (*Agent)(nil)
	_ session.Connected    = (*Agent)(nil)
	_ session.Completer    = (*Agent)(nil)
	_ session.Configurable = (*Agent)(nil)
	_ session.Closer       = (*Agent)(nil)
)

func TestAGT4_StreamsTextAndThoughts(t *testing.T) {
	huge := strings.Repeat("long ", 500_000)
	for name, tt := range map[string]struct {
		answer        step
		text, thought string
	}{
		"plain":        {chunks(word("Hel"), word("lo ä\n"), finish("stop")), "Hello ä\n", ""},
		"null content": {chunks(delta(`"role":"assistant","content":null`), word("a"), finish("stop")), "a", ""},
		"reasoning_content": {
			chunks(delta(`"reasoning_content":"Hm","content":null`), delta(`"reasoning_content":"m."`), word("a"), finish("stop")), "a", "Hmm.",
		},
		"reasoning":             {chunks(delta(`"reasoning":"Hm"`), word("a"), finish("stop")), "a", "Hm"},
		"both":                  {chunks(delta(`"reasoning":"Hm","reasoning_content":"Hm"`), word("a"), finish("stop")), "a", "Hm"},
		"refusal":               {chunks(delta(`"refusal":"No."`), finish("stop")), "No.", ""},
		"empty choices":         {chunks(`{"choices":[]}`, word("a"), finish("stop"), `{"choices":[],"usage":null}`), "a", ""},
		"another choice":        {chunks(`{"choices":[{"index":1,"delta":{"content":"b"}}]}`, word("a"), finish("stop")), "a", ""},
		"error null":            {chunks(`{"error":null,"choices":[{"index":0,"delta":{"content":"a"},"finish_reason":"stop"}]}`), "a", ""},
		"no DONE":               {raw("data: "+word("a")+"\n\n", "data: "+finish("stop")+"\n\n"), "a", ""},
		"no last empty line":    {raw("data: "+word("a")+"\n\n", "data: "+finish("stop")), "a", ""},
		"no finish_reason":      {chunks(word("a")), "a", ""},
		"DONE without a line":   {raw("data: "+word("a")+"\n\n", "data: [DONE]"), "a", ""},
		"carriage returns":      {raw("data: "+word("a")+"\r\n\r\n", "data: [DONE]\r\n\r\n"), "a", ""},
		"no blank":              {raw("data:"+word("a")+"\n\n", "data:[DONE]\n\n"), "a", ""},
		"comments":              {raw(": ping\n\n: ping\n", "event: message\nid: 7\nretry: 1\ndata: "+word("a")+"\n\n:\n\n", "data: [DONE]\n\n"), "a", ""},
		"a line of 2.5 million": {chunks(word(huge), finish("stop")), huge, ""},
	} {
		t.Run(name, func(t *testing.T) {
			got := play(t, chatWith(t, newHost(t, tt.answer), nil), "hi", nil)
			if got.err != nil || got.text != tt.text || got.thought != tt.thought {
				t.Errorf("text %.40q, thought %q, error %v", got.text, got.thought, got.err)
			}
		})
	}
}

// TestAGT4_SlowBytes holds that what has come is shown before the rest comes: the
// server sends on only what was seen.
func TestAGT4_SlowBytes(t *testing.T) {
	seen := make(chan struct{})
	h := newHost(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for i := range 3 {
			for _, b := range []byte("data: " + word(fmt.Sprint(i)) + "\r\n\r\n") {
				_, _ = w.Write([]byte{b})
				w.(http.Flusher).Flush()
			}
			<-seen
		}
		_, _ = io.WriteString(w, "data: [DONE]\n\n")
	})
	text := ""
	for e, err := range chatWith(t, h, nil).Run(t.Context(), "hi") {
		if err != nil {
			t.Fatal(err)
		}
		if e, ok := e.(session.Text); ok {
			text += e.Chunk
			seen <- struct{}{}
		}
	}
	if text != "012" {
		t.Errorf("text %q", text)
	}
}

// TestAGT4_CallsAreAssembled cuts the arguments of two calls at every byte, in
// turns, and holds that both come out whole.
func TestAGT4_CallsAreAssembled(t *testing.T) {
	dir := t.TempDir()
	one, two := `{"path":"ä b.txt"}`, `{"path":"c.txt","limit":1}`
	for name, content := range map[string]string{"ä b.txt": "first\n", "c.txt": "second\nthird\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for cut := range max(len(one), len(two)) {
		for cut > 0 && cut < len(one) && one[cut]&0xc0 == 0x80 {
			cut++ // a chunk is text: no server can cut a character
		}
		i, j := min(cut, len(one)), min(cut, len(two))
		h := newHost(t, chunks(
			callPiece(0, "a", "read_file", one[:i]), callPiece(1, "b", "read_file", two[:j]),
			callPiece(1, "", "", two[j:]), callPiece(0, "", "", one[i:]), finish("tool_calls"),
		), says("ok"))
		got := play(t, chatWith(t, h, func(o *Options) { o.Dir = dir }), "read", nil)
		last := h.requests()[1]
		last.valid(t)
		n := len(last.Messages)
		if got.err != nil || last.Messages[n-2].Content != "first\n" || !strings.HasPrefix(last.Messages[n-1].Content, "second\n\n[The file goes on") {
			t.Fatalf("cut at %d: %v, %+v", cut, got.err, last.Messages[n-2:])
		}
	}
}

func TestAGT4_CallsOfSloppyServers(t *testing.T) {
	args := `{"path":"."}`
	for name, tt := range map[string]struct {
		answer step
		calls  int
	}{
		"no finish_reason":    {chunks(callPiece(0, "a", "read_file", args)), 1},
		"finish_reason stop":  {chunks(callPiece(0, "a", "read_file", args), finish("stop")), 1},
		"no id":               {chunks(callPiece(0, "", "read_file", args), callPiece(1, "", "read_file", args), finish("stop")), 2},
		"same id twice":       {chunks(callPiece(0, "a", "read_file", args), callPiece(1, "a", "read_file", args), finish("stop")), 2},
		"all with index 0":    {chunks(callPiece(0, "a", "read_file", args), callPiece(0, "b", "read_file", args), finish("stop")), 2},
		"name in each piece":  {chunks(callPiece(0, "a", "read_file", args[:5]), callPiece(0, "a", "read_file", args[5:]), finish("stop")), 1},
		"name cut":            {chunks(callPiece(0, "a", "read_", ""), callPiece(0, "", "file", args), finish("stop")), 1},
		"index left out":      {chunks(delta(`"tool_calls":[{"id":"a","function":{"name":"read_file","arguments":`+quoted(args)+`}},{"id":"b","function":{"name":"read_file","arguments":`+quoted(args)+`}}]`), finish("stop")), 2},
		"index left out, cut": {chunks(delta(`"tool_calls":[{"id":"a","function":{"name":"read_file","arguments":`+quoted(args[:4])+`}}]`), delta(`"tool_calls":[{"function":{"arguments":`+quoted(args[4:])+`}}]`), finish("stop")), 1},
		"an object":           {chunks(delta(`"tool_calls":[{"index":0,"id":"a","function":{"name":"read_file","arguments":{"path":"."}}}]`), finish("stop")), 1},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHost(t, tt.answer, says("ok"))
			got := play(t, chatWith(t, h, nil), "read", nil)
			if got.err != nil || got.text != "ok" {
				t.Fatalf("text %q, error %v", got.text, got.err)
			}
			last := h.requests()[1]
			last.valid(t)
			results := last.Messages[len(last.Messages)-tt.calls:]
			for _, m := range results {
				if m.Role != "tool" || !strings.HasPrefix(m.Content, "A folder with") {
					t.Errorf("result %+v", m)
				}
			}
			if len(got.status) != tt.calls {
				t.Errorf("shown: %v", got.status)
			}
		})
	}
}

func TestAGT4_UsageModelsAndLists(t *testing.T) {
	h := newHost(t, chunks(word("a"), finish("stop"), `{"choices":[],"usage":{"prompt_tokens":70,"completion_tokens":5,"total_tokens":75}}`))
	a := chatWith(t, h, func(o *Options) { o.Model, o.Context = "", 8000 })
	got := play(t, a, "hi", nil)
	want := []session.Event{
		session.Notice{Text: "The model is tiny:latest, the first one that it lists. /model changes it."}, session.Changed{},
		session.Text{Chunk: "a"}, session.Usage{Used: 75, Limit: 8000},
	}
	if d := cmp.Diff(want, got.events); d != "" {
		t.Error(d)
	}
	if r := h.requests()[0]; r.Model != "tiny:latest" || r.StreamOptions == nil || len(r.Tools) != 4 {
		t.Errorf("request %+v", r)
	}
	if err := a.SetOption(t.Context(), "model", "tiny"); err != nil || a.Options()[0].Value != "tiny" || len(a.Options()[0].Values) != 3 {
		t.Errorf("%v, %+v", err, a.Options())
	}
	for id, value := range map[string]string{"model": "nowhere", "mode": "fast"} {
		if err := a.SetOption(t.Context(), id, value); err == nil || a.Model() != "tiny" {
			t.Errorf("%s=%s: %v", id, value, err)
		}
	}
	names, err := Models(t.Context(), h.URL+"/v1/", "")
	if d := cmp.Diff([]string{"nomic-embed-text", "tiny:latest", "big"}, names); err != nil || d != "" {
		t.Error(err, d)
	}
}

func TestAGT4_SaysWhatItIsConnectedTo(t *testing.T) {
	for name, tt := range map[string]struct {
		model, models, want string
		bad                 bool
	}{
		"named":      {"big", `{"data":[{"id":"big"}]}`, "Connected to URL.", false},
		"first":      {"", `{"data":[{"id":"text-embedding-x"},{"id":"big"}]}`, "Connected to URL. The model is big, the first one that it lists. /model changes it.", false},
		"no list":    {"big", "", "Using big at URL, which does not list its models.", false},
		"none named": {"", "", "There is no OpenAI-compatible API at URL (404). Check the base URL; it usually ends in /v1. The server says: 404 page not found.", true},
		"a web page": {"", "<html>", "URL answered with something else than a chat. Check that the base URL is the one of an OpenAI-compatible API; it usually ends in /v1.", true},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHost(t)
			h.models = tt.models
			a := chatWith(t, h, func(o *Options) { o.Model = tt.model })
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			for e := range a.Aside(ctx) {
				n, ok := e.(session.Notice)
				if got := strings.ReplaceAll(n.Text, h.URL+"/v1", "URL"); !ok || got != tt.want || n.Error != tt.bad {
					t.Errorf("%+v", e)
				}
				cancel()
			}
		})
	}
}

// FuzzStream holds that a stream of any bytes is either an answer or a failure,
// and that the next request is one that a server takes.
func FuzzStream(f *testing.F) {
	f.Add([]byte("data: " + word("a") + "\n\ndata: [DONE]\n\n"))
	f.Add([]byte("data: " + callPiece(0, "a", "read_file", `{"path":"a"}`) + "\r\n\r\n: x\n\n"))
	f.Add([]byte(`data:{"choices":[{"delta":{"tool_calls":[{"index":-1,"function":null},{"index":99999999999}]}}],"error":{}}`))
	f.Add([]byte(`data:{"choices":[{"delta":{"content":["a"],"reasoning":{}}}],"usage":{"prompt_tokens":"7"}}`))
	a := New(Options{Name: "tester", BaseURL: "http://localhost/v1", Dir: f.TempDir()})
	f.Fuzz(func(t *testing.T, stream []byte) {
		a.calls = 0
		tn := &turn{a: a, ctx: t.Context(), yield: func(session.Event, error) bool { return true }}
		r := &reply{}
		if f := tn.receive(&http.Response{Body: io.NopCloser(bytes.NewReader(stream))}, r); f != nil && f.Error() == "" {
			t.Error("a failure without a word")
		}
		r.name()
		h := &history{}
		x := h.begin("hi")
		x.said(r, r.calls)
		x.settle()
		b, err := json.Marshal(openai.ChatCompletionNewParams{Messages: h.messages()})
		if err != nil {
			t.Fatal(err)
		}
		var got asked
		if err := json.Unmarshal(b, &got); err != nil {
			t.Fatal(err)
		}
		got.valid(t)
	})
}
