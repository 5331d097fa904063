package ui

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"testing"

	"copydesk/core/desk"
	"copydesk/core/panel"
	"copydesk/core/session"
	"copydesk/core/text"
	"copydesk/ui/theme"
)

// numbering answers with numbered lines.
func numbering(n int) script {
	return func(_ context.Context, _ string, yield func(session.Event, error) bool) {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "line %d of it\n\n", i+1)
		}
		yield(session.Text{Chunk: b.String()}, nil)
	}
}

// styled reports whether a text stands somewhere on the screen in a style.
func (d *driver) styled(s string, e theme.Element) bool {
	want := d.app.Theme.Element(e)
	for y, row := range d.screen.Rows() {
		at := strings.Index(row, s)
		if at < 0 {
			continue
		}
		if _, style, _ := d.screen.Get(text.Width(row[:at]), y); style == want {
			return true
		}
	}
	return false
}

func TestPAN5_ThePanelIsSearchedUpwards(t *testing.T) {
	d := drive(t, 80, 16, numbering(60))
	d.typed("go\n")
	d.idle()
	d.typed("draft")
	d.press("ctrl+x /")
	d.typed("LINE")
	d.shows("/LINE", "not found")
	d.press("backspace", "backspace", "backspace", "backspace")
	d.typed("line 5")
	d.shows("11 of 11", "line 59 of it", "❯ draft")
	if !d.styled("line 59", theme.FoundChosen) || !d.styled("line 57", theme.Found) {
		t.Errorf("what was found is not marked:\n%s", d.text())
	}
	d.press("enter", "n")
	d.shows("10 of 11")
	for range 9 {
		d.press("n")
	}
	d.shows("1 of 11", "line 5 of it")
	d.press("n")
	d.shows("There is nothing older.")
	d.press("N")
	d.shows("2 of 11", "line 50 of it")
	d.press("esc")
	d.lacks("2 of 11")
	if d.styled("line 50", theme.Found) || d.styled("line 50", theme.FoundChosen) {
		t.Error("marks are left")
	}
	d.shows("line 50 of it") // what was found stays in view
	d.press("n")
	d.shows("/line 5") // and the search is taken up again
}

func TestPAN5_EscGoesBackToWhereTheSearchBegan(t *testing.T) {
	d := drive(t, 80, 16, numbering(60))
	d.typed("go\n")
	d.idle()
	before := d.text()
	d.press("ctrl+x /")
	d.typed("line 2 ")
	d.shows("line 2 of it", "1 of 1")
	d.press("esc")
	if d.draw(); d.text() != before {
		t.Errorf("the screen was\n%s\nand is\n%s", before, d.text())
	}
	d.press("tab", "/")
	d.press("up")
	d.shows("/line 2")
}

// TestPAN5_WhatComesIsFoundToo holds that the count follows the stream.
func TestPAN5_WhatComesIsFoundToo(t *testing.T) {
	more := make(chan string)
	d := drive(t, 80, 16, func(ctx context.Context, _ string, yield func(session.Event, error) bool) {
		for s := range more {
			if !yield(session.Text{Chunk: s}, nil) {
				return
			}
		}
	})
	d.typed("go\n")
	more <- "one whale\n"
	d.shows("one whale")
	d.press("ctrl+x /")
	d.typed("whale")
	d.shows("1 of 1")
	more <- "two WHALEs and a wha"
	d.shows("1 of 2")
	more <- "le\n"
	d.shows("1 of 3")
	close(more)
	d.idle()
}

// TestREQ5_WhoSearchesIsNotInterrupted holds that a request waits for the end of
// a search, whatever is typed.
func TestREQ5_WhoSearchesIsNotInterrupted(t *testing.T) {
	d := drive(t, 80, 24, answering(dropRequest))
	d.press("ctrl+x /")
	d.typed("x")
	d.pane.Submit("go")
	d.shows("Drop the table")
	d.wait(d.app.Quiet * 20)
	d.typed("a1r")
	d.paste("a\nr")
	if len(d.app.pending) != 1 || d.app.active {
		t.Fatal("the request was answered, or has the keyboard")
	}
	d.shows("/xa1ra")
	d.press("esc")
	d.wait(d.app.Quiet * 2)
	if !d.app.active {
		t.Error("the request does not come up after the search")
	}
}

// gone is a pane whose first lines have left the panel.
type gone struct {
	*desk.Pane
	lines int
}

func (g *gone) Since(rev uint64) desk.Delta {
	delta := g.Pane.Since(rev)
	delta.First += uint64(g.lines)
	delta.From += uint64(g.lines)
	delta.Status.Session = "20261121-062316-k3f9q2"
	return delta
}

func (g *gone) Earlier(context.Context) iter.Seq2[desk.Line, error] {
	return func(yield func(desk.Line, error) bool) {
		for i := range g.lines {
			s := fmt.Sprintf("old row %d", i)
			if i%1000 == 7 {
				s += " with a whale"
			}
			if !yield(desk.Line{Number: uint64(i), Shown: panel.Shown{Line: text.Line{Text: s}}}, nil) {
				return
			}
		}
	}
}

func TestPAN5_TheSearchGoesOnBeyondThePanel(t *testing.T) {
	d := drive(t, 100, 24, echoing("a whale here\n"))
	g := &gone{d.pane, 5000}
	d.agents.other = g
	d.draw()
	d.typed("go\n")
	d.idle()
	d.press("ctrl+x /")
	d.typed("whale")
	d.shows("1 of 1 · 0… earlier")
	d.wait(earlierAfter)
	d.shows("1 of 1 · 5 earlier")
	d.press("enter", "n")
	d.shows("Lines 3608 to 4408 of 5000 that have left the panel", "old row 4007 with a whale")
	d.press("n", "n")
	d.shows("old row 2007 with a whale")
	d.press("N")
	d.shows("old row 3007 with a whale")
	d.press("c")
	d.until("the copy", func(string) bool { return len(d.clip.all()) == 1 })
	if got := d.clip.all()[0]; strings.Count(got, "\n") != 800 || !strings.Contains(got, "old row 3007 with a whale\n") {
		t.Errorf("%d lines were copied", strings.Count(got, "\n")+1)
	}
	d.press("esc")
	d.lacks("old row")
}
