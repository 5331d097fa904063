//go:build unix

package acp_test

import (
	"bytes"
	"encoding/gob"
	"errors"
	"flag"
	"io"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
)

// puppetSocket is the environment variable that makes a process of the test
// binary a puppet: an agent whose every byte is the test's, told over a socket
// beside its standard streams. So a test has nothing to wait for but what
// really happens.
const puppetSocket = "COPYDESK_TEST_PUPPET"

func TestMain(m *testing.M) {
	if path := os.Getenv(puppetSocket); path != "" {
		puppetMain(path)
	}
	// Most of the time the tests wait for other processes.
	flag.Parse()
	if err := flag.Set("test.parallel", "12"); err != nil {
		panic(err)
	}
	code := m.Run()
	os.RemoveAll(exampleFolder)
	os.Exit(code)
}

// An order is what the test has a puppet do.
type order struct {
	Op   string
	Data []byte
	Tail []byte
	N    int64
}

// A report is what a puppet saw or did.
type report struct {
	Op   string // "line", "eof", "term", "done"
	Data []byte
	N    int64
}

type puppet struct {
	mu   sync.Mutex
	tell *gob.Encoder

	deaf     atomic.Bool // reads its input no more
	stubborn atomic.Bool // neither the end of the input nor TERM ends it
}

func (p *puppet) report(r report) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.tell.Encode(r) != nil {
		os.Exit(99) // the test is gone
	}
}

func puppetMain(path string) {
	inherited := world() // before anything of our own is open
	conn, err := net.Dial("unix", path)
	if err != nil {
		os.Exit(98)
	}
	p := &puppet{tell: gob.NewEncoder(conn)}
	go p.read()
	orders := gob.NewDecoder(conn)
	for {
		var o order
		if orders.Decode(&o) != nil {
			os.Exit(0)
		}
		if o.Op == "world" {
			p.report(report{Op: "done", Data: []byte(inherited), N: int64(os.Getpid())})
			continue
		}
		p.obey(o)
	}
}

// read tells the test each line of the input.
func (p *puppet) read() {
	var line []byte
	chunk := make([]byte, 32<<10)
	for {
		n, err := os.Stdin.Read(chunk)
		if p.deaf.Load() {
			select {}
		}
		for rest := chunk[:n]; len(rest) > 0; {
			i := bytes.IndexByte(rest, '\n') + 1
			if i == 0 {
				line = append(line, rest...)
				break
			}
			p.report(report{Op: "line", Data: append(line, rest[:i]...)})
			line, rest = nil, rest[i:]
		}
		if err == nil {
			continue
		}
		p.report(report{Op: "eof", Data: line})
		if !p.stubborn.Load() {
			os.Exit(0)
		}
		return
	}
}

func (p *puppet) obey(o order) {
	switch o.Op {
	case "out":
		os.Stdout.Write(o.Data)
	case "err":
		os.Stderr.Write(o.Data)
	case "line": // Data, N bytes of x, Tail
		os.Stdout.Write(o.Data)
		fill(os.Stdout, "x", o.N)
		os.Stdout.Write(o.Tail)
	case "flood": // Data over and over, N bytes at least
		fill(os.Stdout, string(o.Data), o.N)
	case "flooderr":
		fill(os.Stderr, string(o.Data), o.N)
	case "exit":
		os.Exit(int(o.N))
	case "kill":
		syscall.Kill(os.Getpid(), syscall.SIGKILL)
	case "deaf":
		p.deaf.Store(true)
	case "stubborn":
		p.stubborn.Store(true)
		terms := make(chan os.Signal, 8)
		signal.Notify(terms, syscall.SIGTERM, syscall.SIGHUP)
		go func() {
			for range terms {
				p.report(report{Op: "term"})
			}
		}()
	case "child": // stays behind
		c := exec.Command("sleep", "600")
		if err := c.Start(); err == nil {
			p.report(report{Op: "done", N: int64(c.Process.Pid)})
		}
		return
	}
	p.report(report{Op: "done"})
}

func fill(w io.Writer, unit string, n int64) {
	block := []byte(strings.Repeat(unit, max(1, (1<<20)/len(unit))))
	for n > 0 {
		cut := block
		if int64(len(cut)) > n {
			cut = cut[:(n+int64(len(unit))-1)/int64(len(unit))*int64(len(unit))]
		}
		k, err := w.Write(cut)
		if n -= int64(k); err != nil {
			return
		}
	}
}

// world is what a process inherits: its environment, its open files and its
// folder.
func world() string {
	var b strings.Builder
	for _, e := range os.Environ() {
		b.WriteString("env " + e + "\n")
	}
	fds, _ := filepath.Glob("/proc/self/fd/*")
	for _, fd := range fds {
		to, err := os.Readlink(fd)
		if errors.Is(err, os.ErrNotExist) {
			continue // it was the one that listed the folder
		}
		b.WriteString("fd " + filepath.Base(fd) + " " + to + "\n")
	}
	dir, _ := os.Getwd()
	b.WriteString("dir " + dir + "\n")
	return b.String()
}
