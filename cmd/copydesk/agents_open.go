package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"copydesk/config"
	"copydesk/core/desk"
	talk "copydesk/core/session"
	"copydesk/platform/agent/acp"
	"copydesk/platform/agent/chat"
	"copydesk/platform/agent/known"
	"copydesk/platform/agent/playground"
)

// open makes the agent of a name, for a pane of its own, and says how the pane
// shows it. It starts no program: that is the agent's business, once its pane
// listens. Only the playground's file is opened, so that an error of it is said
// before there is a pane. The error is for the user and names the next step.
func (r *roster) open(ctx context.Context, name string) (talk.Agent, desk.PaneOptions, error) {
	return r.openIn(ctx, name, "")
}

// openIn is open for an agent that is to work in a folder, as a session from
// before did; without one, or when that is gone, where it works otherwise.
func (r *roster) openIn(ctx context.Context, name, dir string) (talk.Agent, desk.PaneOptions, error) {
	if dir != "" && noFolder(dir) == "" && !r.pinned {
		return r.in(dir).openHere(ctx, name)
	}
	return r.openHere(ctx, name)
}

func (r *roster) openHere(ctx context.Context, name string) (talk.Agent, desk.PaneOptions, error) {
	none := desk.PaneOptions{}
	if name == config.PlaygroundName {
		return r.openPlayground()
	}
	if a, ok := r.config().Agents[name]; ok {
		dir := a.Cwd
		if dir == "" || r.pinned {
			dir, a.Cwd = r.dir, ""
		}
		if missing := r.missing(a); missing != "" {
			return nil, none, errors.New(missing)
		}
		if a.OpenAI.BaseURL != "" {
			agent, o := r.openChat(name, a.OpenAI, dir)
			return agent, o, nil
		}
		agent, o := r.openACP(name, a.Command, a.Env, dir)
		return agent, o, nil
	}
	if k, ok := known.Named(name); ok {
		if missing := k.Missing(r.look); missing != "" {
			return nil, none, errors.New(missing)
		}
		agent, o := r.openACP(name, k.Argv, k.Adds(r.inherited()), r.dir)
		return agent, o, nil
	}
	for _, e := range r.servers {
		if e.Name == name {
			return r.openServer(ctx, e)
		}
	}
	return nil, none, errors.New(noSuchAgent(name, r.config()))
}

// noSuchAgent says which names there are.
func noSuchAgent(name string, c config.Config) string {
	own := strings.Join(slices.Sorted(maps.Keys(c.Agents)), ", ")
	if own != "" {
		own = " described are " + own + ";"
	}
	return fmt.Sprintf("there is no agent %q;%s copydesk agents lists all that can be opened", name, own)
}

// knownName reports whether --agent can name it, whether or not it is here.
func knownName(name string, c config.Config) bool {
	_, described := c.Agents[name]
	_, usual := known.Named(name)
	return described || usual || name == config.PlaygroundName ||
		slices.ContainsFunc(known.Endpoints(), func(e known.Endpoint) bool { return e.Name == name })
}

func (r *roster) openPlayground() (talk.Agent, desk.PaneOptions, error) {
	none := desk.PaneOptions{}
	c, path := r.config(), r.databasePath()
	if c.DB == "" && r.state != "" { // a folder that the user named must be there
		if err := os.MkdirAll(r.state, 0o700); err != nil {
			return nil, none, fmt.Errorf("make the state folder: %w", err)
		}
	}
	agent, err := playground.Open(playground.Options{Path: path, Messages: c.Messages, Dir: r.dir, Go: r.start})
	if err != nil {
		return nil, none, err
	}
	return agent, desk.PaneOptions{
		Loose: true,
		Title: config.PlaygroundName + " · " + r.short(path),
		Hint:  "Type a command. help shows how to begin.",
		Dir:   r.dir,
	}, nil
}

func (r *roster) openACP(name string, argv []string, env map[string]string, dir string) (talk.Agent, desk.PaneOptions) {
	for variable, value := range env {
		r.secrets.addNamed(variable, value)
	}
	agent := acp.New(acp.Options{
		Name: name, Command: argv, Env: env, Dir: dir, Version: version, Environ: r.inherited(),
		Go: r.start, Now: time.Now, Log: r.log, After: r.after, Hurry: r.hurry, Login: r.login, Browse: r.browse,
	})
	return agent, r.pane(name, dir)
}

func (r *roster) openChat(name string, o config.OpenAI, dir string) (talk.Agent, desk.PaneOptions) {
	agent := chat.New(chat.Options{
		Name: name, BaseURL: o.BaseURL, Model: o.Model, Key: r.key(o), Context: o.Context, Dir: dir,
		KeyEnv: o.KeyEnv, Environ: r.keyless(),
		Go: r.start, Now: time.Now, Log: r.log, After: r.after, Hurry: r.hurry,
	})
	return agent, r.pane(name, dir)
}

// openServer makes the agent of a model server on this machine, with the first
// model that it lists.
func (r *roster) openServer(ctx context.Context, e known.Endpoint) (talk.Agent, desk.PaneOptions, error) {
	r.mu.Lock()
	answers := r.answers
	r.mu.Unlock()
	listed := func(a known.Answer) bool { return a.Name == e.Name }
	i := slices.IndexFunc(answers, listed)
	if i < 0 {
		answers = known.Probe(ctx, []known.Endpoint{e}, r.client, r.start)
		i = slices.IndexFunc(answers, listed)
	}
	if i < 0 {
		return nil, desk.PaneOptions{}, fmt.Errorf("%s does not answer at %s. Start it, or choose another agent", e.What, address(e.BaseURL))
	}
	if missing := answers[i].Missing(); missing != "" {
		return nil, desk.PaneOptions{}, errors.New(missing)
	}
	agent, o := r.openChat(e.Name, config.OpenAI{BaseURL: e.BaseURL, Model: answers[i].Models[0]}, r.dir)
	return agent, o, nil
}

// pane is how a pane shows an agent that works in a folder.
func (r *roster) pane(name, dir string) desk.PaneOptions {
	return desk.PaneOptions{
		Title: name + " · " + r.short(dir),
		Hint:  "Write to " + name + ". @ names a file, / a command.",
		Dir:   dir,
	}
}

// inherited is the environment that agents get: the user's own, without what is
// meant for copydesk (T38).
func (r *roster) inherited() []string {
	return slices.DeleteFunc(slices.Clone(r.environment()), func(pair string) bool { return strings.HasPrefix(pair, "COPYDESK_") })
}

// keyless is the environment of what a model runs: without the keys that models
// are asked with.
func (r *roster) keyless() []string {
	keys := map[string]bool{}
	for _, a := range r.config().Agents {
		keys[a.OpenAI.KeyEnv] = true
	}
	return slices.DeleteFunc(r.inherited(), func(pair string) bool {
		name, _, _ := strings.Cut(pair, "=")
		return keys[name]
	})
}
