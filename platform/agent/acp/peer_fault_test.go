//go:build unix

package acp_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"copydesk/core"
	"copydesk/core/session"
	"copydesk/platform/agent/acp"
)

// failure is all that was said when a turn failed.
func failure(r *rig, tn *turn) string {
	r.t.Helper()
	err := r.over(tn)
	if err == nil {
		r.t.Errorf("the turn did not fail; seen:\n%s", r.story(0))
		return r.notices()
	}
	return r.notices() + err.Error()
}

func TestR3_AKilledAgentFailsItsTurnAndTheNextStartsAnew(t *testing.T) {
	t.Parallel()
	r, p := start(t)
	tn := r.turn(p, "go")
	p.say("half an ans")
	p.ask("0", "session/request_permission", permission(lsCall, twoOptions))
	q := r.request(1)
	p.do(order{Op: "err", Data: []byte("boom on stderr\n")})
	pid := p.do(order{Op: "world"}).N
	p.order(order{Op: "kill"})
	contains(t, "the failure", failure(r, tn), "signal 9")
	if r.said(1) != "half an ans" {
		t.Errorf("the text before is %q", r.said(1))
	}
	select {
	case q.Reply <- approve(): // nobody's any more; it must not block or panic
	default:
	}
	if err := syscall.Kill(int(pid), 0); !errors.Is(err, syscall.ESRCH) {
		t.Errorf("process %d is a zombie or alive: %v", pid, err)
	}
	tn = r.run("again")
	p = r.greet(plainInitialize, plainNew)
	p.prompted()
	p.say("alive")
	p.end("end_turn")
	r.done(tn)
	if r.said(2) != "alive" {
		t.Errorf("the new agent says %q", r.said(2))
	}
}

func TestR3_TheSessionIsResumedAfterACrash(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.begin()
	p := r.greet(fullInitialize, plainNew)
	tn := r.turn(p, "one")
	p.say("first")
	p.end("end_turn")
	r.done(tn)
	p.order(order{Op: "kill"})
	r.untilSeen("signal 9")
	tn = r.run("two")
	p = r.stage.next()
	p.answer(p.expect("initialize"), fullInitialize)
	w := p.expect("session/resume")
	contains(t, "session/resume", string(w.Params), `"s1"`, r.dir)
	p.answer(w, `{}`)
	p.session = "s1"
	contains(t, "the prompt", string(p.prompted().Params), `"s1"`)
	p.say("second")
	p.end("end_turn")
	r.done(tn)
	if r.said(2) != "second" {
		t.Errorf("the turn says %q", r.said(2))
	}
}

// TestR3_LoadInPlaceOfResumeDoublesNothing: an agent that can only load replays
// what the panel shows already.
func TestR3_LoadInPlaceOfResumeDoublesNothing(t *testing.T) {
	t.Parallel()
	const loads = `{"protocolVersion":1,"agentCapabilities":{"loadSession":true}}`
	r := newRig(t)
	r.begin()
	p := r.greet(loads, plainNew)
	tn := r.turn(p, "one")
	p.say("first")
	p.end("end_turn")
	r.done(tn)
	p.order(order{Op: "kill"})
	r.untilSeen("signal 9")
	tn = r.run("two")
	p = r.stage.next()
	p.answer(p.expect("initialize"), loads)
	w := p.next()
	p.session = "s1"
	switch w.Method {
	case "session/load":
		p.update(chunk("user_message_chunk", "one"))
		p.say("first")
		p.answer(w, `{}`)
		r.calm(2)
	case "session/new":
		p.answer(w, plainNew)
	default:
		t.Fatalf("the client sent %v", w)
	}
	p.prompted()
	p.say("second")
	p.end("end_turn")
	r.done(tn)
	if n := strings.Count(r.story(0), "first"); n != 1 || r.said(2) != "second" {
		t.Errorf("the past came %d times:\n%s", n, r.story(0))
	}
}

func TestR4_NotFoundNotExecutableAndEarlyEnds(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	plain := filepath.Join(dir, "plain")
	if err := os.WriteFile(plain, []byte("#!/bin/sh\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	dies := filepath.Join(dir, "dies")
	if err := os.WriteFile(dies, []byte("#!/bin/sh\necho 'no licence\x1b[2J found' >&2\nexit 3\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	quits := filepath.Join(dir, "quits")
	if err := os.WriteFile(quits, []byte("#!/bin/sh\nexit 0\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		command string
		wants   []string
	}{
		{"copydesk-no-such-agent", []string{"copydesk-no-such-agent"}},
		{filepath.Join(dir, "missing"), []string{"missing"}},
		{plain, []string{"plain"}},
		{dir, []string{filepath.Base(dir)}},
		{dies, []string{"dies", "exit status 3", "no licence"}},
		{quits, []string{"quits"}},
	} {
		r := newRig(t, func(o *acp.Options) { o.Command = []string{tc.command} })
		r.begin()
		r.until("an error", func(log []seen) bool {
			for _, s := range log {
				if n, is := s.event.(session.Notice); is && n.Error {
					return true
				}
			}
			return false
		})
		contains(t, tc.command, r.notices(), tc.wants...)
		tn := r.run("go")
		contains(t, tc.command+" again", failure(r, tn), tc.wants...)
		r.close()
	}
}

func TestR4_ExitDuringInitialize(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.begin()
	p := r.stage.next()
	p.expect("initialize")
	p.do(order{Op: "err", Data: []byte("cannot find the model\n")})
	p.order(order{Op: "exit", N: 7})
	r.untilSeen("exit status 7")
	contains(t, "what was said", r.notices(), "cannot find the model")
	// The next prompt tries anew.
	tn := r.run("go")
	p = r.greet(plainInitialize, plainNew)
	p.prompted()
	p.end("end_turn")
	r.done(tn)
}

func TestR7_AnAgentThatStopsReadingBlocksNobody(t *testing.T) {
	t.Parallel()
	r, p := start(t)
	p.do(order{Op: "deaf"})
	tn := r.run(strings.Repeat("a megabyte of it ", 1<<16))
	p.say("I write but do not read")
	r.untilSeen("do not read") // events go on
	tn.cancel()
	r.agent.Kill()
	r.over(tn)
	p.ended()
}

func TestR8_AFloodOnStdoutStaysInBounds(t *testing.T) {
	t.Parallel()
	r, p := start(t)
	total := 0
	unit := updateLine("s1", chunk("agent_message_chunk", strings.Repeat("0123456789abcde ", 512))) + "\n"
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	ended := make(chan error, 1)
	go func() {
		var failed error
		for e, err := range r.agent.Run(ctx, "go") {
			if text, is := e.(session.Text); is {
				total += len(text.Chunk)
			}
			failed = err
		}
		ended <- failed
	}()
	p.prompted()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	size := int64(64 << 20)
	if raceEnabled {
		size = 8 << 20
	}
	count := (size + int64(len(unit)) - 1) / int64(len(unit))
	p.do(order{Op: "flood", Data: []byte(unit), N: count * int64(len(unit))})
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapInuse) - int64(before.HeapInuse); grown > 200<<20 {
		t.Errorf("the heap grew by %d MB", grown>>20)
	}
	p.end("end_turn")
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	if int64(total)%8192 != 0 || int64(total) < count*8192 {
		t.Errorf("%d bytes of text of %d", total, count*8192)
	}
}

func TestR9_AFloodOnStderrIsNoNoise(t *testing.T) {
	t.Parallel()
	r, p := start(t)
	tn := r.turn(p, "go")
	size := int64(64 << 20)
	if raceEnabled {
		size = 8 << 20
	}
	p.do(order{Op: "flooderr", Data: []byte("debug: nothing of interest\n"), N: size})
	p.do(order{Op: "err", Data: []byte("the last line matters\n")})
	p.say("fine")
	p.end("end_turn")
	r.done(tn)
	if got := r.story(1); strings.Contains(got, "debug:") || strings.Contains(got, "note") || strings.Contains(got, "error") {
		t.Errorf("stderr made noise:\n%s", got)
	}
	tn = r.turn(p, "die")
	p.order(order{Op: "kill"})
	said := failure(r, tn)
	contains(t, "the failure", said, "the last line matters")
	if len(said) > core.StderrBytes+4096 {
		t.Errorf("%d bytes were said", len(said))
	}
}

// TestT60_NothingOutlivesTheAgent: EOF and TERM are ignored, and a child stays.
func TestT60_NothingOutlivesTheAgent(t *testing.T) {
	t.Parallel()
	r, p := start(t)
	p.do(order{Op: "stubborn"})
	child := p.do(order{Op: "child"}).N
	pid := p.do(order{Op: "world"}).N
	began := time.Now()
	r.close()
	if took := time.Since(began); took > 15*time.Second {
		t.Errorf("closing took %v", took)
	}
	wait(t, p.eof, "its input did not end first")
	p.terms.take(t, "a TERM")
	p.ended()
	for _, id := range []int64{pid, child} {
		gone(t, int(id))
	}
}

func TestT60_ChildrenOfAnAgentThatLeftAreEnded(t *testing.T) {
	t.Parallel()
	r, p := start(t)
	child := p.do(order{Op: "child"}).N
	tn := r.turn(p, "go")
	p.order(order{Op: "exit", N: 0})
	r.over(tn)
	r.close()
	gone(t, int(child))
}

// gone waits until a process does not run any more. What is no child of ours
// may stay a zombie until somebody else reaps it.
func gone(t testing.TB, pid int) {
	t.Helper()
	late := time.After(10 * time.Second)
	for {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil && errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
			return
		}
		if i := strings.LastIndexByte(string(stat), ')'); i > 0 && strings.HasPrefix(string(stat[i+1:]), " Z") {
			return
		}
		select {
		case <-late:
			t.Errorf("process %d still runs", pid)
			return
		case <-time.After(time.Millisecond):
		}
	}
}
