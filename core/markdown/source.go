package markdown

import "strings"

// blockBytes is how much text one block of a source holds before the next one
// is begun, in bytes. A line that is kept keeps its whole block in memory.
const blockBytes = 64 << 10

// lineRoom is the room in a block for the rest of its last line, in bytes.
const lineRoom = 1 << 10

// A source is text that only grows at its end and is read line by line at its
// front. Lines are views of what was stored: nothing is copied but into the
// blocks, and a stored byte never changes.
type source struct {
	blocks []*strings.Builder // each but the last ends with LF
	begin  int                // where the next line begins in blocks[0]
	seen   int                // up to here blocks[0] has no LF after begin
	ends   int                // LFs so far
	open   bool               // the last byte is not an LF
}

// add appends src.
func (s *source) add(src string) {
	s.ends += strings.Count(src, "\n")
	s.open = src[len(src)-1] != '\n'
	if len(s.blocks) == 0 {
		s.blocks = append(s.blocks, new(strings.Builder))
	}
	for src != "" {
		last := s.blocks[len(s.blocks)-1]
		n := min(len(src), max(blockBytes-last.Len(), 0))
		if n == 0 {
			n = strings.IndexByte(src, '\n') + 1
			if n == 0 {
				last.WriteString(src)
				return
			}
			block := new(strings.Builder)
			block.Grow(blockBytes + lineRoom)
			s.blocks = append(s.blocks, block)
		}
		last.WriteString(src[:n])
		src = src[n:]
	}
}

// lines is how many lines there are.
func (s *source) lines() int {
	if s.open {
		return s.ends + 1
	}
	return s.ends
}

// next returns the next complete line without its LF; false: there is none yet.
func (s *source) next() (string, bool) {
	for len(s.blocks) > 0 {
		block := s.blocks[0].String()
		if i := strings.IndexByte(block[s.seen:], '\n'); i >= 0 {
			line := block[s.begin : s.seen+i]
			s.seen += i + 1
			s.begin = s.seen
			return line, true
		}
		if len(s.blocks) == 1 {
			s.seen = len(block)
			return "", false
		}
		s.blocks[0] = nil
		s.blocks = s.blocks[1:]
		s.begin, s.seen = 0, 0
	}
	return "", false
}

// tail returns the text after the last LF, once next has found no more lines.
func (s *source) tail() string {
	if !s.open {
		return ""
	}
	return s.blocks[0].String()[s.begin:]
}
