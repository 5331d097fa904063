package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"copydesk/config"
	child "copydesk/platform/agent/process"
)

const (
	keyLimit = 10 * time.Second // for the program that prints a key
	keyBytes = 64 << 10         // of what it prints
)

// key says how a chat gets its key; nil where it needs none. It is not kept
// here, because some keys live for minutes only, and hidden from the log from
// then on.
func (r *roster) key(o config.OpenAI) func(context.Context) (string, error) {
	var get func(context.Context) (string, error)
	switch {
	case o.KeyEnv != "":
		get = func(context.Context) (string, error) {
			if v := strings.TrimSpace(r.env(o.KeyEnv)); v != "" {
				return v, nil
			}
			return "", fmt.Errorf("the variable %s is not set, and the key is in it; set it and start again", o.KeyEnv)
		}
	case len(o.KeyCommand) > 0:
		get = func(ctx context.Context) (string, error) { return r.printed(ctx, o.KeyCommand) }
	default:
		return nil
	}
	return func(ctx context.Context) (string, error) {
		key, err := get(ctx)
		if err != nil {
			return "", err
		}
		r.secrets.add(key)
		if strings.ContainsFunc(key, func(c rune) bool { return c <= ' ' || c > '~' }) {
			return "", errors.New("the key holds a character that no key has; see that the variable or the command gives the key alone")
		}
		return key, nil
	}
}

// printed runs a program and gives the first line that it prints. Neither what
// it prints nor what it complains about goes anywhere else: both may be the
// key (T37). It works in the home folder, not in a repository's.
func (r *roster) printed(ctx context.Context, argv []string) (string, error) {
	ctx, stop := context.WithTimeout(ctx, keyLimit)
	defer stop()
	p, err := child.Start(child.Options{Argv: argv, Dir: r.env("HOME"), Env: r.inherited(), Go: r.start})
	if err != nil {
		return "", fmt.Errorf("get the key: %w", err)
	}
	defer func() { _ = p.Stop(ctx) }() // what is left of it has nothing to say
	_ = p.Stdin.Close()
	read := make(chan []byte, 1)
	r.start(func() {
		out, _ := io.ReadAll(io.LimitReader(p.Stdout, keyBytes))
		read <- out
	})
	var out []byte
	select {
	case out = <-read:
	case <-ctx.Done():
		_ = p.Kill()
		return "", late(argv[0], ctx)
	}
	select {
	case <-p.Done():
	case <-ctx.Done():
		_ = p.Kill()
		return "", late(argv[0], ctx)
	}
	line, _, _ := strings.Cut(string(out), "\n")
	switch line = strings.TrimSpace(line); {
	case p.ExitCode() != 0:
		return "", fmt.Errorf("get the key: %s ended with %s; run it in a terminal to see why", argv[0], p.Exit())
	case line == "":
		return "", fmt.Errorf("get the key: %s printed nothing", argv[0])
	}
	return line, nil
}

func late(program string, ctx context.Context) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return fmt.Errorf("get the key: %s took longer than %s; run it in a terminal to see why", program, keyLimit)
	}
	return fmt.Errorf("get the key: %w", ctx.Err())
}
