package term

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// GuardOptions says what a guard does with a panic. The zero value is usable.
type GuardOptions struct {
	Program string // for the line on standard error; default "the program"
	Version string // for the crash report

	// CrashDir is where crash reports go; it is made when needed. When it is
	// empty or cannot be written, the report goes to Stderr.
	CrashDir string

	// Hide are texts that no report may show: arguments and values from the
	// environment.
	Hide []string

	Stderr io.Writer        // default os.Stderr
	Exit   func(int)        // default os.Exit
	Now    func() time.Time // default time.Now
}

// ExitPanic is the exit code after a panic (R19).
const ExitPanic = 2

// A Guard starts the goroutines of the program and ends the program when one
// of them panics: terminal restored, report written, one line on standard
// error, exit code 2. A panic in a bare goroutine would end the program with
// the terminal in raw mode, and no recover elsewhere can see it. Its methods
// are safe from any goroutine.
type Guard struct {
	o       GuardOptions
	restore atomic.Pointer[func()]
	once    sync.Once
	after   func(time.Duration, func()) // runs its function guarded
	lent    atomic.Bool                 // another program has the terminal
}

// NewGuard makes a guard; Open attaches a terminal to it.
func NewGuard(o GuardOptions) *Guard {
	if o.Program == "" {
		o.Program = "The program"
	}
	if o.Stderr == nil {
		o.Stderr = os.Stderr
	}
	if o.Exit == nil {
		o.Exit = os.Exit
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	g := &Guard{o: o}
	g.after = func(d time.Duration, f func()) { time.AfterFunc(d, func() { g.Run(f) }) }
	return g
}

// attach sets what brings the terminal back.
func (g *Guard) attach(restore func()) { g.restore.Store(&restore) }

// Go runs f in a new goroutine. Every goroutine of the program starts here.
func (g *Guard) Go(f func()) { go g.Run(f) }

// Run runs f on this goroutine and takes its panic; the main goroutine's work
// belongs in it.
func (g *Guard) Run(f func()) {
	defer func() {
		if fault := recover(); fault != nil {
			g.crash(fault, debug.Stack())
		}
	}()
	f()
}

// end restores the terminal and exits.
func (g *Guard) end(code int) {
	g.restoreNow()
	g.o.Exit(code)
}

func (g *Guard) restoreNow() {
	if restore := g.restore.Load(); restore != nil {
		(*restore)()
	}
}

// crash ends the program after the first panic; later ones have nothing to
// add.
func (g *Guard) crash(fault any, stack []byte) {
	g.once.Do(func() {
		// Whatever goes wrong in here, the exit code stands.
		defer g.o.Exit(ExitPanic)
		defer func() { _ = recover() }()
		g.restoreNow()
		report := g.report(fault, stack)
		path, err := g.save(report)
		if err != nil {
			fmt.Fprintf(g.o.Stderr, "%s stopped after a fault of its own, and no report could be saved: %v.\n%s", g.o.Program, err, report)
			return
		}
		fmt.Fprintf(g.o.Stderr, "%s stopped after a fault of its own. Please send in the report: %s\n", g.o.Program, path)
	})
}

// maxFault is how much of the panic's text a report shows, in bytes: it may
// carry what an agent wrote.
const maxFault = 2000

func (g *Guard) report(fault any, stack []byte) string {
	what := fmt.Sprint(fault)
	if len(what) > maxFault {
		what = what[:maxFault] + "…"
	}
	text := fmt.Sprintf("%s %s\n%s\n\npanic: %s\n\n%s", g.o.Program, g.o.Version,
		g.o.Now().UTC().Format(time.RFC3339), plain(what), plain(string(stack)))
	for _, secret := range g.o.Hide {
		if len(secret) >= 4 { // shorter ones would tear the stack apart
			text = strings.ReplaceAll(text, secret, "[hidden]")
		}
	}
	return text
}

// plain takes out what could drive a terminal.
func plain(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 {
			return -1
		}
		return r
	}, s)
}

// save writes a report that only its owner can read, and returns its path.
func (g *Guard) save(report string) (string, error) {
	if g.o.CrashDir == "" {
		return "", fmt.Errorf("no directory is set for it")
	}
	if err := os.MkdirAll(g.o.CrashDir, 0o700); err != nil {
		return "", err
	}
	name := fmt.Sprintf("crash-%s-%d.txt", g.o.Now().UTC().Format("20060102T150405.000Z"), os.Getpid())
	path := filepath.Join(g.o.CrashDir, name)
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return "", err
	}
	_, err = f.WriteString(report)
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	return path, err
}
