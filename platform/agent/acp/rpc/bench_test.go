package rpc

import (
	"encoding/json"
	"io"
	"strings"
	"testing"
)

const update = `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"0198c2f4","update":{"sessionUpdate":"agent_message_chunk","messageId":"msg_1","content":{"type":"text","text":"I will run a command, then look at what \"it\" says.\n"}}}}` + "\n"

// BenchmarkRead is what a message costs from the pipe to its handler.
func BenchmarkRead(b *testing.B) {
	for _, bb := range []struct{ name, line string }{
		{"update", update},
		{"64KiB", `{"jsonrpc":"2.0","method":"u","params":{"text":"` + strings.Repeat(`fmt.Println(\"hello, world\")\n`, 64<<10/31) + `"}}` + "\n"},
		{"1MiB", `{"jsonrpc":"2.0","method":"u","params":{"text":"` + strings.Repeat(`fmt.Println(\"hello, world\")\n`, 1<<20/31) + `"}}` + "\n"},
	} {
		b.Run(bb.name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(bb.line)))
			conn := New(&repeat{text: bb.line, times: b.N}, io.Discard, Options{Go: spawn, Handle: notified{func(json.RawMessage) {}, nil}})
			conn.Start()
			<-conn.Done()
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "messages/s")
		})
	}
}

type repeat struct {
	text  string
	times int
	at    int
}

func (r *repeat) Read(b []byte) (int, error) {
	n := 0
	for n < len(b) && r.times > 0 {
		c := copy(b[n:], r.text[r.at:])
		n += c
		if r.at += c; r.at == len(r.text) {
			r.at, r.times = 0, r.times-1
		}
	}
	if n == 0 {
		return 0, io.EOF
	}
	return n, nil
}

// BenchmarkAmbiguous is what a look at a request costs.
func BenchmarkAmbiguous(b *testing.B) {
	params := json.RawMessage(`{"sessionId":"0198c2f4","toolCall":{"toolCallId":"call_4","status":"pending","title":"go test ./...","kind":"execute","rawInput":{"command":"go test ./...","description":"Run the tests","cwd":"/home/u/src"}},"options":[{"optionId":"once","name":"Allow once","kind":"allow_once"},{"optionId":"always","name":"Always allow","kind":"allow_always"},{"optionId":"reject","name":"Reject","kind":"reject_once"}]}`)
	b.ReportAllocs()
	b.SetBytes(int64(len(params)))
	for b.Loop() {
		if Ambiguous(params) != nil {
			b.Fatal("ambiguous")
		}
	}
}
