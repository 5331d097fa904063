package config

import (
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// setting is one field of Config that holds a value: a layer gives it as a
// whole or not at all. Sections (structs) are no settings, a map is one.
type setting struct {
	path    string // clipboard.route
	index   []int  // for reflect.Value.FieldByIndex
	typ     reflect.Type
	restart bool
}

// settings lists the settings of Config in the order of its fields.
func settings() []setting {
	return settingsOf(reflect.TypeFor[Config](), "", nil)
}

func settingsOf(t reflect.Type, prefix string, index []int) []setting {
	var list []setting
	for i := range t.NumField() {
		f := t.Field(i)
		path := join(prefix, nameOf(f))
		at := append(slices.Clone(index), i)
		if f.Type.Kind() == reflect.Struct {
			list = append(list, settingsOf(f.Type, path, at)...)
			continue
		}
		list = append(list, setting{path: path, index: at, typ: f.Type, restart: f.Tag.Get("restart") == "true"})
	}
	return list
}

// of is the setting's value in c.
func (s setting) of(c Config) any {
	return reflect.ValueOf(c).FieldByIndex(s.index).Interface()
}

// scalar reports whether one word can give the setting, which is what an
// environment variable and a flag can carry.
func (s setting) scalar() bool {
	switch s.typ.Kind() {
	case reflect.Map, reflect.Slice:
		return false
	default:
		return true
	}
}

// env is the setting's environment variable: clipboard.route is
// COPYDESK_CLIPBOARD_ROUTE.
func (s setting) env() string {
	return "COPYDESK_" + strings.ToUpper(strings.NewReplacer(".", "_", "-", "_").Replace(s.path))
}

// flag is how a flag that gives the setting is named in a problem.
func (s setting) flag() string {
	return "--" + strings.ReplaceAll(s.path, ".", "-")
}

// NeedsRestart lists the settings that differ between two configurations and
// take effect at the next start only, in the order of Config's fields.
func NeedsRestart(old, new Config) []string {
	var paths []string
	for _, s := range settings() {
		if s.restart && !reflect.DeepEqual(s.of(old), s.of(new)) {
			paths = append(paths, s.path)
		}
	}
	return paths
}

func nameOf(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("yaml"), ",")
	return name
}

func join(prefix, name string) string {
	if prefix == "" {
		return name
	}
	return prefix + "." + name
}

// wanted says in words what a value of type t looks like.
func wanted(t reflect.Type) string {
	switch {
	case t == durationType:
		return "a duration such as 350ms or 2s"
	case t.Kind() == reflect.Bool:
		return "true or false"
	case t.Kind() == reflect.String:
		return "text"
	case t.Kind() == reflect.Slice:
		return "a list"
	case t.Kind() == reflect.Map, t.Kind() == reflect.Struct:
		return "a section with settings below it"
	default:
		return "a whole number in range"
	}
}

// shown is a value of the file in a message: quoted and cut if it is a word,
// else what it is.
func shown(n *yaml.Node) string {
	switch n.Kind {
	case yaml.SequenceNode:
		return "a list"
	case yaml.MappingNode:
		return "a section"
	case yaml.AliasNode:
		return "an alias"
	default:
		return quote(n.Value)
	}
}
