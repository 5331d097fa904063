package chat

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"copydesk/core/session"
)

// clock fires at once what waits, and writes down how long it would have been.
type clock struct{ waits []time.Duration }

func (c *clock) after(d time.Duration, f func()) func() {
	c.waits = append(c.waits, d)
	f()
	return func() {}
}

// hangUp breaks the connection without a word.
func hangUp(w http.ResponseWriter, _ *http.Request) { panic(http.ErrAbortHandler) }

// cutAfter streams events and breaks the connection.
func cutAfter(events ...string) step {
	return func(w http.ResponseWriter, r *http.Request) {
		for _, e := range events {
			raw("data: "+e+"\n\n")(w, r)
		}
		panic(http.ErrAbortHandler)
	}
}

func TestAGT4_TriesAgainAloud(t *testing.T) {
	limited := `{"error":{"message":"slow down","type":"rate_limit"}}`
	for name, tt := range map[string]struct {
		steps []step
		waits []time.Duration
		first string // the first notice
	}{
		"back-off": {
			[]step{status(503, "busy"), status(500, ""), status(502, "<html>"), status(408, "{}"), says("ok")},
			[]time.Duration{time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second},
			"URL has failed (503 Service Unavailable). Try again; its own log says more. The server says: busy. Trying again in 1 s (1 of 4).",
		},
		"retry-after": {
			[]step{status(429, limited, "Retry-After", "7"), status(429, limited, "Retry-After-Ms", "1500"), says("ok")},
			[]time.Duration{7 * time.Second, 1500 * time.Millisecond},
			"URL takes no more requests for now (429). Try again in a while. The server says: slow down. Trying again in 7 s (1 of 4).",
		},
		"a date": {
			[]step{status(429, limited, "Retry-After", "Wed, 21 Oct 2015 07:28:30 GMT"), says("ok")},
			[]time.Duration{30 * time.Second},
			"URL takes no more requests for now (429). Try again in a while. The server says: slow down. Trying again in 30 s (1 of 4).",
		},
		"conflict":             {[]step{status(409, "{}"), says("ok")}, []time.Duration{time.Second}, "URL refused the request (409 Conflict). Trying again in 1 s (1 of 4)."},
		"hang-up":              {[]step{hangUp, says("ok")}, []time.Duration{time.Second}, "No answer from URL: EOF. Trying again in 1 s (1 of 4)."},
		"cut before the first": {[]step{cutAfter(delta(`"role":"assistant"`)), says("ok")}, []time.Duration{time.Second}, "The connection to URL broke before the model had finished: unexpected EOF. Ask it to go on. Trying again in 1 s (1 of 4)."},
		"told to": {
			[]step{status(400, "{}", "X-Should-Retry", "true"), says("ok")}, []time.Duration{time.Second},
			"URL refused the request (400 Bad Request). Trying again in 1 s (1 of 4).",
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := &clock{}
			h := newHost(t, tt.steps...)
			a := chatWith(t, h, func(o *Options) {
				o.After, o.Now = c.after, func() time.Time { return time.Date(2015, 10, 21, 7, 28, 0, 0, time.UTC) }
			})
			got := play(t, a, "hi", nil)
			if got.err != nil || got.text != "ok" || !slices.Equal(c.waits, tt.waits) || len(got.notices) != len(tt.waits) {
				t.Fatalf("text %q, error %v, waits %v, notices %q", got.text, got.err, c.waits, got.notices)
			}
			if first := strings.ReplaceAll(got.notices[0], h.URL+"/v1", "URL"); first != tt.first {
				t.Errorf("said %q,\nwant %q", first, tt.first)
			}
		})
	}
}

func TestAGT4_JitterShortensTheWait(t *testing.T) {
	if d := (&failure{}).wait(1, time.Time{}, 0.5); d != 1750*time.Millisecond {
		t.Errorf("waits %v", d)
	}
}

func TestAGT4_GivesUpInPlainWords(t *testing.T) {
	five := []step{status(500, ""), status(500, ""), status(500, ""), status(500, ""), status(500, "")}
	for name, tt := range map[string]struct {
		steps  []step
		keyEnv string
		want   string
	}{
		"five failures": {five, "", "URL has failed (500 Internal Server Error). Try again; its own log says more."},
		"401":           {[]step{status(401, `{"error":{"message":"bad key sk-SENTINEL9"}}`)}, "DEMO_API_KEY", "URL refused the key (401). Set the variable DEMO_API_KEY to a key that is valid there. The server says: bad key [key]."},
		"no variable":   {[]step{status(401, ``)}, "", "URL refused the key (401). Check the command that prints the key in the configuration."},
		"model":         {[]step{status(404, `{"error":{"message":"model 'tiny' not found"}}`)}, "", `URL does not know the model "tiny" (404). /model lists those that it has. The server says: model 'tiny' not found.`},
		"no API":        {[]step{status(404, `<html>`)}, "", "There is no OpenAI-compatible API at URL (404). Check the base URL; it usually ends in /v1."},
		"quota":         {[]step{status(429, `{"error":{"message":"You exceeded your quota","code":"insufficient_quota"}}`)}, "", "URL says that the account's quota is used up. See the account, or choose another agent with /agent. The server says: You exceeded your quota."},
		"a long wait":   {[]step{status(429, "", "Retry-After", "3600")}, "", "URL takes no more requests for now (429). Try again in a while. It asks to wait for 1h0m0s."},
		"told not to":   {[]step{status(503, "", "X-Should-Retry", "false")}, "", "URL has failed (503 Service Unavailable). Try again; its own log says more."},
		"bad request":   {[]step{status(400, `{"object":"error","message":"no  such\nthing","code":400}`)}, "", "URL refused the request (400 Bad Request). The server says: no such thing."},
		"a text":        {[]step{status(400, `{"error":"no such thing"}`)}, "", "URL refused the request (400 Bad Request). The server says: no such thing."},
		"too long":      {[]step{status(400, `{"error":{"code":"context_length_exceeded","message":"Too many"}}`)}, "", "The conversation is longer than the model's context. Ask in a new pane (/new), or name fewer files. The server says: Too many."},
		"as a success": {[]step{func(w http.ResponseWriter, r *http.Request) {
			status(200, `{"error":{"message":"out of memory"}}`)(w, r)
		}}, "", "URL broke the answer off with an error. The server says: out of memory."},
		"no stream":     {[]step{status(200, `{"choices":[]}`)}, "", "URL answered with something else than a chat. Check that the base URL is the one of an OpenAI-compatible API; it usually ends in /v1."},
		"in the stream": {[]step{chunks(`{"error":{"message":"out of memory","code":400}}`)}, "", "URL refused the request (400 Bad Request). The server says: out of memory."},
		"endless words": {[]step{status(400, `{"error":"`+strings.Repeat("ä", 1000)+`"}`)}, "", "URL refused the request (400 Bad Request). The server says: " + strings.Repeat("ä", 250) + "…"},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHost(t, tt.steps...)
			a := chatWith(t, h, func(o *Options) {
				o.After, o.KeyEnv = (&clock{}).after, tt.keyEnv
				o.Key = func(context.Context) (string, error) { return "sk-SENTINEL9", nil }
			})
			got := play(t, a, "hi", nil)
			if got.err == nil {
				t.Fatal("no error")
			}
			if said := strings.ReplaceAll(got.err.Error(), h.URL+"/v1", "URL"); said != tt.want {
				t.Errorf("said %q,\nwant %q", said, tt.want)
			}
			if h.keys[0] != "Bearer sk-SENTINEL9" {
				t.Errorf("sent %q", h.keys[0])
			}
			if len(a.past.exchanges) != 0 {
				t.Error("a prompt that nothing came of is remembered")
			}
		})
	}
}

func TestAGT4_NothingListens(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	url := "http://user:pass@" + l.Addr().String() + "/v1?key=secret"
	shown := "http://" + l.Addr().String() + "/v1"
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	c := &clock{}
	a := chatWith(t, newHost(t), func(o *Options) { o.BaseURL, o.After = url, c.after })
	got := play(t, a, "hi", nil)
	want := "Nothing listens at " + shown + " (connection refused). Is the server running there?"
	if got.err == nil || got.err.Error() != want || len(c.waits) != maxRetries {
		t.Errorf("said %v after %v", got.err, c.waits)
	}
	for _, base := range []string{"", "localhost:11434", "ftp://x", "http://", "http://[::1", "file:///etc"} {
		a := New(Options{BaseURL: base, Dir: t.TempDir()})
		if got := play(t, a, "hi", nil); got.err == nil || !strings.HasPrefix(got.err.Error(), "The base URL is no address") {
			t.Errorf("%q: %v", base, got.err)
		}
		if _, err := Models(t.Context(), base, ""); err == nil {
			t.Errorf("%q has models", base)
		}
	}
}

func TestT37_NoConversationIsSentOn(t *testing.T) {
	other := newHost(t)
	h := newHost(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, other.URL+"/v1/chat/completions", http.StatusTemporaryRedirect)
	})
	got := play(t, chatWith(t, h, nil), "hi", nil)
	if got.err == nil || !strings.Contains(got.err.Error(), "redirect") || len(other.requests()) > 0 {
		t.Errorf("%v, %d requests went elsewhere", got.err, len(other.requests()))
	}
}

// TestAGT4_ACutAnswerIsKept holds that what was shown is neither asked for again
// nor forgotten, and that a call that was cut off is not done.
func TestAGT4_ACutAnswerIsKept(t *testing.T) {
	for name, cut := range map[string]step{
		"end":     raw("data: " + word("half an ans") + "\n\n"),
		"in line": raw("data: "+word("half an ans")+"\n\n", `data: {"choices":[{"ind`),
		"hang-up": cutAfter(word("half an ans")),
		"call":    cutAfter(word("half an ans"), callPiece(0, "a", "write_file", `{"path":"x","content":""}`)),
		"error":   chunks(word("half an ans"), `{"error":{"message":"boom","code":500}}`),
	} {
		t.Run(name, func(t *testing.T) {
			h := newHost(t, cut, says("wer"))
			a := chatWith(t, h, nil)
			got := play(t, a, "hi", nil)
			var f *failure
			if !errors.As(got.err, &f) || !f.cut || got.text != "half an ans" || len(got.notices) > 0 {
				t.Fatalf("text %q, error %v, notices %q", got.text, got.err, got.notices)
			}
			for id, s := range got.status {
				if s != session.Failed {
					t.Errorf("call %s is left as %v", id, s)
				}
			}
			if got := play(t, a, "go on", nil); got.err != nil {
				t.Fatal(got.err)
			}
			last := h.requests()[1]
			last.valid(t)
			if last.Messages[2].Content != "half an ans" || last.Messages[2].Role != "assistant" {
				t.Errorf("the model is told %+v", last.Messages)
			}
		})
	}
}

func TestAGT4_ServersThatCanLess(t *testing.T) {
	for _, words := range []string{`registry.ollama.ai/library/tiny does not support tools`, `tools param requires --jinja flag`, `"auto" tool choice requires --enable-auto-tool-choice`} {
		h := newHost(t, status(400, `{"error":{"message":`+quoted(words)+`}}`), says("ok"), says("ok"))
		a := chatWith(t, h, nil)
		got := play(t, a, "hi", nil)
		if got.err != nil || got.text != "ok" || len(got.notices) != 1 || h.requests()[1].Tools != nil {
			t.Errorf("%s: %v, %q", words, got.err, got.notices)
		}
		if got := play(t, a, "hi", nil); got.err != nil || len(got.notices) != 0 || h.requests()[2].Tools != nil {
			t.Errorf("%s, again: %v, %q", words, got.err, got.notices)
		}
	}
	h := newHost(t, status(422, `{"detail":"stream_options: extra fields not permitted"}`), says("ok"))
	if got := play(t, chatWith(t, h, nil), "hi", nil); got.err != nil || len(got.notices) != 0 || h.requests()[1].StreamOptions != nil {
		t.Errorf("%v, %q", got.err, got.notices)
	}
}

func TestAGT4_SaysWhyTheModelStopped(t *testing.T) {
	for why, want := range map[string]int{"stop": 0, "length": 1, "content_filter": 1, "": 0} {
		got := play(t, chatWith(t, newHost(t, chunks(word("a"), finish(why))), nil), "hi", nil)
		if got.err != nil || len(got.notices) != want {
			t.Errorf("%q: %v, %q", why, got.err, got.notices)
		}
	}
}

// TestAGT4_Cancel ends a turn in each of its waits: for the answer's beginning,
// in the stream, before a repetition and for the user.
func TestAGT4_Cancel(t *testing.T) {
	hang := func(began chan<- struct{}, events ...string) step {
		return func(w http.ResponseWriter, r *http.Request) {
			for _, e := range events {
				raw("data: "+e+"\n\n")(w, r)
			}
			close(began)
			<-r.Context().Done()
		}
	}
	began := make(chan struct{})
	for name, first := range map[string]step{
		"beginning": hang(began),
		"stream":    hang(make(chan struct{}), word("half")),
		"pause":     status(500, "", "Retry-After", "60"),
		"request":   callStep("ask_user", `{"question":"Which?"}`),
	} {
		t.Run(name, func(t *testing.T) {
			h := newHost(t, first, says("ok"))
			a := chatWith(t, h, nil)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if name == "beginning" {
				go func() {
					<-began
					cancel()
				}()
			}
			for _, err := range a.Run(ctx, "first") {
				if err != nil {
					t.Errorf("a cancelled turn says %v", err)
				}
				cancel()
			}
			if got := play(t, a, "second", nil); got.err != nil || got.text != "ok" {
				t.Fatal(got.err)
			}
			last := h.requests()[1]
			last.valid(t)
			if last.Messages[1].Content != "first" || last.last() != "second" {
				t.Errorf("the model is told %+v", last.Messages)
			}
		})
	}
}

// TestAGT4_NobodyListens leaves the loop at the first event.
func TestAGT4_NobodyListens(t *testing.T) {
	h := newHost(t, chunks(word("a"), word("b"), callPiece(0, "a", "read_file", `{"path":"."}`), finish("tool_calls")), says("ok"))
	a := chatWith(t, h, nil)
	for range a.Run(t.Context(), "first") {
		break
	}
	if got := play(t, a, "second", nil); got.text != "ok" {
		t.Fatal(got.err)
	}
	last := h.requests()[1]
	last.valid(t)
	if fmt.Sprint(last.Messages[2].Content) != "a" {
		t.Errorf("the model is told %+v", last.Messages)
	}
}
