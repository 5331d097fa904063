package term

import (
	"strings"

	"github.com/rivo/uniseg"

	"copydesk/core"
	"copydesk/core/text"
)

// maxTitle is how much of a title is looked at, in bytes; what has no width
// would otherwise pass in any number.
const maxTitle = 16 * core.TitleCells

// cleanTitle makes a window title of any text: one line without controls, at
// most core.TitleCells cells (T68). It cannot end the sequence it is sent in.
func cleanTitle(s string) string {
	s = text.CleanLine(s[:min(len(s), maxTitle)])
	s = strings.TrimSpace(strings.ReplaceAll(s, "\t", " "))
	var b strings.Builder
	cells := 0
	for g := uniseg.NewGraphemes(s); g.Next(); {
		if cells += g.Width(); cells > core.TitleCells {
			break
		}
		b.WriteString(g.Str())
	}
	return b.String()
}

// asciiTitle is a title for a locale that has no more than ASCII (R41).
func asciiTitle(s string) string {
	s = strings.NewReplacer("·", "-", "●", "*", "…", "...").Replace(s)
	return strings.Map(func(r rune) rune {
		if r > '~' {
			return '?'
		}
		return r
	}, s)
}
