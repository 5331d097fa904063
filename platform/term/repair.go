package term

import (
	"fmt"
	"os"
	"strings"

	xterm "golang.org/x/term"
)

// Repair brings a terminal back that a killed program left behind (R20): it
// leaves every mode that the program may have entered, sets the line modes that
// a shell expects, and writes said on a line of its own. The terminal is out, or
// the controlling one when out is none, so that nothing but a terminal gets an
// escape byte. Without a terminal it writes nothing and returns a *NotATerminal.
func Repair(out *os.File, env func(string) string, said string) error {
	terminal := out
	if !xterm.IsTerminal(int(out.Fd())) {
		own, err := openOwn()
		if err != nil {
			return &NotATerminal{Stream: "Standard output"}
		}
		defer own.Close()
		terminal = own
	}
	if err := saneModes(terminal); err != nil {
		return fmt.Errorf("set the modes of the terminal: %w", err)
	}
	if _, err := terminal.Write(repairBytes(env)); err != nil {
		return fmt.Errorf("write to the terminal: %w", err)
	}
	if _, err := fmt.Fprintf(terminal, "\r%s\n", said); err != nil {
		return fmt.Errorf("write to the terminal: %w", err)
	}
	return nil
}

// repairBytes are for a terminal whose state nobody knows. The program may have
// been killed in the middle of a sequence, so CAN and ST come first. 1049l moves
// the cursor to where it was saved, on the main screen too, so it is saved
// before; on the other screen that is another place. A terminal that cannot
// move its cursor gets nothing: no program drew on it.
func repairBytes(env func(string) string) []byte {
	ti, err := terminfoFor(env)
	if err != nil {
		return nil
	}
	const end, save = "\x18\x1b\\", "\x1b7"
	return append([]byte(end+save), resetBytes(ti.XTermLike || strings.HasPrefix(ti.Name, "xterm"))...)
}
