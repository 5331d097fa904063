package chat

import (
	"slices"
	"strings"

	"copydesk/core/session"
)

// question asks the user what the model wants to know (REQ 1).
func (t *turn) question(c *call) outcome {
	var question string
	var choices []*string
	if err := decode(c.args.String(), argument{"question", &question, true}, argument{"choices", &choices, false}); err != nil {
		return fault("%v", err)
	}
	reply := make(chan session.Answer, 1)
	r := &session.Request{Kind: session.TextInput, Prompt: question, From: t.a.options.Name, Reply: reply}
	if choices != nil {
		r.Kind = session.Choice
		for _, s := range choices {
			if s == nil || strings.TrimSpace(*s) == "" || slices.Contains(r.Choices, *s) {
				return fault("each of the choices has to be a text, and another one than the others")
			}
			r.Choices = append(r.Choices, *s)
		}
	}
	if strings.TrimSpace(question) == "" {
		return fault("the question is empty")
	}
	if err := r.Validate(); err != nil {
		return fault("%v", err)
	}
	if !t.say(r) {
		return ended()
	}
	a, _, err := t.await(reply, nil)
	switch {
	case err != nil:
		return ended()
	case a.Verdict == session.Chosen || a.Verdict == session.Entered:
		return done(a.Value)
	}
	return refused(a)
}
