package view

import (
	"fmt"
	"testing"

	"copydesk/core"
	"copydesk/core/panel"
	"copydesk/core/text"
	"copydesk/ui/theme"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/tview"
)

const chunk = "and so on, "

// benchScreen is what both sides draw on: 120×40, without a terminal.
func benchScreen(b *testing.B) tcell.Screen {
	b.Helper()
	s := tcell.NewSimulationScreen("UTF-8")
	if err := s.Init(); err != nil {
		b.Fatal(err)
	}
	s.SetSize(120, 40)
	b.Cleanup(s.Fini)
	return s
}

func prose(i int) string {
	return fmt.Sprintf("%d. The ring keeps a thousand lines, and a line is as long as it wants to be.", i)
}

// BenchmarkAppendFrame is P5: a chunk is added to the last line of a full panel
// and the frame is drawn. The budgets are 2.5 times the empty frame, and a third
// of the time and of the allocations of TextView.
//
// "cleared" calls Clear before each frame, as tview does. In tcell v2.13 that
// makes every cell with text dirty, changed or not, and Show costs the same for
// all; "kept" leaves the screen as it is, which a screen whose Clear only blanks
// what is not drawn anew comes to.
func BenchmarkAppendFrame(b *testing.B) {
	for _, mode := range []struct {
		name  string
		clear bool
	}{{"kept", false}, {"cleared", true}} {
		run := func(name string, prepare func(b *testing.B) (step func(), p tview.Primitive)) {
			b.Run(mode.name+"/"+name, func(b *testing.B) {
				screen := benchScreen(b)
				step, p := prepare(b)
				p.SetRect(0, 0, 120, 40)
				b.ReportAllocs()
				for b.Loop() {
					step()
					if mode.clear {
						screen.Clear()
					}
					p.Draw(screen)
					screen.Show()
				}
			})
		}
		run("empty", func(*testing.B) (func(), tview.Primitive) {
			return func() {}, tview.NewBox().SetBorder(true).SetTitle("playground")
		})
		run("panel", appendToPanel)
		run("textview", appendToTextView)
	}
}

func appendToPanel(b *testing.B) (func(), tview.Primitive) {
	v := NewPanel(newTheme(b, theme.Options{Colors: 256}))
	v.SetTitle("playground")
	lines := make([]panel.Shown, core.PanelLines)
	for i := range lines {
		lines[i] = panel.Shown{Kind: panel.Answer, Line: text.Line{Text: prose(i), Spans: []text.Span{{Len: 2, Style: text.Bullet}}}}
	}
	v.Apply(0, 0, lines)
	next, open := uint64(len(lines)), ""
	return func() {
		from := next - 1
		if open += chunk; len(open) > 2000 {
			open = chunk
			from, next = next, next+1
		}
		v.Apply(next-core.PanelLines, from, []panel.Shown{{Kind: panel.Answer, Line: text.Line{Text: open}}})
	}, v
}

func appendToTextView(*testing.B) (func(), tview.Primitive) {
	v := tview.NewTextView().SetDynamicColors(true).SetMaxLines(core.PanelLines)
	v.SetBorder(true).SetTitle("playground")
	v.ScrollToEnd()
	for i := range core.PanelLines {
		fmt.Fprintf(v, "[teal]%s[-]\n", prose(i))
	}
	open := 0
	return func() {
		if open += len(chunk); open > 2000 {
			open = 0
			fmt.Fprint(v, "\n")
		}
		fmt.Fprint(v, chunk)
	}, v
}

// BenchmarkLongLine is a chunk added to a line of 1 MB, and the frame.
func BenchmarkLongLine(b *testing.B) {
	screen := benchScreen(b)
	v := NewPanel(newTheme(b, theme.Options{Colors: 256}))
	v.SetRect(0, 0, 120, 40)
	long := make([]byte, 0, 3<<20)
	for len(long) < 1<<20 {
		long = append(long, chunk...)
	}
	v.Apply(0, 0, []panel.Shown{{Kind: panel.Answer, Line: text.Line{Text: string(long)}}})
	b.ReportAllocs()
	for b.Loop() {
		if long = append(long, chunk...); len(long) > 2<<20 {
			long = long[:1<<20]
		}
		b.StopTimer()
		s := string(long)
		b.StartTimer()
		v.Apply(0, 0, []panel.Shown{{Kind: panel.Answer, Line: text.Line{Text: s}}})
		v.Draw(screen)
		screen.Show()
	}
}
