package ui

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"copydesk/core/command"
	"copydesk/core/desk"
	"copydesk/core/panel"
	"copydesk/core/session"
	"copydesk/ui/theme"

	"github.com/google/go-cmp/cmp"
)

var rows = []AgentRow{
	{Name: "claude", What: "Claude Code: claude-agent-acp"},
	{Name: "opencode", What: "opencode: opencode acp"},
	{Name: "gemini", What: "Gemini CLI: gemini --acp", Missing: "gemini is not on PATH. npm install -g @google/gemini-cli installs it."},
	{Name: "ollama", What: "qwen3-coder:30b at 127.0.0.1:11434"},
	{Name: "fake", What: "A SQL desk on ~/.local/state/copydesk/playground.db. No network, no key."},
}

// choosing is a desk with agents to choose from.
func choosing(t *testing.T, w, h int) *driver {
	t.Helper()
	d := drive(t, w, h, echoing("hi\n"))
	for _, name := range []string{"claude", "opencode", "ollama"} {
		d.agents.agents[name] = namedAgent{echoing("I am " + name + ".\n"), name}
	}
	d.agents.rows = rows
	return d
}

// top waits for a list of a kind over the desk.
func (d *driver) found() {
	d.t.Helper()
	d.until("what was looked for", func(string) bool {
		l, ok := d.app.stack.Top().(*lookup)
		return ok && l.found
	})
}

func TestAGT6_ThePickerSwitchesTheAgentAndKeepsTheSession(t *testing.T) {
	d := choosing(t, 110, 24)
	d.typed("hello\n")
	d.idle()
	d.press("ctrl+x a")
	d.found()
	d.shows("Agent of this pane", "✓ fake", "gemini is not on PATH")
	d.typed("open")
	d.lacks("claude-agent-acp")
	d.press("enter")
	d.shows("opencode · test")
	d.shows("[simple] hello ✓")
	d.typed("hello again\n")
	d.shows("▎ I am opencode.")
	if len(d.app.tabs) != 1 {
		t.Error("switching opened a pane")
	}
}

// TestAGT6_ANewPaneComesWithoutAGapForKeys types on while a pane is being opened:
// nothing of it is lost, and it is where the user was.
func TestAGT6_ANewPaneComesWithoutAGapForKeys(t *testing.T) {
	d := choosing(t, 110, 24)
	d.typed("/new claude\n")
	d.typed("for the first pane")
	d.shows("[2 claude]")
	d.press("alt+1")
	first := d.app.field.Text()
	d.press("alt+2")
	if got := first + d.app.field.Text(); got != "for the first pane" {
		t.Errorf("%q became of what was typed", got)
	}
}

func TestAGT6_AMissingAgentSaysWhatIsMissing(t *testing.T) {
	d := choosing(t, 110, 24)
	d.press("ctrl+x a")
	d.found()
	d.typed("gem")
	d.press("enter")
	d.shows("npm install -g @google/gemini-cli")
	if d.app.stack.Top() == nil {
		t.Error("a missing agent was taken")
	}
}

func TestAGT6_ANewPaneGetsTheAgentThatIsPicked(t *testing.T) {
	d := choosing(t, 110, 24)
	d.press("ctrl+x w")
	d.found()
	d.shows("New pane with")
	d.typed("cla")
	d.press("enter")
	d.shows("1 fake [2 claude]")
	d.typed("hello\n")
	d.shows("▎ I am claude.")
	d.typed("/new ollama\n")
	d.shows("[3 ollama]")
	d.app.carryOut(command.NewPane{Name: "nobody"})
	d.shows("[error] There is no agent called nobody.")
	if len(d.app.tabs) != 3 {
		t.Errorf("there are %d panes", len(d.app.tabs))
	}
}

// TestAGT6_ThePickerLooksForAgentsBesideTheScreen types and closes while the
// agents are looked for.
func TestAGT6_ThePickerLooksForAgentsBesideTheScreen(t *testing.T) {
	d := choosing(t, 80, 24)
	d.agents.looking = make(chan struct{})
	d.press("ctrl+x a")
	d.shows("Looking for agents…")
	d.press("enter")
	d.typed("cl")
	close(d.agents.looking)
	d.found()
	d.shows("/ cl")
	d.lacks("opencode")
	if d.app.state.Agent != "fake" {
		t.Fatal("a key that was pressed before the list came picked an agent")
	}
	d.press("esc")

	d.agents.looking = make(chan struct{})
	d.press("ctrl+x a")
	d.shows("Looking for agents…")
	d.press("esc")
	if d.app.stack.Top() != nil {
		t.Fatal("Esc did not close the list")
	}
	d.until("giving up", func(string) bool {
		d.agents.mu.Lock()
		defer d.agents.mu.Unlock()
		return d.agents.gaveUp
	})
	d.draw()
	if d.app.stack.Top() != nil {
		t.Error("a list that was closed came back")
	}
}

func TestAGT6_TheFirstFrameAsksForAnAgent(t *testing.T) {
	d := choosing(t, 100, 24)
	deps := d.app.deps
	deps.PickAtStart = true
	d.app = New(deps)
	d.found()
	d.screen.Golden(t, "pick-at-start-100x24")
	d.press("esc")
	d.lacks("Agent of this pane")
	if d.app.state.Agent != "fake" || d.app.holder() != d.app.field {
		t.Error("Esc did not leave what is there")
	}
}

func TestAGT6_ThePickerOnTheScreen(t *testing.T) {
	for _, size := range [][2]int{{120, 40}, {80, 24}, {40, 10}} {
		d := choosing(t, size[0], size[1])
		d.press("ctrl+x a")
		d.found()
		d.press("down", "down")
		d.screen.Golden(t, fmt.Sprintf("agents-%dx%d", size[0], size[1]))
	}
	for name, o := range map[string]theme.Options{"light": {Name: "light", Colors: 256}, "nocolor": {NoColor: true}} {
		d := choosing(t, 80, 24)
		s := d.app.Settings
		s.Theme, _ = theme.New(o)
		d.app.Configure(s)
		d.draw()
		d.press("ctrl+x a")
		d.found()
		d.screen.Golden(t, "agents-"+name)
	}
}

var settings = []session.Option{
	{ID: "mode", Name: "Mode", Category: "mode", Summary: "What the agent may do by itself", Value: "ask", Values: []session.OptionValue{
		{Value: "ask", Name: "Ask", Summary: "asks before it changes anything"},
		{Value: "plan", Name: "Plan", Summary: "reads and plans only"},
		{Value: "edits", Name: "Accept edits", Summary: "edits without asking"},
	}},
	{ID: "model", Name: "Model", Category: "model", Value: "sonnet", Values: []session.OptionValue{
		{Value: "opus", Name: "Opus 4.5", Group: "Anthropic", Summary: "for hard work"},
		{Value: "sonnet", Name: "Sonnet 4.5", Group: "Anthropic"},
		{Value: "gpt", Name: "GPT-5.1", Group: "OpenAI"},
	}},
}

func TestAGT2_OptionsAreAListOfListsThatSets(t *testing.T) {
	d := drive(t, 100, 24, echoing("x"))
	r := d.enrich(rich{options: settings})
	d.press("ctrl+x m")
	d.shows("Options of fake", "Mode", "Ask: What the agent may do by itself", "Sonnet 4.5")
	d.press("down", "enter")
	d.shows("Anthropic", "✓ Sonnet 4.5", "OpenAI", "for hard work")
	d.typed("gpt")
	d.press("enter")
	d.app.carryOut(command.Options{Category: "model", Value: "Opus 4.5"})
	d.app.carryOut(command.Options{Category: "mode", Value: "PLAN"})
	d.app.carryOut(command.Options{Category: "mode", Value: ""})
	d.shows("✓ Ask", "reads and plans only")
	d.press("enter")
	if diff := cmp.Diff([]string{"model=gpt", "model=opus", "mode=plan", "mode=ask"}, r.set); diff != "" {
		t.Error(diff)
	}
	d.app.carryOut(command.Options{Category: "model", Value: "haiku"})
	d.shows(`[error] fake has no model called "haiku". There is: Opus 4.5, Sonnet 4.5, GPT-5.1.`)
	r.options = nil
	d.app.carryOut(command.Options{Category: "model", Value: ""})
	d.shows("[system] fake has no model to choose.")
	d.press("ctrl+x m")
	d.shows("[system] fake has no options to set.")
}

func TestOptionsOnTheScreen(t *testing.T) {
	for _, size := range [][2]int{{120, 40}, {80, 24}, {40, 10}} {
		d := drive(t, size[0], size[1], echoing("x"))
		d.enrich(rich{options: settings})
		d.press("ctrl+x m")
		d.screen.Golden(t, fmt.Sprintf("options-%dx%d", size[0], size[1]))
		d.press("down", "enter")
		d.screen.Golden(t, fmt.Sprintf("options-model-%dx%d", size[0], size[1]))
	}
}

var kept = []desk.DetailText{
	{
		Detail: desk.Detail{ID: 3, Kind: panel.Tool, Title: "edit core/panel/panel.go", Status: session.Done, Lines: 9},
		Parts: []session.Part{
			{Kind: session.PlacePart, Name: "core/panel/panel.go:41"},
			{Kind: session.DiffPart, Name: "core/panel/panel.go", Text: "--- a/core/panel/panel.go\n+++ b/core/panel/panel.go\n@@ -40,4 +40,4 @@\n func (p *Panel) Touch() {\n-\tp.rev = p.rev + 1\n+\tp.rev++\n }\n-- not a header\n"},
		},
	},
	{
		Detail: desk.Detail{ID: 2, Kind: panel.Tool, Title: "execute go test ./...", Status: session.Failed, Lines: 3},
		Parts:  []session.Part{{Kind: session.OutputPart, Text: "ok  \tcopydesk/core/panel\t0.8s\n\x1b[31mFAIL\x1b[0m\tcopydesk/ui\r\nhidden \u202e end"}},
	},
	{
		Detail: desk.Detail{ID: 1, Kind: panel.Thought, Title: "The clock is read twice, so a slow machine sees two frames.", Lines: 12},
		Parts:  []session.Part{{Kind: session.OutputPart, Text: strings.Repeat("The clock is read twice, so a slow machine sees two frames.\n", 12)}},
	},
}

func TestDetailsAreReadAndCopiedAsTheyCame(t *testing.T) {
	d := drive(t, 100, 30, echoing("x"))
	r := d.enrich(rich{})
	d.press("ctrl+x o")
	d.shows("There is no tool call and no thought yet.")
	r.details = kept
	d.press("ctrl+x o")
	d.shows("✓ tool", "edit core/panel/panel.go (9 lines)", "✗ tool", "thought")
	d.press("down", "enter")
	d.shows("FAIL␛[0m", "hidden <U+202E> end")
	d.press("c")
	d.until("a copy", func(string) bool { return len(d.clip.all()) == 1 })
	if got, want := d.clip.all()[0], kept[1].Parts[0].Text; got != want {
		t.Errorf("copied %q, want %q", got, want)
	}
	d.press("esc")
	d.shows("Tool calls and thoughts")
	d.press("esc")
	d.lacks("Tool calls and thoughts")
	r.details = nil
	d.app.read(r, 2, func() {})
	d.shows("Its text is no longer kept.")
}

func TestTheRawTextOfSeveralParts(t *testing.T) {
	want := "core/panel/panel.go:41\n" + kept[0].Parts[1].Text
	if got := rawDetail(kept[0]); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestDetailsOnTheScreen(t *testing.T) {
	for _, size := range [][2]int{{120, 40}, {80, 24}, {40, 10}} {
		d := drive(t, size[0], size[1], echoing("x"))
		d.enrich(rich{details: kept})
		d.press("ctrl+x o")
		d.screen.Golden(t, fmt.Sprintf("details-%dx%d", size[0], size[1]))
		d.press("enter")
		d.screen.Golden(t, fmt.Sprintf("details-diff-%dx%d", size[0], size[1]))
	}
}

func TestAGT2_AStoredSessionIsPickedAndLoaded(t *testing.T) {
	d := drive(t, 100, 24, echoing("x"))
	now := d.clock.Now()
	r := d.enrich(rich{stored: func(context.Context) ([]session.Stored, error) {
		return []session.Stored{
			{ID: "s2", Title: "Fix the flaky panel test\x1b[2J", Dir: "~/src/app", Updated: now.Add(-time.Minute)},
			{ID: "s1", Updated: now.AddDate(-1, 0, 0)},
		}, nil
	}})
	d.app.carryOut(command.Sessions{})
	d.found()
	d.shows("Sessions of fake", "Fix the flaky panel test␛[2J", "today ", "~/src/app", "s1")
	d.press("down", "enter")
	if diff := cmp.Diff([]string{"s1"}, r.loaded); diff != "" {
		t.Error(diff)
	}
	r.stored = func(context.Context) ([]session.Stored, error) {
		return nil, fmt.Errorf("ask fake: %w", errors.New("it keeps no sessions"))
	}
	d.app.carryOut(command.Sessions{})
	d.shows("[error] Ask fake: it keeps no sessions.")
	if d.app.stack.Top() != nil {
		t.Error("a list of nothing stays")
	}
}
