package main

import (
	"os"
	"strings"
	"testing"
)

func TestR20_ResetWithoutATerminalSaysSo(t *testing.T) {
	if tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0); err == nil {
		tty.Close()
		t.Skip("SKIPPED: there is a controlling terminal here")
	}
	code, stdout, stderr := start(t, t.TempDir(), "reset")
	if code != exitRefused || stdout != "" || !strings.Contains(stderr, "no terminal here to repair") || strings.Contains(stderr, "\x1b") {
		t.Errorf("exit %d, %q, %q", code, stdout, stderr)
	}
}
