package osc52

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// A form is one way to build the sequence, and what a terminal behind the
// multiplexers is handed of it.
type form struct {
	name  string
	wrap  func(dst, text []byte) []byte
	strip func(sent []byte) ([]byte, error)
}

func forms() []form {
	tmux := func(levels int) form {
		return form{
			name: fmt.Sprintf("tmux %d", levels),
			wrap: func(dst, text []byte) []byte { return AppendTmux(dst, text, levels) },
			strip: func(sent []byte) (out []byte, err error) {
				for range levels {
					if sent, err = tmuxPasses(sent); err != nil {
						return nil, err
					}
				}
				return sent, nil
			},
		}
	}
	return []form{
		{"plain", Append, func(sent []byte) ([]byte, error) { return sent, nil }},
		tmux(0), tmux(1), tmux(2),
		{"screen", AppendScreen, screenPasses},
	}
}

// tmuxPasses reads one passthrough as tmux does: ESC ESC is an ESC, ESC \ ends.
func tmuxPasses(sent []byte) ([]byte, error) {
	body, ok := bytes.CutPrefix(sent, []byte("\x1bPtmux;"))
	if !ok {
		return nil, fmt.Errorf("no passthrough: %.20q", sent)
	}
	var out []byte
	for i := 0; i < len(body); i++ {
		if body[i] != '\x1b' {
			out = append(out, body[i])
			continue
		}
		i++
		switch {
		case i == len(body):
			return nil, errors.New("ends in an ESC")
		case body[i] == '\x1b':
			out = append(out, '\x1b')
		case body[i] == '\\' && i == len(body)-1:
			return out, nil
		default:
			return nil, fmt.Errorf("ESC %q at %d of %d", body[i], i, len(body))
		}
	}
	return nil, errors.New("not ended")
}

// screenPasses reads device control strings as GNU screen does.
func screenPasses(sent []byte) ([]byte, error) {
	var out []byte
	for len(sent) > 0 {
		end := bytes.Index(sent, []byte("\x1b\\"))
		if end < 0 || !bytes.HasPrefix(sent, []byte("\x1bP")) {
			return nil, fmt.Errorf("no device control string: %.20q", sent)
		}
		if end+2 > screenPiece {
			return nil, fmt.Errorf("a piece of %d bytes", end+2)
		}
		out = append(out, sent[2:end]...)
		sent = sent[end+2:]
	}
	return out, nil
}

// terminalTakes reads the one sequence as a terminal does.
func terminalTakes(got []byte) ([]byte, error) {
	body, ok := bytes.CutPrefix(got, []byte("\x1b]52;c;"))
	if !ok {
		return nil, fmt.Errorf("no OSC 52: %.20q", got)
	}
	payload, ended := bytes.CutSuffix(body, []byte("\x1b\\"))
	if !ended {
		payload, ended = bytes.CutSuffix(body, []byte("\a"))
	}
	if !ended {
		return nil, errors.New("not ended")
	}
	return base64.StdEncoding.Strict().DecodeString(string(payload))
}

func TestForms(t *testing.T) {
	text := []byte("hi")
	for name, tt := range map[string]struct{ got, want []byte }{
		"plain":                  {Append(nil, text), []byte("\x1b]52;c;aGk=\x1b\\")},
		"tmux 1":                 {AppendTmux(nil, text, 1), []byte("\x1bPtmux;\x1b\x1b]52;c;aGk=\x1b\x1b\\\x1b\\")},
		"tmux 2":                 {AppendTmux(nil, text, 2), []byte("\x1bPtmux;\x1b\x1bPtmux;\x1b\x1b\x1b\x1b]52;c;aGk=\x1b\x1b\x1b\x1b\\\x1b\x1b\\\x1b\\")},
		"screen":                 {AppendScreen(nil, text), []byte("\x1bP\x1b]52;c;aGk=\a\x1b\\")},
		"added to what is there": {Append([]byte("x"), text), []byte("x\x1b]52;c;aGk=\x1b\\")},
	} {
		if diff := cmp.Diff(string(tt.want), string(tt.got)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestAnEmptyTextIsNeverSent(t *testing.T) {
	for _, f := range forms() {
		if got := f.wrap([]byte("x"), nil); string(got) != "x" {
			t.Errorf("%s: %q", f.name, got)
		}
	}
}

// arrives fails the test unless the text comes out of every form unchanged.
func arrives(t interface{ Errorf(string, ...any) }, text []byte) {
	for _, f := range forms() {
		sent, err := f.strip(f.wrap(nil, text))
		if err != nil {
			t.Errorf("%s: %v", f.name, err)
			continue
		}
		got, err := terminalTakes(sent)
		if err != nil || !bytes.Equal(got, text) {
			t.Errorf("%s: the terminal took %.40q (%v), want %.40q", f.name, got, err, text)
		}
	}
}

func TestWhatIsSentArrives(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		arrives(t, rapid.SliceOfN(rapid.Byte(), 1, 2000).Draw(t, "text"))
	})
	for n := screenText - 4; n <= 2*screenText+4; n++ {
		arrives(t, bytes.Repeat([]byte{0x1b}, n))
	}
}

func FuzzWhatIsSentArrives(f *testing.F) {
	f.Add([]byte("hi"))
	f.Add([]byte("\x1b]52;c;?\a\x1b\\"))
	f.Add([]byte("\x1bPtmux;\x1b\x1b\\"))
	f.Add([]byte(strings.Repeat("\x00\xff", screenText)))
	f.Fuzz(func(t *testing.T, text []byte) {
		if len(text) > 0 {
			arrives(t, text)
		}
	})
}

func TestP10_NoAllocationWithAReusedBuffer(t *testing.T) {
	text := bytes.Repeat([]byte("0123456789\n"), 10_000)
	for _, f := range forms() {
		buf := f.wrap(nil, text)
		if n := testing.AllocsPerRun(5, func() { buf = f.wrap(buf[:0], text) }); n != 0 {
			t.Errorf("%s: %v allocations with a reused buffer", f.name, n)
		}
		if n := testing.AllocsPerRun(5, func() { f.wrap(nil, text) }); n > 2 { // the race detector adds one
			t.Errorf("%s: %v allocations without a buffer", f.name, n)
		}
	}
}

func BenchmarkP10(b *testing.B) {
	text := bytes.Repeat([]byte("0123456789abcdef"), 1_000_000/16)
	buf := make([]byte, 2*len(text))
	run := func(name string, build func()) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				build()
			}
		})
	}
	run("base64", func() { base64.StdEncoding.Encode(buf, text) })
	for _, f := range forms() {
		if f.name != "tmux 0" {
			run(f.name, func() { f.wrap(buf[:0], text) })
		}
	}
}
