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
	if _, err := fmt.Fprintf(terminal, "%s\n", said); err != nil {
		return fmt.Errorf("write to the terminal: %w", err)
	}
	return nil
}

// repairBytes are for a terminal whose state nobody knows. The program may have
// been killed in the middle of a sequence, so CAN and ST come first. 1049l takes
// the cursor to where some program saved it, on the main screen too, so what
// follows goes to the last row, where it overwrites nothing. A terminal that
// cannot move its cursor gets no byte: no program drew on it.
func repairBytes(env func(string) string) []byte {
	ti, err := terminfoFor(env)
	if err != nil {
		return nil
	}
	const end, bottom = "\x18\x1b\\", "\x1b[999;1H\r\n"
	reset := resetBytes(ti.XTermLike || strings.HasPrefix(ti.Name, "xterm"))
	return []byte(end + string(reset) + bottom)
}
