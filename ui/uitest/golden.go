package uitest

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gdamore/tcell/v2"
	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files anew")

// styleLetters name the styles of a grid in the order they appear in.
const styleLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

// Styles returns the grid of style letters, row by row without what is drawn in
// the terminal's own style at the right, and then what each letter stands for.
// A dot is the terminal's own style.
func (s *Screen) Styles() []string {
	_, w, h := s.GetContents()
	letters := map[tcell.Style]byte{}
	var legend []string
	letter := func(st tcell.Style) byte {
		if st == tcell.StyleDefault {
			return '.'
		}
		l, ok := letters[st]
		if !ok {
			l = styleLetters[min(len(letters), len(styleLetters)-1)]
			letters[st] = l
			legend = append(legend, fmt.Sprintf("%c %s", l, describe(st)))
		}
		return l
	}
	rows := make([]string, 0, h)
	for y := range h {
		row := make([]byte, w)
		for x := range row {
			_, st := s.Cells(x, y)
			row[x] = letter(st)
		}
		rows = append(rows, strings.TrimRight(string(row), "."))
	}
	return append(append(rows, ""), legend...)
}

// describe spells a style out: foreground, background, attributes.
func describe(st tcell.Style) string {
	fg, bg, attrs := st.Decompose()
	var b strings.Builder
	b.WriteString(colour(fg))
	if bg != tcell.ColorDefault {
		b.WriteString(" on " + colour(bg))
	}
	for _, a := range []struct {
		mask tcell.AttrMask
		name string
	}{
		{tcell.AttrBold, "bold"}, {tcell.AttrDim, "dim"}, {tcell.AttrItalic, "italic"},
		{tcell.AttrReverse, "reverse"}, {tcell.AttrStrikeThrough, "struck"}, {tcell.AttrBlink, "blink"},
	} {
		if attrs&a.mask != 0 {
			b.WriteString(" " + a.name)
		}
	}
	if st.GetUnderlineStyle() != tcell.UnderlineStyleNone {
		b.WriteString(" underline")
	}
	return b.String()
}

func colour(c tcell.Color) string {
	switch {
	case c == tcell.ColorDefault:
		return "default"
	case c.IsRGB():
		return fmt.Sprintf("#%06x", c.Hex())
	}
	return fmt.Sprintf("colour %d", int64(c&0xff))
}

// Updating reports whether the test was started with -update, which writes what
// is generated or expected anew.
func Updating() bool { return *update }

// Golden compares the screen, its text and its styles, with
// testdata/NAME.golden; -update writes that file.
func (s *Screen) Golden(t testing.TB, name string) {
	t.Helper()
	got := strings.Join(s.Rows(), "\n") + "\n----\n" + strings.Join(s.Styles(), "\n") + "\n"
	path := filepath.Join("testdata", name+".golden")
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("read the golden file (-update writes it): %v", err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("%s is not what is drawn (-want +got):\n%s\nwant:\n%s\ngot:\n%s", path, diff, want, got)
	}
}
