package config

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

func withHome(home string) func(*Options) {
	return func(o *Options) { o.Env = environment("HOME=" + home) }
}

func TestCFG3_AgentsAreRead(t *testing.T) {
	const text = `agent: claude
agents:
  claude:
    command: [claude-agent-acp]
    env:
      ANTHROPIC_MODEL: opus
      RETRIES: 3
      LITERAL: $HOME/x
    cwd: ~/src/app
  own:
    command: [~/bin/agent, --level, 2, ~/kept]
  local:
    openai:
      base_url: http://127.0.0.1:11434/v1
      model: qwen3:8b
      context: 32768
  hosted:
    openai:
      base_url: https://api.example.org/v1
      model: big
      key_command: [~/bin/key, show]
  named:
    openai: {base_url: "https://api.example.org/v1", key_env: EXAMPLE_KEY}
`
	c, problems := loadText(t, text, withHome("/home/ada"))
	if problems != nil {
		t.Fatal(problems)
	}
	want := Agents{
		"claude": {
			Command: Argv{"claude-agent-acp"},
			Env:     map[string]string{"ANTHROPIC_MODEL": "opus", "RETRIES": "3", "LITERAL": "$HOME/x"},
			Cwd:     "/home/ada/src/app",
		},
		"own":    {Command: Argv{"/home/ada/bin/agent", "--level", "2", "~/kept"}},
		"local":  {OpenAI: OpenAI{BaseURL: "http://127.0.0.1:11434/v1", Model: "qwen3:8b", Context: 32768}},
		"hosted": {OpenAI: OpenAI{BaseURL: "https://api.example.org/v1", Model: "big", KeyCommand: Argv{"/home/ada/bin/key", "show"}}},
		"named":  {OpenAI: OpenAI{BaseURL: "https://api.example.org/v1", KeyEnv: "EXAMPLE_KEY"}},
	}
	if diff := cmp.Diff(want, c.Agents, cmpopts.IgnoreUnexported(Agent{})); diff != "" {
		t.Error(diff)
	}
	if c.Agent != "claude" {
		t.Errorf("agent is %q", c.Agent)
	}
}

// entry is an agent x with the given lines below its name.
func entry(lines ...string) string {
	return "agents:\n  x:\n    " + strings.Join(lines, "\n    ") + "\n"
}

func TestCFG3_EachProblemOfAnAgentNamesItsLine(t *testing.T) {
	const url = "base_url: http://h/v1"
	tests := []struct{ name, text, want string }{
		{"neither", entry("cwd: /tmp"), "config.yaml:2: agents.x: needs command, for a program that speaks ACP, or openai, for a model's endpoint"},
		{"nothing at all", "agents:\n  x:\n", "config.yaml:2: agents.x: needs command, for"},
		{"both", entry("command: [a]", "openai:", "  "+url), "config.yaml:4: agents.x.openai: stands beside command"},
		{"a word for the command", entry("command: gemini --acp"), "config.yaml:3: agents.x.command: is not a list of a program and its arguments, such as [gemini, --acp]"},
		{"a null in the command", entry("command: [a, ~]"), "config.yaml:3: agents.x.command: is not a list"},
		{"no program", entry("command: []"), "config.yaml:3: agents.x.command: names no program"},
		{"empty program", entry("command: ['', a]"), "config.yaml:3: agents.x.command: begins with an empty text"},
		{"NUL in the command", entry(`command: [a, "b\0"]`), "config.yaml:3: agents.x.command: holds a NUL"},
		{"no value", entry("command:"), "config.yaml:3: agents.x.command: has no value"},
		{"unknown setting", entry("comand: [a]"), "config.yaml:3: agents.x.comand: unknown setting; did you mean agents.x.command?"},
		{"env is a list", entry("command: [a]", "env: [A=b]"), "config.yaml:4: agents.x.env: a list is not a section"},
		{"env name", entry("command: [a]", "env:", "  A=B: c"), "config.yaml:5: agents.x.env.A=B: is not a variable"},
		{"env value", entry("command: [a]", "env:", "  A: [b]"), "config.yaml:5: agents.x.env.A: a list is not text"},
		{"env of a model", entry("openai:", "  "+url, "env: {A: b}"), "config.yaml:5: agents.x.env: is for an agent with a command"},
		{"relative folder", entry("command: [a]", "cwd: src"), `config.yaml:4: agents.x.cwd: "src" is not an absolute path`},
		{"home unknown", entry("command: [a]", "cwd: ~/src"), `config.yaml:4: agents.x.cwd: "~/src" needs HOME, which is not set`},
		{"capitals", "agents:\n  Claude:\n    command: [a]\n", "config.yaml:2: agents.Claude: a name is made of a to z, 0 to 9 and -"},
		{"long name", "agents:\n  " + strings.Repeat("a", 33) + ":\n    command: [a]\n", "config.yaml:2: agents." + strings.Repeat("a", 33) + ": a name is made of"},
		{"taken name", "agents:\n  playground:\n    command: [a]\n", "config.yaml:2: agents.playground: is the name of the built-in agent"},
		{"twice", "agents:\n  x:\n    command: [a]\n  x:\n    command: [b]\n", "config.yaml:4: agents.x: is set twice, first on line 2"},
		{"no address", entry("openai:", "  model: m"), "config.yaml:3: agents.x.openai.base_url: is needed: an address such as"},
		{"bad address", entry("openai:", "  base_url: localhost:11434"), `config.yaml:4: agents.x.openai.base_url: "localhost:11434" is not an address such as`},
		{"file address", entry("openai:", "  base_url: file:///etc/passwd"), "config.yaml:4: agents.x.openai.base_url: "},
		{"query", entry("openai:", "  base_url: http://h/v1?a=b"), "config.yaml:4: agents.x.openai.base_url: holds a query or a fragment"},
		{"two keys", entry("openai:", "  "+url, "  key_env: A", "  key_command: [b]"), "config.yaml:6: agents.x.openai.key_command: stands beside key_env"},
		{"no key program", entry("openai:", "  "+url, "  key_command: []"), "config.yaml:5: agents.x.openai.key_command: names no program"},
		{"context", entry("openai:", "  "+url, "  context: -1"), "config.yaml:5: agents.x.openai.context: -1 is not a number of tokens"},
		{"context in words", entry("openai:", "  "+url, "  context: 32k"), `config.yaml:5: agents.x.openai.context: "32k" is not a whole number in range`},
		{"not a section", "agents: [claude]\n", "config.yaml:1: agents: a list is not a section"},
		{"an alias", "agents:\n  x: &x\n    command: [a]\n  y: *x\n", "config.yaml:4: agents.y: an alias is not read here"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, got := loadText(t, test.text)
			if len(got) != 1 || !strings.HasPrefix(got[0], test.want) {
				t.Errorf("got %q, want one that begins with %q", got, test.want)
			}
		})
	}
}

// A program at a relative path would come from the folder that copydesk is
// started in.
func TestT39_NoAgentAtARelativePath(t *testing.T) {
	for _, program := range []string{"./agent", "bin/agent", "../agent", `.\agent`, ".copydesk/agent"} {
		for _, text := range []string{
			entry("command: ['" + program + "']"),
			entry("openai:", "  base_url: http://h/v1", "  key_command: ['"+program+"']"),
		} {
			if _, got := loadText(t, text); len(got) != 1 || !strings.Contains(got[0], "is a relative path; name a program on PATH") {
				t.Errorf("%s: %q", program, got)
			}
		}
	}
}

// A key that was written into the file is refused, and no problem repeats it.
func TestT37_AKeyInTheFileIsRefusedAndNotRepeated(t *testing.T) {
	const key = "sk-SENTINEL9"
	lines := []string{
		"key: " + key, "api_key: " + key, "apiKey: " + key, "token: " + key, "key_env: " + key,
		"key_command: " + key, "key_command: {show: " + key + "}",
	}
	for _, line := range lines {
		_, got := loadText(t, entry("openai:", "  base_url: http://h/v1", "  "+line))
		if len(got) != 1 || !strings.HasPrefix(got[0], "config.yaml:5: agents.x.openai.") {
			t.Errorf("%s: %q", line, got)
		}
		if strings.Contains(strings.Join(got, ""), key) {
			t.Errorf("%s: the key is repeated: %q", line, got)
		}
		if !strings.HasPrefix(line, "key_command") && !strings.Contains(strings.Join(got, ""), "with key_env, or a program that prints it with key_command") {
			t.Errorf("%s: no advice: %q", line, got)
		}
	}
	for _, address := range []string{"https://ada:" + key + "@h/v1", "https://" + key + "@h/v1", "https://ada:" + key + "@h:port/%zz"} {
		_, got := loadText(t, entry("openai:", "  base_url: "+address))
		if len(got) != 1 || strings.Contains(got[0], key) {
			t.Errorf("%s: %q", address, got)
		}
	}
}

// An entry with a mistake still counts as an agent of that name, so that its
// mistake is the only thing that is said.
func TestAnAgentWithAProblemKeepsItsName(t *testing.T) {
	named := func(c Config) []Problem {
		if _, ok := c.Agents[c.Agent]; ok {
			return nil
		}
		return []Problem{{Path: "agent", Text: "there is no such agent"}}
	}
	_, got := loadText(t, "agent: x\n"+entry("command: a"), func(o *Options) { o.Checks = append(o.Checks, named) })
	if len(got) != 1 || !strings.HasPrefix(got[0], "config.yaml:4: agents.x.command: ") {
		t.Errorf("got %q", got)
	}
}

func TestAgentsTakeEffectWithoutARestart(t *testing.T) {
	before, _ := loadText(t, entry("command: [a]"))
	after, problems := loadText(t, entry("command: [b]"))
	if problems != nil || cmp.Equal(before.Agents["x"].Command, after.Agents["x"].Command) {
		t.Fatal(problems, after.Agents)
	}
	if late := NeedsRestart(before, after); late != nil {
		t.Errorf("a restart is needed for %q", late)
	}
	if late := NeedsRestart(Default(), Config{Agent: "x"}); len(late) == 0 || late[0] != "agent" {
		t.Errorf("the first agent changes at once: %q", late)
	}
}

// Whatever is written as a name, it is taken or refused with its line.
func TestAgentNamesAreTakenOrRefused(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.StringMatching(`[a-zA-Z0-9_.-]{1,36}`).Draw(t, "name")
		list := Agents{name: {Command: Argv{"a"}}}
		good := regexp.MustCompile(`^[a-z0-9-]{1,32}$`).MatchString(name) && name != PlaygroundName
		if got := list.problems(); (got == nil) != good {
			t.Fatalf("%q: %v", name, got)
		}
	})
}

// examples are the agents of the example file, as they are when the # before
// each of their lines is taken away.
func examples(t *testing.T) string {
	t.Helper()
	data, err := os.ReadFile(examplePath)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(string(data), "\nagents:\n")
	block, _, closed := strings.Cut(rest, "\n\n")
	if !ok || !closed {
		t.Fatal("the example has no agents section that an empty line ends")
	}
	var out []string
	for line := range strings.Lines(block) {
		if text, commented := strings.CutPrefix(line, "  # "); commented && !strings.HasPrefix(text, "#") {
			out = append(out, "  "+strings.TrimSuffix(text, "\n"))
		}
	}
	return "agents:\n" + strings.Join(out, "\n") + "\n"
}

func TestCFG3_EachExampleAgentIsValid(t *testing.T) {
	text := examples(t)
	c, problems := loadText(t, text, withHome("/home/ada"))
	if problems != nil {
		t.Fatalf("the agents of the example have problems: %q\n%s", problems, text)
	}
	for _, name := range []string{"claude", "gemini", "codex", "opencode", "goose", "qwen", "own"} {
		if len(c.Agents[name].Command) == 0 {
			t.Errorf("the example has no command for %s", name)
		}
	}
	for _, name := range []string{"ollama", "llama-cpp", "vllm", "hosted"} {
		if c.Agents[name].OpenAI.BaseURL == "" {
			t.Errorf("the example has no endpoint for %s", name)
		}
	}
	if c.Agents["hosted"].OpenAI.KeyEnv == "" {
		t.Error("the hosted example names no variable for its key")
	}
	// Each by itself, so that none leans on another.
	for _, part := range strings.Split(strings.TrimPrefix(text, "agents:\n"), "\n  ") {
		if strings.HasPrefix(part, " ") {
			continue
		}
		name, _, _ := strings.Cut(strings.TrimSpace(part), ":")
		if _, ok := c.Agents[name]; !ok {
			t.Errorf("%q of the example is no agent", name)
		}
	}
}

// Nothing of the folder that copydesk is started in is read.
func TestT39_NoFileOfTheWorkingFolderIsRead(t *testing.T) {
	repo, home := t.TempDir(), t.TempDir()
	t.Chdir(repo)
	if err := os.Mkdir(".copydesk", 0o700); err != nil {
		t.Fatal(err)
	}
	const hostile = "agent: evil\nagents:\n  evil:\n    command: [touch, PWNED]\n"
	for _, name := range []string{"config.yaml", "copydesk.yaml", ".copydesk.yaml", ".copydesk/config.yaml", ".copydesk/copydesk.yaml"} {
		write(t, name, hostile)
	}
	write(t, ".env", "COPYDESK_AGENT=evil\nXDG_CONFIG_HOME="+filepath.Join(repo, ".copydesk")+"\n")
	c, problems, err := Load(Options{Env: environment("HOME=" + home)})
	if err != nil || problems != nil {
		t.Fatal(err, problems)
	}
	if diff := cmp.Diff(Default(), c, cmpopts.EquateEmpty()); diff != "" {
		t.Error(diff)
	}
}
