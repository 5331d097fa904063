package panel

import (
	"strings"
	"testing"

	"copydesk/core/session"
	"copydesk/core/text"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestPAN2_ComposedShapes(t *testing.T) {
	for _, tc := range []struct {
		name string
		line Line
		want string
	}{
		{"pending echo", Line{Kind: Echo, Tag: "simple", Text: "create table T", Status: session.Running}, "[simple] running: create table T"},
		{"finished echo", Line{Kind: Echo, Tag: "simple", Text: "create table T", Status: session.Done}, "[simple] create table T ✓"},
		{"failed echo", Line{Kind: Echo, Tag: "claude", Text: "fix it", Status: session.Failed}, "[claude] fix it ✗"},
		{"first of an echo's lines", Line{Kind: Echo, Tag: "claude", Text: "one", Status: session.Running, Open: true}, "[claude] running: one"},
		{"first of a finished echo", Line{Kind: Echo, Tag: "claude", Text: "one", Status: session.Done, Open: true}, "[claude] one"},
		{"last of an echo's lines", Line{Kind: Echo, Tag: "claude", Text: "two", Status: session.Done, More: true}, "two ✓"},
		{"note", Line{Kind: Note, Text: "Customers"}, "[system] Customers"},
		{"second line of a note", Line{Kind: Note, Text: "and more", More: true}, "and more"},
		{"error", Line{Kind: Error, Text: "There is no table T."}, "[error] There is no table T."},
		{"tool", Line{Kind: Tool, Text: "edit a.go", Status: session.Done}, "[tool] edit a.go ✓"},
		{"running tool", Line{Kind: Tool, Text: "edit a.go", Status: session.Running}, "[tool] running: edit a.go"},
		{"teaching echo", Line{Kind: Teaching, Text: "CREATE TABLE T"}, "Executing SQL: CREATE TABLE T"},
		{"table row", Line{Kind: Table, Text: "│ 1 │"}, "│ 1 │"},
		{"plan step", Line{Kind: Plan, Text: "- look", Status: session.Done}, "- look ✓"},
		{"thought", Line{Kind: Thought, Text: "hm"}, "[thought] hm"},
		{"folded thought", Line{Kind: Thought, Text: "hm", Rest: 1}, "[thought] hm (+1 line)"},
		{"longer thought", Line{Kind: Thought, Text: "hm", Rest: 12}, "[thought] hm (+12 lines)"},
		{"failed tool", Line{Kind: Tool, Text: "execute go test", Status: session.Failed}, "[tool] execute go test ✗"},
		{"tool without a status", Line{Kind: Tool, Text: "execute go test"}, "[tool] execute go test"},
		{"tool output", Line{Kind: Output, Text: "ok  \tcore/panel"}, "ok  \tcore/panel"},
		{"empty output line", Line{Kind: Output}, ""},
		{"diff line", Line{Kind: Output, Text: "+x", Runs: []text.Span{{Len: 2, Style: text.Added}}}, "+x"},
		{"answer", Line{Kind: Answer, Text: "yes\tno"}, "yes\tno"},
		{"empty answer line", Line{Kind: Answer}, ""},
	} {
		if got := Compose(tc.line); got.Text != tc.want {
			t.Errorf("%s: %q, want %q", tc.name, got.Text, tc.want)
		}
	}
}

// TestPAN2_StateIsInTheText holds that no status is told by a style alone.
func TestPAN2_StateIsInTheText(t *testing.T) {
	seen := map[string]session.Status{}
	for _, s := range []session.Status{session.Running, session.Done, session.Failed} {
		got := Compose(Line{Kind: Echo, Tag: "x", Text: "y", Status: s}).Text
		if other, dup := seen[got]; dup {
			t.Errorf("status %d reads like status %d: %q", s, other, got)
		}
		seen[got] = s
	}
}

func drawLine(t *rapid.T) Line {
	body := text.CleanLine(rapid.StringN(0, 40, 120).Draw(t, "text"))
	l := Line{
		Kind:   Kind(rapid.IntRange(int(Echo), int(Error)).Draw(t, "kind")),
		Tag:    text.CleanLine(rapid.StringN(0, 8, 20).Draw(t, "tag")),
		Text:   body,
		Status: session.Status(rapid.IntRange(0, 3).Draw(t, "status")),
		More:   rapid.Bool().Draw(t, "more"),
		Open:   rapid.Bool().Draw(t, "open"),
		Rest:   rapid.IntRange(0, 2).Draw(t, "rest"),
	}
	for rest := len(body); rest > 0 && rapid.Bool().Draw(t, "run"); {
		n := rapid.IntRange(1, rest).Draw(t, "len")
		l.Runs = append(l.Runs, text.Span{Len: n, Style: text.Info})
		rest -= n
	}
	return l
}

// TestPAN2_SpansCoverTheirBytesOnly holds that styles never reach past the text
// and that the line's own text stands in the composed one, whole.
func TestPAN2_SpansCoverTheirBytesOnly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := drawLine(t)
		got := Compose(l)
		sum := 0
		for _, s := range got.Spans {
			if s.Len < 0 {
				t.Fatalf("a span of %d bytes", s.Len)
			}
			sum += s.Len
		}
		if sum > len(got.Text) {
			t.Fatalf("spans cover %d bytes of %q", sum, got.Text)
		}
		if !strings.Contains(got.Text, l.Text) {
			t.Fatalf("%q does not hold %q", got.Text, l.Text)
		}
	})
}

// TestPAN2_ComposingChangesNoSharedStyle composes a line twice.
func TestPAN2_ComposingChangesNoSharedStyle(t *testing.T) {
	runs := make([]text.Span, 1, 8)
	runs[0] = text.Span{Len: 1, Style: text.Info}
	l := Line{Kind: Plan, Text: "abc", Runs: runs, Status: session.Done}
	first := Compose(l)
	if diff := cmp.Diff(first, Compose(l)); diff != "" {
		t.Error(diff)
	}
	if extra := runs[:2][1]; extra != (text.Span{}) {
		t.Errorf("composing wrote into the line's own runs: %+v", extra)
	}
}

func TestLinesOfSeveral(t *testing.T) {
	got := Lines(Line{Kind: Echo, Tag: "x", Status: session.Done}, "a\n\nb\n")
	var shown []string
	for _, l := range got {
		shown = append(shown, Compose(l).Text)
	}
	if diff := cmp.Diff([]string{"[x] a", "", "b ✓"}, shown); diff != "" {
		t.Error(diff)
	}
}
