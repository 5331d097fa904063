//go:build unix && !linux

package process

import "syscall"

// alive reports whether something in the group still runs. What may not be
// signalled counts as gone; on macOS those are zombies.
func (g group) alive() bool { return syscall.Kill(-g.id, 0) == nil }
