package playground

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"copydesk/core/session"
)

// snapshot is a folder as it is: names, bytes and times.
func snapshot(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := make(map[string]string)
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		content := ""
		if info.Mode().IsRegular() {
			b, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			content = string(b)
		}
		out[path] = info.Mode().String() + info.ModTime().String() + content
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// filled is the bytes of a good database.
func filled(t *testing.T) []byte {
	t.Helper()
	path := file(t, "good.db")
	a, err := Open(Options{Path: path, Go: spawn})
	if err != nil {
		t.Fatal(err)
	}
	d := &desk{t, a}
	d.must("create table customers with name text", "create table orders with what text")
	d.must("insert into customers (name) values ('" + strings.Repeat("x", 3000) + "')" + strings.Repeat(", ('"+strings.Repeat("y", 300)+"')", 40))
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestOpenRefusesAndLeavesTheFileAsItIs(t *testing.T) {
	good := filled(t)
	garbled := bytes.Clone(good)
	copy(garbled[4096:], bytes.Repeat([]byte{0xee}, 4096))
	cases := []struct {
		name, says string
		content    []byte
		mode       os.FileMode
	}{
		{"text", "is not an SQLite database", []byte(strings.Repeat("Dear diary, ", 40)), 0o600},
		{"short text", "is not an SQLite database", []byte("hello"), 0o600},
		{"one byte", "is not an SQLite database", []byte("x"), 0o600},
		{"cut header", "is damaged", good[:60], 0o600},
		{"cut in the middle", "is damaged", good[:len(good)-4096], 0o600},
		{"garbled page", "is damaged", garbled, 0o600},
		{"header only", "is damaged", append(bytes.Clone(good[:100]), bytes.Repeat([]byte{0}, 4000)...), 0o600},
		{"read-only", "is read-only", good, 0o400},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			path := file(t, "my notes?#%.db")
			if err := os.WriteFile(path, c.content, c.mode); err != nil {
				t.Fatal(err)
			}
			old := time.Date(2001, 2, 3, 4, 5, 6, 0, time.UTC)
			if err := os.Chtimes(path, old, old); err != nil {
				t.Fatal(err)
			}
			before := snapshot(t, filepath.Dir(path))
			a, err := Open(Options{Path: path, Go: spawn})
			if err == nil {
				a.Close()
				t.Fatal("opened")
			}
			for _, want := range []string{c.says, path, "--db"} {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("error %q does not say %q", err, want)
				}
			}
			after := snapshot(t, filepath.Dir(path))
			if len(after) != len(before) {
				t.Errorf("files appeared or went: %d before, %d after", len(before), len(after))
			}
			for name, was := range before {
				if after[name] != was {
					t.Errorf("%s changed", name)
				}
			}
		})
	}
}

func TestOpenRefusesALockedDatabase(t *testing.T) {
	good := filled(t)
	path := file(t, "busy.db")
	if err := os.WriteFile(path, good, 0o600); err != nil {
		t.Fatal(err)
	}
	other, err := connect(dsn(path, "mode=rw"), spawn)
	if err != nil {
		t.Fatal(err)
	}
	if err := other.exec(context.Background(), "BEGIN EXCLUSIVE"); err != nil {
		t.Fatal(err)
	}
	before := snapshot(t, filepath.Dir(path))
	_, err = Open(Options{Path: path, Go: spawn})
	if err == nil || err.Error() != "The database "+path+" is in use by another program. Another copydesk may be waiting for an answer there. "+
		"Give it, or close the other program, or name another file with --db." {
		t.Errorf("got %v", err)
	}
	if after := snapshot(t, filepath.Dir(path)); len(after) != len(before) || after[path] != before[path] {
		t.Error("the folder changed")
	}
	if err := other.exec(context.Background(), "ROLLBACK"); err != nil {
		t.Fatal(err)
	}
	if err := other.close(); err != nil {
		t.Fatal(err)
	}
	a, err := Open(Options{Path: path, Go: spawn})
	if err != nil {
		t.Fatalf("after the lock is gone: %v", err)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
}

// A desk that waits for an answer holds the right to write; another one can
// start and read meanwhile, and is told when it wants to write.
func TestOpenBesideADeskThatWaitsForAnAnswer(t *testing.T) {
	path := file(t, "shared.db")
	first := seeded(t, Options{Path: path})
	before := first.dump()
	asked := false
	for e, err := range first.a.Run(context.Background(), "delete from orders") {
		if err != nil {
			t.Fatal(err)
		}
		r, ok := e.(*session.Request)
		if !ok {
			continue
		}
		asked = true
		second := open(t, Options{Path: path})
		if got := second.must("show orders").shown(); !strings.Contains(got, "ink") {
			t.Errorf("got %s", got)
		}
		if log := second.run("insert into log line 'x'"); log.err == nil || !strings.Contains(log.err.Error(), "Another copydesk may be waiting for an answer there.") {
			t.Errorf("got %s", log.shown())
		}
		r.Reply <- no(r)
	}
	if !asked || first.dump() != before {
		t.Errorf("asked %v, and left %s", asked, first.dump())
	}
	first.must("insert into log line 'x'")
}

// What is read while another program writes says nothing of the file.
func TestOpenTakesNoChangingFileForDamaged(t *testing.T) {
	good := filled(t)
	path := file(t, "a.db")
	if err := os.WriteFile(path, good[:len(good)-4096], 0o600); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := checkPages(path, info); err == nil || !strings.Contains(err.Error(), "is damaged") {
		t.Fatalf("got %v", err)
	}
	later := info.ModTime().Add(time.Second)
	if err := os.Chtimes(path, later, later); err != nil {
		t.Fatal(err)
	}
	if err := checkPages(path, info); err != nil {
		t.Errorf("got %v", err)
	}
}

func TestOpenMakesAPrivateFileAndNoFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	path := filepath.Join(dir, "copydesk", "playground.db")
	_, err := Open(Options{Path: path, Go: spawn})
	if want := "There is no folder " + filepath.Dir(path) + " for the database playground.db. Make that folder, or name another file with --db."; err == nil || err.Error() != want {
		t.Errorf("got %v", err)
	}
	if _, err := os.Stat(dir); err == nil {
		t.Fatal("a folder was made")
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	open(t, Options{Path: path}).must("create table a with b text")
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("it has mode %v", info.Mode().Perm())
	}
}

func TestOpenTakesUpWhereItWas(t *testing.T) {
	path := file(t, "a b.db")
	a, err := Open(Options{Path: path, Go: spawn})
	if err != nil {
		t.Fatal(err)
	}
	(&desk{t, a}).must("create table a with b text", "insert into a b 'kept'")
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	d := open(t, Options{Path: path})
	if got := d.must("show a").shown(); !strings.Contains(got, "kept") {
		t.Errorf("got %s", got)
	}
}

func TestOpenSaysWhatIsWrong(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		o    Options
		says string
	}{
		{Options{Path: dir, Go: spawn}, "is a folder"},
		{Options{Go: spawn}, "No database file is named"},
		{Options{Path: Memory, Messages: "loud", Go: spawn}, "short or verbose"},
		{Options{Path: Memory}, "no way to start a goroutine"},
		{Options{Path: os.DevNull, Go: spawn}, "no regular file"},
	} {
		if _, err := Open(c.o); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%+v: got %v, want %q", c.o, err, c.says)
		}
	}
}
