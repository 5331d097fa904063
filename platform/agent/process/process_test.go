//go:build unix

package process

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"copydesk/core"
)

func TestR3_KilledFromOutside(t *testing.T) {
	p := start(t, "deaf")
	lines(t, p, 1)
	if p.Exit() != "" || p.ExitCode() != -1 {
		t.Errorf("it runs, but Exit = %q, %d", p.Exit(), p.ExitCode())
	}
	if err := syscall.Kill(p.PID(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	<-p.Done()
	if got, want := p.Exit(), "signal 9 (killed)"; got != want {
		t.Errorf("Exit = %q, want %q", got, want)
	}
	if p.ExitCode() != -1 {
		t.Errorf("ExitCode = %d, want -1", p.ExitCode())
	}
	if err := syscall.Kill(p.PID(), 0); !errors.Is(err, syscall.ESRCH) {
		t.Errorf("a zombie is left: %v", err)
	}
	if rest, err := io.ReadAll(p.Stdout); err != nil || len(rest) > 0 {
		t.Errorf("standard output ends with %q, %v", rest, err)
	}
	if err := p.Kill(); err != nil {
		t.Errorf("Kill of what is gone: %v", err)
	}
}

func TestR4_EndsByItself(t *testing.T) {
	p := start(t, "exit")
	out, err := io.ReadAll(p.Stdout)
	<-p.Done()
	got := []string{string(out), fmt.Sprint(err), p.Stderr(), p.Exit(), strconv.Itoa(p.ExitCode())}
	if diff := cmp.Diff([]string{"out\n", "<nil>", "err\n", "exit status 3", "3"}, got); diff != "" {
		t.Error(diff)
	}
	p = start(t, "zero")
	<-p.Done()
	if p.Exit() != "exit status 0" || p.ExitCode() != 0 {
		t.Errorf("Exit = %q, %d", p.Exit(), p.ExitCode())
	}
}

// TestR45_WhatWasSaidBeforeTheEndIsReadWhole starts to read only when the program
// may have ended already.
func TestR45_WhatWasSaidBeforeTheEndIsReadWhole(t *testing.T) {
	for range 20 {
		p := start(t, "much")
		n, err := io.Copy(io.Discard, p.Stdout)
		if n != 1<<20 || err != nil {
			t.Fatalf("%d bytes were read, %v", n, err)
		}
		<-p.Done()
		if p.ExitCode() != 0 {
			t.Fatalf("it ended with %s", p.Exit())
		}
	}
}

func TestR4_CannotStart(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	plain := write("plain", "x", 0o644)
	orphan := write("orphan", "#!/no/such/interpreter\n", 0o755)
	noise := write("noise", "\x00\x01\x02", 0o755)
	for _, tt := range []struct {
		name string
		o    Options
		want string
		is   error
	}{
		{"no command", Options{}, "start an agent: it has no command; set one in the configuration", fs.ErrInvalid},
		{"not found", Options{Argv: []string{"no-such-agent", "--acp", "a b"}, Env: []string{"PATH=" + dir}},
			`start no-such-agent --acp "a b": no-such-agent was not found in PATH; install it, or correct the command`, exec.ErrNotFound},
		{"path not found", Options{Argv: []string{dir + "/none"}},
			"start " + dir + "/none: " + dir + "/none does not exist; install it, or correct the command", exec.ErrNotFound},
		{"relative path not found", Options{Argv: []string{"./none"}, Dir: dir},
			"start ./none: " + dir + "/none does not exist; install it, or correct the command", exec.ErrNotFound},
		{"not executable", Options{Argv: []string{plain}},
			"start " + plain + ": " + plain + " is not executable; make it so with chmod +x, or correct the command", fs.ErrPermission},
		{"not executable in PATH", Options{Argv: []string{"plain"}, Env: []string{"PATH=relative:" + dir}},
			"start plain: " + plain + " is not executable; make it so with chmod +x, or correct the command", fs.ErrPermission},
		{"a directory", Options{Argv: []string{dir}}, "start " + dir + ": " + dir + " is a directory; correct the command", fs.ErrInvalid},
		{"no interpreter", Options{Argv: []string{orphan}},
			"start " + orphan + ": the program that the first line of " + orphan + " names was not found; install it", fs.ErrNotExist},
		{"no program", Options{Argv: []string{noise}},
			"start " + noise + ": " + noise + " is no program for this system; install another one, or correct the command", syscall.ENOEXEC},
		{"no directory", Options{Argv: []string{"sh"}, Dir: dir + "/none"},
			"start sh: the directory " + dir + "/none does not exist; make it, or choose another one", fs.ErrNotExist},
		{"directory is a file", Options{Argv: []string{"sh"}, Dir: plain}, "start sh: " + plain + " is no directory; choose another one", fs.ErrInvalid},
		{"long command", Options{Argv: []string{"no-such-agent", strings.Repeat("é", 200)}, Env: []string{"PATH="}},
			"start no-such-agent " + strings.Repeat("é", 93) + "…: no-such-agent was not found in PATH; install it, or correct the command", exec.ErrNotFound},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.o.Go = func(func()) { t.Error("a goroutine was started") }
			p, err := Start(tt.o)
			if p != nil || err == nil {
				t.Fatal("it was started")
			}
			if diff := cmp.Diff(tt.want, err.Error()); diff != "" {
				t.Errorf("error (-want +got):\n%s", diff)
			}
			if !errors.Is(err, tt.is) {
				t.Errorf("it is no %v", tt.is)
			}
		})
	}
}

func TestR5_AProgramThatHangsGetsTERM(t *testing.T) {
	p := start(t, "polite", wait(20*time.Millisecond, time.Minute))
	lines(t, p, 1)
	rest := make(chan string, 1)
	go func() {
		out, _ := io.ReadAll(p.Stdout)
		rest <- string(out)
	}()
	if err := p.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := <-rest; got != "TERM\n" {
		t.Errorf("it said %q, want that TERM came", got)
	}
	if got, want := p.Exit(), "exit status 7"; got != want {
		t.Errorf("Exit = %q, want %q", got, want)
	}
}

func TestR5_TheEndOfTheInputIsEnough(t *testing.T) {
	p := start(t, "echo", wait(time.Minute, time.Minute))
	fmt.Fprintln(p.Stdin, "hello")
	lines(t, p, 1)
	within(t, 30*time.Second, func() {
		if err := p.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
	})
	if got, want := p.Exit(), "exit status 0"; got != want {
		t.Errorf("Exit = %q, want %q: it was not to be signalled", got, want)
	}
	if err := p.Stop(t.Context()); err != nil {
		t.Errorf("Stop again: %v", err)
	}
}

// What a program does not read blocks its writer, until Stop.
func TestR7_AWriterIsSetFree(t *testing.T) {
	p := start(t, "deaf")
	lines(t, p, 1)
	wrote := make(chan error, 1)
	go func() {
		_, err := p.Stdin.Write(make([]byte, 1<<20))
		wrote <- err
	}()
	if err := p.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := <-wrote; !errors.Is(err, os.ErrClosed) {
		t.Errorf("Write = %v, want that the pipe was closed", err)
	}
}

func TestR9_AFloodOfComplaints(t *testing.T) {
	p := start(t, "flood")
	<-p.Done()
	got := p.Stderr()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	if m.HeapSys > 64<<20 {
		t.Errorf("the heap is %d MiB", m.HeapSys>>20)
	}
	want := strings.Repeat("complaint\n", core.StderrBytes/10+1) + "the last words"
	if got != want[len(want)-core.StderrBytes:] {
		t.Errorf("%d bytes are kept, ending in %q, want the last %d", len(got), got[max(0, len(got)-40):], core.StderrBytes)
	}
}

func TestR9_Ring(t *testing.T) {
	for _, sizes := range [][]int{{10}, {core.StderrBytes}, {core.StderrBytes + 1}, {core.StderrBytes - 1, 1, 1}, {100_000, 30_000, 40_000}, {1, 65_535, 65_536, 7}, {40_000, 40_000, 200_000, 3}} {
		var r ring
		var all []byte
		for i, size := range sizes {
			chunk := bytes.Repeat([]byte{byte('a' + i)}, size)
			chunk[0] = '>'
			r.write(chunk)
			all = append(all, chunk...)
		}
		if want := string(all[max(0, len(all)-core.StderrBytes):]); r.text() != want {
			t.Errorf("%v: the ring does not hold the end", sizes)
		}
	}
}

func TestJoined(t *testing.T) {
	p := start(t, "exit", func(o *Options) { o.Joined = true })
	out, err := io.ReadAll(p.Stdout)
	if err != nil || string(out) != "out\nerr\n" {
		t.Errorf("it said %q, %v", out, err)
	}
	<-p.Done()
	if p.Stderr() != "" {
		t.Errorf("Stderr = %q, want nothing", p.Stderr())
	}
}

// A program gets the environment that it is given, descriptors 0, 1 and 2, and
// no terminal: nothing of what we hold, or have inherited ourselves.
func TestT38_NothingIsInherited(t *testing.T) {
	t.Setenv("COPYDESK_TOKEN", "secret")
	var fds [2]int
	if err := syscall.Pipe(fds[:]); err != nil { // without O_CLOEXEC
		t.Fatal(err)
	}
	defer syscall.Close(fds[0])
	defer syscall.Close(fds[1])
	p := start(t, "dump", func(o *Options) { o.Env = append(o.Env, "A=b") })
	out, err := io.ReadAll(p.Stdout)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"fds 0 1 2", "env " + fake + "=dump", "env A=b", "own group and session true true", "terminal false"}
	if diff := cmp.Diff(want, strings.Split(strings.TrimSpace(string(out)), "\n")); diff != "" {
		t.Errorf("what it got (-want +got):\n%s", diff)
	}
}

func TestT38_NoEnvironmentIsAnEmptyOne(t *testing.T) {
	env, err := exec.LookPath("env")
	if err != nil {
		t.Skip("env was not found")
	}
	p := start(t, "", func(o *Options) { o.Argv, o.Env = []string{env}, nil })
	out, err := io.ReadAll(p.Stdout)
	if err != nil || len(out) > 0 {
		t.Errorf("the environment is %q, %v, want none", out, err)
	}
}
