//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package term

import (
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"
)

func openOwn() (*os.File, error) { return os.OpenFile("/dev/tty", os.O_RDWR, 0) }

// saneModes sets what a raw mode clears and clears what it sets (termios(4);
// stty sane), and leaves alone what none touches: speeds, flow control of the
// line, characters, UTF-8.
func saneModes(f *os.File) error {
	// A job in the background may be told to repair its terminal too.
	signal.Ignore(syscall.SIGTTOU)
	defer signal.Reset(syscall.SIGTTOU)
	raw, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	err = raw.Control(func(fd uintptr) {
		var tio *unix.Termios
		if tio, failed = unix.IoctlGetTermios(int(fd), readModes); failed != nil {
			return
		}
		tio.Iflag |= unix.ICRNL | unix.IXON
		tio.Iflag &^= unix.IGNBRK | unix.INLCR | unix.IGNCR | unix.ISTRIP | unix.PARMRK
		tio.Oflag |= unix.OPOST | unix.ONLCR
		tio.Oflag &^= unix.OCRNL | unix.ONOCR | unix.ONLRET
		tio.Lflag |= unix.ISIG | unix.ICANON | unix.IEXTEN | unix.ECHO | unix.ECHOE | unix.ECHOK
		tio.Lflag &^= unix.ECHONL | unix.NOFLSH
		tio.Cflag |= unix.CREAD
		tio.Cc[unix.VMIN], tio.Cc[unix.VTIME] = 1, 0
		failed = unix.IoctlSetTermios(int(fd), writeModes, tio)
	})
	if err != nil {
		return err
	}
	return failed
}
