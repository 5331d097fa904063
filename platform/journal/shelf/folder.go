package shelf

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"copydesk/platform/journal"
)

const (
	suffix   = ".jsonl"
	blobs    = ".blobs"
	idLength = len("20060102-150405-abcdef")
	idTime   = "20060102-150405"
)

// stored is what a folder says of a session.
type stored struct {
	id       string
	segments []int // their numbers, in order
	bytes    int64 // of all segments
	changed  time.Time
	blobs    bool // it has a folder of blobs
}

// began is when the session began, as its id says; zero: it says no time.
func (s *stored) began() time.Time {
	t, err := time.ParseInLocation(idTime, s.id[:len(idTime)], time.UTC)
	if err != nil {
		return time.Time{}
	}
	return t
}

func (s *stored) name(number int) string {
	if number == 1 {
		return s.id + suffix
	}
	return fmt.Sprintf("%s.%04d%s", s.id, number, suffix)
}

// sessions are all sessions in a folder, that which changed last first. A folder
// that is not there has none. Only names and sizes are looked at.
func sessions(ctx context.Context, dir string) ([]*stored, error) {
	d, err := os.Open(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	entries, err := d.ReadDir(-1)
	d.Close()
	if err != nil {
		return nil, err
	}
	all := make(map[string]*stored, len(entries))
	for i, e := range entries {
		if i%256 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		id, number, ok := split(e.Name())
		if !ok {
			continue
		}
		s := all[id]
		if s == nil {
			s = &stored{id: id}
			all[id] = s
		}
		if number == 0 {
			s.blobs = e.IsDir()
			continue
		}
		info, err := e.Info()
		if err != nil || !info.Mode().IsRegular() {
			continue // it has just been removed, or is no journal
		}
		s.segments = append(s.segments, number)
		s.bytes += info.Size()
		if info.ModTime().After(s.changed) {
			s.changed = info.ModTime()
		}
	}
	list := make([]*stored, 0, len(all))
	for _, s := range all {
		slices.Sort(s.segments)
		if len(s.segments) > 0 && s.segments[0] == 1 {
			list = append(list, s)
		}
	}
	slices.SortFunc(list, func(a, b *stored) int {
		return cmp.Or(b.changed.Compare(a.changed), cmp.Compare(b.id, a.id))
	})
	return list, nil
}

// split says which session a file belongs to, and which segment of it it is; 0
// stands for its folder of blobs.
func split(name string) (id string, number int, ok bool) {
	if len(name) < idLength || !journal.ValidID(name[:idLength]) {
		return "", 0, false
	}
	id, rest := name[:idLength], name[idLength:]
	switch rest {
	case suffix:
		return id, 1, true
	case blobs:
		return id, 0, true
	}
	rest, cut := strings.CutSuffix(rest, suffix)
	if !cut || len(rest) < 5 || rest[0] != '.' {
		return "", 0, false
	}
	n, err := strconv.ParseUint(rest[1:], 10, 31)
	if err != nil || n < 2 || fmt.Sprintf("%04d", n) != rest[1:] {
		return "", 0, false
	}
	return id, int(n), true
}

// open opens one of a session's files for reading.
func (s *Shelf) open(name string) (*os.File, error) {
	f, err := openNoFollow(filepath.Join(s.o.Dir, name))
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = &fs.PathError{Op: "open", Path: name, Err: errPlain}
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

var errPlain = errors.New("it is not a regular file")
