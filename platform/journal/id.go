package journal

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"time"
)

const (
	idTime   = "20060102-150405"
	idLength = len(idTime) + 1 + 6
	letters  = "abcdefghijklmnopqrstuvwxyz234567" // base32, RFC 4648, in lower case
)

// newID names a session: when it began in UTC, and six random characters.
func newID(now time.Time) string {
	var b [6]byte
	_, _ = rand.Read(b[:]) // it never fails
	for i := range b {
		b[i] = letters[b[i]&31]
	}
	return now.UTC().Format(idTime) + "-" + string(b[:])
}

// ValidID reports whether a string can name a session; nothing else ever gets
// into a path.
func ValidID(id string) bool {
	if len(id) != idLength || id[8] != '-' || id[15] != '-' {
		return false
	}
	for i := range len(id) {
		switch c := id[i]; {
		case i == 8 || i == 15:
		case i < 15 && (c < '0' || c > '9'):
			return false
		case i > 15 && !strings.Contains(letters, string(rune(c))):
			return false
		}
	}
	return true
}

// The names of a session's files, all in one folder.

func segmentName(id string, number int) string {
	if number == 1 {
		return id + ".jsonl"
	}
	return fmt.Sprintf("%s.%04d.jsonl", id, number)
}

func draftName(id string) string { return id + ".draft.json" }
func blobDir(id string) string   { return id + ".blobs" }

// gap is how many numbers of segments in a row may be missing before there are
// no more: nobody reads the folder for it, which can hold 10,000 sessions.
const gap = 4

// segments are the numbers of a session's segments that there are.
func segments(on files, dir, id string) ([]int, error) {
	var found []int
	for number, missing := 1, 0; missing < gap; number++ {
		_, err := on.Lstat(filepath.Join(dir, segmentName(id, number)))
		switch {
		case err == nil:
			found, missing = append(found, number), 0
		case errors.Is(err, fs.ErrNotExist):
			missing++
		default:
			return found, err
		}
	}
	return found, nil
}
