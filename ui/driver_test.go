package ui

import (
	"context"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"copydesk/core"
	"copydesk/core/clipboard"
	"copydesk/core/desk"
	"copydesk/core/session"
	"copydesk/ui/keys"
	"copydesk/ui/theme"
	"copydesk/ui/uitest"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/tview"
)

// script is an agent that does what a test says.
type script func(ctx context.Context, prompt string, yield func(session.Event, error) bool)

func (script) Name() string                  { return "fake" }
func (script) Echo(in string) (string, bool) { return "simple", !strings.HasPrefix(in, "mode") }
func (s script) Run(ctx context.Context, prompt string) iter.Seq2[session.Event, error] {
	return func(yield func(session.Event, error) bool) { s(ctx, prompt, yield) }
}

// fakeClipboard records copies and takes them all.
type fakeClipboard struct {
	mu     sync.Mutex
	copies []string
	fail   bool
	slow   chan struct{} // closed when copies may go on; nil: at once
}

func (c *fakeClipboard) Copy(ctx context.Context, content string) clipboard.Receipt {
	if c.slow != nil {
		select {
		case <-c.slow:
		case <-ctx.Done():
			return clipboard.Receipt{}
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.copies = append(c.copies, content)
	r := clipboard.RouteResult{Route: "xclip", Outcome: clipboard.Owned}
	if c.fail {
		r = clipboard.RouteResult{Route: "xclip", Outcome: clipboard.Failed, Reason: "no display"}
	}
	return clipboard.Receipt{Bytes: len(content), Routes: []clipboard.RouteResult{r}}
}

func (c *fakeClipboard) Select(ctx context.Context, content string) clipboard.Receipt {
	return c.Copy(ctx, content)
}

func (c *fakeClipboard) File(ctx context.Context, content, path string) clipboard.Receipt {
	r := c.Copy(ctx, path+": "+content)
	r.Routes = []clipboard.RouteResult{{Route: clipboard.RouteFile, Outcome: clipboard.Saved, Path: path}}
	return r
}

func (c *fakeClipboard) Doctor(context.Context) string { return "Where you are:\n  nowhere" }

func (c *fakeClipboard) all() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]string(nil), c.copies...)
}

// fakeDesk opens the agents of a test in panes of a real desk.
type fakeDesk struct {
	desk    *desk.Desk
	agents  map[string]session.Agent
	rows    []AgentRow    // what Agents lists; nil: those that there are
	looking chan struct{} // closed when they have been found; nil: at once
	rich    *rich         // stands for its pane; nil: none does

	mu     sync.Mutex
	gaveUp bool // the list was closed before they were found
}

// rich is a pane whose agent has what a test gives it: options, sessions of its
// own, details.
type rich struct {
	*desk.Pane
	options []session.Option
	stored  func(context.Context) ([]session.Stored, error)
	details []desk.DetailText // the newest first

	set    []string // what was set: "mode=plan"
	loaded []string
}

func (r *rich) Options() []session.Option  { return r.options }
func (r *rich) SetOption(id, value string) { r.set = append(r.set, id+"="+value) }
func (r *rich) Load(id string)             { r.loaded = append(r.loaded, id) }

func (r *rich) Stored(ctx context.Context) ([]session.Stored, error) { return r.stored(ctx) }

func (r *rich) Details() []desk.Detail {
	var heads []desk.Detail
	for _, d := range r.details {
		heads = append(heads, d.Detail)
	}
	return heads
}

func (r *rich) Detail(id uint64) (desk.DetailText, bool) {
	i := slices.IndexFunc(r.details, func(d desk.DetailText) bool { return d.ID == id })
	if i < 0 {
		return desk.DetailText{}, false
	}
	return r.details[i], true
}

func (f *fakeDesk) Panes() []Pane {
	var panes []Pane
	for _, p := range f.desk.Panes() {
		if f.rich != nil && f.rich.Pane == p {
			panes = append(panes, f.rich)
		} else {
			panes = append(panes, p)
		}
	}
	return panes
}

func (f *fakeDesk) Agents(ctx context.Context) []AgentRow {
	if f.looking != nil {
		select {
		case <-f.looking:
		case <-ctx.Done():
			f.mu.Lock()
			defer f.mu.Unlock()
			f.gaveUp = true
			return nil
		}
	}
	if f.rows != nil {
		return f.rows
	}
	var rows []AgentRow
	for _, name := range slices.Sorted(maps.Keys(f.agents)) {
		rows = append(rows, AgentRow{Name: name, What: "An agent of the test"})
	}
	return rows
}

func (f *fakeDesk) Open(name string) error {
	agent, ok := f.agents[name]
	if !ok {
		return fmt.Errorf("there is no agent called %s", name)
	}
	f.desk.Open(agent, options(name))
	return nil
}

func (f *fakeDesk) Switch(p Pane, name string) error {
	agent, ok := f.agents[name]
	if !ok {
		return fmt.Errorf("there is no agent called %s", name)
	}
	if f.rich != nil && p == Pane(f.rich) {
		p = f.rich.Pane
	}
	p.(*desk.Pane).Switch(agent, options(name))
	return nil
}

func (f *fakeDesk) Close(p Pane) error {
	f.desk.ClosePane(p.(*desk.Pane))
	return nil
}

func options(name string) desk.PaneOptions {
	return desk.PaneOptions{Loose: true, Title: name + " · test", Hint: "Type a command."}
}

// A driver is a user in front of a desk: it presses keys and reads the screen.
// The event loop of tview does not run; the driver does what it would do, on
// the test's goroutine, so that every test is the same each time.
type driver struct {
	t      testing.TB
	screen *uitest.Screen
	clock  *uitest.Clock
	clip   *fakeClipboard
	desk   *desk.Desk
	agents *fakeDesk
	pane   *desk.Pane // the first one
	bell   <-chan struct{}
	app    *App

	called  []string        // what the user was called for
	grabbed tview.Primitive // what takes the mouse while a button is held
}

// enrich lets the first pane have what a test gives its agent.
func (d *driver) enrich(r rich) *rich {
	r.Pane = d.pane
	d.agents.rich = &r
	d.draw()
	return &r
}

func drive(t testing.TB, w, h int, agent script) *driver {
	t.Helper()
	return driveWith(t, w, h, agent, nil)
}

func driveWith(t testing.TB, w, h int, agent script, rebind map[string][]string) *driver {
	t.Helper()
	d := &driver{t: t, screen: uitest.NewScreen(t, w, h), clock: uitest.NewClock(), clip: &fakeClipboard{}}
	d.desk = desk.New(desk.Deps{
		Now: d.clock.Now, Go: func(f func()) { go f() }, Log: slog.New(slog.NewTextHandler(io.Discard, nil)), PanelLines: core.PanelLines,
	})
	d.agents = &fakeDesk{desk: d.desk, agents: map[string]session.Agent{"fake": agent}}
	d.pane = d.desk.Open(agent, options("fake"))
	d.bell = d.desk.Listen()
	th, err := theme.New(theme.Options{Name: "dark", Colors: 256})
	if err != nil {
		t.Fatal(err)
	}
	m, problems := keys.Compile(rebind)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	d.app = New(Deps{
		Screen:    d.screen,
		Desk:      d.agents,
		Changed:   d.desk.Listen(),
		Clipboard: d.clip,
		SetTitle:  d.screen.SetTitle,
		SetWaiting: func(title string) {
			if title != "" {
				d.screen.SetTitle(title)
			}
		},
		Notify:   func(title, body string) { d.called = append(d.called, title+": "+body) },
		Suspend:  func(*tview.Application) error { return nil },
		Commands: d.desk.Commands().Rows(),
		Settings: Settings{Theme: th, Keys: m, Quiet: core.QuietGate},
		Now:      d.clock.Now,
		After: func(after time.Duration, f func()) func() {
			timer := d.clock.AfterFunc(after, f)
			return func() { timer.Stop() }
		},
		Go: func(f func()) { go f() },
	})
	d.screen.SetSize(w, h)
	t.Cleanup(func() {
		d.app.Quit()
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if err := d.desk.Close(ctx); err != nil {
			t.Errorf("closing the desk: %v", err)
		}
	})
	d.draw()
	return d
}

// draw takes what has changed and draws a frame.
func (d *driver) draw() {
	d.app.pull()
	d.app.tv.ForceDraw()
}

// wait lets the injected time pass.
func (d *driver) wait(t time.Duration) {
	for t > 0 {
		step := min(t, 10*time.Millisecond)
		d.clock.Advance(step)
		select {
		case <-d.app.mail:
			d.draw()
		default:
		}
		t -= step
	}
	d.draw()
}

// press presses keys by the names of chords.
func (d *driver) press(chords ...string) {
	d.t.Helper()
	for _, c := range chords {
		chord, err := keys.Parse(c)
		if err != nil {
			d.t.Fatal(err)
		}
		for _, s := range chord {
			d.event(tcell.NewEventKey(s.Key, s.Rune, s.Mod))
		}
	}
}

// event hands a key to the desk as of the injected time.
func (d *driver) event(ev *tcell.EventKey) {
	d.app.key(ev)
	d.draw()
}

// typed types a text; LF is Enter.
func (d *driver) typed(s string) {
	d.t.Helper()
	for _, r := range s {
		if r == '\n' {
			d.press("enter")
			continue
		}
		d.event(tcell.NewEventKey(tcell.KeyRune, r, tcell.ModNone))
	}
}

func (d *driver) paste(s string) {
	d.app.stack.PasteHandler()(s, func(tview.Primitive) {})
	d.draw()
}

func (d *driver) resize(w, h int) {
	d.screen.SetSize(w, h)
	d.screen.Clear()
	d.draw()
}

func (d *driver) text() string { return strings.Join(d.screen.Rows(), "\n") }

// until draws until the screen is as wanted, woken by the desk's doorbell.
func (d *driver) until(what string, ok func(screen string) bool) {
	d.t.Helper()
	deadline := time.After(10 * time.Second)
	for {
		d.draw()
		if ok(d.text()) {
			return
		}
		select {
		case <-d.bell:
		case <-d.app.mail:
		case <-deadline:
			d.t.Fatalf("waited for %s; the screen is\n%s", what, d.text())
		}
	}
}

func (d *driver) shows(texts ...string) {
	d.t.Helper()
	for _, want := range texts {
		d.until("\""+want+"\"", func(s string) bool { return strings.Contains(s, want) })
	}
}

func (d *driver) lacks(texts ...string) {
	d.t.Helper()
	for _, bad := range texts {
		if strings.Contains(d.text(), bad) {
			d.t.Errorf("the screen shows %q:\n%s", bad, d.text())
		}
	}
}

// idle waits for the end of the running turn and its queue.
func (d *driver) idle() {
	d.t.Helper()
	d.until("the end of the turn", func(string) bool { return !d.app.state.Running })
}

// answering runs a turn that asks and says what it was answered.
func answering(r session.Request) script {
	return func(ctx context.Context, _ string, yield func(session.Event, error) bool) {
		reply := make(chan session.Answer, 1)
		q := r
		q.Reply = reply
		if !yield(session.Text{Chunk: "partial text\n"}, nil) || !yield(&q, nil) {
			return
		}
		select {
		case a := <-reply:
			yield(session.Text{Chunk: "answered " + a.Response() + "\n"}, nil)
		case <-ctx.Done():
		}
	}
}

var dropRequest = session.Request{
	Kind: session.Approval, Prompt: "Drop the table customers?", Choices: []string{"Drop customers and its 3 rows", "Keep it"},
	Fields: []session.Field{{Name: "Statement", Value: "DROP TABLE customers"}, {Name: "Rows", Value: "3"}},
	Claim:  "Clean up",
}

// echoing answers every prompt with a text.
func echoing(chunks ...string) script {
	return func(_ context.Context, _ string, yield func(session.Event, error) bool) {
		for _, c := range chunks {
			if !yield(session.Text{Chunk: c}, nil) {
				return
			}
		}
	}
}

// twoRequests asks two things at once.
func twoRequests(ctx context.Context, _ string, yield func(session.Event, error) bool) {
	var replies []chan session.Answer
	for _, prompt := range []string{"First?", "Second?"} {
		reply := make(chan session.Answer, 1)
		replies = append(replies, reply)
		if !yield(&session.Request{Kind: session.Approval, Prompt: prompt, Choices: []string{"Yes", "No"}, Reply: reply}, nil) {
			return
		}
	}
	var said []string
	for _, reply := range replies {
		select {
		case a := <-reply:
			said = append(said, a.Response())
		case <-ctx.Done():
			return
		}
	}
	yield(session.Text{Chunk: strings.Join(said, " ") + "\n"}, nil)
}
