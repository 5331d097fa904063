package desk

import (
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"

	"copydesk/core/panel"
	"copydesk/core/session"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// A model drives a pane step by step, on the test's goroutine, and knows what
// must have become of every text.
type model struct {
	pane   *Pane
	turn   *turn    // nil: none runs
	loaded bool     // a stored session comes back
	kept   []string // texts that belong to turns
	shown  []string // texts in the order in which the panel has them
	late   []string // texts that wait for the end of the turn
	texts  int
	front  []panel.Shown // of a front end that pulls now and then
	rev    uint64
}

func newModel() *model {
	d := New(Deps{
		Now: func() time.Time { return time.Unix(0, 0) }, Go: func(func()) {},
		Log: slog.New(slog.NewTextHandler(io.Discard, nil)), PanelLines: 100_000,
	})
	return &model{pane: d.Open(scripted{}, PaneOptions{})}
}

// event draws something that an agent says. Texts have no line end, and each is
// another one.
func (m *model) event(t *rapid.T) (e session.Event, words string) {
	id := fmt.Sprint(rapid.IntRange(0, 3).Draw(t, "call"))
	status := session.Status(rapid.IntRange(0, 3).Draw(t, "status"))
	m.texts++
	switch rapid.IntRange(0, 9).Draw(t, "event") {
	case 0, 1, 2:
		words = fmt.Sprintf("<%d>", m.texts)
		return session.Text{Chunk: words}, words
	case 3:
		return session.Thought{Chunk: rapid.SampledFrom([]string{"hm", "\n", "so\nthen ", " "}).Draw(t, "thought")}, ""
	case 4:
		return session.ToolCall{ID: id, Title: rapid.SampledFrom([]string{"", "run"}).Draw(t, "title"), Status: status}, ""
	case 5:
		return session.ToolCall{ID: id, Status: status, Chunk: "more\n"}, ""
	case 6:
		text := rapid.SampledFrom([]string{"a\n", "a\nb\n", "@@ -1 +1 @@\n-a\n+b\n"}).Draw(t, "part")
		kind := rapid.SampledFrom([]session.PartKind{session.OutputPart, session.DiffPart}).Draw(t, "kind")
		return session.ToolCall{ID: id, Status: status, Parts: []session.Part{{Kind: kind, Text: text}}}, ""
	case 7:
		return session.Plan{Steps: make([]session.PlanStep, rapid.IntRange(0, 2).Draw(t, "steps"))}, ""
	case 8:
		return session.Notice{Text: "by the way"}, ""
	}
	return session.Break{}, ""
}

func (m *model) step(t *rapid.T) {
	switch rapid.IntRange(0, 9).Draw(t, "what") {
	case 0:
		if m.turn == nil {
			m.loaded = false
			m.pane.Submit("go")
			m.turn = m.pane.turn
		}
	case 1:
		if m.turn != nil {
			m.pane.finish(m.turn, nil)
			m.turn = nil
			m.shown, m.late = append(m.shown, m.late...), nil
		}
	case 2:
		if m.turn == nil {
			m.loaded = true
			m.pane.overhear(m.pane.seat, session.Prompt{Chunk: "before"})
		}
	case 3:
		if m.turn == nil {
			m.loaded = false
			m.pane.overhear(m.pane.seat, session.Loaded{})
		}
	case 4, 5:
		e, words := m.event(t)
		m.pane.overhear(m.pane.seat, e)
		switch {
		case words == "":
		case m.turn != nil:
			m.late = append(m.late, words)
		case m.loaded:
			m.kept, m.shown = append(m.kept, words), append(m.shown, words)
		default:
			m.shown = append(m.shown, words)
		}
	default:
		if m.turn != nil {
			e, words := m.event(t)
			m.pane.take(m.turn, e)
			if words != "" {
				m.kept, m.shown = append(m.kept, words), append(m.shown, words)
			}
		}
	}
}

// pull takes what has changed. A line that was shown stays what it was: its
// kind never changes, and text only grows.
func (m *model) pull(t *rapid.T) {
	d := m.pane.Since(m.rev)
	m.rev = d.Revision
	for i, l := range d.Lines {
		n := int(d.From) + i
		if n == len(m.front) {
			m.front = append(m.front, l)
			continue
		}
		was := m.front[n]
		if was.Kind != l.Kind || was.Detail != l.Detail || l.Kind == panel.Answer && !strings.HasPrefix(l.Text, was.Text) {
			t.Fatalf("line %d was %q and became %q", n, was.Text, l.Text)
		}
		m.front[n] = l
	}
}

// TestPAN3_NothingIsLostWhateverComes mixes what comes in turns with what comes
// beside them and with stored sessions.
func TestPAN3_NothingIsLostWhateverComes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := newModel()
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			m.step(t)
			if rapid.IntRange(0, 3).Draw(t, "pull") == 0 {
				m.pull(t)
			}
		}
		m.pull(t)
		if diff := cmp.Diff(m.pane.Since(0).Lines, m.front); diff != "" {
			t.Fatalf("a front end that pulled now and then differs:\n%s", diff)
		}
		_, lines := m.pane.panel.Lines()
		var answers strings.Builder
		for i, l := range lines {
			again := panel.Shown{Kind: l.Kind, Detail: l.Detail, Line: panel.Compose(l)}
			if again.Text != m.front[i].Text || again.Kind != m.front[i].Kind || again.Detail != m.front[i].Detail {
				t.Fatalf("line %d is shown as %q, and composed anew it is %q", i, m.front[i].Text, again.Text)
			}
			if l.Kind == panel.Answer {
				answers.WriteString(l.Text)
			}
		}
		if got, want := answers.String(), strings.Join(m.shown, ""); got != want {
			t.Fatalf("the panel has the texts %s, want %s", got, want)
		}
		m.pane.session.End(session.Complete) // whatever is open
		var content strings.Builder
		for _, turn := range m.pane.session.Turns() {
			if turn.Role == session.Assistant {
				content.WriteString(turn.Content)
			}
		}
		if got, want := strings.ReplaceAll(content.String(), "\n", ""), strings.Join(m.kept, ""); got != want {
			t.Fatalf("the turns have the texts %s, want %s", got, want)
		}
	})
}
