//go:build unix

package acp_test

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"copydesk/core/command"
	"copydesk/core/panel"
)

// everywhere puts a text into each place of a turn that shows text.
func everywhere(p *peer, text string) {
	q := quote(text)
	for _, update := range []string{
		`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":` + q + `}}`,
		`{"sessionUpdate":"agent_thought_chunk","content":{"type":"text","text":` + q + `}}`,
		`{"sessionUpdate":"tool_call","toolCallId":"c1","title":` + q + `,"kind":` + q + `,"status":"pending","locations":[{"path":` + q + `}],"rawInput":{"command":` + q + `}}`,
		`{"sessionUpdate":"tool_call_update","toolCallId":"c1","status":"completed","content":[{"type":"content","content":{"type":"text","text":` + q + `}},{"type":"diff","path":` + q + `,"oldText":` + q + `,"newText":` + quote(text+" new") + `}]}`,
		`{"sessionUpdate":"plan","entries":[{"content":` + q + `,"priority":"high","status":"pending"}]}`,
		`{"sessionUpdate":"session_info_update","title":` + q + `}`,
		`{"sessionUpdate":"usage_update","used":1,"size":2,"cost":{"amount":1,"currency":` + q + `}}`,
		`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":` + quote("```sh\n"+text+"\n```\n") + `}}`,
	} {
		p.update(update)
	}
}

// told plays a turn that says texts everywhere and returns the panel's text.
func told(t *testing.T, texts ...string) string {
	t.Helper()
	d := newDeskRig(t)
	d.turn("go")
	d.peer.say("a line before\n")
	for _, text := range texts {
		everywhere(d.peer, text)
	}
	d.peer.say("\nand one after")
	d.peer.end("end_turn")
	d.idle()
	d.clean()
	got := d.text()
	contains(t, "the panel", got, "a line before", "and one after")
	return got
}

func TestT26_EscapesAreVisible(t *testing.T) {
	t.Parallel()
	got := told(t, "A\x1b[2J\x1b[H\x1b[8mhid\x1b[0m\x1b[1A\x1b[2Kok\rB\x08\x08\x7f")
	contains(t, "the panel", got, "␛[2J", "hid", "ok")
}

func TestT27_EightBitControlsAndSplitSequences(t *testing.T) {
	t.Parallel()
	told(t, "\u009b2J", "\u009d52;c;dG91Y2ggUFdORUQK\u009c")

	d := newDeskRig(t)
	d.turn("go")
	d.peer.raw(strings.Replace(updateLine("s1", chunk("agent_message_chunk", "@")), "@", "\x9b2J", 1) + "\n")
	d.peer.say("\x1b")
	d.peer.say("]52;c;?\x07 done")
	d.peer.end("end_turn")
	d.idle()
	d.clean()
	contains(t, "the panel", d.text(), "]52;c;?", "done")
}

func TestT28_ClipboardWritesAreText(t *testing.T) {
	t.Parallel()
	got := told(t, "\x1b]52;c;dG91Y2ggUFdORUQK\x07", "\x1b]52;c;dG91Y2ggUFdORUQK\x1b\\", "\x1bPtmux;\x1b\x1b]52;c;dG91Y2ggUFdORUQK\x07\x1b\\")
	lacks(t, "the panel", got, "\x1b")
}

func TestT29_QueriesAreText(t *testing.T) {
	t.Parallel()
	told(t, "\x05 \x1b[c \x1b[>q \x1b[21t \x1b[6n \x1b]11;?\x07 \x1b]50;?\x07 \x1b]21;foo=?\x1b\\ \x1bP$qm\x1b\\ \x1b_Gi=1,a=q;AAAA\x1b\\")
}

func TestT32_BidiControlsAreVisible(t *testing.T) {
	t.Parallel()
	got := told(t, "if \u202e access \u2066 level \u2069 end", "\u202bnever closed")
	contains(t, "the panel", strings.ToUpper(got), "U+202E")
}

func TestT33_TagsAndZeroWidthAreVisible(t *testing.T) {
	t.Parallel()
	const tags = "\U000E0072\U000E006D\U000E0020\U000E002D\U000E0072\U000E0066\U000E0020\U000E007E"
	const scotland = "🏴\U000E0067\U000E0062\U000E0073\U000E0063\U000E0074\U000E007F"
	got := told(t, "run "+tags+" now", "a\u200bb\u2060c\u3164d", "flag "+scotland+" fine")
	if strings.Contains(got, tags) {
		t.Error("the tags are invisible")
	}
	contains(t, "the panel", got, scotland)
}

func TestT34_FloodsOfMarksAreBounded(t *testing.T) {
	t.Parallel()
	marks := 1_000_000
	if raceEnabled {
		marks = 100_000
	}
	d := newDeskRig(t)
	d.turn("go")
	d.peer.say("a" + strings.Repeat("\u0301", marks) + "\n")
	d.peer.say("x" + strings.Repeat("\u200dx", 10_000) + "\n" + strings.Repeat("\ufdfd", 1000) + "\n")
	d.peer.say("end")
	d.peer.end("end_turn")
	d.idle()
	began := time.Now()
	state := d.pane.Since(0)
	took := time.Since(began)
	d.clean()
	for _, l := range state.Lines {
		run := 0
		for _, r := range l.Text {
			if r == 0x301 {
				run++
			} else {
				run = 0
			}
			if run > 16 {
				t.Fatalf("more than 16 marks on one cell")
			}
		}
		if !utf8.ValidString(l.Text) {
			t.Error("a line is not UTF-8")
		}
	}
	if took > 2*time.Second {
		t.Errorf("the panel took %v", took)
	}
	contains(t, "the panel", d.text(), "end")
}

// TestT35_ADrawnDialogIsText: what looks like a dialog is an agent's line, and
// no request is open.
func TestT35_ADrawnDialogIsText(t *testing.T) {
	t.Parallel()
	d := newDeskRig(t)
	d.turn("go")
	d.peer.say("╭ Permission ──────────╮\n│ [a] approve [r] reject │\n╰──────────────────────╯\n")
	d.shows("approve")
	state := d.pane.Since(0)
	if len(state.Pending) != 0 {
		t.Error("a request is open")
	}
	for _, l := range state.Lines {
		if strings.Contains(l.Text, "approve") && l.Kind != panel.Answer {
			t.Errorf("the line is of kind %d", l.Kind)
		}
	}
	d.peer.quiet()
	d.peer.end("end_turn")
	d.idle()
}

// TestR6_LateWordsAreMarkedInThePanel: on the desk what comes late stands
// outside of the next turn's content.
func TestR6_LateWordsAreNoAnswer(t *testing.T) {
	t.Parallel()
	d := newDeskRig(t)
	d.turn("one")
	d.peer.say("begun ")
	d.shows("begun")
	d.pane.Cancel()
	d.peer.expect("session/cancel")
	d.peer.say("LATE1 ")
	d.peer.end("end_turn")
	d.idle()
	d.peer.say("LATE2")
	d.shows("LATE2")
	d.turn("two")
	d.peer.say("the answer")
	d.peer.end("end_turn")
	d.idle()
	c, err := d.pane.Copy(command.Copy{})
	if err != nil || c.Text != "the answer" {
		t.Errorf("the last answer is %q, %v; the panel shows\n%s", c.Text, err, d.text())
	}
}
