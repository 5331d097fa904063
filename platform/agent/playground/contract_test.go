package playground

import (
	"context"
	"strings"
	"testing"
	"time"

	"copydesk/core/session"
)

// prompts reach every kind of event: teaching, table, note, request, text,
// error.
func contractPrompts() []destructive {
	out := append(destructives(),
		destructive{mode: simple, prompt: "help"}, destructive{mode: simple, prompt: "mode"},
		destructive{mode: simple, prompt: "show tables"}, destructive{mode: simple, prompt: "describe orders"},
		destructive{mode: simple, prompt: "insert into customers"}, destructive{mode: simple, prompt: "show custmers"},
		destructive{mode: simple, prompt: "insert into customers name 'x'"}, destructive{mode: simple, prompt: "create table x with y"},
		destructive{mode: simple, prompt: "nonsense"},
		destructive{mode: advanced, prompt: "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n"},
		destructive{mode: advanced, prompt: "INSERT INTO log VALUES ('1'); SELECT 1; SELECT 2; INSERT INTO log VALUES ('2')"},
		destructive{mode: advanced, prompt: "EXPLAIN QUERY PLAN SELECT * FROM orders"},
	)
	return out
}

func TestREQ2_StoppingAtAnyEventLeavesNothingHalfDone(t *testing.T) {
	d := seeded(t, Options{})
	for _, c := range contractPrompts() {
		d.must("mode " + c.mode)
		for stop := 0; ; stop++ {
			before := d.dump()
			n, closed, asked := 0, false, false
			for e, err := range d.a.Run(context.Background(), c.prompt) {
				if closed {
					t.Fatalf("%s went on after the stop", c.prompt)
				}
				r, ok := e.(*session.Request)
				if n == stop {
					closed, asked = true, ok
					break
				}
				n++
				if ok && err == nil {
					r.Reply <- auto(r)
				}
			}
			if d.a.db.open {
				t.Fatalf("%s, stopped at %d, left a transaction open", c.prompt, stop)
			}
			if closed && d.a.result != nil {
				t.Fatalf("%s, stopped at %d, left a result open", c.prompt, stop)
			}
			// The database takes writes, and readers of other connections see them.
			if err := d.a.db.exec(context.Background(), "BEGIN IMMEDIATE; ROLLBACK"); err != nil {
				t.Fatalf("%s, stopped at %d: %v", c.prompt, stop, err)
			}
			if !closed {
				d = seeded(t, Options{})
				break
			}
			if asked && d.dump() != before {
				t.Fatalf("%s, stopped at its request %d, changed the database", c.prompt, stop)
			}
		}
	}
}

func TestREQ2_CancelWhileTheUserThinks(t *testing.T) {
	d := seeded(t, Options{})
	before := d.dump()
	for _, c := range destructives() {
		d.must("mode " + c.mode)
		ctx, cancel := context.WithCancel(context.Background())
		asked := 0
		for e, err := range d.a.Run(ctx, c.prompt) {
			if _, ok := e.(*session.Request); ok {
				asked++
				cancel()
			} else if err == nil {
				t.Errorf("%s went on with %T", c.prompt, e)
			}
		}
		cancel()
		if c.request != "error" && asked != 1 {
			t.Errorf("%s asked %d times", c.prompt, asked)
		}
		if d.a.db.open || d.dump() != before {
			t.Errorf("%s left something behind", c.prompt)
		}
	}
}

// forEver never ends; the rows that it gives come at once.
const forEver = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n"

func TestPLY4_LongStatementsCanBeCancelled(t *testing.T) {
	d := seeded(t, Options{})
	d.must("mode advanced")
	before := d.dump()
	for name, sql := range map[string]string{
		"first row":   forEver + " WHERE i < 0",
		"later row":   forEver + " WHERE i < 3 OR i < 0",
		"write":       "INSERT INTO log " + forEver,
		"count":       "SELECT count(*) FROM (" + forEver + ")",
		"date column": "SELECT customer, line FROM orders, log, (" + forEver + ") WHERE i < 0",
		"returning":   "INSERT INTO log " + forEver + " WHERE i < 0 RETURNING *",
	} {
		ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
		start := time.Now()
		log := d.runCtx(ctx, sql)
		cancel()
		if took := time.Since(start); took > time.Second {
			t.Errorf("%s: cancelled after %v", name, took)
		}
		if log.err != nil || len(log.events) > 0 {
			t.Errorf("%s: %s", name, log.shown())
		}
		if d.dump() != before {
			t.Errorf("%s changed the database", name)
		}
	}
	if got := d.must("SELECT 1 AS one").shown(); !strings.Contains(got, "1 row") {
		t.Errorf("afterwards: %s", got)
	}
}

func TestPLY4_ResultsArePaged(t *testing.T) {
	d := open(t, Options{})
	d.must("mode advanced")
	log := d.must(forEver)
	first := log.events[0].(session.Block)
	if n := len(first.Lines); n != 3+pageRows+2 {
		t.Errorf("%d lines", n)
	}
	if got := first.Lines[len(first.Lines)-1].Text; got != "200 rows shown" {
		t.Errorf("the first page ends with %s", got)
	}
	if want := "There are more rows. `more` shows the next 200."; log.events[1] != (session.Notice{Text: want}) {
		t.Errorf("got %v", log.events[1])
	}
	if d.a.db.open {
		t.Error("a transaction is open")
	}
	log = d.must("more")
	second := log.events[0].(session.Block)
	if got := second.Lines[3].Text; got != "│ 201 │" {
		t.Errorf("the second page starts with %s", got)
	}
	if got := second.Lines[len(second.Lines)-1].Text; got != "400 rows shown" {
		t.Errorf("the second page ends with %s", got)
	}
	d.must("mode", "help", "messages")
	if log = d.must("more"); !strings.Contains(log.shown(), "│ 600 │") {
		t.Error("the words for the program closed the result")
	}
	d.must("SELECT 1")
	if log = d.run("more"); log.err == nil {
		t.Error("another statement left the result open")
	}
}

func TestPLY4_TheLastPageClosesTheResult(t *testing.T) {
	d := open(t, Options{})
	d.must("mode advanced", "CREATE TABLE t (a)", "INSERT INTO t "+strings.Replace(forEver, "SELECT i FROM n", "SELECT i FROM n LIMIT 250", 1))
	for _, q := range []struct {
		rows  string
		pages []int
	}{{"0", []int{0}}, {"199", []int{199}}, {"200", []int{200}}, {"201", []int{200, 1}}, {"250", []int{200, 50}}} {
		log := d.must("SELECT a FROM t LIMIT " + q.rows)
		for i, want := range q.pages {
			if i > 0 {
				log = d.must("more")
			}
			if got := len(log.events[0].(session.Block).Lines) - 5; got != want {
				t.Errorf("%s rows: page %d has %d", q.rows, i, got)
			}
		}
		if d.a.result != nil {
			t.Errorf("%s rows: the result is open", q.rows)
		}
	}
	// A page is cut from the middle of a prompt and from RETURNING too.
	if log := d.must("SELECT a FROM t; SELECT 1"); !strings.Contains(log.shown(), "as the last one of a prompt") || d.a.result != nil {
		t.Errorf("got %s", log.shown())
	}
	if log := d.must("INSERT INTO t SELECT a FROM t RETURNING a"); !strings.Contains(log.shown(), "250 rows inserted into t.") || d.a.result != nil {
		t.Errorf("got %s", log.shown())
	}
	// A write after an open result, in the same prompt and in the next one.
	d.must("INSERT INTO t VALUES (0); SELECT a FROM t")
	if d.a.result == nil {
		t.Error("no result is open")
	}
	d.must("INSERT INTO t VALUES (0)", "SELECT a FROM t")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if log := d.runCtx(ctx, "more"); log.err != nil || len(log.events) > 0 || d.a.result != nil {
		t.Errorf("got %s", log.shown())
	}
}

func TestPLY4_LongRowsMakeShortPages(t *testing.T) {
	d := open(t, Options{})
	d.must("mode advanced")
	log := d.must(strings.Replace(forEver, "SELECT i FROM n", "SELECT i, printf('%.*c', 1000000, 'x') AS x FROM n LIMIT 20", 1))
	if n := len(log.source()); n > pageBytes+pageBytes/8 || n < pageBytes/2 {
		t.Errorf("a page has %d bytes", n)
	}
	if got := log.shown(); !strings.Contains(got, "8 rows shown\n") || !strings.Contains(got, "note: There are more rows. They are long, so a page holds fewer; `more` shows the next ones.") {
		t.Errorf("got %s", got[max(0, len(got)-400):])
	}
	for _, rows := range []string{"16 rows shown\n", "20 rows\n"} {
		if got := d.must("more").shown(); !strings.Contains(got, rows) {
			t.Errorf("got %s", got[max(0, len(got)-400):])
		}
	}
}

func TestAnotherProgramHoldsTheDatabase(t *testing.T) {
	path := file(t, "shared.db")
	d := seeded(t, Options{Path: path})
	other, err := connect(dsn(path, "mode=rw"), spawn)
	if err != nil {
		t.Fatal(err)
	}
	defer other.close()
	if err := other.exec(context.Background(), "BEGIN EXCLUSIVE"); err != nil {
		t.Fatal(err)
	}
	log := d.run("insert into log line 'x'")
	want := "The database " + path + " is in use by another program. Another copydesk may be waiting for an answer there. Try again when that is done."
	if log.err == nil || log.err.Error() != want {
		t.Errorf("got %s", log.shown())
	}
	if err := other.exec(context.Background(), "ROLLBACK"); err != nil {
		t.Fatal(err)
	}
	d.must("insert into log line 'x'")
}
