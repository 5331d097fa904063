package dialog

import (
	"strings"
	"testing"

	"copydesk/core"
	"copydesk/core/text"
	"copydesk/ui/keys"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/uniseg"
	"pgregory.net/rapid"
)

// TestTheLineIsEditedByClusters compares the editor with a list of clusters.
func TestTheLineIsEditedByClusters(t *testing.T) {
	words := []string{"a", "é", "e\u0301", "日", "👩‍👩‍👧", "🇩🇪", " ", "\n", "\t", "hello", "\x1b[2J"}
	rapid.Check(t, func(t *rapid.T) {
		var e editor
		for range rapid.IntRange(0, 40).Draw(t, "steps") {
			before, after := clusters(e.before), clusters(e.after)
			want := e.text()
			join := func(b, a []string) string { return strings.Join(b, "") + strings.Join(a, "") }
			key := rapid.SampledFrom([]tcell.Key{tcell.KeyRune, tcell.KeyBackspace, tcell.KeyDelete, tcell.KeyLeft, tcell.KeyRight, tcell.KeyHome, tcell.KeyEnd}).Draw(t, "key")
			if key == tcell.KeyRune {
				w := rapid.SampledFrom(words).Draw(t, "word")
				e.insert(w)
				want = join(before, []string{w}) + e.after
			} else if !e.key(keys.Stroke{Key: key}) {
				t.Fatalf("key %v is not taken", key)
			}
			switch {
			case key == tcell.KeyBackspace && len(before) > 0:
				want = join(before[:len(before)-1], after)
			case key == tcell.KeyDelete && len(after) > 0:
				want = join(before, after[1:])
			}
			if e.text() != want {
				t.Fatalf("%v: %q, want %q", key, e.text(), want)
			}
		}
	})
}

func clusters(s string) []string {
	var out []string
	g := uniseg.NewGraphemes(s)
	for g.Next() {
		out = append(out, g.Str())
	}
	return out
}

func TestTheLineHasALimit(t *testing.T) {
	var e editor
	if !e.insert(strings.Repeat("x", core.PasteBytes)) {
		t.Fatal("text of the greatest size is refused")
	}
	if e.insert("y") || len(e.text()) != core.PasteBytes {
		t.Fatalf("holds %d bytes", len(e.text()))
	}
}

func TestPastedControlsAreShownOnly(t *testing.T) {
	for _, ascii := range []bool{false, true} {
		got := shown("a\nb\tc\x1b[2J\u202e", ascii)
		if strings.ContainsAny(got, "\n\t\x1b\u202e") || text.Width(got) < 8 {
			t.Errorf("%q", got)
		}
	}
}
