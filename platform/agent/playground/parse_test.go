package playground

import (
	"context"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// taught is the SQL that a command of the simple language became.
func taught(l *turnLog) string {
	var out []string
	for _, line := range strings.Split(l.shown(), "\n") {
		if sql, ok := strings.CutPrefix(line, "sql: "); ok {
			out = append(out, sql)
		}
	}
	return strings.Join(out, "\n")
}

func TestPLY1_SimpleCommandsBecomeSQL(t *testing.T) {
	cases := []struct{ command, sql string }{
		{"create table a", "CREATE TABLE a (id INTEGER PRIMARY KEY)"},
		{"CREATE TABLE a WITH name TEXT, age INT", "CREATE TABLE a (id INTEGER PRIMARY KEY, name TEXT, age INTEGER)"},
		{"create table a (name varchar(20), price decimal(10,2));", "CREATE TABLE a (id INTEGER PRIMARY KEY, name TEXT, price NUMERIC)"},
		{"create table a with paid yes-no default no, at date default today",
			"CREATE TABLE a (id INTEGER PRIMARY KEY, paid BOOLEAN DEFAULT 0 CHECK (paid IN (0, 1)), at DATE DEFAULT (date('now', 'localtime')))"},
		{"create table a with code text primary key", "CREATE TABLE a (code TEXT PRIMARY KEY)"},
		{"create table a with id int, name", "CREATE TABLE a (id INTEGER PRIMARY KEY, name TEXT)"},
		{"create table a with who -> customers", "CREATE TABLE a (id INTEGER PRIMARY KEY, who INTEGER REFERENCES customers (id))"},
		{"create table a with who int refers to customers(email) on delete set null",
			"CREATE TABLE a (id INTEGER PRIMARY KEY, who INTEGER REFERENCES customers (email) ON DELETE SET NULL)"},
		{"create table a with up -> a", "CREATE TABLE a (id INTEGER PRIMARY KEY, up INTEGER REFERENCES a (id))"},
		{`create table "order" with "a b" text required unique`, `CREATE TABLE "order" (id INTEGER PRIMARY KEY, "a b" TEXT NOT NULL UNIQUE)`},
		{"rename table customers to clients", "ALTER TABLE customers RENAME TO clients"},
		{"add column phone to customers", "ALTER TABLE customers ADD COLUMN phone TEXT"},
		{"add column customers.phone text default '-'", "ALTER TABLE customers ADD COLUMN phone TEXT DEFAULT '-'"},
		{"rename column age to years in customers", "ALTER TABLE customers RENAME COLUMN age TO years"},
		{"rename column customers.age to years", "ALTER TABLE customers RENAME COLUMN age TO years"},
		{`insert into customers name "O'Neill", age 36`, "INSERT INTO customers (name, age) VALUES ('O''Neill', 36)"},
		{`insert into customers with name = “Zoe” and age = 7`, "INSERT INTO customers (name, age) VALUES ('Zoe', 7)"},
		{"insert into customers (name, age) values ('a', 1), ('b', null)", "INSERT INTO customers (name, age) VALUES ('a', 1), ('b', NULL)"},
		{"insert into customers values ('a', -1, 'e')", "INSERT INTO customers (name, age, email) VALUES ('a', -1, 'e')"},
		{"insert into customers values 9, a, 1, e", "INSERT INTO customers (id, name, age, email) VALUES (9, 'a', 1, 'e')"},
		{"insert into customers name 007", "INSERT INTO customers (name) VALUES ('007')"},
		{"show customers", "SELECT * FROM customers"},
		{"show name, age from customers", "SELECT name, age FROM customers"},
		{"list all customers sorted by age down, name first 2", "SELECT * FROM customers ORDER BY age DESC, name LIMIT 2"},
		{"show customers where age >= 30 and age < 40 or name = Ada", "SELECT * FROM customers WHERE (age >= 30 AND age < 40) OR name = 'Ada'"},
		{"show customers where age >= 30 and (age < 40 or name = Ada)", "SELECT * FROM customers WHERE age >= 30 AND (age < 40 OR name = 'Ada')"},
		{"show customers where not (age = 1 and name is empty)", "SELECT * FROM customers WHERE NOT (age = 1 AND name IS NULL)"},
		{"show customers where email is not null and name <> email", "SELECT * FROM customers WHERE email IS NOT NULL AND name <> email"},
		{"show customers where email = null", "SELECT * FROM customers WHERE email IS NULL"},
		{"show customers where name contains '50%_\\'", `SELECT * FROM customers WHERE name LIKE '%50\%\_\\%' ESCAPE '\'`},
		{"show customers where name not starts with 'A'", "SELECT * FROM customers WHERE name NOT LIKE 'A%'"},
		{"show customers where name ends with a", "SELECT * FROM customers WHERE name LIKE '%a'"},
		{"show customers where name like 'A%'", "SELECT * FROM customers WHERE name LIKE 'A%'"},
		{"show customers where age not in (1, 2) and age between 3 and 4", "SELECT * FROM customers WHERE age NOT IN (1, 2) AND age BETWEEN 3 AND 4"},
		{`show customers where name = "x'; drop table customers; --"`, `SELECT * FROM customers WHERE name = 'x''; drop table customers; --'`},
		{"count customers where age > 3", "SELECT count(*) AS count FROM customers WHERE age > 3"},
		{"describe customers", "PRAGMA table_xinfo(customers)"},
	}
	for _, c := range cases {
		d := shop(t, Options{})
		got := d.run(c.command)
		if got.err != nil {
			t.Errorf("%s: %v", c.command, got.err)
		}
		if taught(got) != c.sql {
			t.Errorf("%s\n got %s\nwant %s", c.command, taught(got), c.sql)
		}
	}
}

func TestPLY1_SimpleMistakes(t *testing.T) {
	cases := []struct{ command, says string }{
		{"", "There is nothing to do."},
		{"dance", `Simple mode has no command "dance"; help lists those that it has.`},
		{"shw parent", `Simple mode has no command "shw". Did you mean show? help lists all commands.`},
		{"udpate customers set age 1", `Simple mode has no command "udpate". Did you mean update? help lists all commands.`},
		{"hlep", `Simple mode has no command "hlep". Did you mean help? help lists all commands.`},
		{"slect * from customers", `Simple mode has no command "slect". Did you mean SELECT? mode advanced runs plain SQL.`},
		{"create tabel a", `"tabel" does not fit here. The form is: create table NAME with COLUMN TYPE, ….`},
		{"create table a with a int, a int", "The column a is there twice. Give one of them another name."},
		{"create table customers", "There is a table customers already. Drop it first, or choose another name."},
		{"drop table", "Something is missing at the end. The form is: drop table NAME."},
		{"show customers where", "Something is missing at the end. The form is: show TABLE where … sort by COLUMN limit N."},
		{"show customers limit many", `"many" does not fit here. The form is: show TABLE where … sort by COLUMN limit N.`},
		{"show customers where name ~ 'a'", `"~" does not fit here. The form is: show TABLE where … sort by COLUMN limit N.`},
		{"show zebras", `There is no table "zebras". Tables are: customers, orders.`},
		{"show customers where colour = 1", `There is no column "colour" in customers. Columns are: id, name, age, email.`},
		{"show 'customers", `The quote ' in "'customers" is never closed.`},
		{"insert into customers name 'a', age old", `The column age takes a whole number, and "old" is none.`},
		{"insert into customers values (1, 2)", "There are 2 values for the 4 columns id, name, age, email of customers."},
		{"insert into customers name a, name b", "The column name is there twice."},
		{"select * from customers", `Simple mode has no command "select"; help lists those that it has. If this is SQL: mode advanced runs plain SQL.`},
		{"insert into customers name 'a', email 'ada@x'", `customers already has a row with email "ada@x", and email must be unique.`},
		{"insert into orders customer 77", "orders.customer is 77, and customers has no row with id 77."},
		{"mode sideways", `There is no mode "sideways". The forms are: mode, mode simple, mode advanced.`},
		{"messages loud", `Messages cannot be "loud". The forms are: messages, messages short, messages verbose.`},
		{"more", "There is no result that goes on. Ask for rows first, with show or SELECT."},
	}
	d := shop(t, Options{})
	before := d.dump()
	for _, c := range cases {
		got := d.run(c.command)
		if got.err == nil || got.err.Error() != c.says {
			t.Errorf("%q\n got %v\nwant %s", c.command, got.err, c.says)
		}
		if len(got.events) > 0 {
			t.Errorf("%q said %s", c.command, got.shown())
		}
	}
	if after := d.dump(); after != before {
		t.Errorf("the database changed:\n%s", after)
	}
}

func TestNumbersComparedWithTextAreSaid(t *testing.T) {
	d := open(t, Options{})
	d.must("create table people with name text, age text, size int", "insert into people (name, age, size) values (a, 10, 10), (b, 7, 7)")
	const says = "note: age holds text, so it is compared as text."
	for command, want := range map[string]int{
		"show people where age > 5":                                   1,
		"show people where not (size = 1 or age >= 5) and age < 9":    1,
		"show people where age in (a, 5)":                             1,
		"count people where age between 1 and 5":                      1,
		"show people where size > 5":                                  0,
		"show people where age > '5'":                                 0,
		"show people where age = size":                                0,
		"show people where age contains 5 and name is not null":       0,
		"show people where size in (1, 2) or size between 3 and 4000": 0,
	} {
		if got := d.must(command).shown(); strings.Count(got, says) != want {
			t.Errorf("%s: got %s", command, got)
		}
	}
	// It is said before it is asked, and for a column that a choice found.
	got := d.run("delete from people where aeg > 5", pick(0), no).shown()
	if before, _, asked := strings.Cut(got, "ask: Delete"); !asked || !strings.Contains(before, says) {
		t.Errorf("got %s", got)
	}
}

func TestDatesAndYesNo(t *testing.T) {
	d := open(t, Options{})
	d.must("create table t with day date, at datetime, paid yes-no",
		"insert into t day 2024-02-29, at '2024-02-29T10:00', paid yes",
		"insert into t day 2023-02-28, at \"2023-01-01 00:00\", paid no")
	got := d.must("show day, at, paid from t where paid = yes or day < 2024-01-01 sort by day").shown()
	want := `sql: SELECT day, at, paid FROM t WHERE paid = 1 OR day < '2024-01-01' ORDER BY day
┌────────────┬──────────────────┬──────┐
│ day        │ at               │ paid │
├────────────┼──────────────────┼──────┤
│ 2023-02-28 │ 2023-01-01 00:00 │    0 │
│ 2024-02-29 │ 2024-02-29T10:00 │    1 │
└────────────┴──────────────────┴──────┘
2 rows`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	for command, says := range map[string]string{
		"insert into t day 2023-02-29": `The column day takes a date such as 2024-12-31, and "2023-02-29" is none.`,
		"insert into t paid perhaps":   `The column paid takes yes or no, and "perhaps" is none.`,
	} {
		if err := d.run(command).err; err == nil || err.Error() != says {
			t.Errorf("%s: got %v", command, err)
		}
	}
}

func TestQuotingIsExact(t *testing.T) {
	d := open(t, Options{})
	d.must("create table t with v text, w text")
	rapid.Check(t, func(r *rapid.T) {
		v := rapid.OneOf(rapid.String(), rapid.StringMatching(`['"\\;\x00%_\-\n\[\]“”‘’A-Z ]{0,12}`)).Draw(r, "v")
		q := rapid.SampledFrom([]string{`"`, `'`}).Draw(r, "quote")
		if log := d.run("insert into t v " + q + strings.ReplaceAll(v, q, q+q) + q); log.err != nil {
			r.Fatalf("insert %q: %v", v, log.err)
		}
		rows := d.values("SELECT v FROM t ORDER BY rowid DESC LIMIT 1")
		if rows[0][0] != v {
			r.Fatalf("put %q in, got %q", v, rows[0][0])
		}
		n := d.values("SELECT count(*) FROM t WHERE v = " + quoteText(v))[0][0]
		found := d.run("count t where v = " + q + strings.ReplaceAll(v, q, q+q) + q)
		if found.err != nil || !strings.Contains(found.shown(), asText(n)) {
			r.Fatalf("count of %q: %v %s, want %v", v, found.err, found.shown(), n)
		}
	})
}

func TestQuotedNamesAreExact(t *testing.T) {
	d := open(t, Options{})
	ctx := context.Background()
	rapid.Check(t, func(r *rapid.T) {
		name := rapid.StringMatching(`[a-z"'\[\]; \-é0-9]{1,10}`).Filter(func(s string) bool {
			return strings.TrimSpace(s) != "" && !strings.EqualFold(s, "id")
		}).Draw(r, "name")
		sql := "CREATE TEMP TABLE probe (id, " + quoteName(name) + ")"
		if err := d.a.db.exec(ctx, sql); err != nil {
			r.Fatalf("%s: %v", sql, err)
		}
		got := d.values("SELECT name FROM pragma_table_info('probe')")[1][0]
		if err := d.a.db.exec(ctx, "DROP TABLE probe"); err != nil {
			r.Fatal(err)
		}
		if got != name {
			r.Fatalf("named it %q, got %q", name, got)
		}
	})
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"create table a with b int required default 3, c -> d(e) on delete cascade",
		`insert into a b "c", d 'e', f -1.5e3`, "insert into a (b) values (1), (2)",
		"update a set b b + 1 where c not in (1, 2) and (d is not null or e between 1 and 2)",
		"show a, b from c where d contains 'x' sort by e desc limit 3", "drop column a from b", `export a to x/y.csv`,
		"show a where not not not (b = 1)", "“", "'", "show a where b = 2024-12-31;;", "\x00", strings.Repeat("(", 300),
		"show a where " + strings.Repeat("not ", 300) + "b = 1",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		c, err := parse(s)
		if (c == nil) == (err == nil) {
			t.Fatalf("%q gave %v and %v", s, c, err)
		}
		if _, ok := err.(plainError); err != nil && !ok {
			t.Fatalf("%q gave %T", s, err)
		}
		end := 0
		for _, tok := range lex(s, simpleGrammar) {
			if tok.start < end || tok.end < tok.start || tok.end > len(s) {
				t.Fatalf("%q has the token %+v after %d", s, tok, end)
			}
			end = tok.end
		}
	})
}

func TestParseNeverPanics(t *testing.T) {
	words := []string{"create", "table", "a", "with", "int", "insert", "into", "values", "(", ")", ",", "where", "and", "not", "=",
		"'x'", `"y"`, "1", "-", ".", "show", "from", "sort", "by", "limit", "drop", "column", "update", "set", "delete", "in",
		"between", "is", "null", ";", "->", "default", "yes", "/", "no", "export", "to", "rename", "add", "key", "[", "'"}
	rapid.Check(t, func(r *rapid.T) {
		s := strings.Join(rapid.SliceOfN(rapid.SampledFrom(words), 0, 14).Draw(r, "words"), " ")
		if c, err := parse(s); (c == nil) == (err == nil) {
			r.Fatalf("%q gave %v and %v", s, c, err)
		}
	})
}
