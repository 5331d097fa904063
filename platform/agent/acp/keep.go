package acp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"copydesk/core/session"
)

// What is listed of stored sessions: pages that are asked for, and sessions.
const (
	storedPages = 50
	storedMost  = 2000
)

// Stored lists the sessions that the agent keeps of the working folder, newest
// first.
func (a *Agent) Stored(ctx context.Context) ([]session.Stored, error) {
	l, err := a.wait(ctx)
	if err != nil {
		return nil, fmt.Errorf("listing the sessions of %s: %w", a.o.Name, err)
	}
	if !l.greeting.caps.list {
		return nil, fmt.Errorf("%s keeps no list of its sessions", a.o.Name)
	}
	var out []session.Stored
	cursor := ""
	for range storedPages {
		next := ""
		err := l.call(ctx, sessionList, listRequest{Dir: a.o.Dir, Cursor: cursor}, func(result json.RawMessage) {
			o := parse(result)
			next = o.text("nextCursor")
			for _, raw := range o.list("sessions") {
				if s, ok := stored(parse(raw)); ok {
					out = append(out, s)
				}
			}
		})
		if err != nil {
			return nil, fmt.Errorf("listing the sessions of %s: %w", a.o.Name, l.explain(err))
		}
		if next == "" || next == cursor || len(out) >= storedMost {
			break
		}
		cursor = next
	}
	slices.SortStableFunc(out, func(x, y session.Stored) int { return y.Updated.Compare(x.Updated) })
	out = out[:min(len(out), storedMost)]
	a.mu.Lock()
	defer a.mu.Unlock()
	a.dirs = map[string]string{}
	for _, s := range out {
		a.dirs[s.ID] = s.Dir
	}
	return out, nil
}

func stored(o object) (session.Stored, bool) {
	s := session.Stored{ID: o.text("sessionId"), Title: strings.TrimSpace(o.text("title")), Dir: o.text("cwd")}
	if at, err := time.Parse(time.RFC3339, o.text("updatedAt")); err == nil {
		s.Updated = at
	}
	return s, s.ID != ""
}

// Load goes on with a stored session. Its past comes from Aside, if the agent
// replays it. While a turn runs that fails.
func (a *Agent) Load(ctx context.Context, id string) error {
	select {
	case a.busy <- struct{}{}:
	default:
		return fmt.Errorf("loading a session of %s: a turn runs", a.o.Name)
	}
	defer func() { <-a.busy }()
	l, err := a.wait(ctx)
	if err != nil {
		return fmt.Errorf("loading a session of %s: %w", a.o.Name, err)
	}
	method := sessionLoad
	switch caps := l.greeting.caps; {
	case caps.load:
	case caps.resume:
		method = sessionResume
	default:
		return fmt.Errorf("%s cannot go on with a stored session", a.o.Name)
	}
	a.mu.Lock()
	left, dir := l.current, a.dirs[id]
	a.mu.Unlock()
	if dir == "" {
		dir = a.o.Dir
	}
	if left != nil && left.id == id {
		return errors.New("that session is the one that goes on")
	}
	err = l.enterSession(ctx, method, id, dir, nil, func(c *conversation) {
		a.mu.Lock()
		a.spoken = true
		title := c.title
		a.mu.Unlock()
		if method == sessionResume {
			a.mail.push(session.Notice{Text: a.o.Name + " remembers that session, but does not show what was said in it."})
		}
		a.mail.push(session.Loaded{Title: title})
		if left != nil && l.greeting.caps.close {
			_, err := l.conn.Send(sessionClose, sessionRequest{SessionID: left.id}, func(json.RawMessage, error) {})
			l.sent(err)
		}
	})
	if err != nil {
		return fmt.Errorf("loading a session of %s: %w", a.o.Name, l.explain(err))
	}
	return nil
}
