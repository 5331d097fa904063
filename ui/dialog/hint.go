package dialog

import (
	"fmt"

	"copydesk/core/session"
	"copydesk/ui/keys"
)

// A hint is the line at the foot of a dialog: a sentence, and a few words for
// where the sentence does not fit.
type hint struct{ long, short string }

// hint returns what the dialog says now.
func (r *Request) hint() hint {
	switch {
	case r.answered:
		return hint{"Answered.", "answered"}
	case r.tooSmall:
		key := r.rejectKey()
		return hint{fmt.Sprintf("The screen is too small to answer. Enlarge it, or press %s to reject.", key), "too small, " + key + " rejects"}
	case !r.active:
		return r.bannerHint()
	case r.said != hint{}:
		return r.said
	case r.pending.Request.Kind == session.Approval && !r.reason && !r.endSeen:
		return r.unseenEnd()
	case r.changed:
		return hint{"This request has changed. Read it again.", "changed, read again"}
	}
	return r.restHint()
}

func (r *Request) bannerHint() hint {
	if key := r.deps.Keys.Label(keys.FocusRequest); key != "" {
		h := hint{key + " to answer", key + " to answer"}
		if r.changed {
			h.long = "This request has changed. " + h.long
		}
		return h
	}
	return hint{"Empty the input field to answer.", "empty the input"}
}

// restHint is what stands there while nothing else is to be said.
func (r *Request) restHint() hint {
	n := len(r.pending.Request.Choices)
	enter := r.key(keys.Confirm)
	switch {
	case r.reason:
		return hint{fmt.Sprintf("%s rejects with this reason, %s goes back.", enter, r.key(keys.Close)), enter + " rejects"}
	case r.pending.Request.Kind == session.Choice:
		return hint{
			fmt.Sprintf("%s, or %s and %s with %s; %s rejects.", r.numbers(), r.key(keys.ChooseUp), r.key(keys.ChooseDown), enter, r.rejectKey()),
			fmt.Sprintf("1-%d, %s rejects", n, r.rejectKey()),
		}
	case r.pending.Request.Kind == session.TextInput:
		return hint{fmt.Sprintf(`%s answers. r or /reject alone rejects; "r" in quotes answers r.`, enter), "r rejects"}
	}
	return hint{}
}

func (r *Request) numbers() string {
	if n := len(r.pending.Request.Choices); n > 1 {
		return fmt.Sprintf("1 to %d", n)
	}
	return "1"
}

// again asks anew after a key that means nothing here (R4).
func (r *Request) again() hint {
	reject := r.rejectKey()
	switch r.pending.Request.Kind {
	case session.Choice:
		return hint{fmt.Sprintf("Choose %s, or %s to reject.", r.numbers(), reject), fmt.Sprintf("1-%d, %s rejects", len(r.pending.Request.Choices), reject)}
	case session.TextInput:
		return hint{`Type an answer, or r to reject. "r" in quotes answers r.`, "type, or r rejects"}
	}
	if !r.endSeen {
		return r.unseenEnd()
	}
	approve := r.key(keys.Approve)
	return hint{fmt.Sprintf("Press %s to approve or %s to reject.", approve, reject), fmt.Sprintf("%s approve, %s reject", approve, reject)}
}

func (r *Request) unseenEnd() hint {
	return hint{
		fmt.Sprintf("Scroll to the end to approve (%s, %s), or press %s to reject.", r.key(keys.DialogDown), r.key(keys.PageDown), r.rejectKey()),
		"scroll to approve",
	}
}

func (r *Request) unseenChoice(i int) hint {
	return hint{fmt.Sprintf("Choice %d was not on the screen before. Choose it again, or press %s to reject.", i+1, r.rejectKey()), fmt.Sprintf("see %d first", i+1)}
}

// key names an action's first chord, or says that it has none.
func (r *Request) key(a keys.Action) string {
	if label := r.deps.Keys.Label(a); label != "" {
		return label
	}
	return "(no key)"
}

// rejectKey names the key that rejects; Ctrl+C always does.
func (r *Request) rejectKey() string {
	action := keys.Reject
	switch r.pending.Request.Kind {
	case session.Choice:
		action = keys.RejectChoice
	case session.TextInput:
		action = keys.Cancel
	}
	if label := r.deps.Keys.Label(action); label != "" {
		return label
	}
	return r.key(keys.Cancel)
}
