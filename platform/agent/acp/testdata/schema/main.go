// Command schema lists the string leaves of every message that an agent may
// send, from the protocol's published JSON schema.
//
//	go run . schema.json > leaves.json
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
)

// A schema is the part of a JSON schema that the protocol's uses.
type schema struct {
	Ref        string             `json:"$ref"`
	Type       any                `json:"type"`
	Const      any                `json:"const"`
	Enum       []any              `json:"enum"`
	Properties map[string]*schema `json:"properties"`
	Required   []string           `json:"required"`
	AllOf      []*schema          `json:"allOf"`
	AnyOf      []*schema          `json:"anyOf"`
	OneOf      []*schema          `json:"oneOf"`
	Items      *schema            `json:"items"`
	Additional json.RawMessage    `json:"additionalProperties"`
	Defs       map[string]*schema `json:"$defs"`
	Side       string             `json:"x-side"`
	Method     string             `json:"x-method"`
}

// A set says what stands where: JSON pointers with "=constant" or a type.
type set map[string]string

// A leaf is one string of a message, and what else the message needs.
type leaf struct {
	At   string `json:"leaf"`
	With set    `json:"with"`
}

type message struct {
	Method string `json:"method"`
	Is     string `json:"is"` // "request", "notification" or "result"
	Leaves []leaf `json:"leaves"`
}

type walker struct{ defs map[string]*schema }

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: go run . schema.json > leaves.json")
		os.Exit(2)
	}
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(path string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var root schema
	if err := json.Unmarshal(data, &root); err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	w := walker{root.Defs}
	var out []message
	for _, name := range slices.Sorted(maps.Keys(root.Defs)) {
		d := root.Defs[name]
		result := strings.HasSuffix(name, "Response")
		if d.Method == "" || d.Side == "agent" && !result || d.Side == "client" && result {
			continue // the client says it
		}
		m := message{Method: d.Method, Is: "request"}
		switch {
		case result:
			m.Is = "result"
		case strings.HasSuffix(name, "Notification"):
			m.Is = "notification"
		}
		m.Leaves = dedupe(w.leaves(d, "", nil))
		out = append(out, m)
	}
	return write(out)
}

func write(out []message) error {
	var b bytes.Buffer
	b.WriteString("[\n")
	for i, m := range out {
		fmt.Fprintf(&b, "{\"method\":%q,\"is\":%q,\"leaves\":[", m.Method, m.Is)
		for k, l := range m.Leaves {
			line, err := json.Marshal(l)
			if err != nil {
				return err
			}
			if k > 0 {
				b.WriteByte(',')
			}
			b.WriteString("\n")
			b.Write(line)
		}
		b.WriteString("]}")
		if i < len(out)-1 {
			b.WriteByte(',')
		}
		b.WriteByte('\n')
	}
	b.WriteString("]\n")
	_, err := os.Stdout.Write(b.Bytes())
	return err
}

// alternatives are the shapes that a value can have, each without references
// and unions.
func (w walker) alternatives(s *schema) []*schema {
	if s.Ref != "" {
		return w.alternatives(w.defs[strings.TrimPrefix(s.Ref, "#/$defs/")])
	}
	base := &schema{Type: s.Type, Const: s.Const, Enum: s.Enum, Properties: maps.Clone(s.Properties), Required: slices.Clone(s.Required), Items: s.Items, Additional: s.Additional}
	shapes := []*schema{base}
	for _, part := range s.AllOf {
		shapes = cross(shapes, w.alternatives(part))
	}
	for _, union := range [][]*schema{s.AnyOf, s.OneOf} {
		var all []*schema
		for _, alt := range union {
			all = append(all, w.alternatives(alt)...)
		}
		if len(all) > 0 {
			shapes = cross(shapes, all)
		}
	}
	return shapes
}

// cross merges each of one list with each of another.
func cross(as, bs []*schema) []*schema {
	var out []*schema
	for _, a := range as {
		for _, b := range bs {
			m := &schema{Type: a.Type, Const: a.Const, Enum: a.Enum, Properties: map[string]*schema{}, Items: a.Items, Additional: a.Additional}
			maps.Copy(m.Properties, a.Properties)
			maps.Copy(m.Properties, b.Properties)
			m.Required = append(slices.Clone(a.Required), b.Required...)
			if b.Type != nil {
				m.Type = b.Type
			}
			if b.Const != nil {
				m.Const = b.Const
			}
			if b.Enum != nil {
				m.Enum = b.Enum
			}
			if b.Items != nil {
				m.Items = b.Items
			}
			if b.Additional != nil {
				m.Additional = b.Additional
			}
			out = append(out, m)
		}
	}
	return out
}

// kind is what a shape without unions is.
func kind(s *schema) string {
	name := ""
	switch t := s.Type.(type) {
	case string:
		name = t
	case []any:
		for _, n := range t {
			if n != "null" {
				name = n.(string)
				break
			}
		}
	}
	switch {
	case name != "":
		return name
	case s.Const != nil:
		if _, is := s.Const.(string); is {
			return "string"
		}
		return "integer"
	case len(s.Properties) > 0:
		return "object"
	case s.Items != nil:
		return "array"
	}
	return "any"
}

// least is the smallest valid value at a place.
func (w walker) least(s *schema, at string) set {
	alts := w.alternatives(s)
	for _, a := range alts {
		if kind(a) == "null" {
			continue
		}
		return w.leastOf(a, at)
	}
	return set{at: "null"}
}

func (w walker) leastOf(a *schema, at string) set {
	k := kind(a)
	switch {
	case k == "string" && a.Const != nil:
		return set{at: "=" + fmt.Sprint(a.Const)}
	case k == "string" && len(a.Enum) > 0:
		return set{at: "=" + fmt.Sprint(a.Enum[0])}
	case k != "object":
		return set{at: k}
	}
	out := set{at: "object"}
	for _, name := range a.Required {
		if p := a.Properties[name]; p != nil {
			maps.Copy(out, w.least(p, at+"/"+escape(name)))
		}
	}
	return out
}

func escape(name string) string {
	return strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
}

// leaves finds the strings at and below a place. seen guards against schemas
// that hold themselves.
func (w walker) leaves(s *schema, at string, seen []*schema) []leaf {
	if slices.Contains(seen, s) || len(seen) > 40 {
		return nil
	}
	seen = append(slices.Clone(seen), s)
	var out []leaf
	for _, a := range w.alternatives(s) {
		switch kind(a) {
		case "string":
			out = append(out, leaf{at, set{at: "string"}})
		case "any":
			out = append(out, leaf{at + "/text", set{at: "object", at + "/text": "string"}})
		case "array":
			if a.Items == nil {
				continue
			}
			for _, l := range w.leaves(a.Items, at+"/0", seen) {
				l.With = with(l.With, set{at: "array"})
				out = append(out, l)
			}
		case "object":
			out = append(out, w.inside(a, at, seen)...)
		}
	}
	return out
}

func (w walker) inside(a *schema, at string, seen []*schema) []leaf {
	var out []leaf
	base := w.leastOf(a, at)
	for _, name := range slices.Sorted(maps.Keys(a.Properties)) {
		if name == "_meta" && at != "" {
			continue // the same everywhere; once in a message is enough
		}
		place := at + "/" + escape(name)
		for _, l := range w.leaves(a.Properties[name], place, seen) {
			rest := set{}
			for k, v := range base {
				if k != place && !strings.HasPrefix(k, place+"/") {
					rest[k] = v
				}
			}
			l.With = with(l.With, rest)
			out = append(out, l)
		}
	}
	var more schema
	switch {
	case len(a.Additional) == 0 || string(a.Additional) == "false":
	case string(a.Additional) == "true":
		out = append(out, leaf{at + "/text", with(set{at + "/text": "string"}, base)})
	case json.Unmarshal(a.Additional, &more) == nil:
		for _, l := range w.leaves(&more, at+"/key", seen) {
			l.With = with(l.With, base)
			out = append(out, l)
		}
		// The name of a property is a string too.
		name := with(w.least(&more, at+"/key"), base)
		name[at+"/key"] += " named"
		out = append(out, leaf{at + "/key", name})
	}
	return out
}

func with(a, b set) set {
	out := maps.Clone(b)
	maps.Copy(out, a)
	return out
}

func dedupe(all []leaf) []leaf {
	seen := map[string]bool{}
	return slices.DeleteFunc(all, func(l leaf) bool {
		key, err := json.Marshal(l)
		if err != nil || seen[string(key)] {
			return true
		}
		seen[string(key)] = true
		return false
	})
}
