package rpc

import (
	"bytes"
	"cmp"
	"encoding/json"
	"hash/maphash"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"copydesk/core"
)

const (
	// places is how many places Ambiguous names at most.
	places = 16

	// stepBytes is how much of a name stands in a place.
	stepBytes = 64
)

// Ambiguous returns the places in a message's params where two readers can see
// two things (T36, CVE-2026-27896): names that an object has twice, also in
// another case; strings and names with bytes that are no UTF-8, or with half a
// surrogate pair, which reading turns into U+FFFD; nesting deeper than
// core.NestingDepth, and what is no JSON.
//
// A place is a path such as toolCall.rawInput.command or options[1].kind; "$"
// is the whole. There are 16 at most; nil is none. The names in them are the
// peer's: text to be cleaned before it is drawn.
func Ambiguous(params json.RawMessage) []string {
	if len(params) == 0 {
		return nil
	}
	a := audit{seed: maphash.MakeSeed()}
	a.scan.reset(params)
	if !a.value() || !a.scan.end() {
		a.path = nil
		a.note()
	}
	return a.found
}

// An audit walks over JSON and looks for what is ambiguous.
type audit struct {
	scan    scanner
	seed    maphash.Seed
	names   []nameMark // of the objects that are open, one after another
	path    []step
	found   []string
	scratch []byte
}

// A nameMark is a name in an object: the hash of it without its case, and where it
// stands. Hashes of 64 bits with a seed of our own do not collide by design.
type nameMark struct {
	hash       uint64
	start, end int
}

// A step of a path is a name, or an index when there is none.
type step struct {
	name  []byte
	index int
}

// value walks over one value. It returns false for what is no JSON, and when
// there is no need to go on.
func (a *audit) value() bool {
	s := &a.scan
	s.space()
	if s.pos == len(s.data) || len(a.found) == places {
		return false
	}
	deep := len(a.path) >= core.NestingDepth
	switch b := s.data[s.pos]; b {
	case '{':
		return !deep && a.object()
	case '[':
		return !deep && a.array()
	case '"':
		start := s.pos + 1
		if !s.scalar(b) {
			return false
		}
		if flawed(s.data[start : s.pos-1]) {
			a.note()
		}
		return true
	default:
		return s.scalar(b)
	}
}

func (a *audit) object() bool {
	s := &a.scan
	s.pos++
	outside := len(a.names)
	if s.space(); s.eat('}') {
		return true
	}
	for {
		s.space()
		start := s.pos + 1
		if !s.eat('"') || !s.str() {
			return false
		}
		mark := a.mark(start, s.pos-1)
		a.names = append(a.names, mark)
		a.path = append(a.path, step{name: s.data[mark.start:mark.end]})
		if flawed(s.data[mark.start:mark.end]) {
			a.note()
		}
		if s.space(); !s.eat(':') || !a.value() {
			return false
		}
		a.path = a.path[:len(a.path)-1]
		s.space()
		if s.eat('}') {
			a.twice(outside)
			return true
		}
		if !s.eat(',') {
			return false
		}
	}
}

func (a *audit) array() bool {
	s := &a.scan
	s.pos++
	if s.space(); s.eat(']') {
		return true
	}
	for i := 0; ; i++ {
		a.path = append(a.path, step{index: i})
		if !a.value() {
			return false
		}
		a.path = a.path[:len(a.path)-1]
		s.space()
		if s.eat(']') {
			return true
		}
		if !s.eat(',') {
			return false
		}
	}
}

// twice notes the names that the object which ends here has twice.
func (a *audit) twice(outside int) {
	names := a.names[outside:]
	slices.SortFunc(names, func(x, y nameMark) int {
		return cmp.Or(cmp.Compare(x.hash, y.hash), cmp.Compare(x.start, y.start))
	})
	var again []nameMark
	for i := 1; i < len(names); i++ {
		if names[i].hash == names[i-1].hash && len(again) < places {
			again = append(again, names[i])
		}
	}
	slices.SortFunc(again, func(x, y nameMark) int { return cmp.Compare(x.start, y.start) })
	for _, mark := range again {
		a.path = append(a.path, step{name: a.scan.data[mark.start:mark.end]})
		a.note()
		a.path = a.path[:len(a.path)-1]
	}
	a.names = a.names[:outside]
}

// mark returns the mark of the name between two places, without its escapes and
// its case, as encoding/json compares names.
func (a *audit) mark(start, end int) nameMark {
	name := unescape(a.scan.data[start:end])
	a.scratch = a.scratch[:0]
	for len(name) > 0 {
		r, n := utf8.DecodeRune(name)
		name = name[n:]
		a.scratch = utf8.AppendRune(a.scratch, fold(r))
	}
	return nameMark{hash: maphash.Bytes(a.seed, a.scratch), start: start, end: end}
}

// fold returns the smallest of the runes that differ from r in case alone.
func fold(r rune) rune {
	if r < utf8.RuneSelf {
		if 'a' <= r && r <= 'z' {
			r -= 'a' - 'A'
		}
		return r
	}
	least := r
	for next := unicode.SimpleFold(r); next != r; next = unicode.SimpleFold(next) {
		least = min(least, next)
	}
	return least
}

// note adds the place where the walk is to the list.
func (a *audit) note() {
	var path strings.Builder
	for _, step := range a.path {
		switch {
		case step.name == nil:
			path.WriteString("[" + strconv.Itoa(step.index) + "]")
		case !isWord(step.name):
			name := unescape(step.name)
			path.WriteString("[" + strconv.Quote(string(name[:min(len(name), stepBytes)])) + "]")
		default:
			if path.Len() > 0 {
				path.WriteByte('.')
			}
			path.Write(step.name)
		}
	}
	place := path.String()
	if place == "" {
		place = "$"
	}
	if len(a.found) < places && !slices.Contains(a.found, place) {
		a.found = append(a.found, place)
	}
}

// isWord reports whether a name can stand in a path without quotes.
func isWord(name []byte) bool {
	for _, b := range name {
		letter := 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' || '0' <= b && b <= '9'
		if !letter && b != '_' && b != '-' {
			return false
		}
	}
	return len(name) > 0 && len(name) <= stepBytes
}

// flawed reports whether the inside of a valid string has no exact value: it
// has bytes that are no UTF-8, or half a surrogate pair.
func flawed(raw []byte) bool {
	if !utf8.Valid(raw) {
		return true
	}
	for {
		i := bytes.IndexByte(raw, '\\')
		if i < 0 {
			return false
		}
		raw = raw[i:]
		r, ok := hex4(raw[2:])
		switch {
		case raw[1] != 'u' || !ok:
			raw = raw[2:]
		case !utf16.IsSurrogate(r):
			raw = raw[6:]
		default:
			low := rune(-1)
			if bytes.HasPrefix(raw[6:], []byte(`\u`)) {
				low, _ = hex4(raw[8:])
			}
			if utf16.DecodeRune(r, low) == unicode.ReplacementChar {
				return true
			}
			raw = raw[12:]
		}
	}
}
