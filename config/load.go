package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"reflect"
	"strings"

	"github.com/go-viper/mapstructure/v2"
	"github.com/spf13/viper"
	"go.yaml.in/yaml/v3"
)

// maxBytes is the largest configuration file that is read, so that a device
// or a wrong file named with --config cannot fill the memory.
const maxBytes = 1 << 20

// Options say where to load from.
type Options struct {
	// Path is the file named with --config. It must exist. When empty the
	// file is Path(Env), which need not.
	Path string

	// Env is os.Getenv, or stands in for it; nil is an empty environment. A
	// variable that is set but empty counts as not set.
	Env func(string) string

	// Flags are the flags that were given, by the path of the setting
	// (clipboard.route). A string is read like an environment variable; any
	// other value must be of the setting's type.
	Flags map[string]any

	// Checks are run on the layered values, after Validate.
	Checks []Check
}

// Load layers the defaults, the file, the environment and the flags, and
// checks the result. It reports every problem in all of them. A setting with a
// problem of form keeps the value of the layer below, one with a problem of
// value keeps what was written: the Config is good for use only when there
// are no problems.
//
// The error is about the file as such: it cannot be found, is not readable or
// is too large. A caller that starts exits on either and lists them; one that
// reloads keeps what it has.
func Load(o Options) (Config, []Problem, error) {
	path, err := o.path()
	if err != nil {
		return Default(), nil, err
	}
	data, err := readFile(path, o.Path != "")
	if err != nil {
		return Default(), nil, err
	}
	return o.load(path, data)
}

func (o Options) load(path string, data []byte) (Config, []Problem, error) {
	file := read(data)
	problems := file.problems
	for i := range problems {
		problems[i].File = path
	}
	from := origin{file: path, lines: file.lines, over: map[string]string{}}

	layers := viper.New()
	for _, s := range settings() {
		layers.SetDefault(s.path, s.of(Default()))
		if file.given[s.path] {
			if err := layers.MergeConfigMap(nested(s.path, s.of(file.config))); err != nil {
				return Default(), nil, fmt.Errorf("layer %s: %w", path, err)
			}
		}
	}
	more, err := o.environment(layers, from)
	if err != nil {
		return Default(), nil, err
	}
	problems = append(problems, more...)
	if more, err = o.flags(layers, from); err != nil {
		return Default(), nil, err
	}
	problems = append(problems, more...)

	var c Config
	if err := layers.UnmarshalExact(&c, func(d *mapstructure.DecoderConfig) { d.TagName = "yaml" }); err != nil {
		return Default(), nil, fmt.Errorf("layer the configuration: %w", err)
	}
	for _, p := range o.finish(&c) {
		problems = append(problems, from.locate(p))
	}
	from.sort(problems)
	return c, problems, nil
}

// environment lays the COPYDESK_ variables over the file. They go in by hand,
// as the last part of viper's file layer, because viper itself hears only the
// real environment of the process.
func (o Options) environment(layers *viper.Viper, from origin) ([]Problem, error) {
	if o.Env == nil {
		return nil, nil
	}
	var problems []Problem
	for _, s := range settings() {
		text := o.Env(s.env())
		if text == "" || !s.scalar() {
			continue
		}
		value, bad := s.parse(text)
		if bad != "" {
			problems = append(problems, Problem{File: s.env(), Path: s.path, Text: bad})
			continue
		}
		if err := layers.MergeConfigMap(nested(s.path, value)); err != nil {
			return nil, fmt.Errorf("layer %s: %w", s.env(), err)
		}
		from.over[s.path] = s.env()
	}
	return problems, nil
}

// flags lays the flags over everything else. A flag for a setting that does
// not exist is a mistake of the program, and the error.
func (o Options) flags(layers *viper.Viper, from origin) ([]Problem, error) {
	var problems []Problem
	known := map[string]bool{}
	for _, s := range settings() {
		known[s.path] = true
		value, ok := o.Flags[s.path]
		if !ok {
			continue
		}
		if text, isText := value.(string); isText {
			parsed, bad := s.parse(text)
			if bad != "" {
				problems = append(problems, Problem{File: s.flag(), Path: s.path, Text: bad})
				continue
			}
			value = parsed
		}
		if reflect.TypeOf(value) != s.typ {
			return nil, fmt.Errorf("flag for %s: got %T, want %s", s.path, value, s.typ)
		}
		layers.Set(s.path, value)
		from.over[s.path] = s.flag()
	}
	for path := range o.Flags {
		if !known[path] {
			return nil, fmt.Errorf("flag for %s: there is no such setting", path)
		}
	}
	return problems, nil
}

// finish brings the layered values into the form that callers get, and lists
// what is wrong with them.
func (o Options) finish(c *Config) []Problem {
	if c.Keys == nil {
		c.Keys = Keys{}
	}
	if c.Agents == nil {
		c.Agents = Agents{}
	}
	if c.Clipboard.Command == nil {
		c.Clipboard.Command = []string{}
	}
	if c.Notify.How == nil {
		c.Notify.How = []string{}
	}
	var problems []Problem
	if text := o.expandHome(&c.DB); text != "" {
		problems = append(problems, Problem{Path: "db", Text: text})
	}
	problems = append(problems, o.expandAgents(c.Agents)...)
	problems = append(problems, c.Validate()...)
	for _, check := range o.Checks {
		problems = append(problems, check(*c)...)
	}
	return problems
}

func (o Options) env(name string) string {
	if o.Env == nil {
		return ""
	}
	return o.Env(name)
}

func (o Options) path() (string, error) {
	if o.Path != "" {
		return o.Path, nil
	}
	return Path(o.env)
}

// parse reads one word from outside the file. It follows the file's rules but
// for 1 and 0, which are usual for a switch in an environment.
func (s setting) parse(text string) (any, string) {
	v := reflect.New(s.typ).Elem()
	switch {
	case !s.scalar():
		return nil, "can be set in the file only"
	case s.typ.Kind() == reflect.String:
		v.SetString(text)
		return v.Interface(), ""
	case s.typ.Kind() == reflect.Bool && (text == "1" || text == "0"):
		return text == "1", ""
	}
	bad := decodeWord(&yaml.Node{Kind: yaml.ScalarNode, Value: text}, v)
	return v.Interface(), bad
}

// nested is the tree of maps that viper wants for one path.
func nested(path string, value any) map[string]any {
	name, rest, deeper := strings.Cut(path, ".")
	if deeper {
		value = nested(rest, value)
	}
	return map[string]any{name: value}
}

// readFile reads the configuration. A file that does not exist is empty
// unless the user named it.
func readFile(path string, named bool) ([]byte, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) && !named {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the configuration: %w", err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxBytes+1))
	if err != nil {
		return nil, fmt.Errorf("read the configuration: %w", err)
	}
	if len(data) > maxBytes {
		return nil, fmt.Errorf("read the configuration: %s is larger than %d bytes", path, maxBytes)
	}
	return data, nil
}
