package clipboard

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestCPY4_Say(t *testing.T) {
	const (
		answer = "Copied to clipboard."
		panel  = "Copied 12 line(s) to the clipboard."
	)
	type said struct {
		Line    string
		IsError bool
	}
	routes := func(r ...RouteResult) []RouteResult { return r }
	osc := RouteResult{Route: RouteOSC52, Outcome: Sent}
	tmux := RouteResult{Route: RouteTmux, Outcome: Buffered}
	noXclip := RouteResult{Route: "xclip", Reason: NotFound, Mend: "Install xclip."}
	noXsel := RouteResult{Route: "xsel", Reason: NotFound, Mend: "Install xsel."}
	noDisplay := RouteResult{Route: "xclip", Reason: "Error: Can't open display: :9"}

	tests := []struct {
		name   string
		routes []RouteResult
		done   string
		hidden int
		want   said
	}{
		{
			"a tool owns it, the surest route is named first",
			routes(osc, RouteResult{Route: "xclip", Outcome: Owned}), answer, 0,
			said{"Copied to clipboard. xclip ok · OSC 52 sent, 12 KB", false},
		},
		{
			"the lines are counted by the caller",
			routes(RouteResult{Route: RouteWayland, Outcome: Owned}), panel, 0,
			said{"Copied 12 line(s) to the clipboard. Wayland ok, 12 KB", false},
		},
		{
			"only OSC 52 went out",
			routes(osc), panel, 0,
			said{"Sent to your terminal's clipboard (OSC 52, not confirmed). OSC 52 sent, 12 KB", false},
		},
		{
			"a failed route beside one that carried it is no error",
			routes(osc, RouteResult{Route: RouteX11, Reason: "the X server does not answer."}, noXclip, noXsel), panel, 0,
			said{"Sent to your terminal's clipboard (OSC 52, not confirmed). OSC 52 sent, 12 KB · X11 failed: the X server does not answer · not found: xclip, xsel. Install xclip.", false},
		},
		{
			"what mends a lesser route is not said when one owns the text",
			routes(osc, RouteResult{Route: RouteX11, Reason: "too large"}, noXclip, RouteResult{Route: "xsel", Outcome: Owned}), answer, 0,
			said{"Copied to clipboard. xsel ok · OSC 52 sent, 12 KB · X11 failed: too large · not found: xclip", false},
		},
		{
			"tmux's buffer is named as such",
			routes(tmux), panel, 0,
			said{"Copied 12 line(s) to tmux's buffer (prefix ]). tmux buffer ok, 12 KB", false},
		},
		{
			"tmux's buffer, passed on to the terminal",
			routes(tmux, osc), answer, 0,
			said{"Copied to tmux's buffer (prefix ]), and sent to your terminal's clipboard (OSC 52, not confirmed). tmux buffer ok · OSC 52 sent, 12 KB", false},
		},
		{
			"what mends tmux",
			routes(RouteResult{Route: RouteTmux, Outcome: Buffered, Mend: "In ~/.tmux.conf: set -s set-clipboard on."}), answer, 0,
			said{"Copied to tmux's buffer (prefix ]). tmux buffer ok, 12 KB. In ~/.tmux.conf: set -s set-clipboard on.", false},
		},
		{
			"T65: hidden characters are counted",
			routes(osc, RouteResult{Route: RouteMac, Outcome: Owned}), answer, 3,
			said{"Copied to clipboard. macOS ok · OSC 52 sent, 12 KB · 3 hidden characters (/copy clean removes them)", false},
		},
		{
			"T65: one hidden character",
			routes(osc), answer, 1,
			said{"Sent to your terminal's clipboard (OSC 52, not confirmed). OSC 52 sent, 12 KB · 1 hidden character (/copy clean removes it)", false},
		},
		{
			"the one tool is missing",
			routes(noXclip), answer, 0,
			said{"Clipboard utility not found: xclip. Install xclip.", true},
		},
		{
			"every tool is missing",
			routes(noXclip, noXsel), answer, 0,
			said{"Clipboard utility not found: xclip, xsel. Install xclip.", true},
		},
		{
			"R44: the tool and its words are named",
			routes(noDisplay), answer, 7,
			said{"Clipboard copy failed: Error: Can't open display: :9 (xclip).", true},
		},
		{
			"several routes failed",
			routes(RouteResult{Route: RouteOSC52, Reason: "the terminal is suspended"}, noDisplay, noXsel), answer, 0,
			said{"Clipboard copy failed: OSC 52: the terminal is suspended · xclip: Error: Can't open display: :9 · Clipboard utility not found: xsel. Install xsel.", true},
		},
		{
			"a failure of no route in particular",
			routes(RouteResult{Reason: "the text is empty"}), answer, 0,
			said{"Clipboard copy failed: the text is empty.", true},
		},
		{
			"a file, because nothing else took it",
			routes(noDisplay, RouteResult{Route: RouteFile, Outcome: Saved, Path: "/home/u/copy.txt"}), panel, 0,
			said{"No clipboard took it. It is in the file /home/u/copy.txt. file ok, 12 KB · xclip failed: Error: Can't open display: :9", false},
		},
		{
			"a file, as it was asked for",
			routes(RouteResult{Route: RouteFile, Outcome: Saved, Path: "/home/u/copy.txt"}), panel, 2,
			said{"Saved to the file /home/u/copy.txt. file ok, 12 KB · 2 hidden characters (/copy clean removes them)", false},
		},
		{
			"no route at all",
			nil, answer, 0,
			said{"Clipboard copy failed: there is no clipboard to be reached from here.", true},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			line, isError := Receipt{Bytes: 12_345, Routes: tt.routes}.Say(tt.done, tt.hidden)
			if diff := cmp.Diff(tt.want, said{line, isError}); diff != "" {
				t.Errorf("Say (-want +got):\n%s", diff)
			}
		})
	}
}

func genReceipt(t *rapid.T) Receipt {
	result := rapid.Custom(func(t *rapid.T) RouteResult {
		return RouteResult{
			Route:   rapid.SampledFrom([]string{RouteOSC52, RouteTmux, RouteX11, RouteFile, RouteCommand, "xclip", "wl-copy"}).Draw(t, "route"),
			Outcome: Outcome(rapid.IntRange(int(Failed), int(Owned)).Draw(t, "outcome")),
			Reason:  rapid.SampledFrom([]string{"", NotFound, "exit status 1"}).Draw(t, "reason"),
			Mend:    rapid.SampledFrom([]string{"", "Install it."}).Draw(t, "mend"),
		}
	})
	return Receipt{
		Bytes:  rapid.IntRange(1, 20_000_000).Draw(t, "bytes"),
		Routes: rapid.SliceOfN(result, 0, 6).Draw(t, "routes"),
	}
}

func TestCPY4_SayClaimsOnlyWhatIsKnown(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := genReceipt(t)
		const done = "Copied 7 line(s) to the clipboard."
		line, isError := r.Say(done, 0)
		owned, taken := false, false
		for _, route := range r.Routes {
			owned = owned || route.Outcome == Owned
			taken = taken || route.Outcome != Failed
			if !strings.Contains(line, Label(route.Route)) {
				t.Errorf("%q does not name the route %q", line, route.Route)
			}
		}
		if got := strings.Contains(line, done); got != owned {
			t.Errorf("%q says %q: %v, but a route owns the text: %v", line, done, got, owned)
		}
		if isError == taken {
			t.Errorf("%q: isError = %v, but a route took the text: %v", line, isError, taken)
		}
		if strings.ContainsAny(line, "\r\n") {
			t.Errorf("%q is more than one line", line)
		}
	})
}

func TestSize(t *testing.T) {
	for n, want := range map[int]string{
		0: "0 B", 1: "1 B", 999: "999 B", 1000: "1 KB", 12_345: "12 KB", 120_000: "120 KB",
		999_499: "999 KB", 999_500: "1.0 MB", 1_240_000: "1.2 MB", 10 << 20: "10.5 MB",
	} {
		if got := Size(n); got != want {
			t.Errorf("Size(%d) = %q, want %q", n, got, want)
		}
	}
}
