package playground

import (
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestPLY1_ImportFindsTheTypes(t *testing.T) {
	dir := t.TempDir()
	d := open(t, Options{Dir: dir})
	path := filepath.Join(dir, "all.csv")
	write(t, path, "whole,price,zip,big,phone,none,mixed,date,spaced\n"+
		"1,1.5,01234,9223372036854775807,+49,,1,2024-01-02, 7\n"+
		",-2,90210,9223372036854775808,12,,x,2024-01-03,\n"+
		"-30,,1,1,1,,2,, 8 \n")
	log := d.must("import all from all.csv")
	for _, want := range []string{
		"sql: CREATE TABLE \"all\" (id INTEGER PRIMARY KEY, whole INTEGER, price REAL, zip TEXT, big TEXT, phone TEXT, none TEXT, mixed TEXT, date TEXT, spaced INTEGER)\n",
		"note: 3 rows imported into all from " + path + ".\n",
		"note: The columns got their types from the values: whole int, price real, zip text, big text, phone text, none text, mixed text, date text, spaced int.",
	} {
		if got := log.shown(); !strings.Contains(got, want) {
			t.Errorf("got %s\nwant %s", got, want)
		}
	}
	rows := d.values(`SELECT whole, price, zip, big, spaced FROM "all"`)
	for i, want := range [][]any{
		{int64(1), 1.5, "01234", "9223372036854775807", int64(7)},
		{nil, -2.0, "90210", "9223372036854775808", nil},
		{int64(-30), nil, "1", "1", int64(8)},
	} {
		for j := range want {
			if rows[i][j] != want[j] {
				t.Errorf("row %d, column %d is %#v, want %#v", i, j, rows[i][j], want[j])
			}
		}
	}
}

func TestPLY1_ImportKnowsSeparators(t *testing.T) {
	dir := t.TempDir()
	d := open(t, Options{Dir: dir})
	for i, c := range []struct{ content, columns, says string }{
		{"a,b;c,d\n1,2,3\n", "a b;c d", ""},
		{"a;b,c;d\n1;2;3\n", "a b,c d", " Its fields are separated by semicolons."},
		{"\ufeff\"a,,,\";b\n1;2\n", "a,,, b", " Its fields are separated by semicolons."},
		{"a\tb c\n1\t\n", "a b c", " Its fields are separated by tabs."},
		{"a,b;c\n1,2\n", "a b;c", ""},
		{"a;b\tc\n1;2\n", "a b\tc", " Its fields are separated by semicolons."},
		{"\r\n\"x\"\"y;\",b\r\n1;;;;,2\r\n", "x\"y; b", ""},
		{"only\n1;2\n", "only", ""},
	} {
		name := "t" + decimal(int64(i)) + "x"
		write(t, filepath.Join(dir, "s.csv"), c.content)
		log := d.run("import "+name+" from s.csv", newTable(d, name)...)
		if want := "imported into " + name + " from " + filepath.Join(dir, "s.csv") + "." + c.says + "\n"; log.err != nil || !strings.Contains(log.shown(), want) {
			t.Errorf("%q: got %s", c.content, log.shown())
			continue
		}
		columns := strings.Join(d.a.known.table(name).names(), " ")
		if columns != "id "+c.columns {
			t.Errorf("%q has the columns %q", c.content, columns)
		}
	}
}

func TestPLY1_ExportQuotesWhatLooksLikeASeparator(t *testing.T) {
	dir := t.TempDir()
	d := open(t, Options{Dir: dir})
	d.must("create table t with \"a;b\" text, \"c\td\" text", "insert into t values '1;2', 'x\ty'", "export t to t.csv")
	if got, want := read(t, filepath.Join(dir, "t.csv")), "id,\"a;b\",\"c\td\"\n1,\"1;2\",\"x\ty\"\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	d.must("import other from t.csv")
	if got := d.values("SELECT \"a;b\", \"c\td\" FROM other"); got[0][0] != "1;2" || got[0][1] != "x\ty" {
		t.Errorf("got %v", got)
	}
}

// newTable answers the question whether a name near to others means one of
// them: it does not.
func newTable(d *desk, name string) []answer {
	if n := len(near(name, d.a.known.names())); n > 0 {
		return []answer{pick(n)}
	}
	return nil
}

func TestPLY1_EmptyFieldsOfNumbersAreNull(t *testing.T) {
	dir := t.TempDir()
	d := open(t, Options{Dir: dir})
	d.must("create table t with name text required, age int required")
	write(t, filepath.Join(dir, "t.csv"), "name,age\n,5\nAda,\n")
	log := d.run("import t from t.csv")
	if want := "Line 3 of " + filepath.Join(dir, "t.csv") + ": Every row of t needs a value for age. Nothing was imported."; log.err == nil || log.err.Error() != want {
		t.Errorf("got %s", log.shown())
	}
}

// What the types are chosen for: a value that is imported reads the same as in
// the file, but for blanks around a number and the notation of a real.
func TestPLY1_TypesKeepTheValues(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		fields := rapid.SliceOfN(rapid.OneOf(
			rapid.StringMatching(`[-+]?[0-9]{1,3}`), rapid.StringMatching(`-?[0-9]{15,20}`), rapid.StringMatching(`[-0-9.eE+ ]{0,6}`), rapid.Just(""),
		), 1, 4).Draw(r, "fields")
		var g guess
		for _, f := range fields {
			g.see(f)
		}
		for _, f := range fields {
			s := strings.TrimSpace(f)
			switch {
			case s == "":
			case g.typ() == "INTEGER":
				if n, err := strconv.ParseInt(s, 10, 64); err != nil || cellText(n) != s {
					r.Fatalf("%q in %q is changed", f, fields)
				}
			case g.typ() == "REAL" && !isNumber(strings.TrimPrefix(s, "-")):
				r.Fatalf("%q in %q is no number", f, fields)
			}
		}
	})
}

func TestAffinity(t *testing.T) {
	for typ, want := range map[string]string{
		"integer": "INTEGER", "BIGINT": "INTEGER", "CHARINT": "INTEGER", "varchar(9)": "TEXT", "Text": "TEXT", "CLOB": "TEXT",
		"": "BLOB", "blob": "BLOB", "REAL": "REAL", "double precision": "REAL", "FLOAT": "REAL", "DECIMAL(5,2)": "NUMERIC", "DATE": "NUMERIC",
	} {
		if got := affinity(typ); got != want {
			t.Errorf("%s: %s, want %s", typ, got, want)
		}
	}
}
