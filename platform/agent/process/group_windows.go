package process

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// A group is a job: it holds a program and all that it starts, and ends them
// when its handle is closed, with us at the latest.
type group struct {
	leader *os.Process
	job    windows.Handle // 0: none could be had, and only the leader is ended
}

// prepare keeps the console's Ctrl+C from the program.
func prepare(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP, HideWindow: true}
}

// adopt puts a program that was just started into a job.
func adopt(cmd *exec.Cmd) group {
	g := group{leader: cmd.Process}
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return g
	}
	limits := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{
		BasicLimitInformation: windows.JOBOBJECT_BASIC_LIMIT_INFORMATION{
			LimitFlags: windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE,
		},
	}
	if _, err := windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits))); err != nil {
		windows.CloseHandle(job)
		return g
	}
	program, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, uint32(cmd.Process.Pid))
	if err != nil {
		windows.CloseHandle(job)
		return g
	}
	defer windows.CloseHandle(program)
	if err := windows.AssignProcessToJobObject(job, program); err != nil {
		windows.CloseHandle(job)
		return g
	}
	g.job = job
	return g
}

// ask does nothing: there is no signal that asks; the end of the input did.
func (group) ask() {}

// kill ends all in the job.
func (g group) kill() error {
	if g.job == 0 {
		if err := g.leader.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
			return fmt.Errorf("end process %d: %w", g.leader.Pid, err)
		}
		return nil
	}
	if err := windows.TerminateJobObject(g.job, 1); err != nil {
		return fmt.Errorf("end the job of process %d: %w", g.leader.Pid, err)
	}
	return nil
}

// release ends what is left in the job.
func (g group) release() {
	if g.job != 0 {
		windows.CloseHandle(g.job)
	}
}

// alive is not known; release ends them all.
func (group) alive() bool { return false }

// words says how a program ended.
func words(state *os.ProcessState) string { return state.String() }

// foreign reports whether a start failed because the file is no program.
func foreign(err error) bool { return errors.Is(err, windows.ERROR_BAD_EXE_FORMAT) }

// lookPath looks for a program in our PATH, with the endings of PATHEXT.
func lookPath(name string, _ []string) (string, error) { return exec.LookPath(name) }
