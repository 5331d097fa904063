package chat

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"strconv"
	"time"

	"github.com/openai/openai-go/v3"

	"copydesk/core/session"
)

// maxRounds is how often a model may use tools in one turn.
const maxRounds = 200

// A turn is one run of the agent. Everything of it happens on the goroutine
// that iterates.
type turn struct {
	a     *Agent
	ctx   context.Context
	yield func(session.Event, error) bool
	over  bool // nobody listens any more
	x     *exchange
}

// Run answers one prompt: it asks the model, does what the model calls tools
// for and the user allows, and asks again until the model calls none.
func (a *Agent) Run(ctx context.Context, prompt string) iter.Seq2[session.Event, error] {
	return func(yield func(session.Event, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		t := &turn{a: a, ctx: ctx, yield: yield}
		if err := t.run(prompt); err != nil && !t.ended() {
			yield(nil, err)
		}
	}
}

// say yields an event and reports whether anybody still listens.
func (t *turn) say(e session.Event) bool {
	if !t.over && !t.yield(e, nil) {
		t.over = true
	}
	return !t.over
}

// ended reports whether the user has ended the turn.
func (t *turn) ended() bool { return t.over || t.ctx.Err() != nil }

func (t *turn) note(format string, args ...any) {
	t.say(session.Notice{Text: fmt.Sprintf(format, args...)})
}

func (t *turn) run(prompt string) error {
	if err := t.choose(); err != nil {
		return err
	}
	t.x = t.a.past.begin(t.quote(prompt))
	for range maxRounds {
		r, err := t.ask()
		if err != nil {
			t.keep(r)
			return err
		}
		t.x.said(r, r.calls)
		t.stopped(r)
		if len(r.calls) == 0 {
			return nil
		}
		if r.text.Len() > 0 {
			t.say(session.Break{})
		}
		for _, c := range r.calls {
			result, on := t.perform(c)
			t.x.result(result)
			if !on || t.ended() {
				t.x.settle()
				return nil
			}
		}
	}
	t.x.settle()
	return sayf("The model has used tools %d times in this turn and does not come to an end. Ask it to go on if it should.", maxRounds)
}

// keep puts the part of an answer that came into the history. A prompt that
// nothing came of is no part of it, unless the user ended the turn.
func (t *turn) keep(r *reply) {
	for _, c := range r.calls {
		if tool, _ := t.a.tool(c.name); tool.kind != "" {
			t.say(session.ToolCall{ID: c.shown, Status: session.Failed})
		}
	}
	switch {
	case r.text.Len() > 0:
		t.x.said(r, nil)
	case !t.ended() && len(t.x.messages) == 1:
		t.a.past.drop()
		return
	}
	t.x.settle()
}

// choose sees to it that there is a model.
func (t *turn) choose() error {
	if t.a.broken != nil {
		return t.a.broken
	}
	if t.a.Model() != "" {
		return nil
	}
	note, err := t.a.learn(t.ctx)
	if err != nil {
		return err
	}
	if t.a.Model() == "" {
		return sayf("%s lists no model. Name one with model in the configuration, or load one into the server.", t.a.server.name)
	}
	if note != "" {
		t.note("%s", note)
		t.say(session.Changed{})
	}
	return nil
}

// stopped says why the model stopped when it had not finished.
func (t *turn) stopped(r *reply) {
	switch r.finish {
	case "length":
		t.note("The model stopped because its answer has reached the greatest length. Ask it to go on.")
	case "content_filter":
		t.note("The server's content filter has stopped the answer.")
	}
}

// ask sends one request and shows the answer as it comes. What fails before
// anything was shown, and may pass, is tried again.
func (t *turn) ask() (*reply, error) {
	for repetition := 0; ; {
		r := &reply{}
		key, err := t.a.secret(t.ctx)
		if err != nil {
			return r, err
		}
		f := t.attempt(key, r)
		switch {
		case t.ended():
			return r, errOver
		case f == nil:
			t.account(r)
			return r, nil
		}
		f.model, f.keyEnv = t.a.Model(), t.a.options.KeyEnv
		t.a.options.Log.Debug("chat request failed", "agent", t.a.options.Name, "status", f.status, "shown", r.shown, "repetition", repetition)
		if again := !r.shown && t.adapt(f); again {
			continue
		}
		if r.shown || !f.passing() || repetition == maxRetries {
			return r, f
		}
		if err := t.pause(f, repetition); err != nil {
			return r, err
		}
		repetition++
	}
}

// adapt changes what is asked for when the server cannot do it, and reports
// whether to ask again.
func (t *turn) adapt(f *failure) bool {
	lacks := &t.a.lacks
	switch {
	case f.status == 401 || f.status == 403:
		t.a.forgetKey()
	case f.tooLong():
		if n := t.a.past.halve(); n > 0 {
			t.leftOut(n)
			return true
		}
	case f.toolless() && lacks.tools != f.model:
		lacks.tools = f.model
		t.note("%s cannot use tools: it can run no command and see no file but those that you name with @.", f.model)
		return true
	case f.uncounted() && !lacks.usage:
		lacks.usage = true
		return true
	}
	return false
}

func (t *turn) leftOut(n int) {
	turns := "turns are"
	if n == 1 {
		turns = "turn is"
	}
	t.note("The conversation has outgrown the model's context: its %d oldest %s left out of what the model sees from here on.", n, turns)
}

// pause says why a request is repeated, and waits before it is.
func (t *turn) pause(f *failure, repetition int) error {
	wait := f.wait(repetition, t.a.options.Now(), t.a.options.Jitter())
	if wait > maxWait {
		return sayf("%s It asks to wait for %s.", f.Error(), wait.Round(time.Second))
	}
	t.note("%s Trying again in %s (%d of %d).", f.Error(), seconds(wait), repetition+1, maxRetries)
	if t.over {
		return errOver
	}
	rings := make(chan struct{})
	stop := t.a.options.After(wait, func() { close(rings) })
	defer stop()
	select {
	case <-rings:
		return nil
	case <-t.ctx.Done():
		return errOver
	}
}

// seconds writes a short time, with a decimal where one matters.
func seconds(d time.Duration) string {
	return strconv.FormatFloat(d.Round(100*time.Millisecond).Seconds(), 'f', -1, 64) + " s"
}

// attempt sends the request once.
func (t *turn) attempt(key string, r *reply) *failure {
	body, err := t.request()
	if err != nil {
		return &failure{server: t.a.server.name, message: err.Error()}
	}
	res, f := t.a.server.post(t.ctx, key, body)
	if f == nil {
		f = t.receive(res, r)
	}
	if f != nil {
		f.forget(key)
	}
	r.name()
	t.a.past.counted(len(body), r.asked)
	return f
}

// request is the body of the next request.
func (t *turn) request() ([]byte, error) {
	p := openai.ChatCompletionNewParams{Model: t.a.Model()}
	besides := len(t.a.system)
	if t.a.lacks.tools != p.Model {
		p.Tools = offer(t.a.tools)
		if b, err := json.Marshal(p.Tools); err == nil {
			besides += len(b)
		}
	}
	if n := t.a.past.fit(t.a.options.Context, besides); n > 0 {
		t.leftOut(n)
	}
	p.Messages = append([]openai.ChatCompletionMessageParamUnion{openai.SystemMessage(t.a.system)}, t.a.past.messages()...)
	if !t.a.lacks.usage {
		p.StreamOptions.IncludeUsage = openai.Bool(true)
	}
	p.SetExtraFields(map[string]any{"stream": true})
	return json.Marshal(p)
}

// account tells what the turn has cost so far.
func (t *turn) account(r *reply) {
	if r.used > 0 {
		t.say(session.Usage{Used: r.used, Limit: t.a.options.Context})
	}
	t.a.mu.Lock()
	unknown := t.a.models == nil
	t.a.mu.Unlock()
	if unknown {
		t.a.refresh()
	}
}
