// Package chat is an agent made of a model behind an OpenAI-compatible server:
// Ollama, llama.cpp, vLLM, LM Studio or a hosted one (AGT 4). The model gets
// tools to ask the user, to run a command and to read and write files; what
// changes something is asked about first, with what it really is (REQ 6).
package chat

import (
	"context"
	"errors"
	"io"
	"iter"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"time"

	"copydesk/core/session"
	"copydesk/platform/agent/mention"
)

// Options say what a chat is made of. Name, BaseURL, Dir, Go and After are
// required.
type Options struct {
	// Name is how the user calls it.
	Name string

	// BaseURL is where the API lives, for example http://localhost:11434/v1.
	BaseURL string

	// Model is the model's name; empty is the first one that the server lists.
	Model string

	// Key returns the key that the server wants; nil: it wants none. It is
	// asked once, and again after the server refused the key. The key is in no
	// log, no message and no command's environment (T37, T38).
	Key func(ctx context.Context) (string, error)

	// KeyEnv is the variable that holds the key, if it is one: it is named
	// where a key is missing, and no command sees it.
	KeyEnv string

	// Dir is the absolute path of the working folder.
	Dir string

	// Environ is the environment of commands, "NAME=value" each; what holds
	// the key is taken out of it. Keys of others must not be in it.
	Environ []string

	// Context is how many tokens fit into the model's context; 0: unknown.
	Context int

	// HTTP sends the requests; nil is a client without a time limit.
	HTTP *http.Client

	// Jitter returns a number from 0 up to 1 that spreads the waits before a
	// repeated request; nil: at random.
	Jitter func() float64

	// Hurry ends when there is no time left to ask a command to end: it is
	// killed then. nil: there is always time.
	Hurry context.Context

	Go    func(func())                                  // starts a goroutine
	Now   func() time.Time                              // nil: the system's clock
	After func(d time.Duration, f func()) (stop func()) // calls f after d unless it is stopped before
	Log   *slog.Logger                                  // nil: nothing is logged; it never gets a content
}

// An Agent is a chat. Besides session.Agent it is Connected, a Completer,
// Configurable and a Closer. Run is for one goroutine at a time, the other
// methods are for any.
type Agent struct {
	options Options
	server  *server
	broken  error         // why there is no server; nil if there is one
	strange bool          // of what was said before, something was not to this agent
	stale   chan struct{} // asks Aside for the list of models; room for one
	listing chan struct{} // held while the list is fetched; room for one

	tools  []tool
	system string // the first message of every request

	// Only Run uses what follows.
	past  history
	calls int // tool calls shown so far
	lacks lacks

	mu     sync.Mutex // guards what follows
	model  string
	models []string
	key    string
	keyed  bool // key is what Options.Key said
}

// lacks is what the server has refused so far.
type lacks struct {
	tools string // the model that cannot use any
	usage bool
}

// New makes a chat. It connects to nothing; what is wrong with the options is
// said by Aside and by Run.
func New(o Options) *Agent {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Jitter == nil {
		o.Jitter = rand.Float64
	}
	if o.Hurry == nil {
		o.Hurry = context.Background()
	}
	if o.Log == nil {
		o.Log = slog.New(slog.NewTextHandler(io.Discard, nil))
	}
	a := &Agent{options: o, model: o.Model, stale: make(chan struct{}, 1), listing: make(chan struct{}, 1)}
	a.tools, a.system = toolbox(), system(o.Dir)
	a.server, a.broken = newServer(o.BaseURL, o.HTTP)
	return a
}

// Name is how the user calls the agent.
func (a *Agent) Name() string { return a.options.Name }

// Echo shows every input under the agent's name.
func (a *Agent) Echo(string) (tag string, echo bool) { return a.options.Name, true }

// Complete gives the paths that an @word at the input's end can become (AGT 5).
func (a *Agent) Complete(input string) (start int, words []string) {
	return mention.Complete(a.options.Dir, input)
}

// Close lets go of the connections.
func (a *Agent) Close() error {
	if a.server != nil {
		a.server.close()
	}
	return nil
}

// Aside says what the chat is connected to, and keeps the list of models.
func (a *Agent) Aside(ctx context.Context) iter.Seq[session.Event] {
	return func(yield func(session.Event) bool) {
		if a.strange && !yield(session.Notice{Text: a.options.Name + " does not know what was said here to other agents."}) {
			return
		}
		for greeted := false; ; greeted = true {
			for _, e := range a.news(ctx, greeted) {
				if ctx.Err() != nil || !yield(e) {
					return
				}
			}
			select {
			case <-ctx.Done():
				return
			case <-a.stale:
			}
		}
	}
}

// news fetches the list of models and says what is new by it.
func (a *Agent) news(ctx context.Context, greeted bool) []session.Event {
	note, err := a.learn(ctx)
	if err != nil {
		a.options.Log.Debug("list the models", "agent", a.options.Name, "error", err.Error())
	}
	var f *failure
	switch {
	case err == nil && !greeted:
		greeting := "Connected to " + a.server.name + "."
		if note != "" {
			greeting += " " + note
		}
		return []session.Event{session.Notice{Text: greeting}, session.Changed{}}
	case err == nil && note != "":
		return []session.Event{session.Notice{Text: note}, session.Changed{}}
	case err == nil, greeted:
		return []session.Event{session.Changed{}}
	case errors.As(err, &f) && f.unlisted() && a.Model() != "":
		// Such a server has a chat all the same.
		return []session.Event{session.Notice{Text: "Using " + a.Model() + " at " + a.server.name + ", which does not list its models."}}
	}
	return []session.Event{session.Notice{Text: err.Error(), Error: true}}
}

// secret returns the key. It is asked for once.
func (a *Agent) secret(ctx context.Context) (string, error) {
	a.mu.Lock()
	key, keyed := a.key, a.keyed
	a.mu.Unlock()
	if keyed || a.options.Key == nil {
		return key, nil
	}
	key, err := a.options.Key(ctx)
	if err != nil {
		return "", sayf("The key for %s cannot be had: %v", a.server.name, err)
	}
	key = strings.TrimSpace(key)
	a.mu.Lock()
	a.key, a.keyed = key, true
	a.mu.Unlock()
	return key, nil
}

// forgetKey makes the next request ask for the key anew: it was refused.
func (a *Agent) forgetKey() {
	a.mu.Lock()
	a.keyed = false
	a.mu.Unlock()
}
