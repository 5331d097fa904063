package chat

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"unicode/utf8"
)

// maxFile is how long a file may be that write_file replaces, in bytes.
const maxFile = 4 << 20

// errElse says that the folder is another now than it was a moment ago.
var errElse = errors.New("changed meanwhile")

// A folder is the working folder. What it opens lies in it, whatever happens to
// the links of it meanwhile (T40).
type folder struct {
	dir  string // as configured
	real string // without links
}

func openFolder(dir string) (folder, error) {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return folder{}, fmt.Errorf("open the working folder: %w", err)
	}
	return folder{dir: dir, real: real}, nil
}

// local returns a path as relative to the folder and cleaned. Whether it leads
// out by a link is for os.Root to find.
func (f folder) local(path string) (string, error) {
	if path == "" || strings.ContainsRune(path, 0) {
		return "", errors.New("the path is empty or holds a NUL")
	}
	rel := filepath.Clean(filepath.FromSlash(path))
	if filepath.IsAbs(rel) {
		for _, base := range []string{f.real, f.dir} {
			if r, err := filepath.Rel(base, rel); err == nil && filepath.IsLocal(r) {
				return r, nil
			}
		}
	}
	if !filepath.IsLocal(rel) {
		return "", fmt.Errorf("%q is outside of the working folder %q", path, f.dir)
	}
	return rel, nil
}

// below resolves a folder below the working folder to its path without links.
func (f folder) below(path string) (string, error) {
	if path == "" {
		return f.real, nil
	}
	rel, err := f.local(path)
	if err != nil {
		return "", err
	}
	real, err := filepath.EvalSymlinks(filepath.Join(f.real, rel))
	if err != nil {
		return "", fmt.Errorf("there is no folder %q", path)
	}
	if r, err := filepath.Rel(f.real, real); err != nil || !filepath.IsLocal(r) {
		return "", fmt.Errorf("%q leads out of the working folder %q", path, f.dir)
	}
	if info, err := os.Stat(real); err != nil || !info.IsDir() {
		return "", fmt.Errorf("%q is no folder", path)
	}
	return real, nil
}

// parent opens the folder that a relative path lies in. It goes through no
// link, not even one that stays inside: what the user sees of a path is where
// it is. With make it makes what is missing; else the root is nil then.
func (f folder) parent(rel string, make bool) (*os.Root, error) {
	at, err := os.OpenRoot(f.real)
	if err != nil {
		return nil, fmt.Errorf("open the working folder: %w", err)
	}
	parts := strings.Split(filepath.ToSlash(rel), "/")
	for i, name := range parts[:len(parts)-1] {
		next, err := enter(at, name, make)
		at.Close()
		if err != nil {
			return nil, fmt.Errorf("%q %w", strings.Join(parts[:i+1], "/"), err)
		}
		if next == nil && make {
			return nil, errElse // it was made, and is gone again
		}
		if next == nil {
			return nil, nil
		}
		at = next
	}
	return at, nil
}

// enter opens a folder in another one, provided that it is no link; nil if there
// is none. That what was opened is what was looked at holds against a link that
// takes its place in between.
func enter(at *os.Root, name string, make bool) (*os.Root, error) {
	seen, err := at.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) && make {
		if err := at.Mkdir(name, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, fmt.Errorf("cannot be made: %w", err)
		}
		seen, err = at.Lstat(name)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("cannot be opened: %w", err)
	case seen.Mode()&fs.ModeSymlink != 0:
		return nil, errors.New("is a symbolic link, and nothing is written through one; name the real path")
	case !seen.IsDir():
		return nil, errors.New("is no folder")
	}
	next, err := at.OpenRoot(name)
	if err != nil {
		return nil, fmt.Errorf("cannot be opened: %w", err)
	}
	if opened, err := next.Stat("."); err != nil || !os.SameFile(seen, opened) {
		next.Close()
		return nil, errElse
	}
	return next, nil
}

// A state is what stands at a path.
type state struct {
	exists  bool
	content string
	mode    fs.FileMode
}

// look reads the text file of a name. A link, a folder or a device is an error,
// and so is what is no text or too long.
func look(at *os.Root, name string) (state, error) {
	if at == nil {
		return state{}, nil
	}
	seen, err := at.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return state{}, nil
	case err != nil:
		return state{}, fmt.Errorf("cannot be looked at: %w", err)
	case seen.Mode()&fs.ModeSymlink != 0:
		return state{}, errors.New("is a symbolic link, and nothing is written through one; name the real path")
	}
	f, info, err := openRegular(at, name)
	if err != nil {
		return state{}, err
	}
	defer f.Close()
	if !os.SameFile(seen, info) {
		return state{}, errElse
	}
	if info.Size() > maxFile {
		return state{}, fmt.Errorf("is longer than %d bytes, which is the most that can be replaced", maxFile)
	}
	content, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return state{}, fmt.Errorf("cannot be read: %w", err)
	}
	if binary(content) {
		return state{}, errors.New("is no text file, and only those can be replaced")
	}
	return state{exists: true, content: string(content), mode: info.Mode().Perm()}, nil
}

// openRegular opens a file to read it. Nothing but a regular file can be
// opened: a named pipe would wait for its other end.
func openRegular(at *os.Root, name string) (*os.File, fs.FileInfo, error) {
	f, err := at.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, nil, fmt.Errorf("cannot be opened: %w", err)
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("it is no file")
	}
	if err != nil {
		f.Close()
		return nil, nil, fmt.Errorf("cannot be read: %w", err)
	}
	return f, info, nil
}

// binary reports whether a content is no text.
func binary(content []byte) bool {
	return bytes.IndexByte(content, 0) >= 0 || !utf8.Valid(content)
}
