package desk

import (
	"context"
	"testing"

	"copydesk/core/command"
	"copydesk/core/panel"
	"copydesk/core/session"
	"copydesk/core/text"

	"github.com/google/go-cmp/cmp"
)

// everything is a view of the whole panel.
var everything = panel.Position{Line: stillOpen}

func things(p *Pane, to panel.Position) []string {
	out := []string{}
	for _, x := range p.Things(panel.Position{}, to) {
		out = append(out, x.Kind.String()+": "+x.Text)
	}
	return out
}

// TestCPY_ThingsHaveTheTurnsBytes holds that an answer and a turn are what came,
// whatever the panel made of it.
func TestCPY_ThingsHaveTheTurnsBytes(t *testing.T) {
	table := session.Block{Kind: session.TableBlock, Lines: []text.Line{{Text: "┌───┐"}, {Text: "│ 1 │"}, {Text: "└───┘"}}, Source: "| 1 |\n"}
	b := open(t, false, func(_ context.Context, prompt string, yield func(session.Event, error) bool) {
		if prompt == "second" {
			yield(table, nil)
			return
		}
		_ = yield(session.ToolCall{ID: "1", Title: "look", Status: session.Done}, nil) && yield(session.Text{Chunk: "red \x1b[31m\r\n"}, nil)
	})
	for _, prompt := range []string{"first", "mode x", "second"} {
		b.pane.Submit(prompt)
		b.idle()
		b.pane.Note("a remark", false)
	}
	want := []string{
		"turn: ## 1. You\n\nfirst\n\n## 2. fake\n\nred \x1b[31m\r\n", "command: first", "answer: red \x1b[31m\r\n",
		"turn: ## 3. You\n\nsecond\n\n## 4. fake\n\n| 1 |\n", "command: second", "answer: | 1 |\n", "table: ┌───┐\n│ 1 │\n└───┘",
	}
	if diff := cmp.Diff(want, things(b.pane, everything)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(want[:2], things(b.pane, panel.Position{Line: 1})); diff != "" {
		t.Errorf("in a view of the first line: %s", diff)
	}
}

func TestCPY_ARunningTurnHasNoAnswerYet(t *testing.T) {
	b := open(t, false, func(ctx context.Context, _ string, yield func(session.Event, error) bool) {
		if yield(session.Text{Chunk: "half\n"}, nil) {
			<-ctx.Done()
		}
	})
	b.pane.Submit("go")
	b.until("the text", func(d Delta) bool { return len(d.Lines) == 2 })
	if diff := cmp.Diff([]string{"command: go"}, things(b.pane, everything)); diff != "" {
		t.Error(diff)
	}
	b.pane.Cancel()
	b.idle()
	want := []string{"turn: ## 1. You\n\ngo\n\n## 2. fake\n\nhalf\n", "command: go", "answer: half\n"}
	if diff := cmp.Diff(want, things(b.pane, everything)); diff != "" {
		t.Errorf("once it was cancelled: %s", diff)
	}
}

func TestCPY_PickedIsAddedToTheLastCopy(t *testing.T) {
	d := open(t, false, say("x")).desk
	one, two := d.Open(scripted{say("x")}, PaneOptions{}), d.Open(scripted{say("x")}, PaneOptions{})
	for _, step := range []struct {
		content string
		added   bool
		want    Capture
	}{
		{"a", true, Capture{"a", "Copied 1 line(s) to the clipboard.", []string{"path"}}},
		{"b\n", true, Capture{"a\nb\n", "Copied 2 line(s) to the clipboard.", []string{"path added"}}},
		{"c", true, Capture{"a\nb\nc", "Copied 3 line(s) to the clipboard.", []string{"path added"}}},
		{"d", false, Capture{"d", "Copied 1 line(s) to the clipboard.", []string{"path"}}},
	} {
		got := one.Picked("path", step.content, step.added)
		if diff := cmp.Diff(step.want, got); diff != "" {
			t.Error(diff)
		}
		two.Copied(got.Text)
	}
}

func TestCPY_CleanLeavesOutWhatIsHidden(t *testing.T) {
	b := open(t, false, say("a\u200bb\r\n```sh\nls\x1b[0m\n```\n"))
	b.pane.Submit("g\u202eo")
	b.idle()
	for _, tc := range []struct {
		c          command.Copy
		text, note string
	}{
		{command.Copy{Scope: command.Answer}, "ab\r\n```sh\nls[0m\n```\n", "2 hidden characters removed"},
		{command.Copy{Scope: command.Code}, "ls[0m", "1 hidden character removed"},
		{command.Copy{Scope: command.Turn, N: 1}, "go", "1 hidden character removed"},
		{command.Copy{Scope: command.Last}, "[fake] g<U+202E>o ✓\na<U+200B>b\n```sh\nls␛[0m\n```", "0 hidden characters removed"},
	} {
		tc.c.Clean = true
		got, err := b.pane.Copy(tc.c)
		if err != nil || got.Text != tc.text || len(got.Notes) != 1 || got.Notes[0] != tc.note {
			t.Errorf("%+v: %+v, %v; want %q and %q", tc.c, got, err, tc.text, tc.note)
		}
		if n := text.Hidden(got.Text); n != 0 {
			t.Errorf("%+v: %d hidden", tc.c, n)
		}
	}
}

func TestCPY1_NothingIsLeftAfterCleaning(t *testing.T) {
	b := open(t, false, say("\u200b\u200b"))
	b.pane.Submit("go")
	b.idle()
	if _, err := b.pane.Copy(command.Copy{Scope: command.Answer, Clean: true}); err == nil || err.Error() != "Nothing to copy." {
		t.Errorf("the error is %v", err)
	}
}

// TestCPY_OneShellLineHasNoLineEnd holds that a command pasted into a shell is
// not run before somebody presses Enter.
func TestCPY_OneShellLineHasNoLineEnd(t *testing.T) {
	for _, answer := range []string{"```sh\nrm -rf build\n```\n", "```sh\r\nrm -rf build\r\n```", "> ```\n> rm -rf build\n> ```\n", "```\nrm -rf build\n"} {
		b := open(t, false, say(answer))
		b.pane.Submit("how?")
		b.idle()
		for _, clean := range []bool{false, true} {
			got, err := b.pane.Copy(command.Copy{Scope: command.Code, Clean: clean})
			if want := "rm -rf build"; err != nil || got.Text != want {
				t.Errorf("of %q: %q, %v", answer, got.Text, err)
			}
		}
	}
}
