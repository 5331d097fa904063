package clipboard

import (
	"slices"
	"strconv"
	"strings"
)

// The names of the routes that are not a tool's own name.
const (
	RouteOSC52     = "osc52"
	RouteTmux      = "tmux"       // tmux's paste buffer
	RouteOuterTmux = "outer-tmux" // that of the tmux around it
	RouteX11       = "x11"
	RouteWayland   = "wayland"
	RouteMac       = "macos"
	RouteWindows   = "windows"
	RouteCommand   = "command" // the user's own
	RouteFile      = "file"
)

// NotFound is the Reason of a tool that is not installed (R44, requirement 4.4
// of the first document).
const NotFound = "not found"

// The beginnings of what is said when no route took the text, as the first
// document words them; the name of the tool follows, or what it complained of.
const (
	utilityNotFound = "Clipboard utility not found: "
	copyFailed      = "Clipboard copy failed: "
)

// sentOnly is said where nothing but OSC 52 went out: no terminal confirms it
// (CPY 4).
const sentOnly = "Sent to your terminal's clipboard (OSC 52, not confirmed)."

// Best returns the most certain outcome of all routes, Failed if there is none.
func (r Receipt) Best() Outcome {
	best := Failed
	for _, route := range r.Routes {
		best = max(best, route.Outcome)
	}
	return best
}

// Say words the receipt as one line for the user (CPY 4, T65). The sentence
// done ("Copied 12 line(s) to the clipboard.") has the form "… to …." and is
// said only if a route owns the text; the words before its " to " also stand
// before the name of tmux's buffer. The number of hidden characters that the
// text holds is named if it is above 0. isError is true if no route took the
// text. It is pure, and safe from any goroutine.
func (r Receipt) Say(done string, hidden int) (line string, isError bool) {
	best := r.Best()
	if best == Failed {
		return r.failure(), true
	}
	parts := []string{r.headline(best, done) + " " + r.carried()}
	parts = append(parts, r.failed(" failed: ", "not found: ")...)
	parts = append(parts, r.Notes...)
	switch {
	case hidden == 1:
		parts = append(parts, "1 hidden character (/copy clean removes it)")
	case hidden > 1:
		parts = append(parts, strconv.Itoa(hidden)+" hidden characters (/copy clean removes them)")
	}
	line = strings.Join(parts, " · ")
	if mend := r.mend(); mend != "" && best < Owned {
		line += ". " + mend
	}
	return line, false
}

// headline is the sentence that says how far the copy is certain.
func (r Receipt) headline(best Outcome, done string) string {
	switch best {
	case Owned:
		return done
	case Buffered:
		what, _, _ := strings.Cut(strings.TrimSuffix(done, "."), " to ")
		if r.has(Sent) {
			return what + " to tmux's buffer (prefix ]), and sent to your terminal's clipboard (OSC 52, not confirmed)."
		}
		return what + " to tmux's buffer (prefix ])."
	case Saved:
		if r.has(Failed) {
			return "No clipboard took it. It is in the file " + r.file() + "."
		}
		return "Saved to the file " + r.file() + "."
	default:
		return sentOnly
	}
}

// has reports whether a route ended with the outcome.
func (r Receipt) has(o Outcome) bool {
	return slices.ContainsFunc(r.Routes, func(route RouteResult) bool { return route.Outcome == o })
}

// file is where the text was saved.
func (r Receipt) file() string {
	for _, route := range r.Routes {
		if route.Outcome == Saved {
			return route.Path
		}
	}
	return ""
}

// carried lists the routes that took the text, the surest first, and its size.
func (r Receipt) carried() string {
	var parts []string
	for _, route := range r.bySurety() {
		switch route.Outcome {
		case Owned, Buffered, Saved:
			parts = append(parts, Label(route.Route)+" ok")
		case Sent:
			parts = append(parts, Label(route.Route)+" sent")
		}
	}
	return strings.Join(parts, " · ") + ", " + Size(r.Bytes)
}

// failed lists the routes that did not take the text, with the tools that are
// missing put together as one.
func (r Receipt) failed(between, notFound string) []string {
	var parts, missing []string
	for _, route := range r.Routes {
		switch {
		case route.Outcome != Failed:
		case route.Reason == NotFound:
			missing = append(missing, Label(route.Route))
		case route.Route == "":
			parts = append(parts, strings.TrimSuffix(route.Reason, "."))
		default:
			parts = append(parts, Label(route.Route)+between+strings.TrimSuffix(route.Reason, "."))
		}
	}
	if len(missing) > 0 {
		parts = append(parts, notFound+strings.Join(missing, ", "))
	}
	return parts
}

// failure words a copy that no route took.
func (r Receipt) failure() string {
	reasons := r.failed(": ", utilityNotFound)
	line := copyFailed + strings.Join(reasons, " · ")
	switch {
	case len(r.Routes) == 0:
		line = copyFailed + "there is no clipboard to be reached from here"
	case len(reasons) > 1:
	case strings.HasPrefix(reasons[0], utilityNotFound):
		line = reasons[0]
	case r.Routes[0].Route != "":
		line = copyFailed + strings.TrimSuffix(r.Routes[0].Reason, ".") + " (" + Label(r.Routes[0].Route) + ")"
	}
	line += "."
	if mend := r.mend(); mend != "" {
		line += " " + mend
	}
	return line
}

// mend returns the first line of configuration that would mend a route, that
// of the surest route first.
func (r Receipt) mend() string {
	for _, route := range r.bySurety() {
		if route.Mend != "" {
			return route.Mend
		}
	}
	return ""
}

// bySurety returns the routes from the most to the least certain outcome, and
// in the order they ran where that is the same.
func (r Receipt) bySurety() []RouteResult {
	routes := slices.Clone(r.Routes)
	slices.SortStableFunc(routes, func(a, b RouteResult) int { return int(b.Outcome) - int(a.Outcome) })
	return routes
}

// Label is a route's name as a user reads it. A tool's name is its own.
func Label(route string) string {
	switch route {
	case RouteOSC52:
		return "OSC 52"
	case RouteTmux:
		return "tmux buffer"
	case RouteOuterTmux:
		return "outer tmux's buffer"
	case RouteX11:
		return "X11"
	case RouteWayland:
		return "Wayland"
	case RouteMac:
		return "macOS"
	case RouteWindows:
		return "Windows"
	}
	return route
}

// Size words a number of bytes in at most five characters and a unit: "214 B",
// "12 KB", "1.2 MB". A KB is 1000 bytes.
func Size(n int) string {
	switch {
	case n < 1000:
		return strconv.Itoa(n) + " B"
	case n < 999_500:
		return strconv.Itoa((n+500)/1000) + " KB"
	default:
		return strconv.FormatFloat(float64(n)/1e6, 'f', 1, 64) + " MB"
	}
}
