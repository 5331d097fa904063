// Package route decides by which routes a copy can travel to the clipboard of
// the person who looks at the terminal. It is pure: the environment, the names
// of processes and tmux's own answer go in, a plan comes out. Every function is
// safe from any goroutine.
package route

import (
	"slices"
	"strings"
)

// OSC52 is what is known of the terminal's own clipboard sequence.
type OSC52 uint8

// What can be known. Most terminals are Unknown over SSH, where only TERM
// comes along.
const (
	Unknown OSC52 = iota
	Taken         // the terminal takes it, and long ones
	Short         // the terminal takes it, and loses long ones
	Ignored       // the terminal does not know it
)

// A Context is what decides the routes of a copy.
type Context struct {
	OS     string // runtime.GOOS
	Remote bool   // the user sits at the other end of an SSH or mosh connection
	Mosh   bool   // what we write passes through mosh-server

	// The multiplexer that is nearest to us; at most one of them is set.
	Tmux, Screen, Zellij bool

	WSL    bool // Linux under Windows
	Termux bool // Android, in the Termux app

	X11, Wayland bool // a display is named
	FarX11       bool // and that of X11 is on another machine (ssh -X)
	FarWayland   bool // and that of Wayland is no compositor's own (waypipe)

	Terminal OSC52  // of the terminal, where nothing stands between
	Name     string // of the terminal, "" if it is not known
	Through  string // TERM, where it names a multiplexer on the user's side of SSH

	// Options is what tmux says of itself, read anew for each copy: the user
	// may attach from another terminal at any time. Outer are the servers that
	// the client of the one before runs in, from the inside out. Inside tmux only.
	Options Tmux
	Outer   []Tmux
}

// Sources are what a Context is read from.
type Sources struct {
	OS        string                   // runtime.GOOS
	Env       func(name string) string // "" for a variable that is not set
	Above     []string                 // the names of the processes above ours, the nearest first
	Answers52 bool                     // the terminal's primary device attributes name 52
}

// Read reads a context.
func Read(s Sources) Context {
	env := s.Env
	set := func(names ...string) bool {
		return slices.ContainsFunc(names, func(name string) bool { return env(name) != "" })
	}
	c := Context{
		OS:         s.OS,
		Mosh:       Under(s.Above, "mosh-server"),
		WSL:        s.OS == "linux" && set("WSL_DISTRO_NAME", "WSL_INTEROP"),
		Termux:     set("TERMUX_VERSION"),
		X11:        set("DISPLAY"),
		Wayland:    set("WAYLAND_DISPLAY"),
		FarX11:     farX11(env("DISPLAY")),
		FarWayland: farWayland(env("WAYLAND_DISPLAY")),
	}
	switch nearest(s.Above, set) {
	case "tmux":
		c.Tmux = true
	case "screen":
		c.Screen = true
	case "zellij":
		c.Zellij = true
	}
	if c.Screen || c.Zellij {
		// Their servers are nobody's child, but mosh-server marks what it
		// starts: it turns ncurses' own line drawing off.
		c.Mosh = c.Mosh || set("NCURSES_NO_UTF8_ACS") && set("SSH_CONNECTION", "SSH_TTY", "SSH_CLIENT")
	}
	c.Remote = c.Mosh || set("SSH_CONNECTION", "SSH_TTY", "SSH_CLIENT")
	if c.Tmux || c.Screen || c.Zellij {
		// The names of terminals are those of whoever started the server.
		return c
	}
	c.Terminal, c.Name = terminal(env, set)
	if s.Answers52 && c.Terminal != Short {
		c.Terminal = Taken
	}
	if term := env("TERM"); c.Remote && hasAnyPrefix(term, "tmux", "screen") {
		c.Through = term
	}
	return c
}

// Under reports whether one of the processes has the name.
func Under(above []string, name string) bool { return slices.Contains(above, name) }

// nearest names the multiplexer that holds our terminal, "" if none does. Where
// several are in the environment, the one decides that is the nearest of the
// processes above us. A terminal that was started from within a multiplexer
// hands its variables on, and is not held by it.
func nearest(above []string, set func(...string) bool) string {
	var inside []string
	for _, mux := range []struct{ name, variable string }{
		{"tmux", "TMUX"}, {"screen", "STY"}, {"zellij", "ZELLIJ"},
	} {
		if set(mux.variable) {
			inside = append(inside, mux.name)
		}
	}
	if len(inside) == 0 {
		return ""
	}
	switch holder, found := Holder(above); {
	case slices.Contains(inside, holder):
		return holder
	case found && holder == "":
		return ""
	}
	return inside[0]
}

// Holder names what holds the terminal of a process that has the given ones
// above it: a multiplexer, or "" for a terminal on a screen. It is not found
// where none of them is known.
func Holder(above []string) (multiplexer string, found bool) {
	for _, process := range above {
		process = strings.ToLower(process)
		for _, mux := range []string{"tmux", "screen", "zellij"} {
			if strings.HasPrefix(process, mux) {
				return mux, true
			}
		}
		if hasAnyPrefix(process, "xterm", "kitty", "alacritty", "foot", "konsole", "yakuake", "wezterm", "ghostty",
			"gnome-terminal", "kgx", "ptyxis", "xfce4-terminal", "tilix", "terminator", "lxterminal", "mate-terminal",
			"qterminal", "urxvt", "rxvt", "mlterm", "iterm2") {
			return "", true
		}
	}
	return "", false
}

// farX11 reports whether a display is that of another machine, or a tunnel to
// it: its name has a host.
func farX11(display string) bool {
	host, _, ok := strings.Cut(display, ":")
	return ok && host != "" && host != "unix" && !strings.HasPrefix(host, "/")
}

// farWayland reports whether a display is none that compositors name
// themselves: wayland-0, wayland-1 …
func farWayland(display string) bool {
	number, own := strings.CutPrefix(display, "wayland-")
	return display != "" && (!own || strings.Trim(number, "0123456789") != "")
}

// terminal tells what the terminal makes of OSC 52 by the names that terminals
// give themselves. A terminal that was started from another one inherits that
// one's variables, so the names of terminals that take it are looked at first.
func terminal(env func(string) string, set func(...string) bool) (OSC52, string) {
	if set("TERMUX_VERSION") {
		return Short, "Termux"
	}
	for _, t := range []struct{ variable, name string }{
		{"KITTY_WINDOW_ID", "kitty"}, {"ALACRITTY_WINDOW_ID", "alacritty"}, {"WEZTERM_PANE", "WezTerm"},
		{"GHOSTTY_RESOURCES_DIR", "Ghostty"}, {"KONSOLE_VERSION", "Konsole"},
		{"WT_SESSION", "Windows Terminal"}, {"XTERM_VERSION", "xterm"},
	} {
		if set(t.variable) {
			return Taken, t.name
		}
	}
	term, program := env("TERM"), env("TERM_PROGRAM")
	switch {
	case program == "iTerm.app", program == "WezTerm", program == "ghostty", program == "vscode",
		program == "zed", program == "mintty":
		return Taken, program
	case hasAnyPrefix(term, "xterm-kitty", "xterm-ghostty", "alacritty", "foot", "wezterm", "contour", "rio"):
		return Taken, strings.TrimPrefix(term, "xterm-")
	case term == "dumb", term == "linux", hasAnyPrefix(term, "vt"):
		return Ignored, term
	case set("VTE_VERSION"):
		// VTE (GNOME Terminal, Ptyxis, Tilix, xfce4-terminal) skips the
		// sequence up to 0.85 at least (vte#2495).
		return Ignored, "VTE"
	case program == "Apple_Terminal":
		return Ignored, "Terminal.app"
	}
	return Unknown, ""
}

func hasAnyPrefix(s string, prefixes ...string) bool {
	return slices.ContainsFunc(prefixes, func(prefix string) bool { return strings.HasPrefix(s, prefix) })
}
