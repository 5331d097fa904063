package theme

import (
	"math"
	"reflect"
	"testing"

	"copydesk/core/text"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/uniseg"
)

// every makes each theme there is: both names at each number of colours that
// tcell reports, and NO_COLOR.
func every(t *testing.T, check func(t *testing.T, o Options, th *Theme)) {
	t.Helper()
	for _, name := range []string{"dark", "light"} {
		for _, o := range []Options{
			{Name: name, Colors: 0},
			{Name: name, Colors: 8},
			{Name: name, Colors: 16},
			{Name: name, Colors: 256},
			{Name: name, Colors: 1 << 24},
			{Name: name, Colors: 1 << 24, NoColor: true},
		} {
			th, err := New(o)
			if err != nil {
				t.Fatal(err)
			}
			check(t, o, th)
		}
	}
}

func foreground(s tcell.Style) tcell.Color { c, _, _ := s.Decompose(); return c }
func background(s tcell.Style) tcell.Color { _, c, _ := s.Decompose(); return c }

// attributes returns a style without its colours.
func attributes(s tcell.Style) tcell.Style {
	return s.Foreground(tcell.ColorDefault).Background(tcell.ColorDefault)
}

func TestCFG4_BackgroundIsTheTerminals(t *testing.T) {
	every(t, func(t *testing.T, o Options, th *Theme) {
		for r := range text.Roles {
			if background(th.Style(r)) != tcell.ColorDefault {
				t.Errorf("%+v: role %d has a background", o, r)
			}
		}
		for e := range Elements {
			if background(th.Element(e)) != tcell.ColorDefault {
				t.Errorf("%+v: element %d has a background", o, e)
			}
		}
	})
}

// Every role and element but those that are plain text by intent has a style of
// its own where there are colours, so none was forgotten in the tables.
func TestCFG4_EveryMeaningHasAStyle(t *testing.T) {
	plainRoles := map[text.Style]bool{text.Plain: true, text.Code: true}
	plainElements := map[Element]bool{Base: true, InputText: true, Completion: true}
	every(t, func(t *testing.T, o Options, th *Theme) {
		if o.NoColor || o.Colors < 256 {
			return
		}
		for r := range text.Roles {
			if got := th.Style(r) == tcell.StyleDefault; got != plainRoles[r] {
				t.Errorf("%+v: role %d is plain: %v", o, r, got)
			}
		}
		for e := range Elements {
			if got := th.Element(e) == tcell.StyleDefault; got != plainElements[e] {
				t.Errorf("%+v: element %d is plain: %v", o, e, got)
			}
		}
	})
}

func TestR40_NoColorHasNoColour(t *testing.T) {
	every(t, func(t *testing.T, o Options, th *Theme) {
		if !o.NoColor && o.Colors > 0 {
			return
		}
		for r := range text.Roles {
			if s := th.Style(r); s != attributes(s) {
				t.Errorf("%+v: role %d has a colour", o, r)
			}
		}
		for e := range Elements {
			if s := th.Element(e); s != attributes(s) {
				t.Errorf("%+v: element %d has a colour", o, e)
			}
		}
	})
}

// States that can stand in the same place with the same text differ in more
// than colour. Success and failure, added and removed carry their mark in the
// text (✓ ✗ + -); the rest must differ in an attribute, with every palette.
func TestCFG4_NoStateByColourAlone(t *testing.T) {
	pairs := []struct{ a, b Element }{
		{Selected, Base}, {Selected, InputText}, {Found, Base}, {FoundChosen, Found}, {FoundChosen, Selected},
		{CompletionSelected, Completion},
		{TitleFocus, Title},
		{StatusAlert, Status}, {StatusKey, Status},
		{InputHint, InputText}, {InputPrompt, InputText},
		{ButtonOff, ButtonApprove}, {ButtonOff, ButtonReject},
		{Pill, Border}, {Pill, BorderFocus},
		{GutterError, Gutter},
		{Badge, DialogBorder}, {DialogTitle, DialogBorder},
	}
	roles := []struct{ a, b text.Style }{
		{text.Failure, text.Success}, {text.Failure, text.Plain},
		{text.ErrorTag, text.NoteTag}, {text.ErrorTag, text.Tag},
		{text.Warning, text.Plain}, {text.Link, text.Plain},
		{text.Heading, text.Plain}, {text.Header, text.Plain},
		{text.Null, text.Plain}, {text.Quote, text.Plain}, {text.Claim, text.Plain},
		{text.Prefix, text.Plain},
	}
	every(t, func(t *testing.T, o Options, th *Theme) {
		for _, p := range pairs {
			if attributes(th.Element(p.a)) == attributes(th.Element(p.b)) {
				t.Errorf("%+v: elements %d and %d differ by colour alone", o, p.a, p.b)
			}
		}
		for _, p := range roles {
			if attributes(th.Style(p.a)) == attributes(th.Style(p.b)) {
				t.Errorf("%+v: roles %d and %d differ by colour alone", o, p.a, p.b)
			}
		}
	})
	for _, ascii := range []bool{false, true} {
		th, err := New(Options{ASCII: ascii})
		if err != nil {
			t.Fatal(err)
		}
		g := th.Glyphs()
		for _, p := range [][2]string{
			{g.Gutter, g.GutterError}, {g.Horizontal, g.HorizontalFocus}, {g.Vertical, g.VerticalFocus},
			{g.TopLeft, g.TopLeftFocus}, {g.OK, g.Bad}, {g.Pointer, " "}, {g.Ask, g.Prompt},
			{g.More, g.Less}, {g.Up, g.Down},
		} {
			if p[0] == p[1] {
				t.Errorf("ascii %v: %q stands for two states", ascii, p[0])
			}
		}
	}
}

// luminance is WCAG's relative luminance, 0 to 1.
func luminance(c tcell.Color) float64 {
	r, g, b := c.RGB()
	lin := func(v int32) float64 {
		x := float64(v) / 255
		if x <= 0.04045 {
			return x / 12.92
		}
		return math.Pow((x+0.055)/1.055, 2.4)
	}
	return 0.2126*lin(r) + 0.7152*lin(g) + 0.0722*lin(b)
}

func contrast(a, b tcell.Color) float64 {
	x, y := luminance(a), luminance(b)
	return (math.Max(x, y) + 0.05) / (math.Min(x, y) + 0.05)
}

// At 8 and 16 colours the terminal's own scheme decides; nothing can be said.
// The 256 colours have no teal that is dark enough for #fdf6e3.
func TestCFG4_Contrast(t *testing.T) {
	usual := map[string][]int32{
		"dark":  {0x000000, 0x1e1e1e, 0x1e1e2e, 0x002b36},
		"light": {0xffffff, 0xfafafa, 0xfdf6e3},
	}
	every(t, func(t *testing.T, o Options, th *Theme) {
		if o.NoColor || o.Colors < 256 {
			return
		}
		quiet := foreground(th.Style(text.Muted))
		check := func(what string, n int, s tcell.Style) {
			fg := foreground(s)
			if fg == tcell.ColorDefault {
				return
			}
			least := 7.0
			if fg == quiet {
				least = 4.5
			}
			for _, bg := range usual[o.Name] {
				if bg == 0xfdf6e3 && o.Colors == 256 {
					continue
				}
				if c := contrast(fg, tcell.NewHexColor(bg)); c < least {
					t.Errorf("%s, %d colours: %s %d #%06x on #%06x has a contrast of %.2f, want %.1f", o.Name, o.Colors, what, n, fg.Hex(), bg, c, least)
				}
			}
		}
		for r := range text.Roles {
			check("role", int(r), th.Style(r))
		}
		for e := range Elements {
			check("element", int(e), th.Element(e))
		}
	})
}

func TestCFG4_Names(t *testing.T) {
	dark, _ := New(Options{Name: "dark", Colors: 256})
	light, _ := New(Options{Name: "light", Colors: 256})
	for _, c := range []struct {
		name, fgbg string
		want       *Theme
	}{
		{"", "", dark}, {"auto", "", dark}, {"auto", "15;0", dark}, {"auto", "0;15", light},
		{"auto", "0;default;15", light}, {"auto", "12;8", dark}, {"auto", "0;7", light},
		{"auto", "default;default", dark}, {"auto", "0;16", dark}, {"dark", "0;15", dark}, {"light", "15;0", light},
	} {
		got, err := New(Options{Name: c.name, ColorFGBG: c.fgbg, Colors: 256})
		if err != nil {
			t.Fatal(err)
		}
		if *got != *c.want {
			t.Errorf("theme %q with COLORFGBG=%q is the other one", c.name, c.fgbg)
		}
	}
	if th, err := New(Options{Name: "solarized"}); err == nil || th != nil {
		t.Errorf("an unknown theme gave %v, %v", th, err)
	}
}

func TestAttributesAddToTheRole(t *testing.T) {
	th, _ := New(Options{Colors: 256})
	got := th.Style(text.Keyword | text.Bold | text.Italic | text.Underline | text.Strike)
	want := th.Style(text.Keyword).Bold(true).Italic(true).Underline(true).StrikeThrough(true)
	if got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if th.Style(text.Roles|text.Bold) != th.Style(text.Bold) {
		t.Error("an unknown role is not drawn as plain text")
	}
	if th.Element(Elements) != th.Element(Base) {
		t.Error("an unknown element is not drawn as the base")
	}
}

func TestR41_Glyphs(t *testing.T) {
	for _, ascii := range []bool{false, true} {
		th, _ := New(Options{ASCII: ascii})
		g := reflect.ValueOf(th.Glyphs())
		for i := range g.NumField() {
			name, s := g.Type().Field(i).Name, g.Field(i).String()
			if uniseg.StringWidth(s) != 1 {
				t.Errorf("%s %q is not one cell wide", name, s)
			}
			if ascii && (len(s) != 1 || s[0] > '~') {
				t.Errorf("%s %q is not ASCII", name, s)
			}
		}
	}
}
