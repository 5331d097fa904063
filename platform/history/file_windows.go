//go:build windows

package history

import (
	"os"

	"golang.org/x/sys/windows"
)

func openNoFollow(path string, flag int) (*os.File, error) {
	if info, err := os.Lstat(path); err == nil && info.Mode()&os.ModeSymlink != 0 {
		return nil, &os.PathError{Op: "open", Path: path, Err: errLink}
	}
	return os.OpenFile(path, flag, 0o600)
}

// hold waits for the file's lock, which goes when the file is closed.
func hold(f *os.File) error {
	return windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK, 0, 1, 0, new(windows.Overlapped))
}

// syncDir does nothing: folders cannot be synced here.
func syncDir(string) error { return nil }
