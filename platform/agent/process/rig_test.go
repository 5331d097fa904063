//go:build unix

package process

import (
	"bufio"
	"bytes"
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"copydesk/core"
)

func spawn(f func()) { go f() }

// wait is a clock on which Stop's two waits take as long as is said.
func wait(eof, term time.Duration) func(*Options) {
	return func(o *Options) {
		o.After = func(d time.Duration, f func()) func() {
			switch d {
			case core.StopEOF:
				d = eof
			case core.StopTerm:
				d = term
			}
			timer := time.AfterFunc(d, f)
			return func() { timer.Stop() }
		}
	}
}

// start starts a fake. It is stopped at the end of the test.
func start(t *testing.T, what string, change ...func(*Options)) *Process {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Argv: []string{exe}, Env: []string{fake + "=" + what}, Go: spawn}
	wait(20*time.Millisecond, 200*time.Millisecond)(&o)
	for _, f := range change {
		f(&o)
	}
	p, err := Start(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if err := p.Stop(ctx); err != nil {
			t.Error(err)
		}
	})
	return p
}

// lines reads lines of the program until there are n.
func lines(t *testing.T, p *Process, n int) []string {
	t.Helper()
	var got []string
	r := bufio.NewReader(p.Stdout)
	for range n {
		line, err := r.ReadString('\n')
		if err != nil {
			t.Fatalf("read line %d: %v; standard error: %s", len(got)+1, err, p.Stderr())
		}
		got = append(got, strings.TrimSuffix(line, "\n"))
	}
	return got
}

// runs reports whether a process is there and no zombie. A zombie of ours is
// still found by kill.
func runs(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		return runtime.GOOS != "linux"
	}
	return !strings.HasPrefix(string(stat[bytes.LastIndexByte(stat, ')')+1:]), " Z")
}

// pids are the numbers in lines such as "child 17 ready 17".
func pids(t *testing.T, lines []string) []int {
	t.Helper()
	var all []int
	for _, line := range lines {
		pid, err := strconv.Atoi(strings.Fields(line)[1])
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, pid)
	}
	return all
}

func within(t *testing.T, d time.Duration, f func()) {
	t.Helper()
	begin := time.Now()
	f()
	if took := time.Since(begin); took > d {
		t.Errorf("it took %v, want %v at most", took, d)
	}
}
