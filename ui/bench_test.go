package ui

import (
	"fmt"
	"strings"
	"testing"
)

// BenchmarkPull is what a change in the pane that is shown costs until it can be
// drawn, while other panes with full panels do nothing. It must hardly grow with
// their number.
func BenchmarkPull(b *testing.B) {
	for _, panes := range []int{1, 9} {
		b.Run(fmt.Sprintf("panes=%d", panes), func(b *testing.B) {
			d := fullPanes(b, panes)
			b.ReportAllocs()
			for b.Loop() {
				d.pane.Note("a line more", false)
				d.app.pull()
			}
		})
	}
}

// BenchmarkKeyFrame is what a key costs with its frame, in the first of several
// panes with full panels.
func BenchmarkKeyFrame(b *testing.B) {
	for _, panes := range []int{1, 9} {
		b.Run(fmt.Sprintf("panes=%d", panes), func(b *testing.B) {
			d := fullPanes(b, panes)
			b.ReportAllocs()
			for b.Loop() {
				d.press("x", "backspace")
			}
		})
	}
}

func fullPanes(b *testing.B, n int) *driver {
	d := drive(b, 120, 40, echoing("x"))
	for len(d.app.tabs) < n {
		d.agents.Open("fake")
		d.draw()
	}
	for _, p := range d.desk.Panes() {
		p.Note(strings.Repeat("One of a thousand lines of a full panel.\n", 1000), false)
	}
	d.draw()
	return d
}
