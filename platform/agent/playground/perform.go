package playground

import (
	"database/sql/driver"
	"fmt"
	"slices"
	"strings"
)

// perform runs a command of the simple language.
func (t *turn) perform(c command) error {
	switch c := c.(type) {
	case createTable:
		return t.createTable(c)
	case dropTable:
		of, err := t.table(c.name)
		if err != nil {
			return err
		}
		what := "TABLE"
		if of.view {
			what = "VIEW"
		}
		return t.simple("DROP "+what+" "+quoteName(of.name), "")
	case renameTable:
		of, err := t.table(c.name)
		if err != nil {
			return err
		}
		return t.simple("ALTER TABLE "+quoteName(of.name)+" RENAME TO "+quoteName(c.to),
			fmt.Sprintf("Table %s is now %s.", of.name, c.to))
	case addColumn:
		return t.addColumn(c)
	case dropColumn:
		of, col, err := t.tableColumn(c.table, c.column)
		if err != nil {
			return err
		}
		return t.simple("ALTER TABLE "+quoteName(of.name)+" DROP COLUMN "+quoteName(col.name), "")
	case renameColumn:
		of, col, err := t.tableColumn(c.table, c.column)
		if err != nil {
			return err
		}
		return t.simple("ALTER TABLE "+quoteName(of.name)+" RENAME COLUMN "+quoteName(col.name)+" TO "+quoteName(c.to),
			fmt.Sprintf("Column %s of %s is now %s.", col.name, of.name, c.to))
	case insertRows:
		return t.insert(c)
	case updateRows:
		return t.update(c)
	case deleteRows:
		return t.rows("DELETE FROM ", c.table, c.where)
	case countRows:
		return t.rows("SELECT count(*) AS count FROM ", c.table, c.where)
	case showRows:
		return t.show(c)
	case showTables:
		return t.simple("SELECT name, type, ncol AS columns FROM pragma_table_list"+
			" WHERE schema IN ('main', 'temp') AND type <> 'shadow' AND name NOT LIKE 'sqlite^_%' ESCAPE '^' ORDER BY name", "")
	case describeTable:
		return t.describe(c)
	case importFile:
		return t.importFile(c)
	case exportFile:
		return t.exportFile(c)
	}
	return plainError("There is nothing to do.")
}

// simple runs a statement that the simple language was turned into.
func (t *turn) simple(sql, done string) error {
	return t.run(order{statement: parseStatement(sql), teach: true, done: done})
}

func (t *turn) tableColumn(tableName, columnName string) (*table, *column, error) {
	of, err := t.table(tableName)
	if err != nil {
		return nil, nil, err
	}
	col, err := t.column(of, columnName)
	return of, col, err
}

// rows runs a statement that is a start, a table and a condition.
func (t *turn) rows(start, tableName string, where condition) error {
	of, err := t.table(tableName)
	if err != nil {
		return err
	}
	cond, err := compiler{t, of}.where(where)
	if err != nil {
		return err
	}
	return t.run(order{
		statement: parseStatement(start + quoteName(of.name) + cond),
		teach:     true,
		uncount:   strings.HasPrefix(start, "SELECT count"),
	})
}

func (t *turn) createTable(c createTable) error {
	names, err := t.schema()
	if err != nil {
		return t.plain(err)
	}
	if found := names.table(c.name); found != nil {
		return plainErrorf("There is a table %s already. Drop it first, or choose another name.", found.name)
	}
	self := &table{name: c.name}
	keyed, id := false, -1
	for i, spec := range c.columns {
		if self.column(spec.name) != nil {
			return plainErrorf("The column %s is there twice. Give one of them another name.", spec.name)
		}
		col := &column{name: spec.name}
		if spec.key {
			keyed, col.key = true, 1
		}
		if strings.EqualFold(spec.name, "id") {
			id = i
		}
		self.columns = append(self.columns, col)
	}
	columns := slices.Clone(c.columns)
	aside := ""
	switch {
	case keyed:
	case id < 0:
		columns = slices.Insert(columns, 0, columnSpec{name: "id", typ: "INTEGER", key: true})
		aside = "A column id was added: SQLite numbers the rows of " + c.name + " in it."
	case columns[id].typ == "INTEGER" || columns[id].typ == "":
		columns[id].typ, columns[id].key = "INTEGER", true
		aside = "Column id became the table's key: SQLite numbers the rows in it."
	}
	definitions := make([]string, len(columns))
	for i, spec := range columns {
		if definitions[i], err = t.columnDefinition(spec, self); err != nil {
			return err
		}
	}
	sql := "CREATE TABLE " + quoteName(c.name) + " (" + strings.Join(definitions, ", ") + ")"
	if err := t.simple(sql, fmt.Sprintf("Table %s created with %s.", c.name, counted(int64(len(columns)), "column"))); err != nil {
		return err
	}
	if aside == "" {
		return nil
	}
	return t.aside("%s", aside)
}

func (t *turn) addColumn(c addColumn) error {
	of, err := t.table(c.table)
	if err != nil {
		return err
	}
	spec := c.column
	if spec.required && spec.fallback == nil {
		n, err := t.a.db.number(t.ctx, "SELECT count(*) FROM "+quoteName(of.name))
		if err != nil {
			return t.plain(err)
		}
		if n > 0 {
			given, err := t.enter(fmt.Sprintf("The column %s is required. Which value do the %s that %s has get?", spec.name, counted(n, "row"), of.name))
			if err != nil {
				return err
			}
			spec.fallback = &value{textValue, given}
		}
	}
	definition, err := t.columnDefinition(spec, of)
	if err != nil {
		return err
	}
	return t.simple("ALTER TABLE "+quoteName(of.name)+" ADD COLUMN "+definition,
		fmt.Sprintf("Column %s added to %s.", spec.name, of.name))
}

func (t *turn) update(c updateRows) error {
	of, err := t.table(c.table)
	if err != nil {
		return err
	}
	with := compiler{t, of}
	sets := make([]string, len(c.sets))
	for i, s := range c.sets {
		col, err := t.column(of, s.column)
		if err != nil {
			return err
		}
		v, err := with.term(s.value, col, false)
		if err != nil {
			return err
		}
		sets[i] = quoteName(col.name) + " = " + v
	}
	cond, err := with.where(c.where)
	if err != nil {
		return err
	}
	return t.simple("UPDATE "+quoteName(of.name)+" SET "+strings.Join(sets, ", ")+cond, "")
}

func (t *turn) show(c showRows) error {
	of, err := t.table(c.table)
	if err != nil {
		return err
	}
	columns := "*"
	if len(c.columns) > 0 {
		names := make([]string, len(c.columns))
		for i, n := range c.columns {
			col, err := t.column(of, n)
			if err != nil {
				return err
			}
			names[i] = col.name
		}
		columns = quoteNames(names)
	}
	cond, err := compiler{t, of}.where(c.where)
	if err != nil {
		return err
	}
	sql := "SELECT " + columns + " FROM " + quoteName(of.name) + cond
	for i, k := range c.sort {
		col, err := t.column(of, k.column)
		if err != nil {
			return err
		}
		if i == 0 {
			sql += " ORDER BY "
		} else {
			sql += ", "
		}
		sql += quoteName(col.name)
		if k.down {
			sql += " DESC"
		}
	}
	if c.limit != "" {
		sql += " LIMIT " + c.limit
	}
	return t.simple(sql, "")
}

// describe shows a table's columns in the words of the simple language.
func (t *turn) describe(c describeTable) error {
	of, err := t.table(c.name)
	if err != nil {
		return err
	}
	if err := t.teach("PRAGMA table_xinfo(" + quoteName(of.name) + ")"); err != nil {
		return err
	}
	unique, err := t.a.db.all(t.ctx, `SELECT max(i.name) FROM pragma_index_list(?) AS l JOIN pragma_index_info(l.name) AS i
		WHERE l."unique" = 1 AND l.origin <> 'pk' GROUP BY l.name HAVING count(*) = 1`, of.name)
	if err != nil {
		return t.plain(err)
	}
	rows := make([]*cells, len(of.columns))
	for i, col := range of.columns {
		alone := slices.ContainsFunc(unique, func(r []driver.Value) bool { return asText(r[0]) == col.name })
		rows[i] = newCells(col.name, typeWords(col.typ), col.words(alone))
	}
	return t.block(tableBlock([]string{"column", "type", "rules"}, rows, counted(int64(len(rows)), "column")))
}

// words says what rules hold for a column, as create table takes them.
func (c *column) words(unique bool) string {
	var out []string
	if c.key > 0 {
		out = append(out, "primary key")
	}
	if c.rowid {
		out = append(out, "numbered by SQLite")
	}
	if c.required {
		out = append(out, "required")
	}
	if unique {
		out = append(out, "unique")
	}
	if c.fallback != "" {
		out = append(out, "default "+c.fallback)
	}
	if c.computed {
		out = append(out, "computed")
	}
	if c.refTable != "" {
		ref := "refers to " + c.refTable
		if c.refCol != "" {
			ref += "(" + c.refCol + ")"
		}
		if c.onDelete != "" && c.onDelete != "NO ACTION" {
			ref += " on delete " + strings.ToLower(c.onDelete)
		}
		out = append(out, ref)
	}
	return strings.Join(out, ", ")
}
