package desk

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"copydesk/core/command"
	"copydesk/core/session"
	"copydesk/core/text"
)

// Options are the agent's settings. The agent may be busy for a moment: it is
// asked on the caller's goroutine.
func (p *Pane) Options() []session.Option { return p.sitting().options() }

func (s *seat) options() []session.Option {
	if agent, ok := s.agent.(session.Configurable); ok {
		return agent.Options()
	}
	return nil
}

// inForce names the value of the first option of a category.
func inForce(options []session.Option, category string) string {
	for _, o := range options {
		if o.Category == category {
			return valueName(o, o.Value)
		}
	}
	return ""
}

// valueName is what a value of an option is called, on one line.
func valueName(o session.Option, value string) string {
	for _, v := range o.Values {
		if v.Value == value && v.Name != "" {
			return text.CleanLine(v.Name)
		}
	}
	return text.CleanLine(value)
}

func optionName(o session.Option) string {
	if o.Name != "" {
		return text.CleanLine(o.Name)
	}
	return text.CleanLine(o.ID)
}

// SetOption sets an option of the agent's in the background. What came of it
// becomes a note or an error line.
func (p *Pane) SetOption(id, value string) {
	s := p.sitting()
	agent, ok := s.agent.(session.Configurable)
	if !ok {
		p.Note(s.name()+" has no options.", true)
		return
	}
	name, to := id, value
	for _, o := range agent.Options() {
		if o.ID == id {
			name, to = optionName(o), valueName(o, value)
		}
	}
	p.background(s, func(ctx context.Context) {
		if err := agent.SetOption(ctx, id, value); err != nil {
			if ctx.Err() == nil {
				p.change(func() { p.complain(s, err) })
			}
			return
		}
		p.Note(fmt.Sprintf("%s is %s now.", name, to), false)
	})
}

// background calls a method of the agent's that takes its time. The agent is
// not closed before it has returned.
func (p *Pane) background(s *seat, call func(ctx context.Context)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if s.left || p.closed {
		return
	}
	s.calls.Add(1)
	p.desk.deps.Go(func() {
		defer s.calls.Done()
		call(s.ctx)
	})
}

// choose sets the option of a category that a command names, by the name of a
// value or the beginning of it.
func (p *Pane) choose(e command.Options) {
	for _, o := range p.Options() {
		if o.Category != e.Category {
			continue
		}
		switch found := matching(o, e.Value); len(found) {
		case 1:
			p.SetOption(o.ID, found[0])
		case 0:
			p.Note(fmt.Sprintf("There is no %s %q; /%s lists them.", e.Category, e.Value, e.Category), true)
		default:
			p.Note(fmt.Sprintf("More than one %s begins with %q; /%s lists them.", e.Category, e.Value, e.Category), true)
		}
		return
	}
	p.Note(fmt.Sprintf("%s lets nobody choose a %s.", p.sitting().name(), e.Category), true)
}

// matching lists the values that are meant by a word: the one of that very
// name, else all that begin with it.
func matching(o session.Option, word string) []string {
	var begin []string
	for _, v := range o.Values {
		if strings.EqualFold(v.Value, word) || strings.EqualFold(v.Name, word) {
			return []string{v.Value}
		}
		if hasPrefixFold(v.Value, word) || hasPrefixFold(v.Name, word) {
			begin = append(begin, v.Value)
		}
	}
	return begin
}

func hasPrefixFold(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}

// completeOption offers the values of the option that a command sets.
func (p *Pane) completeOption(input string) []command.Completion {
	word, typed, spaced := strings.Cut(input, " ")
	category := strings.TrimPrefix(strings.ToLower(word), "/")
	if !spaced || !slices.Contains([]string{"/mode", "/model"}, strings.ToLower(word)) {
		return nil
	}
	var out []command.Completion
	for _, o := range p.Options() {
		if o.Category != category {
			continue
		}
		for _, v := range o.Values {
			name := v.Name
			if !hasPrefixFold(name, typed) {
				name = v.Value
			}
			if hasPrefixFold(name, typed) && name != "" && text.CleanLine(name) == name {
				out = append(out, command.Completion{Start: len(word) + 1, Text: name, Summary: text.CleanLine(v.Summary)})
			}
		}
		return out
	}
	return out
}
