package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"text/tabwriter"

	"copydesk/config"
	"copydesk/platform/term"

	"github.com/spf13/cobra"
)

// agentHelp is the help of --agent.
const agentHelp = "the agent to open: a `NAME` of the configuration, a usual agent that is installed, or playground; copydesk agents lists them"

// newAgents is the command that lists the agents.
func newAgents(p process, f *flags) *cobra.Command {
	all, asJSON := false, false
	c := &cobra.Command{
		Use: "agents", Short: "List the agents that can be opened here, and what the others lack", Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			settings, err := load(p, *f, nil)
			if err != nil {
				return err
			}
			state, err := config.StateDir(p.env)
			if err != nil {
				return err
			}
			guard := term.NewGuard(term.GuardOptions{Program: "copydesk", Version: version, Stderr: p.stderr})
			r, err := newRoster(p, settings, state, running{log: slog.New(slog.DiscardHandler), start: guard.Go, after: guarded(guard)})
			if err != nil {
				return err
			}
			rows := r.rows(context.Background())
			if all {
				rows = append(rows, r.others(rows)...)
			}
			return list(p, rows, asJSON)
		},
	}
	c.Flags().BoolVar(&all, "all", false, "list the usual agents too of which nothing is here")
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

func list(p process, rows []agentRow, asJSON bool) error {
	if asJSON {
		enc := json.NewEncoder(p.stdout)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		return enc.Encode(rows)
	}
	out := tabwriter.NewWriter(p.stdout, 0, 0, 2, ' ', 0)
	for _, r := range rows {
		missing := r.Missing
		if missing == "" {
			missing = "ready"
		}
		fmt.Fprintf(out, "%s\t%s\t%s\n", r.Name, r.What, missing)
	}
	return out.Flush()
}
