package main

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"copydesk/config"
	"copydesk/core/text"
	"copydesk/platform/agent/known"
	"copydesk/platform/agent/playground"
)

// running is what agents need of the program that runs them.
type running struct {
	log   *slog.Logger
	start func(func())
	after func(d time.Duration, f func()) (stop func())

	// hurry ends when there is no time left to ask programs to end; nil: there
	// is always time.
	hurry context.Context

	// login runs an agent's own login on the user's terminal, and browse opens
	// an address on the user's desktop; nil where that is not possible.
	login  func(ctx context.Context, argv, env []string, dir string) error
	browse func(address string) error
}

// A roster knows every agent that can be opened here (AGT 6): those of the
// configuration, the usual ones that are installed, model servers on this
// machine, the playground. It opens nothing until it is asked to. Its methods
// are safe from any goroutine.
type roster struct {
	process
	running
	state   string // the state folder
	dir     string // where agents work unless their configuration says otherwise; absolute
	pinned  bool   // the user named dir, which counts more than the configuration
	secrets *secrets
	client  *http.Client // asks the servers of this machine; no proxy stands between
	look    func(string) (string, error)
	servers []known.Endpoint

	mu       sync.Mutex
	settings config.Config
	answers  []known.Answer // of the last time that the servers were asked
}

// newRoster makes a roster of the agents for a start in the working folder.
func newRoster(p process, settings config.Config, state string, r running) (*roster, error) {
	dir, err := os.Getwd()
	if err != nil {
		return nil, fmt.Errorf("find the working folder: %w", err)
	}
	hidden := newSecrets(p.environment())
	r.log = hidden.logger(r.log)
	return &roster{
		process: p, running: r, state: state, dir: dir, secrets: hidden, settings: settings,
		client: &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}, look: exec.LookPath, servers: known.Endpoints(),
	}, nil
}

// in is a roster of the same agents for another folder.
func (r *roster) in(dir string) *roster {
	r.mu.Lock()
	defer r.mu.Unlock()
	return &roster{
		process: r.process, running: r.running, state: r.state, dir: dir, pinned: true, secrets: r.secrets, client: r.client,
		look: r.look, servers: r.servers, settings: r.settings, answers: r.answers,
	}
}

// configure takes over a changed configuration, for what is opened from now on.
func (r *roster) configure(c config.Config) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.settings = c
}

func (r *roster) config() config.Config {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.settings
}

// An agentRow is an agent as a list shows it.
type agentRow struct {
	Name    string `json:"name"`
	What    string `json:"what"`
	Missing string `json:"missing,omitempty"` // a sentence; empty: it can be opened
}

// rows lists the agents: those of the configuration, then what is found here,
// then the playground, each name once. It asks the model servers of this machine
// and so may take known.ProbeLimit.
func (r *roster) rows(ctx context.Context) []agentRow {
	c := r.config()
	answers := known.Probe(ctx, r.servers, r.client, r.start)
	r.mu.Lock()
	r.answers = answers
	r.mu.Unlock()

	var out []agentRow
	add := func(name, what, missing string) {
		if !slices.ContainsFunc(out, func(row agentRow) bool { return row.Name == name }) {
			out = append(out, agentRow{name, text.CleanLine(what), text.CleanLine(missing)})
		}
	}
	described := map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(c.Agents)) {
		a := c.Agents[name]
		described[address(a.OpenAI.BaseURL)] = true
		add(name, r.describe(a), r.missing(a))
	}
	for _, f := range known.Find(r.look) {
		add(f.Name, f.What+": "+strings.Join(f.Argv, " "), f.Agent.Missing(r.look))
	}
	for _, a := range answers {
		if !described[address(a.BaseURL)] {
			add(a.Name, a.Says(), a.Missing())
		}
	}
	add(config.PlaygroundName, "A SQL desk on "+r.short(r.databasePath())+". No network, no key.", "")
	return out
}

// others lists the usual agents that rows leaves out because nothing of them is
// here.
func (r *roster) others(shown []agentRow) []agentRow {
	var out []agentRow
	for _, a := range known.Agents() {
		if !slices.ContainsFunc(shown, func(row agentRow) bool { return row.Name == a.Name }) {
			out = append(out, agentRow{a.Name, a.What + ": " + strings.Join(a.Argv, " "), a.Missing(r.look)})
		}
	}
	return out
}

// first says which agent a start opens, and whether the list of the others is
// shown in front of it: nobody named one, and there is a choice. It asks no
// server, so the first frame does not wait (P1).
func (r *roster) first() (name string, ask bool) {
	c := r.config()
	if c.Agent != "" {
		return c.Agent, false
	}
	found := slices.ContainsFunc(known.Find(r.look), func(f known.Found) bool { return f.Missing == "" })
	return config.PlaygroundName, found || len(c.Agents) > 0
}

// describe says in a few words what an agent of the configuration is.
func (r *roster) describe(a config.Agent) string {
	where := ""
	if a.Cwd != "" {
		where = ", in " + r.short(a.Cwd)
	}
	if a.OpenAI.BaseURL != "" {
		return cmp.Or(a.OpenAI.Model, "the first model") + " at " + address(a.OpenAI.BaseURL) + where
	}
	command := strings.Join(a.Command, " ")
	if k, ok := known.Started(a.Command[0]); ok {
		command = k.What + ": " + command
	}
	return command + where
}

// missing says in a sentence what keeps an agent of the configuration from being
// opened, as far as that can be seen without starting it.
func (r *roster) missing(a config.Agent) string {
	if why := noFolder(a.Cwd); a.Cwd != "" && why != "" {
		return why
	}
	if a.OpenAI.KeyEnv != "" && r.env(a.OpenAI.KeyEnv) == "" {
		return "The variable " + a.OpenAI.KeyEnv + " is not set, and the key is in it."
	}
	_, ownPath := a.Env["PATH"]
	if len(a.Command) == 0 || ownPath {
		return ""
	}
	if _, err := r.look(a.Command[0]); err == nil {
		return ""
	}
	if k, ok := known.Started(a.Command[0]); ok {
		return k.Missing(r.look)
	}
	return a.Command[0] + " is not on PATH. Install it, or give its absolute path in config.yaml."
}

// address is the host of a base URL as people write it, for showing and for
// telling whether two are the same.
func address(base string) string {
	base = strings.TrimSuffix(strings.TrimSuffix(base, "/"), "/v1")
	_, host, _ := strings.Cut(base, "://")
	return strings.Replace(host, "localhost:", "127.0.0.1:", 1)
}

// short is a path with the home folder as ~.
func (r *roster) short(path string) string {
	if home := r.env("HOME"); path == home && home != "" {
		return "~"
	}
	return shortened(path, r.env("HOME"))
}

// noFolder says in a sentence why a path is no folder that can be worked in;
// empty when it is one.
func noFolder(path string) string {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return "The folder " + path + " is not there. Make it, or change cwd."
	case !info.IsDir():
		return path + " is not a folder. Change cwd."
	}
	return ""
}

// databasePath is the file that the playground works on.
func (r *roster) databasePath() string {
	if r.state == "" {
		return cmp.Or(r.config().DB, playground.Memory)
	}
	return cmp.Or(r.config().DB, filepath.Join(r.state, "playground.db"))
}
