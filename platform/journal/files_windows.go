//go:build windows

package journal

import (
	"errors"
	"fmt"
	"io"
	"os"

	"golang.org/x/sys/windows"
)

// open leaves out O_APPEND: with it a file cannot be truncated. Write goes to
// the end instead.
func open(path string, flag int) (*os.File, error) {
	if info, err := os.Lstat(path); err == nil && info.Mode()&os.ModeSymlink != 0 {
		return nil, &os.PathError{Op: "open", Path: path, Err: errLink}
	}
	return os.OpenFile(path, flag&^os.O_APPEND, 0o600)
}

func (f *onDisk) Write(b []byte) (int, error) {
	if _, err := f.Seek(0, io.SeekEnd); err != nil {
		return 0, err
	}
	return f.File.Write(b)
}

// Lock takes a byte far beyond the end, so that the file can still be read: a
// locked byte cannot be.
func (f *onDisk) Lock() error {
	far := &windows.Overlapped{OffsetHigh: 1 << 30}
	err := windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, far)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, windows.ERROR_LOCK_VIOLATION), errors.Is(err, windows.ERROR_IO_PENDING):
		return errLocked
	}
	return fmt.Errorf("lock %s: %w", f.Name(), err)
}

// SyncDir does nothing: folders cannot be synced here.
func (disk) SyncDir(string) error { return nil }

// full reports whether an error says that there is no room.
func full(err error) bool {
	return errors.Is(err, windows.ERROR_DISK_FULL) || errors.Is(err, windows.ERROR_HANDLE_DISK_FULL)
}
