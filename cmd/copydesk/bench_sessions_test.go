package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"copydesk/core/desk"
	"copydesk/core/record"
	talk "copydesk/core/session"
	"copydesk/platform/journal"
)

// manySessions is how many sessions are stored where it must not matter (P2).
const manySessions = 10_000

// storeIn is a store of sessions for measurements.
func storeIn(dir string) *journal.Store {
	return journal.New(journal.Options{
		Dir: dir, Now: time.Now, Go: func(f func()) { go f() }, Log: slog.New(slog.DiscardHandler),
		After: func(d time.Duration, f func()) func() {
			t := time.AfterFunc(d, f)
			return func() { t.Stop() }
		},
	})
}

// long stores a session of about so many bytes, in turns of 64 KiB, and returns
// its id.
func long(b *testing.B, store *journal.Store, size int) string {
	b.Helper()
	passage := strings.Repeat("Some **prose** with `code`, a [link](https://example.org) and a number 12345.\n", 13)
	j := store.Create(record.Seat{Agent: "playground"})
	j.Append(record.Header{ID: j.ID(), Seat: record.Seat{Agent: "playground"}})
	for written := 0; written < size; {
		j.Append(record.Prompt{Text: "go on", Agent: "playground"})
		for range 64 {
			j.Append(record.Said{Event: talk.Text{Chunk: passage}})
			written += len(passage)
		}
		j.Append(record.Ended{})
		if err := j.Sync(context.Background()); err != nil {
			b.Fatal(err)
		}
	}
	if err := j.Close(); err != nil {
		b.Fatal(err)
	}
	return j.ID()
}

// BenchmarkFirstFrameOfMany is P2: the first frame with 10,000 sessions stored,
// beside an empty state folder. The budget is 1.1 times that.
func BenchmarkFirstFrameOfMany(b *testing.B) {
	empty, full := newBed(b), newBed(b)
	dir := filepath.Join(full.home, "copydesk", sessionsDir)
	store := storeIn(dir)
	whole, err := os.ReadFile(filepath.Join(dir, long(b, store, 64<<10)+".jsonl"))
	if err != nil {
		b.Fatal(err)
	}
	for i := range manySessions {
		name := fmt.Sprintf("20250101-%06d-aaaaaa.jsonl", i)
		if err := os.WriteFile(filepath.Join(dir, name), whole[:min(len(whole), 4<<10)], 0o600); err != nil {
			b.Fatal(err)
		}
	}
	var took [2]sample
	beds := [2]*bed{empty, full}
	first := func(d *bed) time.Duration {
		s := d.sit(desktop)
		defer s.leave()
		return s.until(prompt).Sub(s.began)
	}
	for _, d := range beds {
		first(d)
	}
	for b.Loop() {
		for range startRounds {
			for i, d := range beds {
				took[i].add(first(d))
			}
		}
	}
	took[0].report(b, "empty-ms", 50)
	took[1].report(b, "10k-ms", 50)
	ratio(b, "x", took[1], took[0], 50)
	machine(b)
}

// BenchmarkResume is the time from the start of the program with --resume until
// its input field, by the size of the session.
func BenchmarkResume(b *testing.B) {
	for _, size := range []int{64 << 10, 1 << 20, 16 << 20} {
		b.Run(fmt.Sprintf("%dKiB", size>>10), func(b *testing.B) {
			d := newBed(b)
			id := long(b, storeIn(filepath.Join(d.home, "copydesk", sessionsDir)), size)
			var took sample
			for b.Loop() {
				for range 5 {
					s := d.sit(desktop, "--resume", id)
					took.add(s.until(prompt).Sub(s.began))
					s.leave()
				}
			}
			took.report(b, "ms", 50)
			machine(b)
		})
	}
}

// BenchmarkRestore is what of that is reading the session and making its panel.
func BenchmarkRestore(b *testing.B) {
	const size = 16 << 20
	store := storeIn(b.TempDir())
	id := long(b, store, size)
	b.SetBytes(size)
	b.ReportAllocs()
	for b.Loop() {
		records, _ := store.Read(context.Background(), id)
		past, err := desk.Read(desk.Deps{Now: time.Now, PanelLines: 1000}, records)
		if err != nil || len(past.Lines) != 1000 {
			b.Fatalf("%d lines, %v", len(past.Lines), err)
		}
	}
}
