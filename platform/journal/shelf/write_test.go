package shelf

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"copydesk/core/record"
	"copydesk/core/session"
	"copydesk/platform/journal"
)

var _ Store = (*journal.Store)(nil)

func at(seconds int) time.Time {
	return time.Date(2026, 11, 21, 6, 23, 16, 0, time.UTC).Add(time.Duration(seconds) * time.Second)
}

// idAt names the n-th session.
func idAt(n int) string {
	const letters = "abcdefghijklmnopqrstuvwxyz234567"
	b := []byte("aaaaaa")
	for i, m := len(b)-1, n; m > 0; i, m = i-1, m/32 {
		b[i] = letters[m%32]
	}
	return at(n).Format(idTime) + "-" + string(b)
}

// appendLine writes a record as a journal does.
func appendLine(b []byte, seq int, e record.Entry) []byte {
	object, err := record.Encode(e)
	if err != nil {
		panic(err)
	}
	start := len(b)
	b = fmt.Appendf(b, `{"v":1,"seq":%d,"t":"%s","k":"%s"`, seq, at(seq).Format(time.RFC3339Nano), e.Kind())
	if len(object) > 2 {
		b = append(append(b, ','), object[1:len(object)-1]...)
	}
	return fmt.Appendf(b, ",\"c\":\"%08x\"}\n", crc32.Checksum(b[start:], crc32.MakeTable(crc32.Castagnoli)))
}

func lines(from int, entries ...record.Entry) (b []byte) {
	for i, e := range entries {
		b = appendLine(b, from+i, e)
	}
	return b
}

func header(n int) record.Header {
	return record.Header{ID: idAt(n), Seat: record.Seat{Agent: "simple", Dir: "/work"}}
}

func said(chunk string) record.Entry    { return record.Said{Event: session.Text{Chunk: chunk}} }
func thought(chunk string) record.Entry { return record.Said{Event: session.Thought{Chunk: chunk}} }

// put stores session n, which changed in the n-th second.
func put(t testing.TB, dir string, n int, entries ...record.Entry) string {
	t.Helper()
	id := idAt(n)
	store(t, dir, id+suffix, n, lines(1, append([]record.Entry{header(n)}, entries...)...))
	return id
}

func store(t testing.TB, dir, name string, second int, content []byte) {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(path, at(second), at(second)); err != nil {
		t.Fatal(err)
	}
}

func shelve(dir string) *Shelf {
	return New(Options{Dir: dir, Store: journal.New(journal.Options{Dir: dir})})
}

func list(t testing.TB, s *Shelf) (all []record.Summary) {
	t.Helper()
	for sum, err := range s.List(context.Background()) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, sum)
	}
	return all
}

func find(t testing.TB, s *Shelf, words string) []record.Hit {
	t.Helper()
	return hits(t, s, words, true)
}

func hits(t testing.TB, s *Shelf, words string, sift bool) (all []record.Hit) {
	t.Helper()
	for h, err := range s.search(context.Background(), Parse(words), sift) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, h)
	}
	return all
}

// generate stores sessions of about so many bytes each: prompts, and answers in
// records of up to 1 KiB. With 10,000 of 300 KiB it makes 3 GB.
func generate(t testing.TB, dir string, sessions, bytes int) {
	t.Helper()
	vocabulary := strings.Fields(`the select from where table order by group count index query plan of a file in Go function returns
		error when context is done; "quoted" \n terminal pane desk copy journal agent answers with markdown and code: func main() { } für größe naïve 日本語 …`)
	rnd := rand.New(rand.NewPCG(1, 2))
	prose := func(n int) string {
		var b strings.Builder
		for b.Len() < n {
			b.WriteString(vocabulary[rnd.IntN(len(vocabulary))])
			b.WriteByte(" \n       "[rnd.IntN(9)])
		}
		return b.String()[:n]
	}
	for n := range sessions {
		b := lines(1, header(n), record.Opened{PID: 1}, record.Prompt{Text: "Explain " + prose(60), Agent: "simple"})
		for seq := 4; len(b) < bytes; seq++ {
			if b = appendLine(b, seq, said(strings.ToValidUTF8(prose(200+rnd.IntN(800)), ""))); seq%20 == 0 {
				b = appendLine(b, seq+1, record.Ended{})
				b = appendLine(b, seq+2, record.Prompt{Text: "And " + prose(30), Agent: "simple"})
				seq += 2
			}
		}
		store(t, dir, idAt(n)+suffix, n, b)
	}
}

func sum64(s string) string { return hex.EncodeToString([]byte(s + strings.Repeat(".", 32))[:32]) }

func checksum(b []byte) uint32 { return crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)) }

func sum32(b []byte) []byte { return binary.BigEndian.AppendUint32(nil, crc32.ChecksumIEEE(b)) }

func sha(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}
