package term

import (
	"os"

	"golang.org/x/sys/windows"
)

func openOwn() (*os.File, error) { return os.OpenFile("CONOUT$", os.O_RDWR, 0) }

// saneModes sets the modes that a console has for a shell: lines, echo and
// Ctrl+C for its input, escape sequences and line ends for its output.
func saneModes(f *os.File) error {
	const shown = windows.ENABLE_PROCESSED_OUTPUT | windows.ENABLE_WRAP_AT_EOL_OUTPUT | windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING
	if err := windows.SetConsoleMode(windows.Handle(f.Fd()), shown); err != nil {
		return err
	}
	in, err := os.OpenFile("CONIN$", os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer in.Close()
	const typed = windows.ENABLE_PROCESSED_INPUT | windows.ENABLE_LINE_INPUT | windows.ENABLE_ECHO_INPUT |
		windows.ENABLE_INSERT_MODE | windows.ENABLE_QUICK_EDIT_MODE | windows.ENABLE_EXTENDED_FLAGS
	return windows.SetConsoleMode(windows.Handle(in.Fd()), typed)
}
