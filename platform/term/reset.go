package term

import "io"

// Reset writes what brings a terminal back that a killed program left behind
// (R20), apart from its line modes.
func Reset(w io.Writer) error {
	_, err := w.Write(resetBytes(true))
	return err
}

// resetBytes leaves every mode that tcell or this package enters. The order
// matters: the kitty keyboard stack belongs to the alternate screen, so it is
// popped before 1049l; colours and cursor are reset on both screens.
// An xterm-like terminal knows the private sequences with < and >; the Linux
// console prints some of them.
func resetBytes(xtermLike bool) []byte {
	const (
		sync    = "\x1b[?2026l"                                             // synchronised output
		mouse   = "\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?1004l" // and focus
		paste   = "\x1b[?2004l"
		keys    = "\x1b[?9001l\x1b[<u\x1b[>4;0m" // win32 input, kitty, modifyOtherKeys
		pen     = "\x1b[0m"
		cursor  = "\x1b[0 q" // default shape
		title   = "\x1b[23;2t"
		margins = "\x1b[?7h"
		keypad  = "\x1b[?1l\x1b>"
		main    = "\x1b[?1049l\x1b[23;0;0t" // as terminfo's rmcup for xterm does
		show    = "\x1b[?25h"
	)
	if !xtermLike {
		return []byte(mouse + paste + pen + margins + keypad + "\x1b[?1049l" + pen + show)
	}
	return []byte(sync + mouse + paste + keys + pen + cursor + title + margins + keypad + main + pen + show)
}
