package uitest

import (
	"io"
	"sync"

	"github.com/gdamore/tcell/v2"
)

// keptOutput is how much of the output stays readable, in bytes; what is older
// has been checked.
const keptOutput = 1 << 20

// A tty is a terminal in memory: nobody types at it, and what is written to it
// goes through the oracle.
type tty struct {
	mu      sync.Mutex
	w, h    int
	out     []byte
	checked int // bytes of out that the oracle has seen
	oracle  checker
	stopped chan struct{} // closed while tcell must not wait for input
}

func (t *tty) Start() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.stopped = make(chan struct{})
	return nil
}

// Drain wakes the reader, which tcell waits for.
func (t *tty) Drain() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	close(t.stopped)
	return nil
}

func (t *tty) Read([]byte) (int, error) {
	t.mu.Lock()
	stopped := t.stopped
	t.mu.Unlock()
	<-stopped
	return 0, io.EOF
}

func (t *tty) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.out) > keptOutput {
		t.check()
		t.out, t.checked = append([]byte(nil), t.out[len(t.out)/2:]...), len(t.out)-len(t.out)/2
	}
	t.out = append(t.out, p...)
	return len(p), nil
}

// check feeds the oracle what it has not seen; tcell ends every write at the end
// of a sequence.
func (t *tty) check() {
	t.oracle.feed(t.out[t.checked:])
	t.checked = len(t.out)
}

func (t *tty) allow(o Options) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.oracle.opts = o
}

func (t *tty) result() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.check()
	return t.oracle.result()
}

func (t *tty) output() []byte {
	t.mu.Lock()
	defer t.mu.Unlock()
	return append([]byte(nil), t.out...)
}

func (t *tty) resize(w, h int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.w, t.h = w, h
}

func (t *tty) WindowSize() (tcell.WindowSize, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return tcell.WindowSize{Width: t.w, Height: t.h}, nil
}

func (t *tty) NotifyResize(func()) {}
func (t *tty) Stop() error         { return nil }
func (t *tty) Close() error        { return nil }
