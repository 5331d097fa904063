//go:build unix

package shelf

import (
	"os"

	"golang.org/x/sys/unix"
)

// openNoFollow does not wait for the other end of a pipe of that name.
func openNoFollow(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
}
