package uitest

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/gdamore/tcell/v2"
	"github.com/google/go-cmp/cmp"
)

// A recorder is a test that keeps its errors and cleans up when told.
type recorder struct {
	testing.TB
	errors   []string
	cleanups []func()
}

func (r *recorder) Errorf(format string, args ...any) {
	r.errors = append(r.errors, fmt.Sprintf(format, args...))
}
func (r *recorder) Cleanup(f func()) { r.cleanups = append(r.cleanups, f) }
func (r *recorder) finish() {
	for _, f := range r.cleanups {
		f()
	}
}

// Everything that tcell itself writes, from start to stop, passes the oracle.
func TestO1_PassesTcell(t *testing.T) {
	s := NewScreen(t, 40, 10)
	s.EnableMouse()
	s.EnablePaste()
	s.EnableFocus()
	s.SetTitle("copydesk · ~/src")
	styles := tcell.StyleDefault.Foreground(tcell.NewHexColor(0x8dbcff)).Background(tcell.PaletteColor(16)).
		Bold(true).Italic(true).Underline(tcell.UnderlineStyleCurly, tcell.ColorRed).StrikeThrough(true).Dim(true).Reverse(true).
		Url("https://example.org/")
	s.PutStrStyled(1, 1, "styles 世界 👍🏽 e\u0301", styles)
	s.PutStr(38, 2, "世界")
	s.ShowCursor(3, 3)
	s.SetCursorStyle(tcell.CursorStyleSteadyBar)
	s.Show()
	if err := s.Suspend(); err != nil {
		t.Fatal(err)
	}
	if err := s.Resume(); err != nil {
		t.Fatal(err)
	}
	s.SetSize(20, 5)
	s.Sync()
	s.DisableMouse()
	s.DisablePaste()
	s.DisableFocus()
	if err := s.Beep(); err != nil {
		t.Fatal(err)
	}
	s.Fini()
	for _, want := range []string{"\x1b[?1049h", "\x1b[?2004h", "\x1b[>1u", "\x1b]2;copydesk", "styles", "\a", "\x1b[?1049l"} {
		if !strings.Contains(string(s.Output()), want) {
			t.Errorf("the output has no %q", want)
		}
	}
}

// tcell's Put glues a control character to the next cell and sends both: the
// oracle hears it.
func TestO1_HearsAnEscapeThatTcellLetsThrough(t *testing.T) {
	r := &recorder{TB: t}
	s := NewScreen(r, 40, 10)
	s.PutStr(0, 0, "x\x1b]52;c;"+payload+"\ay")
	s.Show()
	r.finish()
	if len(r.errors) != 1 || !strings.Contains(r.errors[0], "OSC 52") {
		t.Errorf("errors: %q", r.errors)
	}

	r = &recorder{TB: t}
	s = NewScreen(r, 40, 10)
	s.Allow(Options{Copied: true})
	s.SetClipboard([]byte("copied"))
	r.finish()
	if len(r.errors) != 0 {
		t.Errorf("a copy is an error: %q", r.errors)
	}
}

func TestScreenReadsBack(t *testing.T) {
	s := NewScreen(t, 12, 4)
	bold := tcell.StyleDefault.Bold(true)
	red := tcell.StyleDefault.Foreground(tcell.ColorRed)
	s.PutStrStyled(0, 0, "abcdefghijkl", red)
	s.Show()
	s.Clear()
	s.PutStrStyled(0, 0, "a世世b", bold)
	s.PutStr(2, 1, "e\u0301!")
	s.Show()
	if diff := cmp.Diff([]string{"a世世b", "  e\u0301!", "", ""}, s.Rows()); diff != "" {
		t.Error(diff)
	}
	for x, want := range []string{"a", "世", "", "世", "", "b", " "} {
		if got, _ := s.Cells(x, 0); got != want {
			t.Errorf("cell %d is %q, want %q", x, got, want)
		}
	}
	if diff := cmp.Diff([]string{"aaaaaa", "", "", "", "", "a default bold"}, s.Styles()); diff != "" {
		t.Error(diff)
	}
	if got, _ := s.Cells(-1, 9); got != "" {
		t.Errorf("beside the screen stands %q", got)
	}
}

func TestScreenKeepsItsSize(t *testing.T) {
	s := NewScreen(t, 33, 7)
	if err := s.Init(); err != nil {
		t.Fatal(err)
	}
	if w, h := s.Size(); w != 33 || h != 7 {
		t.Errorf("size %d×%d after Init", w, h)
	}
	s.SetSize(50, 9)
	s.PutStr(48, 8, "ab")
	s.Show()
	if w, h := s.Size(); w != 50 || h != 9 || s.Rows()[8] != strings.Repeat(" ", 48)+"ab" {
		t.Errorf("size %d×%d, rows %q", w, h, s.Rows())
	}
	if ev, ok := s.PollEvent().(*tcell.EventResize); !ok {
		t.Errorf("no resize event but %v", ev)
	}
}

func TestR40_ScreenKnowsNoColor(t *testing.T) {
	if got := NewScreen(t, 1, 1).Colors(); got != 256 && os.Getenv("NO_COLOR") == "" {
		t.Errorf("%d colours, want 256", got)
	}
	t.Setenv("NO_COLOR", "1")
	if got := NewScreen(t, 1, 1).Colors(); got != 0 {
		t.Errorf("%d colours with NO_COLOR", got)
	}
}

func TestOutputIsCheckedAlthoughItIsDropped(t *testing.T) {
	r := &recorder{TB: t}
	s := NewScreen(r, 200, 50)
	s.PutStr(0, 0, "\x05x")
	s.Show()
	s.Clear()
	for i := range 150 { // 10 KB each
		s.PutStr(0, 1, fmt.Sprint(i))
		s.Sync()
	}
	if strings.Contains(string(s.Output()), "\x05") {
		t.Error("nothing was dropped; the test needs more output")
	}
	if n := len(s.Output()); n > keptOutput+keptOutput/8 {
		t.Errorf("%d bytes are kept", n)
	}
	r.finish()
	if len(r.errors) != 1 || !strings.Contains(r.errors[0], "control character") {
		t.Errorf("errors: %q", r.errors)
	}
}

func TestGolden(t *testing.T) {
	r := &recorder{TB: t}
	s := NewScreen(t, 12, 2)
	s.PutStrStyled(1, 0, "hello", tcell.StyleDefault.Bold(true))
	s.Show()
	s.Golden(t, "hello")
	s.PutStr(1, 0, "hello")
	s.Show()
	if s.Golden(r, "hello"); len(r.errors) != 1 && !*update {
		t.Error("a change of style alone is not found")
	}
	if *update {
		s.PutStrStyled(1, 0, "hello", tcell.StyleDefault.Bold(true))
		s.Show()
		s.Golden(t, "hello")
	}
}
