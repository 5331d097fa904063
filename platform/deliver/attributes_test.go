package deliver

import (
	"bytes"
	"errors"
	"io"
	"os"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// scripted is a terminal that sends pieces and then nothing.
type scripted struct {
	pieces   []string
	end      error
	written  bytes.Buffer
	deadline []time.Time
}

func (s *scripted) Write(p []byte) (int, error) { return s.written.Write(p) }

func (s *scripted) Read(p []byte) (int, error) {
	if len(s.pieces) == 0 {
		return 0, s.end
	}
	n := copy(p, s.pieces[0])
	if s.pieces[0] = s.pieces[0][n:]; s.pieces[0] == "" {
		s.pieces = s.pieces[1:]
	}
	return n, nil
}

func (s *scripted) SetReadDeadline(t time.Time) error {
	s.deadline = append(s.deadline, t)
	return nil
}

func TestTheTerminalIsAskedOnceAndNoKeyIsLost(t *testing.T) {
	for name, tt := range map[string]struct {
		pieces    []string
		end       error
		clipboard bool
		typed     string
		fails     bool
	}{
		"with 52":                    {[]string{"\x1b[?62;22;52c"}, nil, true, "", false},
		"without":                    {[]string{"\x1b[?6c"}, nil, false, "", false},
		"152 is not 52":              {[]string{"\x1b[?62;152;520c"}, nil, false, "", false},
		"in pieces, and typed ahead": {[]string{"ls\x1b", "[?6", "2;5", "2cq\r"}, nil, true, "lsq\r", false},
		"an answer to something else": {
			[]string{"\x1b[?1;2$y\x1b[?2026;2$y\x1b[?62;52c"}, nil, true, "\x1b[?1;2$y\x1b[?2026;2$y", false,
		},
		"no answer":            {[]string{"abc"}, os.ErrDeadlineExceeded, false, "abc", false},
		"half an answer":       {[]string{"\x1b[?62;5"}, os.ErrDeadlineExceeded, false, "\x1b[?62;5", false},
		"the terminal is gone": {[]string{"x"}, io.EOF, false, "x", true},
	} {
		tty := &scripted{pieces: tt.pieces, end: tt.end}
		start := time.Unix(1000, 0)
		found, typed, err := AskAttributes(tty, func() time.Time { return start }, AttributesWait)
		if found.Clipboard() != tt.clipboard || string(typed) != tt.typed || (err != nil) != tt.fails {
			t.Errorf("%s: %v, typed %q, %v", name, found, typed, err)
		}
		if tt.fails && !errors.Is(err, tt.end) {
			t.Errorf("%s: %v", name, err)
		}
		if got := tty.written.String(); got != "\x1b[c" {
			t.Errorf("%s: asked %q", name, got)
		}
		if diff := cmp.Diff([]time.Time{start.Add(AttributesWait), {}}, tty.deadline); diff != "" {
			t.Errorf("%s: deadlines (-want +got):\n%s", name, diff)
		}
	}
}

func TestATerminalThatFloodsIsNotReadForEver(t *testing.T) {
	tty := &scripted{pieces: []string{string(bytes.Repeat([]byte("y"), 2*attributesBytes))}, end: io.EOF}
	if _, typed, err := AskAttributes(tty, time.Now, time.Second); err != nil || len(typed) < attributesBytes || len(typed) > attributesBytes+4<<10 {
		t.Errorf("%d bytes, %v", len(typed), err)
	}
}

func TestNoKeyIsLostWhereverTheAnswerStands(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		keys := rapid.SliceOfN(rapid.SampledFrom([]byte("a\x1b[?;1c\r")), 0, 12)
		before, after := keys.Draw(t, "before"), keys.Draw(t, "after")
		if _, _, ok := ParseAttributes(append(bytes.Clone(before), "\x1b[?6"...)); ok {
			t.Skip("an answer was typed")
		}
		found, rest, ok := ParseAttributes(append(append(bytes.Clone(before), "\x1b[?62;52c"...), after...))
		if !ok || !found.Clipboard() || string(rest) != string(before)+string(after) {
			t.Errorf("%q and %q: %v, %q, %v", before, after, found, rest, ok)
		}
	})
}

func FuzzParseAttributes(f *testing.F) {
	f.Add([]byte("\x1b[?62;52c"))
	f.Add([]byte("\x1b[?\x1b[?c\x1b[?99999999999999999999c"))
	f.Fuzz(func(t *testing.T, p []byte) {
		found, rest, ok := ParseAttributes(p)
		if !ok && (found != nil || !bytes.Equal(rest, p)) || ok && len(rest) > len(p)-len("\x1b[?0c") {
			t.Errorf("%q: %v, %q, %v", p, found, rest, ok)
		}
	})
}
