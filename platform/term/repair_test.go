//go:build linux

package term

import (
	"errors"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/creack/pty"
	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
	xterm "golang.org/x/term"
)

func TestR20_RepairBringsTheModesBack(t *testing.T) {
	master, slave, err := pty.Open()
	if err != nil {
		t.Skip("no pseudo terminals: ", err)
	}
	t.Cleanup(func() { master.Close(); slave.Close() })
	before := modes(t, slave)
	if _, err := xterm.MakeRaw(int(slave.Fd())); err != nil {
		t.Fatal(err)
	}
	if cmp.Equal(before, modes(t, slave)) {
		t.Fatal("raw mode changes nothing")
	}
	if err := Repair(slave, env(), "Done."); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, modes(t, slave)); diff != "" {
		t.Errorf("the modes differ: %s", diff)
	}
	slave.Close()
	out := make([]byte, 4096)
	n, _ := master.Read(out)
	entered := "\x1b[?1049h\x1b[?25l\x1b[?2004h\x1b[?1004h\x1b[?1000h\x1b[?1002h\x1b[?1006h\x1b[?2026h\x1b[>1u\x1b[>4;2m"
	if left := leftOn(entered + string(out[:n])); left != "" {
		t.Errorf("left on: %s", left)
	}
	if !strings.HasSuffix(string(out[:n]), "\nDone.\r\n") {
		t.Errorf("written %q", out[:n])
	}
}

// Whatever a raw mode may have done, and whatever it never touches.
func TestR20_SaneModes(t *testing.T) {
	_, slave, err := pty.Open()
	if err != nil {
		t.Skip("no pseudo terminals: ", err)
	}
	defer slave.Close()
	before := modes(t, slave)
	worst := *before
	worst.Iflag = unix.IGNBRK | unix.INLCR | unix.IGNCR | unix.ISTRIP | unix.PARMRK | before.Iflag&unix.IUTF8
	worst.Oflag = unix.OCRNL | unix.ONOCR | unix.ONLRET
	worst.Lflag = before.Lflag&(unix.ECHOCTL|unix.ECHOKE) | unix.ECHONL | unix.NOFLSH
	worst.Cc[unix.VMIN], worst.Cc[unix.VTIME] = 0, 7
	if err := unix.IoctlSetTermios(int(slave.Fd()), unix.TCSETS, &worst); err != nil {
		t.Fatal(err)
	}
	if err := saneModes(slave); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, modes(t, slave)); diff != "" {
		t.Errorf("the modes differ: %s", diff)
	}
}

// The Linux console prints some of what others need, and a terminal that cannot
// move its cursor was never drawn on.
func TestR20_RepairKnowsTheTerminal(t *testing.T) {
	for name, want := range map[string]string{
		"xterm-256color": string(resetBytes(true)), "": string(resetBytes(true)), "xterm-nobody-knows": string(resetBytes(true)),
		"linux": string(resetBytes(false)), "dumb": "",
	} {
		got := string(repairBytes(env("TERM", name)))
		if want != "" {
			want = "\x18\x1b\\" + want + "\x1b[999;1H\r\n"
		}
		if got != want {
			t.Errorf("TERM=%q: %q, want %q", name, got, want)
		}
	}
}

func TestR39_RepairWithoutATerminalWritesNothing(t *testing.T) {
	in, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	if tty, err := openOwn(); err == nil {
		tty.Close()
		t.Skip("SKIPPED: there is a controlling terminal here")
	}
	var not *NotATerminal
	if err := Repair(out, env(), "Done."); !errors.As(err, &not) {
		t.Errorf("error is %v", err)
	}
	out.Close()
	if got, _ := io.ReadAll(in); len(got) > 0 {
		t.Errorf("written %q", got)
	}
}
