package playground

import (
	"bufio"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"copydesk/core/session"
)

// file makes a path of the user's absolute; a relative one starts at Dir.
func (t *turn) file(path string) (string, error) {
	if path == "" {
		return "", plainError("A file name is missing. Name one in quotes.")
	}
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		if home, err := os.UserHomeDir(); err == nil {
			path = filepath.Join(home, rest)
		}
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(t.a.options.Dir, path)
	}
	full, err := filepath.Abs(path)
	if err != nil {
		return "", fmt.Errorf("find the file %s: %w", path, err)
	}
	return full, nil
}

// exportFile writes a table as CSV. A file that is there is replaced only after
// an approval, and only when all of the new one is written.
func (t *turn) exportFile(c exportFile) error {
	of, err := t.table(c.table)
	if err != nil {
		return err
	}
	name := c.path
	if name == "" {
		name = of.name + ".csv"
	}
	path, err := t.file(name)
	if err != nil {
		return err
	}
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	info, err := os.Lstat(path)
	replace := err == nil
	switch {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return plainErrorf("The file %s cannot be written (%s).", path, reason(err))
	case replace && !info.Mode().IsRegular():
		return plainErrorf("%s is no regular file, so it cannot be replaced. Choose another name.", path)
	case replace && t.isDatabase(info):
		return plainErrorf("%s is the database itself. Choose another name.", path)
	case replace:
		n, err := t.a.db.number(t.ctx, "SELECT count(*) FROM "+quoteName(of.name))
		if err != nil {
			return t.plain(err)
		}
		err = t.approve("Replace the file "+filepath.Base(path)+"?", "Replace the file", "Keep it", []session.Field{
			{Name: "File", Value: path}, {Name: "Size", Value: counted(info.Size(), "byte")},
			{Name: "Table", Value: of.name}, {Name: "Rows", Value: decimal(n)},
		})
		if err != nil {
			return err
		}
	}
	sql := "SELECT * FROM " + quoteName(of.name)
	n, err := t.writeCSV(path, sql, replace, info)
	if err != nil {
		return err
	}
	if err := t.teach(sql); err != nil {
		return err
	}
	return t.note("%s exported to %s.", counted(n, "row"), path)
}

// isDatabase reports whether a file is the one that is open.
func (t *turn) isDatabase(info fs.FileInfo) bool {
	own, err := os.Stat(t.a.options.Path)
	return err == nil && os.SameFile(own, info)
}

// writeCSV writes a query's rows to a file beside path, which takes path's place
// when it is whole.
func (t *turn) writeCSV(path, sql string, replace bool, old fs.FileInfo) (n int64, err error) {
	fail := func(err error) error {
		return plainErrorf("The file %s cannot be written (%s).", path, reason(err))
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".export-*")
	if err != nil {
		return 0, fail(err)
	}
	defer func() {
		if err != nil {
			_ = f.Close()
			_ = os.Remove(f.Name())
		}
	}()
	if n, err = t.dump(f, sql); err != nil {
		return 0, t.plain(err)
	}
	if replace {
		err = f.Chmod(old.Mode().Perm())
	}
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return 0, fail(err)
	}
	if replace {
		err = os.Rename(f.Name(), path)
	} else {
		err = moveNew(f.Name(), path)
	}
	if err != nil {
		return 0, fail(err)
	}
	return n, nil
}

// moveNew gives a file another name, and never takes the place of one that came
// up meanwhile.
func moveNew(from, to string) error {
	err := os.Link(from, to)
	if err == nil {
		return os.Remove(from)
	}
	if _, exists := os.Lstat(to); errors.Is(err, fs.ErrExist) || exists == nil {
		return err
	}
	return os.Rename(from, to) // a file system without links
}

// dump writes a query's rows as CSV with a header. It can be cancelled at any
// row.
func (t *turn) dump(w io.Writer, sql string) (n int64, err error) {
	columns, _, err := t.a.db.inspect(sql)
	if err != nil {
		return 0, err
	}
	c, err := t.a.db.query(t.ctx, rawDates(parseStatement(sql), columns))
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, c.close()) }()
	release := t.a.db.interruptible(t.ctx)
	defer release()
	out := bufio.NewWriter(w)
	for i, col := range columns {
		writeField(out, i, col.Name)
	}
	for ; ; n++ {
		out.WriteByte('\n')
		row, err := c.next()
		if errors.Is(err, io.EOF) {
			return n, out.Flush()
		}
		if err == nil {
			err = t.ctx.Err()
		}
		if err != nil {
			return n, err
		}
		for i, v := range row {
			writeField(out, i, v)
		}
	}
}

// writeField writes the i-th field of a record (RFC 4180). NULL is nothing, and
// an empty text a pair of quotes. What other programs take for a separator
// stands in quotes too. bufio.Writer keeps the first error for Flush.
func writeField(out *bufio.Writer, i int, v any) {
	if i > 0 {
		out.WriteByte(',')
	}
	var s string
	switch v := v.(type) {
	case nil:
		return
	case []byte:
		s = "x'" + hex.EncodeToString(v) + "'"
	default:
		s = cellText(v)
	}
	if s != "" && !strings.ContainsAny(s, ",;\t\"\r\n") && strings.TrimSpace(s) == s {
		out.WriteString(s)
		return
	}
	out.WriteString(`"` + strings.ReplaceAll(s, `"`, `""`) + `"`)
}
