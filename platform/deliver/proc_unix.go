//go:build unix

package deliver

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
)

// noFollow keeps a symbolic link from being written through.
const noFollow = syscall.O_NOFOLLOW

// detach starts the command in a session of its own: it lives on when the
// terminal closes, and killGroup reaches all that it starts.
func detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

// killGroup ends a started, detached command and all that it started, unless
// they made a session of their own.
func killGroup(cmd *exec.Cmd) error {
	err := syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	if errors.Is(err, syscall.ESRCH) {
		return os.ErrProcessDone
	}
	return err
}
