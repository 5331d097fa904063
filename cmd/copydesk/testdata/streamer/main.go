// Streamer is the desk as copydesk builds it, with an agent that streams a file
// instead of a playground. The benchmarks run it beside the floor.
//
// Its argument is the file. The prompt "paced" streams it at 200 chunks a
// second, "full" as fast as it goes.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"os"
	"time"

	"copydesk/config"
	"copydesk/core"
	"copydesk/core/clipboard"
	"copydesk/core/desk"
	"copydesk/core/markdown"
	"copydesk/core/session"
	"copydesk/platform/term"
	"copydesk/ui"
	"copydesk/ui/keys"
	"copydesk/ui/theme"

	"github.com/rivo/tview"
)

const (
	pace  = time.Second / 200
	chunk = 16 // bytes
)

// streamer is an agent that answers with its content.
type streamer struct{ content string }

func (streamer) Name() string               { return "streamer" }
func (streamer) Echo(string) (string, bool) { return "stream", true }

func (s streamer) Run(ctx context.Context, prompt string) iter.Seq2[session.Event, error] {
	return func(yield func(session.Event, error) bool) {
		tick := time.NewTicker(pace)
		defer tick.Stop()
		for rest := s.content; rest != ""; {
			n := min(chunk, len(rest))
			if prompt == "paced" {
				select {
				case <-tick.C:
				case <-ctx.Done():
					return
				}
			}
			if !yield(session.Text{Chunk: rest[:n]}, nil) {
				return
			}
			rest = rest[n:]
		}
	}
}

// nowhere takes no copy.
type nowhere struct{}

func (nowhere) Copy(context.Context, string) clipboard.Receipt { return clipboard.Receipt{} }

// onePane is a desk that stays as it is.
type onePane struct{ pane ui.Pane }

func (o onePane) Panes() []ui.Pane                   { return []ui.Pane{o.pane} }
func (onePane) Agents(context.Context) []ui.AgentRow { return nil }
func (onePane) Open(string) error                    { return errors.ErrUnsupported }
func (onePane) Switch(ui.Pane, string) error         { return errors.ErrUnsupported }
func (onePane) Close(ui.Pane) error                  { return errors.ErrUnsupported }

func main() {
	guard := term.NewGuard(term.GuardOptions{Program: "streamer"})
	guard.Run(func() {
		if err := run(guard); err != nil {
			fmt.Fprintln(os.Stderr, "streamer:", err)
			os.Exit(1)
		}
	})
}

func (nowhere) File(context.Context, string, string) clipboard.Receipt { return clipboard.Receipt{} }

func (nowhere) Select(context.Context, string) clipboard.Receipt { return clipboard.Receipt{} }

func (nowhere) Doctor(context.Context) string { return "" }

func run(guard *term.Guard) error {
	if len(os.Args) != 2 {
		return errors.New("name the file to stream")
	}
	content, err := os.ReadFile(os.Args[1])
	if err != nil {
		return err
	}
	terminal, err := term.Open(term.Options{Guard: guard, Mouse: true})
	if err != nil {
		return err
	}
	defer terminal.Close()
	settings := config.Default()
	look, err := theme.New(theme.Options{Name: settings.Theme, Colors: terminal.Screen().Colors()})
	if err != nil {
		return err
	}
	bound, _ := keys.Compile(settings.Keys.Map())
	highlight := markdown.Chroma()
	service := desk.New(desk.Deps{
		Now: time.Now, Go: guard.Go, Log: slog.New(slog.NewTextHandler(io.Discard, nil)), Highlight: highlight, PanelLines: core.PanelLines,
	})
	pane := service.Open(streamer{string(content)}, desk.PaneOptions{Loose: true, Title: "streamer"})
	return ui.New(ui.Deps{
		Screen:    terminal.Screen(),
		Desk:      onePane{pane},
		Changed:   service.Listen(),
		Clipboard: nowhere{},
		SetTitle:  terminal.SetTitle,
		Suspend:   func(app *tview.Application) error { return terminal.Suspend(app) },
		Highlight: highlight,
		Commands:  service.Commands().Rows(),
		Settings:  ui.Settings{Theme: look, Keys: bound, Quiet: settings.Approval.Quiet, Mouse: settings.Mouse},
		Now:       time.Now,
		After: func(d time.Duration, f func()) (stop func()) {
			t := time.AfterFunc(d, f)
			return func() { t.Stop() }
		},
		Go: guard.Go,
	}).Run(context.Background())
}
