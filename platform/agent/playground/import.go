package playground

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
)

// headerBytes is how much of a file is looked at to find its separator.
const headerBytes = 64 << 10

// byteOrderMark is what some programs begin a text in UTF-8 with.
const byteOrderMark = "\ufeff"

// A csvFile is a file of comma-separated values, or of another separator, whose
// first line names the columns.
type csvFile struct {
	path   string
	file   *os.File
	comma  rune
	header []string
	in     *csv.Reader
}

// openCSV opens a file and reads its first line. The caller must close it.
func openCSV(path string) (*csvFile, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, plainErrorf("The file %s cannot be read (%s).", path, reason(err))
	}
	if !info.Mode().IsRegular() {
		return nil, plainErrorf("%s is no regular file, so it cannot be imported.", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, plainErrorf("The file %s cannot be read (%s).", path, reason(err))
	}
	c := &csvFile{path: path, file: f}
	if err := c.rewind(); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return c, nil
}

func (c *csvFile) close() error { return c.file.Close() }

// rewind goes to the first row after the header.
func (c *csvFile) rewind() error {
	if _, err := c.file.Seek(0, io.SeekStart); err != nil {
		return plainErrorf("The file %s cannot be read (%s).", c.path, reason(err))
	}
	b := bufio.NewReaderSize(c.file, headerBytes)
	start, err := b.Peek(headerBytes)
	if err != nil && !errors.Is(err, io.EOF) {
		return plainErrorf("The file %s cannot be read (%s).", c.path, reason(err))
	}
	if bytes.HasPrefix(start, []byte(byteOrderMark)) {
		start = start[len(byteOrderMark):]
		if _, err := b.Discard(len(byteOrderMark)); err != nil {
			return plainErrorf("The file %s cannot be read (%s).", c.path, reason(err))
		}
	}
	c.comma = separator(start)
	c.in = csv.NewReader(b)
	c.in.Comma = c.comma
	c.in.ReuseRecord = true
	header, err := c.in.Read()
	if errors.Is(err, io.EOF) {
		return plainErrorf("The file %s is empty; its first line must name the columns.", c.path)
	}
	if err != nil {
		return plainErrorf("The first line of %s is no CSV (%s).", c.path, err)
	}
	c.header = slices.Clone(header)
	for i, h := range c.header {
		if c.header[i] = strings.TrimSpace(h); c.header[i] == "" {
			return plainErrorf("Column %d of %s has no name in the first line.", i+1, c.path)
		}
	}
	return nil
}

// next reads a row, which is good until the call after it, or gives io.EOF.
func (c *csvFile) next() ([]string, error) {
	record, err := c.in.Read()
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, plainErrorf("%s cannot be read as CSV (%s). Nothing was imported.", c.path, err)
	}
	return record, err
}

// separator is the one of comma, semicolon and tab that the first line holds
// most often outside of quotes; the earlier one of these wins a tie.
func separator(start []byte) rune {
	counts := make(map[byte]int)
	quoted := false
	for _, b := range bytes.TrimLeft(start, "\r\n") {
		if b == '"' {
			quoted = !quoted
		}
		if quoted {
			continue
		}
		if b == '\n' || b == '\r' {
			break
		}
		counts[b]++
	}
	best := byte(',')
	for _, b := range []byte{';', '\t'} {
		if counts[b] > counts[best] {
			best = b
		}
	}
	return rune(best)
}

// separated says what parts a file's fields, unless it is the comma.
func (c *csvFile) separated() string {
	switch c.comma {
	case ';':
		return " Its fields are separated by semicolons."
	case '\t':
		return " Its fields are separated by tabs."
	}
	return ""
}

// importFile reads a CSV file into a table. All of it comes in or nothing.
func (t *turn) importFile(c importFile) error {
	path, err := t.file(c.path)
	if err != nil {
		return err
	}
	f, err := openCSV(path)
	if err != nil {
		return err
	}
	defer f.close()
	if err := t.a.db.begin(t.ctx); err != nil {
		return t.plain(err)
	}
	of, types, err := t.importTable(c.table, f)
	if err != nil {
		return err
	}
	var columns []*column
	for _, h := range f.header {
		col, err := t.column(of, h)
		if err != nil {
			return err
		}
		if slices.Contains(columns, col) {
			return plainErrorf("The column %s is twice in the first line of %s.", col.name, path)
		}
		columns = append(columns, col)
	}
	n, err := t.importRows(f, of, columns)
	if err != nil {
		return err
	}
	if err := t.note("%s imported into %s from %s.%s", counted(n, "row"), of.name, path, f.separated()); err != nil {
		return err
	}
	if types != nil {
		if err := t.note("The columns got their types from the values: %s.", listed(types)); err != nil {
			return err
		}
	}
	return t.aside("Empty fields became NULL where a column may be empty.")
}

// importTable finds the table to import into, or makes it. types are the
// columns that were made with the types that fit their values, as create table
// takes them.
func (t *turn) importTable(name string, f *csvFile) (of *table, types []string, err error) {
	names, err := t.schema()
	if err != nil {
		return nil, nil, t.plain(err)
	}
	if found := names.table(name); found != nil {
		return found, nil, nil
	}
	makes := "Make a new table " + name
	meant := makes
	if choices := near(name, names.names()); len(choices) > 0 {
		meant, err = t.choose(fmt.Sprintf("There is no table %q. Which one is meant?", name), append(choices, makes))
		if err != nil {
			return nil, nil, err
		}
	}
	if meant != makes {
		of, err = t.table(meant)
		return of, nil, err
	}
	inferred, err := t.inferTypes(f)
	if err != nil {
		return nil, nil, err
	}
	c := createTable{name: name}
	for i, h := range f.header {
		c.columns = append(c.columns, columnSpec{name: h, typ: inferred[i]})
		types = append(types, h+" "+typeWords(inferred[i]))
	}
	if err := t.createTable(c); err != nil {
		return nil, nil, err
	}
	of, err = t.table(name)
	return of, types, err
}

// inferTypes reads the whole file to find the type that fits each column, and
// goes back to its first row.
func (t *turn) inferTypes(f *csvFile) ([]string, error) {
	guesses := make([]guess, len(f.header))
	for {
		if err := t.ctx.Err(); err != nil {
			return nil, err
		}
		record, err := f.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		for i, field := range record {
			guesses[i].see(field)
		}
	}
	types := make([]string, len(guesses))
	for i, g := range guesses {
		types[i] = g.typ()
	}
	return types, f.rewind()
}

// importRows inserts the file's rows. An empty field is NULL where the column
// may be empty, and in a column of numbers.
func (t *turn) importRows(f *csvFile, of *table, columns []*column) (int64, error) {
	marks := strings.TrimSuffix(strings.Repeat("?, ", len(columns)), ", ")
	sql := "INSERT INTO " + quoteName(of.name) + " (" + quoteNames(columnNames(columns)) + ") VALUES (" + marks + ")"
	if err := t.teach(sql); err != nil {
		return 0, err
	}
	insert, err := t.a.db.prepare(t.ctx, sql)
	if err != nil {
		return 0, t.plain(err)
	}
	defer insert.Close()
	args := make([]any, len(columns))
	for n := int64(0); ; n++ {
		record, err := f.next()
		if errors.Is(err, io.EOF) {
			return n, nil
		}
		if err != nil {
			return n, err
		}
		for i, field := range record {
			args[i] = columns[i].field(field)
		}
		if _, err := insert.ExecContext(t.ctx, named(args)); err != nil {
			line, _ := f.in.FieldPos(0)
			said := t.explain(statement{}, err)
			if t.ctx.Err() != nil {
				return n, t.ctx.Err()
			}
			return n, plainErrorf("Line %d of %s: %s Nothing was imported.", line, f.path, said)
		}
	}
}

// field is the value that a field of a file has in the column.
func (c *column) field(s string) any {
	if s == "" && !c.required || c.number() && strings.TrimSpace(s) == "" {
		return nil
	}
	return s
}
