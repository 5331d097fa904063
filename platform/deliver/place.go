package deliver

import (
	"context"
	"errors"
	"os"
	"slices"

	"copydesk/core"
	"copydesk/platform/deliver/route"
)

// maxServers is how many tmux servers within one another are looked at.
const maxServers = 4

// A place is where a copy is made: what decides its routes, and the environments
// of the programs that carry it.
type place struct {
	context route.Context
	environ []string   // of a program on this machine
	servers [][]string // of tmux, for each server, from the inside out

	// What became of the text in the paste buffer of the innermost tmux, if it
	// was handed over with the question.
	loaded  bool
	loadErr error
}

// look finds out where we are. It is asked anew for each copy: a tmux session
// may have been left and come back to from somewhere else. Inside tmux the text
// goes to its paste buffer in the same call, because starting tmux is most of
// what a copy costs there; an empty text only asks.
func (d *Deliverer) look(ctx context.Context, body string) place {
	sources := route.Sources{OS: d.goos, Env: d.env, Above: names(d.above()), Answers52: d.answers52}
	c := route.Read(sources)
	if !c.Tmux && d.choice != route.OnlyTmux {
		return place{context: c, environ: environ(d.env)}
	}
	ctx, cancel := half(ctx)
	defer cancel()

	p := place{servers: [][]string{environ(d.env)}}
	t, session := p.meetTmux(ctx, d, body)
	sources.Env = session.Over(d.env)
	p.context, p.environ = route.Read(sources), environ(sources.Env)
	p.context.Options = d.around(&t)
	for seen := []string{d.env("TMUX")}; t.Client > 0 && len(p.servers) < maxServers; {
		outer, pane := d.enclosing(t)
		if outer == "" || slices.Contains(seen, outer) {
			break
		}
		seen = append(seen, outer)
		env := func(name string) string {
			switch name {
			case "TMUX":
				return outer
			case "TMUX_PANE":
				return pane
			}
			return d.env(name)
		}
		next, _, err := d.askTmux(ctx, environ(env), "")
		if err != nil || !next.Known {
			break
		}
		t = next
		p.servers = append(p.servers, environ(env))
		p.context.Outer = append(p.context.Outer, d.around(&t))
	}
	return p
}

// meetTmux loads the text and asks, or only asks where the text is not for tmux.
func (p *place) meetTmux(ctx context.Context, d *Deliverer, body string) (route.Tmux, route.Session) {
	if len(body) > core.TmuxBufferBytes || d.choice != "" && d.choice != route.Auto && d.choice != route.OnlyTmux {
		body = ""
	}
	t, session, err := d.askTmux(ctx, p.servers[0], body)
	if body == "" {
		return t, session
	}
	p.loaded, p.loadErr = true, err
	if err != nil && ctx.Err() == nil && !errors.Is(err, errNotFound) {
		t, session, _ = d.askTmux(ctx, p.servers[0], "") // it does not take the text, and may answer
	}
	return t, session
}

// askTmux asks the tmux of an environment what it lets through, and to whom,
// and first loads the text, if there is one, into its paste buffer.
func (d *Deliverer) askTmux(ctx context.Context, environ []string, body string) (route.Tmux, route.Session, error) {
	out := scratch()
	defer out.Close()
	args := route.TmuxQuery()
	if body != "" {
		args = append(append(loadBuffer(), ";"), args...)
	}
	if err := d.run(ctx, call{program: "tmux", args: args, environ: environ, text: body, out: out}); err != nil {
		return route.Tmux{}, nil, err
	}
	answer := said(out)
	return route.ParseTmux(answer), route.ParseSession(answer), nil
}

// loadBuffer are the arguments with which tmux fills its paste buffer and sends
// it on to its client's terminal.
func loadBuffer() []string { return []string{"load-buffer", "-w", "-"} }

// around adds what the processes above tmux's client tell.
func (d *Deliverer) around(t *route.Tmux) route.Tmux {
	if t.Client > 0 && d.lineage != nil {
		above := names(d.lineage(t.Client))
		t.Mosh = route.Under(above, "mosh-server")
		holder, _ := route.Holder(above)
		t.InScreen = holder == "screen"
	}
	return *t
}

// enclosing returns the TMUX and TMUX_PANE of the tmux that the client of
// another one runs in, "" if it runs in none on this machine. The client itself
// may have been started without them, to be allowed to nest; and one in a
// terminal that was started from tmux may have inherited them.
func (d *Deliverer) enclosing(t route.Tmux) (tmux, pane string) {
	if d.lineage == nil || d.processEnv == nil {
		return "", ""
	}
	above := d.lineage(t.Client)
	if holder, _ := route.Holder(names(above)); holder != "tmux" {
		return "", ""
	}
	for _, p := range append([]Process{{ID: t.Client}}, above...) {
		if tmux := d.processEnv(p.ID, "TMUX"); tmux != "" {
			return tmux, d.processEnv(p.ID, "TMUX_PANE")
		}
	}
	return "", ""
}

// above are the processes above ours. They stay the same.
func (d *Deliverer) above() []Process {
	d.once.Do(func() {
		if d.lineage != nil {
			d.ancestors = d.lineage(os.Getpid())
		}
	})
	return d.ancestors
}

func names(processes []Process) []string {
	var out []string
	for _, p := range processes {
		out = append(out, p.Name)
	}
	return out
}
