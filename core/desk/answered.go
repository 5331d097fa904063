package desk

import (
	"strings"

	"copydesk/core/session"
	"copydesk/core/text"
)

// answered is what the panel says of an answer: what was decided on what was
// shown, and nothing else. Of a rejection that ends the turn the turn's end
// speaks; only one that lasts is said.
func answered(r *session.Request, a session.Answer, stops bool) string {
	prompt := text.CleanLine(r.Prompt) + subject(r)
	means := session.Unknown
	if a.Verdict == session.Chosen && a.Index < len(r.Means) {
		means = r.Means[a.Index]
	}
	switch {
	case means == session.AllowOnce:
		return "Allowed once: " + prompt
	case means == session.AllowAlways:
		said := "Allowed always: " + prompt
		if r.Scope != "" {
			said += "\nThis covers: " + text.CleanLine(r.Scope)
		}
		return said
	case means == session.RejectAlways:
		return "Rejected always: " + prompt
	case a.Reason != "":
		return "Rejected, because: " + a.Reason
	case r.Rejects(a) && stops:
		return ""
	case r.Rejects(a):
		return "Rejected: " + prompt
	case a.Verdict == session.Approve:
		return "Approved: " + prompt
	case a.Verdict == session.Chosen:
		return "Chosen: " + text.CleanLine(a.Value)
	case a.Verdict == session.Filled:
		return filled(r, a)
	}
	return "Answered: " + a.Value
}

// subjectCells is how much of a command or a path a record of it shows.
const subjectCells = 120

// subject is what a request is about, where its prompt does not name it: the
// command, the file or the address, cut to a part of a line.
func subject(r *session.Request) string {
	for _, f := range r.Fields {
		if !strings.HasPrefix(f.Name, "command") && f.Name != "file" && f.Name != "path" && f.Name != "address" {
			continue
		}
		line := firstLine(f.Value)
		if line == "" || strings.Contains(r.Prompt, f.Value) {
			return ""
		}
		cut := text.Truncate(line, subjectCells)
		if cut == line && strings.Contains(strings.TrimSpace(f.Value), "\n") {
			cut += " …"
		}
		return " " + cut
	}
	return ""
}

// filled lists what was filled into a form, one line for each input.
func filled(r *session.Request, a session.Answer) string {
	var b strings.Builder
	b.WriteString("Filled in: " + text.CleanLine(r.Prompt))
	for i, in := range r.Inputs {
		var shown []string
		for _, v := range a.Values[i] {
			shown = append(shown, text.CleanLine(valueLabel(in, v)))
		}
		if len(shown) == 0 {
			shown = []string{"(left out)"}
		}
		b.WriteString("\n" + text.CleanLine(in.Label()) + ": " + strings.Join(shown, ", "))
	}
	return b.String()
}

// valueLabel is a value as the form shows it.
func valueLabel(in session.Input, value string) string {
	if in.Kind == session.Switch {
		return map[string]string{"true": "yes", "false": "no"}[value]
	}
	for _, o := range in.Options {
		if o.Value == value {
			return o.Label()
		}
	}
	return value
}

// verdict names an answer in the log, which has nothing of what was typed.
func verdict(a session.Answer) string {
	switch a.Verdict {
	case session.Chosen:
		return "chosen"
	case session.Entered:
		return "entered"
	}
	return a.Response()
}
