package deliver

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"copydesk/core/clipboard"
	"copydesk/core/text"
)

// fileWait is how long a file may take that is written after a copy's time is
// over, because nothing else took the text.
const fileWait = time.Second

// folder is where copies are saved that nobody named a file for, in the state
// folder.
const folder = "copies"

// errExists is that a file is there already. It is left as it is.
var errExists = errors.New("the file exists already, and was left as it is")

// File saves the text in a file instead of a clipboard (/copy file). The path
// may begin with ~/; without a path the file gets a name of its own in the state
// folder. Only the user can read a file that it makes; one that is there already
// is never written to, and neither is what a symbolic link points to. It blocks,
// up to the limit.
func (d *Deliverer) File(ctx context.Context, body, path string) clipboard.Receipt {
	receipt := clipboard.Receipt{Bytes: len(body)}
	if body == "" {
		receipt.Routes = []clipboard.RouteResult{{Reason: emptyText}}
		return receipt
	}
	ctx, cancel := context.WithTimeoutCause(ctx, d.limit, noAnswer(d.limit))
	defer cancel()
	receipt.Routes = []clipboard.RouteResult{d.save(ctx, body, path)}
	return receipt
}

// save writes the file on a goroutine of its own: a disk may not answer.
func (d *Deliverer) save(ctx context.Context, body, path string) clipboard.RouteResult {
	type saved struct {
		path string
		err  error
	}
	done := make(chan saved, 1)
	d.start(func() {
		path, err := d.write(body, path)
		done <- saved{path, err}
	})
	result := clipboard.RouteResult{Route: clipboard.RouteFile}
	select {
	case s := <-done:
		if s.err == nil {
			result.Outcome, result.Path = clipboard.Saved, text.CleanLine(s.path)
			return result
		}
		result.Reason = reason(s.err)
		if errors.Is(s.err, errExists) {
			result.Mend = "Name another file, or remove that one first."
		}
	case <-ctx.Done():
		result.Reason = reason(context.Cause(ctx))
	}
	return result
}

// write makes the file and returns its path.
func (d *Deliverer) write(body, path string) (string, error) {
	if path != "" {
		if rest, ok := strings.CutPrefix(path, "~/"); ok && d.env("HOME") != "" {
			path = filepath.Join(d.env("HOME"), rest)
		}
		path, err := filepath.Abs(path)
		if err != nil {
			return "", fmt.Errorf("find %s: %w", path, err)
		}
		return path, create(path, body)
	}
	if d.stateDir == "" {
		return "", errors.New("there is no state folder to save it in")
	}
	dir := filepath.Join(d.stateDir, folder)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("make the folder for copies: %w", err)
	}
	stamp := d.now().Format("20060102-150405")
	for n := 1; ; n++ {
		name := "copy-" + stamp + ".txt"
		if n > 1 {
			name = fmt.Sprintf("copy-%s-%d.txt", stamp, n)
		}
		path := filepath.Join(dir, name)
		if err := create(path, body); !errors.Is(err, errExists) {
			return path, err
		}
	}
}

// create writes a file that must not be there yet. What cannot be written whole
// is removed again.
func create(path, body string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL|noFollow, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s: %w", path, errExists)
	}
	if err != nil {
		return err
	}
	_, err = f.WriteString(body)
	if err = errors.Join(err, f.Close()); err != nil {
		return errors.Join(err, os.Remove(path))
	}
	return nil
}
