package markdown

import "strings"

// A Block is a fenced code block.
type Block struct {
	Language string // the fence's info word, "" when it has none
	// Code is what stands between the fences, without the line end before the
	// closing one: pasted into a shell, the last line is not run at once. The
	// other line ends are as they were. Inside quotes and lists the prefix of
	// each line is left out, as is the indentation of the fence.
	Code string
	// Start and End are the byte range of the code in the source. But for a
	// prefix between them, Code is source[Start:End].
	Start, End int
}

// CodeBlocks lists the fenced code blocks of a complete source, raw bytes with
// LF or CRLF line ends. A fence that is not closed reaches to the end of its
// container.
func CodeBlocks(src string) []Block {
	var (
		sc     scanner
		blocks []Block
		code   collector
	)
	flush := func() {
		if code.block != nil {
			code.block.Code = code.text()
			code = collector{}
		}
	}
	for begin := 0; begin < len(src); {
		end, next := len(src), len(src)
		if i := strings.IndexByte(src[begin:], '\n'); i >= 0 {
			end, next = begin+i, begin+i+1
		}
		if next > end && end > begin && src[end-1] == '\r' {
			end--
		}
		r := sc.scan(src[begin:end])
		switch r.kind {
		case fenceOpen:
			flush()
			blocks = append(blocks, Block{Language: r.text[r.aux[0]:r.aux[1]], Start: next, End: next})
			code = collector{src: src, block: &blocks[len(blocks)-1]}
		case fencedText:
			code.line(begin+r.from, end, next, r.pad)
		default:
			flush()
		}
		begin = next
	}
	flush()
	return blocks
}

// A collector puts the code of a block together. As long as the lines follow
// each other without a prefix it is one piece of the source; else it is copied.
type collector struct {
	src    string
	block  *Block
	lines  int
	next   int // where the next line begins in the source
	copied strings.Builder
	copies bool
}

// line adds the code from begin to end; the next line of the source begins at
// next. If pad is not 0, only so many columns of the tab at begin are code.
func (c *collector) line(begin, end, next, pad int) {
	if c.lines == 0 {
		c.block.Start, c.block.End, c.next = begin, begin, begin
	}
	if !c.copies && (begin != c.next || pad > 0) {
		c.copies = true
		c.copied.WriteString(c.src[c.block.Start:c.block.End])
	}
	if c.copies {
		c.copied.WriteString(c.src[c.block.End:c.next])
		c.copied.WriteString("    "[:pad])
		c.copied.WriteString(c.src[begin+min(pad, 1) : end])
	}
	c.block.End, c.next = end, next
	c.lines++
}

func (c *collector) text() string {
	if c.copies {
		return c.copied.String()
	}
	return c.src[c.block.Start:c.block.End]
}
