//go:build unix

package history

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// openNoFollow does not wait for the other end of a pipe of that name.
func openNoFollow(path string, flag int) (*os.File, error) {
	f, err := os.OpenFile(path, flag|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0o600)
	// FreeBSD says EMLINK for a link; POSIX says ELOOP.
	if errors.Is(err, unix.ELOOP) || errors.Is(err, unix.EMLINK) {
		return nil, &os.PathError{Op: "open", Path: path, Err: errLink}
	}
	return f, err
}

// hold waits for the file's lock. The system lets go of it when the file is
// closed or the program ends, however it does.
func hold(f *os.File) error {
	for {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX)
		if !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

// syncDir brings the names in a folder to the disk. Some file systems cannot.
func syncDir(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	defer d.Close()
	err = d.Sync()
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOTSUP) {
		return nil
	}
	return err
}
