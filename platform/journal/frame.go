package journal

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"hash/crc32"
	"strconv"
	"time"

	"copydesk/core"
	"copydesk/core/record"
)

// A line is {"v":1,"seq":N,"t":"RFC3339Nano","k":"kind",<members>,"c":"<crc>"}:
// "c" is CRC32C, as eight hexadecimal digits, of all bytes before its comma. The
// members are those of the entry, or "blob" and "size" where the entry has a
// file of its own. Lines of all versions begin with "v" and end with "c".
const (
	version = 1
	crcTail = len(`,"c":"00000000"}`)
	maxLine = core.LineBytes + 4096 // beyond the members
	maxSeq  = 1 << 53               // what every JSON reader can hold
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// place is where and when a record belongs.
type place struct {
	seq uint64
	at  time.Time
}

// encodeLine makes the line of an entry, with its line end. object holds the
// members.
func encodeLine(p place, kind record.Kind, object []byte) []byte {
	b := make([]byte, 0, len(object)+len(kind)+96)
	b = append(b, `{"v":1,"seq":`...)
	b = strconv.AppendUint(b, p.seq, 10)
	b = append(b, `,"t":"`...)
	b = p.at.UTC().AppendFormat(b, time.RFC3339Nano)
	b = append(b, `","k":"`...)
	b = append(b, kind...)
	b = append(b, '"')
	if len(object) > len(`{}`) {
		b = append(b, ',')
		b = append(b, object[1:len(object)-1]...)
	}
	return append(seal(b), '\n')
}

// seal ends an object, which has no brace at its end yet, with its checksum.
func seal(b []byte) []byte {
	sum := binary.BigEndian.AppendUint32(nil, crc32.Checksum(b, castagnoli))
	b = append(b, `,"c":"`...)
	b = hex.AppendEncode(b, sum)
	return append(b, `"}`...)
}

// sealed reports whether the checksum at the end of a line is there, and whether
// it is right.
func sealed(line []byte) (there, right bool) {
	n := len(line) - crcTail
	if n < 0 || string(line[n:n+6]) != `,"c":"` || string(line[len(line)-2:]) != `"}` {
		return false, false
	}
	var sum [4]byte
	if _, err := hex.Decode(sum[:], line[n+6:n+14]); err != nil {
		return false, false
	}
	return true, binary.BigEndian.Uint32(sum[:]) == crc32.Checksum(line[:n], castagnoli)
}

// frame is a line that has been checked.
type frame struct {
	seq     uint64
	at      []byte // the time, as it is written
	kind    record.Kind
	line    []byte // without the line end
	members int    // where in line the comma before the entry's members is, or that before "c"
	blob    []byte // what "blob" names, where it is at hand
}

// quality says what a line is.
type quality uint8

const (
	damaged quality = iota
	good
	newer // written by a later version
)

// parse reads a line. Of a line that is damaged the frame's seq is what can be
// read of it, or 0.
func parse(line []byte) (frame, quality) {
	f := frame{line: line}
	v, rest, ok := number(line, `{"v":`)
	if !ok {
		return f, damaged
	}
	there, right := sealed(line)
	if v > version && (right || !there && json.Valid(line)) {
		return f, newer
	}
	seq, rest, ok := number(rest, `,"seq":`)
	if !ok || len(rest) == 0 || seq == 0 || seq > maxSeq {
		return f, damaged
	}
	f.seq = seq
	if v != version || !right {
		return f, damaged
	}
	at, rest, ok := quoted(rest, `,"t":"`)
	if !ok {
		return f, damaged
	}
	kind, rest, ok := quoted(rest, `,"k":"`)
	if !ok || len(rest) < crcTail || rest[0] != ',' {
		return f, damaged
	}
	f.at, f.kind, f.members = at, record.Kind(kind), len(line)-len(rest)
	return f, good
}

// stub reports whether a line is the beginning of one, cut before it says which.
func stub(line []byte) bool {
	const head = `{"v":1,"seq":`
	if len(line) <= len(head) {
		return bytes.HasPrefix([]byte(head), line)
	}
	_, rest, ok := number(line, head)
	return ok && len(rest) == 0
}

func number(b []byte, key string) (n uint64, rest []byte, ok bool) {
	b, ok = bytes.CutPrefix(b, []byte(key))
	if !ok {
		return 0, b, false
	}
	i := 0
	for i < len(b) && i < 19 && b[i] >= '0' && b[i] <= '9' {
		n = n*10 + uint64(b[i]-'0')
		i++
	}
	return n, b[i:], i > 0
}

func quoted(b []byte, key string) (value, rest []byte, ok bool) {
	b, ok = bytes.CutPrefix(b, []byte(key))
	if !ok {
		return nil, b, false
	}
	return bytes.Cut(b, []byte{'"'})
}

// time is when the record was made; zero when that cannot be read.
func (f frame) time() time.Time {
	t, err := time.Parse(time.RFC3339Nano, string(f.at))
	if err != nil {
		return time.Time{}
	}
	return t.UTC()
}

// object is the entry as a JSON object. It overwrites bytes of the line: that is
// no line any more.
func (f frame) object() []byte {
	end := len(f.line) - crcTail
	if f.members == end {
		return []byte(`{}`)
	}
	f.line[f.members], f.line[end] = '{', '}'
	return f.line[f.members : end+1]
}

// named reads which blob holds the entry, and how long it is.
func (f frame) named() (sum string, size int64, ok bool) {
	end := len(f.line) - crcTail
	name, rest, ok := quoted(f.line[f.members:end], `,"blob":"`)
	if !ok || len(name) != 64 {
		return "", 0, false
	}
	if _, err := hex.DecodeString(string(name)); err != nil {
		return "", 0, false
	}
	n, rest, ok := number(rest, `,"size":`)
	if !ok || len(rest) != 0 || n > maxBlob {
		return "", 0, false
	}
	return string(name), int64(n), true
}
