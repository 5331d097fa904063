package config

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Validate lists what is wrong with the values by themselves, with Path and
// Text filled in, in the order of the fields.
func (c Config) Validate() []Problem {
	var list []Problem
	add := func(path, text string) {
		if text != "" {
			list = append(list, Problem{Path: path, Text: text})
		}
	}
	list = append(list, c.Agents.problems()...)
	if strings.ContainsRune(c.DB, 0) {
		add("db", quote(c.DB)+" is not a file name")
	}
	add("messages", oneOf(c.Messages, MessagesShort, MessagesVerbose))
	add("theme", oneOf(c.Theme, ThemeAuto, ThemeDark, ThemeLight))
	add("clipboard.route", oneOf(c.Clipboard.Route, RouteAuto, RouteNative, RouteOSC52, RouteTmux, RouteCommand, RouteFile, RouteOff))
	add("clipboard.command", c.Clipboard.unrunnable())
	add("clipboard.timeout", between(c.Clipboard.Timeout, 100*time.Millisecond, 30*time.Second))
	add("approval.quiet", between(c.Approval.Quiet, 200*time.Millisecond, 5*time.Second))
	add("notify.when", oneOf(c.Notify.When, NotifyUnfocused, NotifyAlways, NotifyNever))
	for i, way := range c.Notify.How {
		add(fmt.Sprintf("notify.how[%d]", i), oneOf(way, NotifyBell, NotifyDesktop, NotifyTitle))
	}
	add("log.level", oneOf(c.Log.Level, LevelOff, LevelDebug, LevelInfo, LevelWarn, LevelError))
	return list
}

// unrunnable says why the command cannot be run, if it is one or must be one.
func (c Clipboard) unrunnable() string {
	switch {
	case len(c.Command) == 0 && c.Route == RouteCommand:
		return "names no program, and clipboard.route asks for one"
	case len(c.Command) > 0 && c.Command[0] == "":
		return "begins with an empty text where a program must be named"
	case slices.ContainsFunc(c.Command, func(s string) bool { return strings.ContainsRune(s, 0) }):
		return "holds a NUL, which no argument can"
	}
	return ""
}

func oneOf(value string, allowed ...string) string {
	if slices.Contains(allowed, value) {
		return ""
	}
	last := len(allowed) - 1
	return fmt.Sprintf("%s is not %s or %s", quote(value), strings.Join(allowed[:last], ", "), allowed[last])
}

func between(value, low, high time.Duration) string {
	if low <= value && value <= high {
		return ""
	}
	return fmt.Sprintf("%s is not between %s and %s", value, low, high)
}

// quote is a value in a message. Long ones are cut: the user knows what they
// wrote, and the line is found by its number.
func quote(s string) string {
	const most = 60
	if r := []rune(s); len(r) > most {
		return strconv.Quote(string(r[:most])) + "…"
	}
	return strconv.Quote(s)
}

// nearest is the name the user may have meant, or empty when none is near:
// at most a third of it may differ, and case does not count.
func nearest(name string, names []string) string {
	const longest = 40
	if len(name) > longest {
		return ""
	}
	best, found := len(name)/3+1, ""
	for _, candidate := range names {
		if d := distance(strings.ToLower(name), candidate); d < best {
			best, found = d, candidate
		}
	}
	return found
}

// distance is Levenshtein's, over bytes: names of settings are ASCII.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
