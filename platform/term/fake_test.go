package term

import (
	"bytes"
	"io"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gdamore/tcell/v2"
)

// fakeTty is a terminal without a kernel. Its Write yields between bytes, so
// that two writers at once are seen.
type fakeTty struct {
	in      chan []byte
	writing atomic.Int32
	overlap atomic.Bool
	started atomic.Int32
	block   chan struct{} // when not nil, Write waits for it
	failing atomic.Pointer[error]

	mu   sync.Mutex
	out  bytes.Buffer
	stop chan struct{}
}

func newFakeTty() *fakeTty { return &fakeTty{in: make(chan []byte)} }

func (f *fakeTty) Start() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.stop = make(chan struct{})
	f.started.Add(1)
	return nil
}

func (f *fakeTty) Drain() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	close(f.stop)
	return nil
}

func (f *fakeTty) Stop() error                               { f.started.Add(-1); return nil }
func (f *fakeTty) Close() error                              { return nil }
func (f *fakeTty) NotifyResize(func())                       {}
func (f *fakeTty) WindowSize() (s tcell.WindowSize, _ error) { return s, nil }

func (f *fakeTty) Read(p []byte) (int, error) {
	f.mu.Lock()
	stop := f.stop
	f.mu.Unlock()
	select {
	case b, ok := <-f.in:
		if !ok {
			return 0, io.EOF
		}
		return copy(p, b), nil
	case <-stop:
		return 0, os.ErrDeadlineExceeded
	}
}

func (f *fakeTty) Write(p []byte) (int, error) {
	if f.writing.Add(1) > 1 {
		f.overlap.Store(true)
	}
	defer f.writing.Add(-1)
	if f.block != nil {
		<-f.block
	}
	if err := f.failing.Load(); err != nil {
		return 0, *err
	}
	for _, b := range p {
		f.mu.Lock()
		f.out.WriteByte(b)
		f.mu.Unlock()
		if b == 0x1b {
			runtime.Gosched()
		}
	}
	return len(p), nil
}

func (f *fakeTty) output() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.out.String()
}

// send gives the program input in pieces of one read.
func (f *fakeTty) send(s string) {
	for p := []byte(s); len(p) > 0; {
		n := min(len(p), 4096)
		f.in <- p[:n]
		p = p[n:]
	}
}

// fakeDevice records what is done to the device.
type fakeDevice struct {
	w, h     atomic.Int32
	restored atomic.Int32
	front    atomic.Bool
	gone     atomic.Bool
	noShell  bool
	onStop   func()

	mu   sync.Mutex
	out  bytes.Buffer
	log  []string
	size func()
}

func newFakeDevice(w, h int32) *fakeDevice {
	d := &fakeDevice{}
	d.w.Store(w)
	d.h.Store(h)
	d.front.Store(true)
	return d
}

func (d *fakeDevice) note(s string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.log = append(d.log, s)
}

func (d *fakeDevice) written() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.out.String()
}

func (d *fakeDevice) write(p []byte) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.out.Write(p)
}

func (d *fakeDevice) foreground() (bool, error) {
	if d.gone.Load() {
		return false, os.ErrClosed
	}
	return d.front.Load(), nil
}

func (d *fakeDevice) stop() error {
	d.note("stop")
	if d.onStop != nil {
		d.onStop()
	}
	return nil
}

type sizer struct{ *fakeDevice }

func (d sizer) size() (int, int, error) { return int(d.w.Load()), int(d.h.Load()), nil }

func (d *fakeDevice) captureRaw()                               {}
func (d *fakeDevice) setRaw()                                   { d.note("raw") }
func (d *fakeDevice) restoreModes()                             { d.restored.Add(1) }
func (d *fakeDevice) flushInput()                               { d.note("flush") }
func (d *fakeDevice) canStop() bool                             { return !d.noShell }
func (d *fakeDevice) ignoreTTOU(bool)                           {}
func (d *fakeDevice) watchContinue(_ func(), q <-chan struct{}) { <-q }
func (d *fakeDevice) close()                                    {}
func (d *fakeDevice) watchSize(call func(), quit <-chan struct{}) {
	d.mu.Lock()
	d.size = call
	d.mu.Unlock()
	<-quit
}

// rig is a terminal on fakes.
type rig struct {
	*Terminal
	tty *fakeTty
	dev *fakeDevice
}

// env is an environment for tests; TERM defaults to xterm-256color.
func env(pairs ...string) func(string) string {
	m := map[string]string{"TERM": "xterm-256color"}
	for i := 0; i < len(pairs); i += 2 {
		m[pairs[i]] = pairs[i+1]
	}
	return func(name string) string { return m[name] }
}

func newRig(t *testing.T, o Options) rig {
	t.Helper()
	if o.Env == nil {
		o.Env = env()
	}
	r := rig{tty: newFakeTty(), dev: newFakeDevice(80, 24)}
	return r.open(t, o)
}

func (r rig) open(t *testing.T, o Options) rig {
	t.Helper()
	ti, err := terminfoFor(o.Env)
	if err != nil {
		t.Fatal(err)
	}
	if r.Terminal, err = open(o.defaults(), sizer{r.dev}, r.tty, ti); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	return r
}

// until polls until ok.
func until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); !ok(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("never: %s", what)
		}
	}
}

// within fails the test unless f returns in d.
func within(t *testing.T, d time.Duration, what string, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() { defer close(done); f() }()
	select {
	case <-done:
	case <-time.After(d):
		buf := make([]byte, 1<<16)
		t.Fatalf("%s took longer than %v\n%s", what, d, buf[:runtime.Stack(buf, true)])
	}
}
