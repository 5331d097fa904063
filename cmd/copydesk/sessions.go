package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"text/tabwriter"
	"time"

	"copydesk/config"
	"copydesk/core"
	"copydesk/core/desk"
	"copydesk/core/record"
	talk "copydesk/core/session"
	"copydesk/core/text"
	"copydesk/platform/journal"
	"copydesk/platform/journal/shelf"
	"copydesk/platform/term"

	"github.com/spf13/cobra"
	xterm "golang.org/x/term"
)

// newSessions are the commands for stored sessions.
func newSessions(p process) *cobra.Command {
	c := &cobra.Command{
		Use: "sessions", Short: "List, print, export and delete stored sessions", Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	asJSON := false
	list := &cobra.Command{
		Use: "list", Short: "List the sessions, the one that was used last first", Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			return p.withSessions(func(ctx context.Context, s sessions) error { return s.list(ctx, asJSON) })
		},
	}
	list.Flags().BoolVar(&asJSON, "json", false, "print one JSON object for each session")
	format := ""
	export := &cobra.Command{
		Use: "export ID", Short: "Write a session to standard output, as it came", Args: oneID,
		RunE: func(_ *cobra.Command, args []string) error {
			return p.withSessions(func(ctx context.Context, s sessions) error { return s.export(ctx, args[0], format) })
		},
	}
	export.Flags().StringVar(&format, "format", "md", "md (its turns as Markdown), json (its turns) or txt (all lines as the panel showed them)")
	c.AddCommand(
		list,
		&cobra.Command{
			Use: "show ID", Short: "Print a session as Markdown", Args: oneID,
			RunE: func(_ *cobra.Command, args []string) error {
				return p.withSessions(func(ctx context.Context, s sessions) error { return s.export(ctx, args[0], "md") })
			},
		},
		export,
		&cobra.Command{
			Use: "rm ID…", Short: "Delete sessions for good", Args: cobra.MinimumNArgs(1),
			RunE: func(_ *cobra.Command, args []string) error {
				return p.withSessions(func(ctx context.Context, s sessions) error { return s.remove(ctx, args) })
			},
		},
	)
	return c
}

func oneID(_ *cobra.Command, args []string) error {
	if len(args) != 1 {
		return exit{exitRefused, "name one session by its id, or the beginning of it; copydesk sessions list lists them"}
	}
	return nil
}

// sessions is what the commands for stored sessions work with.
type sessions struct {
	process
	store *journal.Store
	shelf *shelf.Shelf
}

// withSessions does something with the stored sessions, until an interrupt.
func (p process) withSessions(do func(context.Context, sessions) error) error {
	state, err := config.StateDir(p.env)
	if err != nil {
		return err
	}
	guard := term.NewGuard(term.GuardOptions{Program: "copydesk", Version: version, CrashDir: crashDir(state), Hide: p.args, Stderr: p.stderr})
	r := running{log: slog.New(slog.DiscardHandler), start: guard.Go, after: guarded(guard)}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	store := storeOf(state, r, nil)
	return do(ctx, sessions{p, store, shelf.New(shelf.Options{Dir: filepath.Join(state, sessionsDir), Store: store, Log: r.log})})
}

// A sessionRow is a session as the JSON of a list has it.
type sessionRow struct {
	ID      string    `json:"id"`
	Title   string    `json:"title"`
	Agent   string    `json:"agent"`
	Dir     string    `json:"dir,omitempty"`
	Started time.Time `json:"started,omitzero"`
	Updated time.Time `json:"updated"`
	Bytes   int64     `json:"bytes"`
}

func (s sessions) list(ctx context.Context, asJSON bool) error {
	out := tabwriter.NewWriter(s.stdout, 0, 0, 2, ' ', 0)
	count := 0
	for found, err := range s.shelf.List(ctx) {
		if err != nil {
			return err
		}
		count++
		if asJSON {
			if err := json.NewEncoder(s.stdout).Encode(sessionRow(found)); err != nil {
				return err
			}
			continue
		}
		title := text.Truncate(text.CleanLine(found.Title), 60)
		fmt.Fprintf(out, "%s\t%s\t%s\t%s\t%s\n", found.ID, found.Updated.Local().Format("2006-01-02 15:04"), text.CleanLine(found.Agent),
			text.CleanLine(shortened(found.Dir, s.env("HOME"))), title)
	}
	if count == 0 && !asJSON {
		fmt.Fprintln(s.stderr, "No session is stored yet.")
	}
	return out.Flush()
}

// exported is a session as its JSON has it.
type exported struct {
	ID    string         `json:"id"`
	Agent string         `json:"agent"`
	Dir   string         `json:"dir,omitempty"`
	Title string         `json:"title,omitempty"`
	Turns []exportedTurn `json:"turns"`
}

type exportedTurn struct {
	Role    talk.Role    `json:"role"`
	Agent   string       `json:"agent,omitempty"`
	Content string       `json:"content"`
	Outcome talk.Outcome `json:"outcome,omitempty"`
}

func (s sessions) export(ctx context.Context, id, format string) error {
	id, err := which(ctx, s.shelf, "", id)
	if err != nil {
		return err
	}
	records, skipped := s.store.Read(ctx, id)
	deps := desk.Deps{Now: time.Now, PanelLines: core.PanelLines}
	out := s.cleaned()
	switch format {
	case "md", "json":
		past, err := desk.Read(deps, records)
		if err != nil {
			return err
		}
		if format == "md" {
			err = write(out, past.Markdown)
		} else {
			err = asJSON(out, id, past)
		}
		if err != nil {
			return err
		}
	case "txt":
		for line, err := range desk.Lines(deps, records) {
			if err == nil {
				err = write(out, line.Text+"\n")
			}
			if err != nil {
				return err
			}
		}
	default:
		return exit{exitRefused, fmt.Sprintf("there is no format %q; it can be md, json or txt", format)}
	}
	if n := skipped(); n != (record.Skipped{}) {
		fmt.Fprintf(s.stderr, "copydesk: %d damaged record(s) were skipped.\n", n.Records)
	}
	return nil
}

func asJSON(out io.Writer, id string, past desk.Past) error {
	e := exported{ID: id, Agent: past.Seat.Agent, Dir: past.Seat.Dir, Title: past.Seat.Title, Turns: []exportedTurn{}}
	for _, t := range past.Turns {
		e.Turns = append(e.Turns, exportedTurn(t))
	}
	enc := json.NewEncoder(out)
	enc.SetIndent("", "  ")
	return enc.Encode(e)
}

// cleaned is standard output; what goes to a terminal drives it no more than it
// could in the panel.
func (s sessions) cleaned() io.Writer {
	if xterm.IsTerminal(int(s.stdout.Fd())) {
		return cleaner{s.stdout}
	}
	return s.stdout
}

type cleaner struct{ out io.Writer }

func (c cleaner) Write(b []byte) (int, error) {
	_, err := io.WriteString(c.out, text.Clean(string(b)))
	return len(b), err
}

func write(out io.Writer, s string) error {
	_, err := io.WriteString(out, s)
	return err
}

func (s sessions) remove(ctx context.Context, ids []string) error {
	for _, id := range ids {
		id, err := which(ctx, s.shelf, "", id)
		if err != nil {
			return err
		}
		if err := s.store.Remove(id); err != nil {
			return err
		}
		fmt.Fprintln(s.stdout, "Deleted "+id+".")
	}
	return nil
}
