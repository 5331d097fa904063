//go:build e2e && unix

package deliver

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"copydesk/core/clipboard"
)

// sizes are the limits of the routes and what is just beyond them, in bytes.
func sizes() []int { return []int{0, 1, 262_116, 262_117, 786_421, 1_048_577, 10_000_000} }

// numbered is a text of n bytes in which every place looks different.
func numbered(n int) string {
	var b strings.Builder
	for i := 0; b.Len() < n; i++ {
		fmt.Fprintf(&b, "%08d\n", i)
	}
	return b.String()[:n]
}

// TestE2E_CLP_WholeOrRefused copies texts of all sizes in all places: each
// arrives whole by every route that says so, and the others say why not.
func TestE2E_CLP_WholeOrRefused(t *testing.T) {
	outcome := func(t *testing.T, receipt clipboard.Receipt, body string, owned, sent func() string) {
		t.Helper()
		if body == "" {
			if got := brief(receipt); got != "=failed(the text is empty)" {
				t.Errorf("0 bytes: %s", got)
			}
			return
		}
		taken := false
		for _, r := range receipt.Routes {
			var got func() string
			switch r.Outcome {
			case clipboard.Owned:
				got = owned
			case clipboard.Sent:
				got = sent
			case clipboard.Saved:
				got = func() string { p, _ := os.ReadFile(r.Path); return string(p) }
			case clipboard.Failed:
				if r.Reason == "" {
					t.Errorf("%d bytes: %s failed without a reason", len(body), r.Route)
				}
				continue
			default:
				continue
			}
			taken = true
			until(t, fmt.Sprintf("%d bytes arrive by %s", len(body), r.Route), func() bool { return got() == body })
		}
		if !taken {
			t.Errorf("%d bytes: %s", len(body), brief(receipt))
		}
		t.Logf("%8d bytes: %s", len(body), brief(receipt))
	}

	each := func(t *testing.T, d *Deliverer, terminal *fakeTerminal, owned func() string) {
		d.stateDir = t.TempDir()
		if terminal != nil {
			d.sender = &sender{terminal: terminal, start: d.start}
		}
		for _, n := range sizes() {
			outcome(t, d.Copy(context.Background(), numbered(n)), numbered(n), owned, func() string { return last52(terminal) })
		}
	}
	t.Run("X11", func(t *testing.T) {
		startX(t)
		each(t, desktop(t), nil, func() string { return pasted(t) })
	})
	t.Run("Wayland", func(t *testing.T) {
		startSway(t)
		each(t, desktop(t), nil, func() string { return pastedWayland(t) })
	})
	for name, env := range map[string]string{
		"over SSH, the terminal unknown": "SSH_CONNECTION=a",
		"over SSH from kitty":            "SSH_CONNECTION=a TERM=xterm-kitty",
		"GNU screen":                     "SSH_CONNECTION=a TERM=screen STY=1.x",
		"a console":                      "TERM=linux",
	} {
		t.Run(name, func(t *testing.T) {
			vars := map[string]string{"TERM": "xterm-256color"}
			for _, pair := range strings.Fields(env) {
				key, value, _ := strings.Cut(pair, "=")
				vars[key] = value
			}
			d := desktop(t)
			d.env, d.lineage = func(name string) string { return vars[name] }, nil
			each(t, d, &fakeTerminal{}, nil)
		})
	}
	for _, pass := range []string{"off", "on"} {
		t.Run("tmux, allow-passthrough "+pass, func(t *testing.T) {
			r := startTmux(t, "set -g allow-passthrough "+pass)
			r.attach()
			d := r.deliverer()
			d.stateDir = t.TempDir()
			for _, n := range sizes() {
				outcome(t, d.Copy(context.Background(), numbered(n)), numbered(n), nil, func() string { return decoded52(r.sent()) })
				if n == 0 {
					continue
				}
				out, err := exec.Command("tmux", "-S", r.socket, "save-buffer", "-").Output()
				if err != nil || !bytes.Equal(out, []byte(numbered(n))) {
					t.Errorf("%d bytes: tmux's buffer holds %d, %v", n, len(out), err)
				}
			}
		})
	}
}

// last52 is the text of the last sequence that a terminal got, as it would take
// it.
func last52(f *fakeTerminal) string {
	all := f.sequences()
	if len(all) == 0 {
		return ""
	}
	s := all[len(all)-1]
	if strings.HasPrefix(s, "\x1bP") { // GNU screen puts its pieces together again
		s = strings.ReplaceAll(s, "\x1b\\", "")
		s = strings.ReplaceAll(s, "\x1bP", "")
	}
	return decoded52(s)
}

// decoded52 is the text of the last OSC 52 in an output.
func decoded52(out string) string {
	i := strings.LastIndex(out, "\x1b]52;")
	if i < 0 {
		return ""
	}
	_, payload, _ := strings.Cut(out[i+len("\x1b]52;"):], ";")
	end := strings.IndexAny(payload, "\a\x1b")
	if end < 0 {
		return ""
	}
	text, err := base64.StdEncoding.DecodeString(payload[:end])
	if err != nil {
		return ""
	}
	return string(text)
}
