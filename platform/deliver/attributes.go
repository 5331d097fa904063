package deliver

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

// AttributesQuery asks a terminal for its primary device attributes (xterm
// ctlseqs, "CSI Ps c").
const AttributesQuery = "\x1b[c"

// AttributesWait is how long a terminal may take to answer.
const AttributesWait = 200 * time.Millisecond

// attributeClipboard is the attribute of a terminal that takes OSC 52 now. That
// it is missing says nothing: xterm, Konsole and alacritty never name it.
const attributeClipboard = 52

// attributesBytes is the most that is read while an answer is waited for.
const attributesBytes = 64 << 10

// Attributes are what a terminal says of itself.
type Attributes []int

// Clipboard reports whether the terminal says that it takes OSC 52.
func (a Attributes) Clipboard() bool { return slices.Contains(a, attributeClipboard) }

// ParseAttributes looks for the answer to AttributesQuery, "ESC [ ? 62 ; 52 c",
// in what a terminal sent. The rest is everything else, in its order: what the
// user typed meanwhile.
func ParseAttributes(p []byte) (found Attributes, rest []byte, ok bool) {
	const head = "\x1b[?"
	for at := 0; ; {
		i := bytes.Index(p[at:], []byte(head))
		if i < 0 {
			return nil, p, false
		}
		at += i
		body := p[at+len(head):]
		n := bytes.IndexFunc(body, func(r rune) bool { return r != ';' && (r < '0' || r > '9') })
		if n > 0 && body[n] == 'c' {
			return attributes(string(body[:n])), slices.Concat(p[:at], body[n+1:]), true
		}
		at += len(head)
	}
}

func attributes(list string) Attributes {
	var out Attributes
	for field := range strings.SplitSeq(list, ";") {
		if n, err := strconv.Atoi(field); err == nil {
			out = append(out, n)
		}
	}
	return out
}

// A Queried terminal is in raw mode and read by nobody else.
type Queried interface {
	io.ReadWriter
	SetReadDeadline(t time.Time) error
}

// AskAttributes asks a terminal for its attributes and waits until the limit.
// What else it read is in typed, also beside an error: the caller must hand that
// to whatever reads the terminal next, or keys that were typed ahead are lost. An
// answer that comes later than the limit stays unread, as input.
func AskAttributes(tty Queried, now func() time.Time, limit time.Duration) (found Attributes, typed []byte, err error) {
	if err := tty.SetReadDeadline(now().Add(limit)); err != nil {
		return nil, nil, fmt.Errorf("ask the terminal: %w", err)
	}
	defer func() { err = errors.Join(err, tty.SetReadDeadline(time.Time{})) }()
	if _, err := io.WriteString(tty, AttributesQuery); err != nil {
		return nil, nil, fmt.Errorf("ask the terminal: %w", err)
	}
	p := make([]byte, 4<<10)
	for len(typed) < attributesBytes {
		n, err := tty.Read(p)
		typed = append(typed, p[:n]...)
		if found, rest, ok := ParseAttributes(typed); ok {
			return found, rest, nil
		}
		switch {
		case errors.Is(err, os.ErrDeadlineExceeded):
			return nil, typed, nil
		case err != nil:
			return nil, typed, fmt.Errorf("ask the terminal: %w", err)
		}
	}
	return nil, typed, nil
}
