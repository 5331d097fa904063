package desk

import (
	"context"
	"io"
	"iter"
	"log/slog"
	"strings"
	"testing"
	"time"

	"copydesk/core/markdown"
	"copydesk/core/session"
)

// streamed is 10 MB of prose, lists, tables and code.
func streamed() string {
	var b strings.Builder
	for b.Len() < 10<<20 {
		b.WriteString("## A heading\n\nSome *prose* with `code`, **strong words** and a [link](https://example.org/a).\nIt goes on for a second line, as answers do.\n\n")
		b.WriteString("- one item\n- another, with `code`\n\n| name | age |\n|------|-----|\n| Ada  | 36  |\n| Bob  | 41  |\n\n")
		b.WriteString("```go\nfunc add(a, b int) int {\n\t// the sum\n\treturn a + b\n}\n```\n\n")
	}
	return b.String()[:10<<20]
}

type streamer struct {
	source string
	chunk  int
	mark   func(sent int)
}

func (streamer) Name() string               { return "stream" }
func (streamer) Echo(string) (string, bool) { return "stream", true }
func (s streamer) Run(context.Context, string) iter.Seq2[session.Event, error] {
	return func(yield func(session.Event, error) bool) {
		for sent := 0; sent < len(s.source); sent += s.chunk {
			s.mark(sent)
			if !yield(session.Text{Chunk: s.source[sent:min(sent+s.chunk, len(s.source))]}, nil) {
				return
			}
		}
		s.mark(len(s.source))
	}
}

// BenchmarkStream sends 10 MB through session, painter and panel in chunks of 1
// KB, with a front end that pulls at every 64 KB. last/first is the cost of the
// last MB over that of the first (P6).
func BenchmarkStream(b *testing.B) {
	source := streamed()
	b.SetBytes(int64(len(source)))
	b.ReportAllocs()
	var first, last time.Duration
	for b.Loop() {
		var pane *Pane
		var rev uint64
		var at [11]time.Time
		began := false
		s := streamer{source: source, chunk: 1 << 10, mark: func(sent int) {
			if sent%(64<<10) == 0 && began {
				rev = pane.Since(rev).Revision
			}
			began = true
			if sent%(1<<20) == 0 {
				at[sent>>20] = time.Now()
			}
		}}
		d := New(Deps{
			Now: time.Now, Log: slog.New(slog.NewTextHandler(io.Discard, nil)),
			Highlight: markdown.Chroma(), PanelLines: 1000,
		})
		var turn func()
		d.deps.Go = func(f func()) { turn = f }
		pane = d.Open(s, PaneOptions{})
		pane.Submit("go")
		turn() // on this goroutine, without the pane's lock
		first += at[1].Sub(at[0])
		last += at[10].Sub(at[9])
	}
	b.ReportMetric(float64(last)/float64(first), "last/first")
}
