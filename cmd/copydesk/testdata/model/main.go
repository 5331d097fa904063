// Command model is a language model for tests: it speaks the streaming chat
// format of OpenAI on loopback and reacts to words in the prompt.
//
//	[run] COMMAND        calls the tool bash, or run_command, with it
//	[edit] FILE OLD NEW  calls the tool edit
//	[write] FILE TEXT    calls the tool write_file
//	[ask]                calls the tool question, or ask_user
//	[long]               answers 3,000 lines
//	[think]              reasons first
//	[recall] WORDS       says whether the user has said the words before
//	[fail]               answers HTTP 400
//
// It prints its base URL and serves until its standard input ends. GET /calls
// answers how many chats there were with tools.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
)

type message struct {
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"`
}

type chat struct {
	Model    string    `json:"model"`
	Stream   bool      `json:"stream"`
	Messages []message `json:"messages"`
	Tools    []struct {
		Function struct {
			Name string `json:"name"`
		} `json:"function"`
	} `json:"tools"`
}

// text is a message's text, whether it came as a string or in parts.
func (m message) text() string {
	var plain string
	if json.Unmarshal(m.Content, &plain) == nil {
		return plain
	}
	var parts []struct {
		Text string `json:"text"`
	}
	_ = json.Unmarshal(m.Content, &parts)
	for _, p := range parts {
		plain += p.Text
	}
	return plain
}

func (c chat) has(tool string) bool {
	for _, t := range c.Tools {
		if t.Function.Name == tool {
			return true
		}
	}
	return false
}

// prompt is what the user said last, and whether tools have answered since.
func (c chat) prompt() (text string, answered bool) {
	for i := len(c.Messages) - 1; i >= 0; i-- {
		switch c.Messages[i].Role {
		case "tool":
			answered = true
		case "user":
			return c.Messages[i].text(), answered
		}
	}
	return "", answered
}

type server struct{ calls atomic.Int64 }

func main() {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	s := &server{}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/chat/completions", s.chat)
	mux.HandleFunc("GET /v1/models", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `{"object":"list","data":[{"id":"fake","object":"model"}]}`)
	})
	mux.HandleFunc("GET /calls", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, s.calls.Load()) })
	go func() { log.Fatal(http.Serve(l, mux)) }()
	fmt.Printf("http://%s/v1\n", l.Addr())
	io.Copy(io.Discard, os.Stdin)
}

func (s *server) chat(w http.ResponseWriter, r *http.Request) {
	var c chat
	if err := json.NewDecoder(r.Body).Decode(&c); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	text, answered := c.prompt()
	if len(c.Tools) > 0 {
		s.calls.Add(1)
	}
	out := &stream{w: w, model: c.Model}
	switch {
	case strings.Contains(text, "[fail]"):
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprint(w, `{"error":{"message":"the fake model fails as told","type":"invalid_request_error"}}`)
	case len(c.Tools) == 0:
		out.say("A title")
		out.end("stop")
	case answered:
		out.say("The command ", "**finished**.\n")
		out.end("stop")
	default:
		out.react(c, text)
	}
}

func (s *stream) react(c chat, text string) {
	word, rest := directive(text)
	switch {
	case word == "run" && c.has("bash"):
		s.say("I will run a ", "command.\n")
		s.call("bash", map[string]any{"command": rest, "description": "Runs what it was told"})
	case word == "edit" && c.has("edit"):
		f := strings.Fields(rest)
		if len(f) < 3 {
			break
		}
		s.say("I will edit a file.\n")
		s.call("edit", map[string]any{"filePath": f[0], "oldString": f[1], "newString": f[2]})
	case word == "run" && c.has("run_command"):
		s.say("I will run a ", "command.\n")
		s.call("run_command", map[string]any{"command": strings.Fields(rest)})
	case word == "write" && c.has("write_file"):
		path, content, _ := strings.Cut(rest, " ")
		s.call("write_file", map[string]any{"path": path, "content": content + "\n"})
	case word == "ask" && c.has("ask_user"):
		s.call("ask_user", map[string]any{"question": "Which colour?", "choices": []any{"Red", "Blue"}})
	case word == "ask" && c.has("question"):
		s.call("question", map[string]any{"questions": []any{map[string]any{
			"question": "Which colour?", "header": "Colour",
			"options": []any{map[string]any{"label": "Red", "description": "like fire"}, map[string]any{"label": "Blue", "description": "like water"}},
		}}})
	case word == "long":
		for i := range 3000 {
			s.say(fmt.Sprintf("line %04d of the long answer\n", i+1))
		}
	case word == "recall":
		said := 0
		for _, m := range c.Messages[:len(c.Messages)-1] {
			if m.Role == "user" && strings.Contains(m.text(), rest) {
				said++
			}
		}
		s.say(fmt.Sprintf("You said it %d time(s) before.\n", said))
	case word == "think":
		s.delta(map[string]any{"reasoning_content": "First I think "})
		s.delta(map[string]any{"reasoning_content": "about it.\n"})
		s.say("Thought through.\n")
	default:
		s.say("You said: ", strings.TrimSpace(text), "\n")
	}
	s.end("stop")
}

// directive finds the word in brackets and what stands behind it on its line.
func directive(text string) (word, rest string) {
	for _, w := range []string{"run", "edit", "write", "ask", "long", "think", "recall"} {
		if _, after, found := strings.Cut(text, "["+w+"]"); found {
			line, _, _ := strings.Cut(after, "\n")
			return w, strings.TrimSpace(line)
		}
	}
	return "", text
}

type stream struct {
	w      http.ResponseWriter
	model  string
	called bool
	begun  bool
}

func (s *stream) write(choice map[string]any) {
	if !s.begun {
		s.begun = true
		s.w.Header().Set("Content-Type", "text/event-stream")
	}
	data, err := json.Marshal(map[string]any{
		"id": "chat-1", "object": "chat.completion.chunk", "created": 1, "model": s.model, "choices": []any{choice},
		"usage": map[string]any{"prompt_tokens": 80, "completion_tokens": 20, "total_tokens": 100},
	})
	if err != nil {
		log.Print(err)
		return
	}
	fmt.Fprintf(s.w, "data: %s\n\n", data)
	if f, ok := s.w.(http.Flusher); ok {
		f.Flush()
	}
}

func (s *stream) delta(d map[string]any) {
	d["role"] = "assistant"
	s.write(map[string]any{"index": 0, "delta": d, "finish_reason": nil})
}

func (s *stream) say(words ...string) {
	for _, w := range words {
		s.delta(map[string]any{"content": w})
	}
}

func (s *stream) call(name string, input map[string]any) {
	arguments, err := json.Marshal(input)
	if err != nil {
		log.Print(err)
		return
	}
	s.called = true
	s.delta(map[string]any{"tool_calls": []any{map[string]any{
		"index": 0, "id": "call_1", "type": "function",
		"function": map[string]any{"name": name, "arguments": string(arguments)},
	}}})
}

func (s *stream) end(reason string) {
	if s.called {
		reason = "tool_calls"
	}
	s.write(map[string]any{"index": 0, "delta": map[string]any{}, "finish_reason": reason})
	fmt.Fprint(s.w, "data: [DONE]\n\n")
}
