//go:build windows

package shelf

import (
	"errors"
	"os"
)

var errLink = errors.New("it is a symbolic link")

func openNoFollow(path string) (*os.File, error) {
	if info, err := os.Lstat(path); err == nil && info.Mode()&os.ModeSymlink != 0 {
		return nil, &os.PathError{Op: "open", Path: path, Err: errLink}
	}
	return os.Open(path)
}
