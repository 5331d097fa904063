package acp

import (
	"encoding/json"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"copydesk/core/session"
	"copydesk/platform/agent/acp/rpc"
)

// The keys under which agents say the same thing. They come first and in this
// order; whatever else is there follows as it is.
var (
	commandKeys     = []string{"command", "cmd"}
	cwdKeys         = []string{"cwd", "workdir", "working_directory", "workingDirectory"}
	descriptionKeys = []string{"description"}
	pathKeys        = []string{"path", "file_path", "filePath", "filepath", "abs_path"}
	urlKeys         = []string{"url", "uri"}
)

// facts are the real fields of a tool call: what it would do, not what the agent
// calls it (REQ 6, T46).
type facts struct {
	fields  []session.Field
	seen    bool   // there is something that can be judged
	command string // empty: none
	diffs   int
	url     string
	blocked string
}

// factsOf gathers what a permission request shows of a call. params are the
// request's own, in which nothing may be read in two ways (T36).
func (a *Agent) factsOf(dir string, k *call, params json.RawMessage) facts {
	var f facts
	in := parse(k.input)
	f.input(dir, k, in)
	for _, raw := range k.content {
		f.content(dir, in, raw)
	}
	for _, l := range k.locations {
		f.place("location", dir, l.path, l.String())
	}
	if k.kind != "" {
		f.fields = append(f.fields, session.Field{Name: "kind", Value: k.kind})
	}
	if !f.seen {
		f.fields = append(f.fields, session.Field{
			Name: "input", Value: "cannot be inspected: " + a.o.Name + " did not say what exactly it will do", Warn: true,
		})
	}
	f.ambiguous(k, params)
	return f
}

// input shows what the tool is given, in the order of the keys above and then
// as it was written. A key that is there twice is shown twice.
func (f *facts) input(dir string, k *call, o object) {
	if o == nil {
		if s := plain(k.input); !isNull(k.input) && s != "" {
			f.seen = true
			f.fields = append(f.fields, session.Field{Name: "input", Value: s})
		}
		return
	}
	var rest object
	known := [][]string{commandKeys, cwdKeys, descriptionKeys, pathKeys, urlKeys}
	byKind := make([]object, len(known))
	for _, m := range o {
		i := slices.IndexFunc(known, func(keys []string) bool { return slices.Contains(keys, m.key) })
		if i < 0 {
			rest = append(rest, m)
			continue
		}
		byKind[i] = append(byKind[i], m)
	}
	for _, m := range byKind[0] {
		f.command = argv(m.value)
		f.seen = true
		f.fields = append(f.fields, session.Field{Name: "command", Value: f.command, Lang: "bash"})
	}
	for _, m := range byKind[1] {
		f.cwd(dir, plain(m.value))
	}
	if len(byKind[0]) > 0 && len(byKind[1]) == 0 {
		f.cwd(dir, k.cwd)
	}
	for _, m := range byKind[2] {
		f.leaf(m)
	}
	for _, m := range byKind[3] {
		f.seen = true
		f.place(m.key, dir, plain(m.value), plain(m.value))
	}
	for _, m := range byKind[4] {
		f.url = plain(m.value)
		f.leaf(m)
	}
	for _, m := range rest {
		f.leaf(m)
	}
}

// cwd shows where a command would run, as it resolves now.
func (f *facts) cwd(dir, cwd string) {
	full := absolute(dir, cwd)
	value := full
	if real, err := filepath.EvalSymlinks(full); err == nil && real != full {
		value += ", which is " + real
	}
	f.fields = append(f.fields, session.Field{Name: "cwd", Value: value, Warn: !within(dir, full)})
}

// place shows a path as an absolute one.
func (f *facts) place(name, dir, path, said string) {
	full := absolute(dir, path)
	value := full + strings.TrimPrefix(said, path)
	field := session.Field{Name: name, Value: value, Warn: !within(dir, full)}
	if !slices.Contains(f.fields, field) {
		f.fields = append(f.fields, field)
	}
}

func within(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// leaf shows any other member.
func (f *facts) leaf(m member) {
	field := session.Field{Name: m.key, Value: plain(m.value)}
	switch {
	case len(m.value) > 0 && m.value[0] == '[' && allTexts(m.value):
		field.Value = argv(m.value)
	case len(m.value) > 0 && (m.value[0] == '{' || m.value[0] == '['):
		field.Lang = "json"
	case strings.HasPrefix(field.Value, "--- ") && strings.Contains(field.Value, "\n+++ "):
		field.Lang = "diff"
	}
	f.seen = f.seen || !slices.Contains(descriptionKeys, m.key)
	f.fields = append(f.fields, field)
}

// content shows what else came with the call: diffs are real, a text is what
// the agent says.
func (f *facts) content(dir string, in object, raw json.RawMessage) {
	o := parse(raw)
	if o.text("type") != "diff" {
		if p, ok := part(raw); ok {
			f.fields = append(f.fields, session.Field{Name: "content", Value: p.Text})
		}
		return
	}
	f.seen = true
	f.diffs++
	f.place("path", dir, o.text("path"), o.text("path"))
	p, _ := part(raw)
	f.fields = append(f.fields, session.Field{Name: "diff", Value: p.Text, Lang: p.Lang})
	// The whole new text once more would hide what differs from it.
	after := o.text("newText")
	f.fields = slices.DeleteFunc(f.fields, func(field session.Field) bool {
		return field.Value == after && after != "" && field.Name != "diff" && in.given(field.Name) && isNull(o.get("oldText"))
	})
}

// ambiguous makes a request that can be read in two ways one that cannot be
// approved (T36).
func (f *facts) ambiguous(k *call, params json.RawMessage) {
	var where []string
	for name, raw := range map[string]json.RawMessage{"": params, "rawInput": k.input} {
		for _, place := range rpc.Ambiguous(raw) {
			where = append(where, strings.Trim(name+"."+place, "."))
		}
	}
	for _, raw := range k.content {
		for _, place := range rpc.Ambiguous(raw) {
			where = append(where, "content."+place)
		}
	}
	if len(where) == 0 {
		return
	}
	slices.Sort(where)
	where = slices.Compact(where)
	f.fields = append(f.fields, session.Field{Name: "ambiguous", Value: strings.Join(where, "\n"), Warn: true})
	f.blocked = "This can be read in two ways, so it cannot be approved."
}

// commandOf is the command of an input, empty if there is none.
func commandOf(o object) string {
	for _, key := range commandKeys {
		if raw := o.get(key); !isNull(raw) {
			return argv(raw)
		}
	}
	return ""
}

// argv is a command as it was given: a line for a shell, or a list of
// arguments, each quoted where its ends cannot be seen otherwise (T46).
func argv(raw json.RawMessage) string {
	if !allTexts(raw) {
		return plain(raw)
	}
	var out []string
	for _, item := range list(raw) {
		s, _ := unquote(item)
		if !bare.MatchString(s) {
			s = strconv.Quote(s)
		}
		out = append(out, s)
	}
	return strings.Join(out, " ")
}

var bare = regexp.MustCompile(`^[A-Za-z0-9_@%+=:,./^~-]+$`)

func allTexts(raw json.RawMessage) bool {
	items := list(raw)
	return len(items) > 0 && !slices.ContainsFunc(items, func(item json.RawMessage) bool { return item[0] != '"' })
}
