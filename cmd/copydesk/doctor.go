package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"copydesk/config"
	"copydesk/platform/deliver"
	"copydesk/platform/term"

	"github.com/spf13/cobra"
	xterm "golang.org/x/term"
)

// delivery says how copies are delivered from this process.
func delivery(p process, c config.Clipboard, state string, terminal deliver.Terminal, start func(func())) deliver.Options {
	exe, err := os.Executable()
	if err != nil {
		exe = os.Args[0]
	}
	return deliver.Options{
		Env: p.env, LookPath: exec.LookPath, Exe: exe, Terminal: terminal, Go: start,
		Route: c.Route, Command: c.Command, Limit: c.Timeout, Primary: c.Primary, Fleeting: !c.Persist,
		StateDir: state, Lineage: deliver.Lineage, ProcessEnv: deliver.ProcessEnv,
	}
}

// newDoctor is the command that tries every way of a copy, without a screen.
func newDoctor(p process, f *flags) *cobra.Command {
	asJSON := false
	c := &cobra.Command{
		Use: "doctor", Short: "Try every way a copy can take, and say what mends those that fail", Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			settings, err := load(p, *f, nil)
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
			terminal, leave := openTerminal(p)
			defer leave()
			options := delivery(p, settings.Clipboard, state, terminal, guard.Go)
			if bare, ok := terminal.(bareTerminal); ok {
				options.Answers52 = bare.attributes().Clipboard()
			}
			report := deliver.New(options).Doctor(context.Background())
			out := []byte(report.Text())
			if asJSON {
				if out, err = report.JSON(); err != nil {
					return err
				}
			}
			if _, err := p.stdout.Write(out); err != nil {
				return fmt.Errorf("write the report: %w", err)
			}
			if report.Works == deliver.WorksNot {
				return exit{code: exitFailed}
			}
			return nil
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

// A bareTerminal is a terminal that nothing is drawn on.
type bareTerminal struct{ file *os.File }

func (t bareTerminal) WriteRaw(p []byte) error {
	_, err := t.file.Write(p)
	return err
}

// attributes asks the terminal what it can do; none where it does not say. The
// desk does not ask: a terminal that stays mute would hold up its first frame.
func (t bareTerminal) attributes() deliver.Attributes {
	raw, err := t.file.SyscallConn() // Fd would take the deadline away
	if err != nil {
		return nil
	}
	var before *xterm.State
	if e := raw.Control(func(fd uintptr) { before, err = xterm.MakeRaw(int(fd)) }); e != nil || err != nil {
		return nil
	}
	found, _, err := deliver.AskAttributes(t.file, time.Now, deliver.AttributesWait)
	if e := raw.Control(func(fd uintptr) { err = errors.Join(err, xterm.Restore(int(fd), before)) }); e != nil || err != nil {
		return nil
	}
	return found
}

// openTerminal opens the terminal that the process was started from, if there is
// one; nothing but a terminal gets an escape sequence.
func openTerminal(p process) (terminal deliver.Terminal, leave func()) {
	if !xterm.IsTerminal(int(p.stdin.Fd())) && !xterm.IsTerminal(int(p.stdout.Fd())) {
		return nil, func() {}
	}
	file, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err == nil {
		return bareTerminal{file}, func() { file.Close() }
	}
	if xterm.IsTerminal(int(p.stdout.Fd())) {
		return bareTerminal{p.stdout}, func() {}
	}
	return nil, func() {}
}
