package shelf

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"hash/crc32"
	"strings"
	"time"

	"copydesk/core/record"
)

// sumLength is what ends a line: its checksum.
const sumLength = len(`,"c":"00000000"}`)

// A frame is a line of a journal,
//
//	{"v":1,"seq":N,"t":"<time>","k":"<kind>",<members>,"c":"<checksum>"}
//
// of which only the beginning has been read, and which may be damaged or cut.
type frame struct {
	line []byte
	at   []byte
	kind record.Kind
	rest []byte // what follows the kind: a comma and the members
}

func parse(line []byte) (f frame, ok bool) {
	rest, ok := bytes.CutPrefix(line, []byte(`{"v":1,"seq":`))
	if !ok {
		return f, false
	}
	_, rest, ok = bytes.Cut(rest, []byte(`,"t":"`))
	if !ok {
		return f, false
	}
	at, rest, ok := bytes.Cut(rest, []byte(`","k":"`))
	if !ok || len(at) > len(time.RFC3339Nano) {
		return f, false
	}
	kind, rest, ok := bytes.Cut(rest, []byte{'"'})
	if !ok || len(rest) == 0 || rest[0] != ',' {
		return f, false
	}
	return frame{line, at, record.Kind(kind), rest}, true
}

// time is when the record was made; zero when that cannot be read.
func (f frame) time() time.Time {
	t, err := time.Parse(time.RFC3339Nano, string(f.at))
	if err != nil {
		return time.Time{}
	}
	return t.UTC()
}

// whole reports whether the checksum of the line is right.
func (f frame) whole() bool {
	n := len(f.line) - sumLength
	var sum [4]byte
	if n < 0 || len(f.rest) < sumLength || string(f.line[n:n+6]) != `,"c":"` {
		return false
	}
	if _, err := hex.Decode(sum[:], f.line[n+6:n+14]); err != nil {
		return false
	}
	return binary.BigEndian.Uint32(sum[:]) == crc32.Checksum(f.line[:n], crc32.MakeTable(crc32.Castagnoli))
}

// entry reads the entry of a whole line, unless a blob has it.
func (f frame) entry() record.Entry {
	if !f.whole() || f.blob() != "" {
		return nil
	}
	object := []byte(`{}`)
	if members := f.rest[:len(f.rest)-sumLength]; len(members) > 0 {
		object = append(append([]byte{'{'}, members[1:]...), '}')
	}
	e, err := record.Decode(f.kind, object)
	if err != nil {
		return nil
	}
	return e
}

// blob is the name of the file that has the entry; empty: the line has it.
func (f frame) blob() string {
	rest, ok := bytes.CutPrefix(f.rest, []byte(`,"blob":"`))
	if !ok || len(rest) < 64 {
		return ""
	}
	if _, err := hex.DecodeString(string(rest[:64])); err != nil {
		return ""
	}
	return string(rest[:64])
}

// opening is the beginning of the string with which a cut object starts: one
// with a "text" member, of at most most bytes.
func opening(object []byte, most int) string {
	b, ok := bytes.CutPrefix(object[min(1, len(object)):], []byte(`"text":"`))
	if !ok {
		return ""
	}
	b = b[:min(len(b), most)]
	for i := 0; i < len(b); i++ {
		switch b[i] {
		case '\\':
			i++
		case '"':
			b = b[:i]
		}
	}
	// At the end half of a character or of an escape may be cut off, and half of
	// a pair of them: 12 bytes at most.
	for range 12 {
		var s string
		if json.Unmarshal(append(append([]byte{'"'}, b...), '"'), &s) == nil {
			return strings.TrimSuffix(s, "\ufffd")
		}
		b = b[:max(0, len(b)-1)]
	}
	return ""
}
