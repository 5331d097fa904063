//go:build unix

package acp_test

import (
	"strings"
	"testing"
)

func TestT44_FieldsHoldAllOfIt(t *testing.T) {
	t.Parallel()
	for name, command := range map[string]string{
		"blanks":  "ls" + strings.Repeat(" ", 400) + "; touch PWNED",
		"lines":   "ls" + strings.Repeat("\n", 200) + "touch PWNED",
		"64 KiB":  strings.Repeat("echo a; ", 8190) + "; touch PWNED",
		"control": "ls\r\x1b[2Ktouch PWNED",
	} {
		r, p, tn, q := asked(t, `{"toolCallId":"c1","title":"List","kind":"execute","rawInput":{"command":`+quote(command)+`}}`, twoOptions)
		if !field(q, command) {
			t.Errorf("%s: the command is not in a field byte for byte", name)
		}
		r.reply(q, reject())
		p.expectAnswer("0", selected("no"))
		p.expect("session/cancel")
		p.end("cancelled")
		r.done(tn)
	}
}

func TestT46_RealFieldsFirstTitleAsAClaim(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, call string
		wants      []string
	}{
		{"argv", `{"toolCallId":"c1","title":"Read README.md","kind":"read","rawInput":{"command":["sh","-c","touch PWNED"]}}`, []string{"sh", "touch PWNED"}},
		{"padded argv", `{"toolCallId":"c1","title":"Read README.md","rawInput":{"command":["git ","status"]}}`, []string{`"git "`}},
		{"nested", `{"toolCallId":"c1","title":"Read README.md","rawInput":{"steps":[{"do":"touch PWNED"}]}}`, []string{"touch PWNED"}},
		{"a string", `{"toolCallId":"c1","title":"Read README.md","rawInput":"touch PWNED"}`, []string{"touch PWNED"}},
		{"other keys too", `{"toolCallId":"c1","title":"Read README.md","rawInput":{"command":"ls","env":{"LD_PRELOAD":"/tmp/x.so"},"cwd":"/etc"}}`, []string{"ls", "LD_PRELOAD", "/tmp/x.so", "/etc"}},
	} {
		r, p, tn, q := asked(t, tc.call, twoOptions)
		for _, want := range tc.wants {
			if !field(q, want) {
				t.Errorf("%s: %q is in no field: %+v", tc.name, want, q.Fields)
			}
		}
		if !strings.Contains(q.Claim, "Read README.md") || field(q, "Read README.md") || strings.Contains(q.Prompt, "Read README.md") {
			t.Errorf("%s: the title is no claim: %+v", tc.name, q)
		}
		r.reply(q, approve())
		p.expectAnswer("0", selected("yes"))
		p.end("end_turn")
		r.done(tn)
	}
}

func TestT46_WithoutInputItCannotBeInspected(t *testing.T) {
	t.Parallel()
	r, p, tn, q := asked(t, `{"toolCallId":"c1","title":"Read README.md"}`, twoOptions)
	if !field(q, "cannot be inspected") {
		t.Errorf("the request is %+v", q)
	}
	r.reply(q, approve())
	p.expectAnswer("0", selected("yes"))
	p.end("end_turn")
	r.done(tn)
}
