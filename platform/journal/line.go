package journal

import (
	"bytes"
	"encoding/hex"
	"hash/crc32"
	"math"
	"strconv"
	"time"

	"copydesk/core"
	"copydesk/core/record"
)

// version is that of the lines this program writes. A later one must keep where
// the version and the checksum stand.
const version = 1

const (
	sumLength = len(`,"c":"01234567"}`)
	mostLine  = core.LineBytes + 4096 // with its frame
	mostSeq   = math.MaxInt64
)

var (
	lineStart = []byte(`{"v":`)
	seqKey    = []byte(`,"seq":`)
	timeKey   = []byte(`,"t":"`)
	kindKey   = []byte(`","k":"`)
	sumKey    = []byte(`,"c":"`)
	blobKey   = []byte(`,"blob":"`)
	sizeKey   = []byte(`","size":`)
)

// castagnoli is the polynomial that processors compute (RFC 3720).
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// appendLine adds a record's line to b: the frame around the members of object.
func appendLine(b []byte, seq uint64, at time.Time, kind record.Kind, object []byte) []byte {
	start := len(b)
	b = append(b, lineStart...)
	b = strconv.AppendInt(b, version, 10)
	b = append(b, seqKey...)
	b = strconv.AppendUint(b, seq, 10)
	b = append(b, timeKey...)
	b = at.UTC().AppendFormat(b, time.RFC3339Nano)
	b = append(b, kindKey...)
	b = append(b, kind...)
	b = append(b, '"')
	if members := object[1 : len(object)-1]; len(members) > 0 {
		b = append(append(b, ','), members...)
	}
	return append(seal(b, start), '\n')
}

// seal adds the checksum of what is in b from start on, and ends the object.
func seal(b []byte, start int) []byte {
	var raw [4]byte
	sum := crc32.Checksum(b[start:], castagnoli)
	raw[0], raw[1], raw[2], raw[3] = byte(sum>>24), byte(sum>>16), byte(sum>>8), byte(sum)
	b = append(b, sumKey...)
	b = hex.AppendEncode(b, raw[:])
	return append(b, `"}`...)
}

// unseal takes the checksum off an object; false when it is not right.
func unseal(line []byte) (body []byte, sum uint32, ok bool) {
	at := len(line) - sumLength
	if at < 0 || !bytes.HasPrefix(line[at:], sumKey) || !bytes.HasSuffix(line, []byte(`"}`)) {
		return nil, 0, false
	}
	var raw [4]byte
	if _, err := hex.Decode(raw[:], line[at+len(sumKey):len(line)-2]); err != nil {
		return nil, 0, false
	}
	sum = uint32(raw[0])<<24 | uint32(raw[1])<<16 | uint32(raw[2])<<8 | uint32(raw[3])
	return line[:at], sum, crc32.Checksum(line[:at], castagnoli) == sum
}

// A frame is what every line has.
type frame struct {
	seq  uint64
	sum  uint32
	at   []byte // RFC 3339
	kind []byte
	rest []byte // the members of the entry with the comma before each
	blob []byte // the name of the file that has the entry, and its size
	size int64
}

// verdict is what a line is.
type verdict uint8

const (
	damaged verdict = iota
	good
	newer // of a later version
)

// parse reads the frame of a line without its line end. The frame has parts of
// the line, which is not changed.
func parse(line []byte) (frame, verdict) {
	var f frame
	body, sum, ok := unseal(line)
	if !ok {
		return f, damaged
	}
	f.sum = sum
	rest, ok := bytes.CutPrefix(body, lineStart)
	if !ok {
		return f, damaged
	}
	v, rest, ok := number(rest)
	if !ok || v < version {
		return f, damaged
	}
	if v > version {
		return f, newer
	}
	if rest, ok = bytes.CutPrefix(rest, seqKey); !ok {
		return f, damaged
	}
	if f.seq, rest, ok = number(rest); !ok || f.seq == 0 {
		return f, damaged
	}
	if rest, ok = bytes.CutPrefix(rest, timeKey); !ok {
		return f, damaged
	}
	if f.at, rest, ok = bytes.Cut(rest, kindKey); !ok {
		return f, damaged
	}
	end := bytes.IndexByte(rest, '"')
	if end < 0 || end+1 < len(rest) && rest[end+1] != ',' {
		return f, damaged
	}
	f.kind, f.rest = rest[:end], rest[end+1:]
	return f, f.cutBlob()
}

// cutBlob finds the name of the file that has the entry.
func (f *frame) cutBlob() verdict {
	rest, ok := bytes.CutPrefix(f.rest, blobKey)
	if !ok {
		return good
	}
	name, rest, ok := bytes.Cut(rest, sizeKey)
	if !ok || len(name) != blobLength || !isHex(name) {
		return damaged
	}
	size, rest, ok := number(rest)
	if !ok || len(rest) > 0 {
		return damaged
	}
	f.blob, f.size = name, int64(size)
	return good
}

// time is when the record was made; zero when that is no time that can be read.
func (f *frame) time() time.Time {
	at, err := time.Parse(time.RFC3339Nano, string(f.at))
	if err != nil {
		return time.Time{}
	}
	return at.UTC()
}

// number reads decimal digits.
func number(b []byte) (n uint64, rest []byte, ok bool) {
	i := 0
	for ; i < len(b) && b[i] >= '0' && b[i] <= '9'; i++ {
		if n > mostSeq/10-1 {
			return 0, nil, false
		}
		n = n*10 + uint64(b[i]-'0')
	}
	return n, b[i:], i > 0
}

func isHex(b []byte) bool {
	for _, c := range b {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

// salvage finds a whole record behind something that is none, on one line: what
// stood there was cut, or became zeros. In a record no quotation mark follows a
// brace without a backslash between them, so what is found began as one.
func salvage(line []byte) (f frame, at int, ok bool) {
	at = bytes.LastIndex(line, lineStart)
	if at <= 0 {
		return f, 0, false
	}
	f, v := parse(line[at:])
	return f, at, v == good
}
