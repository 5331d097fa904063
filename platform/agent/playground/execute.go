package playground

import (
	"errors"
	"strings"

	"modernc.org/sqlite"

	"copydesk/core/session"
)

// An order is one statement to run and how to report it.
type order struct {
	statement
	teach   bool   // say the SQL first, as the simple language does
	done    string // what to say when it went well; empty: counts
	uncount bool   // the result is one number: no line that counts rows
	repair  bool   // names that are near may be put right, by a choice
	inner   bool   // other statements follow in the same prompt
}

// run runs one statement: reads are shown, changes are made in the prompt's
// transaction, and what destroys something is approved first.
func (t *turn) run(o order) error {
	for repairs := 0; ; repairs++ {
		err := t.runOnce(o)
		if err == nil {
			return nil
		}
		if !o.repair || repairs == 3 {
			return t.explain(o.statement, err)
		}
		mended, wrong := t.mend(o.statement, err)
		if wrong != nil {
			return wrong
		}
		o.statement = mended
	}
}

func (t *turn) runOnce(o order) error {
	switch {
	case o.starts("begin"), o.starts("commit"), o.starts("end"), o.starts("rollback") && !rollsBackTo(o.statement):
		return t.transaction(o.statement)
	case o.starts("explain", "query", "plan"):
		return t.plan(o.statement)
	}
	columns, actions, err := t.a.db.inspect(o.text)
	does := judge(o.statement, actions)
	switch {
	case o.starts("pragma") && does.outside:
		// It was refused for now; see database.setting.
	case err != nil:
		return err
	}
	switch {
	case does.outside:
		return t.outside(o, does)
	case does.writes:
		return t.change(o, does, columns)
	}
	return t.read(o, columns)
}

// A deed is what a statement does, as far as it can be told before it runs.
type deed struct {
	writes  bool
	outside bool   // it cannot run inside of a transaction
	drops   []drop // what it takes away besides rows
	target  string // the first table whose rows it inserts, updates or deletes
}

type drop struct{ what, name, database string }

// judge sorts a statement by what SQLite's authorizer saw of it.
func judge(s statement, actions []action) deed {
	d := deed{}
	if s.starts("explain") {
		return d
	}
	if s.starts("vacuum") || s.starts("attach") || s.starts("detach") {
		d.outside = true
		return d
	}
	for _, a := range actions {
		switch a.code {
		case sqlite.AuthSelect, sqlite.AuthRead, sqlite.AuthFunction, sqlite.AuthRecursive, sqlite.AuthTransaction:
			continue
		case sqlite.AuthPragma:
			d.outside = d.outside || a.setsPragma()
			continue
		case sqlite.AuthDropTable, sqlite.AuthDropTempTable, sqlite.AuthDropVTable:
			d.drops = append(d.drops, drop{"table", a.arg1, a.database})
		case sqlite.AuthDropView, sqlite.AuthDropTempView:
			d.drops = append(d.drops, drop{"view", a.arg1, a.database})
		case sqlite.AuthDropIndex, sqlite.AuthDropTempIndex:
			d.drops = append(d.drops, drop{"index", a.arg1, a.database})
		case sqlite.AuthDropTrigger, sqlite.AuthDropTempTrigger:
			d.drops = append(d.drops, drop{"trigger", a.arg1, a.database})
		case sqlite.AuthInsert, sqlite.AuthDelete, sqlite.AuthUpdate:
			if d.target == "" && (!systemTable(a.arg1) || rowStatement(s)) {
				d.target = a.arg1
			}
		}
		d.writes = true
	}
	if s.starts("alter", "table") {
		if column := droppedColumn(s); column != "" {
			d.drops = append(d.drops, drop{"column", column, ""})
		}
	}
	return d
}

// systemTable reports a table of SQLite's own, such as sqlite_sequence. The
// tally knows nothing of its rows.
func systemTable(name string) bool { return strings.HasPrefix(name, "sqlite_") }

// rowStatement reports a statement that is about rows, not about tables.
func rowStatement(s statement) bool {
	return s.starts("insert") || s.starts("replace") || s.starts("update") || s.starts("delete") || s.starts("with")
}

// readingPragma reports whether a PRAGMA takes an argument only to say what it
// should tell (https://www.sqlite.org/pragma.html).
func readingPragma(name string) bool {
	switch strings.ToLower(name) {
	case "table_info", "table_xinfo", "table_list", "index_info", "index_xinfo", "index_list",
		"foreign_key_list", "foreign_key_check", "integrity_check", "quick_check":
		return true
	}
	return false
}

// droppedColumn is the column that ALTER TABLE … DROP [COLUMN] names.
func droppedColumn(s statement) string {
	i := 3
	if s.at(i).val == "." {
		i += 2
	}
	if !s.at(i).is("drop") {
		return ""
	}
	if i++; s.at(i).is("column") && s.at(i+1).names() {
		i++
	}
	return s.at(i).val
}

// rollsBackTo reports ROLLBACK [TRANSACTION] TO a savepoint.
func rollsBackTo(s statement) bool {
	return s.at(1).is("to") || s.at(1).is("transaction") && s.at(2).is("to")
}

// userSavepoint is what a BEGIN of the user becomes: each prompt is in a
// transaction already.
const userSavepoint = `"copydesk begin"`

// transaction obeys BEGIN, COMMIT and ROLLBACK inside of the prompt's own
// transaction.
func (t *turn) transaction(s statement) error {
	db := t.a.db
	begins := s.starts("begin")
	switch {
	case begins && t.userTx:
		return plainError("There is a transaction already; COMMIT or ROLLBACK ends it.")
	case !begins && !t.userTx:
		return plainErrorf("There is no transaction to end with %s. Send BEGIN first, in the same prompt.", strings.ToUpper(s.at(0).val))
	case begins:
		if err := db.begin(t.ctx); err != nil {
			return err
		}
		t.userTx = true
		return db.exec(t.ctx, "SAVEPOINT "+userSavepoint)
	}
	t.userTx = false
	if s.starts("rollback") {
		t.forget()
		if err := db.exec(t.ctx, "ROLLBACK TO "+userSavepoint); err != nil {
			return err
		}
		if err := t.note("The transaction was rolled back."); err != nil {
			return err
		}
	}
	return db.exec(t.ctx, "RELEASE "+userSavepoint)
}

// read runs a statement that changes nothing, and shows its first page.
func (t *turn) read(o order, columns []sqlite.ColumnInfo) error {
	c, err := t.a.db.query(t.ctx, rawDates(o.statement, columns))
	if err != nil {
		return err
	}
	if o.teach {
		if err := t.teach(o.text); err != nil {
			return errors.Join(err, c.close())
		}
	}
	if len(c.names) == 0 {
		if err := c.close(); err != nil {
			return err
		}
		return t.note("Done.")
	}
	names := make([]string, len(columns))
	for i, col := range columns {
		names[i] = col.Name
	}
	if len(names) != len(c.names) {
		names = c.names
	}
	r := &result{cursor: c, names: names, uncount: o.uncount, last: o.inner}
	t.a.keep(r)
	return t.page(r)
}

// rawDates makes the driver hand out the texts of date columns as they are. It
// turns a text of a column that is declared DATE, DATETIME or TIMESTAMP into a
// time and forgets how it was written; a unary plus takes the declaration away
// and leaves the value alone.
func rawDates(s statement, columns []sqlite.ColumnInfo) string {
	dates := false
	inner, outer := make([]string, len(columns)), make([]string, len(columns))
	for i, c := range columns {
		name := "c" + decimal(int64(i))
		inner[i], outer[i] = name, name
		switch strings.ToUpper(c.DeclType) {
		case "DATE", "DATETIME", "TIMESTAMP":
			dates = true
			outer[i] = "+" + name
		}
	}
	if !dates || !s.starts("select") && !s.starts("with") && !s.starts("values") {
		return s.text
	}
	return `WITH "copydesk page"(` + strings.Join(inner, ", ") + ") AS NOT MATERIALIZED (" + s.text +
		"\n) SELECT " + strings.Join(outer, ", ") + ` FROM "copydesk page"`
}

// teach says the SQL that the simple language became.
func (t *turn) teach(sql ...string) error {
	return t.block(session.Block{Kind: session.TeachingBlock, Lines: sqlLines(sql), Source: fence("sql", sql)})
}

// outside runs a statement that SQLite takes outside of transactions only.
func (t *turn) outside(o order, does deed) error {
	if t.a.db.open {
		return plainErrorf("%s must be sent as a prompt of its own.", strings.ToUpper(o.at(0).val))
	}
	fields := []session.Field{{Name: "Statement", Value: o.text, Lang: "sql"}}
	var err error
	switch {
	case o.starts("attach"):
		err = t.approve("Open another database file?", "Attach the file", "Leave it alone", fields)
	case o.starts("vacuum") && mentions(o.statement, "into"):
		err = t.approve("Write a copy of the database to a file?", "Write the copy", "Write nothing", fields)
	case o.starts("pragma"):
		err = t.approve("Change a setting of the database?", "Change the setting", "Leave it as it is", fields)
	}
	if err != nil {
		return err
	}
	var c *cursor
	err = t.a.db.setting(func() error {
		c, err = t.a.db.query(t.ctx, o.text)
		return err
	})
	if err != nil {
		return err
	}
	t.lasting = true
	t.forget()
	if len(c.names) == 0 {
		if err := c.close(); err != nil {
			return err
		}
		return t.note("Done.")
	}
	r := &result{cursor: c, names: c.names}
	t.a.keep(r)
	return t.page(r)
}

func mentions(s statement, word string) bool {
	for _, tok := range s.tokens {
		if tok.is(word) {
			return true
		}
	}
	return false
}

// change runs a statement that writes. It runs first and is approved then, so
// that the approval can say exactly what it did; nothing of it is kept without.
func (t *turn) change(o order, does deed, columns []sqlite.ColumnInfo) error {
	db := t.a.db
	if err := db.begin(t.ctx); err != nil {
		return err
	}
	lost, err := t.rowsOfDrops(o.statement, does)
	if err != nil {
		return err
	}
	db.tally = tally{}
	var r *result
	if len(columns) > 0 {
		// RETURNING: the first step makes all changes.
		c, err := db.query(t.ctx, o.text)
		if err != nil {
			return err
		}
		r = &result{cursor: c, names: c.names, last: true}
		t.a.keep(r)
	} else if err := db.exec(t.ctx, o.text); err != nil {
		return err
	}
	done, err := t.outcome(o.statement, does, lost)
	if err != nil {
		return err
	}
	if err := t.approveChange(o, does, done); err != nil {
		return err
	}
	if len(does.drops) > 0 || o.starts("create") || o.starts("alter") {
		t.forget()
	}
	if o.teach {
		if err := t.teach(o.text); err != nil {
			return err
		}
	}
	if r != nil {
		if err := t.page(r); err != nil {
			return err
		}
	}
	return t.report(o, does, done)
}
