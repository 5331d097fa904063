package deliver

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	native "golang.design/x/clipboard"

	"copydesk/core"
	"copydesk/core/clipboard"
	"copydesk/core/text"
)

// OwnerArg is the hidden first argument that makes the program the owner of a
// clipboard and nothing else; see OwnerMain.
const OwnerArg = "__clip-owner"

// ownerLife is how long an owner serves a clipboard that nobody replaces.
const ownerLife = 24 * time.Hour

// ownerWishes is the variable that tells an owner what it is to do besides.
const ownerWishes = "COPYDESK_CLIP_OWNER"

// The wishes, separated by commas.
const (
	wishPrimary   = "primary"   // set the primary selection too
	wishSelection = "selection" // set the primary selection and nothing else
	wishLeash     = "leash"     // end when the pipe that is descriptor 3 ends
)

// answerBytes is the longest line an owner may answer with.
const answerBytes = 4 << 10

// own puts the text on the clipboard of this machine through a process of its
// own: an owner that outlives us keeps what we copied, one that hangs or dies
// takes nothing with it, and a display server that does not answer costs a
// killed process. It returns the name of the route that the owner took, "" if it
// did not say. An owner that is there already loses the clipboard to the new one,
// and ends.
func (d *Deliverer) own(ctx context.Context, environ []string, body string) (string, error) {
	answer, w, err := os.Pipe()
	if err != nil {
		return "", fmt.Errorf("open a pipe to the clipboard's owner: %w", err)
	}
	defer answer.Close()

	cmd := exec.Command(d.exe, OwnerArg)
	cmd.Dir = string(filepath.Separator)
	cmd.Stdin = strings.NewReader(body)
	cmd.Stdout = w
	cmd.WaitDelay = killDelay
	detach(cmd)
	leash, err := d.wish(cmd, environ)
	if err != nil {
		w.Close()
		return "", err
	}
	err = cmd.Start()
	w.Close()
	for _, f := range cmd.ExtraFiles {
		f.Close()
	}
	if err != nil {
		leash.Close()
		return "", fmt.Errorf("start the clipboard's owner: %w", err)
	}
	d.hold(leash)

	// A killed owner closes its end of the pipe, so the read ends with it.
	release := context.AfterFunc(ctx, func() { _ = killGroup(cmd) })
	line, err := bufio.NewReader(io.LimitReader(answer, answerBytes)).ReadString('\n')
	if !release() {
		_ = cmd.Wait()
		return "", context.Cause(ctx)
	}
	if err != nil {
		_ = killGroup(cmd)
		_ = cmd.Wait()
		return "", errors.New("the clipboard's owner ended without an answer")
	}
	d.start(func() { _ = cmd.Wait() })
	return parseAnswer(line)
}

// wish gives an owner its environment. The leash ends a fleeting one when it is
// closed, by us or with us.
func (d *Deliverer) wish(cmd *exec.Cmd, environ []string) (leash io.Closer, err error) {
	var wishes []string
	switch {
	case d.selection:
		wishes = append(wishes, wishSelection)
	case d.primary:
		wishes = append(wishes, wishPrimary)
	}
	leash = io.NopCloser(nil)
	if d.fleeting && runtime.GOOS != "windows" {
		r, w, err := os.Pipe()
		if err != nil {
			return nil, fmt.Errorf("open a pipe to the clipboard's owner: %w", err)
		}
		cmd.ExtraFiles = []*os.File{r}
		wishes, leash = append(wishes, wishLeash), w
	}
	cmd.Env = slices.Clone(environ)
	if len(wishes) > 0 {
		cmd.Env = append(cmd.Env, ownerWishes+"="+strings.Join(wishes, ","))
	}
	return leash, nil
}

// hold keeps the leash of the newest owner. The one before has lost the
// clipboard, or is about to.
func (d *Deliverer) hold(leash io.Closer) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.leash != nil {
		d.leash.Close()
	}
	d.leash = leash
}

// parseAnswer reads an owner's one line: "ok ROUTE" or "err ROUTE REASON".
func parseAnswer(line string) (route string, err error) {
	verdict, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
	route, reason, _ := strings.Cut(rest, " ")
	switch route {
	case clipboard.RouteX11, clipboard.RouteWayland, clipboard.RouteMac, clipboard.RouteWindows:
	default:
		route = ""
	}
	switch {
	case verdict == "ok" && route != "":
		return route, nil
	case verdict == "err" && reason != "":
		return route, errors.New(reason)
	}
	return route, errors.New("the clipboard's owner gave no answer that makes sense")
}

// OwnerMain is the whole of a process that was started with OwnerArg: it takes
// the text from stdin, puts it on this machine's clipboard, writes one line to
// stdout and, where the clipboard lives only as long as its owner (X11, Wayland),
// serves it until another program copies something, at most 24 hours. It returns
// the exit status. It must run before anything else in the process does, on the
// main goroutine: it changes signals and the environment.
func OwnerMain(stdin io.Reader, stdout io.Writer) int {
	// The user's terminal may close, and whoever started us may be gone before
	// our answer is read.
	signal.Ignore(syscall.SIGHUP, syscall.SIGINT, syscall.SIGPIPE)
	wishes := strings.Split(os.Getenv(ownerWishes), ",")
	o := owner{
		goos:   runtime.GOOS,
		init:   native.Init,
		write:  writeNative(slices.Contains(wishes, wishPrimary)),
		getenv: os.Getenv,
		setenv: os.Setenv,
		after:  time.After,
	}
	if slices.Contains(wishes, wishSelection) {
		o.write = writeSelection
	}
	if slices.Contains(wishes, wishLeash) {
		o.released = ended(os.NewFile(3, "leash"))
	}
	return o.serve(stdin, stdout)
}

// writeNative writes with the library. That the primary selection cannot be set
// is no failure.
func writeNative(primary bool) func(p []byte) ([]<-chan struct{}, error) {
	return func(p []byte) ([]<-chan struct{}, error) {
		lost, err := native.Write(context.Background(), native.FmtText, p)
		if err != nil || !primary {
			return []<-chan struct{}{lost}, err
		}
		also, err := native.Write(context.Background(), native.FmtText, p, native.FromPrimary())
		if err != nil {
			return []<-chan struct{}{lost}, nil
		}
		return []<-chan struct{}{lost, also}, nil
	}
}

// writeSelection writes the primary selection alone.
func writeSelection(p []byte) ([]<-chan struct{}, error) {
	lost, err := native.Write(context.Background(), native.FmtText, p, native.FromPrimary())
	return []<-chan struct{}{lost}, err
}

// ended fires when nothing more can come from a pipe. It reads on a goroutine
// that no guard needs to watch: an owner has no terminal to restore.
func ended(pipe io.Reader) <-chan struct{} {
	done := make(chan struct{})
	time.AfterFunc(0, func() {
		defer close(done)
		_, _ = io.Copy(io.Discard, pipe)
	})
	return done
}

// An owner owns the clipboard of a machine. Its functions stand between it and
// the machine.
type owner struct {
	goos     string
	init     func() error
	write    func(p []byte) (lost []<-chan struct{}, err error) // one fires for each selection
	getenv   func(name string) string
	setenv   func(name, value string) error
	after    func(time.Duration) <-chan time.Time
	released <-chan struct{} // fires when it is to end; nil never does
}

func (o owner) serve(stdin io.Reader, stdout io.Writer) int {
	body, err := io.ReadAll(stdin)
	if err != nil {
		return 1
	}
	route, lost, err := o.take(body)
	if err != nil {
		fmt.Fprintf(stdout, "err %s %s\n", route, text.CleanLine(err.Error()))
		return 1
	}
	if _, err := fmt.Fprintf(stdout, "ok %s\n", route); err != nil && lost == nil {
		return 1
	}
	if lost == nil {
		return 0
	}
	dead := o.after(ownerLife)
	for _, selection := range lost {
		select {
		case <-selection:
		case <-o.released:
			return 0
		case <-dead:
			return 0
		}
	}
	return 0
}

// take puts the text on the clipboard. The channels fire when another program
// takes it over; there are none where the system keeps the text itself.
//
// The library does not say whether it speaks Wayland or X11, and above
// core.X11NativeBytes it must not be used on X11: its request length wraps, and
// bytes of the text are executed by the X server. So it is asked without a
// DISPLAY first. What answers then is Wayland, for good; otherwise the write
// goes to the X server of the DISPLAY that was put back.
func (o owner) take(body []byte) (route string, lost []<-chan struct{}, err error) {
	switch o.goos {
	case "darwin", "windows":
		route = clipboard.RouteMac
		if o.goos == "windows" {
			route = clipboard.RouteWindows
		}
		if err := o.init(); err != nil {
			return route, nil, err
		}
		_, err := o.write(body)
		return route, nil, err
	}

	display := o.getenv("DISPLAY")
	if err := o.setenv("DISPLAY", ""); err != nil {
		return clipboard.RouteX11, nil, fmt.Errorf("hide DISPLAY: %w", err)
	}
	if o.init() == nil {
		if lost, err = o.write(body); err != nil {
			return clipboard.RouteWayland, nil, fmt.Errorf("the compositor did not take it: %w", err)
		}
		return clipboard.RouteWayland, lost, nil
	}
	switch {
	case display == "":
		return clipboard.RouteWayland, nil, errors.New("the compositor gives no access to its clipboard")
	case len(body) > core.X11NativeBytes:
		return clipboard.RouteX11, nil, tooLong(len(body), core.X11NativeBytes)
	}
	if err := o.setenv("DISPLAY", display); err != nil {
		return clipboard.RouteX11, nil, fmt.Errorf("set DISPLAY: %w", err)
	}
	if lost, err = o.write(body); err != nil {
		return clipboard.RouteX11, nil, fmt.Errorf("cannot reach the X server %s", display)
	}
	return clipboard.RouteX11, lost, nil
}
