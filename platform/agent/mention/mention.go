// Package mention finds the files that a prompt names with @ (AGT 5), and
// completes their names. It looks at nothing outside of the working folder: a
// symbolic link that leads out of it is no file here.
package mention

import (
	"os"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Mention is a file or folder that a prompt names.
type Mention struct {
	// Start and End are where it stands in the prompt, in bytes, from the @ on
	// and with its quotes.
	Start, End int

	// Path is what was written behind the @, without quotes: relative to the
	// working folder, with slashes.
	Path string

	// Abs is the absolute path, not resolved.
	Abs string
}

// Find returns the mentions of a prompt in their order: those that exist below
// dir, which is absolute. A mention stands at the prompt's start or behind a
// blank or an opening bracket and ends before the next blank, or is quoted:
// @"my file". Punctuation behind a name is no part of it unless a file is
// called so. It is safe for concurrent use.
func Find(dir, prompt string) []Mention {
	if !strings.Contains(prompt, "@") {
		return nil
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil
	}
	defer root.Close()
	var found []Mention
	tried := 0
	for at := 0; at < len(prompt) && tried < maxTried; {
		if prompt[at] != '@' || !begins(prompt, at) {
			at++
			continue
		}
		tried++
		path, end := written(root, prompt, at)
		if path == "" {
			at++
			continue
		}
		found = append(found, Mention{Start: at, End: end, Path: path, Abs: filepath.Join(dir, filepath.FromSlash(path))})
		at = end
	}
	return found
}

// begins reports whether an @ at a byte of s begins a mention: behind a letter
// it belongs to an address or a package's version.
func begins(s string, at int) bool {
	before, _ := utf8.DecodeLastRuneInString(s[:at])
	return at == 0 || unicode.IsSpace(before) || strings.ContainsRune(`([{<`, before)
}

// written returns the path that the mention at a byte of the prompt names, and
// where the mention ends; an empty path if there is no such file.
func written(root *os.Root, prompt string, at int) (path string, end int) {
	rest := prompt[at+1 : min(len(prompt), at+len(`@""`)+maxPath)]
	if quoted, ok := strings.CutPrefix(rest, `"`); ok {
		path, _, closed := strings.Cut(quoted, `"`)
		if !closed || !exists(root, path) {
			return "", 0
		}
		return path, at + len(`@""`) + len(path)
	}
	path = rest
	if i := strings.IndexFunc(rest, unicode.IsSpace); i >= 0 {
		path = rest[:i]
	}
	for cut := 0; path != "" && !exists(root, path); cut++ {
		last, size := utf8.DecodeLastRuneInString(path)
		if cut == maxPunctuation || !strings.ContainsRune(`.,;:!?)]}>"'`, last) {
			return "", 0
		}
		path = path[:len(path)-size]
	}
	return path, at + 1 + len(path)
}

func exists(root *os.Root, path string) bool {
	// Dots alone are an ellipsis more often than a folder.
	if strings.Trim(path, ".") == "" || len(path) > maxPath || strings.ContainsRune(path, 0) {
		return false
	}
	_, err := root.Stat(filepath.FromSlash(path))
	return err == nil
}

const (
	// maxPath is the longest path that is looked up, in bytes (PATH_MAX of Linux).
	maxPath = 4096

	// maxPunctuation is how many signs behind a name are passed over, and
	// maxTried how many names of one prompt are looked up: megabytes can be
	// pasted.
	maxPunctuation = 8
	maxTried       = 1000
)
