package playground

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"copydesk/core/session"
)

func decimal(n int64) string { return strconv.FormatInt(n, 10) }

// An outcome is what a statement did to which table.
type outcome struct {
	table                      string // where it did the most of it; empty: no rows
	inserted, updated, deleted int64
	lost                       int64    // rows of a table, or of a column, that is dropped
	last                       int64    // the row id inserted last
	others                     []change // cascades and triggers
	by                         string   // "by cascade", or "by cascade or trigger"
}

// rowsOfDrops counts the rows that go with what is dropped. It is asked before
// the drop.
func (t *turn) rowsOfDrops(s statement, does deed) (int64, error) {
	if len(does.drops) == 0 {
		return 0, nil
	}
	name := ""
	switch d := does.drops[0]; d.what {
	case "table":
		name = quoteName(d.database) + "." + quoteName(d.name)
	case "column":
		name = quoteName(alteredTable(s))
		if s.at(3).val == "." {
			name = quoteName(s.at(2).val) + "." + name
		}
	default:
		return 0, nil
	}
	// The names as they are before the drop say which tables are shadows.
	if _, err := t.schema(); err != nil {
		return 0, err
	}
	return t.a.db.number(t.ctx, "SELECT count(*) FROM "+name)
}

// alteredTable is the table that ALTER TABLE names.
func alteredTable(s statement) string {
	if s.at(3).val == "." {
		return s.at(4).val
	}
	return s.at(2).val
}

// outcome reads the tally of the statement that has just run.
func (t *turn) outcome(s statement, does deed, lost int64) (outcome, error) {
	out := outcome{lost: lost, by: "by cascade"}
	if len(t.a.db.tally.changes) == 0 && does.target == "" {
		return out, nil
	}
	names, err := t.schema()
	if err != nil {
		return out, err
	}
	for _, n := range names.tables {
		if n.triggers {
			out.by = "by cascade or trigger"
		}
	}
	for _, c := range t.a.db.tally.changes {
		switch {
		case names.shadow[c.table]:
			// The book-keeping of a virtual table.
		case c.direct && (out.table == "" || out.table == c.table):
			out.table, out.last = c.table, c.last
			out.inserted, out.updated, out.deleted = c.inserted, c.updated, c.deleted
		case !droppedTable(does, c.table):
			out.others = append(out.others, c)
		}
	}
	slices.SortStableFunc(out.others, func(a, b change) int { return int(min(b.deleted, 1) - min(a.deleted, 1)) })
	if out.table == "" && len(out.others) > 0 {
		// A view's triggers did it all.
		c := out.others[0]
		out.table, out.inserted, out.updated, out.deleted = c.table, c.inserted, c.updated, c.deleted
		out.others = out.others[1:]
	}
	v := names.table(does.target)
	if len(does.drops) == 0 && (v != nil && v.virtual || systemTable(does.target)) {
		return t.uncountedOutcome(s, does.target, out)
	}
	return out, nil
}

// uncountedOutcome counts the rows of a virtual table or one of SQLite's own, of
// which the tally knows nothing.
func (t *turn) uncountedOutcome(s statement, name string, out outcome) (outcome, error) {
	n, err := t.a.db.number(t.ctx, "SELECT changes()")
	out.table = name
	switch {
	case s.starts("insert"):
		out.inserted = n
	case s.starts("delete"):
		out.deleted = n
	default:
		out.updated = n
	}
	return out, err
}

func droppedTable(does deed, name string) bool {
	for _, d := range does.drops {
		if d.what == "table" && strings.EqualFold(d.name, name) {
			return true
		}
	}
	return false
}

// destroys reports whether something that was there before is gone or changed.
func (o outcome) destroys() bool {
	if o.lost > 0 || o.deleted > 0 || o.updated > 0 {
		return true
	}
	for _, c := range o.others {
		if c.deleted > 0 {
			return true
		}
	}
	return false
}

// A question is how an approval of a change is put.
type question struct {
	prompt, yes, no string
	table           string // empty: it is about no table
	rows            int64  // of the table
}

// approveChange asks for approval of what the statement did, if that destroys
// anything.
func (t *turn) approveChange(o order, does deed, out outcome) error {
	var q question
	switch {
	case len(does.drops) > 0 && (out.destroys() || does.drops[0].definition()):
		q = dropQuestion(o.statement, does.drops[0], out)
	case out.destroys():
		q = rowsQuestion(out)
	default:
		return nil
	}
	fields := []session.Field{{Name: "Statement", Value: o.text, Lang: "sql"}}
	if q.table != "" {
		fields = append(fields, session.Field{Name: "Table", Value: q.table}, session.Field{Name: "Rows", Value: decimal(q.rows)})
	}
	for _, c := range out.others {
		if c.deleted > 0 {
			fields = append(fields, session.Field{Name: c.table + " (" + out.by + ")", Value: decimal(c.deleted)})
		}
		if c.updated > 0 {
			fields = append(fields, session.Field{Name: c.table + " (changed " + out.by + ")", Value: decimal(c.updated)})
		}
	}
	return t.approve(q.prompt, q.yes, q.no, fields)
}

// definition reports that what is dropped is no data, so that its loss shows in
// no count.
func (d drop) definition() bool { return d.what == "view" || d.what == "index" || d.what == "trigger" }

func dropQuestion(s statement, d drop, out outcome) question {
	q := question{rows: out.lost, no: "Keep it"}
	rows := counted(q.rows, "row")
	switch d.what {
	case "table":
		q.table = d.name
		q.prompt = fmt.Sprintf("Drop the table %s and its %s?", d.name, rows)
		q.yes = fmt.Sprintf("Drop %s and its %s", d.name, rows)
	case "column":
		q.table = alteredTable(s)
		q.prompt = fmt.Sprintf("Drop the column %s of %s with its values in %s?", d.name, q.table, rows)
		q.yes = fmt.Sprintf("Drop %s from %s", d.name, rows)
	default:
		q.yes = fmt.Sprintf("Drop the %s %s", d.what, d.name)
		q.prompt = q.yes + "?"
	}
	return q
}

func rowsQuestion(out outcome) question {
	q := question{table: out.table, rows: out.deleted + out.updated}
	var also []string // what goes by a cascade or a trigger
	for _, c := range out.others {
		if c.deleted > 0 {
			also = append(also, counted(c.deleted, "row")+" of "+c.table)
		}
	}
	more := ""
	if len(also) > 0 {
		more = ", and with that delete " + strings.Join(also, " and ")
	}
	one := q.rows == 1 && len(also) == 0
	verb, of := "Change", " of "
	q.no = "Leave them as they are"
	switch {
	case out.deleted > 0 && (out.inserted > 0 || out.updated == 0):
		verb = "Delete"
		if out.inserted > 0 {
			verb = "Replace"
		}
		q.no = "Keep them"
		if one {
			q.no = "Keep it"
		}
	case q.rows == 0:
		// Only a cascade or a trigger took something away.
		verb, of, q.rows = "Insert", " into ", out.inserted
		q.no = "Insert nothing"
	case one:
		q.no = "Leave it as it is"
	}
	what := verb + " " + counted(q.rows, "row") + of + q.table
	q.prompt = what + more + "?"
	q.yes = what + more
	if verb == "Delete" {
		q.yes = strings.Join(append([]string{what}, also...), " and ")
	}
	return q
}

// report says what was done, in counts, and what went with it.
func (t *turn) report(o order, does deed, out outcome) error {
	if err := t.reportMain(o, does, out); err != nil {
		return err
	}
	for _, c := range out.others {
		var did []string
		if c.deleted > 0 {
			did = append(did, counted(c.deleted, "row")+" of "+c.table+" deleted")
		}
		if c.updated > 0 {
			did = append(did, counted(c.updated, "row")+" of "+c.table+" changed")
		}
		if c.inserted > 0 {
			did = append(did, counted(c.inserted, "row")+" inserted into "+c.table)
		}
		if err := t.note("%s %s.", strings.Join(did, " and "), out.by); err != nil {
			return err
		}
	}
	return nil
}

func (t *turn) reportMain(o order, does deed, out outcome) error {
	if len(does.drops) > 0 {
		d := does.drops[0]
		switch {
		case d.what == "table" && out.lost == 0:
			return t.note("Table %s dropped. It was empty, so no approval was needed.", d.name)
		case d.what == "table":
			return t.note("Table %s dropped with its %s.", d.name, counted(out.lost, "row"))
		case d.what == "column" && out.lost == 0:
			return t.note("Column %s dropped. The table was empty, so no approval was needed.", d.name)
		}
		return t.note("%s %s dropped.", sentence(d.what), d.name)
	}
	if o.done != "" {
		return t.note("%s", o.done)
	}
	table := out.table
	switch {
	case out.deleted > 0 && out.inserted > 0:
		return t.note("%s of %s replaced, %s in all.", counted(out.deleted, "row"), table, counted(out.inserted, "row"))
	case out.deleted > 0:
		return t.note("%s deleted from %s.", counted(out.deleted, "row"), table)
	case out.inserted > 0 && out.updated > 0:
		return t.note("%s inserted into %s, %s changed.", counted(out.inserted, "row"), table, counted(out.updated, "row"))
	case out.inserted == 1 && t.numbered(table) != "":
		return t.note("1 row inserted into %s (%s %d).", table, t.numbered(table), out.last)
	case out.inserted > 0:
		return t.note("%s inserted into %s.", counted(out.inserted, "row"), table)
	case out.updated > 0:
		return t.note("%s changed in %s.", counted(out.updated, "row"), table)
	case o.starts("delete"), o.starts("update"):
		return t.note("No row matches, so nothing changed and no approval was needed.")
	case o.starts("insert"), o.starts("replace"):
		return t.note("No row inserted.")
	}
	if what, name := created(o.statement); what != "" {
		return t.note("%s %s created.", what, name)
	}
	return t.note("Done.")
}

// created is what a CREATE statement makes: Table, customers.
func created(s statement) (what, name string) {
	if !s.starts("create") {
		return "", ""
	}
	for i := 1; i < len(s.tokens); i++ {
		switch word := strings.ToLower(s.at(i).val); word {
		case "table", "view", "index", "trigger":
			if i++; s.at(i).is("if") {
				i += 3
			}
			if s.at(i+1).val == "." {
				i += 2
			}
			return sentence(word), s.at(i).val
		}
	}
	return "", ""
}

// numbered is the column of a table that SQLite numbers its rows in.
func (t *turn) numbered(name string) string {
	names, err := t.schema()
	if err != nil {
		return ""
	}
	if found := names.table(name); found != nil {
		for _, c := range found.columns {
			if c.rowid {
				return c.name
			}
		}
	}
	return ""
}
