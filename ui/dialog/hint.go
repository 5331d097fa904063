package dialog

import (
	"fmt"
	"strings"

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
	case r.typing == nothing && r.pending.Request.Blocked == "" && !r.endSeen && r.needsEnd():
		return r.unseenEnd()
	case r.changed:
		return hint{"This request has changed. Read it again.", "changed, read again"}
	}
	return r.restHint()
}

// needsEnd reports whether the page offers something that its end must have been
// seen for.
func (r *Request) needsEnd() bool {
	q := r.pending.Request
	return r.kind != asking || q.Kind == session.Approval || allows(q)
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
	q := r.pending.Request
	enter, reject, back := r.key(keys.Confirm), r.rejectKey(), r.key(keys.Close)
	switch {
	case r.typing == aReason:
		return hint{fmt.Sprintf("%s rejects with this reason, %s goes back.", enter, back), enter + " rejects"}
	case r.typing == another:
		return hint{fmt.Sprintf("%s answers with this, %s goes back.", enter, back), enter + " answers"}
	case r.typing == anAnswer && q.Blocked != "":
		return r.blocked()
	case r.typing == anAnswer:
		return hint{fmt.Sprintf(`%s answers. r or /reject alone rejects; "r" in quotes answers r.`, enter), "r rejects"}
	case q.Blocked != "":
		words := r.rejectWords()
		return hint{"This can be rejected only: " + words + ".", r.rejectKey() + " rejects"}
	case r.kind == confirming:
		always := r.key(keys.AllowAlways)
		return hint{fmt.Sprintf("%s allows always, %s goes back, %s rejects.", always, back, reject), always + " always, " + back + " back"}
	case r.kind == reviewing:
		return hint{fmt.Sprintf("%s sends this, %s goes back to the form.", enter, back), enter + " sends, " + back + " back"}
	case q.Kind == session.Form:
		return r.formHint()
	case q.Kind == session.Choice && q.Means != nil:
		return r.permissionHint()
	case q.Kind == session.Choice:
		return hint{
			fmt.Sprintf("%s, or %s and %s with %s; %s.", r.numbers(), r.key(keys.ChooseUp), r.key(keys.ChooseDown), enter, r.rejectWords()),
			fmt.Sprintf("1-%d, %s rejects", numbered(q), reject),
		}
	}
	return hint{}
}

// permissionHint names the keys of what is offered, and of nothing else.
func (r *Request) permissionHint() hint {
	var long, short []string
	if r.offered(session.AllowOnce) {
		long, short = append(long, r.key(keys.AllowOnce)+" allows once"), append(short, r.key(keys.AllowOnce)+" once")
	}
	if r.offered(session.AllowAlways) {
		long, short = append(long, r.key(keys.AllowAlways)+" always"), append(short, r.key(keys.AllowAlways)+" always")
	}
	long, short = append(long, r.rejectWords()), append(short, r.rejectKey()+" rejects")
	return hint{
		fmt.Sprintf("%s; or %s.", strings.Join(long, ", "), r.numbers()),
		strings.Join(short, ", "),
	}
}

// offered reports whether something can be allowed in this way.
func (r *Request) offered(m session.Means) bool {
	q := r.pending.Request
	return q.Blocked == "" && q.First(m) >= 0
}

// rejectWords says how to reject.
func (r *Request) rejectWords() string {
	words := r.rejectKey() + " rejects"
	if c := r.Context(); r.pending.Request.TakesReason && (c == keys.Approval || c == keys.Choice) {
		words += ", " + r.key(keys.RejectReason) + " with a reason"
	}
	return words
}

// formHint says what the keys do where the pointer is.
func (r *Request) formHint() hint {
	enter, reject := r.key(keys.Confirm), r.key(keys.Cancel)
	tail := fmt.Sprintf("%s goes on, %s rejects.", r.key(keys.NextInput), reject)
	tick := r.key(keys.Tick)
	e, _ := r.form.at(r.pointer)
	switch {
	case e == nil && r.pointer == r.form.rejectStop():
		return hint{enter + " rejects.", enter + " rejects"}
	case e == nil:
		return hint{fmt.Sprintf("%s shows what will be sent, %s rejects.", enter, reject), enter + " goes on"}
	case e.typed():
		return hint{"Type " + e.takes() + ". " + tail, r.key(keys.NextInput) + " goes on"}
	case e.in.Kind == session.Switch:
		return hint{fmt.Sprintf("%s, y or n. %s", tick, tail), tick + ", y or n"}
	case e.in.Kind == session.ManyOf:
		return hint{fmt.Sprintf("%s or a number ticks as many as you like. %s", tick, tail), tick + " ticks"}
	}
	return hint{fmt.Sprintf("%s or a number chooses. %s", tick, tail), tick + " chooses"}
}

func (r *Request) numbers() string {
	if n := numbered(r.pending.Request); n > 1 {
		return fmt.Sprintf("1 to %d", n)
	}
	return "1"
}

// again asks anew after a key that means nothing here (R4).
func (r *Request) again() hint {
	q := r.pending.Request
	reject := r.rejectKey()
	switch {
	case r.typing == anAnswer && q.Blocked != "":
		return r.blocked()
	case r.typing == anAnswer:
		return hint{`Type an answer, or r to reject. "r" in quotes answers r.`, "type, or r rejects"}
	case r.typing == another:
		return hint{"Type an answer, or " + r.key(keys.Close) + " to go back.", "type an answer"}
	case q.Blocked != "":
		return r.blocked()
	case r.needsEnd() && !r.endSeen:
		return r.unseenEnd()
	case r.kind != asking:
		return r.restHint()
	case q.Kind == session.Form:
		return r.formHint()
	case q.Kind == session.Choice:
		return hint{fmt.Sprintf("Choose %s, or %s to reject.", r.numbers(), reject), fmt.Sprintf("1-%d, %s rejects", numbered(q), reject)}
	}
	approve := r.key(keys.Approve)
	return hint{fmt.Sprintf("Press %s to approve or %s to reject.", approve, reject), fmt.Sprintf("%s approve, %s reject", approve, reject)}
}

// blocked says why a request can be rejected only (T36).
func (r *Request) blocked() hint {
	why := r.compose.one(r.pending.Request.Blocked, 0).Text
	key := r.rejectKey()
	return hint{fmt.Sprintf("%s Press %s to reject.", why, key), "blocked, " + key + " rejects"}
}

func (r *Request) unseenEnd() hint {
	what := map[bool]string{true: "allow", false: "approve"}[r.pending.Request.Means != nil]
	down := r.key(keys.DialogDown)
	switch {
	case r.kind == reviewing:
		what = "send"
	case r.Context() == keys.Choice:
		down = r.key(keys.ScrollEnd)
	}
	return hint{
		fmt.Sprintf("Scroll to the end to %s (%s, %s), or press %s to reject.", what, down, r.key(keys.PageDown), r.rejectKey()),
		"scroll to " + what,
	}
}

func (r *Request) unseenChoice(i int) hint {
	return hint{fmt.Sprintf("Choice %d was not on the screen before. Choose it again, or press %s to reject.", i+1, r.rejectKey()), fmt.Sprintf("see %d first", i+1)}
}

// tooFast is what a key leads to that came with others, as text does.
func (r *Request) tooFast(what string) hint {
	return hint{fmt.Sprintf("Read this first, then %s.", what), "read this first"}
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
	switch r.Context() {
	case keys.Choice:
		action = keys.RejectChoice
	case keys.Text, keys.Form:
		action = keys.Cancel
	}
	if label := r.deps.Keys.Label(action); label != "" {
		return label
	}
	return r.key(keys.Cancel)
}
