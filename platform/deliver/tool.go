package deliver

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// killDelay is how long a program that was killed may keep a pipe open before
// it is left alone.
const killDelay = 200 * time.Millisecond

// saidBytes is how much of what a program says is read, complaintBytes how much
// of its first line is repeated to the user.
const (
	saidBytes      = 4 << 10
	complaintBytes = 200
)

// errNotFound is that a program is not installed.
var errNotFound = errors.New("not found")

// termuxWait is how long termux-clipboard-set may take: without its app it hangs
// (termux-api#39), and some phones need seconds (termux-api#585).
const termuxWait = 8 * time.Second

// powershellSet reads UTF-8, where the default is the system's code page.
const powershellSet = "[Console]::InputEncoding=[Text.Encoding]::UTF8; Set-Clipboard -Value ([Console]::In.ReadToEnd())"

// toolArgs are the arguments with which a program takes the clipboard's text
// from its standard input.
func toolArgs(program string) []string {
	switch program {
	case "xclip":
		return []string{"-in", "-selection", "clipboard"}
	case "xsel":
		return []string{"--input", "--clipboard"}
	case "wl-copy":
		return []string{"--type", "text/plain"}
	case "powershell.exe":
		return []string{"-NoProfile", "-NonInteractive", "-Command", powershellSet}
	}
	return nil
}

// primaryArgs are those for the primary selection, nil if a program has none.
func primaryArgs(program string) []string {
	switch program {
	case "xclip":
		return []string{"-in", "-selection", "primary"}
	case "xsel":
		return []string{"--input", "--primary"}
	case "wl-copy":
		return []string{"--primary", "--type", "text/plain"}
	}
	return nil
}

// install is what to do about a program that is missing.
func install(program string) string {
	switch program {
	case "wl-copy":
		return "Install wl-clipboard."
	case "termux-clipboard-set":
		return "Install the Termux:API app, and in Termux: pkg install termux-api"
	case "powershell.exe":
		return "In /etc/wsl.conf, section [interop]: appendWindowsPath=true"
	}
	return "Install " + program + "."
}

// passedOn are the variables that the programs we start get; whatever else is
// in our environment, keys and tokens, is none of their business (T38).
func passedOn() []string {
	return []string{
		"PATH", "HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "LC_CTYPE", "TMPDIR", "TERM",
		"DISPLAY", "XAUTHORITY", "WAYLAND_DISPLAY", "XDG_RUNTIME_DIR",
		"TMUX", "TMUX_PANE", "TMUX_TMPDIR",
		"WSL_DISTRO_NAME", "WSL_INTEROP",
		"PREFIX", "ANDROID_DATA", "ANDROID_ROOT", "ANDROID_ART_ROOT", "ANDROID_I18N_ROOT", "ANDROID_TZDATA_ROOT",
		"BOOTCLASSPATH", "DEX2OATBOOTCLASSPATH",
	}
}

// environ is the environment of the programs we start.
func environ(env func(string) string) []string {
	out := []string{} // not nil, which would hand on all of ours
	for _, name := range passedOn() {
		if value := env(name); value != "" {
			out = append(out, name+"="+value)
		}
	}
	return out
}

// find returns the absolute path of a program, or errNotFound. A program in the
// current directory is none.
func (d *Deliverer) find(program string) (string, error) {
	path, err := d.lookPath(program)
	if err != nil || !filepath.IsAbs(path) {
		return "", errNotFound
	}
	return path, nil
}

// A call is one run of a program.
type call struct {
	program string
	args    []string
	environ []string
	text    string   // on its standard input; "" is none
	out     *os.File // takes its standard output; nil is none
}

// run runs a program. It returns killDelay after the context ends at the latest,
// and then the program is gone. The error of a program that ends badly is what it
// said on its standard error.
//
// xclip and wl-copy leave a child behind that keeps the descriptors it got, so
// waiting for the end of a pipe would last until the next copy: what a program
// says goes to files (wl-clipboard#110, #245).
func (d *Deliverer) run(ctx context.Context, c call) error {
	path, err := d.find(c.program)
	if err != nil {
		return err
	}
	errout := scratch()
	defer errout.Close()

	cmd := exec.CommandContext(ctx, path, c.args...)
	cmd.Dir = string(filepath.Separator)
	cmd.Env = c.environ
	if c.text != "" {
		cmd.Stdin = strings.NewReader(c.text)
	}
	if c.out != nil {
		cmd.Stdout = c.out
	}
	if errout != nil {
		cmd.Stderr = errout
	}
	cmd.WaitDelay = killDelay
	cmd.Cancel = func() error { return killGroup(cmd) }
	detach(cmd)

	err = cmd.Run()
	switch {
	case err == nil, errors.Is(err, exec.ErrWaitDelay):
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	}
	if complaint := firstLine(said(errout)); complaint != "" {
		return errors.New(complaint)
	}
	return fmt.Errorf("run %s: %w", c.program, err)
}

// scratch returns an open file that has no name any more, or nil if none can be
// made: the program is not heard then.
func scratch() *os.File {
	f, err := os.CreateTemp("", "copydesk-*")
	if err != nil {
		return nil
	}
	if err := os.Remove(f.Name()); err != nil {
		f.Close()
		os.Remove(f.Name())
		return nil
	}
	return f
}

// said returns the beginning of what a program wrote to a scratch file.
func said(f *os.File) string {
	if f == nil {
		return ""
	}
	p := make([]byte, saidBytes)
	n, err := f.ReadAt(p, 0)
	if err != nil && err != io.EOF {
		return ""
	}
	return string(p[:n])
}

// firstLine returns the first line that is not blank, cut to what a note can
// show.
func firstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	if len(line) > complaintBytes {
		line = strings.ToValidUTF8(line[:complaintBytes], "") + "…"
	}
	return line
}
