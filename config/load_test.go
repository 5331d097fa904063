package config

import (
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"go.yaml.in/yaml/v3"
	"pgregory.net/rapid"
)

// environment stands in for os.Getenv.
func environment(pairs ...string) func(string) string {
	vars := map[string]string{}
	for _, pair := range pairs {
		name, value, _ := strings.Cut(pair, "=")
		vars[name] = value
	}
	return func(name string) string { return vars[name] }
}

func write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// loadText loads a file config.yaml with the given text.
func loadText(t testing.TB, text string, change ...func(*Options)) (Config, []string) {
	t.Helper()
	o := Options{Path: filepath.Join(t.TempDir(), "config.yaml")}
	write(t, o.Path, text)
	for _, f := range change {
		f(&o)
	}
	c, problems, err := Load(o)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, p := range problems {
		lines = append(lines, p.String())
	}
	return c, lines
}

func TestCFG3_EachProblemNamesItsLine(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"unknown setting", "theme: dark\nthem: dark\n", `config.yaml:2: them: unknown setting; did you mean theme?`},
		{"unknown far from all", "colour-scheme: x\n", `config.yaml:1: colour-scheme: unknown setting`},
		{"unknown by case", "Theme: dark\n", `config.yaml:1: Theme: unknown setting; did you mean theme?`},
		{"unknown in a section", "clipboard:\n  # a comment\n  rout: off\n", `config.yaml:3: clipboard.rout: unknown setting; did you mean clipboard.route?`},
		{"dotted", "\nclipboard.route: off\n", `config.yaml:2: clipboard.route: unknown setting; write "clipboard:" and "route:" indented below it`},
		{"merge key", "<<: {theme: dark}\n", `config.yaml:1: <<: unknown setting`},
		{"list as a name", "? [a, b]\n: 1\n", `config.yaml:1: unknown setting`},
		{"set twice", "theme: dark\nmouse: true\ntheme: light\n", `config.yaml:3: theme: is set twice, first on line 1`},
		{"action set twice", "keys:\n  a: x\n  a: y\n", `config.yaml:3: keys.a: is set twice, first on line 2`},
		{"not a bool", "mouse: maybe\n", `config.yaml:1: mouse: "maybe" is not true or false`},
		{"quoted bool", "mouse: \"true\"\n", `config.yaml:1: mouse: "true" is not true or false`},
		{"number for a bool", "mouse: 1\n", `config.yaml:1: mouse: "1" is not true or false`},
		{"duration without unit", "clipboard:\n  timeout: 2\n", `config.yaml:2: clipboard.timeout: "2" is not a duration such as 350ms or 2s`},
		{"not a duration", "clipboard:\n  timeout: soon\n", `config.yaml:2: clipboard.timeout: "soon" is not a duration such as 350ms or 2s`},
		{"list for a word", "mouse: false\ntheme:\n  - dark\n", `config.yaml:2: theme: a list is not text`},
		{"section for a word", "theme:\n  name: dark\n", `config.yaml:1: theme: a section is not text`},
		{"word for a section", "approval: off\n", `config.yaml:1: approval: "off" is not a section with settings below it`},
		{"list for a section", "keys: [a]\n", `config.yaml:1: keys: a list is not a section with settings below it`},
		{"binary for text", "agent: !!binary aGk=\n", `config.yaml:1: agent: "aGk=" is not text`},
		{"own tag", "agent: !run ls\n", `config.yaml:1: agent: "ls" is not text`},
		{"no value", "mouse: true\ntheme:\n", `config.yaml:2: theme: has no value`},
		{"chords without value", "keys:\n  copy-all:\n", `config.yaml:2: keys.copy-all: has no value`},
		{"section for chords", "keys:\n  copy-all: {a: b}\n", `config.yaml:2: keys.copy-all: a section is not a chord, a list of chords or none`},
		{"list in chords", "keys:\n  copy-all:\n    - [x]\n", `config.yaml:2: keys.copy-all: a list is not a chord`},
		{"null in chords", "keys: {copy-all: [~]}\n", `config.yaml:1: keys.copy-all: "~" is not a chord`},
		{"list as an action", "keys:\n  ? [a]\n  : b\n", `config.yaml:2: keys: a list is not a name`},
		{"alias", "agent: &a x\ndb: *a\n", `config.yaml:2: db: an alias is not read here; write the value out`},
		{"alias of itself", "keys: &k\n  a: *k\n", `config.yaml:2: keys.a: an alias is not read here; write the value out`},
		{"a list of settings", "- theme\n", `config.yaml:1: a list is not a section with settings below it`},
		{"a word for all", "\nhello\n", `config.yaml:2: "hello" is not a section with settings below it`},
		{"two documents", "theme: dark\n---\nmouse: true\n", `config.yaml:2: a second YAML document begins here; only one is read`},
		{"theme", "theme: blue\n", `config.yaml:1: theme: "blue" is not auto, dark or light`},
		{"messages", "messages: loud\n", `config.yaml:1: messages: "loud" is not short or verbose`},
		{"route", "clipboard:\n  route: x11\n", `config.yaml:2: clipboard.route: "x11" is not auto, native, osc52, tmux, command, file or off`},
		{"timeout too long", "clipboard: {timeout: 1h}\n", `config.yaml:1: clipboard.timeout: 1h0m0s is not between 100ms and 30s`},
		{"gate too short", "approval:\n\n  quiet: 199ms\n", `config.yaml:3: approval.quiet: 199ms is not between 200ms and 5s`},
		{"gate too long", "approval:\n  quiet: 5001ms\n", `config.yaml:2: approval.quiet: 5.001s is not between 200ms and 5s`},
		{"when to call", "notify:\n  when: often\n", `config.yaml:2: notify.when: "often" is not unfocused, always or never`},
		{"how to call", "notify:\n  how:\n    - bell\n    - beep\n", `config.yaml:4: notify.how[1]: "beep" is not bell, desktop or title`},
		{"how as a word", "notify: {how: bell}\n", `config.yaml:1: notify.how: "bell" is not a list`},
		{"level", "log:\n  level: all\n", `config.yaml:2: log.level: "all" is not off, debug, info, warn or error`},
		{"file name", "db: \"a\\0b\"\n", `config.yaml:1: db: "a\x00b" is not a file name`},
		{"home without HOME", "db: ~/x.db\n", `config.yaml:1: db: "~/x.db" needs HOME, which is not set`},
		{"hostile name", "\"a\\x1b]0;x\\x07\": 1\n", `config.yaml:1: a\u001b]0;x\u0007: unknown setting`},
		{"hostile value", "theme: \"\\u202edark\"\n", `config.yaml:1: theme: "\u202edark" is not auto, dark or light`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, got := loadText(t, test.text)
			if diff := cmp.Diff([]string{test.want}, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestCFG3_BrokenYAMLNamesItsLine(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"open quote", "mouse: true\ntheme: \"dark\nmessages: short\n\nlog: {level: off}\n", "config.yaml:2: cannot be read as YAML: "},
		{"open quote on the first line", "agent: \"x\nmouse: true\ntheme: dark\n", "config.yaml:1: cannot be read as YAML: "},
		{"open list", "theme: dark\nkeys:\n  a: [x, y\n  b: z\n", "config.yaml:3: cannot be read as YAML: "},
		{"bad line behind a long quote", "agent: \"a\n  b\n  c\"\ndb: x\nmouse: a: b\ntheme: dark\n", "config.yaml:5: cannot be read as YAML: "},
		{"unclosed braces", "mouse: true\nclipboard: {route: off\ntheme: dark\n", "config.yaml:2: cannot be read as YAML: "},
		{"two colons", "theme: dark\nmouse: true\nagent: a: b\nmessages: short\n", "config.yaml:3: cannot be read as YAML: "},
		{"indentation", "clipboard:\n    route: off\n  timeout: 2s\n", "config.yaml:3: cannot be read as YAML: "},
		{"tab", "clipboard:\n\troute: off\n", "config.yaml:2: a tab cannot indent a line of YAML; use spaces"},
		{"control character", "theme: dark\nmouse: tr\x01ue\n", "config.yaml:2: cannot be read as YAML: "},
		{"not UTF-8", "theme: dark\n\nagent: \xff\n", "config.yaml:3: cannot be read as YAML: "},
		{"zeros after a crash", "\x00\x00\x00\x00", "config.yaml:1: cannot be read as YAML: "},
		{"unknown anchor", "theme: dark\nagent: *a\nmouse: true\n", "config.yaml:2: cannot be read as YAML: "},
		{"broken second document", "theme: dark\n---\na: b: c\n", "config.yaml:3: cannot be read as YAML: "},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c, got := loadText(t, test.text)
			if len(got) != 1 || !strings.HasPrefix(got[0], test.want) {
				t.Errorf("got %q, want one that begins with %q", got, test.want)
			}
			if c.Approval != Default().Approval {
				t.Errorf("approval is %v, not the default", c.Approval)
			}
		})
	}
}

func TestCFG3_AllProblemsAtOnceInOrder(t *testing.T) {
	const text = `theme: blue
mous: true
clipboard:
  timeout: 2
  route: [off]
  rute: off
approval: {quiet: 1ms}
keys:
  copy-all:
    - alt+c
    - ctrl+
  copy-last: {x: y}
  suspend: hyper+z
log:
  level: off
  level: info
`
	_, got := loadText(t, text, func(o *Options) {
		o.Env = environment("COPYDESK_MOUSE=perhaps", "COPYDESK_LOG_LEVEL=loud")
		o.Flags = map[string]any{"messages": "loud"}
		o.Checks = []Check{func(c Config) []Problem {
			if diff := cmp.Diff(Keys{"copy-all": {"alt+c", "ctrl+"}, "suspend": {"hyper+z"}}, c.Keys); diff != "" {
				t.Error("the good actions beside a bad one were not checked:", diff)
			}
			return []Problem{
				{Path: "keys.suspend", Text: `"hyper+z" is not a key`},
				{Path: "keys.copy-all[1]", Text: `"ctrl+" is not a key`},
				{Path: "keys.copy-all[7]", Text: `is told of the action`},
			}
		}}
	})
	want := []string{
		`config.yaml:1: theme: "blue" is not auto, dark or light`,
		`config.yaml:2: mous: unknown setting; did you mean mouse?`,
		`config.yaml:4: clipboard.timeout: "2" is not a duration such as 350ms or 2s`,
		`config.yaml:5: clipboard.route: a list is not text`,
		`config.yaml:6: clipboard.rute: unknown setting; did you mean clipboard.route?`,
		`config.yaml:7: approval.quiet: 1ms is not between 200ms and 5s`,
		`config.yaml:9: keys.copy-all[7]: is told of the action`,
		`config.yaml:11: keys.copy-all[1]: "ctrl+" is not a key`,
		`config.yaml:12: keys.copy-last: a section is not a chord, a list of chords or none`,
		`config.yaml:13: keys.suspend: "hyper+z" is not a key`,
		`config.yaml:16: log.level: is set twice, first on line 15`,
		`COPYDESK_MOUSE: mouse: "perhaps" is not true or false`,
		`--messages: messages: "loud" is not short or verbose`,
		`COPYDESK_LOG_LEVEL: log.level: "loud" is not off, debug, info, warn or error`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestCFG3_LayersRise(t *testing.T) {
	file := "theme: dark\nmouse: true\nclipboard:\n  route: tmux\n  timeout: 1s\nkeys: {copy-all: alt+c}\n"
	want := Default()
	want.Theme, want.Mouse, want.Keys = "dark", true, Keys{"copy-all": {"alt+c"}}
	want.Clipboard.Route, want.Clipboard.Timeout = "tmux", time.Second

	steps := []struct {
		name   string
		env    []string
		flags  map[string]any
		change func(*Config)
	}{
		{"file over default", nil, nil, func(*Config) {}},
		{"environment over file", []string{"COPYDESK_CLIPBOARD_ROUTE=off", "COPYDESK_MOUSE=0", "COPYDESK_DB=null"}, nil, func(c *Config) {
			c.Clipboard.Route, c.Mouse, c.DB = "off", false, "null"
		}},
		{"environment over default", []string{"COPYDESK_APPROVAL_QUIET=1s"}, nil, func(c *Config) {
			c.Approval.Quiet = time.Second
		}},
		{"empty variable is unset", []string{"COPYDESK_THEME=", "COPYDESK_KEYS=x"}, nil, func(*Config) {}},
		{"flag over environment", []string{"COPYDESK_THEME=light", "COPYDESK_CLIPBOARD_TIMEOUT=3s"},
			map[string]any{"theme": "auto", "clipboard.timeout": 4 * time.Second, "mouse": false}, func(c *Config) {
				c.Theme, c.Clipboard.Timeout, c.Mouse = "auto", 4*time.Second, false
			}},
		{"empty flag is given", []string{"COPYDESK_AGENT=claude"}, map[string]any{"agent": ""}, func(*Config) {}},
	}
	for _, step := range steps {
		t.Run(step.name, func(t *testing.T) {
			got, problems := loadText(t, file, func(o *Options) { o.Env, o.Flags = environment(step.env...), step.flags })
			want := want
			step.change(&want)
			if diff := cmp.Diff(want, got); diff != "" || problems != nil {
				t.Error(problems, diff)
			}
		})
	}
}

func TestCFG3_BadValueOverAGoodFileIsReported(t *testing.T) {
	c, got := loadText(t, "mouse: true\n", func(o *Options) { o.Env = environment("COPYDESK_MOUSE=x") })
	if diff := cmp.Diff([]string{`COPYDESK_MOUSE: mouse: "x" is not true or false`}, got); diff != "" || !c.Mouse {
		t.Error(c.Mouse, diff)
	}
	_, got = loadText(t, "", func(o *Options) { o.Flags = map[string]any{"clipboard.timeout": "x"} })
	if diff := cmp.Diff([]string{`--clipboard-timeout: clipboard.timeout: "x" is not a duration such as 350ms or 2s`}, got); diff != "" {
		t.Error(diff)
	}
}

func TestLoadRefusesFlagsOfNoSetting(t *testing.T) {
	for path, value := range map[string]any{"colour": "x", "mouse": 3, "clipboard": "off"} {
		_, _, err := Load(Options{Env: environment("HOME=" + t.TempDir()), Flags: map[string]any{path: value}})
		if err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("flag %s=%v: %v", path, value, err)
		}
	}
}

// Viper folds the case of names and splits them at dots; neither may happen to
// what the user wrote below keys.
func TestKeysKeepCaseAndDots(t *testing.T) {
	c, problems := loadText(t, "keys:\n  Copy.All: 'ctrl+.'\n  copy-all: [X, 1, none]\n  a: none\n  b: []\n")
	want := Keys{"Copy.All": {"ctrl+."}, "copy-all": {"X", "1", "none"}, "a": {}, "b": {}}
	if diff := cmp.Diff(want, c.Keys); diff != "" || problems != nil {
		t.Error(problems, diff)
	}
	if diff := cmp.Diff(map[string][]string{"Copy.All": {"ctrl+."}, "copy-all": {"X", "1", "none"}, "a": {}, "b": {}}, c.Keys.Map()); diff != "" {
		t.Error(diff)
	}
}

func TestNothingSaidIsTheDefault(t *testing.T) {
	for _, text := range []string{"", "\n# only a comment\n", "~", "---\n", "\ufeff# marked as UTF-8\n", "clipboard:\n  # route: off\nkeys:\nlog: {}\n"} {
		c, problems := loadText(t, text)
		if diff := cmp.Diff(Default(), c); diff != "" || problems != nil {
			t.Errorf("%q: %v %s", text, problems, diff)
		}
	}
}

func TestHomeOfTheDatabaseIsExpanded(t *testing.T) {
	c, problems := loadText(t, "db: ~/shop.db\n", func(o *Options) { o.Env = environment("HOME=/home/me") })
	if c.DB != filepath.FromSlash("/home/me/shop.db") || problems != nil {
		t.Error(c.DB, problems)
	}
}

func TestLoadNamesTheFileItCannotRead(t *testing.T) {
	dir := t.TempDir()
	large := filepath.Join(dir, "large.yaml")
	write(t, large, strings.Repeat("#", maxBytes+1))
	for name, path := range map[string]string{"missing though named": filepath.Join(dir, "none.yaml"), "a folder": dir, "too large": large} {
		if _, _, err := Load(Options{Path: path}); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if os.Getuid() == 0 || runtime.GOOS == "windows" {
		return // nothing is unreadable to root
	}
	secret := filepath.Join(dir, "secret.yaml")
	write(t, secret, "")
	if err := os.Chmod(secret, 0); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Load(Options{Path: secret}); err == nil || !strings.Contains(err.Error(), secret) {
		t.Errorf("unreadable: %v", err)
	}
}

// A cloned repository must not configure the desk that is started in it.
func TestT39_FilesOfTheWorkingFolderAreNotRead(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for _, name := range []string{"config.yaml", "copydesk.yaml", ".copydesk.yaml", ".env"} {
		write(t, name, "theme: dark\nCOPYDESK_THEME=dark\n")
	}
	c, problems, err := Load(Options{Env: environment("HOME=" + t.TempDir())})
	if diff := cmp.Diff(Default(), c); diff != "" || problems != nil || err != nil {
		t.Error(problems, err, diff)
	}
}

func TestEverySettingHasANameForEachLayer(t *testing.T) {
	seen := map[string]string{}
	for _, s := range settings() {
		for _, part := range strings.Split(s.path, ".") {
			if part == "" || part != strings.ToLower(part) {
				t.Errorf("%s: viper needs lower case, and a field its yaml tag", s.path)
			}
		}
		if other, twice := seen[s.env()]; twice {
			t.Errorf("%s and %s share %s", s.path, other, s.env())
		}
		seen[s.env()] = s.path
	}
	if seen["COPYDESK_CLIPBOARD_ROUTE"] != "clipboard.route" {
		t.Error("COPYDESK_CLIPBOARD_ROUTE is not clipboard.route")
	}
}

func TestNotifyReplacesTheDefaultWays(t *testing.T) {
	for text, want := range map[string][]string{
		"":                            {NotifyBell, NotifyTitle},
		"notify: {when: always}\n":    {NotifyBell, NotifyTitle},
		"notify: {how: [desktop]}\n":  {NotifyDesktop},
		"notify:\n  how: []\n":        {},
		"notify:\n  # how: [bell]\n":  {NotifyBell, NotifyTitle},
		"notify: {how: [bell, bell]}": {NotifyBell, NotifyBell},
	} {
		c, problems := loadText(t, text)
		if problems != nil {
			t.Errorf("%q: %v", text, problems)
		}
		if diff := cmp.Diff(want, c.Notify.How); diff != "" {
			t.Errorf("%q: %s", text, diff)
		}
		if c.Notify.Has(NotifyDesktop) != slices.Contains(want, NotifyDesktop) {
			t.Errorf("%q: Has is wrong", text)
		}
	}
}

func TestNeedsRestartNamesWhatChanged(t *testing.T) {
	changed := Default()
	changed.DB, changed.Agent, changed.Theme = "x", "y", ThemeDark
	if diff := cmp.Diff([]string{"agent", "db"}, NeedsRestart(Default(), changed)); diff != "" {
		t.Error(diff)
	}
	live := Default()
	live.Theme, live.Keys, live.Notify = ThemeDark, Keys{"a": {"b"}}, Notify{When: NotifyNever}
	if got := NeedsRestart(Default(), live); got != nil {
		t.Error(got)
	}
}

// drawConfig draws any configuration without problems.
func drawConfig(t *rapid.T) Config {
	one := func(label string, of ...string) string { return rapid.SampledFrom(of).Draw(t, label) }
	between := func(label string, low, high time.Duration) time.Duration {
		return time.Duration(rapid.Int64Range(int64(low), int64(high)).Draw(t, label))
	}
	word := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"", "null", "~", "off", "1e3", "0x1f", "none", "- a", "a: b", "# x", "2001-01-01", "<<", "\t", "a.b"}))
	// The YAML module writes some texts of several lines as blocks that it
	// cannot read back.
	word = word.Filter(func(s string) bool { return !strings.Contains(s, "\n") })
	text := word.Filter(func(s string) bool { return !strings.ContainsRune(s, 0) && !strings.HasPrefix(s, "~/") })
	c := Config{
		Agent:    text.Draw(t, "agent"),
		DB:       text.Draw(t, "db"),
		Messages: one("messages", MessagesShort, MessagesVerbose),
		Theme:    one("theme", ThemeAuto, ThemeDark, ThemeLight),
		Mouse:    rapid.Bool().Draw(t, "mouse"),
		Clipboard: Clipboard{
			Route:   one("route", RouteAuto, RouteNative, RouteOSC52, RouteTmux, RouteFile, RouteOff),
			Command: []string{},
			Timeout: between("timeout", 100*time.Millisecond, 30*time.Second),
			Primary: rapid.Bool().Draw(t, "primary"),
			Select:  rapid.Bool().Draw(t, "select"),
			Persist: rapid.Bool().Draw(t, "persist"),
		},
		Approval: Approval{between("quiet", 200*time.Millisecond, 5*time.Second)},
		Notify: Notify{
			When: one("when", NotifyUnfocused, NotifyAlways, NotifyNever),
			How:  append([]string{}, rapid.SliceOfN(rapid.SampledFrom([]string{NotifyBell, NotifyDesktop, NotifyTitle}), 0, 4).Draw(t, "how")...),
		},
		Log:    Log{one("level", LevelOff, LevelDebug, LevelInfo, LevelWarn, LevelError)},
		Keys:   Keys{},
		Agents: rapid.MapOfN(rapid.StringMatching(`x[a-z0-9-]{0,8}`), drawAgent(text), 0, 3).Draw(t, "agents"),
	}
	if program := text.Draw(t, "program"); program != "" {
		c.Clipboard.Command = append(c.Clipboard.Command, program)
		c.Clipboard.Command = append(c.Clipboard.Command, rapid.SliceOfN(text, 0, 3).Draw(t, "arguments")...)
	}
	chords := rapid.SliceOfN(word, 0, 4)
	maps.Copy(c.Keys, rapid.MapOfN(word, rapid.Map(chords, func(s []string) Chords { return append(Chords{}, s...) }), 0, 4).Draw(t, "keys"))
	return c
}

// drawAgent draws an agent without problems whose texts are drawn from text.
func drawAgent(text *rapid.Generator[string]) *rapid.Generator[Agent] {
	variable := rapid.StringMatching(`[A-Z_][A-Z0-9_]{0,8}`)
	return rapid.Custom(func(t *rapid.T) Agent {
		a := Agent{Cwd: rapid.SampledFrom([]string{"", "/", "/srv/a b"}).Draw(t, "cwd")}
		if rapid.Bool().Draw(t, "chat") {
			a.OpenAI = OpenAI{BaseURL: "http://[::1]:8080/v1", Model: text.Draw(t, "model"), Context: rapid.IntRange(0, maxContext).Draw(t, "context")}
			switch rapid.IntRange(0, 2).Draw(t, "key") {
			case 1:
				a.OpenAI.KeyEnv = variable.Draw(t, "key_env")
			case 2:
				a.OpenAI.KeyCommand = append(Argv{"pass"}, rapid.SliceOfN(text, 0, 3).Draw(t, "key_command")...)
			}
			return a
		}
		a.Command = append(Argv{"/bin/agent"}, rapid.SliceOfN(text, 0, 3).Draw(t, "command")...)
		if env := rapid.MapOfN(variable, text, 0, 3).Draw(t, "env"); len(env) > 0 {
			a.Env = env
		}
		return a
	})
}

func TestLoadReadsBackWhatWasWritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config.yaml")
	rapid.Check(t, func(rt *rapid.T) {
		want := drawConfig(rt)
		data, err := yaml.Marshal(want)
		if err != nil {
			rt.Fatal(err)
		}
		write(t, path, string(data))
		got, problems, err := Load(Options{Path: path})
		if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(Agent{})); diff != "" || problems != nil || err != nil {
			rt.Fatalf("%v %v %s\n%s", problems, err, diff, data)
		}
	})
}

func FuzzLoad(f *testing.F) {
	example, err := os.ReadFile("../config.example.yaml")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(example)
	for _, seed := range []string{
		"", "theme: dark\n", "keys: &k {a: *k}\n", "keys:\n  a: [b, ~]\n", "? {a: b}\n: c\n", "<<: [*x]\n", "a: b: c", "clipboard:\n\troute: off",
		"---\n---\n", "!!binary x: y", "theme: !!null x", "keys: {? [] : a}", "\xff\xfe\x00", "mouse: 9999999999999999999999", "- - - -", "{", "\"",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		o := Options{Env: environment("COPYDESK_THEME=dark")}
		c, problems, err := o.load("config.yaml", data)
		if err != nil {
			t.Fatalf("a file's content is no reason to fail: %v", err)
		}
		lines := strings.Count(string(data), "\n") + strings.Count(string(data), "\r") + strings.Count(string(data), "\u0085") +
			strings.Count(string(data), "\u2028") + strings.Count(string(data), "\u2029") + 1
		for _, p := range problems {
			if p.Text == "" || p.File == "" || p.Line < 0 || p.Line > lines || strings.ContainsAny(p.String(), "\n\r\x1b") {
				t.Errorf("problem %+v in a file of %d lines", p, lines)
			}
		}
		if len(problems) == 0 && len(c.Validate()) > 0 {
			t.Errorf("taken though it is not valid: %+v", c)
		}
	})
}

func TestCLP_TheCommandOfACopyMustBeRunnable(t *testing.T) {
	for name, tt := range map[string]struct {
		body string
		want []string
	}{
		"a program and arguments": {"clipboard:\n  route: command\n  command: [ssh, host, pbcopy]\n", nil},
		"one that is not used":    {"clipboard:\n  command: [pbcopy]\n", nil},
		"none":                    {"clipboard:\n  route: command\n", []string{"config.yaml:1: clipboard.command: names no program, and clipboard.route asks for one"}},
		"an empty word":           {"clipboard:\n  command: ['']\n", []string{"config.yaml:2: clipboard.command: begins with an empty text where a program must be named"}},
		"a NUL":                   {"clipboard:\n  command: [x, \"a\\0\"]\n", []string{"config.yaml:2: clipboard.command: holds a NUL, which no argument can"}},
		"one line":                {"clipboard:\n  command: xclip -sel clip\n", []string{`config.yaml:2: clipboard.command: "xclip -sel clip" is not a list`}},
	} {
		path := filepath.Join(t.TempDir(), "config.yaml")
		write(t, path, tt.body)
		_, problems, err := Load(Options{Path: path})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, p := range problems {
			got = append(got, p.String())
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
