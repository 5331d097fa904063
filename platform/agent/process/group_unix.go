//go:build unix

package process

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// A group is a process group, and a session besides: its number is the process
// id of the program that leads it.
type group struct{ id int }

// prepare makes a command lead a session of its own, and with it a process
// group, and keeps every descriptor of ours from it. Go opens none that
// children inherit, but those that we inherited ourselves would be handed on
// (T38).
func prepare(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	entries, err := os.ReadDir("/dev/fd")
	if err != nil {
		return
	}
	for _, entry := range entries {
		if fd, err := strconv.Atoi(entry.Name()); err == nil && fd > 2 {
			syscall.CloseOnExec(fd)
		}
	}
}

// adopt returns the group of a program that was just started.
func adopt(cmd *exec.Cmd) group { return group{cmd.Process.Pid} }

// ask asks all in the group to end.
func (g group) ask() { g.signal(syscall.SIGTERM) }

// kill ends all in the group.
func (g group) kill() error { return g.signal(syscall.SIGKILL) }

func (group) release() {}

func (g group) signal(sig syscall.Signal) error {
	if err := syscall.Kill(-g.id, sig); err != nil && !errors.Is(err, syscall.ESRCH) {
		return fmt.Errorf("send %v to process group %d: %w", sig, g.id, err)
	}
	return nil
}

// words says how a program ended.
func words(state *os.ProcessState) string {
	status, ok := state.Sys().(syscall.WaitStatus)
	if !ok || !status.Signaled() {
		return state.String()
	}
	return fmt.Sprintf("signal %d (%s)", int(status.Signal()), status.Signal())
}

// foreign reports whether a start failed because the file is no program.
func foreign(err error) bool { return errors.Is(err, syscall.ENOEXEC) }

// lookPath looks for a program in the PATH of an environment, in ours if it has
// none. Relative directories in it are passed over. For a file that is not
// executable the error is fs.ErrPermission.
func lookPath(name string, env []string) (string, error) {
	list := os.Getenv("PATH")
	for _, pair := range env {
		if value, ok := strings.CutPrefix(pair, "PATH="); ok {
			list = value // the last one counts
		}
	}
	barred := ""
	for _, dir := range filepath.SplitList(list) {
		if !filepath.IsAbs(dir) {
			continue
		}
		path := filepath.Join(dir, name)
		info, err := os.Stat(path)
		switch {
		case err != nil || !info.Mode().IsRegular():
		case info.Mode()&0o111 != 0:
			return path, nil
		case barred == "":
			barred = path
		}
	}
	if barred != "" {
		return barred, fs.ErrPermission
	}
	return "", exec.ErrNotFound
}
