package config

import (
	"errors"
	"fmt"
	"maps"
	"net/url"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// PlaygroundName is the agent that is built in; no other one can be called so.
const PlaygroundName = "playground"

// Agents are the agents that the user has described, by name. They come from
// the file that the user named or owns and from nowhere else: no file of a
// folder that is worked in describes one (T39).
type Agents map[string]Agent

// An Agent is a program that speaks the Agent Client Protocol (Command), or a
// model behind an OpenAI-compatible endpoint (OpenAI); exactly one of them.
type Agent struct {
	// Command is the program and its arguments, without a shell. The program is
	// looked up on PATH or has an absolute path; a leading ~/ of it is
	// expanded.
	Command Argv `yaml:"command,omitempty"`

	// Env is set in the agent's environment over what it inherits. The values
	// are taken as written: $NAME stays what it is.
	Env map[string]string `yaml:"env,omitempty"`

	// Cwd is the folder that the agent works in, absolute; empty is the one
	// that copydesk was started in. A leading ~/ is expanded. It need not exist
	// before the agent is opened.
	Cwd string `yaml:"cwd,omitempty"`

	OpenAI OpenAI `yaml:"openai,omitempty"`

	broken bool // a problem of form was reported; what is missing is no news
}

// OpenAI is where a model is and how it is asked.
type OpenAI struct {
	// BaseURL is the address below which /chat/completions is, for example
	// http://127.0.0.1:11434/v1.
	BaseURL string `yaml:"base_url"`

	// Model is the model's name; empty is the first that the endpoint lists.
	Model string `yaml:"model,omitempty"`

	// KeyEnv is the environment variable that holds the key. KeyCommand is a
	// program and its arguments that prints it. At most one of them is set; the
	// key itself is never in a file.
	KeyEnv     string `yaml:"key_env,omitempty"`
	KeyCommand Argv   `yaml:"key_command,omitempty"`

	// Context is how many tokens the model takes in; 0 is unknown.
	Context int `yaml:"context,omitempty"`
}

// Argv is a program and its arguments. In the file it is a list.
type Argv []string

// UnmarshalYAML reads the list. What stands there instead is not repeated: it
// may be a key.
func (a *Argv) UnmarshalYAML(n *yaml.Node) error {
	const text = "is not a list of a program and its arguments, such as [gemini, --acp]"
	if n.Kind != yaml.SequenceNode {
		return errors.New(text)
	}
	list := make(Argv, 0, len(n.Content))
	for _, item := range n.Content {
		if item.Kind != yaml.ScalarNode || item.ShortTag() == "!!null" || item.ShortTag() == "!!binary" {
			return errors.New(text)
		}
		list = append(list, item.Value)
	}
	*a = list
	return nil
}

// maxContext is the largest context that is believed, in tokens.
const maxContext = 100_000_000

var (
	agentName    = regexp.MustCompile(`^[a-z0-9-]{1,32}$`)
	variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,127}$`)
)

// keyAdvice is said wherever a key itself may have been written. It never
// repeats what was written.
const keyAdvice = "a key is not written into this file; name the variable that holds it with key_env, or a program that prints it with key_command"

// advice is what to say of a setting that does not exist, or nothing.
func (OpenAI) advice(name string) string {
	switch strings.ToLower(strings.NewReplacer("-", "", "_", "").Replace(name)) {
	case "key", "apikey", "token", "secret", "authorization", "bearer", "password":
		return keyAdvice
	}
	return ""
}

// mark notes that the entry has a problem that was reported already.
func (a *Agent) mark() { a.broken = true }

// problems lists what is wrong with the agents, by name.
func (list Agents) problems() []Problem {
	var out []Problem
	for _, name := range slices.Sorted(maps.Keys(list)) {
		at := "agents." + name
		switch {
		case name == PlaygroundName:
			out = append(out, Problem{Path: at, Text: "is the name of the built-in agent; choose another"})
		case !agentName.MatchString(name):
			out = append(out, Problem{Path: at, Text: "a name is made of a to z, 0 to 9 and -, and is 32 characters long at most"})
		}
		if a := list[name]; !a.broken {
			for _, p := range a.problems() {
				p.Path = strings.TrimSuffix(at+"."+p.Path, ".")
				out = append(out, p)
			}
		}
	}
	return out
}

// problems lists what is wrong with one agent; the paths begin below it.
func (a Agent) problems() []Problem {
	var list []Problem
	add := func(path, text string) {
		if text != "" {
			list = append(list, Problem{Path: path, Text: text})
		}
	}
	chat := !reflect.ValueOf(a.OpenAI).IsZero()
	switch {
	case len(a.Command) > 0 && chat:
		add("openai", "stands beside command; an agent has one of the two")
	case chat:
		list = append(list, a.OpenAI.problems()...)
		if len(a.Env) > 0 {
			add("env", "is for an agent with a command")
		}
	case a.Command == nil:
		add("", "needs command, for a program that speaks ACP, or openai, for a model's endpoint")
	default:
		add("command", unstartable(a.Command))
	}
	for _, name := range slices.Sorted(maps.Keys(a.Env)) {
		if name == "" || strings.ContainsAny(name, "=\x00") || strings.ContainsRune(a.Env[name], 0) {
			add("env."+name, "is not a variable that a program can be given")
		}
	}
	add("cwd", badFolder(a.Cwd))
	return list
}

func (o OpenAI) problems() []Problem {
	var list []Problem
	add := func(path, text string) {
		if text != "" {
			list = append(list, Problem{Path: "openai." + path, Text: text})
		}
	}
	add("base_url", badAddress(o.BaseURL))
	if strings.ContainsRune(o.Model, 0) {
		add("model", "holds a NUL, which no model's name does")
	}
	if o.KeyEnv != "" && !variableName.MatchString(o.KeyEnv) {
		add("key_env", "is not the name of a variable, such as OPENAI_API_KEY; "+keyAdvice)
	}
	if o.KeyEnv != "" && len(o.KeyCommand) > 0 {
		add("key_command", "stands beside key_env; a key comes from one of the two")
	}
	if o.KeyCommand != nil {
		add("key_command", unstartable(o.KeyCommand))
	}
	if o.Context < 0 || o.Context > maxContext {
		add("context", fmt.Sprintf("%d is not a number of tokens between 0 and %d", o.Context, maxContext))
	}
	return list
}

// unstartable says why a command cannot be started, whatever is installed. A
// program at a relative path would be another one in each folder that copydesk
// is started in: one that a repository brings along (T39).
func unstartable(argv []string) string {
	switch {
	case len(argv) == 0:
		return "names no program"
	case argv[0] == "":
		return "begins with an empty text where a program must be named"
	case slices.ContainsFunc(argv, func(s string) bool { return strings.ContainsRune(s, 0) }):
		return "holds a NUL, which no argument can"
	case strings.ContainsAny(argv[0], `/\`) && !filepath.IsAbs(argv[0]):
		return quote(argv[0]) + " is a relative path; name a program on PATH or give its absolute path"
	}
	return ""
}

func badFolder(path string) string {
	switch {
	case path == "" || filepath.IsAbs(path) && !strings.ContainsRune(path, 0):
		return ""
	default:
		return quote(path) + " is not an absolute path, and does not begin with ~/"
	}
}

func badAddress(address string) string {
	const example = "an address such as http://127.0.0.1:11434/v1"
	if address == "" {
		return "is needed: " + example
	}
	u, err := url.Parse(address)
	switch {
	case err == nil && u.User != nil || err != nil && strings.Contains(address, "@"):
		return "holds a name or a password; " + keyAdvice
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "":
		return quote(address) + " is not " + example
	case u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		return "holds a query or a fragment; write " + example
	}
	return ""
}

// expandHome writes out the leading ~ of a path and says what is wrong with it.
func (o Options) expandHome(path *string) string {
	rest, ok := strings.CutPrefix(*path, "~/")
	if !ok {
		return ""
	}
	home := o.env("HOME")
	if home == "" {
		return quote(*path) + " needs HOME, which is not set"
	}
	*path = filepath.Join(home, rest)
	return ""
}

// expandAgents writes out the leading ~ in what names a folder or a program.
func (o Options) expandAgents(list Agents) []Problem {
	var problems []Problem
	for _, name := range slices.Sorted(maps.Keys(list)) {
		a := list[name]
		add := func(path, text string) {
			if text != "" {
				a.broken = true
				problems = append(problems, Problem{Path: "agents." + name + "." + path, Text: text})
			}
		}
		add("cwd", o.expandHome(&a.Cwd))
		a.Command, a.OpenAI.KeyCommand = slices.Clone(a.Command), slices.Clone(a.OpenAI.KeyCommand)
		if len(a.Command) > 0 {
			add("command", o.expandHome(&a.Command[0]))
		}
		if len(a.OpenAI.KeyCommand) > 0 {
			add("openai.key_command", o.expandHome(&a.OpenAI.KeyCommand[0]))
		}
		list[name] = a
	}
	return problems
}
