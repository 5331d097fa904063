package journal

import (
	"errors"
	"math"
	"os"

	"golang.org/x/sys/windows"
)

// noFollow is nothing here: Open looks at a name before it opens it.
const noFollow = 0

// Lock takes a byte far beyond the end: locks of Windows keep others from the
// bytes they cover, and readers must get at all that is written. The system lets
// go of it when the process ends.
func (f osFile) Lock() error {
	at := &windows.Overlapped{Offset: math.MaxUint32 - 1, OffsetHigh: math.MaxInt32}
	err := windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, at)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) || errors.Is(err, windows.ERROR_IO_PENDING) {
		return errLocked
	}
	return err
}

// Truncate needs a handle of its own: one that appends may not set the end.
func (f osFile) Truncate(size int64) error {
	w, err := os.OpenFile(f.Name(), os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer w.Close()
	a, err := f.Stat()
	if err != nil {
		return err
	}
	b, err := w.Stat()
	if err != nil {
		return err
	}
	if !os.SameFile(a, b) {
		return os.ErrNotExist
	}
	return w.Truncate(size)
}

// SyncDir does nothing: Windows writes names through.
func (disk) SyncDir(string) error { return nil }

// full reports whether the error says that there is no room: the file is as good
// as before, and later there can be room again.
func full(err error) bool {
	return errors.Is(err, windows.ERROR_DISK_FULL) || errors.Is(err, windows.ERROR_HANDLE_DISK_FULL) || errors.Is(err, windows.ERROR_DISK_QUOTA_EXCEEDED)
}

// reasons are errors in the words of the status bar, each with the next step.
var reasons = []struct {
	err  error
	text string
}{
	{windows.ERROR_DISK_FULL, "no space left on the disk. Make room; the work goes on and is saved then."},
	{windows.ERROR_HANDLE_DISK_FULL, "no space left on the disk. Make room; the work goes on and is saved then."},
	{windows.ERROR_DISK_QUOTA_EXCEEDED, "your disk quota is used up. Make room; the work goes on and is saved then."},
	{windows.ERROR_WRITE_PROTECT, "the disk is read-only. Make it writable; the work goes on and is saved then."},
	{windows.ERROR_TOO_MANY_OPEN_FILES, "too many files are open. Close a pane; the work goes on and is saved then."},
}
