//go:build unix

package acp_test

import (
	"fmt"
	"strings"
	"testing"

	"copydesk/core"
	"copydesk/core/session"
)

func TestR10_InvalidUTF8AndSplitCharacters(t *testing.T) {
	t.Parallel()
	r, p := start(t)
	tn := r.turn(p, "go")
	line := updateLine("s1", `{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"[@]"}}`)
	p.raw(strings.Replace(line, "@", "\xff\xfe\xc3\x28\xe2\x82", 1) + "\n")
	head, tail, _ := strings.Cut(strings.Replace(line, "@", "\xe2\x82\xac", 1), "\x82")
	p.raw(head)
	p.raw("\x82" + tail + "\n")
	p.say("after")
	p.end("end_turn")
	r.done(tn)
	got := r.said(1)
	if !strings.Contains(got, "[€]") || !strings.HasSuffix(got, "after") || !strings.Contains(got, "\uFFFD") && !strings.Contains(got, "\xff") {
		t.Errorf("the answer is %q", got)
	}
}

// TestR11_SixteenMegabytesPassAHundredAreRefused.
func TestR11_SixteenMegabytesPassAHundredAreRefused(t *testing.T) {
	t.Parallel()
	r, p := start(t)
	tn := r.turn(p, "go")
	head, tail, _ := strings.Cut(updateLine("s1", chunk("agent_message_chunk", "@")), "@")
	p.do(order{Op: "line", Data: []byte(head), N: 16 << 20, Tail: []byte(tail + "\n")})
	p.say("then")
	r.untilSeen("then")
	got := r.said(1)
	if n := strings.Count(got, "x"); n != 16<<20 {
		t.Errorf("%d bytes of the line came through", n)
	}
	p.do(order{Op: "line", Data: []byte(head), N: 100 << 20, Tail: []byte(tail + "\n")})
	p.say(" afterwards")
	p.end("end_turn")
	r.done(tn)
	if got := r.said(1); !strings.HasSuffix(got, "then afterwards") || len(got) > 17<<20 {
		t.Errorf("after the long line: %d bytes, ending in %q", len(got), got[max(0, len(got)-40):])
	}
	contains(t, "what was said", r.notices(), "32 MiB")
}

func TestR12_NoiseIsSkippedAndSaidOnce(t *testing.T) {
	t.Parallel()
	r, p := start(t)
	tn := r.turn(p, "go")
	p.raw("npm WARN deprecated left-pad\n\n  \nnpm WARN another\r\n{\"not\": finished\n")
	p.say("fine")
	p.end("end_turn")
	r.done(tn)
	if r.said(1) != "fine" {
		t.Errorf("the answer is %q", r.said(1))
	}
	if n := strings.Count(r.notices(), "npm WARN"); n > 1 {
		t.Errorf("noise was said %d times:\n%s", n, r.notices())
	}
}

func TestR12_AThousandLinesOfNoiseBreakTheConnection(t *testing.T) {
	t.Parallel()
	r, p := start(t)
	tn := r.turn(p, "go")
	p.raw(strings.Repeat("noise\n", core.NoiseLines-1))
	p.say("alive")
	r.untilSeen("alive")
	p.order(order{Op: "out", Data: []byte(strings.Repeat("noise\n", core.NoiseLines))})
	if failure(r, tn) == "" {
		t.Error("nothing was said")
	}
	p.ended()
}

// TestR13_ProtocolAbuse: each abuse costs itself only.
func TestR13_ProtocolAbuse(t *testing.T) {
	t.Parallel()
	deep := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	r, p := start(t)
	tn := r.turn(p, "go")
	for name, tc := range map[string]struct {
		line  string
		id    string // of the refusal; empty: ignored
		codes []int
	}{
		"unknown answer":         {`{"jsonrpc":"2.0","id":9999,"result":{}}`, "", nil},
		"answer to a string id":  {`{"jsonrpc":"2.0","id":"1","result":{"stopReason":"end_turn"}}`, "", nil},
		"answer to null":         {`{"jsonrpc":"2.0","id":null,"result":{}}`, "", nil},
		"error for null":         {`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"x"}}`, "", nil},
		"unknown method":         {`{"jsonrpc":"2.0","id":"m","method":"no/such"}`, `"m"`, []int{-32601}},
		"unknown notification":   {`{"jsonrpc":"2.0","method":"no/such","params":{}}`, "", nil},
		"files are not offered":  {`{"jsonrpc":"2.0","id":"f","method":"fs/read_text_file","params":{"sessionId":"s1","path":"/etc/passwd"}}`, `"f"`, []int{-32601}},
		"wrong params":           {`{"jsonrpc":"2.0","id":"w","method":"session/request_permission","params":7}`, `"w"`, []int{-32602, -32600}},
		"no params":              {`{"jsonrpc":"2.0","id":"n","method":"session/request_permission"}`, `"n"`, []int{-32602, -32600}},
		"params of another type": {`{"jsonrpc":"2.0","method":"session/update","params":["a"]}`, "", nil},
		"neither of both":        {`{"jsonrpc":"2.0"}`, "", nil},
		"method is a number":     {`{"jsonrpc":"2.0","method":7}`, "", nil},
		"a string":               {`"hello"`, "", nil},
		"a number":               {`42`, "", nil},
		"too deep":               {`{"jsonrpc":"2.0","method":"x","params":` + deep(10_001) + `}`, "", nil},
		"deep":                   {`{"jsonrpc":"2.0","method":"x","params":` + deep(900) + `}`, "", nil},
		"an unknown session":     {`{"jsonrpc":"2.0","id":"u","method":"session/request_permission","params":{"sessionId":"other","toolCall":` + lsCall + `,"options":` + twoOptions + `}}`, `"u"`, []int{-32602, -32002, -32600}},
	} {
		p.raw(tc.line + "\n")
		if tc.id != "" {
			w := p.next()
			if string(w.ID) != tc.id {
				t.Errorf("%s: the client sent %v", name, w)
				continue
			}
			if w.Error == nil {
				if !strings.Contains(string(w.Result), "cancelled") {
					t.Errorf("%s: the client sent %v", name, w)
				}
				continue
			}
			ok := false
			for _, c := range tc.codes {
				ok = ok || c == w.Error.Code
			}
			if !ok {
				t.Errorf("%s: refused with %d, want one of %v", name, w.Error.Code, tc.codes)
			}
			continue
		}
		// Whatever is sent besides may only refuse the abuse itself.
		p.ask(`"barrier"`, "no/such", `{}`)
		for w := p.next(); string(w.ID) != `"barrier"`; w = p.next() {
			if w.Error == nil {
				t.Errorf("%s: the client sent %v", name, w)
			}
		}
	}
	p.say("still here")
	p.end("end_turn")
	r.done(tn)
	if r.said(1) != "still here" {
		t.Errorf("the answer is %q", r.said(1))
	}
}

func TestR13_TwiceTheSameRequestID(t *testing.T) {
	t.Parallel()
	r, p := start(t)
	tn := r.turn(p, "go")
	p.ask("0", "session/request_permission", permission(`{"toolCallId":"a","rawInput":{"command":"one"}}`, twoOptions))
	q := r.request(1)
	p.ask("0", "session/request_permission", permission(`{"toolCallId":"b","rawInput":{"command":"two"}}`, twoOptions))
	p.say("barrier")
	r.untilSeen("barrier")
	for _, e := range r.events(1) {
		if other, is := e.(*session.Request); is && other != q && field(other, "two") {
			t.Log("the second request is shown too") // it must not answer the first
		}
	}
	select {
	case q.Reply <- approve():
	default:
	}
	granted := 0
	tn.cancel()
	for w := p.next(); ; w = p.next() {
		if strings.Contains(string(w.Result), `"yes"`) {
			granted++
		}
		if w.Method == "session/cancel" {
			break
		}
	}
	p.end("cancelled")
	r.done(tn)
	if granted > 1 {
		t.Errorf("one approval was sent %d times", granted)
	}
}

func TestR13_BatchesAreHandledOrRefused(t *testing.T) {
	t.Parallel()
	r, p := start(t)
	tn := r.turn(p, "go")
	p.raw(`[` + updateLine("s1", chunk("agent_message_chunk", "batched")) + `,{"jsonrpc":"2.0","id":5,"method":"no/such"}]` + "\n" + `[]` + "\n")
	p.say(" after")
	p.end("end_turn")
	r.done(tn)
	if !strings.HasSuffix(r.said(1), " after") {
		t.Errorf("the answer is %q", r.said(1))
	}
}

func TestR13_NumbersThatAreTheSameID(t *testing.T) {
	t.Parallel()
	r, p := start(t)
	tn := r.run("go")
	w := p.prompted()
	p.say("x")
	p.raw(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s.0,"result":{"stopReason":"end_turn"}}`+"\n", w.ID))
	r.done(tn)
}

// TestR14_UpdatesForNobody are ignored.
func TestR14_UpdatesForNobody(t *testing.T) {
	t.Parallel()
	r, p := start(t)
	tn := r.turn(p, "one")
	for _, params := range []string{
		`{"sessionId":"other","update":` + chunk("agent_message_chunk", "WRONG") + `}`,
		`{"update":` + chunk("agent_message_chunk", "WRONG") + `}`,
		`{"sessionId":7,"update":` + chunk("agent_message_chunk", "WRONG") + `}`,
		`{"sessionId":"s1"}`,
		`{"sessionId":"s1","update":[]}`,
	} {
		p.send(`{"jsonrpc":"2.0","method":"session/update","params":` + params + `}`)
	}
	p.update(`{"sessionUpdate":"tool_call_update","toolCallId":"never seen","status":"completed"}`)
	p.say("right")
	p.end("end_turn")
	r.done(tn)
	if r.said(1) != "right" || strings.Contains(r.story(0), "WRONG") {
		t.Errorf("seen:\n%s", r.story(0))
	}
}

// TestR15_CutAtEveryByte: the agent ends in the middle of a message; the text
// before is kept and nothing of the torn message is shown.
func TestR15_CutAtEveryByte(t *testing.T) {
	t.Parallel()
	message := updateLine("s1", chunk("agent_message_chunk", strings.Repeat("torn ", 30)))
	step := 1
	if testing.Short() || raceEnabled {
		step = 23
	}
	r, p := start(t)
	for n := 1; n < len(message); n += step {
		tn := r.turn(p, "go")
		p.say("whole")
		p.do(order{Op: "out", Data: []byte(message[:n])})
		p.order(order{Op: "exit", N: 0})
		if err := r.over(tn); err == nil {
			t.Fatalf("cut at %d: the turn did not fail", n)
		}
		if got := r.said(tn.n); got != "whole" {
			t.Fatalf("cut at %d: the answer is %q", n, got)
		}
		tn = r.run("again")
		p = r.greet(plainInitialize, plainNew)
		p.prompted()
		p.end("end_turn")
		r.done(tn)
	}
}
