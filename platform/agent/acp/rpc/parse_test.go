package rpc

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"copydesk/core"
)

func TestID_OneSpelling(t *testing.T) {
	for _, tt := range []struct {
		json, want string
		ok         bool
	}{
		{"0", "0", true}, {"-0", "0", true}, {"1", "1", true}, {"1.0", "1", true}, {"1e2", "100", true},
		{"1.5", "1.5", true}, {"1e999999999", "1e999999999", true},
		{"12345678901234567890123", "12345678901234567890123", true},
		{`""`, `""`, true}, {`"1"`, `"1"`, true}, {`"\u0061"`, `"a"`, true}, {`"a<b"`, `"a<b"`, true}, {`"a\u003cb"`, `"a<b"`, true},
		{`"é"`, `"é"`, true}, {`"\u00e9"`, `"é"`, true}, {`"\ud800"`, `"\ud800"`, true}, {"\"\xff\"", "\"\uFFFD\"", true},
		{"null", "null", true}, {"true", "null", false}, {"{}", "null", false}, {"[1]", "null", false},
	} {
		id, ok := parseID([]byte(tt.json))
		if ok != tt.ok || id.String() != tt.want {
			t.Errorf("parseID(%s) = %s, %t, want %s, %t", tt.json, id, ok, tt.want, tt.ok)
		}
		var fields struct{ ID ID }
		if err := json.Unmarshal([]byte(`{"ID":`+tt.json+`}`), &fields); tt.ok && (err != nil || fields.ID != id) {
			t.Errorf("decoded %s as %v, %v, want %v", tt.json, fields.ID, err, id)
		}
		if data, err := encode(id); err != nil || string(data) != tt.want+"\n" {
			t.Errorf("encoded %s as %s, %v", tt.json, data, err)
		}
	}
}

func TestT36_Ambiguous(t *testing.T) {
	deep := strings.Repeat("[", core.NestingDepth+1) + strings.Repeat("]", core.NestingDepth+1)
	many := func(n int) string {
		var s strings.Builder
		for i := range n {
			fmt.Fprintf(&s, `"k%d":1,"K%d":1,`, i, i)
		}
		return s.String()
	}
	for _, tt := range []struct {
		params string
		want   []string
	}{
		{``, nil},
		{`{}`, nil},
		{`{"a":{"b":1},"b":{"a":[1,{"a":1},{"a":2}]}}`, nil},
		{`{"rawInput":{"command":"ls","Command":"touch PWNED"}}`, []string{"rawInput.Command"}},
		{`{"rawInput":{"command":"ls","command":"touch PWNED"}}`, []string{"rawInput.command"}},
		{`{"rawInput":{"command":"ls","c\u006fmmand":"touch PWNED"}}`, []string{`rawInput["command"]`}},
		{"{\"title\":\"a\xffb\"}", []string{"title"}},
		{"{\"a\xffb\":1}", []string{`["a\xffb"]`}},
		{`{"options":[],"Options":[]}`, []string{"Options"}},
		{`{"options":[{"kind":1},{"kind":1,"Kind":2,"kinD":3}]}`, []string{"options[1].Kind", "options[1].kinD"}},
		{`{"K":1,"\u212a":2,"s":1,"ſ":2}`, []string{"[\"\u212a\"]", "[\"ſ\"]"}}, // the Kelvin sign, the long s
		{`{"a":"\ud83d\ude00"}`, nil},
		{`{"a":"\ud83d"}`, []string{"a"}},
		{`{"a":"\ud83dx\ude00"}`, []string{"a"}},
		{`{"a":"\ude00\ud83d"}`, []string{"a"}},
		{`{"a":"\\ud83d"}`, nil},
		{`{"":1,"":2}`, []string{`[""]`}},
		{`{"a.b":{"x y":1,"x y":2}}`, []string{`["a.b"]["x y"]`}},
		{"[\"\xe2\x82\"]", []string{"[0]"}},
		{deep, []string{"$"}},
		{`{"a":`, []string{"$"}},
		{`{"a":1} {`, []string{"$"}},
		{`{"a":1,"a":2,` + many(3) + `"z":0}`, []string{"a", "K0", "K1", "K2"}},
	} {
		if diff := cmp.Diff(tt.want, Ambiguous(json.RawMessage(tt.params))); diff != "" {
			t.Errorf("Ambiguous(%.80q) (-want +got):\n%s", tt.params, diff)
		}
	}
	if got := Ambiguous(json.RawMessage(`{` + many(100) + `"z":0}`)); len(got) != places {
		t.Errorf("%d places, want %d", len(got), places)
	}
}

// twiceSlowly reports whether an object anywhere has a name twice, without its
// case, as encoding/json reads it.
func twiceSlowly(t *testing.T, d *json.Decoder) bool {
	token, err := d.Token()
	if err != nil {
		t.Fatal(err)
	}
	found := false
	switch token {
	case json.Delim('{'):
		var names []string
		for d.More() {
			name, err := d.Token()
			if err != nil {
				t.Fatal(err)
			}
			for _, other := range names {
				found = found || strings.EqualFold(name.(string), other)
			}
			names = append(names, name.(string))
			found = twiceSlowly(t, d) || found
		}
		d.Token()
	case json.Delim('['):
		for d.More() {
			found = twiceSlowly(t, d) || found
		}
		d.Token()
	}
	return found
}

func FuzzScan(f *testing.F) {
	for _, seed := range []string{
		`{"a":[1,-0.5e+3,true,false,null,"x\u00e9\"\\\/\b\f\n\r\t"],"A":{}}`, `[]`, ` [ 1 , 2 ] `, `[1,]`, `{"a"}`, `{"a":1,}`, `01`, `1.`, `.5`, `-`, `1e`, `+1`,
		`"` + "\x01" + `"`, `"\x"`, `"\u12g4"`, `"\ud800"`, "\"\xff\"", `tru`, `nulll`, `[[[[]]]]`, `{"":{"":{}}}`, `[1}`, `{]`, "", " ", `"abcdefgh\"ijklmnop"`, "\"abcdefg\x1f\"",
		`{"K":1,"\u212a":2}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var s scanner
		valid := s.whole(data)
		if s.deep {
			return // encoding/json has a limit of its own
		}
		if want := json.Valid(data); valid != want {
			t.Fatalf("valid = %t, want %t", valid, want)
		}
		places := Ambiguous(data)
		switch {
		case len(data) == 0:
		case !valid:
			if len(places) == 0 {
				t.Fatal("what is no JSON counts as clear")
			}
		case utf8.Valid(data) && !bytes.Contains(data, []byte(`\u`)):
			d := json.NewDecoder(bytes.NewReader(data))
			d.UseNumber()
			if got, want := len(places) > 0, twiceSlowly(t, d); got != want {
				t.Fatalf("places %q, want some: %t", places, want)
			}
		}
	})
}

// A choppy reader returns as much at once as it is told.
type choppy struct {
	data []byte
	size int
}

func (c *choppy) Read(b []byte) (int, error) {
	if len(c.data) == 0 {
		return 0, io.EOF
	}
	n := copy(b[:min(len(b), c.size)], c.data)
	c.data = c.data[n:]
	return n, nil
}

// holdsLines compares the line reader with bytes.Split.
func holdsLines(t interface{ Fatalf(string, ...any) }, data []byte, size, limit int) {
	lines := lineReader{r: &choppy{data: data, size: size}, max: limit}
	want := bytes.Split(data, []byte("\n"))
	for i, line := range want {
		got, err := lines.next()
		last := i == len(want)-1
		switch {
		case len(line) > limit:
			if !errors.Is(err, ErrLine) || !bytes.HasPrefix(line, got) || lines.skipped != int64(len(line)) {
				t.Fatalf("line %d of %d bytes: %d bytes, %v, skipped %d, want ErrLine", i, len(line), len(got), err, lines.skipped)
			}
			if !last {
				continue
			}
			if got, err = lines.next(); len(got) > 0 || err != io.EOF {
				t.Fatalf("after a cut line: %q, %v, want EOF", got, err)
			}
		case !bytes.Equal(got, line):
			t.Fatalf("line %d = %q, want %q", i, got, line)
		case last && err != io.EOF, !last && err != nil:
			t.Fatalf("line %d: %v, last: %t", i, err, last)
		}
	}
}

func FuzzLines(f *testing.F) {
	f.Add([]byte("a\nbb\n\nccc"), 1, 2)
	f.Add([]byte("long line\nshort\n"), 3, 5)
	f.Add([]byte(""), 1, 0)
	f.Add([]byte("\n\n\r\n"), 2, 0)
	f.Fuzz(func(t *testing.T, data []byte, size, limit int) {
		holdsLines(t, data, 1+abs(size)%64, abs(limit)%64)
	})
}

func abs(n int) int {
	if n < 0 {
		return -(n + 1)
	}
	return n
}

// Lines of any length around the buffer's sizes come as they are.
func TestR11_LinesOfAllLengths(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var data []byte
		for _, n := range rapid.SliceOfN(rapid.SampledFrom([]int{0, 1, 100, readBytes - 1, readBytes, readBytes + 1, 3 * readBytes}), 0, 6).Draw(t, "lengths") {
			data = append(bytes.Clone(data), bytes.Repeat([]byte{byte('a' + len(data)%26)}, n)...)
			data = append(data, '\n')
		}
		size := rapid.SampledFrom([]int{1000, readBytes, 1 << 20}).Draw(t, "size")
		holdsLines(t, data, size, rapid.SampledFrom([]int{100, 2 * readBytes, 1 << 20}).Draw(t, "limit"))
	})
}

// What was handed over of long lines stays as it is when reading goes on.
func TestR11_ALongLineIsOwned(t *testing.T) {
	var data []byte
	var long [][]byte
	for _, b := range []byte("xyz") {
		line := bytes.Repeat([]byte{b}, 3*keptBytes)
		long = append(long, line)
		data = append(append(append(data, "short\n"...), line...), '\n')
	}
	data = append(data, bytes.Repeat([]byte("short\n"), keptBytes)...)
	lines := lineReader{r: bytes.NewReader(data), max: core.LineBytes}
	var kept [][]byte
	for {
		line, err := lines.next()
		if err != nil {
			break
		}
		if len(line) > keptBytes {
			if kept = append(kept, line); !lines.owned() {
				t.Fatal("the buffer of a long line is used again")
			}
		}
	}
	if !slices.EqualFunc(kept, long, bytes.Equal) {
		t.Error("a long line was overwritten")
	}
	if lines.owned() {
		t.Error("short lines are read into a large buffer")
	}
}

// Whatever line comes, the connection survives it and answers it once at most.
func FuzzMessage(f *testing.F) {
	for _, seed := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"m","params":{}}`, `{"jsonrpc":"2.0","id":1,"result":{}}`, `{"jsonrpc":"2.0","id":"1","error":{"code":"x"}}`,
		`{"id":1,"ID":2,"method":null}`, `[]`, `{}`, `{"method":"\ud800"}`, `{"jsonrpc":"2.0","method":""}`, `{"method":"m","params"`, `{"jsonrpc":"2.0","id":"\ud800\"","method":"m"}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		rec := &recorder{}
		c := New(strings.NewReader(""), io.Discard, Options{Go: func(func()) {}, Handle: rec})
		rec.conn = c
		if _, err := c.Send("m", nil, func(json.RawMessage, error) {}); err != nil {
			t.Fatal(err)
		}
		c.line(line)
		c.long(line)
		for _, id := range rec.ids {
			if err := c.Answer(id, nil); err != nil {
				t.Fatal(err)
			}
		}
		for _, p := range c.queue {
			if !json.Valid(p.line) || bytes.Count(p.line, []byte("\n")) != 1 {
				t.Fatalf("wrote %q", p.line)
			}
		}
		if len(c.queue) > 3 {
			t.Fatalf("%d lines were written", len(c.queue))
		}
	})
}
