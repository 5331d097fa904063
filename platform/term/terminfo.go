package term

import (
	"strings"

	"github.com/gdamore/encoding"
	"github.com/gdamore/tcell/v2"
	"github.com/gdamore/tcell/v2/terminfo"
)

// fallbackTerm describes nearly every terminal that is in use; it stands in
// when TERM is unset or names a type this machine does not know (R40), as it
// happens after ssh from a terminal with a terminfo entry of its own.
const fallbackTerm = "xterm-256color"

// terminfoFor finds the description of the terminal. The copy it returns is
// ours: tcell changes the one it is given. (COLORTERM is read by tcell itself
// from the process environment.)
func terminfoFor(env func(string) string) (*terminfo.Terminfo, error) {
	name := env("TERM")
	switch name {
	case "dumb", "unknown", "emacs":
		return nil, &UnusableTerminal{Term: name}
	}
	found, err := tcell.LookupTerminfo(name)
	if err != nil {
		if found, err = tcell.LookupTerminfo(fallbackTerm); err != nil {
			return nil, err
		}
	}
	if found.SetCursor == "" {
		return nil, &UnusableTerminal{Term: name}
	}
	ti := *found
	if env("NO_COLOR") != "" {
		// tcell sends no colours then, but still the sequence that resets them.
		ti.Colors = 0
		ti.ResetFgBg, ti.SetFg, ti.SetBg, ti.SetFgBg = "", "", "", ""
		ti.SetFgRGB, ti.SetBgRGB, ti.SetFgBgRGB = "", "", ""
	}
	return &ti, nil
}

// speakUTF8 makes tcell send UTF-8 whatever the locale says. tcell takes its
// character set from LC_ALL, LC_CTYPE or LANG: with C or POSIX it replaces
// everything beyond ASCII by "?", with an unknown set Init fails. Content must
// go out unchanged (R41), and terminals speak UTF-8 even where the locale does
// not. The names are entries of tcell's own registry, so the process
// environment, which agents inherit, stays as it is.
func speakUTF8() {
	for _, name := range []string{"US-ASCII", "ASCII", "ISO646"} {
		tcell.RegisterEncoding(name, encoding.UTF8)
	}
	tcell.SetEncodingFallback(tcell.EncodingFallbackUTF8)
}

// asciiLocale tells that the locale cannot show more than ASCII. POSIX looks
// at the first of the three variables that is not empty; with none set we
// believe the terminal, not the missing locale.
func asciiLocale(env func(string) string) bool {
	locale := ""
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if locale = env(name); locale != "" {
			break
		}
	}
	if locale == "" {
		return false
	}
	locale, _, _ = strings.Cut(locale, "@")
	lang, set, ok := strings.Cut(locale, ".")
	if !ok {
		return lang == "C" || lang == "POSIX"
	}
	set = strings.ToLower(strings.ReplaceAll(set, "-", ""))
	return set != "utf8"
}
