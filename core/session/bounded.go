package session

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// A Bounded text keeps all that is written to it up to a limit in bytes, and
// beyond it the head and the tail, half of the limit each (R8). What a byte
// costs does not depend on how many came before. It is not safe for concurrent
// use, and must not be copied once it was written to.
type Bounded struct {
	limit   int
	whole   strings.Builder // while all fits
	head    string          // since it does not
	tail    []byte          // at most as long as the limit
	dropped int64           // what is in neither of them
}

// NewBounded returns an empty text of at most limit bytes, at least 2.
func NewBounded(limit int) *Bounded { return &Bounded{limit: max(2, limit)} }

// Write adds raw text to the end.
func (b *Bounded) Write(s string) {
	if b.head != "" {
		b.follow(s)
		return
	}
	room := b.limit - b.whole.Len()
	if len(s) <= room {
		b.whole.WriteString(s)
		return
	}
	b.whole.WriteString(s[:room])
	full := b.whole.String()
	b.head = strings.Clone(full[:b.limit/2])
	b.tail = append(make([]byte, 0, b.limit+1), full[b.limit/2:]...)
	b.whole = strings.Builder{}
	b.follow(s[room:])
}

// follow adds to the tail. It is cut back when it is twice as long as what is
// kept of it, so that a byte is moved once or twice.
func (b *Bounded) follow(s string) {
	keep := b.limit - b.limit/2
	if over := len(s) - keep; over > 0 {
		b.dropped += int64(len(b.tail) + over)
		b.tail = append(b.tail[:0], s[over:]...)
		return
	}
	if over := len(b.tail) - keep; over > 0 && len(b.tail)+len(s) > cap(b.tail) {
		b.tail = append(b.tail[:0], b.tail[over:]...)
		b.dropped += int64(over)
	}
	b.tail = append(b.tail, s...)
}

// Len is how many bytes are held.
func (b *Bounded) Len() int { return b.whole.Len() + len(b.head) + len(b.tail) }

// EndsWith reports whether the text ends in a suffix of a few bytes.
func (b *Bounded) EndsWith(suffix string) bool {
	if b.head == "" {
		return strings.HasSuffix(b.whole.String(), suffix)
	}
	n := len(b.tail) - len(suffix)
	return n >= 0 && string(b.tail[n:]) == suffix
}

// Cut returns the head, the tail, and how many bytes between them are gone. The
// cuts are at the ends of lines where there are some nearby, and never inside a
// character. A text that is whole is all head.
func (b *Bounded) Cut() (head, tail string, dropped int64) {
	if b.head == "" {
		return b.whole.String(), "", 0
	}
	over := max(0, len(b.tail)-(b.limit-b.limit/2))
	head, tail = b.head[:cutBefore(b.head)], string(b.tail[over:])
	start := cutAfter(tail)
	return head, tail[start:], b.dropped + int64(over+start+len(b.head)-len(head))
}

// String is the text. Where something is missing in it a line says how much.
func (b *Bounded) String() string {
	head, tail, dropped := b.Cut()
	if dropped == 0 {
		return head + tail
	}
	if head != "" && !strings.HasSuffix(head, "\n") {
		head += "\n"
	}
	return head + Missing(dropped) + "\n" + tail
}

// Missing is the line that stands for bytes that are no longer kept.
func Missing(dropped int64) string { return fmt.Sprintf("[… %d bytes dropped here …]", dropped) }

// nearby is how far a cut may move to the end of a line, in bytes.
const nearby = 4 << 10

// cutBefore is where a text is cut so that what comes before it is whole.
func cutBefore(s string) int {
	if i := strings.LastIndexByte(s[max(0, len(s)-nearby):], '\n'); i >= 0 {
		return max(0, len(s)-nearby) + i + 1
	}
	for i := len(s) - 1; i >= max(0, len(s)-utf8.UTFMax); i-- {
		if utf8.RuneStart(s[i]) {
			if utf8.FullRuneInString(s[i:]) {
				return len(s)
			}
			return i
		}
	}
	return len(s)
}

// cutAfter is where a text is cut so that what comes after it is whole.
func cutAfter(s string) int {
	if i := strings.IndexByte(s[:min(len(s), nearby)], '\n'); i >= 0 {
		return i + 1
	}
	for i := range min(len(s), utf8.UTFMax) {
		if utf8.RuneStart(s[i]) {
			return i
		}
	}
	if len(s) < utf8.UTFMax {
		return len(s)
	}
	return 0 // it is no UTF-8 anyway
}
