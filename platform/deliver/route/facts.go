package route

import "strings"

// A Fact is one line of what is known of a context.
type Fact struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Facts words the context for a person.
func (c Context) Facts() []Fact {
	facts := []Fact{
		{"system", list(clause{true, c.OS}, clause{c.WSL, "WSL"}, clause{c.Termux, "Termux"})},
		{"connection", list(clause{c.Mosh, "mosh"}, clause{c.Remote && !c.Mosh, "SSH"}, clause{!c.Remote, "local"})},
		{"display", list(
			clause{c.usesWayland(), "Wayland"},
			clause{c.usesX11(), "X11"},
			clause{c.Wayland && !c.usesWayland(), "Wayland of this machine, which you do not sit at"},
			clause{c.X11 && !c.usesX11(), "X11 of this machine, which you do not sit at"},
		)},
		{"multiplexer", list(
			clause{c.Tmux, "tmux"}, clause{c.Screen, "GNU screen"}, clause{c.Zellij, "zellij"},
			clause{c.Through != "", "on your side, TERM is " + c.Through},
		)},
	}
	if c.Tmux || c.Screen || c.Zellij {
		for _, t := range c.servers() {
			facts = append(facts, Fact{"tmux", t.String()})
		}
		return facts
	}
	return append(facts, Fact{"terminal", list(
		clause{c.Name != "", c.Name},
		clause{c.Terminal == Taken, "takes OSC 52"},
		clause{c.Terminal == Short, "takes short OSC 52"},
		clause{c.Terminal == Ignored, "ignores OSC 52"},
		clause{c.Terminal == Unknown, "not known to take OSC 52; most do"},
	)})
}

// A clause is said if it holds.
type clause struct {
	holds bool
	text  string
}

// list joins the clauses that hold, and is "none" if none does.
func list(clauses ...clause) string {
	var said []string
	for _, c := range clauses {
		if c.holds {
			said = append(said, c.text)
		}
	}
	if len(said) == 0 {
		return "none"
	}
	return strings.Join(said, ", ")
}

// servers are the tmux servers that we are inside of, from the inside out.
func (c Context) servers() []Tmux {
	if !c.Tmux {
		return nil
	}
	return append([]Tmux{c.Options}, c.Outer...)
}

func (c Context) usesX11() bool     { return c.X11 && (!c.Remote || c.FarX11) }
func (c Context) usesWayland() bool { return c.Wayland && (!c.Remote || c.FarWayland) }
