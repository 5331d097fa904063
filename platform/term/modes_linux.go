package term

import "golang.org/x/sys/unix"

// The requests that read and write the modes of a terminal at once.
const readModes, writeModes = unix.TCGETS, unix.TCSETS
