package chat

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/openai/openai-go/v3"
	"pgregory.net/rapid"

	"copydesk/core/session"
)

// told is what a request says of the conversation.
func (a asked) told() string {
	var said []string
	for _, m := range a.Messages[1:] {
		said = append(said, m.Role+" "+m.Content)
	}
	return strings.Join(said, "|")
}

func user(s string) session.Turn { return session.Turn{Role: session.User, Content: s} }

func answered(s string, o session.Outcome) session.Turn {
	return session.Turn{Role: session.Assistant, Agent: "tester", Content: s, Outcome: o}
}

// TestT50_WhatWasSaidBeforeIsTold to the model with the next prompt, and nothing
// of it before.
func TestT50_WhatWasSaidBeforeIsTold(t *testing.T) {
	const end = "(The user ended the turn here.)"
	for name, tt := range map[string]struct {
		past []session.Turn
		want string
	}{
		"nothing":     {nil, ""},
		"whole":       {[]session.Turn{user("a"), answered("b\n\nc", session.Complete), user("d"), answered("", session.Complete)}, "user a|assistant b\n\nc|user d|assistant |"},
		"rejected":    {[]session.Turn{user("a"), answered("I will", session.Rejected), user("b"), answered("", session.Rejected)}, "user a|assistant I will|user b|assistant " + end + "|"},
		"cancelled":   {[]session.Turn{user("a"), answered("", session.Cancelled)}, "user a|assistant " + end + "|"},
		"broken":      {[]session.Turn{user("a"), answered("half", session.Broken), user("b"), answered("", session.Broken)}, "user a|assistant half|"},
		"interrupted": {[]session.Turn{user("a"), answered("", session.Interrupted)}, "user a|assistant (The turn was interrupted here.)|"},
		"said late":   {[]session.Turn{answered("before", session.Complete), user("a"), answered("b", session.Complete), answered("c", session.Complete)}, "user a|assistant b\n\nc|"},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHost(t, says("ok"))
			a := chatWith(t, h, nil)
			a.Resume(a.Ref(), tt.past)
			if len(h.requests()) > 0 {
				t.Fatal("something was sent")
			}
			if got := play(t, a, "on", nil); got.err != nil || len(got.notices) > 0 {
				t.Fatalf("%v, %q", got.err, got.notices)
			}
			last := h.requests()[0]
			last.valid(t)
			if got := last.told(); got != tt.want+"user on" {
				t.Errorf("the model is told %q", got)
			}
		})
	}
}

// TestT50_WhatOthersWereToldStaysWithThem: it is sent to no other server, and
// that is said.
func TestT50_WhatOthersWereToldStaysWithThem(t *testing.T) {
	h := newHost(t, says("ok"))
	a := chatWith(t, h, nil)
	a.Resume("", []session.Turn{user("secret"), {Role: session.Assistant, Agent: "other", Content: "sesame"}, user("a"), answered("b", session.Complete)})
	for e := range a.Aside(t.Context()) {
		if n, is := e.(session.Notice); !is || n.Text != "tester does not know what was said here to other agents." {
			t.Errorf("said %+v", e)
		}
		break
	}
	play(t, a, "on", nil)
	if got := h.requests()[0].told(); got != "user a|assistant b|user on" {
		t.Errorf("the model is told %q", got)
	}
}

func TestAGT4_APastThatIsTooLongIsLeftOutAloud(t *testing.T) {
	h := newHost(t, says("ok"))
	a := chatWith(t, h, func(o *Options) { o.Context = 3000 })
	var past []session.Turn
	for i := range 100 {
		past = append(past, user(fmt.Sprint("prompt ", i)), answered(strings.Repeat("a", 300), session.Complete))
	}
	a.Resume("", past)
	got := play(t, a, "on", nil)
	last := h.requests()[0]
	last.valid(t)
	var left int
	if len(got.notices) != 1 {
		t.Fatalf("said %q", got.notices)
	}
	if _, err := fmt.Sscanf(got.notices[0], "The conversation has outgrown the model's context: its %d oldest turns", &left); err != nil {
		t.Fatalf("said %q", got.notices)
	}
	if first := last.Messages[1].Content; left < 50 || first != fmt.Sprint("prompt ", left) {
		t.Errorf("%d are left out, the first is %q", left, first)
	}
}

// However a session went, what is told of it is what a server takes.
func TestAGT4_EveryPastIsValid(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		a := &Agent{options: Options{Name: "tester"}}
		turn := rapid.Custom(func(rt *rapid.T) session.Turn {
			s := session.Turn{Content: rapid.SampledFrom([]string{"", "x", "\xff"}).Draw(rt, "content")}
			if s.Role = rapid.SampledFrom([]session.Role{session.User, session.Assistant, "other"}).Draw(rt, "role"); s.Role == session.Assistant {
				s.Agent = rapid.SampledFrom([]string{"tester", "other"}).Draw(rt, "agent")
				s.Outcome = session.Outcome(rapid.IntRange(0, int(session.Interrupted)).Draw(rt, "outcome"))
			}
			return s
		})
		a.Resume("", rapid.SliceOfN(turn, 0, 12).Draw(rt, "past"))
		a.past.begin("on")
		b, err := json.Marshal(openai.ChatCompletionNewParams{Messages: a.past.messages()})
		if err != nil {
			rt.Fatal(err)
		}
		var got asked
		if err := json.Unmarshal(b, &got); err != nil {
			rt.Fatal(err)
		}
		got.valid(t)
		if got.Messages[0].Role != "user" {
			rt.Fatalf("the first message is %+v", got.Messages[0])
		}
	})
}
