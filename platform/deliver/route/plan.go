package route

import (
	"time"

	"copydesk/core"
	"copydesk/core/clipboard"
)

// Kind is a kind of route.
type Kind uint8

// The kinds, in the order in which a plan runs them: the surer one comes last,
// so that it is what stays.
const (
	Terminal Kind = iota // OSC 52 through our own terminal
	Buffer               // tmux's paste buffer, `tmux load-buffer`
	Native               // the machine's clipboard, through its own protocol
	Tool                 // the machine's clipboard, through a program
	Command              // the user's own program
	File                 // a file of its own
)

// Form is the form in which OSC 52 goes out.
type Form uint8

// The forms.
const (
	Plain        Form = iota
	ThroughTmux       // wrapped in tmux's passthrough
	TmuxEither        // wrapped, and once less: nobody knows what the outermost tmux lets through
	ScreenPieces      // cut into pieces for GNU screen
)

// A Route is one way a copy can travel.
type Route struct {
	Kind   Kind
	Form   Form // of a Terminal route
	Levels int  // of ThroughTmux and TmuxEither: how often it is wrapped
	Server int  // of a Buffer: 0 is the tmux that we are in, 1 the one around it …

	// Name is the program of a Tool, and what a Native route is called until it
	// says itself what it took.
	Name string

	// Limit is how many bytes the route carries whole; 0 is no limit. A longer
	// text must not be given to it: nothing is ever cut (CLP).
	Limit int

	// Wait is the longest that the route may take; 0 is what the copy may take.
	Wait time.Duration

	// Spare is that the route is of use only where none before it took the text.
	Spare bool

	// Barred says why the route is known to lead nowhere. It is not tried.
	Barred string

	// Mend is the line that tells the user how to get more out of the route, and
	// MendSent what to do where OSC 52 went out and nothing arrived.
	Mend, MendSent string

	// Forwards is that tmux sends what it buffers on to the user's terminal.
	Forwards bool
}

// termuxBytes is what Termux takes of one OSC 52 (termux-app#5324), in decoded
// bytes.
const termuxBytes = 6000

// levelBytes is how much shorter a text must be for each further tmux that it
// is wrapped for, in decoded bytes.
const levelBytes = 48

// farWait is how long the display at the other end of a connection may take.
const farWait = time.Second

// The lines that mend a route.
const (
	mendUnknown     = "Inside tmux longer texts reach the terminal."
	mendMs          = "In ~/.tmux.conf: set -as terminal-features ',*:clipboard'"
	mendDetached    = "Attach to the tmux session and copy again."
	mendPassthrough = "In ~/.tmux.conf: set -g allow-passthrough on"
	mendOuter       = "In the tmux around this one: set -s set-clipboard on"
	mendYours       = "If nothing arrives: in the tmux on your side, set -s set-clipboard on"
	mendXterm       = `In ~/.tmux.conf: set -as terminal-overrides ',xterm*:Ms=\E]52;c;%p2%s\007'`
	mendVTE         = "Use a terminal that takes OSC 52, such as kitty, foot or alacritty."
	mendMosh        = "Over SSH longer texts reach the terminal."
	mendXtermOps    = "If nothing arrives: in ~/.Xresources, XTerm*allowWindowOps: true"
	mendITerm       = "If nothing arrives: in iTerm2's settings, General, Selection, let applications access the clipboard."
	mendMintty      = "If nothing arrives: in ~/.minttyrc, AllowSetSelection=yes"
)

// Plan returns the routes of a copy in the order in which they run (CLP): OSC 52
// first, tmux's own buffer inside tmux, the machine's clipboard, and last of all
// a file. Of the machine's routes each one only stands in for those before it.
func Plan(c Context) []Route {
	var plan []Route
	machine := machineRoutes(c)
	if r := terminalRoute(c); r.Barred == "" || !c.Tmux && len(machine) == 0 {
		plan = append(plan, r)
	}
	plan = append(plan, bufferRoutes(c)...)
	plan = append(plan, machine...)
	return append(plan, Route{Kind: File, Name: clipboard.RouteFile, Spare: true})
}

// The choices a user has; any other one is Auto.
const (
	Auto        = "auto"
	OnlyNative  = "native"
	OnlyOSC52   = "osc52"
	OnlyTmux    = "tmux"
	OnlyCommand = "command"
	OnlyFile    = "file"
	Off         = "off"
)

// Choose returns the plan for what the user chose: that of Plan, or the one
// route that was asked for, which is then tried even where Plan would not.
func Choose(c Context, choice string) []Route {
	switch choice {
	case OnlyNative:
		c.Remote = false
		plan := machineRoutes(c)
		for i := range plan {
			plan[i].Spare = false
		}
		return plan
	case OnlyOSC52:
		c.Options, c.Outer = Tmux{}, nil
		if c.Terminal == Ignored {
			c.Terminal = Taken
		}
		return []Route{terminalRoute(c)}
	case OnlyTmux:
		c.Tmux = true
		return bufferRoutes(c)
	case OnlyCommand:
		return []Route{{Kind: Command, Name: clipboard.RouteCommand}}
	case OnlyFile:
		return []Route{{Kind: File, Name: clipboard.RouteFile}}
	case Off:
		return nil
	}
	return Plan(c)
}

// terminalRoute is the OSC 52 route. It is barred where no sequence can get to
// the terminal.
func terminalRoute(c Context) Route {
	if c.Tmux {
		return throughTmux(c)
	}
	r := Route{Kind: Terminal, Limit: core.OSC52UnknownBytes, Mend: mendUnknown}
	if c.Screen {
		r.Form = ScreenPieces
	}
	switch c.Terminal {
	case Ignored:
		r.Barred, r.Mend = "this terminal ignores it", mendVTE
	case Taken:
		r.Limit, r.Mend = core.OSC52Bytes, ""
	case Short:
		r.Limit = termuxBytes
	}
	switch {
	case hasAnyPrefix(c.Through, "tmux"):
		r.Form, r.Levels, r.MendSent = TmuxEither, 1, mendYours
	case c.Through != "":
		r.MendSent = mendYours
	case c.Name == "xterm":
		r.MendSent = mendXtermOps
	case c.Name == "iTerm.app":
		r.MendSent = mendITerm
	case c.Name == "mintty":
		r.MendSent = mendMintty
	}
	if c.Mosh {
		r.Limit, r.Mend = min(r.Limit, core.MoshBytes), mendMosh
	}
	return r
}

// throughTmux is the OSC 52 route inside tmux. Where tmux lets no wrapped
// sequence through, `load-buffer -w` does all that a plain one could.
func throughTmux(c Context) Route {
	servers := c.servers()
	last := servers[len(servers)-1]
	levels := len(servers)
	r := Route{Kind: Terminal, Form: ThroughTmux, Levels: levels}
	if !last.Known || last.nested() {
		r.Form = TmuxEither
	}
	if last.nested() {
		r.Levels++
		r.MendSent = mendOuter
	}
	r.Limit = core.OSC52TmuxBytes - levelBytes*(r.Levels-1)
	if last.Mosh || c.Mosh {
		r.Limit, r.Mend = min(r.Limit, core.MoshBytes), mendMosh
	}
	for _, t := range servers {
		if t.Known && !t.passes() {
			r.Barred, r.Mend = "allow-passthrough is off in tmux", mendPassthrough
		}
	}
	if last.vte() || last.InScreen {
		r.Barred, r.Mend = "the terminal around tmux ignores it", mendVTE
	}
	return r
}

// bufferRoutes are tmux's paste buffers, from which the text reaches the
// terminal with every setting of set-clipboard (R53): that of the server that we
// are in, and that of the outermost one that can be reached, which then sends
// the text on.
func bufferRoutes(c Context) []Route {
	servers := c.servers()
	if len(servers) == 0 {
		return nil
	}
	buffer := func(server int) Route {
		t := servers[server]
		return Route{
			Kind: Buffer, Server: server, Limit: core.TmuxBufferBytes, Forwards: t.forwards(), Mend: t.mend(),
		}
	}
	last := len(servers) - 1
	if last == 0 {
		return []Route{buffer(0)}
	}
	inner := buffer(0)
	inner.Forwards, inner.Mend = false, ""
	return []Route{inner, buffer(last)}
}

// machineRoutes are the routes to the clipboard of the machine we run on. Over
// SSH that is the user's only where a display came along; any other one belongs
// to somebody else, or to nobody.
func machineRoutes(c Context) []Route {
	switch {
	case c.OS == "darwin", c.OS == "windows":
		if c.Remote {
			return nil
		}
		if c.OS == "windows" {
			return []Route{{Kind: Native, Name: clipboard.RouteWindows}, {Kind: Tool, Name: "powershell.exe"}}
		}
		return []Route{{Kind: Native, Name: clipboard.RouteMac}, {Kind: Tool, Name: "pbcopy"}}
	}
	var plan []Route
	switch {
	case c.Remote:
	case c.Termux:
		plan = []Route{{Kind: Tool, Name: "termux-clipboard-set"}}
	case c.WSL:
		// Windows Terminal sets the clipboard of Windows itself, and at once.
		plan = []Route{{Kind: Tool, Name: "powershell.exe", Spare: c.Name == "Windows Terminal"}}
	}
	plan = append(plan, displayRoutes(c)...)
	if c.WSL && c.Name == "Windows Terminal" {
		for i := range plan {
			plan[i].Spare = true
		}
	}
	return plan
}

// displayRoutes are the routes to the clipboard of a Wayland or X11 display.
func displayRoutes(c Context) []Route {
	var plan []Route
	if c.usesWayland() {
		plan = append(plan, Route{Kind: Native, Name: clipboard.RouteWayland}, Route{Kind: Tool, Name: "wl-copy"})
	} else if c.usesX11() {
		plan = append(plan, Route{Kind: Native, Name: clipboard.RouteX11, Limit: core.X11NativeBytes})
	}
	if c.usesX11() {
		plan = append(plan, Route{Kind: Tool, Name: "xclip"}, Route{Kind: Tool, Name: "xsel"})
	}
	if c.Remote {
		for i := range plan {
			plan[i].Wait = farWait
		}
	}
	return plan
}
