package ui

import (
	"context"
	"strings"
	"testing"
	"time"

	"copydesk/core/command"
	"copydesk/core/pick"
	"copydesk/core/session"
	"copydesk/core/text"
	"copydesk/ui/theme"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// everyKind is an answer with something of every kind to copy.
const everyKind = "See https://example.com/docs, and `core/panel`.\n" +
	"```sh\ncd /srv/app\nmake deploy\n```\n" +
	"| name | note |\n|---|---|\n| a\\|b | \"x\", y |\n\n" +
	"```diff\n-old\n+new\n```\n"

// drawnTable is a table as the playground draws it.
var drawnTable = session.Block{Kind: session.TableBlock, Source: "| id | 名前 |\n", Lines: []text.Line{
	{Text: "┌────┬──────┐"}, {Text: "│ id │ 名前 │"}, {Text: "├────┼──────┤"}, {Text: "│  1 │ 日本 │"}, {Text: "└────┴──────┘"},
}}

// showing answers with every kind of thing.
func showing(_ context.Context, _ string, yield func(session.Event, error) bool) {
	_ = yield(session.Text{Chunk: everyKind}, nil) && yield(drawnTable, nil)
}

// showDesk is a desk with an answer that has every kind of thing in view.
func showDesk(t testing.TB, w, h int) *driver {
	t.Helper()
	d := drive(t, w, h, showing)
	d.typed("how?\n")
	d.idle()
	return d
}

func (d *driver) picker() *picker {
	d.t.Helper()
	p, ok := d.app.stack.Top().(*picker)
	if !ok {
		d.t.Fatalf("no picker is open; the screen is\n%s", d.text())
	}
	return p
}

// label opens the picker and returns the letters of the n-th thing of a kind.
func (d *driver) label(k pick.Kind, n int) string {
	d.t.Helper()
	d.press("ctrl+x c")
	for _, m := range d.picker().marks {
		if m.thing.Kind == k && m.drawn {
			if n--; n == 0 {
				return m.label
			}
		}
	}
	d.t.Fatalf("%v has no letter on\n%s", k, d.text())
	return ""
}

// pickedUp waits for the n-th copy and its note, and returns the copy.
func (d *driver) pickedUp(n int) string {
	d.t.Helper()
	d.until("a copy", func(string) bool { return len(d.clip.all()) >= n })
	d.until("the note", func(string) bool {
		all, _ := d.pane.Copy(panelScope)
		return strings.Count(all.Text, "[system] Cop") >= n
	})
	return d.clip.all()[n-1]
}

func TestCPY_PickerScreens(t *testing.T) {
	for name, size := range map[string][2]int{"picker-120x30": {120, 30}, "picker-60x15": {60, 15}} {
		d := showDesk(t, size[0], size[1])
		d.press("ctrl+x c")
		d.screen.Golden(t, name)
	}
}

func TestCPY_PickerWithoutColour(t *testing.T) {
	d := showDesk(t, 60, 15)
	s := d.app.Settings
	var err error
	if s.Theme, err = theme.New(theme.Options{NoColor: true}); err != nil {
		t.Fatal(err)
	}
	d.app.Configure(s)
	d.draw()
	d.press("ctrl+x c")
	d.screen.Golden(t, "picker-nocolor-60x15")
	d.press(d.picker().marks[len(d.picker().marks)-1].label)
	d.shows("Table: s as shown  t TSV  c CSV")
	d.screen.Golden(t, "picker-table-60x15")
}

// TestCPY_PickEveryKind copies one thing of each kind by its letter.
func TestCPY_PickEveryKind(t *testing.T) {
	d := showDesk(t, 100, 60)
	answer := everyKind + "\n" + drawnTable.Source
	for i, tc := range []struct {
		kind  pick.Kind
		n     int
		form  string // of a table
		text  string
		named string
	}{
		{pick.Answer, 1, "", answer, "answer"},
		{pick.Turn, 1, "", "## 1. You\n\nhow?\n\n## 2. fake\n\n" + answer, "turn"},
		{pick.Command, 1, "", "how?", "command"},
		{pick.URL, 1, "", "https://example.com/docs", "URL"},
		{pick.Path, 1, "", "core/panel", "path"},
		{pick.Code, 1, "", "cd /srv/app\nmake deploy", "code block"},
		{pick.Command, 3, "", "make deploy", "command"},
		{pick.Diff, 1, "", "-old\n+new", "diff"},
		{pick.Table, 1, "s", "| name | note |\n|---|---|\n| a\\|b | \"x\", y |", "table"},
		{pick.Table, 1, "t", "name\tnote\na|b\t\"\"\"x\"\", y\"", "table as TSV"},
		{pick.Table, 1, "c", "name,note\na|b,\"\"\"x\"\", y\"", "table as CSV"},
		{pick.Table, 2, "s", "┌────┬──────┐\n│ id │ 名前 │\n├────┼──────┤\n│  1 │ 日本 │\n└────┴──────┘", "table"},
		{pick.Table, 2, "c", "id,名前\n1,日本", "table as CSV"},
	} {
		d.typed(d.label(tc.kind, tc.n) + tc.form)
		if diff := cmp.Diff(tc.text, d.pickedUp(i+1)); diff != "" {
			t.Errorf("%v %d: %s", tc.kind, tc.n, diff)
		}
		if d.app.stack.Top() != nil {
			t.Fatal("the picker is still open")
		}
		all, _ := d.pane.Copy(panelScope)
		lines := strings.Split(all.Text, "\n")
		if note := lines[len(lines)-1]; !strings.HasPrefix(note, "[system] Copied ") || !strings.Contains(note, "line(s) to the clipboard.") || !strings.HasSuffix(note, " · "+tc.named) {
			t.Errorf("%v: it was said: %q", tc.kind, note)
		}
	}
	if !d.app.field.Empty() {
		t.Errorf("the letters went into the draft: %q", d.app.field.Text())
	}
}

// TestCPY_ACapitalAddsToTheLastCopy joins things with whatever was copied last,
// by any way.
func TestCPY_ACapitalAddsToTheLastCopy(t *testing.T) {
	d := showDesk(t, 100, 60)
	d.typed("/copy turn 1\n")
	d.pickedUp(1)
	for i, step := range []struct {
		kind pick.Kind
		want string
	}{
		{pick.URL, "how?\nhttps://example.com/docs"},
		{pick.Path, "how?\nhttps://example.com/docs\ncore/panel"},
	} {
		d.typed(strings.ToUpper(d.label(step.kind, 1)))
		if got := d.pickedUp(i + 2); got != step.want {
			t.Errorf("%q, want %q", got, step.want)
		}
	}
	d.shows("Copied 3 line(s) to the clipboard.", "path added")
	d.typed(strings.ToUpper(d.label(pick.Table, 1)) + "c")
	if got, want := d.pickedUp(4), "how?\nhttps://example.com/docs\ncore/panel\nname,note\na|b,\"\"\"x\"\", y\""; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	d.typed(d.label(pick.Path, 1))
	if got := d.pickedUp(5); got != "core/panel" {
		t.Errorf("a small letter copies %q", got)
	}
}

func TestCPY_AnyOtherKeyLeavesThePicker(t *testing.T) {
	d := showDesk(t, 100, 30)
	d.typed("a draft")
	before := d.text()
	for _, key := range []string{"esc", "enter", "ctrl+c", "ctrl+d", "space", "0", "pgup", "ctrl+x", "ctrl+y", "f1", "tab", "up", "Z"} {
		d.press("ctrl+x c")
		d.picker()
		d.press(key)
		if got := d.text(); got != before {
			t.Fatalf("after %s the screen is not what it was:\n%s", key, cmp.Diff(before, got))
		}
	}
	d.press("ctrl+x c")
	d.typed(d.picker().marks[len(d.picker().marks)-1].label)
	if d.picker().table == nil {
		t.Fatal("the letter of a table does not ask for its form")
	}
	d.press("x")
	if d.text() != before || len(d.clip.all()) > 0 || d.app.ctx.Err() != nil {
		t.Fatalf("leaving the choice of a form did something:\n%s", d.text())
	}
	d.press("ctrl+x c")
	d.paste("pasted")
	d.press("esc")
	if got := d.app.field.Text(); got != "a draft" {
		t.Errorf("the draft is %q", got)
	}
}

func TestCPY_NothingToPick(t *testing.T) {
	d := drive(t, 80, 20, echoing("x"))
	d.press("ctrl+x c")
	if d.app.stack.Top() != nil {
		t.Fatal("a picker without letters is open")
	}
	d.shows("There is nothing in view to pick.")
}

// TestCPY_ManyThingsHaveTwoLetters shows more things than there are letters.
func TestCPY_ManyThingsHaveTwoLetters(t *testing.T) {
	var b strings.Builder
	for i := range 30 {
		b.WriteString("https://example.com/" + strings.Repeat("x", i+1) + "\n")
	}
	d := drive(t, 80, 50, echoing(b.String()))
	d.typed("go\n")
	d.idle()
	label := d.label(pick.URL, 30)
	if len(label) != 2 {
		t.Fatalf("the letters are %q", label)
	}
	first := d.picker().marks[0].label
	d.press(label[:1])
	if strings.Contains(d.screen.Rows()[1], first) {
		t.Errorf("after %q the letters %q are still there", label[:1], first)
	}
	d.press(label[1:])
	if got := d.pickedUp(1); got != "https://example.com/"+strings.Repeat("x", 30) {
		t.Errorf("%q", got)
	}
	label = d.label(pick.URL, 1)
	d.press(label[:1], strings.ToUpper(label[1:]))
	if got := d.pickedUp(2); !strings.HasSuffix(got, "\nhttps://example.com/x") {
		t.Errorf("a capital in the second place copies %q", got)
	}
}

// TestCPY_LettersAreInNoCopyAndStayWithTheirThings lets the panel go on and the
// screen change while the letters are there.
func TestCPY_LettersAreInNoCopyAndStayWithTheirThings(t *testing.T) {
	d := showDesk(t, 100, 30)
	before, _ := d.pane.Copy(panelScope)
	label := d.label(pick.URL, 1)
	if during, _ := d.pane.Copy(panelScope); during.Text != before.Text {
		t.Error("the letters are in the copy")
	}
	for range 4 {
		d.pane.Note("something new", false)
	}
	d.resize(60, 24)
	d.draw()
	for _, m := range d.picker().marks {
		from, to, _ := d.app.panel.View()
		if inView := len(pick.InView([]pick.Thing{m.thing}, from, to)) > 0 && !m.thing.At.Before(from); m.drawn != inView {
			t.Errorf("%v: drawn is %v, in view %v", m.thing, m.drawn, inView)
		}
	}
	d.press(label)
	d.draw()
	if got := d.clip.all(); len(got) > 0 && got[0] != "https://example.com/docs" {
		t.Errorf("the letter took %q", got)
	}
}

// TestT41_ThePickerAnswersNothing presses anything while the picker lies over a
// request that has the keyboard.
func TestT41_ThePickerAnswersNothing(t *testing.T) {
	strokes := []string{"a", "r", "n", "c", "1", "2", "enter", "esc", "ctrl+c", "ctrl+d", "tab", "up", "down", "space", "s", "d", "f", "A", "ctrl+x", "pgdn"}
	rapid.Check(t, func(rt *rapid.T) {
		d := asked(t, dropRequest, 100, 30)
		if rapid.Bool().Draw(rt, "active") {
			d.wait(400 * time.Millisecond)
		}
		d.press("ctrl+x c")
		active := d.app.active
		for range rapid.IntRange(1, 4).Draw(rt, "keys") {
			if _, open := d.app.stack.Top().(*picker); !open {
				break
			}
			d.press(rapid.SampledFrom(strokes).Draw(rt, "key"))
			d.wait(time.Duration(rapid.IntRange(0, 600).Draw(rt, "ms")) * time.Millisecond)
			if _, open := d.app.stack.Top().(*picker); open && d.app.active != active {
				rt.Fatalf("under the picker the request took the keyboard")
			}
		}
		if open(d) != 1 {
			rt.Fatalf("the request was answered")
		}
		if !d.app.field.Empty() {
			rt.Fatalf("the keys were typed into the draft: %q", d.app.field.Text())
		}
	})
}

func TestCPY_CleanIsSaid(t *testing.T) {
	d := drive(t, 140, 30, echoing("a\u200bb \u202ec\n"))
	d.typed("go\n")
	d.idle()
	d.typed("/copy\n")
	if got := d.pickedUp(1); got != "a\u200bb \u202ec\n" {
		t.Errorf("/copy copies %q", got)
	}
	d.shows("2 hidden characters (/copy clean removes them)")
	d.typed("/copy clean\n")
	if got := d.pickedUp(2); got != "ab c\n" {
		t.Errorf("/copy clean copies %q", got)
	}
	d.shows("2 hidden characters removed")
	d.typed("/copy clean turn 1\n")
	if got := d.pickedUp(3); got != "go" {
		t.Errorf("/copy clean turn 1 copies %q", got)
	}
	d.shows("0 hidden characters removed")
	capture, err := d.pane.Copy(command.Copy{Scope: command.Session, Clean: true})
	if err != nil || text.Hidden(capture.Text) != 0 || !strings.Contains(capture.Text, "ab c") {
		t.Errorf("the clean session is %q, %v", capture.Text, err)
	}
}
