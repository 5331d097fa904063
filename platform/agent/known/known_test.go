package known

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// path stands in for exec.LookPath on a PATH with the given programs.
func path(programs ...string) func(string) (string, error) {
	return func(name string) (string, error) {
		if slices.Contains(programs, name) {
			return "/bin/" + name, nil
		}
		return "", exec.ErrNotFound
	}
}

func TestAGT6_EachUsualAgentIsWhole(t *testing.T) {
	name := regexp.MustCompile(`^[a-z0-9-]{1,32}$`)
	seen := map[string]bool{}
	for _, a := range Agents() {
		if !name.MatchString(a.Name) || seen[a.Name] || a.Name == "playground" {
			t.Errorf("the name %q cannot be given to --agent, or stands there twice", a.Name)
		}
		seen[a.Name] = true
		if a.What == "" || len(a.Argv) == 0 || a.Argv[0] == "" || a.Install == "" || strings.ContainsAny(a.Install, "\n\x1b") {
			t.Errorf("%s lacks something: %+v", a.Name, a)
		}
		if strings.HasPrefix(a.Install, "npm ") != (a.Node > 0) {
			t.Errorf("%s: installed by %q and runs on Node.js %d", a.Name, a.Install, a.Node)
		}
		for _, pair := range a.Env {
			if !regexp.MustCompile(`^[A-Z_]+=.+$`).MatchString(pair) {
				t.Errorf("%s: %q sets no variable", a.Name, pair)
			}
		}
		if got, ok := Named(a.Name); !ok || !cmp.Equal(got, a) {
			t.Errorf("%s is not found by its name", a.Name)
		}
		if got, ok := Started(a.Argv[0]); !ok || got.Name != a.Name {
			t.Errorf("%s is not found by its program", a.Name)
		}
	}
	for _, e := range Endpoints() {
		if !name.MatchString(e.Name) || seen[e.Name] || !strings.HasPrefix(e.BaseURL, "http://127.0.0.1:") {
			t.Errorf("the endpoint %+v", e)
		}
		seen[e.Name] = true
	}
	for _, want := range []string{"claude", "gemini", "codex", "opencode", "goose", "qwen", "ollama", "llama-cpp", "lm-studio", "vllm"} {
		if !seen[want] {
			t.Errorf("%s is not known", want)
		}
	}
}

func TestAGT6_FindSaysWhatIsMissing(t *testing.T) {
	tests := []struct {
		name     string
		programs []string
		want     map[string]string
	}{
		{"nothing", nil, map[string]string{}},
		{"one", []string{"gemini"}, map[string]string{"gemini": ""}},
		{"program and adapter", []string{"claude", "claude-agent-acp"}, map[string]string{"claude": ""}},
		{"adapter alone", []string{"codex-acp"}, map[string]string{"codex": ""}},
		{"program alone", []string{"claude", "node"}, map[string]string{
			"claude": "claude is here, its adapter claude-agent-acp is not on PATH. Install it: npm install -g @agentclientprotocol/claude-agent-acp (Node.js 22 or later)",
		}},
		{"no Node.js either", []string{"codex"}, map[string]string{
			"codex": "codex is here, its adapter codex-acp is not on PATH. Install it: npm install -g @agentclientprotocol/codex-acp (needs Node.js 20 or later, which is not here either)",
		}},
		{"no Node.js needed", []string{"vibe"}, map[string]string{
			"vibe": "vibe is here, its adapter vibe-acp is not on PATH. Install it: uv tool install mistral-vibe",
		}},
		{"several", []string{"qwen", "opencode", "goose"}, map[string]string{"opencode": "", "goose": "", "qwen": ""}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := map[string]string{}
			for _, f := range Find(path(test.programs...)) {
				got[f.Name] = f.Missing
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// A program in the working folder is not on PATH, whatever PATH says: Go's
// LookPath reports it with an error (T39).
func TestT39_AProgramOfTheWorkingFolderIsNotFound(t *testing.T) {
	local := func(name string) (string, error) { return "./" + name, exec.ErrDot }
	if got := Find(local); got != nil {
		t.Errorf("found %v", got)
	}
}

func TestAddsLeavesWhatTheUserHasSet(t *testing.T) {
	goose, _ := Named("goose")
	if got := goose.Adds([]string{"HOME=/x", "GOOSE_MODEL=y"}); got["GOOSE_MODE"] != "approve" {
		t.Errorf("adds %v", got)
	}
	if got := goose.Adds([]string{"GOOSE_MODE=auto"}); len(got) != 0 {
		t.Errorf("adds %v over what is set", got)
	}
}

// serve answers every request with a status and a body.
func serve(t *testing.T, status int, body string) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet || r.URL.Path != "/v1/models" {
			t.Errorf("asked %s %s", r.Method, r.URL.Path)
		}
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}))
	t.Cleanup(s.Close)
	return s.URL + "/v1"
}

func probe(t *testing.T, ctx context.Context, addresses ...string) []Answer {
	t.Helper()
	var list []Endpoint
	for i, a := range addresses {
		list = append(list, Endpoint{Name: string(rune('a' + i)), What: "A server", BaseURL: a})
	}
	var running atomic.Int64
	got := Probe(ctx, list, &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}, func(f func()) {
		running.Add(1)
		go func() { defer running.Add(-1); f() }()
	})
	for deadline := time.Now().Add(5 * time.Second); running.Load() > 0 && time.Now().Before(deadline); {
		runtime.Gosched()
	}
	if n := running.Load(); n != 0 {
		t.Errorf("%d goroutines still run", n)
	}
	return got
}

func TestAGT6_ProbeFindsTheServersThatListModels(t *testing.T) {
	good := serve(t, 200, `{"object":"list","data":[{"id":"qwen3:8b"},{"id":"llama3"},{"id":""}]}`)
	empty := serve(t, 200, `{"data":[]}`)
	page := serve(t, 200, `<html>hello</html>`)
	other := serve(t, 200, `{"hello":1}`)
	missing := serve(t, 404, `{"data":[{"id":"x"}]}`)
	private := serve(t, 401, `{"data":[{"id":"x"}]}`)
	got := probe(t, t.Context(), "http://127.0.0.1:1/v1", good, page, empty, other, missing, private)
	if len(got) != 2 || got[0].Name != "b" || !cmp.Equal(got[0].Models, []string{"qwen3:8b", "llama3"}) || got[1].Name != "d" {
		t.Fatalf("found %+v", got)
	}
	if says := got[0].Says(); !strings.HasSuffix(says, ", qwen3:8b and 1 more models") || got[0].Missing() != "" {
		t.Errorf("says %q, misses %q", says, got[0].Missing())
	}
	if got[1].Missing() == "" {
		t.Error("a server without a model misses nothing")
	}
	if a := (Answer{Endpoint: Endpoints()[0]}); !strings.Contains(a.Missing(), "ollama pull") {
		t.Errorf("Ollama misses %q", a.Missing())
	}
}

func TestT30_AModelsNameThatCannotBeShownIsLeftOut(t *testing.T) {
	long := strings.Repeat("m", nameBytes+1)
	address := serve(t, 200, `{"data":[{"id":"x\u001b]0;pwn\u0007"},{"id":"a\u202eb"},{"id":"a\nb"},{"id":"`+long+`"},{"id":"ok"}]}`)
	got := probe(t, t.Context(), address)
	if len(got) != 1 || !cmp.Equal(got[0].Models, []string{"ok"}) {
		t.Errorf("found %+v", got)
	}
}

// A server on this machine must not send the question elsewhere.
func TestProbeFollowsNoRedirect(t *testing.T) {
	other := serve(t, 200, `{"data":[{"id":"elsewhere"}]}`)
	s := httptest.NewServer(http.RedirectHandler(other+"/models", http.StatusFound))
	t.Cleanup(s.Close)
	if got := probe(t, t.Context(), s.URL+"/v1"); got != nil {
		t.Errorf("found %+v", got)
	}
}

// A server that accepts and then says nothing holds nobody up for longer than
// the limit, and the others are asked meanwhile.
func TestProbeWaitsForNobody(t *testing.T) {
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { silent.Close() })
	mute := "http://" + silent.Addr().String() + "/v1"
	good := serve(t, 200, `{"data":[{"id":"m"}]}`)
	began := time.Now()
	got := probe(t, t.Context(), mute, mute, mute, good)
	if took := time.Since(began); took > 10*ProbeLimit {
		t.Errorf("it took %v", took)
	}
	if len(got) != 1 || got[0].Name != "d" {
		t.Errorf("found %+v", got)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if got := probe(t, ended, good); got != nil {
		t.Errorf("asked after the end: %+v", got)
	}
}

func TestProbeReadsABoundedAnswer(t *testing.T) {
	address := serve(t, 200, `{"data":[`+strings.Repeat(`{"id":"m"},`, 1<<17)+`{"id":"m"}]}`)
	if got, err := models(t.Context(), address, http.DefaultClient); err == nil {
		t.Errorf("read %d models", len(got))
	} else if errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
}
