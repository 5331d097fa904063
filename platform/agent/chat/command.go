package chat

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"time"

	"copydesk/core"
	"copydesk/core/session"
	"copydesk/platform/agent/process"
)

const (
	// maxCommandTime is the longest that a command may ask for.
	maxCommandTime = time.Hour

	// linger is how long what a command has started may go on to write when
	// the command itself has ended. Then it is ended too (T60).
	linger = 500 * time.Millisecond
)

// An order is a command as the model wants it.
type order struct {
	argv   []string
	script string // what sh -c gets; empty for a list
	cwd    string // as written
	dir    string // resolved, absolute
	time   time.Duration
}

// command asks for a command, runs it and gives the model what it printed.
func (t *turn) command(c *call) outcome {
	o, err := t.order(c)
	if err != nil {
		return fault("%v", err)
	}
	t.say(session.ToolCall{ID: c.shown, Title: o.title(), Status: session.Running, Parts: []session.Part{o.part()}})
	reply := make(chan session.Answer, 1)
	if !t.say(o.request(t.a.options.Name, reply)) {
		return ended()
	}
	a, _, err := t.await(reply, nil)
	switch {
	case err != nil:
		return ended()
	case a.Verdict != session.Approve:
		return refused(a)
	}
	if dir, err := t.resolve(o.cwd); err != nil || dir != o.dir {
		return fault("%q is another folder now than it was when the user was asked", o.cwd)
	}
	return t.execute(c, o)
}

func (t *turn) resolve(cwd string) (string, error) {
	f, err := openFolder(t.a.options.Dir)
	if err != nil {
		return "", err
	}
	return f.below(cwd)
}

// order reads a call.
func (t *turn) order(c *call) (*order, error) {
	o := &order{}
	var command json.RawMessage
	limit := int(core.CommandTime / time.Second)
	err := decode(c.args.String(), argument{"command", &command, true}, argument{"cwd", &o.cwd, false}, argument{"timeout_seconds", &limit, false})
	if err != nil {
		return nil, err
	}
	if limit < 1 || limit > int(maxCommandTime/time.Second) {
		return nil, fmt.Errorf("timeout_seconds is from 1 to %d", int(maxCommandTime/time.Second))
	}
	o.time = time.Duration(limit) * time.Second
	var items []*string
	switch {
	case json.Unmarshal(command, &o.script) == nil:
		o.argv = []string{"sh", "-c", o.script}
		if strings.TrimSpace(o.script) == "" {
			return nil, errors.New("the command is empty")
		}
	case json.Unmarshal(command, &items) == nil:
		for _, s := range items {
			if s == nil {
				return nil, errors.New("the command holds something that is no text")
			}
			o.argv = append(o.argv, *s)
		}
	default:
		return nil, errors.New("the command is neither a list of texts nor a text")
	}
	if len(o.argv) == 0 || o.argv[0] == "" {
		return nil, errors.New("the command is empty")
	}
	for _, s := range o.argv {
		if strings.ContainsRune(s, 0) {
			return nil, errors.New("the command holds a NUL")
		}
	}
	o.dir, err = t.resolve(o.cwd)
	return o, err
}

// plainItem is an item of a command that needs no quotes.
var plainItem = regexp.MustCompile(`^[A-Za-z0-9_@%+=:,./^~-]+$`)

// quoted writes every item in quotes that holds more than plain characters, so
// that its blanks and what else cannot be seen show (T44, T46).
func (o *order) quoted() string {
	all := make([]string, len(o.argv))
	for i, s := range o.argv {
		if !plainItem.MatchString(s) {
			s = strconv.Quote(s)
		}
		all[i] = s
	}
	return strings.Join(all, " ")
}

func (o *order) title() string {
	if o.script == "" {
		return o.quoted()
	}
	first, _, more := strings.Cut(strings.TrimSpace(o.script), "\n")
	if more {
		first += " …"
	}
	return first
}

func (o *order) part() session.Part {
	if o.script != "" {
		return session.Part{Kind: session.InputPart, Name: "sh -c", Lang: "bash", Text: o.script}
	}
	return session.Part{Kind: session.InputPart, Name: "command", Text: o.quoted()}
}

func (o *order) request(from string, reply chan<- session.Answer) *session.Request {
	what := session.Field{Name: "command", Value: o.quoted()}
	if o.script != "" {
		what = session.Field{Name: "command, run by sh -c", Value: o.script, Lang: "bash"}
	}
	return &session.Request{
		Kind: session.Approval, Prompt: "Run this command?", From: from, Choices: []string{"Run", "Reject"},
		Fields: []session.Field{
			what,
			{Name: "cwd", Value: o.dir},
			{Name: "time limit", Value: seconds(o.time)},
		},
		TakesReason: true, Reply: reply,
	}
}

// environ is the environment without what holds the key (T38).
func (a *Agent) environ() []string {
	a.mu.Lock()
	key := a.key
	a.mu.Unlock()
	env := []string{}
	for _, v := range a.options.Environ {
		name, value, _ := strings.Cut(v, "=")
		if a.options.KeyEnv != "" && strings.EqualFold(name, a.options.KeyEnv) || key != "" && strings.Contains(value, key) {
			continue
		}
		env = append(env, v)
	}
	return env
}

// execute runs what was approved. Its output is shown as it comes.
func (t *turn) execute(c *call, o *order) outcome {
	after := t.a.options.After
	p, err := process.Start(process.Options{
		Argv: o.argv, Dir: o.dir, Env: t.a.environ(), Joined: true, Go: t.a.options.Go, After: after,
	})
	if err != nil {
		return fault("the command did not start: %s", strings.TrimSuffix(err.Error(), "."))
	}
	began := t.a.options.Now()
	output, quit := make(chan string), make(chan struct{})
	defer close(quit)
	t.a.options.Go(func() { pump(p.Stdout, output, quit) })
	kept := &excerptOf{most: core.CommandOutput}
	closing := p.Stdin.Close()
	why := t.follow(c, p, output, kept, o.time)
	// What is left in the group goes with the command. The user has waited for
	// its end or wants it: neither is a reason to give up on it early.
	stopping := p.Stop(t.a.options.Hurry)
	if err := errors.Join(closing, stopping); err != nil {
		t.a.options.Log.Debug("end a command", "agent", t.a.options.Name, "error", err.Error())
	}
	took := seconds(t.a.options.Now().Sub(began))
	switch why {
	case byTime:
		return outcome{result: fmt.Sprintf("Ended after its time limit of %s.\n%s", seconds(o.time), kept), failed: true}
	case byUser:
		return outcome{result: "Ended by the user, who ended the turn.\n" + kept.String(), failed: true, ends: true}
	}
	return outcome{result: fmt.Sprintf("Ended with %s after %s.\n%s", p.Exit(), took, kept), failed: p.ExitCode() != 0}
}

// An ending is why a command is no longer followed.
type ending uint8

const (
	byItself ending = iota
	byTime
	byUser
)

// follow shows and keeps the output until the command ends, its time is over or
// the user ends the turn.
func (t *turn) follow(c *call, p *process.Process, output <-chan string, kept *excerptOf, limit time.Duration) ending {
	late, over := make(chan struct{}), make(chan struct{})
	stopLimit := t.a.options.After(limit, func() { close(late) })
	defer stopLimit()
	gone := p.Done()
	for {
		select {
		case chunk, open := <-output:
			if !open {
				// The command may go on without an output.
				select {
				case <-p.Done():
					return byItself
				case <-late:
					return byTime
				case <-t.ctx.Done():
					return byUser
				}
			}
			kept.write(chunk)
			if !t.say(session.ToolCall{ID: c.shown, Chunk: chunk}) {
				return byUser
			}
		case <-gone:
			gone = nil
			stopLinger := t.a.options.After(linger, func() { close(over) })
			defer stopLinger()
		case <-over:
			over = nil
			t.a.options.Go(func() { _ = p.Stop(t.a.options.Hurry) }) // execute's own Stop waits for it
		case <-late:
			return byTime
		case <-t.ctx.Done():
			return byUser
		}
	}
}

// pump hands the output on until its end, or until nobody wants more.
func pump(r io.Reader, output chan<- string, quit <-chan struct{}) {
	defer close(output)
	buf := make([]byte, 32<<10)
	for {
		n, err := r.Read(buf)
		if n > 0 {
			select {
			case output <- string(buf[:n]):
			case <-quit:
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// An excerptOf keeps the head and the tail of an output, and counts what is
// between them.
type excerptOf struct {
	most       int
	head, tail []byte
	left       int64
}

func (e *excerptOf) write(s string) {
	n := min(len(s), e.most/2-len(e.head))
	e.head = append(e.head, s[:n]...)
	e.tail = append(e.tail, s[n:]...)
	// Now and then is enough: moving the tail for every piece would cost more
	// than the pieces.
	if len(e.tail) > 2*e.most {
		e.trim()
	}
}

func (e *excerptOf) trim() {
	if n := len(e.tail) - e.most/2; n > 0 {
		e.left += int64(n)
		e.tail = append(e.tail[:0], e.tail[n:]...)
	}
}

func (e *excerptOf) String() string {
	e.trim()
	switch {
	case len(e.head) == 0:
		return "It printed nothing."
	case e.left == 0:
		return "Output:\n" + strings.ToValidUTF8(string(e.head)+string(e.tail), "\uFFFD")
	}
	return fmt.Sprintf("Output:\n%s\n[%d bytes are left out here.]\n%s",
		strings.ToValidUTF8(string(e.head), "\uFFFD"), e.left, strings.ToValidUTF8(string(e.tail), "\uFFFD"))
}
