package playground

import (
	"fmt"
	"slices"
	"strings"

	"copydesk/core/session"
)

// insert adds rows. Values that a single row needs and that were not given are
// asked for.
func (t *turn) insert(c insertRows) error {
	of, err := t.table(c.table)
	if err != nil {
		return err
	}
	columns, err := t.insertColumns(of, c)
	if err != nil {
		return err
	}
	rows := make([][]string, len(c.rows))
	for i, row := range c.rows {
		if len(row) != len(columns) {
			return plainErrorf("There are %s for the %s %s of %s.", counted(int64(len(row)), "value"),
				counted(int64(len(columns)), "column"), listed(columnNames(columns)), of.name)
		}
		for j, v := range row {
			literal, err := v.literal(columns[j], false)
			if err != nil {
				return err
			}
			rows[i] = append(rows[i], literal)
		}
	}
	if len(rows) <= 1 {
		if columns, rows, err = t.askMissing(of, columns, rows); err != nil {
			return err
		}
	}
	sql := "INSERT INTO " + quoteName(of.name)
	if len(columns) == 0 {
		return t.simple(sql+" DEFAULT VALUES", "")
	}
	tuples := make([]string, len(rows))
	for i, row := range rows {
		tuples[i] = "(" + strings.Join(row, ", ") + ")"
	}
	return t.simple(sql+" ("+quoteNames(columnNames(columns))+") VALUES "+strings.Join(tuples, ", "), "")
}

func columnNames(columns []*column) []string {
	out := make([]string, len(columns))
	for i, c := range columns {
		out[i] = c.name
	}
	return out
}

// insertColumns finds the columns that the values of an insert are for. Values
// without names are for all columns in their order; the one that SQLite numbers
// by itself may be left out.
func (t *turn) insertColumns(of *table, c insertRows) ([]*column, error) {
	var out []*column
	if c.columns != nil {
		for _, name := range c.columns {
			col, err := t.column(of, name)
			if err != nil {
				return nil, err
			}
			if slices.Contains(out, col) {
				return nil, plainErrorf("The column %s is there twice.", col.name)
			}
			out = append(out, col)
		}
		return out, nil
	}
	if len(c.rows) == 0 {
		return nil, nil
	}
	for _, col := range of.columns {
		if !col.computed {
			out = append(out, col)
		}
	}
	if len(c.rows[0]) == len(out)-1 {
		out = slices.DeleteFunc(out, func(col *column) bool { return col.rowid })
	}
	return out, nil
}

// askMissing asks for the values that a row needs. When no value was given at
// all, it asks for every column, and null leaves one empty.
func (t *turn) askMissing(of *table, columns []*column, rows [][]string) ([]*column, [][]string, error) {
	bare := len(rows) == 0
	if bare {
		rows = [][]string{nil}
	}
	for _, col := range of.columns {
		if slices.Contains(columns, col) || col.rowid || col.computed || col.fallback != "" || !bare && !col.required {
			continue
		}
		literal, err := t.askValue(of, col)
		if err != nil {
			return nil, nil, err
		}
		columns, rows[0] = append(columns, col), append(rows[0], literal)
	}
	return columns, rows, nil
}

// valueTries is how often a value that does not fit is asked for again.
const valueTries = 5

// askValue asks for a column's value until one fits.
func (t *turn) askValue(of *table, col *column) (string, error) {
	question := fmt.Sprintf("Which %s does the new row of %s get?", col.name, of.name)
	fields := []session.Field{{Name: "Column", Value: of.name + "." + col.name}, {Name: "Type", Value: typeWords(col.typ)}}
	if !col.required {
		fields = append(fields, session.Field{Name: "Empty", Value: "Type null to leave it empty."})
	}
	for tries := 1; ; tries++ {
		given, err := t.enter(question, fields...)
		if err != nil {
			return "", err
		}
		if !col.required && strings.EqualFold(given, "null") {
			return "NULL", nil
		}
		literal, wrong := value{textValue, given}.literal(col, false)
		if wrong == nil {
			return literal, nil
		}
		if tries == valueTries {
			return "", wrong
		}
		if err := t.send(session.Notice{Text: wrong.Error(), Error: true}); err != nil {
			return "", err
		}
	}
}
