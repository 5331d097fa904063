package uitest

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"copydesk/core"

	"github.com/rivo/uniseg"
)

// Options says what else than drawing the output may hold.
type Options struct {
	// Copied: a user copied, so OSC 52 may stand in the output.
	Copied bool

	// Tmux: $TMUX is set, so an OSC 52 may stand in one tmux DCS wrapper.
	Tmux bool

	// Elapsed is how long the output took: one bell a second may stand in it,
	// and the first.
	Elapsed time.Duration
}

// CheckOutput is oracle O1: it reads what the program wrote to its terminal and
// returns an error that names every sequence, up to five, that the program has
// no business to write. Outside of the alternate screen lines of text may stand
// as well; inside, only what draws a screen.
func CheckOutput(data []byte, o Options) error {
	c := checker{opts: o}
	c.feed(data)
	return c.result()
}

// A checker reads output in pieces that end at the end of a sequence.
type checker struct {
	opts   Options
	alt    bool // in the alternate screen
	offset int  // of the piece, in the whole output
	bells  int
	errs   []error
}

// problems is how many problems are worth reporting.
const problems = 5

func (c *checker) fail(data []byte, at, end int, why string) {
	if len(c.errs) < problems {
		shown := data[at:min(end, at+60, len(data))]
		c.errs = append(c.errs, fmt.Errorf("byte %d: %s: %q", c.offset+at, why, shown))
	}
}

func (c *checker) result() error {
	if most := 1 + int(c.opts.Elapsed/core.BellEvery); c.bells > most {
		c.errs = append(c.errs, fmt.Errorf("%d bells in %v, at most %d allowed", c.bells, c.opts.Elapsed, most))
	}
	return errors.Join(c.errs...)
}

func (c *checker) feed(data []byte) {
	for at := 0; at < len(data); {
		end, why := c.token(data, at)
		if why != "" {
			c.fail(data, at, end, why)
		}
		at = end
	}
	c.offset += len(data)
}

// token judges what stands at data[at] and returns where it ends, and what is
// wrong with it.
func (c *checker) token(data []byte, at int) (end int, why string) {
	switch b := data[at]; {
	case b == 0x1b:
		return c.escape(data, at)
	case b == 7:
		c.bells++
		return at + 1, ""
	case b == '\b':
		// tcell overwrites the right half of a wide character before it
		// draws one: two blanks, and back.
		if at >= 2 && bytes.HasPrefix(data[at-2:], []byte("  \b\b")) {
			return at + 2, ""
		}
		return at + 1, "a backspace"
	case b == '\r' && !c.alt && at+1 < len(data) && data[at+1] == '\n':
		return at + 2, ""
	case (b == '\n' || b == '\t') && !c.alt:
		return at + 1, ""
	case b < ' ':
		return at + 1, "a control character"
	case b == 0x7f:
		return at + 1, "a DEL"
	case b < 0x80:
		return at + 1, ""
	}
	r, size := utf8.DecodeRune(data[at:])
	switch {
	case r == utf8.RuneError && size == 1:
		why = "a byte that is not UTF-8"
	case r < 0xa0:
		why = "a C1 control character"
	case r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069:
		why = "a bidirectional control"
	}
	return at + size, why
}

// escapes are the sequences of two or three bytes that tcell writes: keypad mode
// at start and stop, and character sets before each style (ESC ( B) and for line
// drawing on terminals that are not UTF-8 (ESC ( 0).
var escapes = []string{"\x1b=", "\x1b>", "\x1b(B", "\x1b(0"}

func (c *checker) escape(data []byte, at int) (end int, why string) {
	for _, s := range escapes {
		if bytes.HasPrefix(data[at:], []byte(s)) {
			return at + len(s), ""
		}
	}
	if at+1 == len(data) {
		return at + 1, "an ESC without an end"
	}
	switch data[at+1] {
	case '[':
		return c.csi(data, at)
	case ']':
		return c.osc(data, at)
	case 'P':
		return c.dcs(data, at)
	case '_', '^', 'X':
		_, end, _ = text(data, at+2)
		return end, "a string that no terminal needs"
	}
	return at + 2, "an escape sequence"
}

// controls are the CSI sequences that are allowed as they are: modifyOtherKeys,
// the kitty keyboard and the window title, which tcell sets at its start and
// takes back at its end.
var controls = regexp.MustCompile(`^(?:` + strings.Join([]string{
	`>4;[02]m`,             // modifyOtherKeys on, off
	`>[0-9]*u`, `<[0-9]*u`, // kitty keyboard push, pop
	`22;0;0t`, `23;0;0t`, `22;2t`, `23;2t`, // title stack
	`>2t`,                            // UTF-8 titles
	`[0-6] q`,                        // cursor shape
	`[0-9;]*[ABCDEFGHdf` + "`" + `]`, // cursor moves
	`[0-2]?[JK]`,                     // ED, EL; not 3J, which clears what was scrolled off
	`[0-9]*;?[0-9]*r`,                // scroll region
	`[0-9]*[ST]`,                     // scrolling inside it
}, `|`) + `)$`)

func (c *checker) csi(data []byte, at int) (end int, why string) {
	end = at + 2
	for end < len(data) && data[end] >= 0x20 && data[end] <= 0x3f {
		end++
	}
	if end == len(data) || data[end] < 0x40 || data[end] > 0x7e {
		return end, "a CSI without an end"
	}
	end++
	body := string(data[at+2 : end])
	params, final := body[:len(body)-1], body[len(body)-1]
	switch {
	case controls.MatchString(body):
		return end, ""
	case final == 'm':
		return end, selectGraphic(params)
	case final == 'h' || final == 'l':
		return end, c.modes(params, final == 'h')
	}
	return end, "a control sequence"
}

// allowedModes are the private modes of the product, and of tcell: 1 cursor
// keys and 7 margins at start and stop, 12 a steady cursor, 9001 win32 input.
var allowedModes = []string{
	"25", "1000", "1002", "1003", "1004", "1006", "1049", "2004", "2026",
	"1", "7", "12", "9001",
}

func (c *checker) modes(params string, on bool) string {
	list, private := strings.CutPrefix(params, "?")
	if !private {
		return "a mode that is not private"
	}
	for _, mode := range strings.Split(list, ";") {
		if mode == "1049" {
			c.alt = on
		}
		if !contains(allowedModes, mode) {
			return "mode " + mode
		}
	}
	return ""
}

func contains(list []string, s string) bool {
	for _, l := range list {
		if l == s {
			return true
		}
	}
	return false
}

// selectGraphic judges the parameters of an SGR. Text that is there and cannot
// be seen (8, conceal) is never ours.
func selectGraphic(params string) string {
	fields := strings.FieldsFunc(params, func(r rune) bool { return r == ';' })
	for i := 0; i < len(fields); i++ {
		main, _, sub := strings.Cut(fields[i], ":")
		n, err := strconv.Atoi(main)
		switch {
		case err != nil || n < 0 || n > 107:
			return "an unknown SGR"
		case n == 8:
			return "concealed text"
		case (n == 38 || n == 48 || n == 58) && !sub && i+1 < len(fields):
			if fields[i+1] == "5" {
				i += 2
			} else {
				i += 4
			}
		}
	}
	return ""
}

// text finds the end of a string that begins at data[at]: BEL or ESC \. It
// returns the string without its end. Inside a tmux wrapper a doubled ESC does
// not end it.
func text(data []byte, at int) (body []byte, end int, ok bool) {
	for i := at; i < len(data); i++ {
		switch {
		case data[i] == 7:
			return data[at:i], i + 1, true
		case data[i] == 0x1b && i+1 < len(data) && data[i+1] == '\\':
			return data[at:i], i + 2, true
		case data[i] == 0x1b:
			return data[at:i], i, false
		}
	}
	return data[at:], len(data), false
}

func (c *checker) osc(data []byte, at int) (end int, why string) {
	body, end, ok := text(data, at+2)
	if !ok {
		return end, "an OSC without an end"
	}
	number, rest, _ := strings.Cut(string(body), ";")
	switch number {
	case "2":
		return end, title(rest)
	case "8":
		return end, link(rest)
	case "52":
		return end, c.clipboard(rest)
	}
	return end, "OSC " + number
}

// title judges a window title (T68): short, and plain text.
func title(s string) string {
	if uniseg.StringWidth(s) > core.TitleCells {
		return "a title that is too long"
	}
	plain := checker{alt: true}
	plain.feed([]byte(s))
	if len(plain.errs) > 0 || plain.bells > 0 {
		return "a title with control characters"
	}
	return ""
}

// longestLink is the longest target of a link, in bytes (T31).
const longestLink = 2048

func link(s string) string {
	_, target, ok := strings.Cut(s, ";")
	switch {
	case !ok:
		return "a link without a target"
	case target == "":
		return "" // its end
	case len(target) > longestLink:
		return "a link that is too long"
	case !strings.HasPrefix(target, "http://") && !strings.HasPrefix(target, "https://"):
		return "a link to something else than http"
	}
	for i := 0; i < len(target); i++ {
		if target[i] <= ' ' || target[i] >= 0x7f {
			return "a link with other bytes than a URL has"
		}
	}
	return ""
}

func (c *checker) clipboard(s string) string {
	which, data, ok := strings.Cut(s, ";")
	if !c.opts.Copied {
		return "OSC 52 although nobody copied"
	}
	if !ok || which != "c" && which != "p" {
		return "OSC 52 of an unknown clipboard"
	}
	if _, err := base64.StdEncoding.Strict().DecodeString(data); err != nil {
		return "OSC 52 that is no text"
	}
	return ""
}

// dcs allows one OSC 52 in a tmux wrapper: every ESC of it doubled.
func (c *checker) dcs(data []byte, at int) (end int, why string) {
	const wrapper = "\x1bPtmux;"
	var inner []byte
	for end = at + 2; end < len(data); end++ {
		if data[end] != 0x1b {
			inner = append(inner, data[end])
			continue
		}
		if end+1 < len(data) && data[end+1] == 0x1b {
			inner = append(inner, 0x1b)
			end++
			continue
		}
		break
	}
	if !bytes.HasPrefix(data[end:], []byte("\x1b\\")) {
		return min(end+1, len(data)), "a DCS without an end"
	}
	end += 2
	if !c.opts.Tmux || !bytes.HasPrefix(data[at:], []byte(wrapper)) {
		return end, "a DCS"
	}
	inner = bytes.TrimPrefix(inner, []byte("tmux;"))
	if !bytes.HasPrefix(inner, []byte("\x1b]52;")) {
		return end, "a tmux wrapper around something else than OSC 52"
	}
	oscEnd, why := c.osc(inner, 0)
	if why == "" && oscEnd != len(inner) {
		why = "more than one sequence in a tmux wrapper"
	}
	return end, why
}
