package playground

import (
	"context"
	"os"
	"strings"
	"testing"

	"copydesk/core/session"
)

// seed is what the destructive prompts below are tried on.
const seed = `
	CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT NOT NULL, age INTEGER, email TEXT UNIQUE);
	CREATE TABLE orders (id INTEGER PRIMARY KEY, what TEXT, customer INTEGER REFERENCES customers ON DELETE CASCADE);
	CREATE TABLE visits (id INTEGER PRIMARY KEY, customer INTEGER REFERENCES customers ON DELETE SET NULL);
	CREATE TABLE log (line TEXT);
	CREATE VIEW adults AS SELECT * FROM customers WHERE age > 17;
	CREATE INDEX by_age ON customers (age);
	CREATE TRIGGER tidy AFTER INSERT ON log WHEN new.line = 'tidy' BEGIN DELETE FROM log WHERE line <> 'tidy'; END;
	INSERT INTO customers VALUES (1, 'Ada', 36, 'ada@x'), (2, 'Bob', 41, 'bob@x'), (3, 'Cleo', NULL, NULL);
	INSERT INTO orders (what, customer) VALUES ('ink', 1), ('pen', 1), ('cup', 2);
	INSERT INTO visits (customer) VALUES (1), (3);
	INSERT INTO log VALUES ('a'), ('b');`

func seeded(t testing.TB, o Options) *desk {
	t.Helper()
	d := open(t, o)
	if err := d.a.db.exec(context.Background(), seed); err != nil {
		t.Fatal(err)
	}
	d.a.learn()
	return d
}

// A destructive prompt and the request that it has to make.
type destructive struct {
	mode, prompt, request string
}

func destructives() []destructive {
	return []destructive{
		{simple, "drop table customers", `ask: Drop the table customers and its 3 rows?
  Statement: DROP TABLE customers
  Table: customers
  Rows: 3
  orders (by cascade or trigger): 3
  visits (changed by cascade or trigger): 2
  [Drop customers and its 3 rows]
  [Keep it]`},
		{simple, "delete from customers where name = Ada", `ask: Delete 1 row of customers, and with that delete 2 rows of orders?
  Statement: DELETE FROM customers WHERE name = 'Ada'
  Table: customers
  Rows: 1
  orders (by cascade or trigger): 2
  visits (changed by cascade or trigger): 1
  [Delete 1 row of customers and 2 rows of orders]
  [Keep them]`},
		{simple, "update customers set age age + 1 where age > 1", `ask: Change 2 rows of customers?
  Statement: UPDATE customers SET age = age + 1 WHERE age > 1
  Table: customers
  Rows: 2
  [Change 2 rows of customers]
  [Leave them as they are]`},
		{simple, "drop column email from orders", "error"},
		{simple, "drop column what from orders", `ask: Drop the column what of orders with its values in 3 rows?
  Statement: ALTER TABLE orders DROP COLUMN what
  Table: orders
  Rows: 3
  [Drop what from 3 rows]
  [Keep it]`},
		{advanced, "DELETE FROM orders", `ask: Delete 3 rows of orders?
  Statement: DELETE FROM orders
  Table: orders
  Rows: 3
  [Delete 3 rows of orders]
  [Keep them]`},
		{advanced, "DELETE FROM orders RETURNING what", `ask: Delete 3 rows of orders?
  Statement: DELETE FROM orders RETURNING what
  Table: orders
  Rows: 3
  [Delete 3 rows of orders]
  [Keep them]`},
		{advanced, "WITH o AS (SELECT 1 AS id) UPDATE orders SET what = '' WHERE id IN (SELECT id FROM o)", `ask: Change 1 row of orders?
  Statement: WITH o AS (SELECT 1 AS id) UPDATE orders SET what = '' WHERE id IN (SELECT id FROM o)
  Table: orders
  Rows: 1
  [Change 1 row of orders]
  [Leave it as it is]`},
		{advanced, "REPLACE INTO orders VALUES (1, 'new', 2)", `ask: Replace 1 row of orders?
  Statement: REPLACE INTO orders VALUES (1, 'new', 2)
  Table: orders
  Rows: 1
  [Replace 1 row of orders]
  [Keep it]`},
		{advanced, "INSERT OR REPLACE INTO visits (id, customer) VALUES (2, 1), (9, 1)", `ask: Replace 1 row of visits?
  Statement: INSERT OR REPLACE INTO visits (id, customer) VALUES (2, 1), (9, 1)
  Table: visits
  Rows: 1
  [Replace 1 row of visits]
  [Keep it]`},
		{advanced, "INSERT INTO customers (id, name) VALUES (1, 'x') ON CONFLICT DO UPDATE SET name = 'x'", `ask: Change 1 row of customers?
  Statement: INSERT INTO customers (id, name) VALUES (1, 'x') ON CONFLICT DO UPDATE SET name = 'x'
  Table: customers
  Rows: 1
  [Change 1 row of customers]
  [Leave it as it is]`},
		{advanced, "INSERT INTO log VALUES ('tidy')", `ask: Insert 1 row into log, and with that delete 2 rows of log?
  Statement: INSERT INTO log VALUES ('tidy')
  Table: log
  Rows: 1
  log (by cascade or trigger): 2
  [Insert 1 row into log, and with that delete 2 rows of log]
  [Insert nothing]`},
		{advanced, "ALTER TABLE orders DROP what", `ask: Drop the column what of orders with its values in 3 rows?
  Statement: ALTER TABLE orders DROP what
  Table: orders
  Rows: 3
  [Drop what from 3 rows]
  [Keep it]`},
		{advanced, "INSERT INTO log VALUES ('c'); DROP VIEW adults", `ask: Drop the view adults?
  Statement: DROP VIEW adults
  [Drop the view adults]
  [Keep it]`},
		{advanced, "DROP INDEX by_age", `ask: Drop the index by_age?
  Statement: DROP INDEX by_age
  [Drop the index by_age]
  [Keep it]`},
		{advanced, "DROP TRIGGER tidy", `ask: Drop the trigger tidy?
  Statement: DROP TRIGGER tidy
  [Drop the trigger tidy]
  [Keep it]`},
		{advanced, "BEGIN; DELETE FROM log; COMMIT", `ask: Delete 2 rows of log?
  Statement: DELETE FROM log
  Table: log
  Rows: 2
  [Delete 2 rows of log]
  [Keep them]`},
		{advanced, "PRAGMA foreign_keys = OFF", `ask: Change a setting of the database?
  Statement: PRAGMA foreign_keys = OFF
  [Change the setting]
  [Leave it as it is]`},
	}
}

func TestPLY3_RejectionRollsBack(t *testing.T) {
	d := seeded(t, Options{})
	before := d.dump()
	for _, c := range destructives() {
		d.must("mode " + c.mode)
		if c.request == "error" {
			if log := d.run(c.prompt); log.err == nil || len(log.requests) > 0 {
				t.Errorf("%s: %s", c.prompt, log.shown())
			}
			continue
		}
		log := d.run(c.prompt, no)
		if log.err != nil {
			t.Errorf("%s: %v", c.prompt, log.err)
		}
		if log.shown() != c.request {
			t.Errorf("%s\n got %s\nwant %s", c.prompt, log.shown(), c.request)
		}
		if after := d.dump(); after != before {
			t.Errorf("%s changed the database:\n%s", c.prompt, after)
		}
	}
	if fk := d.values("PRAGMA foreign_keys")[0][0]; fk != int64(1) {
		t.Errorf("foreign_keys is %v", fk)
	}
}

func TestPLY3_ApprovalIsObeyed(t *testing.T) {
	for _, c := range destructives() {
		if c.request == "error" {
			continue
		}
		d := seeded(t, Options{})
		before := d.dump()
		d.must("mode " + c.mode)
		log := d.run(c.prompt, yes)
		if log.err != nil {
			t.Errorf("%s: %v", c.prompt, log.err)
		}
		if d.dump() == before && !strings.HasPrefix(c.prompt, "PRAGMA") {
			t.Errorf("%s changed nothing: %s", c.prompt, log.shown())
		}
	}
}

func TestREQ2_OnlyApproveApproves(t *testing.T) {
	d := seeded(t, Options{})
	before := d.dump()
	for _, a := range []session.Answer{
		{}, {Verdict: session.Reject}, {Verdict: session.Reject, Reason: "no"}, {Verdict: session.Chosen, Value: "Drop orders and its 3 rows"},
		{Verdict: session.Entered, Value: "approve"}, {Verdict: session.Verdict(99)},
	} {
		log := d.run("drop table orders", func(*session.Request) session.Answer { return a })
		if log.err != nil || len(log.events) != 1 {
			t.Errorf("%+v: %s", a, log.shown())
		}
	}
	for _, a := range []session.Answer{
		{}, {Verdict: session.Approve}, {Verdict: session.Chosen, Index: 1, Value: "orders"}, {Verdict: session.Chosen, Index: -1},
		{Verdict: session.Chosen, Index: 0, Value: "other"}, {Verdict: session.Entered, Value: "orders"},
	} {
		log := d.run("drop table ordres", func(*session.Request) session.Answer { return a })
		if log.err != nil || len(log.events) != 1 {
			t.Errorf("%+v: %s", a, log.shown())
		}
	}
	for _, a := range []session.Answer{{}, {Verdict: session.Approve}, {Verdict: session.Entered}, {Verdict: session.Chosen, Value: "x"}} {
		log := d.run("insert into customers age 1", func(*session.Request) session.Answer { return a })
		if log.err != nil || len(log.events) != 1 {
			t.Errorf("%+v: %s", a, log.shown())
		}
	}
	if after := d.dump(); after != before {
		t.Errorf("the database changed:\n%s", after)
	}
}

func TestNothingToDestroyNeedsNoApproval(t *testing.T) {
	d := open(t, Options{})
	d.must("create table t with a text")
	for _, c := range []struct{ prompt, says string }{
		{"delete from t", "No row matches, so nothing changed and no approval was needed."},
		{"update t set a 1 where id = 9", "No row matches, so nothing changed and no approval was needed."},
		{"insert into t a 'x'", "1 row inserted into t (id 1)."},
		{"add column b int to t", "Column b added to t."},
		{"rename column b to c in t", "Column c"},
		{"rename table t to u", "Table t is now u."},
		{"create table e with a", "Table e created with 2 columns."},
		{"drop column a from e", "Column a dropped. The table was empty, so no approval was needed."},
		{"drop table e", "Table e dropped. It was empty, so no approval was needed."},
	} {
		log := d.must(c.prompt)
		want := strings.Replace(c.says, "Column c", "Column b of t is now c.", 1)
		if got := log.shown(); !strings.HasSuffix(got, "\nnote: "+want) {
			t.Errorf("%s: %s, want %s", c.prompt, got, want)
		}
	}
}

func TestPLY3_AllOfAPromptOrNothing(t *testing.T) {
	d := seeded(t, Options{})
	d.must("mode advanced")
	before := d.dump()
	log := d.run("INSERT INTO log VALUES ('x'); SELECT count(*) FROM log; INSERT INTO zebras VALUES (1)")
	if want := `error: There is no table "zebras". Tables are: adults, customers, log, orders, visits. Nothing of this prompt was kept.`; log.shown() != want {
		t.Errorf("got %s", log.shown())
	}
	log = d.run("DELETE FROM log; DELETE FROM orders", yes, no)
	if len(log.requests) != 2 || len(log.events) != 2 {
		t.Errorf("got %s", log.shown())
	}
	if after := d.dump(); after != before {
		t.Errorf("the database changed:\n%s", after)
	}
	for i, r := range log.requests {
		last := r.Fields[len(r.Fields)-1]
		says := last == session.Field{Name: "If you reject", Value: "Nothing of this prompt is kept, also not what you approved before."}
		if says != (i > 0) {
			t.Errorf("request %d ends with %+v", i, last)
		}
	}
	log = d.run("BEGIN; INSERT INTO log VALUES ('y'); ROLLBACK; INSERT INTO log VALUES ('z'); SELECT group_concat(line) AS l FROM log")
	if got := log.shown(); !strings.Contains(got, "a,b,z") || log.err != nil {
		t.Errorf("got %s", got)
	}
	log = d.run("BEGIN; INSERT INTO log VALUES ('q')")
	if log.err == nil || strings.Contains(d.dump(), `"q"`) {
		t.Errorf("got %s", log.shown())
	}
}

func TestFilesAreAskedAbout(t *testing.T) {
	d := seeded(t, Options{Path: file(t, "a.db")})
	d.must("mode advanced")
	other := file(t, "other.db")
	for _, sql := range []string{"EXPLAIN PRAGMA foreign_keys = OFF", "EXPLAIN QUERY PLAN PRAGMA foreign_keys = OFF"} {
		if log := d.run(sql); log.err == nil || d.values("PRAGMA foreign_keys")[0][0] != int64(1) {
			t.Errorf("%s: %s", sql, log.shown())
		}
	}
	for _, sql := range []string{"ATTACH " + quoteText(other) + " AS o", "VACUUM INTO " + quoteText(other), "PRAGMA journal_mode = OFF"} {
		if log := d.run(sql, no); len(log.requests) != 1 || log.err != nil {
			t.Errorf("%s: %s", sql, log.shown())
		}
		if _, err := os.Stat(other); err == nil {
			t.Fatalf("%s made the file", sql)
		}
	}
	d.run("PRAGMA writable_schema = ON", yes)
	before := d.dump()
	if log := d.run("UPDATE sqlite_schema SET sql = ''"); log.err == nil {
		t.Errorf("got %s", log.shown())
	}
	if d.dump() != before {
		t.Error("the schema changed")
	}
	d.run("ATTACH "+quoteText(other)+" AS o", yes)
	d.must("CREATE TABLE o.x AS SELECT 1 AS a")
	log := d.run("ATTACH "+quoteText(file(t, "third.db"))+" AS p; DELETE FROM o.x; DELETE FROM log", yes, yes, no)
	if got := log.shown(); !strings.Contains(got, "If you reject: No change to tables and rows is kept, also not what you approved before.") ||
		strings.Count(got, "If you reject") != 1 {
		t.Errorf("got %s", got)
	}
	if log := d.run("DROP TABLE o.x", no); len(log.requests) != 1 || log.requests[0].Fields[2].Value != "1" {
		t.Errorf("got %s", log.shown())
	}
	if log := d.run("DELETE FROM o.x", no); len(log.requests) != 1 {
		t.Errorf("got %s", log.shown())
	}
}
