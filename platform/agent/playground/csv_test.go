package playground

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"copydesk/core/session"
)

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestPLY1_Export(t *testing.T) {
	dir := t.TempDir()
	d := shop(t, Options{Dir: dir})
	path := filepath.Join(dir, "customers.csv")
	want := "id,name,age,email\n1,Ada,36,ada@x\n2,Bob,41,bob@x\n3,Cleo,,\n"
	log := d.must(`export customers to "customers.csv"`)
	if got := "sql: SELECT * FROM customers\nnote: 3 rows exported to " + path + "."; log.shown() != got {
		t.Errorf("got %s", log.shown())
	}
	if got := read(t, path); got != want {
		t.Errorf("got %s", got)
	}
	write(t, path, "precious")
	log = d.run("export customers to customers.csv", no)
	if read(t, path) != "precious" || log.err != nil {
		t.Errorf("got %s", log.shown())
	}
	if got := `ask: Replace the file customers.csv?
  File: ` + path + `
  Size: 8 bytes
  Table: customers
  Rows: 3
  [Replace the file]
  [Keep it]`; log.shown() != got {
		t.Errorf("got %s", log.shown())
	}
	ctx, cancel := context.WithCancel(context.Background())
	for e := range d.a.Run(ctx, "export customers") {
		if _, ok := e.(*session.Request); ok {
			cancel()
		}
	}
	cancel()
	if read(t, path) != "precious" {
		t.Error("a cancelled export replaced the file")
	}
	d.must("mode advanced")
	if log = d.run("export customers", yes); log.err != nil || read(t, path) != want {
		t.Errorf("got %s", log.shown())
	}
	for prompt, says := range map[string]string{
		"export customers to '.'":           "is no regular file",
		"export customers to 'no/such.csv'": "cannot be written",
		"export zebras to 'z.csv'":          "There is no table",
	} {
		if err := d.run(prompt).err; err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", prompt, err)
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
}

func TestExportNeverReplacesTheDatabase(t *testing.T) {
	path := file(t, "own.db")
	d := open(t, Options{Path: path})
	d.must("create table t with a")
	link := filepath.Join(filepath.Dir(path), "link.csv")
	if err := os.Symlink(path, link); err != nil {
		t.Skip(err)
	}
	for _, name := range []string{path, link} {
		if log := d.run("export t to '" + name + "'"); log.err == nil || !strings.Contains(log.err.Error(), "the database itself") {
			t.Errorf("got %s", log.shown())
		}
	}
}

func TestPLY1_Import(t *testing.T) {
	dir := t.TempDir()
	d := shop(t, Options{Dir: dir})
	write(t, filepath.Join(dir, "more.csv"), "\ufeffNAME, age\r\n\"Dan, Jr.\",7\r\nEve,\r\n")
	log := d.must("import customers from more.csv")
	if want := "sql: INSERT INTO customers (name, age) VALUES (?, ?)\nnote: 2 rows imported into customers from " +
		filepath.Join(dir, "more.csv") + "."; log.shown() != want {
		t.Errorf("got %s", log.shown())
	}
	if got := d.values("SELECT name, age FROM customers WHERE id > 3"); len(got) != 2 || got[0][0] != "Dan, Jr." || got[0][1] != int64(7) || got[1][1] != nil {
		t.Errorf("got %v", got)
	}
	write(t, filepath.Join(dir, "new.csv"), "city,people\nBern,130000\n")
	d.must("import cities from 'new.csv'")
	if got := d.values("SELECT id, city, people FROM cities"); len(got) != 1 || got[0][1] != "Bern" {
		t.Errorf("got %v", got)
	}
	write(t, filepath.Join(dir, "slip.csv"), "nmae\nFay\n")
	if log := d.run("import customers from slip.csv", pick(0)); log.err != nil {
		t.Errorf("got %s", log.shown())
	}
	if log := d.run("import custmers from slip.csv", pick(1)); log.err != nil || d.a.known.table("custmers") == nil {
		t.Errorf("got %s", log.shown())
	}
	before := d.dump()
	for content, says := range map[string]string{
		"":                           "is empty",
		"name,\nx,y\n":               "has no name",
		"name,name\nx,y\n":           "is twice",
		"zebra\nx\n":                 "no column",
		"name\nx\ny,z\n":             "cannot be read as CSV",
		"name,email\nx,q\ny,ada@x\n": "Line 3 of",
	} {
		write(t, filepath.Join(dir, "bad.csv"), content)
		log := d.run("import customers from bad.csv")
		if log.err == nil || !strings.Contains(log.err.Error(), says) {
			t.Errorf("%q: %v", content, log.err)
		}
		if d.dump() != before {
			t.Fatalf("%q changed the database", content)
		}
	}
	if err := d.run("import customers from 'nowhere.csv'").err; err == nil || !strings.Contains(err.Error(), "cannot be read") {
		t.Error(err)
	}
}

func TestCSVRoundTrip(t *testing.T) {
	dir := t.TempDir()
	d := open(t, Options{Dir: dir})
	d.must("create table t with a text required, b text required")
	path := filepath.Join(dir, "t.csv")
	rapid.Check(t, func(r *rapid.T) {
		ctx := context.Background()
		cell := rapid.StringMatching(`[a-z"',;é\n\\ 0-9#]{0,8}`)
		if err := d.a.db.exec(ctx, "DELETE FROM t"); err != nil {
			r.Fatal(err)
		}
		for range rapid.IntRange(0, 4).Draw(r, "rows") {
			if err := d.a.db.exec(ctx, "INSERT INTO t (a, b) VALUES (?, ?)", cell.Draw(r, "a"), cell.Draw(r, "b")); err != nil {
				r.Fatal(err)
			}
		}
		before := d.dump()
		_ = os.Remove(path)
		if log := d.run("export t"); log.err != nil {
			r.Fatal(log.err)
		}
		if err := d.a.db.exec(ctx, "DELETE FROM t"); err != nil {
			r.Fatal(err)
		}
		if log := d.run("import t from t.csv"); log.err != nil {
			r.Fatal(log.err)
		}
		if after := d.dump(); after != before {
			r.Fatalf("out\n%s\nand in again\n%s", before, after)
		}
	})
}
