package playground

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// plainError is a sentence for the user: it names the thing and, where there is
// one, the next step.
type plainError string

func (e plainError) Error() string { return string(e) }

func plainErrorf(format string, args ...any) error {
	return plainError(fmt.Sprintf(format, args...))
}

// errOver ends a turn without a word: the user rejected, or nobody listens.
var errOver = errors.New("the turn is over")

// driverNoise is what the driver puts after SQLite's message.
var driverNoise = regexp.MustCompile(` \(\d+\)( \(SQLITE_BUSY\))?$`)

// driverWords is SQLite's message without the driver's additions.
func driverWords(e *sqlite.Error) string {
	msg := driverNoise.ReplaceAllString(e.Error(), "")
	if _, after, found := strings.Cut(msg, ": "); found {
		return after
	}
	return msg
}

// A wording turns one of SQLite's messages into a sentence. say gets the
// message's groups.
type wording struct {
	form *regexp.Regexp
	say  func(s *schema, m []string) string
}

func wordings() []wording {
	w := func(form string, say func(s *schema, m []string) string) wording {
		return wording{regexp.MustCompile(`(?s)^` + form + `$`), say}
	}
	f := func(form, sentence string) wording {
		return w(form, func(_ *schema, m []string) string {
			args := make([]any, len(m)-1)
			for i, g := range m[1:] {
				args[i] = g
			}
			return fmt.Sprintf(sentence, args...)
		})
	}
	return []wording{
		w(noTable, func(s *schema, m []string) string { return s.noTable(m[1]) }),
		w(noColumn, func(s *schema, m []string) string {
			if text, quoted := strings.CutPrefix(m[1], `"`); quoted {
				text = strings.TrimSuffix(text, `"`)
				return fmt.Sprintf("There is no column %q. A text stands in single quotes: %s.", text, quoteText(text))
			}
			return fmt.Sprintf("There is no column %q.", m[1])
		}),
		w(noColumnNamed, func(s *schema, m []string) string { return s.noColumn(m[1], m[2]) }),
		f(`no such function: (.+)`, "There is no function %q."),
		f(`wrong number of arguments to function (.+)\(\)`, "The function %s takes another number of arguments."),
		f(`ambiguous column name: (.+)`, "More than one table has a column %q; write TABLE.%[1]s."),
		f(syntaxError, "The SQL does not read on from %q. Look at what stands before it."),
		f(`incomplete input`, "The SQL is not finished: something is missing at its end."),
		f(`unrecognized token: "(.+?)"?`, "%q is nothing that SQL knows."),
		w(`UNIQUE constraint failed: (.+)`, func(_ *schema, m []string) string {
			table, columns := splitColumns(m[1])
			return fmt.Sprintf("%s already has a row with that %s, and %s must be unique.", table, columns, columns)
		}),
		w(`NOT NULL constraint failed: (.+)`, func(_ *schema, m []string) string {
			table, column := splitColumns(m[1])
			return fmt.Sprintf("Every row of %s needs a value for %s.", table, column)
		}),
		f(`CHECK constraint failed: (.+)`, "A value breaks the rule %s."),
		f(`FOREIGN KEY constraint failed`, "A row refers to a row of another table that is not there."),
		f(`cannot store (\S+) value in (\S+) column (\S+)`, "The column %[3]s takes %[2]s values, and this one is %[1]s."),
		f(`not authorized`, "This is not allowed here. A setting is changed by a PRAGMA that stands alone."),
		f(`datatype mismatch`, "A value has the wrong type for its place; a key of type int takes whole numbers."),
		f(`table (.+) already exists`, "There is a table %s already. Drop it first, or choose another name."),
		f(`there is already (?:another |an? )?(table|index|view) (?:or index with this name|named|with this name): (.+)`, "There is a %s with the name %s already."),
		f(`(index|view|trigger) (.+) already exists`, "There is a %[1]s %[2]s already."),
		f(`duplicate column name: (.+)`, "There is a column %s already."),
		f(`no such (index|view|trigger): (.+)`, "There is no %s %q."),
		f(`Cannot add a NOT NULL column with default value NULL`, "A required column needs a default when the table has rows: add default VALUE."),
		f(`Cannot add a UNIQUE column`, "SQLite cannot add a unique column to a table. Add it without unique, or make a new table."),
		f(`cannot drop column "(.+)": no other columns exist`, "The column %s is the table's only one. Drop the table instead."),
		f(`cannot drop (?:PRIMARY KEY|UNIQUE) column: "?([^"]+)"?`, "The column %s is a key of the table and cannot be dropped."),
		f(`error in (\S+) (\S+) after drop column: (.+)`, "The %s %s needs that column. Drop it first."),
		f(`(\d+) values for (\d+) columns`, "The numbers differ: values %s, columns %s."),
		f(`table (.+) has (\d+) columns but (\d+) values were supplied`, "The numbers differ: table %s has columns %s, values given %s."),
		f(`table (.+) may not be (?:modified|dropped)`, "The table %s belongs to SQLite and cannot be changed."),
		f(`cannot modify (\S+) because it is a view`, "%s is a view. Change the table behind it."),
	}
}

// The messages about names, whose first group is a name that may be misspelt.
const (
	noTable       = `no such table: (?:\w+\.)?(.+)`
	noColumn      = `no such column: (?:\w+\.)*(.+?)(?: - should this be a string literal in single-quotes\?)?`
	noColumnNamed = `table (\S+) has no column named (.+)`
)

// syntaxError is the message whose group is where the SQL stops making sense.
const syntaxError = `near "(.+)": syntax error`

// splitColumns turns "t.a, t.b" into the table and its columns.
func splitColumns(s string) (table, columns string) {
	var cols []string
	for _, part := range strings.Split(s, ", ") {
		t, c, found := strings.Cut(part, ".")
		if !found {
			return "The table", s
		}
		table = t
		cols = append(cols, c)
	}
	return table, strings.Join(cols, " and ")
}

// plain says an error in plain words. An error that is a sentence already, or
// that is not SQLite's, stays as it is.
func plain(err error, s *schema, path string) error {
	var e *sqlite.Error
	if !errors.As(err, &e) {
		if strings.HasPrefix(err.Error(), "missing argument") || strings.HasPrefix(err.Error(), "missing named argument") {
			return plainError("The SQL has a parameter such as ? or :name. Write the value itself.")
		}
		return err
	}
	msg := driverWords(e)
	for _, w := range wordings() {
		if m := w.form.FindStringSubmatch(msg); m != nil {
			return plainError(w.say(s, m))
		}
	}
	switch e.Code() & 0xff {
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		return plainErrorf("The database %s is in use by another program. Another copydesk may be waiting for an answer there. Try again when that is done.", path)
	case sqlite3.SQLITE_READONLY:
		return plainErrorf("The database %s cannot be written to.", path)
	case sqlite3.SQLITE_FULL:
		return plainErrorf("There is no space left for the database %s. Free some and try again.", path)
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
		return plainErrorf("The database %s is damaged. Restore it from a copy, or name another file with --db.", path)
	case sqlite3.SQLITE_CANTOPEN:
		return plainErrorf("SQLite cannot open a file it needs beside %s. Look at the rights of its folder.", path)
	case sqlite3.SQLITE_IOERR:
		return plainErrorf("Reading or writing the database %s failed. Look at the disk.", path)
	case sqlite3.SQLITE_TOOBIG:
		return plainError("A value is too big for SQLite.")
	}
	return plainErrorf("SQLite refuses this: %s.", strings.TrimSuffix(msg, "."))
}

// is reports whether SQLite's message of err has the given form, with its groups.
func messageGroups(err error, form string) []string {
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return nil
	}
	return regexp.MustCompile(`(?s)^` + form + `$`).FindStringSubmatch(driverWords(e))
}
