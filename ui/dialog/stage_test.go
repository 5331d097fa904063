package dialog

import (
	"strings"
	"testing"
	"time"

	"copydesk/core"
	"copydesk/core/session"
	"copydesk/ui/keys"
	"copydesk/ui/theme"
	"copydesk/ui/uitest"

	"github.com/gdamore/tcell/v2"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/rivo/tview"
)

// tester is what testing.T and rapid.T have in common.
type tester interface {
	Helper()
	Fatalf(format string, args ...any)
	Errorf(format string, args ...any)
}

// A stage is a front end with an input field and one request: it does with the
// gate and the dialog what the desk does.
type stage struct {
	t       tester
	screen  tcell.Screen
	now     time.Time
	gate    *Gate
	fires   time.Time // when the gate's timer does; zero: it does not run
	req     *Request
	draft   string
	answers []session.Answer
	copied  []string
	dialog  rect
	timers  []*timer // of held keys
}

type timer struct {
	at   time.Time
	call func() // nil: stopped
}

var (
	dark, _  = theme.New(theme.Options{Name: "dark", Colors: 256})
	table, _ = keys.Compile(nil)
)

func approval() *session.Request {
	return &session.Request{
		Kind:    session.Approval,
		Prompt:  "Run this command?",
		Choices: []string{"Approve", "Reject"},
		Fields: []session.Field{
			{Name: "command", Value: "rm -rf ./testdata/tmp"},
			{Name: "cwd", Value: "~/src/app"},
		},
		Claim: "Clean up temporary files",
	}
}

func choice(n int) *session.Request {
	q := &session.Request{Kind: session.Choice, Prompt: "Which table?"}
	for i := range n {
		q.Choices = append(q.Choices, "table "+string(rune('a'+i%26)))
	}
	return q
}

func textInput() *session.Request {
	return &session.Request{Kind: session.TextInput, Prompt: "What is the customer called?"}
}

// newStage draws a request on a screen of its own, docked at the foot above two
// rows for the input field and the status bar.
func newStage(t *testing.T, q *session.Request, columns, rows int) *stage {
	return stageOn(t, uitest.NewScreen(t, columns, rows), q, dark, table)
}

// simulated is a screen for the many runs of a property.
func simulated(t tester, q *session.Request, columns, rows int) *stage {
	screen := tcell.NewSimulationScreen("UTF-8")
	if err := screen.Init(); err != nil {
		t.Fatalf("%v", err)
	}
	screen.SetSize(columns, rows)
	return stageOn(t, screen, q, dark, table)
}

func stageOn(t tester, screen tcell.Screen, q *session.Request, th *theme.Theme, m *keys.Map) *stage {
	if err := q.Validate(); err != nil {
		t.Fatalf("%v", err)
	}
	s := &stage{t: t, screen: screen, now: epoch, gate: NewGate(core.QuietGate)}
	p := session.Pending{ID: "q1", Digest: q.Digest(), Request: q}
	s.req = NewRequest(p, 1, 1, Deps{
		Theme: th, Keys: m, Now: func() time.Time { return s.now },
		Copy: func(text string) { s.copied = append(s.copied, text) },
		Answer: func(id, digest string, a session.Answer) {
			if id != p.ID || digest != p.Digest {
				t.Errorf("the answer names %q, %q", id, digest)
			}
			if err := q.Accepts(a); err != nil {
				t.Errorf("answer %+v: %v", a, err)
			}
			s.answers = append(s.answers, a)
		},
	})
	s.draw()
	s.gate.Shown(s.now)
	s.arm()
	return s
}

// holds makes a letter answer only when no other key follows it, as the desk
// does.
func (s *stage) holds() *stage {
	s.req.deps.After = func(d time.Duration, f func()) func() {
		t := &timer{s.now.Add(d), f}
		s.timers = append(s.timers, t)
		return func() { t.call = nil }
	}
	s.req.deps.Typed = func(text string) {
		s.draft += text
		s.req.SetActive(false)
	}
	return s
}

// release fires the timers of held keys that are due.
func (s *stage) release() {
	for _, t := range s.timers {
		if f := t.call; f != nil && !t.at.After(s.now) {
			t.call = nil
			f()
			s.draw()
		}
	}
}

// open waits until the dialog has the keyboard.
func (s *stage) open() *stage {
	s.advance(core.QuietGate)
	if !s.req.Active() {
		s.t.Fatalf("the dialog has not got the keyboard")
	}
	return s
}

// draw draws into the cells of the screen; showing them is up to the test.
func (s *stage) draw() {
	columns, rows := s.screen.Size()
	height := s.req.Height(columns, max(rows-2, 1))
	s.dialog = rect{0, max(0, rows-2-height), columns, height}
	s.req.SetRect(s.dialog.x, s.dialog.y, s.dialog.w, s.dialog.h)
	s.screen.Clear()
	s.req.Draw(s.screen)
}

func (s *stage) arm() {
	s.fires = time.Time{}
	if wait := s.gate.Wait(s.now); wait >= 0 {
		s.fires = s.now.Add(wait)
	}
}

// advance lets time pass and fires the gate's timer when it is due.
func (s *stage) advance(d time.Duration) {
	end := s.now.Add(d)
	for !s.fires.IsZero() && !s.fires.After(end) {
		s.now = s.fires
		s.fire()
	}
	s.now = end
	s.release()
}

// stopped lets time pass while the program does not run.
func (s *stage) stopped(d time.Duration) {
	s.now = s.now.Add(d)
	if !s.fires.IsZero() && !s.fires.After(s.now) {
		s.fire()
	}
}

func (s *stage) fire() {
	s.gate.Fired(s.now)
	s.arm()
	if s.gate.Ready(s.now, strings.TrimSpace(s.draft) == "") {
		s.req.SetActive(true)
		s.draw()
	}
}

// press presses chords, one after the other without a pause.
func (s *stage) press(chords ...string) {
	s.t.Helper()
	for _, text := range chords {
		c, err := keys.Parse(text)
		if err != nil {
			s.t.Fatalf("%v", err)
		}
		for _, stroke := range c {
			s.key(tcell.NewEventKey(stroke.Key, stroke.Rune, stroke.Mod))
		}
	}
}

// slowly presses chords with a rest before each.
func (s *stage) slowly(chords ...string) {
	s.t.Helper()
	for _, chord := range chords {
		s.advance(core.QuietGate)
		s.press(chord)
	}
}

func (s *stage) key(ev *tcell.EventKey) {
	s.gate.Key(s.now)
	s.arm()
	if s.req.Active() {
		s.req.InputHandler()(ev, func(tview.Primitive) {})
	} else if stroke := keys.From(ev); stroke.Printable() {
		s.draft += string(stroke.Rune)
	}
	s.draw()
}

func (s *stage) paste(text string) {
	s.gate.Key(s.now)
	s.arm()
	s.req.PasteHandler()(text, func(tview.Primitive) {})
	if !s.req.Active() {
		s.draft += text
	}
	s.draw()
}

func (s *stage) mouse(action tview.MouseAction, x, y int) bool {
	s.gate.Key(s.now)
	s.arm()
	consumed, _ := s.req.MouseHandler()(action, tcell.NewEventMouse(x, y, tcell.ButtonPrimary, 0), func(tview.Primitive) {})
	s.draw()
	return consumed
}

func (s *stage) click(x, y int) {
	s.mouse(tview.MouseLeftDown, x, y)
	s.mouse(tview.MouseLeftUp, x, y)
	s.mouse(tview.MouseLeftClick, x, y)
}

// find returns the cell where a text begins on the screen.
func (s *stage) find(what string) (x, y int) {
	s.t.Helper()
	for y, row := range rowsOf(s.screen) {
		if i := strings.Index(row, what); i >= 0 {
			return len([]rune(row[:i])), y
		}
	}
	s.t.Fatalf("%q is not on the screen:\n%s", what, strings.Join(rowsOf(s.screen), "\n"))
	return 0, 0
}

func (s *stage) shows(what string) bool {
	return strings.Contains(strings.Join(rowsOf(s.screen), "\n"), what)
}

func (s *stage) mustShow(what ...string) {
	s.t.Helper()
	for _, w := range what {
		s.find(w)
	}
}

func (s *stage) unanswered(after string) {
	s.t.Helper()
	if len(s.answers) > 0 {
		s.t.Fatalf("%s answered %+v", after, s.answers)
	}
}

func (s *stage) answered(want session.Answer) {
	s.t.Helper()
	if diff := cmp.Diff([]session.Answer{want}, s.answers, cmpopts.EquateEmpty()); diff != "" {
		s.t.Fatalf("answers (-want +got)\n%s", diff)
	}
}

func rowsOf(screen tcell.Screen) []string {
	columns, rows := screen.Size()
	out := make([]string, rows)
	for y := range rows {
		var b strings.Builder
		for x := 0; x < columns; {
			str, _, w := screen.Get(x, y)
			if str == "" {
				str = " "
			}
			b.WriteString(str)
			x += max(w, 1)
		}
		out[y] = strings.TrimRight(b.String(), " ")
	}
	return out
}
