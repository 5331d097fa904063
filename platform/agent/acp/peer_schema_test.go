//go:build unix

package acp_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"copydesk/core/desk"
	"copydesk/core/session"
)

// injected is what T30 puts into every string.
const injected = "x\x1b]0;pwn\x07\x1b[2J\u202e"

// A leaf is one string of a message that an agent may send, with what else a
// valid message has: JSON pointers with "=constant" or a type.
type leaf struct {
	At   string            `json:"leaf"`
	With map[string]string `json:"with"`
}

func schemaLeaves(t testing.TB, method string) []leaf {
	t.Helper()
	data, err := os.ReadFile("testdata/schema/leaves.json")
	if err != nil {
		t.Fatal(err)
	}
	var all []struct {
		Method string
		Is     string
		Leaves []leaf
	}
	if err := json.Unmarshal(data, &all); err != nil {
		t.Fatal(err)
	}
	for _, m := range all {
		if m.Method == method {
			return m.Leaves
		}
	}
	t.Fatalf("no message %s", method)
	return nil
}

// build makes the message with a text in the leaf.
func (l leaf) build(text string) any {
	var root any
	for _, at := range slices.SortedFunc(maps.Keys(l.With), func(a, b string) int {
		return cmp.Or(strings.Count(a, "/")-strings.Count(b, "/"), strings.Compare(a, b))
	}) {
		what, named := strings.CutSuffix(l.With[at], " named")
		var v any
		switch {
		case at == l.At && !named:
			v = text
		case strings.HasPrefix(what, "="):
			v = what[1:]
		default:
			v = sample(what, at)
		}
		path := strings.Split(at, "/")[1:]
		if at == "" {
			root = v
			continue
		}
		root = put(root, path, v)
	}
	if strings.HasSuffix(l.With[l.At], " named") {
		rename(root, text)
	}
	return root
}

func sample(kind, at string) any {
	switch kind {
	case "object":
		return map[string]any{}
	case "array":
		return []any{}
	case "integer", "number":
		return 1
	case "boolean":
		return true
	case "null":
		return nil
	}
	switch name := at[strings.LastIndexByte(at, '/')+1:]; name {
	case "sessionId":
		return "s1"
	case "cwd", "path":
		return "/w/file"
	case "uri", "url":
		return "https://example.org/"
	default:
		return name
	}
}

func put(root any, path []string, v any) any {
	if len(path) == 0 {
		return v
	}
	if i, err := strconv.Atoi(path[0]); err == nil {
		list, _ := root.([]any)
		for len(list) <= i {
			list = append(list, nil)
		}
		list[i] = put(list[i], path[1:], v)
		return list
	}
	m, ok := root.(map[string]any)
	if !ok {
		m = map[string]any{}
	}
	name := strings.NewReplacer("~1", "/", "~0", "~").Replace(path[0])
	m[name] = put(m[name], path[1:], v)
	return m
}

// rename calls every property that is called key by another name.
func rename(root any, name string) {
	switch v := root.(type) {
	case map[string]any:
		if inner, is := v["key"]; is {
			delete(v, "key")
			v[name] = inner
		}
		for _, inner := range v {
			rename(inner, name)
		}
	case []any:
		for _, inner := range v {
			rename(inner, name)
		}
	}
}

// settled waits until the agent has handled all that was sent, and drops what
// it answered meanwhile.
func (d *deskRig) settled() {
	d.t.Helper()
	const id = `"settled"`
	d.peer.ask(id, "_copydesk/none", `{}`)
	for string(d.peer.next().ID) != id {
	}
}

// cleanSince is clean for what changed after a revision.
func (d *deskRig) cleanSince(rev uint64, what string) uint64 {
	d.t.Helper()
	state := d.pane.Since(rev)
	for _, l := range state.Lines {
		if bad, is := hostile(l.Text); is {
			d.t.Errorf("%s: %U is shown in %q", what, bad, l.Text)
		}
	}
	for _, q := range state.Pending {
		if err := q.Request.Validate(); err != nil {
			d.t.Errorf("%s: %v", what, err)
		}
	}
	return state.Revision
}

// TestT30_EveryStringOfTheSchema puts an escape sequence and a bidi override
// into each string that an agent can send, one at a time.
func TestT30_EveryStringOfTheSchema(t *testing.T) {
	t.Parallel()
	for _, method := range []string{"session/update", "elicitation/complete", "$/cancel_request"} {
		t.Run(method, func(t *testing.T) {
			t.Parallel()
			d := newDeskRig(t)
			d.turn("go")
			var rev uint64
			for i, l := range schemaLeaves(t, method) {
				params, _ := json.Marshal(l.build(injected))
				d.peer.send(fmt.Sprintf(`{"jsonrpc":"2.0","method":%q,"params":%s}`, method, params))
				d.settled()
				if i%10 == 0 {
					rev = d.cleanSince(rev, l.At)
				}
			}
			d.peer.say("\nstill alive")
			d.peer.end("end_turn")
			d.idle()
			d.clean()
			contains(t, "the panel", d.text(), "still alive")
		})
	}
	for _, method := range []string{"session/request_permission", "elicitation/create",
		"fs/read_text_file", "fs/write_text_file", "terminal/create", "terminal/output", "terminal/release", "terminal/kill", "terminal/wait_for_exit"} {
		t.Run(method, func(t *testing.T) {
			t.Parallel()
			d := newDeskRig(t)
			d.turn("go")
			var rev uint64
			for i, l := range schemaLeaves(t, method) {
				params, _ := json.Marshal(l.build(injected))
				d.peer.ask(fmt.Sprint(i), method, string(params))
				d.settled()
				rev = d.cleanSince(rev, l.At)
				d.peer.send(fmt.Sprintf(`{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":%d}}`, i))
				d.settled()
			}
			d.peer.say("\nstill alive")
			d.peer.end("end_turn")
			d.idle()
			d.clean()
			contains(t, "the panel", d.text(), "still alive")
		})
	}
}

// TestT30_EveryStringOfTheAnswers is the same for what an agent answers.
func TestT30_EveryStringOfTheAnswers(t *testing.T) {
	t.Parallel()
	answer := func(l leaf) string {
		b, _ := json.Marshal(l.build(injected))
		return string(b)
	}
	t.Run("initialize", func(t *testing.T) {
		t.Parallel()
		for _, l := range schemaLeaves(t, "initialize") {
			d := openDesk(t)
			d.peer = d.stage.next()
			d.peer.answer(d.peer.expect("initialize"), answer(l))
			d.peer.session = "s1"
			w := d.peer.expect("session/new")
			d.peer.answer(w, plainNew)
			d.turn("go")
			d.peer.refuse(wire{ID: d.peer.asked}, -32603, injected)
			d.idle()
			d.clean()
		}
	})
	t.Run("session/new", func(t *testing.T) {
		t.Parallel()
		for _, l := range schemaLeaves(t, "session/new") {
			d := openDesk(t)
			id := "s1"
			if l.At == "/sessionId" {
				id = injected
			}
			d.peer = d.stage.next()
			d.peer.answer(d.peer.expect("initialize"), fullInitialize)
			d.peer.answer(d.peer.expect("session/new"), answer(l))
			d.peer.session = id
			d.turn("go")
			d.peer.say("alive")
			d.peer.do(order{Op: "err", Data: []byte(injected + "\n")})
			d.peer.order(order{Op: "exit", N: 1})
			d.idle()
			d.clean()
			contains(t, "the panel", d.text(), "alive")
		}
	})
	t.Run("session/set_config_option", func(t *testing.T) {
		t.Parallel()
		d := openDesk(t)
		d.peer = d.greet(fullInitialize, `{"sessionId":"s1","configOptions":[{"id":"m","name":"Model","category":"model","type":"select","currentValue":"a","options":[{"value":"a","name":"A"},{"value":"b","name":"B"}]}]}`)
		for _, l := range schemaLeaves(t, "session/set_config_option") {
			d.turn("go")
			d.peer.update(`{"sessionUpdate":"config_option_update","configOptions":[{"id":"m","name":"Model","category":"model","type":"select","currentValue":"a","options":[{"value":"a","name":"A"},{"value":"b","name":"B"}]}]}`)
			d.peer.end("end_turn")
			d.idle()
			set := make(chan error, 1)
			go func() { set <- d.agent.SetOption(context.Background(), "m", "b") }()
			d.peer.answer(d.peer.expect("session/set_config_option"), answer(l))
			<-set
			d.clean()
		}
	})
	t.Run("session/load", func(t *testing.T) {
		t.Parallel()
		d := openDesk(t)
		d.peer = d.greet(fullInitialize, plainNew)
		d.turn("go")
		d.peer.end("end_turn")
		d.idle()
		for i, l := range schemaLeaves(t, "session/load") {
			id := fmt.Sprint("load", i)
			loaded := make(chan error, 1)
			go func() { loaded <- d.agent.Load(context.Background(), id) }()
			d.answerNext("session/load", answer(l))
			<-loaded
			d.clean()
		}
	})
	t.Run("session/list", func(t *testing.T) {
		t.Parallel()
		d := openDesk(t)
		d.peer = d.greet(fullInitialize, plainNew)
		d.turn("go")
		d.peer.end("end_turn")
		d.idle()
		for _, l := range schemaLeaves(t, "session/list") {
			listed := make(chan []session.Stored, 1)
			go func() {
				s, _ := d.agent.Stored(context.Background())
				listed <- s
			}()
			d.peer.answer(d.peer.expect("session/list"), answer(l))
			if l.At == "/nextCursor" {
				d.peer.answer(d.peer.expect("session/list"), `{"sessions":[]}`)
			}
			<-listed
			d.clean()
		}
	})
	t.Run("session/prompt", func(t *testing.T) {
		t.Parallel()
		d := newDeskRig(t)
		for _, l := range schemaLeaves(t, "session/prompt") {
			d.turn("go")
			d.peer.answer(wire{ID: d.peer.asked}, answer(l))
			d.idle()
			d.clean()
		}
		d.turn("go")
		d.peer.refuse(wire{ID: d.peer.asked}, -32603, injected)
		d.idle()
		d.clean()
		d.until("the failure", func(s desk.Delta) bool { return strings.Contains(shown(s.Lines), "pwn") })
	})
}

// answerNext answers the next request of a method, and those that only tidy up
// before it.
func (d *deskRig) answerNext(method, result string) {
	d.t.Helper()
	for {
		w := d.peer.next()
		if w.Method == method {
			d.peer.answer(w, result)
			return
		}
		if w.Method != "session/close" {
			d.t.Fatalf("the client sent %v, want %s", w, method)
		}
		d.peer.answer(w, `{}`)
	}
}
