package config

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// clock hands out timers that fire when a test says so.
type clock struct {
	mu     sync.Mutex
	length time.Duration
	timer  chan time.Time // the timer asked for last; the watch waits for no other
}

func (c *clock) after(d time.Duration) <-chan time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.length, c.timer = d, make(chan time.Time, 1)
	return c.timer
}

// fire lets a timer of the given length end and reports whether one ran.
func (c *clock) fire(d time.Duration) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.timer == nil || c.length != d {
		return false
	}
	c.timer <- time.Time{}
	c.timer = nil
	return true
}

// watching is a running watch and what it has said.
type watching struct {
	t       *testing.T
	path    string
	clock   *clock
	mu      sync.Mutex
	looks   int // how often the file has been read
	changed []Config
	refused [][]Problem
}

// watchFile watches a file with the given text.
func watchFile(t *testing.T, path, text string) *watching {
	t.Helper()
	write(t, path, text)
	live, problems, err := Load(Options{Path: path})
	if err != nil || problems != nil {
		t.Fatal(err, problems)
	}
	return watchFrom(t, Options{Path: path}, path, live)
}

func watchFrom(t *testing.T, o Options, path string, live Config) *watching {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	w := &watching{t: t, path: path, clock: &clock{}}
	t.Cleanup(func() {
		cancel()
		running.Wait()
		goleak.VerifyNone(t)
	})
	o.Checks = append(o.Checks, func(Config) []Problem {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.looks++
		return nil
	})
	err := Watch(ctx, o, Deps{
		Go:    running.Go,
		After: w.clock.after,
		Live:  live,
		Changed: func(c Config) {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.changed = append(w.changed, c)
		},
		Refused: func(p []Problem) {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.refused = append(w.refused, p)
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// until polls, and fires the timers of the given lengths meanwhile.
func (w *watching) until(what string, done func() bool, lengths ...time.Duration) {
	w.t.Helper()
	deadline := time.Now().Add(10 * time.Second)
	for !done() {
		if time.Now().After(deadline) {
			w.t.Fatalf("waited 10 s for %s; changed %v, refused %v", what, w.changed, w.refused)
		}
		for _, d := range lengths {
			w.clock.fire(d)
		}
		time.Sleep(time.Millisecond)
	}
}

// look waits until the file has been read once more.
func (w *watching) look() {
	w.t.Helper()
	w.mu.Lock()
	before := w.looks
	w.mu.Unlock()
	w.until("a look at the file", func() bool {
		w.mu.Lock()
		defer w.mu.Unlock()
		return w.looks > before
	}, debounce, settle)
}

// theme waits until the newest configuration handed out has a theme.
func (w *watching) theme(want string) {
	w.t.Helper()
	w.until("theme "+want, func() bool {
		w.mu.Lock()
		defer w.mu.Unlock()
		return len(w.changed) > 0 && w.changed[len(w.changed)-1].Theme == want
	}, debounce, settle)
}

// refusal waits until the newest refusal holds a text.
func (w *watching) refusal(want string) {
	w.t.Helper()
	w.until("the refusal "+want, func() bool {
		w.mu.Lock()
		defer w.mu.Unlock()
		if len(w.refused) == 0 {
			return false
		}
		last := w.refused[len(w.refused)-1]
		return len(last) > 0 && strings.Contains(last[0].String(), want)
	}, debounce, settle)
}

func (w *watching) handedOut() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.changed)
}

func (w *watching) replace(text string) {
	w.t.Helper()
	write(w.t, w.path+"~", text)
	if err := os.Rename(w.path+"~", w.path); err != nil {
		w.t.Fatal(err)
	}
}

func configIn(dir string) string { return filepath.Join(dir, "config.yaml") }

func TestCFG3_SavedChangeTakesEffect(t *testing.T) {
	w := watchFile(t, configIn(t.TempDir()), "theme: dark\n")
	w.look()
	write(t, w.path, "theme: light\n")
	w.theme("light")
	w.replace("theme: auto\n")
	w.theme("auto")
	w.replace("theme: dark\n")
	w.theme("dark")
}

func TestCFG3_BadChangeIsRefusedAndMendedLater(t *testing.T) {
	w := watchFile(t, configIn(t.TempDir()), "theme: dark\n")
	write(t, w.path, "theme: dark\nmouse: maybe\n")
	w.refusal(`config.yaml:2: mouse: "maybe" is not true or false`)
	w.replace("theme: \"da\n")
	w.refusal("config.yaml:1: cannot be read as YAML")
	if n := w.handedOut(); n != 0 {
		t.Errorf("%d configurations handed out while the file was bad", n)
	}
	// The same as before the mistake: said again, so that the user knows.
	write(t, w.path, "theme: dark\n")
	w.theme("dark")
}

func TestWatchRunsTheChecks(t *testing.T) {
	path := configIn(t.TempDir())
	write(t, path, "")
	check := func(c Config) []Problem {
		if len(c.Keys) == 0 {
			return nil
		}
		return []Problem{{Path: "keys.copy-all", Text: `"ctrl+" is not a key`}}
	}
	w := watchFrom(t, Options{Path: path, Checks: []Check{check}}, path, Default())
	write(t, path, "keys:\n  copy-all: ctrl+\n")
	w.refusal(`config.yaml:2: keys.copy-all: "ctrl+" is not a key`)
}

func TestWatchSeesTheFileAppear(t *testing.T) {
	home := t.TempDir()
	dir := filepath.Join(home, ".config", "copydesk")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	w := watchFrom(t, Options{Env: environment("HOME=" + home)}, configIn(dir), Default())
	w.look()
	write(t, w.path, "theme: light\n")
	w.theme("light")
}

func TestWatchSeesWhatWasSavedBeforeItBegan(t *testing.T) {
	path := configIn(t.TempDir())
	write(t, path, "theme: light\n")
	w := watchFrom(t, Options{Path: path}, path, Default())
	w.theme("light")
}

func TestWatchWithoutAFolderIsNoError(t *testing.T) {
	err := Watch(t.Context(), Options{Env: environment("HOME=" + t.TempDir())}, Deps{
		Go: func(func()) { t.Error("something was started") },
	})
	if err != nil {
		t.Error(err)
	}
	if err := Watch(t.Context(), Options{}, Deps{}); err == nil {
		t.Error("no error without HOME")
	}
}

// A file that is empty or gone is most often being saved: the values in force
// must not fall back to the defaults for that.
func TestHalfSavedFileKeepsLiveValues(t *testing.T) {
	home := t.TempDir()
	dir := filepath.Join(home, ".config", "copydesk")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, configIn(dir), "theme: dark\n")
	o := Options{Env: environment("HOME=" + home)}
	live, _, err := Load(o)
	if err != nil {
		t.Fatal(err)
	}
	w := watchFrom(t, o, configIn(dir), live)

	halves := map[string]func(){
		"empty": func() { write(t, w.path, "") },
		"gone":  func() { _ = os.Remove(w.path) },
	}
	for name, half := range halves {
		before := w.handedOut()
		half()
		w.until("the wait for an "+name+" file", func() bool {
			w.clock.mu.Lock()
			defer w.clock.mu.Unlock()
			return w.clock.timer != nil && w.clock.length == settle
		}, debounce)
		if w.handedOut() != before {
			t.Errorf("%s: a configuration was handed out at once", name)
		}
		write(t, w.path, "theme: light\n")
		w.theme("light")
		write(t, w.path, "theme: dark\n")
		w.theme("dark")
	}

	// One that stays gone means the defaults.
	if err := os.Remove(w.path); err != nil {
		t.Fatal(err)
	}
	w.theme("auto")
}

// With --config the file must exist, also later.
func TestWatchRefusesANamedFileThatIsDeleted(t *testing.T) {
	w := watchFile(t, configIn(t.TempDir()), "theme: dark\n")
	if err := os.Remove(w.path); err != nil {
		t.Fatal(err)
	}
	w.refusal("config.yaml: read the configuration")
	write(t, w.path, "theme: light\n")
	w.theme("light")
}

func TestWatchIgnoresOtherFilesAndEqualValues(t *testing.T) {
	w := watchFile(t, configIn(t.TempDir()), "theme: dark\n")
	w.look()
	write(t, filepath.Join(filepath.Dir(w.path), "other.yaml"), "theme: light\n")
	write(t, w.path, "theme: dark # the same\n")
	w.look()
	write(t, w.path, "theme: light\n")
	w.theme("light")
	if n := w.handedOut(); n != 1 {
		t.Errorf("handed out %d configurations, want 1", n)
	}
}

func TestWatchFollowsALink(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need a privilege there")
	}
	real, dir := configIn(t.TempDir()), t.TempDir()
	write(t, real, "theme: dark\n")
	if err := os.Symlink(real, configIn(dir)); err != nil {
		t.Fatal(err)
	}
	live, _, err := Load(Options{Path: configIn(dir)})
	if err != nil {
		t.Fatal(err)
	}
	w := watchFrom(t, Options{Path: configIn(dir)}, configIn(dir), live)
	w.look()
	write(t, real, "theme: light\n")
	w.theme("light")
}
