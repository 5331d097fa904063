package rpc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"copydesk/core"
)

// Whatever a peer does with JSON-RPC, it gets the answer that JSON-RPC wants or
// none, and the connection goes on.
func TestR13_AbuseIsRefusedAndTheConnectionGoesOn(t *testing.T) {
	refused := func(id string, code int, why string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":"the message is no valid request: %s"}}`, id, code, why)
	}
	deep := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	for _, tt := range []struct {
		name string
		says string
		told string   // the answer; empty: none
		got  []string // what the handler is told
	}{
		{name: "unknown id", says: `{"jsonrpc":"2.0","id":77,"result":{}}`},
		{name: "unknown string id", says: `{"jsonrpc":"2.0","id":"x","error":{"code":1,"message":"m"}}`},
		{name: "error without an id", says: `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"m"}}`},
		{name: "id 0", says: `{"jsonrpc":"2.0","id":0,"method":"m"}`, got: []string{"request 0 m "}},
		{name: "id 1.0", says: `{"jsonrpc":"2.0","id":1.0,"method":"m"}`, got: []string{"request 1 m "}},
		{name: "id is text", says: `{"jsonrpc":"2.0","id":"1","method":"m"}`, got: []string{`request "1" m `}},
		{name: "id null", says: `{"jsonrpc":"2.0","id":null,"method":"m"}`, got: []string{"notify m "}},
		{name: "id is an object", says: `{"jsonrpc":"2.0","id":{},"method":"m"}`, told: refused("null", InvalidRequest, "its id is neither a number nor a string")},
		{name: "id is huge", says: `{"jsonrpc":"2.0","id":"` + strings.Repeat("x", 2000) + `","method":"m"}`, told: refused("null", InvalidRequest, "its id is neither a number nor a string")},
		{name: "batch", says: `[{"jsonrpc":"2.0","id":1,"method":"m"}]`, told: `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"batches are not supported"}}`},
		{name: "empty batch", says: `[]`, told: `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"batches are not supported"}}`},
		{name: "no jsonrpc", says: `{"id":4,"method":"m"}`, told: refused("4", InvalidRequest, `it lacks \"jsonrpc\": \"2.0\"`)},
		{name: "another jsonrpc", says: `{"jsonrpc":"1.0","id":4,"method":"m"}`, told: refused("4", InvalidRequest, `it lacks \"jsonrpc\": \"2.0\"`)},
		{name: "notification without jsonrpc", says: `{"method":"m"}`},
		{name: "no method", says: `{"jsonrpc":"2.0","id":4}`, told: refused("4", InvalidRequest, "it has no method")},
		{name: "nothing but jsonrpc", says: `{"jsonrpc":"2.0"}`, told: refused("null", InvalidRequest, "it has no method")},
		{name: "method is a number", says: `{"jsonrpc":"2.0","id":4,"method":1}`, told: refused("4", InvalidRequest, "its method is no string")},
		{name: "method is a number, no id", says: `{"jsonrpc":"2.0","method":1,"params":"bar"}`, told: refused("null", InvalidRequest, "its method is no string")},
		{name: "params are a string", says: `{"jsonrpc":"2.0","id":4,"method":"m","params":"x"}`, told: refused("4", InvalidParams, "its params are neither an object nor an array")},
		{name: "notification with params that are a number", says: `{"jsonrpc":"2.0","method":"m","params":1}`},
		{name: "params null", says: `{"jsonrpc":"2.0","method":"m","params":null}`, got: []string{"notify m "}},
		{name: "params are a list", says: `{"jsonrpc":"2.0","method":"m","params":[1, 2]}`, got: []string{"notify m [1, 2]"}},
		{name: "request and answer at once", says: `{"jsonrpc":"2.0","id":4,"method":"m","result":1}`, told: refused("4", InvalidRequest, "it is both a request and an answer")},
		{name: "nested 10,001 deep", says: `{"jsonrpc":"2.0","method":"m","params":` + deep(10_001) + `,"id":4}`, told: refused("4", InvalidRequest, "it is nested too deep")},
		{name: "nested as deep as allowed", says: `{"jsonrpc":"2.0","method":"m","params":` + deep(core.NestingDepth-1) + `}`, got: []string{"notify m " + deep(core.NestingDepth-1)}},
		{name: "nested one deeper", says: `{"jsonrpc":"2.0","id":4,"method":"m","params":` + deep(core.NestingDepth) + `}`, told: refused("4", InvalidRequest, "it is nested too deep")},
		{name: "unknown members", says: `{"jsonrpc":"2.0","method":"m","_meta":{},"trace":1}`, got: []string{"notify m "}},
		{name: "escaped names", says: `{"json\u0072pc":"2.0","meth\u006fd":"\u006d"}`, got: []string{"notify m "}},
		{name: "white space and CRLF", says: " \t{ \"jsonrpc\" : \"2.0\" , \"method\" : \"m\" , \"params\" : { } } \r", got: []string{"notify m { }"}},
		{name: "empty lines", says: "\n\r\n   \n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g := newRig(t)
			g.peer(tt.says)
			if tt.told != "" {
				if got := g.next(); got != tt.told {
					t.Errorf("told the peer\n%s, want\n%s", got, tt.told)
				}
			}
			g.alive()
			if diff := cmp.Diff(tt.got, g.rec.all()); diff != "" {
				t.Errorf("handled (-want +got):\n%s", diff)
			}
			if len(g.noise) != 0 {
				t.Errorf("noise %q, want none", g.noise)
			}
		})
	}
}

// A message that two readers can read in two ways is none.
func TestT36_AnAmbiguousMessageIsRefused(t *testing.T) {
	for _, tt := range []struct{ says, id string }{
		{`{"jsonrpc":"2.0","id":4,"method":"m","method":"n"}`, "4"},
		{`{"jsonrpc":"2.0","id":4,"method":"m","Method":"n"}`, "4"},
		{`{"jsonrpc":"2.0","id":4,"method":"m","PARAMS":{}}`, "4"},
		{`{"jsonrpc":"2.0","id":4,"method":"m","params":{},"par\u0061ms":{"x":1}}`, "4"},
		{`{"jsonrpc":"2.0","id":4,"method":"m","para\u006d\u017f":{}}`, "4"}, // ſ is an s in another case
		{`{"jsonrpc":"2.0","id":4,"id":5,"method":"m"}`, "null"},
		{`{"jsonrpc":"2.0","id":4,"method":"m","_meta":1,"_META":2}`, "4"},
		{`{"jsonrpc":"2.0","id":4,"Method":"m"}`, "4"},
	} {
		t.Run(tt.says, func(t *testing.T) {
			g := newRig(t)
			g.peer(tt.says)
			want := `{"jsonrpc":"2.0","id":` + tt.id + `,"error":{"code":-32600,`
			if got := g.next(); !strings.HasPrefix(got, want) {
				t.Errorf("told the peer %s, want %s…", got, want)
			}
			g.alive()
			if got := g.rec.all(); got != nil {
				t.Errorf("handled %q, want nothing", got)
			}
		})
	}
}

func TestT36_AnAmbiguousAnswerFailsTheCall(t *testing.T) {
	for _, says := range []string{
		`{"jsonrpc":"2.0","id":1,"result":{},"result":{"x":1}}`,
		`{"jsonrpc":"2.0","id":1,"result":{},"Result":{}}`,
		`{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":"m"}}`,
		`{"jsonrpc":"2.0","id":1,"error":null}`,
		`{"id":1,"result":{}}`,
		`{"jsonrpc":"2.0","id":1,"result":` + strings.Repeat("[", 1001) + strings.Repeat("]", 1001) + `}`,
		`{"jsonrpc":"2.0","id":1,"result":[]}`, // no struct
	} {
		t.Run(says[:min(60, len(says))], func(t *testing.T) {
			g := newRig(t)
			go func() { <-g.heard; g.peer(says) }()
			var result struct{}
			if err := g.conn.Call(t.Context(), "m", nil, &result); !errors.Is(err, ErrMalformed) {
				t.Errorf("Call = %v, want ErrMalformed", err)
			}
			g.alive()
		})
	}
}

func TestCall(t *testing.T) {
	for _, tt := range []struct {
		name, answer string
		want         string // the result, or
		err          *Error
	}{
		{name: "result", answer: `{"jsonrpc":"2.0","id":1,"result":{"text":"a<b"}}`, want: "a<b"},
		{name: "id 1.0", answer: `{"jsonrpc":"2.0","id":1.0,"result":{"text":"x"}}`, want: "x"},
		{name: "error null", answer: `{"jsonrpc":"2.0","id":1,"error":null,"result":{"text":"x"}}`, want: "x"},
		{name: "result null", answer: `{"jsonrpc":"2.0","id":1,"result":null}`},
		{name: "refused", answer: `{"jsonrpc":"2.0","id":1,"result":null,"error":{"code":-32000,"message":"log in","data":{"a":1}}}`,
			err: &Error{Code: AuthRequired, Message: "log in", Data: json.RawMessage(`{"a":1}`)}},
		{name: "error is a string", answer: `{"jsonrpc":"2.0","id":1,"error":"boom"}`, err: &Error{Code: InternalError, Message: `"boom"`}},
		{name: "code is a fraction", answer: `{"jsonrpc":"2.0","id":1,"error":{"code":1.5,"message":"m"}}`, err: &Error{Code: InternalError, Message: "m"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g := newRig(t)
			go func() {
				if got, want := <-g.heard, `{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":"<&>"}}`; got != want {
					t.Errorf("told the peer %s, want %s", got, want)
				}
				g.peer(tt.answer)
			}()
			var result struct{ Text string }
			err := g.conn.Call(t.Context(), "m", map[string]string{"a": "<&>"}, &result)
			var refused *Error
			if errors.As(err, &refused); tt.err == nil && err != nil || !cmp.Equal(refused, tt.err) {
				t.Errorf("Call = %v, want %v", err, tt.err)
			}
			if result.Text != tt.want {
				t.Errorf("result %q, want %q", result.Text, tt.want)
			}
		})
	}
}

// What a peer says is handed over in the order of its lines: notifications,
// requests and answers.
func TestSend_AnswersComeInOrder(t *testing.T) {
	g := newRig(t)
	const n = 200
	for range n {
		if _, err := g.conn.Send("m", nil, func(result json.RawMessage, err error) {
			g.rec.add("answer %s %v", result, err)
		}); err != nil {
			t.Fatal(err)
		}
		<-g.heard
	}
	var want []string
	for i := range n {
		id := i + 1
		g.peer(fmt.Sprintf(`{"jsonrpc":"2.0","method":"u","params":[%d]}`, id),
			fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":%d}`, id, id),
			fmt.Sprintf(`{"jsonrpc":"2.0","id":"r%d","method":"r"}`, id))
		want = append(want, fmt.Sprintf("notify u [%d]", id), fmt.Sprintf("answer %d <nil>", id), fmt.Sprintf(`request "r%d" r `, id))
	}
	g.alive()
	if diff := cmp.Diff(want, g.rec.all()); diff != "" {
		t.Errorf("order (-want +got):\n%s", diff)
	}
}

// A call that is given up says nothing to the peer, and its late answer goes to
// nobody.
func TestCall_GivenUp(t *testing.T) {
	g := newRig(t)
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-g.heard; cancel() }()
	if err := g.conn.Call(ctx, "slow", nil, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("Call = %v, want that it was cancelled", err)
	}
	g.peer(`{"jsonrpc":"2.0","id":1,"result":{}}`)
	g.alive() // the first line after the request is the answer to this
	if got := g.rec.all(); got != nil {
		t.Errorf("handled %q, want nothing", got)
	}
	if err := g.conn.Call(ctx, "m", nil, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("Call = %v, want that it was cancelled before", err)
	}
}

func TestCancel(t *testing.T) {
	g := newRig(t)
	id, err := g.conn.Send("m", nil, func(json.RawMessage, error) {})
	if err != nil {
		t.Fatal(err)
	}
	g.next()
	if err := g.conn.Cancel(id); err != nil {
		t.Fatal(err)
	}
	if got, want := g.next(), `{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":1}}`; got != want {
		t.Errorf("told the peer %s, want %s", got, want)
	}
	g.peer(`{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":7.0}}`)
	g.alive()
	if diff := cmp.Diff([]string{`notify $/cancel_request {"requestId":7.0}`}, g.rec.all()); diff != "" {
		t.Error(diff)
	}
}

// The end of the peer fails what waits, and each waiting call once.
func TestR3_TheEndOfThePeerFailsTheCalls(t *testing.T) {
	g := newRig(t)
	ended := make(chan error, 2)
	for range 2 {
		if _, err := g.conn.Send("m", nil, func(_ json.RawMessage, err error) { ended <- err }); err != nil {
			t.Fatal(err)
		}
		<-g.heard
	}
	g.peer(`{"jsonrpc":"2.0","id":9,"method":"r"}`)
	g.say.Close()
	<-g.conn.Done()
	for range 2 {
		if err := <-ended; !errors.Is(err, io.EOF) {
			t.Errorf("the call ended with %v, want EOF", err)
		}
	}
	if err := g.conn.Err(); !errors.Is(err, io.EOF) {
		t.Errorf("Err = %v, want EOF", err)
	}
	if err := g.conn.Answer(g.rec.ids[0], nil); !errors.Is(err, io.EOF) {
		t.Errorf("Answer after the end = %v, want EOF", err)
	}
	if err := g.conn.Notify("m", nil); !errors.Is(err, io.EOF) {
		t.Errorf("Notify after the end = %v, want EOF", err)
	}
}

func TestClose(t *testing.T) {
	g := newRig(t)
	ended := make(chan error, 1)
	go func() { ended <- g.conn.Call(t.Context(), "m", nil, nil) }()
	g.next()
	g.conn.Close()
	g.conn.Close()
	if err := <-ended; !errors.Is(err, ErrClosed) {
		t.Errorf("Call = %v, want ErrClosed", err)
	}
	if err := g.conn.Err(); !errors.Is(err, ErrClosed) {
		t.Errorf("Err = %v, want ErrClosed", err)
	}
	g.peer(`{"jsonrpc":"2.0","method":"late"}`)
	if got := g.rec.all(); got != nil {
		t.Errorf("handled %q after Close", got)
	}
}

// Whoever answers, and however many do at once: each request gets one answer.
func TestT48_OneAnswerForEachID(t *testing.T) {
	g := newRig(t)
	const requests, racers = 50, 8
	for i := range requests {
		g.peer(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"r"}`, i))
	}
	g.alive()
	var wg sync.WaitGroup
	var mu sync.Mutex
	won, lost := 0, 0
	for racer := range racers {
		wg.Go(func() {
			for _, id := range g.rec.ids {
				err := g.conn.Answer(id, racer)
				if racer%2 == 1 {
					err = g.conn.Refuse(id, RequestCancelled, "x")
				}
				mu.Lock()
				switch {
				case err == nil:
					won++
				case errors.Is(err, ErrAnswered):
					lost++
				default:
					t.Errorf("Answer = %v", err)
				}
				mu.Unlock()
			}
		})
	}
	seen := make(map[string]int)
	for range requests {
		var answer struct{ ID json.Number }
		if err := json.Unmarshal([]byte(g.next()), &answer); err != nil {
			t.Fatal(err)
		}
		seen[answer.ID.String()]++
	}
	wg.Wait()
	g.alive() // nothing else was sent
	if len(seen) != requests {
		t.Errorf("%d ids were answered, want %d", len(seen), requests)
	}
	if won > requests {
		t.Errorf("%d answers counted as sent, want %d at most", won, requests)
	}
}

func TestT48_UnknownAndDoubleIDs(t *testing.T) {
	g := newRig(t)
	if err := g.conn.Answer(ID{"5"}, nil); !errors.Is(err, ErrAnswered) {
		t.Errorf("an answer to nobody = %v, want ErrAnswered", err)
	}
	g.peer(`{"jsonrpc":"2.0","id":5,"method":"first"}`, `{"jsonrpc":"2.0","id":5.0,"method":"second"}`)
	// The refusal must not pass for the answer to the first.
	if got, want := g.next(), `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,`; !strings.HasPrefix(got, want) {
		t.Errorf("told the peer %s, want %s…", got, want)
	}
	g.peer(`{"jsonrpc":"2.0","id":5,"method":1}`)
	if got, want := g.next(), `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,`; !strings.HasPrefix(got, want) {
		t.Errorf("told the peer %s, want %s…", got, want)
	}
	if err := g.conn.Answer(g.rec.ids[0], func() {}); err == nil || errors.Is(err, ErrAnswered) {
		t.Errorf("an answer that cannot be encoded = %v, want its error", err)
	}
	if err := g.conn.Answer(g.rec.ids[0], struct{}{}); err != nil {
		t.Error(err)
	}
	if got, want := g.next(), `{"jsonrpc":"2.0","id":5,"result":{}}`; got != want {
		t.Errorf("told the peer %s, want %s", got, want)
	}
	if err := g.conn.Refuse(g.rec.ids[0], InternalError, "x"); !errors.Is(err, ErrAnswered) {
		t.Errorf("a second answer = %v, want ErrAnswered", err)
	}
	g.peer(`{"jsonrpc":"2.0","id":5,"method":"again"}`) // the id is free again
	g.alive()
	if diff := cmp.Diff([]string{"request 5 first ", "request 5 again "}, g.rec.all()); diff != "" {
		t.Error(diff)
	}
}

func TestT48_TooManyOpenRequests(t *testing.T) {
	g := newRig(t)
	for i := range openRequests {
		g.peer(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"r"}`, i))
	}
	g.peer(`{"jsonrpc":"2.0","id":"more","method":"r"}`)
	if got, want := g.next(), `{"jsonrpc":"2.0","id":"more","error":{"code":-32603,`; !strings.HasPrefix(got, want) {
		t.Errorf("told the peer %s, want %s…", got, want)
	}
	if err := g.conn.Answer(g.rec.ids[0], nil); err != nil {
		t.Fatal(err)
	}
	if got, want := g.next(), `{"jsonrpc":"2.0","id":0,"result":null}`; got != want {
		t.Errorf("told the peer %s, want %s", got, want)
	}
	g.alive()
}
