package acp

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"

	"copydesk/core/session"
)

// A conversation is a session of the agent's, as far as it has been told. The
// agent's lock guards it.
type conversation struct {
	link     *link
	id       string
	dir      string  // its working folder
	replayed bool    // it is being loaded: the user's messages come, too
	again    *replay // what is shown of it already; nil: nothing is, or there was a prompt

	title    string
	commands []session.Command
	settings settings

	calls map[string]*call
	order []string // their ids, oldest first
	held  int      // bytes that the calls hold

	passage passage
	said    strings.Builder // the user's message that is being replayed
	summary map[string]bool // compactions whose summary has come in pieces
}

func newConversation(l *link, id, dir string) *conversation {
	return &conversation{link: l, id: id, dir: dir, calls: map[string]*call{}, summary: map[string]bool{}}
}

// A passage is what text and thoughts belong to: pieces of one message, with no
// other kind of thing begun between them.
type passage struct{ kind, message string }

// saidBytes is how much of a replayed message is kept.
const saidBytes = 1 << 20

// unknownKept is how many kinds that we do not know are named to the user.
const unknownKept = 32

// update turns an update into events. The lock is held.
func (a *Agent) update(c *conversation, o object) []session.Event {
	kind := o.text("sessionUpdate")
	if c.repeats(kind, o) {
		return nil
	}
	var events []session.Event
	if kind != "user_message_chunk" {
		events = c.endPrompt()
	}
	return append(events, a.updated(c, kind, o)...)
}

func (a *Agent) updated(c *conversation, kind string, o object) []session.Event {
	switch kind {
	case "agent_message_chunk":
		return a.chunk(c, kind, o, func(s string) session.Event { return session.Text{Chunk: s} })
	case "agent_thought_chunk":
		return a.chunk(c, kind, o, func(s string) session.Event { return session.Thought{Chunk: s} })
	case "user_message_chunk":
		return a.prompted(c, o)
	case "tool_call", "tool_call_update":
		return a.tool(c, o)
	case "plan":
		return []session.Event{plan(o)}
	case "available_commands_update":
		c.commands = commands(o.list("availableCommands"))
		return []session.Event{session.Changed{}}
	case "current_mode_update":
		c.settings.mode = o.text("currentModeId")
		return []session.Event{session.Changed{}}
	case "config_option_update":
		return append(a.options(c, o), session.Changed{})
	case "session_info_update":
		return c.info(o)
	case "usage_update":
		return []session.Event{usage(o)}
	case "notice":
		return noticeOf(a.o.Name, o)
	case "compaction_update":
		return a.compaction(c, o)
	case "compaction_summary_chunk":
		c.summary[o.text("compactionId")] = true
		return a.chunk(c, kind, o, func(s string) session.Event { return session.Thought{Chunk: s} })
	}
	return a.strange(kind)
}

// strange tells the user, once for each kind, that something came which we do
// not know (R14).
func (a *Agent) strange(kind string) []session.Event {
	if kind == "" {
		kind = "an update without a kind"
	}
	if a.unknown[kind] || len(a.unknown) >= unknownKept {
		a.stray("update", kind)
		return nil
	}
	a.unknown[kind] = true
	return []session.Event{session.Notice{Text: a.o.Name + " sent something that this version does not know: " + kind + "."}}
}

// stray counts what is for nobody (R14). The lock is held.
func (a *Agent) stray(what, which string) {
	a.strays++
	a.log.Debug("a message for nobody", "what", what, "which", a.masks.Replace(which), "so far", a.strays)
}

func (a *Agent) chunk(c *conversation, kind string, o object, make func(string) session.Event) []session.Event {
	s, known := inline(o.get("content"))
	if s == "" {
		return nil
	}
	var events []session.Event
	if !known {
		events = a.strange("content " + parse(o.get("content")).text("type"))
	}
	now := passage{kind: kind, message: o.text("messageId")}
	before := c.passage
	if now.message == "" && before.kind == kind {
		now.message = before.message
	}
	other := before.kind != kind || before.message != "" && before.message != now.message
	if before.kind != "" && other {
		events = append(events, session.Break{})
	}
	c.passage = now
	return append(events, make(s))
}

// prompted is something that the user said. In a turn that goes on it is only
// an echo of what was sent.
func (a *Agent) prompted(c *conversation, o object) []session.Event {
	if !c.replayed {
		a.stray("echo of the prompt", c.id)
		return nil
	}
	var events []session.Event
	now := passage{kind: "user_message_chunk", message: o.text("messageId")}
	if c.passage != now {
		events = c.endPrompt()
	}
	c.passage = now
	if s, _ := inline(o.get("content")); c.said.Len() < saidBytes {
		c.said.WriteString(s)
	}
	return events
}

// endPrompt hands over the message that has been replayed, if there is one.
func (c *conversation) endPrompt() []session.Event {
	if c.said.Len() == 0 {
		return nil
	}
	said := c.said.String()
	c.said.Reset()
	c.passage = passage{}
	return []session.Event{session.Prompt{Chunk: said}}
}

func (a *Agent) tool(c *conversation, o object) []session.Event {
	id := o.text("toolCallId")
	if id == "" {
		a.stray("tool call", "without an id")
		return nil
	}
	k, isNew := c.call(id)
	if isNew && c.passage.kind != "" {
		c.passage = passage{kind: "tool_call"}
	}
	e, changed := k.take(o)
	var events []session.Event
	if changed || isNew {
		events = append(events, e)
	}
	events = append(events, c.link.reopen(c, k)...)
	c.weigh(k)
	return events
}

func plan(o object) session.Plan {
	var p session.Plan
	for _, raw := range o.list("entries") {
		step := parse(raw)
		if s := step.text("content"); s != "" {
			p.Steps = append(p.Steps, session.PlanStep{Text: s, Status: planStatus(step.text("status"))})
		}
	}
	return p
}

func planStatus(s string) session.Status {
	switch s {
	case "in_progress":
		return session.Running
	case "completed":
		return session.Done
	}
	return session.NoStatus
}

func (c *conversation) info(o object) []session.Event {
	if raw := o.get("title"); raw == nil || o.text("title") == c.title {
		return nil
	}
	c.title = o.text("title")
	return []session.Event{session.Changed{}}
}

func usage(o object) session.Usage {
	u := session.Usage{Used: o.whole("used"), Limit: o.whole("size")}
	cost := o.object("cost")
	if n := cost.number("amount"); n != nil && *n >= 0 {
		u.Cost = money(*n)
		if unit := cost.text("currency"); currency.MatchString(unit) {
			u.Cost += " " + unit
		}
	}
	return u
}

// currency is a code or another unit such as "credits"; what looks like neither
// is not shown.
var currency = regexp.MustCompile(`^[A-Za-z]{1,16}$`)

// money has two digits behind the point, and more where those would say
// nothing.
func money(n float64) string {
	if n > 0 && n < 0.1 {
		return strconv.FormatFloat(n, 'f', 4, 64)
	}
	return strconv.FormatFloat(n, 'f', 2, 64)
}

// noticeOf is a notice of the agent's, in words that none of ours begin with
// (T35).
func noticeOf(name string, o object) []session.Event {
	said := strings.TrimSpace(o.text("title") + "\n" + o.text("description"))
	if said == "" {
		return nil
	}
	return []session.Event{session.Notice{Text: name + " says: " + said, Error: o.text("severity") == "error"}}
}

// compaction says that the agent makes its memory shorter. What it keeps of it
// is shown like a thought.
func (a *Agent) compaction(c *conversation, o object) []session.Event {
	id := o.text("compactionId")
	switch status := o.text("status"); status {
	case "in_progress":
		return []session.Event{session.Notice{Text: a.o.Name + " makes a summary of what was said, to have room for more."}}
	case "completed":
		var events []session.Event
		if !c.summary[id] {
			for _, raw := range o.list("summary") {
				item := object{{"content", raw}, {"messageId", json.RawMessage(strconv.Quote(id))}}
				events = append(events, a.chunk(c, "compaction_summary_chunk", item, func(s string) session.Event { return session.Thought{Chunk: s} })...)
			}
		}
		delete(c.summary, id)
		return append(events, session.Notice{Text: a.o.Name + " goes on from a summary of what was said."})
	case "failed", "cancelled":
		why := o.text("error")
		if why != "" {
			why = ": " + why
		}
		return []session.Event{session.Notice{Text: a.o.Name + " could not make a summary of what was said (" + status + ")" + why, Error: status == "failed"}}
	}
	return nil
}

func commands(items []json.RawMessage) []session.Command {
	var out []session.Command
	for _, raw := range items {
		o := parse(raw)
		name := strings.TrimPrefix(o.text("name"), "/")
		if name == "" {
			continue
		}
		out = append(out, session.Command{Name: name, Hint: o.object("input").text("hint"), Summary: o.text("description")})
	}
	return out
}
