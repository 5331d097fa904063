//go:build unix

package acp_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"copydesk/core/session"
	"copydesk/platform/agent/acp"
)

// exampleFolder is where the example agent was built, for TestMain to remove.
var exampleFolder string

// exampleAgent is the protocol SDK's own example agent, which nobody here
// wrote. Its version is the one in go.mod.
var exampleAgent = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		return "", err
	}
	exampleFolder = dir
	exe := filepath.Join(dir, "agent")
	out, err := exec.Command("go", "build", "-o", exe, "github.com/coder/acp-go-sdk/example/agent").CombinedOutput()
	if err != nil {
		return string(out), err
	}
	return exe, nil
})

func example(t *testing.T) *rig {
	t.Helper()
	if testing.Short() {
		t.Skip("the example agent takes five seconds a turn")
	}
	exe, err := exampleAgent()
	if err != nil {
		t.Skipf("the example agent cannot be built: %v\n%s", err, exe)
	}
	r := newRig(t, func(o *acp.Options) {
		o.Command, o.Env = []string{exe}, nil
		o.Environ = append(o.Environ, "TMPDIR="+t.TempDir())
	})
	r.begin()
	return r
}

func TestExampleAgentAllow(t *testing.T) {
	t.Parallel()
	r := example(t)
	tn := r.run("improve the project")
	q := r.request(1)
	if q.Kind != session.Approval || !strings.Contains(q.Claim, "Modifying critical configuration file") || !field(q, "/home/user/project/config.json") || !field(q, "new-host") {
		t.Errorf("the request is %+v", q)
	}
	r.reply(q, approve())
	r.done(tn)
	inOrder(t, r.story(1), "demo only", "tool call_1 read", "Now I understand the project", "tool call_2 edit", "ask approval", "end")
	calls := r.calls()
	if calls["call_1"].Status != session.Done || !shows(calls["call_1"], "This is a sample project") || calls["call_2"].Status != session.Done {
		t.Errorf("the calls are %+v", calls)
	}
	inOrder(t, r.said(1), "make some changes", "Perfect!")
}

func TestExampleAgentReject(t *testing.T) {
	t.Parallel()
	r := example(t)
	tn := r.run("improve the project")
	r.reply(r.request(1), reject())
	r.done(tn)
	if strings.Contains(r.said(1), "Perfect!") {
		t.Errorf("the turn went on:\n%s", r.story(1))
	}
}

func TestExampleAgentRejectWithAReason(t *testing.T) {
	t.Parallel()
	r := example(t)
	tn := r.run("improve the project")
	r.reply(r.request(1), because("leave the configuration alone"))
	// The agent goes on to its end; the reason is the next prompt.
	r.until("the second answer", func(log []seen) bool { return strings.Count(story(log, 1), "demo only") == 2 })
	tn.cancel()
	r.done(tn)
	contains(t, "the turn", r.said(1), "you prefer not to make that change")
}

func TestExampleAgentCancelWithAnOpenPermission(t *testing.T) {
	t.Parallel()
	r := example(t)
	tn := r.run("improve the project")
	r.request(1)
	tn.cancel()
	r.done(tn)
	// It answers the next prompt as if nothing had been.
	tn = r.run("again")
	r.untilSeen(`2: text "ACP Go Example Agent`)
	tn.cancel()
	r.done(tn)
	if n := strings.Count(r.said(2), "demo only"); n != 1 {
		t.Errorf("the second turn is mixed:\n%s", r.story(2))
	}
}
