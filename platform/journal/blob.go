package journal

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"

	"copydesk/core/record"
)

// newLine makes the line of an entry. One of more than core.BlobBytes goes into
// a file of its own (D7).
func (s *Store) newLine(p place, e record.Entry) (*line, error) {
	object, err := record.Encode(e)
	if err != nil {
		return nil, err
	}
	l := &line{seq: p.seq, at: p.at}
	if len(object) > s.blob {
		sum := sha256.Sum256(object)
		l.sum, l.blob = hex.EncodeToString(sum[:]), object
		object = fmt.Appendf(nil, `{"blob":"%s","size":%d}`, l.sum, len(object))
	}
	l.data = encodeLine(p, e.Kind(), object)
	return l, nil
}

// storeBlob writes a line's blob, whole and on the disk, before the line. When a
// folder cannot be synced what was made in it goes, so that the next attempt
// syncs what it has made itself (D6).
func (w *writer) storeBlob(l *line) error {
	s, id := w.j.store, w.j.ID()
	name, folder := s.blobPath(id, l.sum), s.path(blobsName(id))
	if _, err := s.readBlob(id, l.sum, int64(len(l.blob))); err == nil {
		return errors.Join(s.fs.SyncDir(folder), s.fs.SyncDir(s.o.Dir))
	}
	if err := s.fs.MkdirAll(folder); err != nil {
		return err
	}
	if err := s.replace(name, l.blob); err != nil {
		return err
	}
	if err := errors.Join(s.fs.SyncDir(folder), s.fs.SyncDir(s.o.Dir)); err != nil {
		return errors.Join(err, s.fs.Remove(name))
	}
	return nil
}

// replace gives a file another content at once: after a crash it has the old one
// or the new one.
func (s *Store) replace(name string, content []byte) error {
	temp := name + ".tmp"
	if err := s.fs.Remove(temp); err != nil && s.exists(temp) {
		return err
	}
	f, err := s.fs.Open(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL)
	if err != nil {
		return err
	}
	n, err := f.Write(content)
	if err == nil && n < len(content) {
		err = io.ErrShortWrite
	}
	if err == nil {
		err = f.Sync()
	}
	if err2 := f.Close(); err == nil {
		err = err2
	}
	if err == nil {
		err = s.fs.Rename(temp, name)
	}
	if err != nil {
		return errors.Join(err, s.fs.Remove(temp)) // what is left of it says nothing
	}
	return nil
}
