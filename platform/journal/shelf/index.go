package shelf

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"copydesk/core/record"
)

// The index holds the summaries of sessions whose files have not changed since.
// It is derived and may be deleted; one that is damaged is made anew.
const (
	indexName  = "index.cache"
	indexMagic = "copydesk sessions 1\n"
	indexMost  = 256 << 20 // bytes that are read of one
	worth      = 32        // as many summaries must be new for it to be written
)

// indexed is a summary and the state of the files that it was made of.
type indexed struct {
	size    int64
	changed int64 // nanoseconds since 1970
	record.Summary
}

// summaries are those that an index has, by the sessions' ids.
type summaries map[string]indexed

// of returns the summary of a session, if nothing has changed since it was made.
func (m summaries) of(t *stored) (record.Summary, bool) {
	i, ok := m[t.id]
	if !ok || i.size != t.bytes || i.changed != t.changed.UnixNano() {
		return record.Summary{}, false
	}
	i.Updated = t.changed
	return i.Summary, true
}

func (s *Shelf) readIndex() summaries {
	f, err := s.open(indexName)
	if err != nil {
		return nil
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || info.Size() > indexMost {
		return nil
	}
	b := make([]byte, info.Size())
	if _, err := io.ReadFull(f, b); err != nil {
		return nil
	}
	m, ok := decodeIndex(b)
	if !ok {
		s.o.Log.Info("the index of the sessions is damaged and is made anew", "file", f.Name())
	}
	return m
}

// writeIndex replaces the index at once. It is not brought to the disk: a torn
// one has a wrong checksum.
func (s *Shelf) writeIndex(list []*stored, known summaries) error {
	s.index.Lock()
	defer s.index.Unlock()
	temp := filepath.Join(s.o.Dir, "index."+strconv.Itoa(os.Getpid())+".tmp")
	if err := os.Remove(temp); err != nil && !os.IsNotExist(err) {
		return err
	}
	f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(encodeIndex(list, known))
	if err2 := f.Close(); err == nil {
		err = err2
	}
	if err == nil {
		err = os.Rename(temp, filepath.Join(s.o.Dir, indexName))
	}
	if err != nil {
		os.Remove(temp)
		return fmt.Errorf("write the index of the sessions: %w", err)
	}
	return nil
}

// encodeIndex writes the summaries of the sessions that there are.
func encodeIndex(list []*stored, known summaries) []byte {
	b := []byte(indexMagic)
	for _, t := range list {
		i, ok := known[t.id]
		if !ok {
			continue
		}
		b = appendString(b, t.id)
		b = binary.AppendVarint(b, i.size)
		b = binary.AppendVarint(b, i.changed)
		b = binary.AppendVarint(b, i.Bytes)
		b = binary.AppendVarint(b, i.Started.Unix())
		b = appendString(b, i.Title)
		b = appendString(b, i.Agent)
		b = appendString(b, i.Dir)
	}
	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b))
}

func appendString(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

// decodeIndex reads an index; false when it is not as it was written.
func decodeIndex(b []byte) (summaries, bool) {
	body, sum := b[:max(0, len(b)-4)], b[max(0, len(b)-4):]
	if len(sum) < 4 || !bytes.HasPrefix(body, []byte(indexMagic)) || binary.BigEndian.Uint32(sum) != crc32.ChecksumIEEE(body) {
		return nil, false
	}
	m := make(summaries, len(body)/128)
	r := reader{rest: string(body[len(indexMagic):])}
	for len(r.rest) > 0 {
		id := r.string()
		i := indexed{size: r.varint(), changed: r.varint()}
		i.ID, i.Bytes = id, r.varint()
		i.Started = time.Unix(r.varint(), 0).UTC()
		i.Title, i.Agent, i.Dir = r.string(), r.string(), r.string()
		if r.bad {
			return nil, false
		}
		m[id] = i
	}
	return m, true
}

// reader takes values off a text. With bad set all that it returns is empty.
type reader struct {
	rest string
	bad  bool
}

func (r *reader) varint() int64 {
	v, n := binary.Varint([]byte(r.rest[:min(len(r.rest), binary.MaxVarintLen64)]))
	r.skip(n)
	return v
}

func (r *reader) string() string {
	v, n := binary.Uvarint([]byte(r.rest[:min(len(r.rest), binary.MaxVarintLen64)]))
	r.skip(n)
	if r.bad || v > uint64(len(r.rest)) {
		r.rest, r.bad = "", true
		return ""
	}
	s := r.rest[:v]
	r.rest = r.rest[v:]
	return s
}

func (r *reader) skip(n int) {
	if n <= 0 {
		r.rest, r.bad = "", true
		return
	}
	r.rest = r.rest[n:]
}
