// Package ui is the front end on tview: it lays the desk out on the screen,
// pulls what changed at most once a frame, and turns keys into actions.
//
// Everything here belongs to the UI goroutine, the one that runs the event
// loop, but for what says otherwise.
package ui

import (
	"context"
	"fmt"
	"iter"
	"sync"
	"time"

	"copydesk/core"
	"copydesk/core/clipboard"
	"copydesk/core/command"
	"copydesk/core/desk"
	"copydesk/core/markdown"
	"copydesk/core/panel"
	"copydesk/core/pick"
	"copydesk/core/record"
	"copydesk/core/session"
	"copydesk/ui/dialog"
	"copydesk/ui/keys"
	"copydesk/ui/theme"
	"copydesk/ui/view"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/tview"
)

// A Pane is a conversation with an agent. Its methods must be safe from any
// goroutine and must not wait, for the user, for the agent or for a disk, but for
// Stored and Earlier.
type Pane interface {
	Number() int // from 1 on, never used again
	Since(rev uint64) desk.Delta
	Submit(input string) command.Effect
	Unqueue() (string, bool)
	Answer(id, digest string, a session.Answer) error
	Cancel() bool
	Copy(c command.Copy) (desk.Capture, error)
	Things(from, to panel.Position) []pick.Thing
	Picked(what, content string, added bool) desk.Capture
	Copied(content string)
	Note(said string, failed bool)
	Complete(input string) []command.Completion
	Options() []session.Option
	SetOption(id, value string)
	Stored(ctx context.Context) ([]session.Stored, error)
	Load(id string)
	Dequeue(i int, message string) bool
	Keep(input string, answers []record.Unsent)
	Draft() string
	Details() []desk.Detail
	Detail(id uint64) (desk.DetailText, bool)

	// Earlier are the lines that the panel no longer keeps, oldest first.
	Earlier(ctx context.Context) iter.Seq2[desk.Line, error]
}

// Sessions are the stored sessions. Its methods must be safe from any goroutine;
// they read files, and are called off the UI goroutine.
type Sessions interface {
	List(ctx context.Context) iter.Seq2[record.Summary, error] // newest first
	Search(ctx context.Context, words string) iter.Seq2[record.Hit, error]
	Read(ctx context.Context, id string) (desk.Past, error)
	Remove(id string) error

	// Open brings a session back in a pane, which it returns; in the one that
	// has it, if there is one.
	Open(id string) (Pane, error)
}

// A History keeps the prompts of each agent and folder. Its methods must be safe
// from any goroutine. Load reads a file; Add never waits, and leaves out what
// begins with a blank.
type History interface {
	Load(agent, dir string) []string // oldest first
	Add(agent, dir, prompt string)
}

// A Desk has the panes, and the agents to open them with. Its methods must be
// safe from any goroutine. Agents, Open and Switch may take a second and are
// called off the UI goroutine; the others must return at once.
type Desk interface {
	Panes() []Pane // in the order that they were opened in; at least one
	Agents(ctx context.Context) []AgentRow
	Open(name string) error // a new pane with that agent
	Switch(p Pane, name string) error
	Close(p Pane) error
}

// An AgentRow is an agent that can be picked, or could be if nothing was missing.
type AgentRow struct {
	Name    string
	What    string // what it is, in a few words
	Missing string // what is missing, with the command that installs it; empty: it is ready
	Current bool   // it is marked, as the agent of the pane is
}

// A Clipboard carries a copy to the user. Its methods may take seconds; they are
// called off the UI goroutine.
type Clipboard interface {
	Copy(ctx context.Context, content string) clipboard.Receipt

	// Select sets the primary selection, and leaves the clipboard as it is.
	Select(ctx context.Context, content string) clipboard.Receipt

	// File saves a copy in a file that does not exist yet; without a path it
	// finds a name.
	File(ctx context.Context, content, path string) clipboard.Receipt

	// Doctor tries every way that a copy can take and reports in plain text.
	Doctor(ctx context.Context) string
}

// Deps is what the front end needs from outside.
type Deps struct {
	Screen     tcell.Screen // ready to draw on
	Desk       Desk
	Changed    <-chan struct{} // rung after every change of any pane
	Clipboard  Clipboard
	Sessions   Sessions                       // nil: none are stored
	History    History                        // nil: only of this run
	SetTitle   func(title string)             // of the window
	SetWaiting func(title string)             // of the window while something waits for the user; empty: nothing does
	Notify     func(title, body string)       // calls a user who looks elsewhere
	Suspend    func(*tview.Application) error // gives the terminal to the shell until the user returns
	Highlight  markdown.Highlighter
	Commands   []command.Row
	Settings   Settings
	Now        func() time.Time
	After      func(d time.Duration, f func()) (stop func()) // calls f once, on any goroutine
	Go         func(func())

	// PickAtStart lets the user pick an agent first; closing the list leaves
	// what there is.
	PickAtStart bool
}

// Settings is what the user can change while the desk runs.
type Settings struct {
	Theme *theme.Theme
	Keys  *keys.Map
	Quiet time.Duration // REQ 5; between 200 ms and 5 s
	Mouse bool          // ask the terminal for clicks and the wheel

	CopyOnSelect bool // copy what the mouse has selected when its button is released
}

// An App is the front end of a desk. The tab that is shown is embedded: its
// fields are the app's, and turnTo alone sets it.
type App struct {
	deps Deps
	Settings
	tv   *tview.Application
	root *root

	*tab
	tabs []*tab

	sought   []string // in panels, in this run
	status   *statusBar
	stack    *dialog.Stack
	tooSmall bool
	popup    *dialog.Popup // what can follow the leader; nil without one
	plain    *view.Plain   // the clean view; nil without it

	leader   keys.Chord // the leader that was pressed
	toast    toast
	ticking  bool      // a timer will show the running turn's age anew
	lastQuit time.Time // of the press that asked to press again

	ctx  context.Context
	stop context.CancelFunc

	mu      sync.Mutex
	mailbox []func()
	flights sync.WaitGroup // copies on their way
	mail    chan struct{}  // capacity 1
	copies  int            // the newest copy's number
}

// New builds the front end. It draws nothing before Run.
func New(deps Deps) *App {
	ctx, stop := context.WithCancel(context.Background())
	a := &App{deps: deps, Settings: deps.Settings, ctx: ctx, stop: stop, mail: make(chan struct{}, 1)}
	for _, p := range deps.Desk.Panes() {
		a.tabs = append(a.tabs, a.newTab(p))
	}
	a.tab = a.tabs[0]
	a.status = newStatusBar(a.Theme)
	a.root = newRoot(a)
	a.stack = dialog.NewStack(a.root)
	a.tv = tview.NewApplication()
	a.tv.SetScreen(deps.Screen)
	a.tv.EnablePaste(true)
	a.tv.EnableMouse(a.Mouse)
	a.tv.SetRoot(a.stack, true)
	a.tv.SetBeforeDrawFunc(a.beforeDraw)
	a.tv.SetAfterDrawFunc(a.afterDraw)
	a.tv.SetInputCapture(func(ev *tcell.EventKey) *tcell.EventKey {
		a.key(ev)
		return nil
	})
	a.tv.SetMouseCapture(func(ev *tcell.EventMouse, action tview.MouseAction) (*tcell.EventMouse, tview.MouseAction) {
		a.touched()
		if a.plain != nil {
			return nil, action // sent before the terminal had the mouse back
		}
		return ev, action
	})
	a.pull()
	if deps.PickAtStart {
		a.pickAgent()
		a.settle()
	}
	return a
}

// Run shows the desk until Quit is called or ctx is done. It must run on the
// goroutine that is to be the UI goroutine.
func (a *App) Run(ctx context.Context) error {
	pumped := make(chan struct{})
	a.deps.Go(func() {
		defer close(pumped)
		a.pump()
	})
	a.deps.Go(func() {
		select {
		case <-ctx.Done():
		case <-a.ctx.Done():
		}
		a.stop()
		if ctx.Err() == nil {
			a.land() // the user left: a copy on its way is worth waiting for
		}
		// The loop must outlive the pump: an update queued after Stop waits for
		// ever (rivo/tview#1163). And Stop must not run on the UI goroutine: it
		// can wait there for the input goroutine, which waits for the loop.
		<-pumped
		a.tv.Stop()
	})
	defer a.keepAll()
	return a.tv.Run()
}

// Quit ends Run. It may be called from any goroutine.
func (a *App) Quit() { a.stop() }

// Note shows a sentence in the pane that is shown, as a note or an error. It may
// be called from any goroutine.
func (a *App) Note(said string, failed bool) {
	a.post(func() { a.pane.Note(said, failed) })
}

// Lend runs f on the UI goroutine: it gives the terminal to another program, and
// takes it back before it returns. Lend returns what f returned, or the error of
// ctx, which gives up waiting. It may be called from any other goroutine.
func (a *App) Lend(ctx context.Context, f func(*tview.Application) error) error {
	ended := make(chan error, 1)
	a.post(func() {
		if ctx.Err() != nil {
			return
		}
		ended <- f(a.tv)
		a.unfocusRequest() // what was typed there must not answer
	})
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
		return ctx.Err()
	case <-a.ctx.Done():
		return a.ctx.Err()
	}
}

// PasteCut says that a paste was too long and what became of it. It may be
// called from any goroutine.
func (a *App) PasteCut() {
	a.post(func() {
		a.say(fmt.Sprintf("The paste was cut at %d MB. Put the rest into a file.", core.PasteBytes>>20), true)
	})
}

// pump wakes the UI goroutine when something changed, at most once a frame. When
// the next change is there already as a frame ends, it waits for another one: a
// terminal that scrolls is sent each row anew, and a stream is as smooth at half
// the frames. Keys are drawn at once in any case.
func (a *App) pump() {
	for {
		select {
		case <-a.ctx.Done():
			return
		case <-a.deps.Changed:
		case <-a.mail:
		}
		a.tv.QueueUpdateDraw(a.pull)
		if !a.rest() {
			return
		}
		select {
		case <-a.deps.Changed:
			a.wake()
			if !a.rest() {
				return
			}
		default:
		}
	}
}

// rest waits for a frame's time and reports whether the desk is still shown.
func (a *App) rest() bool {
	frame := make(chan struct{})
	stop := a.deps.After(frameTime, func() { close(frame) })
	select {
	case <-frame:
		return true
	case <-a.ctx.Done():
		stop()
		return false
	}
}

// wake makes the pump draw another frame. It never blocks.
func (a *App) wake() {
	select {
	case a.mail <- struct{}{}:
	default:
	}
}

// post runs f on the UI goroutine soon. It may be called from any goroutine and
// never blocks.
func (a *App) post(f func()) {
	a.mu.Lock()
	a.mailbox = append(a.mailbox, f)
	a.mu.Unlock()
	a.wake()
}

// pull runs what was posted and takes what changed in the panes.
func (a *App) pull() {
	a.mu.Lock()
	posted := a.mailbox
	a.mailbox = nil
	a.mu.Unlock()
	for _, f := range posted {
		f()
	}
	a.takePanes()
	for _, t := range a.tabs {
		t.pull()
		a.remember(t)
	}
	a.showRequest()
	a.announce()
	a.watchSaving()
	a.watchTurn()
	a.wrote()
	a.settle()
}

// settle gives tview's focus to what has the keyboard.
func (a *App) settle() {
	hint := a.state.Hint
	if a.active {
		hint = ""
	}
	a.field.SetPlaceholder(hint)
	a.panel.SetFocused(a.inPanel && !a.active && a.stack.Top() == nil)
	a.tv.SetFocus(a.holder())
}

// finding reports whether what to look for is being typed.
func (a *App) finding() bool { return a.find != nil && a.find.typing }

// drafting reports whether somebody writes: no request may take the keyboard
// then (REQ 5).
func (a *App) drafting() bool { return !a.field.Blank() || a.finding() }

// holder is the primitive that has the keyboard.
func (a *App) holder() tview.Primitive {
	switch {
	case a.stack.Top() != nil && a.popup == nil:
		return a.stack.Top()
	case a.finding():
		return a.root.find
	case a.active:
		return a.request
	case a.inPanel:
		return a.panel
	default:
		return a.field
	}
}
