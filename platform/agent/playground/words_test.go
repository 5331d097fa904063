package playground

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"copydesk/core/session"
	"copydesk/core/text"
)

func TestPLY2_Echo(t *testing.T) {
	d := open(t, Options{})
	check := func(tag string) {
		t.Helper()
		for input, want := range map[string]bool{
			"show tables": true, "SELECT 1": true, "export a to b": true, "import a from b": true, "more": true, "modern art": true,
			"": true, "helping": true, "mode": false, " MODE  advanced ": false, "mode\tsimple": false, "messages short": false, "help;": false, "help create": false,
		} {
			gotTag, got := d.a.Echo(input)
			if gotTag != tag || got != want {
				t.Errorf("%q: [%s] %v", input, gotTag, got)
			}
		}
	}
	check(simple)
	d.must("mode advanced")
	check(advanced)
	if d.a.Name() != "playground" {
		t.Error(d.a.Name())
	}
}

func TestR3_ModeAndMessages(t *testing.T) {
	d := open(t, Options{})
	for _, c := range []struct{ prompt, says string }{
		{"mode", "note: The mode is simple. mode advanced runs plain SQL."},
		{"mode ADVANCED", "note: The mode is advanced now. mode simple takes commands such as show tables."},
		{"messages", "note: Messages are short."},
		{"messages verbose", "note: Messages are verbose now."},
		{"mode simple;", "note: The mode is simple now. mode advanced runs plain SQL."},
		{"create table t with a", "sql: CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT)\nnote: Table t created with 2 columns.\n" +
			"note: A column id was added: SQLite numbers the rows of t in it."},
		{"messages short", "note: Messages are short now."},
		{"create table u with a", "sql: CREATE TABLE u (id INTEGER PRIMARY KEY, a TEXT)\nnote: Table u created with 2 columns."},
	} {
		if got := d.must(c.prompt).shown(); got != c.says {
			t.Errorf("%s\n got %s\nwant %s", c.prompt, got, c.says)
		}
	}
}

// The help's own examples have to work, from top to bottom.
func TestHelpExamplesRun(t *testing.T) {
	dir := t.TempDir()
	d := open(t, Options{Dir: dir})
	lines := strings.Split(overview(), "\n")
	for _, line := range lines[slices.Index(lines, "```")+1:] {
		if line == "```" {
			break
		}
		if log := d.run(line, destructiveAnswers(line)...); log.err != nil {
			t.Errorf("%s: %v", line, log.err)
		}
	}
	for _, p := range topics() {
		if p.word == "copy" || p.word == "messages" {
			continue
		}
		d := shop(t, Options{Dir: dir})
		switch p.word {
		case "create":
			d.run("drop table orders", yes)
		}
		if p.word == "import" {
			d.must("export customers to customers.csv", "create table other with a")
			d.run("delete from customers", yes)
		}
		if p.word == "export" {
			d.a.options.Dir = t.TempDir()
		}
		for _, line := range p.tries {
			if log := d.run(line, destructiveAnswers(line)...); log.err != nil {
				t.Errorf("help %s: %s: %v", p.word, line, log.err)
			}
		}
		if got := d.must("help " + p.word).shown(); !strings.Contains(got, p.says) {
			t.Errorf("help %s says %s", p.word, got)
		}
	}
}

func destructiveAnswers(line string) []answer {
	for _, w := range []string{"drop", "update", "delete"} {
		if strings.HasPrefix(line, w) {
			return []answer{yes}
		}
	}
	return nil
}

func TestPLY2_TheTurnsContentIsMarkdown(t *testing.T) {
	d := open(t, Options{})
	d.must("create table t with a_b text", `insert into t a_b "x|y *z* <i> \ _q_ a_b"`)
	got := d.must("show t").source()
	want := "```sql\nSELECT * FROM t\n```\n\n" +
		"| id | a_b |\n| ---: | --- |\n| 1 | x\\|y *z* <i> \\ _q_ a_b |\n\n1 row\n"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	d.must("mode advanced")
	if got, want := d.must("EXPLAIN QUERY PLAN SELECT * FROM t").source(), "```text\nQUERY PLAN\n└─ SCAN t\n```\n"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got, want := fence("sql", []string{"SELECT '```'"}), "````sql\nSELECT '```'\n````\n"; got != want {
		t.Errorf("got %q", got)
	}
}

// A copy of a table holds the data byte for byte, whatever the panel shows.
func TestPLY2_ACopiedTableIsExact(t *testing.T) {
	d := open(t, Options{})
	d.must("mode advanced")
	long := strings.Repeat("漢", cellBytes)
	for value, want := range map[string]string{
		"a\tb":            "a\tb",
		"\x1b[31m\x7f":    "\x1b[31m\x7f",
		"z\u200bw\u202e.": "z\u200bw\u202e.",
		"not \xff utf-8":  "not \xff utf-8",
		"one\ntwo\r\n\r.": "one<br>two<br><br>.",
		"a|b":             `a\|b`,
		`a\|b`:            `a\\\|b`,
		`\n and *this* `:  `\n and *this* `,
		long:              long,
	} {
		log := d.must("SELECT CAST(" + blobLiteral([]byte(value)) + " AS TEXT) AS v")
		if got := log.source(); got != "| v |\n| --- |\n| "+want+" |\n\n1 row\n" {
			t.Errorf("%q: got %q", value, got)
		}
		if lines := log.events[0].(session.Block).Lines; lines[3].Text != text.CleanLine(lines[3].Text) || strings.Contains(lines[3].Text, "\t") {
			t.Errorf("%q is shown as %q", value, lines[3].Text)
		}
	}
	if got := d.must("SELECT zeroblob(40) AS b").source(); !strings.Contains(got, "| x'"+strings.Repeat("00", 40)+"' |") {
		t.Errorf("got %s", got)
	}
}

func TestPLY2_MarkdownCellsCanBeReadBack(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		raw := rapid.StringMatching(`[a|\\\x00\x1b\t ]{0,12}`).Draw(r, "raw")
		var back strings.Builder
		slashes := 0
		for _, c := range markdownCell(raw) {
			switch {
			case c == '\\':
				slashes++
				continue
			case c == '|' && slashes%2 == 0:
				r.Fatalf("%q ends the cell too early", raw)
			case c == '|':
				slashes /= 2
			}
			back.WriteString(strings.Repeat(`\`, slashes) + string(c))
			slashes = 0
		}
		back.WriteString(strings.Repeat(`\`, slashes))
		if back.String() != raw {
			r.Fatalf("%q became %q", raw, back.String())
		}
	})
}

func TestPLY2_TablesAreDrawnWhole(t *testing.T) {
	d := open(t, Options{})
	d.must("mode advanced")
	got := d.must("SELECT 1 AS n, 'Ä漢👩‍🚀' AS \"wide ü\", NULL AS z, 1.0 AS r, x'00ff' AS b, 'two' || char(10) || 'lines' || char(9) || '.' AS t UNION ALL SELECT -20, '', 'x', 1e300, zeroblob(20), 'a'").shown()
	want := `┌─────┬────────┬──────┬────────┬─────────────────────────────────────────────────┬─────────────┐
│   n │ wide ü │ z    │      r │ b                                               │ t           │
├─────┼────────┼──────┼────────┼─────────────────────────────────────────────────┼─────────────┤
│   1 │ Ä漢👩‍🚀  │ NULL │    1.0 │ x'00ff'                                         │ two␊lines␉. │
│ -20 │        │ x    │ 1e+300 │ x'00000000000000000000000000000000…' (20 bytes) │ a           │
└─────┴────────┴──────┴────────┴─────────────────────────────────────────────────┴─────────────┘
2 rows`
	if diff := cmp.Diff(strings.Split(want, "\n"), strings.Split(got, "\n")); diff != "" {
		t.Error(diff)
	}
}

func TestPLY2_EveryTableIsARectangle(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		n := rapid.IntRange(1, 4).Draw(r, "columns")
		cell := rapid.OneOf(rapid.String(), rapid.StringMatching(`[漢é́👩‍🚀\t\n|\x1b\x{202e}a ]{0,80}`), rapid.Just(strings.Repeat("long ", 90)))
		names := rapid.SliceOfN(cell, n, n).Draw(r, "names")
		var rows []*cells
		for range rapid.IntRange(0, 3).Draw(r, "rows") {
			c := newCells(rapid.SliceOfN(cell, n, n).Draw(r, "row")...)
			for _, s := range c.text {
				if text.Width(s) > cellCells {
					r.Fatalf("%q is too wide", s)
				}
			}
			rows = append(rows, c)
		}
		b := tableBlock(names, rows, "")
		for _, l := range b.Lines {
			if text.Width(l.Text) != text.Width(b.Lines[0].Text) {
				r.Fatalf("the lines differ in width:\n%s\n%s", b.Lines[0].Text, l.Text)
			}
			if l.Text != text.CleanLine(l.Text) {
				r.Fatalf("%q is not clean", l.Text)
			}
			spans := 0
			for _, s := range l.Spans {
				spans += s.Len
			}
			if spans != len(l.Text) {
				r.Fatalf("%d bytes are styled of %d", spans, len(l.Text))
			}
		}
		if got := strings.Count(b.Source, "\n"); got != len(rows)+2 {
			r.Fatalf("the Markdown has %d lines:\n%s", got, b.Source)
		}
	})
}

func TestLongValuesAreCutAndSaidToBe(t *testing.T) {
	d := open(t, Options{})
	d.must("create table t with a text, b text", "insert into t a '"+strings.Repeat("long ", 100)+"', b 'x'")
	log := d.must("show t")
	if got := log.shown(); !strings.Contains(got, "…") ||
		!strings.Contains(got, "note: Column a is cut at 200 cells in 1 row. `/copy` takes it whole; ask for that one value alone to see it whole.") {
		t.Errorf("got %s", got)
	}
	if got := log.source(); !strings.Contains(got, "| 1 | "+strings.Repeat("long ", 100)+" | x |\n") {
		t.Errorf("the copy is %s", got)
	}
	if got := d.must("show a from t").shown(); strings.Contains(got, "…") || strings.Contains(got, "note:") {
		t.Errorf("got %s", got)
	}
}

func TestPLY2_Plans(t *testing.T) {
	d := seeded(t, Options{})
	d.must("mode advanced")
	log := d.must("EXPLAIN QUERY PLAN SELECT * FROM customers WHERE id IN (SELECT customer FROM orders UNION SELECT 1) ORDER BY name")
	b := log.events[0].(session.Block)
	want := `QUERY PLAN
├─ SEARCH customers USING INTEGER PRIMARY KEY (rowid=?)
├─ LIST SUBQUERY 2
│  └─ MERGE (UNION)
│     ├─ LEFT
│     │  ├─ SCAN orders
│     │  └─ USE TEMP B-TREE FOR ORDER BY
│     └─ RIGHT
│        └─ SCAN CONSTANT ROW
└─ USE TEMP B-TREE FOR ORDER BY`
	if diff := cmp.Diff(want, log.shown()); diff != "" || b.Kind != session.PlanBlock {
		t.Error(diff)
	}
	styles := map[string]text.Style{}
	at := 0
	for _, s := range b.Lines[1].Spans {
		styles[b.Lines[1].Text[at:at+s.Len]] = s.Style
		at += s.Len
	}
	for word, style := range map[string]text.Style{"├─ ": text.Border, "SEARCH": text.Success, "customers": text.TypeName, "USING": text.Keyword} {
		if styles[word] != style {
			t.Errorf("%s has the style %v", word, styles[word])
		}
	}
}

func TestDescribe(t *testing.T) {
	d := shop(t, Options{})
	d.must("add column paid yes-no default no to orders")
	want := `sql: PRAGMA table_xinfo(orders)
┌──────────┬────────┬───────────────────────────────────────────┐
│ column   │ type   │ rules                                     │
├──────────┼────────┼───────────────────────────────────────────┤
│ id       │ int    │ primary key, numbered by SQLite           │
│ what     │ text   │                                           │
│ customer │ int    │ refers to customers(id) on delete cascade │
│ paid     │ yes-no │ default 0                                 │
└──────────┴────────┴───────────────────────────────────────────┘
4 columns`
	if diff := cmp.Diff(want, d.must("describe orders").shown()); diff != "" {
		t.Error(diff)
	}
	if got := d.must("describe customers").shown(); !strings.Contains(got, "│ email  │ text │ unique ") {
		t.Errorf("got %s", got)
	}
	if got := d.must("show tables").shown(); !strings.Contains(got, "│ orders    │ table │       4 │") {
		t.Errorf("got %s", got)
	}
}

func BenchmarkPage(b *testing.B) {
	d := open(b, Options{})
	d.must("mode advanced")
	b.ReportAllocs()
	for b.Loop() {
		d.must("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i, 'name ' || i AS name, i * 1.5 AS price FROM n")
	}
}
