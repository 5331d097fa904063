package shelf

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"copydesk/core/record"
)

func BenchmarkList10000(b *testing.B) {
	dir := b.TempDir()
	generate(b, dir, 10_000, 2000)
	s := shelve(dir)
	index := filepath.Join(dir, indexName)
	run := func(first bool) func(*testing.B) {
		return func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				n := 0
				for range s.List(context.Background()) {
					if n++; first && n == 50 {
						break
					}
				}
			}
		}
	}
	b.Run("cold", func(b *testing.B) {
		for b.Loop() {
			os.Remove(index)
			list(b, s)
		}
	})
	b.Run("warm", run(false))
	b.Run("first 50", run(true))
	os.Remove(index)
	b.Run("first 50 cold", func(b *testing.B) {
		for b.Loop() {
			n := 0
			for range s.List(context.Background()) {
				if n++; n == 50 {
					break
				}
			}
			os.Remove(index)
		}
	})
}

func BenchmarkSearch(b *testing.B) {
	dir := b.TempDir()
	const size = 64 << 20
	generate(b, dir, 200, size/200)
	put(b, dir, 0, record.Prompt{Text: "the oldest has a xylophone"})
	s := shelve(dir)
	for _, words := range []string{"xylophone", "zzz terminal", "sisyphus", "größe zzz"} {
		b.Run("all of it/"+words, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(size)
			for b.Loop() {
				find(b, s, words)
			}
		})
	}
	b.Run("decoded", func(b *testing.B) {
		b.ReportAllocs()
		b.SetBytes(size)
		for b.Loop() {
			hits(b, s, "zzzz", false)
		}
	})
	b.Run("first hit", func(b *testing.B) {
		b.ReportAllocs()
		var longest time.Duration
		for b.Loop() {
			began := time.Now()
			for range s.Search(context.Background(), "journal terminal") {
				break
			}
			longest = max(longest, time.Since(began))
		}
		b.ReportMetric(float64(longest.Microseconds()), "µs-at-most")
	})
}
