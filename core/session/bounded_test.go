package session

import (
	"strings"
	"testing"
	"unicode/utf8"

	"copydesk/core"

	"pgregory.net/rapid"
)

// TestR8_ABoundedTextKeepsItsHeadAndTail holds against a plain string: nothing
// is lost below the limit, and above it all that is missing is counted.
func TestR8_ABoundedTextKeepsItsHeadAndTail(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.IntRange(2, 64).Draw(t, "limit")
		b := NewBounded(limit)
		var all strings.Builder
		for range rapid.IntRange(0, 20).Draw(t, "writes") {
			chunk := rapid.StringOfN(rapid.RuneFrom([]rune("ab\né€😀")), 0, 40, -1).Draw(t, "chunk")
			b.Write(chunk)
			all.WriteString(chunk)
		}
		want := all.String()
		head, tail, dropped := b.Cut()
		if b.Len() > limit+limit/2+1 {
			t.Fatalf("%d bytes are held, the limit is %d", b.Len(), limit)
		}
		if len(want) <= limit && (b.String() != want || dropped != 0) {
			t.Fatalf("%q became %q", want, b.String())
		}
		if !strings.HasPrefix(want, head) || !strings.HasSuffix(want, tail) || int64(len(head)+len(tail))+dropped != int64(len(want)) {
			t.Fatalf("of %q are kept %q and %q, %d dropped", want, head, tail, dropped)
		}
		if !utf8.ValidString(head) || !utf8.ValidString(tail) {
			t.Fatalf("a character was cut: %q and %q", head, tail)
		}
		if dropped > 0 && !strings.Contains(b.String(), Missing(dropped)+"\n"+tail) {
			t.Fatalf("%q does not say that %d bytes are missing", b.String(), dropped)
		}
		for _, suffix := range []string{"\n", "\n\n", "b"} {
			if len(want) >= len(suffix) && limit > 8 && b.EndsWith(suffix) != strings.HasSuffix(want, suffix) {
				t.Fatalf("EndsWith(%q) of %q is %v", suffix, want, b.EndsWith(suffix))
			}
		}
	})
}

func TestR8_AnyBytesAreKept(t *testing.T) {
	b := NewBounded(8)
	b.Write("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff")
	head, tail, dropped := b.Cut()
	if len(head)+len(tail)+int(dropped) != 12 || head == "" || tail == "" {
		t.Errorf("%q, %q, %d", head, tail, dropped)
	}
}

// TestR8_ALongTurnKeepsItsEnds holds what a turn of more than its limit becomes.
func TestR8_ALongTurnKeepsItsEnds(t *testing.T) {
	var s Session
	s.Begin("p", "claude")
	line := strings.Repeat("0123456789abcde\n", 1<<12)
	for range 2 * core.TurnBytes / len(line) {
		s.Write(line)
	}
	s.Break()
	s.Write("the end")
	s.End(Complete)
	got, _ := s.LastAnswer()
	if len(got) > core.TurnBytes+100 || !strings.HasPrefix(got, line) || !strings.HasSuffix(got, line[:len(line)-1]+"\n\nthe end") {
		t.Fatalf("%d bytes are kept, from %q to %q", len(got), got[:20], got[len(got)-20:])
	}
	head, tail, found := strings.Cut(got, "[… ")
	if !found || !strings.HasSuffix(head, "\n") {
		t.Fatal("nothing says that something is missing")
	}
	_, tail, _ = strings.Cut(tail, "\n")
	missing := 2*core.TurnBytes/len(line)*len(line) + len("\nthe end") - len(head) - len(tail)
	if !strings.Contains(got, Missing(int64(missing))) {
		t.Errorf("%d bytes are missing, and it says %q", missing, got[len(head):len(head)+60])
	}
}

// BenchmarkWriteBeyondTheLimit writes 64 MB in chunks of 1 KB.
func BenchmarkWriteBeyondTheLimit(b *testing.B) {
	chunk := strings.Repeat("x", 1<<10)
	b.SetBytes(64 << 20)
	b.ReportAllocs()
	for b.Loop() {
		var s Session
		s.Begin("p", "claude")
		for range 64 << 10 {
			s.Write(chunk)
		}
		s.End(Complete)
	}
}
