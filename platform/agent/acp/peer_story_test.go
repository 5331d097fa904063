//go:build unix

package acp_test

import (
	"fmt"
	"strings"
	"testing"

	"copydesk/core/session"
)

// story tells what was seen, one event a line; pieces of one text are joined.
// turn -1 tells all, with the turn in front of each line.
func story(log []seen, turn int) string {
	var b strings.Builder
	var open, text string
	flush := func() {
		if open != "" {
			fmt.Fprintf(&b, "%s %q\n", open, text)
		}
		open, text = "", ""
	}
	for _, s := range log {
		if turn >= 0 && s.turn != turn {
			continue
		}
		front := ""
		if turn < 0 {
			front = fmt.Sprintf("%d: ", s.turn)
		}
		kind, chunk := "", ""
		switch e := s.event.(type) {
		case session.Text:
			kind, chunk = "text", e.Chunk
		case session.Thought:
			kind, chunk = "thought", e.Chunk
		case session.Prompt:
			kind, chunk = "prompt", e.Chunk
		}
		if kind != "" {
			if open != front+kind {
				flush()
				open = front + kind
			}
			text += chunk
			continue
		}
		if _, is := s.event.(session.Changed); is {
			continue // comes when it likes
		}
		flush()
		b.WriteString(front + brief(s) + "\n")
	}
	flush()
	return b.String()
}

func brief(s seen) string {
	switch e := s.event.(type) {
	case session.Break:
		return "break"
	case session.ToolCall:
		return briefCall(e)
	case session.Plan:
		var steps []string
		for _, st := range e.Steps {
			steps = append(steps, fmt.Sprintf("%s=%d", st.Text, st.Status))
		}
		return "plan " + strings.Join(steps, " | ")
	case session.Notice:
		if e.Error {
			return "error: " + e.Text
		}
		return "note: " + e.Text
	case session.Usage:
		return fmt.Sprintf("usage %d/%d %s", e.Used, e.Limit, e.Cost)
	case *session.Request:
		return "ask " + string(e.Kind) + " " + e.Prompt
	case session.Reopened:
		return "reopened " + string(e.New.Kind) + " " + e.New.Prompt
	case session.Withdrawn:
		return "withdrawn"
	case session.Loaded:
		return "loaded " + e.Title
	case nil:
		if s.err != nil {
			return "failed: " + s.err.Error()
		}
		return "end"
	}
	return fmt.Sprintf("%T", s.event)
}

func briefCall(e session.ToolCall) string {
	b := fmt.Sprintf("tool %s", e.ID)
	if e.Kind != "" {
		b += " " + e.Kind
	}
	if e.Title != "" {
		b += fmt.Sprintf(" %q", e.Title)
	}
	b += [...]string{"", " running", " done", " failed"}[e.Status]
	for _, p := range e.Parts {
		b += " " + [...]string{"output", "input", "diff", "place"}[p.Kind] + fmt.Sprintf("(%s %q)", p.Name, p.Text)
	}
	if e.Chunk != "" {
		b += fmt.Sprintf(" +%q", e.Chunk)
	}
	return b
}

func (r *rig) story(turn int) string {
	if turn == 0 {
		turn = -1
	}
	return story(r.snapshot(), turn)
}

// said is the text of a turn.
func (r *rig) said(turn int) string {
	var b strings.Builder
	for _, e := range r.events(turn) {
		if t, ok := e.(session.Text); ok {
			b.WriteString(t.Chunk)
		}
	}
	return b.String()
}

// notices are the sentences of all turns and of those beside them.
func (r *rig) notices() string {
	var b strings.Builder
	for _, s := range r.snapshot() {
		if n, ok := s.event.(session.Notice); ok {
			b.WriteString(n.Text + "\n")
		}
	}
	return b.String()
}

// calls are the tool calls as they are in the end, merged as a pane merges.
func (r *rig) calls() map[string]session.ToolCall {
	out := map[string]session.ToolCall{}
	for _, s := range r.snapshot() {
		e, ok := s.event.(session.ToolCall)
		if !ok {
			continue
		}
		c := out[e.ID]
		c.ID = e.ID
		if e.Title != "" {
			c.Title = e.Title
		}
		if e.Kind != "" {
			c.Kind = e.Kind
		}
		if e.Status != session.NoStatus {
			c.Status = e.Status
		}
		if e.Parts != nil {
			c.Parts = e.Parts
		}
		c.Chunk += e.Chunk
		out[e.ID] = c
	}
	return out
}

// shows reports whether a call shows a text in any of its parts.
func shows(c session.ToolCall, text string) bool {
	for _, p := range c.Parts {
		if strings.Contains(p.Text, text) || strings.Contains(p.Name, text) {
			return true
		}
	}
	return strings.Contains(c.Chunk, text)
}

// field is what a request shows of the facts, and the rest of its text.
func field(q *session.Request, text string) bool {
	for _, f := range q.Fields {
		if strings.Contains(f.Value, text) || strings.Contains(f.Name, text) {
			return true
		}
	}
	return false
}

func contains(t testing.TB, what, got string, wants ...string) {
	t.Helper()
	for _, want := range wants {
		if !strings.Contains(got, want) {
			t.Errorf("%s lacks %q:\n%s", what, want, got)
		}
	}
}

func lacks(t testing.TB, what, got string, bad ...string) {
	t.Helper()
	for _, b := range bad {
		if strings.Contains(got, b) {
			t.Errorf("%s holds %q:\n%s", what, b, got)
		}
	}
}

// inOrder holds that texts stand in a story, each after the one before.
func inOrder(t testing.TB, got string, wants ...string) {
	t.Helper()
	rest := got
	for _, want := range wants {
		i := strings.Index(rest, want)
		if i < 0 {
			t.Errorf("%q is missing or out of order in:\n%s", want, got)
			return
		}
		rest = rest[i+len(want):]
	}
}
