package journal

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path/filepath"
	"unicode/utf8"

	"copydesk/core"
	"copydesk/core/record"
	"copydesk/core/session"
)

// maxBlob is the longest blob that is read: the longest line of an agent with
// every byte escaped.
const maxBlob = 8 * core.LineBytes

// decode makes the record of a frame, whose line it overwrites.
func (s *Store) decode(id string, f frame) (record.Record, error) {
	r := record.Record{Seq: f.seq, Time: f.time()}
	var object []byte
	if sum, size, ok := f.named(); ok {
		content := f.blob
		if content == nil {
			var err error
			if content, err = s.readBlob(id, sum, size); err != nil {
				return r, err
			}
		}
		object = content
	} else {
		object = f.object()
	}
	var err error
	if text, ok := plain(f.kind, object); ok {
		r.Entry = text
	} else {
		r.Entry, err = record.Decode(f.kind, object)
	}
	return r, err
}

func (s *Store) blobPath(id, sum string) string {
	return filepath.Join(s.o.Dir, blobsName(id), sum)
}

var errBlob = errors.New("it is not what was stored")

func (s *Store) readBlob(id, sum string, size int64) ([]byte, error) {
	f, err := s.fs.Open(s.blobPath(id, sum), os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || info.Size() != size {
		return nil, errors.Join(errBlob, err)
	}
	content := make([]byte, size)
	if _, err := io.ReadFull(io.NewSectionReader(f, 0, size), content); err != nil {
		return nil, err
	}
	if got := sha256.Sum256(content); hex.EncodeToString(got[:]) != sum {
		return nil, errBlob
	}
	return content, nil
}

// plain reads the two kinds that make up nearly all of a journal, several times
// as fast as record.Decode does; it leaves whatever is unusual to that.
func plain(kind record.Kind, object []byte) (record.Entry, bool) {
	if kind != record.KindText && kind != record.KindThought {
		return nil, false
	}
	b, ok := bytes.CutPrefix(object, []byte(`{"text":"`))
	if !ok {
		return nil, false
	}
	b, ok = bytes.CutSuffix(b, []byte(`"}`))
	if !ok || !utf8.Valid(b) {
		return nil, false
	}
	text, ok := unquote(b)
	if !ok {
		return nil, false
	}
	if kind == record.KindThought {
		return record.Said{Event: session.Thought{Chunk: text}}, true
	}
	return record.Said{Event: session.Text{Chunk: text}}, true
}

// unescaped are the characters that stand for themselves after a backslash, or
// for one control character.
var unescaped = [256]byte{'"': '"', '\\': '\\', '/': '/', 'n': '\n', 't': '\t', 'r': '\r', 'b': '\b', 'f': '\f'}

// unquote reads the inside of a JSON string without \u escapes. It fails at
// those, and at what may not stand in a string.
func unquote(b []byte) (string, bool) {
	out := make([]byte, 0, len(b))
	for len(b) > 0 {
		i := 0
		for i < len(b) && b[i] != '\\' && b[i] != '"' && b[i] >= ' ' {
			i++
		}
		out = append(out, b[:i]...)
		if b = b[i:]; len(b) == 0 {
			break
		}
		if len(b) < 2 || b[0] != '\\' || unescaped[b[1]] == 0 {
			return "", false
		}
		out = append(out, unescaped[b[1]])
		b = b[2:]
	}
	return string(out), true
}
