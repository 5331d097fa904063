package journal

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"copydesk/core/record"
)

var line300 = strings.Repeat("thirty bytes of some English. ", 10)

func benchJournal(b *testing.B) *Journal {
	s := realStore(b.TempDir())
	j := s.Create(seat)
	j.Append(prompt("go"))
	if err := j.Sync(context.Background()); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { j.Close() })
	return j
}

// BenchmarkAppend appends records of 300 bytes until they are written (P13: at
// most 2 µs each): text, which is joined, and notes, which are a record each.
// The last one is a bare write(2) of as many bytes.
func BenchmarkAppend(b *testing.B) {
	for name, e := range map[string]record.Entry{"text": text(line300), "notes": note(line300)} {
		b.Run(name, func(b *testing.B) {
			j := benchJournal(b)
			b.ReportAllocs()
			b.SetBytes(int64(len(line300)))
			n := 0
			for b.Loop() {
				if n++; n%100_000 == 0 {
					j.Append(record.Ended{}) // or the text of the turn would be capped
				}
				j.Append(e)
			}
			for written := uint64(0); written < j.appended; time.Sleep(time.Millisecond) {
				j.mu.Lock()
				j.flush = true
				written = j.written
				j.leave()
			}
		})
	}
	b.Run("write", func(b *testing.B) {
		f := must(os.OpenFile(filepath.Join(b.TempDir(), "f"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600))
		defer f.Close()
		p := []byte(line300)
		b.ReportAllocs()
		b.SetBytes(int64(len(p)))
		for b.Loop() {
			f.Write(p)
		}
	})
}

// BenchmarkAppendSync appends a prompt of 300 bytes and waits for the disk.
func BenchmarkAppendSync(b *testing.B) {
	j := benchJournal(b)
	b.ReportAllocs()
	for b.Loop() {
		j.Append(prompt(line300))
		if err := j.Sync(context.Background()); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkLoad64MB reads a session of 64 MB, as it is while text streams, and
// opens it.
func BenchmarkLoad64MB(b *testing.B) {
	s := realStore(b.TempDir())
	j := s.Create(seat)
	for range 64 {
		j.Append(prompt("go"))
		for range 1 << 20 / len(line300) {
			j.Append(text(line300[:len(line300)-1] + "\n"))
		}
		j.Append(record.Ended{})
		if err := j.Sync(context.Background()); err != nil {
			b.Fatal(err)
		}
	}
	if err := j.Close(); err != nil {
		b.Fatal(err)
	}
	size := must(os.Stat(s.path(segmentName(j.ID(), 1)))).Size()
	b.Run("read", func(b *testing.B) {
		b.SetBytes(size)
		b.ReportAllocs()
		for b.Loop() {
			seq, _ := s.Read(context.Background(), j.ID())
			for _, err := range seq {
				if err != nil {
					b.Fatal(err)
				}
			}
		}
	})
	b.Run("open", func(b *testing.B) {
		b.SetBytes(size)
		for b.Loop() {
			j, err := s.Open(j.ID())
			if err != nil {
				b.Fatal(err)
			}
			if err := j.Close(); err != nil {
				b.Fatal(err)
			}
		}
	})
}
