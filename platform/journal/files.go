package journal

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// files is what a journal asks of a disk. All paths are absolute or relative to
// the working folder; a symbolic link is never followed at their end.
type files interface {
	// Open opens a regular file with the flags of os.OpenFile, 0600 when it is
	// made. Writes to a file with os.O_APPEND go to its end.
	Open(path string, flag int) (file, error)
	Mkdir(path string) error // 0700, with all folders above it
	Rename(from, to string) error
	Remove(path string) error
	Lstat(path string) (fs.FileInfo, error)
	Same(a, b fs.FileInfo) bool
	ReadDir(path string) ([]fs.DirEntry, error)
	SyncDir(path string) error
}

type file interface {
	io.Writer
	io.ReaderAt
	Sync() error
	Truncate(size int64) error
	Stat() (fs.FileInfo, error)
	Lock() error // errLocked when another one has it; until Close
	Close() error
}

var (
	errLocked = errors.New("the file is locked")
	errLink   = errors.New("it is a symbolic link")
	errPlain  = errors.New("it is not a regular file")
)

// disk is the real one.
type disk struct{}

func (disk) Open(path string, flag int) (file, error) {
	f, err := open(path, flag)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = &fs.PathError{Op: "open", Path: path, Err: errPlain}
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return &onDisk{f}, nil
}

func (disk) Mkdir(path string) error {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return nil
	}
	if err := os.MkdirAll(path, 0o700); err != nil {
		return err
	}
	// That a folder could not be synced shows when a file in it is.
	_ = disk{}.SyncDir(filepath.Dir(path))
	return nil
}

func (disk) Rename(from, to string) error               { return os.Rename(from, to) }
func (disk) Remove(path string) error                   { return os.Remove(path) }
func (disk) Lstat(path string) (fs.FileInfo, error)     { return os.Lstat(path) }
func (disk) Same(a, b fs.FileInfo) bool                 { return os.SameFile(a, b) }
func (disk) ReadDir(path string) ([]fs.DirEntry, error) { return os.ReadDir(path) }

// onDisk is a file on the real disk.
type onDisk struct{ *os.File }
