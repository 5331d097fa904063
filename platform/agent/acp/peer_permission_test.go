//go:build unix

package acp_test

import (
	"fmt"
	"strings"
	"testing"

	"copydesk/core/session"
)

const lsCall = `{"toolCallId":"c1","title":"List","kind":"execute","rawInput":{"command":"ls"}}`

// asked starts a turn and asks for a permission in it.
func asked(t testing.TB, call, options string) (*rig, *peer, *turn, *session.Request) {
	t.Helper()
	r, p := start(t)
	tn := r.turn(p, "go")
	p.ask("0", "session/request_permission", permission(call, options))
	return r, p, tn, r.request(1)
}

func option(id, name, kind string) string {
	return fmt.Sprintf(`{"optionId":%s,"name":%s,"kind":%s}`, quote(id), quote(name), quote(kind))
}

func TestREQ1_OneAllowAndOneRejectAreAnApproval(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		answer session.Answer
		want   string
		ends   bool
	}{
		{approve(), "yes", false},
		{reject(), "no", true},
		{because("use git instead"), "no", false},
	} {
		r, p, tn, q := asked(t, lsCall, twoOptions)
		if q.Kind != session.Approval || q.From == "" {
			t.Fatalf("two options became %+v", q)
		}
		if !q.TakesReason {
			t.Error("the rejection takes no reason")
		}
		r.reply(q, tc.answer)
		p.expectAnswer("0", selected(tc.want))
		if tc.ends {
			p.expect("session/cancel")
			p.end("cancelled")
			r.done(tn)
			continue
		}
		p.say("I go on.")
		p.end("end_turn")
		if tc.answer.Reason != "" {
			// The reason is the next prompt of the same turn.
			w := p.prompted()
			contains(t, "the prompt with the reason", string(w.Params), "use git instead")
			p.say(" With git.")
			p.end("end_turn")
			r.done(tn)
			contains(t, "the turn", r.said(1), "I go on.", " With git.")
			continue
		}
		r.done(tn)
		p.quiet()
	}
}

func TestT45_LabelsComeFromTheKind(t *testing.T) {
	t.Parallel()
	r, p, tn, q := asked(t, lsCall, `[`+option("1", "Reject", "allow_always")+`,`+option("2", "Allow once", "reject_once")+`]`)
	if len(q.Means) != 2 || q.Means[0] != session.AllowAlways || q.Means[1] != session.RejectOnce {
		t.Errorf("the meanings are %v", q.Means)
	}
	r.reply(q, reject())
	p.expectAnswer("0", selected("2"))
	p.expect("session/cancel")
	p.end("cancelled")
	r.done(tn)
}

// TestT45_EveryOptionShape puts option lists on the wire and rejects, or takes
// the first that allows once.
func TestT45_EveryOptionShape(t *testing.T) {
	t.Parallel()
	r, p := start(t)
	tn := r.turn(p, "go")
	n := 0
	for _, tc := range []struct {
		name, options string
		count         int
		pick          session.Means
		want          string
	}{
		{"two", twoOptions, 2, session.AllowOnce, "yes"},
		{"reject first", `[` + option("n", "N", "reject_once") + `,` + option("y", "Y", "allow_once") + `]`, 2, session.AllowOnce, "y"},
		{"three", threeOptions, 3, session.AllowAlways, "always"},
		{"four", `[` + option("a", "A", "allow_once") + `,` + option("b", "B", "allow_always") + `,` + option("c", "C", "reject_once") + `,` + option("d", "D", "reject_always") + `]`, 4, session.AllowOnce, "a"},
		{"always first", `[` + option("b", "B", "allow_always") + `,` + option("a", "A", "allow_once") + `,` + option("cancel", "C", "reject_once") + `]`, 3, session.AllowOnce, "a"},
		{"one kind twice", `[` + option("a", "A", "allow_once") + `,` + option("b", "B", "allow_once") + `,` + option("c", "C", "reject_once") + `]`, 3, session.AllowOnce, "a"},
		{"allow only", `[` + option("a", "A", "allow_once") + `]`, 1, session.AllowOnce, "a"},
		{"an unknown kind", `[` + option("a", "A", "allow_for_an_hour") + `,` + option("b", "B", "allow_once") + `,` + option("c", "C", "reject_once") + `]`, 3, session.AllowOnce, "b"},
	} {
		n++
		id := fmt.Sprint(n)
		p.ask(id, "session/request_permission", permission(lsCall, tc.options))
		q := r.request(n)
		if len(q.Choices) != tc.count {
			t.Errorf("%s: %d choices, want %d: %q", tc.name, len(q.Choices), tc.count, q.Choices)
		}
		if q.Kind == session.Approval {
			r.reply(q, approve())
		} else {
			r.reply(q, choose(q, choiceOf(t, q, tc.pick)))
		}
		p.expectAnswer(id, selected(tc.want))
	}
	p.end("end_turn")
	r.done(tn)
}

func TestT45_AnUnknownKindCannotBeChosen(t *testing.T) {
	t.Parallel()
	r, p, tn, q := asked(t, lsCall, `[`+option("a", "Sure", "allow_for_an_hour")+`,`+option("b", "No", "reject_once")+`]`)
	if q.Kind == session.Approval {
		t.Errorf("an unknown kind became an approval: %+v", q)
	}
	for i, m := range q.Means {
		if m == session.Unknown && q.Accepts(choose(q, i)) == nil {
			t.Error("the unknown kind can be chosen")
		}
	}
	r.reply(q, reject())
	p.expectAnswer("0", selected("b"))
	p.expect("session/cancel")
	p.end("cancelled")
	r.done(tn)
}

func TestT45_DuplicateAndEmptyIDsAreRefused(t *testing.T) {
	t.Parallel()
	for name, options := range map[string]string{
		"duplicate": `[` + option("a", "A", "allow_once") + `,` + option("a", "B", "reject_once") + `]`,
		"empty":     `[` + option("", "A", "allow_once") + `,` + option("b", "B", "reject_once") + `]`,
	} {
		r, p := start(t)
		tn := r.turn(p, "go")
		p.ask("0", "session/request_permission", permission(lsCall, options))
		p.expectError("0", -32602)
		p.say("still here")
		p.end("end_turn")
		r.done(tn)
		if r.said(1) != "still here" {
			t.Errorf("%s: the turn says %q", name, r.said(1))
		}
	}
}

func TestT45_NoOptionsAreAnErrorThatIsSaid(t *testing.T) {
	t.Parallel()
	for _, options := range []string{`[]`, `null`, `"none"`} {
		r, p := start(t)
		tn := r.turn(p, "go")
		p.ask("0", "session/request_permission", permission(lsCall, options))
		w := p.next()
		if string(w.ID) != "0" || strings.Contains(string(w.Result), "selected") || options == "[]" && !strings.Contains(string(w.Result), "cancelled") {
			t.Errorf("%s: the client sent %v", options, w)
		}
		p.end("end_turn")
		r.done(tn)
		contains(t, options, r.notices(), "cannot be shown")
	}
}

// TestT45_AThousandOptions are shown, all of them, or refused.
func TestT45_AThousandOptions(t *testing.T) {
	t.Parallel()
	thousand := make([]string, 1000)
	for i := range thousand {
		thousand[i] = option(fmt.Sprint("o", i), fmt.Sprint("Way ", i), "allow_once")
	}
	r, p := start(t)
	tn := r.turn(p, "go")
	p.ask("0", "session/request_permission", permission(lsCall, `[`+strings.Join(thousand, ",")+`]`))
	p.say("barrier")
	r.untilSeen("barrier")
	shown := false
	for _, e := range r.events(1) {
		if q, is := e.(*session.Request); is {
			shown = true
			if len(q.Choices) != 1000 {
				t.Errorf("%d choices", len(q.Choices))
			}
			r.reply(q, choose(q, 999))
			p.expectAnswer("0", selected("o999"))
		}
	}
	if !shown {
		p.expectError("0", -32602)
		contains(t, "what was said", r.notices(), "cannot be shown")
	}
	p.end("end_turn")
	r.done(tn)
}

func TestT45_NamesDoNotPassForOtherLines(t *testing.T) {
	t.Parallel()
	d := newDeskRig(t)
	d.turn("go")
	d.peer.ask("0", "session/request_permission", permission(lsCall,
		`[`+option("a", "Yes\n  Reject\u202e", "allow_once")+`,`+option("b", "No\x1b[2J", "reject_once")+`]`))
	q := d.pending()
	for i, c := range q.Request.Choices {
		if strings.Contains(q.Request.Means[i].Words(), "\n") {
			t.Errorf("choice %d %q", i, c)
		}
	}
	if err := d.pane.Answer(q.ID, q.Digest, approve()); err != nil {
		t.Fatal(err)
	}
	d.peer.expectAnswer("0", selected("a"))
	d.peer.end("end_turn")
	d.idle()
	d.clean()
}

// TestREQ4_RejectionFallsBack holds what a rejection sends where the agent
// offers none of the kind.
func TestREQ4_RejectionFallsBack(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, options, want string }{
		{"no reject", `[` + option("a", "A", "allow_once") + `]`, cancelled},
		{"nothing but always", `[` + option("a", "A", "allow_once") + `,` + option("n", "Never", "reject_always") + `]`, ""},
	} {
		r, p, tn, q := asked(t, lsCall, tc.options)
		r.reply(q, reject())
		w := p.next()
		got := string(w.Result)
		if tc.want != "" {
			if fmt.Sprint(decode(t, got)) != fmt.Sprint(decode(t, tc.want)) {
				t.Errorf("%s: answered %s", tc.name, got)
			}
		} else if !strings.Contains(got, "cancelled") && !strings.Contains(got, `"n"`) {
			t.Errorf("%s: answered %s", tc.name, got)
		}
		p.expect("session/cancel")
		p.end("cancelled")
		r.done(tn)
	}
}

func TestREQ4_ChoosingRejectEndsTheTurn(t *testing.T) {
	t.Parallel()
	r, p, tn, q := asked(t, lsCall, threeOptions)
	r.reply(q, choose(q, 2))
	p.expectAnswer("0", selected("reject"))
	p.expect("session/cancel")
	p.end("cancelled")
	r.done(tn)
}

func TestPermissionBeforeItsToolCall(t *testing.T) {
	t.Parallel()
	r, p, tn, q := asked(t, `{"toolCallId":"late","title":"Run it","rawInput":{"command":"make"}}`, twoOptions)
	r.reply(q, approve())
	p.expectAnswer("0", selected("yes"))
	p.update(`{"sessionUpdate":"tool_call","toolCallId":"late","title":"make","kind":"execute","status":"in_progress"}`)
	p.update(`{"sessionUpdate":"tool_call_update","toolCallId":"late","status":"completed"}`)
	p.end("end_turn")
	r.done(tn)
	if c := r.calls()["late"]; c.Status != session.Done || c.Title != "make" {
		t.Errorf("the call is %+v", c)
	}
}

func TestBarePermissionShowsItsCall(t *testing.T) {
	t.Parallel()
	r, p := start(t)
	tn := r.turn(p, "go")
	p.update(`{"sessionUpdate":"tool_call","toolCallId":"c1","title":"Remove things","kind":"delete","rawInput":{"command":"rm -r build"},"locations":[{"path":"/w/build","line":3}]}`)
	p.ask("0", "session/request_permission", permission(`{"toolCallId":"c1"}`, twoOptions))
	q := r.request(1)
	if !field(q, "rm -r build") || !strings.Contains(q.Claim, "Remove things") {
		t.Errorf("the request is %+v", q)
	}
	r.reply(q, approve())
	p.expectAnswer("0", selected("yes"))
	p.end("end_turn")
	r.done(tn)
}

func TestSeveralPermissionsAnsweredInAnyOrder(t *testing.T) {
	t.Parallel()
	r, p := start(t)
	tn := r.turn(p, "go")
	for i := range 3 {
		p.ask(fmt.Sprint(i), "session/request_permission", permission(fmt.Sprintf(`{"toolCallId":"c%d","rawInput":{"command":"cmd%d"}}`, i, i), twoOptions))
	}
	for _, i := range []int{2, 0, 1} {
		q := r.request(i + 1)
		if !field(q, fmt.Sprint("cmd", i)) {
			t.Errorf("request %d is %+v", i, q)
		}
		r.reply(q, approve())
		p.expectAnswer(fmt.Sprint(i), selected("yes"))
	}
	p.end("end_turn")
	r.done(tn)
}

func TestEventsGoOnWhileAPermissionWaits(t *testing.T) {
	t.Parallel()
	r, p, tn, q := asked(t, lsCall, twoOptions)
	p.say("meanwhile")
	r.untilSeen("meanwhile")
	r.reply(q, approve())
	p.expectAnswer("0", selected("yes"))
	p.end("end_turn")
	r.done(tn)
}
