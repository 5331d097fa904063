package route

import (
	"fmt"
	"strconv"
	"strings"
)

// Tmux is what decides within tmux whether a copy gets out of it. Its zero
// value is that nothing is known.
type Tmux struct {
	Known        bool
	Version      string // "3.3a"
	SetClipboard string // set-clipboard: "on", "external" or "off"
	Passthrough  string // allow-passthrough: "on", "all" or "off"; "" before tmux 3.3, where it was always on
	Attached     int    // clients that look at our session
	Client       int    // process id of the client, 0 if there is none
	Term         string // TERM of the terminal that the client runs in
	Features     string // what tmux knows that terminal to be able to
	Type         string // what that terminal calls itself (XTVERSION), "" if it does not
	NamesC       bool   // the user has tmux send the letter c with what it sends itself

	// What the processes above the client tell.
	Mosh     bool // what it writes passes through mosh-server
	InScreen bool // it runs in GNU screen
}

// TmuxFormat is the format of the first line that ParseTmux reads, for `tmux
// display-message -p`.
const TmuxFormat = "#{version}|#{set-clipboard}|#{allow-passthrough}|#{session_attached}|#{client_pid}|" +
	"#{client_termname}|#{client_termfeatures}|#{client_termtype}"

// TmuxQuery are the arguments of the one call of tmux whose answer ParseTmux
// and ParseSession read.
func TmuxQuery() []string {
	return []string{
		"display-message", "-p", TmuxFormat, ";",
		"show-options", "-s", "terminal-overrides", ";",
		"show-environment",
	}
}

// ParseTmux reads the answer to TmuxQuery. Anything else gives the zero value.
func ParseTmux(answer string) Tmux {
	first, rest, _ := strings.Cut(strings.TrimSpace(answer), "\n")
	fields := strings.SplitN(first, "|", 8)
	if len(fields) != 8 {
		return Tmux{}
	}
	attached, err := strconv.Atoi(fields[3])
	if err != nil {
		return Tmux{}
	}
	client, err := strconv.Atoi(fields[4])
	if err != nil {
		client = 0
	}
	t := Tmux{
		Known: true, Version: fields[0], SetClipboard: fields[1], Passthrough: fields[2],
		Attached: attached, Client: client, Term: fields[5], Features: fields[6], Type: fields[7],
	}
	for line := range strings.Lines(rest) {
		if strings.HasPrefix(line, "terminal-overrides") && strings.Contains(line, "]52;c;") {
			t.NamesC = true
		}
	}
	return t
}

// Session is what tmux would tell a program that it started now: our own
// environment is as old as the pane, and the user may have come back over
// another connection. A variable that is there and empty is one that is not set
// any more (tmux(1), update-environment).
type Session map[string]string

// ParseSession reads the environment out of the answer to TmuxQuery, as far as
// it concerns the clipboard.
func ParseSession(answer string) Session {
	s := Session{}
	for line := range strings.Lines(answer) {
		line = strings.TrimRight(line, "\r\n")
		name, value, set := strings.Cut(line, "=")
		if !set {
			name, set = strings.CutPrefix(line, "-")
			if !set {
				continue
			}
		}
		switch name {
		case "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY":
			s[name] = value
		case "SSH_CONNECTION":
			// The others that sshd sets are not kept up to date.
			s["SSH_CONNECTION"], s["SSH_TTY"], s["SSH_CLIENT"] = value, "", ""
		}
	}
	return s
}

// Over lays the session over an environment.
func (s Session) Over(env func(name string) string) func(name string) string {
	return func(name string) string {
		if value, known := s[name]; known {
			return value
		}
		return env(name)
	}
}

// passes reports whether a wrapped sequence may reach the terminal.
func (t Tmux) passes() bool { return t.Passthrough != "off" && t.Passthrough != "0" }

// nested reports whether the client runs in a multiplexer that is out of reach:
// at the other end of SSH.
func (t Tmux) nested() bool { return hasAnyPrefix(t.Term, "tmux") }

// xterm reports whether the terminal is xterm itself, where an empty selection,
// which tmux sends, sets what the middle mouse button pastes.
func (t Tmux) xterm() bool { return strings.HasPrefix(t.Type, "XTerm") }

// vte reports whether the terminal is one of those that ignore the sequence.
func (t Tmux) vte() bool { return strings.HasPrefix(t.Type, "VTE") }

// lacksMs reports whether tmux takes the terminal for one without a clipboard:
// its terminfo entry has no Ms, as those of screen, vt100 and the Linux console
// (measured with 3.3a).
func (t Tmux) lacksMs() bool {
	if strings.Contains(t.Features, "clipboard") {
		return false
	}
	return t.Term == "" || t.Term == "dumb" || hasAnyPrefix(t.Term, "linux", "screen", "vt")
}

// forwards reports whether `load-buffer -w` goes on to the clipboard of a
// terminal.
func (t Tmux) forwards() bool {
	return t.Known && t.Attached > 0 && t.mend() == ""
}

// mend is what brings the text from tmux's buffer to the terminal, "" if
// nothing is known to be in the way.
func (t Tmux) mend() string {
	switch {
	case !t.Known:
		return ""
	case t.Attached == 0:
		return mendDetached
	case t.Mosh:
		// mosh passes on only what names the clipboard, which tmux does not.
		return mendPassthrough
	case t.vte():
		return mendVTE
	case t.InScreen, t.lacksMs():
		return mendMs
	case t.nested():
		return mendOuter
	case t.xterm() && !t.NamesC:
		return mendXterm
	}
	return ""
}

// String words what tmux said.
func (t Tmux) String() string {
	if !t.Known {
		return "does not answer"
	}
	passthrough := t.Passthrough
	if passthrough == "" {
		passthrough = "always on"
	}
	s := fmt.Sprintf("%s, set-clipboard %s, allow-passthrough %s, %d attached", t.Version, t.SetClipboard, passthrough, t.Attached)
	if t.Attached > 0 {
		s += ", in TERM=" + t.Term
		if t.Type != "" {
			s += " (" + t.Type + ")"
		}
	}
	if t.Mosh {
		s += ", through mosh"
	}
	if t.InScreen {
		s += ", in GNU screen"
	}
	return s
}
