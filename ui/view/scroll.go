package view

import (
	"copydesk/core/panel"
	"copydesk/core/text"
)

// A pos is a row of a line at the present width.
type pos struct {
	line uint64
	row  int
}

func (p pos) before(q pos) bool {
	return p.line < q.line || p.line == q.line && p.row < q.row
}

// page is the size of the text area, in cells; both are 0 when there is no
// room.
func (v *Panel) page() (width, height int) {
	_, _, w, h := v.GetRect()
	width, height = w-2-gutterWidth-1, h-2
	if width < 1 || height < 1 {
		return 0, 0
	}
	return width, height
}

// top is the first visible row. There must be lines and room.
func (v *Panel) top() pos {
	if v.follow {
		return v.lastPage()
	}
	width, _ := v.page()
	return pos{v.anchor.Line, v.line(v.anchor.Line).rowAt(v.anchor.Byte, width)}
}

// lastPage is the first row when the end is shown.
func (v *Panel) lastPage() pos {
	width, height := v.page()
	n := v.end() - 1
	return v.up(pos{n, len(v.line(n).wrap(width)) - 1}, height-1)
}

// up is n rows above p, or the first row.
func (v *Panel) up(p pos, n int) pos {
	width, _ := v.page()
	for n > p.row {
		if p.line == v.first {
			return pos{v.first, 0}
		}
		n -= p.row + 1
		p.line--
		p.row = len(v.line(p.line).wrap(width)) - 1
	}
	p.row -= n
	return p
}

// down is n rows below p, or the last row.
func (v *Panel) down(p pos, n int) pos {
	width, _ := v.page()
	for {
		left := len(v.line(p.line).wrap(width)) - 1 - p.row
		if n <= left {
			p.row += n
			return p
		}
		if p.line+1 == v.end() {
			p.row += left
			return p
		}
		n -= left + 1
		p = pos{p.line + 1, 0}
	}
}

// ScrollRows moves the view by n rows, down when n is positive. At the end the
// panel follows again.
func (v *Panel) ScrollRows(n int) {
	_, height := v.page()
	if height == 0 || len(v.lines) == 0 || n == 0 {
		return
	}
	top := v.top()
	if n < 0 {
		top = v.up(top, -n)
	} else {
		top = v.down(top, n)
	}
	v.setTop(top)
}

// setTop shows a row at the top; from the last page on the panel follows.
func (v *Panel) setTop(top pos) {
	if !top.before(v.lastPage()) {
		v.follow = true
		return
	}
	v.stayAt(top)
}

// stayAt shows a row at the top, wherever the end is.
func (v *Panel) stayAt(top pos) {
	width, _ := v.page()
	v.unfollow()
	v.anchor = panel.Position{Line: top.line, Byte: v.line(top.line).wrap(width)[top.row].Start}
}

func (v *Panel) unfollow() {
	if v.follow {
		v.follow = false
		v.seen = v.end()
	}
}

// PageUp and PageDown move the view by a page less one row.
func (v *Panel) PageUp()   { v.scrollPage(-1) }
func (v *Panel) PageDown() { v.scrollPage(1) }

func (v *Panel) scrollPage(direction int) {
	_, height := v.page()
	v.ScrollRows(direction * max(1, height-1))
}

// ScrollTop shows the oldest line. Where the end is in view as well, the panel
// follows it.
func (v *Panel) ScrollTop() {
	_, height := v.page()
	if height == 0 || len(v.lines) == 0 {
		return
	}
	if v.lastPage() == (pos{v.first, 0}) {
		v.follow = true
		return
	}
	v.unfollow()
	v.anchor = panel.Position{Line: v.first}
}

// ScrollEnd shows the end and follows it.
func (v *Panel) ScrollEnd() { v.follow = true }

// ScrollColumns moves the tables in view sideways by n cells, to the right end
// of the widest when n is positive.
func (v *Panel) ScrollColumns(n int) {
	v.column = min(max(0, v.column+n), v.tableOverhang())
}

// tableColumn is the column that tables are shown from.
func (v *Panel) tableColumn() int {
	if v.column == 0 {
		return 0
	}
	return min(v.column, v.tableOverhang())
}

// tableOverhang is how many cells of the widest table row in view have no room.
func (v *Panel) tableOverhang() int {
	width, height := v.page()
	if height == 0 || len(v.lines) == 0 {
		return 0
	}
	over := 0
	p := v.top()
	for n := p.line; n < v.end() && height > 0; n++ {
		l := v.line(n)
		height -= len(l.wrap(width)) - p.row
		p.row = 0
		if l.Kind == panel.Table {
			over = max(over, text.Width(l.Text)-width)
		}
	}
	return over
}
