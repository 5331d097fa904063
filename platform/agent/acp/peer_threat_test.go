//go:build unix

package acp_test

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"copydesk/core/session"
	"copydesk/platform/agent/acp"
)

func TestT36_ParserDifferentialsCannotBeApproved(t *testing.T) {
	t.Parallel()
	for name, input := range map[string]string{
		"a key in two cases": `{"command":"ls","Command":"touch PWNED"}`,
		"a key twice":        `{"command":"ls","command":"touch PWNED"}`,
		"twice further down": `{"command":"ls","env":{"A":"ls","A":"touch PWNED"}}`,
		"invalid UTF-8":      "{\"command\":\"a\xffb touch PWNED ls\"}",
	} {
		r, p := start(t)
		tn := r.turn(p, "go")
		p.raw(`{"jsonrpc":"2.0","id":0,"method":"session/request_permission","params":{"sessionId":"s1","toolCall":{"toolCallId":"c1","title":"List","rawInput":` + input + `},"options":` + strings.ReplaceAll(twoOptions, "\n", "") + `}}` + "\n")
		ambiguous(t, r, p, tn, name, "ls", "touch PWNED")
	}
}

// ambiguous holds that a permission was refused, or shows all and cannot be
// approved.
func ambiguous(t *testing.T, r *rig, p *peer, tn *turn, name string, wants ...string) {
	t.Helper()
	p.say("barrier")
	r.untilSeen("barrier")
	var q *session.Request
	for _, e := range r.events(1) {
		if e, is := e.(*session.Request); is {
			q = e
		}
	}
	if q == nil {
		if w := p.next(); w.Error == nil {
			t.Errorf("%s: neither shown nor refused: %v", name, w)
		}
		p.end("end_turn")
		r.done(tn)
		return
	}
	for i := range q.Choices {
		if a := choose(q, i); q.Accepts(a) == nil && !q.Rejects(a) {
			t.Errorf("%s: %q can be chosen", name, q.Choices[i])
		}
	}
	if q.Accepts(approve()) == nil || q.Blocked == "" {
		t.Errorf("%s: can be approved: %+v", name, q)
	}
	for _, want := range wants {
		if !field(q, want) {
			t.Errorf("%s: %q is not shown: %+v", name, want, q.Fields)
		}
	}
	r.reply(q, reject())
	if w := p.next(); strings.Contains(string(w.Result), `"yes"`) {
		t.Errorf("%s: the client sent %v", name, w)
	}
	p.expect("session/cancel")
	p.end("cancelled")
	r.done(tn)
}

func TestT36_TypedKeysAreExact(t *testing.T) {
	t.Parallel()
	evil := `[` + option("yes", "Reject", "reject_once") + `,` + option("no", "Allow", "allow_once") + `]`
	for name, params := range map[string]string{
		"Options beside options": `{"sessionId":"s1","toolCall":` + lsCall + `,"options":` + twoOptions + `,"Options":` + evil + `}`,
		"options twice":          `{"sessionId":"s1","toolCall":` + lsCall + `,"options":` + twoOptions + `,"options":` + evil + `}`,
		"toolCall twice":         `{"sessionId":"s1","toolCall":` + lsCall + `,"toolCall":{"toolCallId":"c1","rawInput":{"command":"touch PWNED"}},"options":` + twoOptions + `}`,
		"kind in two cases":      `{"sessionId":"s1","toolCall":` + lsCall + `,"options":[{"optionId":"yes","name":"Yes","kind":"reject_once","Kind":"allow_once"},{"optionId":"no","name":"No","kind":"reject_once","kind":"allow_once"}]}`,
	} {
		r, p := start(t)
		tn := r.turn(p, "go")
		p.raw(strings.ReplaceAll(`{"jsonrpc":"2.0","id":0,"method":"session/request_permission","params":`+params+`}`, "\n", " ") + "\n")
		ambiguous(t, r, p, tn, name)
	}
	// Only in another case: it is another key, so nothing was offered.
	r, p := start(t)
	tn := r.turn(p, "go")
	p.ask("0", "session/request_permission", `{"sessionId":"s1","toolCall":`+lsCall+`,"Options":`+twoOptions+`}`)
	if w := p.next(); strings.Contains(string(w.Result), "selected") {
		t.Errorf("the client sent %v", w)
	}
	p.end("end_turn")
	r.done(tn)
}

func TestT37_SecretsStayOutOfLogs(t *testing.T) {
	t.Parallel()
	var logged locked
	r := newRig(t, func(o *acp.Options) {
		o.Log = slog.New(slog.NewTextHandler(&logged, &slog.HandlerOptions{Level: slog.LevelDebug}))
		o.Env["DEMO_API_KEY"] = "sk-SENTINEL9"
	})
	p := r.connected()
	contains(t, "the agent's environment", string(p.do(order{Op: "world"}).Data), "sk-SENTINEL9")
	tn := r.turn(p, "go")
	p.do(order{Op: "err", Data: []byte("using key sk-SENTINEL9\nAuthorization: Bearer sk-SENTINEL9\n")})
	p.raw("noise with sk-SENTINEL9\n")
	p.send(`{"jsonrpc":"2.0","method":"no/such","params":{"key":"sk-SENTINEL9"}}`)
	p.ask("1", "no/such", `{"key":"sk-SENTINEL9"}`)
	p.expectError("1", -32601)
	p.refuse(wire{ID: p.asked}, -32603, "bad key sk-SENTINEL9")
	said := failure(r, tn)
	tn = r.turn(p, "die")
	p.order(order{Op: "kill"})
	said += failure(r, tn)
	r.close()
	lacks(t, "the log", logged.String(), "SENTINEL9")
	lacks(t, "what was said", said, "SENTINEL9")
}

type locked struct {
	mu sync.Mutex
	b  strings.Builder
}

func (l *locked) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *locked) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func TestT38_TheAgentInheritsNothingElse(t *testing.T) {
	t.Setenv("COPYDESK_TOKEN_SENTINEL", "TOK-7f3a")
	r := newRig(t, func(o *acp.Options) { o.Env["GIVEN"] = "yes" })
	p := r.connected()
	world := string(p.do(order{Op: "world"}).Data)
	lacks(t, "the agent's environment", world, "TOK-7f3a")
	contains(t, "the agent's environment", world, "env GIVEN=yes", "dir "+r.dir)
	// Go's own runtime in the puppet has opened what it schedules with.
	for _, line := range strings.Split(world, "\n") {
		var fd int
		var to string
		if n, _ := fmt.Sscanf(line, "fd %d %s", &fd, &to); n == 2 && fd > 2 && !strings.HasPrefix(to, "anon_inode:") && !strings.HasPrefix(to, "/sys/fs/cgroup/") {
			t.Errorf("open in the agent: %s", line)
		}
	}
}

// TestT39_TheWorkingFolderStartsNothing: neither a program in it with the
// agent's name nor an environment file of it counts.
func TestT39_TheWorkingFolderStartsNothing(t *testing.T) {
	t.Parallel()
	for _, command := range []string{"peer-of-the-repository", "." + string(os.PathSeparator) + "missing"} {
		r := newRig(t, func(o *acp.Options) {
			o.Command = []string{command}
			script := "#!/bin/sh\ntouch PWNED\n"
			if err := os.WriteFile(filepath.Join(o.Dir, "peer-of-the-repository"), []byte(script), 0o700); err != nil {
				t.Fatal(err)
			}
		})
		r.begin()
		contains(t, "the failure", failure(r, r.run("go")), command)
		r.close()
		if _, err := os.Stat(filepath.Join(r.dir, "PWNED")); err == nil {
			t.Errorf("%s of the working folder was run", command)
		}
	}
	r := newRig(t, func(o *acp.Options) {
		if err := os.WriteFile(filepath.Join(o.Dir, ".env"), []byte("FROM_THE_REPOSITORY=1\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	})
	p := r.connected()
	lacks(t, "the agent's environment", string(p.do(order{Op: "world"}).Data), "FROM_THE_REPOSITORY")
}

// TestT40_FilesAndTerminalsAreNotServed: not advertised, so refused.
func TestT40_FilesAndTerminalsAreNotServed(t *testing.T) {
	t.Parallel()
	r, p := start(t)
	tn := r.turn(p, "go")
	for i, method := range []string{"fs/read_text_file", "fs/write_text_file", "terminal/create", "terminal/output", "terminal/release", "terminal/kill", "terminal/wait_for_exit"} {
		id := fmt.Sprint(i)
		p.ask(id, method, `{"sessionId":"s1","path":"/etc/hostname","content":"x","command":"touch","args":["PWNED"],"terminalId":"t"}`)
		p.expectError(id, -32601)
	}
	p.end("end_turn")
	r.done(tn)
}

func TestT47_AChangeAfterTheDisplayReopens(t *testing.T) {
	t.Parallel()
	r, p, tn, q := asked(t, lsCall, twoOptions)
	p.update(`{"sessionUpdate":"tool_call_update","toolCallId":"c1","rawInput":{"command":"touch PWNED"}}`)
	r.untilSeen("reopened")
	select {
	case q.Reply <- approve(): // for what was shown first
	default:
	}
	p.say("barrier")
	r.untilSeen("barrier")
	p.quiet() // nothing was answered
	q2 := r.request(2)
	if q2 == q || q2.Digest() == q.Digest() || !field(q2, "touch PWNED") {
		t.Errorf("reopened as %+v", q2)
	}
	r.reply(q2, approve())
	p.expectAnswer("0", selected("yes"))
	p.end("end_turn")
	r.done(tn)
}

// TestT47_WhatShowsTheSameDoesNotReopen: a status that goes to and fro is no
// change of what is asked.
func TestT47_WhatShowsTheSameDoesNotReopen(t *testing.T) {
	t.Parallel()
	r, p, tn, q := asked(t, lsCall, twoOptions)
	p.update(`{"sessionUpdate":"tool_call_update","toolCallId":"c1","status":"in_progress"}`)
	p.update(`{"sessionUpdate":"tool_call_update","toolCallId":"c1","status":"pending"}`)
	p.update(`{"sessionUpdate":"tool_call_update","toolCallId":"c1","rawInput":{"command":"ls"}}`)
	p.update(`{"sessionUpdate":"tool_call_update","toolCallId":"other","rawInput":{"command":"rm"}}`)
	p.say("barrier")
	r.untilSeen("barrier")
	lacks(t, "the turn", r.story(1), "reopened")
	r.reply(q, approve())
	p.expectAnswer("0", selected("yes"))
	p.end("end_turn")
	r.done(tn)
}

func TestT48_OneAnswerForEachRequest(t *testing.T) {
	t.Parallel()
	r, p, tn, q := asked(t, lsCall, twoOptions)
	r.reply(q, approve())
	p.expectAnswer("0", selected("yes"))
	// More answers to the same request.
	for range cap(q.Reply) {
		select {
		case q.Reply <- approve():
		default:
		}
	}
	p.quiet()
	p.end("end_turn")
	r.done(tn)
	// After the agent's end.
	tn = r.turn(p, "two")
	p.ask("1", "session/request_permission", permission(lsCall, twoOptions))
	late := r.request(2)
	p.order(order{Op: "exit"})
	r.over(tn)
	select {
	case late.Reply <- approve():
	default:
	}
	tn = r.run("three")
	p = r.greet(plainInitialize, plainNew)
	p.prompted()
	p.quiet() // T50: no decision for the one that ended reaches the new one
	p.end("end_turn")
	r.done(tn)
}

func TestT49_ARaceHasOneWinner(t *testing.T) {
	t.Parallel()
	d := newDeskRig(t)
	rounds := 200
	if raceEnabled {
		rounds = 50
	}
	for i := range rounds {
		d.turn("go")
		id := fmt.Sprint(i)
		d.peer.ask(id, "session/request_permission", permission(lsCall, twoOptions))
		q := d.pending()
		var both sync.WaitGroup
		errs := make([]error, 2)
		for k, a := range []session.Answer{approve(), reject()} {
			both.Go(func() { errs[k] = d.pane.Answer(q.ID, q.Digest, a) })
		}
		both.Wait()
		if (errs[0] == nil) == (errs[1] == nil) {
			t.Fatalf("round %d: %v and %v", i, errs[0], errs[1])
		}
		if errs[0] == nil {
			d.peer.expectAnswer(id, selected("yes"))
			d.peer.end("end_turn")
		} else {
			d.peer.expectAnswer(id, selected("no"))
			d.peer.expect("session/cancel")
			d.peer.end("cancelled")
		}
		d.idle()
	}
	d.peer.quiet()
}

func TestT50_NothingIsAnsweredAfterARestart(t *testing.T) {
	t.Parallel()
	r, p, tn, q := asked(t, lsCall, twoOptions)
	p.order(order{Op: "kill"})
	r.over(tn)
	select {
	case q.Reply <- approve():
	default:
	}
	tn = r.run("again")
	p = r.greet(plainInitialize, plainNew)
	p.prompted()
	p.ask("0", "session/request_permission", permission(lsCall, twoOptions)) // the same id, asked anew
	q2 := r.request(2)
	p.quiet()
	r.reply(q2, reject())
	p.expectAnswer("0", selected("no"))
	p.expect("session/cancel")
	p.end("cancelled")
	r.done(tn)
}

func TestT51_AlwaysIsTheAgentsToKeep(t *testing.T) {
	t.Parallel()
	r, p := start(t)
	tn := r.turn(p, "go")
	for i, command := range []string{"npm run dev", "npm run dev", "npm run evil"} {
		id := fmt.Sprint(i)
		p.ask(id, "session/request_permission", permission(fmt.Sprintf(`{"toolCallId":"c%d","title":"npm","rawInput":{"command":%q}}`, i, command), threeOptions))
		q := r.request(i + 1) // each is asked
		if !field(q, command) {
			t.Errorf("the request is %+v", q)
		}
		r.reply(q, choose(q, choiceOf(t, q, session.AllowAlways)))
		p.expectAnswer(id, selected("always"))
	}
	p.end("end_turn")
	r.done(tn)
}
