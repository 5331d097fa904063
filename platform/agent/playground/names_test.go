package playground

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"copydesk/core/session"
)

func TestPLY3_NearNamesAreAskedAbout(t *testing.T) {
	cases := []struct {
		mode, prompt, question string
		choices                []string
		sql                    string // that runs after the first choice
	}{
		{simple, "show custmers", `There is no table "custmers". Which one is meant?`, []string{"customers"}, "SELECT * FROM customers"},
		{simple, "count order", `There is no table "order". Which one is meant?`, []string{"orders"}, "SELECT count(*) AS count FROM orders"},
		{simple, "show customers where nmae = 'Ada'", `There is no column "nmae" in customers. Which one is meant?`, []string{"name"},
			"SELECT * FROM customers WHERE name = 'Ada'"},
		{simple, "show orders sort by wat", `There is no column "wat" in orders. Which one is meant?`, []string{"what"}, "SELECT * FROM orders ORDER BY what"},
		{advanced, "SELECT COUNT(*) AS n FROM Custmers WHERE 'custmers' = 'x'", `There is no table "Custmers". Which one is meant?`, []string{"customers"}, ""},
		{advanced, "SELECT c.emial FROM customers c", `There is no column "emial". Which one is meant?`, []string{"email"}, ""},
		{advanced, "INSERT INTO orders (wht) VALUES ('x')", `There is no column "wht" in orders. Which one is meant?`, []string{"what"}, ""},
	}
	d := shop(t, Options{})
	for _, c := range cases {
		d.must("mode " + c.mode)
		log := d.run(c.prompt, pick(0))
		if log.err != nil {
			t.Errorf("%s: %v", c.prompt, log.err)
		}
		if len(log.requests) != 1 || log.requests[0].Kind != session.Choice || log.requests[0].Prompt != c.question {
			t.Errorf("%s: %s", c.prompt, log.shown())
			continue
		}
		if diff := cmp.Diff(c.choices, log.requests[0].Choices); diff != "" {
			t.Errorf("%s: %s", c.prompt, diff)
		}
		if c.sql != "" && taught(log) != c.sql {
			t.Errorf("%s became %s", c.prompt, taught(log))
		}
	}
}

func TestNear(t *testing.T) {
	names := []string{"customers", "custom", "orders", "id"}
	for typed, want := range map[string][]string{
		"customer": {"customers", "custom"},
		"CUSTMERS": {"customers"},
		"ordres":   {"orders"},
		"ord":      {"orders"},
		"zebra":    {},
		"x":        {},
		"di":       {"id"},
	} {
		if diff := cmp.Diff(want, near(typed, names)); diff != "" {
			t.Errorf("%s: %s", typed, diff)
		}
	}
}

func TestSlips(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"", "abc", 3}, {"abc", "abc", 0}, {"abc", "acb", 1}, {"abcd", "badc", 2}, {"kitten", "sitting", 3}, {"é", "e", 1}, {"ca", "abc", 3}} {
		if got := slips([]rune(c.a), []rune(c.b)); got != c.want {
			t.Errorf("%s, %s: %d, want %d", c.a, c.b, got, c.want)
		}
		if got := slips([]rune(c.b), []rune(c.a)); got != c.want {
			t.Errorf("%s, %s: %d, want %d", c.b, c.a, got, c.want)
		}
	}
}

func TestPLY3_MissingValuesAreAskedFor(t *testing.T) {
	d := open(t, Options{})
	d.must("create table people with name text required, age int required, city text, member yes-no default no")
	log := d.run("insert into people age 3", enter("r"))
	if got := taught(log); got != "INSERT INTO people (age, name) VALUES (3, 'r')" {
		t.Errorf("got %s, %v", got, log.err)
	}
	log = d.run("insert into people", enter("O'Neill"), enter("old"), enter("41"), enter("NULL"))
	if got := taught(log); got != "INSERT INTO people (name, age, city) VALUES ('O''Neill', 41, NULL)" {
		t.Errorf("got %s, %v", got, log.err)
	}
	if last := log.requests[3].Fields[2]; last != (session.Field{Name: "Empty", Value: "Type null to leave it empty."}) {
		t.Errorf("got %+v", last)
	}
	if !strings.Contains(log.shown(), `wrong: The column age takes a whole number, and "old" is none.`) {
		t.Errorf("got %s", log.shown())
	}
	before := d.dump()
	if log := d.run("insert into people", enter("Ada"), no); log.err != nil || d.dump() != before {
		t.Errorf("got %s", log.shown())
	}
	log = d.run("add column rank int required to people", enter("7"))
	if got := taught(log); got != "ALTER TABLE people ADD COLUMN rank INTEGER NOT NULL DEFAULT 7" {
		t.Errorf("got %s, %v", got, log.err)
	}
}

func TestErrorsInPlainWords(t *testing.T) {
	d := seeded(t, Options{})
	d.must("mode advanced")
	before := d.dump()
	cases := []struct{ sql, says string }{
		{"SELECT * FROM zebras", `There is no table "zebras". Tables are: adults, customers, log, orders, visits.`},
		{"SELECT zebra FROM customers", `There is no column "zebra".`},
		{`SELECT * FROM customers WHERE name = "Zed"`, `There is no column "Zed". A text stands in single quotes: 'Zed'.`},
		{"SELEC 1", `No SQL statement begins with "SELEC". Did you mean SELECT?`},
		{"SELECT 1; udpate log set line = 1", `No SQL statement begins with "udpate". Did you mean UPDATE?`},
		{"hlep", `No SQL statement begins with "hlep". Did you mean help?`},
		{"'selec'", `No SQL statement begins with "'selec'".`},
		{"SELECT SELECT", `The SQL does not read on from "SELECT". Look at what stands before it.`},
		{"SELECT 1 selec selec", `The SQL does not read on from "selec". Look at what stands before it.`},
		{"SELECT (1", "The SQL is not finished: something is missing at its end."},
		{"SELECT zebra(1)", `There is no function "zebra".`},
		{"SELECT abs()", "The function abs takes another number of arguments."},
		{"SELECT id FROM customers, orders", `More than one table has a column "id"; write TABLE.id.`},
		{"INSERT INTO customers (id, name) VALUES (1, 'x')", "customers already has a row with id 1, and id must be unique."},
		{"INSERT INTO customers (name, email) VALUES ('x', 'ada@x')", `customers already has a row with email "ada@x", and email must be unique.`},
		{"UPDATE customers SET email = 'bob@x' WHERE id = 1", `customers already has a row with email "bob@x", and email must be unique.`},
		{"INSERT INTO customers (age) VALUES (1)", "Every row of customers needs a value for name."},
		{"INSERT INTO orders (customer) VALUES (99)", "orders.customer is 99, and customers has no row with id 99."},
		{"CREATE TABLE log (a)", "There is a table log already. Drop it first, or choose another name."},
		{"DROP TABLE zebra", `There is no table "zebra". Tables are: adults, customers, log, orders, visits.`},
		{"INSERT INTO log VALUES (1, 2)", "The numbers differ: table log has columns 1, values given 2."},
		{"show customers", `No SQL statement begins with "show". This is a simple command; mode simple runs it.`},
		{"VACUUM; CREATE TABLE a (b); VACUUM", "VACUUM must be sent as a prompt of its own. Nothing of this prompt was kept."},
		{"SELECT ?", "The SQL has a parameter such as ? or :name. Write the value itself."},
		{"SELECT :a", "The SQL has a parameter such as ? or :name. Write the value itself."},
		{"SELECT x'1'", `"x'1'" is nothing that SQL knows.`},
		{"SELECT load_extension('x')", "This is not allowed here. A setting is changed by a PRAGMA that stands alone."},
		{"COMMIT", "There is no transaction to end with COMMIT. Send BEGIN first, in the same prompt."},
		{" ; -- nothing", "There is nothing to run. Write SQL, such as SELECT 1; help lists what else there is."},
	}
	for _, c := range cases {
		log := d.run(c.sql)
		if log.err == nil || log.err.Error() != c.says {
			t.Errorf("%s\n got %v\nwant %s", c.sql, log.err, c.says)
		}
	}
	if after := d.dump(); after != before {
		t.Errorf("the database changed:\n%s", after)
	}
	d.must("CREATE TABLE strict_one (a INTEGER) STRICT", "CREATE TABLE parts (of INTEGER REFERENCES customers)", "INSERT INTO parts VALUES (2)")
	for sql, says := range map[string]string{
		"INSERT INTO strict_one VALUES ('x')": "The column strict_one.a takes INTEGER values, and this one is TEXT.",
		"DELETE FROM customers WHERE id = 2":  "1 row of parts still refers to customers, such as of 2. Delete or change that first.",
	} {
		if err := d.run(sql).err; err == nil || err.Error() != says {
			t.Errorf("%s: got %v", sql, err)
		}
	}
}
