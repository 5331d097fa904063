package view

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"copydesk/core/panel"
	"copydesk/core/text"
	"copydesk/ui/theme"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// A model is the panel without any cache: all rows of all lines, anew for every
// question.
type model struct {
	lines         []panel.Shown
	first         int
	width, height int // of the text

	follow   bool
	line, at int // the anchor: line number and byte
}

type modelRow struct {
	line, start int
	text        string
}

func (m *model) rows() []modelRow {
	var rows []modelRow
	for i, l := range m.lines {
		wrapped := []text.Row{{End: len(l.Text)}}
		if l.Kind != panel.Table {
			wrapped = text.Wrap(l.Text, m.width)
		}
		for _, r := range wrapped {
			rows = append(rows, modelRow{m.first + i, r.Start, l.Text[r.Start:r.End]})
		}
	}
	return rows
}

// top is the index of the first visible row.
func (m *model) top(rows []modelRow) int {
	last := max(0, len(rows)-m.height)
	if m.follow {
		return last
	}
	for i := len(rows) - 1; i >= 0; i-- {
		if r := rows[i]; r.line < m.line || r.line == m.line && r.start <= m.at {
			return i
		}
	}
	return 0
}

func (m *model) scroll(n int) {
	rows := m.rows()
	if len(rows) == 0 || n == 0 {
		return
	}
	top := min(max(0, m.top(rows)+n), len(rows)-1)
	if m.follow = top >= len(rows)-m.height; !m.follow {
		m.line, m.at = rows[top].line, rows[top].start
	}
}

func (m *model) drop(n int) {
	m.lines = m.lines[n:]
	m.first += n
	if m.line < m.first {
		m.line, m.at = m.first, 0
	}
	if len(m.lines) == 0 {
		m.follow = true
	}
}

// visible is what the panel must show.
func (m *model) visible() []string {
	rows := m.rows()
	if len(rows) > 0 {
		rows = rows[m.top(rows):]
	}
	shown := make([]string, m.height)
	for i := range min(m.height, len(rows)) {
		shown[i] = strings.TrimRight(expand(rows[i].text), " ")
	}
	return shown
}

// Appended and evicted lines, a growing line, a resize: none moves what is being
// read, and scrolling does what it does in a list of all rows.
func TestPAN5_NothingMovesWhatIsBeingRead(t *testing.T) {
	s := newSimulation(t)
	th := newTheme(t, theme.Options{})
	words := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "some", "words", "世界", "é", "verylongword", " ", "👍🏽"}), 0, 14)
	line := rapid.Custom(func(t *rapid.T) panel.Shown {
		kind := rapid.SampledFrom([]panel.Kind{panel.Echo, panel.Answer, panel.Note}).Draw(t, "kind")
		return panel.Shown{Kind: kind, Line: text.Line{Text: strings.Join(words.Draw(t, "words"), " ")}}
	})
	rapid.Check(t, func(t *rapid.T) {
		v := NewPanel(th)
		m := &model{width: 20, height: 6, follow: true}
		apply := func(from int, lines []panel.Shown) {
			m.lines = append(slices.Clone(m.lines[:from-m.first]), lines...)
			first := m.first + max(0, len(m.lines)-30)
			v.Apply(uint64(first), uint64(from), lines)
			m.drop(first - m.first)
		}
		page := func() (w, h int) { return m.width + 2 + gutterWidth + 1, m.height + 2 }
		v.SetRect(0, 0, m.width+2+gutterWidth+1, m.height+2)
		t.Repeat(map[string]func(*rapid.T){
			"append": func(t *rapid.T) {
				apply(m.first+len(m.lines), rapid.SliceOfN(line, 0, 8).Draw(t, "lines"))
			},
			"grow": func(t *rapid.T) {
				if len(m.lines) == 0 {
					t.Skip("nothing to grow")
				}
				l := m.lines[len(m.lines)-1]
				l.Text += strings.Join(words.Draw(t, "words"), " ")
				apply(m.first+len(m.lines)-1, []panel.Shown{l})
			},
			"evict": func(t *rapid.T) {
				n := rapid.IntRange(0, len(m.lines)).Draw(t, "n")
				v.Apply(uint64(m.first+n), uint64(m.first+len(m.lines)), nil)
				m.drop(n)
			},
			"resize": func(t *rapid.T) {
				m.width, m.height = rapid.IntRange(2, 40).Draw(t, "width"), rapid.IntRange(1, 12).Draw(t, "height")
				w, h := page()
				v.SetRect(0, 0, w, h)
			},
			"scroll": func(t *rapid.T) {
				n := rapid.IntRange(-9, 9).Draw(t, "n")
				v.ScrollRows(n)
				m.scroll(n)
			},
			"page up": func(*rapid.T) {
				v.PageUp()
				m.scroll(-max(1, m.height-1))
			},
			"page down": func(*rapid.T) {
				v.PageDown()
				m.scroll(max(1, m.height-1))
			},
			"top": func(*rapid.T) {
				v.ScrollTop()
				m.scroll(-1 << 20)
			},
			"end": func(*rapid.T) {
				v.ScrollEnd()
				m.follow = true
			},
			"": func(t *rapid.T) {
				w, h := page()
				if v.Following() != m.follow {
					t.Fatalf("following %v, want %v", v.Following(), m.follow)
				}
				if diff := cmp.Diff(m.visible(), s.draw(v, w, h)); diff != "" {
					t.Fatal(diff)
				}
				if !m.follow && v.anchor.Line != uint64(m.line) {
					t.Fatalf("line %d is at the top, want %d", v.anchor.Line, m.line)
				}
			},
		})
	})
}

// Rows kept from a shorter text are the rows of the longer one.
func TestGrowingLineWrapsAsIfAnew(t *testing.T) {
	piece := rapid.OneOf(rapid.SampledFrom(pieces), rapid.SampledFrom([]string{"x", "\u0301", "\u200d", "👧", "🇨", "🇭", "\ufe0f", "averyverylongword"}))
	rapid.Check(t, func(t *rapid.T) {
		width := rapid.IntRange(2, 30).Draw(t, "width")
		var l line
		so := ""
		for _, p := range rapid.SliceOfN(piece, 1, 40).Draw(t, "pieces") {
			so += p
			l.replace(panel.Shown{Kind: panel.Answer, Line: text.Line{Text: text.CleanLine(so)}})
			if diff := cmp.Diff(text.Wrap(l.Text, width), l.wrap(width)); diff != "" {
				t.Fatalf("%q at width %d: %s", l.Text, width, diff)
			}
		}
	})
}

func TestApplyStartsAnewWhereNothingJoins(t *testing.T) {
	v := newPanel(t, 40, 10)
	texts := func() string {
		var s []string
		for _, l := range v.lines {
			s = append(s, l.Text)
		}
		return fmt.Sprint(v.first, s)
	}
	v.Apply(5, 5, shown(panel.Answer, "a", "b", "c"))
	if got := texts(); got != "5 [a b c]" {
		t.Errorf("started late: %s", got)
	}
	v.Apply(6, 7, shown(panel.Answer, "C", "D"))
	if got := texts(); got != "6 [b C D]" {
		t.Errorf("replaced: %s", got)
	}
	v.Apply(6, 7, nil)
	if got := texts(); got != "6 [b]" {
		t.Errorf("cut: %s", got)
	}
	v.Apply(20, 20, shown(panel.Answer, "x"))
	if got := texts(); got != "20 [x]" {
		t.Errorf("after a gap: %s", got)
	}
	v.Apply(0, 0, shown(panel.Answer, "y", "z"))
	if got := texts(); got != "0 [y z]" {
		t.Errorf("from the start: %s", got)
	}
	v.Apply(9, 2, shown(panel.Answer, "1", "2", "3"))
	if got := texts(); got != "9 []" {
		t.Errorf("everything evicted: %s", got)
	}
	v.Apply(9, 9, shown(panel.Answer, "end"))
	if got := texts(); got != "9 [end]" || !v.Following() {
		t.Errorf("after everything was evicted: %s", got)
	}
}

// A chunk wraps its own line's end only: what is kept is not looked at again.
func TestApplyCostsWhatChanged(t *testing.T) {
	v := newPanel(t, 80, 24)
	v.Apply(0, 0, shown(panel.Answer, numbered(0, 1000)...))
	s := newSimulation(t)
	s.draw(v, 80, 24)
	wrapped := 0
	for i := range v.lines {
		if v.lines[i].rows != nil {
			wrapped++
		}
	}
	if wrapped > 30 {
		t.Errorf("%d lines were wrapped for a frame of 22", wrapped)
	}
	open := shown(panel.Answer, "open")
	next := uint64(1000)
	allocs := testing.AllocsPerRun(100, func() {
		v.Apply(next-999, next, open)
		next++
	})
	if allocs > 1 {
		t.Errorf("a line costs %.1f allocations", allocs)
	}
}
