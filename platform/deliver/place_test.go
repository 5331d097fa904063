//go:build unix

package deliver

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"copydesk/core/clipboard"
)

// family is what is told of other processes.
type family struct {
	above map[int][]Process
	env   map[int]map[string]string
}

func (f family) lineage(id int) []Process { return f.above[id] }

func (f family) processEnv(id int, name string) string { return f.env[id][name] }

func (f family) tell(r *rig) {
	r.options.Lineage, r.options.ProcessEnv = f.lineage, f.processEnv
}

func TestMoshIsFoundAmongTheProcesses(t *testing.T) {
	r := newRig(t)
	family{above: map[int][]Process{os.Getpid(): {{9, "bash"}, {8, "mosh-server"}}}}.tell(r)
	if got, want := brief(r.copy("hi")), "osc52=sent"; got != want {
		t.Errorf("receipt %q, want %q", got, want)
	}
	if got := brief(r.copy(strings.Repeat("x", 12_285))); got != "osc52=failed(12285 B is more than the 12284 B it carries whole)" {
		t.Errorf("receipt %q", got)
	}
}

// Within mosh what tmux sends on itself is dropped: it does not name the
// clipboard.
func TestMoshAroundTmuxIsFoundAboveItsClient(t *testing.T) {
	r := newRig(t, "TMUX=/tmp/s,1,0")
	r.script("tmux", `echo '`+tmuxSays("1|off|xterm-256color")+`'`)
	family{above: map[int][]Process{77: {{9, "bash"}, {8, "mosh-server"}}}}.tell(r)
	receipt := r.copy("hi")
	if got, want := brief(receipt), "tmux=buffered"; got != want {
		t.Errorf("receipt %q, want %q", got, want)
	}
	if got, want := receipt.Routes[0].Mend, "In ~/.tmux.conf: set -g allow-passthrough on"; got != want {
		t.Errorf("mended by %q, want %q", got, want)
	}
}

func TestTheDisplayIsThatOfTheLastAttach(t *testing.T) {
	for _, tt := range []struct{ name, said, want, seen string }{
		{"another display", "DISPLAY=:7\n-SSH_CONNECTION", "tmux=buffered osc52=sent x11=owned", "DISPLAY=:7\n"},
		{"over SSH, without one", "-DISPLAY\nSSH_CONNECTION=a b c d", "tmux=buffered osc52=sent", ""},
		{"over SSH, with one", "DISPLAY=localhost:10.0\nSSH_CONNECTION=a b c d", "tmux=buffered osc52=sent x11=owned", "DISPLAY=localhost:10.0\n"},
	} {
		r := newRig(t, "TMUX=/tmp/s,1,0", "DISPLAY=:9", "SSH_CONNECTION=old")
		r.options.Exe = r.script("owner", `cat >/dev/null; env | grep ^DISPLAY >$DIR/seen; echo "ok x11"`)
		r.script("tmux", `echo '`+tmuxSays("1|off|xterm-256color")+"\n"+tt.said+`'`)
		if got := brief(r.copy("hi")); got != tt.want {
			t.Errorf("%s: receipt %q, want %q", tt.name, got, tt.want)
		}
		if got := r.file("seen"); got != tt.seen {
			t.Errorf("%s: the owner saw %q, want %q", tt.name, got, tt.seen)
		}
	}
}

func TestR53_TmuxInTmux(t *testing.T) {
	script := `if test "$1" = load-buffer; then
	cat >$DIR/$(basename "${TMUX%%,*}"); echo "$TMUX $1 $2 $3 $4" >>$DIR/calls
fi
case "$TMUX" in
/tmp/inner,*) echo '3.3a|external|PASS|1|77|tmux-256color||' ;;
/tmp/outer,*) echo "3.3a|external|PASS|1|88|xterm-256color||"; echo "$TMUX_PANE" >$DIR/pane ;;
esac`
	nested := family{
		above: map[int][]Process{77: {{9, "bash"}, {8, "tmux: server"}}, 88: {{6, "bash"}, {5, "xterm"}}},
		env:   map[int]map[string]string{9: {"TMUX": "/tmp/outer,5,0", "TMUX_PANE": "%3"}},
	}
	t.Run("the outer one sends it on", func(t *testing.T) {
		r := newRig(t, "TMUX=/tmp/inner,1,0", "TMUX_PANE=%0")
		r.script("tmux", strings.ReplaceAll(script, "PASS", "off"))
		nested.tell(r)
		if got, want := brief(r.copy("hi")), "tmux=buffered outer-tmux=buffered osc52=sent"; got != want {
			t.Errorf("receipt %q, want %q", got, want)
		}
		want := "/tmp/inner,1,0 load-buffer -w - ;\n/tmp/outer,5,0 load-buffer -w - \n"
		if diff := cmp.Diff(want, r.file("calls")); diff != "" {
			t.Errorf("calls (-want +got):\n%s", diff)
		}
		if r.file("inner") != "hi" || r.file("outer") != "hi" || r.file("pane") != "%3\n" {
			t.Errorf("inner %q, outer %q, pane %q", r.file("inner"), r.file("outer"), r.file("pane"))
		}
		if got := r.terminal.sequences(); len(got) > 0 {
			t.Errorf("the terminal got %q", got)
		}
	})
	t.Run("both let a sequence through that is wrapped twice", func(t *testing.T) {
		r := newRig(t, "TMUX=/tmp/inner,1,0")
		r.script("tmux", strings.ReplaceAll(script, "PASS", "on"))
		nested.tell(r)
		if got, want := brief(r.copy("hi")), "osc52=sent tmux=buffered outer-tmux=buffered"; got != want {
			t.Errorf("receipt %q, want %q", got, want)
		}
		want := []string{"\x1bPtmux;" + strings.ReplaceAll(wrapped52("hi"), "\x1b", "\x1b\x1b") + "\x1b\\"}
		if diff := cmp.Diff(want, r.terminal.sequences()); diff != "" {
			t.Errorf("terminal (-want +got):\n%s", diff)
		}
	})
	t.Run("an xterm that was started from tmux inherited its variables", func(t *testing.T) {
		r := newRig(t, "TMUX=/tmp/inner,1,0")
		r.script("tmux", strings.ReplaceAll(script, "PASS", "off"))
		family{
			above: map[int][]Process{77: {{9, "bash"}, {7, "xterm"}, {8, "tmux: server"}}},
			env:   map[int]map[string]string{9: {"TMUX": "/tmp/outer,5,0"}},
		}.tell(r)
		if got, want := brief(r.copy("hi")), "tmux=buffered"; got != want {
			t.Errorf("receipt %q, want %q", got, want)
		}
	})
	t.Run("servers that name each other are asked once", func(t *testing.T) {
		r := newRig(t, "TMUX=/tmp/inner,1,0")
		r.script("tmux", `echo x >>$DIR/asked; echo '3.3a|external|off|1|77|tmux-256color||'`)
		family{
			above: map[int][]Process{77: {{9, "tmux: server"}}},
			env:   map[int]map[string]string{77: {"TMUX": "/tmp/inner,1,0"}},
		}.tell(r)
		if got, want := brief(r.copy("hi")), "tmux=buffered"; got != want {
			t.Errorf("receipt %q, want %q", got, want)
		}
		if got := r.file("asked"); got != "x\n" {
			t.Errorf("tmux was asked %d times", len(got)/2)
		}
	})
}

func TestLineageOfThisProcess(t *testing.T) {
	got := Lineage(os.Getpid())
	if len(got) == 0 || got[0].ID != os.Getppid() {
		t.Fatalf("%v, want %d first", got, os.Getppid())
	}
	if Lineage(1<<30) != nil {
		t.Error("a process that is not there has a lineage")
	}
}

func TestTheEnvironmentOfAnotherProcess(t *testing.T) {
	if _, err := os.Stat("/proc/self/environ"); err != nil {
		t.Skip("SKIPPED: there is no /proc")
	}
	cmd := exec.Command("sleep", "60")
	cmd.Env = []string{"TMUX=/tmp/x,1,0", "XTMUX=no", "EMPTY="}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }()
	// The kernel shows the new environment a moment after it starts the program.
	until(t, "the environment is there", func() bool { return ProcessEnv(cmd.Process.Pid, "TMUX") != "" })
	for name, want := range map[string]string{"TMUX": "/tmp/x,1,0", "EMPTY": "", "TMU": "", "PATH": ""} {
		if got := ProcessEnv(cmd.Process.Pid, name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}

func TestWhatPsPrints(t *testing.T) {
	stat := psTable("    1     0 /sbin/launchd\n  500     1 /usr/bin/login\nnonsense\n  600   500 -zsh\n  700   600 /opt/homebrew/bin/mosh-server\n  800 700 x y\n")
	var got []string
	for _, p := range above(800, stat) {
		got = append(got, fmt.Sprint(p.ID, " ", p.Name))
	}
	want := []string{"700 mosh-server", "600 -zsh", "500 login", "1 launchd"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("above 800 (-want +got):\n%s", diff)
	}
	loop := psTable("5 6 a\n6 5 b\n")
	if n := len(above(5, loop)); n != deepest {
		t.Errorf("a loop of parents gives %d", n)
	}
}

func TestThePlanOfAReceiptNamesTheOuterBuffer(t *testing.T) {
	r := clipboard.Receipt{Bytes: 2, Routes: []clipboard.RouteResult{
		{Route: clipboard.RouteTmux, Outcome: clipboard.Buffered}, {Route: clipboard.RouteOuterTmux, Outcome: clipboard.Buffered},
	}}
	if line, _ := r.Say("Copied to clipboard.", 0); !strings.HasSuffix(line, "tmux buffer ok · outer tmux's buffer ok, 2 B") {
		t.Errorf("%q", line)
	}
}

// A tmux before 3.2 has no -w, and one that refuses the text may still answer.
func TestATmuxThatTakesNoTextIsAskedAnyway(t *testing.T) {
	r := newRig(t, "TMUX=/tmp/s,1,0")
	r.script("tmux", `if test "$1" = load-buffer; then echo "unknown option -- w" >&2; exit 1; fi; echo '`+tmuxSays("1|on|xterm")+`'`)
	if got, want := brief(r.copy("hi")), "osc52=sent tmux=failed(unknown option -- w)"; got != want {
		t.Errorf("receipt %q, want %q", got, want)
	}
	if diff := cmp.Diff([]string{wrapped52("hi")}, r.terminal.sequences()); diff != "" {
		t.Errorf("terminal (-want +got):\n%s", diff)
	}
}

func TestATextThatIsNotForTmuxIsNotHandedToIt(t *testing.T) {
	for choice, body := range map[string]string{"auto": strings.Repeat("x", 10<<20+1), "osc52": "hi", "native": "hi"} {
		r := newRig(t, "TMUX=/tmp/s,1,0")
		r.options.Route = choice
		r.script("tmux", `test "$1" = load-buffer && touch $DIR/loaded; echo '`+tmuxSays("1|on|xterm")+`'`)
		r.copy(body)
		if _, err := os.Stat(r.path("loaded")); err == nil {
			t.Errorf("%s: tmux got the text", choice)
		}
	}
}
