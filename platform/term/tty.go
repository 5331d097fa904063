package term

import (
	"bytes"
	"errors"
	"io"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/gdamore/tcell/v2"
)

// lockedTty stands between tcell and the terminal. tcell draws from the
// goroutine that calls Show and, on a resize, from one of its own, and it
// hands out its tty without any lock: a sequence written beside it tears (of
// 20 copies of 120 KB, 0 arrived through a second handle, 20 through one
// locked tty). Here every Write is whole.
//
// It also keeps the input away from tcell: see Read.
type lockedTty struct {
	tcell.Tty // the device as tcell opens it
	dev       device
	guard     *Guard
	now       func() time.Time
	chunks    chan []byte // what was read; nil when a reader starts anew
	lost      chan struct{}
	lostOnce  sync.Once
	dead      atomic.Bool // nothing may be written any more

	mu      sync.Mutex // held for each whole write
	engaged bool       // between Start and Stop
	muted   bool       // in the background: writes are dropped
	record  *bytes.Buffer

	run    sync.Mutex // guards the fields below
	stop   chan struct{}
	done   chan struct{} // closed when the reader has ended
	resize func()        // tcell's callback
}

func newLockedTty(inner tcell.Tty, dev device, guard *Guard, now func() time.Time) *lockedTty {
	return &lockedTty{
		Tty: inner, dev: dev, guard: guard, now: now,
		chunks: make(chan []byte),
		lost:   make(chan struct{}),
	}
}

// Start puts the device into raw mode and starts the reader.
func (t *lockedTty) Start() error {
	if t.dead.Load() {
		return ErrRefused
	}
	if err := t.Tty.Start(); err != nil {
		return err
	}
	t.dev.captureRaw()
	t.mu.Lock()
	t.engaged, t.muted = true, false
	t.mu.Unlock()

	t.run.Lock()
	defer t.run.Unlock()
	stop, done := make(chan struct{}), make(chan struct{})
	t.stop, t.done = stop, done
	t.guard.Go(func() { defer close(done); t.readLoop(stop) })
	if t.resize != nil {
		call := t.resize
		t.guard.Go(func() { t.dev.watchSize(call, stop) })
	}
	return nil
}

// Drain wakes the reader. tcell calls it before Stop and still writes
// afterwards.
func (t *lockedTty) Drain() error {
	t.dev.ignoreTTOU(true)
	t.run.Lock()
	if t.stop != nil {
		close(t.stop)
		t.stop = nil
	}
	t.run.Unlock()
	return t.Tty.Drain()
}

// readerWait is how long Stop waits for the reader to notice; closing the
// device wakes one that does not.
const readerWait = 300 * time.Millisecond

// Stop gives the device back.
func (t *lockedTty) Stop() error {
	defer t.dev.ignoreTTOU(false)
	t.run.Lock()
	done := t.done
	t.run.Unlock()
	if done != nil {
		select {
		case <-done:
		case <-time.After(readerWait):
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.engaged = false
	return t.Tty.Stop()
}

// Read blocks until Drain and then ends tcell's input goroutine, which never
// gets a byte: tcell v2.13.10 parks that goroutine for ever when the program
// is slow to take events, and Fini and Suspend then wait for it for ever
// (gdamore/tcell#673, #1155). The bytes go through our own filter instead.
func (t *lockedTty) Read([]byte) (int, error) {
	t.run.Lock()
	stop := t.stop
	t.run.Unlock()
	if stop != nil {
		<-stop
	}
	return 0, io.EOF
}

// readChunk is what one read asks for, in bytes; a Linux tty has 4096 at most.
const readChunk = 8192

func (t *lockedTty) readLoop(stop <-chan struct{}) {
	buf := make([]byte, readChunk)
	stopped := func() bool {
		select {
		case <-stop:
			return true
		default:
			return false
		}
	}
	select {
	case t.chunks <- nil:
	case <-stop:
		return
	}
	for {
		n, err := t.Tty.Read(buf)
		if stopped() {
			return
		}
		if n > 0 {
			select {
			case t.chunks <- bytes.Clone(buf[:n]):
			case <-stop:
				return
			}
		}
		if err != nil {
			// A hung-up terminal gives end of file or EIO for ever; reading on
			// would spin (R17).
			t.markLost()
			return
		}
	}
}

func (t *lockedTty) markLost() { t.lostOnce.Do(func() { close(t.lost) }) }

// Write writes p whole. What cannot be shown is dropped without an error:
// tcell goes on drawing after Fini and Suspend, and that must not reach the
// shell's screen.
func (t *lockedTty) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.writable() {
		return len(p), nil
	}
	if t.record != nil {
		t.record.Write(p)
	}
	n, err := t.Tty.Write(p)
	t.judge(err)
	return n, err
}

func (t *lockedTty) writeRaw(p []byte) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.writable() {
		return ErrRefused
	}
	_, err := t.Tty.Write(p)
	t.judge(err)
	return err
}

func (t *lockedTty) writable() bool { return t.engaged && !t.muted && !t.dead.Load() }

func (t *lockedTty) judge(err error) {
	if errors.Is(err, syscall.EIO) || errors.Is(err, syscall.ENXIO) || errors.Is(err, syscall.EPIPE) {
		t.markLost()
	}
}

// recording keeps a copy of what f writes: the sequences that enter the
// screen, needed again when another program had the terminal meanwhile.
func (t *lockedTty) recording(f func() error) ([]byte, error) {
	var buf bytes.Buffer
	t.mu.Lock()
	t.record = &buf
	t.mu.Unlock()
	err := f()
	t.mu.Lock()
	t.record = nil
	t.mu.Unlock()
	return buf.Bytes(), err
}

// mute drops writes from now on; it reports false when the terminal is not
// engaged.
func (t *lockedTty) mute() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.engaged || t.dead.Load() {
		return false
	}
	t.muted = true
	return true
}

// unmute lets writes through again, after first.
func (t *lockedTty) unmute(first []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.muted = false
	if t.writable() && len(first) > 0 {
		_, err := t.Tty.Write(first)
		t.judge(err)
	}
}

// restoreLockWait is how long seal waits for a write in progress to end.
const restoreLockWait = 100 * time.Millisecond

// seal drops every write from now on. If the screen is still ours, leave is
// called once to leave its modes; whole tells that no write was cut short.
// Only the first seal does anything, and none waits for a stuck write.
func (t *lockedTty) seal(leave func(whole bool)) {
	if t.dead.Swap(true) {
		return
	}
	whole := t.lockFor(restoreLockWait)
	if whole {
		defer t.mu.Unlock()
		if !t.engaged {
			return
		}
	}
	leave(whole)
}

// lockFor takes the write lock if it becomes free within d.
func (t *lockedTty) lockFor(d time.Duration) bool {
	for end := time.Now().Add(d); ; time.Sleep(time.Millisecond) {
		if t.mu.TryLock() {
			return true
		}
		if time.Now().After(end) {
			return false
		}
	}
}

// NotifyResize sets what Start has called after each change of the window
// size; the goroutine that calls it ends with the reader.
func (t *lockedTty) NotifyResize(call func()) {
	t.run.Lock()
	defer t.run.Unlock()
	t.resize = call
}

// WindowSize is the size in cells. A fresh pty says 0×0; 80×24 is assumed
// until it is told better (R28). tcell would take 25 rows, and COLUMNS and
// LINES, which a shell exports for another window.
func (t *lockedTty) WindowSize() (tcell.WindowSize, error) {
	w, h, err := t.dev.size()
	if err != nil {
		return tcell.WindowSize{}, err
	}
	if w <= 0 || h <= 0 {
		w, h = 80, 24
	}
	return tcell.WindowSize{Width: w, Height: h}, nil
}
