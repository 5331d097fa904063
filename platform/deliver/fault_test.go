//go:build unix

package deliver

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestR44_Tools(t *testing.T) {
	tests := []struct {
		name  string
		xclip string // "" is absent
		limit time.Duration
		want  string
		said  string // what the user reads where there is no terminal
	}{
		{
			name: "hangs, and what it started too", limit: 2 * quick,
			xclip: "echo $$ >>$DIR/pids; sleep 60 & echo $! >>$DIR/pids; wait",
			want:  "xclip=failed(no answer within 0.8 s)",
			said:  "Clipboard copy failed: X11: cannot reach the X server · xclip: no answer within 0.8 s.",
		},
		{
			name: "fails", limit: patient,
			xclip: "echo \"Error: Can't open display: :9\" >&2; exit 1",
			want:  "xclip=failed(Error: Can't open display: :9) xsel=failed(not found)",
			said:  "Clipboard copy failed: X11: cannot reach the X server · xclip: Error: Can't open display: :9 · Clipboard utility not found: xsel. Install xsel.",
		},
		{
			name: "fails without a word", limit: patient,
			xclip: "exit 3",
			want:  "xclip=failed(run xclip: exit status 3) xsel=failed(not found)",
			said:  "Clipboard copy failed: X11: cannot reach the X server · xclip: run xclip: exit status 3 · Clipboard utility not found: xsel. Install xsel.",
		},
		{
			name: "floods its standard error", limit: patient,
			xclip: "head -c 10000000 /dev/zero | tr '\\0' 'e' >&2; exit 1",
			want:  "xclip=failed(" + strings.Repeat("e", complaintBytes) + "…) xsel=failed(not found)",
			said: "Clipboard copy failed: X11: cannot reach the X server · xclip: " +
				strings.Repeat("e", complaintBytes) + "… · Clipboard utility not found: xsel. Install xsel.",
		},
		{
			name: "complains in control sequences", limit: patient,
			xclip: `printf '\033]52;c;eA==\007\nsecond line\n' >&2; exit 1`,
			want:  "xclip=failed(␛]52;c;eA==␇) xsel=failed(not found)",
			said:  "Clipboard copy failed: X11: cannot reach the X server · xclip: ␛]52;c;eA==␇ · Clipboard utility not found: xsel. Install xsel.",
		},
		{
			name: "absent", limit: patient,
			want: "xclip=failed(not found) xsel=failed(not found)",
			said: "Clipboard copy failed: X11: cannot reach the X server · Clipboard utility not found: xclip, xsel. Install xclip.",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t, "DISPLAY=:9")
			r.options.Limit = tt.limit
			if tt.xclip != "" {
				r.script("xclip", tt.xclip)
			}
			if got, want := brief(r.copy("hi")), "osc52=sent x11=failed(cannot reach the X server) "+tt.want; got != want {
				t.Errorf("receipt %q, want %q", got, want)
			}
			if got := r.terminal.sequences(); len(got) != 1 || got[0] != plain52("hi") {
				t.Errorf("the terminal got %q", got)
			}

			r.options.Terminal = nil
			if line, isError := r.copy("hi").Say("Copied to clipboard.", 0); !isError || line != tt.said {
				t.Errorf("said %q, want %q", line, tt.said)
			}
			for _, pid := range r.pids("pids") {
				until(t, "no process is left", func() bool { return !alive(pid) })
			}
		})
	}
}

func TestR44_AToolThatLeavesAChildBehind(t *testing.T) {
	r := newRig(t, "DISPLAY=:9")
	// As xclip and wl-copy: the child serves the text and keeps all it was given.
	r.script("xclip", `cat >$DIR/got; sleep 60 & echo $! >$DIR/pid`)
	began := time.Now()
	if got, want := brief(r.copy("hi")), "osc52=sent x11=failed(cannot reach the X server) xclip=owned"; got != want {
		t.Errorf("receipt %q, want %q", got, want)
	}
	if took := time.Since(began); took > patient/2 {
		t.Errorf("waited %v for the child", took)
	}
	for _, pid := range r.pids("pid") {
		if !alive(pid) {
			t.Error("the child that serves the text was killed")
		}
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			t.Error(err)
		}
	}
}

func TestR44_TmuxThatHangs(t *testing.T) {
	r := newRig(t, "DISPLAY=:9", "TMUX=/tmp/s,1,0")
	r.options.Limit = 2 * time.Second
	r.options.Exe = r.script("owner", `cat >/dev/null; echo "ok x11"`)
	r.script("tmux", `test "$1" = load-buffer || exit 1; echo $$ >>$DIR/pids; exec sleep 60`)
	got := brief(r.copy("hi"))
	if !strings.HasPrefix(got, "osc52=sent tmux=failed(no answer within ") || !strings.HasSuffix(got, "x11=owned") {
		t.Errorf("receipt %q: the machine's clipboard must have its turn", got)
	}
	for _, pid := range r.pids("pids") {
		until(t, "no process is left", func() bool { return !alive(pid) })
	}
}

func TestR44_Owners(t *testing.T) {
	tests := []struct {
		name  string
		owner string
		limit time.Duration
		want  string
	}{
		{"hangs", "echo $$ >>$DIR/pids; exec sleep 60", quick, "x11=failed(no answer within 0.4 s)"},
		{"hangs with a child that keeps the pipe", "sleep 60 & echo $! >>$DIR/pids; wait", quick, "x11=failed(no answer within 0.4 s)"},
		{"dies", "exit 2", patient, "x11=failed(the clipboard's owner ended without an answer)"},
		{"never ends its line", "head -c 100000 /dev/zero", patient, "x11=failed(the clipboard's owner ended without an answer)"},
		{"says something else", "echo usage: owner", patient, "x11=failed(the clipboard's owner gave no answer that makes sense)"},
		{"names a route that is none", "echo ok rm", patient, "x11=failed(the clipboard's owner gave no answer that makes sense)"},
		{"says on Wayland that it is too long", "echo err wayland no", patient, "wayland=failed(no)"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t, "DISPLAY=:9")
			r.options.Limit = tt.limit
			r.options.Exe = r.script("owner", tt.owner)
			began := time.Now()
			got := brief(r.copy("hi"))
			if want := "osc52=sent " + tt.want; got != want && !strings.HasPrefix(got, want+" ") {
				t.Errorf("receipt %q, want %q", got, want)
			}
			if took := time.Since(began); took > patient/2 {
				t.Errorf("took %v", took)
			}
			for _, pid := range r.pids("pids") {
				until(t, "no process is left", func() bool { return !alive(pid) })
			}
		})
	}
	t.Run("cannot be started", func(t *testing.T) {
		r := newRig(t, "DISPLAY=:9")
		r.options.Exe = r.path("absent")
		if got := brief(r.copy("hi")); !strings.HasPrefix(got, "osc52=sent x11=failed(start the clipboard's owner: ") {
			t.Errorf("receipt %q", got)
		}
	})
}

func TestT38_ToolsGetNoSecrets(t *testing.T) {
	t.Setenv("DEMO_API_KEY", "sk-SENTINEL9")
	r := newRig(t, "DISPLAY=:9", "DEMO_API_KEY=sk-SENTINEL9", "XAUTHORITY=/x")
	r.options.Exe = r.script("owner", `env >$DIR/owner.env; echo "err x11 no"`)
	r.script("xclip", `env >$DIR/xclip.env`)
	r.copy("hi")
	for _, name := range []string{"owner.env", "xclip.env"} {
		env := r.file(name)
		if strings.Contains(env, "SENTINEL9") {
			t.Errorf("%s holds the secret", name)
		}
		for _, want := range []string{"DISPLAY=:9\n", "XAUTHORITY=/x\n"} {
			if !strings.Contains(env, want) {
				t.Errorf("%s lacks %q", name, want)
			}
		}
	}
}

func TestAToolInTheCurrentDirectoryIsNone(t *testing.T) {
	r := newRig(t, "DISPLAY=:9")
	r.script("xclip", `touch $DIR/ran`)
	r.options.LookPath = func(program string) (string, error) {
		here, err := os.Getwd()
		if err != nil {
			return "", err
		}
		return filepath.Rel(here, r.path(program))
	}
	if got := brief(r.copy("hi")); !strings.Contains(got, "xclip=failed(not found)") {
		t.Errorf("receipt %q", got)
	}
	if _, err := os.Stat(r.path("ran")); err == nil {
		t.Error("it ran")
	}
}

func TestAFleetingOwnerIsOnALeash(t *testing.T) {
	r := newRig(t, "DISPLAY=:9")
	r.options.Fleeting, r.options.Primary = true, true
	r.options.Exe = r.script("owner", `cat >/dev/null; echo $$ >>$DIR/pids; echo "$COPYDESK_CLIP_OWNER" >$DIR/wishes; echo "ok x11"; exec cat <&3 >/dev/null`)
	d := New(r.options)
	for range 2 {
		if got, want := brief(d.Copy(t.Context(), "hi")), "osc52=sent x11=owned"; got != want {
			t.Errorf("receipt %q, want %q", got, want)
		}
	}
	if got := r.file("wishes"); got != "primary,leash\n" {
		t.Errorf("the owner was told %q", got)
	}
	pids := r.pids("pids")
	if len(pids) != 2 {
		t.Fatalf("%d owners", len(pids))
	}
	until(t, "the owner before is gone", func() bool { return !alive(pids[0]) })
	if !alive(pids[1]) {
		t.Error("the newest owner is gone")
	}
	d.leash.Close()
	until(t, "the newest owner is gone", func() bool { return !alive(pids[1]) })
}

func TestAnOwnerThatPersistsIsToldNothing(t *testing.T) {
	r := newRig(t, "DISPLAY=:9")
	r.options.Exe = r.script("owner", `cat >/dev/null; env >$DIR/env; echo "ok x11"`)
	r.copy("hi")
	if strings.Contains(r.file("env"), ownerWishes) {
		t.Errorf("its environment is %q", r.file("env"))
	}
}
