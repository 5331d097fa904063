// Package theme turns meanings into what a terminal can draw: a run of document
// text (text.Style) or a part of the interface (Element) into a tcell style, and
// the marks of the interface into glyphs. It knows no screen; a Theme is
// immutable and safe from any goroutine.
//
// The background is always the terminal's own. A state is never shown by colour
// alone (CFG 4): where two states could stand in the same place, they differ in
// an attribute or a glyph as well.
package theme

import (
	"fmt"
	"strconv"
	"strings"

	"copydesk/core/text"

	"github.com/gdamore/tcell/v2"
)

// Options says what to make a theme for.
type Options struct {
	// Name is auto, dark or light; empty means auto. Auto is dark unless
	// ColorFGBG names a light background.
	Name string

	// Colors is how many colours the screen has, as tcell.Screen.Colors
	// reports it; 0 means none.
	Colors int

	// NoColor leaves attributes only (NO_COLOR, R40).
	NoColor bool

	// ASCII keeps every glyph of the interface inside ASCII (R41).
	ASCII bool

	// ColorFGBG is the value of $COLORFGBG, where rxvt, konsole and others say
	// "foreground;background" as palette numbers. Only auto reads it.
	ColorFGBG string
}

// An Element is a part of the interface.
type Element uint8

// The elements.
const (
	Base               Element = iota // what nothing else names
	Gutter                            // ▎ left of what an agent said (T35)
	GutterError                       // the same where it failed
	Border                            // the frame of a pane
	BorderFocus                       // the frame of the pane that has the keyboard
	Title                             // a pane's title
	TitleFocus                        // the title of the pane that has the keyboard
	ScrollMark                        // › where a row goes on beyond the edge
	Pill                              // "12 new · End"
	Status                            // the status bar
	StatusKey                         // a key named in the status bar
	StatusAlert                       // what in the status bar waits for the user
	InputText                         // what the user types
	InputPrompt                       // ❯
	InputHint                         // what an empty input field says
	AskPrompt                         // ? of a text request
	Selected                          // the selected row, the selected text
	Found                             // what was looked for
	FoundChosen                       // the place of it that one is at
	ButtonApprove                     // [a] Approve
	ButtonReject                      // [r] Reject
	ButtonOff                         // a button that cannot be pressed yet
	Badge                             // 1 of 2
	DialogBorder                      // the frame of a dialog
	DialogTitle                       // its title
	Completion                        // a completion
	CompletionSelected                // the completion that Tab takes
	Elements                          // how many elements there are; not an element
)

// A Theme is a table of styles and glyphs.
type Theme struct {
	roles    [text.Roles]tcell.Style
	elements [Elements]tcell.Style
	glyphs   Glyphs
}

// New makes a theme. It fails when the name is none of auto, dark and light.
func New(o Options) (*Theme, error) {
	dark := true
	switch o.Name {
	case "", "auto":
		dark = !lightBackground(o.ColorFGBG)
	case "dark":
	case "light":
		dark = false
	default:
		return nil, fmt.Errorf("theme %q is none of auto, dark, light", o.Name)
	}
	p := palette{dark: dark, depth: depthOf(o.Colors)}
	if o.NoColor {
		p.depth = none
	}
	t := &Theme{glyphs: unicodeGlyphs}
	if o.ASCII {
		t.glyphs = asciiGlyphs
	}
	p.paintRoles(&t.roles)
	p.paintElements(&t.elements)
	return t, nil
}

// Style returns how a run of document text is drawn. A role that the theme does
// not know is drawn as plain text.
func (t *Theme) Style(s text.Style) tcell.Style {
	role := s.Role()
	if role >= text.Roles {
		role = text.Plain
	}
	style := t.roles[role]
	if s == role {
		return style
	}
	if s&text.Bold != 0 {
		style = style.Bold(true)
	}
	if s&text.Italic != 0 {
		style = style.Italic(true)
	}
	if s&text.Underline != 0 {
		style = style.Underline(true)
	}
	if s&text.Strike != 0 {
		style = style.StrikeThrough(true)
	}
	return style
}

// Element returns how a part of the interface is drawn.
func (t *Theme) Element(e Element) tcell.Style {
	if e >= Elements {
		e = Base
	}
	return t.elements[e]
}

// Glyphs returns the marks of the interface.
func (t *Theme) Glyphs() Glyphs { return t.glyphs }

// lightBackground reads $COLORFGBG: the last field is the background's palette
// number, 7 and 9 to 15 are light.
func lightBackground(colorFGBG string) bool {
	fields := strings.Split(colorFGBG, ";")
	n, err := strconv.Atoi(fields[len(fields)-1])
	return err == nil && (n == 7 || n >= 9 && n <= 15)
}
