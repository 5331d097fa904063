package rpc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"

	"copydesk/core"
)

// A peer that does not read blocks nobody.
func TestR7_APeerThatDoesNotRead(t *testing.T) {
	fromPeer, say := io.Pipe()
	unread, toPeer := io.Pipe()
	conn := New(fromPeer, toPeer, Options{Go: spawn, Handle: &recorder{}})
	prompt := map[string]string{"text": strings.Repeat("x", 1<<20)}

	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := conn.Call(ctx, "session/prompt", prompt, nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Call = %v, want that its time ran out", err)
	}
	line, sent, err := make([]byte, 1<<20), 0, error(nil)
	for ; err == nil; sent++ {
		conn.mu.Lock()
		err = conn.enqueue(packet{line: line})
		conn.mu.Unlock()
	}
	if !errors.Is(err, ErrFull) || sent != core.WriteQueue>>20-1 {
		t.Errorf("after %d MiB: %v, want ErrFull after %d", sent, err, core.WriteQueue>>20-1)
	}
	if err := conn.Call(t.Context(), "m", prompt, nil); !errors.Is(err, ErrFull) {
		t.Errorf("Call = %v, want ErrFull", err)
	}
	if err := conn.Notify("session/cancel", nil); err != nil {
		t.Errorf("a short message still fits, but: %v", err)
	}

	// Once the pipe breaks, what it held fails; what the peer has said counts.
	waits := make(chan error, 1)
	if _, err := conn.Send("m", nil, func(_ json.RawMessage, err error) { waits <- err }); err != nil {
		t.Fatal(err)
	}
	unread.Close()
	if err := <-waits; !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("the call ended with %v, want a closed pipe", err)
	}
	if err := conn.Notify("m", nil); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("Notify = %v, want a closed pipe", err)
	}
	if err := conn.Err(); err != nil {
		t.Errorf("the connection ended with %v, but the peer can still speak", err)
	}
	say.Close()
	<-conn.Done()
}

// What was written makes room for more.
func TestR7_TheQueueEmpties(t *testing.T) {
	fromPeer, say := io.Pipe()
	conn := New(fromPeer, io.Discard, Options{Go: spawn, Handle: &recorder{}})
	conn.Start()
	line := make([]byte, 8<<20)
	deadline := time.Now().Add(10 * time.Second)
	for sent := 0; sent < 4*core.WriteQueue; {
		conn.mu.Lock()
		err := conn.enqueue(packet{line: line})
		conn.mu.Unlock()
		switch {
		case err == nil:
			sent += len(line)
		case !errors.Is(err, ErrFull) || time.Now().After(deadline):
			t.Fatalf("after %d MiB: %v", sent>>20, err)
		}
	}
	say.Close()
	<-conn.Done()
}

// What a handler or a caller may keep stays as it is.
func TestRequestsAndResultsMayBeKept(t *testing.T) {
	var kept []json.RawMessage
	rec := &recorder{}
	var stream strings.Builder
	const n = 1000
	for i := range n {
		fmt.Fprintf(&stream, `{"jsonrpc":"2.0","id":%d,"method":"r","params":{"n":%d,"text":"%0300d"}}`+"\n", i, i, i)
	}
	stream.WriteString(`{"jsonrpc":"2.0","id":1,"result":{"text":"kept"}}` + "\n")
	stream.WriteString(strings.Repeat(`{"jsonrpc":"2.0","method":"over and over"}`+"\n", 10_000))
	conn := New(strings.NewReader(stream.String()), io.Discard, Options{
		Go: spawn, Handle: requested{func(params json.RawMessage) { kept = append(kept, params) }, rec},
	})
	var result json.RawMessage
	err := conn.Call(t.Context(), "m", nil, &result)
	<-conn.Done()
	if err != nil || string(result) != `{"text":"kept"}` {
		t.Errorf("the result is %s, %v", result, err)
	}
	for i := range n {
		if want := fmt.Sprintf(`{"n":%d,"text":"%0300d"}`, i, i); string(kept[i]) != want {
			t.Fatalf("params %d became %s", i, kept[i])
		}
	}
}

// Bytes that are no UTF-8 do no harm, and a character that comes in two parts
// is one.
func TestR10_InvalidAndSplitUTF8(t *testing.T) {
	g := newRig(t)
	var texts []string
	g.conn.o.Handle = handlerFunc(func(params json.RawMessage) {
		var update struct{ Text string }
		if err := json.Unmarshal(params, &update); err != nil {
			t.Error(err)
		}
		texts = append(texts, update.Text)
	}, g.rec)
	g.peer("{\"jsonrpc\":\"2.0\",\"method\":\"u\",\"params\":{\"text\":\"\xff\xfe\xc3\x28\xe2\x82\"}}")
	for _, piece := range []string{"{\"jsonrpc\":\"2.0\",\"method\":\"u\",\"params\":{\"text\":\"\xe2", "\x82\xac\"}}\n"} {
		if _, err := io.WriteString(g.say, piece); err != nil {
			t.Fatal(err)
		}
	}
	g.alive()
	if diff := cmp.Diff([]string{"\uFFFD\uFFFD\uFFFD(\uFFFD\uFFFD", "€"}, texts); diff != "" {
		t.Errorf("texts (-want +got):\n%s", diff)
	}
}

type notified struct {
	f func(json.RawMessage)
	*recorder
}

func (n notified) Notify(_ string, params json.RawMessage) { n.f(params) }

func handlerFunc(f func(json.RawMessage), rec *recorder) Handler { return notified{f, rec} }

// A line of 16 MiB is taken whole, and without much more memory than its size.
func TestR11_ALongLineIsAccepted(t *testing.T) {
	const size = 16 << 20
	before := heap()
	stream := &source{parts: []part{
		{text: `{"jsonrpc":"2.0","id":0,"method":"long","params":{"text":"`, times: 1},
		{text: strings.Repeat("x", 64<<10), times: size >> 16},
		{text: `"}}` + "\n" + `{"jsonrpc":"2.0","method":"after"}` + "\n", times: 1},
	}}
	rec := &recorder{}
	got := 0
	conn := New(stream, io.Discard, Options{Go: spawn, Handle: requested{func(params json.RawMessage) {
		got = len(params)
		stream.watch()
	}, rec}})
	conn.Start()
	<-conn.Done()
	if got != size+len(`{"text":""}`) {
		t.Errorf("%d bytes of params came, want %d", got, size+len(`{"text":""}`))
	}
	if diff := cmp.Diff([]string{"notify after "}, rec.all()); diff != "" {
		t.Error(diff)
	}
	if used := int64(stream.peak) - int64(before); used > 4*size {
		t.Errorf("%d MiB were in use for a line of 16", used>>20)
	}
}

type requested struct {
	f func(json.RawMessage)
	*recorder
}

func (r requested) Request(_ ID, _ string, params json.RawMessage) { r.f(params) }

// A line of 100 MB is skipped, whoever waits for it learns of it, and the
// connection goes on.
func TestR11_AnEndlessLineIsSkipped(t *testing.T) {
	for _, tt := range []struct {
		name, head string
		size       int
		check      func(t *testing.T, g *rig, call error)
	}{
		{"a notification", `{"jsonrpc":"2.0","method":"u","params":{"text":"`, 100 << 20, nil},
		{"an answer", `{"jsonrpc":"2.0","id":1,"result":{"text":"`, 33 << 20, func(t *testing.T, g *rig, call error) {
			if !errors.Is(call, ErrLine) {
				t.Errorf("the call ended with %v, want ErrLine", call)
			}
		}},
		{"a request", `{"jsonrpc":"2.0","id":1,"method":"r","params":{"text":"`, 33 << 20, func(t *testing.T, g *rig, call error) {
			if got, want := g.next(), `{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"the message is longer than 32 MiB"}}`; got != want {
				t.Errorf("told the peer %s, want %s", got, want)
			}
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g := newRig(t)
			answered := make(chan error, 1)
			if _, err := g.conn.Send("m", nil, func(_ json.RawMessage, err error) { answered <- err }); err != nil {
				t.Fatal(err)
			}
			g.next()
			before := heap()
			stream := &source{parts: []part{
				{text: tt.head, times: 1},
				{text: strings.Repeat("x", 64<<10), times: tt.size >> 16},
				{text: `"}}` + "\n", times: 1},
			}}
			if _, err := io.Copy(g.say, stream); err != nil {
				t.Fatal(err)
			}
			if tt.check != nil {
				var call error
				if tt.name == "an answer" {
					call = <-answered
				}
				tt.check(t, g, call)
			}
			g.alive()
			if diff := cmp.Diff([]int64{int64(tt.size + len(tt.head) + 3)}, g.oversize); diff != "" {
				t.Errorf("too long lines (-want +got):\n%s", diff)
			}
			if got := g.rec.all(); got != nil {
				t.Errorf("handled %d messages, want none", len(got))
			}
			if used := int64(stream.peak) - int64(before); used > 120<<20 {
				t.Errorf("%d MiB were in use", used>>20)
			}
		})
	}
}

// Small messages need no memory that grows with their number (R8).
func TestR8_SmallMessagesFlowInFlatMemory(t *testing.T) {
	line := `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"twenty bytes of text"}}}}` + "\n"
	stream := &source{parts: []part{{text: line, times: 6 << 20 / len(line)}}}
	n := 0
	conn := New(stream, io.Discard, Options{Go: spawn, Handle: notified{func(json.RawMessage) { n++ }, nil}})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	conn.Start()
	<-conn.Done()
	runtime.ReadMemStats(&after)
	if n != 6<<20/len(line) {
		t.Errorf("%d messages came, want %d", n, 6<<20/len(line))
	}
	if made := after.TotalAlloc - before.TotalAlloc; made > 1<<20 {
		t.Errorf("6 MiB of messages made %d KiB of garbage, want next to none", made>>10)
	}
}

func TestR12_NoiseIsSkippedAndCounted(t *testing.T) {
	g := newRig(t)
	g.peer("npm WARN deprecated x", `{"jsonrpc":"2.0","method":`, `{"level":"info","msg":"up"}`, "[INFO] up", "17", "\x1b[2J", `{"jsonrpc":"2.0"} x`)
	g.peer(`{"jsonrpc":"2.0","method":"m"}`)
	g.alive()
	want := []string{"1 npm WARN deprecated x", `2 {"jsonrpc":"2.0","method":`, `3 {"level":"info","msg":"up"}`, "4 [INFO] up", "5 17", "6 \x1b[2J", `7 {"jsonrpc":"2.0"} x`}
	if diff := cmp.Diff(want, g.noise); diff != "" {
		t.Errorf("noise (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"notify m "}, g.rec.all()); diff != "" {
		t.Errorf("handled (-want +got):\n%s", diff)
	}
}

func TestR12_OnlyNoiseInARowBreaksTheConnection(t *testing.T) {
	noise := strings.Repeat("noise\n", core.NoiseLines-1)
	message := `{"jsonrpc":"2.0","method":"m"}` + "\n"
	for _, tt := range []struct {
		stream  string
		handled int
		want    error
	}{
		{noise + message + noise + message, 2, io.EOF},
		{noise + "\n" + message, 1, io.EOF},
		{message + noise + "noise\n" + message, 1, ErrNoise},
	} {
		rec := &recorder{}
		conn := New(strings.NewReader(tt.stream), io.Discard, Options{Go: spawn, Handle: rec})
		conn.Start()
		<-conn.Done()
		if err := conn.Err(); !errors.Is(err, tt.want) {
			t.Errorf("ended with %v, want %v", err, tt.want)
		}
		if got := len(rec.all()); got != tt.handled {
			t.Errorf("%d messages handled, want %d", got, tt.handled)
		}
	}
}

// A message that breaks off is none, wherever it does; even one that lacks
// nothing but the end of its line.
func TestR15_CutAtEveryByte(t *testing.T) {
	head, tail := `{"jsonrpc":"2.0","id":7,"method":"session/request_permission","params":{"text":"`, `"}}`
	message := head + strings.Repeat("é", (300-len(head)-len(tail))/2) + tail
	for n := range len(message) + 2 {
		stream := (message + "\n")[:n]
		rec := &recorder{}
		conn := New(iotest.OneByteReader(strings.NewReader(stream)), io.Discard, Options{Go: spawn, Handle: rec})
		waits := make(chan error, 1)
		if _, err := conn.Send("m", nil, func(_ json.RawMessage, err error) { waits <- err }); err != nil {
			t.Fatal(err)
		}
		<-conn.Done()
		want, handled := io.ErrUnexpectedEOF, 0
		switch n {
		case 0:
			want = io.EOF
		case len(message) + 1:
			want, handled = io.EOF, 1
		}
		if err := conn.Err(); !errors.Is(err, want) {
			t.Errorf("cut at %d: ended with %v, want %v", n, err, want)
		}
		if err := <-waits; !errors.Is(err, want) {
			t.Errorf("cut at %d: the call ended with %v, want %v", n, err, want)
		}
		if got := len(rec.all()); got != handled {
			t.Errorf("cut at %d: %d messages handled, want %d", n, got, handled)
		}
	}
}

// The last words of a program that cannot even start are shown.
func TestR4_LastWordsWithoutAnEnd(t *testing.T) {
	var said []string
	conn := New(strings.NewReader("unknown option --acp"), io.Discard, Options{
		Go: spawn, Handle: &recorder{},
		Noise: func(line string, n int) { said = append(said, fmt.Sprint(n, " ", line)) },
	})
	err := conn.Call(t.Context(), "initialize", nil, nil)
	<-conn.Done()
	if !errors.Is(err, io.EOF) {
		t.Errorf("Call = %v, want EOF", err)
	}
	if diff := cmp.Diff([]string{"1 unknown option --acp"}, said); diff != "" {
		t.Error(diff)
	}
}

func TestReadError(t *testing.T) {
	broken := errors.New("broken")
	conn := New(iotest.ErrReader(broken), io.Discard, Options{Go: spawn, Handle: &recorder{}})
	conn.Start()
	<-conn.Done()
	if err := conn.Err(); !errors.Is(err, broken) {
		t.Errorf("ended with %v, want the reader's error", err)
	}
}
