package process

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// shownBytes is how much of a command an error repeats.
const shownBytes = 200

// A startError is a text for the user about an error that is in it.
type startError struct {
	text string
	err  error
}

func (e *startError) Error() string { return e.text }
func (e *startError) Unwrap() error { return e.err }

// fault is that a command cannot be started, and what to do about it.
func fault(o Options, why string, err error) error {
	return &startError{text: "start " + show(o.Argv) + ": " + why, err: err}
}

// show writes a command as a user types it, shortened.
func show(argv []string) string {
	quoted := make([]string, len(argv))
	for i, arg := range argv {
		if quoted[i] = arg; arg == "" || strings.ContainsAny(arg, " \t\r\n\"'") {
			quoted[i] = strconv.Quote(arg)
		}
	}
	line := strings.ToValidUTF8(strings.Join(quoted, " "), "\uFFFD")
	if len(line) > shownBytes {
		line = strings.ToValidUTF8(line[:shownBytes], "") + "…"
	}
	return line
}

// command makes the command that the options ask for.
func command(o Options) (*exec.Cmd, error) {
	if len(o.Argv) == 0 || o.Argv[0] == "" {
		return nil, &startError{text: "start an agent: it has no command; set one in the configuration", err: fs.ErrInvalid}
	}
	if o.Dir != "" {
		switch info, err := os.Stat(o.Dir); {
		case errors.Is(err, fs.ErrNotExist):
			return nil, fault(o, "the directory "+o.Dir+" does not exist; make it, or choose another one", err)
		case err != nil:
			return nil, fault(o, "the directory "+o.Dir+" cannot be used: "+reason(err), err)
		case !info.IsDir():
			return nil, fault(o, o.Dir+" is no directory; choose another one", fs.ErrInvalid)
		}
	}
	path, err := find(o)
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(path, o.Argv[1:]...)
	cmd.Args[0] = o.Argv[0]
	cmd.Dir = o.Dir
	cmd.Env = append([]string{}, o.Env...) // not nil, which would hand on all of ours
	return cmd, nil
}

// find returns the absolute path of the program.
func find(o Options) (string, error) {
	name := o.Argv[0]
	if filepath.Base(name) == name {
		path, err := lookPath(name, o.Env)
		switch {
		case errors.Is(err, fs.ErrPermission):
			return "", fault(o, path+" is not executable; make it so with chmod +x, or correct the command", err)
		case err != nil || !filepath.IsAbs(path):
			return "", fault(o, name+" was not found in PATH; install it, or correct the command", exec.ErrNotFound)
		}
		return path, nil
	}
	path, err := filepath.Abs(filepath.Join(o.Dir, name))
	if filepath.IsAbs(name) {
		path, err = filepath.Clean(name), nil
	}
	if err != nil {
		return "", fault(o, reason(err), err)
	}
	switch info, err := os.Stat(path); {
	case errors.Is(err, fs.ErrNotExist):
		return "", fault(o, path+" does not exist; install it, or correct the command", exec.ErrNotFound)
	case err != nil:
		return "", fault(o, path+" cannot be run: "+reason(err), err)
	case info.IsDir():
		return "", fault(o, path+" is a directory; correct the command", fs.ErrInvalid)
	}
	return path, nil
}

// explain turns the error of a start into one that says what to do.
func explain(o Options, path string, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fault(o, "the program that the first line of "+path+" names was not found; install it", err)
	case errors.Is(err, fs.ErrPermission):
		return fault(o, path+" is not executable; make it so with chmod +x, or correct the command", err)
	case foreign(err):
		return fault(o, path+" is no program for this system; install another one, or correct the command", err)
	}
	return fault(o, reason(err), err)
}

// reason is an error without the path and the call, which are named already.
func reason(err error) string {
	if inner := (*fs.PathError)(nil); errors.As(err, &inner) {
		return inner.Err.Error()
	}
	return err.Error()
}
