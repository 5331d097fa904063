//go:build darwin || dragonfly || freebsd || netbsd || openbsd

package term

import "golang.org/x/sys/unix"

// The requests that read and write the modes of a terminal at once.
const readModes, writeModes = unix.TIOCGETA, unix.TIOCSETA
