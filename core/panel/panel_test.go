package panel

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"copydesk/core/session"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func note(s string) Line { return Line{Kind: Note, Text: s} }

func shown(p *Panel) []string {
	_, _, lines := p.Since(0)
	var out []string
	for _, l := range lines {
		out = append(out, l.Text)
	}
	return out
}

func TestPAN1_TheRingKeepsTheLastLines(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.IntRange(1, 12).Draw(t, "size")
		p := New(size, nil)
		var model []string
		for range rapid.IntRange(0, 30).Draw(t, "steps") {
			s := rapid.StringMatching(`[a-z]{0,3}`).Draw(t, "line")
			if n := p.Add(note(s)); n != uint64(len(model)) {
				t.Fatalf("line %q has number %d, want %d", s, n, len(model))
			}
			model = append(model, "[system] "+s)
		}
		kept := model[max(0, len(model)-size):]
		if first := p.First(); first != uint64(len(model)-len(kept)) {
			t.Fatalf("First() = %d, want %d", first, len(model)-len(kept))
		}
		if got := shown(p); !slices.Equal(got, kept) {
			t.Fatalf("the panel holds %q, want %q", got, kept)
		}
		all, n := p.All()
		if all != strings.Join(kept, "\n") || n != len(kept) {
			t.Fatalf("All() = %q, %d", all, n)
		}
	})
}

// step is one change of a panel, drawn at random.
func step(t *rapid.T, p *Panel) {
	switch rapid.IntRange(0, 5).Draw(t, "step") {
	case 0:
		p.Add(Line{Kind: Echo, Tag: "x", Text: rapid.StringMatching(`[a-z]{0,4}`).Draw(t, "echo"), Status: session.Running})
	case 1:
		p.Remark(note(rapid.StringMatching(`[a-z]{0,4}`).Draw(t, "note")))
	case 2, 3:
		chunk := rapid.StringMatching("[a-c*`\n ]{0,12}").Draw(t, "chunk")
		if rapid.Bool().Draw(t, "thought") {
			p.Think(rapid.Uint64Range(1, 2).Draw(t, "passage"), chunk)
		} else {
			p.Write(chunk)
		}
	case 4:
		p.EndText()
	case 5:
		if p.next > 0 {
			p.Mark(rapid.Uint64Range(0, p.next-1).Draw(t, "line"), rapid.IntRange(1, 3).Draw(t, "count"), session.Done)
		}
	}
}

// TestSinceFromAnyRevisionIsTheFullReplay pulls at random moments into a model
// front end, which must show the same as one that pulls everything.
func TestSinceFromAnyRevisionIsTheFullReplay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := New(rapid.IntRange(1, 9).Draw(t, "size"), nil)
		var front []Shown // of line base on
		var base, rev uint64
		for range rapid.IntRange(1, 30).Draw(t, "steps") {
			step(t, p)
			if !rapid.Bool().Draw(t, "pull") {
				continue
			}
			first, from, lines := p.Since(rev)
			rev = p.Revision()
			if from < base {
				t.Fatalf("line %d is replaced, but the front end starts at %d", from, base)
			}
			if from > base+uint64(len(front)) {
				front, base = nil, from
			}
			front = append(front[:from-base:from-base], lines...)
			front, base = front[min(uint64(len(front)), first-min(first, base)):], max(base, first)
			_, _, all := p.Since(0)
			if diff := cmp.Diff(all, front); diff != "" {
				t.Fatalf("after a pull the front end differs:\n%s", diff)
			}
			if _, _, again := p.Since(rev); len(again) != 0 {
				t.Fatalf("nothing changed, yet %d lines come", len(again))
			}
		}
	})
}

// TestPAN1_NoLineIsTorn streams an answer while remarks come: every line of the
// answer stands in the panel whole, in order.
func TestPAN1_NoLineIsTorn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		source := rapid.StringMatching("[a-d`# \n]{1,60}").Draw(t, "answer")
		p := New(1000, nil)
		remarks := 0
		for rest := source; rest != ""; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "cut")
			p.Write(rest[:n])
			rest = rest[n:]
			if rapid.Bool().Draw(t, "remark") {
				p.Remark(note(fmt.Sprint(remarks)))
				remarks++
			}
			if rapid.Bool().Draw(t, "pull") {
				p.Since(0)
			}
		}
		p.EndText()
		var answer []string
		notes := 0
		_, _, lines := p.Since(0)
		for _, l := range lines {
			if l.Kind == Answer {
				answer = append(answer, l.Text)
				continue
			}
			if want := fmt.Sprintf("[system] %d", notes); l.Text != want {
				t.Fatalf("remark %q, want %q", l.Text, want)
			}
			notes++
		}
		if got, want := strings.Join(answer, "\n"), strings.TrimSuffix(source, "\n"); got != want {
			t.Fatalf("the answer's lines are %q, want %q", got, want)
		}
		if notes != remarks {
			t.Fatalf("%d remarks of %d are shown", notes, remarks)
		}
	})
}

func TestPAN1_ARemarkWaitsForTheEndOfTheLine(t *testing.T) {
	p := New(10, nil)
	p.Write("half a ")
	p.Remark(note("copied"))
	if diff := cmp.Diff([]string{"half a "}, shown(p)); diff != "" {
		t.Error(diff)
	}
	p.Write("line\nnext")
	if diff := cmp.Diff([]string{"half a line", "[system] copied", "next"}, shown(p)); diff != "" {
		t.Error(diff)
	}
	p.Remark(note("late"))
	p.EndText()
	if diff := cmp.Diff([]string{"half a line", "[system] copied", "next", "[system] late"}, shown(p)); diff != "" {
		t.Error(diff)
	}
}

// TestPAN4_ALateDelimiterRestylesEarlierLines holds that a front end which has
// pulled a line gets it again when a later chunk changes its style.
func TestPAN4_ALateDelimiterRestylesEarlierLines(t *testing.T) {
	whole := New(10, nil)
	whole.Write("a **b\nc** d\n")
	_, _, want := whole.Since(0)

	p := New(10, nil)
	p.Write("a **b\n")
	p.Since(0)
	rev := p.Revision()
	p.Write("c** d\n")
	_, from, got := p.Since(rev)
	if from != 0 {
		t.Fatalf("lines come from %d on, want 0", from)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestCPY_LastGoesFromTheNewestEchoToTheEnd(t *testing.T) {
	p := New(100, nil)
	if got, n := p.Last(); got != "" || n != 0 {
		t.Errorf("an empty panel has a last command: %q, %d", got, n)
	}
	p.Add(note("hello"))
	if got, n := p.Last(); got != "" || n != 0 {
		t.Errorf("a panel without an echo has a last command: %q, %d", got, n)
	}
	p.Add(Line{Kind: Echo, Tag: "x", Text: "one", Status: session.Done})
	p.Add(Lines(Line{Kind: Echo, Tag: "x", Status: session.Done}, "two\nlines")...)
	p.Add(Line{Kind: Table, Text: "│ 1 │"})
	p.Add(note("Copied 1 line(s) to the clipboard."))
	got, n := p.Last()
	want := "[x] two\nlines ✓\n│ 1 │\n[system] Copied 1 line(s) to the clipboard."
	if got != want || n != 4 {
		t.Errorf("Last() = %q, %d; want %q, 4", got, n, want)
	}
}

func TestEvictedLinesStayGone(t *testing.T) {
	p := New(2, nil)
	n := p.Add(Line{Kind: Tool, Text: "a", Status: session.Running})
	p.Add(note("b"), note("c"))
	p.Mark(n, 1, session.Done)
	p.Replace(n, note("d"))
	if diff := cmp.Diff([]string{"[system] b", "[system] c"}, shown(p)); diff != "" {
		t.Error(diff)
	}
	if _, ok := p.Line(n); ok {
		t.Error("an evicted line can be read")
	}
}

func TestALongStreamKeepsItsEnd(t *testing.T) {
	p := New(100, nil)
	var all []string
	for i := range 50_000 {
		line := fmt.Sprintf("line %d of a long answer that nobody has pulled yet", i)
		all = append(all, line)
		p.Write(line + "\n")
		if i%10_000 == 77 {
			p.Remark(note("between"))
		}
	}
	p.EndText()
	if diff := cmp.Diff(all[len(all)-100:], shown(p)); diff != "" {
		t.Error(diff)
	}
}

func BenchmarkCopyAll(b *testing.B) {
	p := New(1000, nil)
	lines := make([]string, 1000)
	for i := range lines {
		lines[i] = strings.Repeat("x", 120)
		p.Add(Line{Kind: Table, Text: lines[i]})
	}
	b.Run("panel", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			p.All()
		}
	})
	b.Run("strings.Join", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_ = strings.Join(lines, "\n")
		}
	})
}

// TestRemarksMayPushAStreamOut has more remarks between a paragraph's lines than
// the ring holds, and then restyles the whole paragraph.
func TestRemarksMayPushAStreamOut(t *testing.T) {
	p := New(50, nil)
	p.Write("**open\n")
	for i := range 40 {
		p.Write(fmt.Sprintf("words %d\n", i))
		p.Remark(note("a"), note("b"), note("c"))
		p.Since(0)
	}
	p.Write("closed**\n")
	p.EndText()
	if got := shown(p); len(got) != 50 || got[49] != "closed**" {
		t.Errorf("the panel ends with %q", got)
	}
	rapid.Check(t, func(t *rapid.T) {
		p := New(rapid.IntRange(1, 6).Draw(t, "size"), nil)
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			switch rapid.IntRange(0, 2).Draw(t, "step") {
			case 0:
				p.Remark(note("n"))
			case 1:
				p.Write(rapid.SampledFrom([]string{"**a\n", "b**\n", "c", "\n", "```\n"}).Draw(t, "chunk"))
			case 2:
				p.Since(0)
			}
		}
		p.EndText()
		if got := shown(p); len(got) > len(p.slots) {
			t.Fatalf("%d lines in a ring of %d", len(got), len(p.slots))
		}
	})
}

// TestCPY_LastOfAnEchoLongerThanThePanel begins with what is left of it.
func TestCPY_LastOfAnEchoLongerThanThePanel(t *testing.T) {
	p := New(3, nil)
	p.Add(Lines(Line{Kind: Echo, Tag: "x", Status: session.Done}, "1\n2\n3\n4")...)
	if got, n := p.Last(); got != "2\n3\n4 ✓" || n != 3 {
		t.Errorf("Last() = %q, %d", got, n)
	}
}

// TestR8_LongLinesPushTheOldestOut holds that the panel's text is bounded, and
// that the newest line stays whatever its size.
func TestR8_LongLinesPushTheOldestOut(t *testing.T) {
	p := New(100, nil)
	long := strings.Repeat("x", mostBytes/10)
	p.Add(note("first"))
	for i := range 25 {
		p.Add(Line{Kind: Answer, Text: fmt.Sprint(i)})
		p.Write(long + "\n")
	}
	p.EndText()
	sum, got := 0, shown(p)
	for _, l := range got {
		sum += len(l)
	}
	if sum != p.bytes || sum > mostBytes || sum < mostBytes/2 || got[len(got)-1] != long {
		t.Errorf("%d lines of %d bytes are kept, counted as %d", len(got), sum, p.bytes)
	}
	if first := p.First(); first+uint64(len(got)) != p.Next() || first < 20 {
		t.Errorf("the first of %d lines is %d, the next %d", len(got), first, p.Next())
	}
	p.Write(strings.Repeat("y", mostBytes+1))
	if got := shown(p); len(got) != 1 || len(got[0]) != mostBytes+1 {
		t.Errorf("%d lines are kept beside one that is too long", len(got))
	}
	p.Add(note("next"))
	if got := shown(p); len(got) != 1 || got[0] != "[system] next" || p.bytes != len(got[0]) {
		t.Errorf("%d lines are kept after it", len(got))
	}
}
