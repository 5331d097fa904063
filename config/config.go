// Package config says what the user wants: typed, checked, and with the line
// on which each wish was written (CFG 3).
//
// Values come from four layers, the later the stronger: the defaults, the
// file, the environment (COPYDESK_*), the flags. Everything that is wrong in
// any of them is reported at once as a list of Problems. A Config is a value
// that nobody changes after Load; its functions may be called from any
// goroutine.
package config

import (
	"errors"
	"slices"
	"time"

	"go.yaml.in/yaml/v3"
)

// Config is what the user wants. The yaml tags are the names of the settings
// and must be lower case without a dot, because viper folds the case of names
// and splits them at dots. A field tagged restart takes effect at the next
// start only; see NeedsRestart.
type Config struct {
	// Agent is the name of the agent that a start without --agent opens: one
	// of Agents, a usual one, or the playground. Empty opens the playground and
	// lists what else there is.
	Agent string `yaml:"agent" restart:"true"`

	// Agents are the agents that the user has described. A change is for the
	// next pane that is opened. Read from the file only. Never nil after Load.
	Agents Agents `yaml:"agents"`

	// DB is the playground's database file. Empty means a file in the state
	// folder; a leading ~/ means the home folder, and is expanded by Load.
	DB string `yaml:"db" restart:"true"`

	// Messages is how much the playground says, MessagesShort or
	// MessagesVerbose (PLY 1).
	Messages string `yaml:"messages" restart:"true"`

	// Theme is ThemeAuto, ThemeDark or ThemeLight (KEY 4).
	Theme string `yaml:"theme"`

	// Mouse lets the desk see clicks and the wheel. It takes the terminal's
	// own selection away, so it is off unless asked for.
	Mouse bool `yaml:"mouse"`

	Clipboard Clipboard `yaml:"clipboard"`
	Approval  Approval  `yaml:"approval"`
	Notify    Notify    `yaml:"notify"`
	Log       Log       `yaml:"log"`

	// Keys rebinds actions: the name of an action to its chords. An action
	// that is not named keeps its default chords; one with an empty list has
	// none (KEY 1). Read from the file only. Never nil after Load.
	Keys Keys `yaml:"keys"`
}

// Clipboard says how copies are delivered (CLP).
type Clipboard struct {
	// Route is RouteAuto, or the one route that is used.
	Route string `yaml:"route" restart:"true"`

	// Command is the program and its arguments that RouteCommand runs with the
	// text on its standard input. Never nil after Load.
	Command []string `yaml:"command" restart:"true"`

	// Timeout is how long a copy may take in all, from 100 ms to 30 s (R44).
	Timeout time.Duration `yaml:"timeout" restart:"true"`

	// Primary also sets the selection that the middle mouse button pastes, on
	// X11 and Wayland.
	Primary bool `yaml:"primary" restart:"true"`

	// Select puts what the mouse has selected in the panel into that selection
	// when its button is released, and leaves the clipboard as it is.
	Select bool `yaml:"select"`

	// Persist keeps a copy on a Linux or BSD desktop when the program ends.
	Persist bool `yaml:"persist" restart:"true"`
}

// Approval says how input requests take the keyboard (REQ 5).
type Approval struct {
	// Quiet is how long no key may have been pressed before a request takes
	// the keyboard, from 200 ms to 5 s (T41).
	Quiet time.Duration `yaml:"quiet"`
}

// Notify says how the user is called when something waits for them (T68).
type Notify struct {
	// When is NotifyUnfocused, NotifyAlways or NotifyNever.
	When string `yaml:"when"`

	// How are the ways, of NotifyBell, NotifyDesktop and NotifyTitle. Never nil
	// after Load.
	How []string `yaml:"how"`
}

// Has reports whether a way is one of those to call the user.
func (n Notify) Has(way string) bool { return slices.Contains(n.How, way) }

// Log says what is written to the log file in the state folder.
type Log struct {
	// Level is LevelOff or the least important level that is written.
	Level string `yaml:"level" restart:"true"`
}

// Keys is the chords of each rebound action, as the user wrote them. What a
// chord is, and which actions there are, is known by the key table: pass a
// Check that asks it.
type Keys map[string]Chords

// Chords are the chords of one action. In the file they are a list, or one
// chord without brackets, or the word none.
type Chords []string

// Unbound is the word that stands for an empty list of chords.
const Unbound = "none"

// The values of Theme.
const (
	ThemeAuto  = "auto"
	ThemeDark  = "dark"
	ThemeLight = "light"
)

// The values of Messages.
const (
	MessagesShort   = "short"
	MessagesVerbose = "verbose"
)

// The values of Clipboard.Route.
const (
	RouteAuto    = "auto"
	RouteNative  = "native"
	RouteOSC52   = "osc52"
	RouteTmux    = "tmux"
	RouteCommand = "command"
	RouteFile    = "file"
	RouteOff     = "off"
)

// The values of Notify.When.
const (
	NotifyUnfocused = "unfocused"
	NotifyAlways    = "always"
	NotifyNever     = "never"
)

// The values in Notify.How.
const (
	NotifyBell    = "bell"
	NotifyDesktop = "desktop"
	NotifyTitle   = "title"
)

// The values of Log.Level.
const (
	LevelOff   = "off"
	LevelDebug = "debug"
	LevelInfo  = "info"
	LevelWarn  = "warn"
	LevelError = "error"
)

// Default is what a user gets who has said nothing.
func Default() Config {
	return Config{
		Agents:    Agents{},
		Messages:  MessagesShort,
		Theme:     ThemeAuto,
		Clipboard: Clipboard{Route: RouteAuto, Command: []string{}, Timeout: 2 * time.Second, Persist: true},
		Approval:  Approval{Quiet: 350 * time.Millisecond},
		Notify:    Notify{When: NotifyUnfocused, How: []string{NotifyBell, NotifyTitle}},
		Log:       Log{Level: LevelOff},
		Keys:      Keys{},
	}
}

// Map gives the chords in plain types, for a key table that knows nothing of
// this package. The lists are shared, not copied.
func (k Keys) Map() map[string][]string {
	m := make(map[string][]string, len(k))
	for action, chords := range k {
		m[action] = chords
	}
	return m
}

// UnmarshalYAML reads a list of chords, one chord, or none.
func (c *Chords) UnmarshalYAML(n *yaml.Node) error {
	switch n.Kind {
	case yaml.ScalarNode:
		*c = Chords{n.Value}
		if n.Value == Unbound {
			*c = Chords{}
		}
		return nil
	case yaml.SequenceNode:
		list := make(Chords, 0, len(n.Content))
		for _, item := range n.Content {
			if item.Kind != yaml.ScalarNode || item.ShortTag() == "!!null" {
				return errors.New(shown(item) + " is not a chord")
			}
			list = append(list, item.Value)
		}
		*c = list
		return nil
	default:
		return errors.New(shown(n) + " is not a chord, a list of chords or " + Unbound)
	}
}
