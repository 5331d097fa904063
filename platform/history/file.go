package history

import (
	"errors"
	"io/fs"
	"os"
)

var (
	errLink  = errors.New("it is a symbolic link")
	errPlain = errors.New("it is not a regular file")
)

// open opens a regular file that is no link, with mode 0600 when it is made.
func open(path string, flag int) (*os.File, error) {
	f, err := openNoFollow(path, flag)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = &fs.PathError{Op: "open", Path: path, Err: errPlain}
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}
