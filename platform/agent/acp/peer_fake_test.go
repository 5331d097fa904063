//go:build unix

package acp_test

import (
	"bytes"
	"encoding/gob"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// patience is how long anything a test waits for may take; only a test that
// fails waits that long.
const patience = 60 * time.Second

// A wire is one message as it stands on the wire.
type wire struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  string          `json:"method"`
	Params  json.RawMessage `json:"params"`
	Result  json.RawMessage `json:"result"`
	Error   *struct {
		Code    int             `json:"code"`
		Message string          `json:"message"`
		Data    json.RawMessage `json:"data"`
	} `json:"error"`
}

func (w wire) String() string {
	switch {
	case w.Method != "" && w.ID != nil:
		return fmt.Sprintf("request %s %s %s", w.ID, w.Method, w.Params)
	case w.Method != "":
		return fmt.Sprintf("notification %s %s", w.Method, w.Params)
	case w.Error != nil:
		return fmt.Sprintf("error %s %d %s", w.ID, w.Error.Code, w.Error.Message)
	default:
		return fmt.Sprintf("answer %s %s", w.ID, w.Result)
	}
}

// A stage is where puppets appear: one for each process that is started.
type stage struct {
	t        testing.TB
	socket   string
	arrivals chan *peer
}

func newStage(t testing.TB) *stage {
	dir, err := os.MkdirTemp("", "peer") // a socket's path must be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	s := &stage{t: t, socket: filepath.Join(dir, "s"), arrivals: make(chan *peer, 16)}
	l, err := net.Listen("unix", s.socket)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			p := &peer{
				t: t, conn: conn, orders: gob.NewEncoder(conn),
				lines: newQueue[wire](), done: newQueue[report](), terms: newQueue[report](),
				eof: make(chan struct{}), gone: make(chan struct{}),
			}
			go p.listen()
			s.arrivals <- p
		}
	}()
	return s
}

// next is the puppet that was started next.
func (s *stage) next() *peer {
	s.t.Helper()
	select {
	case p := <-s.arrivals:
		return p
	case <-time.After(patience):
		s.t.Fatal("no agent was started")
		return nil
	}
}

// A peer is the test's hand on one puppet.
type peer struct {
	t      testing.TB
	conn   net.Conn
	orders *gob.Encoder
	lines  *queue[wire]
	done   *queue[report]
	terms  *queue[report]
	eof    chan struct{} // its input ended
	gone   chan struct{} // the process is gone

	session string // the id that session/new was answered with
	asked   json.RawMessage
}

func (p *peer) listen() {
	defer close(p.gone)
	reports := gob.NewDecoder(p.conn)
	var once sync.Once
	for {
		var r report
		if reports.Decode(&r) != nil {
			return
		}
		switch r.Op {
		case "line":
			p.lines.put(parseWire(p.t, r.Data))
		case "eof":
			once.Do(func() { close(p.eof) })
		case "term":
			p.terms.put(r)
		case "done":
			p.done.put(r)
		}
	}
}

func parseWire(t testing.TB, line []byte) wire {
	var w wire
	if err := json.Unmarshal(line, &w); err != nil {
		t.Errorf("the client wrote a line that is no message: %v: %.200q", err, line)
	}
	if w.JSONRPC != "2.0" {
		t.Errorf("the client wrote a message without jsonrpc 2.0: %.200q", line)
	}
	if bytes.ContainsAny(bytes.TrimSuffix(line, []byte("\n")), "\n\r") {
		t.Errorf("the client wrote a line with a line end inside: %.200q", line)
	}
	return w
}

// do has the puppet do something and waits until it is done, or until the
// puppet is gone: the client may end it for what it has just said.
func (p *peer) do(o order) report {
	p.t.Helper()
	p.order(o)
	r, _ := p.done.takeOr(p.t, o.Op, p.gone)
	return r
}

func (p *peer) order(o order) {
	p.t.Helper()
	if err := p.orders.Encode(o); err != nil {
		p.t.Fatalf("the agent is gone before %q: %v", o.Op, err)
	}
}

// raw writes bytes as they are.
func (p *peer) raw(s string) {
	p.t.Helper()
	p.do(order{Op: "out", Data: []byte(s)})
}

// send writes one message.
func (p *peer) send(message string) { p.t.Helper(); p.raw(oneLine(message) + "\n") }

// oneLine lets a test write a message on several lines.
func oneLine(s string) string {
	var b bytes.Buffer
	if json.Compact(&b, []byte(s)) != nil {
		return strings.ReplaceAll(s, "\n", " ")
	}
	return b.String()
}

// update is a session/update of the peer's session.
func (p *peer) update(update string) { p.t.Helper(); p.send(updateLine(p.session, update)) }

func updateLine(session, update string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":%s,"update":%s}}`, quote(session), oneLine(update))
}

func quote(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}

// say is a chunk of the answer.
func (p *peer) say(text string) { p.t.Helper(); p.update(chunk("agent_message_chunk", text)) }

func chunk(kind, text string) string {
	return fmt.Sprintf(`{"sessionUpdate":%q,"content":{"type":"text","text":%s}}`, kind, quote(text))
}

// ask is a request of the agent's. id is JSON.
func (p *peer) ask(id, method, params string) {
	p.t.Helper()
	p.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":%s}`, id, method, params))
}

// answer answers a request of the client's.
func (p *peer) answer(w wire, result string) {
	p.t.Helper()
	p.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, w.ID, result))
}

func (p *peer) refuse(w wire, code int, message string) {
	p.t.Helper()
	p.send(refusalLine(w, code, message))
}

// refuseAndGo refuses what the client ends the agent for: it may be gone before
// it can say that it has.
func (p *peer) refuseAndGo(w wire, code int, message string) {
	p.t.Helper()
	p.order(order{Op: "out", Data: []byte(refusalLine(w, code, message) + "\n")})
}

func refusalLine(w wire, code int, message string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%s}}`, w.ID, code, quote(message))
}

// next is the client's next message, whatever it is.
func (p *peer) next() wire { p.t.Helper(); return p.lines.take(p.t, "a message") }

// expect is the client's next message, which must be of a method.
func (p *peer) expect(method string) wire {
	p.t.Helper()
	w := p.lines.take(p.t, method)
	if w.Method != method {
		p.t.Fatalf("the client sent %v, want %s", w, method)
	}
	return w
}

// expectAnswer is the client's next message, which must answer a request.
func (p *peer) expectAnswer(id, result string) {
	p.t.Helper()
	w := p.lines.take(p.t, "the answer to "+id)
	if w.Method != "" || string(w.ID) != id || w.Error != nil {
		p.t.Fatalf("the client sent %v, want an answer to %s", w, id)
	}
	if got, want := decode(p.t, string(w.Result)), decode(p.t, result); !reflect.DeepEqual(got, want) {
		p.t.Fatalf("the answer to %s differs (-want +got):\n%s", id, cmp.Diff(want, got))
	}
}

// expectError is the client's next message, which must refuse a request.
func (p *peer) expectError(id string, codes ...int) {
	p.t.Helper()
	w := p.lines.take(p.t, "the refusal of "+id)
	if w.Error == nil || string(w.ID) != id {
		p.t.Fatalf("the client sent %v, want an error for %s", w, id)
	}
	for _, c := range codes {
		if c == w.Error.Code {
			return
		}
	}
	p.t.Fatalf("request %s was refused with %d %q, want one of %v", id, w.Error.Code, w.Error.Message, codes)
}

// quiet holds that the client has sent nothing since the last message that was
// taken: it asks for something that must be answered and expects that answer
// next.
func (p *peer) quiet() {
	p.t.Helper()
	const id = `"are you there"`
	p.ask(id, "_copydesk/no_such_method", `{}`)
	p.expectError(id, -32601)
}

// prompted is the prompt the client sends next.
func (p *peer) prompted() wire {
	p.t.Helper()
	w := p.expect("session/prompt")
	p.asked = w.ID
	return w
}

// end answers the prompt.
func (p *peer) end(stopReason string) {
	p.t.Helper()
	p.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"stopReason":%q}}`, p.asked, stopReason))
}

// ended waits until the process is gone.
func (p *peer) ended() {
	p.t.Helper()
	wait(p.t, p.gone, "the agent is still there")
}

func wait(t testing.TB, c <-chan struct{}, otherwise string) {
	t.Helper()
	select {
	case <-c:
	case <-time.After(patience):
		t.Fatal(otherwise)
	}
}

func decode(t testing.TB, s string) any {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(s), &v); err != nil {
		t.Fatalf("%v in %.300q", err, s)
	}
	return v
}

// A queue has no bound: neither side waits for the other.
type queue[T any] struct {
	mu    sync.Mutex
	items []T
	some  chan struct{}
}

func newQueue[T any]() *queue[T] { return &queue[T]{some: make(chan struct{}, 1)} }

func (q *queue[T]) put(v T) {
	q.mu.Lock()
	q.items = append(q.items, v)
	q.mu.Unlock()
	select {
	case q.some <- struct{}{}:
	default:
	}
}

// take waits for the next item. One goroutine takes at a time.
func (q *queue[T]) take(t testing.TB, what string) T {
	t.Helper()
	v, _ := q.takeOr(t, what, nil)
	return v
}

// takeOr waits for the next item or for an end, and reports whether there was
// an item.
func (q *queue[T]) takeOr(t testing.TB, what string, end <-chan struct{}) (T, bool) {
	t.Helper()
	late := time.NewTimer(patience)
	defer late.Stop()
	for {
		q.mu.Lock()
		if len(q.items) > 0 {
			v := q.items[0]
			q.items = q.items[1:]
			q.mu.Unlock()
			return v, true
		}
		q.mu.Unlock()
		select {
		case <-q.some:
		case <-end:
			var none T
			return none, false
		case <-late.C:
			t.Fatalf("waited for %s in vain", what)
		}
	}
}

// into reads a part of a message, exact in its keys.
func into(t testing.TB, raw json.RawMessage, v any) {
	t.Helper()
	if err := json.Unmarshal(raw, v); err != nil {
		t.Fatalf("%v in %s", err, raw)
	}
}
