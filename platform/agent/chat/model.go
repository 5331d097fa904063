package chat

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"copydesk/core/session"
)

// modelOption is the id of the one option that a chat has.
const modelOption = "model"

// Models returns the names of the models that a server lists, in its order. The
// error is a sentence for the user.
func Models(ctx context.Context, baseURL, key string) ([]string, error) {
	s, err := newServer(baseURL, nil)
	if err != nil {
		return nil, err
	}
	defer s.close()
	names, f := s.list(ctx, key)
	if f != nil {
		return nil, f
	}
	return names, nil
}

// Model is the model in force; empty before the server's list is known when
// none was named.
func (a *Agent) Model() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.model
}

// Options returns the model as an option; its values are those that the server
// has listed so far.
func (a *Agent) Options() []session.Option {
	a.mu.Lock()
	defer a.mu.Unlock()
	o := session.Option{ID: modelOption, Name: "Model", Category: "model", Summary: "The model that answers.", Value: a.model}
	for _, m := range a.models {
		o.Values = append(o.Values, session.OptionValue{Value: m, Name: m})
	}
	return []session.Option{o}
}

// SetOption changes the model. A server that lists its models has to list it;
// a name without a tag, as Ollama takes it, is enough.
func (a *Agent) SetOption(ctx context.Context, id, value string) error {
	switch {
	case a.broken != nil:
		return a.broken
	case id != modelOption:
		return sayf("%s has no option %q. It has %q only.", a.options.Name, id, modelOption)
	case strings.TrimSpace(value) == "":
		return sayf("A model has a name. /model lists those that %s has.", a.server.name)
	}
	if !a.lists(value) {
		// The list may be older than the model. Without any list the next
		// prompt will tell.
		if _, err := a.learn(ctx); err == nil && !a.lists(value) {
			return sayf("%s lists no model %q. /model shows those that it has.", a.server.name, value)
		}
	}
	a.mu.Lock()
	a.model = value
	a.mu.Unlock()
	a.refresh()
	return nil
}

func (a *Agent) lists(model string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.ContainsFunc(a.models, func(m string) bool { return m == model || strings.HasPrefix(m, model+":") })
}

// refresh asks Aside for a new list of models.
func (a *Agent) refresh() {
	select {
	case a.stale <- struct{}{}:
	default:
	}
}

// learn fetches the list of models. When none was chosen yet it chooses the
// first one that can chat and returns a note that says so.
func (a *Agent) learn(ctx context.Context) (note string, err error) {
	if a.broken != nil {
		return "", a.broken
	}
	select {
	case a.listing <- struct{}{}:
		defer func() { <-a.listing }()
	case <-ctx.Done():
		return "", ctx.Err()
	}
	key, err := a.secret(ctx)
	if err != nil {
		return "", err
	}
	names, f := a.server.list(ctx, key)
	if f != nil {
		f.keyEnv = a.options.KeyEnv
		if f.status == 401 {
			a.forgetKey()
		}
		return "", f
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.models = names
	if a.model != "" || len(names) == 0 {
		return "", nil
	}
	// Servers list what makes embeddings among the models, LM Studio first.
	chats := func(name string) bool { return !strings.Contains(strings.ToLower(name), "embed") }
	a.model = names[max(0, slices.IndexFunc(names, chats))]
	return fmt.Sprintf("The model is %s, the first one that it lists. /model changes it.", a.model), nil
}
