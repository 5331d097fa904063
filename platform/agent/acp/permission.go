package acp

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"copydesk/core/session"
	"copydesk/platform/agent/acp/rpc"
)

// optionsMost is how many options a permission request may have (T45).
const optionsMost = 100

// A permission is what a session/request_permission asks.
type permission struct {
	params  json.RawMessage
	options []permissionOption
}

type permissionOption struct {
	id, name string
	means    session.Means
}

// errNoOptions is a request that no answer can be chosen for.
var errNoOptions = errors.New("it offers nothing to choose from")

// readPermission reads a request. Its error says what is wrong with it.
func readPermission(params json.RawMessage) (permission, error) {
	o := parse(params)
	p := permission{params: params}
	if o.object("toolCall") == nil {
		return p, errors.New("it names no tool call")
	}
	items := o.list("options")
	switch {
	case items == nil:
		return p, errors.New("its options are no list")
	case len(items) == 0:
		return p, errNoOptions
	case len(items) > optionsMost:
		return p, fmt.Errorf("it has %d options; %d are the most", len(items), optionsMost)
	}
	seen := map[string]bool{}
	for _, raw := range items {
		item := parse(raw)
		option := permissionOption{id: item.text("optionId"), name: item.text("name"), means: meaning(item.text("kind"))}
		switch {
		case option.id == "":
			return p, errors.New("an option has no id")
		case seen[option.id]:
			return p, fmt.Errorf("two options have the id %q", option.id)
		}
		seen[option.id] = true
		p.options = append(p.options, option)
	}
	for _, place := range rpc.Ambiguous(params) {
		if !strings.HasPrefix(place, "toolCall.") {
			return p, fmt.Errorf("%s can be read in two ways", place)
		}
	}
	return p, nil
}

func meaning(kind string) session.Means {
	switch kind {
	case "allow_once":
		return session.AllowOnce
	case "allow_always":
		return session.AllowAlways
	case "reject_once":
		return session.RejectOnce
	case "reject_always":
		return session.RejectAlways
	}
	return session.Unknown
}

// request is what the user sees of a permission for a call. reasons says
// whether a turn runs that a reason can be given to.
func (a *Agent) request(p permission, dir string, k *call, reasons bool) *session.Request {
	f := a.factsOf(dir, k, p.params)
	r := &session.Request{
		Kind: session.Choice, Prompt: f.question(), From: a.o.Name, Fields: f.fields, Claim: k.title, Blocked: f.blocked,
		TakesReason: reasons && p.first(session.RejectOnce) >= 0,
	}
	options := p.options
	if p.isApproval() {
		r.Kind = session.Approval
		options = []permissionOption{p.options[p.first(session.AllowOnce)], p.options[p.first(session.RejectOnce)]}
	}
	for _, o := range options {
		r.Choices = append(r.Choices, strings.TrimSpace(o.name))
		r.Means = append(r.Means, o.means)
	}
	if i := p.first(session.AllowAlways); i >= 0 {
		r.Scope = a.scope(p.options[i].name, k, f)
	}
	return r
}

// question is asked of what can be seen, not of what the agent calls it.
func (f facts) question() string {
	switch {
	case f.command != "":
		return "Run this command?"
	case f.diffs > 0:
		return "Make this change?"
	case f.url != "":
		return "Fetch this address?"
	}
	return "Allow this?"
}

// scope says what is known of how far an "always" reaches: we keep no rules,
// the agent does (T51).
func (a *Agent) scope(name string, k *call, f facts) string {
	what := k.kind
	switch {
	case f.command != "":
		what = "the command " + f.command
	case f.url != "":
		what = "the address " + f.url
	case f.diffs > 0:
		what = "a change of files"
	case what == "":
		what = "a tool"
	}
	return fmt.Sprintf("%s decides what this covers. It calls it %s; what it asks for now is %s.", a.o.Name, quoted(name), what)
}

func (p permission) first(m session.Means) int {
	return slices.IndexFunc(p.options, func(o permissionOption) bool { return o.means == m })
}

// isApproval reports whether there is exactly one way to allow and one to
// reject, both once.
func (p permission) isApproval() bool {
	return len(p.options) == 2 && p.first(session.AllowOnce) >= 0 && p.first(session.RejectOnce) >= 0
}

// chosen is the option that an answer to r is for; nil for none: the request is
// cancelled then. A rejection is never one for always unless that was chosen.
func (p permission) chosen(r *session.Request, answer session.Answer) *permissionOption {
	if r.Accepts(answer) != nil {
		return nil
	}
	i := -1
	switch answer.Verdict {
	case session.Approve:
		i = p.first(session.AllowOnce)
	case session.Chosen:
		i = answer.Index
	case session.Reject:
		i = p.first(session.RejectOnce)
	}
	if i < 0 {
		return nil
	}
	return &p.options[i]
}

// quoted puts a text into quotes; one that cannot be seen as it is, is escaped.
func quoted(s string) string {
	if strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) || r == '"' }) {
		return strconv.Quote(s)
	}
	return `"` + s + `"`
}
