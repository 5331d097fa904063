//go:build unix

package process

import (
	"context"
	"errors"
	"io"
	"runtime"
	"slices"
	"syscall"
	"testing"
	"time"
)

// However a group is made, all of it is gone after Stop.
func TestT60_NothingOutlivesStop(t *testing.T) {
	for _, tt := range []struct {
		what     string
		children int
		ends     bool // the leader ends by itself, before Stop
	}{
		{"parent", 1, false},
		{"orphans", 2, true},
	} {
		t.Run(tt.what, func(t *testing.T) {
			p := start(t, tt.what)
			all := append(pids(t, lines(t, p, tt.children)), p.PID())
			if tt.ends {
				<-p.Done()
				all = all[:tt.children]
			}
			for _, pid := range all {
				if !runs(pid) {
					t.Fatalf("process %d does not run", pid)
				}
			}
			within(t, 3*time.Second, func() {
				if err := p.Stop(t.Context()); err != nil {
					t.Error(err)
				}
			})
			if slices.ContainsFunc(all, runs) {
				t.Errorf("of %v some still run", all)
			}
			if rest, err := io.ReadAll(p.Stdout); err != nil {
				t.Errorf("standard output ends with %q, %v", rest, err)
			}
			if err := syscall.Kill(p.PID(), 0); !errors.Is(err, syscall.ESRCH) {
				t.Errorf("the leader is still there: %v", err)
			}
		})
	}
}

// Without time Stop kills at once, whatever it waits for.
func TestT60_AHurriedStop(t *testing.T) {
	p := start(t, "parent", wait(time.Minute, time.Minute))
	child := pids(t, lines(t, p, 1))[0]
	ctx, cancel := context.WithCancel(t.Context())
	first := make(chan error, 1)
	go func() { first <- p.Stop(context.Background()) }()
	cancel()
	within(t, 30*time.Second, func() {
		if err := errors.Join(p.Stop(ctx), <-first); err != nil {
			t.Error(err)
		}
	})
	if runs(child) || p.Exit() != "signal 9 (killed)" {
		t.Errorf("the child runs: %t; the leader: %q", runs(child), p.Exit())
	}
}

func TestT60_Kill(t *testing.T) {
	p := start(t, "parent")
	child := pids(t, lines(t, p, 1))[0]
	if err := p.Kill(); err != nil {
		t.Fatal(err)
	}
	<-p.Done()
	if got, want := p.Exit(), "signal 9 (killed)"; got != want {
		t.Errorf("Exit = %q, want %q", got, want)
	}
	if err := p.Stop(t.Context()); err != nil {
		t.Error(err)
	}
	if runs(child) {
		t.Error("the child runs")
	}
}

// What escaped with a session of its own and holds our pipes blocks nobody.
func TestT60_AnEscapedChildBlocksNobody(t *testing.T) {
	p := start(t, "escape")
	escaped := pids(t, lines(t, p, 1))[0]
	defer syscall.Kill(escaped, syscall.SIGKILL)
	within(t, 10*time.Second, func() { <-p.Done() })
	ended := make(chan error, 1)
	go func() {
		_, err := io.Copy(io.Discard, p.Stdout)
		ended <- err
	}()
	within(t, 10*time.Second, func() {
		if err := p.Stop(t.Context()); err != nil {
			t.Error(err)
		}
	})
	if err := <-ended; err != nil {
		t.Errorf("standard output ended with %v", err)
	}
	if !runs(escaped) {
		t.Error("it did not escape; the test holds nothing")
	}
}

// A zombie in the group is nothing to wait for: where process 1 reaps nothing,
// as in many containers, it stays for ever.
func TestT60_AZombieIsGone(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only /proc tells a zombie")
	}
	p := start(t, "zombie", wait(20*time.Second, 20*time.Second))
	negligent := pids(t, lines(t, p, 1))[0]
	defer syscall.Kill(negligent, syscall.SIGKILL)
	<-p.Done()
	if err := syscall.Kill(-p.PID(), 0); err != nil {
		t.Fatalf("there is no zombie in the group: %v", err)
	}
	within(t, 10*time.Second, func() {
		if err := p.Stop(t.Context()); err != nil {
			t.Error(err)
		}
	})
}
