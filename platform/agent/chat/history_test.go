package chat

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/openai/openai-go/v3"
	"pgregory.net/rapid"
)

func TestAGT4_RemembersTheConversation(t *testing.T) {
	h := newHost(t, says("one"), callStep("read_file", `{"path":"."}`), says("two"), says("three"))
	a := chatWith(t, h, nil)
	for _, p := range []string{"first", "second", "third"} {
		if got := play(t, a, p, nil); got.err != nil {
			t.Fatal(got.err)
		}
	}
	last := h.requests()[3]
	last.valid(t)
	var said []string
	for _, m := range last.Messages[1:] {
		said = append(said, m.Role+" "+m.Content)
	}
	want := "user first|assistant one|user second|assistant |tool A folder with 0 entries:\n\n|assistant two|user third"
	if got := strings.Join(said, "|"); got != want || last.Messages[0].Role != "system" {
		t.Errorf("the model is told %q", got)
	}
}

// TestAGT4_OldTurnsAreLeftOutAloud fills a small context.
func TestAGT4_OldTurnsAreLeftOutAloud(t *testing.T) {
	const turns = 30
	var steps []step
	for range turns {
		steps = append(steps, says(strings.Repeat("a", 300)))
	}
	h := newHost(t, steps...)
	a := chatWith(t, h, func(o *Options) { o.Context = 3000 })
	left := 0
	notices := 0
	for i := range turns {
		got := play(t, a, fmt.Sprint("prompt ", i), nil)
		if got.err != nil {
			t.Fatal(got.err)
		}
		for _, n := range got.notices {
			var more int
			if _, err := fmt.Sscanf(n, "The conversation has outgrown the model's context: its %d oldest turn", &more); err != nil {
				t.Fatalf("said %q", n)
			}
			left += more
			notices++
		}
		last := h.requests()[i]
		last.valid(t)
		if first := last.Messages[1].Content; first != fmt.Sprint("prompt ", left) {
			t.Fatalf("%d were said to be left out, the first is %q", left, first)
		}
		if b, err := json.Marshal(last.Messages); err != nil || len(b) > 3000*guessedBytesPerToken {
			t.Fatalf("%v, %d bytes are sent", err, len(b))
		}
	}
	if left == 0 || notices > turns/4 {
		t.Errorf("%d turns were left out in %d notices", left, notices)
	}
}

func TestAGT4_TheServersWordOnTheContext(t *testing.T) {
	full := func(w http.ResponseWriter, r *http.Request) {
		status(400, `{"error":{"code":400,"message":"the request exceeds the available context size, try increasing it","type":"exceed_context_size_error"}}`)(w, r)
	}
	h := newHost(t, says("1"), says("2"), says("3"), says("4"), full, full, says("ok"), full, full, full)
	a := chatWith(t, h, nil)
	for i := range 4 {
		play(t, a, fmt.Sprint("prompt ", i), nil)
	}
	got := play(t, a, "prompt 4", nil)
	if got.err != nil || len(got.notices) != 2 || !strings.Contains(got.notices[0], "its 2 oldest turns are left out") || !strings.Contains(got.notices[1], "its 1 oldest turn is left out") {
		t.Fatalf("%v, %q", got.err, got.notices)
	}
	if last := h.requests()[6]; last.Messages[1].Content != "prompt 3" {
		t.Errorf("the model is told %+v", last.Messages)
	}
	got = play(t, a, "prompt 5", nil)
	if got.err == nil || !strings.HasPrefix(got.err.Error(), "The conversation is longer than the model's context.") || len(got.notices) != 2 {
		t.Errorf("%v, %q", got.err, got.notices)
	}
}

// However a conversation went, the next request is one that a server takes, and
// what is left out is the oldest.
func TestAGT4_EveryHistoryIsValid(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		h := &history{}
		left := 0
		for i := range rapid.IntRange(1, 12).Draw(rt, "exchanges") {
			x := h.begin(fmt.Sprint(i))
			for range rapid.IntRange(0, 3).Draw(rt, "replies") {
				r := &reply{}
				r.text.WriteString(strings.Repeat("x", rapid.IntRange(0, 200).Draw(rt, "text")))
				for j := range rapid.IntRange(0, 3).Draw(rt, "calls") {
					c := &call{shown: fmt.Sprint(i, "-", j), id: rapid.SampledFrom([]string{"", "a", "b"}).Draw(rt, "id"), name: "x"}
					c.args.WriteString(rapid.SampledFrom([]string{"", "{}", `{"a`}).Draw(rt, "args"))
					r.calls = append(r.calls, c)
				}
				r.name()
				x.said(r, r.calls)
				if len(r.calls) == 0 {
					break
				}
				for range rapid.IntRange(0, len(r.calls)).Draw(rt, "results") {
					x.result("y")
				}
				if len(x.open) > 0 {
					break
				}
			}
			x.settle()
			left += h.fit(rapid.IntRange(0, 400).Draw(rt, "tokens"), 100)
			b, err := json.Marshal(openai.ChatCompletionNewParams{Messages: h.messages()})
			if err != nil {
				rt.Fatal(err)
			}
			var a asked
			if err := json.Unmarshal(b, &a); err != nil {
				rt.Fatal(err)
			}
			a.valid(t)
			if left > i || a.Messages[0].Content != fmt.Sprint(left) {
				rt.Fatalf("%d are left out, the first is %q", left, a.Messages[0].Content)
			}
		}
	})
}
