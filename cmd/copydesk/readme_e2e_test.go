//go:build e2e

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"copydesk/ui/uitest"
)

// TestE2E_TheReadmeShowsTheRealScreen plays the first minute and compares the
// screen with the one in the README; -update writes it there.
func TestE2E_TheReadmeShowsTheRealScreen(t *testing.T) {
	d := startDesktop(t, 96, 28, "", "--db", "~/shop.db")
	d.line("create table customers with name text, age int")
	d.shows("created")
	d.line(`insert into customers (name, age) values ("Ada", 36), ("Bob", 41), ("Cleo", 29)`)
	d.shows("3 rows inserted")
	d.line("show customers where age > 30")
	d.shows("2 rows")
	d.line("drop table customers")
	waitActive(d)
	screen := d.shows("[a] Approve")
	var rows []string
	for _, row := range strings.Split(strings.TrimRight(screen, "\n"), "\n") {
		rows = append(rows, strings.TrimRight("    "+row, " "))
	}
	want := "\n" + strings.Join(rows, "\n") + "\n\n"

	const begin, end = "<!-- screen: begin -->\n", "<!-- screen: end -->"
	path := filepath.Join("..", "..", "README.md")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, opened := strings.Cut(string(data), begin)
	have, after, closed := strings.Cut(rest, end)
	switch {
	case !opened || !closed:
		t.Fatalf("README.md has no part from %q to %q", begin, end)
	case uitest.Updating():
		if err := os.WriteFile(path, []byte(before+begin+want+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
	case have != want:
		t.Errorf("the README shows\n%s\nand the screen is\n%s", have, want)
	}
}
