package pick

import (
	"strings"

	"copydesk/core/panel"
	"copydesk/core/text"
)

// tables finds the drawn tables in neighbouring rows of tables, and returns the
// line after them. What stands below a table, as the number of its rows, is no
// part of it. Rows that no upper edge stands above, because it has left the
// panel, are one thing as they are.
func (f *finder) tables(i int) int {
	end := i
	for end < len(f.lines) && f.lines[end].Kind == panel.Table {
		end++
	}
	for from := i; from < end; {
		to := from + 1
		drawn := strings.HasPrefix(f.lines[from].Text, "┌")
		for to < end && !strings.HasPrefix(f.lines[to].Text, "┌") && !(drawn && strings.HasPrefix(f.lines[to-1].Text, "└")) {
			to++
		}
		if drawn || from == i {
			f.table(from, to)
		}
		from = to
	}
	return end
}

// table adds the table that the lines from one up to another are.
func (f *finder) table(from, to int) {
	rows := make([]string, 0, to-from)
	for k, l := range f.lines[from:to] {
		rows = append(rows, l.Text)
		f.tokens(from+k, l.Text, urlsOnly)
	}
	cells, _ := boxCells(rows)
	f.add(Thing{Kind: Table, Text: strings.Join(rows, "\n"), Cells: cells}, from, 0, to-1, len(rows[len(rows)-1]))
}

// boxCells reads a table that is drawn with lines. Its upper edge says where the
// columns are, so an edge's sign inside a cell is part of the cell. Blanks at
// the ends of a cell align it and are not part of it.
func boxCells(rows []string) ([][]string, bool) {
	inside, ok := strings.CutPrefix(rows[0], "┌")
	if inside, ok = cutEnd(inside, "┐", ok); !ok {
		return nil, false
	}
	var widths []int
	for _, rule := range strings.Split(inside, "┬") {
		if strings.Trim(rule, "─") != "" {
			return nil, false
		}
		widths = append(widths, strings.Count(rule, "─"))
	}
	var cells [][]string
	for _, row := range rows[1:] {
		if strings.HasPrefix(row, "├") || strings.HasPrefix(row, "└") {
			continue
		}
		record, ok := boxRow(row, widths)
		if !ok {
			return nil, false
		}
		cells = append(cells, record)
	}
	return cells, len(cells) > 0
}

func cutEnd(s, end string, ok bool) (string, bool) {
	cut, found := strings.CutSuffix(s, end)
	return cut, ok && found
}

// boxRow cuts a drawn row at its columns.
func boxRow(row string, widths []int) ([]string, bool) {
	record := make([]string, 0, len(widths))
	edge, start := 0, 0 // the column of the next edge; where the cell starts
	for c := range text.Clusters(row, text.Row{End: len(row)}) {
		switch {
		case c.Col < edge:
			if c.Col+c.Width > edge {
				return nil, false
			}
			continue
		case row[c.Start:c.End] != "│":
			return nil, false
		}
		if c.Start > 0 {
			record = append(record, strings.Trim(row[start:c.Start], " "))
		}
		start = c.End
		if len(record) == len(widths) {
			return record, c.End == len(row)
		}
		edge += 1 + widths[len(record)]
	}
	return nil, false
}

// delimiterRow is the row below the header of a table in GitHub Flavored
// Markdown.
var delimiterRow = lazily(`^ {0,3}\|?[ \t]*:?-+:?[ \t]*(\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$`)

// pipeTables finds the tables of a document that are written with pipes.
func (f *finder) pipeTables(d *document) {
	line := func(k int) string { return f.lines[d.lines[k]].Text }
	for k := 1; k < len(d.lines); k++ {
		rule := line(k)
		if d.inCode[k] || d.inCode[k-1] || d.lines[k] != d.lines[k-1]+1 || !strings.Contains(rule, "|") || !delimiterRow().MatchString(rule) {
			continue
		}
		header := pipeRow(line(k - 1))
		if !strings.Contains(line(k-1), "|") || len(header) != len(pipeRow(rule)) {
			continue
		}
		cells := [][]string{header}
		end := k + 1
		for end < len(d.lines) && !d.inCode[end] && d.lines[end] == d.lines[end-1]+1 && strings.Contains(line(end), "|") {
			row := pipeRow(line(end))
			row = append(row, make([]string, max(0, len(header)-len(row)))...)
			cells = append(cells, row[:len(header)])
			end++
		}
		first, last := d.lines[k-1], d.lines[end-1]
		f.add(Thing{Kind: Table, Text: f.join(first, last+1), Cells: cells}, first, 0, last, len(f.lines[last].Text))
		k = end
	}
}

// pipeRow reads the cells of a row: a pipe after a backslash is part of its cell.
func pipeRow(s string) []string {
	s = strings.Trim(s, " \t")
	s = strings.TrimPrefix(s, "|")
	var cells []string
	start := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '|':
			cells = append(cells, unescape(s[start:i]))
			start = i + 1
		}
	}
	if rest := s[start:]; strings.Trim(rest, " \t") != "" {
		cells = append(cells, unescape(rest))
	}
	return cells
}

// unescape is what a cell says: a backslash before a sign of ASCII means the
// sign. In `code` that is so before a pipe only, and it keeps its marks.
func unescape(cell string) string {
	cell = strings.Trim(cell, " \t")
	if !strings.Contains(cell, `\`) {
		return cell
	}
	var b strings.Builder
	code := 0 // how many backquotes opened the code here
	for i := 0; i < len(cell); i++ {
		switch c := cell[i]; {
		case c == '`':
			n := len(cell[i:]) - len(strings.TrimLeft(cell[i:], "`"))
			switch {
			case code == n:
				code = 0
			case code == 0 && closes(cell[i+n:], n):
				code = n
			}
			b.WriteString(cell[i : i+n])
			i += n - 1
		case c == '\\' && i+1 < len(cell) && isPunct(cell[i+1]) && (code == 0 || cell[i+1] == '|'):
			i++
			b.WriteByte(cell[i])
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// closes reports whether a run of exactly n backquotes is still to come.
func closes(s string, n int) bool {
	for i := 0; i < len(s); i++ {
		if s[i] != '`' {
			continue
		}
		run := len(s[i:]) - len(strings.TrimLeft(s[i:], "`"))
		if run == n {
			return true
		}
		i += run - 1
	}
	return false
}

func isPunct(c byte) bool {
	return c > ' ' && c < 0x7f && (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z')
}
