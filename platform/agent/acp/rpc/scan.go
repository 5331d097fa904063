package rpc

import (
	"encoding/binary"
	"math/bits"

	"copydesk/core"
)

// A scanner walks over JSON (RFC 8259) and builds nothing. Bytes in strings
// that are no UTF-8 pass, as they do in encoding/json; see Ambiguous.
type scanner struct {
	data  []byte
	pos   int
	stack []byte // the brackets that are open at pos
	deep  bool   // it went deeper than core.NestingDepth
}

// stackBytes is how large a stack may be to be used again.
const stackBytes = 16 << 10

func (s *scanner) reset(data []byte) {
	if cap(s.stack) > stackBytes {
		s.stack = nil
	}
	*s = scanner{data: data, stack: s.stack[:0]}
}

// space skips white space.
func (s *scanner) space() {
	for s.pos < len(s.data) && isSpace(s.data[s.pos]) {
		s.pos++
	}
}

func isSpace(b byte) bool { return b == ' ' || b == '\t' || b == '\r' || b == '\n' }

// eat skips one byte if it is the one that is asked for.
func (s *scanner) eat(b byte) bool {
	if s.pos < len(s.data) && s.data[s.pos] == b {
		s.pos++
		return true
	}
	return false
}

func (s *scanner) push(bracket byte) {
	s.stack = append(s.stack, bracket)
	s.deep = s.deep || len(s.stack) > core.NestingDepth
	s.pos++
}

// value skips one value and reports whether it is valid. Too deep a value is
// skipped, too: the message's id may stand behind it.
func (s *scanner) value() bool {
	outside := len(s.stack)
	for {
		s.space()
		if s.pos == len(s.data) {
			return false
		}
		switch b := s.data[s.pos]; b {
		case '{':
			s.push('{')
			if s.space(); s.pos < len(s.data) && s.data[s.pos] != '}' {
				if !s.key() {
					return false
				}
				continue
			}
		case '[':
			s.push('[')
			if s.space(); s.pos < len(s.data) && s.data[s.pos] != ']' {
				continue
			}
		default:
			if !s.scalar(b) {
				return false
			}
		}
		if more, ok := s.after(outside); !more {
			return ok
		}
	}
}

// after skips what may follow a value: the ends of all that end with it, and
// the comma before a next one. more is that there is one.
func (s *scanner) after(outside int) (more, ok bool) {
	for len(s.stack) > outside {
		s.space()
		if s.pos == len(s.data) {
			return false, false
		}
		inObject := s.stack[len(s.stack)-1] == '{'
		switch b := s.data[s.pos]; {
		case b == ',' && inObject:
			s.pos++
			ok := s.key()
			return ok, ok
		case b == ',':
			s.pos++
			return true, true
		case b == '}' && inObject || b == ']' && !inObject:
			s.pos++
			s.stack = s.stack[:len(s.stack)-1]
		default:
			return false, false
		}
	}
	return false, true
}

// key skips a member's name and the colon behind it.
func (s *scanner) key() bool {
	s.space()
	if !s.eat('"') || !s.str() {
		return false
	}
	s.space()
	return s.eat(':')
}

// scalar skips a string, a number or a word that begins with b.
func (s *scanner) scalar(b byte) bool {
	switch b {
	case '"':
		s.pos++
		return s.str()
	case 't':
		return s.word("true")
	case 'f':
		return s.word("false")
	case 'n':
		return s.word("null")
	}
	return s.number()
}

func (s *scanner) word(word string) bool {
	if end := s.pos + len(word); end <= len(s.data) && string(s.data[s.pos:end]) == word {
		s.pos = end
		return true
	}
	return false
}

func (s *scanner) number() bool {
	s.eat('-')
	if !s.eat('0') && !s.digits() {
		return false
	}
	if s.eat('.') && !s.digits() {
		return false
	}
	if s.eat('e') || s.eat('E') {
		if !s.eat('+') {
			s.eat('-')
		}
		return s.digits()
	}
	return true
}

func (s *scanner) digits() bool {
	start := s.pos
	for s.pos < len(s.data) && '0' <= s.data[s.pos] && s.data[s.pos] <= '9' {
		s.pos++
	}
	return s.pos > start
}

// str skips the rest of a string whose quote was skipped.
func (s *scanner) str() bool {
	for {
		s.pos = special(s.data, s.pos)
		if s.pos == len(s.data) {
			return false
		}
		b := s.data[s.pos]
		s.pos++
		switch {
		case b == '"':
			return true
		case b != '\\' || !s.escape():
			return false
		}
	}
}

// special returns the place of the first quote, backslash or control character
// from pos on, or the end. It looks at eight bytes at once: in a word of bytes,
// (x - 0x0101…) &^ x & 0x8080… has the high bit of each byte that is zero, and with a
// larger number that of each that is smaller. A borrow can only set bits above
// a true one, and the lowest is taken.
func special(data []byte, pos int) int {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	for ; pos+8 <= len(data); pos += 8 {
		x := binary.LittleEndian.Uint64(data[pos:])
		quote, slash := x^(ones*'"'), x^(ones*'\\')
		if hit := ((x-ones*0x20)&^x | (quote-ones)&^quote | (slash-ones)&^slash) & highs; hit != 0 {
			return pos + bits.TrailingZeros64(hit)/8
		}
	}
	for pos < len(data) && data[pos] >= 0x20 && data[pos] != '"' && data[pos] != '\\' {
		pos++
	}
	return pos
}

// escape skips the rest of an escape whose backslash was skipped.
func (s *scanner) escape() bool {
	if s.pos == len(s.data) {
		return false
	}
	b := s.data[s.pos]
	s.pos++
	switch b {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return true
	case 'u':
		_, ok := hex4(s.data[s.pos:])
		s.pos += 4
		return ok
	}
	return false
}

// hex4 reads the four digits of a \u escape.
func hex4(data []byte) (r rune, ok bool) {
	if len(data) < 4 {
		return 0, false
	}
	for _, b := range data[:4] {
		switch {
		case '0' <= b && b <= '9':
			b -= '0'
		case 'a' <= b && b <= 'f':
			b -= 'a' - 10
		case 'A' <= b && b <= 'F':
			b -= 'A' - 10
		default:
			return 0, false
		}
		r = r<<4 | rune(b)
	}
	return r, true
}

// whole reports whether data is one value and nothing else.
func (s *scanner) whole(data []byte) bool {
	s.reset(data)
	return s.value() && s.end()
}
