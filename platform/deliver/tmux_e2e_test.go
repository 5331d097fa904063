//go:build e2e && unix

package deliver

import (
	"context"
	"encoding/base64"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/creack/pty"
)

// A tmuxRig is a tmux server of our own, with no configuration but its lines,
// and a client that is attached to it.
type tmuxRig struct {
	t      testing.TB
	socket string

	mu  sync.Mutex
	out strings.Builder // what the client sent to its terminal
}

func startTmux(t testing.TB, config string) *tmuxRig {
	t.Helper()
	need(t, "tmux")
	dir, err := os.MkdirTemp("", "tmux") // a socket's path must be short
	if err != nil {
		t.Fatal(err)
	}
	r := &tmuxRig{t: t, socket: filepath.Join(dir, "s")}
	conf := filepath.Join(dir, "conf")
	if err := os.WriteFile(conf, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMUX", "")
	new := exec.Command("tmux", "-S", r.socket, "-f", conf, "new-session", "-d", "-x", "80", "-y", "24", "exec sleep 100000")
	if out, err := new.CombinedOutput(); err != nil {
		t.Fatalf("tmux: %v: %s", err, out)
	}
	t.Cleanup(func() {
		r.tmux("kill-server")
		os.RemoveAll(dir)
	})
	return r
}

func (r *tmuxRig) tmux(args ...string) string {
	r.t.Helper()
	out, err := exec.Command("tmux", append([]string{"-S", r.socket}, args...)...).Output()
	if err != nil {
		r.t.Fatalf("tmux %s: %v", args, err)
	}
	return strings.TrimSuffix(string(out), "\n")
}

// attach attaches a client and keeps what it writes to its terminal.
func (r *tmuxRig) attach() {
	r.t.Helper()
	client := exec.Command("tmux", "-S", r.socket, "attach")
	client.Env = append(os.Environ(), "TERM=xterm-256color", "LC_ALL=C.UTF-8")
	tty, err := pty.StartWithSize(client, &pty.Winsize{Rows: 24, Cols: 80})
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() {
		tty.Close()
		_ = client.Process.Kill()
		_ = client.Wait()
	})
	go func() {
		p := make([]byte, 64<<10)
		for {
			n, err := tty.Read(p)
			r.mu.Lock()
			r.out.Write(p[:n])
			r.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	until(r.t, "the client is attached", func() bool { return r.tmux("list-clients") != "" })
}

func (r *tmuxRig) sent() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.out.String()
}

// WriteRaw writes to the terminal of the pane, as a program in it does.
func (r *tmuxRig) WriteRaw(p []byte) error {
	tty, err := os.OpenFile(r.tmux("display-message", "-p", "#{pane_tty}"), os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer tty.Close()
	_, err = tty.Write(p)
	return err
}

func (r *tmuxRig) deliverer() *Deliverer {
	vars := map[string]string{
		"PATH": os.Getenv("PATH"), "TERM": "tmux-256color",
		"TMUX":      fmt.Sprintf("%s,%s,0", r.socket, r.tmux("display-message", "-p", "#{pid}")),
		"TMUX_PANE": r.tmux("display-message", "-p", "#{pane_id}"),
	}
	return New(Options{
		Env:      func(name string) string { return vars[name] },
		LookPath: exec.LookPath, Terminal: r, Go: func(f func()) { go f() }, Limit: patient,
	})
}

func TestE2E_R53_Tmux(t *testing.T) {
	tests := []struct {
		name, config string
		want         string
		through      string // what the client's terminal gets before the base64
	}{
		{"its defaults", "", "tmux=buffered osc52=sent", "\x1b]52;;"},
		{"set-clipboard off", "set -s set-clipboard off", "tmux=buffered osc52=sent", "\x1b]52;;"},
		{"all on", "set -s set-clipboard on\nset -g allow-passthrough on", "osc52=sent tmux=buffered", "\x1b]52;c;"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := startTmux(t, tt.config)
			r.attach()
			for _, body := range []string{
				"hello",
				strings.Repeat("0123456789 the quick brown fox\n", 4000)[:120_000],
				"bytes \x00\xff",
			} {
				if got := brief(r.deliverer().Copy(context.Background(), body)); got != tt.want {
					t.Errorf("receipt %q, want %q", got, tt.want)
				}
				want := tt.through + base64.StdEncoding.EncodeToString([]byte(body))
				until(t, fmt.Sprintf("%d bytes reach the client's terminal", len(body)), func() bool { return strings.Contains(r.sent(), want) })
				if got := r.tmux("show-buffer"); got != strings.TrimSuffix(body, "\n") {
					t.Errorf("tmux's buffer holds %d bytes %.40q, want %d", len(got), got, len(body))
				}
			}
		})
	}
	t.Run("nobody is attached", func(t *testing.T) {
		r := startTmux(t, "")
		receipt := r.deliverer().Copy(context.Background(), "hello")
		if got, want := brief(receipt), "tmux=buffered"; got != want {
			t.Errorf("receipt %q, want %q", got, want)
		}
		if receipt.Routes[0].Mend == "" {
			t.Error("nothing says what mends it")
		}
	})
	t.Run("a text above what passes through", func(t *testing.T) {
		r := startTmux(t, "set -g allow-passthrough on")
		r.attach()
		body := strings.Repeat("x", 1_000_000)
		got := brief(r.deliverer().Copy(context.Background(), body))
		if !strings.HasPrefix(got, "osc52=failed(1.0 MB is more than ") || !strings.HasSuffix(got, " tmux=buffered osc52=sent") {
			t.Errorf("receipt %q", got)
		}
		want := "\x1b]52;;" + base64.StdEncoding.EncodeToString([]byte(body))
		until(t, "it reaches the client's terminal", func() bool { return strings.Contains(r.sent(), want) })
	})
	t.Run("the server is gone", func(t *testing.T) {
		r := startTmux(t, "")
		d := r.deliverer()
		d.sender = nil
		if err := os.Rename(r.socket, r.socket+"x"); err != nil {
			t.Fatal(err)
		}
		got := brief(d.Copy(context.Background(), "hello"))
		if err := os.Rename(r.socket+"x", r.socket); err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(got, "tmux=failed(") || strings.Contains(got, "exit status") {
			t.Errorf("receipt %q: tmux's own words are missing", got)
		}
	})
}
