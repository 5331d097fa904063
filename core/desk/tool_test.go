package desk

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"copydesk/core"
	"copydesk/core/diff"
	"copydesk/core/panel"
	"copydesk/core/session"
	"copydesk/core/text"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// events makes a turn of events.
func events(all ...session.Event) func(context.Context, string, func(session.Event, error) bool) {
	return func(_ context.Context, _ string, yield func(session.Event, error) bool) {
		for _, e := range all {
			if !yield(e, nil) {
				return
			}
		}
	}
}

func numbered(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "line %d\n", i+1)
	}
	return b.String()
}

func outputs(s ...string) []session.Part {
	var parts []session.Part
	for _, t := range s {
		parts = append(parts, session.Part{Kind: session.OutputPart, Text: t})
	}
	return parts
}

func TestToolCallsAreNamed(t *testing.T) {
	for _, tc := range []struct{ kind, title, want string }{
		{"execute", "go test ./...", "[tool] execute go test ./..."},
		{"read", "Read go.mod", "[tool] Read go.mod"},
		{"other", "look around", "[tool] look around"},
		{"edit", "", "[tool] edit"},
		{"", "", "[tool] a tool without a title"},
		{"", "a\nb\x1b[2J", "[tool] a␊b␛[2J"},
		{"", strings.Repeat("x", titleBytes+1), "[tool] " + strings.Repeat("x", titleBytes) + "…"},
	} {
		b := open(t, false, events(session.ToolCall{ID: "1", Kind: tc.kind, Title: tc.title}))
		b.pane.Submit("go")
		b.shows("[fake] go ✓", tc.want)
	}
}

func TestToolCallsShowWhatCameOut(t *testing.T) {
	change := diff.Unified("a.go", "old\n", "new\n")
	first12 := strings.Split(strings.TrimSuffix(numbered(12), "\n"), "\n")
	for _, tc := range []struct {
		name string
		turn []session.Event
		want []string
	}{
		{"nothing before the end", []session.Event{
			session.ToolCall{ID: "1", Title: "run", Status: session.Running, Chunk: "some"},
		}, []string{"[tool] run"}},
		{"chunks", []session.Event{
			session.ToolCall{ID: "1", Title: "run", Status: session.Running, Chunk: "a\nb"}, session.ToolCall{ID: "1", Chunk: "c\n"}, session.ToolCall{ID: "1", Status: session.Done},
		}, []string{"[tool] run ✓", "a", "bc"}},
		{"no more than a preview", []session.Event{
			session.ToolCall{ID: "1", Title: "run", Status: session.Failed, Parts: outputs(numbered(14))},
		}, append(append([]string{"[tool] run ✗"}, first12...), "… 2 more lines")},
		{"exactly a preview", []session.Event{
			session.ToolCall{ID: "1", Title: "run", Status: session.Done, Parts: outputs(numbered(12))},
		}, append([]string{"[tool] run ✓"}, first12...)},
		{"a long line", []session.Event{
			session.ToolCall{ID: "1", Title: "run", Status: session.Done, Parts: outputs(strings.Repeat("x", previewBytes+10))},
		}, []string{"[tool] run ✓", strings.Repeat("x", previewBytes), "… 10 more bytes"}},
		{"a diff at once, and not again", []session.Event{
			session.ToolCall{ID: "1", Kind: "edit", Title: "a.go", Parts: []session.Part{{Kind: session.DiffPart, Name: "a.go", Text: change}}},
			session.ToolCall{ID: "1", Status: session.Running}, session.ToolCall{ID: "1", Status: session.Done},
		}, []string{"[tool] edit a.go ✓", "--- a.go", "+++ a.go", "@@ -1 +1 @@", "-old", "+new"}},
		{"a change of line ends is seen", []session.Event{
			session.ToolCall{ID: "1", Title: "edit", Status: session.Done, Parts: []session.Part{{Kind: session.DiffPart, Text: "@@ -1 +1 @@\n-a\r\n+a\n"}}},
		}, []string{"[tool] edit ✓", "@@ -1 +1 @@", "-a␍", "+a"}},
		{"named again behind other lines", []session.Event{
			session.ToolCall{ID: "1", Title: "run", Status: session.Running}, session.Text{Chunk: "half "},
			session.ToolCall{ID: "1", Status: session.Done, Parts: outputs("ok\n")}, session.Text{Chunk: "line\nend"},
		}, []string{"[tool] run ✓", "half line", "[tool] run", "ok", "end"}},
		{"only what is new", []session.Event{
			session.ToolCall{ID: "1", Title: "run", Status: session.Done, Parts: outputs("a\n")},
			session.ToolCall{ID: "1", Status: session.Done, Parts: outputs("a\nb\n")}, session.Text{Chunk: "then\n"},
			session.ToolCall{ID: "1", Status: session.Done, Parts: outputs("a\nb\nc\n")}, session.ToolCall{ID: "1", Parts: outputs("a\nb\nc\n")},
		}, []string{"[tool] run ✓", "a", "b", "then", "[tool] run", "c"}},
		{"a text that goes on in another way", []session.Event{
			session.ToolCall{ID: "1", Title: "run", Status: session.Done, Parts: outputs("a\nb\n")}, session.ToolCall{ID: "1", Parts: outputs("a\nx\n")},
		}, []string{"[tool] run ✓", "a", "b", "a", "x"}},
		{"named again where a note waits, too", []session.Event{
			session.ToolCall{ID: "1", Title: "run", Status: session.Done}, session.Text{Chunk: "half "},
			session.ToolCall{ID: "1", Chunk: "a\n"}, session.Notice{Text: "note"}, session.ToolCall{ID: "1", Chunk: "b\n"}, session.Text{Chunk: "line\n"},
		}, []string{"[tool] run ✓", "half line", "[tool] run", "a", "[system] note", "[tool] run", "b"}},
		{"another text", []session.Event{
			session.ToolCall{ID: "1", Title: "run", Status: session.Done, Parts: outputs("a\nb\n")}, session.ToolCall{ID: "1", Parts: outputs("x\n", "y\n")},
		}, []string{"[tool] run ✓", "a", "b", "x", "y"}},
		{"what it was given is a detail", []session.Event{
			session.ToolCall{ID: "1", Title: "run", Status: session.Done, Parts: []session.Part{{Kind: session.InputPart, Text: "{}"}, {Kind: session.PlacePart, Name: "a.go:1"}}},
		}, []string{"[tool] run ✓"}},
		{"blank output", []session.Event{
			session.ToolCall{ID: "1", Title: "run", Status: session.Done, Parts: outputs(" \n\n", "")},
		}, []string{"[tool] run ✓"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			b := open(t, false, events(tc.turn...))
			b.pane.Submit("go")
			b.shows(append([]string{"[fake] go ✓"}, tc.want...)...)
		})
	}
}

func TestPreviewsAreStyledAndNameTheirDetail(t *testing.T) {
	b := open(t, false, events(session.ToolCall{ID: "1", Title: "edit", Status: session.Done, Parts: []session.Part{
		{Kind: session.DiffPart, Text: "--- a\n+++ a\n@@ -1,2 +1,2 @@\n same\n-old\n+new\n"}, {Kind: session.OutputPart, Text: "done\n"},
	}}))
	b.pane.Submit("go")
	b.idle()
	lines := b.pane.Since(0).Lines[1:]
	want := []text.Style{text.NoteTag, text.Muted, text.Muted, text.Hunk, text.Plain, text.Removed, text.Added, text.Muted}
	for i, l := range lines {
		if l.Spans[0].Style != want[i] || l.Detail != lines[0].Detail || l.Detail == 0 {
			t.Errorf("line %q of detail %d has the style %d, want %d", l.Text, l.Detail, l.Spans[0].Style, want[i])
		}
	}
	got := strings.Join(things(b.pane, everything), "\n")
	if !strings.Contains(got, "diff: --- a\n+++ a\n@@ -1,2 +1,2 @@\n same\n-old\n+new\n") || !strings.Contains(got, "output: done\n") {
		t.Errorf("what can be picked is\n%s", got)
	}
}

func TestDetailsHoldAllOfIt(t *testing.T) {
	b := open(t, false, events(
		session.Thought{Chunk: "\n**Plan**\n"}, session.Thought{Chunk: "\nlook\nthere\n"},
		session.ToolCall{ID: "1", Kind: "execute", Title: "make", Status: session.Running, Parts: []session.Part{{Kind: session.InputPart, Name: "command", Text: "make all"}}},
		session.ToolCall{ID: "1", Chunk: numbered(20)}, session.ToolCall{ID: "1", Status: session.Failed},
		session.Thought{Chunk: "again"},
	))
	b.pane.Submit("go")
	b.idle()
	want := []Detail{
		{ID: 3, Kind: panel.Thought, Title: "again", Lines: 1},
		{ID: 2, Kind: panel.Tool, Title: "execute make", Status: session.Failed, Lines: 21},
		{ID: 1, Kind: panel.Thought, Title: "**Plan**", Lines: 5},
	}
	if d := cmp.Diff(want, b.pane.Details()); d != "" {
		t.Error(d)
	}
	got, ok := b.pane.Detail(2)
	if d := cmp.Diff(DetailText{Detail: want[1], Parts: []session.Part{
		{Kind: session.InputPart, Name: "command", Text: "make all"}, {Kind: session.OutputPart, Text: numbered(20)},
	}}, got); !ok || d != "" {
		t.Error(d)
	}
	if got, _ := b.pane.Detail(1); got.Parts[0].Text != "\n**Plan**\n\nlook\nthere\n" {
		t.Errorf("the thought is %q", got.Parts[0].Text)
	}
	if _, ok := b.pane.Detail(4); ok {
		t.Error("there is a detail that nobody made")
	}
}

// TestR8_DetailsStayInBounds floods a pane with outputs, and asks for the sums.
func TestR8_DetailsStayInBounds(t *testing.T) {
	var d details
	long := strings.Repeat("0123456789abcde\n", 1<<16) // 1 MiB
	x := d.add(panel.Tool, "one")
	for range 5 {
		d.grow(x, long)
	}
	got := x.full()
	kept := len(got.Parts[0].Text)
	if kept > core.DetailBytes+100 || !strings.Contains(got.Parts[0].Text, session.Missing(got.Dropped)) {
		t.Errorf("of one call %d bytes are kept, %d dropped", kept, got.Dropped)
	}
	if sum := int64(kept-len(session.Missing(got.Dropped))-1) + got.Dropped; sum != int64(5*len(long)) {
		t.Errorf("%d bytes came, %d are accounted for", 5*len(long), sum)
	}
	for i := range 2 * core.PanelLines {
		y := d.add(panel.Thought, "")
		d.set(y, []session.Part{{Text: fmt.Sprintf("thought %d\n", i)}, {Text: long[:core.DetailsBytes/100]}, {Text: long[:core.DetailsBytes/1000]}})
	}
	if d.size > core.DetailsBytes || len(d.kept) > core.PanelLines {
		t.Errorf("%d details of %d bytes are kept", len(d.kept), d.size)
	}
	sum, dropped := 0, 0
	for _, y := range d.kept {
		sum += y.size
		if f := y.full(); f.Dropped > 0 && len(f.Parts) == 0 {
			dropped++
			if !strings.HasPrefix(f.Title, "thought ") {
				t.Fatalf("a dropped thought is titled %q", f.Title)
			}
			y.grow("more")
			if more := y.full().Dropped - f.Dropped; more != 4 {
				t.Fatalf("4 bytes for a dropped detail count as %d", more)
			}
		}
	}
	if sum != d.size || dropped == 0 {
		t.Errorf("the sizes make %d, not %d; %d have lost their text", sum, d.size, dropped)
	}
}

// TestR8_WhatGrowsMakesNoRoomForItself has the oldest call grow last.
func TestR8_WhatGrowsMakesNoRoomForItself(t *testing.T) {
	var d details
	long := strings.Repeat("x", core.DetailBytes-partBytes)
	oldest := d.add(panel.Tool, "oldest")
	for range core.DetailsBytes/core.DetailBytes - 1 {
		d.grow(d.add(panel.Tool, "x"), long)
	}
	d.grow(oldest, "a")
	if d.grow(oldest, long[1:]); oldest.gone || d.kept[1].gone {
		t.Fatal("there was room for all")
	}
	if d.grow(oldest, "bb"); oldest.gone || !d.kept[1].gone || d.kept[2].gone {
		t.Errorf("%v, %v and %v had to go", oldest.gone, d.kept[1].gone, d.kept[2].gone)
	}
}

func TestR8_DetailSizesAddUp(t *testing.T) {
	texts := []string{"", "a\n", strings.Repeat("b", 1000), strings.Repeat("c\n", core.DetailBytes/3), strings.Repeat("d", core.DetailBytes+1)}
	rapid.Check(t, func(t *rapid.T) {
		var d details
		pick := func(what string) string { return texts[rapid.IntRange(0, len(texts)-1).Draw(t, what)] }
		one := func() *detail { return d.kept[rapid.IntRange(0, len(d.kept)-1).Draw(t, "detail")] }
		for range rapid.IntRange(1, 30).Draw(t, "steps") {
			switch {
			case len(d.kept) == 0 || rapid.IntRange(0, 3).Draw(t, "step") == 0:
				d.add(panel.Tool, "x")
			case rapid.Bool().Draw(t, "set"):
				d.set(one(), outputs(pick("part"), pick("part")))
			default:
				d.grow(one(), pick("chunk"))
			}
			checkSizes(t, &d)
		}
	})
}

func checkSizes(t *rapid.T, d *details) {
	sum := 0
	for _, x := range d.kept {
		held := 0
		for i := range x.parts {
			held += partBytes + x.parts[i].held()
		}
		// The tail of what was cut may be twice as long as what is shown of it.
		if held != x.size || held > core.DetailBytes*3/2+2*partBytes {
			t.Fatalf("a detail of %d bytes counts as %d", held, x.size)
		}
		sum += held
	}
	if sum != d.size || d.size > core.DetailsBytes {
		t.Fatalf("the details take %d bytes and count as %d", sum, d.size)
	}
}

func TestThoughtsAreFolded(t *testing.T) {
	step, seen := make(chan struct{}), make(chan struct{})
	b := open(t, false, func(_ context.Context, _ string, yield func(session.Event, error) bool) {
		for _, chunk := range []string{"\n  \n", "First", " line\nsec", "ond\n", "\n", "third"} {
			yield(session.Thought{Chunk: chunk}, nil)
			seen <- struct{}{}
			<-step
		}
		yield(session.Text{Chunk: "Answer."}, nil)
		yield(session.Thought{Chunk: "one\n"}, nil)
		yield(session.Break{}, nil)
		yield(session.Thought{Chunk: "two"}, nil)
	})
	b.pane.Submit("go")
	for _, want := range []string{"", "[thought] First", "[thought] sec", "[thought] second", "[thought] second", "[thought] third"} {
		<-seen
		if got := strings.Join(rows(b.pane.Since(0))[1:], "\n"); got != want {
			t.Errorf("the thought shows as %q, want %q", got, want)
		}
		step <- struct{}{}
	}
	b.shows("[fake] go ✓", "[thought] First line (+3 lines)", "Answer.", "[thought] one", "[thought] two")
}

func TestPassagesAreSetApart(t *testing.T) {
	b := open(t, false, events(session.Text{Chunk: "one"}, session.Break{}, session.Text{Chunk: "two\n"}, session.Break{}, session.Break{},
		session.ToolCall{ID: "1", Title: "x"}, session.Break{}, session.Text{Chunk: "three"}))
	b.pane.Submit("go")
	b.shows("[fake] go ✓", "one", "", "two", "[tool] x", "three")
	if got, _ := b.pane.session.LastAnswer(); got != "one\n\ntwo\n\nthree" {
		t.Errorf("the content is %q", got)
	}
}

// TestR8_ALineWithoutAnEndIsBroken holds that only the panel breaks it.
func TestR8_ALineWithoutAnEndIsBroken(t *testing.T) {
	answer := strings.Repeat("é", lineBytes) // two bytes each
	b := open(t, false, events(session.Text{Chunk: answer[:3]}, session.Text{Chunk: answer[3:]}, session.Text{Chunk: "\nend"}))
	b.pane.Submit("go")
	got := b.idle()
	if got[len(got)-1] != "end" || got[1]+got[3] != answer || len(got[1]) != lineBytes || !strings.Contains(strings.Join(got, "\n"), "[system] A line longer than 2 MiB goes on in the next one.") {
		t.Errorf("the panel has %d lines", len(got))
	}
	if content, _ := b.pane.session.LastAnswer(); content != answer+"\nend" {
		t.Error("the content is another")
	}
}
