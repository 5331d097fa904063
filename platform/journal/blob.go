package journal

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"copydesk/core"
	"copydesk/core/record"
)

const (
	blobLength = 2 * sha256.Size
	mostBlob   = 8 * core.LineBytes // a line of control characters is that much longer as JSON
)

// appendBlobLine adds the line of a record whose entry has a file of its own.
func appendBlobLine(b []byte, seq uint64, at time.Time, kind record.Kind, name string, size int) []byte {
	object := append([]byte(`{"blob":"`), name...)
	object = append(object, sizeKey...)
	object = strconv.AppendInt(object, int64(size), 10)
	return appendLine(b, seq, at, kind, append(object, '}'))
}

// writeBlob brings an entry to the disk under the name of its checksum. It is
// there for good before a record names it.
func writeBlob(on files, dir string, object []byte) (string, error) {
	sum := sha256.Sum256(object)
	name := hex.EncodeToString(sum[:])
	path := filepath.Join(dir, name)
	if _, err := on.Lstat(dir); errors.Is(err, fs.ErrNotExist) {
		if err := on.Mkdir(dir); err != nil {
			return "", err
		}
		if err := on.SyncDir(filepath.Dir(dir)); err != nil {
			return "", err
		}
	}
	if stored, err := readBlob(on, dir, name, int64(len(object))); err == nil && bytes.Equal(stored, object) {
		return name, on.SyncDir(dir)
	}
	if err := replace(on, path, path+".tmp", object); err != nil {
		return "", fmt.Errorf("write %s: %w", path, err)
	}
	return name, nil
}

// replace makes a file whole or not at all: what is under a name is what was
// there before, or all of the new content.
func replace(on files, path, temporary string, content []byte) error {
	if err := on.Remove(temporary); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err // of a run that was killed
	}
	f, err := on.Open(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL)
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
	err = errors.Join(err, f.Close())
	if err == nil {
		err = on.Rename(temporary, path)
	}
	if err != nil {
		_ = on.Remove(temporary)
		return err
	}
	return on.SyncDir(filepath.Dir(path))
}

// readBlob reads an entry that has a file of its own.
func readBlob(on files, dir, name string, size int64) ([]byte, error) {
	if size < 2 || size > mostBlob {
		return nil, fmt.Errorf("read %s: %d bytes are not read", name, size)
	}
	f, err := on.Open(filepath.Join(dir, name), os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	if info, err := f.Stat(); err != nil || info.Size() != size {
		return nil, fmt.Errorf("read %s: it does not have %d bytes: %w", name, size, errors.Join(err, errDamaged))
	}
	content := make([]byte, size)
	if _, err := io.ReadFull(io.NewSectionReader(f, 0, size), content); err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	if sum := sha256.Sum256(content); hex.EncodeToString(sum[:]) != name {
		return nil, fmt.Errorf("read %s: %w", name, errDamaged)
	}
	return content, nil
}
