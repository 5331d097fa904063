package theme

import (
	"copydesk/core/text"

	"github.com/gdamore/tcell/v2"
)

// depth is how many colours a palette may use.
type depth uint8

const (
	none    depth = iota // attributes only
	ansi                 // the terminal's own 8 or 16
	indexed              // the fixed part of the 256, from 16 up
	rgb                  // 24 bits
)

func depthOf(colors int) depth {
	switch {
	case colors <= 0:
		return none
	case colors < 256:
		return ansi
	case colors == 256:
		return indexed
	}
	return rgb
}

// A hue is a colour by its meaning.
type hue uint8

const (
	text0  hue = iota // the terminal's own foreground
	soft              // a little less than text
	muted             // much less than text
	blue              // things to act on
	green             // well, added, strings
	red               // failed, removed, reject
	amber             // look twice, pending
	violet            // headings, keywords
	teal              // tags, types, hunks
	peach             // numbers, code in prose
	hues
)

// A shade is a hue at each depth. The first 16 of the 256 colours are the
// user's own, of unknown contrast, so indexed shades stay above them.
type shade struct {
	rgb     int32
	indexed int
	ansi    tcell.Color
	dim     bool // at depth ansi: drawn dim instead of in a colour
}

// The shades keep 7:1 against the usual backgrounds, muted 4.5:1 (WCAG 2.2,
// 1.4.6 and 1.4.3). At depth ansi muted is the terminal's own foreground, dim:
// bright black is the background itself in some schemes.
var darkShades = [hues]shade{
	text0:  {rgb: -1, ansi: tcell.ColorDefault},
	soft:   {rgb: 0xb4bccb, indexed: 250, ansi: tcell.ColorDefault},
	muted:  {rgb: 0x9199a8, indexed: 246, ansi: tcell.ColorDefault, dim: true},
	blue:   {rgb: 0x8dbcff, indexed: 153, ansi: tcell.ColorAqua},
	green:  {rgb: 0x93d7a0, indexed: 114, ansi: tcell.ColorLime},
	red:    {rgb: 0xff9d97, indexed: 217, ansi: tcell.ColorRed},
	amber:  {rgb: 0xebc57f, indexed: 222, ansi: tcell.ColorYellow},
	violet: {rgb: 0xc6b6ff, indexed: 183, ansi: tcell.ColorFuchsia},
	teal:   {rgb: 0x83d3ce, indexed: 116, ansi: tcell.ColorTeal},
	peach:  {rgb: 0xf4b793, indexed: 216, ansi: tcell.ColorYellow},
}

var lightShades = [hues]shade{
	text0:  {rgb: -1, ansi: tcell.ColorDefault},
	soft:   {rgb: 0x434a57, indexed: 238, ansi: tcell.ColorDefault},
	muted:  {rgb: 0x626a78, indexed: 241, ansi: tcell.ColorDefault, dim: true},
	blue:   {rgb: 0x0b4a9e, indexed: 19, ansi: tcell.ColorNavy},
	green:  {rgb: 0x17552a, indexed: 22, ansi: tcell.ColorGreen},
	red:    {rgb: 0x9c1620, indexed: 88, ansi: tcell.ColorMaroon},
	amber:  {rgb: 0x6e4800, indexed: 89, ansi: tcell.ColorPurple},
	violet: {rgb: 0x5b2ea6, indexed: 54, ansi: tcell.ColorPurple},
	teal:   {rgb: 0x0a5257, indexed: 23, ansi: tcell.ColorTeal},
	peach:  {rgb: 0x7f3a10, indexed: 52, ansi: tcell.ColorMaroon},
}

// A palette makes styles of hues.
type palette struct {
	dark  bool
	depth depth
}

func (p palette) shade(h hue) shade {
	if p.dark {
		return darkShades[h]
	}
	return lightShades[h]
}

// ink returns a style that draws in a hue on the terminal's own background.
func (p palette) ink(h hue) tcell.Style {
	s := p.shade(h)
	switch {
	case p.depth == none || p.depth == ansi && s.dim:
		return tcell.StyleDefault.Dim(h == muted)
	case s.rgb < 0:
		return tcell.StyleDefault
	case p.depth == ansi:
		return tcell.StyleDefault.Foreground(s.ansi)
	case p.depth == indexed:
		return tcell.StyleDefault.Foreground(tcell.PaletteColor(s.indexed))
	}
	return tcell.StyleDefault.Foreground(tcell.NewHexColor(s.rgb))
}

func (p palette) paintRoles(to *[text.Roles]tcell.Style) {
	*to = [text.Roles]tcell.Style{
		text.Plain:    p.ink(text0),
		text.Muted:    p.ink(muted),
		text.Info:     p.ink(blue),
		text.Success:  p.ink(green),
		text.Failure:  p.ink(red).Bold(true),
		text.Warning:  p.ink(amber).Underline(true),
		text.Tag:      p.ink(teal),
		text.NoteTag:  p.ink(muted),
		text.ErrorTag: p.ink(red).Bold(true),
		text.Prefix:   p.ink(muted).Italic(true),
		text.Heading:  p.ink(violet).Bold(true),
		text.Markup:   p.ink(muted),
		text.CodeSpan: p.ink(peach),
		text.Code:     p.ink(text0),
		text.Link:     p.ink(blue).Underline(true),
		text.URL:      p.ink(muted).Underline(true),
		text.Quote:    p.ink(soft).Italic(true),
		text.Bullet:   p.ink(blue),
		text.Border:   p.ink(muted),
		text.Header:   p.ink(text0).Bold(true),
		text.Null:     p.ink(muted).Italic(true),
		text.Keyword:  p.ink(violet),
		text.Function: p.ink(blue),
		text.TypeName: p.ink(teal),
		text.String:   p.ink(green),
		text.Number:   p.ink(peach),
		text.Comment:  p.ink(muted).Italic(true),
		text.Operator: p.ink(soft),
		text.Added:    p.ink(green),
		text.Removed:  p.ink(red),
		text.Hunk:     p.ink(teal),
		text.Claim:    p.ink(soft).Italic(true),
	}
}

func (p palette) paintElements(to *[Elements]tcell.Style) {
	*to = [Elements]tcell.Style{
		Base:               p.ink(text0),
		Gutter:             p.ink(teal).Dim(p.depth == none),
		GutterError:        p.ink(red).Bold(true),
		Border:             p.ink(muted),
		BorderFocus:        p.ink(blue),
		Title:              p.ink(soft),
		TitleFocus:         p.ink(blue).Bold(true),
		ScrollMark:         p.ink(muted),
		Pill:               p.ink(blue).Bold(true),
		Status:             p.ink(muted),
		StatusKey:          p.ink(blue).Bold(true),
		StatusAlert:        p.ink(amber).Bold(true),
		InputText:          p.ink(text0),
		InputPrompt:        p.ink(blue).Bold(true),
		InputHint:          p.ink(muted).Italic(true),
		AskPrompt:          p.ink(blue).Bold(true),
		Selected:           p.ink(text0).Reverse(true),
		Found:              p.ink(amber).Bold(true).Underline(true),
		FoundChosen:        p.ink(amber).Bold(true).Underline(true).Reverse(true),
		ButtonApprove:      p.ink(blue).Bold(true),
		ButtonReject:       p.ink(red).Bold(true).Underline(p.depth == none),
		ButtonOff:          p.ink(muted).StrikeThrough(true),
		Badge:              p.ink(amber).Bold(true),
		DialogBorder:       p.ink(blue),
		DialogTitle:        p.ink(text0).Bold(true),
		Completion:         p.ink(text0),
		CompletionSelected: p.ink(text0).Reverse(true),
	}
}
