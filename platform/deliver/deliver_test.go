//go:build unix

package deliver

import (
	"context"
	"encoding/base64"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"copydesk/core"
	"copydesk/core/clipboard"
	"copydesk/platform/deliver/route"
)

// plain52 is the plain sequence, built another way.
func plain52(body string) string {
	return "\x1b]52;c;" + base64.StdEncoding.EncodeToString([]byte(body)) + "\x1b\\"
}

func wrapped52(body string) string {
	return "\x1bPtmux;" + strings.ReplaceAll(plain52(body), "\x1b", "\x1b\x1b") + "\x1b\\"
}

func TestCLP_OSC52FirstThenTheMachine(t *testing.T) {
	r := newRig(t, "DISPLAY=:9")
	r.options.Exe = r.script("owner", `cat >$DIR/got; cp $DIR/mark $DIR/seen; echo "$1" >$DIR/arg; echo "ok x11"`)
	r.terminal.onWrite = func() {
		if err := os.WriteFile(r.path("mark"), []byte("the terminal had it"), 0o600); err != nil {
			t.Error(err)
		}
	}
	const body = "one\n\ttwo ▎ \x1b[31m\n"
	receipt := r.copy(body)
	if got, want := brief(receipt), "osc52=sent x11=owned"; got != want {
		t.Errorf("receipt %q, want %q", got, want)
	}
	if receipt.Bytes != len(body) {
		t.Errorf("%d bytes, want %d", receipt.Bytes, len(body))
	}
	if diff := cmp.Diff([]string{plain52(body)}, r.terminal.sequences()); diff != "" {
		t.Errorf("terminal (-want +got):\n%s", diff)
	}
	if got := r.file("got"); got != body {
		t.Errorf("the owner got %q, want %q", got, body)
	}
	if got := strings.TrimSpace(r.file("arg")); got != OwnerArg {
		t.Errorf("the owner was started with %q", got)
	}
	if r.file("seen") == "" {
		t.Error("the owner ran before the terminal had the sequence")
	}
}

func TestCLP_AnEmptyTextIsNeverSent(t *testing.T) {
	r := newRig(t, "DISPLAY=:9", "TMUX=/tmp/s,1,0")
	r.options.Exe = r.script("owner", `touch $DIR/ran; echo "ok x11"`)
	r.script("tmux", `touch $DIR/ran`)
	receipt := r.copy("")
	if line, isError := receipt.Say("Copied to clipboard.", 0); !isError || line != "Clipboard copy failed: the text is empty." {
		t.Errorf("%q, %v", line, isError)
	}
	if got := r.terminal.sequences(); len(got) > 0 {
		t.Errorf("the terminal got %q", got)
	}
	if _, err := os.Stat(r.path("ran")); err == nil {
		t.Error("a program ran")
	}
}

func TestCLP_ALongTextIsNeverCut(t *testing.T) {
	r := newRig(t, "DISPLAY=:9")
	r.options.Exe = r.script("owner", `touch $DIR/ran; echo "ok x11"`)
	r.script("xclip", `cat >$DIR/got; echo "$@" >$DIR/args`)
	body := strings.Repeat("x", core.X11NativeBytes+1)

	receipt := r.copy(body)
	want := "osc52=failed(262 KB is more than the 75 KB it carries whole)" +
		" x11=failed(262117 B is more than the 262116 B it carries whole) xclip=owned"
	if diff := cmp.Diff(want, brief(receipt)); diff != "" {
		t.Errorf("receipt (-want +got):\n%s", diff)
	}
	if got := r.terminal.sequences(); len(got) > 0 {
		t.Errorf("the terminal got %d sequences", len(got))
	}
	if _, err := os.Stat(r.path("ran")); err == nil {
		t.Error("the X11 library's process was started")
	}
	if r.file("got") != body {
		t.Errorf("xclip got %d bytes, want %d", len(r.file("got")), len(body))
	}
	if got := strings.TrimSpace(r.file("args")); got != "-in -selection clipboard" {
		t.Errorf("xclip was started with %q", got)
	}
}

func TestOnlyTheTerminalOverSSH(t *testing.T) {
	r := newRig(t, "SSH_CONNECTION=a")
	if got, want := brief(r.copy("hi")), "osc52=sent"; got != want {
		t.Errorf("receipt %q, want %q", got, want)
	}
}

func TestNoTerminalAndNoDisplay(t *testing.T) {
	r := newRig(t)
	r.options.Terminal = nil
	line, isError := r.copy("hi").Say("Copied to clipboard.", 0)
	if want := "Clipboard copy failed: there is no clipboard to be reached from here."; !isError || line != want {
		t.Errorf("%q, %v", line, isError)
	}
}

func TestTheUsersChoiceIsTheOnlyRoute(t *testing.T) {
	for choice, want := range map[string]string{
		"auto":   "osc52=sent tmux=buffered x11=owned",
		"native": "x11=owned",
		"osc52":  "osc52=sent",
		"tmux":   "tmux=buffered",
		"off":    "=failed(clipboard.route is off in the configuration)",
	} {
		r := newRig(t, "TMUX=/tmp/s,1,0", "DISPLAY=:9")
		r.options.Route = choice
		r.options.Exe = r.script("owner", `cat >/dev/null; echo "ok x11"`)
		r.script("tmux", `echo '`+tmuxSays("1|on|screen")+`'`)
		if got := brief(r.copy("hi")); got != want {
			t.Errorf("%s: receipt %q, want %q", choice, got, want)
		}
	}
}

func TestATerminalThatRefuses(t *testing.T) {
	r := newRig(t)
	r.terminal.err = errors.New("the terminal is suspended")
	if got, want := brief(r.copy("hi")), "osc52=failed(the terminal is suspended)"; got != want {
		t.Errorf("receipt %q, want %q", got, want)
	}
}

func TestWhatADesktopCannotHold(t *testing.T) {
	for body, why := range map[string]string{
		"a\xffb":     "the text is not valid UTF-8",
		"a\x00b":     "the text holds a NUL",
		"\xc3":       "the text is not valid UTF-8",
		"\x00\x00\n": "the text holds a NUL",
	} {
		r := newRig(t, "DISPLAY=:9")
		r.options.Exe = r.script("owner", `echo "ok x11"`)
		r.script("xclip", `cat`)
		if got, want := brief(r.copy(body)), "osc52=sent x11=failed("+why+")"; got != want {
			t.Errorf("%q: receipt %q, want %q", body, got, want)
		}
		if diff := cmp.Diff([]string{plain52(body)}, r.terminal.sequences()); diff != "" {
			t.Errorf("%q (-want +got):\n%s", body, diff)
		}
	}
}

func TestR53_InsideTmux(t *testing.T) {
	const body = "hello"
	tests := []struct {
		name, tmux    string
		display       string
		want          string
		mend          string
		wantSequences []string
	}{
		{
			name: "tmux's defaults: it sends the text on itself", tmux: "1|off|xterm-256color",
			want: "tmux=buffered osc52=sent",
		},
		{
			name: "passthrough: the terminal gets it once", tmux: "1|on|xterm-256color",
			want: "osc52=sent tmux=buffered", wantSequences: []string{wrapped52(body)},
		},
		{
			name: "a terminal that tmux cannot send to", tmux: "1|off|screen",
			want: "tmux=buffered", mend: "In ~/.tmux.conf: set -as terminal-features ',*:clipboard'",
		},
		{
			name: "nobody is attached", tmux: "0|off|",
			want: "tmux=buffered", mend: "Attach to the tmux session and copy again.",
		},
		{
			name: "on a desktop: the machine's clipboard comes last", tmux: "1|on|xterm-256color", display: "DISPLAY=:9",
			want: "osc52=sent tmux=buffered x11=owned", wantSequences: []string{wrapped52(body)},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t, "TMUX=/tmp/s,1,0", tt.display)
			r.options.Exe = r.script("owner", `cat >/dev/null; echo "ok x11"`)
			r.script("tmux", `echo x >>$DIR/asked; cat >$DIR/buffer; echo "$@" >$DIR/args; echo '`+tmuxSays(tt.tmux)+`'`)
			receipt := r.copy(body)
			if got := brief(receipt); got != tt.want {
				t.Errorf("receipt %q, want %q", got, tt.want)
			}
			for _, route := range receipt.Routes {
				if route.Route == clipboard.RouteTmux && route.Mend != tt.mend {
					t.Errorf("mended by %q, want %q", route.Mend, tt.mend)
				}
			}
			if diff := cmp.Diff(tt.wantSequences, r.terminal.sequences()); diff != "" {
				t.Errorf("terminal (-want +got):\n%s", diff)
			}
			if got := r.file("buffer"); got != body {
				t.Errorf("tmux's buffer holds %q", got)
			}
			if got, want := strings.TrimSpace(r.file("args")), "load-buffer -w - ; "+strings.Join(route.TmuxQuery(), " "); got != want {
				t.Errorf("tmux was called with %q", got)
			}
			if got := r.file("asked"); got != "x\n" {
				t.Errorf("tmux was asked %d times", strings.Count(got, "x"))
			}
		})
	}
}

func TestR53_InsideATmuxThatIsNotOnThePath(t *testing.T) {
	r := newRig(t, "TMUX=/tmp/s,1,0")
	if got, want := brief(r.copy("hi")), "osc52=sent tmux=failed(not found)"; got != want {
		t.Errorf("receipt %q, want %q", got, want)
	}
	if diff := cmp.Diff([]string{wrapped52("hi") + plain52("hi")}, r.terminal.sequences()); diff != "" {
		t.Errorf("terminal (-want +got):\n%s", diff)
	}
}

func TestATerminalThatDoesNotRead(t *testing.T) {
	t.Run("the other routes go on", func(t *testing.T) {
		r := newRig(t, "DISPLAY=:9")
		r.options.Limit = quick
		r.options.Exe = r.script("owner", `cat >/dev/null; echo "ok x11"`)
		r.terminal.gate.Lock()
		defer r.terminal.gate.Unlock()
		got := brief(r.copy("hi"))
		if want := "osc52=failed(the terminal has not taken it yet) "; !strings.HasPrefix(got, want) {
			t.Errorf("receipt %q, want %q…", got, want)
		}
	})
	t.Run("one that reads again in time", func(t *testing.T) {
		r := newRig(t, "DISPLAY=:9")
		r.options.Limit = 2 * time.Second
		r.options.Exe = r.script("owner", `cat >/dev/null; touch $DIR/ran; echo "ok x11"`)
		r.terminal.gate.Lock()
		go func() {
			until(t, "the owner ran", func() bool { _, err := os.Stat(r.path("ran")); return err == nil })
			r.terminal.gate.Unlock()
		}()
		if got, want := brief(r.copy("hi")), "osc52=sent x11=owned"; got != want {
			t.Errorf("receipt %q, want %q", got, want)
		}
	})
	t.Run("the newest text is the last it gets", func(t *testing.T) {
		r := newRig(t)
		r.options.Limit = quick / 4
		r.terminal.gate.Lock()
		d := New(r.options)
		for _, body := range []string{"one", "two", "three"} {
			d.Copy(context.Background(), body)
		}
		r.terminal.gate.Unlock()
		want := []string{plain52("one"), plain52("three")}
		until(t, "both sequences are written", func() bool { return len(r.terminal.sequences()) == len(want) })
		if diff := cmp.Diff(want, r.terminal.sequences()); diff != "" {
			t.Errorf("terminal (-want +got):\n%s", diff)
		}
	})
}

func TestTheNewestCopyWins(t *testing.T) {
	r := newRig(t, "DISPLAY=:9")
	r.options.Exe = r.script("owner", `case "$(cat)" in
old) echo $$ >$DIR/pid; exec sleep 60 ;;
esac
echo "ok x11"`)
	d := New(r.options)
	old := make(chan clipboard.Receipt)
	go func() { old <- d.Copy(context.Background(), "old") }()
	until(t, "the first copy is under way", func() bool { return r.file("pid") != "" })

	if got, want := brief(d.Copy(context.Background(), "new")), "osc52=sent x11=owned"; got != want {
		t.Errorf("the second copy: %q, want %q", got, want)
	}
	if got, want := brief(<-old), "osc52=sent x11=failed(a newer copy took its place)"; got != want {
		t.Errorf("the first copy: %q, want %q", got, want)
	}
	for _, pid := range r.pids("pid") {
		until(t, "the first owner is gone", func() bool { return !alive(pid) })
	}
}

func TestManyCopiesAtOnce(t *testing.T) {
	r := newRig(t, "DISPLAY=:9")
	r.options.Exe = r.script("owner", `cat >/dev/null; echo "ok x11"`)
	d := New(r.options)
	receipts := make(chan clipboard.Receipt)
	const copies = 8
	for range copies {
		go func() { receipts <- d.Copy(context.Background(), "x") }()
	}
	owned := 0
	for range copies {
		receipt := <-receipts
		if receipt.Best() == clipboard.Owned {
			owned++
		} else if !strings.Contains(brief(receipt), "a newer copy took its place") {
			t.Errorf("receipt %q", brief(receipt))
		}
	}
	if owned == 0 {
		t.Error("no copy arrived")
	}
}

func TestACallerThatGivesUp(t *testing.T) {
	r := newRig(t, "DISPLAY=:9")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	receipt := New(r.options).Copy(ctx, "hi")
	if receipt.Best() != clipboard.Failed || len(r.terminal.sequences()) > 0 {
		t.Errorf("receipt %q, terminal %q", brief(receipt), r.terminal.sequences())
	}
}
