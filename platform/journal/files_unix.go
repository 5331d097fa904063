//go:build !windows

package journal

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

const noFollow = unix.O_NOFOLLOW | unix.O_NONBLOCK

// Lock takes the whole file with flock: the kernel lets go of it when the
// process ends, however it ends (R36, R47).
func (f osFile) Lock() error {
	for {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		switch {
		case err == nil:
			return nil
		case errors.Is(err, unix.EINTR):
		case errors.Is(err, unix.EWOULDBLOCK):
			return errLocked
		default:
			return err
		}
	}
}

// SyncDir does nothing on file systems that cannot sync a folder.
func (disk) SyncDir(name string) error {
	d, err := os.Open(name)
	if err != nil {
		return err
	}
	defer d.Close()
	if err := d.Sync(); err != nil && !errors.Is(err, unix.EINVAL) && !errors.Is(err, unix.ENOTSUP) {
		return err
	}
	return nil
}

// full reports whether the error says that there is no room: the file is as good
// as before, and later there can be room again.
func full(err error) bool { return errors.Is(err, unix.ENOSPC) || errors.Is(err, unix.EDQUOT) }

// reasons are errors in the words of the status bar, each with the next step.
var reasons = []struct {
	err  error
	text string
}{
	{unix.ENOSPC, "no space left on the disk. Make room; the work goes on and is saved then."},
	{unix.EDQUOT, "your disk quota is used up. Make room; the work goes on and is saved then."},
	{unix.EIO, "the disk reports an error. Check it; the work goes on and is saved when it takes it."},
	{unix.EROFS, "the disk is read-only. Make it writable; the work goes on and is saved then."},
	{unix.EMFILE, "too many files are open. Close a pane; the work goes on and is saved then."},
	{unix.ENFILE, "too many files are open on this machine. Close some; the work goes on and is saved then."},
	{unix.EFBIG, "files may not grow that long here. Raise the limit; the work goes on and is saved then."},
}
