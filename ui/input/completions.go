package input

import (
	"copydesk/core/command"
	"copydesk/core/text"
	"copydesk/ui/theme"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/tview"
)

// maxShown is how many completions are on the screen at once, in rows.
const maxShown = 7

// Completions is the list of ways to go on that stands above the field. It takes
// no keys of its own.
type Completions struct {
	*tview.Box
	theme *theme.Theme
	all   []command.Completion
	at    int // the chosen one; -1 is none
}

// NewCompletions makes an empty list.
func NewCompletions(th *theme.Theme) *Completions {
	c := &Completions{Box: tview.NewBox(), at: -1}
	c.SetTheme(th)
	return c
}

// SetTheme changes how the list looks.
func (c *Completions) SetTheme(th *theme.Theme) {
	c.theme = th
	c.SetBackgroundColor(tcell.ColorDefault)
}

// Show replaces the list. The choice stays while the entries are the same.
func (c *Completions) Show(all []command.Completion) {
	if !same(c.all, all) {
		c.at = -1
	}
	c.all = all
}

func same(a, b []command.Completion) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].Text != b[i].Text {
			return false
		}
	}
	return true
}

// Rows is how many rows the list wants.
func (c *Completions) Rows() int { return min(len(c.all), maxShown) }

// Move chooses the entry n further down, round the end.
func (c *Completions) Move(n int) {
	if len(c.all) == 0 {
		return
	}
	if c.at < 0 && n < 0 {
		c.at = 0
	}
	c.at = ((c.at+n)%len(c.all) + len(c.all)) % len(c.all)
}

// Chosen is the entry that was moved to.
func (c *Completions) Chosen() (command.Completion, bool) {
	if c.at < 0 || c.at >= len(c.all) {
		return command.Completion{}, false
	}
	return c.all[c.at], true
}

// First is the first entry.
func (c *Completions) First() (command.Completion, bool) {
	if len(c.all) == 0 {
		return command.Completion{}, false
	}
	return c.all[0], true
}

// Only is the entry that Tab takes at once: the sole one.
func (c *Completions) Only() (command.Completion, bool) {
	if len(c.all) != 1 {
		return command.Completion{}, false
	}
	return c.all[0], true
}

// Draw draws the entries around the chosen one.
func (c *Completions) Draw(screen tcell.Screen) {
	c.DrawForSubclass(screen, c)
	x, y, width, height := c.GetInnerRect()
	first := 0
	if c.at >= height {
		first = c.at - height + 1
	}
	words := 0
	for _, e := range c.all {
		words = max(words, text.Width(e.Text))
	}
	pointer := c.theme.Glyphs().Pointer
	for row := 0; row < height && first+row < len(c.all); row++ {
		e := c.all[first+row]
		style, lead := c.theme.Element(theme.Completion), "  "
		if first+row == c.at {
			style, lead = c.theme.Element(theme.CompletionSelected), pointer+" "
		}
		line := text.Truncate(lead+text.CleanLine(e.Text), width)
		screen.PutStrStyled(x, y+row, line, style)
		if gap := words + 4; e.Summary != "" && gap < width {
			screen.PutStrStyled(x+gap, y+row, text.Truncate(text.CleanLine(e.Summary), width-gap), c.theme.Element(theme.InputHint))
		}
	}
}
