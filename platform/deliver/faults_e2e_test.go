//go:build e2e && unix

package deliver

import (
	"context"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"

	"copydesk/core"
)

// inTime fails the test if what it is deferred in took longer than a copy may.
func inTime(t *testing.T, began time.Time) {
	t.Helper()
	if took := time.Since(began); took > core.ToolTimeout+500*time.Millisecond {
		t.Errorf("took %v", took)
	}
}

func TestE2E_R44_TheOwnerBeforeIsStopped(t *testing.T) {
	startX(t)
	d := desktop(t)
	d.limit = core.ToolTimeout
	if got := brief(d.Copy(context.Background(), "old")); got != "x11=owned" {
		t.Fatal(got)
	}
	old := owners(t)[0]
	if err := syscall.Kill(old, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	defer inTime(t, time.Now())
	if got := brief(d.Copy(context.Background(), "new")); got != "x11=owned" || pasted(t) != "new" {
		t.Errorf("%s, pasted %q", got, pasted(t))
	}
	if err := syscall.Kill(old, syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	until(t, "the owner that was stopped is gone", func() bool { return !alive(old) })
}

func TestE2E_R44_TheXServerStops(t *testing.T) {
	server := startX(t)
	if err := server.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	d := desktop(t)
	d.limit, d.sender = core.ToolTimeout, &sender{terminal: &fakeTerminal{}, start: d.start}
	began := time.Now()
	if got, want := brief(d.Copy(context.Background(), "hi")), "osc52=sent x11=failed(no answer within 2 s)"; got != want {
		t.Errorf("receipt %q, want %q", got, want)
	}
	inTime(t, began)
	if err := server.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	until(t, "no owner is left", func() bool { return len(owners(t)) == 0 })
	if got := brief(d.Copy(context.Background(), "again")); got != "osc52=sent x11=owned" || pasted(t) != "again" {
		t.Errorf("%s, pasted %q", got, pasted(t))
	}
}

func TestE2E_R44_TheCompositor(t *testing.T) {
	t.Run("stops", func(t *testing.T) {
		server := startSway(t)
		if err := server.Process.Signal(syscall.SIGSTOP); err != nil {
			t.Fatal(err)
		}
		d := desktop(t)
		d.limit = core.ToolTimeout
		began := time.Now()
		if got, want := brief(d.Copy(context.Background(), "hi")), "wayland=failed(no answer within 2 s)"; got != want {
			t.Errorf("receipt %q, want %q", got, want)
		}
		inTime(t, began)
	})
	t.Run("is killed", func(t *testing.T) {
		server := startSway(t)
		d := desktop(t)
		d.limit, d.stateDir = core.ToolTimeout, t.TempDir()
		if got := brief(d.Copy(context.Background(), "hi")); got != "wayland=owned" {
			t.Fatal(got)
		}
		if err := server.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		until(t, "the owner is gone", func() bool { return len(ownersIn(t, os.Getenv("XDG_RUNTIME_DIR"))) == 0 })
		began := time.Now()
		got := brief(d.Copy(context.Background(), "hi"))
		if !strings.HasPrefix(got, "wayland=failed(the compositor gives no access to its clipboard) wl-copy=failed(") || !strings.HasSuffix(got, " file=saved") {
			t.Errorf("receipt %q", got)
		}
		inTime(t, began)
	})
}

// ownersIn are the owner processes in a runtime folder.
func ownersIn(t *testing.T, run string) []int {
	t.Helper()
	var out []int
	entries, err := os.ReadDir("/proc")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		id, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		args, _ := os.ReadFile("/proc/" + e.Name() + "/cmdline")
		if strings.HasSuffix(string(args), "\x00"+OwnerArg+"\x00") && ProcessEnv(id, "XDG_RUNTIME_DIR") == run {
			out = append(out, id)
		}
	}
	return out
}

func TestE2E_R44_TmuxStopsAndIsKilled(t *testing.T) {
	r := startTmux(t, "")
	r.attach()
	d := r.deliverer()
	d.limit, d.sender, d.stateDir = core.ToolTimeout, nil, t.TempDir()
	pid, err := strconv.Atoi(r.tmux("display-message", "-p", "#{pid}"))
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	got := brief(d.Copy(context.Background(), "hi"))
	inTime(t, began)
	if err := syscall.Kill(pid, syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(got, "tmux=failed(no answer within ") || !strings.HasSuffix(got, " file=saved") {
		t.Errorf("stopped: receipt %q", got)
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	until(t, "the server is gone", func() bool { return exec.Command("tmux", "-S", r.socket, "list-sessions").Run() != nil })
	got = brief(d.Copy(context.Background(), "hi"))
	if !strings.HasPrefix(got, "tmux=failed(") || strings.Contains(got, "exit status") || !strings.HasSuffix(got, " file=saved") {
		t.Errorf("killed: receipt %q", got)
	}
	restart := exec.Command("tmux", "-S", r.socket, "new-session", "-d", "sleep 600") // for the end of the rig
	if out, err := restart.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}

// ttyTerminal writes to a terminal that may be stopped.
type ttyTerminal struct{ tty *os.File }

func (f ttyTerminal) WriteRaw(p []byte) error {
	_, err := f.tty.Write(p)
	return err
}

func TestE2E_R44_ATerminalThatIsStoppedWithCtrlS(t *testing.T) {
	master, tty, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer master.Close()
	defer tty.Close()
	d := desktop(t)
	d.env = func(name string) string { return map[string]string{"TERM": "xterm-kitty", "SSH_TTY": "x"}[name] }
	d.lineage, d.limit, d.stateDir = nil, core.ToolTimeout, t.TempDir()
	d.sender = &sender{terminal: ttyTerminal{tty}, start: d.start}

	if _, err := master.Write([]byte{0x13}); err != nil { // Ctrl+S
		t.Fatal(err)
	}
	body := numbered(200_000)
	began := time.Now()
	got := brief(d.Copy(context.Background(), body))
	inTime(t, began)
	if want := "osc52=failed(the terminal has not taken it yet) file=saved"; got != want {
		t.Errorf("receipt %q, want %q", got, want)
	}

	if _, err := master.Write([]byte{0x11}); err != nil { // Ctrl+Q
		t.Fatal(err)
	}
	var out strings.Builder
	p := make([]byte, 64<<10)
	for decoded52(out.String()) != body {
		n, err := master.Read(p)
		if err != nil {
			t.Fatalf("%d bytes came: %v", out.Len(), err)
		}
		out.Write(p[:n])
	}
}
