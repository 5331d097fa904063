package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"copydesk/config"
	"copydesk/core"
	"copydesk/core/clipboard"
	"copydesk/core/desk"
	"copydesk/core/markdown"
	"copydesk/platform/agent/playground"
	"copydesk/platform/deliver"
	"copydesk/platform/term"
	"copydesk/ui"
	"copydesk/ui/keys"
	"copydesk/ui/theme"

	"github.com/rivo/tview"
)

// closeLimit is how long agents may take to let go when the desk ends.
const closeLimit = time.Second

// startDesk runs the desk on this terminal until the user leaves.
func startDesk(p process, f flags, given map[string]any) error {
	settings, err := load(p, f, given)
	if err != nil {
		return err
	}
	state, err := config.StateDir(p.env)
	if err != nil {
		return err
	}
	guard := term.NewGuard(term.GuardOptions{
		Program: "copydesk", Version: version, CrashDir: filepath.Join(state, "crashes"), Hide: p.args, Stderr: p.stderr,
	})
	var failure error
	guard.Run(func() {
		failure = session{p, options(p, f, given), settings, state, guard}.run()
	})
	return failure
}

// A session is one run of the desk.
type session struct {
	process
	options  config.Options
	settings config.Config
	state    string // the state folder
	guard    *term.Guard
}

func (s session) run() error {
	logger, closeLog, err := openLog(s.state, s.settings.Log.Level)
	if err != nil {
		return err
	}
	defer closeLog()
	var app atomic.Pointer[ui.App]
	options := term.Options{
		Guard: s.guard, In: s.stdin, Out: s.stdout, Env: s.env, Mouse: true,
		PasteCut: func() {
			if a := app.Load(); a != nil {
				a.PasteCut()
			}
		},
	}
	if err := term.Check(options); err != nil {
		return err
	}
	db, err := s.database()
	if err != nil {
		return err
	}
	agent, err := playground.Open(playground.Options{Path: db, Messages: s.settings.Messages, Go: s.guard.Go})
	if err != nil {
		return err
	}
	terminal, err := term.Open(options)
	if err != nil {
		return errors.Join(err, agent.Close())
	}
	signals, unwatch := s.guard.Signals(terminal.Lost())
	defer unwatch()
	defer terminal.Close()

	highlight := markdown.Chroma()
	service := desk.New(desk.Deps{Now: time.Now, Go: s.guard.Go, Log: logger, Highlight: highlight, PanelLines: core.PanelLines})
	pane := service.Open(agent, true)
	where := shortened(db, s.env("HOME"))
	app.Store(s.frontEnd(service, pane, terminal, highlight, agent.Name()+" · "+where))
	pane.Note("The playground is ready, on "+where+". Type help to begin, F1 for the keys.", false)
	signalled, err := s.show(app.Load(), pane, terminal, signals)
	if e := s.end(service, agent); err == nil {
		err = e
	}
	if signalled != nil {
		return exit{code: term.ExitCode(signalled)}
	}
	return err
}

// database is the file that the playground works on. The state folder is made
// for it; a folder that the user named must be there.
func (s session) database() (string, error) {
	if s.settings.DB != "" {
		return s.settings.DB, nil
	}
	if err := os.MkdirAll(s.state, 0o700); err != nil {
		return "", fmt.Errorf("make the state folder: %w", err)
	}
	return filepath.Join(s.state, "playground.db"), nil
}

func (s session) frontEnd(service *desk.Desk, pane *desk.Pane, terminal *term.Terminal, highlight markdown.Highlighter, title string) *ui.App {
	return ui.New(ui.Deps{
		Screen:    terminal.Screen(),
		Pane:      pane,
		Changed:   service.Listen(),
		Clipboard: s.clipboard(terminal),
		SetTitle:  terminal.SetTitle,
		Suspend:   func(app *tview.Application) error { return terminal.Suspend(app) },
		Highlight: highlight,
		Commands:  service.Commands().Rows(),
		Title:     title,
		Hint:      "Type a command. help shows how to begin.",
		Settings:  s.front(s.settings, terminal),
		Now:       time.Now,
		After:     s.after,
		Go:        s.guard.Go,
	})
}

// end stops the turns and then closes the agent. An agent that does not let go
// is left alone: closing it beside its turn would be a race, and the process
// ends anyway.
func (s session) end(service *desk.Desk, agent *playground.Agent) error {
	limit, cancel := context.WithTimeout(context.Background(), closeLimit)
	defer cancel()
	if err := service.Close(limit); err != nil {
		return err
	}
	return agent.Close()
}

// show runs the front end until the user leaves, or a signal comes, which it
// returns.
func (s session) show(app *ui.App, pane *desk.Pane, terminal *term.Terminal, signals <-chan os.Signal) (signalled os.Signal, err error) {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	ended := make(chan struct{})
	s.guard.Go(func() {
		defer close(ended)
		select {
		case signalled = <-signals:
			stop()
		case <-ctx.Done():
		}
	})
	if err := s.follow(ctx, app, pane, terminal); err != nil {
		pane.Note(err.Error(), true)
	}
	err = app.Run(ctx)
	stop()
	<-ended
	return signalled, err
}

// follow takes changes of the configuration file over while the desk runs.
func (s session) follow(ctx context.Context, app *ui.App, pane *desk.Pane, terminal *term.Terminal) error {
	live := s.settings
	if s.options.Path == "" { // so that a first configuration is noticed too
		if path, err := config.Path(s.env); err == nil {
			_ = os.MkdirAll(filepath.Dir(path), 0o700) // without it nothing is watched
		}
	}
	return config.Watch(ctx, s.options, config.Deps{
		Go:   s.guard.Go,
		Live: live,
		Changed: func(c config.Config) {
			app.Configure(s.front(c, terminal))
			said := "The configuration was read anew."
			if late := config.NeedsRestart(live, c); len(late) > 0 {
				said += " The next start takes over: " + strings.Join(late, ", ") + "."
			}
			live = c
			pane.Note(said, false)
		},
		Refused: func(problems []config.Problem) {
			pane.Note("The configuration stays as it was: "+listed(problems), true)
		},
	})
}

// front makes the front end's settings. The configuration has been checked, so
// its keys compile.
func (s session) front(c config.Config, terminal *term.Terminal) ui.Settings {
	m, _ := keys.Compile(c.Keys.Map())
	th, err := theme.New(theme.Options{
		Name:      c.Theme,
		Colors:    terminal.Screen().Colors(),
		NoColor:   s.env("NO_COLOR") != "",
		ASCII:     terminal.ASCII(),
		ColorFGBG: s.env("COLORFGBG"),
	})
	if err != nil {
		panic(err) // config allows no name that theme does not know
	}
	return ui.Settings{Theme: th, Keys: m, Quiet: c.Approval.Quiet, Mouse: c.Mouse, CopyOnSelect: c.Clipboard.Select}
}

// clipboards is the delivery as the front end sees it.
type clipboards struct {
	*deliver.Deliverer
	selection *deliver.Deliverer
}

// Select sets the primary selection alone.
func (c clipboards) Select(ctx context.Context, content string) clipboard.Receipt {
	return c.selection.Copy(ctx, content)
}

// Doctor reports in plain text.
func (c clipboards) Doctor(ctx context.Context) string { return c.Deliverer.Doctor(ctx).Text() }

func (s session) clipboard(terminal *term.Terminal) ui.Clipboard {
	copies := delivery(s.process, s.settings.Clipboard, s.state, terminal, s.guard.Go)
	selection := copies
	selection.Selection, selection.Route, selection.Terminal = true, config.RouteNative, nil
	return clipboards{deliver.New(copies), deliver.New(selection)}
}

// after runs f once after d; stop prevents it.
func (s session) after(d time.Duration, f func()) (stop func()) {
	t := time.AfterFunc(d, func() { s.guard.Run(f) })
	return func() { t.Stop() }
}

// shortened is a path with the home folder as ~.
func shortened(path, home string) string {
	if rest, ok := strings.CutPrefix(path, home+string(filepath.Separator)); ok && home != "" {
		return filepath.Join("~", rest)
	}
	return path
}

// openLog opens the log file, if anything is to be logged. Nothing is ever
// written to standard error while the screen is up.
func openLog(state, level string) (*slog.Logger, func(), error) {
	if level == config.LevelOff {
		return slog.New(slog.DiscardHandler), func() {}, nil
	}
	var least slog.Level
	if err := least.UnmarshalText([]byte(level)); err != nil {
		return nil, nil, fmt.Errorf("read the log level: %w", err)
	}
	if err := os.MkdirAll(state, 0o700); err != nil {
		return nil, nil, fmt.Errorf("make the state folder: %w", err)
	}
	file, err := os.OpenFile(filepath.Join(state, "copydesk.log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, nil, fmt.Errorf("open the log: %w", err)
	}
	return slog.New(slog.NewTextHandler(file, &slog.HandlerOptions{Level: least})), func() { file.Close() }, nil
}
