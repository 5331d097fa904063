package playground

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func texts(statements []statement) []string {
	var out []string
	for _, s := range statements {
		out = append(out, s.text)
	}
	return out
}

func TestSplit(t *testing.T) {
	trigger := "CREATE TEMP TRIGGER t AFTER INSERT ON a BEGIN UPDATE a SET b = CASE WHEN 1 THEN 2 END; DELETE FROM c; END"
	cases := []struct {
		sql  string
		want []string
	}{
		{"", nil},
		{" ;; -- nothing; \n /* here; */ ;", nil},
		{"select 1", []string{"select 1"}},
		{"select 1; select 2;", []string{"select 1", "select 2"}},
		{"select ';', \";\", `;`, [;]; select 'it''s; ok'", []string{"select ';', \";\", `;`, [;]", "select 'it''s; ok'"}},
		{"select 1 -- one; two\n + 2; select 3", []string{"select 1 -- one; two\n + 2", "select 3"}},
		{"select /* ; */ 1; select 2 /* never ended ;", []string{"select /* ; */ 1", "select 2"}},
		{trigger + "; select 1", []string{trigger, "select 1"}},
		{"explain query plan " + trigger + ";", []string{"explain query plan " + trigger}},
		{"create table trigger_log(a); select 1", []string{"create table trigger_log(a)", "select 1"}},
		{"begin; select 1; end; select 2", []string{"begin", "select 1", "end", "select 2"}},
	}
	for _, c := range cases {
		got, err := split(c.sql)
		if err != nil {
			t.Errorf("%q: %v", c.sql, err)
		}
		if diff := cmp.Diff(c.want, texts(got)); diff != "" {
			t.Errorf("%q: %s", c.sql, diff)
		}
	}
}

func TestSplitSaysWhatIsOpen(t *testing.T) {
	for sql, says := range map[string]string{
		"select 'abc":     `The quote ' in "'abc" is never closed.`,
		"select \"a; b":   `The quote " in "\"a; b" is never closed.`,
		"select 1\x00; x": "The SQL has a NUL character in it; take it out and send it again.",
	} {
		if _, err := split(sql); err == nil || err.Error() != says {
			t.Errorf("%q: got %v", sql, err)
		}
	}
}

func FuzzSplit(f *testing.F) {
	for _, s := range []string{"select 1; select ';'", "create trigger a b begin c; end; d", "-- x\n;/*;*/;", "[;];`;`;\";\"", "'", "é;\xff;", "explain create temp trigger; end;"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, sql string) {
		statements, err := split(sql)
		if err != nil {
			return
		}
		rest := sql
		for _, s := range statements {
			if s.text == "" || s.text != strings.TrimSpace(s.text) {
				t.Fatalf("%q gave the statement %q", sql, s.text)
			}
			at := strings.Index(rest, s.text)
			if at < 0 {
				t.Fatalf("%q lost %q", sql, s.text)
			}
			if between := lex(rest[:at], sqlGrammar); strings.Trim(joined(between), ";") != "" {
				t.Fatalf("%q dropped %q", sql, rest[:at])
			}
			rest = rest[at+len(s.text):]
			again, err := split(s.text)
			if err != nil || len(again) != 1 || again[0].text != s.text {
				t.Fatalf("%q is not one statement: %q, %v", s.text, texts(again), err)
			}
		}
		if strings.Trim(joined(lex(rest, sqlGrammar)), ";") != "" {
			t.Fatalf("%q dropped its end %q", sql, rest)
		}
	})
}

func joined(tokens []token) string {
	var out strings.Builder
	for _, tok := range tokens {
		out.WriteString(tok.val)
	}
	return out.String()
}
