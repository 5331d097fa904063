package acp

import (
	"encoding/json"
	"errors"
	"fmt"

	"copydesk/core/session"
	"copydesk/platform/agent/acp/rpc"
)

// Request takes a request of the agent's. It is called on the goroutine that
// reads, after everything before it has been handed on.
func (l *link) Request(id rpc.ID, method string, params json.RawMessage) {
	switch method {
	case requestPermission, elicitationCreate:
		if !l.early(method, id, params) {
			l.asked(id, method, params)
		}
	default:
		// Among them fs/* and terminal/*, which we do not offer.
		l.agent.log.Debug("a request that we do not serve", "method", method)
		l.sent(l.conn.Refuse(id, rpc.MethodNotFound, "method not found"))
	}
}

// asked shows what the agent asks, or says at once why it cannot be shown.
func (l *link) asked(id rpc.ID, method string, params json.RawMessage) {
	a := l.agent
	a.mu.Lock()
	var events []session.Event
	var err error
	if method == requestPermission {
		events, err = l.permission(id, params)
	} else {
		events, err = l.elicitation(id, params)
	}
	a.mu.Unlock()
	l.handOn(events)
	switch {
	case err == nil:
	case errors.Is(err, errNoOptions):
		l.sent(l.conn.Answer(id, cancelled))
		a.notice(fmt.Sprintf("%s asked for a permission that cannot be shown: %v.", a.o.Name, err), true)
	case errors.Is(err, errOver):
		l.refuse(id, method)
	default:
		l.sent(l.conn.Refuse(id, rpc.InvalidParams, "invalid params: "+err.Error()))
		a.notice(fmt.Sprintf("%s asked something that cannot be shown: %v.", a.o.Name, err), true)
	}
}

var (
	// errOver is that the session or turn that asks is no longer there.
	errOver = errors.New("the turn is over")

	cancelled = permissionAnswer{Outcome: permissionOutcome{Outcome: "cancelled"}}
)

// refuse answers a request as its protocol says for a turn that is cancelled.
func (l *link) refuse(id rpc.ID, method string) {
	if method == requestPermission {
		l.sent(l.conn.Answer(id, cancelled))
		return
	}
	l.sent(l.conn.Answer(id, elicitationAnswer{Action: "cancel"}))
}

// whose finds the session that asks.
func (l *link) whose(id string) (*conversation, error) {
	c := l.known(id)
	if c == nil {
		return nil, fmt.Errorf("there is no session %q", id)
	}
	if t := l.agent.turn; t != nil && t.cancelled && c == l.current {
		return nil, errOver
	}
	return c, nil
}

// permission opens a permission request. The lock is held.
func (l *link) permission(id rpc.ID, params json.RawMessage) ([]session.Event, error) {
	a := l.agent
	o := parse(params)
	c, err := l.whose(o.text("sessionId"))
	if err != nil {
		return nil, err
	}
	p, err := readPermission(params)
	if err != nil {
		return nil, err
	}
	// The request's tool call is an update like any other: it may be the first
	// that is heard of the call.
	tool := o.object("toolCall")
	k, events := &call{}, []session.Event(nil)
	if toolID := tool.text("toolCallId"); toolID == "" {
		k.take(tool)
	} else {
		events = a.tool(c, tool)
		k = c.calls[toolID]
	}
	turn := a.turn
	q := &ask{id: id, convo: c, tool: k.id}
	q.build = func() *session.Request { return a.request(p, c.dir, k, turn != nil) }
	q.settle = func(shown *session.Request, answer session.Answer) {
		if o := p.chosen(shown, answer); o != nil {
			l.sent(l.conn.Answer(id, permissionAnswer{Outcome: permissionOutcome{Outcome: "selected", OptionID: &o.id}}))
			return
		}
		l.sent(l.conn.Answer(id, cancelled))
	}
	q.abandon = func(byAgent bool) {
		if byAgent {
			l.sent(l.conn.Refuse(id, rpc.RequestCancelled, "cancelled"))
			return
		}
		l.sent(l.conn.Answer(id, cancelled))
	}
	return append(events, l.open(q, q.build())), nil
}

// A question is what an elicitation asks. accept is what an answer to it says;
// not ok if that is no acceptance.
type question struct {
	request *session.Request
	accept  func(shown *session.Request, answer session.Answer) (content map[string]json.RawMessage, ok bool)
}

// readQuestion reads an elicitation of either mode.
func (l *link) readQuestion(o object) (question, error) {
	a := l.agent
	switch mode := o.text("mode"); mode {
	case "form", "":
		f, err := readForm(o)
		if err != nil {
			return question{}, err
		}
		return question{a.formRequest(f), func(shown *session.Request, answer session.Answer) (map[string]json.RawMessage, bool) {
			content := f.content(shown, answer)
			return content, content != nil
		}}, nil
	case "url":
		at := address{id: o.text("elicitationId"), url: o.text("url"), message: o.text("message")}
		return question{a.addressRequest(at), func(shown *session.Request, answer session.Answer) (map[string]json.RawMessage, bool) {
			ok := answer.Verdict == session.Approve && shown.Accepts(answer) == nil
			if ok {
				l.browse(at)
			}
			return nil, ok
		}}, nil
	default:
		return question{}, fmt.Errorf("its mode %s is unknown", quoted(mode))
	}
}

// elicitation opens a question. The lock is held.
func (l *link) elicitation(id rpc.ID, params json.RawMessage) ([]session.Event, error) {
	a := l.agent
	o := parse(params)
	q := &ask{id: id}
	if about := o.text("sessionId"); about != "" || !o.given("requestId") {
		c, err := l.whose(about)
		if err != nil {
			return nil, err
		}
		q.convo = c
	}
	if places := rpc.Ambiguous(params); len(places) > 0 {
		return nil, fmt.Errorf("%s can be read in two ways", places[0])
	}
	asked, err := l.readQuestion(o)
	if err != nil {
		return nil, err
	}
	r := asked.request
	r.TakesReason = a.turn != nil
	if q.convo != nil && r.Claim == "" {
		if k := q.convo.calls[o.text("toolCallId")]; k != nil {
			r.Claim = k.title
		}
	}
	q.settle = func(shown *session.Request, answer session.Answer) {
		content, ok := asked.accept(shown, answer)
		action := elicitationAnswer{Action: "cancel"}
		switch {
		case ok:
			action = elicitationAnswer{Action: "accept", Content: content}
		case answer.Verdict == session.Reject:
			action.Action = "decline"
		}
		l.sent(l.conn.Answer(id, action))
	}
	q.abandon = func(byAgent bool) {
		if byAgent {
			l.sent(l.conn.Refuse(id, rpc.RequestCancelled, "cancelled"))
			return
		}
		l.sent(l.conn.Answer(id, elicitationAnswer{Action: "cancel"}))
	}
	return []session.Event{l.open(q, r)}, nil
}

// browse opens an address that the user has approved, and remembers that the
// agent may say when the user is done there. The answer does not wait for the
// browser: it is the user's yes that is told.
func (l *link) browse(at address) {
	a := l.agent
	a.mu.Lock()
	if at.id != "" && len(l.opened) < optionsMost {
		l.opened[at.id] = at.url
	}
	a.mu.Unlock()
	if a.o.Browse == nil {
		return
	}
	a.o.Go(func() {
		if err := a.o.Browse(at.url); err != nil {
			a.notice(sentence(fmt.Sprintf("opening %s: %v", at.url, err)), true)
		}
	})
}

// completed says that what an address was opened for is done.
func (l *link) completed(o object) []session.Event {
	at, ok := l.opened[o.text("elicitationId")]
	if !ok {
		l.agent.stray("completed elicitation", o.text("elicitationId"))
		return nil
	}
	delete(l.opened, o.text("elicitationId"))
	return []session.Event{session.Notice{Text: l.agent.o.Name + " says that it is done with " + at + "."}}
}
