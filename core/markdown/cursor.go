package markdown

// tabStop is the distance of tab stops in the block structure, in columns
// (CommonMark 2.2); it has nothing to do with how tabs are drawn.
const tabStop = 4

// A cursor walks the beginning of a line in bytes and in columns: a tab can
// belong in part to a container's indentation and in part to its content.
type cursor struct {
	s   string
	pos int // bytes
	col int // columns; inside a tab it is ahead of pos
}

// indent counts the columns of white space that follow, and returns where it
// ends.
func (c *cursor) indent() (columns, next int) {
	col := c.col
	for next = c.pos; next < len(c.s); next++ {
		switch c.s[next] {
		case ' ':
			col++
		case '\t':
			col += tabStop - col%tabStop
		default:
			return col - c.col, next
		}
	}
	return col - c.col, next
}

// columns skips n columns of white space, or as many as there are.
func (c *cursor) columns(n int) {
	for n > 0 && c.pos < len(c.s) {
		width := 1
		if c.s[c.pos] == '\t' {
			width = tabStop - c.col%tabStop
		} else if c.s[c.pos] != ' ' {
			return
		}
		if width > n {
			c.col += n
			return
		}
		c.col += width
		c.pos++
		n -= width
	}
}

// owed is how many columns of the tab at the cursor are still to come when a
// part of it has been skipped, else 0.
func (c *cursor) owed() int {
	if c.pos < len(c.s) && c.s[c.pos] == '\t' && c.partial() {
		return tabStop - c.col%tabStop
	}
	return 0
}

// partial says that a part of the tab at the cursor has been skipped.
func (c *cursor) partial() bool {
	col := 0
	for i := range c.pos {
		if c.s[i] == '\t' {
			col += tabStop - col%tabStop
		} else {
			col++
		}
	}
	return col < c.col
}

// blanks skips all white space.
func (c *cursor) blanks() {
	columns, next := c.indent()
	c.col += columns
	c.pos = next
}

// bytes skips n bytes that are one column wide each.
func (c *cursor) bytes(n int) {
	c.pos += n
	c.col += n
}
