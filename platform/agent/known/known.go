// Package known has the agents that people usually have: which programs they
// are, how they are started to speak the Agent Client Protocol, and how one is
// installed that is missing. It also finds model servers on this machine.
package known

import (
	"fmt"
	"slices"
	"strings"
)

// An Agent is one that is usual. The commands are those of the ACP registry
// (https://agentclientprotocol.com/registry) and of the agents' own pages.
type Agent struct {
	Name string   // what it is called here
	What string   // what it is, in a few words
	Argv []string // what starts it; the first is looked up on PATH

	// Related is the program of the product whose adapter Argv is. Where it is
	// found and the adapter is not, the adapter is what is missing.
	Related string

	Install string // the command that installs Argv's program
	Node    int    // the least major version of Node.js that it runs on; 0: it needs none

	// Env makes it ask before it runs a command or changes a file, as
	// "NAME=value". What the user has set already stays as it is.
	Env []string
}

// Agents are the usual agents, the most usual first. Claude Code, Gemini CLI
// and Qwen Code ask by themselves.
func Agents() []Agent {
	return []Agent{
		{
			Name: "claude", What: "Claude Code", Argv: []string{"claude-agent-acp"}, Related: "claude",
			Install: "npm install -g @agentclientprotocol/claude-agent-acp",
			Node:    22, // npm on Node.js 20 installs a release that is far behind without a word
		},
		{
			Name: "gemini", What: "Gemini CLI", Argv: []string{"gemini", "--acp"},
			Install: "npm install -g @google/gemini-cli", Node: 20,
		},
		{
			Name: "codex", What: "Codex", Argv: []string{"codex-acp"}, Related: "codex",
			Install: "npm install -g @agentclientprotocol/codex-acp", Node: 20,
			Env: []string{"INITIAL_AGENT_MODE=workspace-write"},
		},
		{
			Name: "opencode", What: "opencode", Argv: []string{"opencode", "acp"},
			Install: "npm install -g opencode-ai", Node: 20,
			Env: []string{`OPENCODE_PERMISSION={"bash":"ask","edit":"ask"}`},
		},
		{
			Name: "goose", What: "Goose", Argv: []string{"goose", "acp"},
			Install: "curl -fsSL https://github.com/aaif-goose/goose/releases/download/stable/download_cli.sh | bash",
			Env:     []string{"GOOSE_MODE=approve"},
		},
		{
			Name: "qwen", What: "Qwen Code", Argv: []string{"qwen", "--acp"},
			Install: "npm install -g @qwen-code/qwen-code", Node: 22,
		},
		{
			Name: "copilot", What: "GitHub Copilot CLI", Argv: []string{"copilot", "--acp"},
			Install: "npm install -g @github/copilot", Node: 22,
		},
		{
			Name: "cursor", What: "Cursor CLI", Argv: []string{"cursor-agent", "acp"},
			Install: "curl https://cursor.com/install -fsS | bash",
		},
		{
			Name: "kimi", What: "Kimi Code", Argv: []string{"kimi", "acp"},
			Install: "npm install -g @moonshot-ai/kimi-code", Node: 22,
		},
		{
			Name: "vibe", What: "Mistral Vibe", Argv: []string{"vibe-acp"}, Related: "vibe",
			Install: "uv tool install mistral-vibe",
		},
		{
			Name: "auggie", What: "Auggie", Argv: []string{"auggie", "--acp"},
			Install: "npm install -g @augmentcode/auggie", Node: 22,
		},
		{
			Name: "cline", What: "Cline", Argv: []string{"cline", "--acp"},
			Install: "npm install -g cline", Node: 20,
		},
	}
}

// Named gives the usual agent of a name.
func Named(name string) (Agent, bool) {
	list := Agents()
	i := slices.IndexFunc(list, func(a Agent) bool { return a.Name == name })
	if i < 0 {
		return Agent{}, false
	}
	return list[i], true
}

// Started gives the usual agent that a command starts, by its program alone:
// people give it other arguments.
func Started(program string) (Agent, bool) {
	list := Agents()
	i := slices.IndexFunc(list, func(a Agent) bool { return a.Argv[0] == program })
	if i < 0 {
		return Agent{}, false
	}
	return list[i], true
}

// Found is a usual agent that is here, wholly or in part.
type Found struct {
	Agent

	// Missing says in a sentence what is missing and which command brings it;
	// empty when the agent can be started.
	Missing string
}

// Find looks for the usual agents with lookPath, which is exec.LookPath or
// stands in for it: those whose program is there, and those of which only the
// product is there that the program is the adapter of. It starts nothing.
func Find(lookPath func(string) (string, error)) []Found {
	var out []Found
	for _, a := range Agents() {
		missing := a.Missing(lookPath)
		if missing == "" || a.Related != "" && has(lookPath, a.Related) {
			out = append(out, Found{a, missing})
		}
	}
	return out
}

// Missing says in a sentence what the agent lacks here and which command brings
// it; empty when it can be started.
func (a Agent) Missing(lookPath func(string) (string, error)) string {
	if has(lookPath, a.Argv[0]) {
		return ""
	}
	what := fmt.Sprintf("%s is not on PATH.", a.Argv[0])
	if a.Related != "" && has(lookPath, a.Related) {
		what = fmt.Sprintf("%s is here, its adapter %s is not on PATH.", a.Related, a.Argv[0])
	}
	needs := ""
	if a.Node > 0 {
		needs = fmt.Sprintf(" (Node.js %d or later)", a.Node)
		if !has(lookPath, "node") && strings.HasPrefix(a.Install, "npm ") {
			needs = fmt.Sprintf(" (needs Node.js %d or later, which is not here either)", a.Node)
		}
	}
	return what + " Install it: " + a.Install + needs
}

func has(lookPath func(string) (string, error), program string) bool {
	_, err := lookPath(program)
	return err == nil
}

// Adds gives what of the agent's Env an environment does not have yet.
func (a Agent) Adds(environ []string) map[string]string {
	out := map[string]string{}
	for _, pair := range a.Env {
		name, value, _ := strings.Cut(pair, "=")
		if !slices.ContainsFunc(environ, func(e string) bool { return strings.HasPrefix(e, name+"=") }) {
			out[name] = value
		}
	}
	return out
}
