// Copydesk is a full-screen terminal console in which a SQL playground, or an
// agent, works beside the user, and from which everything can be copied exactly.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"copydesk/platform/deliver"
	"copydesk/platform/term"
)

// version is set by the build (-X main.version=…).
var version = "dev"

// The exit codes.
const (
	exitOK      = 0
	exitFailed  = 1
	exitRefused = 2 // no terminal, or words that cannot be understood
	exitNoState = 3 // --require-state, and sessions cannot be stored (R23)
)

// A process is what the operating system gives a program.
type process struct {
	args   []string
	stdin  *os.File
	stdout *os.File
	stderr io.Writer
	env    func(string) string

	// environ is os.Environ or stands in for it; nil is an empty environment.
	environ func() []string
}

// environment is what programs that are started inherit.
func (p process) environment() []string {
	if p.environ == nil {
		return nil
	}
	return p.environ()
}

func main() {
	os.Exit(run(process{args: os.Args[1:], stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, env: os.Getenv, environ: os.Environ}))
}

// run is the program from its arguments to its exit code.
func run(p process) int {
	if len(p.args) == 1 && p.args[0] == deliver.OwnerArg {
		return deliver.OwnerMain(p.stdin, p.stdout)
	}
	return exitCode(execute(p), p.stderr)
}

// An exit is an error that has its own exit code. Without a text nothing is
// left to say.
type exit struct {
	code int
	text string
}

func (e exit) Error() string { return e.text }

func exitCode(err error, stderr io.Writer) int {
	if err == nil {
		return exitOK
	}
	if text := err.Error(); text != "" {
		fmt.Fprintln(stderr, "copydesk: "+text)
	}
	var own exit
	var missing *term.NotATerminal
	var unusable *term.UnusableTerminal
	switch {
	case errors.As(err, &own):
		return own.code
	case errors.As(err, &missing), errors.As(err, &unusable):
		return exitRefused
	}
	return exitFailed
}
