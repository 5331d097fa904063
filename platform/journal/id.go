package journal

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"regexp"
	"time"
)

var errID = errors.New("that is no id of a session")

var idPattern = regexp.MustCompile(`^[0-9]{8}-[0-9]{6}-[0-9a-z]{6}$`)

// ValidID reports whether a string can be the id of a session. It has no
// characters that mean something in a path.
func ValidID(id string) bool { return idPattern.MatchString(id) }

// newID makes an id: the time in UTC, so that names sort by age, and 30 random
// bits.
func newID(now time.Time) string {
	const letters = "0123456789abcdefghjkmnpqrstvwxyz"
	var b [6]byte
	rand.Read(b[:]) // never fails
	for i := range b {
		b[i] = letters[b[i]%32]
	}
	return now.UTC().Format("20060102-150405-") + string(b[:])
}

func segmentName(id string, number int) string {
	if number == 1 {
		return id + ".jsonl"
	}
	return fmt.Sprintf("%s.%04d.jsonl", id, number)
}

func draftName(id string) string { return id + ".draft.json" }
func blobsName(id string) string { return id + ".blobs" }

func (s *Store) path(name string) string { return filepath.Join(s.o.Dir, name) }

// hole is how many segments in a row may be missing before the search for more
// ends. Only somebody else can make such a hole.
const hole = 8

// segments are the numbers of a session's segments, in order.
func (s *Store) segments(id string) ([]int, error) {
	if !ValidID(id) {
		return nil, errID
	}
	var found []int
	for n, missing := 1, 0; missing < hole; n++ {
		_, err := s.fs.Lstat(s.path(segmentName(id, n)))
		switch {
		case err == nil:
			found, missing = append(found, n), 0
		case errors.Is(err, fs.ErrNotExist):
			missing++
		default:
			return nil, err
		}
	}
	if len(found) == 0 {
		return nil, fs.ErrNotExist
	}
	return found, nil
}
