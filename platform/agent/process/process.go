// Package process runs a program that outlives none of us: in a session of its
// own, with pipes, and with an end that takes all that it started along (T60).
package process

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"

	"copydesk/core"
)

// lastWords is how long the end of a program waits for what it said on its
// standard error: a child that it left behind can hold the pipe for ever.
const lastWords = 300 * time.Millisecond

// Options say what to run. Argv and Go are required.
type Options struct {
	// Argv is the program and its arguments. A name without a separator is
	// looked for in the PATH of Env; a relative path begins at Dir.
	Argv []string

	// Dir is the directory that it runs in; empty: ours.
	Dir string

	// Env is the whole environment, "NAME=value" each. Nothing of ours is
	// added; nil is an empty one (T38).
	Env []string

	// Joined makes what is said on standard error a part of Stdout, in the
	// order in which it was said; Stderr is empty then.
	Joined bool

	// Go starts a goroutine.
	Go func(func())

	// After calls f after d unless it is stopped before; nil: time.AfterFunc.
	After func(d time.Duration, f func()) (stop func())
}

// A Process is a program that runs or has run. Its methods are safe from any
// goroutine.
type Process struct {
	// Stdin is the program's standard input. A Write that the program does
	// not read blocks until Close or Stop; both may come from elsewhere.
	Stdin io.WriteCloser

	// Stdout is the program's standard output. It ends when the program and
	// all that it started have closed it, and with Stop at the latest, which
	// drops what nobody has read by then. One goroutine reads it.
	Stdout io.Reader

	cmd   *exec.Cmd
	group group
	goes  func(func())
	after func(time.Duration, func()) func()

	out     *output
	errout  *os.File      // nil: joined
	tail    ring          // of errout
	drained chan struct{} // closed when errout has ended

	exited chan struct{} // closed when the program is reaped
	done   chan struct{}

	mu    sync.Mutex
	empty bool // the group has no member, and its number may be another's

	stopping sync.Once
	hurrying sync.Once
	hurry    chan struct{} // closed when Stop is to waste no more time
	stopped  chan struct{}
	failed   error // of Stop; read it after stopped is closed
}

// Start starts a program. Its error names the command and what to do about
// it. Whoever started a program has to Stop it, also when it has ended by
// itself: what it left behind ends with that.
//
// The program gets no descriptor but 0, 1 and 2 (T38), and no terminal: what it
// would ask there (ssh, sudo) fails and does not garble the screen.
func Start(o Options) (*Process, error) {
	cmd, err := command(o)
	if err != nil {
		return nil, err
	}
	p := &Process{
		cmd:     cmd,
		goes:    o.Go,
		after:   o.After,
		drained: make(chan struct{}),
		exited:  make(chan struct{}),
		done:    make(chan struct{}),
		hurry:   make(chan struct{}),
		stopped: make(chan struct{}),
	}
	if p.after == nil {
		p.after = func(d time.Duration, f func()) func() {
			timer := time.AfterFunc(d, f)
			return func() { timer.Stop() }
		}
	}
	if err := p.launch(o.Joined); err != nil {
		return nil, explain(o, cmd.Path, err)
	}
	p.goes(p.wait)
	return p, nil
}

// launch makes the pipes and starts the program.
func (p *Process) launch(joined bool) (err error) {
	var ours, theirs []*os.File
	defer func() {
		closeAll(theirs)
		if err != nil {
			closeAll(ours)
		}
	}()
	pipe := func() (r, w *os.File) {
		if err == nil {
			if r, w, err = os.Pipe(); err != nil {
				err = fmt.Errorf("open a pipe: %w", err)
			}
		}
		return r, w
	}
	theirIn, in := pipe()
	out, theirOut := pipe()
	ours, theirs = []*os.File{in, out}, []*os.File{theirIn, theirOut}
	theirErr := theirOut
	if !joined {
		p.errout, theirErr = pipe()
		ours, theirs = append(ours, p.errout), append(theirs, theirErr)
	}
	if err != nil {
		return err
	}

	p.out = &output{file: out, ended: make(chan struct{})}
	p.Stdin, p.Stdout = in, p.out
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = theirIn, theirOut, theirErr
	prepare(p.cmd)
	if err := p.cmd.Start(); err != nil {
		return err
	}
	p.group = adopt(p.cmd)
	if joined {
		close(p.drained)
	} else {
		p.goes(p.drain)
	}
	return nil
}

func closeAll(files []*os.File) {
	for _, file := range files {
		if file != nil {
			file.Close()
		}
	}
}

// drain reads what the program says on its standard error as fast as it says
// it, and keeps the end (R9).
func (p *Process) drain() {
	defer close(p.drained)
	defer p.errout.Close()
	chunk := make([]byte, 32<<10)
	for {
		n, err := p.errout.Read(chunk)
		p.tail.write(chunk[:n])
		if err != nil {
			return
		}
	}
}

// wait reaps the program as soon as it ends: it never stays a zombie (R3).
func (p *Process) wait() {
	p.cmd.Wait() // ProcessState says all that the error does
	p.alive()    // while the group's number cannot be another's yet
	close(p.exited)
	p.await(lastWords, p.drained, nil)
	close(p.done)
}

// await waits for one of two events, either of which may be nil, and for d at
// most. It reports whether one came.
func (p *Process) await(d time.Duration, event, other <-chan struct{}) bool {
	late := make(chan struct{})
	defer p.after(d, func() { close(late) })()
	select {
	case <-event:
	case <-other:
	case <-late:
		return false
	}
	return true
}

// PID is the process id of the program, and the id of its process group.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Done is closed when the program has ended and what it said on its standard
// error is in Stderr. What it started may still run.
func (p *Process) Done() <-chan struct{} { return p.done }

// Exit says how the program ended: "exit status 3", "signal 9 (killed)". It is
// empty before Done is closed.
func (p *Process) Exit() string {
	if !closed(p.done) {
		return ""
	}
	if p.cmd.ProcessState == nil {
		return "its exit status is not known"
	}
	return words(p.cmd.ProcessState)
}

// ExitCode is the program's exit status; -1 before Done is closed, and for a
// program that a signal ended.
func (p *Process) ExitCode() int {
	if !closed(p.done) || p.cmd.ProcessState == nil {
		return -1
	}
	return p.cmd.ProcessState.ExitCode()
}

func closed(event <-chan struct{}) bool {
	select {
	case <-event:
		return true
	default:
		return false
	}
}

// Stderr is the end of what the program has said on its standard error, at
// most core.StderrBytes of it, as it came: text to be cleaned before it is
// drawn.
func (p *Process) Stderr() string { return p.tail.text() }

// output is the read end of a pipe that says when it has been read to its end.
type output struct {
	file  *os.File
	once  sync.Once
	ended chan struct{}
}

// Read reads. A pipe that Stop closed has ended like any other.
func (o *output) Read(b []byte) (int, error) {
	n, err := o.file.Read(b)
	if err != nil {
		o.once.Do(func() { close(o.ended) })
		if errors.Is(err, os.ErrClosed) {
			err = io.EOF
		}
	}
	return n, err
}

// A ring keeps the last core.StderrBytes of what is written to it.
type ring struct {
	mu   sync.Mutex
	data []byte
	next int // where the next byte goes, once data is full
}

func (r *ring) write(b []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if over := len(b) - core.StderrBytes; over > 0 {
		b = b[over:]
	}
	room := min(core.StderrBytes-len(r.data), len(b))
	r.data = append(r.data, b[:room]...)
	for b = b[room:]; len(b) > 0; {
		n := copy(r.data[r.next:], b)
		b, r.next = b[n:], (r.next+n)%core.StderrBytes
	}
}

func (r *ring) text() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return string(r.data[r.next:]) + string(r.data[:r.next])
}
