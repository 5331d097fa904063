package playground

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestComplete(t *testing.T) {
	d := shop(t, Options{})
	d.must(`create table "two words" with a`)
	for _, c := range []struct {
		input string
		start int
		want  []string
	}{
		{"cr", 0, []string{"create table"}},
		{"drop table cu", 11, []string{"customers"}},
		{"show ", 5, []string{"tables", "customers", "orders"}},
		{"update customers set na", 21, []string{"name"}},
		{"show customers wh", 15, []string{"where"}},
		{"show orders where wh", 18, []string{"what"}},
		{"", 0, nil},
		{"messages ", 9, []string{"short", "verbose"}},
		{"help d", 5, []string{"drop", "delete", "describe"}},
		{"mode simple ", 12, nil},
		{"drop table ", 11, []string{"customers", "orders"}},
		{"describe ", 9, []string{"customers", "orders"}},
		{"count ", 6, []string{"customers", "orders"}},
		{"insert into ", 12, []string{"customers", "orders"}},
		{"update ", 7, []string{"customers", "orders"}},
		{"delete from ", 12, []string{"customers", "orders"}},
		{"rename table ", 13, []string{"customers", "orders"}},
		{"rename table orders to ", 23, nil},
		{"export ", 7, []string{"customers", "orders"}},
		{"create table ", 13, nil},
		{"drop ", 5, []string{"table", "column"}},
		{"update orders set ", 18, []string{"id", "what", "customer"}},
		{"delete from orders where ", 25, []string{"id", "what", "customer"}},
		{"show orders where id = 1 and ", 29, []string{"id", "what", "customer"}},
		{"show orders sort by ", 20, []string{"id", "what", "customer"}},
		{"show orders sort by id, w", 24, []string{"what"}},
		{"show orders where id in ", 24, nil},
		{"import orders from ", 19, nil},
		{"mode ", 5, []string{"simple", "advanced"}},
		{"copy l", 5, []string{"last"}},
		{"insert into customers name 'cu", 28, nil},
		{"zzz", 0, nil},
	} {
		start, words := d.a.Complete(c.input)
		if diff := cmp.Diff(c.want, words); diff != "" || start != c.start {
			t.Errorf("%q at %d: %s", c.input, start, diff)
		}
	}
}

func TestCompleteSQL(t *testing.T) {
	d := shop(t, Options{})
	d.must("mode advanced")
	for input, want := range map[string][]string{
		"":                             nil,
		"sel":                          {"SELECT"},
		"mode ":                        {"simple", "advanced"},
		"SELECT * FROM ":               {"customers", "orders"},
		"SELECT * FROM orders o JOIN ": {"customers", "orders"},
		"INSERT INTO ":                 {"customers", "orders"},
		"UPDATE ":                      {"customers", "orders"},
		"ALTER TABLE ":                 {"customers", "orders"},
		"CREATE TABLE ":                nil,
		"SELECT em":                    {"email"},
		"SELECT * FROM orders WHERE ":  {"id", "what", "customer"},
		"SELECT * FROM orders WHERE w": {"what", "WHERE"},
		"SELECT 1; del":                {"DELETE FROM"},
		"SELECT * FROM orders; ":       nil,
		"export ":                      {"customers", "orders"},
	} {
		if _, words := d.a.Complete(input); !slices.Equal(words, want) {
			t.Errorf("%q: got %v, want %v", input, words, want)
		}
	}
}

func TestCompleteReplacesWhatIsTyped(t *testing.T) {
	d := shop(t, Options{})
	mode := simple
	rapid.Check(t, func(r *rapid.T) {
		if next := rapid.SampledFrom([]string{simple, advanced}).Draw(r, "mode"); next != mode {
			d.must("mode " + next)
			mode = next
		}
		input := strings.Join(rapid.SliceOfN(rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{
			"show ", "customers ", "where ", "select ", "na", ";", "mode ", "help ", "(", "'"})), 0, 5).Draw(r, "input"), "")
		start, words := d.a.Complete(input)
		if start < 0 || start > len(input) {
			r.Fatalf("%q: start %d", input, start)
		}
		for _, w := range words {
			if !strings.HasPrefix(strings.ToLower(w), strings.ToLower(input[start:])) {
				r.Fatalf("%q: %q at %d", input, w, start)
			}
		}
	})
}
