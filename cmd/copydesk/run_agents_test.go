package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// TestACPPeer is no test: run by itself it is an agent that speaks the least of
// the Agent Client Protocol. What it does is said by the prompt.
func TestACPPeer(t *testing.T) {
	if os.Getenv("ACP_PEER") == "" {
		t.Skip("it is started by other tests")
	}
	os.Exit(peer{out: os.Stdout}.serve(os.Stdin))
}

// peerConfig describes the peer as the agent "peer". Settings are lines of it.
func peerConfig(t *testing.T, settings ...string) string {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprintf("agents:\n  peer:\n    command: [%q, '-test.run=^TestACPPeer$']\n    env:\n      ACP_PEER: '1'\n", exe)
	for _, s := range settings {
		text += "      " + s + "\n"
	}
	return text
}

type peer struct{ out io.Writer }

// message is any JSON-RPC message.
type message struct {
	ID     json.RawMessage `json:"id,omitempty"`
	Method string          `json:"method,omitempty"`
	Params struct {
		Prompt []struct {
			Text string `json:"text"`
		} `json:"prompt"`
		CWD string `json:"cwd"`
	} `json:"params"`
}

func (p peer) send(v any) {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	fmt.Fprintf(p.out, "%s\n", data)
}

func (p peer) answer(id json.RawMessage, result any) {
	p.send(map[string]any{"jsonrpc": "2.0", "id": id, "result": result})
}

func (p peer) update(kind string, more map[string]any) {
	more["sessionUpdate"] = kind
	p.send(map[string]any{"jsonrpc": "2.0", "method": "session/update", "params": map[string]any{"sessionId": "s1", "update": more}})
}

func (p peer) say(text string) {
	p.update("agent_message_chunk", map[string]any{"content": map[string]any{"type": "text", "text": text}})
}

func (p peer) serve(in io.Reader) int {
	lines := bufio.NewReader(in)
	cwd := ""
	var prompt json.RawMessage // the id of the prompt that waits for its end
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return 0
		}
		var m message
		if json.Unmarshal(line, &m) != nil {
			continue
		}
		switch m.Method {
		case "initialize":
			if os.Getenv("PEER_FAILS") != "" {
				fmt.Fprintln(os.Stderr, "no licence \x1b[31mfound")
				return 3
			}
			p.answer(m.ID, map[string]any{"protocolVersion": 1, "agentCapabilities": map[string]any{}, "authMethods": []any{}})
		case "session/new":
			cwd = m.Params.CWD
			p.answer(m.ID, map[string]any{"sessionId": "s1"})
		case "session/prompt":
			prompt = m.ID
			p.prompted(m, cwd)
		case "session/cancel":
			p.answer(prompt, map[string]any{"stopReason": "cancelled"})
		}
	}
}

// prompted begins a turn: "ask" and "hang" leave it open until it is cancelled.
func (p peer) prompted(m message, cwd string) {
	text := ""
	for _, b := range m.Params.Prompt {
		text += b.Text
	}
	switch text {
	case "ask":
		p.say("I will run a command.")
		p.send(map[string]any{"jsonrpc": "2.0", "id": 0, "method": "session/request_permission", "params": map[string]any{
			"sessionId": "s1",
			"toolCall":  map[string]any{"toolCallId": "c1", "title": "tidy up", "kind": "execute", "status": "pending", "rawInput": map[string]any{"command": "rm -rf /tmp/x"}},
			"options": []any{
				map[string]any{"optionId": "once", "name": "Yes", "kind": "allow_once"},
				map[string]any{"optionId": "no", "name": "No", "kind": "reject_once"},
			},
		}})
		return
	case "hang":
		p.say("half")
		return
	case "die":
		fmt.Fprintln(os.Stderr, "out of memory")
		os.Exit(4)
	case "env":
		p.say(strings.Join(os.Environ(), "\n"))
	case "cwd":
		p.say(cwd)
	default:
		p.say("You said \xe2\x80\x9c")
		p.say(text + "\u201d.\x1b[0m")
	}
	p.answer(m.ID, map[string]any{"stopReason": "end_turn"})
}

func TestRunAnACPAgent(t *testing.T) {
	i := invoke(t).configure(peerConfig(t))
	code, stdout, stderr := i.run("run", "--agent", "peer", "fix", "it")
	if code != exitOK || stdout != "You said “fix it”.\x1b[0m" {
		t.Errorf("exit %d, %q, %q", code, stdout, stderr)
	}
	i.stdin = "from the input\n"
	code, stdout, _ = i.run("run", "--agent", "peer", "--json")
	events := decode(t, stdout)
	if code != exitOK || strings.Contains(stdout, "\x1b") || events[len(events)-1]["outcome"] != "done" {
		t.Errorf("exit %d\n%s", code, stdout)
	}
	dir := t.TempDir()
	if code, stdout, stderr := i.run("run", "--agent", "peer", "--cwd", dir, "cwd"); code != exitOK || stdout != dir {
		t.Errorf("it works in %q: exit %d, %q", stdout, code, stderr)
	}
}

func TestRunAnACPAgentThatAsks(t *testing.T) {
	code, stdout, stderr := invoke(t).configure(peerConfig(t)).run("run", "--agent", "peer", "ask")
	if code != exitRejected || stdout != "I will run a command." || !strings.Contains(stderr, "rm -rf /tmp/x") || !strings.Contains(stderr, "copydesk: refused, because nobody is here to answer") {
		t.Errorf("exit %d, %q, %q", code, stdout, stderr)
	}
}

// TestR4_AnAgentThatFailsIsSaidInOneLine is the agent that dies at the start, the
// one that dies in its turn, and the one that is no agent.
func TestR4_AnAgentThatFailsIsSaidInOneLine(t *testing.T) {
	code, stdout, stderr := invoke(t).configure(peerConfig(t, "PEER_FAILS: '1'")).run("run", "--agent", "peer", "hello")
	if code != exitFailed || stdout != "" || !strings.Contains(stderr, "no licence") {
		t.Errorf("at the start: exit %d, %q, %q", code, stdout, stderr)
	}
	if n := strings.Count(stderr, "no licence"); n != 1 {
		t.Errorf("at the start: said %d times\n%s", n, stderr)
	}
	code, stdout, stderr = invoke(t).configure(peerConfig(t)).run("run", "--agent", "peer", "die")
	if code != exitFailed || stdout != "" || !strings.Contains(stderr, "out of memory") {
		t.Errorf("in its turn: exit %d, %q, %q", code, stdout, stderr)
	}
	code, stdout, stderr = invoke(t).configure("agents:\n  no:\n    command: ['true']\n").run("run", "--agent", "no", "hello")
	if code != exitFailed || stdout != "" || !strings.HasPrefix(stderr, "copydesk: ") {
		t.Errorf("no agent: exit %d, %q, %q", code, stdout, stderr)
	}
}

func TestRunAnACPAgentIsInterrupted(t *testing.T) {
	var errs shared
	p, out := invoke(t).configure(peerConfig(t)).process(&errs, "run", "--agent", "peer", "hang")
	var watching sync.WaitGroup
	defer watching.Wait()
	var over atomic.Bool
	watching.Go(func() {
		for out() != "half" {
			if over.Load() {
				return
			}
			time.Sleep(time.Millisecond)
		}
		_ = syscall.Kill(os.Getpid(), syscall.SIGINT)
	})
	code := run(p)
	over.Store(true)
	if code != 130 || out() != "half" {
		t.Errorf("exit %d, %q, %q", code, out(), errs.String())
	}
}

// TestT38_AnAgentsEnvironment dumps what an agent really gets.
func TestT38_AnAgentsEnvironment(t *testing.T) {
	i := invoke(t, "COPYDESK_LOG_LEVEL=debug", "COPYDESK_TOKEN=secret-of-ours", "DEMO_API_KEY="+sentinel).configure(peerConfig(t, "LITERAL: $HOME/x"))
	code, stdout, stderr := i.run("run", "--agent", "peer", "env")
	env := strings.Split(stdout, "\n")
	if code != exitOK || strings.Contains(stdout, "COPYDESK_") || strings.Contains(stdout, "secret-of-ours") {
		t.Errorf("exit %d, %q, %q", code, stdout, stderr)
	}
	// The user's own variables are inherited: the agent needs its key.
	for _, want := range []string{"HOME=" + i.home, "ACP_PEER=1", "LITERAL=$HOME/x", "DEMO_API_KEY=" + sentinel} {
		if !slices.Contains(env, want) {
			t.Errorf("%s is not in %q", want, env)
		}
	}
	for _, v := range env {
		name, _, _ := strings.Cut(v, "=")
		if !slices.Contains([]string{"HOME", "TERM", "PATH", "ACP_PEER", "LITERAL", "DEMO_API_KEY", "PWD"}, name) {
			t.Errorf("%s was added", v)
		}
	}
}

// TestT37_WhatAnAgentSaysOnStandardErrorIsNotLoggedWithTheKey is the agent that
// prints the user's key where it fails, at the level that logs the most.
func TestT37_WhatAnAgentSaysOnStandardErrorIsNotLoggedWithTheKey(t *testing.T) {
	i := invoke(t, "COPYDESK_LOG_LEVEL=debug", "DEMO_API_KEY="+sentinel)
	i.configure("agents:\n  leaky:\n    command: [/bin/sh, -c, 'echo $DEMO_API_KEY >&2; exit 3']\n")
	code, stdout, stderr := i.run("run", "--agent", "leaky", "hello")
	if code != exitFailed || strings.Contains(stdout+stderr, "SENTINEL") {
		t.Errorf("exit %d, %q, %q", code, stdout, stderr)
	}
	log, err := os.ReadFile(i.home + "/.local/state/copydesk/copydesk.log")
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(log), "SENTINEL") {
		t.Errorf("the log has the key: %s", log)
	}
}

func TestRunAChat(t *testing.T) {
	keys := make(chan string, 16)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v1/models" {
			_, _ = io.WriteString(w, `{"object":"list","data":[{"id":"m1","object":"model"}]}`)
			return
		}
		keys <- r.Header.Get("Authorization")
		w.Header().Set("Content-Type", "text/event-stream")
		for _, piece := range []string{"Hel", "lo."} {
			fmt.Fprintf(w, `data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"m1","choices":[{"index":0,"delta":{"content":%q},"finish_reason":null}]}`+"\n\n", piece)
		}
		_, _ = io.WriteString(w, `data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"m1","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n")
	}))
	t.Cleanup(s.Close)
	i := invoke(t, "DEMO_API_KEY="+sentinel).configure("agent: local\nagents:\n  local:\n    openai: {base_url: '" + s.URL + "/v1', model: m1, key_env: DEMO_API_KEY}\n")
	code, stdout, stderr := i.run("run", "hello")
	if code != exitOK || stdout != "Hello." || strings.Contains(stderr, "SENTINEL") {
		t.Errorf("exit %d, %q, %q", code, stdout, stderr)
	}
	if got := <-keys; got != "Bearer "+sentinel {
		t.Errorf("the key was sent as %q", got)
	}
}
