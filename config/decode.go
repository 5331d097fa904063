package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"sort"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

var durationType = reflect.TypeFor[time.Duration]()

// reading is one strict pass over a configuration file. The YAML module's own
// strict mode stops at the first problem inside a value and knows lines but no
// paths, so the tree is walked beside the types.
type reading struct {
	config   Config
	given    map[string]bool // paths of settings that hold a value to use
	lines    map[string]int
	problems []Problem
}

// read decodes a file's bytes. A setting with a problem is not given, so the
// layer below it shows through.
func read(data []byte) *reading {
	r := &reading{given: map[string]bool{}, lines: map[string]int{}}
	dec := yaml.NewDecoder(bytes.NewReader(data))
	var doc yaml.Node
	switch err := dec.Decode(&doc); {
	case errors.Is(err, io.EOF):
		return r
	case err != nil:
		r.problems = []Problem{syntax(data, err)}
		return r
	}
	var second yaml.Node
	switch err := dec.Decode(&second); {
	case err == nil:
		r.report("", second.Line, "a second YAML document begins here; only one is read")
	case !errors.Is(err, io.EOF):
		r.problems = []Problem{syntax(data, err)}
		return r
	}
	root := doc.Content[0]
	if root.ShortTag() == "!!null" {
		return r
	}
	r.value(root, root.Line, reflect.ValueOf(&r.config).Elem(), "")
	return r
}

func (r *reading) report(path string, line int, text string) {
	r.problems = append(r.problems, Problem{Line: line, Path: path, Text: text})
}

// value reads n, which is named on the given line, into v and reports whether
// all of it was good.
func (r *reading) value(n *yaml.Node, line int, v reflect.Value, path string) bool {
	section := v.Kind() == reflect.Struct || v.Kind() == reflect.Map
	switch {
	case n.Kind == yaml.AliasNode:
		r.report(path, line, "an alias is not read here; write the value out")
		return false
	case n.ShortTag() == "!!null" && section:
		// A section whose settings are all commented out.
		return true
	case n.ShortTag() == "!!null":
		r.report(path, line, "has no value")
		return false
	}
	if n.Kind == yaml.SequenceNode {
		for i, item := range n.Content {
			r.lines[fmt.Sprintf("%s[%d]", path, i)] = item.Line
		}
	}
	if u, ok := v.Addr().Interface().(yaml.Unmarshaler); ok {
		if err := u.UnmarshalYAML(n); err != nil {
			r.report(path, line, err.Error())
			return false
		}
		return true
	}
	switch v.Kind() {
	case reflect.Struct:
		return r.fields(n, line, v, path)
	case reflect.Map:
		return r.entries(n, line, v, path)
	case reflect.Slice:
		return r.items(n, line, v, path)
	default:
		return r.word(n, line, v, path)
	}
}

// An adviser has more to say of a setting that does not exist than that.
type adviser interface{ advice(name string) string }

// fields reads a section into a struct. Every name must be that of a field.
func (r *reading) fields(n *yaml.Node, line int, v reflect.Value, path string) bool {
	names := make([]string, v.NumField())
	for i := range names {
		names[i] = nameOf(v.Type().Field(i))
	}
	return r.pairs(n, line, v.Type(), path, func(key, value *yaml.Node, at string) bool {
		i := slices.Index(names, key.Value)
		if i < 0 || key.Kind != yaml.ScalarNode {
			text := unknown(path, key, names)
			if a, ok := v.Interface().(adviser); ok && a.advice(key.Value) != "" {
				text = a.advice(key.Value)
			}
			r.report(at, key.Line, text)
			return false
		}
		ok := r.value(value, key.Line, v.Field(i), at)
		// The good entries of a map are kept, so that they are checked too.
		r.given[at] = (ok || v.Field(i).Kind() == reflect.Map) && value.ShortTag() != "!!null"
		return ok
	})
}

// entries reads a section into a map from free names.
func (r *reading) entries(n *yaml.Node, line int, v reflect.Value, path string) bool {
	m := reflect.MakeMap(v.Type())
	ok := r.pairs(n, line, v.Type(), path, func(key, value *yaml.Node, at string) bool {
		if key.Kind != yaml.ScalarNode {
			r.report(path, key.Line, shown(key)+" is not a name")
			return false
		}
		entry := reflect.New(v.Type().Elem()).Elem()
		good := r.value(value, key.Line, entry, at)
		if partly, ok := entry.Addr().Interface().(interface{ mark() }); ok && !good {
			partly.mark() // it has a name, which others may refer to
		} else if !good {
			return false
		}
		m.SetMapIndex(reflect.ValueOf(key.Value), entry)
		return good
	})
	v.Set(m)
	return ok
}

// items reads a list.
func (r *reading) items(n *yaml.Node, line int, v reflect.Value, path string) bool {
	if n.Kind != yaml.SequenceNode {
		r.report(path, line, shown(n)+" is not "+wanted(v.Type()))
		return false
	}
	list := reflect.MakeSlice(v.Type(), len(n.Content), len(n.Content))
	ok := true
	for i, item := range n.Content {
		ok = r.value(item, item.Line, list.Index(i), fmt.Sprintf("%s[%d]", path, i)) && ok
	}
	v.Set(list)
	return ok
}

// word reads a single value.
func (r *reading) word(n *yaml.Node, line int, v reflect.Value, path string) bool {
	if text := decodeWord(n, v); text != "" {
		r.report(path, line, text)
		return false
	}
	return true
}

// pairs calls f for each name of a section once, and reports names that stand
// there twice: the second would silently win.
func (r *reading) pairs(n *yaml.Node, line int, t reflect.Type, path string, f func(key, value *yaml.Node, at string) bool) bool {
	if n.Kind != yaml.MappingNode {
		r.report(path, line, shown(n)+" is not "+wanted(t))
		return false
	}
	ok := true
	first := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		at := join(path, key.Value)
		if key.Kind == yaml.ScalarNode {
			if before, twice := first[key.Value]; twice {
				r.report(at, key.Line, fmt.Sprintf("is set twice, first on line %d", before))
				ok = false
				continue
			}
			first[key.Value] = key.Line
			r.lines[at] = key.Line
		}
		ok = f(key, n.Content[i+1], at) && ok
	}
	return ok
}

// decodeWord sets v from one word of YAML and says what is wrong with it, or
// nothing.
func decodeWord(n *yaml.Node, v reflect.Value) string {
	bad := shown(n) + " is not " + wanted(v.Type())
	if n.Kind != yaml.ScalarNode {
		return bad
	}
	if v.Kind() == reflect.String {
		// Text is taken as written: 007 and off stay what they are.
		switch n.ShortTag() {
		case "!!str", "!!int", "!!float", "!!bool", "!!timestamp":
			v.SetString(n.Value)
			return ""
		}
		return bad
	}
	if err := n.Decode(v.Addr().Interface()); err != nil {
		return bad
	}
	return ""
}

// unknown is the text for a name that is none of the names of a section.
func unknown(path string, key *yaml.Node, names []string) string {
	const text = "unknown setting"
	if key.Kind != yaml.ScalarNode {
		return text
	}
	section, name, dotted := strings.Cut(key.Value, ".")
	if dotted && slices.Contains(names, section) {
		return fmt.Sprintf("%s; write %q and %q indented below it", text, section+":", name+":")
	}
	if near := nearest(key.Value, names); near != "" {
		return fmt.Sprintf("%s; did you mean %s?", text, join(path, near))
	}
	return text
}

// syntax is the problem of a file that is no YAML. The lines that the YAML
// module gives are often those of what contains the error, and one off
// (parser.fail in its decode.go), so the line is looked for. The module reads
// from the left: the first lines alone give the same error as the whole file
// as soon as the bad one is among them.
func syntax(data []byte, err error) Problem {
	const most = 128 << 10 // bytes; beyond them looking takes too long
	line, text := 0, strings.TrimPrefix(err.Error(), "yaml: ")
	if _, scanErr := fmt.Sscanf(text, "line %d:", &line); scanErr == nil {
		_, text, _ = strings.Cut(text, ": ")
	}
	p := Problem{Line: line, Text: "cannot be read as YAML: " + text}
	if len(data) > most {
		return p
	}
	whole := parseLower(data)
	if whole == nil {
		return p
	}
	ends := lineEnds(data)
	bad := sort.Search(len(ends)-1, func(i int) bool {
		e := parseLower(data[:ends[i]])
		return e != nil && e.Error() == whole.Error()
	})
	start := 0
	if bad > 0 {
		start = ends[bad-1]
	}
	p.Line = bad + 1
	if bytes.HasPrefix(bytes.TrimLeft(data[start:], " "), []byte("\t")) {
		p.Text = "a tab cannot indent a line of YAML; use spaces"
	}
	return p
}

// lineEnds gives where each line ends, its line feed included.
func lineEnds(data []byte) []int {
	var ends []int
	for i, b := range data {
		if b == '\n' {
			ends = append(ends, i+1)
		}
	}
	return append(ends, len(data))
}

// parseLower reads all documents, moved down by one line, and gives the error
// that stopped it. The module leaves the line out of an error that concerns
// the first one, and two different errors would look the same.
func parseLower(data []byte) error {
	dec := yaml.NewDecoder(io.MultiReader(strings.NewReader("\n"), bytes.NewReader(data)))
	for {
		var n yaml.Node
		if err := dec.Decode(&n); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
	}
}
