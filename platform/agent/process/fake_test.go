//go:build unix

package process

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
	"golang.org/x/sys/unix"
)

// fake is the variable that makes the test binary a program to be run: its
// value says which.
const fake = "COPYDESK_FAKE"

func TestMain(m *testing.M) {
	if what := os.Getenv(fake); what != "" {
		syscall.Exit(play(what)) // os.Exit waits a second for the race detector
	}
	goleak.VerifyTestMain(m)
}

// play is the program that the tests run.
func play(what string) int {
	switch what {
	case "exit":
		fmt.Println("out")
		fmt.Fprintln(os.Stderr, "err")
		return 3
	case "zero":
		return 0
	case "much": // 1 MiB, and ends at once
		os.Stdout.Write(bytes.Repeat([]byte("0123456789abcde\n"), 1<<16))
		return 0
	case "echo": // ends with its input
		io.Copy(os.Stdout, os.Stdin)
		return 0
	case "dump": // says what it got from us
		dump()
		return 0
	case "flood": // 128 MiB of complaints
		line := bytes.Repeat([]byte("complaint\n"), 6400)
		for n := 0; n < 128<<20; n += len(line) {
			os.Stderr.Write(line)
		}
		fmt.Fprint(os.Stderr, "the last words")
		return 0
	case "polite": // ignores the end of its input, ends with TERM
		terms := make(chan os.Signal, 1)
		signal.Notify(terms, syscall.SIGTERM)
		fmt.Println("ready")
		<-terms
		fmt.Println("TERM")
		return 7
	case "deaf": // ignores all that can be ignored
		signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
		fmt.Println("ready", os.Getpid())
		time.Sleep(time.Minute)
	case "parent": // waits beside a deaf child
		child("deaf")
		time.Sleep(time.Minute)
	case "orphans": // leaves two children, a polite one and a deaf one
		child("polite")
		child("deaf")
		return 0
	case "zombie": // leaves a zombie whose parent escapes and does not reap it
		child("negligent")
		return 0
	case "negligent":
		cmd := exec.Command(os.Args[0])
		cmd.Env = []string{fake + "=zero"}
		if err := cmd.Start(); err != nil {
			panic(err)
		}
		for runs(cmd.Process.Pid) {
			time.Sleep(time.Millisecond)
		}
		syscall.Setsid()
		fmt.Println("ready", os.Getpid())
		time.Sleep(time.Minute)
	case "escape": // leaves a child with a session of its own, which has our pipes
		child("escaped")
		return 0
	case "escaped":
		syscall.Setsid()
		fmt.Println("ready", os.Getpid())
		time.Sleep(time.Minute)
	}
	return 99
}

// child starts another fake with our pipes and waits until it says that it is
// ready; that is passed on.
func child(what string) {
	r, w, err := os.Pipe()
	if err != nil {
		panic(err)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = []string{fake + "=" + what}
	cmd.Stdout, cmd.Stderr, cmd.Stdin = w, os.Stderr, os.Stdin
	if what == "escaped" {
		cmd.ExtraFiles = []*os.File{os.Stdout}
	}
	if err := cmd.Start(); err != nil {
		panic(err)
	}
	w.Close()
	line, _ := bufio.NewReader(r).ReadString('\n')
	fmt.Println("child", cmd.Process.Pid, strings.TrimSpace(line))
}

// dump prints the environment and the descriptors that were inherited: Go's
// runtime has some of its own, but those are not to be passed on.
func dump() {
	var fds []string
	for fd := range 256 {
		flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0)
		if err == nil && flags&unix.FD_CLOEXEC == 0 {
			fds = append(fds, strconv.Itoa(fd))
		}
	}
	fmt.Println("fds", strings.Join(fds, " "))
	for _, pair := range os.Environ() {
		fmt.Println("env", pair)
	}
	sid, _ := unix.Getsid(0)
	fmt.Println("own group and session", unix.Getpgrp() == os.Getpid(), sid == os.Getpid())
	_, err := os.Open("/dev/tty")
	fmt.Println("terminal", err == nil)
}
