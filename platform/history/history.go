// Package history keeps the prompts that were sent, per agent and folder, in one
// file that several running desks share. A prompt that begins with a blank is
// never stored: that is how one is kept secret.
package history

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"copydesk/core"
)

// mostLine is the longest line that is stored, in bytes: a file that is cut
// keeps at least the newest one.
const mostLine = core.HistoryBytes / 2

// Options is what a History needs.
type Options struct {
	Path string       // the file; it and its folder are made when a prompt is stored
	Go   func(func()) // starts what writes; it ends when nothing is left to do
	Now  func() time.Time
	Log  *slog.Logger // may be nil
}

// A History is the file of all prompts. Any goroutine may call its methods.
type History struct {
	o Options

	mu      sync.Mutex
	queue   []entry // not yet written, the oldest first
	size    int     // bytes of text in queue
	stored  int     // how many were taken off the queue
	running bool    // there is a goroutine that writes
	idle    chan struct{}
	failed  error // what the last write failed with
}

// New makes a history. It touches no disk.
func New(o Options) *History {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return &History{o: o}
}

// Load returns the prompts of an agent and a folder, the oldest first: at most
// core.HistoryEntries, from the newest core.HistoryBytes of the file and what is
// not written yet. The same prompt does not come twice in a row. A file that is
// not there or cannot be read is no history; a line that is damaged is passed
// over. Load waits for the disk.
func (h *History) Load(agent, dir string) []string {
	who := seat{agent, dir}
	for try := 0; ; try++ {
		before := h.written()
		data, err := h.read()
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			h.o.Log.Warn("the prompt history cannot be read", "file", h.o.Path, "reason", err)
		}
		h.mu.Lock()
		queue, now := slices.Clone(h.queue), h.stored
		h.mu.Unlock()
		if now == before || try == 3 {
			return collect(data, queue, who)
		}
	}
}

func (h *History) written() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.stored
}

// collect goes from the newest prompt to the oldest.
func collect(data []byte, queue []entry, who seat) []string {
	var found []string
	add := func(text string) bool {
		if len(found) == 0 || found[len(found)-1] != text {
			found = append(found, text)
		}
		return len(found) < core.HistoryEntries
	}
	for _, e := range slices.Backward(queue) {
		if e.seat == who && !add(e.text) {
			break
		}
	}
	if len(found) < core.HistoryEntries {
		for text := range backward(data, who) {
			if !add(text) {
				break
			}
		}
	}
	slices.Reverse(found)
	return found
}

// read returns the tail of the file.
func (h *History) read() ([]byte, error) {
	f, err := open(h.o.Path, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return tail(f, core.HistoryBytes)
}

// tail reads the last whole lines of a file, most bytes of it.
func tail(f *os.File, most int64) ([]byte, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	from := max(0, info.Size()-most-1) // with the line end before it
	data := make([]byte, info.Size()-from)
	n, err := f.ReadAt(data, from)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	data = data[:n]
	if from > 0 {
		_, data, _ = bytes.Cut(data, []byte{'\n'})
	}
	return data, nil
}

// Add stores a prompt. It never waits: what is added is written soon, in the
// order of the calls. It leaves out a text that is blank or begins with a blank
// (SES 4), one that is the newest of that agent and folder already, and one whose
// line is longer than half of core.HistoryBytes. What cannot be written is tried
// again with the next one; core.HistoryEntries of them and core.HistoryBytes of
// text are held for that, the newest.
func (h *History) Add(agent, dir, text string) {
	if first, _ := utf8.DecodeRuneInString(text); text == "" || unicode.IsSpace(first) {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.queue = append(h.queue, entry{seat{strings.Clone(agent), strings.Clone(dir)}, h.o.Now(), strings.Clone(text)})
	h.size += len(text)
	for len(h.queue) > core.HistoryEntries || h.size > core.HistoryBytes && len(h.queue) > 1 {
		h.pop()
	}
	if !h.running {
		h.running, h.idle = true, make(chan struct{})
		h.o.Go(h.write)
	}
}

// pop takes the oldest entry off the queue. The lock is held.
func (h *History) pop() {
	h.size -= len(h.queue[0].text)
	h.queue[0] = entry{}
	h.queue = h.queue[1:]
	h.stored++
}

// write is the goroutine that stores what was added, until nothing is left or
// something fails.
func (h *History) write() {
	for {
		h.mu.Lock()
		if len(h.queue) == 0 {
			h.stop(nil)
			return
		}
		e, at := h.queue[0], h.stored
		h.mu.Unlock()

		err := h.store(e)

		h.mu.Lock()
		if err != nil {
			h.o.Log.Warn("a prompt was not added to the history", "file", h.o.Path, "reason", err)
			h.stop(err)
			return
		}
		if h.stored == at { // else there was no room for it any more
			h.pop()
		}
		h.mu.Unlock()
	}
}

// stop ends the goroutine. It lets go of the lock, which is held.
func (h *History) stop(err error) {
	h.running, h.failed = false, err
	close(h.idle)
	h.mu.Unlock()
}

// Flush waits until all that was added is written or one of it could not be,
// which is its error, or until ctx is done.
func (h *History) Flush(ctx context.Context) error {
	h.mu.Lock()
	idle := h.idle
	h.mu.Unlock()
	if idle != nil {
		select {
		case <-idle:
		case <-ctx.Done():
			return fmt.Errorf("write the prompt history: %w", ctx.Err())
		}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.failed != nil {
		return fmt.Errorf("write the prompt history: %w", h.failed)
	}
	return nil
}

// store adds one line to the file under the lock of all desks.
func (h *History) store(e entry) error {
	line := e.line()
	if len(line) > mostLine {
		h.o.Log.Warn("a prompt is too long for the history", "bytes", len(e.text))
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(h.o.Path), 0o700); err != nil {
		return err
	}
	lock, err := open(h.o.Path+".lock", os.O_RDWR|os.O_CREATE)
	if err != nil {
		return err
	}
	defer lock.Close()
	if err := hold(lock); err != nil {
		return fmt.Errorf("lock %s: %w", lock.Name(), err)
	}
	size, err := h.append(e.seat, e.text, line)
	if err == nil && size > core.HistoryBytes {
		if err := h.cut(); err != nil { // the prompt is stored all the same
			h.o.Log.Warn("the prompt history was not made shorter", "file", h.o.Path, "reason", err)
		}
	}
	return err
}

// append writes a line at the end of the file, whose size it returns, unless the
// newest prompt of that agent and folder says the same.
func (h *History) append(who seat, text string, line []byte) (size int64, err error) {
	f, err := open(h.o.Path, os.O_RDWR|os.O_CREATE|os.O_APPEND)
	if err != nil {
		return 0, err
	}
	defer func() {
		if err2 := f.Close(); err == nil {
			err = err2
		}
	}()
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	size = info.Size()
	newest, ok, err := last(f, size, who)
	if err != nil || ok && newest == text {
		return size, err
	}
	if size > 0 {
		var end [1]byte
		if _, err := f.ReadAt(end[:], size-1); err != nil {
			return size, err
		}
		if end[0] != '\n' { // a crash has left half a line
			line = slices.Concat([]byte{'\n'}, line)
		}
	}
	n, err := f.Write(line)
	if err == nil && n < len(line) {
		err = io.ErrShortWrite
	}
	return size + int64(n), err
}

// last is the newest prompt of an agent and a folder. Mostly it is near the end.
func last(f *os.File, size int64, who seat) (text string, ok bool, err error) {
	for _, most := range []int64{64 << 10, core.HistoryBytes} {
		data, err := tail(f, most)
		if err != nil {
			return "", false, err
		}
		for text := range backward(data, who) {
			return text, true, nil
		}
		if size <= most {
			break
		}
	}
	return "", false, nil
}

// cut keeps the newer half of the file. The lock of all desks is held, so nobody
// adds to the file that is replaced.
func (h *History) cut() error {
	f, err := open(h.o.Path, os.O_RDONLY)
	if err != nil {
		return err
	}
	keep, err := tail(f, core.HistoryBytes/2)
	f.Close() // before the renaming: Windows replaces no file that is open
	if err != nil {
		return err
	}
	temp := h.o.Path + ".tmp"
	if err := os.Remove(temp); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := fill(temp, keep); err != nil {
		return errors.Join(err, os.Remove(temp))
	}
	if err := os.Rename(temp, h.o.Path); err != nil {
		return errors.Join(err, os.Remove(temp))
	}
	return syncDir(filepath.Dir(h.o.Path))
}

// fill makes a file with a content, on the disk.
func fill(path string, content []byte) error {
	f, err := open(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if err == nil {
		err = f.Sync()
	}
	if err2 := f.Close(); err == nil {
		err = err2
	}
	return err
}
