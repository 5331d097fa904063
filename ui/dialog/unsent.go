package dialog

import (
	"slices"
	"strings"
)

// Unsent is what was typed into the request and not sent: an answer, a reason,
// or what is filled into a form, a line for each input that was changed. Empty:
// nothing was.
func (r *Request) Unsent() string {
	if r.answered {
		return ""
	}
	if r.typing != nothing {
		return r.edit.text()
	}
	if r.form == nil {
		return ""
	}
	var lines []string
	for _, e := range r.form.entries {
		if values := e.values(); len(values) > 0 && !slices.Equal(values, e.in.Default) {
			lines = append(lines, e.in.Label()+": "+strings.Join(values, ", "))
		}
	}
	return strings.Join(lines, "\n")
}
