package playground

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// Memory is the path of a database that lives in memory only.
const Memory = ":memory:"

// checkedBytes is the largest file whose pages are all checked when it is
// opened; of a larger one only the schema is read, so that opening stays fast.
const checkedBytes = 32 << 20

// magic starts every SQLite file (https://www.sqlite.org/fileformat.html §1.3).
const magic = "SQLite format 3\x00"

// busyMillis is how long SQLite waits for another program's lock.
const busyMillis = 500

// openDatabase opens or makes the file at path. A file that cannot be used is
// left as it is, byte for byte, with nothing beside it.
func openDatabase(path string, start func(func())) (*database, error) {
	if path == Memory {
		return connect(dsn(path, ""), start)
	}
	// Without this, the close of the descriptor that reads the header would
	// drop the locks that another playground of this process holds on the
	// same file. It works on Linux only; elsewhere POSIX locks stay.
	_, _ = sqlite.OFDLocking(true)

	path, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("find the database %s: %w", path, err)
	}
	if err := prepareFile(path); err != nil {
		return nil, err
	}
	d, err := connect(dsn(path, "mode=rw"), start)
	if err != nil {
		return nil, unusable(path, err)
	}
	if err := d.checkLock(context.Background()); err != nil {
		return nil, errors.Join(unusable(path, err), d.close())
	}
	return d, nil
}

// checkLock finds out whether the database can be written to. When another
// program holds the right to write, it is enough that the database can be read:
// SQLite lets a writer and readers go side by side until the writer commits
// (https://www.sqlite.org/lockingv3.html §3.0), and a change that comes too
// early is refused then.
func (d *database) checkLock(ctx context.Context) error {
	err := d.begin(ctx)
	d.rollback()
	if !isBusy(err) {
		return err
	}
	_, err = d.number(ctx, "SELECT count(*) FROM sqlite_schema")
	return err
}

// isBusy reports that another program's lock stood in the way.
func isBusy(err error) bool {
	var e *sqlite.Error
	return errors.As(err, &e) && e.Code()&0xff == sqlite3.SQLITE_BUSY
}

// dsn is the address of a database for the driver. Double quotes never mean a
// text, so that a misspelt name is an error and no value; and statements that
// can damage the file itself do nothing (defensive).
func dsn(path, mode string) string {
	settings := fmt.Sprintf("_pragma=foreign_keys(1)&_dqs=0&_defensive=1&_error_rc=1&_busy_timeout=%d", busyMillis)
	if path == Memory {
		return path + "?" + settings
	}
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	return "file://" + (&url.URL{Path: path}).EscapedPath() + "?" + mode + "&" + settings
}

// prepareFile makes the file when there is none, and says why an existing one
// cannot be used. Nothing is written to an existing file.
func prepareFile(path string) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return createFile(path)
	case err != nil:
		return plainErrorf("The database %s cannot be looked at (%s). Mend that, or name another file with --db.", path, reason(err))
	case info.IsDir():
		return plainErrorf("%s is a folder, not a database. Name a file in it with --db.", path)
	case !info.Mode().IsRegular():
		return plainErrorf("%s is no regular file, so it can be no database. Name another file with --db.", path)
	}
	if err := checkHeader(path); err != nil {
		return err
	}
	if info.Mode().Perm()&0o222 == 0 {
		return readOnly(path)
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return readOnly(path)
	}
	if err := f.Close(); err != nil {
		return unusable(path, err)
	}
	return checkPages(path, info)
}

func readOnly(path string) error {
	return plainErrorf("The database %s is read-only. Allow writing to it, or name another file with --db.", path)
}

func createFile(path string) error {
	dir := filepath.Dir(path)
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return plainErrorf("There is no folder %s for the database %s. Make that folder, or name another file with --db.", dir, filepath.Base(path))
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return plainErrorf("The database %s cannot be made (%s). Name another file with --db.", path, reason(err))
	}
	return f.Close()
}

// checkHeader reads the first bytes. An empty file is a database that nothing
// was written to yet.
func checkHeader(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return plainErrorf("The database %s cannot be read (%s). Allow reading it, or name another file with --db.", path, reason(err))
	}
	defer f.Close()
	head := make([]byte, 100)
	n, err := io.ReadFull(f, head)
	switch {
	case n == 0 && errors.Is(err, io.EOF):
		return nil
	case err != nil && !errors.Is(err, io.ErrUnexpectedEOF):
		return plainErrorf("The database %s cannot be read (%s). Name another file with --db.", path, reason(err))
	case n < len(head) && strings.HasPrefix(magic, string(head[:min(n, len(magic))])),
		n < len(head) && bytes.HasPrefix(head, []byte(magic)):
		return damaged(path)
	case !bytes.HasPrefix(head, []byte(magic)):
		return plainErrorf("%s is not an SQLite database. It was left as it is; name another file with --db.", path)
	}
	return nil
}

func damaged(path string) error {
	return plainErrorf("The database %s is damaged. It was left as it is; restore it from a copy, or name another file with --db.", path)
}

// checkPages reads the database as a file that nobody changes, which takes no
// lock and makes no file beside it. With a journal or a write-ahead log beside
// the file, it is what they make of it that counts, and SQLite sees to that. So
// it does when another program wrote to the file meanwhile: what was read then
// says nothing.
func checkPages(path string, before fs.FileInfo) error {
	if hasLog(path) {
		return nil
	}
	err := readPages(path, before.Size())
	if err != nil && (hasLog(path) || written(path, before)) {
		return nil
	}
	return err
}

// hasLog reports a journal or a write-ahead log beside the database.
func hasLog(path string) bool {
	for _, suffix := range []string{"-journal", "-wal"} {
		if info, err := os.Stat(path + suffix); err == nil && info.Size() > 0 {
			return true
		}
	}
	return false
}

// written reports whether the file is another one than before.
func written(path string, before fs.FileInfo) bool {
	now, err := os.Stat(path)
	return err == nil && (now.Size() != before.Size() || !now.ModTime().Equal(before.ModTime()))
}

func readPages(path string, size int64) error {
	d, err := connect(dsn(path, "mode=ro&immutable=1"), nil)
	if err != nil {
		return unusable(path, err)
	}
	defer d.conn.Close()
	check := "PRAGMA quick_check(1)"
	if size > checkedBytes {
		check = "SELECT 'ok' FROM (SELECT count(*) FROM sqlite_schema)"
	}
	rows, err := d.all(context.Background(), check)
	if err != nil {
		return unusable(path, err)
	}
	if len(rows) != 1 || rows[0][0] != "ok" {
		return damaged(path)
	}
	return nil
}

// unusable says in plain words why SQLite did not open a file.
func unusable(path string, err error) error {
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return plainErrorf("The database %s cannot be opened (%s). Name another file with --db.", path, reason(err))
	}
	switch e.Code() & 0xff {
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		return plainErrorf("The database %s is in use by another program. Another copydesk may be waiting for an answer there. "+
			"Give it, or close the other program, or name another file with --db.", path)
	case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM:
		return readOnly(path)
	case sqlite3.SQLITE_NOTADB:
		return plainErrorf("%s is not an SQLite database, or it is encrypted. It was left as it is; name another file with --db.", path)
	case sqlite3.SQLITE_CORRUPT:
		return damaged(path)
	case sqlite3.SQLITE_CANTOPEN:
		return plainErrorf("The database %s cannot be opened: its folder does not take new files. Allow that, or name another file with --db.", path)
	default:
		return plainErrorf("The database %s cannot be opened (%s). Name another file with --db.", path, driverWords(e))
	}
}

// reason is the cause of a file error without the operation and the path.
func reason(err error) string {
	var p *fs.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	return err.Error()
}
