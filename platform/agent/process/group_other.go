//go:build !unix && !windows

package process

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
)

// A group is the program alone: there are no groups to speak of.
type group struct{ leader *os.Process }

func prepare(*exec.Cmd) {}

func adopt(cmd *exec.Cmd) group { return group{cmd.Process} }

func (group) ask() {}

func (g group) kill() error {
	if err := g.leader.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("end process %d: %w", g.leader.Pid, err)
	}
	return nil
}

func (group) release() {}

func (group) alive() bool { return false }

// words says how a program ended.
func words(state *os.ProcessState) string { return state.String() }

func foreign(error) bool { return false }

// lookPath looks for a program in our PATH.
func lookPath(name string, _ []string) (string, error) { return exec.LookPath(name) }
