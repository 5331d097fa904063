package rpc

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func spawn(f func()) { go f() }

// A recorder is a handler that writes down what it is told, and answers "ping".
type recorder struct {
	conn *Conn
	mu   sync.Mutex
	told []string
	ids  []ID
}

func (r *recorder) add(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.told = append(r.told, fmt.Sprintf(format, args...))
}

func (r *recorder) Notify(method string, params json.RawMessage) {
	r.add("notify %s %s", method, params)
}

func (r *recorder) Request(id ID, method string, params json.RawMessage) {
	if method == "ping" {
		r.conn.Answer(id, "pong")
		return
	}
	r.add("request %v %s %s", id, method, params)
	r.mu.Lock()
	r.ids = append(r.ids, id)
	r.mu.Unlock()
}

func (r *recorder) all() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]string(nil), r.told...)
}

// A rig is a connection with both ends of its peer in the test's hands.
type rig struct {
	t     *testing.T
	conn  *Conn
	rec   *recorder
	say   *io.PipeWriter // what the peer says
	heard chan string    // what the peer is told

	mu       sync.Mutex
	noise    []string
	oversize []int64
}

func newRig(t *testing.T) *rig {
	t.Helper()
	fromPeer, say := io.Pipe()
	hear, toPeer := io.Pipe()
	g := &rig{t: t, rec: &recorder{}, say: say, heard: make(chan string, 64)}
	g.conn = New(fromPeer, toPeer, Options{
		Go: spawn, Handle: g.rec,
		Noise: func(line string, n int) {
			g.mu.Lock()
			defer g.mu.Unlock()
			g.noise = append(g.noise, fmt.Sprintf("%d %s", n, line))
		},
		Oversize: func(n int64) {
			g.mu.Lock()
			defer g.mu.Unlock()
			g.oversize = append(g.oversize, n)
		},
	})
	g.rec.conn = g.conn
	g.conn.Start()
	go func() {
		defer close(g.heard)
		lines := bufio.NewReader(hear)
		for {
			line, err := lines.ReadString('\n')
			if err != nil {
				return
			}
			g.heard <- strings.TrimSuffix(line, "\n")
		}
	}()
	t.Cleanup(func() {
		say.Close()
		<-g.conn.Done()
		toPeer.Close()
		for range g.heard {
		}
	})
	return g
}

// peer makes the peer say lines.
func (g *rig) peer(lines ...string) {
	g.t.Helper()
	for _, line := range lines {
		if _, err := io.WriteString(g.say, line+"\n"); err != nil {
			g.t.Fatalf("the connection stopped reading: %v", err)
		}
	}
}

// next is the next line that the peer is told.
func (g *rig) next() string {
	g.t.Helper()
	select {
	case line, ok := <-g.heard:
		if !ok {
			g.t.Fatal("the connection ended, want another line")
		}
		return line
	case <-time.After(10 * time.Second):
		g.t.Fatal("no line within 10 s")
	}
	return ""
}

// alive makes sure that a request is still answered, after all that was said.
func (g *rig) alive() {
	g.t.Helper()
	g.peer(`{"jsonrpc":"2.0","id":"alive","method":"ping"}`)
	if got, want := g.next(), `{"jsonrpc":"2.0","id":"alive","result":"pong"}`; got != want {
		g.t.Errorf("told the peer %s, want %s", got, want)
	}
}

// A source is a reader that makes up a long stream and watches the memory.
type source struct {
	parts []part
	peak  uint64
	since int
}

// A part is text that is repeated.
type part struct {
	text  string
	times int
	at    int
}

func (s *source) Read(b []byte) (int, error) {
	if s.since += len(b); s.since > 1<<20 {
		s.since = 0
		s.watch()
	}
	n := 0
	for n < len(b) && len(s.parts) > 0 {
		p := &s.parts[0]
		c := copy(b[n:], p.text[p.at:])
		n += c
		if p.at += c; p.at == len(p.text) {
			p.at = 0
			p.times--
		}
		if p.times <= 0 {
			s.parts = s.parts[1:]
		}
	}
	if n == 0 {
		return 0, io.EOF
	}
	return n, nil
}

// watch notes how much memory is in use.
func (s *source) watch() {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	s.peak = max(s.peak, m.HeapAlloc)
}

// heap is what is in use before a test.
func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
