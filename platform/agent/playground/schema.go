package playground

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// A schema is what the database holds, as far as names and columns go.
type schema struct {
	tables []*table
	shadow map[string]bool // the tables in which virtual ones keep their data
}

// A table is a table or a view.
type table struct {
	name     string
	view     bool
	virtual  bool
	columns  []*column
	triggers bool // the database has triggers on it
}

// A column is one of a table's columns, as PRAGMA table_xinfo gives it.
type column struct {
	name     string
	typ      string // as declared
	required bool   // NOT NULL
	fallback string // the default, as SQL; empty: none
	key      int    // 1-based place in the primary key; 0: not in it
	rowid    bool   // INTEGER PRIMARY KEY: SQLite fills it in
	refTable string // the table that it refers to
	refCol   string
	onDelete string // CASCADE, SET NULL …
	computed bool   // GENERATED ALWAYS
}

// readSchema reads the names of all tables and views, and their columns.
func readSchema(ctx context.Context, d *database) (*schema, error) {
	rows, err := d.all(ctx, `SELECT name, type FROM pragma_table_list
		WHERE type IN ('table', 'view', 'virtual') AND schema IN ('main', 'temp') AND name NOT LIKE 'sqlite^_%' ESCAPE '^'
		ORDER BY name`)
	if err != nil {
		return nil, fmt.Errorf("read the tables: %w", err)
	}
	s := &schema{shadow: make(map[string]bool)}
	for _, r := range rows {
		t := &table{name: asText(r[0]), view: asText(r[1]) == "view", virtual: asText(r[1]) == "virtual"}
		if err := t.read(ctx, d); err != nil {
			// A view whose tables are gone has no columns that can be told.
			t.columns = nil
		}
		s.tables = append(s.tables, t)
	}
	rows, err = d.all(ctx, `SELECT name FROM pragma_table_list WHERE type = 'shadow'`)
	if err != nil {
		return nil, fmt.Errorf("read the tables: %w", err)
	}
	for _, r := range rows {
		s.shadow[asText(r[0])] = true
	}
	rows, err = d.all(ctx, `SELECT DISTINCT tbl_name FROM sqlite_schema WHERE type = 'trigger'`)
	if err != nil {
		return nil, fmt.Errorf("read the triggers: %w", err)
	}
	for _, r := range rows {
		if t := s.table(asText(r[0])); t != nil {
			t.triggers = true
		}
	}
	return s, nil
}

func (t *table) read(ctx context.Context, d *database) error {
	rows, err := d.all(ctx, `SELECT name, type, "notnull", dflt_value, pk, hidden FROM pragma_table_xinfo(?) WHERE hidden <> 1`, t.name)
	if err != nil {
		return err
	}
	keys := 0
	for _, r := range rows {
		c := &column{name: asText(r[0]), typ: asText(r[1]), required: asText(r[2]) == "1", fallback: asText(r[3])}
		c.computed = asText(r[5]) != "0"
		if n, ok := r[4].(int64); ok {
			c.key = int(n)
		}
		if c.key > 0 {
			keys++
		}
		t.columns = append(t.columns, c)
	}
	for _, c := range t.columns {
		c.rowid = keys == 1 && c.key == 1 && strings.EqualFold(c.typ, "integer")
	}
	rows, err = d.all(ctx, `SELECT "from", "table", "to", on_delete FROM pragma_foreign_key_list(?)`, t.name)
	if err != nil {
		return err
	}
	for _, r := range rows {
		if c := t.column(asText(r[0])); c != nil {
			c.refTable, c.refCol, c.onDelete = asText(r[1]), asText(r[2]), asText(r[3])
		}
	}
	return nil
}

// asText is a value of a query of the agent's own as text; NULL is empty.
func asText(v any) string {
	if v == nil {
		return ""
	}
	return fmt.Sprint(v)
}

// table finds a table by its name, in any case, or gives nil.
func (s *schema) table(name string) *table {
	for _, t := range s.tables {
		if strings.EqualFold(t.name, name) {
			return t
		}
	}
	return nil
}

func (t *table) column(name string) *column {
	for _, c := range t.columns {
		if strings.EqualFold(c.name, name) {
			return c
		}
	}
	return nil
}

// names lists the tables' names.
func (s *schema) names() []string {
	out := make([]string, len(s.tables))
	for i, t := range s.tables {
		out[i] = t.name
	}
	return out
}

func (t *table) names() []string {
	out := make([]string, len(t.columns))
	for i, c := range t.columns {
		out[i] = c.name
	}
	return out
}

// key is the column that another table's reference means when it names none.
func (t *table) key() string {
	for _, c := range t.columns {
		if c.key == 1 {
			return c.name
		}
	}
	return "id"
}

func (s *schema) noTable(name string) string {
	if len(s.tables) == 0 {
		return fmt.Sprintf("There is no table %q, nor any other yet.", name)
	}
	return fmt.Sprintf("There is no table %q. Tables are: %s.", name, listed(s.names()))
}

func (s *schema) noColumn(tableName, name string) string {
	t := s.table(tableName)
	if t == nil {
		return fmt.Sprintf("There is no column %q in %s.", name, tableName)
	}
	return fmt.Sprintf("There is no column %q in %s. Columns are: %s.", name, t.name, listed(t.names()))
}

// listed joins names for a sentence; a long list is cut.
func listed(names []string) string {
	const most = 20
	if len(names) > most {
		return strings.Join(names[:most], ", ") + fmt.Sprintf(" and %d more", len(names)-most)
	}
	return strings.Join(names, ", ")
}

// near lists the names that name may have been meant to be, the nearest first:
// at most two slips away, or the same at the start.
func near(name string, names []string) []string {
	type candidate struct {
		name string
		far  int
	}
	typed := []rune(strings.ToLower(name))
	var found []candidate
	for _, n := range names {
		other := []rune(strings.ToLower(n))
		far := slips(typed, other)
		prefix := min(len(typed), len(other)) >= 2 &&
			(strings.HasPrefix(string(typed), string(other)) || strings.HasPrefix(string(other), string(typed)))
		if far <= 2 && far*2 <= len(typed) || prefix {
			found = append(found, candidate{n, far})
		}
	}
	slices.SortStableFunc(found, func(a, b candidate) int { return a.far - b.far })
	out := make([]string, len(found))
	for i, c := range found {
		out[i] = c.name
	}
	return out
}

// slips is the Damerau-Levenshtein distance (optimal string alignment): how many
// letters are wrong, missing, too many or swapped with their neighbour.
func slips(a, b []rune) int {
	const rows = 3
	var d [rows][]int
	for i := range d {
		d[i] = make([]int, len(b)+1)
	}
	for j := range d[0] {
		d[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		now, up, upup := d[i%rows], d[(i-1)%rows], d[(i+1)%rows]
		now[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			now[j] = min(up[j]+1, now[j-1]+1, up[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				now[j] = min(now[j], upup[j-2]+1)
			}
		}
	}
	return d[len(a)%rows][len(b)]
}
