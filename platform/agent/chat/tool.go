package chat

import (
	"fmt"
	"strings"

	"github.com/openai/openai-go/v3"

	"copydesk/core/session"
)

// A tool is something that the model can call.
type tool struct {
	name    string
	kind    string // session.ToolCall's; empty: only its failures are shown
	title   string // until the arguments are known
	summary string // for the model
	takes   map[string]any
	needs   []string
	run     func(t *turn, c *call) outcome
}

// An outcome is what came of a call.
type outcome struct {
	result string // for the model
	failed bool
	ends   bool // the user ended the turn with it
}

func done(result string) outcome { return outcome{result: result} }

// fault is a result that tells the model what it did wrong, or what went wrong.
func fault(format string, args ...any) outcome {
	return outcome{result: "Error: " + fmt.Sprintf(format, args...) + ".", failed: true}
}

// The names of the tools.
const (
	askUser    = "ask_user"
	runCommand = "run_command"
	writeFile  = "write_file"
	readFile   = "read_file"
)

func text(about string) map[string]any {
	return map[string]any{"type": "string", "description": about}
}

func whole(about string) map[string]any {
	return map[string]any{"type": "integer", "description": about}
}

func list(about string) map[string]any {
	return map[string]any{"type": "array", "items": map[string]any{"type": "string"}, "description": about}
}

func toolbox() []tool {
	return []tool{
		{
			name: askUser, title: "ask the user",
			summary: "Ask the user a question and get the answer. Give choices when the answer is one of a few.",
			takes:   map[string]any{"question": text("One sentence."), "choices": list("What can be chosen, in short. Leave it out for a free answer.")},
			needs:   []string{"question"}, run: (*turn).question,
		},
		{
			name: runCommand, kind: "execute", title: "run a command",
			summary: "Run a command and get its output and exit status. The user sees it and can refuse it. It has no input and no terminal.",
			takes: map[string]any{
				"command": map[string]any{
					"description": "The program and its arguments as a list, which is preferred, or a text for sh -c.",
					"anyOf":       []any{list("The program and its arguments."), text("A text for sh -c.")},
				},
				"cwd":             text("The folder to run it in, below the working folder. Default: the working folder."),
				"timeout_seconds": whole("When it is ended, 1 to 3600. Default: 120."),
			},
			needs: []string{"command"}, run: (*turn).command,
		},
		{
			name: writeFile, kind: "edit", title: "write a file",
			summary: "Write a text file in the working folder: the whole new content. The user sees what changes and can refuse it.",
			takes:   map[string]any{"path": text("The file, below the working folder."), "content": text("All that the file shall hold.")},
			needs:   []string{"path", "content"}, run: (*turn).write,
		},
		{
			name: readFile, kind: "read", title: "read a file",
			summary: "Read a text file in the working folder, or list a folder.",
			takes: map[string]any{
				"path":   text("The file, below the working folder."),
				"offset": whole("The first line, from 1. Default: 1."),
				"limit":  whole("How many lines. Default: as many as fit."),
			},
			needs: []string{"path"}, run: (*turn).read,
		},
	}
}

// offer describes the tools to the server.
func offer(tools []tool) []openai.ChatCompletionToolUnionParam {
	var all []openai.ChatCompletionToolUnionParam
	for _, t := range tools {
		all = append(all, openai.ChatCompletionFunctionTool(openai.FunctionDefinitionParam{
			Name:        t.name,
			Description: openai.String(t.summary),
			Parameters: openai.FunctionParameters{
				"type": "object", "properties": t.takes, "required": t.needs, "additionalProperties": false,
			},
		}))
	}
	return all
}

func (a *Agent) tool(name string) (tool, bool) {
	for _, t := range a.tools {
		if t.name == name {
			return t, true
		}
	}
	return tool{}, false
}

// perform does what one call asks for and returns the result for the model, and
// whether the turn goes on.
func (t *turn) perform(c *call) (result string, on bool) {
	tool, ok := t.a.tool(c.name)
	if !ok {
		tool.title = fmt.Sprintf("unknown tool %q", c.name)
		tool.run = func(*turn, *call) outcome {
			return fault("there is no tool %q; there are %s, %s, %s and %s", c.name, askUser, runCommand, writeFile, readFile)
		}
	}
	o := tool.run(t, c)
	switch {
	case o.failed && tool.kind == "":
		t.say(session.ToolCall{ID: c.shown, Title: tool.title, Status: session.Failed, Chunk: o.result})
	case o.failed && strings.HasPrefix(o.result, "Error: "):
		t.say(session.ToolCall{ID: c.shown, Status: session.Failed, Chunk: o.result})
	case o.failed || o.ends:
		t.say(session.ToolCall{ID: c.shown, Status: session.Failed})
	case tool.kind != "":
		t.say(session.ToolCall{ID: c.shown, Status: session.Done})
	}
	return o.result, !o.ends
}

// await waits for the answer of a request. Where the user both rejects and ends
// the turn, the rejection is there first; nothing else counts in a turn that has
// ended.
func (t *turn) await(reply <-chan session.Answer, wake <-chan struct{}) (a session.Answer, woken bool, err error) {
	defer func() {
		if err == nil && !woken && a.Verdict != session.Reject && t.ctx.Err() != nil {
			err = errOver // a turn that is stopped is no longer allowed anything
		}
	}()
	select {
	case a := <-reply:
		return a, false, nil
	default:
	}
	select {
	case a := <-reply:
		return a, false, nil
	case <-wake:
		return a, true, nil
	case <-t.ctx.Done():
	}
	select {
	case a := <-reply:
		return a, false, nil
	default:
		return a, false, errOver
	}
}

// refused is what a rejection means to the model. With a reason the turn goes
// on.
func refused(a session.Answer) outcome {
	switch {
	case a.Verdict == session.Reject && a.Reason != "":
		return outcome{result: "The user rejected this. The reason: " + a.Reason, failed: true}
	case a.Verdict == session.Reject:
		return outcome{result: "The user rejected this and ended the turn.", failed: true, ends: true}
	}
	return fault("the request could not be shown to the user, so it was not done")
}

// ended is the outcome of a call that the end of the turn overtook.
func ended() outcome {
	return outcome{result: "Not done: the user ended the turn.", failed: true, ends: true}
}
