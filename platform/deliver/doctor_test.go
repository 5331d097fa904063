//go:build unix

package deliver

import (
	"context"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// outcomes words the checks of a report.
func outcomes(r Report) string {
	var parts []string
	for _, c := range r.Checks {
		part := c.Route + "=" + c.Outcome
		if c.Note+c.Reason != "" {
			part += "(" + c.Note + c.Reason + ")"
		}
		if c.Mend != "" {
			part += "[" + c.Mend + "]"
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, " ")
}

const (
	unconfirmed  = "(not confirmed, terminals do not answer)"
	notConfirmed = unconfirmed + "[" + mendUnknownTerminal + "]"
)

func TestDoctorTriesEveryRoute(t *testing.T) {
	const (
		// A clipboard that reads back what was written to it, and a tmux.
		owner = `cat >$DIR/clip; echo "ok x11"`
		xclip = `case "$1" in -in) cat >$DIR/clip ;; -out) echo x >>$DIR/reads; cat $DIR/clip ;; esac`
		tmux  = `case "$1" in
display-message) echo '3.3a|external|off|1|77|xterm-256color||' ;;
load-buffer) cat >$DIR/buffer ;;
show-buffer) cat $DIR/buffer ;;
delete-buffer) rm $DIR/buffer ;;
esac`
	)
	for _, tt := range []struct {
		name    string
		env     []string
		scripts map[string]string
		want    string
		works   Verdict
		left    []string
		reads   string
	}{
		{
			"a desktop", []string{"DISPLAY=:9"}, map[string]string{"owner": owner, "xclip": xclip},
			"osc52=sent" + notConfirmed + " x11=owned(read back with xclip) xclip=owned(read back with xclip)" +
				" xsel=failed(not found)[Install xsel.] file=saved(the last resort; removed again)",
			Works, []string{"your terminal's clipboard, if it took it", "X11", "xclip"}, "x\nx\n",
		},
		{
			"the user's clipboard is not read where nothing says that it is ours", []string{"DISPLAY=:9"},
			map[string]string{"xclip": xclip},
			"osc52=sent" + notConfirmed + " x11=failed(cannot reach the X server)[Check DISPLAY and XAUTHORITY; over SSH, connect anew with ssh -X.]" +
				" xclip=owned xsel=failed(not found)[Install xsel.] file=saved(the last resort; removed again)",
			Works, []string{"your terminal's clipboard, if it took it", "xclip"}, "",
		},
		{
			"another program was faster", []string{"DISPLAY=:9"},
			map[string]string{"owner": `cat >/dev/null; echo "ok x11"`, "xsel": `echo "someone's secret"`},
			"osc52=sent" + notConfirmed + " x11=owned(something else was read back) xclip=failed(not found)[Install xclip.]" +
				" xsel=owned(something else was read back) file=saved(the last resort; removed again)",
			Works, []string{"your terminal's clipboard, if it took it", "X11", "xsel"}, "",
		},
		{
			"tmux over SSH", []string{"TMUX=/tmp/s,1,0", "SSH_CONNECTION=a"}, map[string]string{"tmux": tmux},
			"tmux=buffered(read back, and removed again) osc52=sent" + unconfirmed + " file=saved(the last resort; removed again)",
			MayWork, []string{"your terminal's clipboard, if it took it"}, "",
		},
		{
			"tmux that nobody looks at", []string{"TMUX=/tmp/s,1,0"},
			map[string]string{"tmux": strings.Replace(tmux, "|off|1|", "|off|0|", 1)},
			"tmux=buffered(read back, and removed again)[Attach to the tmux session and copy again.] file=saved(the last resort; removed again)",
			WorksNot, []string{}, "",
		},
		{
			"a console", []string{"TERM=linux"}, nil,
			"osc52=failed(this terminal ignores it)[Use a terminal that takes OSC 52, such as kitty, foot or alacritty.] file=saved(the last resort; removed again)",
			WorksNot, []string{}, "",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t, tt.env...)
			dir := withState(r)
			for name, body := range tt.scripts {
				r.script(name, body)
			}
			report := New(r.options).Doctor(context.Background())
			if diff := cmp.Diff(tt.want, outcomes(report)); diff != "" {
				t.Errorf("checks (-want +got):\n%s", diff)
			}
			if report.Works != tt.works || report.Marked != "copydesk doctor 2026-11-21 08:30:00" {
				t.Errorf("works: %s, with %q", report.Works, report.Marked)
			}
			if diff := cmp.Diff(tt.left, report.Left); diff != "" {
				t.Errorf("left (-want +got):\n%s", diff)
			}
			if got := r.file("reads"); got != tt.reads {
				t.Errorf("read %d times", len(got)/2)
			}
			for _, written := range r.terminal.sequences() {
				if !strings.Contains(written, plain52(report.Marked)) {
					t.Errorf("the terminal got %q", written)
				}
			}
			if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
				t.Errorf("files were left: %v, %v", entries, err)
			}
			if text := report.Text(); strings.Contains(text, "secret") || strings.ContainsAny(text, "\x1b\r\t") {
				t.Errorf("the report says %q", text)
			}
		})
	}
}

func TestDoctorWithoutATerminal(t *testing.T) {
	r := newRig(t)
	r.options.Terminal = nil
	report := New(r.options).Doctor(context.Background())
	if got, want := outcomes(report), "osc52=failed(there is no terminal to write to)[Run it in a terminal.]"; got != want || report.Works != WorksNot {
		t.Errorf("%q, %s; want %q", got, report.Works, want)
	}
}

func TestDoctorsReport(t *testing.T) {
	r := newRig(t, "DISPLAY=:9", "SSH_CONNECTION=\x1b]0;x\a")
	r.options.Route = "osc52"
	r.options.Now = morning
	report := New(r.options).Doctor(context.Background())
	want := `Where you are:
  system           linux
  connection       SSH
  display          X11 of this machine, which you do not sit at
  multiplexer      none
  terminal         not known to take OSC 52; most do
  clipboard.route  osc52

The ways of a copy, in their order:
  OSC 52  sent, not confirmed, terminals do not answer, up to 75 KB
          If nothing arrives: xterm needs XTerm*allowWindowOps: true; GNOME Terminal and Apple's Terminal never take it.

Copies probably work: they are sent to your terminal, which does not answer. Paste somewhere to be sure.
The text "copydesk doctor 2026-11-21 08:30:00" is now in: your terminal's clipboard, if it took it. What was there before is gone; it was not read.
`
	if diff := cmp.Diff(want, strings.Replace(report.Text(), report.Context[0].Value, "linux", 1)); diff != "" {
		t.Errorf("text (-want +got):\n%s", diff)
	}
	data, err := report.JSON()
	if err != nil {
		t.Fatal(err)
	}
	var back Report
	if err := json.Unmarshal(data, &back); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(report, back); diff != "" {
		t.Errorf("JSON (-want +got):\n%s", diff)
	}

	r.options.Route = "off"
	if off := New(r.options).Doctor(context.Background()); !strings.Contains(off.Text(), "none: clipboard.route is off") || off.Works != WorksNot {
		t.Errorf("%s", off.Text())
	}
}
