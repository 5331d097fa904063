package playground

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"copydesk/core/session"
	"copydesk/core/text"
)

const (
	// pageRows is how many rows of a result are shown at once (PLY 4).
	pageRows = 200

	// cellCells is how wide a table's cell may be, in screen cells.
	cellCells = 200

	// cellBytes is how much of a long value is looked at to fill a cell.
	cellBytes = 16 << 10

	// wholeBytes is the longest single value that is shown whole.
	wholeBytes = 1 << 20

	// blobBytes is how much of a blob is shown, and sourceBlobBytes the longest
	// one that a copy holds whole: nobody pastes a picture as hex digits.
	blobBytes       = 16
	sourceBlobBytes = 64 << 10

	// pageBytes is how much data a page holds before it ends early, so that
	// 200 rows of long texts do not fill the memory.
	pageBytes = 8 << 20
)

// A result is rows on their way to the screen. Its cursor stays open while
// there are more, so that the next page goes on where this one ends.
type result struct {
	cursor  *cursor
	names   []string
	uncount bool
	last    bool // no other page can follow this one
	shown   int64
	ahead   *cells // the first row of the next page
}

// A cells is one row, written out.
type cells struct {
	raw  []string // the values as they are, for a copy
	text []string // the values, short enough for a table
	kind []cellKind
	cut  []bool
}

type cellKind uint8

const (
	textCell cellKind = iota
	numberCell
	nullCell
)

// newCells makes a row of texts.
func newCells(raw ...string) *cells {
	c := &cells{raw: raw, text: make([]string, len(raw)), kind: make([]cellKind, len(raw)), cut: make([]bool, len(raw))}
	for i, s := range raw {
		c.text[i], c.cut[i] = fit(s)
	}
	return c
}

// size is how many bytes of data a row has.
func (c *cells) size() int {
	n := 0
	for _, s := range c.raw {
		n += len(s)
	}
	return n
}

// fetch reads one row; nil at the end.
func (r *result) fetch() (*cells, any, error) {
	row, err := r.cursor.next()
	if errors.Is(err, io.EOF) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	raw := make([]string, len(row))
	for i, v := range row {
		raw[i] = cellText(v)
	}
	c := newCells(raw...)
	for i, v := range row {
		switch v := v.(type) {
		case nil:
			c.kind[i] = nullCell
		case int64, float64:
			c.kind[i] = numberCell
		case []byte:
			if len(v) <= sourceBlobBytes {
				c.raw[i] = blobLiteral(v)
			}
		}
	}
	if len(row) == 1 {
		return c, row[0], nil
	}
	return c, nil, nil
}

// fit makes a value fit for a cell: one line, and not too wide.
func fit(s string) (string, bool) {
	cut := false
	if len(s) > cellBytes {
		n := cellBytes
		for n > 0 && !utf8.RuneStart(s[n]) {
			n--
		}
		s, cut = s[:n], true
	}
	// A tab's width depends on where it stands, so it is shown like a line end.
	s = strings.ReplaceAll(text.CleanLine(s), "\t", "␉")
	if text.Width(s) > cellCells {
		return text.Truncate(s, cellCells), true
	}
	if cut {
		s += "…"
	}
	return s, cut
}

// cellText writes a value as SQL's literals are written, without quotes.
func cellText(v any) string {
	switch v := v.(type) {
	case nil:
		return "NULL"
	case int64:
		return strconv.FormatInt(v, 10)
	case float64:
		return realText(v)
	case string:
		return v
	case bool:
		return strconv.FormatBool(v)
	case time.Time:
		if v.Equal(v.Truncate(24 * time.Hour)) {
			return v.Format(time.DateOnly)
		}
		return v.Format("2006-01-02 15:04:05.999999999")
	case []byte:
		if len(v) > blobBytes {
			return fmt.Sprintf("x'%s…' (%d bytes)", hex.EncodeToString(v[:blobBytes]), len(v))
		}
		return blobLiteral(v)
	}
	return fmt.Sprint(v)
}

func blobLiteral(b []byte) string { return "x'" + hex.EncodeToString(b) + "'" }

// realText writes a real with as many digits as it takes to read the same one
// back, and always so that it is seen to be one.
func realText(v float64) string {
	format := byte('g')
	if a := math.Abs(v); a == 0 || a >= 1e-5 && a < 1e15 {
		format = 'f'
	}
	s := strings.TrimPrefix(strconv.FormatFloat(v, format, -1, 64), "+")
	if strings.Trim(s, "-0123456789") == "" {
		s += ".0"
	}
	return s
}

// page shows the next rows of a result. It closes the cursor after the last.
func (t *turn) page(r *result) error {
	release := t.a.db.interruptible(t.ctx)
	defer release()
	var rows []*cells
	size := 0
	if r.ahead != nil {
		rows, size, r.ahead = append(rows, r.ahead), r.ahead.size(), nil
	}
	var single any
	for {
		if err := t.ctx.Err(); err != nil {
			return err
		}
		row, value, err := r.fetch()
		if err != nil {
			return err
		}
		if row == nil {
			break
		}
		if len(rows) == pageRows || len(rows) > 0 && size+row.size() > pageBytes {
			r.ahead = row
			break
		}
		size += row.size()
		rows = append(rows, row)
		single = value
	}
	first := r.shown == 0
	r.shown += int64(len(rows))
	if r.ahead == nil || r.last {
		t.a.dropCursor()
	}
	if first && len(rows) == 1 && len(r.names) == 1 && rows[0].cut[0] {
		if whole, ok := single.(string); ok && len(whole) <= wholeBytes {
			rows[0].text[0], rows[0].cut[0] = text.CleanLine(whole), false
		}
	}
	return t.showPage(r, rows)
}

func (t *turn) showPage(r *result, rows []*cells) error {
	count := counted(r.shown, "row")
	switch {
	case r.ahead != nil:
		count = counted(r.shown, "row") + " shown"
	case r.uncount:
		count = ""
	}
	if err := t.block(tableBlock(r.names, rows, count)); err != nil {
		return err
	}
	for i, name := range r.names {
		n := int64(0)
		for _, row := range rows {
			if row.cut[i] {
				n++
			}
		}
		if n > 0 {
			see := "; ask for that one value alone to see it whole."
			if len(rows) == 1 && len(r.names) == 1 {
				see = "."
			}
			err := t.note("Column %s is cut at %d cells in %s. `/copy` takes it whole%s", text.CleanLine(name), cellCells, counted(n, "row"), see)
			if err != nil {
				return err
			}
		}
	}
	switch {
	case r.ahead == nil:
		return nil
	case r.last:
		return t.note("There are more rows. Send the statement as the last one of a prompt to page through them.")
	case len(rows) < pageRows:
		return t.note("There are more rows. They are long, so a page holds fewer; `more` shows the next ones.")
	}
	return t.note("There are more rows. `more` shows the next %d.", pageRows)
}

// more shows the next page of the result that is open.
func (t *turn) more() error {
	if t.a.result == nil {
		return plainError("There is no result that goes on. Ask for rows first, with show or SELECT.")
	}
	return t.plain(t.page(t.a.result))
}

// tableBlock draws rows as a table, and as Markdown. count is a last line, or
// empty.
func tableBlock(names []string, rows []*cells, count string) session.Block {
	d := newDrawing(names, rows)
	b := session.Block{Kind: session.TableBlock}
	b.Lines = append(b.Lines, d.rule("┌", "┬", "┐"), d.row(d.header), d.rule("├", "┼", "┤"))
	for _, r := range rows {
		b.Lines = append(b.Lines, d.row(r))
	}
	b.Lines = append(b.Lines, d.rule("└", "┴", "┘"))
	b.Source = d.markdown()
	if count != "" {
		b.Lines = append(b.Lines, text.Line{Text: count, Spans: []text.Span{{Len: len(count), Style: text.Muted}}})
		b.Source += "\n" + count + "\n"
	}
	return b
}
