package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"time"

	"copydesk/config"
	"copydesk/core"
	"copydesk/core/clipboard"
	"copydesk/core/markdown"
	"copydesk/platform/browser"
	"copydesk/platform/deliver"
	"copydesk/platform/term"
	"copydesk/ui"
	"copydesk/ui/keys"
	"copydesk/ui/theme"

	"github.com/rivo/tview"
)

// closeLimit is how long agents may take to let go when the desk ends: as long as
// their processes are given, and a little more.
const closeLimit = core.StopEOF + core.StopTerm + time.Second

// hurryAfter is how long after a signal agents may take before they are killed:
// the desk itself has term.QuitLimit (R16, T60).
const hurryAfter = term.QuitLimit / 3

// startDesk runs the desk on this terminal until the user leaves.
func startDesk(p process, f flags, given map[string]any) error {
	settings, err := load(p, f, given)
	if err != nil {
		return err
	}
	state, lost := stateDir(p)
	if lost != nil && f.state {
		return exit{exitNoState, fmt.Sprintf("sessions cannot be stored: %v", lost)}
	}
	guard := term.NewGuard(term.GuardOptions{
		Program: "copydesk", Version: version, CrashDir: crashDir(state), Hide: append(newSecrets(p.environment()).list(), p.args...), Stderr: p.stderr,
	})
	var failure error
	guard.Run(func() {
		failure = session{p, f, options(p, f, given), settings, state, lost, guard}.run()
	})
	return failure
}

// stateDir is the folder for what the program remembers, and why nothing can be
// stored in it; nil: it can be. It is empty where there can be none.
func stateDir(p process) (dir string, lost error) {
	dir, err := config.StateDir(p.env)
	if err == nil {
		err = writable(dir)
	}
	if err != nil {
		return "", err
	}
	return dir, nil
}

// crashDir is where crash reports go, below the state folder if there is one.
func crashDir(state string) string {
	if state == "" {
		return ""
	}
	return filepath.Join(state, "crashes")
}

// A session is one run of the desk.
type session struct {
	process
	flags    flags
	options  config.Options
	settings config.Config
	state    string // the state folder; empty: nothing can be stored
	lost     error  // why not
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
	hurry, cut := context.WithCancel(context.Background())
	defer cut()
	var terminal *term.Terminal
	lend := func(ctx context.Context, run func() error) error {
		a := app.Load()
		if a == nil {
			return errors.New("the desk is not on the screen yet; try again")
		}
		return a.Lend(ctx, func(tv *tview.Application) error { return terminal.Lend(tv, run) })
	}
	agents, err := s.roster(hurry, logger, lend)
	if err != nil {
		return err
	}
	highlight := markdown.Chroma()
	open := s.panes(agents, highlight)
	ask, err := s.first(open)
	if err != nil {
		return err
	}
	if terminal, err = term.Open(options); err != nil {
		return errors.Join(err, s.end(open, closeLimit))
	}
	signals, unwatch := s.guard.Signals(terminal.Lost())
	defer unwatch()
	defer terminal.Close()

	terminal.SetNotices(notices(s.settings.Notify))
	app.Store(s.frontEnd(open, terminal, highlight, ask))
	signalled, err := s.show(app.Load(), agents, terminal, signals)
	if signalled != nil {
		defer s.after(hurryAfter, cut)()
	}
	kept := open.kept()
	limit := closeLimit
	if signalled != nil {
		limit = hurryAfter
	}
	if e := s.end(open, limit); err == nil {
		err = e
	}
	if signalled != nil {
		return exit{code: term.ExitCode(signalled)}
	}
	terminal.Close()
	s.hint(kept)
	return err
}

// roster is the agents that can be opened here. lend gives the terminal to a
// program that run runs; hurry ends when none may be asked to end any more.
func (s session) roster(hurry context.Context, logger *slog.Logger, lend func(ctx context.Context, run func() error) error) (*roster, error) {
	return newRoster(s.process, s.settings, s.state, running{
		log: logger, start: s.guard.Go, after: s.after, hurry: hurry, browse: s.browse,
		login: func(ctx context.Context, argv, env []string, dir string) error {
			return lend(ctx, func() error { return s.foreground(ctx, argv, env, dir) })
		},
	})
}

// foreground runs a program on the terminal of the desk until it ends.
func (s session) foreground(ctx context.Context, argv, env []string, dir string) error {
	c := exec.CommandContext(ctx, argv[0], argv[1:]...)
	c.Stdin, c.Stdout, c.Stderr, c.Env, c.Dir = s.stdin, s.stdout, s.stdout, env, dir
	return c.Run()
}

// browse opens an address on the user's desktop.
func (s session) browse(address string) error {
	b := browser.Browser{GOOS: runtime.GOOS, Env: s.env, LookPath: exec.LookPath, Run: (*exec.Cmd).Run}
	return b.Open(context.Background(), address)
}

func (s session) frontEnd(open panes, terminal *term.Terminal, highlight markdown.Highlighter, ask bool) *ui.App {
	deps := ui.Deps{
		Screen:      terminal.Screen(),
		Desk:        open,
		Changed:     open.Listen(),
		Clipboard:   s.clipboard(terminal),
		SetTitle:    terminal.SetTitle,
		SetWaiting:  terminal.SetWaiting,
		Notify:      terminal.Notify,
		Suspend:     func(app *tview.Application) error { return terminal.Suspend(app) },
		Highlight:   highlight,
		Commands:    open.Commands().Rows(),
		Settings:    s.front(s.settings, terminal),
		Now:         time.Now,
		After:       s.after,
		Go:          s.guard.Go,
		PickAtStart: ask,
	}
	if open.store != nil {
		deps.Sessions = stored{open, s.shelf(open.store), highlight}
		deps.History = open.history
	}
	return ui.New(deps)
}

// end stops the turns and closes the agents, which have so much time to let go of
// their own. An agent that does not is killed and left alone: closing it beside
// its turn would be a race, and the process ends anyway.
func (s session) end(open panes, patience time.Duration) error {
	limit, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	err := open.Desk.Close(limit)
	if open.history != nil {
		err = errors.Join(err, open.history.Flush(limit))
	}
	return err
}

// show runs the front end until the user leaves, or a signal comes, which it
// returns.
func (s session) show(app *ui.App, agents *roster, terminal *term.Terminal, signals <-chan os.Signal) (signalled os.Signal, err error) {
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
	if err := s.follow(ctx, app, agents, terminal); err != nil {
		app.Note(err.Error(), true)
	}
	err = app.Run(ctx)
	stop()
	<-ended
	return signalled, err
}

// follow takes changes of the configuration file over while the desk runs.
func (s session) follow(ctx context.Context, app *ui.App, agents *roster, terminal *term.Terminal) error {
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
			agents.configure(c)
			app.Configure(s.front(c, terminal))
			terminal.SetNotices(notices(c.Notify))
			said := "The configuration was read anew."
			if late := config.NeedsRestart(live, c); len(late) > 0 {
				said += " The next start takes over: " + strings.Join(late, ", ") + "."
			}
			live = c
			app.Note(said, false)
		},
		Refused: func(problems []config.Problem) {
			app.Note("The configuration stays as it was: "+listed(problems), true)
		},
	})
}

// notices says when and how the user is called.
func notices(c config.Notify) term.Notices {
	when := map[string]term.When{config.NotifyAlways: term.Always, config.NotifyUnfocused: term.Unfocused, config.NotifyNever: term.Never}
	return term.Notices{
		When: when[c.When], Bell: c.Has(config.NotifyBell), Desktop: c.Has(config.NotifyDesktop), Title: c.Has(config.NotifyTitle),
	}
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
