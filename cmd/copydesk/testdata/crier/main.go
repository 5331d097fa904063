// Crier is an agent for measurements and end-to-end tests: an Agent Client
// Protocol program whose prompts say what it does.
//
//	out N    streams N MiB of Markdown
//	err N    complains N MiB on standard error, then answers
//	calls N  reports N changes of a tool call, then answers
//	count N  says N numbered lines, one each millisecond
//	ask      asks whether it may remove a folder, with three options
//	die      ends itself with signal 9 in the middle of an answer
//
// With the argument "stubborn" it ends neither with its input nor when it is
// asked to.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"
)

type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Prompt []struct {
			Text string `json:"text"`
		} `json:"prompt"`
	} `json:"params"`
	Result struct {
		Outcome struct {
			OptionID string `json:"optionId"`
		} `json:"outcome"`
	} `json:"result"`
}

var (
	in  = bufio.NewReaderSize(os.Stdin, 1<<20)
	out = bufio.NewWriterSize(os.Stdout, 1<<16)
)

func main() {
	stubborn := len(os.Args) > 1 && os.Args[1] == "stubborn"
	if stubborn {
		signal.Ignore(syscall.SIGTERM, syscall.SIGHUP)
	}
	for {
		m, ok := read()
		if !ok && stubborn {
			time.Sleep(time.Hour)
		}
		if !ok {
			return
		}
		switch m.Method {
		case "initialize":
			answer(m.ID, `{"protocolVersion":1,"agentCapabilities":{}}`)
		case "session/new":
			answer(m.ID, `{"sessionId":"s1"}`)
		case "session/prompt":
			prompt(m)
		}
		out.Flush()
	}
}

// prompt does what a prompt says.
func prompt(m message) {
	verb, rest, _ := strings.Cut(m.Params.Prompt[0].Text, " ")
	n, _ := strconv.Atoi(rest)
	reason := "end_turn"
	switch verb {
	case "out":
		stream(n << 20)
	case "err":
		line := strings.Repeat("complaint ", 100) + "\n"
		for written := 0; written < n<<20; written += len(line) {
			os.Stderr.WriteString(line)
		}
		say("done complaining")
	case "calls":
		for i := range n {
			update(fmt.Sprintf(`{"sessionUpdate":"tool_call_update","toolCallId":"c","status":"in_progress","title":"step %d","content":[]}`, i+1))
		}
		update(`{"sessionUpdate":"tool_call_update","toolCallId":"c","status":"completed"}`)
		say("all steps are done")
	case "count":
		for i := range n {
			say(fmt.Sprintf("#%06d\n", i+1))
			out.Flush()
			time.Sleep(time.Millisecond)
		}
	case "ask":
		reason = ask()
	case "die":
		say("the last words")
		out.Flush()
		syscall.Kill(os.Getpid(), syscall.SIGKILL)
	default:
		say("heard: " + m.Params.Prompt[0].Text)
	}
	answer(m.ID, `{"stopReason":"`+reason+`"}`)
}

// stream says size bytes of Markdown, 4 KiB in each message.
func stream(size int) {
	piece := strings.Repeat("Some **prose** with `code`, a [link](https://example.org) and a number 12345.\n", 52)
	quoted, _ := json.Marshal(piece)
	line := `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":` + string(quoted) + `}}}}` + "\n"
	for sent := 0; sent < size; sent += len(piece) {
		out.WriteString(line)
	}
	say("\nthe flood has ended\n")
}

// ask asks for a permission and returns why the turn ends.
func ask() string {
	say("I want to clean up.\n")
	out.WriteString(`{"jsonrpc":"2.0","id":0,"method":"session/request_permission","params":{"sessionId":"s1",` +
		`"toolCall":{"toolCallId":"t","title":"Clean up","kind":"execute","rawInput":{"command":"rm -rf ./tmp"}},"options":[` +
		`{"optionId":"always","name":"Yes, always","kind":"allow_always"},{"optionId":"once","name":"Yes","kind":"allow_once"},{"optionId":"cancel","name":"No","kind":"reject_once"}]}}` + "\n")
	out.Flush()
	m, ok := read()
	if !ok {
		os.Exit(0)
	}
	if m.Result.Outcome.OptionID == "cancel" || m.Result.Outcome.OptionID == "" {
		return "cancelled"
	}
	say("It was allowed: " + m.Result.Outcome.OptionID + "\n")
	return "end_turn"
}

func say(text string) {
	quoted, _ := json.Marshal(text)
	update(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":` + string(quoted) + `}}`)
}

func update(u string) {
	out.WriteString(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":` + u + `}}` + "\n")
}

func answer(id json.RawMessage, result string) {
	out.WriteString(`{"jsonrpc":"2.0","id":` + string(id) + `,"result":` + result + `}` + "\n")
}

func read() (m message, ok bool) {
	line, err := in.ReadBytes('\n')
	if err != nil {
		return m, false
	}
	if err := json.Unmarshal(line, &m); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	return m, true
}
