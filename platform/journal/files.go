package journal

import (
	"errors"
	"io"
	"io/fs"
	"os"
)

// files is the disk, as far as a journal needs one. Names are whole paths.
type files interface {
	// Open opens a regular file; a symlink is refused. A file that is made has
	// mode 0600 whatever the umask is.
	Open(name string, flag int) (file, error)
	Lstat(name string) (fs.FileInfo, error)
	Same(a, b fs.FileInfo) bool // whether both are the same file
	MkdirAll(name string) error // mode 0700
	ReadDir(name string) ([]fs.DirEntry, error)
	Rename(from, to string) error
	Remove(name string) error
	SyncDir(name string) error // names that were made or changed in it reach the disk
}

// file is an open file. Of one opened with os.O_APPEND writes go to the end,
// wherever that is.
type file interface {
	io.Writer
	io.ReaderAt
	io.Closer
	Sync() error
	Truncate(size int64) error
	Stat() (fs.FileInfo, error)
	Lock() error // errLocked when another one has it; the lock ends with Close, and with the process
}

var (
	errLocked  = errors.New("somebody else has it locked")
	errRegular = errors.New("it is no regular file")
)

// disk is the real one.
type disk struct{}

func (disk) Open(name string, flag int) (file, error) {
	if flag&os.O_CREATE == 0 {
		// Opening a pipe or a device can already wait or do something.
		if info, err := os.Lstat(name); err == nil && !info.Mode().IsRegular() {
			return nil, &fs.PathError{Op: "open", Path: name, Err: errRegular}
		}
	}
	f, err := os.OpenFile(name, flag|noFollow, 0o600)
	if err != nil {
		return nil, err
	}
	if flag&os.O_CREATE != 0 {
		if err := f.Chmod(0o600); err != nil {
			f.Close()
			return nil, err
		}
	}
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		f.Close()
		return nil, &fs.PathError{Op: "open", Path: name, Err: errors.Join(errRegular, err)}
	}
	return osFile{f}, nil
}

func (disk) Lstat(name string) (fs.FileInfo, error)     { return os.Lstat(name) }
func (disk) Same(a, b fs.FileInfo) bool                 { return os.SameFile(a, b) }
func (disk) MkdirAll(name string) error                 { return os.MkdirAll(name, 0o700) }
func (disk) ReadDir(name string) ([]fs.DirEntry, error) { return os.ReadDir(name) }
func (disk) Rename(from, to string) error               { return os.Rename(from, to) }
func (disk) Remove(name string) error                   { return os.Remove(name) }

type osFile struct{ *os.File }

// exists reports whether a name is taken, by whatever.
func (s *Store) exists(name string) bool {
	_, err := s.fs.Lstat(name)
	return err == nil || !errors.Is(err, fs.ErrNotExist)
}
