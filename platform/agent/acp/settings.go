package acp

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"copydesk/core/session"
)

// settings are what the user can set. Modes are the older way: where an agent
// has options they say all, and the modes are left out.
type settings struct {
	options []option
	modes   []session.OptionValue
	mode    string
}

// An option is one of the agent's; a switch takes true or false.
type option struct {
	session.Option
	isSwitch bool
}

// modeOption is the id under which modes are an option. No agent sees it.
const modeOption = "mode"

// The values of a switch, as the user chooses them.
const (
	on  = "true"
	off = "false"
)

// options takes over the whole state of the options, from an update or an
// answer. What cannot be understood is left out, and named once.
func (a *Agent) options(c *conversation, o object) []session.Event {
	items := o.list("configOptions")
	if items == nil {
		return nil
	}
	var events []session.Event
	c.settings.options = nil
	for _, raw := range items {
		p, kind := readOption(parse(raw))
		switch {
		case p.ID != "" && kind == "":
			c.settings.options = append(c.settings.options, p)
		case kind != "":
			events = append(events, a.strange("an option of the kind "+kind)...)
		}
	}
	return events
}

// readOption reads one option; strange is its type when we do not know it.
func readOption(o object) (p option, strange string) {
	p.ID, p.Name, p.Summary, p.Category = o.text("id"), o.text("name"), o.text("description"), o.text("category")
	if p.Name == "" {
		p.Name = p.ID
	}
	switch kind := o.text("type"); kind {
	case "select", "":
		p.Value = o.text("currentValue")
		p.Values = values(o.list("options"), "")
	case "boolean":
		p.isSwitch = true
		p.Value = off
		if o.truth("currentValue") {
			p.Value = on
		}
		p.Values = []session.OptionValue{{Value: on, Name: "on"}, {Value: off, Name: "off"}}
	default:
		return option{}, kind
	}
	return p, ""
}

// values are what can be selected, with the groups' names as headings.
func values(items []json.RawMessage, group string) []session.OptionValue {
	var out []session.OptionValue
	for _, raw := range items {
		o := parse(raw)
		if inner := o.list("options"); inner != nil && group == "" {
			heading := o.text("name")
			if heading == "" {
				heading = o.text("group")
			}
			out = append(out, values(inner, heading)...)
			continue
		}
		v := session.OptionValue{Value: o.text("value"), Name: o.text("name"), Group: group, Summary: o.text("description")}
		if v.Name == "" {
			v.Name = v.Value
		}
		if v.Value != "" {
			out = append(out, v)
		}
	}
	return out
}

// opened takes over what the answer to new, load or resume says.
func (a *Agent) opened(c *conversation, o object) []session.Event {
	if m := o.object("modes"); m != nil {
		c.settings.mode, c.settings.modes = m.text("currentModeId"), nil
		for _, raw := range m.list("availableModes") {
			mode := parse(raw)
			v := session.OptionValue{Value: mode.text("id"), Name: mode.text("name"), Summary: mode.text("description")}
			if v.Name == "" {
				v.Name = v.Value
			}
			if v.Value != "" {
				c.settings.modes = append(c.settings.modes, v)
			}
		}
	}
	return append(a.options(c, o), session.Changed{})
}

func (s settings) all() []session.Option {
	if len(s.options) == 0 && len(s.modes) > 0 {
		return []session.Option{{ID: modeOption, Name: "Mode", Category: "mode", Value: s.mode, Values: slices.Clone(s.modes)}}
	}
	var out []session.Option
	for _, p := range s.options {
		p.Values = slices.Clone(p.Values)
		out = append(out, p.Option)
	}
	return out
}

// Options are the ones that the agent has told of.
func (a *Agent) Options() []session.Option {
	a.mu.Lock()
	defer a.mu.Unlock()
	if c := a.conversation(); c != nil {
		return c.settings.all()
	}
	return nil
}

// SetOption asks the agent to take a value, and returns when it has.
func (a *Agent) SetOption(ctx context.Context, id, value string) error {
	a.mu.Lock()
	l, c := a.link, a.conversation()
	if c == nil {
		a.mu.Unlock()
		return fmt.Errorf("setting %s: %w", id, errGone)
	}
	i := slices.IndexFunc(c.settings.options, func(p option) bool { return p.ID == id })
	isMode := len(c.settings.options) == 0 && id == modeOption
	var isSwitch bool
	if i >= 0 {
		isSwitch = c.settings.options[i].isSwitch
	}
	a.mu.Unlock()
	if i < 0 && !isMode {
		return fmt.Errorf("%s has no option %q", a.o.Name, id)
	}
	var err error
	if isMode {
		err = l.call(ctx, sessionSetMode, setModeRequest{SessionID: c.id, ModeID: value}, func(json.RawMessage) { a.set(c, id, value) })
	} else {
		request := setValueRequest{SessionID: c.id, ConfigID: id, Value: value}
		if isSwitch {
			request.Type, request.Value = "boolean", value == on
		}
		err = l.call(ctx, sessionSetValue, request, func(result json.RawMessage) {
			if o := parse(result); o.list("configOptions") != nil {
				a.locked(func() []session.Event { return append(a.options(c, o), session.Changed{}) })
				return
			}
			a.set(c, id, value)
		})
	}
	if err != nil {
		return fmt.Errorf("setting %s of %s: %w", id, a.o.Name, l.explain(err))
	}
	return nil
}

// set notes a value that the agent has taken without telling the whole state.
func (a *Agent) set(c *conversation, id, value string) {
	a.locked(func() []session.Event {
		if len(c.settings.options) == 0 {
			c.settings.mode = value
		}
		for i := range c.settings.options {
			if p := &c.settings.options[i]; p.ID == id {
				p.Value = value
			}
		}
		return []session.Event{session.Changed{}}
	})
}

// locked runs f under the lock and hands on its events.
func (a *Agent) locked(f func() []session.Event) {
	a.mu.Lock()
	events := f()
	a.mu.Unlock()
	for _, e := range events {
		a.mail.put(e)
	}
}
