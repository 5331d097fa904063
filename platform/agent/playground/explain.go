package playground

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// explain says in plain words why a statement failed. The database is still in
// the statement's transaction, which is rolled back after this, so the cause
// can be looked for by trying again with the rule lifted. s is empty when it
// was the commit that failed.
func (t *turn) explain(s statement, err error) error {
	if err == nil || errors.Is(err, errOver) || t.ctx.Err() != nil {
		return err
	}
	if m := messageGroups(err, syntaxError); m != nil {
		if said := noStatement(s, m[1]); said != "" {
			return plainError(said)
		}
	}
	if messageGroups(err, `FOREIGN KEY constraint failed`) != nil {
		if said := t.brokenReference(s); said != "" {
			return plainError(said)
		}
	}
	if m := messageGroups(err, `UNIQUE constraint failed: (.+)`); m != nil {
		table, columns := splitColumns(m[1])
		if values := t.takenValues(s, table, strings.Split(columns, " and ")); values != nil {
			named := make([]string, len(values))
			for i, c := range strings.Split(columns, " and ") {
				named[i] = c + " " + values[i]
			}
			return plainErrorf("%s already has a row with %s, and %s must be unique.", table, strings.Join(named, " and "), columns)
		}
	}
	return t.plain(err)
}

// attempt runs f in a savepoint that is rolled back in any case.
func (t *turn) attempt(f func(ctx context.Context) error) {
	db := t.a.db
	const name = `"copydesk attempt"`
	if db.exec(t.ctx, "SAVEPOINT "+name) != nil {
		return
	}
	_ = f(t.ctx) // what it found out is what counts
	_ = db.exec(context.Background(), "ROLLBACK TO "+name)
	_ = db.exec(context.Background(), "RELEASE "+name)
}

// brokenReference finds a row whose reference the statement would break.
func (t *turn) brokenReference(s statement) (said string) {
	db := t.a.db
	look := func(ctx context.Context) error {
		rows, err := db.all(ctx, `SELECT c."table", c.rowid, c.parent, f."from", f."to", count(*) OVER ()
			FROM pragma_foreign_key_check AS c JOIN pragma_foreign_key_list(c."table") AS f ON f.id = c.fkid LIMIT 1`)
		if err != nil || len(rows) == 0 {
			return err
		}
		r := rows[0]
		child, parent, from, to := asText(r[0]), asText(r[2]), asText(r[3]), asText(r[4])
		if to == "" {
			if names, err := t.schema(); err == nil && names.table(parent) != nil {
				to = names.table(parent).key()
			}
		}
		values, err := db.all(ctx, "SELECT "+quoteName(from)+" FROM "+quoteName(child)+" WHERE rowid = ?", r[1])
		if err != nil || len(values) == 0 {
			return err
		}
		value := spoken(values[0][0])
		if s.starts("delete") || s.starts("drop") {
			n, _ := r[5].(int64)
			verb := "refer"
			if n == 1 {
				verb = "refers"
			}
			said = fmt.Sprintf("%s of %s still %s to %s, such as %s %s. Delete or change that first.",
				counted(n, "row"), child, verb, parent, from, value)
			return nil
		}
		said = fmt.Sprintf("%s.%s is %s, and %s has no row with %s %s.", child, from, value, parent, to, value)
		return nil
	}
	if s.text == "" {
		_ = look(t.ctx)
		return said
	}
	t.attempt(func(ctx context.Context) error {
		err := db.setting(func() error { return db.exec(ctx, "PRAGMA defer_foreign_keys = ON") })
		if err != nil {
			return err
		}
		if err := db.exec(ctx, s.text); err != nil {
			return err
		}
		return look(ctx)
	})
	return said
}

// takenValues finds the values of the row that stands in the way of a unique
// one: the row that the statement would replace if it were allowed to.
func (t *turn) takenValues(s statement, name string, columns []string) (values []string) {
	at := s.at(0).end
	switch {
	case s.starts("insert", "into"), s.starts("update") && !s.at(1).is("or"):
	default:
		return nil
	}
	names, err := t.schema()
	if err != nil {
		return nil
	}
	of := names.table(name)
	if of == nil {
		return nil
	}
	db := t.a.db
	db.conn.RegisterPreUpdateHook(func(row sqlite.SQLitePreUpdateData) {
		if values != nil || row.Op != sqlite3.SQLITE_DELETE || row.TableName != of.name {
			return
		}
		old := make([]any, row.Count())
		if err := row.Old(old...); err != nil {
			return
		}
		for _, c := range columns {
			i := slices.IndexFunc(of.columns, func(k *column) bool { return strings.EqualFold(k.name, c) })
			if i < 0 || i >= len(old) {
				return
			}
			v := old[i]
			if of.columns[i].rowid {
				v = row.OldRowID
			}
			values = append(values, spoken(v))
		}
	})
	defer db.conn.RegisterPreUpdateHook(func(row sqlite.SQLitePreUpdateData) { db.tally.add(&row) })
	t.attempt(func(ctx context.Context) error {
		return db.exec(ctx, s.text[:at]+" OR REPLACE"+s.text[at:])
	})
	if len(values) != len(columns) {
		return nil
	}
	return values
}

// spoken is a value in a sentence: a text in quotes, cut when it is long.
func spoken(v any) string {
	if b, ok := v.([]byte); ok {
		return cellText(b)
	}
	if s, ok := v.(string); ok {
		return fmt.Sprintf("%q", excerpt(s))
	}
	return cellText(v)
}

// mend looks whether a statement failed on a name that is near to one that
// exists, asks which is meant, and gives the statement with that name. When
// there is nothing to mend, wrong says why the statement failed.
func (t *turn) mend(s statement, err error) (mended statement, wrong error) {
	names, schemaErr := t.schema()
	if schemaErr != nil || errors.Is(err, errOver) {
		return s, t.explain(s, err)
	}
	var name, question string
	var known []string
	if m := messageGroups(err, noTable); m != nil {
		name, known = m[1], names.names()
		question = fmt.Sprintf("There is no table %q. Which one is meant?", name)
	} else if m := messageGroups(err, noColumnNamed); m != nil {
		name = m[2]
		if of := names.table(m[1]); of != nil {
			known = of.names()
		}
		question = fmt.Sprintf("There is no column %q in %s. Which one is meant?", name, m[1])
	} else if m := messageGroups(err, noColumn); m != nil && !strings.HasPrefix(m[1], `"`) {
		name, known = m[1], columnsIn(s, names)
		question = fmt.Sprintf("There is no column %q. Which one is meant?", name)
	}
	choices := near(name, known)
	if name == "" || len(choices) == 0 || replaceName(s, name, name).text == "" {
		return s, t.explain(s, err)
	}
	meant, err := t.choose(question, choices)
	if err != nil {
		return s, err
	}
	return replaceName(s, name, meant), nil
}

// columnsIn lists the columns of the tables that a statement names.
func columnsIn(s statement, names *schema) []string {
	var out []string
	for _, tok := range s.tokens {
		if !tok.names() {
			continue
		}
		if of := names.table(tok.val); of != nil {
			for _, c := range of.names() {
				if !slices.Contains(out, c) {
					out = append(out, c)
				}
			}
		}
	}
	return out
}

// replaceName gives the statement with another name in the place of one, or an
// empty statement when the name is not in it.
func replaceName(s statement, old, replacement string) statement {
	var out strings.Builder
	at, found := 0, false
	for _, tok := range s.tokens {
		if tok.names() && strings.EqualFold(tok.val, old) {
			out.WriteString(s.text[at:tok.start] + quoteName(replacement))
			at, found = tok.end, true
		}
	}
	if !found {
		return statement{}
	}
	return parseStatement(out.String() + s.text[at:])
}
