package pick

import "strings"

// CSV writes cells as comma-separated values: a field with a comma, a quote or a
// line end stands in quotes, its quotes doubled (RFC 4180). As in every other
// copy the lines are joined by LF and none follows the last.
func CSV(cells [][]string) string { return delimited(cells, ",") }

// TSV writes cells with tabs between them. A field with a tab, a quote or a line
// end stands in quotes as in CSV, which is what spreadsheets write and read.
func TSV(cells [][]string) string { return delimited(cells, "\t") }

func delimited(cells [][]string, comma string) string {
	var b strings.Builder
	for i, record := range cells {
		if i > 0 {
			b.WriteByte('\n')
		}
		for k, field := range record {
			if k > 0 {
				b.WriteString(comma)
			}
			// A record of one empty field would be an empty line, which readers
			// pass over.
			if strings.ContainsAny(field, "\"\r\n"+comma) || field == "" && len(record) == 1 {
				field = `"` + strings.ReplaceAll(field, `"`, `""`) + `"`
			}
			b.WriteString(field)
		}
	}
	return b.String()
}
