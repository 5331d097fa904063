package markdown_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/yuin/goldmark"
	gmtext "github.com/yuin/goldmark/text"

	"copydesk/core/markdown"
)

// Hostile text costs no more than a fixed number of steps per byte, however it
// is made.
func TestPAN4_hostileTextCostsLinearTime(t *testing.T) {
	const n = 100_000
	for _, src := range hostile(n) {
		p := markdown.New(nil)
		p.Append(src)
		p.Close()
		p.Take(1 << 30)
		if steps, _, _ := p.Work(); steps > 40*n {
			t.Errorf("%.30q… took %d steps for %d bytes", src, steps, n)
		}
	}
}

// An open fence is not tokenised anew for every line: all in all each line is
// highlighted a fixed number of times.
func TestP6_openFenceIsHighlightedInLinearWork(t *testing.T) {
	for _, n := range []int{100, 1000, 10_000} {
		m := new(marks)
		p := markdown.New(m)
		p.Append("```go\n")
		for range n {
			p.Append("x := 1")
			p.Take(1000)
			p.Append("\n")
			p.Take(1000)
		}
		p.Append("```\n")
		p.Take(1000)
		if m.lines > 25*n {
			t.Errorf("%d lines of code: %d lines were highlighted", n, m.lines)
		}
	}
}

// What is held is bounded by what is not settled, not by the answer.
func TestP12_settledTextIsDropped(t *testing.T) {
	p := markdown.New(&marks{})
	src := mixed(300_000)
	most := 0
	for src != "" {
		n := min(len(src), 1000)
		p.Append(src[:n])
		src = src[n:]
		p.Take(1000)
		_, records, segment := p.Work()
		most = max(most, records)
		if segment > 64<<10 {
			t.Fatalf("a segment of %d bytes", segment)
		}
	}
	if most > 600 {
		t.Errorf("%d records were held", most)
	}
}

// Text out of reach is neither painted nor highlighted.
func TestTakePaintsOnlyWhatIsKept(t *testing.T) {
	m := new(marks)
	p := markdown.New(m)
	p.Append(strings.Repeat("```go\nx\n```\n\n`a` [b\n\n", 10_000) + strings.Repeat("end\n\n", 10))
	p.Close()
	p.Take(20)
	if steps, _, _ := p.Work(); m.lines > 0 || steps > 0 {
		t.Errorf("%d lines were highlighted, %d steps made, want none", m.lines, steps)
	}
}

// A burst leaves code plain until a calmer Take, and Behind says so.
func TestBurstLeavesCodeForLater(t *testing.T) {
	m := new(marks)
	p := markdown.New(m)
	p.Append("```go\n\"x\n```\n" + strings.Repeat("text\n\n", 5000))
	p.Append("```go\n\"y\n```\n")
	p.Take(1000)
	if m.lines != 0 || !p.Behind() {
		t.Fatalf("%d lines were highlighted in a burst, behind: %v", m.lines, p.Behind())
	}
	from, lines := p.Take(1000)
	if len(lines) != 2 || painted(t, lines[0]) != `{str "y}` || p.Behind() {
		t.Errorf("after the burst: from %d %v, behind: %v", from, lines, p.Behind())
	}
}

// mixed is n bytes of an answer with prose, code and tables.
func mixed(n int) string {
	var b strings.Builder
	r := rand.New(rand.NewPCG(17, 18))
	words := strings.Fields("the panel keeps what an agent says and paints it while it streams so that a copy of `core/panel` is **exactly** what was sent " +
		"see [the notes](https://example.org/notes) or *ask* again when a `table` or a fence is not _closed_ yet since 2026")
	for b.Len() < n {
		fmt.Fprintf(&b, "## Step %d\n\n", r.IntN(100))
		for range 2 + r.IntN(3) {
			for k := range 30 + r.IntN(60) {
				if k > 0 {
					b.WriteByte(" \n"[min(1, r.IntN(14)/13)])
				}
				b.WriteString(words[r.IntN(len(words))])
			}
			b.WriteString(".\n\n")
		}
		for range 3 {
			fmt.Fprintf(&b, "- item **%d** with `code` in it\n", r.IntN(100))
		}
		b.WriteString("\n```go\nfunc f(ctx context.Context) error {\n")
		for range r.IntN(20) {
			fmt.Fprintf(&b, "\tif x := g(%d); x != nil { // a comment\n\t\treturn fmt.Errorf(\"read %%d: %%w\", x)\n\t}\n", r.IntN(100))
		}
		b.WriteString("}\n```\n\n| name | value | what |\n|---|--:|---|\n")
		for range 4 + r.IntN(8) {
			fmt.Fprintf(&b, "| `row%d` | %d | some words in a cell |\n", r.IntN(100), r.IntN(1000))
		}
		b.WriteString("\n")
	}
	return b.String()[:n]
}

// stream appends src in pieces and takes every so many bytes.
func stream(p *markdown.Painter, src string, piece, every int) {
	since := 0
	for src != "" {
		n := min(len(src), piece)
		p.Append(src[:n])
		src = src[n:]
		if since += n; since >= every {
			p.Take(1000)
			since = 0
		}
	}
	p.Take(1000)
}

func BenchmarkP6_stream(b *testing.B) {
	const size = 10 << 20
	src := mixed(size)
	for _, bench := range []struct {
		name string
		h    markdown.Highlighter
	}{{"plain", nil}, {"chroma", markdown.Chroma()}} {
		b.Run(bench.name, func(b *testing.B) {
			b.SetBytes(size)
			b.ReportAllocs()
			for b.Loop() {
				stream(markdown.New(bench.h), src, 4<<10, 64<<10)
			}
		})
	}
}

// The cost of the last of ten megabytes, beside that of the first.
func BenchmarkP6_lastToFirst(b *testing.B) {
	const size = 10 << 20
	src := mixed(size)
	var first, last float64
	for b.Loop() {
		p := markdown.New(nil)
		first += seconds(func() { stream(p, src[:1<<20], 4<<10, 64<<10) })
		stream(p, src[1<<20:size-1<<20], 4<<10, 64<<10)
		last += seconds(func() { stream(p, src[size-1<<20:], 4<<10, 64<<10) })
	}
	b.ReportMetric(last/first, "last/first")
}

func BenchmarkAppend(b *testing.B) {
	src := mixed(10 << 20)
	b.SetBytes(int64(len(src)))
	b.ReportAllocs()
	for b.Loop() {
		p := markdown.New(nil)
		for rest := src; rest != ""; {
			n := min(len(rest), 4<<10)
			p.Append(rest[:n])
			rest = rest[n:]
		}
	}
}

func BenchmarkGoldmarkParse(b *testing.B) {
	src := []byte(mixed(10 << 20))
	b.SetBytes(int64(len(src)))
	parser := goldmark.New().Parser()
	for b.Loop() {
		parser.Parse(gmtext.NewReader(src))
	}
}

// A chunk of 16 bytes and a Take, at the start of an answer and after 1 MB.
func BenchmarkChunk(b *testing.B) {
	src := mixed(1 << 20)
	chunks := mixed(64 << 10)
	for _, bench := range []struct {
		name, before string
	}{{"start", ""}, {"after1MB", src + "\n\n```\n\n"}} {
		b.Run(bench.name, func(b *testing.B) {
			b.ReportAllocs()
			p := markdown.New(nil)
			at := len(chunks)
			for b.Loop() {
				if at+16 > len(chunks) {
					b.StopTimer()
					p, at = markdown.New(nil), 0
					p.Append(bench.before)
					p.Take(1000)
					b.StartTimer()
				}
				p.Append(chunks[at : at+16])
				at += 16
				p.Take(1000)
			}
		})
	}
}

func BenchmarkCodeBlocks(b *testing.B) {
	src := mixed(1 << 20)
	b.SetBytes(int64(len(src)))
	b.ReportAllocs()
	for b.Loop() {
		markdown.CodeBlocks(src)
	}
}

func seconds(f func()) float64 {
	begin := time.Now()
	f()
	return time.Since(begin).Seconds()
}
