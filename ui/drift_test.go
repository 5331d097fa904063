package ui

import (
	"context"
	"strings"
	"testing"

	"copydesk/core/session"
	"copydesk/core/text"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// shapes are events that make every shape of line that a panel has (PAN 3).
var shapes = []session.Event{
	session.Text{Chunk: "plain words, `code` and **strong**\n"},
	session.Text{Chunk: "# Größe 日本語 e\u0301 👩‍👩‍👧 🏴\n\ttab\tand\ttab\n"},
	session.Text{Chunk: "```go\nfunc main() {\n\tprintln(1)\n}\n```\n"},
	session.Text{Chunk: "esc\x1b[2J csi\u009b bidi\u202e tag\U000e0041 nul\x00 cr\rdel\x7f\n"},
	session.Text{Chunk: "| a | b |\n|---|---|\n| 1 | 2 |\n> quote\n- item\n1. one\n---\n\n"},
	session.Thought{Chunk: "hm, *maybe*\n"},
	session.Thought{Chunk: "first I look\n\nthen I\tthink 日本\u202e\nand"},
	session.Break{},
	session.ToolCall{ID: "1", Title: "edit a.go", Status: session.Running},
	session.ToolCall{ID: "2", Title: "run tests", Status: session.Done},
	session.ToolCall{ID: "3", Title: "fetch", Status: session.Failed},
	session.ToolCall{ID: "1", Status: session.Done, Parts: []session.Part{{Kind: session.DiffPart, Name: "a.go", Text: "--- a/a.go\n+++ b/a.go\n@@ -1,3 +1,3 @@\n package a\n-\tx := 1\n+\tx := 2 // 日本\u202e\n\\ No newline at end of file\n"}}},
	session.ToolCall{ID: "2", Chunk: "ok  \tcopydesk/core\x1b[2J\t0.8s\n"},
	session.ToolCall{ID: "2", Title: "execute tests again", Kind: "execute", Status: session.Done},
	session.ToolCall{ID: "4", Title: "read b.txt", Kind: "read", Status: session.Done, Parts: []session.Part{
		{Kind: session.PlacePart, Name: "b.txt:7"}, {Kind: session.InputPart, Lang: "json", Text: "{\"path\": \"b.txt\"}"}, {Text: strings.Repeat("a line\n", 20)},
	}},
	session.ToolCall{ID: "5", Kind: "fetch", Status: session.Failed, Parts: []session.Part{{Text: "it\r\nfailed\u009b and " + strings.Repeat("long ", 15)}}},
	session.Plan{Steps: []session.PlanStep{{Text: "look", Status: session.Done}, {Text: "change", Status: session.Running}}},
	session.Block{Kind: session.TeachingBlock, Lines: []text.Line{{Text: "CREATE TABLE T"}}},
	session.Block{Kind: session.PlanBlock, Lines: []text.Line{{Text: "└─ SCAN t", Spans: []text.Span{{Len: 7, Style: text.Border}, {Len: 6, Style: text.Keyword | text.Bold}}}}},
	session.Block{Kind: session.TableBlock, Lines: []text.Line{{Text: "┌────┬──────┐"}, {Text: "│ id │ 名前 │"}, {Text: "└────┴──────┘"}}},
	session.Notice{Text: "Customers\nand a second line"},
	session.Notice{Text: "There is no table T.", Error: true},
}

// shownText is what the cells of the panel say, without its frame and gutter.
func shownText(d *driver) []string {
	var out []string
	rows := d.screen.Rows()
	_, height := d.screen.Size()
	for _, row := range rows[1 : height-3] {
		inner := strings.TrimSuffix(strings.TrimPrefix(row, "│"), "│")
		for _, gutter := range []string{"▎ ", "▎", "  "} {
			if cut, ok := strings.CutPrefix(inner, gutter); ok {
				inner = cut
				break
			}
		}
		out = append(out, strings.TrimRight(inner, " "))
	}
	for len(out) > 0 && out[len(out)-1] == "" {
		out = out[:len(out)-1]
	}
	return out
}

// expanded is a copied text as a screen shows it: tabs reach to their stops.
func expanded(copied string) []string {
	var out []string
	for _, line := range strings.Split(copied, "\n") {
		var b strings.Builder
		for c := range text.Clusters(line, text.Row{Start: 0, End: len(line)}) {
			if line[c.Start] == '\t' {
				b.WriteString(strings.Repeat(" ", c.Width))
				continue
			}
			b.WriteString(line[c.Start:c.End])
		}
		out = append(out, strings.TrimRight(b.String(), " "))
	}
	for len(out) > 0 && out[len(out)-1] == "" {
		out = out[:len(out)-1]
	}
	return out
}

// TestPAN3_WhatIsDrawnIsWhatIsCopied reads the cells of the whole desk back, for
// every shape of line and for mixes of them, finished, failed and running.
func TestPAN3_WhatIsDrawnIsWhatIsCopied(t *testing.T) {
	check := func(t rapid.TB, d *driver) {
		capture, err := d.pane.Copy(panelScope)
		if err != nil {
			t.Fatalf("copying: %v", err)
		}
		if diff := cmp.Diff(expanded(capture.Text), shownText(d)); diff != "" {
			t.Fatalf("the copy (-) is not what is drawn (+):\n%s", diff)
		}
	}
	rapid.Check(t, func(rt *rapid.T) {
		events := rapid.SliceOfN(rapid.SampledFrom(shapes), 1, 7).Draw(rt, "events")
		fail := rapid.Bool().Draw(rt, "fail")
		shown, hold := make(chan struct{}), make(chan struct{})
		d := drive(t, 110, 130, func(ctx context.Context, _ string, yield func(session.Event, error) bool) {
			for _, e := range events {
				if !yield(e, nil) {
					return
				}
			}
			close(shown)
			select {
			case <-hold:
			case <-ctx.Done():
			}
			if fail {
				yield(nil, context.DeadlineExceeded)
			}
		})
		d.pane.Submit("an echo\nof two lines")
		<-shown
		d.draw()
		check(rt, d)
		close(hold)
		d.idle()
		check(rt, d)
	})
}

// TestPAN3_AnAddedPrefixIsFound shows that the comparison can fail: a copy that
// the renderer has put something before is noticed.
func TestPAN3_AnAddedPrefixIsFound(t *testing.T) {
	d := drive(t, 120, 30, echoing("one line\n"))
	d.typed("go\n")
	d.idle()
	capture, err := d.pane.Copy(panelScope)
	if err != nil {
		t.Fatal(err)
	}
	if !cmp.Equal(expanded(capture.Text), shownText(d)) {
		t.Fatal("the unchanged renderer differs already")
	}
	d.screen.PutStr(3, 2, "> one line")
	d.screen.Show()
	if cmp.Equal(expanded(capture.Text), shownText(d)) {
		t.Error("a renderer that adds a prefix is not noticed")
	}
}
