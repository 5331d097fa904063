package pick

import (
	"encoding/csv"
	"strings"
	"testing"

	"copydesk/core/panel"
	"copydesk/core/text"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func tableLines(rows ...string) []panel.Line {
	var out []panel.Line
	for _, r := range rows {
		out = append(out, panel.Line{Kind: panel.Table, Text: r})
	}
	return out
}

func TestCPY_ADrawnTableHasCells(t *testing.T) {
	rows := []string{
		"┌────┬──────────┐",
		"│ id │ 名前     │",
		"├────┼──────────┤",
		"│  1 │ a │ b, \"c │",
		"│ 12 │          │",
		"└────┴──────────┘",
	}
	got := Find(0, tableLines(rows...), nil, noParts)
	if len(got) != 1 || got[0].Text != strings.Join(rows, "\n") {
		t.Fatalf("found %v", got)
	}
	want := [][]string{{"id", "名前"}, {"1", `a │ b, "c`}, {"12", ""}}
	if diff := cmp.Diff(want, got[0].Cells); diff == "" {
		t.Fatal("a row that is too wide was read as a table")
	}
	rows[3] = `│  1 │ a │ b, " │`
	got = Find(0, tableLines(rows...), nil, noParts)
	want[1][1] = `a │ b, "`
	if diff := cmp.Diff(want, got[0].Cells); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff("id,名前\n1,\"a │ b, \"\"\"\n12,", CSV(got[0].Cells)); diff != "" {
		t.Error(diff)
	}
}

func TestCPY_TwoDrawnTablesAreTwo(t *testing.T) {
	one := []string{"┌───┐", "│ a │", "└───┘"}
	counted := append(append([]string{}, one...), "1 row")
	got := Find(0, tableLines(append(counted, counted...)...), nil, noParts)
	if len(got) != 2 || got[1].At.Line != 4 {
		t.Fatalf("found %v", got)
	}
	for _, x := range got {
		if x.Text != strings.Join(one, "\n") || len(x.Cells) != 1 {
			t.Errorf("found %v", x)
		}
	}
	if got = Find(1, tableLines("│ a │", "└───┘", "1 row"), nil, noParts); len(got) != 1 || got[0].Cells != nil || got[0].Text != "│ a │\n└───┘\n1 row" {
		t.Errorf("of a table without its upper edge: %v", got)
	}
	if got = Find(0, tableLines("what is this", "│ b │"), nil, noParts); len(got) != 1 || got[0].Cells != nil {
		t.Errorf("of rows that are no table: %v", got)
	}
}

func TestCPY_APipeTableHasCells(t *testing.T) {
	source := "before | it\n\n| name | `a\\|b` |\n|:--|--:|\n| x \\* \\\\ \\| y | `c\\*` |\n| only one\n| 1 | 2 | 3 |\n\nafter"
	got := Find(0, answer(source), nil, noParts)
	want := [][]string{{"name", "`a|b`"}, {`x * \ | y`, "`c\\*`"}, {"only one", ""}, {"1", "2"}}
	if len(got) != 1 {
		t.Fatalf("found %v", got)
	}
	if diff := cmp.Diff(want, got[0].Cells); diff != "" {
		t.Error(diff)
	}
	if shown := strings.Join(strings.Split(source, "\n")[2:7], "\n"); got[0].Text != shown {
		t.Errorf("as shown: %q", got[0].Text)
	}
	for _, none := range []string{"a | b\n---|", "a | b\nc | d", "```\n| a |\n|---|\n```", "---|---"} {
		for _, x := range Find(0, answer(none), nil, noParts) {
			if x.Kind == Table {
				t.Errorf("%q has the table %v", none, x)
			}
		}
	}
}

// TestCPY_CSVAndTSVComeBack reads what was written with a reader of RFC 4180.
func TestCPY_CSVAndTSVComeBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		columns := rapid.IntRange(1, 4).Draw(t, "columns")
		field := rapid.StringOf(rapid.SampledFrom([]rune("ab \t,\"\n;│日|\\")))
		cells := rapid.SliceOfN(rapid.SliceOfN(field, columns, columns), 1, 6).Draw(t, "cells")
		for comma, written := range map[rune]string{',': CSV(cells), '\t': TSV(cells)} {
			r := csv.NewReader(strings.NewReader(written))
			r.Comma = comma
			got, err := r.ReadAll()
			if err != nil {
				t.Fatalf("%q: %v", written, err)
			}
			if diff := cmp.Diff(cells, got); diff != "" {
				t.Fatalf("%q comes back as\n%s", written, diff)
			}
		}
	})
}

// TestCPY_ADrawnTableComesBack draws tables as the playground does and reads
// their cells.
func TestCPY_ADrawnTableComesBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		columns := rapid.IntRange(1, 4).Draw(t, "columns")
		field := rapid.Map(rapid.StringOfN(rapid.SampledFrom([]rune("ab,\"│|名é─")), 0, 8, -1), strings.TrimSpace)
		cells := rapid.SliceOfN(rapid.SliceOfN(field, columns, columns), 1, 6).Draw(t, "cells")
		widths := make([]int, columns)
		for _, record := range cells {
			for i, c := range record {
				widths[i] = max(widths[i], text.Width(c))
			}
		}
		rule := make([]string, columns)
		for i, w := range widths {
			rule[i] = strings.Repeat("─", w+2)
		}
		rows := []string{"┌" + strings.Join(rule, "┬") + "┐"}
		for n, record := range cells {
			row := "│"
			for i, c := range record {
				row += " " + c + strings.Repeat(" ", widths[i]-text.Width(c)) + " │"
			}
			rows = append(rows, row)
			if n == 0 {
				rows = append(rows, "├"+strings.Join(rule, "┼")+"┤")
			}
		}
		rows = append(rows, "└"+strings.Join(rule, "┴")+"┘")
		got := Find(0, tableLines(rows...), nil, noParts)
		if len(got) != 1 {
			t.Fatalf("found %v", got)
		}
		if diff := cmp.Diff(cells, got[0].Cells); diff != "" {
			t.Fatal(diff)
		}
	})
}
