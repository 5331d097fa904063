package diff

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestUnified(t *testing.T) {
	for _, tc := range []struct {
		name, before, after, want string
	}{
		{"equal", "a\n", "a\n", ""},
		{"change", "a\nb\nc\n", "a\nB\nc\n", "--- x.go\n+++ x.go\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n"},
		{"emptied", "a\n", "", "--- x.go\n+++ x.go\n@@ -1 +0,0 @@\n-a\n"},
		{"filled", "", "a\n", "--- x.go\n+++ x.go\n@@ -0,0 +1 @@\n+a\n"},
		{"last line loses its end", "a\n", "a", "--- x.go\n+++ x.go\n@@ -1 +1 @@\n-a\n+a\n\\ No newline at end of file\n"},
		{"carriage returns", "a\r\n", "a\n", "--- x.go\n+++ x.go\n@@ -1 +1 @@\n-a\r\n+a\n"},
		{
			"three lines of context", "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\n-\n6\n7\n8\n9\n",
			"--- x.go\n+++ x.go\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+-\n 6\n 7\n 8\n",
		},
	} {
		if diff := cmp.Diff(tc.want, Unified("x.go", tc.before, tc.after)); diff != "" {
			t.Errorf("%s:\n%s", tc.name, diff)
		}
	}
}

func TestNewFiles(t *testing.T) {
	if got, want := New("x", "a\nb"), "--- /dev/null\n+++ x\n@@ -0,0 +1,2 @@\n+a\n+b\n\\ No newline at end of file\n"; got != want {
		t.Errorf("New = %q, want %q", got, want)
	}
	if got, want := New("x", ""), "--- /dev/null\n+++ x\n"; got != want {
		t.Errorf("New of an empty file = %q, want %q", got, want)
	}
}

// TestT46_APathIsNoMoreThanAName holds that a path forges neither a line of the
// diff nor the name of a file that is not there.
func TestT46_APathIsNoMoreThanAName(t *testing.T) {
	for path, want := range map[string]string{
		"a b.go":         "+++ a b.go",
		"a\n@@ -1 +1 @@": `+++ "a\n@@ -1 +1 @@"`,
		"a\u202eog":      `+++ "a\u202eog"`,
		"/dev/null":      `+++ "/dev/null"`,
		"\xff":           `+++ "\xff"`,
		"\"x\"":          `+++ "\"x\""`,
	} {
		if got := strings.Split(Unified(path, "", "x\n"), "\n")[1]; got != want {
			t.Errorf("%q: %s, want %s", path, got, want)
		}
	}
}

// apply makes the second text out of the first one and a diff between them.
func apply(before, unified string) (string, error) {
	old := splitAfter(before)
	var out strings.Builder
	at, inHunk := 0, false
	lines := splitAfter(unified)
	for i, line := range lines {
		if strings.HasPrefix(line, "@@ ") {
			var from int
			if _, err := fmt.Sscanf(line, "@@ -%d", &from); err != nil {
				return "", err
			}
			for inHunk = true; at < from-1; at++ {
				out.WriteString(old[at])
			}
			continue
		}
		if !inHunk || line[0] == '\\' {
			continue
		}
		content := line[1:]
		if i+1 < len(lines) && lines[i+1][0] == '\\' {
			content = strings.TrimSuffix(content, "\n")
		}
		if line[0] != '+' {
			if at >= len(old) || old[at] != content {
				return "", fmt.Errorf("line %d is %q in the diff", at, content)
			}
			at++
		}
		if line[0] != '-' {
			out.WriteString(content)
		}
	}
	return out.String() + strings.Join(old[at:], ""), nil
}

// splitAfter cuts a text into its lines, each with its end.
func splitAfter(s string) []string { return slices.Collect(strings.Lines(s)) }

// TestADiffIsAllOfAChange applies the diff of two texts to the first one.
func TestADiffIsAllOfAChange(t *testing.T) {
	texts := rapid.Custom(func(t *rapid.T) string {
		lines := rapid.SliceOfN(rapid.SampledFrom([]string{"a\n", "b\n", "c\n", "+x\n", "-y\n", "\n", "@@ -1 +1 @@\n", "\xff\n"}), 0, 30).Draw(t, "lines")
		return strings.Join(lines, "") + rapid.SampledFrom([]string{"", "end"}).Draw(t, "end")
	})
	rapid.Check(t, func(t *rapid.T) {
		before, after := texts.Draw(t, "before"), texts.Draw(t, "after")
		unified := Unified("x", before, after)
		if got, err := apply(before, unified); err != nil || got != after {
			t.Fatalf("%q to %q: the diff makes %q, %v\n%s", before, after, got, err, unified)
		}
		added, removed := Stat(unified)
		if lines := len(splitAfter(after)) - len(splitAfter(before)); added-removed != lines {
			t.Fatalf("%d added and %d removed, but the text grew by %d:\n%s", added, removed, lines, unified)
		}
	})
}
