// Package keys names what the keyboard can do. One table of actions makes the
// key handling, the footer, the help dialog, the README's key table, the
// defaults of the configuration and the check for conflicts (KEY 1).
//
// Everything here is a value or is not changed once it was made, so that any
// goroutine may use it.
package keys

import (
	"strings"
	"unicode"

	"github.com/gdamore/tcell/v2"
)

// A Stroke is one key with its modifiers, in the one form that every way a
// terminal can send it is brought to. Two strokes are the same key if they are
// equal.
//
// Key is tcell.KeyRune with a Rune, or a named key with Rune 0. Control
// letters are runes with ModCtrl, Shift+Tab is KeyTab with ModShift, and a
// capital letter without another modifier is its rune alone.
type Stroke struct {
	Mod  tcell.ModMask
	Key  tcell.Key
	Rune rune
}

// From brings a key event to its one form. Old terminals send Alt+Enter as
// Escape and CR, which tcell reports as Alt+Ctrl+M, and Ctrl+I, Ctrl+M, Ctrl+H
// and Ctrl+[ are the bytes of Tab, Enter, Backspace and Escape: the named key
// is meant on every terminal. A line feed is Ctrl+J.
func From(ev *tcell.EventKey) Stroke {
	return canonical(Stroke{Mod: ev.Modifiers(), Key: ev.Key(), Rune: ev.Rune()})
}

// Printable reports whether the stroke types a character.
func (s Stroke) Printable() bool {
	return s.Key == tcell.KeyRune && s.Mod == 0 && unicode.IsPrint(s.Rune)
}

const (
	// modifiers are those that keep a rune from being typed.
	modifiers = tcell.ModCtrl | tcell.ModAlt | tcell.ModMeta | tcell.ModHyper
	// tcell numbers control keys twice: as ASCII, and 64 above it.
	controlOffset = tcell.KeyCtrlSpace
	controlKeys   = 32
)

func canonical(s Stroke) Stroke {
	switch {
	case s.Key == tcell.KeyBacktab:
		return Stroke{Mod: s.Mod | tcell.ModShift, Key: tcell.KeyTab}
	case s.Key == tcell.KeyBackspace2:
		return Stroke{Mod: s.Mod, Key: tcell.KeyBackspace}
	case s.Key == tcell.KeyTab, s.Key == tcell.KeyEnter, s.Key == tcell.KeyEsc, s.Key == tcell.KeyBackspace:
		return Stroke{Mod: s.Mod, Key: s.Key}
	case s.Key >= controlOffset && s.Key < controlOffset+controlKeys:
		return canonicalRune(s.Mod|tcell.ModCtrl, '@'+rune(s.Key-controlOffset), true)
	case s.Key >= 0 && s.Key < controlKeys:
		return canonicalRune(s.Mod|tcell.ModCtrl, '@'+rune(s.Key), true)
	case s.Key == tcell.KeyRune:
		return canonicalRune(s.Mod, s.Rune, false)
	}
	return Stroke{Mod: s.Mod, Key: s.Key}
}

// canonicalRune brings a rune with modifiers to its one form; control says that
// r stands for a control byte, whose letters have no case.
func canonicalRune(m tcell.ModMask, r rune, control bool) Stroke {
	if m&modifiers == 0 {
		if m&tcell.ModShift != 0 {
			r = unicode.ToUpper(r)
		}
		return Stroke{Key: tcell.KeyRune, Rune: r}
	}
	if lower := unicode.ToLower(r); lower != r {
		r = lower
		if !control {
			m |= tcell.ModShift
		}
	}
	if m&tcell.ModCtrl != 0 {
		// Escape and a control byte: tcell adds 0x60 to the byte, which is
		// right for letters only.
		if m&tcell.ModAlt != 0 && strings.ContainsRune("`|}~", r) {
			r -= 0x20
		}
		if r == '@' {
			r = ' '
		}
		if k, ok := controlNames[r]; ok && m&^(tcell.ModCtrl|tcell.ModAlt) == 0 {
			return Stroke{Mod: m &^ tcell.ModCtrl, Key: k}
		}
	}
	return Stroke{Mod: m, Key: tcell.KeyRune, Rune: r}
}

// controlNames are the control letters whose byte is that of a named key.
var controlNames = map[rune]tcell.Key{
	'i': tcell.KeyTab,
	'm': tcell.KeyEnter,
	'h': tcell.KeyBackspace,
	'[': tcell.KeyEsc,
}

// oldForm returns how a terminal without the kitty or modifyOtherKeys protocol
// sends the stroke, and false where it is sent as what it is.
func (s Stroke) oldForm() (Stroke, bool) {
	const ctrlShift = tcell.ModCtrl | tcell.ModShift
	old := s
	old.Mod &^= tcell.ModMeta | tcell.ModHyper
	switch s.Key {
	case tcell.KeyEnter, tcell.KeyBackspace:
		old.Mod &^= ctrlShift
	case tcell.KeyTab:
		old.Mod &^= tcell.ModCtrl
		if old.Mod&tcell.ModAlt != 0 {
			old.Mod = tcell.ModShift
		}
	case tcell.KeyEsc:
		old.Mod = 0
	case tcell.KeyRune:
		if old.Mod&tcell.ModCtrl == 0 {
			break
		}
		if s.Rune >= 'a' && s.Rune <= 'z' || strings.ContainsRune(` \]^_`, s.Rune) {
			old.Mod &^= tcell.ModShift
		} else {
			old.Mod &^= ctrlShift
		}
	}
	old = canonical(old)
	return old, old != s
}

// modNames are the modifiers in the order they are written.
var modNames = []struct {
	mod  tcell.ModMask
	name string
}{
	{tcell.ModCtrl, "ctrl"},
	{tcell.ModAlt, "alt"},
	{tcell.ModShift, "shift"},
	{tcell.ModMeta, "meta"},
	{tcell.ModHyper, "hyper"},
}

// keyNames are the named keys but for F1 to F64: first as a configuration
// writes them, then as people read them.
var keyNames = []struct {
	key         tcell.Key
	name, label string
}{
	{tcell.KeyEnter, "enter", "Enter"},
	{tcell.KeyTab, "tab", "Tab"},
	{tcell.KeyEsc, "esc", "Esc"},
	{tcell.KeyBackspace, "backspace", "Backspace"},
	{tcell.KeyUp, "up", "Up"},
	{tcell.KeyDown, "down", "Down"},
	{tcell.KeyLeft, "left", "Left"},
	{tcell.KeyRight, "right", "Right"},
	{tcell.KeyHome, "home", "Home"},
	{tcell.KeyEnd, "end", "End"},
	{tcell.KeyPgUp, "pgup", "PgUp"},
	{tcell.KeyPgDn, "pgdn", "PgDn"},
	{tcell.KeyInsert, "insert", "Insert"},
	{tcell.KeyDelete, "delete", "Delete"},
	{tcell.KeyUpLeft, "upleft", "UpLeft"},
	{tcell.KeyUpRight, "upright", "UpRight"},
	{tcell.KeyDownLeft, "downleft", "DownLeft"},
	{tcell.KeyDownRight, "downright", "DownRight"},
	{tcell.KeyCenter, "center", "Center"},
	{tcell.KeyHelp, "help", "Help"},
	{tcell.KeyExit, "exit", "Exit"},
	{tcell.KeyClear, "clear", "Clear"},
	{tcell.KeyCancel, "cancel", "Cancel"},
	{tcell.KeyPrint, "print", "Print"},
	{tcell.KeyPause, "pause", "Pause"},
	{tcell.KeyMenu, "menu", "Menu"},
	{tcell.KeyCapsLock, "capslock", "CapsLock"},
	{tcell.KeyScrollLock, "scrolllock", "ScrollLock"},
	{tcell.KeyNumLock, "numlock", "NumLock"},
}

// runeNames are the runes that a chord cannot hold as they are.
var runeNames = []struct {
	r           rune
	name, label string
}{
	{' ', "space", "Space"},
	{'+', "plus", "Plus"},
}
