package acp

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"copydesk/core/session"
)

// A form is what an elicitation in form mode asks: a flat object of simple
// values (acp.md of the protocol: "elicitation").
type form struct {
	message      string
	title, about string
	properties   []property
	odd          []property // of types that we do not know
}

// A property is one value that is asked for.
type property struct {
	session.Input
	kind   string                     // the schema's type
	consts map[string]json.RawMessage // what is answered for an option's value
}

func readForm(o object) (form, error) {
	schema := o.object("requestedSchema")
	if schema == nil {
		return form{}, errors.New("it has no schema")
	}
	f := form{message: o.text("message"), title: schema.text("title"), about: schema.text("description")}
	required := schema.texts("required")
	for _, m := range schema.object("properties") {
		p, known := readProperty(m.key, parse(m.value))
		p.Required = slices.Contains(required, m.key)
		if !known {
			f.odd = append(f.odd, p)
			continue
		}
		f.properties = append(f.properties, p)
	}
	for _, name := range required {
		known := func(p property) bool { return p.Name == name }
		if !slices.ContainsFunc(f.properties, known) && !slices.ContainsFunc(f.odd, known) {
			f.odd = append(f.odd, property{Input: session.Input{Name: name, Required: true}})
		}
	}
	if i := slices.IndexFunc(f.odd, func(p property) bool { return p.Required }); i >= 0 && len(f.properties) == 0 {
		return form{}, fmt.Errorf("%s is needed and cannot be filled in here", quoted(f.odd[i].Label()))
	}
	return f, nil
}

// readProperty reads one property's schema; known is false for a type that we
// cannot ask for.
func readProperty(name string, o object) (p property, known bool) {
	p.kind = o.text("type")
	p.Input = session.Input{Name: name, Title: o.text("title"), Help: o.text("description")}
	p.consts = map[string]json.RawMessage{}
	if items, ok := choices(o); ok && p.kind != "array" {
		p.Kind = session.OneOf
		if p.offer(items); len(p.Options) == 0 {
			return p, false
		}
		if d := o.get("default"); p.consts[plain(d)] != nil {
			p.Default = []string{plain(d)}
		}
		return p, true
	}
	switch p.kind {
	case "string":
		p.Kind = session.Line
		p.MinLength, p.MaxLength = o.whole("minLength"), o.whole("maxLength")
		p.Pattern, p.Format = o.text("pattern"), o.text("format")
		if d := o.text("default"); d != "" {
			p.Default = []string{d}
		}
	case "number", "integer":
		p.Kind = session.Number
		if p.kind == "integer" {
			p.Kind = session.Integer
		}
		p.Min, p.Max = o.number("minimum"), o.number("maximum")
		if o.number("default") != nil {
			p.Default = []string{string(o.get("default"))}
		}
	case "boolean":
		p.Kind = session.Switch
		if d := string(o.get("default")); d == on || d == off {
			p.Default = []string{d}
		}
	case "array":
		return p.many(o)
	default:
		return p, false
	}
	return p, true
}

// many reads a choice of several.
func (p property) many(o object) (property, bool) {
	items, ok := choices(o.object("items"))
	if !ok {
		return p, false
	}
	p.Kind = session.ManyOf
	if p.offer(items); len(p.Options) == 0 {
		return p, false
	}
	p.MinItems, p.MaxItems = o.whole("minItems"), o.whole("maxItems")
	for _, d := range o.list("default") {
		if p.consts[plain(d)] != nil {
			p.Default = append(p.Default, plain(d))
		}
	}
	return p, true
}

// choices are what a schema offers, in any of the ways to write that.
func choices(o object) ([]json.RawMessage, bool) {
	for _, key := range []string{"oneOf", "anyOf", "enum"} {
		if items := o.list(key); items != nil {
			return items, true
		}
	}
	return nil, false
}

// offer takes over choices: bare values, or objects with a const and a title.
// What has no simple value is left out.
func (p *property) offer(items []json.RawMessage) {
	for _, raw := range items {
		o := parse(raw)
		value, title, help := raw, "", ""
		if o != nil {
			value, title, help = o.get("const"), o.text("title"), o.text("description")
		}
		if isNull(value) || value[0] == '{' || value[0] == '[' {
			continue
		}
		key := plain(value)
		if p.consts[key] != nil {
			continue
		}
		p.consts[key] = value
		p.Options = append(p.Options, session.InputOption{Value: key, Title: title, Help: help})
	}
}

// request is what the user sees of a form (R4 on ACP): one choice, one text, a
// choice with a text beside it, or all on one page.
func (a *Agent) formRequest(f form) *session.Request {
	r := &session.Request{Prompt: f.message, From: a.o.Name}
	r.Fields = about(f.title, f.about)
	for _, p := range f.odd {
		kind := p.kind
		if kind == "" {
			kind = "unknown"
		}
		r.Fields = append(r.Fields, session.Field{
			Name: p.Label(), Value: fmt.Sprintf("cannot be filled in here: it is of the type %s, which this version does not know", quoted(kind)), Warn: true,
		})
		if p.Required {
			r.Blocked = fmt.Sprintf("%s is needed and cannot be filled in here.", quoted(p.Label()))
		}
	}
	switch choice, other := f.shape(); {
	case len(f.properties) == 0:
		r.Kind, r.Choices = session.Approval, []string{"Accept", "Decline"}
	case choice != nil:
		r.Kind = session.Choice
		for _, o := range choice.Options {
			r.Choices = append(r.Choices, described(o))
		}
		r.Fields = append(r.Fields, about(choice.Title, choice.Help)...)
		if other != nil {
			r.Other = other.Label()
		}
	case other != nil:
		r.Kind = session.TextInput
		r.Fields = append(r.Fields, about(other.Title, other.Help)...)
	default:
		r.Kind = session.Form
		for _, p := range f.properties {
			r.Inputs = append(r.Inputs, p.Input)
		}
	}
	if r.Prompt == "" {
		r.Prompt = a.o.Name + " asks for an answer."
	}
	return r
}

// about shows what is said beside a question.
func about(texts ...string) []session.Field {
	var out []session.Field
	for _, s := range texts {
		if s != "" {
			out = append(out, session.Field{Name: "about", Value: s})
		}
	}
	return out
}

// described is an option's label, with what is said about it.
func described(o session.InputOption) string {
	if o.Help == "" || strings.Contains(o.Label(), o.Help) {
		return o.Label()
	}
	return o.Label() + " — " + o.Help
}

// shape finds the forms that are simpler than a page: choice alone, a choice
// with a text, a text alone. Both nil: a page.
func (f form) shape() (choice, text *property) {
	switch len(f.properties) {
	case 1:
		switch p := &f.properties[0]; {
		case p.Kind == session.OneOf:
			return p, nil
		case p.isPlain():
			return nil, p
		}
	case 2:
		a, b := &f.properties[0], &f.properties[1]
		if a.Kind != session.OneOf {
			a, b = b, a
		}
		// A choice that is needed must have a value for "none of these", or a
		// text alone would not be an answer.
		if a.Kind == session.OneOf && b.isPlain() && !b.Required && (!a.Required || a.none() != "") {
			return a, b
		}
	}
	return nil, nil
}

// isPlain reports whether any text will do.
func (p *property) isPlain() bool {
	return p.Kind == session.Line && p.MinLength <= 1 && p.MaxLength == 0 && p.Pattern == "" && p.Format == "" && p.Default == nil
}

// none is the value that says that no other one fits, empty if there is none.
func (p *property) none() string {
	for _, o := range p.Options {
		switch strings.ToLower(o.Label()) {
		case "none of the above", "none of these", "none", "other":
			return o.Value
		}
	}
	return ""
}

// content is what an answer to r fills the form with; nil if the answer does
// not accept it.
func (f form) content(r *session.Request, answer session.Answer) map[string]json.RawMessage {
	if r.Accepts(answer) != nil {
		return nil
	}
	choice, other := f.shape()
	content := map[string]json.RawMessage{}
	switch answer.Verdict {
	case session.Approve:
	case session.Chosen:
		content[choice.Name] = choice.consts[choice.Options[answer.Index].Value]
	case session.Entered:
		content[other.Name] = encoded(answer.Value)
		if choice != nil && choice.Required {
			content[choice.Name] = choice.consts[choice.none()]
		}
	case session.Filled:
		for i, p := range f.properties {
			if v := p.value(answer.Values[i]); v != nil {
				content[p.Name] = v
			}
		}
	default:
		return nil
	}
	return content
}

// value is what is answered for a property; nil leaves it out.
func (p *property) value(values []string) json.RawMessage {
	if len(values) == 0 && !(p.Kind == session.ManyOf && p.Required) {
		return nil
	}
	switch p.Kind {
	case session.OneOf:
		return p.consts[values[0]]
	case session.ManyOf:
		out := []json.RawMessage{}
		for _, v := range values {
			out = append(out, p.consts[v])
		}
		return encoded(out)
	case session.Number, session.Integer:
		return numeral(values[0])
	case session.Switch:
		return json.RawMessage(values[0])
	}
	if values[0] == "" && !p.Required {
		return nil
	}
	return encoded(values[0])
}

// numeral is a number as JSON writes it.
func numeral(s string) json.RawMessage {
	s = strings.TrimSpace(s)
	if json.Valid([]byte(s)) {
		return json.RawMessage(s)
	}
	n, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return nil
	}
	return encoded(n)
}

// encoded is a value that can always be written as JSON.
func encoded(v any) json.RawMessage {
	raw, err := json.Marshal(v)
	if err != nil {
		panic("acp: a value that is no JSON: " + err.Error())
	}
	return raw
}
