package mention

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
)

const (
	// maxWords is how many names are offered at once.
	maxWords = 50

	// maxEntries is how many entries of one folder are looked at: a completion
	// comes with every key.
	maxEntries = 20_000
)

// Complete returns how the @word at the end of input can go on: the names
// below dir, which is absolute, sorted, at most 50; start is the byte of the @.
// A folder ends in a slash, and names that begin with a dot come only where a
// dot was written; .git and links that lead out of dir never do. A name with
// blanks is quoted: @"my file"; behind a folder the quote stays open. Capitals
// count only when some are written. Without an @word there are no words.
// It is safe for concurrent use.
func Complete(dir, input string) (start int, words []string) {
	start, typed, quoted := word(input)
	if start == len(input) {
		return start, nil
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return start, nil
	}
	defer root.Close()
	above, prefix := path.Split(typed)
	for _, e := range entries(root, above) {
		name := e.Name()
		if !offered(name, prefix) {
			continue
		}
		folder, ok := isFolder(root, path.Join(above, name), e)
		if !ok {
			continue
		}
		if w, ok := spell(above+name, folder, quoted); ok {
			words = append(words, w)
		}
		if len(words) == maxWords {
			break
		}
	}
	return start, words
}

// word splits the @word off the end of an input; start is the input's length
// when there is none.
func word(input string) (start int, typed string, quoted bool) {
	for at := len(input) - 1; at >= 0; at-- {
		if input[at] != '@' || !begins(input, at) {
			continue
		}
		typed, quoted = strings.CutPrefix(input[at+1:], `"`)
		if len(typed) > maxPath || quoted && strings.Contains(typed, `"`) || !quoted && strings.ContainsFunc(typed, unicode.IsSpace) {
			break
		}
		return at, typed, quoted
	}
	return len(input), "", false
}

// entries returns a folder's entries, sorted by name.
func entries(root *os.Root, above string) []fs.DirEntry {
	if above == "" {
		above = "."
	}
	above = filepath.FromSlash(above)
	// Opening a named pipe would wait for its other end.
	if info, err := root.Stat(above); err != nil || !info.IsDir() {
		return nil
	}
	f, err := root.Open(above)
	if err != nil {
		return nil
	}
	defer f.Close()
	// What could be read before an error is still worth to be offered.
	found, _ := f.ReadDir(maxEntries)
	slices.SortFunc(found, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return found
}

func offered(name, prefix string) bool {
	if name == ".git" || strings.HasPrefix(name, ".") && !strings.HasPrefix(prefix, ".") {
		return false
	}
	if strings.ToLower(prefix) == prefix {
		name = strings.ToLower(name)
	}
	return strings.HasPrefix(name, prefix)
}

// isFolder reports whether an entry is a folder; not ok if it leads out of the
// root or to nothing.
func isFolder(root *os.Root, name string, e fs.DirEntry) (folder, ok bool) {
	if e.Type()&fs.ModeSymlink == 0 {
		return e.IsDir(), true
	}
	info, err := root.Stat(filepath.FromSlash(name))
	if err != nil {
		return false, false
	}
	return info.IsDir(), true
}

// spell writes a path as a mention; not ok if it cannot be written as one.
func spell(path string, folder, quoted bool) (mention string, ok bool) {
	quoted = quoted || strings.ContainsFunc(path, unicode.IsSpace) || strings.HasPrefix(path, `"`)
	if !writable(path) || quoted && strings.Contains(path, `"`) {
		return "", false
	}
	switch {
	case folder && quoted:
		return `@"` + path + `/`, true
	case folder:
		return "@" + path + "/", true
	case quoted:
		return `@"` + path + `"`, true
	}
	return "@" + path, true
}

// writable reports whether a path can stand in one line of a prompt.
func writable(path string) bool {
	return strings.ToValidUTF8(path, "") == path && !strings.ContainsFunc(path, unicode.IsControl)
}
