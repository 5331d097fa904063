// Package browser opens addresses in the browser of the user's desktop.
package browser

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os/exec"
	"time"
)

// startLimit is how long the program that opens an address may take; it hands
// it to a browser and ends.
const startLimit = 10 * time.Second

// A Browser opens addresses. Its functions may be called from any goroutine.
type Browser struct {
	GOOS     string // as runtime.GOOS
	Env      func(string) string
	LookPath func(string) (string, error)
	Run      func(*exec.Cmd) error // runs a command to its end
}

// ErrNoDesktop is what Open returns where no browser of the user's can be
// reached: over SSH, or without a desktop.
var ErrNoDesktop = errors.New("there is no desktop here to open it on")

// Open opens an http or https address. Nothing else is opened: a program is
// started with it (T31).
func (b Browser) Open(ctx context.Context, address string) error {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return fmt.Errorf("open %q: only http and https addresses are opened", address)
	}
	argv, err := b.opener()
	if err != nil {
		return err
	}
	path, err := b.LookPath(argv[0])
	if err != nil {
		return fmt.Errorf("open the address: %w", err)
	}
	ctx, stop := context.WithTimeout(ctx, startLimit)
	defer stop()
	cmd := exec.CommandContext(ctx, path, append(argv[1:], u.String())...)
	if err := b.Run(cmd); err != nil {
		return fmt.Errorf("open the address with %s: %w", argv[0], err)
	}
	return nil
}

// opener is the program that hands an address to the desktop.
func (b Browser) opener() ([]string, error) {
	remote := b.Env("SSH_CONNECTION") != "" || b.Env("SSH_TTY") != ""
	switch {
	case remote:
		return nil, ErrNoDesktop
	case b.GOOS == "darwin":
		return []string{"open"}, nil
	case b.GOOS == "windows":
		return []string{"rundll32", "url.dll,FileProtocolHandler"}, nil
	case b.Env("DISPLAY") != "" || b.Env("WAYLAND_DISPLAY") != "":
		return []string{"xdg-open"}, nil
	}
	return nil, ErrNoDesktop
}
