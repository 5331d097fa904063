package route

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"copydesk/core"
)

// tmuxSays is tmux's answer: clients that are attached, allow-passthrough, TERM
// of the client, and what that terminal calls itself.
func tmuxSays(short string) string {
	if short == "" {
		return ""
	}
	f := strings.SplitN(short, "|", 4)
	if len(f) < 3 {
		return short
	}
	kind := ""
	if len(f) == 4 {
		kind = f[3]
	}
	return fmt.Sprintf("3.3a|external|%s|%s|77|%s||%s\nDISPLAY=:0\n", f[1], f[0], f[2], kind)
}

// describe names the routes of a plan, one word each.
func describe(plan []Route) string {
	var words []string
	for _, r := range plan {
		word := r.Name
		switch r.Kind {
		case Terminal:
			word = "osc52" + map[Form]string{Plain: "", ThroughTmux: "+tmux", TmuxEither: "±tmux", ScreenPieces: "+screen"}[r.Form]
			if r.Levels > 1 {
				word += fmt.Sprint(r.Levels)
			}
		case Buffer:
			word = "buffer"
			if r.Server > 0 {
				word += fmt.Sprint(r.Server)
			}
			if r.Forwards {
				word += "→"
			}
		case Native:
			word = "native:" + r.Name
		case Tool, Command, File:
		}
		if r.Limit > 0 {
			word += fmt.Sprintf("≤%d", r.Limit)
		}
		if r.Wait > 0 {
			word += "@" + r.Wait.String()
		}
		if r.Barred != "" {
			word = "✗" + word
		}
		if r.Spare && r.Kind != File {
			word = "(" + word + ")"
		}
		words = append(words, word)
	}
	return strings.Join(words, " ")
}

func TestCLP_Plan(t *testing.T) {
	tests := []struct {
		name string
		goos string
		env  string // NAME=VALUE, separated by blanks
		tmux string // tmux's answer, and that of the one around it
		want string

		outer string
		above string // names of processes; "tmux: server" is one
		mosh  bool   // tmux's client runs in mosh
		da52  bool
	}{
		{name: "Linux on X11, terminal unknown", env: "TERM=xterm-256color DISPLAY=:0",
			want: "osc52≤74994 native:x11≤262116 xclip xsel"},
		{name: "Linux on X11, xterm", env: "TERM=xterm-256color XTERM_VERSION=XTerm(379) DISPLAY=:0",
			want: "osc52≤1048576 native:x11≤262116 xclip xsel"},
		{name: "Linux on X11, GNOME Terminal", env: "TERM=xterm-256color VTE_VERSION=8500 DISPLAY=:0",
			want: "native:x11≤262116 xclip xsel"},
		{name: "kitty started from GNOME Terminal", env: "TERM=xterm-kitty KITTY_WINDOW_ID=1 VTE_VERSION=8500 DISPLAY=:0",
			want: "osc52≤1048576 native:x11≤262116 xclip xsel"},
		{name: "Wayland without XWayland", env: "TERM=foot WAYLAND_DISPLAY=wayland-1",
			want: "osc52≤1048576 native:wayland wl-copy"},
		{name: "Wayland with XWayland", env: "TERM=alacritty WAYLAND_DISPLAY=wayland-0 DISPLAY=:0",
			want: "osc52≤1048576 native:wayland wl-copy xclip xsel"},
		{name: "Konsole", env: "TERM=xterm-256color KONSOLE_VERSION=241200 WAYLAND_DISPLAY=wayland-0",
			want: "osc52≤1048576 native:wayland wl-copy"},
		{name: "FreeBSD on X11", goos: "freebsd", env: "TERM=xterm DISPLAY=:0",
			want: "osc52≤74994 native:x11≤262116 xclip xsel"},
		{name: "the Linux console", env: "TERM=linux", want: "✗osc52≤74994"},
		{name: "BSD's console", goos: "netbsd", env: "TERM=vt100", want: "✗osc52≤74994"},
		{name: "a terminal that knows nothing", env: "TERM=dumb DISPLAY=:0", want: "native:x11≤262116 xclip xsel"},
		{name: "a VT220", env: "TERM=vt220", want: "✗osc52≤74994"},
		{name: "no environment", env: "", want: "osc52≤74994"},
		{name: "SSH", env: "TERM=xterm-256color SSH_CONNECTION=a SSH_TTY=/dev/pts/1",
			want: "osc52≤74994"},
		{name: "SSH from kitty", env: "TERM=xterm-kitty SSH_CONNECTION=a",
			want: "osc52≤1048576"},
		{name: "SSH with a forwarded display", env: "TERM=xterm-256color SSH_CONNECTION=a DISPLAY=localhost:10.0",
			want: "osc52≤74994 native:x11≤262116@1s xclip@1s xsel@1s"},
		{name: "SSH to a machine with a display of its own", env: "TERM=xterm-256color SSH_CONNECTION=a DISPLAY=:0 WAYLAND_DISPLAY=wayland-0",
			want: "osc52≤74994"},
		{name: "SSH through waypipe", env: "TERM=foot SSH_CONNECTION=a WAYLAND_DISPLAY=wayland-aKw81xQz",
			want: "osc52≤1048576 native:wayland@1s wl-copy@1s"},
		{name: "SSH from GNOME Terminal that sends its variables", env: "TERM=xterm-256color SSH_CONNECTION=a VTE_VERSION=7000",
			want: "✗osc52≤74994"},
		{name: "SSH from a terminal that says it takes OSC 52", env: "TERM=xterm-256color SSH_CONNECTION=a", da52: true,
			want: "osc52≤1048576"},
		{name: "SSH from tmux", env: "TERM=tmux-256color SSH_CONNECTION=a", want: "osc52±tmux≤74994"},
		{name: "SSH from tmux or GNU screen", env: "TERM=screen SSH_CONNECTION=a", want: "osc52≤74994"},
		{name: "mosh", env: "TERM=xterm-256color SSH_CONNECTION=a", above: "bash mosh-server systemd", want: "osc52≤12284"},
		{name: "mosh from kitty", env: "TERM=xterm-kitty", above: "bash mosh-server", want: "osc52≤12284"},
		{name: "mosh, and tmux with its defaults in it", env: "TERM=tmux-256color TMUX=/tmp/s,1,0 SSH_CONNECTION=a",
			tmux: "1|off|xterm-256color", mosh: true, want: "buffer≤10485760"},
		{name: "mosh, and tmux with passthrough in it", env: "TERM=tmux-256color TMUX=/tmp/s,1,0 SSH_CONNECTION=a",
			tmux: "1|on|xterm-256color", mosh: true, want: "osc52+tmux≤12284 buffer≤10485760"},
		{name: "mosh, and GNU screen in it", env: "TERM=screen STY=1.pts SSH_CONNECTION=a NCURSES_NO_UTF8_ACS=1",
			want: "osc52+screen≤12284"},
		{name: "tmux with its defaults, over SSH", env: "TERM=tmux-256color TMUX=/tmp/s,1,0 SSH_CONNECTION=a",
			tmux: "1|off|xterm-256color", want: "buffer→≤10485760"},
		{name: "tmux with passthrough", env: "TERM=tmux-256color TMUX=/tmp/s,1,0",
			tmux: "1|on|xterm-256color", want: "osc52+tmux≤786420 buffer→≤10485760"},
		{name: "tmux with passthrough everywhere, on X11", env: "TERM=screen-256color TMUX=/tmp/s,1,0 DISPLAY=:0",
			tmux: "2|all|xterm-kitty", want: "osc52+tmux≤786420 buffer→≤10485760 native:x11≤262116 xclip xsel"},
		{name: "tmux before 3.3", env: "TMUX=/tmp/s,1,0", tmux: "1||xterm-256color",
			want: "osc52+tmux≤786420 buffer→≤10485760"},
		{name: "tmux on a terminal without Ms", env: "TMUX=/tmp/s,1,0", tmux: "1|off|screen.xterm-256color",
			want: "buffer≤10485760"},
		{name: "tmux on the Linux console", env: "TMUX=/tmp/s,1,0", tmux: "1|0|linux", want: "buffer≤10485760"},
		{name: "tmux, detached", env: "TMUX=/tmp/s,1,0", tmux: "0|off|", want: "buffer≤10485760"},
		{name: "tmux that does not answer", env: "TMUX=/tmp/s,1,0", tmux: "",
			want: "osc52±tmux≤786420 buffer≤10485760"},
		{name: "tmux that answers something else", env: "TMUX=/tmp/s,1,0", tmux: "no server running",
			want: "osc52±tmux≤786420 buffer≤10485760"},
		{name: "tmux started from GNOME Terminal", env: "TMUX=/tmp/s,1,0 VTE_VERSION=8500", tmux: "1|on|xterm-256color",
			want: "osc52+tmux≤786420 buffer→≤10485760"},
		{name: "tmux in xterm", env: "TMUX=/tmp/s,1,0", tmux: "1|off|xterm-256color|XTerm(379)", want: "buffer≤10485760"},
		{name: "tmux with passthrough in xterm", env: "TMUX=/tmp/s,1,0", tmux: "1|on|xterm-256color|XTerm(379)",
			want: "osc52+tmux≤786420 buffer≤10485760"},
		{name: "tmux in GNOME Terminal", env: "TMUX=/tmp/s,1,0", tmux: "1|on|xterm-256color|VTE(7000)", want: "buffer≤10485760"},
		{name: "tmux in tmux", env: "TMUX=/tmp/s,1,0", tmux: "1|off|tmux-256color", outer: "1|off|xterm-256color",
			want: "buffer≤10485760 buffer1→≤10485760"},
		{name: "tmux in tmux, both with passthrough", env: "TMUX=/tmp/s,1,0", tmux: "1|on|tmux-256color", outer: "1|on|foot",
			want: "osc52+tmux2≤786372 buffer≤10485760 buffer1→≤10485760"},
		{name: "tmux in tmux, the outer one without passthrough", env: "TMUX=/tmp/s,1,0", tmux: "1|on|tmux-256color", outer: "1|off|foot",
			want: "buffer≤10485760 buffer1→≤10485760"},
		{name: "tmux over SSH from tmux", env: "TMUX=/tmp/s,1,0 SSH_CONNECTION=a", tmux: "1|on|tmux-256color",
			want: "osc52±tmux2≤786372 buffer≤10485760"},
		{name: "tmux over SSH from tmux, without passthrough", env: "TMUX=/tmp/s,1,0 SSH_CONNECTION=a", tmux: "1|off|tmux-256color",
			want: "buffer≤10485760"},
		{name: "tmux on a local desktop, looked at from afar", env: "TMUX=/tmp/s,1,0 DISPLAY=:0 SSH_CONNECTION=a", tmux: "1|off|xterm-256color",
			want: "buffer→≤10485760"},
		{name: "GNU screen on a desktop, started in kitty", env: "TERM=screen STY=1.pts KITTY_WINDOW_ID=1 DISPLAY=:0",
			want: "osc52+screen≤74994 native:x11≤262116 xclip xsel"},
		{name: "GNU screen in tmux", env: "TERM=screen STY=1.pts TMUX=/tmp/s,1,0", above: "bash screen init", want: "osc52+screen≤74994"},
		{name: "xterm that was started from tmux", env: "TERM=xterm TMUX=/tmp/s,1,0 DISPLAY=:0", above: "bash xterm bash tmux: server",
			want: "osc52≤74994 native:x11≤262116 xclip xsel"},
		{name: "GNU screen", env: "TERM=screen STY=1.pts", want: "osc52+screen≤74994"},
		{name: "tmux within GNU screen", env: "TERM=tmux-256color STY=1.pts TMUX=/tmp/s,1,0", tmux: "1|off|screen",
			want: "buffer≤10485760"},
		{name: "macOS, iTerm2", goos: "darwin", env: "TERM=xterm-256color TERM_PROGRAM=iTerm.app",
			want: "osc52≤1048576 native:macos pbcopy"},
		{name: "macOS, Terminal", goos: "darwin", env: "TERM=xterm-256color TERM_PROGRAM=Apple_Terminal",
			want: "native:macos pbcopy"},
		{name: "macOS with XQuartz", goos: "darwin", env: "TERM=xterm-256color DISPLAY=/tmp/x:0",
			want: "osc52≤74994 native:macos pbcopy"},
		{name: "a remote Mac", goos: "darwin", env: "TERM=xterm-256color SSH_CONNECTION=a",
			want: "osc52≤74994"},
		{name: "Windows Terminal", goos: "windows", env: "WT_SESSION=1",
			want: "osc52≤1048576 native:windows powershell.exe"},
		{name: "a remote Windows", goos: "windows", env: "SSH_CONNECTION=a", want: "osc52≤74994"},
		{name: "WSL with its display", env: "TERM=xterm-256color WSL_DISTRO_NAME=Debian WT_SESSION=1 WAYLAND_DISPLAY=wayland-0 DISPLAY=:0",
			want: "osc52≤1048576 (powershell.exe) (native:wayland) (wl-copy) (xclip) (xsel)"},
		{name: "WSL in Windows Terminal", env: "TERM=xterm-256color WSL_DISTRO_NAME=Debian WT_SESSION=1",
			want: "osc52≤1048576 (powershell.exe)"},
		{name: "WSL in another terminal", env: "TERM=xterm-256color WSL_INTEROP=/run/x",
			want: "osc52≤74994 powershell.exe"},
		{name: "WSL in mintty", env: "TERM=xterm-256color WSL_INTEROP=/run/x TERM_PROGRAM=mintty",
			want: "osc52≤1048576 powershell.exe"},
		{name: "WSL, over SSH", env: "TERM=xterm-256color WSL_INTEROP=/run/x SSH_CONNECTION=a", want: "osc52≤74994"},
		{name: "tmux in WSL", env: "TERM=tmux-256color WSL_INTEROP=/run/x WT_SESSION=1 TMUX=/tmp/s,1,0", tmux: "1|off|xterm-256color",
			want: "buffer→≤10485760 powershell.exe"},
		{name: "Termux", env: "TERM=xterm-256color TERMUX_VERSION=0.118", want: "osc52≤6000 termux-clipboard-set"},
		{name: "Termux on Android's Go", goos: "android", env: "TERM=xterm-256color TERMUX_VERSION=0.118", want: "osc52≤6000 termux-clipboard-set"},
		{name: "a phone that one looks at over SSH", env: "TERM=xterm-256color TERMUX_VERSION=0.118 SSH_CONNECTION=a", want: "osc52≤6000"},
		{name: "VS Code", env: "TERM=xterm-256color TERM_PROGRAM=vscode DISPLAY=:0",
			want: "osc52≤1048576 native:x11≤262116 xclip xsel"},
		{name: "zellij", env: "TERM=xterm-256color ZELLIJ=0 SSH_TTY=/dev/pts/3", want: "osc52≤74994"},
		{name: "zellij on a desktop, started in GNOME Terminal", env: "TERM=xterm-256color ZELLIJ=0 VTE_VERSION=7000 WAYLAND_DISPLAY=wayland-0",
			want: "osc52≤74994 native:wayland wl-copy"},
		{name: "zellij in tmux", env: "ZELLIJ=0 TMUX=/tmp/s,1,0", above: "zsh zellij", want: "osc52≤74994"},
		{name: "tmux in zellij", env: "ZELLIJ=0 TMUX=/tmp/s,1,0", above: "zsh tmux: server", tmux: "1|off|xterm-256color", want: "buffer→≤10485760"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			env := map[string]string{}
			for _, pair := range strings.Fields(tt.env) {
				name, value, _ := strings.Cut(pair, "=")
				env[name] = value
			}
			goos := tt.goos
			if goos == "" {
				goos = "linux"
			}
			above := strings.Fields(strings.ReplaceAll(tt.above, "tmux: server", "tmux:"))
			c := Read(Sources{OS: goos, Env: func(name string) string { return env[name] }, Above: above, Answers52: tt.da52})
			c.Options = ParseTmux(tmuxSays(tt.tmux))
			c.Options.Mosh = tt.mosh
			if tt.outer != "" {
				c.Outer = []Tmux{ParseTmux(tmuxSays(tt.outer))}
			}
			want := strings.TrimSpace(tt.want + " file")
			if diff := cmp.Diff(want, describe(Plan(c))); diff != "" {
				t.Errorf("plan (-want +got):\n%s", diff)
			}
		})
	}
}

func TestTheUsersChoice(t *testing.T) {
	everything := Context{OS: "linux", X11: true, Tmux: true, Options: ParseTmux(tmuxSays("1|off|xterm"))}
	for _, tt := range []struct {
		name    string
		context Context
		choice  string
		want    string
	}{
		{"no choice", everything, "", describe(Plan(everything))},
		{"auto", everything, Auto, describe(Plan(everything))},
		{"off", everything, Off, ""},
		{"the machine's clipboard", everything, OnlyNative, "native:x11≤262116 xclip xsel"},
		{"the machine's clipboard, of a remote Mac", Context{OS: "darwin", Remote: true}, OnlyNative, "native:macos pbcopy"},
		{"the machine's clipboard, which another one's user asks for", Context{OS: "linux", Remote: true, X11: true}, OnlyNative, "native:x11≤262116 xclip xsel"},
		{"the machine's clipboard, of Windows", Context{OS: "linux", WSL: true, Name: "Windows Terminal"}, OnlyNative, "powershell.exe"},
		{"the user's own program", everything, OnlyCommand, "command"},
		{"a file", everything, OnlyFile, "file"},
		{"the machine's clipboard, where there is none", Context{OS: "linux"}, OnlyNative, ""},
		{"tmux", everything, OnlyTmux, "buffer→≤10485760"},
		{"tmux from outside", Context{OS: "linux"}, OnlyTmux, "buffer≤10485760"},
		{"OSC 52 though tmux says no", everything, OnlyOSC52, "osc52±tmux≤786420"},
		{"OSC 52 in a terminal that seems to ignore it", Context{OS: "linux", Terminal: Ignored}, OnlyOSC52, "osc52≤1048576"},
		{"OSC 52 in one that loses long texts", Context{OS: "linux", Terminal: Short}, OnlyOSC52, "osc52≤6000"},
	} {
		if got := describe(Choose(tt.context, tt.choice)); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestTmuxWithoutATerminalSaysWhatMendsIt(t *testing.T) {
	for answer, want := range map[string]string{
		"1|off|xterm-256color":            "",
		"1|off|xterm-256color|foot(1.13)": "",
		"1|off|screen":                    mendMs,
		"0|off|":                          mendDetached,
		"1|on|tmux-256color":              mendOuter,
		"1|on|xterm-256color|XTerm(379)":  mendXterm,
		"1|on|xterm-256color|VTE(7000)":   mendVTE,
		"":                                "",
	} {
		plan := bufferRoutes(Context{OS: "linux", Tmux: true, Options: ParseTmux(tmuxSays(answer))})
		if got := plan[0].Mend; got != want || plan[0].Forwards != (want == "" && answer != "") {
			t.Errorf("tmux says %q: mended by %q, want %q", answer, got, want)
		}
	}
}

func TestCLP_TheSurerRouteComesLast(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := Context{
			OS:       rapid.SampledFrom([]string{"linux", "freebsd", "darwin", "windows"}).Draw(t, "os"),
			Remote:   rapid.Bool().Draw(t, "remote"),
			Tmux:     rapid.Bool().Draw(t, "tmux"),
			Screen:   rapid.Bool().Draw(t, "screen"),
			X11:      rapid.Bool().Draw(t, "x11"),
			Wayland:  rapid.Bool().Draw(t, "wayland"),
			FarX11:   rapid.Bool().Draw(t, "far"),
			Mosh:     rapid.Bool().Draw(t, "mosh"),
			WSL:      rapid.Bool().Draw(t, "wsl"),
			Termux:   rapid.Bool().Draw(t, "termux"),
			Terminal: OSC52(rapid.IntRange(0, int(Ignored)).Draw(t, "terminal")),
			Options: ParseTmux(tmuxSays(rapid.SampledFrom([]string{
				"", "1|off|xterm", "1|on|xterm", "0|all|", "1||screen", "1|on|tmux",
			}).Draw(t, "options"))),
		}
		if c.Tmux && rapid.Bool().Draw(t, "nested") {
			c.Outer = []Tmux{c.Options}
		}
		plan := Plan(c)
		stage := func(k Kind) Kind {
			if k == Tool {
				return Native // the machine's routes stand in for one another
			}
			return k
		}
		if last := plan[len(plan)-1]; last.Kind != File || !last.Spare {
			t.Errorf("%+v: %s does not end in a file", c, describe(plan))
		}
		for i, r := range plan {
			if i > 0 && stage(r.Kind) < stage(plan[i-1].Kind) {
				t.Errorf("%+v: %s", c, describe(plan))
			}
			if r.Kind == Native && r.Name == "x11" && r.Limit != core.X11NativeBytes {
				t.Errorf("%+v: the X11 library may be handed %d bytes", c, r.Limit)
			}
			if r.Kind == Terminal && c.Mosh && r.Limit > core.MoshBytes {
				t.Errorf("%+v: mosh cuts %s", c, describe(plan[i:i+1]))
			}
			if r.Kind <= Buffer && r.Limit == 0 {
				t.Errorf("%+v: %s has no limit", c, describe(plan[i:i+1]))
			}
		}
	})
}

// A session that is looked at from another place tells where.
func TestWhatTmuxWouldTellAProgramOfNow(t *testing.T) {
	old := map[string]string{
		"DISPLAY": ":0", "WAYLAND_DISPLAY": "wayland-0", "SSH_TTY": "/dev/pts/1", "XAUTHORITY": "/old", "PATH": "/bin",
	}
	env := func(name string) string { return old[name] }
	for name, tt := range map[string]struct{ answer, want string }{
		"no answer":       {"", ":0|wayland-0|/old||/dev/pts/1"},
		"back at home":    {tmuxSays("1|off|xterm") + "-SSH_CONNECTION\nDISPLAY=:1\nXAUTHORITY=/new\n", ":1|wayland-0|/new||"},
		"away":            {tmuxSays("1|off|xterm") + "SSH_CONNECTION=a b c d\n-DISPLAY\n-XAUTHORITY\n", "|wayland-0||a b c d|"},
		"other variables": {"x\nPATH=/evil\nLD_PRELOAD=/evil.so\n-HOME\n", ":0|wayland-0|/old||/dev/pts/1"},
	} {
		now := ParseSession(tt.answer).Over(env)
		got := strings.Join([]string{now("DISPLAY"), now("WAYLAND_DISPLAY"), now("XAUTHORITY"), now("SSH_CONNECTION"), now("SSH_TTY")}, "|")
		if got != tt.want || now("PATH") != "/bin" {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}

func TestTheUserMayHaveTaughtTmuxTheLetter(t *testing.T) {
	answer := tmuxSays("1|off|xterm-256color|XTerm(379)") + `terminal-overrides[0] xterm*:Ms=\\E]52;c;%p2%s\\007` + "\n"
	plan := bufferRoutes(Context{OS: "linux", Tmux: true, Options: ParseTmux(answer)})
	if !plan[0].Forwards || plan[0].Mend != "" {
		t.Errorf("%+v", plan[0])
	}
}

func TestFactsNameWhatWasFound(t *testing.T) {
	env := map[string]string{"TMUX": "/tmp/s,1,0", "SSH_CONNECTION": "a", "DISPLAY": ":0"}
	c := Read(Sources{OS: "linux", Env: func(name string) string { return env[name] }})
	c.Options = ParseTmux(tmuxSays("1|off|xterm-256color|XTerm(379)"))
	c.Options.Mosh = true
	var got []string
	for _, f := range c.Facts() {
		got = append(got, f.Name+": "+f.Value)
	}
	want := []string{
		"system: linux", "connection: SSH", "display: X11 of this machine, which you do not sit at", "multiplexer: tmux",
		"tmux: 3.3a, set-clipboard external, allow-passthrough off, 1 attached, in TERM=xterm-256color (XTerm(379)), through mosh",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("facts (-want +got):\n%s", diff)
	}
	c = Read(Sources{OS: "linux", Env: func(string) string { return "" }})
	if facts := c.Facts(); !slices.Contains(facts, Fact{"terminal", "not known to take OSC 52; most do"}) {
		t.Errorf("%v", facts)
	}
}

func FuzzParseTmux(f *testing.F) {
	f.Add("3.3a|external|off|1|77|xterm-256color||XTerm(379)\nDISPLAY=:0\n-SSH_CONNECTION")
	f.Add("|||||||")
	f.Add("x|x|on|9999999999999999999|x|x|x|x")
	f.Fuzz(func(t *testing.T, answer string) {
		got := ParseTmux(answer)
		if !got.Known && got != (Tmux{}) {
			t.Errorf("%q: %+v is not known, and says something", answer, got)
		}
		for name := range ParseSession(answer) {
			if !slices.Contains([]string{"DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "SSH_CONNECTION", "SSH_TTY", "SSH_CLIENT"}, name) {
				t.Errorf("%q sets %s", answer, name)
			}
		}
	})
}
