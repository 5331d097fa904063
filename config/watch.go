package config

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"time"

	"github.com/fsnotify/fsnotify"
)

const (
	// debounce is how long the file must have been left alone before it is
	// read: editors save in several steps.
	debounce = 100 * time.Millisecond

	// settle is how long a file that was found missing or empty is given to
	// come back before its absence counts: that is what a file looks like in
	// the middle of being saved, and live values must not fall back for it.
	settle = time.Second
)

// Deps are what a watch needs and whom it tells.
type Deps struct {
	// Go starts the watch's goroutine.
	Go func(func())

	// After stands in for time.After; nil is time.After itself.
	After func(time.Duration) <-chan time.Time

	// Live is the configuration in force when the watch begins, so that a
	// change saved since it was loaded is not missed.
	Live Config

	// Changed is handed each new configuration without problems that differs
	// from the one before, or that follows a refused one.
	Changed func(Config)

	// Refused is handed the problems of a configuration that is not taken;
	// the one before stays in force.
	Refused func([]Problem)
}

// Watch follows the file of o until ctx is done, and returns as soon as it
// does. Changed and Refused are called on the watch's goroutine, one at a
// time. The folder is watched and not the file, because editors put a new file
// in place of the old one; if the folder does not exist nothing is watched and
// there is no error.
//
// Viper's own WatchConfig is not used: it races with readers, and a file
// caught half saved sets live values to zero.
func Watch(ctx context.Context, o Options, d Deps) error {
	path, err := o.path()
	if err != nil {
		return err
	}
	if path, err = filepath.Abs(path); err != nil {
		return fmt.Errorf("watch the configuration: %w", err)
	}
	notify, err := fsnotify.NewWatcher()
	if err != nil {
		return fmt.Errorf("watch the configuration: %w", err)
	}
	err = notify.Add(filepath.Dir(path))
	if err != nil {
		notify.Close()
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return fmt.Errorf("watch the configuration: %w", err)
	}
	if d.After == nil {
		d.After = time.After
	}
	w := &watch{options: o, deps: d, path: path, notify: notify, live: d.Live}
	w.followLink()
	d.Go(func() {
		defer notify.Close()
		w.run(ctx)
	})
	return nil
}

// watch belongs to its goroutine.
type watch struct {
	options Options
	deps    Deps
	path    string
	target  string // where path leads if it is a link, else path
	notify  *fsnotify.Watcher
	live    Config
	refused bool // the last file read was not taken
}

func (w *watch) run(ctx context.Context) {
	settled := false
	due := w.deps.After(debounce)
	for {
		select {
		case <-ctx.Done():
			return
		case event, ok := <-w.notify.Events:
			if !ok {
				return
			}
			if w.concerns(event.Name) {
				settled = false
				due = w.deps.After(debounce)
			}
		case _, ok := <-w.notify.Errors:
			if !ok {
				return
			}
			// Events may have been lost, so look at the file itself.
			settled = false
			due = w.deps.After(debounce)
		case <-due:
			due = nil
			if !settled && w.empty() {
				settled = true
				due = w.deps.After(settle)
				continue
			}
			w.followLink()
			w.load()
		}
	}
}

func (w *watch) concerns(name string) bool {
	name = filepath.Clean(name)
	return name == w.path || name == w.target
}

// empty reports whether there is nothing in the file, or no file.
func (w *watch) empty() bool {
	info, err := os.Stat(w.path)
	if err != nil {
		return errors.Is(err, fs.ErrNotExist)
	}
	return info.Size() == 0
}

// followLink also watches the folder that the file really lies in: people keep
// their configuration elsewhere and link to it.
func (w *watch) followLink() {
	target, err := filepath.EvalSymlinks(w.path)
	if err != nil || target == w.target {
		return
	}
	w.target = target
	if dir := filepath.Dir(target); dir != filepath.Dir(w.path) {
		// Without the second watch only a change of the link is seen.
		_ = w.notify.Add(dir)
	}
}

func (w *watch) load() {
	c, problems, err := Load(w.options)
	if err != nil {
		problems = []Problem{{File: w.path, Text: err.Error()}}
	}
	if len(problems) > 0 {
		w.refused = true
		w.deps.Refused(problems)
		return
	}
	if !w.refused && reflect.DeepEqual(c, w.live) {
		return
	}
	w.refused, w.live = false, c
	w.deps.Changed(c)
}
