//go:build unix

package journal

import (
	"errors"
	"fmt"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// open does not wait for the other end of a pipe that has a journal's name.
func open(path string, flag int) (*os.File, error) {
	f, err := os.OpenFile(path, flag|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0o600)
	// FreeBSD says EMLINK, NetBSD EFTYPE for a link; POSIX says ELOOP.
	if errors.Is(err, unix.ELOOP) || errors.Is(err, unix.EMLINK) {
		return nil, &os.PathError{Op: "open", Path: path, Err: errLink}
	}
	return f, err
}

// Lock takes the file for this descriptor. The system lets go of it when the
// program ends, however it does (R47).
func (f *onDisk) Lock() error {
	for {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		switch {
		case err == nil:
			return nil
		case errors.Is(err, unix.EINTR):
		case errors.Is(err, unix.EWOULDBLOCK):
			return errLocked
		default:
			return fmt.Errorf("lock %s: %w", f.Name(), err)
		}
	}
}

// SyncDir brings the names in a folder to the disk. Some file systems cannot.
func (disk) SyncDir(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = d.Close() }()
	err = d.Sync()
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOTSUP) {
		return nil
	}
	return err
}

// full reports whether an error says that there is no room.
func full(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}
