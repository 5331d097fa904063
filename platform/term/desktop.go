package term

import "strings"

// A desktop is how this terminal is asked for a notification of the desktop.
type desktop struct {
	form form
	wrap wrap
}

// A form is one of the sequences that terminals have for it.
type form uint8

const (
	noForm form = iota
	osc9        // OSC 9 ; text (iTerm2, and what took it over)
	osc777      // OSC 777 ; notify ; title ; body (urxvt, foot, Ghostty, WezTerm)
	osc99       // OSC 99 (kitty)
)

// A wrap is the multiplexer that a sequence has to get through.
type wrap uint8

const (
	bare wrap = iota
	throughTmux
	throughScreen
)

// sure tells that nothing on the way is known to keep the sequence back: tmux
// drops it unless allow-passthrough is on.
func (d desktop) sure() bool { return d.form != noForm && d.wrap == bare }

// desktopFor finds out what the terminal takes. Terminals that are xterm-like
// read every OSC and drop those that they do not know, so OSC 9 can be tried
// there; others may print it, and get one only when they are known to take it.
// In a multiplexer the variables of the terminal around it tell what that is;
// over SSH there are none, and the bell gets through by itself.
func desktopFor(env func(string) string, xtermLike bool) desktop {
	name := env("TERM")
	d := desktop{wrap: bare}
	switch {
	case env("TMUX") != "" || strings.HasPrefix(name, "tmux"):
		d.wrap = throughTmux
	case env("STY") != "" || strings.HasPrefix(name, "screen"):
		d.wrap = throughScreen
	case strings.HasPrefix(name, "linux"):
		return d // the console prints what it does not know
	}
	if d.wrap != bare {
		name = ""
	}
	d.form = formOf(env, name)
	if d.form == noForm && d.wrap == bare && xtermLike {
		d.form = osc9
	}
	return d
}

// formOf is the form of a terminal that is known by its name, TERM, or by the
// variables that it sets.
func formOf(env func(string) string, name string) form {
	for _, k := range []struct {
		prefix string
		form   form
	}{{"xterm-kitty", osc99}, {"xterm-ghostty", osc777}, {"foot", osc777}, {"rxvt-unicode", osc777}, {"wezterm", osc777}} {
		if name != "" && strings.HasPrefix(name, k.prefix) {
			return k.form
		}
	}
	program := env("TERM_PROGRAM")
	switch {
	case env("KITTY_WINDOW_ID") != "":
		return osc99
	case program == "ghostty", env("GHOSTTY_RESOURCES_DIR") != "", program == "WezTerm", env("WEZTERM_PANE") != "":
		return osc777
	case program == "iTerm.app", env("LC_TERMINAL") == "iTerm2":
		return osc9
	}
	return noForm
}

// sequence asks for a notification.
func (d desktop) sequence(n notice) []byte {
	title, body := n.parts()
	end := "\x1b\\"
	if d.wrap == throughScreen {
		end = "\a" // an ST would end what screen passes on
	}
	var s string
	switch d.form {
	case osc777:
		s = "\x1b]777;notify;" + title + ";" + body + end
	case osc99:
		// One that has the same identifier takes the place of the one before.
		s = "\x1b]99;i=copydesk:d=0;" + title + end + "\x1b]99;i=copydesk:p=body;" + body + end
	default:
		s = "\x1b]9;" + joined(title, body) + end
	}
	switch d.wrap {
	case throughTmux:
		return []byte("\x1bPtmux;" + strings.ReplaceAll(s, "\x1b", "\x1b\x1b") + "\x1b\\")
	case throughScreen:
		return []byte("\x1bP" + s + "\x1b\\")
	}
	return []byte(s)
}

// joined is the text of an OSC 9. ConEmu and Windows Terminal take one that
// begins with a digit for a command of theirs.
func joined(title, body string) string {
	s := title
	if title != "" && body != "" {
		s += ": "
	}
	s += body
	if s == "" || s[0] >= '0' && s[0] <= '9' {
		s = "> " + s
	}
	return s
}
