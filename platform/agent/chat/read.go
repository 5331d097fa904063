package chat

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"copydesk/core"
	"copydesk/core/session"
)

const (
	// maxListed is how many names of a folder the model gets.
	maxListed = 500

	// maxScanned is how many bytes of a file are passed over to find a line.
	maxScanned = 256 << 20
)

// read gives the model a part of a file in the working folder, or a folder's
// names. Links are followed as long as they stay inside.
func (t *turn) read(c *call) outcome {
	var path string
	offset, limit := 1, 0
	if err := decode(c.args.String(), argument{"path", &path, true}, argument{"offset", &offset, false}, argument{"limit", &limit, false}); err != nil {
		return fault("%v", err)
	}
	if offset < 1 || limit < 0 {
		return fault("lines count from 1, and limit is a number of lines")
	}
	dir, err := openFolder(t.a.options.Dir)
	if err != nil {
		return fault("%v", err)
	}
	rel, err := dir.local(path)
	if err != nil {
		return fault("%v", err)
	}
	t.say(session.ToolCall{ID: c.shown, Title: filepath.ToSlash(rel), Status: session.Running})
	root, err := os.OpenRoot(dir.real)
	if err != nil {
		return fault("open the working folder: %v", err)
	}
	defer root.Close()
	result, err := excerpt(root, rel, offset, limit, core.CommandOutput)
	if err != nil {
		return fault("%q %v", path, err)
	}
	return done(result)
}

// excerpt is what the model gets of a file or a folder.
func excerpt(root *os.Root, rel string, offset, limit, most int) (string, error) {
	info, err := root.Stat(rel)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", errors.New("does not exist")
	case err != nil:
		return "", fmt.Errorf("cannot be looked at: %w", err)
	case info.IsDir():
		return listing(root, rel)
	}
	f, info, err := openRegular(root, rel)
	if err != nil {
		return "", err
	}
	defer f.Close()
	return lines(f, info.Size(), offset, limit, most)
}

func listing(root *os.Root, rel string) (string, error) {
	f, err := root.Open(rel)
	if err != nil {
		return "", fmt.Errorf("cannot be opened: %w", err)
	}
	defer f.Close()
	entries, err := f.ReadDir(maxListed)
	if err != nil && !errors.Is(err, io.EOF) {
		return "", fmt.Errorf("cannot be read: %w", err)
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name()
		if e.IsDir() {
			names[i] += "/"
		}
	}
	slices.Sort(names)
	s := fmt.Sprintf("A folder with %d entries:\n%s\n", len(names), strings.Join(names, "\n"))
	if len(names) == maxListed {
		s += "There may be more.\n"
	}
	return s, nil
}

// lines reads lines from one on, as many as limit says (0: all), and no more
// than so many bytes. What is left out behind them is said.
func lines(r io.Reader, size int64, offset, limit, most int) (string, error) {
	in := bufio.NewReaderSize(io.LimitReader(r, maxScanned), 64<<10)
	if head, _ := in.Peek(8 << 10); binary(whole8(head)) {
		return "", fmt.Errorf("is no text file (%d bytes)", size)
	}
	var b strings.Builder
	n, taken := 1, 0
	begun := true // the next piece begins a line
	for {
		piece, err := in.ReadSlice('\n')
		if len(piece) > 0 && n >= offset {
			if begun && (limit > 0 && taken == limit || b.Len() >= most) {
				return b.String() + fmt.Sprintf("\n[The file goes on; read on with offset %d.]", n), nil
			}
			if begun {
				taken++
			}
			if b.Len()+len(piece) > most {
				b.Write(piece[:most-b.Len()])
				return strings.ToValidUTF8(b.String(), "\uFFFD") + fmt.Sprintf("\n[Line %d goes on; it is too long to be read whole. The next one has offset %d.]", n, n+1), nil
			}
			b.Write(piece)
		}
		begun = err == nil
		switch {
		case err == nil:
			n++
		case errors.Is(err, bufio.ErrBufferFull):
		case !errors.Is(err, io.EOF):
			return "", fmt.Errorf("cannot be read: %w", err)
		case b.Len() == 0 && size > 0:
			return "", fmt.Errorf("has no line %d", offset)
		default:
			return strings.ToValidUTF8(b.String(), "\uFFFD"), nil
		}
	}
}

// whole8 cuts off a character that the end of a piece has cut through.
func whole8(piece []byte) []byte {
	for i := 1; i < utf8.UTFMax && i <= len(piece); i++ {
		if tail := piece[len(piece)-i:]; utf8.RuneStart(tail[0]) {
			if !utf8.FullRune(tail) {
				return piece[:len(piece)-i]
			}
			break
		}
	}
	return piece
}
