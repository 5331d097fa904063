//go:build !unix

package deliver

import "os/exec"

// noFollow is nothing: a file that must not exist is no link either.
const noFollow = 0

// detach does nothing: without sessions there is no SIGHUP to keep away.
func detach(*exec.Cmd) {}

// killGroup ends a started command.
func killGroup(cmd *exec.Cmd) error { return cmd.Process.Kill() }
